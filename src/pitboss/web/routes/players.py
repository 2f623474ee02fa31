"""Routes of players: sign in and out, account, bankroll, history."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from pitboss.backoffice import lists
from pitboss.ledger.table_queries import seats_of_player
from pitboss.web import messages
from pitboss.web.accounts import Player
from pitboss.web.parameters import Before, Most
from pitboss.web.rate_limits import address_of
from pitboss.web.services import COOKIE, PlayerDep, Services, ServicesDep, VisitorDep, taken_from

api = APIRouter(prefix="/api/v1")


async def _sign_in(
    response: Response, services: Services, token: str, visitor: Player | None
) -> None:
    """Give a browser a new session; its previous session ends and the sockets close."""
    if visitor is not None:
        await services.end_session(visitor)
    response.set_cookie(
        COOKIE,
        token,
        httponly=True,
        samesite="strict",
        secure=services.settings.secure,
        path="/",
    )


@api.post("/guest", tags=["players"], status_code=201)
async def visit(
    body: messages.NewGuest,
    services: ServicesDep,
    request: Request,
    response: Response,
    visitor: VisitorDep,
) -> messages.Me:
    """Create a guest account with play money and sign in; the browser's previous session ends."""
    with taken_from(services.new_guests, request):
        player, token = await services.accounts.guest(body.name)
    await _sign_in(response, services, token, visitor)
    return await _me(services, player)


@api.post("/login", tags=["players"])
async def log_in(
    body: messages.Credentials,
    services: ServicesDep,
    request: Request,
    response: Response,
    visitor: VisitorDep,
) -> messages.Me:
    """Sign in to an account with a password; the browser's previous session ends."""
    address = address_of(request.scope)
    player, token = await services.accounts.log_in(body.name, body.password, address, visitor)
    await _sign_in(response, services, token, visitor)
    return await _me(services, player)


@api.post("/logout", tags=["players"])
async def log_out(player: PlayerDep, services: ServicesDep, response: Response) -> messages.Done:
    """End the session."""
    await services.end_session(player)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return messages.Done()


@api.post("/logout-everywhere", tags=["players"])
async def log_out_everywhere(
    player: PlayerDep, services: ServicesDep, response: Response
) -> messages.Done:
    """End all sessions of the player, in every browser and on every device."""
    await services.end_session(player, everywhere=True)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return messages.Done()


@api.get("/visitor", tags=["players"])
async def visitor(player: VisitorDep, services: ServicesDep) -> messages.Visitor:
    """Return the signed-in player, or null: a first visit is not an error."""
    return messages.Visitor(me=await _me(services, player) if player else None)


@api.get("/me", tags=["players"])
async def me(player: PlayerDep, services: ServicesDep) -> messages.Me:
    """Return the signed-in player, with balance and seats."""
    return await _me(services, player)


async def _me(services: Services, player: Player) -> messages.Me:
    rows = await seats_of_player(services.store, player.id)
    return messages.Me(
        id=player.id,
        name=player.name,
        kept=player.kept,
        balance=await services.accounts.balance(player.id),
        refill_below=services.accounts.bankroll.below,
        refills_left=await services.accounts.refills_left(player.id),
        sittings=[messages.HeldSeat(table=row.table_id, seat=row.seat) for row in rows],
    )


@api.post("/me/name", tags=["players"])
async def rename(body: messages.NewName, player: PlayerDep, services: ServicesDep) -> messages.Done:
    """Change the player's name."""
    await services.accounts.rename(player, body.name)
    return messages.Done()


@api.post("/me/password", tags=["players"])
async def keep(
    body: messages.NewPassword, player: PlayerDep, services: ServicesDep, request: Request
) -> messages.Done:
    """Set the password of the account, or change it."""
    address = address_of(request.scope)
    await services.accounts.set_password(player, body.password, body.old, address)
    services.pit.viewers.show_to(player.id)  # this closes the sockets of ended sessions
    return messages.Done()


@api.post("/me/refill", tags=["players"])
async def refill(player: PlayerDep, services: ServicesDep) -> messages.Refill:
    """Refill the bankroll if it is low."""
    added = await services.accounts.refill(player)
    balance = await services.accounts.balance(player.id)
    services.pit.viewers.show_to(player.id)
    return messages.Refill(added=added, balance=balance)


@api.get("/me/rounds", tags=["players"])
async def my_rounds(
    player: PlayerDep, services: ServicesDep, limit: Most = 100, before: Before = None
) -> messages.MyRounds:
    """List the player's last rounds, newest first."""
    found = await lists.player_rounds(services.store, player.id, limit=limit, before=before)
    return messages.MyRounds(**found)
