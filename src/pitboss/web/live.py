"""A live table as a value: who sits, what is bet, the round that is on, and what each step records.

A command checks what is asked and gives the entry that would record it; :meth:`LiveTable.after`
gives the table after a record. A table that is taken over or started again is the same records
gone through once more, so it stands exactly where it stood. No clock, no database, no chance here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pydantic_core import to_json

from pitboss.errors import RuleError, SettingError, shown
from pitboss.fairness import FORMAT, KIND, SCHEME, check_client_seed, shuffle
from pitboss.felt import Operation, deal_from, require, supply
from pitboss.notation import dollars, view_json, write_journal
from pitboss.once import once
from pitboss.paytables import Odds
from pitboss.reasons import reason
from pitboss.rules import Printed
from pitboss.table import Limit
from pitboss.web.chain import (
    Entry,
    Posting,
    felt_account,
    house_account,
    player_account,
    table_chain,
)
from pitboss.web.moments import iso

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pitboss.cards import Card
    from pitboss.felt import Game, Round, View
    from pitboss.rules import Json, Rules
    from pitboss.web.chain import Record
    from pitboss.web.messages import LimitValues


IN_TURN = "playing"
"""The phase in which seats decide one after the other; in all others at the same time."""

LARGEST_PRIZE = 10**12
"""What one bet may win, in cents: far below what the sum of a ledger can hold."""

NOT_RESTORED = "the round could not be restored"
"""Why a round is void of which the records cannot be gone through again."""

_WITHOUT_CARDS = {"sit", "leave", "sit_out", "seed", "limits", "closed"}

T = TypeVar("T", bound="Hand | LiveTable")
Changes: TypeAlias = tuple[dict[str, Any], dict[str, Any]]
"""What a record changes: fields of the table, and of its hand."""


class NotYoursError(RuleError):
    """A seat that somebody else holds, or nobody."""

    code = "not_yours"


@dataclass(frozen=True, kw_only=True)  # no slots: what follows from it is worked out once
class Setup:
    """What a table was opened with; all but the limits stay as they are."""

    id: str
    name: str
    game: Game
    rules: Rules
    limits: Mapping[str, Limit]
    seconds: int | None = None  # to decide in; without, the table waits and seats one player
    private: bool = False

    @once
    def chain(self) -> str:
        return table_chain(self.id)

    @once
    def felt(self) -> str:
        """The account of the bets in action."""
        return felt_account(self.id)

    @once
    def digest(self) -> str:
        return self.rules.digest()

    @once
    def start(self) -> Round:
        """The round before anybody has bet."""
        return self.game.start(self.rules)

    @once
    def empty(self) -> dict[str, Json]:
        """What everybody is told before anybody has bet."""
        return told(self.rules, self.start.view(None))

    @once
    def limits_json(self) -> dict[str, Json]:
        return limits_json(self.limits)

    @once
    def limits_told(self) -> dict[str, Json]:
        return limits_told(self.limits)


@dataclass(frozen=True, slots=True)
class Place:
    """A seat that is taken; who is *out* is not waited for."""

    player: str
    name: str
    seed: str = ""
    out: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """A decision as it was made: by the seat's player, or by the timer for them."""

    seat: int
    decision: str
    by: str
    at: int


@dataclass(frozen=True, kw_only=True)  # no slots: what all may see is worked out once
class Hand:
    """A round from the moment its shuffle is committed to until it is settled or void."""

    number: int
    commitment: str
    seed: bytes = field(repr=False)  # not told before the round is over
    round: Round = field(repr=False)
    opened: int
    deck: tuple[Card, ...] = field(default=(), repr=False)
    client_seeds: Mapping[int, str] = field(default_factory=dict)
    owners: Mapping[int, Place] = field(
        default_factory=dict
    )  # who bet, also if they have left since
    staked: Mapping[int, int] = field(default_factory=dict)
    log: tuple[Made, ...] = ()
    dealt: int | None = None
    deadline: int | None = None

    @property
    def is_dealt(self) -> bool:
        return self.dealt is not None

    @once
    def seen(self) -> View:
        """What everybody may see."""
        return self.round.view(None)

    @once
    def told(self) -> dict[str, Json]:
        """What everybody is told of it."""
        return told(self.round.rules, self.seen)

    @once
    def _next(self) -> dict[Operation, Round]:
        return {}

    def after(self, operation: Operation) -> Round:
        """Return the round after an operation, which is first checked and then done."""
        if operation not in self._next:
            self._next[operation] = self.round.apply(operation)
        return self._next[operation]


