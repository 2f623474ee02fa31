"""The audit of one table: every bet, deal, decision and settlement is replayed.

The table's own commands return the entry that each record should have, and `tables/round_record.py`
returns the record of a round. The rows of `rounds` and `results` are recomputed here from the
settlements, independently of `ledger/projection.py`, to detect errors there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pitboss.core.errors import GameError, RuleError, shown
from pitboss.core.fairness import Result, commitment, verify
from pitboss.core.journal import dollars
from pitboss.core.protocol import net
from pitboss.games import find_game
from pitboss.tables import live
from pitboss.tables.absent import safe_decision
from pitboss.tables.chain import canonical
from pitboss.tables.hand import Place
from pitboss.tables.limits import read_limits_json
from pitboss.tables.live import Cause, LiveTable
from pitboss.tables.round_record import NOT_RESTORED, unrestored_record
from pitboss.tables.setup import Setup
from pitboss.tables.timestamps import iso

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.backoffice.audit_links import Line
    from pitboss.core.settings import Json
    from pitboss.tables.chain import Entry, Postings, Record
    from pitboss.tables.hand import Hand

ENDS: Final = {"settled", "void"}
FIELDS_ADDED_LATER: Final = {"omitted", "refused"}
"""Fields of a round's record that older versions did not write."""

_COMMON: Final = ("game", "status", "ended", "staked", "net")


@dataclass(slots=True)
class RelatedRows:
    """The rows that belong to a batch of a table's records."""

    seeds: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    rounds: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    results: dict[int, dict[int, Mapping[str, Any]]] = field(
        default_factory=lambda: defaultdict(dict)
    )


