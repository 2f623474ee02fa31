"""The audit of the books: every ledger line and every balance."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pitboss.backoffice.audit_links import Line, words
from pitboss.core.errors import shown
from pitboss.core.journal import dollars
from pitboss.tables.chain import (
    BANK,
    Posting,
    felt_account,
    house_account,
    is_cage,
    player_of,
    table_chain,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pitboss.backoffice.audit_cage import Cage
    from pitboss.ledger.snapshot import Snapshot
    from pitboss.tables.chain import Record


@dataclass(slots=True)
class Books:
    """The total balance of each kind of account."""

    lines: int = 0
    players: int = 0
    felt: int = 0
    house: int = 0
    bank: int = 0

    @property
    def total(self) -> int:
        return self.players + self.felt + self.house + self.bank


class LedgerReader:
    """Reads the ledger lines in the order of their records."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._batches = snapshot.lines_by_record()
        self._ahead: deque[Any] = deque()
        self.strays: list[tuple[int, Line]] = []  # lines of missing records, by record number

    async def of(self, chain: str, seq: int) -> list[Line]:
        """Return the lines of a record; skipped lines belong to no record and become strays."""
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


class TableBooks(NamedTuple):
    """The number of rounds that a table opened and ended, and its bets in action, if known."""

    opened: int
    ended: int
    on_felt: int | None


class BooksAudit:
    """Sums up every account and compares the sums with the tables and the stored balances."""

    def __init__(
        self,
        snapshot: Snapshot,
        cage: Cage,
        tables: Mapping[str, TableBooks],
        bets: Mapping[str, int],  # each player's bets at all tables
        find: Callable[..., None],
    ) -> None:
        self._snapshot = snapshot
        self._cage = cage
        self._tables = tables
        self._bets = bets
        self._find = find

    async def run(self) -> Books:
        """Sum up every account line by line; only the house and the bank may be negative."""
        books, felts = Books(), dict[str, int]()
        has: dict[str, int] = {}
        name, balance, owed, differs = "", 0, False, False
        async for rows in self._snapshot.lines_by_account():
            for account, id_, amount, stored in rows:
                if account != name:
                    name, balance, owed, differs = account, 0, False, False
                    self._check_holder(account)
                balance += amount
                books.lines += 1
                if (kind := account_kind(account)) is None:
                    self._find("books", None, f"{shown(account)} is not an account")
                    continue
                setattr(books, kind, getattr(books, kind) + amount)
                if kind == "felt":
                    felts[account] = balance
                elif kind == "players":
                    has[account] = balance
                if balance < 0 and not owed and kind in {"players", "felt"}:
                    owed = True
                    await self._find_owing(account, id_, balance)
                if not differs and stored != (balance if kind == "players" else None):
                    differs = True
                    await self._find_balance(id_, stored, balance if kind == "players" else None)
        if books.total:
            over = dollars(books.total, sign=True)
            self._find("books", None, f"the sum of all accounts is {over}: it must be zero")
        self._check_felts(felts)
        await self._check_balances(has)
        return books

    def _check_holder(self, account: str) -> None:
        player = player_of(account)
        if account_kind(account) == "players" and not self._cage.knows(player):
            what = f"{shown(account)} has ledger lines, but no record created this player"
            self._find("books", None, what)

    async def _find_owing(self, account: str, id_: int, balance: int) -> None:
        row = await self._snapshot.line(id_)
        what = f"{account} falls to {dollars(balance)}: it must not be negative"
        self._find("books", row.seq, what, row.chain)

    async def _find_balance(self, id_: int, stored: int | None, due: int | None) -> None:
        """Report the first line of an account whose stored balance is wrong."""
        row = await self._snapshot.line(id_)
        has, right = ("no balance" if one is None else dollars(one) for one in (stored, due))
        what = f"ledger line {id_} has the wrong balance: {has}, but the sum is {right}"
        if due is None:
            what = f"ledger line {id_} has a balance ({has}): only lines of players have one"
        self._find("rows", row.seq, what, row.chain)

    def _check_felts(self, felts: Mapping[str, int]) -> None:
        for table, known in self._tables.items():
            on, has = known.on_felt, felts.get(felt_account(table), 0)
            if on is not None and on != has:
                what = f"{felt_account(table)} has {dollars(has)}, but the bets are {dollars(on)}"
                self._find("books", None, what, table_chain(table))

    async def _check_balances(self, has: Mapping[str, int]) -> None:
        """Compare the balances of players with the ledger, and their worth with the tables."""
        bets = self._bets
        all_known = all(known.on_felt is not None for known in self._tables.values())
        found = {row.account: row for row in await self._snapshot.balances()}
        for account in sorted(found.keys() | has.keys()):
            row, due = found.get(account), has.get(account, 0)
            amount, worth = (row.amount, row.worth) if row else (0, 0)
            if amount != due:
                what = f"{account} in balances has {dollars(amount)}, the ledger has {dollars(due)}"
                self._find("rows", None, what)
            elif all_known and worth != due + bets[account]:
                right = dollars(due + bets[account])
                what = (
                    f"{account} in balances is worth {dollars(worth)}, but the records give {right}"
                )
                self._find("rows", None, what)


def money_fault(record: Record, postings: Sequence[Posting]) -> str | None:
    """Return the error in the accounts of a record's postings, or None."""
    return _cage_fault(postings) if is_cage(record.chain) else _table_fault(record, postings)


def _cage_fault(postings: Sequence[Posting]) -> str | None:
    """Return the error if money moves other than between the bank and players, or None."""
    bank = sum(posting.amount for posting in postings if posting.account == BANK)
    for posting in postings:
        is_player = account_kind(posting.account) == "players"
        counters = not posting.amount or posting.amount * bank < 0
        if posting.account != BANK and not (is_player and counters):
            return f"in the cage, money moves only between the bank and players: {words(posting)}"
    return None


def _table_fault(record: Record, postings: Sequence[Posting]) -> str | None:
    table = record.chain.removeprefix(table_chain(""))
    own = {felt_account(table), house_account(table)}
    for posting in postings:
        if posting.account not in own and account_kind(posting.account) != "players":
            return f"money moves to or from another table's account: {words(posting)}"
    return None


def account_kind(account: str) -> str | None:
    if account == BANK:
        return "bank"
    kinds = {"player": "players", "felt": "felt", "house": "house"}
    return kinds.get(account.partition(":")[0])
