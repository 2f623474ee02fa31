"""The database: opened and brought up to date, read by many, written by one writer.

The writer commits what all tables want recorded in groups: while one transaction is on its way to
the disk the next gathers. Inside a transaction it locks the heads of the chains and the accounts
that are debited, so that no record can be added twice and no balance can go below nothing,
however many processes share the database.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import bindparam, create_engine, event, insert, inspect, select, text, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from pitboss.errors import GameError, SettingError, shown
from pitboss.notation import dollars
from pitboss.web import migrations
from pitboss.web.chain import Entry, Head, Record, canonical, player_of, record_of
from pitboss.web.schema import chains, ledger, players, records, switches

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from sqlalchemy import URL, Connection, Dialect, Engine
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
    from sqlalchemy.sql.dml import UpdateBase

    from pitboss.rules import Json

log = logging.getLogger("pitboss.store")

PATIENCE: Final = 5.0
"""Seconds that a server of databases may take for a transaction before it counts as gone."""

VERSIONS: Final = "alembic_version"
"""The table in which a database says what version it is."""

NO_ANSWER: Final = "the database does not answer: ask again, with the same key"
GONE: Final = (DBAPIError, OSError, TimeoutError)
"""How drivers fail; a broken law of the database is among them."""

REFUSED: Final = {"22", "23"}
"""How states begin by which PostgreSQL refuses data: as such, or by a constraint."""

VICTIM: Final = {"40P01", "40001"}
"""States of a transaction that was given up for another: it may be made again."""

MOST_IN_A_COMMIT: Final = 256
MOST_WAITING: Final = 4096
MOST_REMEMBERED: Final = 20_000
BUSY: Final = 0.02
GATHER: Final = 0.005
"""Seconds: who commits again within the first waits the second, for others to come along."""

MOST_IN_LOG: Final = 4_000
"""Pages of 4 KiB in SQLite's log from which on a commit, which takes longer by it, moves them
into the file: a page that was changed several times is moved once."""

T = TypeVar("T")
Counted: TypeAlias = tuple[int, int]
"""The last entry of an account that was counted, and the sum up to it."""

_SAVE_RECORDS = insert(records)
_SAVE_LEDGER = insert(ledger)
_NEW_HEAD = insert(chains)
_MOVE_HEAD = (
    update(chains)
    .where(chains.c.name == bindparam("chain"))
    .values(seq=bindparam("to"), hash=bindparam("with"))
)
_HEADS = {
    "sqlite": "SELECT name, seq, hash FROM chains WHERE name IN (SELECT value FROM json_each(?))",
    "postgresql": "SELECT name, seq, hash FROM chains"
    " WHERE name = ANY(ARRAY(SELECT json_array_elements_text(cast($1::text AS json))))"
    " ORDER BY name FOR UPDATE",
}
_SUMS = {  # what each account got after the last entry that was counted
    "sqlite": "SELECT json_extract(w.value, '$[0]') AS account, coalesce(sum(l.amount), 0),"
    " coalesce(max(l.id), 0) FROM json_each(?) AS w"
    " LEFT JOIN ledger AS l ON l.account = json_extract(w.value, '$[0]')"
    " AND l.id > json_extract(w.value, '$[1]') GROUP BY 1",
    "postgresql": "SELECT w.account, coalesce(sum(l.amount), 0)::bigint, coalesce(max(l.id), 0)"
    " FROM (SELECT value->>0 AS account, (value->>1)::bigint AS after"
    " FROM json_array_elements(cast($1::text AS json))) AS w"
    " LEFT JOIN ledger AS l ON l.account = w.account AND l.id > w.after GROUP BY 1",
}


class UnavailableError(GameError):
    """The database does not answer; whether the last change was kept shows when it does."""

    code = "unavailable"


class BusyError(UnavailableError):
    """More waits to be written than is taken; nothing of it was begun."""


class ConflictError(GameError):
    """Somebody else has added to the chain; what was to be added fits no more."""

    code = "conflict"


class RepeatedError(GameError):
    """A request with this key was carried out before."""

    code = "repeated"


class MissingError(GameError):
    """There is no such table, round or player."""

    code = "not_found"


class NotCoveredError(GameError):
    """The account has less than the bets take."""

    code = "not_covered"


@dataclass(frozen=True, slots=True)
class Change:
    """A statement beside the records, with the values of one row."""

    statement: UpdateBase
    values: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What is kept whole or not at all: entries, and the rows that follow from them."""

    entries: tuple[Entry, ...]
    at: int  # the moment of its records
    changes: tuple[Change, ...] = ()
    after: Head | None = None  # where the chain of the first entry must stand, if it matters
    looks: tuple[str, ...] = ()  # accounts that are only counted


