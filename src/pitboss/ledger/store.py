"""An open database: many readers, and one writer that commits units in groups.

While one transaction is written to disk, the units of the next one are collected. Units that need
rows locked by another process are set aside and retried; all others are committed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from sqlalchemy import delete, insert, literal, select, text
from sqlalchemy.exc import DBAPIError

from pitboss.core.errors import GameError, SettingError
from pitboss.ledger import metrics
from pitboss.ledger.clock import now
from pitboss.ledger.connection import (
    APPLICATION,
    DRIVER_ERRORS,
    LOCK_NOT_AVAILABLE,
    NO_ANSWER,
    is_gone,
    open_engines,
    reason_of,
    reporting_failures,
    safe_url,
    sql_state,
)
from pitboss.ledger.errors import (
    BlockedError,
    BusyError,
    ConflictError,
    RepeatedError,
    UnavailableError,
)
from pitboss.ledger.schema import IN_CAGE, balances, chains, processes, records
from pitboss.ledger.software import software
from pitboss.ledger.transaction import Balance, Unit, WriteResult, commit_units
from pitboss.ledger.upgrade import upgrade
from pitboss.tables.chain import Entry, Head, Record, cage_chain, is_cage
from pitboss.tables.timestamps import DAY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from sqlalchemy import Connection, Executable
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from pitboss.core.settings import Json
    from pitboss.ledger.connection import Writer

log = logging.getLogger("pitboss.store")

T = TypeVar("T")
Row: TypeAlias = Any
"""A row of the database; its columns are attributes."""

LOCK_WAIT_S: Final = 5.0
"""Seconds that a unit waits for rows that another process has locked."""

RETRY_S: Final = 0.02
"""Seconds before units that were set aside are retried."""

STUCK_S: Final = 2.5
"""Seconds after which we end the session of a suspended process, if PostgreSQL has not ended it."""

FRESH_S: Final = 1.0
"""Seconds for which the result of the last write shows whether the database is writable."""

MOST_STARTING: Final = 100
"""How many processes may begin their cage chains at the same time."""

PROOF_TIMEOUT_S: Final = 2.0
"""Seconds that a write check may take."""

PROOF_BYTES: Final = 16_384
"""Size of a write check: about as large as the largest write of an action."""

MOST_IN_A_COMMIT: Final = 256

MOST_WAITING: Final = 4096

MOST_REMEMBERED: Final = 20_000

BUSY_S: Final = 0.02

GATHER_S: Final = 0.005
"""If the last commit was less than ``BUSY_S`` ago, the writer waits ``GATHER_S`` for more units."""

_END_STUCK = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    " AND usename = current_user AND application_name = :application"
    " AND wait_event = 'ClientRead' AND xact_start < now() - make_interval(secs => :seconds)"
)


@dataclass(slots=True)
class _QueuedUnit:
    unit: Unit
    done: asyncio.Future[WriteResult]
    until: float | None = None  # when to give up a unit that was set aside


class Store:
    """An open database."""

    def __init__(self, reader: AsyncEngine, writer: Writer) -> None:
        self._reader = reader
        self._writer = writer
        self.owner = secrets.token_urlsafe(9)  # the id of this process
        self.cage = cage_chain(self.owner)
        self._has_begun = False
        self._beginning = asyncio.Lock()
        self._waiting: list[_QueuedUnit] = []
        self._aside: list[_QueuedUnit] = []  # units that need rows locked by another process
        self._ended_stuck = 0.0  # when we last looked for suspended processes
        self._wake = asyncio.Event()  # set when a unit waits, or on closing
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self.known_balances: dict[str, int] = {}  # players' balances after the last answered unit
        self.healthy = True  # whether the last write succeeded
        self._checked = 0.0  # when that was checked
        self._proving = asyncio.Lock()
        self.commits = 0
        self.units = 0

    @classmethod
    async def open(cls, url: str) -> Store:
        """Open a database and upgrade it; a database of a newer version is rejected."""
        store = cls(*open_engines(url))
        try:
            await store._writer.upgrade(upgrade)
        except (DBAPIError, OSError, TypeError) as error:  # TypeError: an unknown option in a URL
            await store._dispose()
            raise SettingError(f"cannot open {safe_url(url)}: {reason_of(error)}") from None
        except SettingError:
            await store._dispose()
            raise
        store._task = asyncio.create_task(store._write_on())
        return store

    @property
    def dialect(self) -> str:
        return self._reader.dialect.name

    @property
    def queue_depth(self) -> int:
        """The number of units that wait for the writer."""
        return len(self._waiting) + len(self._aside)

    async def close(self) -> None:
        """Write the waiting units and close the database."""
        self._closing = True
        self._wake.set()
        if self._task:
            await asyncio.wait({self._task})  # canceling the caller must not cancel the writer
        await self._dispose()

    async def _dispose(self) -> None:
        await self._reader.dispose()
        await self._writer.dispose()

    @contextlib.asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection for reading."""
        with reporting_failures():
            async with self._reader.connect() as connection:
                yield connection

    async def rows(self, query: Executable) -> Sequence[Row]:
        """Return all rows of a query."""
        async with self.reading() as connection:
            found: Sequence[Row] = (await connection.execute(query)).all()
        return found

    async def change(self, work: Callable[[Connection], T]) -> T:
        """Change rows without a record, such as sessions and leases, in a separate transaction."""
        with reporting_failures():
            return await self._writer.run(work)

    async def is_writable(self) -> bool:
        """Return whether the database is writable; a write within the last second is proof."""
        async with self._proving:
            if time.monotonic() - self._checked > FRESH_S:
                self._note_write(kept=await self._prove())
            return self.healthy

    async def _prove(self) -> bool:
        """Write a row that always differs from the previous one, so that the disk is needed."""
        row = {"id": self.owner, "at": now(), "proof": secrets.token_hex(PROOF_BYTES // 2)}

        def write(connection: Connection) -> None:
            connection.execute(delete(processes).where(processes.c.id == self.owner))
            connection.execute(insert(processes), row)

        try:
            async with asyncio.timeout(PROOF_TIMEOUT_S):
                await self.change(write)
        except (GameError, TimeoutError):
            return False
        return True

    def _note_write(self, *, kept: bool) -> None:
        self.healthy, self._checked = kept, time.monotonic()

    async def begin(self, at: int) -> None:
        """Begin the cage chain of this process if it has not begun.

        Its first record names the previous cage chain and its head, so that no chain can be removed
        unnoticed. The key ensures that only one process follows a chain.
        """
        async with self._beginning:
            for _ in range(MOST_STARTING):
                if self._has_begun:
                    return
                with contextlib.suppress(
                    RepeatedError
                ):  # another process follows that chain already
                    await self._follow(at)
                    await self._forget_processes()
        raise ConflictError("cannot start a cage chain: check the database with `pitboss audit`")

    async def _follow(self, at: int) -> None:
        after = await self._last_cage()
        body = {"software": software(), "process": self.owner, "after": after}
        key = f"after:{after['chain'] if after else ''}"
        entry = Entry(chain=self.cage, kind="started", body=body, key=key)
        with contextlib.suppress(ConflictError):  # it was written before, but the answer was lost
            await self._write(Unit(at=at, entries=(entry,), after=Head()))
        self._has_begun = True

    async def _forget_processes(self) -> None:
        """Delete the write checks of processes that ended long ago."""
        old = delete(processes).where(processes.c.at < now() - DAY)
        with contextlib.suppress(UnavailableError):
            await self.change(lambda connection: connection.execute(old))

    async def _last_cage(self) -> dict[str, Json] | None:
        """Return the cage chain that no other follows, and its head."""
        key = literal("after:") + chains.c.name
        followed = select(records.c.seq).where(IN_CAGE, records.c.key == key).exists()
        query = select(chains).where(text("substr(chains.name, 1, 4) = 'cage'"), ~followed)
        async with self.reading() as connection:
            row = (await connection.execute(query.order_by(chains.c.name.desc()))).first()
        return None if row is None else {"chain": row.name, "seq": row.seq, "hash": row.hash}

    async def write(self, unit: Unit) -> WriteResult:
        """Write a unit, possibly together with others; return the result when it is on disk."""
        if not self._has_begun and any(entry.chain == self.cage for entry in unit.entries):
            await self.begin(unit.at)
        return await self._write(unit)

    async def _write(self, unit: Unit) -> WriteResult:
        if self._closing:
            raise BusyError("the server is stopping")
        if self.queue_depth >= MOST_WAITING:
            raise BusyError("the database is overloaded: try again in a moment")
        waiting = _QueuedUnit(unit, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._wake.set()
        return await waiting.done

    async def refresh_balance(self, account: str) -> None:
        """Load the balance of an account into ``known_balances``, after all queued units.

        The writer reads it when its turn comes. Otherwise the balance could be newer than a table
        whose last entry is on disk but not yet answered.
        """
        await self.write(Unit(entries=(), at=0, read_accounts=(account,)))

    async def balances(self, accounts: Sequence[str]) -> dict[str, int]:
        """Return the balances of players."""
        found = await self._read_balances(accounts)
        return {account: found.get(account, Balance()).amount for account in accounts}

    async def worth(self, account: str) -> int:
        """Return the balance of a player plus the player's bets in action."""
        return (await self._read_balances([account])).get(account, Balance()).worth

    async def _read_balances(self, accounts: Sequence[str]) -> dict[str, Balance]:
        query = select(balances).where(balances.c.account.in_(accounts))
        async with self.reading() as connection:
            rows = await connection.execute(query)
            return {row.account: Balance(row.amount, row.worth) for row in rows}

    async def records(self, chain: str, after: int = 0) -> list[Record]:
        """Return the records of a chain with numbers above *after*."""
        query = select(records).where(records.c.chain == chain, records.c.seq > after)
        async with self.reading() as connection:
            rows = await connection.execute(query.order_by(records.c.seq))
            return [Record(**row) for row in rows.mappings()]

    # --- the writer

    async def _write_on(self) -> None:
        committed = 0.0
        while self._waiting or self._aside or not self._closing:
            await self._wait_for_work()
            if time.monotonic() - committed < BUSY_S:
                await asyncio.sleep(GATHER_S)
            batch = self._aside + self._waiting[:MOST_IN_A_COMMIT]
            self._aside = []
            del self._waiting[:MOST_IN_A_COMMIT]
            if not self._waiting:
                self._wake.clear()
            if batch:
                await self._commit(batch)
                committed = time.monotonic()

    async def _wait_for_work(self) -> None:
        if not self._aside:
            await self._wake.wait()
            return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), RETRY_S)

    async def _commit(self, batch: list[_QueuedUnit], *, again: bool = False) -> None:
        try:
            answers = await self._transact([waiting.unit for waiting in batch])
        except DRIVER_ERRORS as error:
            if isinstance(error, DBAPIError) and not is_gone(error):
                await self._commit_apart(batch, error, again=again)
                return
            answers = [self._failed(error)] * len(batch)
        except Exception as error:  # a unit that cannot be written
            log.exception("a transaction of %s units failed", len(batch))
            await self._commit_apart(batch, error, again=again)
            return
        for waiting, answer in zip(batch, answers, strict=True):
            if answer is None:
                self._set_aside(waiting)
            else:
                self._answer(waiting, answer)
        if self._aside:
            await self._end_stuck()

    def _set_aside(self, waiting: _QueuedUnit) -> None:
        """Retry a unit soon, unless it has waited too long."""
        waiting.until = waiting.until or time.monotonic() + LOCK_WAIT_S
        if time.monotonic() < waiting.until:
            self._aside.append(waiting)
        else:
            self._answer(waiting, _blocked())

    async def _end_stuck(self) -> None:
        """End sessions of processes that were suspended while sending a statement.

        PostgreSQL does not count them as idle, so its own timeouts do not end them.
        """
        at = time.monotonic()
        waited = max(at + LOCK_WAIT_S - (waiting.until or at) for waiting in self._aside)
        if waited < STUCK_S or at - self._ended_stuck < 1:
            return
        self._ended_stuck = at
        values = {"application": APPLICATION, "seconds": STUCK_S}
        with contextlib.suppress(UnavailableError):
            await self.change(lambda connection: connection.execute(_END_STUCK, values))

    def _answer(self, waiting: _QueuedUnit, answer: WriteResult | GameError) -> None:
        """Send the result of a unit to its caller, if the caller still waits.

        The balances become visible just before the caller continues, with nothing in between. So
        no client sees new balances together with the old table.
        """
        if isinstance(answer, WriteResult):
            asyncio.get_running_loop().call_soon(self.known_balances.update, answer.balances)
        if waiting.done.done():
            return
        if isinstance(answer, WriteResult):
            waiting.done.set_result(answer)
        else:
            waiting.done.set_exception(answer)

    def _failed(self, error: BaseException) -> UnavailableError:
        """Mark the database as unavailable."""
        log.warning("the database is unavailable: %s", reason_of(error))
        self._note_write(kept=False)
        return UnavailableError(NO_ANSWER)

    async def _commit_apart(
        self, batch: list[_QueuedUnit], error: Exception, *, again: bool
    ) -> None:
        """Commit units one by one, so that only the invalid unit is rejected.

        Each is tried twice, because another process may have begun the same chain.
        """
        if len(batch) > 1:
            for waiting in batch:
                await self._commit([waiting])
            return
        if sql_state(error) == LOCK_NOT_AVAILABLE:
            self._answer(batch[0], _blocked())
            return
        keys = [(entry.chain, entry.key) for entry in batch[0].unit.entries if entry.key]
        try:
            repeated = await self._any_known(keys)
        except GameError as failure:
            self._answer(batch[0], failure)
            return
        if repeated:
            self._answer(batch[0], RepeatedError("this request was carried out before"))
        elif again:
            self._answer(
                batch[0],
                ConflictError("the change conflicts with another one: reload and try again"),
            )
        else:
            await self._commit(batch, again=True)

    async def _any_known(self, keys: list[tuple[str, str]]) -> bool:
        async with self.reading() as connection:
            for chain, key in keys:
                where = IN_CAGE if is_cage(chain) else records.c.chain == chain
                query = select(records.c.seq).where(where, records.c.key == key)
                if (await connection.execute(query)).first():
                    return True
        return False

    async def _transact(self, units: list[Unit]) -> list[WriteResult | GameError | None]:
        metrics.batch_size.observe(len(units))
        with metrics.commit_seconds.time():
            answers = await self._writer.run(commit_units, units)
        if len(self.known_balances) > MOST_REMEMBERED:
            self.known_balances.clear()
        kept = sum(isinstance(answer, WriteResult) and bool(answer.records) for answer in answers)
        if kept:  # reads and rejected units write nothing
            self._note_write(kept=True)
        self.commits += 1
        self.units += kept
        return answers


def _blocked() -> BlockedError:
    return BlockedError(
        "another process has locked this: send the request again, with the same key"
    )


async def prepare(url: str) -> None:
    """Upgrade a database; raise an error if it cannot be used."""
    store = await Store.open(url)
    await store.close()
