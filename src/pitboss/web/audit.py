"""The audit: every record, every cent and every round of a database, gone through again.

It reads one moment of the database and writes nothing, so it may run beside a server. What the
records say is not believed: hashes, balances, decks and settlements are all worked out anew.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import aiosqlite
from sqlalchemy import event, func, inspect, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from pitboss.errors import SettingError, plural, shown
from pitboss.notation import dollars
from pitboss.web import live
from pitboss.web.audit_links import Line, Links, words
from pitboss.web.audit_rounds import ENDS, Beside, Followed, row_difference
from pitboss.web.chain import (
    BANK,
    CAGE,
    Head,
    Posting,
    Record,
    canonical,
    felt_account,
    house_account,
    table_chain,
)
from pitboss.web.schema import (
    chains,
    ledger,
    players,
    records,
    results,
    rounds,
    seats,
    seeds,
    tables,
)
from pitboss.web.store import database_url, reason_of, safe_url, versions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Executable, Table
    from sqlalchemy.engine import URL
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from pitboss.rules import Json
    from pitboss.web.live import LiveTable

BATCH: Final = 500
MOST_OF_A_CHAIN: Final = 20
"""So many findings of a chain are told one by one, the others are counted."""

_TABLE: Final = table_chain("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is wrong: where, and what."""

    kind: str  # one word for machines
    what: str
    chain: str | None = None
    seq: int | None = None

    @property
    def where(self) -> str:
        if self.chain is None:
            return "books"
        return self.chain if self.seq is None else f"{self.chain} #{self.seq}"


@dataclass(slots=True)
class Books:
    """What all accounts of a kind have together."""

    lines: int = 0
    players: int = 0
    felt: int = 0
    house: int = 0
    bank: int = 0

    @property
    def total(self) -> int:
        return self.players + self.felt + self.house + self.bank


@dataclass(slots=True)
class Report:
    """What was gone through, and what was found."""

    records: int = 0
    rounds: int = 0
    void: int = 0
    not_restored: int = 0
    tables: int = 0
    players: int = 0
    ledger: Books = field(default_factory=Books)
    heads: dict[str, Head] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.findings


async def audit(
    given: str,
    *,
    anchors: Mapping[str, Head] | None = None,
    tell: Callable[[float], None] = lambda _: None,
) -> Report:
    """Go through a database; *anchors* are heads of its chains that were kept elsewhere."""
    async with _snapshot(given) as connection:
        return await _Audit(connection, anchors or {}, tell).run()


# --- one moment of the database, to read


@contextlib.asynccontextmanager
async def _snapshot(given: str) -> AsyncIterator[AsyncConnection]:
    engine = _engine(given)
    try:
        connection = await _connect(engine)
        try:
            await connection.run_sync(_check_version)
            yield connection
        finally:
            await connection.close()
    except (SQLAlchemyError, OSError) as error:
        raise SettingError(f"cannot read {safe_url(given)}: {reason_of(error)}") from None
    finally:
        await engine.dispose()


async def _connect(engine: AsyncEngine) -> AsyncConnection:
    try:
        connection = await engine.connect()
    except (TypeError, ValueError) as error:  # what an address asks of the driver
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
        raise SettingError(f"{safe_url(given)} is no address of a database") from None
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
    """Open a file so that nothing can be written to it."""
    whole = path.resolve()
    name = f"file:{quote(str(whole))}?mode=ro"
    if not _is_writable(whole.parent) and not Path(f"{whole}-wal").exists():
        name += "&immutable=1"  # SQLite cannot put its own files there, and nobody writes

    async def connect() -> aiosqlite.Connection:
        # we say when a transaction begins
        return await aiosqlite.connect(name, uri=True, isolation_level=None, timeout=10)

    engine = create_async_engine("sqlite+aiosqlite://", async_creator=connect, poolclass=NullPool)

    @event.listens_for(engine.sync_engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)