class Kept(NamedTuple):
    """What came of a unit: its records, and what its accounts have behind it."""

    records: list[Record]
    balances: dict[str, int]


Moves: TypeAlias = list[tuple[str, int]]
"""Accounts of players and what each gains or loses."""


def _moves(unit: Unit) -> Moves:
    """Return what a unit moves, entry by entry: no bet is paid by what it wins."""
    found: Moves = []
    for entry in unit.entries:
        sums: dict[str, int] = {}
        for account, amount, _ in entry.postings:
            if account.startswith("player:"):
                sums[account] = sums.get(account, 0) + amount
        found += sums.items()
    return found


@dataclass(slots=True)
class _Waiting:
    unit: Unit
    done: asyncio.Future[Kept]


@dataclass(slots=True)
class _Draft:
    """The rows of one transaction, as they gather."""

    heads: dict[str, Head]
    new: set[str]
    balances: dict[str, int]
    records: list[Record] = field(default_factory=list)
    lines: list[tuple[str, int, str, int, str]] = field(default_factory=list)
    changes: dict[int, tuple[UpdateBase, list[dict[str, Any]]]] = field(default_factory=dict)

    def add(self, unit: Unit, moves: Moves) -> Kept:
        """Add a unit, or refuse it and stay as before."""
        self._check(unit, moves)
        added = [self._record(entry, unit.at) for entry in unit.entries]
        for change in unit.changes:
            rows = self.changes.setdefault(id(change.statement), (change.statement, []))[1]
            rows.append(change.values)
        touched = {account for account, _ in moves}.union(unit.looks)
        return Kept(added, {account: self.balances[account] for account in touched})

    def _check(self, unit: Unit, moves: Moves) -> None:
        if unit.after is not None:
            chain = unit.entries[0].chain
            if self.heads[chain] != unit.after:
                raise ConflictError(f"{chain} has gone on elsewhere")
        left: dict[str, int] = {}
        for account, amount in moves:
            has = left.get(account, self.balances[account])
            if amount < 0 and has + amount < 0:
                raise NotCoveredError(
                    f"that takes {dollars(-amount)}, the bankroll has {dollars(has)}"
                )
            left[account] = has + amount

    def _record(self, entry: Entry, at: int) -> Record:
        record = record_of(entry, self.heads[entry.chain], at)
        self.heads[entry.chain] = Head(record.seq, record.hash)
        self.records.append(record)
        for account, amount, memo in entry.postings:
            if account in self.balances:
                self.balances[account] += amount
            self.lines.append((entry.chain, record.seq, account, amount, memo))
        return record


