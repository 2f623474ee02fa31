"""The web application: routes of a few lines each over accounts, pit and reports."""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import (
    APIRouter,
    FastAPI,
    Header,
    Query,
    Request,
    Response,
    WebSocket,
)
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from pydantic import TypeAdapter
from sqlalchemy import func, select
from starlette.exceptions import HTTPException

import pitboss
from pitboss.coach import CoachError
from pitboss.errors import GameError, NotationError, RuleError, SettingError
from pitboss.games import GAMES, find_game
from pitboss.table import default_limits
from pitboss.web import coaching, lessons, messages, metrics, operators, reports, site
from pitboss.web.accounts import LockedError, Player, SignInError, check_title
from pitboss.web.guard import Guard, address_of
from pitboss.web.live import NotYoursError, Setup, check_prizes, limits_told, read_limits
from pitboss.web.pit import ElsewhereError, StaleError, finished_round
from pitboss.web.rooms import (
    COOKIE,
    PlayerDep,
    Rooms,
    RoomsDep,
    RoundNumber,
    Settings,
    VisitorDep,
)
from pitboss.web.schema import seats, tables
from pitboss.web.settings import in_force, letter_of, settings_of
from pitboss.web.socket import AWAY, ERROR, Connection, first_problem
from pitboss.web.software import software
from pitboss.web.store import (
    ConflictError,
    MissingError,
    NotCoveredError,
    RepeatedError,
    Store,
    UnavailableError,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pitboss.felt import Game

LONGEST_LIST: Final = 500

STATUS: Final[dict[type[GameError], int]] = {
    SignInError: 401,
    NotYoursError: 403,
    MissingError: 404,
    StaleError: 409,
    ConflictError: 409,
    RepeatedError: 409,
    ElsewhereError: 421,
    LockedError: 429,
    lessons.BusyError: 429,
    UnavailableError: 503,
    CoachError: 503,
    NotationError: 422,
    SettingError: 422,
    NotCoveredError: 422,
    RuleError: 422,
}
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    code: {"model": messages.Problem, "description": about}
    for code, about in {
        400: "the request cannot be read",
        401: "nobody is signed in",
        403: "not from this page, or not yours",
        404: "there is no such thing",
        405: "not done this way",
        409: "it does not fit any more",
        413: "too large",
        421: "another process deals the table",
        422: "it can be read, and cannot be done",
        429: "too often",
        503: "the database does not answer, or the coach is not installed",
    }.items()
}


def create_app(settings: Settings, ready: Callable[[], object] = lambda: None) -> FastAPI:
    """Return the application of a server; *ready* is called when the tables are open."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = await Store.open(settings.database)
        rooms = app.state.rooms = Rooms(settings, store)
        try:
            await rooms.look_around()
            if settings.restored:
                await rooms.pit.begin_anew("the database was restored from a backup")
            await rooms.tell("started", software=software(), process=rooms.pit.owner)
            for job in (rooms.pit.keep(), rooms.keep_looking(), rooms.check_daily()):
                rooms.start(job)
            ready()
            yield
        finally:
            await rooms.stop()
            with contextlib.suppress(GameError):
                await rooms.pit.close()
                await rooms.tell("stopped", process=rooms.pit.owner)
            await store.close()

    app = FastAPI(
        title="pitboss",
        version=pitboss.__version__,
        summary="Live tables of Toss One 21 and Roll Your Own Blackjack. Play money only.",
        lifespan=lifespan,
        docs_url=None,  # those pages load from other hosts; the schema itself is at /openapi.json
        redoc_url=None,
    )
    app.include_router(api)
    app.include_router(coaching.api, responses=PROBLEMS)
    app.include_router(lessons.api, responses=PROBLEMS)
    app.include_router(operators.api, responses=PROBLEMS)
    app.include_router(site.pages)
    app.add_middleware(Guard, doors=settings.doors)
    app.add_exception_handler(GameError, _on_game_error)
    app.add_exception_handler(RequestValidationError, _on_unreadable)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.openapi = lambda: openapi(app)  # type: ignore[method-assign]
    return app


# --- errors, all in one form


NO_SUCH_ADDRESS: Final = {404, 422}


def _problem(
    request: Request, status: int, error: str, detail: str, address: str | None = None
) -> Response:
    if status in NO_SUCH_ADDRESS and site.is_for_a_browser(request):
        return site.not_found(request)
    problem = messages.Problem(error=error, detail=detail, address=address)
    headers = {"cache-control": "no-store", "vary": "accept"}
    return JSONResponse(problem.model_dump(exclude_none=True), status, headers)


async def _on_game_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, GameError)  # noqa: S101  it is registered for these
    found = (STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    address = error.address if isinstance(error, ElsewhereError) else None
    return _problem(request, next(found, 422), error.code, str(error), address)


async def _on_unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  it is registered for these
    found = error.errors()
    malformed = any(problem["type"] == "json_invalid" for problem in found)
    return _problem(request, 400 if malformed else 422, "unreadable", first_problem(found))


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  it is registered for these
    names = {400: "unreadable", 404: "not_found", 405: "wrong_method", 413: "too_large"}
    name = names.get(error.status_code, "refused")
    answer = _problem(request, error.status_code, name, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


KeyHeader = Annotated[str | None, Header(alias="Idempotency-Key", pattern=messages.KEY)]

api = APIRouter(prefix="/api/v1", responses=PROBLEMS)


def _sign_in(response: Response, rooms: Rooms, token: str) -> None:
    response.set_cookie(
        COOKIE,
        token,
        httponly=True,
        samesite="strict",
        secure=rooms.settings.secure,
        path="/",
    )


# --- players


@api.post("/guest", tags=["players"], status_code=201)
async def visit(body: messages.NewGuest, rooms: RoomsDep, response: Response) -> messages.Me:
    """Open a guest's account with play money, and sign in to it."""
    player, token = await rooms.accounts.guest(body.name)
    _sign_in(response, rooms, token)
    return await _me(rooms, player)


