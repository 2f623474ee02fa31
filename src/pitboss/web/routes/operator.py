"""Routes of the operator; every change is recorded as a significant event."""

from __future__ import annotations

import hmac
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import JSONResponse, Response

from pitboss.backoffice import chart as charts
from pitboss.backoffice import events as significant_events
from pitboss.backoffice import lists
from pitboss.backoffice import performance as returns
from pitboss.backoffice.export import csv
from pitboss.core.errors import NotationError
from pitboss.games import GAMES, find_game
from pitboss.ledger.software import software
from pitboss.ledger.switches import ALL_GAMES
from pitboss.tables.limits import check_prizes, read_limits
from pitboss.web import messages
from pitboss.web.accounts import SignInError
from pitboss.web.rate_limits import address_of
from pitboss.web.services import ServicesDep


def _is_token(expected: str | None, authorization: str | None) -> bool:
    given = (authorization or "").removeprefix("Bearer ")
    return expected is not None and hmac.compare_digest(given.encode(), expected.encode())


async def as_operator(
    services: ServicesDep, request: Request, authorization: Annotated[str | None, Header()] = None
) -> None:
    """Allow only the operator; an address that sends wrong tokens has to wait."""
    address = address_of(request.scope)
    if authorization is not None:
        services.operator_guesses.check(address)
    if _is_token(services.settings.operator, authorization):
        await services.forgive_wrong_tokens(address)
        return
    if authorization is not None:
        await services.record_wrong_token(address)
    raise SignInError("only the operator may do this: send the operator's token")


async def as_scraper(
    services: ServicesDep, request: Request, authorization: Annotated[str | None, Header()] = None
) -> None:
    """Allow only the metrics token or the operator's token."""
    if not _is_token(services.settings.metrics, authorization):
        await as_operator(services, request, authorization)


api = APIRouter(prefix="/api/v1/operator", tags=["operator"], dependencies=[Depends(as_operator)])

EXPORT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}}
}
Format = Literal["json", "csv"]
Before = Annotated[str | None, Query(max_length=100)]
Most = Annotated[int, Query(ge=1, le=10_000)]
Moment = Annotated[int | None, Query(ge=0, le=10**14, description="milliseconds since 1970")]
TableId = Annotated[str | None, Query(max_length=64)]
Wait = Annotated[
    bool,
    Query(description="wait for theory that takes seconds to compute; if false, mark it pending"),
]
GameName = Annotated[str | None, Query(max_length=40)]


def _export(rows: list[dict[str, Any]], format_: Format, **more: Any) -> Response:  # noqa: ANN401
    if format_ == "csv":
        return Response(csv(rows), media_type="text/csv; charset=utf-8")
    return JSONResponse({"play_money": True, "software": software(), "rows": rows} | more)


def _game(name: str | None) -> str | None:
    return None if name is None else find_game(name).key


@api.get("/performance", response_model=messages.Performance, responses=EXPORT)
async def performance(  # noqa: PLR0913  one argument for each filter
    services: ServicesDep,
    since: Moment = None,
    until: Moment = None,
    table: TableId = None,
    game: GameName = None,
    format: Format = "json",  # noqa: A002  its name in the address
    *,
    wait: Wait = True,
) -> Response:
    """Compare the theoretical and the actual return of every table and game."""
    solve = returns.SOLVED_AT_ONCE if wait else 0
    found = await returns.performance(
        services.store, since=since, until=until, table=table, game=_game(game), solve=solve
    )
    if any(row["pending"] for row in found):
        services.compute_theory()
    return _export(found, format)


@api.get("/chart")
async def chart(
    services: ServicesDep, table: TableId = None, digest: TableId = None, *, wait: Wait = True
) -> messages.Chart:
    """Return the control chart of a table, or of all tables with the same rules."""
    if (table is None) == (digest is None):
        raise NotationError("give either table or digest")
    found = await charts.chart(services.store, table=table, digest=digest, solve=wait)
    if found["pending"]:
        services.compute_theory()
    return messages.Chart(**found)