class Store:
    """A database that is open."""

    def __init__(self, reader: AsyncEngine, writer: Writer) -> None:
        self._reader = reader
        self._writer = writer
        self._waiting: list[_Waiting] = []
        self._wake = asyncio.Event()  # something waits, or we close
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self._known: dict[str, Counted] = {}  # balances, and up to which entry they are counted
        self.last_seen: dict[str, int] = {}  # players' balances behind what was last answered
        self.healthy = True  # the last transaction was kept
        self.commits = 0
        self.units = 0

    @classmethod
    async def open(cls, url: str) -> Store:
        """Open a database and bring it up to date; one of a newer version is refused."""
        store = cls(*_engines(url))
        try:
            await store._writer.upgrade(_upgrade)
        except (DBAPIError, OSError, TypeError) as error:  # the last: an unknown part of an address
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

    async def close(self) -> None:
        """Write what is waiting and let go of the database."""
        self._closing = True
        self._wake.set()
        if self._task:
            await asyncio.wait({self._task})  # who waits no longer stops nothing
        await self._dispose()

    async def _dispose(self) -> None:
        await self._reader.dispose()
        await self._writer.dispose()

    @contextlib.asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection to read by."""
        with _telling():
            async with self._reader.connect() as connection:
                yield connection

    async def change(self, work: Callable[[Connection], T]) -> T:
        """Change what is no record, sessions and leases, in a transaction of its own."""
        with _telling():
            return await self._writer.run(work)

    async def try_again(self) -> None:
        """Write something after a failure, to see whether it can be written again."""
        switch = update(switches).values(value=switches.c.value)
        await self.change(lambda connection: connection.execute(switch))
        self.healthy = True

    async def write(self, unit: Unit) -> Kept:
        """Keep a unit, together with others; return what came of it once it is on the disk."""
        if self._closing:
            raise BusyError("the server is stopping")
        if len(self._waiting) >= MOST_WAITING:
            raise BusyError("the database does not keep up: try again in a moment")
        waiting = _Waiting(unit, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._wake.set()
        return await waiting.done

    async def look(self, account: str) -> None:
        """Have what an account has be seen, behind all that was asked for before.

        By the writer, in turn: a balance that was read beside it might be newer than a table
        whose last entry is on the disk and not yet answered.
        """
        await self.write(Unit(entries=(), at=0, looks=(account,)))

    async def balances(self, accounts: Sequence[str]) -> dict[str, int]:
        """Return what accounts have: the sum of their entries."""
        async with self.reading() as connection:
            counted = await connection.run_sync(_count, accounts, self._known)
        return {account: sum_ for account, (_, sum_) in counted.items()}

    async def records(self, chain: str, after: int = 0) -> list[Record]:
        """Return the records of a chain behind the first *after*."""
        query = select(records).where(records.c.chain == chain, records.c.seq > after)
        async with self.reading() as connection:
            rows = await connection.execute(query.order_by(records.c.seq))
            return [Record(**row) for row in rows.mappings()]

    # --- the writer

    async def _write_on(self) -> None:
        committed = 0.0
        while self._waiting or not self._closing:
            await self._wake.wait()
            if time.monotonic() - committed < BUSY:
                await asyncio.sleep(GATHER)
            batch = self._waiting[:MOST_IN_A_COMMIT]
            del self._waiting[:MOST_IN_A_COMMIT]
            if not self._waiting:
                self._wake.clear()
            if batch:
                await self._commit(batch)
                committed = time.monotonic()

    async def _commit(self, batch: list[_Waiting], *, again: bool = False) -> None:
        try:
            answers = await self._transact([waiting.unit for waiting in batch])
        except GONE as error:
            if isinstance(error, DBAPIError) and not _is_gone(error):
                await self._commit_apart(batch, again=again)
                return
            answers = [self._failed(error)] * len(batch)
        except Exception:  # a unit that no database would take
            log.exception("a transaction of %s failed", len(batch))
            await self._commit_apart(batch, again=again)
            return
        for waiting, answer in zip(batch, answers, strict=True):
            self._answer(waiting, answer)

    def _answer(self, waiting: _Waiting, answer: Kept | GameError) -> None:
        """Tell what came of a unit, if who asked is still there.

        Its balances come to be seen in the step before who asked goes on, with nothing between:
        nobody sees them beside the table as it was before.
        """
        if isinstance(answer, Kept):
            asyncio.get_running_loop().call_soon(self.last_seen.update, answer.balances)
        if waiting.done.done():
            return
        if isinstance(answer, Kept):
            waiting.done.set_result(answer)
        else:
            waiting.done.set_exception(answer)

    def _failed(self, error: BaseException) -> UnavailableError:
        """Note that the database is gone; what was counted before may not hold any more."""
        log.warning("the database does not answer: %s", reason_of(error))
        self.healthy = False
        self._known = {}
        return UnavailableError(NO_ANSWER)

    async def _commit_apart(self, batch: list[_Waiting], *, again: bool) -> None:
        """Commit one by one, so that only the unit that cannot be kept is refused.

        Each is tried twice: another process may have begun the same chain at the same moment.
        """
        if len(batch) > 1:
            for waiting in batch:
                await self._commit([waiting])
            return
        keys = [(entry.chain, entry.key) for entry in batch[0].unit.entries if entry.key]
        try:
            repeated = await self._any_known(keys)
        except GameError as error:
            self._answer(batch[0], error)
            return
        if repeated:
            self._answer(batch[0], RepeatedError("this was done before"))
        elif again:
            self._answer(batch[0], ConflictError("it was taken"))
        else:
            await self._commit(batch, again=True)

    async def _any_known(self, keys: list[tuple[str, str]]) -> bool:
        async with self.reading() as connection:
            for chain, key in keys:
                query = select(records.c.seq).where(records.c.chain == chain, records.c.key == key)
                if (await connection.execute(query)).first():
                    return True
        return False

    async def _transact(self, units: list[Unit]) -> list[Kept | GameError]:
        answers, counted = await self._writer.run(_keep, units, self._known)
        if max(len(self._known), len(self.last_seen)) > MOST_REMEMBERED:
            self._known = {}
            self.last_seen.clear()
        self._known |= counted
        kept = sum(isinstance(answer, Kept) and bool(answer.records) for answer in answers)
        self.healthy = self.healthy or kept > 0  # who looks or is refused has written nothing
        self.commits += 1
        self.units += kept
        return answers


def _keep(
    connection: Connection, units: list[Unit], known: Mapping[str, Counted]
) -> tuple[list[Kept | GameError], dict[str, Counted]]:
    """Keep units in one transaction; return what came of each, and what the accounts had."""
    moves = [_moves(unit) for unit in units]
    moved = sorted({account for each in moves for account, _ in each})
    draft, counted = _draft(connection, units, moved, known)
    answers: list[Kept | GameError] = []
    for unit, each in zip(units, moves, strict=True):
        try:
            answers.append(draft.add(unit, each))
        except GameError as refusal:
            answers.append(refusal)
    _save(connection, draft)
    return answers, counted


def _draft(
    connection: Connection, units: list[Unit], moved: list[str], known: Mapping[str, Counted]
) -> tuple[_Draft, dict[str, Counted]]:
    """Lock what the units touch, and begin with what is there."""
    names = {entry.chain for unit in units for entry in unit.entries}
    rows = _look_up(connection, _HEADS, [*names])
    heads = {name: Head(seq, hash_) for name, seq, hash_ in rows}
    new = names - heads.keys()
    _lock(connection, moved)
    looked = {account for unit in units for account in unit.looks}
    counted = _count(connection, [*looked.union(moved)], known)
    heads |= dict.fromkeys(new, Head())
    return _Draft(heads, new, {name: sum_ for name, (_, sum_) in counted.items()}), counted


def _count(
    connection: Connection, accounts: Sequence[str], known: Mapping[str, Counted]
) -> dict[str, Counted]:
    """Return the balances, each with the last entry that is counted in it.

    Entries of one account are numbered in the order they are committed, as its row is locked
    before they are made: so the sum of the older ones need not be made again.
    """
    if not accounts:
        return {}
    before = {account: known.get(account, (0, 0)) for account in accounts}
    wanted = [[account, last] for account, (last, _) in before.items()]
    counted = {}
    for account, more, last in _look_up(connection, _SUMS, wanted):
        counted[account] = max(last, before[account][0]), before[account][1] + more
    return counted


def _lock(connection: Connection, accounts: Sequence[str]) -> None:
    """Let no other process spend from these accounts until the transaction ends."""
    if not accounts or connection.dialect.name == "sqlite":
        return  # SQLite has one writer at a time
    ids = [player_of(account) for account in accounts]
    query = select(players.c.id).where(players.c.id.in_(ids)).order_by(players.c.id)
    connection.execute(query.with_for_update(key_share=True))  # who sits down need not wait


def _save(connection: Connection, draft: _Draft) -> None:
    for statement, rows in draft.changes.values():
        _execute(connection, statement, rows)
    if not draft.records:
        return
    heads = [(name, *draft.heads[name]) for name in sorted({r.chain for r in draft.records})]
    new = [dict(zip(chains.c.keys(), h, strict=True)) for h in heads if h[0] in draft.new]
    moved = [{"chain": n, "to": s, "with": h} for n, s, h in heads if n not in draft.new]
    _execute(connection, _NEW_HEAD, new)
    _execute(connection, _MOVE_HEAD, moved)
    _insert(connection, _SAVE_RECORDS, Record._fields, draft.records)
    _insert(connection, _SAVE_LEDGER, ("chain", "seq", "account", "amount", "memo"), draft.lines)


def _look_up(connection: Connection, queries: Mapping[str, str], wanted: Json) -> Iterable[Any]:
    """Ask for many things by one parameter: the text stays the same, and is prepared once."""
    return _run_text(connection, queries[connection.dialect.name], (canonical(wanted),))


def _execute(connection: Connection, statement: UpdateBase, rows: list[dict[str, Any]]) -> None:
    """Execute a statement for every row, by its text: SQLAlchemy would prepare each row anew."""
    if not rows:
        return
    sql, names = _text(statement, connection.dialect, (*rows[0],))
    _run_text(connection, sql, [tuple(map(row.__getitem__, names)) for row in rows])


def _insert(
    connection: Connection, statement: UpdateBase, columns: tuple[str, ...], rows: list[Any]
) -> None:
    """Insert rows that are tuples already, of *columns* in the order of the table."""
    if rows:
        _run_text(connection, _text(statement, connection.dialect, columns)[0], rows)


def _run_text(
    connection: Connection, sql: str, values: tuple[Any, ...] | list[Any]
) -> Iterable[Any]:
    """Execute a statement for the values of a tuple, or for each row of a list.

    The transaction must have begun: to the driver itself SQLAlchemy does not say so.
    """
    driver = connection.connection.dbapi_connection
    if not isinstance(driver, sqlite3.Connection):
        return connection.exec_driver_sql(sql, values)
    run = driver.execute if isinstance(values, tuple) else driver.executemany
    try:  # SQLAlchemy takes as long as SQLite
        return run(sql, values).fetchall()
    except sqlite3.Error as error:
        raise DBAPIError.instance(sql, None, error, sqlite3.Error) from error


@lru_cache(maxsize=256)
def _text(
    statement: UpdateBase, dialect: Dialect, names: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Return a statement as the driver takes it, and the order in which it wants its values."""
    compiled = statement.compile(dialect=dialect, column_keys=[*names], for_executemany=True)
    return str(compiled), (*(compiled.positiontup or ()),)


