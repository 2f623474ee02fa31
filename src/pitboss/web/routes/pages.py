"""The page, and the endpoints for monitoring: health, readiness, metrics."""

from __future__ import annotations

import gzip
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from starlette.exceptions import HTTPException

from pitboss.games import GAMES
from pitboss.ledger.errors import MissingError, UnavailableError
from pitboss.ledger.software import software
from pitboss.ledger.table_queries import find_table, finished_round
from pitboss.web import metrics
from pitboss.web.parameters import RoundNumber
from pitboss.web.routes.operator import as_scraper
from pitboss.web.services import ServicesDep

PAGE: Final = Path(str(files("pitboss"))) / "page"
INDEX: Final = "index.html"

READ_METHODS: Final = ["GET", "HEAD"]
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
"""The paths of the page's screens, except those of tables, rounds and games."""

pages = APIRouter(include_in_schema=False)


@pages.api_route("/health/live", methods=READ_METHODS)
async def is_live() -> Response:
    """Report that the process is running."""
    return JSONResponse({"ok": True, "play_money": True, "software": software()})


@pages.api_route("/health/ready", methods=READ_METHODS)
async def is_ready(services: ServicesDep) -> Response:
    """Report whether people can play: the database is writable and the program is unchanged."""
    checks = {
        "database": await services.store.is_writable(),
        "software": services.pit.switches.healthy,
    }
    status = 200 if all(checks.values()) else 503
    return JSONResponse({"ok": status == 200, "checks": checks}, status_code=status)  # noqa: PLR2004


@pages.get("/metrics", dependencies=[Depends(as_scraper)])
async def figures(services: ServicesDep) -> Response:
    """Return the metrics for Prometheus; a token is required.

    It is required even for local requests, because a local proxy forwards requests of strangers.
    They could learn hidden facts from the counters: for example, that a seat has decided.
    """
    content = metrics.render(services, database=await services.store.is_writable())
    return Response(content, media_type="text/plain; version=0.0.4; charset=utf-8")


async def page(request: Request) -> Response:
    """Send the page, which reads its URL itself."""
    return _file(INDEX, request, "no-cache")


async def game_page(game: str, request: Request) -> Response:
    """Send the page about a game."""
    if game not in GAMES:
        raise MissingError("there is no such game")
    return await page(request)


for _path in SCREENS:
    pages.add_api_route(_path, page, methods=READ_METHODS)
for _path in GAME_SCREENS:
    pages.add_api_route(f"{_path}/{{game}}", game_page, methods=READ_METHODS)


@pages.api_route("/tables/{table}", methods=READ_METHODS)
async def table_page(table: str, services: ServicesDep, request: Request) -> Response:
    """Send the page of a table."""
    with suppress(UnavailableError):  # the page reports the outage and retries
        await find_table(services.store, table)
    return await page(request)


@pages.api_route("/rounds/{table}/{number}", methods=READ_METHODS)
async def round_page(
    table: str, number: RoundNumber, services: ServicesDep, request: Request
) -> Response:
    """Send the page of a finished round."""
    with suppress(UnavailableError):
        await finished_round(services.store, table, number)
    return await page(request)


def is_for_a_browser(request: Request) -> bool:
    """Return whether a person opened this URL in a browser."""
    is_api = request.url.path.startswith("/api/")
    return (
        not is_api and "text/html" in request.headers.get("accept", "") and _is_file(PAGE / INDEX)
    )


def not_found(request: Request) -> Response:
    """Send the page with status 404; it shows that nothing was found."""
    return _file(INDEX, request, "no-cache", status=404)


@pages.get("/page/{name:path}")
async def asset(name: str, request: Request) -> Response:
    """Send a file of the page; names under assets contain a hash of the content."""
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
    except OSError:  # not a valid file name
        return False


@lru_cache(maxsize=100)
def _packed(path: Path, written: int) -> bytes:  # noqa: ARG001  compressed again after a change
    """Compress a file once.

    Starlette's StaticFiles does not compress, and its GZipMiddleware would compress each response.
    For the main script of 79 kB that takes 4.5 ms, in which no table is dealt: ``python -m timeit
    -s "import gzip; data = open(SCRIPT, 'rb').read()" "gzip.compress(data)"``. A lookup here takes
    microseconds.
    """
    return gzip.compress(path.read_bytes(), mtime=0)