class ReplayedTable:
    """A table, replayed record by record.

    Findings of a round are reported when it ends. If the round could not be restored and its bets
    were returned, only its money is checked.
    """

    def __init__(self, table: str, find: Callable[..., None]) -> None:
        self.opened = self.ended = self.void = self.not_restored = 0
        self.table: LiveTable | None = None  # None after a record that cannot be replayed
        self.creator: str | None = None
        self.created = 0
        self.closed: int | None = None  # when it was closed
        self._id = table
        self._find = find
        self._setup: Setup | None = None
        self._first: Record | None = None  # the record that opened the round
        self._is_over = True
        self._moved: dict[str, int] = defaultdict(int)  # money moved since then, by account
        self._bets: dict[int, str] = {}  # players who bet, even if they took the bet back
        self._held: list[tuple[str, int, str]] = []

    def step(self, record: Record, lines: list[Line], related: RelatedRows) -> Postings | None:
        """Replay one record; return its expected postings, or None if they are unknown."""
        if record.kind == "open":
            self._moved.clear()
            self._bets.clear()
        for _, posting in lines:
            self._moved[posting.account] += posting.amount
        try:
            facts = record.facts
            if record.kind == "bet":
                self._bets[facts["seat"]] = facts["player"]
            return self._step(record, facts, related)
        except GameError as error:
            self._stop_replay(record, str(error))
        except Exception as error:  # noqa: BLE001  a forged record may hold anything
            self._stop_replay(record, f"the record cannot be replayed ({type(error).__name__})")
        return None

    def finish(self) -> None:
        self._report()

    def _stop_replay(self, record: Record, why: str) -> None:
        self.table = None
        self._hold(record, f"{record.kind}: {why}")

    def _hold(self, record: Record, what: str, kind: str = "round") -> None:
        self._held.append((kind, record.seq, what))

    def _report(self) -> None:
        for finding in self._held:
            self._find(*finding)
        self._held.clear()

    def _step(self, record: Record, facts: Json, related: RelatedRows) -> Postings | None:
        if record.kind == "table":
            return self._set_up(record, facts)
        if record.kind == "open":
            return self._open(record, facts, related)
        if record.kind == "void" and _is_unrestored(facts):
            self._give_back(record, facts, related)
            return None
        if record.kind in ENDS:
            return self._end(record, facts, related)
        return self._apply(record, facts)

    def _set_up(self, record: Record, facts: Json) -> Postings:
        _check_first(record)
        self.creator, self.created = facts["creator"], record.at
        game = find_game(facts["game"])
        self._setup = Setup(
            id=self._id,
            name=facts["name"],
            game=game,
            rules=game.rules.from_json(facts["rules"]),
            limits=read_limits_json(facts["limits"]),
            seconds=facts["seconds"],
            private=facts["private"],
        )
        about = self._setup.as_json()
        about |= {name: facts[name] for name in ("creator", "software")}
        self._compare(record, facts, about)
        return ()

    def _open(self, record: Record, facts: Json, related: RelatedRows) -> Postings:
        if not self._is_over:
            self._hold(record, f"the next round is opened, but round {self.opened} has not ended")
        self._report()
        before, self.table = self.table, None
        self._first, self._is_over = record, False
        number, promised = facts["round"], facts["commitment"]
        if number != self.opened + 1:
            self._hold(
                record, f"round {shown(number)} is opened, but {self.opened + 1} is expected"
            )
        self.opened = number if type(number) is int else self.opened + 1
        if self._setup is None:
            raise RuleError("the table was never set up")
        if number == 1:
            self._compare(record, facts, live.first_open(self._setup, promised).body)
        elif before is not None:
            self._compare(record, facts, before.open_next(promised).body)
        setup = before.setup if before else self._setup
        seed = self._seed(record, promised, related)
        self.table = live.opened(setup, facts, seed, seq=record.seq, at=record.at, ended=None)
        return ()

    def _seed(self, record: Record, promised: str, related: RelatedRows) -> bytes:
        rows = related.seeds.get(promised, [])
        if len(rows) != 1:
            raise RuleError(f"there are {len(rows)} seeds for its commitment: there must be one")
        row = rows[0]
        if (row.table_id, row.round) != (self._id, self.opened):
            used = f"round {row.round} of table {row.table_id}"
            self._hold(record, f"open: its commitment belongs to {used}", "seed")
        seed = bytes.fromhex(row.seed)
        if commitment(seed) != promised:
            raise RuleError("the commitment is not the SHA-256 of the seed")
        return seed

    def _apply(self, record: Record, facts: Json) -> Postings | None:
        """Compare a record with the entry that the table would record, and apply it."""
        if record.kind == "closed":
            self.closed = record.at
        table = self._playing()
        if table is None:
            return None
        entry = _expected_entry(table, record.kind, facts)
        self._compare(record, facts, entry.body)
        self.table = table.after(record.kind, facts, seq=record.seq, at=record.at)
        return entry.postings

    def _playing(self) -> LiveTable | None:
        """Return the table, whose round must be open and unsettled."""
        if self._is_over:
            raise RuleError("no round is open")
        if self.table and self.table.hand.is_settled:
            raise RuleError(f"round {self.opened} is played to its end: settled is due")
        return self.table

    def _end(self, record: Record, facts: Json, related: RelatedRows) -> Postings | None:
        table = self._ending(record)
        if table is None:
            return None
        said = facts["record"]
        if record.kind == "void":
            if table.hand.is_settled:
                raise RuleError(f"round {self.opened} is played to its end: settled is due")
            entry = table.void(facts["reason"], said["software"], record.at)
            entry.body["record"]["ended"] = _ended(said, record)
        else:
            if not table.hand.is_settled:
                raise RuleError(f"round {self.opened} is not played to its end")
            entry = table.settle(said["software"], record.at)
        if not table.hand.refused and FIELDS_ADDED_LATER.isdisjoint(said):
            entry.body["record"] = {
                k: v for k, v in entry.body["record"].items() if k not in FIELDS_ADDED_LATER
            }
        self._compare(record, facts, entry.body)
        self._verify(record, said, table.hand)
        self._check_rows(record, *_rows(table, record), related)
        self.table = table.after(record.kind, facts, seq=record.seq, at=record.at)
        return entry.postings

    def _ending(self, record: Record) -> LiveTable | None:
        if self._is_over:
            raise RuleError("no round is open")
        self._is_over = True
        self.ended += 1
        self.void += record.kind == "void"
        return self.table

    def _verify(self, record: Record, said: Json, hand: Hand) -> None:
        found = verify(said, promised=hand.commitment, given=hand.client_seeds)
        for check in found.checks:
            if check.result is Result.DIFFERS:
                self._hold(record, f"it does not verify: {check.name}: {check.detail}")

    def _give_back(self, record: Record, facts: Json, related: RelatedRows) -> None:
        """Check only the money of a round that could not be restored."""
        self._held.clear()
        self._ending(record)
        self.table = None
        self.not_restored += 1
        for account, amount in self._moved.items():
            if amount:
                lost = dollars(amount, sign=True)
                self._hold(record, f"the void round leaves {account} with {lost}", "books")
        if self._setup and self._first:
            expected = _unrestored(self._setup, self._first, record, facts["record"])
            self._compare(record, facts, {"reason": NOT_RESTORED, "record": expected})
            row = _round_row(self._setup, record, self.opened, self._first.at)
            common = {name: row[name] for name in _COMMON}
            by_seat = {seat: common | {"player": player} for seat, player in self._bets.items()}
            self._check_rows(record, row, by_seat, related)

    def _compare(self, record: Record, said: Json, right: Json) -> None:
        if canonical(right) != record.body:
            self._hold(record, f"{record.kind}: {_difference(said, right)}")

    def _check_rows(
        self,
        record: Record,
        round_: dict[str, Json],
        results_: dict[int, dict[str, Json]],
        related: RelatedRows,
    ) -> None:
        number = self.opened
        if wrong := row_difference(related.rounds.get(number), round_):
            self._hold(record, f"the row of round {number} in rounds: {wrong}", "rows")
        found = related.results.get(number, {})
        for seat in sorted(found.keys() | results_.keys()):
            if wrong := row_difference(found.get(seat), results_.get(seat)):
                where = f"the row of round {number}, seat {seat} in results"
                self._hold(record, f"{where}: {wrong}", "rows")


