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
from pitboss.errors import GameError, NotationError, shown
from pitboss.fairness import Check, Result, Verification, check_client_seed, verify
from pitboss.rules import read_json

if TYPE_CHECKING:
    from typing import IO
    from urllib.error import HTTPError
    from urllib.request import OpenerDirector

    from pitboss.rules import Json

LARGEST = 2**20
"""In bytes: many times the longest round."""
PATIENCE = 10
"""In seconds, for an answer of the server."""


@cli.command("verify")
@click.argument("source", metavar="FILE_OR_URL")
@click.option(
    "--commitment", "promised", metavar="HEX", help="What you were shown before the deal."
)
@click.option(
    "--client-seed",
    "seeds",
    multiple=True,
    metavar="SEAT=TEXT",
    help="What you gave for a seat (repeatable).",
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
    """Verify a round: the shuffle from its seeds, and every settlement by playing it again.

    A round that is over is a JSON record, from a file, standard input (-) or the server. Exit 1 if
    it does not verify, 2 if it is no record or the round is still open.
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
    """Return why a server gave no record, where that is what it says."""
    if isinstance(data, dict) and data.get("ok") is False and isinstance(data.get("detail"), str):
        return one_line(data["detail"])
    return None


def _read_seeds(texts: tuple[str, ...]) -> dict[int, str]:
    seeds: dict[int, str] = {}
    for text in texts:
        seat, equals, seed = text.partition("=")
        if not (equals and seat.isascii() and seat.isdecimal() and len(seat) < 4):  # noqa: PLR2004
            raise NotationError(f"{shown(text)} is no client seed of a seat: write SEAT=TEXT")
        if int(seat) in seeds:
            raise NotationError(f"the client seed of seat {int(seat)} is given twice")
        seeds[int(seat)] = check_client_seed(seed)
    return seeds


def _fetch(url: str) -> Json:
    """Read what a server answers: a record, or why there is none."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError

    try:
        with _opener().open(url, timeout=PATIENCE) as answer:
            return _json(answer)
    except GameError:
        raise
    except HTTPError as error:
        with error:
            return _refused(error)
    except URLError as error:
        reason = str(error.reason)
    except (OSError, HTTPException, ValueError) as error:
        reason = str(error)
    raise NotationError(f"it cannot be read: {one_line(reason)}")


def _refused(error: HTTPError) -> Json:
    """Return the server's own words where it has any."""
    try:
        data = _json(error)
    except (NotationError, OSError):
        data = None
    if _refusal(data) is None:
        raise NotationError(f"the server answers {error.code} {one_line(error.reason)}")
    return data


def _json(answer: IO[bytes]) -> Json:
    content = answer.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise NotationError(f"it is longer than {LARGEST} bytes: no round is")
    try:
        return read_json(content.decode("utf-8-sig"))
    except ValueError:
        raise NotationError(
            "the answer is not JSON: the address of a round is .../api/v1/tables/ID/rounds/NUMBER"
        ) from None


def _opener() -> OpenerDirector:
    """Return what opens http and https alone, also where a server points elsewhere."""
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
