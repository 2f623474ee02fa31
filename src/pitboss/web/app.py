"""The web application: its lifespan, routes and schema."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

import pitboss
from pitboss.core.errors import GameError
from pitboss.ledger.clock import now
from pitboss.ledger.store import Store
from pitboss.web import messages
from pitboss.web.errors import PROBLEMS, add_error_handlers
from pitboss.web.guard import Guard
from pitboss.web.rate_limits import Clients
from pitboss.web.routes import coaching, lessons, operator, pages, players, tables
from pitboss.web.services import Services, Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


def create_app(settings: Settings, ready: Callable[[], object] = lambda: None) -> FastAPI:
    """Create the application; *ready* is called when the tables are open."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = await Store.open(settings.database)
        services = app.state.services = Services(settings, store)
        try:
            await services.refresh()
            await store.begin(now())
            if settings.restored:
                await services.pit.void_all("the database was restored from a backup")
            for job in (
                services.upkeep.run(),
                services.keep_refreshed(),
                services.keep_sessions(),
                services.check_daily(),
            ):
                services.start(job)
            ready()
            yield
        finally:
            await services.stop()
            with contextlib.suppress(GameError):
                await services.accounts.write_activity()
                await services.pit.close()
                await services.record_event("stopped", process=services.pit.leases.owner)
            await store.close()

    app = FastAPI(
        title="pitboss",
        version=pitboss.__version__,
        summary="Live tables of Toss One 21 and Roll Your Own Blackjack. Play money only.",
        lifespan=lifespan,
        docs_url=None,  # these pages load files from other hosts; the schema is at /openapi.json
        redoc_url=None,
    )
    for routes in (players, tables, coaching, lessons, operator):
        app.include_router(routes.api, responses=PROBLEMS)
    app.include_router(pages.pages)
    app.state.clients = Clients(settings.rate_limits)
    app.add_middleware(Guard, clients=app.state.clients)
    add_error_handlers(app)
    app.openapi = lambda: openapi(app)  # type: ignore[method-assign]
    return app


def openapi(app: FastAPI) -> dict[str, Any]:
    """Return the schema of the API, including the messages of the WebSocket."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, summary=app.summary, routes=app.routes
        )
        parts = schema["components"]["schemas"]
        spoken: dict[str, Any] = {"Request": messages.Request, "Reply": messages.Reply}
        for name, union in spoken.items():
            template = "#/components/schemas/{model}"
            found = TypeAdapter(union).json_schema(ref_template=template)
            parts |= found.pop("$defs")
            parts[f"Live{name}"] = found
        app.openapi_schema = schema
    return app.openapi_schema
