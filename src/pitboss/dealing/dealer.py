"""The dealer of one table: it carries out one command at a time.

For each command, the dealer computes the new state of the table, records it, and only then shows it
to the viewers. If the database fails, or another process has taken over the table, the dealer is
dropped. The next request restores the table from its records.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pitboss.core.errors import GameError, RuleError
from pitboss.dealing.errors import StaleError
from pitboss.dealing.unit_builder import UnitBuilder
from pitboss.ledger.clock import now
from pitboss.ledger.errors import BusyError, ConflictError, NotCoveredError, UnavailableError
from pitboss.ledger.software import software
from pitboss.tables.absent import safe_decision
from pitboss.tables.chain import Entry, Head, player_of
from pitboss.tables.names import table_handle

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pitboss.dealing.pit import Pit
    from pitboss.dealing.restore import RestoredTable
    from pitboss.dealing.viewers import Viewer
    from pitboss.tables.live import LiveTable

log = logging.getLogger("pitboss.pit")

T = TypeVar("T")

Command: TypeAlias = "Callable[[LiveTable], Entry]"
"""A function that returns the entry for a request to a table, or raises an error."""

Refusal: TypeAlias = "Callable[[LiveTable, GameError], Entry | None]"
"""A function that returns the entry for a refused request, or None if it is not recorded."""


class Dealer:
    """The dealer of one table in this process."""

    def __init__(self, pit: Pit, restored: RestoredTable) -> None:
        self.table, self._head, self._keys = restored
        self.viewers: set[Viewer] = set()
        self.gone = False
        self._pit = pit
        self._lock = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._set_timer()

    @property
    def needs_process(self) -> bool:
        """Whether a process must keep dealing at the table even when nobody is watching.

        A shared table has a timer that ends its rounds, and its taken seats must be freed.
        """
        return not self.table.is_solo and (self.table.in_action or bool(self.table.places))

    @property
    def is_idle(self) -> bool:
        """Whether the table has no viewers, players, bets or running commands."""
        return not (self.viewers or self.needs_process or self._lock.locked())

    async def act(
        self, command: Command, *, then: Command | None = None, key: str | None = None
    ) -> LiveTable:
        """Carry out a command, followed by the command *then*, as one unit.

        A refused command changes nothing; a repeated one is not carried out again.
        """
        return await self._finish(self.take(command, then=then, key=key))

    async def take(
        self,
        command: Command,
        *,
        then: Command | None = None,
        key: str | None = None,
        refusal: Refusal | None = None,
    ) -> LiveTable:
        """Carry out a command in the caller's task.

        If a bet is refused, *refusal* returns the entry that records it.
        """
        async with self._lock:
            self._check_here()
            if key is not None:
                await self._keys.check(key)
            try:
                entry = command(self.table)
            except RuleError as error:
                await self._refuse(refusal, error)
                raise
            try:
                await self._record([entry], key, then)
            except NotCoveredError as error:
                await self._refuse(refusal, error)
                raise
            return self.table

    async def _refuse(self, refusal: Refusal | None, error: GameError) -> None:
        if refusal and (entry := refusal(self.table, error)):
            await self._record([entry], None)

    async def _finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Finish the work even if the caller is canceled."""
        return await asyncio.shield(self._keep_task(asyncio.create_task(work)))

    def _keep_task(self, task: asyncio.Task[T]) -> asyncio.Task[T]:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _check_here(self) -> None:
        if self.gone:
            raise UnavailableError("the table is moving to another process: try again")

    async def void(self, reason: str, *, also_empty: bool = False) -> None:
        """Void the round and return all bets."""
        await self._finish(self._void(reason, also_empty=also_empty))

    async def _void(self, reason: str, *, also_empty: bool) -> None:
        async with self._lock:
            self._check_here()
            if not (self.table.in_action or also_empty):
                raise StaleError("there are no bets: nothing to void")
            await self._record([self.table.void(reason, software(), now())], None)

    async def _record(
        self, entries: list[Entry], key: str | None, then: Command | None = None
    ) -> None:
        """Record entries and their consequences as one unit; then show the table."""
        store = self._pit.store
        built = UnitBuilder(
            self.table, self._head.seq, now(), self._pit.config.large_win, store.cage
        )
        for entry in entries:
            built.add(entry.asked_by(key))
        if then:
            built.add(then(built.table))
        built.follow()
        try:
            result = await store.write(built.unit(after=self._head))
        except BusyError:
            raise
        except (UnavailableError, ConflictError):
            self._pit.drop(self)  # the records show whether it was written
            raise
        last = [record for record in result.records if record.chain == entries[0].chain][-1]
        self._head = Head(last.seq, last.hash)
        self._advance(built, key)
        for account in result.balances:
            self._pit.viewers.show_to(player_of(account), but=self.viewers)

    def _advance(self, built: UnitBuilder, key: str | None) -> None:
        """Continue with the recorded table, and show it to every viewer who can see a change."""
        before, self.table = self.table, built.table
        if key is not None:
            self._keys.add(key)
        if self.table.hand.number != before.hand.number:
            self._keys.open_round()
        self._pit.count(self.table.setup.game.key, built.ended)
        self._set_timer()
        for viewer in list(self.viewers):
            if before.version(viewer.player) != self.table.version(viewer.player):
                viewer.show(self)

    # --- the timer

    def _set_timer(self) -> None:
        self.stop_timer()
        deadline = self.table.hand.deadline
        if deadline is None or self.gone:
            return
        wait = max(0, deadline - now()) / 1000
        self._timer = asyncio.get_running_loop().call_later(wait, self._start_time_is_up)

    def stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _start_time_is_up(self) -> None:
        self._keep_task(asyncio.create_task(self._time_is_up(self.table.hand.deadline)))

    async def _time_is_up(self, deadline: int | None) -> None:
        """Deal, or decide for every seat that has not decided."""
        try:
            async with self._lock:
                if not self.gone and self.table.hand.deadline == deadline:
                    await self._record(overdue_entries(self.table), None)
        except GameError as error:
            log.warning(
                "the timer of table %s failed: %s", table_handle(self.table.setup.id), error
            )


def overdue_entries(table: LiveTable) -> list[Entry]:
    """Return the timer's entries: the deal, or a safe decision for each undecided seat."""
    if not table.hand.is_dealt:
        return [table.deal()]
    round_ = table.hand.round
    return [
        table.decide(seat, str(safe_decision(round_, seat)), player=None)
        for seat in table.waiting()
    ]
