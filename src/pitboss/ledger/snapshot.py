"""A consistent, read-only snapshot of a database, for the audit."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import aiosqlite
from sqlalchemy import event, func, inspect, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from pitboss.core.errors import SettingError, shown
from pitboss.ledger.connection import database_url, reason_of, safe_url
from pitboss.ledger.schema import (
    balances,
    chains,
    ledger,
    metadata,
    players,
    records,
    results,
    rounds,
    seats,
    seeds,
    switches,
    tables,
)
from pitboss.ledger.upgrade import versions
from pitboss.tables.chain import Head, Record

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

    from sqlalchemy import Connection, Executable
    from sqlalchemy.engine import URL
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from pitboss.ledger.store import Row

BATCH: Final = 500

_NUMBERS: Final = {"rounds": rounds.c.number, "results": results.c.number, "seeds": seeds.c.round}
_TABLE_IDS: Final = {"tables": tables.c.id, "seats": seats.c.table_id}


@contextlib.asynccontextmanager
async def open_snapshot(given: str) -> AsyncIterator[Snapshot]:
    """Open a read-only snapshot of a database."""
    engine = _engine(given)
    try:
        connection = await _connect(engine)
        try:
            await connection.run_sync(_check_version)
            yield Snapshot(connection)
        finally:
            await connection.close()
    except (SQLAlchemyError, OSError) as error:
        raise SettingError(f"cannot read {safe_url(given)}: {reason_of(error)}") from None
    finally:
        await engine.dispose()


class Snapshot:
    """The rows of a database at one point in time."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def _rows(self, query: Executable) -> Sequence[Any]:
        found: Sequence[Any] = (await self._connection.execute(query)).all()
        return found

    async def _mappings(self, query: Executable) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Any] = (await self._connection.execute(query)).mappings().all()
        return found

    async def _batches(self, query: Executable) -> AsyncGenerator[Sequence[Any], None]:
        options = {"yield_per": BATCH}
        async with self._connection.stream(query, execution_options=options) as result:
            async for rows in result.partitions():
                yield rows

    async def damage(self) -> list[str]:
        """Return the errors that SQLite finds in its own file."""
        if self._connection.dialect.name != "sqlite":
            return []
        said = await self._rows(text("PRAGMA integrity_check(10)"))
        return [line for (line,) in said if line != "ok"]

    async def count(self, table: str) -> int:
        query = select(func.count()).select_from(metadata.tables[table])
        return int((await self._rows(query))[0][0])

    # --- chains

    async def heads(self) -> dict[str, Head]:
        return {row.name: Head(row.seq, row.hash) for row in await self._rows(select(chains))}

    async def chains(self) -> set[str]:
        """Return the names of all chains that have records or ledger lines."""
        named = await self._rows(select(records.c.chain).distinct())
        booked = await self._rows(select(ledger.c.chain).distinct())
        return {row[0] for row in (*named, *booked)}

    async def records(self, chain: str) -> AsyncGenerator[list[Record], None]:
        """Yield the records of a chain in batches."""
        query = select(records).where(records.c.chain == chain).order_by(records.c.seq)
        async for rows in self._batches(query):
            yield [Record(**row._mapping) for row in rows]  # noqa: SLF001  SQLAlchemy's own way

    async def record_hashes(self, chain: str, seq: int) -> list[str]:
        query = select(records.c.hash).where(records.c.chain == chain, records.c.seq == seq)
        return [row.hash for row in await self._rows(query)]

    # --- the ledger

    def lines_by_record(self) -> AsyncGenerator[Sequence[Any], None]:
        """Yield the ledger lines in order of records: chain, number, id, account, amount, memo."""
        is_sqlite = self._connection.dialect.name == "sqlite"
        by_bytes = ledger.c.chain.collate("BINARY" if is_sqlite else "C")
        query = select(
            ledger.c.chain,
            ledger.c.seq,
            ledger.c.id,
            ledger.c.account,
            ledger.c.amount,
            ledger.c.memo,
        )
        return self._batches(query.order_by(by_bytes, ledger.c.seq, ledger.c.id))

    def lines_by_account(self) -> AsyncGenerator[Sequence[Any], None]:
        """Yield the ledger lines in order of accounts: account, id, amount, balance."""
        line = ledger.c
        query = select(line.account, line.id, line.amount, line.balance)
        return self._batches(query.order_by(line.account, line.id))

    async def line(self, id_: int) -> Row:
        """Return the chain and number of the record that a ledger line belongs to."""
        query = select(ledger.c.chain, ledger.c.seq).where(ledger.c.id == id_)
        row: Row = (await self._rows(query))[0]
        return row

    async def balances(self) -> Sequence[Row]:
        return await self._rows(select(balances))

    # --- rows that are derived from the records

    async def tables(self, ids: list[str]) -> Sequence[Mapping[str, Any]]:
        return await self._mappings(select(tables).where(tables.c.id.in_(ids)))

    async def seats(self, ids: list[str]) -> Sequence[Mapping[str, Any]]:
        return await self._mappings(select(seats).where(seats.c.table_id.in_(ids)))

    async def seeds(self, commitments: list[str]) -> Sequence[Row]:
        return await self._rows(select(seeds).where(seeds.c.commitment.in_(commitments)))

    async def rounds(self, table: str, numbers: list[int]) -> Sequence[Mapping[str, Any]]:
        return await self._mappings(
            select(rounds).where(rounds.c.table_id == table, rounds.c.number.in_(numbers))
        )

    async def results(self, table: str, numbers: list[int]) -> Sequence[Mapping[str, Any]]:
        return await self._mappings(
            select(results).where(results.c.table_id == table, results.c.number.in_(numbers))
        )

    async def number_ranges(self, name: str) -> Sequence[Row]:
        """Return the first and last round of each table in rounds, results or seeds."""
        number = _NUMBERS[name]
        table_id = number.table.c.table_id
        query = select(table_id, func.min(number), func.max(number)).group_by(table_id)
        return await self._rows(query)

    def table_ids(self, name: str) -> AsyncGenerator[Sequence[Any], None]:
        """Yield the ids of the tables in tables or seats."""
        return self._batches(select(_TABLE_IDS[name]).distinct())

    def players(self) -> AsyncGenerator[Sequence[Any], None]:
        return self._batches(select(players))

    async def switches(self) -> dict[str, str]:
        return {row.name: row.value for row in await self._rows(select(switches))}