@dataclass(frozen=True, kw_only=True)  # no slots: what is told of it is worked out once
class Ended:
    """The round before: as everybody may see it now."""

    number: int
    view: View | None  # none if it was void
    rules: Rules
    record: dict[str, Json]

    @once
    def shown(self) -> dict[str, Json]:
        """What everybody is told of it."""
        record = self.record
        fair, journal = record.get("fairness") or {}, record.get("journal") or {}
        made = record.get("log", [])
        return {
            "number": self.number,
            "status": record["status"],
            "reason": record.get("reason"),
            "view": self.view and told(self.rules, self.view),
            "log": [{key: one[key] for key in ("seat", "decision", "by")} for one in made],
            "net": journal.get("net", {}),
            "commitment": fair.get("commitment"),
            "server_seed": fair.get("server_seed"),
        }

    @once
    def text(self) -> str:
        """The same as JSON: it is sent with every state of the next round."""
        return to_json(self.shown).decode()


def told(rules: Rules, view: View) -> dict[str, Json]:
    """Return a view as it leaves the server: every settlement says why."""
    found = view_json(view)
    for paid, settlement in zip(found["settlements"], view.settlements, strict=True):
        paid["why"] = reason(rules, view, settlement)
    return found


@dataclass(frozen=True, kw_only=True)  # no slots: it is copied by its dictionary
class LiveTable:
    """A table and the round that is on; every record gives the next one."""

    setup: Setup
    hand: Hand
    places: Mapping[int, Place] = field(default_factory=dict)
    ended: Ended | None = None
    closed: bool = False
    # changes are counted as they are seen: the numbers of records would tell of hidden ones
    public: int = 0
    own: Mapping[int, int] = field(default_factory=dict)  # those that only a seat has seen
    asked: int = 0  # the change since which the round asks what it asks now
    shown: int = 0  # how many decisions of the log everybody may see

    # --- what can be seen

    def version(self, player: str | None) -> int:
        """Return the number of the last change that *player* could see."""
        if not self.own:
            return self.public
        return self.public + sum(self.own.get(seat, 0) for seat in self.seats_of(player))

    def seats_of(self, player: str | None) -> list[int]:
        """Return the seats a player sits at or has bets on."""
        if player is None:
            return []
        held = (*self.places.items(), *self.hand.owners.items())
        return sorted({seat for seat, place in held if place.player == player})

    @property
    def told(self) -> dict[str, Json]:
        """What everybody is told of the round that is on."""
        return self.setup.empty if self.hand.round is self.setup.start else self.hand.told

    def asks_since(self, seat: int) -> int:
        """Return the change that a decision of *seat* must have seen."""
        return self.asked + self.own.get(seat, 0)

    def log_for(self, player: str | None) -> list[Made]:
        """Return the decisions that *player* may know of."""
        log = self.hand.log
        hidden = [made for made in log[self.shown :] if made.seat in self.seats_of(player)]
        return [*log[: self.shown], *hidden]

    @property
    def is_solo(self) -> bool:
        return self.setup.seconds is None

    @property
    def in_action(self) -> bool:
        """Say whether there are bets on the felt."""
        return bool(self.hand.staked)

    @property
    def is_ready(self) -> bool:
        """Say whether a shared table has everybody's bet."""
        present = {seat for seat, place in self.places.items() if not place.out}
        return not self.is_solo and self._is_betting and present <= self.hand.staked.keys()

    @property
    def _is_betting(self) -> bool:
        return self.in_action and not self.hand.is_dealt

    def waiting(self) -> list[int]:
        """Return the seats whose decision the round waits for."""
        round_ = self.hand.round
        if not self.hand.is_dealt:
            return []
        return [seat for seat in round_.numbers if round_.legal(seat)]

    def price(self, operation: Operation) -> int:
        """Return what a bet or a decision adds to the bets."""
        return self.hand.after(operation).staked - self.hand.round.staked

    # --- what can be asked for: each gives the entry that records it, or refuses

    def sit(self, seat: int, place: Place) -> Entry:
        """Take a seat."""
        self._check_open()
        most = self.setup.rules.seats
        require(1 <= seat <= most, f"no seat {seat}: this table has seats 1..{most}")
        require(seat not in self.places, f"seat {seat} is taken")
        others = {p.player for p in (*self.places.values(), *self.hand.owners.values())}
        alone = not others or others == {place.player}
        require(alone or not self.is_solo, "this table waits for one player, who has sat down")
        holder = self.hand.owners.get(seat)
        require(
            holder is None or holder.player == place.player,
            f"seat {seat} is in action until the round is over",
        )
        check_client_seed(place.seed)
        return self._entry("sit", seat=seat, **_place_json(place))

    def leave(self, player: str, seat: int) -> Entry:
        """Leave a seat; a bet comes back before the deal, and stays in action after it."""
        self._check_owner(player, seat)
        back = self._returned(seat) if not self.hand.is_dealt else ()
        return self._entry("leave", back, seat=seat, player=player)

    def sit_out(self, player: str, seat: int, *, out: bool) -> Entry:
        """Sit a seat out, or come back."""
        self._check_owner(player, seat)
        require(
            not (out and seat in self.hand.staked and not self.hand.is_dealt),
            "take the bet back first, or let it be dealt",
        )
        return self._entry("sit_out", seat=seat, out=out)

    def choose_seed(self, player: str, seat: int, seed: str) -> Entry:
        """Choose the seat's part of the shuffle; once betting is closed, that of the next round."""
        self._check_owner(player, seat)
        check_client_seed(seed)
        return self._entry("seed", seat=seat, seed=seed)

    def bet(self, player: str, seat: int, stakes: Mapping[str, int]) -> Entry:
        """Put down a seat's bets."""
        self._check_open()
        self._check_owner(player, seat)
        require(not self.hand.is_dealt, "betting is closed: the cards are out")
        bet = self.setup.game.place(seat, stakes)
        for name, amount in stakes.items():
            if name in self.setup.limits:
                self.setup.limits[name].check(name, amount)
        postings = self._taken(player, self.price(bet), f"bet, seat {seat}")
        return self._entry("bet", postings, seat=seat, player=player, stakes=dict(stakes))

    def take_back(self, player: str, seat: int) -> Entry:
        """Take a seat's bets back before the deal."""
        self._check_owner(player, seat)
        require(not self.hand.is_dealt, "the cards are out: the bets stay")
        require(seat in self.hand.staked, f"seat {seat} has no bet to take back")
        return self._entry("take_back", self._returned(seat), seat=seat)

    def deal(self) -> Entry:
        """Close betting and fix the deck; at a shared table who has not bet sits out."""
        require(not self.hand.is_dealt, "the cards are already out")
        require(self.in_action, "nobody has bet")
        seeds = {
            str(seat): self.places[seat].seed if seat in self.places else ""
            for seat in sorted(self.hand.staked)
        }
        missing = [seat for seat in self.places if seat not in self.hand.staked]
        out = [] if self.is_solo else sorted(missing)
        return self._entry("deal", client_seeds=seeds, out=out)

    def decide(self, seat: int, text: str, *, player: str | None) -> Entry:
        """Decide for a seat: its player, or without one the timer."""
        if player is not None:
            holder = self.hand.owners.get(seat)
            if holder is None or holder.player != player:
                raise NotYoursError(f"seat {seat} is not yours to decide for")
        require(self.hand.is_dealt, "no cards are out: bet first")
        decision = self.setup.game.decision(seat, text)
        added = self.price(decision)
        owner = self.hand.owners[seat].player
        by = "player" if player is not None else "timer"
        word = str(decision).partition(" ")[0]
        return self._entry(
            "decision",
            self._taken(owner, added, f"{word}, seat {seat}"),
            seat=seat,
            decision=str(decision),
            by=by,
        )

    def change_limits(self, limits: Mapping[str, Limit]) -> Entry:
        """Change the limits of bets that are still to come."""
        return self._entry("limits", limits=limits_json(limits))

    def close(self) -> Entry:
        """Take no more bets; a round that is on is played to its end."""
        require(not self.closed, "the table is closed already")
        return self._entry("closed")

    def taken_over(self, owner: str, by: str) -> Entry:
        """Go on with a table whose process has died: it can add nothing behind this record."""
        return self._entry("taken_over", owner=owner, by=by)

    # --- what follows by itself

    def settle(self, software: Json, ended: int) -> Entry:
        """Pay the round that is over, all seats at once."""
        round_ = self.hand.round
        lines: list[Posting] = []
        for paid in round_.settlements():
            owner = self.hand.owners[paid.seat].player
            if back := paid.stake + paid.net:
                memo = f"{paid.bet} {paid.outcome}, seat {paid.seat}"
                lines.append(Posting(player_account(owner), back, memo))
        won = sum(s.net for s in round_.settlements())
        lines.append(Posting(self.setup.felt, -round_.staked, "settled"))
        if won:
            lines.append(Posting(house_account(self.setup.id), -won, "settled"))
        record = self._record("settled", software, ended)
        return self._entry("settled", tuple(lines), record=record)

    def void(self, reason: str, software: Json, ended: int) -> Entry:
        """Give every bet of the round back."""
        lines = [line for seat in self.hand.staked for line in self._returned(seat)]
        record = self._record("void", software, ended) | {"reason": reason}
        return self._entry("void", tuple(lines), reason=reason, record=record)

    def open_next(self, commitment: str) -> Entry:
        """Open betting on the next round by committing to its shuffle."""
        return self._entry("open", **_open_json(self, self.hand.number + 1, commitment))

    def _record(self, status: str, software: Json, ended: int) -> dict[str, Json]:
        """Return the whole round, as it can be verified."""
        hand, setup = self.hand, self.setup
        journal = write_journal(setup.game, hand.round, hand.deck) if hand.is_dealt else None
        if journal and status == "void":
            journal = {k: v for k, v in journal.items() if k not in {"settlements", "net"}}
        return {
            "format": FORMAT,
            "kind": KIND,
            "play_money": True,
            "table": setup.id,
            "round": hand.number,
            "status": status,
            "fairness": {
                "scheme": SCHEME,
                "commitment": hand.commitment,
                "server_seed": hand.seed.hex(),
                "client_seeds": {str(seat): seed for seat, seed in hand.client_seeds.items()},
            },
            "rules_digest": setup.digest,
            "journal": journal,
            "seats": {str(seat): {"player": p.name} for seat, p in sorted(hand.owners.items())},
            "log": [
                {"seat": m.seat, "decision": m.decision, "by": m.by, "at": iso(m.at)}
                for m in hand.log
            ],
            "opened": iso(hand.opened),
            "dealt": None if hand.dealt is None else iso(hand.dealt),
            "ended": iso(ended),
            "software": software,
        }

    # --- helpers of the commands

    def _entry(self, kind: str, postings: tuple[Posting, ...] = (), **body: Json) -> Entry:
        return Entry(chain=self.setup.chain, kind=kind, body=body, postings=postings)

    def _taken(self, player: str, amount: int, memo: str) -> tuple[Posting, ...]:
        if not amount:
            return ()
        felt = self.setup.felt
        return Posting(player_account(player), -amount, memo), Posting(felt, amount, memo)

    def _returned(self, seat: int) -> tuple[Posting, ...]:
        amount = self.hand.staked.get(seat, 0)
        if not amount:
            return ()
        memo, owner = f"returned, seat {seat}", self.hand.owners[seat].player
        felt = self.setup.felt
        return Posting(felt, -amount, memo), Posting(player_account(owner), amount, memo)

    def _check_open(self) -> None:
        require(not self.closed, "this table is closed: no more bets are taken")

    def _check_owner(self, player: str, seat: int) -> None:
        place = self.places.get(seat)
        if place is None or place.player != player:
            raise NotYoursError(f"seat {seat} is not yours: sit down first")

    # --- the table after a record

    def after(self, kind: str, facts: dict[str, Json], *, seq: int, at: int) -> LiveTable:
        """Return the table after a record of its chain; *open* goes through :func:`opened`."""
        changes, of_hand = _STEPS[kind](self, facts, at)
        hand = _changed(self.hand, of_hand) if of_hand else self.hand
        counted = self._counted(kind, facts, hand, seq)
        return _changed(self, {"hand": hand, **changes, **counted})

    def _counted(self, kind: str, facts: dict[str, Json], hand: Hand, seq: int) -> dict[str, Any]:
        """Return how a change to *hand* counts, by who can see it."""
        if kind not in {"deal", "decision"}:
            return {"public": self.public + 1}
        before, now = self.hand.round, hand.round
        if before.phase == now.phase != IN_TURN:  # others are still to decide
            if before.staked != now.staked:
                return {"public": self.public + 1}
            seat = facts["seat"]  # to tell that it has decided would tell that it is no bust
            return {"own": {**self.own, seat: self.own.get(seat, 0) + 1}}
        return {"public": seq, "own": {}, "asked": seq, "shown": len(hand.log)}

    def with_deadline(self, at: int) -> LiveTable:
        """Return the table with all the time to decide, from *at* on."""
        return replace(self, hand=replace(self.hand, deadline=self.until(at)))

    def until(self, at: int) -> int | None:
        """Return until when there is time to decide."""
        seconds = self.setup.seconds
        return None if seconds is None else at + 1000 * seconds