def _check_version(connection: Connection) -> None:
    """Refuse what is no database of this version."""
    if not {"records", "chains", "ledger"} <= set(inspect(connection).get_table_names()):
        raise SettingError("this is no database of pitboss")
    current, known, newest = versions(connection)
    if current not in known:
        raise SettingError(
            f"the database is of another version ({current}; this pitboss knows up to {newest}):"
            " audit it with the pitboss that made it, or a later one"
        )
    if current != newest:
        raise SettingError(
            f"the database is of an older version ({current}; this pitboss needs {newest}):"
            " start pitboss serve on it once, which brings it up to date"
        )


async def _batches(
    connection: AsyncConnection, query: Executable
) -> AsyncGenerator[Sequence[Any], None]:
    async with connection.stream(query, execution_options={"yield_per": BATCH}) as result:
        async for rows in result.partitions():
            yield rows


class _Ledger:
    """The lines of the ledger, given out in the order of their records."""

    def __init__(self, connection: AsyncConnection) -> None:
        by_bytes = ledger.c.chain.collate("C" if connection.dialect.name != "sqlite" else "BINARY")
        query = select(
            ledger.c.chain,
            ledger.c.seq,
            ledger.c.id,
            ledger.c.account,
            ledger.c.amount,
            ledger.c.memo,
        ).order_by(by_bytes, ledger.c.seq, ledger.c.id)
        self._batches = _batches(connection, query)
        self._ahead: deque[Any] = deque()
        self.strays: list[tuple[int, Line]] = []  # of no record, with the number they name

    async def of(self, chain: str, seq: int) -> list[Line]:
        """Return the lines of a record; those before it that no record asked for are strays."""
        lines: list[Line] = []
        while self._ahead or await self._read_on():
            name, number, id_, *posting = self._ahead[0]
            if (name, number) > (chain, seq):
                break
            self._ahead.popleft()
            line = Line(id_, Posting(*posting))
            if (name, number) == (chain, seq):
                lines.append(line)
            else:
                self.strays.append((number, line))
        return lines

    async def rest(self, chain: str) -> list[tuple[int, Line]]:
        """Return all lines of a chain that belong to no record."""
        last = 2**63
        await self.of(chain, last)
        strays, self.strays = self.strays, []
        return strays

    async def _read_on(self) -> bool:
        async for rows in self._batches:
            self._ahead.extend(rows)
            return True
        return False

    async def close(self) -> None:
        await self._batches.aclose()


# --- the whole database


@dataclass(frozen=True, slots=True)
class _Known:
    """What the records of a table come to; without a table they could not be followed."""

    opened: int
    ended: int
    table: LiveTable | None


