"""One transaction, which commits several units of records, postings and other rows together.

It locks the heads of the chains and the balances of the players, so that no record can be added
twice and no balance can become negative, however many processes share the database. It never waits
for a row that another process has locked: a unit that needs such a row is returned for a retry.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sqlalchemy import bindparam, insert, update
from sqlalchemy.exc import DBAPIError

from pitboss.core.errors import GameError
from pitboss.core.journal import dollars
from pitboss.ledger.errors import ConflictError, NotCoveredError
from pitboss.ledger.schema import balances, chains, ledger, records
from pitboss.tables.chain import Entry, Head, Record, canonical, is_cage, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection, Dialect
    from sqlalchemy.sql.dml import UpdateBase

_SAVE_RECORDS = insert(records)
_SAVE_LEDGER = insert(ledger)
_LINE_COLUMNS = ("chain", "seq", "account", "amount", "memo", "balance")
_NEW_HEAD = insert(chains)
_MOVE_HEAD = (
    update(chains)
    .where(chains.c.name == bindparam("chain"))
    .values(seq=bindparam("to"), hash=bindparam("with"))
)


_NEW_BALANCE = insert(balances)
_SET_BALANCE = (
    update(balances)
    .where(balances.c.account == bindparam("of"))
    .values(amount=bindparam("to"), worth=bindparam("with"))
)


def _by_name(columns: str, table: str, lock: str = "") -> dict[str, str]:
    """Return queries that select rows by a JSON list of names, the first of the *columns*."""
    name = columns.partition(",")[0]
    query = f"SELECT {columns} FROM {table} WHERE {name}"  # noqa: S608  our own words
    names = "(SELECT json_array_elements_text(cast($1::text AS json)))"
    return {
        "sqlite": f"{query} IN (SELECT value FROM json_each(?))",  # noqa: S608
        "postgresql": " ".join((query, f"= ANY(ARRAY{names})", lock)),
    }


_LOCK = (
    "ORDER BY 1 FOR NO KEY UPDATE SKIP LOCKED"  # for PostgreSQL: SQLite has one writer at a time
)
_HEADS = _by_name("name, seq, hash", "chains", _LOCK)
_KNOWN_CHAINS = _by_name("name", "chains")
_BALANCES = _by_name("account, amount, worth", "balances", _LOCK)
_READ_BALANCES = _by_name("account, amount, worth", "balances")


@dataclass(frozen=True, slots=True)
class Change:
    """A statement that changes one row other than a record, with its values."""

    statement: UpdateBase
    values: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Entries and the rows derived from them, written together or not at all."""

    entries: tuple[Entry, ...]
    at: int  # the time of its records
    changes: tuple[Change, ...] = ()
    after: Head | None = None  # the required head of the first entry's chain, if any
    read_accounts: tuple[str, ...] = ()  # accounts whose balances are only read


class WriteResult(NamedTuple):
    """The result of a unit: its records, and the resulting balances of its accounts."""

    records: list[Record]
    balances: dict[str, int]


Moves: TypeAlias = list[tuple[str, int]]
"""Accounts of players with the amounts that they gain or lose."""


def _moves(unit: Unit) -> Moves:
    """Return the amounts that each entry of a unit moves, so that no win pays for its own bet."""
    found: Moves = []
    for entry in unit.entries:
        sums = dict.fromkeys(entry.wins, 0)  # a lost bet moves nothing
        for account, amount, _ in entry.postings:
            if account.startswith("player:"):
                sums[account] = sums.get(account, 0) + amount
        found += sums.items()
    return found


class Balance(NamedTuple):
    amount: int = 0
    worth: int = 0


@dataclass(slots=True)
class _Draft:
    """Collects the rows of one transaction."""

    heads: dict[str, Head]
    balances: dict[str, Balance]
    new: set[str]  # chains and accounts that have no row yet
    locked: set[str]  # chains and accounts that another process has locked
    records: list[Record] = field(default_factory=list)
    lines: list[tuple[str, int, str, int, str, int | None]] = field(default_factory=list)
    changes: dict[int, tuple[UpdateBase, list[dict[str, Any]]]] = field(default_factory=dict)
    paid: set[str] = field(default_factory=set)

    def try_to_add(self, unit: Unit, moves: Moves) -> WriteResult | GameError | None:
        """Add a unit; return its result, or an error, or None if it must wait for a lock."""
        if self.locked and self._is_locked(unit, moves):
            return None
        try:
            return self._add(unit, moves)
        except GameError as refusal:
            return refusal

    def _is_locked(self, unit: Unit, moves: Moves) -> bool:
        """Return whether a unit needs a locked row; later units of the same table then wait too."""
        names = {entry.chain for entry in unit.entries}
        if self.locked.isdisjoint(names | {account for account, _ in moves}):
            return False
        self.locked |= {name for name in names if not is_cage(name)}
        return True

    def _add(self, unit: Unit, moves: Moves) -> WriteResult:
        self._check(unit, moves)
        added = [self._record(entry, unit.at) for entry in unit.entries]
        for change in unit.changes:
            rows = self.changes.setdefault(id(change.statement), (change.statement, []))[1]
            rows.append(change.values)
        touched = {account for account, _ in moves}.union(unit.read_accounts)
        return WriteResult(added, {account: self.balances[account].amount for account in touched})

    def _check(self, unit: Unit, moves: Moves) -> None:
        if unit.after is not None:
            chain = unit.entries[0].chain
            if self.heads[chain] != unit.after:
                raise ConflictError(f"another process has continued {chain}")
        left: dict[str, int] = {}
        for account, amount in moves:
            has = left.get(account, self.balances[account].amount)
            if amount < 0 and has + amount < 0:
                raise NotCoveredError(
                    f"this takes {dollars(-amount)}, but the bankroll is {dollars(has)}"
                )
            left[account] = has + amount

    def _record(self, entry: Entry, at: int) -> Record:
        record = record_of(entry, self.heads[entry.chain], at)
        self.heads[entry.chain] = Head(record.seq, record.hash)
        self.records.append(record)
        in_cage = is_cage(entry.chain)
        for account, amount, memo in entry.postings:
            balance = None
            if account.startswith("player:"):
                balance = self._pay(account, amount, amount if in_cage else 0)
            self.lines.append((entry.chain, record.seq, account, amount, memo, balance))
        for account, won in entry.wins.items():
            self._pay(account, 0, won)
        return record

    def _pay(self, account: str, amount: int, worth: int) -> int:
        """Add to the balance of a player; return the new balance."""
        before = self.balances[account]
        after = self.balances[account] = Balance(before.amount + amount, before.worth + worth)
        self.paid.add(account)
        return after.amount