def now() -> int:
    """Return the time of the system's clock, in milliseconds."""
    return time.time_ns() // 1_000_000


# --- opening


class Writer(Protocol):
    """A way to run a transaction."""

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401  the work's
        """Do *work* with a connection, and commit."""

    async def upgrade(self, work: Callable[[Connection], None]) -> None:
        """Do what may take its time."""

    async def dispose(self) -> None:
        """Let go of the database."""


class _ThreadWriter:
    """SQLite: whole transactions in a thread of their own, one after another."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, "pitboss-writer")

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401  the work's
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._run, work, arguments)

    def _run(self, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        with self._engine.begin() as connection:
            return work(connection, *arguments)

    async def upgrade(self, work: Callable[[Connection], None]) -> None:
        await self.run(work)

    async def dispose(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.dispose)
        self._thread.shutdown()


class _ServerWriter:
    """PostgreSQL: a connection from the pool."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401  the work's
        async with asyncio.timeout(PATIENCE), self._engine.begin() as connection:
            return await connection.run_sync(work, *arguments)

    async def upgrade(self, work: Callable[[Connection], None]) -> None:
        engine = create_async_engine(self._engine.url, poolclass=NullPool)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(work)
        finally:
            await engine.dispose()

    async def dispose(self) -> None:
        await self._engine.dispose()