class _Audit:
    def __init__(
        self,
        connection: AsyncConnection,
        anchors: Mapping[str, Head],
        tell: Callable[[float], None],
    ) -> None:
        self._connection = connection
        self._anchors = anchors
        self._tell = tell
        self._report = Report()
        self._tables: dict[str, _Known] = {}
        self._opened: dict[str, str] = {}  # tables, as the cage saw them open
        self._found: list[Finding] = []  # of the chain that is gone through

    async def run(self) -> Report:
        if await self._is_damaged():
            self._keep_found()
            return self._report
        names, heads = await self._names()
        total = await self._count(records) or 1
        lines = _Ledger(self._connection)
        try:
            for name in names:
                await self._chain(name, heads.get(name), lines, total)
        finally:
            await lines.close()
        await self._books()
        await self._rows_beside()
        for name in sorted(self._anchors.keys() - set(names)):
            self._find("anchor", None, "cut: the anchor knows it, and it is gone", name)
        self._keep_found()
        self._report.players = await self._count(players)
        return self._report

    async def _is_damaged(self) -> bool:
        """Say whether SQLite itself finds its file in disorder: nothing in it can be relied on."""
        if self._connection.dialect.name != "sqlite":
            return False
        for (said,) in await self._rows(text("PRAGMA integrity_check(10)")):
            if said != "ok":
                self._find("file", None, f"the file is damaged: {said}")
        return bool(self._found)

    def _find(self, kind: str, seq: int | None, what: str, chain: str | None = None) -> None:
        self._found.append(Finding(kind=kind, what=what, chain=chain, seq=seq))

    def _keep_found(self) -> None:
        """Tell what was found in the order of the records, of many the first."""
        found = sorted(self._found, key=lambda one: (one.chain or "", one.seq or 2**63))
        counts: Counter[str | None] = Counter()
        for one in found:
            counts[one.chain] += 1
            if counts[one.chain] <= MOST_OF_A_CHAIN:
                self._report.findings.append(one)
        for chain, count in counts.items():
            if count > MOST_OF_A_CHAIN:
                what = f"and {plural(count - MOST_OF_A_CHAIN, 'finding')} more"
                self._report.findings.append(Finding(kind="more", what=what, chain=chain))
        self._found = []

    async def _rows(self, query: Executable) -> Sequence[Any]:
        found: Sequence[Any] = (await self._connection.execute(query)).all()
        return found

    async def _count(self, table: Table) -> int:
        return int((await self._rows(select(func.count()).select_from(table)))[0][0])

    async def _names(self) -> tuple[list[str], dict[str, Head]]:
        heads = {row.name: Head(row.seq, row.hash) for row in await self._rows(select(chains))}
        named = [row[0] for row in await self._rows(select(records.c.chain).distinct())]
        booked = [row[0] for row in await self._rows(select(ledger.c.chain).distinct())]
        return sorted({*heads, *named, *booked}), heads

    # --- chain by chain

    async def _chain(self, name: str, head: Head | None, ledger_: _Ledger, total: int) -> None:
        def find(kind: str, seq: int | None, what: str) -> None:
            self._find(kind, seq, what, name)

        links = Links(name, self._anchors.get(name), find)
        followed = Followed(name.removeprefix(_TABLE), find) if name.startswith(_TABLE) else None
        query = select(records).where(records.c.chain == name).order_by(records.c.seq)
        async for rows in _batches(self._connection, query):
            batch = [Record(**row._mapping) for row in rows]  # noqa: SLF001  SQLAlchemy's own way
            beside = await self._beside(name, batch) if followed else Beside()
            for record in batch:
                lines = await ledger_.of(name, record.seq)
                right = followed.step(record, lines, beside) if followed else None
                links.add(record, lines, right)
                self._check_lines(record, lines)
                self._check_event(record, find)
            self._report.records += len(batch)
            self._tell(self._report.records / total)
        for seq, line in await ledger_.rest(name):
            find(
                "ledger", seq, f"ledger line {line.id} belongs to no record: {words(line.posting)}"
            )
        if head or links.head.seq:
            links.end(head)
            self._report.heads[name] = links.head
        if followed:
            self._keep_table(name.removeprefix(_TABLE), followed)
        elif name != CAGE:
            find("chain", None, "this is the chain of no table, and not the cage")
        self._keep_found()

    def _keep_table(self, table: str, followed: Followed) -> None:
        followed.finish()
        self._tables[table] = _Known(followed.opened, followed.ended, followed.table)
        self._report.tables += 1
        self._report.rounds += followed.ended
        self._report.void += followed.void
        self._report.not_restored += followed.not_restored

    def _check_lines(self, record: Record, lines: list[Line]) -> None:
        """Check that the money of a record balances, and comes from where it may."""
        if not lines:
            return
        if sum_ := sum(line.posting.amount for line in lines):
            what = f"its ledger lines do not balance: {dollars(sum_, sign=True)} over"
            self._find("books", record.seq, what, record.chain)
        postings = [line.posting for line in lines]
        wrong = _cage_fault(postings) if record.chain == CAGE else _table_fault(record, postings)
        if wrong:
            self._find("books", record.seq, wrong, record.chain)

    def _check_event(self, record: Record, find: Callable[..., None]) -> None:
        """Hold the opening of a table in its own chain against the cage's record of it."""
        if record.chain == CAGE and record.kind == "table_opened":
            self._opened[_named_table(record)] = record.body
        elif record.kind == "table" and record.chain != CAGE:
            table = record.chain.removeprefix(_TABLE)
            if self._opened.get(table) != record.body:
                find("round", record.seq, "table: the cage has no such opening of the table")

    async def _beside(self, chain: str, batch: list[Record]) -> Beside:
        """Read the rows that belong to the records of a batch."""
        beside, table = Beside(), chain.removeprefix(_TABLE)
        promised, numbers = _mentioned(batch)
        if promised:
            for row in await self._rows(select(seeds).where(seeds.c.commitment.in_(promised))):
                beside.seeds[row.commitment].append(row)
        if numbers:
            query = select(rounds).where(rounds.c.table_id == table, rounds.c.number.in_(numbers))
            for row in await self._rows(query):
                beside.rounds[row.number] = row._mapping  # noqa: SLF001
            by_seat = select(results).where(
                results.c.table_id == table, results.c.number.in_(numbers)
            )
            for row in await self._rows(by_seat):
                beside.results[row.number][row.seat] = row._mapping  # noqa: SLF001
        return beside

    # --- the books

    async def _books(self) -> None:
        """Add up every account, line by line: none but the house and the bank may owe."""
        books, felts = self._report.ledger, dict[str, int]()
        name, balance, owed = "", 0, False
        query = select(ledger.c.account, ledger.c.id, ledger.c.amount)
        async for rows in _batches(self._connection, query.order_by(ledger.c.account, ledger.c.id)):
            for account, id_, amount in rows:
                if account != name:
                    name, balance, owed = account, 0, False
                balance += amount
                books.lines += 1
                if (kind := _account_kind(account)) is None:
                    self._find("books", None, f"{shown(account)} is no account")
                    continue
                setattr(books, kind, getattr(books, kind) + amount)
                if kind == "felt":
                    felts[account] = balance
                if balance < 0 and not owed and kind in {"players", "felt"}:
                    owed = True
                    await self._find_owing(account, id_, balance)
        if books.total:
            over = dollars(books.total, sign=True)
            self._find("books", None, f"all accounts together have {over}: it must be nothing")
        self._check_felts(felts)

    async def _find_owing(self, account: str, id_: int, balance: int) -> None:
        query = select(ledger.c.chain, ledger.c.seq).where(ledger.c.id == id_)
        row = (await self._rows(query))[0]
        what = f"{account} falls to {dollars(balance)}: it may not go below nothing"
        self._find("books", row.seq, what, row.chain)

    def _check_felts(self, felts: Mapping[str, int]) -> None:
        for table, known in self._tables.items():
            if known.table is None:
                continue
            on, has = sum(known.table.hand.staked.values()), felts.get(felt_account(table), 0)
            if on != has:
                what = f"{felt_account(table)} has {dollars(has)}, on the felt are {dollars(on)}"
                self._find("books", None, what, table_chain(table))

    # --- the rows that are drawn from the records

    async def _rows_beside(self) -> None:
        for table in sorted(self._opened.keys() - self._tables.keys()):
            self._find("missing", None, f"table {shown(table)} was opened, its chain is gone", CAGE)
        ended = {table: known.ended for table, known in self._tables.items()}
        opened = {table: known.opened for table, known in self._tables.items()}
        await self._check_numbers("rounds", rounds.c.table_id, rounds.c.number, ended)
        await self._check_numbers("results", results.c.table_id, results.c.number, ended)
        await self._check_numbers("seeds", seeds.c.table_id, seeds.c.round, opened)
        await self._check_tables()
        await self._check_seats()

    async def _check_numbers(
        self,
        name: str,
        table_id: ColumnElement[str],
        number: ColumnElement[int],
        most: Mapping[str, int],
    ) -> None:
        """Find rows of rounds that no record speaks of; those it speaks of were checked."""
        query = select(table_id, func.min(number), func.max(number)).group_by(table_id)
        for table, first, last in await self._rows(query):
            odd = last if last > most.get(table, 0) else first if first < 1 else None
            if odd is not None:
                what = f"{name} has round {odd}, of which no record speaks"
                self._find("rows", None, what, table_chain(table))

    async def _check_tables(self) -> None:
        rows = {row.id: row._mapping for row in await self._rows(select(tables))}  # noqa: SLF001
        for table in sorted(rows.keys() | self._tables.keys()):
            known = self._tables.get(table)
            right = _table_row(known.table) if known and known.table else None
            if known and known.table is None and table in rows:
                continue  # that it could not be followed is told
            if wrong := row_difference(_open_or_not(rows.get(table)), right):
                what = f"the row of the table in tables: {wrong}"
                self._find("rows", None, what, table_chain(table))

    async def _check_seats(self) -> None:
        taken: dict[str, dict[int, str]] = defaultdict(dict)
        for row in await self._rows(select(seats)):
            taken[row.table_id][row.seat] = row.player
        for table, known in self._tables.items():
            if known.table is None:
                continue
            right = {seat: place.player for seat, place in known.table.places.items()}
            for seat in sorted(right.keys() | taken[table].keys()):
                if taken[table].get(seat) != right.get(seat):
                    has, due = taken[table].get(seat), right.get(seat)
                    what = (
                        f"the row of seat {seat} in seats: {_who(has)}, by the records {_who(due)}"
                    )
                    self._find("rows", None, what, table_chain(table))


