"""The audit: a check of every record, every cent and every round of a database.

It reads a snapshot of the database and writes nothing, so it can run while a server does. It does
not trust the records: it recomputes all hashes, balances, decks and settlements.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pitboss.backoffice.audit_books import Books, BooksAudit, LedgerReader, TableBooks, money_fault
from pitboss.backoffice.audit_cage import Cage
from pitboss.backoffice.audit_links import Line, Links, words
from pitboss.backoffice.audit_tables import ENDS, RelatedRows, ReplayedTable, row_difference
from pitboss.core.errors import plural, shown
from pitboss.core.journal import dollars
from pitboss.ledger.snapshot import BATCH, open_snapshot
from pitboss.tables.chain import CAGE, Head, Record, canonical, is_cage, player_account, table_chain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.core.settings import Json
    from pitboss.ledger.snapshot import Snapshot
    from pitboss.tables.chain import Postings
    from pitboss.tables.live import LiveTable

MOST_OF_A_CHAIN: Final = 20
"""The maximum number of findings listed for each chain; further ones are only counted."""

_TABLE: Final = table_chain("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An error in the database: its place and description."""

    kind: str  # one word for programs
    what: str
    chain: str | None = None
    seq: int | None = None

    @property
    def where(self) -> str:
        if self.chain is None:
            return self.kind
        return self.chain if self.seq is None else f"{self.chain} #{self.seq}"


@dataclass(slots=True)
class Report:
    """The result of an audit: counts of the checked items, and the findings."""

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
    """Audit a database; *anchors* are heads of its chains that were stored elsewhere."""
    async with open_snapshot(given) as snapshot:
        return await _Audit(snapshot, anchors or {}, tell).run()


@dataclass(slots=True)
class _TableRows:
    """The rows of some tables and of their seats."""

    tables: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    seats: dict[str, dict[int, Mapping[str, Any]]] = field(
        default_factory=lambda: defaultdict(dict)
    )