async def _connect(engine: AsyncEngine) -> AsyncConnection:
    try:
        connection = await engine.connect()
    except (TypeError, ValueError) as error:  # invalid driver options in a URL
        raise OSError(str(error)) from None
    if engine.dialect.name == "postgresql":
        await connection.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    return connection


def _engine(given: str) -> AsyncEngine:
    url = database_url(given)
    try:
        address = make_url(url)
        if not url.startswith("sqlite"):
            return create_async_engine(address, poolclass=NullPool)
    except (ArgumentError, ValueError):
        raise SettingError(f"{safe_url(given)} is not the URL of a database") from None
    return _sqlite_engine(_file(address))


def _file(address: URL) -> Path:
    path = Path(address.database or "")
    try:
        found = bool(address.database) and path.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise SettingError(f"there is no file {shown(address.database or '')}")
    return path


def _sqlite_engine(path: Path) -> AsyncEngine:
    """Open a file read-only."""
    whole = path.resolve()
    name = f"file:{quote(str(whole))}?mode=ro"
    if not _is_writable(whole.parent) and not Path(f"{whole}-wal").exists():
        name += "&immutable=1"  # SQLite cannot create its own files there, and nobody writes

    async def connect() -> aiosqlite.Connection:
        # we begin transactions ourselves
        return await aiosqlite.connect(name, uri=True, isolation_level=None, timeout=10)

    engine = create_async_engine("sqlite+aiosqlite://", async_creator=connect, poolclass=NullPool)

    @event.listens_for(engine.sync_engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)


def _check_version(connection: Connection) -> None:
    """Reject anything except a database of this version."""
    if not {"records", "chains", "ledger"} <= set(inspect(connection).get_table_names()):
        raise SettingError("this is not a pitboss database")
    current, known, newest = versions(connection)
    if current not in known:
        raise SettingError(
            f"the database has an unknown version ({current}; this pitboss knows up to {newest}):"
            " audit it with the pitboss that created it, or a later one"
        )
    if current != newest:
        raise SettingError(
            f"the database has an older version ({current}; this pitboss needs {newest}):"
            " start pitboss serve on it once to upgrade it"
        )