def _is_unrestored(facts: Json) -> bool:
    """Return whether a void record is for a round that could not be restored."""
    return facts["reason"] == NOT_RESTORED and not facts["record"]["seats"]


def _unrestored(setup: Setup, first: Record, record: Record, said: Json) -> dict[str, Json]:
    """Return the record of a round that could not be restored, with its seed if known."""
    promised, seed = first.facts["commitment"], said["fairness"]["server_seed"]
    if seed is not None and commitment(bytes.fromhex(seed)) != promised:
        raise RuleError("the commitment is not the SHA-256 of the seed")
    return unrestored_record(setup, first, seed, software=said["software"], ended=record.at)


def _check_first(record: Record) -> None:
    if record.seq != 1:
        raise RuleError("only the first record of a chain can set up its table")


def _expected_entry(table: LiveTable, kind: str, facts: Json) -> Entry:
    """Return the entry that the table records for the same command."""
    if kind not in _COMMANDS:
        raise RuleError("this is not a record of a table")
    return _COMMANDS[kind](table, facts)


def _holder(table: LiveTable, facts: Json) -> str:
    """Return the player at the seat that a record names."""
    if facts["seat"] not in table.places:
        raise RuleError(f"nobody sits at seat {shown(facts['seat'])}")
    return table.places[facts["seat"]].player


def _decision(table: LiveTable, facts: Json) -> Entry:
    """Return a player's decision, or the timer's, which is always the safe one."""
    seat, text = facts["seat"], facts["decision"]
    if facts["by"] == "player":
        owner = table.hand.owners.get(seat)
        return table.decide(seat, text, player=owner.player if owner else "")
    if table.is_solo:
        raise RuleError("the timer decides, but this table has no timer")
    safe = str(safe_decision(table.hand.round, seat))
    if text != safe:
        raise RuleError(f"the timer decides {shown(text)}, but the safe decision is {safe!r}")
    return table.decide(seat, text, player=None)


def _refused(table: LiveTable, facts: Json) -> Entry:
    """Return the entry for a refused bet; the rules must forbid it if they were the reason."""
    seat, stakes, cause = facts["seat"], facts["stakes"], Cause(facts["cause"])
    player = _holder(table, facts)
    if not table.records_refusal(player, seat, stakes, facts["request"]):
        raise RuleError("this refused bet is recorded twice, or the seat has too many refused bets")
    if cause is Cause.RULES and _is_allowed(table, player, seat, stakes):
        raise RuleError(
            f"the bet of seat {seat} was refused because of the rules, but they allow it"
        )
    about = {name: facts[name] for name in ("request", "cause", "reason")}
    return table.refuse(seat, stakes, **about)