@api.get("/rounds", response_model=messages.ListedRounds, responses=EXPORT)
async def rounds(  # noqa: PLR0913  one argument for each filter
    services: ServicesDep,
    since: Moment = None,
    until: Moment = None,
    table: TableId = None,
    game: GameName = None,
    limit: Most = 1000,
    before: Before = None,
    format: Format = "json",  # noqa: A002  its name in the address
) -> Response:
    """List finished rounds, newest first."""
    found = await lists.rounds_list(
        services.store,
        since=since,
        until=until,
        table=table,
        game=_game(game),
        limit=limit,
        before=before,
    )
    return _export(found["rows"], format, before=found["before"])


@api.get("/events", response_model=messages.Events, responses=EXPORT)
async def events(  # noqa: PLR0913  one argument for each filter
    services: ServicesDep,
    since: Moment = None,
    until: Moment = None,
    table: TableId = None,
    player: TableId = None,
    kind: GameName = None,
    limit: Most = 1000,
    before: Before = None,
    format: Format = "json",  # noqa: A002  its name in the address
) -> Response:
    """List significant events, newest first."""
    found = await significant_events.events(
        services.store,
        since=since,
        until=until,
        table=table,
        player=player,
        kind=kind,
        limit=limit,
        before=before,
    )
    return _export(found["rows"], format, before=found["before"], kinds=[*significant_events.SAYS])


@api.get("/tables")
async def tables(
    services: ServicesDep,
    game: GameName = None,
    status: Literal["open", "closed"] | None = None,
    limit: Most = 100,
    before: Before = None,
) -> messages.OperatorTables:
    """List all tables, newest first, including private and closed ones."""
    found = await lists.tables_list(
        services.store, game=_game(game), status=status, limit=limit, before=before
    )
    return messages.OperatorTables.model_validate(found)


@api.get("/gaming")
async def gaming(services: ServicesDep) -> messages.GamingState:
    """Return the games on which bets are taken."""
    stopped = services.pit.switches.stopped
    return messages.GamingState(
        open=ALL_GAMES not in stopped,
        healthy=services.pit.switches.healthy,
        games={game: game not in stopped for game in GAMES},
    )


@api.post("/gaming")
async def switch(body: messages.Gaming, services: ServicesDep) -> messages.Done:
    """Stop or start play of one game or of all; current rounds are played to the end."""
    await services.pit.switches.switch(_game(body.game), gaming=body.open, reason=body.reason)
    return messages.Done()


@api.post("/tables/{table}/limits")
async def limits(table: str, body: messages.NewLimits, services: ServicesDep) -> messages.Done:
    """Change a table's limits for future bets."""
    dealer = await services.pit.dealer(table)
    setup = dealer.table.setup
    new = {**setup.limits, **read_limits(setup.game, body.limits)}
    check_prizes(setup.rules, new)
    await dealer.act(lambda table_: table_.change_limits(new))
    return messages.Done()


@api.post("/tables/{table}/close")
async def close(table: str, services: ServicesDep) -> messages.Done:
    """Close a table: it takes no more bets."""
    dealer = await services.pit.dealer(table)
    await dealer.act(lambda table_: table_.close())
    return messages.Done()


@api.post("/tables/{table}/void")
async def void(table: str, body: messages.Reason, services: ServicesDep) -> messages.Done:
    """Void the current round of a table and return all bets."""
    dealer = await services.pit.dealer(table)
    await dealer.void(body.reason)
    return messages.Done()


@api.post("/players/{player}/block")
async def block(player: str, body: messages.Block, services: ServicesDep) -> messages.Done:
    """Close a player's account, or reopen it."""
    await services.accounts.block(player, blocked=body.blocked)
    services.pit.viewers.show_to(player)
    return messages.Done()


@api.post("/self-check")
async def check(services: ServicesDep) -> messages.SelfCheck:
    """Check the program's files now."""
    return messages.SelfCheck(ok=await services.check(), software=messages.Software(**software()))