def _who(player: str | None) -> str:
    return "nobody" if player is None else f"player {shown(player)}"


def _open_or_not(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else {**row, "closed": row["closed"] is not None}


def _table_row(table: LiveTable) -> dict[str, Json]:
    setup = table.setup
    return {
        "name": setup.name,
        "game": setup.game.key,
        "rules": canonical(setup.rules.as_json()),
        "rules_digest": setup.rules.digest(),
        "limits": canonical(live.limits_json(setup.limits)),
        "places": setup.rules.seats,
        "seconds": setup.seconds,
        "private": setup.private,
        "closed": table.closed,
    }


def _cage_fault(postings: Sequence[Posting]) -> str | None:
    """Say what is wrong with money in the cage: it comes from the bank or goes there."""
    bank = sum(posting.amount for posting in postings if posting.account == BANK)
    for posting in postings:
        is_player = _account_kind(posting.account) == "players"
        counters = not posting.amount or posting.amount * bank < 0
        if posting.account != BANK and not (is_player and counters):
            return f"in the cage money moves between bank and players alone: {words(posting)}"
    return None


def _table_fault(record: Record, postings: Sequence[Posting]) -> str | None:
    table = record.chain.removeprefix(_TABLE)
    own = {felt_account(table), house_account(table)}
    for posting in postings:
        if posting.account not in own and _account_kind(posting.account) != "players":
            return f"money moves by an account that is not of this table: {words(posting)}"
    return None


def _account_kind(account: str) -> str | None:
    if account == BANK:
        return "bank"
    kinds = {"player": "players", "felt": "felt", "house": "house"}
    return kinds.get(account.partition(":")[0])


def _named_table(record: Record) -> str:
    try:
        return str(record.facts["table"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def _mentioned(batch: list[Record]) -> tuple[list[str], list[int]]:
    """Return the commitments and the numbers of finished rounds that records name."""
    promised, numbers = [], []
    for record in batch:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            if record.kind == "open":
                promised.append(record.facts["commitment"])
            elif record.kind in ENDS:
                numbers.append(record.facts["record"]["round"])
    return (
        [text for text in promised if isinstance(text, str)],
        [number for number in numbers if type(number) is int and abs(number) < 2**31],
    )
