"""One table of an audit: every bet, deal, decision and settlement made again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pitboss.errors import GameError, RuleError, shown
from pitboss.fairness import FORMAT, KIND, SCHEME, Result, commitment, verify
from pitboss.felt import net
from pitboss.games import find_game
from pitboss.notation import dollars
from pitboss.web import live
from pitboss.web.absent import safe_decision
from pitboss.web.chain import canonical
from pitboss.web.live import NOT_RESTORED, LiveTable, Place, Setup
from pitboss.web.moments import iso
from pitboss.web.pit import table_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.rules import Json
    from pitboss.web.audit_links import Line
    from pitboss.web.chain import Entry, Postings, Record
    from pitboss.web.live import Hand

ENDS: Final = {"settled", "void"}
_COMMON: Final = ("game", "status", "ended", "staked", "net")


@dataclass(slots=True)
class Beside:
    """The rows that belong to some records of a table."""

    seeds: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    rounds: dict[int, dict[str, Any]] = field(default_factory=dict)
    results: dict[int, dict[int, dict[str, Any]]] = field(default_factory=lambda: defaultdict(dict))


class Followed:
    """A table, played again record by record.

    What is found in a round is told when the round ends: one that could not be restored is given
    back, and then nothing but the money counts.
    """

    def __init__(self, table: str, find: Callable[..., None]) -> None:
        self.opened = self.ended = self.void = self.not_restored = 0
        self.table: LiveTable | None = None  # none after what could not be followed
        self._id = table
        self._find = find
        self._setup: Setup | None = None
        self._first: Record | None = None  # that opened the round
        self._is_over = True
        self._moved: dict[str, int] = defaultdict(int)  # money, since then
        self._bets: dict[int, str] = {}  # who bet, also if it was taken back
        self._held: list[tuple[str, int, str]] = []

    def step(self, record: Record, lines: list[Line], beside: Beside) -> Postings | None:
        """Go one record on; return the postings it should have, where they can be worked out."""
        if record.kind == "open":
            self._moved.clear()
            self._bets.clear()
        for _, posting in lines:
            self._moved[posting.account] += posting.amount
        try:
            facts = record.facts
            if record.kind == "bet":
                self._bets[facts["seat"]] = facts["player"]
            return self._step(record, facts, beside)
        except GameError as error:
            self._lose(record, str(error))
        except Exception as error:  # noqa: BLE001  a forged record may hold anything
            self._lose(record, f"it cannot be followed ({type(error).__name__})")
        return None

    def finish(self) -> None:
        self._tell()

    def _lose(self, record: Record, why: str) -> None:
        self.table = None
        self._hold(record, f"{record.kind}: {why}")

    def _hold(self, record: Record, what: str, kind: str = "round") -> None:
        self._held.append((kind, record.seq, what))

    def _tell(self) -> None:
        for finding in self._held:
            self._find(*finding)
        self._held.clear()

    def _step(self, record: Record, facts: Json, beside: Beside) -> Postings | None:
        if record.kind == "table":
            return self._set_up(record, facts)
        if record.kind == "open":
            return self._open(record, facts, beside)
        if record.kind == "void" and _is_unrestored(facts):
            self._give_back(record, facts, beside)
            return None
        if record.kind in ENDS:
            return self._end(record, facts, beside)
        return self._go(record, facts)

    def _set_up(self, record: Record, facts: Json) -> Postings:
        _check_first(record)
        game = find_game(facts["game"])
        self._setup = Setup(
            id=self._id,
            name=facts["name"],
            game=game,
            rules=game.rules.from_json(facts["rules"]),
            limits=live.read_limits_json(facts["limits"]),
            seconds=facts["seconds"],
            private=facts["private"],
        )
        about = table_json(self._setup)
        about |= {name: facts[name] for name in ("creator", "software")}
        self._compare(record, facts, about)
        return ()

    def _open(self, record: Record, facts: Json, beside: Beside) -> Postings:
        if not self._is_over:
            self._hold(record, f"round {self.opened} is still on, and the next is opened")
        self._tell()
        before, self.table = self.table, None
        self._first, self._is_over = record, False
        number, promised = facts["round"], facts["commitment"]
        if number != self.opened + 1:
            self._hold(record, f"round {shown(number)} is opened, {self.opened + 1} is due")
        self.opened = number if type(number) is int else self.opened + 1
        if self._setup is None:
            raise RuleError("the table was never set up")
        if number == 1:
            self._compare(record, facts, live.first_open(self._setup, promised).body)
        elif before is not None:
            self._compare(record, facts, before.open_next(promised).body)
        setup = before.setup if before else self._setup
        seed = self._seed(record, promised, beside)
        self.table = live.opened(setup, facts, seed, seq=record.seq, at=record.at, ended=None)
        return ()

    def _seed(self, record: Record, promised: str, beside: Beside) -> bytes:
        rows = beside.seeds.get(promised, [])
        if len(rows) != 1:
            raise RuleError(f"there are {len(rows)} seeds for its commitment, and one is right")
        row = rows[0]
        if (row.table_id, row.round) != (self._id, self.opened):
            used = f"round {row.round} of table {row.table_id}"
            self._hold(record, f"open: its commitment was given for {used}", "seed")
        seed = bytes.fromhex(row.seed)
        if commitment(seed) != promised:
            raise RuleError("the commitment is not the SHA-256 of the seed")
        return seed

    def _go(self, record: Record, facts: Json) -> Postings | None:
        """Ask the table for what was recorded, and go on as it says."""
        table = self._playing()
        if table is None:
            return None
        entry = _asked(table, record.kind, facts)
        self._compare(record, facts, entry.body)
        self.table = table.after(record.kind, facts, seq=record.seq, at=record.at)
        return entry.postings

    def _playing(self) -> LiveTable | None:
        """Return the table, which waits for anything but the end of its round."""
        if self._is_over:
            raise RuleError("no round is open")
        if self.table and _is_settled(self.table.hand):
            raise RuleError(f"round {self.opened} is played to its end: settled is due")
        return self.table

    def _end(self, record: Record, facts: Json, beside: Beside) -> Postings | None:
        table = self._ending(record)
        if table is None:
            return None
        said = facts["record"]
        if record.kind == "void":
            if _is_settled(table.hand):
                raise RuleError(f"round {self.opened} is played to its end: settled is due")
            entry = table.void(facts["reason"], said["software"], record.at)
            entry.body["record"]["ended"] = _ended(said, record)
        else:
            if not _is_settled(table.hand):
                raise RuleError(f"round {self.opened} is not played to its end")
            entry = table.settle(said["software"], record.at)
        self._compare(record, facts, entry.body)
        self._verify(record, said, table.hand)
        self._check_rows(record, *_rows(table, record), beside)
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

    def _give_back(self, record: Record, facts: Json, beside: Beside) -> None:
        """Check a round that could not be restored by its money alone."""
        self._held.clear()
        self._ending(record)
        self.table = None
        self.not_restored += 1
        for account, amount in self._moved.items():
            if amount:
                lost = dollars(amount, sign=True)
                self._hold(record, f"void, and the round leaves {account} with {lost}", "books")
        if self._setup and self._first:
            told = _unrestored(self._setup, self._first, record, facts["record"])
            self._compare(record, facts, {"reason": NOT_RESTORED, "record": told})
            row = _round_row(self._setup, record, self.opened, self._first.at)
            common = {name: row[name] for name in _COMMON}
            by_seat = {seat: common | {"player": player} for seat, player in self._bets.items()}
            self._check_rows(record, row, by_seat, beside)

    def _compare(self, record: Record, said: Json, right: Json) -> None:
        if canonical(right) != record.body:
            self._hold(record, f"{record.kind}: {_difference(said, right)}")

    def _check_rows(
        self,
        record: Record,
        round_: dict[str, Json],
        results_: dict[int, dict[str, Json]],
        beside: Beside,
    ) -> None:
        number = self.opened
        if wrong := row_difference(beside.rounds.get(number), round_):
            self._hold(record, f"the row of round {number} in rounds: {wrong}", "rows")
        found = beside.results.get(number, {})
        for seat in sorted(found.keys() | results_.keys()):
            if wrong := row_difference(found.get(seat), results_.get(seat)):
                where = f"the row of round {number}, seat {seat} in results"
                self._hold(record, f"{where}: {wrong}", "rows")


def _is_unrestored(facts: Json) -> bool:
    """Say whether a void gives a round back of which nothing more is known."""
    return facts["reason"] == NOT_RESTORED and not facts["record"]["seats"]


def _unrestored(setup: Setup, first: Record, record: Record, said: Json) -> dict[str, Json]:
    """Return what is told of such a round; its seed is shown if it was found."""
    promised, seed = first.facts["commitment"], said["fairness"]["server_seed"]
    if seed is not None and commitment(bytes.fromhex(seed)) != promised:
        raise RuleError("the commitment is not the SHA-256 of the seed")
    seeds = {"commitment": promised, "server_seed": seed, "client_seeds": {}}
    return {
        "format": FORMAT,
        "kind": KIND,
        "play_money": True,
        "table": setup.id,
        "round": first.facts["round"],
        "status": "void",
        "reason": NOT_RESTORED,
        "fairness": {"scheme": SCHEME} | seeds,
        "rules_digest": setup.rules.digest(),
        "journal": None,
        "seats": {},
        "log": [],
        "opened": iso(first.at),
        "dealt": None,
        "ended": iso(record.at),
        "software": said["software"],
    }


def _check_first(record: Record) -> None:
    if record.seq != 1:
        raise RuleError("a table is set up by the first record of its chain alone")


def _asked(table: LiveTable, kind: str, facts: Json) -> Entry:
    """Return what the table records when it is asked for the same."""
    if kind not in _COMMANDS:
        raise RuleError("this is no step of a table")
    return _COMMANDS[kind](table, facts)


def _holder(table: LiveTable, facts: Json) -> str:
    """Return who sits at the seat that a record names."""
    if facts["seat"] not in table.places:
        raise RuleError(f"nobody sits at seat {shown(facts['seat'])}")
    return table.places[facts["seat"]].player


def _decision(table: LiveTable, facts: Json) -> Entry:
    """Return a player's decision, or the timer's: that is always the safe one."""
    seat, text = facts["seat"], facts["decision"]
    if facts["by"] == "player":
        owner = table.hand.owners.get(seat)
        return table.decide(seat, text, player=owner.player if owner else "")
    if table.is_solo:
        raise RuleError("the timer decides, and this table has none")
    safe = str(safe_decision(table.hand.round, seat))
    if text != safe:
        raise RuleError(f"the timer decides {shown(text)}: the safe decision is {safe!r}")
    return table.decide(seat, text, player=None)


def _sit(table: LiveTable, facts: Json) -> Entry:
    place = Place(facts["player"], facts["name"], facts["seed"], facts["out"])
    return table.sit(facts["seat"], place)


_COMMANDS: Final[dict[str, Callable[[LiveTable, Json], Entry]]] = {
    "sit": _sit,
    "leave": lambda table, facts: table.leave(facts["player"], facts["seat"]),
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
    "limits": lambda table, facts: table.change_limits(live.read_limits_json(facts["limits"])),
    "closed": lambda table, _: table.close(),
    "taken_over": lambda table, facts: table.taken_over(facts["owner"], facts["by"]),
}


def _is_settled(hand: Hand) -> bool:
    return hand.is_dealt and hand.round.phase == "settled"


def _ended(said: Json, record: Record) -> str:
    """Return the moment a void round says it ended: not after its record."""
    latest = iso(record.at)
    ended = said["ended"]
    return ended if isinstance(ended, str) and said["opened"] <= ended <= latest else latest


def _rows(table: LiveTable, record: Record) -> tuple[dict[str, Json], dict[int, dict[str, Json]]]:
    """Return the rows of rounds and results that a round makes."""
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
    """Return the row of a round in which nobody won or lost."""
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
    if row is None:
        return "it is missing"
    if right is None:
        return "no record speaks of it"
    for name, value in right.items():
        if row[name] != value:
            return f"{name} is {shown(row[name])}, by the records {shown(value)}"
    return None


def _difference(said: Json, right: Json, path: str = "") -> str:
    """Say where JSON first differs from what it should be."""
    if isinstance(said, dict) and isinstance(right, dict):
        for key in sorted(said.keys() | right.keys()):
            name = f"{path}.{key}" if path else str(key)
            if key not in said:
                return f"{name} is missing"
            if key not in right:
                return f"{name} does not belong there"
            if canonical(said[key]) != canonical(right[key]):
                return _difference(said[key], right[key], name)
    if isinstance(said, list) and isinstance(right, list) and len(said) == len(right):
        for index, (one, other) in enumerate(zip(said, right, strict=True)):
            if canonical(one) != canonical(other):
                return _difference(one, other, f"{path}[{index}]")
    if canonical(said) == canonical(right):
        return "the text is not the one form of what it says"
    return f"{path or 'it'} is {shown(said)}, by the rules {shown(right)}"