def _changed(value: T, changes: dict[str, Any]) -> T:
    """Copy a value with some fields changed, without what was worked out from the old ones.

    Every record copies a table and its hand: dataclasses.replace takes three times as long.
    """
    copy = object.__new__(type(value))
    facts = vars(copy)
    facts.update(vars(value), **changes)
    for worked_out in facts.keys() - value.__dataclass_fields__.keys():
        del facts[worked_out]
    return copy


# --- the steps: a table, what a record says, and when


def _sat(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    return _placed(table, facts["seat"], _place(facts)), {}


def _left(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    seat = facts["seat"]
    places = {s: p for s, p in table.places.items() if s != seat}
    return {"places": places}, {} if table.hand.is_dealt else _without_bet(table, seat)


def _moved_out(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    seat = facts["seat"]
    return _placed(table, seat, replace(table.places[seat], out=facts["out"])), {}


def _placed(table: LiveTable, seat: int, place: Place) -> dict[str, Any]:
    return {"places": {**table.places, seat: place}}


def _seeded(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    seat = facts["seat"]
    return _placed(table, seat, replace(table.places[seat], seed=facts["seed"])), {}


def _has_bet(table: LiveTable, facts: dict[str, Json], at: int) -> Changes:
    seat, hand = facts["seat"], table.hand
    round_ = hand.after(table.setup.game.place(seat, facts["stakes"]))
    place = table.places[seat]
    place = replace(place, out=False) if place.out else place
    return _placed(table, seat, place), {
        "round": round_,
        "owners": {**hand.owners, seat: place},
        "staked": {**hand.staked, seat: round_.staked - hand.round.staked},
        "deadline": hand.deadline or table.until(at),
    }


def _took_back(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    return {}, _without_bet(table, facts["seat"])


def _without_bet(table: LiveTable, seat: int) -> dict[str, Any]:
    hand = table.hand
    if seat not in hand.staked:
        return {}
    round_ = table.setup.start
    for view in hand.round.record().seats:
        if view.seat != seat:
            round_ = round_.apply(table.setup.game.place(view.seat, view.stakes))
    left = {s: v for s, v in hand.staked.items() if s != seat}
    return {
        "round": round_,
        "owners": {s: v for s, v in hand.owners.items() if s != seat},
        "staked": left,
        "deadline": hand.deadline if left else None,
    }


def _was_dealt(table: LiveTable, facts: dict[str, Json], at: int) -> Changes:
    hand = table.hand
    seeds = {int(seat): seed for seat, seed in facts["client_seeds"].items()}
    deck = shuffle(
        hand.seed,
        table=table.setup.id,
        round_=hand.number,
        decks=hand.round.deck_size // 52,
        client_seeds=seeds,
    )
    out = {s: replace(p, out=True) for s, p in table.places.items() if s in facts["out"]}
    return {"places": {**table.places, **out}}, {
        "round": deal_from(deck, hand.round),
        "deck": deck,
        "client_seeds": seeds,
        "dealt": at,
        "deadline": table.until(at),
    }


def _decided(table: LiveTable, facts: dict[str, Json], at: int) -> Changes:
    hand, seat = table.hand, facts["seat"]
    decision = table.setup.game.decision(seat, facts["decision"])
    round_ = supply(hand.deck, hand.after(decision))
    added = round_.staked - hand.round.staked
    same = round_.phase == hand.round.phase != IN_TURN
    made = Made(seat, facts["decision"], facts["by"], at)
    return {}, {
        "round": round_,
        "staked": {**hand.staked, seat: hand.staked[seat] + added},
        "log": (*hand.log, made),
        "deadline": hand.deadline if same else table.until(at),
    }


def _ended(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    record = facts["record"]
    view = table.hand.seen if table.hand.is_dealt else None
    rules = table.setup.rules
    ended = Ended(number=table.hand.number, view=view, rules=rules, record=record)
    return {"ended": ended}, {"staked": {}, "deadline": None}


def _limited(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    return {"setup": _with_limits(table.setup, facts["limits"])}, {}


def _with_limits(setup: Setup, limits: dict[str, Json]) -> Setup:
    if limits is setup.limits_json:
        return setup  # they stay, round after round
    return replace(setup, limits=read_limits_json(limits))


def _closed(_: LiveTable, __: dict[str, Json], ___: int) -> Changes:
    return {"closed": True}, {}


def _unchanged(_: LiveTable, __: dict[str, Json], ___: int) -> Changes:
    return {}, {}


_STEPS = {
    "sit": _sat,
    "leave": _left,
    "sit_out": _moved_out,
    "seed": _seeded,
    "bet": _has_bet,
    "take_back": _took_back,
    "deal": _was_dealt,
    "decision": _decided,
    "settled": _ended,
    "void": _ended,
    "limits": _limited,
    "closed": _closed,
    "taken_over": _unchanged,
}


def opened(
    setup: Setup, facts: dict[str, Json], seed: bytes, *, seq: int, at: int, ended: Ended | None
) -> LiveTable:
    """Return a table at the record that opens a round: what it needs of the past stands there."""
    hand = Hand(
        number=facts["round"],
        commitment=facts["commitment"],
        seed=seed,
        round=setup.start,
        opened=at,
    )
    places = {int(seat): _place(place) for seat, place in facts["seats"].items()}
    return LiveTable(
        setup=_with_limits(setup, facts["limits"]),
        hand=hand,
        places=places,
        ended=ended,
        closed=facts["closed"],
        public=seq,
    )


def first_open(setup: Setup, commitment: str) -> Entry:
    """Return the entry that opens a new table's first round."""
    body = {
        "round": 1,
        "commitment": commitment,
        "seats": {},
        "limits": setup.limits_json,
        "closed": False,
    }
    return Entry(chain=setup.chain, kind="open", body=body)


def open_behind(setup: Setup, first: Record, others: Iterable[Record], commitment: str) -> Entry:
    """Return the entry that opens the round after one that cannot be restored.

    Who sat down or left since, and new limits, do not depend on its cards.
    """
    table = opened(setup, first.facts, b"", seq=first.seq, at=first.at, ended=None)
    for record in others:
        if record.kind in _WITHOUT_CARDS:
            table = table.after(record.kind, record.facts, seq=record.seq, at=record.at)
    return table.open_next(commitment)


def _open_json(table: LiveTable, number: int, commitment: str) -> dict[str, Json]:
    return {
        "round": number,
        "commitment": commitment,
        "seats": {str(seat): _place_json(place) for seat, place in table.places.items()},
        "limits": table.setup.limits_json,
        "closed": table.closed,
    }


def _place_json(place: Place) -> dict[str, Json]:
    return {"player": place.player, "name": place.name, "seed": place.seed, "out": place.out}


def _place(facts: dict[str, Json]) -> Place:
    return Place(facts["player"], facts["name"], facts["seed"], facts["out"])


def limits_json(limits: Mapping[str, Limit]) -> dict[str, Json]:
    return {name: [limit.least, limit.most, limit.step] for name, limit in limits.items()}


def limits_told(limits: Mapping[str, Limit]) -> dict[str, Json]:
    """Return limits as everybody is told of them."""
    return {
        name: {"least": limit.least, "most": limit.most, "step": limit.step}
        for name, limit in limits.items()
    }


def read_limits_json(limits: Mapping[str, Json]) -> dict[str, Limit]:
    return {name: Limit(*cents) for name, cents in limits.items()}


def check_prizes(rules: Rules, limits: Mapping[str, Limit]) -> None:
    """Refuse a table at which one bet could win more than any book can hold."""
    odds = [Fraction(1)]
    for name, known in rules.settings.items():
        value = getattr(rules, name)
        if isinstance(value, Odds):
            odds.append(value.on(1))
        elif isinstance(known.kind, Printed):
            odds += [line.on(1) for _, line in value.lines]
    most = max(limit.most for limit in limits.values())
    if max(odds) * most > LARGEST_PRIZE:
        raise SettingError(
            f"a bet of {dollars(most)} could win {dollars(int(max(odds) * most))}: the most that"
            f" is paid here is {dollars(LARGEST_PRIZE)}, so lower the limits or the odds"
        )


def read_limits(game: Game, limits: Mapping[str, LimitValues]) -> dict[str, Limit]:
    """Return limits as they are asked for; those of bets that are not there are refused."""
    for name in limits:
        if name not in game.stakes:
            raise SettingError(f"no bet {shown(name)}: there are {', '.join(game.stakes)}")
    return {name: Limit(given.least, given.most, given.step) for name, given in limits.items()}
