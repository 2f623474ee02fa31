"""Services shared by the routes: the database, the pit, the accounts, background jobs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import Cookie, Depends, Request

from pitboss.backoffice.performance import performance
from pitboss.core.errors import GameError
from pitboss.dealing.config import DealingConfig
from pitboss.dealing.pit import Pit
from pitboss.dealing.upkeep import Upkeep
from pitboss.ledger.clock import now
from pitboss.ledger.software import self_check, software
from pitboss.ledger.store import Store
from pitboss.ledger.transaction import Unit
from pitboss.tables.chain import Entry
from pitboss.web.accounts import Accounts, Bankroll, Player, SignInError
from pitboss.web.quotas import FREE_GUESSES, Quota, TokenLockout
from pitboss.web.rate_limits import Bucket, RateLimits, address_of

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from pitboss.core.settings import Json

log = logging.getLogger("pitboss.services")

COOKIE: Final = "pitboss"
CHECK_INTERVAL_S: Final = 24 * 3600
REFRESH_S: Final = 2.0
"""Seconds between two reads of the operator's switches from the database."""

WRITE_ACTIVITY_S: Final = 30.0
"""Seconds between two writes of the players' activity."""

SESSION_CLEANUP_PERIODS: Final = 120
"""Expired sessions are deleted once in this many periods, that is, every hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The configuration of a server."""

    database: str
    operator: str | None = None  # the operator's token; without it, the operator's API is closed
    metrics: str | None = None  # a token that gives access only to the metrics
    dealing: DealingConfig = field(default_factory=DealingConfig)
    bankroll: Bankroll = field(default_factory=Bankroll)
    rate_limits: RateLimits = field(default_factory=RateLimits)
    restored: bool = False  # restored from a backup, so the seeds of open rounds may be known
    secure: bool = False  # the server is reached over https: cookies are marked secure


class Services:
    """Services shared by the routes."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.store = store
        self.pit = Pit(store, settings.dealing)
        self.upkeep = Upkeep(self.pit)
        self.accounts = Accounts(store, settings.bankroll)
        self.new_tables = Quota(settings.rate_limits.tables, "new tables")
        self.new_guests = Quota(settings.rate_limits.guests, "new guest accounts")
        self.operator_guesses = TokenLockout()
        self._guesses_recorded = Bucket(1 / 60, 100)
        self._jobs: set[asyncio.Task[None]] = set()
        self._theory: asyncio.Task[None] | None = None

    def start(self, job: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Start a background job; :meth:`stop` cancels it."""
        task = asyncio.create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)
        return task

    async def stop(self) -> None:
        """Cancel all background jobs."""
        jobs = [*self._jobs]
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    async def record_event(self, kind: str, **facts: Json) -> None:
        """Record a significant event."""
        entry = Entry(chain=self.store.cage, kind=kind, body=facts)
        await self.store.write(Unit(at=now(), entries=(entry,)))

    async def end_session(self, player: Player, *, everywhere: bool = False) -> None:
        """End a session, or all sessions of its player, and close their sockets."""
        await (self.accounts.log_out_everywhere if everywhere else self.accounts.log_out)(player)
        self.pit.viewers.show_to(player.id)

    async def record_wrong_token(self, address: str) -> None:
        """Count a wrong operator token; only the first few of an address are recorded."""
        wrong = self.operator_guesses.fail(address)
        if wrong > FREE_GUESSES or not self._guesses_recorded.take():
            return
        await self.record_event("operator_refused", address=address)
        if wrong == FREE_GUESSES:
            await self.record_event("operator_locked", address=address)

    async def forgive_wrong_tokens(self, address: str) -> None:
        """Unlock an address for the operator token, and record how often it was refused."""
        if refused := self.operator_guesses.forgive(address):
            await self.record_event("operator_unlocked", address=address, refused=refused)

    async def refresh(self) -> None:
        """Refresh the operator's switches and blocked players from the database."""
        await self.pit.switches.refresh()
        before = self.accounts.blocked
        await self.accounts.refresh_blocked()
        for player in self.accounts.blocked - before:
            self.pit.viewers.show_to(player)
        for address in self.operator_guesses.quiet():
            await self.forgive_wrong_tokens(address)

    async def keep_refreshed(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_S)
            try:
                await self.refresh()
            except Exception:
                log.exception("cannot refresh the operator's switches")

    async def keep_sessions(self) -> None:
        """Delete expired sessions and write the activity of players, periodically."""
        for turn in count():
            try:
                if turn % SESSION_CLEANUP_PERIODS == 0:
                    await self.accounts.forget()
                await self.accounts.write_activity()
            except GameError as error:
                log.warning("cannot update the sessions: %s", error)
            except Exception:
                log.exception("cannot update the sessions")
            await asyncio.sleep(WRITE_ACTIVITY_S)

    async def check_daily(self) -> None:
        """Check the program's files and the returns once a day (GLI-19, 2.3.2)."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            for job in (self.check, self.watch_returns):
                try:
                    await job()
                except Exception:
                    log.exception("the daily check failed")

    async def watch_returns(self) -> None:
        """Record games whose actual return is outside the expected range (GLI-19, A.6.2)."""
        for row in await performance(self.store, solve=2):
            if row["per"] == "game" and row["out_of_range"]:
                facts = {name: row[name] for name in ("game", "rules_digest", "z")}
                await self.record_event("return_out_of_range", **facts)

    def compute_theory(self) -> None:
        """Compute missing theory in the background, unless such a job is running."""
        if self._theory is None or self._theory.done():
            self._theory = self.start(self._compute_theory())

    async def _compute_theory(self) -> None:
        try:
            await performance(self.store)
        except Exception:
            log.exception("cannot compute the theory")

    async def check(self) -> bool:
        """Check the program's files; if they have changed, no more bets are taken."""
        found = await asyncio.to_thread(self_check)
        self.pit.switches.set_healthy(healthy=found == software()["hash"])
        if not self.pit.switches.healthy:
            log.error("the program's files have changed since it started")
            await self.record_event("self_check_failed", found=found, expected=software()["hash"])
        return self.pit.switches.healthy


def services_of(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


ServicesDep = Annotated[Services, Depends(services_of)]


async def signed_in(
    services: ServicesDep, token: Annotated[str | None, Cookie(alias=COOKIE)] = None
) -> Player:
    """Return the signed-in player."""
    player = await services.accounts.session_player(token)
    if player is None:
        raise SignInError("you are not signed in: sign in, or visit as a guest")
    return player


async def visitor_of(
    services: ServicesDep, token: Annotated[str | None, Cookie(alias=COOKIE)] = None
) -> Player | None:
    """Return the signed-in player, or None."""
    return await services.accounts.session_player(token)


VisitorDep = Annotated[Player | None, Depends(visitor_of)]
PlayerDep = Annotated[Player, Depends(signed_in)]


@contextlib.contextmanager
def taken_from(quota: Quota, request: Request) -> Iterator[None]:
    """Charge the address of a request, unless the request fails."""
    address = address_of(request.scope)
    quota.take(address)
    try:
        yield
    except GameError:
        quota.give_back(address)
        raise