class _Audit:
    def __init__(
        self,
        snapshot: Snapshot,
        anchors: Mapping[str, Head],
        tell: Callable[[float], None],
    ) -> None:
        self._snapshot = snapshot
        self._anchors = anchors
        self._tell = tell
        self._report = Report()
        self._tables: dict[str, TableBooks] = {}
        self._followed: list[Record] = []  # each names the previous cage chain
        self._cage = Cage(self._find)
        self._bets: Counter[str] = Counter()  # each player's bets at all tables
        self._found: list[Finding] = []  # findings of the current chain

    async def run(self) -> Report:
        if await self._is_damaged():
            self._keep_found()
            return self._report
        names, heads = await self._names()
        total = await self._snapshot.count("records") or 1
        lines = LedgerReader(self._snapshot)
        try:
            for start in range(0, len(names), BATCH):
                group = names[start : start + BATCH]
                rows = await self._table_rows(group)
                for name in group:
                    await self._chain(name, heads.get(name), lines, total, rows)
        finally:
            await lines.close()
        await self._cages()
        books = BooksAudit(self._snapshot, self._cage, self._tables, self._bets, self._find)
        self._report.ledger = await books.run()
        await self._check_derived_rows()
        for name in sorted(self._anchors.keys() - set(names)):
            self._find("anchor", None, "cut: the anchor lists this chain, but it is missing", name)
        self._keep_found()
        self._report.players = await self._snapshot.count("players")
        return self._report

    async def _is_damaged(self) -> bool:
        """Return whether SQLite finds its file damaged: then nothing in it can be trusted."""
        for said in await self._snapshot.damage():
            self._find("file", None, f"the file is damaged: {said}")
        return bool(self._found)

    def _find(self, kind: str, seq: int | None, what: str, chain: str | None = None) -> None:
        self._found.append(Finding(kind=kind, what=what, chain=chain, seq=seq))

    def _keep_found(self) -> None:
        """Report the findings in the order of the records; count those beyond a limit."""
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

    async def _names(self) -> tuple[list[str], dict[str, Head]]:
        heads = await self._snapshot.heads()
        return sorted({*heads, *await self._snapshot.chains()}), heads

    # --- chain by chain

    async def _table_rows(self, names: list[str]) -> _TableRows:
        """Read the rows that belong to the chains of some tables."""
        found, ids = _TableRows(), [name.removeprefix(_TABLE) for name in names]
        for row in await self._snapshot.tables(ids):
            found.tables[row["id"]] = row
        for row in await self._snapshot.seats(ids):
            found.seats[row["table_id"]][row["seat"]] = row
        return found

    async def _chain(
        self, name: str, head: Head | None, ledger_: LedgerReader, total: int, rows_: _TableRows
    ) -> None:
        def find(kind: str, seq: int | None, what: str) -> None:
            self._find(kind, seq, what, name)

        links = Links(name, self._anchors.get(name), find)
        is_table = name.startswith(_TABLE)
        replayed = ReplayedTable(name.removeprefix(_TABLE), find) if is_table else None
        async for batch in self._snapshot.records(name):
            related = await self._related_rows(name, batch) if replayed else RelatedRows()
            for record in batch:
                lines = await ledger_.of(name, record.seq)
                links.add(record, lines, self._step(record, lines, replayed, related))
                self._check_lines(record, lines)
            self._report.records += len(batch)
            self._tell(self._report.records / total)
        for seq, line in await ledger_.rest(name):
            find(
                "ledger", seq, f"ledger line {line.id} belongs to no record: {words(line.posting)}"
            )
        if head or links.head.seq:
            links.end(head)
            self._report.heads[name] = links.head
        if replayed:
            self._keep_table(name.removeprefix(_TABLE), replayed, rows_)
        elif not is_cage(name):
            find("chain", None, "this chain belongs to no table and is not a cage")
        self._keep_found()

    def _step(
        self,
        record: Record,
        lines: list[Line],
        replayed: ReplayedTable | None,
        related: RelatedRows,
    ) -> Postings | None:
        """Replay a record; return the postings it should have, if they are known."""
        if is_cage(record.chain):
            if record.seq == 1 and record.chain != CAGE:
                self._followed.append(record)
            return self._cage.step(record)
        if replayed is None:
            return None
        table = record.chain.removeprefix(_TABLE)
        if record.kind == "table" and not self._cage.opened(table, record):
            what = "table: the cage has no such opening of the table"
            self._find("round", record.seq, what, record.chain)
        return replayed.step(record, lines, related)

    def _keep_table(self, table: str, replayed: ReplayedTable, rows: _TableRows) -> None:
        """Compare the rows of a table with its records, and store the sums for later checks."""
        replayed.finish()
        live_table = replayed.table
        on_felt = None if live_table is None else sum(live_table.hand.staked.values())
        self._tables[table] = TableBooks(replayed.opened, replayed.ended, on_felt)
        self._check_table(table, rows.tables.get(table), replayed)
        if live_table:
            self._check_seats(table, rows.seats[table], live_table)
            hand = live_table.hand
            for seat, stake in hand.staked.items():
                self._bets[player_account(hand.owners[seat].player)] += stake
        self._report.tables += 1
        self._report.rounds += replayed.ended
        self._report.void += replayed.void
        self._report.not_restored += replayed.not_restored

    def _check_lines(self, record: Record, lines: list[Line]) -> None:
        """Check that the postings of a record balance and use only permitted accounts."""
        if not lines:
            return
        if sum_ := sum(line.posting.amount for line in lines):
            what = f"its ledger lines do not balance: {dollars(sum_, sign=True)} over"
            self._find("books", record.seq, what, record.chain)
        if wrong := money_fault(record, [line.posting for line in lines]):
            self._find("books", record.seq, wrong, record.chain)

    async def _related_rows(self, chain: str, batch: list[Record]) -> RelatedRows:
        """Read the rows that belong to the records of a batch."""
        related, table = RelatedRows(), chain.removeprefix(_TABLE)
        promised, numbers = _mentioned(batch)
        if promised:
            for row in await self._snapshot.seeds(promised):
                related.seeds[row.commitment].append(row)
        if numbers:
            for row in await self._snapshot.rounds(table, numbers):
                related.rounds[row["number"]] = row
            for row in await self._snapshot.results(table, numbers):
                related.results[row["number"]][row["seat"]] = row
        return related

    async def _cages(self) -> None:
        """Check that every cage chain names the previous one, and that none is missing or cut."""
        for record in self._followed:
            after = _cage_before(record)
            if after is None:
                what = (
                    "a cage chain must begin with `started`, which names the cage chain before it"
                )
                self._find("chain", record.seq, what, record.chain)
                continue
            name, head = after
            if name and await self._snapshot.record_hashes(name, head.seq) != [head.hash]:
                what = f"cut: {record.chain} began after its record {head.seq}, which is missing"
                self._find("missing", head.seq, what, name)

    # --- rows that are derived from the records

    async def _check_derived_rows(self) -> None:
        for table, chain in sorted(self._cage.tables().items()):
            if table not in self._tables:
                what = f"table {shown(table)} was opened, but its chain is missing"
                self._find("missing", None, what, chain)
        ended = {table: known.ended for table, known in self._tables.items()}
        opened = {table: known.opened for table, known in self._tables.items()}
        await self._check_numbers("rounds", ended)
        await self._check_numbers("results", ended)
        await self._check_numbers("seeds", opened)
        await self._check_known("tables")
        await self._check_known("seats")
        await self._check_players()
        self._cage.check_switches(await self._snapshot.switches())

    async def _check_players(self) -> None:
        self._cage.check_unknown()
        async for rows in self._snapshot.players():
            for row in rows:
                self._cage.check_player(row)
        self._cage.check_missing()

    async def _check_known(self, name: str) -> None:
        """Find rows of tables that have no records; all other rows have been checked."""
        async for rows in self._snapshot.table_ids(name):
            for (table,) in rows:
                if table not in self._tables:
                    what = f"the row of table {shown(table)} in {name}: no record mentions it"
                    self._find("rows", None, what, table_chain(table))

    async def _check_numbers(self, name: str, most: Mapping[str, int]) -> None:
        """Find rows of rounds that no record mentions; all other rows have been checked."""
        for table, first, last in await self._snapshot.number_ranges(name):
            odd = last if last > most.get(table, 0) else first if first < 1 else None
            if odd is not None:
                what = f"{name} has round {odd}, which no record mentions"
                self._find("rows", None, what, table_chain(table))

    def _check_table(
        self, table: str, row: Mapping[str, Any] | None, replayed: ReplayedTable
    ) -> None:
        right = _table_row(replayed)
        if right is None and row is not None:
            return  # the records cannot be replayed; this is already reported
        if wrong := row_difference(row, right):
            what = f"the row of table {shown(table)} in tables: {wrong}"
            self._find("rows", None, what, table_chain(table))

    def _check_seats(
        self, table: str, rows: Mapping[int, Mapping[str, Any]], live_table: LiveTable
    ) -> None:
        right = {
            seat: {"player": place.player, "name": place.name}
            for seat, place in live_table.places.items()
        }
        for seat in sorted(right.keys() | rows.keys()):
            if wrong := row_difference(rows.get(seat), right.get(seat)):
                what = f"the row of seat {seat} in seats: {wrong}"
                self._find("rows", None, what, table_chain(table))


def _cage_before(record: Record) -> tuple[str, Head] | None:
    """Return the previous cage chain and its head; the name is empty for the first chain."""
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        after = record.facts["after"]
        named = "" if after is None else str(after["chain"])
        head = Head() if after is None else Head(int(after["seq"]), str(after["hash"]))
        if record.kind == "started" and record.key == f"after:{named}" and is_cage(named or CAGE):
            return named, head
    return None


def _table_row(replayed: ReplayedTable) -> dict[str, Json] | None:
    if replayed.table is None:
        return None
    setup = replayed.table.setup
    return {
        "name": setup.name,
        "game": setup.game.key,
        "rules": canonical(setup.rules.as_json()),
        "rules_digest": setup.rules.digest(),
        "limits": canonical(setup.limits_json),
        "places": setup.rules.seats,
        "seconds": setup.seconds,
        "private": setup.private,
        "creator": replayed.creator,
        "created": replayed.created,
        "closed": replayed.closed,
    }


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