@api.post("/login", tags=["players"])
async def log_in(
    body: messages.Credentials, rooms: RoomsDep, request: Request, response: Response
) -> messages.Me:
    """Sign in to an account that was kept."""
    address = address_of(request.scope)
    player, token = await rooms.accounts.log_in(body.name, body.password, address)
    _sign_in(response, rooms, token)
    return await _me(rooms, player)


@api.post("/logout", tags=["players"])
async def log_out(player: PlayerDep, rooms: RoomsDep, response: Response) -> messages.Done:
    """End the session."""
    await rooms.accounts.log_out(player)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return messages.Done()


@api.get("/visitor", tags=["players"])
async def visitor(player: VisitorDep, rooms: RoomsDep) -> messages.Visitor:
    """Return the signed-in player, or null: a first visit is not an error."""
    return messages.Visitor(me=await _me(rooms, player) if player else None)


@api.get("/me", tags=["players"])
async def me(player: PlayerDep, rooms: RoomsDep) -> messages.Me:
    """Say who is signed in, what they have, and where they sit."""
    return await _me(rooms, player)


async def _me(rooms: Rooms, player: Player) -> messages.Me:
    query = select(seats.c.table_id, seats.c.seat).where(seats.c.player == player.id)
    async with rooms.store.reading() as connection:
        rows = (await connection.execute(query.order_by(seats.c.table_id, seats.c.seat))).all()
    return messages.Me(
        id=player.id,
        name=player.name,
        kept=player.kept,
        balance=await rooms.accounts.balance(player.id),
        refill_below=rooms.accounts.bankroll.below,
        refills_left=await rooms.accounts.refills_left(player.id),
        sittings=[messages.Sitting(table=row.table_id, seat=row.seat) for row in rows],
    )


@api.post("/me/name", tags=["players"])
async def rename(body: messages.NewName, player: PlayerDep, rooms: RoomsDep) -> messages.Done:
    """Take another name."""
    await rooms.accounts.rename(player, body.name)
    return messages.Done()


@api.post("/me/password", tags=["players"])
async def keep(
    body: messages.NewPassword, player: PlayerDep, rooms: RoomsDep, request: Request
) -> messages.Done:
    """Keep the account by a password, or change it."""
    address = address_of(request.scope)
    await rooms.accounts.set_password(player, body.password, body.old, address)
    return messages.Done()


@api.post("/me/refill", tags=["players"])
async def refill(player: PlayerDep, rooms: RoomsDep) -> messages.Refilled:
    """Fill the bankroll up again, if it is low."""
    added = await rooms.accounts.refill(player)
    balance = await rooms.accounts.balance(player.id)
    rooms.pit.show_to(player.id)
    return messages.Refilled(added=added, balance=balance)


Before = Annotated[str | None, Query(max_length=100)]
Most = Annotated[int, Query(ge=1, le=LONGEST_LIST)]


@api.get("/me/rounds", tags=["players"])
async def my_rounds(
    player: PlayerDep, rooms: RoomsDep, limit: Most = 100, before: Before = None
) -> messages.MyRounds:
    """List the player's last rounds, newest first."""
    found = await reports.player_rounds(rooms.store, player.id, limit=limit, before=before)
    return messages.MyRounds(**found)


# --- games and tables


@api.get("/games", tags=["tables"])
async def games() -> list[messages.GameInfo]:
    """List the games with their bets, rules, settings and pay tables."""
    return [_game_info(game) for game in GAMES.values()]


def _game_info(game: Game) -> messages.GameInfo:
    rules = game.rules()
    limits = limits_told(default_limits(game))
    return messages.GameInfo(
        key=game.key,
        name=game.name,
        summary=game.summary,
        stakes=dict(game.stakes),
        bets=game.bets,
        clauses=dict(game.clauses),
        presets={name: preset.as_json() for name, preset in game.presets.items()},
        settings=[messages.SettingInfo(**row) for row in settings_of(game, rules)],
        paytables=rules.paytables(),
        limits={name: messages.LimitValues(**limit) for name, limit in limits.items()},
        approval=letter_of(game),
    )


