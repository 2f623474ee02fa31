"""The audit of the cage: the players and switches that its records imply."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pitboss.core.errors import RuleError, shown
from pitboss.ledger.switches import ALL_GAMES
from pitboss.tables.chain import BANK, Posting, player_account
from pitboss.tables.names import name_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pitboss.core.settings import Json
    from pitboss.tables.chain import Postings, Record

TOLERANCE_MS: Final = 10_000
"""Records of two processes that are closer in time than this may have been written in either order,
because each process has its own clock and a record waits for its transaction."""

FIRST_SWITCHES: Final = (ALL_GAMES, "toss-one-21", "roll-your-own")
"""The switches in every new database: the rows that migration r0002 inserts, never more.

The switch of a later game has no row until it is used for the first time."""

_SWITCHED: Final = {"gaming_open": "open", "gaming_stopped": "stopped"}
_GRANTS: Final = {"guest", "refill"}


class Source(NamedTuple):
    """A value, and the record that set it."""

    value: Any
    chain: str | None
    seq: int | None
    at: int


_OPEN: Final = Source("open", None, None, 0)


class _Latest:
    """The latest values of rows that several processes may change.

    Within a chain the order of records is certain. Between chains, only the times are known.
    """

    def __init__(self) -> None:
        self._last: dict[str, dict[str, Source]] = {}

    def put(self, name: str, source: Source) -> None:
        self._last.setdefault(name, {})[source.chain or ""] = source

    def names(self) -> Iterable[str]:
        return self._last.keys()

    def of(self, name: str, first: Source) -> list[Source]:
        """Return the values that may have been written last, or *first* if there are none."""
        last = self._last.get(name)
        if not last:
            return [first]
        newest = max(source.at for source in last.values())
        return [source for source in last.values() if source.at >= newest - TOLERANCE_MS]


class Cage:
    """The combined state of all cage chains."""

    def __init__(self, find: Callable[..., None]) -> None:
        self._find = find  # takes kind, record number, text and chain
        self._guests: dict[str, Source] = {}
        self._names = _Latest()
        self._blocks = _Latest()
        self._passwords = _Latest()
        self._switches = _Latest()
        self._tables: dict[str, tuple[bytes, str]] = {}  # digest and chain of each table's opening

    def step(self, record: Record) -> Postings | None:
        """Read a record; return its expected postings, or None if it cannot be read."""
        try:
            return self._step(record)
        except RuleError as error:
            self._find("rows", record.seq, f"{record.kind}: {error}", record.chain)
        except Exception as error:  # noqa: BLE001  a forged record may hold anything
            what = f"{record.kind}: the record cannot be read ({type(error).__name__})"
            self._find("rows", record.seq, what, record.chain)
        return None

    def _step(self, record: Record) -> Postings:
        kind = record.kind
        if kind == "table_opened":
            self._tables[record.facts["table"]] = _digest(record), record.chain
        elif kind in _GRANTS:
            return self._grant(record, record.facts)
        elif kind in _SWITCHED:
            game = record.facts["game"]
            name = ALL_GAMES if game == "all games" else game
            self._switches.put(name, _source(record, _SWITCHED[kind]))
        elif kind == "renamed":
            self._names.put(record.facts["player"], _source(record, _text(record.facts["after"])))
        elif kind in {"blocked", "unblocked"}:
            self._blocks.put(record.facts["player"], _source(record, kind == "blocked"))
        elif kind == "password_set":
            self._passwords.put(record.facts["player"], _source(record, value=True))
        return ()

    def _grant(self, record: Record, facts: dict[str, Json]) -> Postings:
        """Register a new player or a refill; return the postings of its play money."""
        player, amount = facts["player"], facts["amount"]
        if record.kind == "guest":
            if player in self._guests:
                raise RuleError(f"player {shown(player)} has an account already")
            self._guests[player] = _source(record, _text(facts["name"]))
        account, memo = player_account(player), record.kind
        return Posting(BANK, -amount, memo), Posting(account, amount, memo)

    # --- tables

    def opened(self, table: str, record: Record) -> bool:
        """Return whether the cage has this record of a table's opening."""
        return self._tables.get(table, (b"", ""))[0] == _digest(record)

    def tables(self) -> dict[str, str]:
        """Return the opened tables, each with the cage chain that records it."""
        return {table: chain for table, (_, chain) in self._tables.items()}

    # --- players

    def knows(self, player: str) -> bool:
        """Return whether a record created this player; call it before the players are checked."""
        return player in self._guests

    def check_unknown(self) -> None:
        """Find records that change a player who was never created."""
        changed = {*self._names.names(), *self._blocks.names(), *self._passwords.names()}
        for player in sorted(changed - self._guests.keys()):
            self._find(
                "rows",
                None,
                f"records change player {shown(player)}, but none created this player",
            )

    def check_player(self, row: Any) -> None:  # noqa: ANN401  a row of the database
        """Compare a row of players with the records."""
        where = f"the row of player {shown(row.id)} in players"
        guest = self._guests.pop(row.id, None)
        if guest is None:
            self._find("rows", None, f"{where}: no record created this player")
            return
        names, never = self._names.of(row.id, guest), guest._replace(value=False)
        keys = [source._replace(value=name_key(source.value)) for source in names]
        self._compare(where, "name", row.name, names)
        self._compare(where, "name_key", row.name_key, keys)
        self._compare(where, "blocked", row.blocked, self._blocks.of(row.id, never))
        self._compare(where, "created", row.created, [guest._replace(value=guest.at)])
        has = row.password is not None
        self._compare(where, "having a password", has, self._passwords.of(row.id, never))

    def check_missing(self) -> None:
        """Find players without a row; :meth:`check_player` has checked those with a row."""
        for player, guest in self._guests.items():
            where = f"the row of player {shown(player)} in players"
            self._compare(where, "name", None, self._names.of(player, guest))

    # --- switches

    def check_switches(self, rows: Mapping[str, str]) -> None:
        """Compare the rows of switches with the records; a switch is open until it is stopped."""
        names = {*FIRST_SWITCHES, *self._switches.names()}
        for name in sorted(names | rows.keys()):
            where = f"the row {shown(name)} in switches"
            if name in names:
                self._compare(where, "value", rows.get(name), self._switches.of(name, _OPEN))
            else:
                self._find("rows", None, f"{where}: no record mentions this switch")

    def _compare(self, where: str, column: str, value: Json, sources: list[Source]) -> None:
        """Compare a value with those that the records allow; None means that the row is missing."""
        expected = [source.value for source in sources]
        if value in expected:
            return
        due = " or ".join(sorted(map(shown, expected)))
        newest = max(sources, key=lambda source: source.at)
        if value is None:
            what = f"{where} is missing: expected {column} {due}"
        else:
            what = f"{where}: {column} is {shown(value)}, expected {due}"
        self._find("rows", newest.seq, what, newest.chain)


def _source(record: Record, value: Json) -> Source:
    return Source(value, record.chain, record.seq, record.at)


def _digest(record: Record) -> bytes:
    return hashlib.sha256(record.body.encode()).digest()


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise RuleError(f"{shown(value)} is not a name")
    return value
