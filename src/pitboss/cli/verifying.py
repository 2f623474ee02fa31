"""The command that checks a round's fairness: ``verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pitboss.cli.shell import (
    NO,
    WRONG,
    cli,
    complain,
    example,
    json_option,
    one_line,
    print_json,
    read_file,
)
from pitboss.core.errors import GameError, NotationError, shown
from pitboss.core.fairness import Check, Result, Verification, check_client_seed, verify
from pitboss.core.settings import read_json

if TYPE_CHECKING:
    from typing import IO
    from urllib.error import HTTPError
    from urllib.request import OpenerDirector

    from pitboss.core.settings import Json

LARGEST = 2**20
"""The size limit of a record in bytes; the longest round is many times smaller."""
TIMEOUT_S = 10
"""The time limit for a response from the server."""


@cli.command("verify")
@click.argument("source", metavar="FILE_OR_URL")
@click.option(
    "--commitment", "promised", metavar="HEX", help="The commitment shown before the deal."
)
@click.option(
    "--client-seed",
    "seeds",
    multiple=True,
    metavar="SEAT=TEXT",
    help="The client seed you gave for a seat (repeatable).",
)
@json_option
@example(
    "pitboss verify round.json\n"
    "pitboss verify https://pitboss.example/api/v1/tables/low/rounds/12\n"
    "pitboss verify round.json --commitment 4f53cda1... --client-seed 3=lucky\n"
    "pitboss verify --json - < round.json"
)
def verify_command(
    source: str, promised: str | None, seeds: tuple[str, ...], *, as_json: bool
) -> int:
    """Verify a round: recompute its shuffle from the seeds, and replay its settlements.

    The record of a finished round is JSON, from a file, standard input (-) or the server. Exit 1 if
    it does not verify, 2 if the input is not a record or the round is still open.
    """
    try:
        found = verify(
            _read(source),
            promised=None if promised is None else promised.lower(),
            given=_read_seeds(seeds),
        )
    except GameError as error:
        complain(f"{source}: {error}")
        if as_json:
            body = {"ok": False, "error": error.code, "detail": str(error)}
            print_json({"file": source} | body)
        return WRONG
    print_json({"file": source} | _found_json(found)) if as_json else _show(source, found)
    return 0 if found.ok else NO


def _read(source: str) -> Json:
    is_url = source.lower().startswith(("http://", "https://"))
    data = _fetch(source) if is_url else read_json(read_file(source))
    if (refusal := _refusal(data)) is not None:
        raise NotationError(refusal)
    return data


def _refusal(data: Json) -> str | None:
    """Return the server's error message, if the data is an error response."""
    if isinstance(data, dict) and data.get("ok") is False and isinstance(data.get("detail"), str):
        return one_line(data["detail"])
    return None


def _read_seeds(texts: tuple[str, ...]) -> dict[int, str]:
    seeds: dict[int, str] = {}
    for text in texts:
        seat, equals, seed = text.partition("=")
        if not (equals and seat.isascii() and seat.isdecimal() and len(seat) < 4):  # noqa: PLR2004
            raise NotationError(f"{shown(text)} is not a client seed for a seat: write SEAT=TEXT")
        if int(seat) in seeds:
            raise NotationError(f"the client seed of seat {int(seat)} is given twice")
        seeds[int(seat)] = check_client_seed(seed)
    return seeds


def _fetch(url: str) -> Json:
    """Fetch a URL: a record, or an error response."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError

    try:
        with _opener().open(url, timeout=TIMEOUT_S) as answer:
            return _json(answer)
    except GameError:
        raise
    except HTTPError as error:
        with error:
            return _error_response(error)
    except URLError as error:
        reason = str(error.reason)
    except (OSError, HTTPException, ValueError) as error:
        reason = str(error)
    raise NotationError(f"cannot read it: {one_line(reason)}")


def _error_response(error: HTTPError) -> Json:
    """Return the server's JSON error response; raise an error if it sent none."""
    try:
        data = _json(error)
    except (NotationError, OSError):
        data = None
    if _refusal(data) is None:
        raise NotationError(f"the server returned {error.code} {one_line(error.reason)}")
    return data


def _json(answer: IO[bytes]) -> Json:
    content = answer.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise NotationError(f"it is longer than {LARGEST} bytes, too long for a round")
    try:
        return read_json(content.decode("utf-8-sig"))
    except ValueError:
        raise NotationError(
            "the answer is not JSON: the address of a round is .../api/v1/tables/ID/rounds/NUMBER"
        ) from None


def _opener() -> OpenerDirector:
    """Return an opener for HTTP and HTTPS only, so that redirects cannot use other schemes."""
    from urllib import request

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.HTTPRedirectHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPErrorProcessor,
        request.UnknownHandler,
    ):
        opener.add_handler(handler())
    opener.addheaders = [("Accept", "application/json"), ("User-Agent", "pitboss")]
    return opener


def _found_json(found: Verification) -> dict[str, Json]:
    return {
        "table": found.table,
        "round": found.round_,
        "status": found.status,
        "ok": found.ok,
        "checks": [
            {"check": check.name, "result": check.result.value, "detail": check.detail}
            for check in found.checks
        ],
    }


def _show(source: str, found: Verification) -> None:
    click.echo(f"{source}: table {found.table}, round {found.round_}, {found.status}")
    for check in found.checks:
        click.echo(f"  {check.name:<12}  {_mark(check)}")
    click.echo("It verifies." if found.ok else "It does not verify.")


def _mark(check: Check) -> str:
    word = {Result.OK: "ok", Result.DIFFERS: "NO", Result.NOTHING: "--"}[check.result]
    return f"{word}  {check.detail}"