@api.get("/tables", tags=["tables"])
async def lobby(rooms: RoomsDep, limit: Most = 100) -> messages.Lobby:
    """List the tables that anybody may sit down at: those with players first, then the newest."""
    here = select(func.count()).where(seats.c.table_id == tables.c.id).scalar_subquery()
    query = select(tables).where(
        tables.c.private.is_(False), tables.c.closed.is_(None), tables.c.seconds.is_not(None)
    )
    async with rooms.store.reading() as connection:
        newest = query.order_by(here.desc(), tables.c.created.desc())
        found = await connection.execute(newest.limit(limit))
        rows = found.all()
        names = [row.id for row in rows]
        sitting = select(seats).where(seats.c.table_id.in_(names)).order_by(seats.c.seat)
        taken = (await connection.execute(sitting)).all()
    return messages.Lobby(tables=[_table_info(row, taken) for row in rows])


def _table_info(row: Any, taken: Any) -> messages.TableInfo:  # noqa: ANN401  rows of the database
    here = [{"seat": t.seat, "name": t.name} for t in taken if t.table_id == row.id]
    return messages.TableInfo.model_validate(reports.table_facts(row) | {"taken": here})


@api.post("/tables", tags=["tables"], status_code=201)
async def open_table(
    body: messages.NewTable, player: PlayerDep, rooms: RoomsDep, key: KeyHeader = None
) -> messages.TableInfo:
    """Open a table; who has its link may come to a private one."""
    game = find_game(body.game)
    rooms.pit.check_open(game.key)
    asked = f"{player.id}:{key}" if key else None
    if asked and (known := await rooms.pit.created(asked)):
        return await _table(rooms, known)
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
    with contextlib.suppress(RepeatedError):  # the same request came twice at once
        await rooms.pit.create(setup, player.id, asked)
    made = await rooms.pit.created(asked) if asked else None
    return await _table(rooms, made or setup.id)


@api.get("/tables/{table}", tags=["tables"])
async def table_info(table: str, rooms: RoomsDep) -> messages.TableInfo:
    """Show a table."""
    return await _table(rooms, table)


async def _table(rooms: Rooms, table: str) -> messages.TableInfo:
    row = await reports.find_table(rooms.store, table)
    query = select(seats).where(seats.c.table_id == table).order_by(seats.c.seat)
    async with rooms.store.reading() as connection:
        taken = (await connection.execute(query)).all()
    return _table_info(row, taken)


@api.get("/tables/{table}/rules", tags=["tables"])
async def table_rules(table: str, rooms: RoomsDep) -> messages.TableRules:
    """Return the settings of a table, with their defaults and what the approval letter says."""
    info = await _table(rooms, table)
    game = find_game(info.game)
    rules = game.rules.from_json(info.rules)
    return messages.TableRules(
        game=game.key,
        digest=info.rules_digest,
        settings=in_force(game, rules),
        paytables=rules.paytables(),
    )


@api.get("/tables/{table}/rounds", tags=["rounds"])
async def table_rounds(
    table: str, rooms: RoomsDep, limit: Most = 100, before: Before = None
) -> messages.Rounds:
    """List a table's finished rounds, newest first."""
    await _table(rooms, table)
    found = await reports.rounds_list(rooms.store, table=table, limit=limit, before=before)
    return messages.Rounds(**found)


@api.get("/tables/{table}/rounds/{number}", tags=["rounds"], response_model=messages.RoundRecord)
async def round_record(table: str, number: RoundNumber, rooms: RoomsDep) -> Response:
    """Give a finished round whole, as `pitboss verify` reads it."""
    return JSONResponse(await finished_round(rooms.store, table, number))


@api.get("/tables/{table}/rounds/{number}/steps", tags=["rounds"])
async def round_steps(
    table: str, number: RoundNumber, rooms: RoomsDep, visitor: VisitorDep
) -> messages.Replay:
    """Go through a finished round again, step by step."""
    record = await finished_round(rooms.store, table, number)
    own = await reports.seats_of(rooms.store, table, number, visitor.id) if visitor else []
    return messages.Replay.model_validate(
        {"table": table, "round": number, "yours": own, "steps": reports.steps(record)}
    )


@api.websocket("/tables/{table}/live")
async def live_table(websocket: WebSocket, table: str) -> None:
    """Sit at a table, or look on."""
    rooms: Rooms = websocket.app.state.rooms
    token = websocket.cookies.get(COOKIE)
    await websocket.accept()
    try:
        connection = Connection(
            websocket,
            table,
            pit=rooms.pit,
            accounts=rooms.accounts,
            doors=rooms.settings.doors,
            who=await rooms.accounts.whose(token),
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


# --- the schema


def openapi(app: FastAPI) -> dict[str, Any]:
    """Return the schema of the API, with the messages of the socket beside those of HTTP."""
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
