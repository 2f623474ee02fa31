"""Routes of games, tables and rounds, and the WebSocket of a live table."""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Request, Response, WebSocket
from fastapi.responses import JSONResponse

from pitboss.backoffice import lists, replay
from pitboss.core.errors import GameError
from pitboss.dealing.creation import create_table
from pitboss.games import GAMES, find_game
from pitboss.ledger.errors import MissingError, RepeatedError
from pitboss.ledger.leases import ElsewhereError
from pitboss.ledger.table_queries import (
    created_table,
    find_table,
    finished_round,
    seats_in_round,
    taken_seats,
)
from pitboss.tables.limits import check_prizes, default_limits, named_limits, read_limits
from pitboss.tables.names import check_title
from pitboss.tables.setup import Setup
from pitboss.web import messages, metrics
from pitboss.web.game_info import presentation_fields, rules_fields
from pitboss.web.parameters import Before, Most, RoundNumber
from pitboss.web.services import COOKIE, PlayerDep, Services, ServicesDep, VisitorDep, taken_from
from pitboss.web.settings import in_force, letter_of, settings_of
from pitboss.web.socket import AWAY, ERROR, Connection

if TYPE_CHECKING:
    from pitboss.core.protocol import Game

KeyHeader = Annotated[str | None, Header(alias="Idempotency-Key", pattern=messages.KEY)]

api = APIRouter(prefix="/api/v1")


@api.get("/games", tags=["tables"])
async def games() -> list[messages.GameInfo]:
    """List the games with their bets, rules, settings and pay tables."""
    return [_game_info(game) for game in GAMES.values()]


def _game_info(game: Game) -> messages.GameInfo:
    rules = game.rules()
    limits = named_limits(default_limits(game))
    return messages.GameInfo(
        key=game.key,
        name=game.name,
        summary=game.summary,
        stakes=dict(game.stakes),
        bets=dict(game.stake_of),
        clauses=dict(game.clauses),
        presets={name: preset.as_json() for name, preset in game.presets.items()},
        settings=[messages.SettingInfo(**row) for row in settings_of(game, rules)],
        paytables=rules.paytables(),
        limits={name: messages.LimitValues(**limit) for name, limit in limits.items()},
        approval=letter_of(game),
        **presentation_fields(game),
    )


@api.get("/tables", tags=["tables"])
async def lobby(services: ServicesDep, limit: Most = 100) -> messages.Lobby:
    """List the public tables: those with players first, then the newest."""
    found = await lists.lobby(services.store, limit)
    return messages.Lobby(tables=[messages.TableInfo.model_validate(one) for one in found])


@api.post("/tables", tags=["tables"], status_code=201)
async def open_table(
    body: messages.NewTable,
    player: PlayerDep,
    services: ServicesDep,
    request: Request,
    key: KeyHeader = None,
) -> messages.TableInfo:
    """Open a table; anyone with the link of a private table can join it."""
    game = find_game(body.game)
    services.pit.switches.check_open(game.key)
    asked = f"{player.id}:{key}" if key else None
    if asked and (known := await created_table(services.store, asked)):
        return await _table(services, known)
    setup = Setup(
        id=secrets.token_urlsafe(12),
        name=check_title(body.name) if body.name else f"{player.name}'s table",
        game=game,
        rules=game.rules.from_json(body.rules),
        limits=default_limits(game) | read_limits(game, body.limits),
        seconds=body.seconds,
        private=body.private,
    )
    check_prizes(setup.rules, setup.limits)
    again = contextlib.suppress(RepeatedError)  # the same request came twice at the same time
    with again, taken_from(services.new_tables, request):
        await create_table(services.store, setup, player.id, asked)
    made = await created_table(services.store, asked) if asked else None
    return await _table(services, made or setup.id)


@api.get("/tables/{table}", tags=["tables"])
async def table_info(table: str, services: ServicesDep) -> messages.TableInfo:
    """Return a table as the lobby lists it."""
    return await _table(services, table)


async def _table(services: Services, table: str) -> messages.TableInfo:
    row = await find_table(services.store, table)
    taken = await taken_seats(services.store, table)
    return messages.TableInfo.model_validate(lists.table_facts(row, taken))


@api.get("/tables/{table}/rules", tags=["tables"])
async def table_rules(table: str, services: ServicesDep) -> messages.TableRules:
    """Return the settings of a table, with defaults and the verdicts of the approval letter."""
    info = await _table(services, table)
    game = find_game(info.game)
    rules = game.rules.from_json(info.rules)
    return messages.TableRules(
        game=game.key,
        digest=info.rules_digest,
        settings=in_force(game, rules),
        paytables=rules.paytables(),
        **rules_fields(rules),
    )


@api.get("/tables/{table}/rounds", tags=["rounds"])
async def table_rounds(
    table: str, services: ServicesDep, limit: Most = 100, before: Before = None
) -> messages.Rounds:
    """List a table's finished rounds, newest first."""
    await _table(services, table)
    found = await lists.rounds_list(services.store, table=table, limit=limit, before=before)
    return messages.Rounds(**found)


@api.get("/tables/{table}/rounds/{number}", tags=["rounds"], response_model=messages.RoundRecord)
async def round_record(table: str, number: RoundNumber, services: ServicesDep) -> Response:
    """Return the full record of a finished round, for `pitboss verify`."""
    return JSONResponse(await finished_round(services.store, table, number))


@api.get("/tables/{table}/rounds/{number}/steps", tags=["rounds"])
async def round_steps(
    table: str, number: RoundNumber, services: ServicesDep, visitor: VisitorDep
) -> messages.Replay:
    """Replay a finished round step by step."""
    record = await finished_round(services.store, table, number)
    own = await seats_in_round(services.store, table, number, visitor.id) if visitor else []
    return messages.Replay.model_validate(
        {"table": table, "round": number, "yours": own, "steps": replay.steps(record)}
    )


@api.websocket("/tables/{table}/live")
async def live_table(websocket: WebSocket, table: str) -> None:
    """Play at a table, or watch it."""
    services: Services = websocket.app.state.services
    token = websocket.cookies.get(COOKIE)
    await websocket.accept()
    try:
        connection = Connection(
            websocket,
            table,
            pit=services.pit,
            accounts=services.accounts,
            rate_limits=services.settings.rate_limits,
            who=await services.accounts.session_player(token),
        )
        metrics.connections.inc()
        try:
            await connection.run()
        finally:
            metrics.connections.dec()
    except GameError as error:
        refusal = messages.Refusal(error=error.code, detail=str(error))
        if isinstance(error, ElsewhereError):
            refusal = refusal.model_copy(update={"address": error.address})
        with contextlib.suppress(RuntimeError, OSError):
            await websocket.send_text(refusal.model_dump_json())
            codes = {ElsewhereError: AWAY, MissingError: 4004}
            await websocket.close(codes.get(type(error), ERROR))
