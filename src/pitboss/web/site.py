"""The page, and what watches over a server: health, readiness, figures."""

from __future__ import annotations

import asyncio
import gzip
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Header, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from sqlalchemy import text
from starlette.exceptions import HTTPException

from pitboss.errors import GameError
from pitboss.web import metrics
from pitboss.web.accounts import SignInError
from pitboss.web.guard import address_of
from pitboss.web.operators import is_operator
from pitboss.web.rooms import Rooms, RoomsDep
from pitboss.web.software import software

PAGE: Final = Path(str(files("pitboss"))) / "page"

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
"""The media types of the page's files: not every system knows all of them."""
COMPRESSED: Final = {".html", ".js", ".css", ".svg"}
SCREENS: Final = (
    *("/", "/tables/{table}", "/history", "/rounds/{table}/{number}", "/operator"),
    *("/rules", "/rules/{game}", "/explore", "/explore/{game}"),
    *("/practice", "/practice/{game}", "/deal", "/deal/{game}"),
)
"""Where the page has something to show."""

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
    return _file("index.html", request, "no-cache")


for _path in SCREENS:
    pages.add_api_route(_path, page, methods=LOOK)


@pages.get("/page/{name:path}")
async def asset(name: str, request: Request) -> Response:
    """Give a file of the page; those under assets have a hash of their content in the name."""
    lasts = name.startswith("assets/")
    return _file(name, request, "public, max-age=31536000, immutable" if lasts else "no-cache")


def _file(name: str, request: Request, cached: str) -> Response:
    path = (PAGE / name).resolve()
    try:
        is_there = path.is_relative_to(PAGE.resolve()) and path.is_file()
    except OSError:  # no file could have such a name
        is_there = False
    if not is_there:
        raise HTTPException(404, "there is no such file")
    headers = {"cache-control": cached, "vary": "accept-encoding"}
    media_type = TYPES.get(path.suffix, "text/plain")
    if path.suffix not in COMPRESSED or "gzip" not in request.headers.get("accept-encoding", ""):
        return FileResponse(path, headers=headers, media_type=media_type)
    content = _packed(path, path.stat().st_mtime_ns)
    return Response(content, media_type=media_type, headers=headers | {"content-encoding": "gzip"})


@lru_cache(maxsize=100)
def _packed(path: Path, written: int) -> bytes:  # noqa: ARG001  packed anew when written anew
    return gzip.compress(path.read_bytes(), mtime=0)