def _is_allowed(table: LiveTable, player: str, seat: int, stakes: Mapping[str, int]) -> bool:
    try:
        table.bet(player, seat, stakes)
    except GameError:
        return False
    return True


def _sit(table: LiveTable, facts: Json) -> Entry:
    return table.sit(facts["seat"], Place.from_json(facts))


_COMMANDS: Final[dict[str, Callable[[LiveTable, Json], Entry]]] = {
    "sit": _sit,
    "leave": lambda table, facts: table.leave(
        facts["player"], facts["seat"], by_house=facts.get("by") == "house"
    ),
    "refused": _refused,
    "sit_out": lambda table, facts: table.sit_out(
        _holder(table, facts), facts["seat"], out=facts["out"]
    ),
    "seed": lambda table, facts: table.choose_seed(
        _holder(table, facts), facts["seat"], facts["seed"]
    ),
    "bet": lambda table, facts: table.bet(facts["player"], facts["seat"], facts["stakes"]),
    "take_back": lambda table, facts: table.take_back(_holder(table, facts), facts["seat"]),
    "deal": lambda table, _: table.deal(),
    "decision": _decision,
    "limits": lambda table, facts: table.change_limits(read_limits_json(facts["limits"])),
    "closed": lambda table, facts: table.close(facts.get("reason")),
    "taken_over": lambda table, facts: table.taken_over(facts["owner"], facts["by"]),
}


def _ended(said: Json, record: Record) -> str:
    """Return the recorded end of a void round if it is plausible, else the time of its record."""
    latest = iso(record.at)
    ended = said["ended"]
    return ended if isinstance(ended, str) and said["opened"] <= ended <= latest else latest


def _rows(table: LiveTable, record: Record) -> tuple[dict[str, Json], dict[int, dict[str, Json]]]:
    """Return the expected rows of a round in rounds and results."""
    hand = table.hand
    paid = hand.round.settlements() if record.kind == "settled" else ()
    row = _round_row(table.setup, record, hand.number, hand.opened)
    row |= {"staked": sum(s.stake for s in paid), "net": sum(s.net for s in paid)}
    if paid:
        bets = [{k: v for k, v in s.stakes.items() if v} for s in hand.round.record().seats]
        row["stakes"] = canonical(sorted(bets, key=canonical))
    common = {name: row[name] for name in _COMMON}
    return row, {
        seat: common
        | {
            "player": place.player,
            "staked": sum(s.stake for s in paid if s.seat == seat),
            "net": net(paid, seat),
        }
        for seat, place in hand.owners.items()
    }


def _round_row(setup: Setup, record: Record, number: int, opened: int) -> dict[str, Json]:
    """Return the row of a round without wins and losses."""
    return {
        "number": number,
        "game": setup.game.key,
        "rules_digest": setup.rules.digest(),
        "status": record.kind,
        "opened": opened,
        "ended": record.at,
        "staked": 0,
        "net": 0,
        "stakes": "[]",
        "seq": record.seq,
    }


def row_difference(row: Mapping[str, Any] | None, right: Mapping[str, Any] | None) -> str | None:
    """Describe how a row differs from the expected one; return None if it does not."""
    if row is None:
        return "it is missing"
    if right is None:
        return "no record mentions it"
    for name, value in right.items():
        if row[name] != value:
            return f"{name} is {shown(row[name])}, expected {shown(value)}"
    return None


def _difference(said: Json, right: Json, path: str = "") -> str:
    """Describe the first difference between JSON and its expected value."""
    if isinstance(said, dict) and isinstance(right, dict):
        for key in sorted(said.keys() | right.keys()):
            name = f"{path}.{key}" if path else str(key)
            if key not in said:
                return f"{name} is missing"
            if key not in right:
                return f"{name} is unexpected"
            if canonical(said[key]) != canonical(right[key]):
                return _difference(said[key], right[key], name)
    if isinstance(said, list) and isinstance(right, list) and len(said) == len(right):
        for index, (one, other) in enumerate(zip(said, right, strict=True)):
            if canonical(one) != canonical(other):
                return _difference(one, other, f"{path}[{index}]")
    if canonical(said) == canonical(right):
        return "the text is not in canonical form"
    return f"{path or 'it'} is {shown(said)}, expected {shown(right)}"
