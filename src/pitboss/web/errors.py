"""HTTP errors: every failure gets an answer in the same format."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from pitboss.coach import CoachError
from pitboss.core.errors import GameError, NotationError, RuleError, SettingError
from pitboss.dealing.errors import StaleError
from pitboss.ledger.errors import (
    ConflictError,
    MissingError,
    NotCoveredError,
    RepeatedError,
    UnavailableError,
)
from pitboss.ledger.leases import ElsewhereError
from pitboss.tables.live import NotYoursError
from pitboss.web import messages
from pitboss.web.accounts import SignInError
from pitboss.web.guard import problem
from pitboss.web.problems import first_problem
from pitboss.web.quotas import TooOftenError
from pitboss.web.routes import lessons
from pitboss.web.routes import pages as site

STATUS: Final[dict[type[GameError], int]] = {
    SignInError: 401,
    NotYoursError: 403,
    MissingError: 404,
    StaleError: 409,
    ConflictError: 409,
    RepeatedError: 409,
    ElsewhereError: 421,
    TooOftenError: 429,
    lessons.BusyError: 429,
    UnavailableError: 503,
    CoachError: 503,
    NotationError: 422,
    SettingError: 422,
    NotCoveredError: 422,
    RuleError: 422,
}
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    code: {"model": messages.Problem, "description": about}
    for code, about in {
        400: "The request cannot be parsed",
        401: "Not signed in",
        403: "The request came from another site, or the seat is not yours",
        404: "Not found",
        405: "Method not allowed",
        409: "The table has moved on: reload its state and try again",
        413: "The request is too large",
        421: "Another process deals the table, at the given address",
        422: "The request is well formed but invalid",
        429: "Too many requests: wait and try again",
        503: "The database is unavailable, or the coach is not installed",
    }.items()
}


NO_SUCH_ADDRESS: Final = {404, 422}


def _answer_problem(
    request: Request, status: int, error: str, detail: str, address: str | None = None
) -> Response:
    if status in NO_SUCH_ADDRESS and site.is_for_a_browser(request):
        return site.not_found(request)
    headers = {"cache-control": "no-store", "vary": "accept"}
    return Response(problem(error, detail, address), status, headers, "application/json")


async def _on_game_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, GameError)  # noqa: S101  it is registered for these
    found = (STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    address = error.address if isinstance(error, ElsewhereError) else None
    answer = _answer_problem(request, next(found, 422), error.code, str(error), address)
    if isinstance(error, TooOftenError):
        answer.headers["retry-after"] = str(error.wait_s)
    return answer


async def _on_unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  it is registered for these
    found = error.errors()
    malformed = any(problem["type"] == "json_invalid" for problem in found)
    return _answer_problem(request, 400 if malformed else 422, "unreadable", first_problem(found))


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  it is registered for these
    names = {400: "unreadable", 404: "not_found", 405: "wrong_method", 413: "too_large"}
    name = names.get(error.status_code, "refused")
    answer = _answer_problem(request, error.status_code, name, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


def add_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(GameError, _on_game_error)
    app.add_exception_handler(RequestValidationError, _on_unreadable)
    app.add_exception_handler(HTTPException, _on_http_error)
