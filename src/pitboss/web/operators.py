"""What the operator may see and do; every change is a significant event."""

from __future__ import annotations

import hmac
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import JSONResponse, Response

from pitboss.errors import NotationError
from pitboss.games import GAMES, find_game
from pitboss.web import messages, reports
from pitboss.web.accounts import SignInError
from pitboss.web.guard import address_of
from pitboss.web.live import check_prizes, read_limits
from pitboss.web.pit import ALL_GAMES
from pitboss.web.rooms import Rooms, RoomsDep
from pitboss.web.software import software


def is_operator(rooms: Rooms, authorization: str | None) -> bool:
    expected = rooms.settings.operator
    given = (authorization or "").removeprefix("Bearer ")
    return expected is not None and hmac.compare_digest(given.encode(), expected.encode())


async def as_operator(
    rooms: RoomsDep, request: Request, authorization: Annotated[str | None, Header()] = None
) -> None:
    """Let nobody in but who has the operator's token; a wrong one is noted."""
    if not is_operator(rooms, authorization):
        if authorization is not None:
            await rooms.tell("operator_refused", address=address_of(request.scope))
        raise SignInError("this is for the operator: send the token that `pitboss serve` shows")


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
    Query(description="wait for theory that takes seconds to compute; false: mark it as pending"),
]
GameName = Annotated[str | None, Query(max_length=40)]


def _export(rows: list[dict[str, Any]], format_: Format, **more: Any) -> Response:  # noqa: ANN401
    if format_ == "csv":
        return Response(reports.csv(rows), media_type="text/csv; charset=utf-8")
    return JSONResponse({"play_money": True, "software": software(), "rows": rows} | more)


def _game(name: str | None) -> str | None:
    return None if name is None else find_game(name).key


@api.get("/performance", response_model=messages.Performance, responses=EXPORT)
async def performance(  # noqa: PLR0913  one argument for each filter
    rooms: RoomsDep,
    since: Moment = None,
    until: Moment = None,
    table: TableId = None,
    game: GameName = None,
    format: Format = "json",  # noqa: A002  its name in the address
    *,
    wait: Wait = True,
) -> Response:
    """Compare theoretical and actual return of every table and game."""
    solve = reports.SOLVED_AT_ONCE if wait else 0
    found = await reports.performance(
        rooms.store, since=since, until=until, table=table, game=_game(game), solve=solve
    )
    if any(row["pending"] for row in found):
        rooms.compute_theory()
    return _export(found, format)


@api.get("/chart")
async def chart(
    rooms: RoomsDep, table: TableId = None, digest: TableId = None, *, wait: Wait = True
) -> messages.Chart:
    """Give the control chart of a table, or of all tables with the same rules."""
    if (table is None) == (digest is None):
        raise NotationError("give one of table and digest")
    found = await reports.chart(rooms.store, table=table, digest=digest, solve=wait)
    if found["pending"]:
        rooms.compute_theory()
    return messages.Chart(**found)


@api.get("/rounds", response_model=messages.ListedRounds, responses=EXPORT)
async def rounds(  # noqa: PLR0913  one argument for each filter
    rooms: RoomsDep,
    since: Moment = None,
    until: Moment = None,
    table: TableId = None,
    game: GameName = None,
    limit: Most = 1000,
    before: Before = None,
    format: Format = "json",  # noqa: A002  its name in the address
) -> Response:
    """List finished rounds, newest first."""
    found = await reports.rounds_list(
        rooms.store,
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
    rooms: RoomsDep,
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
    found = await reports.events(
        rooms.store,
        since=since,
        until=until,
        table=table,
        player=player,
        kind=kind,
        limit=limit,
        before=before,
    )
    return _export(found["rows"], format, before=found["before"], kinds=[*reports.SAYS])


@api.get("/tables")
async def tables(
    rooms: RoomsDep,
    game: GameName = None,
    status: Literal["open", "closed"] | None = None,
    limit: Most = 100,
    before: Before = None,
) -> messages.OperatorTables:
    """List all tables, newest first, private and closed ones among them."""
    found = await reports.tables_list(
        rooms.store, game=_game(game), status=status, limit=limit, before=before
    )
    return messages.OperatorTables.model_validate(found)


@api.get("/gaming")
async def gaming(rooms: RoomsDep) -> messages.GamingState:
    """Say what the house takes bets on."""
    stopped = rooms.pit.stopped
    return messages.GamingState(
        open=ALL_GAMES not in stopped,
        healthy=rooms.pit.healthy,
        games={game: game not in stopped for game in GAMES},
    )


@api.post("/gaming")
async def switch(body: messages.Gaming, rooms: RoomsDep) -> messages.Done:
    """Stop or start play, of one game or all; rounds that are on are played to their end."""
    await rooms.pit.switch(_game(body.game), gaming=body.open, reason=body.reason)
    return messages.Done()


@api.post("/tables/{table}/limits")
async def limits(table: str, body: messages.NewLimits, rooms: RoomsDep) -> messages.Done:
    """Change the limits of bets that are still to come."""
    dealer = await rooms.pit.dealer(table)
    setup = dealer.table.setup
    new = {**setup.limits, **read_limits(setup.game, body.limits)}
    check_prizes(setup.rules, new)
    await dealer.act(lambda table_: table_.change_limits(new))
    return messages.Done()


@api.post("/tables/{table}/close")
async def close(table: str, rooms: RoomsDep) -> messages.Done:
    """Take no more bets at a table."""
    dealer = await rooms.pit.dealer(table)
    await dealer.act(lambda table_: table_.close())
    return messages.Done()


@api.post("/tables/{table}/void")
async def void(table: str, body: messages.Reason, rooms: RoomsDep) -> messages.Done:
    """Give all bets of the round that is on back."""
    dealer = await rooms.pit.dealer(table)
    await dealer.void(body.reason)
    return messages.Done()


@api.post("/players/{player}/block")
async def block(player: str, body: messages.Block, rooms: RoomsDep) -> messages.Done:
    """Close a player's account, or open it again."""
    await rooms.accounts.block(player, blocked=body.blocked)
    rooms.pit.show_to(player)
    return messages.Done()


@api.post("/self-check")
async def check(rooms: RoomsDep) -> messages.Checked:
    """Check the program's files now."""
    return messages.Checked(ok=await rooms.check(), software=messages.Software(**software()))