async def prepare(url: str) -> None:
    """Bring a database up to date, or say why it cannot be used."""
    store = await Store.open(url)
    await store.close()


def database_url(given: str) -> str:
    """Return the address of a database from an address or the name of a file."""
    if "://" not in given:
        return f"sqlite+aiosqlite:///{Path(given)}"
    kind, rest = given.split("://", 1)
    drivers = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}
    kind = drivers.get(kind, kind)
    if kind not in drivers.values():
        raise SettingError(
            f"{shown(kind)} is no database this runs on: give a file, or an address that begins"
            " with postgresql+asyncpg:// or sqlite+aiosqlite://"
        )
    return f"{kind}://{rest}"


def _engines(given: str) -> tuple[AsyncEngine, Writer]:
    """Return the ways to read and to write."""
    address = database_url(given)
    try:
        url = make_url(address)
        if url.get_backend_name() == "sqlite":
            return _sqlite(url)
        engine = create_async_engine(
            url,
            pool_size=10,
            pool_pre_ping=True,
            pool_timeout=10,
            connect_args={"timeout": 5, "command_timeout": 10},
            isolation_level="READ COMMITTED",  # a lock that was waited for shows what came before
            hide_parameters=True,  # seeds are among them
        )
    except (ArgumentError, ValueError):
        raise SettingError(f"{safe_url(given)} is no address of a database") from None
    return engine, _ServerWriter(engine)


