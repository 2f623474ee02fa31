"""The pit: the tables that this process deals, each under a lease in the database."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from pitboss.dealing import metrics
from pitboss.dealing.dealer import Dealer
from pitboss.dealing.restore import Restorer
from pitboss.dealing.switches import Switches
from pitboss.dealing.viewers import Viewers
from pitboss.ledger.clock import now
from pitboss.ledger.errors import BlockedError, ConflictError, UnavailableError
from pitboss.ledger.leases import ElsewhereError, Leases
from pitboss.ledger.table_queries import table_ids, table_setup
from pitboss.tables.names import table_handle

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.core.settings import Json
    from pitboss.dealing.config import DealingConfig
    from pitboss.ledger.store import Store

log = logging.getLogger("pitboss.pit")

TAKEOVERS_AT_ONCE: Final = 8
"""How many tables are taken over at the same time."""


class Pit:
    """The dealers of this process: it claims, takes over and releases tables."""

    def __init__(self, store: Store, config: DealingConfig) -> None:
        self.store = store
        self.config = config
        self.viewers = Viewers()
        self.switches = Switches(store, self.viewers)
        self.leases = Leases(store, config.address, config.lease_ms)
        self.dealers: dict[str, Dealer] = {}
        self.rounds: dict[tuple[str, str], int] = {}  # by game and status
        self._restorer = Restorer(store)
        self._opening: dict[str, asyncio.Task[Dealer]] = {}
        self._undealt: set[str] = set()  # shared tables that we own but that have no dealer
        self._leasing = asyncio.Lock()  # so that a table is not released while it is claimed

    async def dealer(self, table: str) -> Dealer:
        """Return the dealer of a table; if no process deals it, take it over."""
        if table in self.dealers:
            return self.dealers[table]
        if table not in self._opening:
            task = asyncio.create_task(self._take(table))
            self._opening[table] = task
            task.add_done_callback(lambda _: self._opening.pop(table, None))
        dealer = await asyncio.shield(self._opening[table])
        return dealer if not dealer.gone else await self.dealer(table)

    async def _take(self, table: str) -> Dealer:
        setup = await table_setup(self.store, table)  # an unknown table costs only this query
        async with self._leasing:
            before = await self.leases.claim(table, now())
        if setup.seconds is not None:
            self._undealt.add(table)
        dealer = Dealer(self, await self._restorer.restore(setup))
        if before is not None:
            await dealer.act(lambda table: table.taken_over(before, self.leases.owner))
            metrics.takeovers.inc()
        self._undealt.discard(table)
        self.dealers[table] = dealer
        return dealer

    def drop(self, dealer: Dealer) -> None:
        """Drop a table's dealer; the next request restores the table."""
        table = dealer.table.setup.id
        dealer.gone = True
        dealer.stop_timer()
        if self.dealers.get(table) is dealer:
            del self.dealers[table]
            if not dealer.table.is_solo:
                self._undealt.add(table)
        for viewer in list(dealer.viewers):
            viewer.lose(dealer)

    def count(self, game: str, ended: list[dict[str, Json]]) -> None:
        """Count rounds that have ended."""
        for record in ended:
            key = game, record["status"]
            self.rounds[key] = self.rounds.get(key, 0) + 1

    # --- leases

    async def renew_leases(self) -> None:
        """Renew the leases of shared tables; drop the dealers of tables that we have lost."""
        dealt = [dealer for dealer in self.dealers.values() if not dealer.table.is_solo]
        if not dealt:
            return  # a table without a timer moves to the process that its player connects to
        held = await self.leases.renew(now())
        self._undealt &= held
        for dealer in dealt:
            if (
                dealer.table.setup.id not in held
            ):  # this process was suspended, and another one has the table
                self.drop(dealer)

    async def take_over(self) -> None:
        """Take over shared tables whose owner died; restore our tables that lost their dealer."""
        found = {*await self.leases.expired(now()), *self._undealt}
        left = sorted(found - self.dealers.keys())
        for start in range(0, len(left), TAKEOVERS_AT_ONCE):
            await asyncio.gather(*map(self._take_one_over, left[start : start + TAKEOVERS_AT_ONCE]))

    async def _take_one_over(self, table: str) -> None:
        try:
            await self.dealer(table)
            log.info("took over table %s", table_handle(table))
        except ElsewhereError:
            self._undealt.discard(table)  # another process was faster
        except (ConflictError, BlockedError):
            return  # another process was faster, or still holds it
        except UnavailableError:
            raise
        except Exception:  # continue with the other tables
            log.exception("table %s cannot be dealt", table_handle(table))

    async def release_idle(self) -> None:
        """Release tables that have no viewers, players or bets."""
        if any(dealer.is_idle for dealer in self.dealers.values()):
            await self.release(lambda dealer: dealer.is_idle)

    async def release(self, wanted: Callable[[Dealer], bool]) -> None:
        """Release tables, except those that become active while we wait for the lock."""
        async with self._leasing:
            dealers = [dealer for dealer in self.dealers.values() if wanted(dealer)]
            for dealer in dealers:
                self.drop(dealer)
            names = {dealer.table.setup.id for dealer in dealers}
            on = {dealer.table.setup.id for dealer in dealers if dealer.needs_process}
            self._undealt -= names
            await self.leases.release(names, on, now())

    async def close(self) -> None:
        """Release all tables, so that another process can continue them at once."""
        await self.release(lambda _: True)

    async def void_all(self, reason: str) -> None:
        """Void the round of every table, even without bets, because its seed may be known.

        The leases in a backup are ignored, because their owners do not use this copy. If a round
        cannot be voided, the server does not start: its seed must never be used.
        """
        await self.leases.release_all()
        for name in await table_ids(self.store):
            try:
                dealer = await self.dealer(name)
                await dealer.void(reason, also_empty=True)
            except Exception:
                log.error("table %s cannot be restarted", table_handle(name))  # noqa: TRY400  it is raised
                raise
