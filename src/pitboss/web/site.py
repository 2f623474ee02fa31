"""The page, and what watches over a server: health, readiness, figures."""

from __future__ import annotations

import asyncio
import gzip
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Header, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from sqlalchemy import text
from starlette.exceptions import HTTPException

from pitboss.errors import GameError
from pitboss.games import GAMES
from pitboss.web import metrics
from pitboss.web.accounts import SignInError
from pitboss.web.guard import address_of
from pitboss.web.operators import is_operator
from pitboss.web.pit import finished_round
from pitboss.web.reports import find_table
from pitboss.web.rooms import Rooms, RoomsDep, RoundNumber
from pitboss.web.software import software
from pitboss.web.store import MissingError, UnavailableError

PAGE: Final = Path(str(files("pitboss"))) / "page"
INDEX: Final = "index.html"

SOON: Final = 2.0
"""Seconds that a database may take to answer."""

LOOK: Final = ["GET", "HEAD"]
TYPES: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""The media types of the page's files, because some systems do not know all of them."""
COMPRESSED: Final = {".html", ".js", ".css", ".svg"}
GAME_SCREENS: Final = ("/rules", "/explore", "/practice", "/deal")
SCREENS: Final = ("/", "/history", "/operator", *GAME_SCREENS)
"""The addresses that the page has a screen for, besides those of tables, rounds and games."""

pages = APIRouter(include_in_schema=False)


async def _database_answers(rooms: Rooms) -> bool:
    try:
        async with asyncio.timeout(SOON):
            await (_read(rooms) if rooms.store.healthy else rooms.store.try_again())
    except (GameError, TimeoutError):
        return False
    return True


async def _read(rooms: Rooms) -> None:
    async with rooms.store.reading() as connection:
        await connection.execute(text("SELECT 1"))


@pages.api_route("/health/live", methods=LOOK)
async def is_live() -> Response:
    """Say that the process runs."""
    return JSONResponse({"ok": True, "play_money": True, "software": software()})


@pages.api_route("/health/ready", methods=LOOK)
async def is_ready(rooms: RoomsDep) -> Response:
    """Say whether it can be played here: the database answers, the program is unchanged."""
    checks = {"database": await _database_answers(rooms), "software": rooms.pit.healthy}
    status = 200 if all(checks.values()) else 503
    return JSONResponse({"ok": status == 200, "checks": checks}, status_code=status)  # noqa: PLR2004


@pages.get("/metrics")
async def figures(
    rooms: RoomsDep, request: Request, authorization: Annotated[str | None, Header()] = None
) -> Response:
    """Give the figures for Prometheus, to this machine and to the operator.

    Others could count by them what is hidden: that a seat has decided.
    """
    here = address_of(request.scope) in {"127.0.0.1", "::/64", "local"}
    if not (here or is_operator(rooms, authorization)):
        raise SignInError("figures are for the operator")
    content = metrics.render(rooms, database=await _database_answers(rooms))
    return Response(content, media_type="text/plain; version=0.0.4; charset=utf-8")


async def page(request: Request) -> Response:
    """Give the page: it reads its address itself."""
    return _file(INDEX, request, "no-cache")


async def game_page(game: str, request: Request) -> Response:
    """Send the page about a game."""
    if game not in GAMES:
        raise MissingError("there is no such game")
    return await page(request)


for _path in SCREENS:
    pages.add_api_route(_path, page, methods=LOOK)
for _path in GAME_SCREENS:
    pages.add_api_route(f"{_path}/{{game}}", game_page, methods=LOOK)


@pages.api_route("/tables/{table}", methods=LOOK)
async def table_page(table: str, rooms: RoomsDep, request: Request) -> Response:
    """Send the page of a table."""
    with suppress(UnavailableError):  # the page reports the outage and retries
        await find_table(rooms.store, table)
    return await page(request)


@pages.api_route("/rounds/{table}/{number}", methods=LOOK)
async def round_page(
    table: str, number: RoundNumber, rooms: RoomsDep, request: Request
) -> Response:
    """Send the page of a finished round."""
    with suppress(UnavailableError):
        await finished_round(rooms.store, table, number)
    return await page(request)


def is_for_a_browser(request: Request) -> bool:
    """Return whether a person opened this address in a browser."""
    is_api = request.url.path.startswith("/api/")
    return (
        not is_api and "text/html" in request.headers.get("accept", "") and _is_file(PAGE / INDEX)
    )


def not_found(request: Request) -> Response:
    """Send the page with status 404: it says that there is nothing at this address."""
    return _file(INDEX, request, "no-cache", status=404)


@pages.get("/page/{name:path}")
async def asset(name: str, request: Request) -> Response:
    """Give a file of the page; those under assets have a hash of their content in the name."""
    lasts = name.startswith("assets/")
    return _file(name, request, "public, max-age=31536000, immutable" if lasts else "no-cache")


def _file(name: str, request: Request, cached: str, status: int = 200) -> Response:
    path = (PAGE / name).resolve()
    if not (path.is_relative_to(PAGE.resolve()) and _is_file(path)):
        raise HTTPException(404, "there is no such file")
    headers = {"cache-control": cached, "vary": "accept, accept-encoding"}
    kind = TYPES.get(path.suffix, "text/plain")
    if path.suffix not in COMPRESSED or "gzip" not in request.headers.get("accept-encoding", ""):
        return FileResponse(path, status, headers, media_type=kind)
    content = _packed(path, path.stat().st_mtime_ns)
    return Response(content, status, headers | {"content-encoding": "gzip"}, kind)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is not valid for a file
        return False


@lru_cache(maxsize=100)
def _packed(path: Path, written: int) -> bytes:  # noqa: ARG001  packed anew when written anew
    return gzip.compress(path.read_bytes(), mtime=0)
