"""What the routes share while a server runs: the database, the pit, the accounts."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import Cookie, Depends, Path, Request

from pitboss.web import reports
from pitboss.web.accounts import Accounts, Bankroll, Player, SignInError
from pitboss.web.chain import CAGE, Entry
from pitboss.web.guard import Doors
from pitboss.web.pit import House, Pit
from pitboss.web.software import self_check, software
from pitboss.web.store import Store, Unit, now

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from pitboss.rules import Json

log = logging.getLogger("pitboss.rooms")

COOKIE: Final = "pitboss"
DAILY: Final = 24 * 3600
LOOK: Final = 2.0
"""Seconds until what the operator switches in one process is so in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a server is run."""

    database: str
    operator: str | None = None  # the token of who runs it; without, nobody may
    house: House = field(default_factory=House)
    bankroll: Bankroll = field(default_factory=Bankroll)
    doors: Doors = field(default_factory=Doors)
    restored: bool = False  # from a backup: the seeds of open rounds may be known
    secure: bool = False  # it is reached by https: cookies travel no other way


class Rooms:
    """What the routes share while the server runs."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.store = store
        self.pit = Pit(store, settings.house)
        self.accounts = Accounts(store, settings.bankroll)
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

    async def tell(self, kind: str, **facts: Json) -> None:
        """Note a significant event."""
        entry = Entry(chain=CAGE, kind=kind, body=facts)
        await self.store.write(Unit(at=now(), entries=(entry,)))

    async def look_around(self) -> None:
        """See what the operator has switched off, here or in another process."""
        await self.pit.look_at_switches()
        before = self.accounts.blocked
        await self.accounts.look_for_blocked()
        for player in self.accounts.blocked - before:
            self.pit.show_to(player)

    async def keep_looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                await self.look_around()
            except Exception:
                log.exception("looking around")

    async def check_daily(self) -> None:
        """Check the program's files and the returns once a day (GLI-19, 2.3.2)."""
        while True:
            await asyncio.sleep(DAILY)
            for job in (self.check, self.watch_returns, self.accounts.forget):
                try:
                    await job()
                except Exception:
                    log.exception("the daily check")

    async def watch_returns(self) -> None:
        """Note games whose actual return is out of the range of the theoretical (GLI-19, A.6.2)."""
        for row in await reports.performance(self.store, solve=2):
            if row["per"] == "game" and row["out_of_range"]:
                facts = {name: row[name] for name in ("game", "rules_digest", "z")}
                await self.tell("return_out_of_range", **facts)

    def compute_theory(self) -> None:
        """Compute missing theory in the background, unless a job is doing so already."""
        if self._theory is None or self._theory.done():
            self._theory = self.start(self._compute_theory())

    async def _compute_theory(self) -> None:
        try:
            await reports.performance(self.store)
        except Exception:
            log.exception("computing the theory")

    async def check(self) -> bool:
        """Check the program's files; if they changed under the process, no bets are taken."""
        found = await asyncio.to_thread(self_check)
        before, self.pit.healthy = self.pit.healthy, found == software()["hash"]
        if before != self.pit.healthy:
            self.pit.show_all()
        if not self.pit.healthy:
            log.error("the program's files have changed since it started")
            await self.tell("self_check_failed", found=found, expected=software()["hash"])
        return self.pit.healthy


def rooms_of(request: Request) -> Rooms:
    rooms: Rooms = request.app.state.rooms
    return rooms


RoomsDep = Annotated[Rooms, Depends(rooms_of)]


async def signed_in(
    rooms: RoomsDep, token: Annotated[str | None, Cookie(alias=COOKIE)] = None
) -> Player:
    """Return who asks."""
    player = await rooms.accounts.whose(token)
    if player is None:
        raise SignInError("sign in first, or visit as a guest")
    return player


async def whoever(
    rooms: RoomsDep, token: Annotated[str | None, Cookie(alias=COOKIE)] = None
) -> Player | None:
    """Return who asks, or nobody."""
    return await rooms.accounts.whose(token)


VisitorDep = Annotated[Player | None, Depends(whoever)]
PlayerDep = Annotated[Player, Depends(signed_in)]
RoundNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