def commit_units(connection: Connection, units: list[Unit]) -> list[WriteResult | GameError | None]:
    """Write units in one transaction; return each unit's result, or None to set it aside."""
    moves = [_moves(unit) for unit in units]
    draft = _draft(connection, units, {account for each in moves for account, _ in each})
    answers = [draft.try_to_add(unit, each) for unit, each in zip(units, moves, strict=True)]
    _save(connection, draft)
    return answers


def _draft(connection: Connection, units: list[Unit], moved: set[str]) -> _Draft:
    """Lock and read the rows that the units need; find rows that others have locked."""
    names = {entry.chain for unit in units for entry in unit.entries}
    looked = {account for unit in units for account in unit.read_accounts}
    heads = {name: Head(seq, hash_) for name, seq, hash_ in _look_up(connection, _HEADS, names)}
    missing = names - heads.keys()
    locked = {name for (name,) in _look_up(connection, _KNOWN_CHAINS, missing)}
    found = _balances(connection, _BALANCES, moved)
    more = _balances(connection, _READ_BALANCES, looked.union(moved) - found.keys())
    locked |= more.keys() & moved
    new = (missing | moved) - found.keys() - locked
    nothing = dict.fromkeys(looked | moved, Balance())
    return _Draft(dict.fromkeys(missing, Head()) | heads, nothing | more | found, new, locked)


def _balances(
    connection: Connection, queries: Mapping[str, str], accounts: set[str]
) -> dict[str, Balance]:
    return {name: Balance(*rest) for name, *rest in _look_up(connection, queries, accounts)}


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
    _save_balances(connection, draft)
    _insert(connection, _SAVE_RECORDS, Record._fields, draft.records)
    _insert(connection, _SAVE_LEDGER, _LINE_COLUMNS, draft.lines)


def _save_balances(connection: Connection, draft: _Draft) -> None:
    paid = [(account, *draft.balances[account]) for account in sorted(draft.paid)]
    new = [dict(zip(balances.c.keys(), row, strict=True)) for row in paid if row[0] in draft.new]
    others = [{"of": n, "to": a, "with": w} for n, a, w in paid if n not in draft.new]
    _execute(connection, _NEW_BALANCE, new)
    _execute(connection, _SET_BALANCE, others)


def _look_up(connection: Connection, queries: Mapping[str, str], names: set[str]) -> Iterable[Any]:
    """Read many rows with one parameter, so that the statement is prepared only once."""
    if not names:
        return ()
    return _run_text(connection, queries[connection.dialect.name], (canonical([*names]),))


def _execute(connection: Connection, statement: UpdateBase, rows: list[dict[str, Any]]) -> None:
    """Execute a statement as text for every row; SQLAlchemy would process each row again."""
    if not rows:
        return
    sql, names = _text(statement, connection.dialect, (*rows[0],))
    _run_text(connection, sql, [tuple(map(row.__getitem__, names)) for row in rows])


def _insert(
    connection: Connection, statement: UpdateBase, columns: tuple[str, ...], rows: list[Any]
) -> None:
    """Insert rows that are tuples of *columns*, in the order of the table."""
    if rows:
        _run_text(connection, _text(statement, connection.dialect, columns)[0], rows)


def _run_text(
    connection: Connection, sql: str, values: tuple[Any, ...] | list[Any]
) -> Iterable[Any]:
    """Execute a statement for the values of a tuple, or for each row of a list.

    The statement is compiled once, and SQLite's driver gets its text. By ``python -m
    bench.commits``, a unit of one record with its head, two postings and two balances takes 73
    microseconds this way and 158 through SQLAlchemy; in groups of ten, 32 and 50. A whole action
    takes about 580 (``python -m bench.server``). The transaction must have begun, because
    SQLAlchemy does not begin one for statements given to the driver.
    """
    driver = connection.connection.dbapi_connection
    if not isinstance(driver, sqlite3.Connection):
        return connection.exec_driver_sql(sql, values)
    run = driver.execute if isinstance(values, tuple) else driver.executemany
    try:
        return run(sql, values).fetchall()
    except sqlite3.Error as error:
        raise DBAPIError.instance(sql, None, error, sqlite3.Error) from error


@lru_cache(maxsize=256)
def _text(
    statement: UpdateBase, dialect: Dialect, names: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Return a statement in the driver's syntax, and the order of its values."""
    compiled = statement.compile(dialect=dialect, column_keys=[*names], for_executemany=True)
    return str(compiled), (*(compiled.positiontup or ()),)
