"""Periodic work on the tables of this process: leases, takeovers, empty seats, unused tables."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from pitboss.core.errors import GameError, plural
from pitboss.ledger.clock import now
from pitboss.ledger.errors import ConflictError, UnavailableError
from pitboss.ledger.leases import ElsewhereError
from pitboss.tables.names import table_handle
from pitboss.tables.timestamps import DAY

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pitboss.dealing.dealer import Command
    from pitboss.dealing.pit import Pit

log = logging.getLogger("pitboss.pit")

TAKE_OVER_S: Final = 0.5
"""Seconds between two searches for tables whose process has died."""

EXPIRED_AT_ONCE: Final = 10
"""The maximum number of unused tables to close in one run; more would make players wait."""


class Upkeep:
    """The periodic work on a pit's tables."""

    def __init__(self, pit: Pit) -> None:
        self._pit = pit
        self._empty_since: dict[tuple[str, int], int] = {}  # by table and seat
        self._marked = now()  # when the tables we deal were last marked as used

    async def run(self) -> None:
        """Run all jobs periodically until canceled."""
        often = self._pit.config.lease_ms / 4000
        await asyncio.gather(
            self._repeat(self._pit.renew_leases, often),
            self._repeat(self._pit.take_over, min(often, TAKE_OVER_S)),
            self._repeat(self.empty_seats, often),
            self._repeat(self.close_unused, often),
            self._repeat(self._pit.release_idle, often),
        )

    async def _repeat(self, job: Callable[[], Coroutine[Any, Any, None]], seconds: float) -> None:
        """Repeat a job; a slow one does not delay the others."""
        while True:
            await asyncio.sleep(seconds)
            try:
                await job()
            except GameError as error:
                log.warning("upkeep of the tables failed: %s", error)
            except Exception:  # if this loop ended, every lease would expire
                log.exception("upkeep of the tables failed")

    async def empty_seats(self) -> None:
        """Free the seats of players who left long ago."""
        at, empty_since = now(), {}
        for dealer in list(self._pit.dealers.values()):
            here = {viewer.player for viewer in dealer.viewers}
            for seat, place in dealer.table.places.items():
                if place.player in here:
                    continue
                key = dealer.table.setup.id, seat
                empty_since[key] = self._empty_since.get(key, at)
                if at - empty_since[key] > self._pit.config.idle_seat_ms:
                    await dealer.act(_removal(place.player, seat))
                    del empty_since[key]
        self._empty_since = empty_since

    async def close_unused(self) -> None:
        """Close a few tables that have not been used for a long time."""
        expire = self._pit.config.expire_ms
        if not expire:
            return
        at = now()
        await self._mark_used(at)
        for table in await self._pit.leases.unused(at - expire, at, EXPIRED_AT_ONCE):
            try:
                await self._close(table)
            except (ElsewhereError, ConflictError):
                continue  # another process deals it
            except UnavailableError:
                raise
            except Exception:  # the claim marked it as used, so it is retried when it expires again
                log.exception("table %s cannot be closed", table_handle(table))

    async def _mark_used(self, at: int) -> None:
        """Mark the tables we deal as used, once every quarter of the expiry time."""
        if self._marked > at - self._pit.config.expire_ms / 4:
            return
        names = [name for name, dealer in self._pit.dealers.items() if not dealer.is_idle]
        await self._pit.leases.mark_used(names, at)
        self._marked = at

    async def _close(self, table: str) -> None:
        """Close a table and free its seats; a table with viewers or bets stays open."""
        dealer = await self._pit.dealer(table)
        if dealer.viewers or dealer.table.in_action:
            return
        for seat, place in dealer.table.places.items():
            await dealer.act(_removal(place.player, seat))
        days = plural(round(self._pit.config.expire_ms / DAY), "day")
        await dealer.act(lambda table_: table_.close(f"nobody used it for {days}"))


def _removal(player: str, seat: int) -> Command:
    return lambda table: table.leave(player, seat, by_house=True)
