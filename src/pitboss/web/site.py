"""The page, and what watches over a server: health, readiness, figures."""

from __future__ import annotations

import asyncio
from importlib.resources import files
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from fastapi.responses import FileResponse, JSONResponse, Response
from sqlalchemy import text
from starlette.exceptions import HTTPException

from pitboss.errors import GameError
from pitboss.web import metrics
from pitboss.web.rooms import Rooms, RoomsDep
from pitboss.web.software import software

PAGE: Final = Path(str(files("pitboss"))) / "page"

SOON: Final = 2.0
"""Seconds that a database may take to answer."""

pages = APIRouter(include_in_schema=False)


async def _database_answers(rooms: Rooms) -> bool:
    try:
        async with asyncio.timeout(SOON), rooms.store.reading() as connection:
            await connection.execute(text("SELECT 1"))
    except (GameError, TimeoutError):
        return False
    return True


@pages.get("/health/live")
async def is_live() -> Response:
    """Say that the process runs."""
    return JSONResponse({"ok": True, "play_money": True, "software": software()})


@pages.get("/health/ready")
async def is_ready(rooms: RoomsDep) -> Response:
    """Say whether it can be played here: the database answers, the program is unchanged."""
    checks = {"database": await _database_answers(rooms), "software": rooms.pit.healthy}
    status = 200 if all(checks.values()) else 503
    return JSONResponse({"ok": status == 200, "checks": checks}, status_code=status)  # noqa: PLR2004


@pages.get("/metrics")
async def figures(rooms: RoomsDep) -> Response:
    """Give the figures for Prometheus."""
    content = metrics.render(rooms, database=await _database_answers(rooms))
    return Response(content, media_type="text/plain; version=0.0.4; charset=utf-8")


@pages.get("/")
@pages.get("/tables/{table}")
async def page(table: str = "") -> Response:  # noqa: ARG001  the page itself reads its address
    return FileResponse(PAGE / "index.html", headers={"cache-control": "no-cache"})


@pages.get("/page/{name:path}")
async def asset(name: str) -> Response:
    """Give a file of the page."""
    path = (PAGE / name).resolve()
    if not path.is_relative_to(PAGE.resolve()) or not path.is_file():
        raise HTTPException(404, "there is no such file")
    return FileResponse(path, headers={"cache-control": "no-cache"})