def _sqlite(url: URL) -> tuple[AsyncEngine, Writer]:
    reader = create_async_engine(url, pool_size=4, hide_parameters=True)
    _make_private(url.database)
    sync = url.set(drivername="sqlite")
    writer = create_engine(sync, pool_size=1, max_overflow=0, hide_parameters=True)
    _prepare_sqlite(reader.sync_engine, "BEGIN")
    _prepare_sqlite(writer, "BEGIN IMMEDIATE")
    return reader, _ThreadWriter(writer)


def _make_private(path: str | None) -> None:
    """Make the file so that nobody else can read it: it holds the seeds of rounds that are on."""
    if path and path != ":memory:" and Path(path).parent.is_dir():
        Path(path).touch(mode=0o600, exist_ok=True)


def _prepare_sqlite(engine: Engine, begin: str) -> None:
    @event.listens_for(engine, "connect")
    def connect(connection: Any, _: object) -> None:  # noqa: ANN401  the driver's
        connection.isolation_level = None  # we say when a transaction begins
        cursor = connection.cursor()
        if _is_ours(cursor):  # what is not is left as it is
            cursor.execute("PRAGMA journal_mode=WAL")
        for pragma in (
            "synchronous=FULL",  # what was answered stays, also when the power fails
            "foreign_keys=ON",
            "busy_timeout=10000",
            # by the writer, never beside it: before 3.51.3 SQLite may then lose what it copies
            f"wal_autocheckpoint={MOST_IN_LOG}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)


def _is_ours(cursor: Any) -> bool:  # noqa: ANN401  the driver's
    """Say whether a file is empty or a database of a pitboss, of whatever version."""
    cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    found = {name for (name,) in cursor.fetchall()}
    return not found or VERSIONS in found


def _upgrade(connection: Connection) -> None:
    """Bring the database up to date; every change is made in one transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(21)"))  # one upgrade at a time
    current, known, newest = versions(connection)
    if current is not None and current not in known:
        raise SettingError(
            f"the database is of a newer version ({current}; this pitboss knows up to"
            f" {newest}): run the pitboss that made it, or a later one"
        )
    if current is None and inspect(connection).get_table_names():
        raise SettingError("the database holds something else: give an empty one")
    if current != newest:
        config = _steps()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def versions(connection: Connection) -> tuple[str | None, set[str], str | None]:
    """Return the version of a database, those that this program knows, and its newest."""
    script = ScriptDirectory.from_config(_steps())
    known = {step.revision for step in script.walk_revisions()}
    current = MigrationContext.configure(connection).get_current_revision()
    return current, known, script.get_current_head()


def _steps() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config


def _is_gone(error: DBAPIError) -> bool:
    """Say whether a failure is the database's and not that of what was to be kept."""
    state = getattr(error.orig, "sqlstate", None) or ""
    refused = isinstance(error, IntegrityError | DataError) or state[:2] in REFUSED
    return not refused and state not in VICTIM


@contextlib.contextmanager
def _telling() -> Any:  # noqa: ANN401  a context manager
    """Say that the database does not answer, whatever its driver says."""
    try:
        yield
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        if isinstance(error, IntegrityError):
            raise
        log.warning("the database does not answer: %s", reason_of(error))
        raise UnavailableError(NO_ANSWER) from None


def reason_of(error: BaseException) -> str:
    """Return the first line of what a driver says."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    lines = str(cause).strip().splitlines() or [type(cause).__name__]
    return lines[0]


def safe_url(url: str) -> str:
    """Return an address without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return shown(url)
