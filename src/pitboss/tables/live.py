"""A live table as a value: seats, bets, the current round, and the entry that records a command.

A command checks a request and returns the entry that would record it. :meth:`LiveTable.after`
returns the table after a record. A table that is taken over or restarted is restored by replaying
the same records, so it resumes exactly where it was. No clock, no database and no randomness.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from pitboss.core.errors import RuleError
from pitboss.core.fairness import check_client_seed
from pitboss.core.protocol import require
from pitboss.tables.chain import Entry, Posting, house_account, player_account
from pitboss.tables.hand import Hand, Place
from pitboss.tables.limits import limits_json
from pitboss.tables.round_record import round_record
from pitboss.tables.steps import IN_TURN, STEPS, with_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pitboss.core.protocol import Round
    from pitboss.core.settings import Json
    from pitboss.tables.chain import Record
    from pitboss.tables.hand import EndedRound, LoggedDecision
    from pitboss.tables.limits import Limit
    from pitboss.tables.setup import Setup

MOST_REFUSED: Final = 5
"""The maximum number of refused bets recorded for each seat in a round, to prevent flooding."""

NOT_COVERED: Final = "the bankroll does not cover the bet"
"""The reason for a refused bet. It does not name the balance, because the record is public."""

_WITHOUT_CARDS: Final = {"sit", "leave", "sit_out", "seed", "limits", "closed"}


class NotYoursError(RuleError):
    """The player does not hold this seat."""

    code = "not_yours"


class Cause(StrEnum):
    """Why a bet was refused, in one word."""

    RULES = "rules"  # the rules or limits forbid it, the table is closed, or betting is over
    BANKROLL = "bankroll"
    HOUSE = "house"  # the house takes no bets now


@dataclass(frozen=True, kw_only=True)  # no slots: it has cached properties
class LiveTable:
    """A table with its current round; applying a record gives the next value."""

    setup: Setup
    hand: Hand
    places: Mapping[int, Place] = field(default_factory=dict)
    ended: EndedRound | None = None
    closed: bool = False
    # only visible changes are counted: record numbers would reveal hidden ones
    public: int = 0
    own: Mapping[int, int] = field(default_factory=dict)  # changes that only one seat could see
    asked: int = 0  # the last change of the set of decisions that the round waits for
    shown: int = 0  # how many decisions of the log are public

    # --- queries

    def version(self, player: str | None) -> int:
        """Return the number of the last change visible to *player*."""
        if not self.own:
            return self.public
        return self.public + sum(self.own.get(seat, 0) for seat in self.seats_of(player))

    def seats_of(self, player: str | None) -> list[int]:
        """Return the seats that a player holds or has bets on."""
        if player is None:
            return []
        held = (*self.places.items(), *self.hand.owners.items())
        return sorted({seat for seat, place in held if place.player == player})

    @property
    def public_json(self) -> dict[str, Json]:
        """The public view of the current round."""
        is_empty = self.hand.round is self.setup.start
        return self.setup.empty_view if is_empty else self.hand.public_json

    def asks_since(self, seat: int) -> int:
        """Return the oldest version that a decision of *seat* may answer."""
        return self.asked + self.own.get(seat, 0)

    def log_for(self, player: str | None) -> list[LoggedDecision]:
        """Return the decisions that *player* may see."""
        log = self.hand.log
        hidden = [made for made in log[self.shown :] if made.seat in self.seats_of(player)]
        return [*log[: self.shown], *hidden]

    @property
    def is_solo(self) -> bool:
        return self.setup.seconds is None

    @property
    def in_action(self) -> bool:
        """Whether there are bets in action."""
        return bool(self.hand.staked)

    @property
    def is_ready(self) -> bool:
        """Whether everyone at a shared table has bet."""
        present = {seat for seat, place in self.places.items() if not place.out}
        return not self.is_solo and self._is_betting and present <= self.hand.staked.keys()

    @property
    def _is_betting(self) -> bool:
        return self.in_action and not self.hand.is_dealt

    def waiting(self) -> list[int]:
        """Return the seats whose decisions the round waits for."""
        round_ = self.hand.round
        if not self.hand.is_dealt:
            return []
        return [seat for seat in round_.numbers if round_.legal(seat)]

    def price(self, seat: int, decision: str) -> int:
        """Return the amount that a decision adds to the bets."""
        return self._added(self.hand.decided(seat, decision)[1])

    def _added(self, after: Round) -> int:
        return after.staked - self.hand.round.staked

    # --- commands: each returns the entry that records it, or raises

    def sit(self, seat: int, place: Place) -> Entry:
        """Take a seat."""
        self._check_open()
        most = self.setup.rules.seats
        require(1 <= seat <= most, f"no seat {seat}: this table has seats 1..{most}")
        require(seat not in self.places, f"seat {seat} is taken")
        others = {p.player for p in (*self.places.values(), *self.hand.owners.values())}
        alone = not others or others == {place.player}
        require(
            alone or not self.is_solo,
            "this table seats one player, and the seat is taken: open another table",
        )
        holder = self.hand.owners.get(seat)
        require(
            holder is None or holder.player == place.player,
            f"seat {seat} is in action until the round is over",
        )
        check_client_seed(place.seed)
        return self._entry("sit", seat=seat, **place.as_json())

    def leave(self, player: str, seat: int, *, by_house: bool = False) -> Entry:
        """Leave a seat; *by_house* means that the table frees it.

        A bet is returned before the deal, and stays in action after it.
        """
        self._check_owner(player, seat)
        back = self._returned(seat) if not self.hand.is_dealt else ()
        by: dict[str, Json] = {"by": "house"} if by_house else {}
        return self._entry("leave", back, seat=seat, player=player, **by)

    def sit_out(self, player: str, seat: int, *, out: bool) -> Entry:
        """Sit out with a seat, or return to play."""
        self._check_owner(player, seat)
        require(
            not (out and seat in self.hand.staked and not self.hand.is_dealt),
            "this seat has a bet: take it back first, or wait for the deal",
        )
        return self._entry("sit_out", seat=seat, out=out)

    def choose_seed(self, player: str, seat: int, seed: str) -> Entry:
        """Choose the seat's client seed; after betting has closed, it is for the next round."""
        self._check_owner(player, seat)
        check_client_seed(seed)
        return self._entry("seed", seat=seat, seed=seed)

    def bet(self, player: str, seat: int, stakes: Mapping[str, int]) -> Entry:
        """Place a seat's bets."""
        self._check_open()
        self._check_owner(player, seat)
        require(not self.hand.is_dealt, "betting is closed: the cards are out")
        bet = self.setup.game.place(seat, stakes)
        for name, amount in stakes.items():
            if name in self.setup.limits:
                self.setup.limits[name].check(name, amount)
        postings = self._taken(player, self._added(self.hand.after(bet)), f"bet, seat {seat}")
        return self._entry("bet", postings, seat=seat, player=player, stakes=dict(stakes))

    def refuse(
        self, seat: int, stakes: Mapping[str, int], *, request: str, cause: str, reason: str
    ) -> Entry:
        """Record a refused bet, so that anyone who checks the round can see it."""
        about: dict[str, Json] = {"request": request, "cause": str(cause), "reason": reason}
        return self._entry("refused", seat=seat, stakes=dict(stakes), **about)

    def records_refusal(
        self, player: str, seat: int, stakes: Mapping[str, int], request: str
    ) -> bool:
        """Return whether to record a refused bet.

        Only bets of the seat's player are recorded: each request once, and only a few per round.
        """
        place = self.places.get(seat)
        if (
            place is None
            or place.player != player
            or not stakes.keys() <= {*self.setup.game.stakes}
        ):
            return False
        before = [bet["request"] for bet in self.hand.refused if bet["seat"] == seat]
        return request not in before and len(before) < MOST_REFUSED

    def take_back(self, player: str, seat: int) -> Entry:
        """Take a seat's bets back before the deal."""
        self._check_owner(player, seat)
        require(not self.hand.is_dealt, "the cards are out: the bets stay")
        require(seat in self.hand.staked, f"seat {seat} has no bet to take back")
        return self._entry("take_back", self._returned(seat), seat=seat)

    def deal(self) -> Entry:
        """Close betting and deal; at a shared table, seats without a bet sit out."""
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
        """Decide for a seat, as its player or, if *player* is None, as the timer."""
        if player is not None:
            holder = self.hand.owners.get(seat)
            if holder is None or holder.player != player:
                raise NotYoursError(
                    f"seat {seat} is not yours: you can decide only for your own seats"
                )
        require(self.hand.is_dealt, "no cards are dealt: bet first")
        decision, after = self.hand.decided(seat, text)
        owner = self.hand.owners[seat].player
        by = "player" if player is not None else "timer"
        word = str(decision).partition(" ")[0]
        return self._entry(
            "decision",
            self._taken(owner, self._added(after), f"{word}, seat {seat}"),
            seat=seat,
            decision=str(decision),
            by=by,
        )

    def change_limits(self, limits: Mapping[str, Limit]) -> Entry:
        """Change the limits of future bets."""
        return self._entry("limits", limits=limits_json(limits))

    def close(self, reason: str | None = None) -> Entry:
        """Take no more bets; the current round is played to the end.

        Without a *reason*, the record says that the operator closed the table.
        """
        require(not self.closed, "the table is closed already")
        return self._entry("closed") if reason is None else self._entry("closed", reason=reason)

    def taken_over(self, owner: str, by: str) -> Entry:
        """Record that another process owns the table; the old owner can no longer add records."""
        return self._entry("taken_over", owner=owner, by=by)

    # --- entries without a command

    def settle(self, software: Json, ended: int) -> Entry:
        """Pay all seats of the finished round at once."""
        round_ = self.hand.round
        lines: list[Posting] = []
        wins: dict[str, int] = {}
        for paid in round_.settlements():
            account = player_account(self.hand.owners[paid.seat].player)
            wins[account] = wins.get(account, 0) + paid.net
            if back := paid.stake + paid.net:
                memo = f"{paid.bet} {paid.outcome}, seat {paid.seat}"
                lines.append(Posting(account, back, memo))
        won = sum(wins.values())
        lines.append(Posting(self.setup.felt, -round_.staked, "settled"))
        if won:
            lines.append(Posting(house_account(self.setup.id), -won, "settled"))
        record = round_record(self.setup, self.hand, "settled", software=software, ended=ended)
        entry = self._entry("settled", tuple(lines), record=record)
        return replace(entry, wins=wins)

    def void(self, reason: str, software: Json, ended: int) -> Entry:
        """Return every bet of the round."""
        lines = [line for seat in self.hand.staked for line in self._returned(seat)]
        record = round_record(self.setup, self.hand, "void", software=software, ended=ended)
        record["reason"] = reason
        return self._entry("void", tuple(lines), reason=reason, record=record)

    def open_next(self, commitment: str) -> Entry:
        """Open betting on the next round by committing to its shuffle."""
        return self._entry("open", **_open_json(self, commitment))

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
            raise NotYoursError(f"seat {seat} is not yours: take it first")

    # --- the table after a record

    def after(self, kind: str, facts: dict[str, Json], *, seq: int, at: int) -> LiveTable:
        """Return the table after a record of its chain, except *open*: see :func:`opened`."""
        changes, of_hand = STEPS[kind](self, facts, at)
        hand = replace(self.hand, **of_hand) if of_hand else self.hand
        counted = self._counted(kind, facts, hand, seq)
        return replace(self, **{"hand": hand, **changes, **counted})

    def _counted(self, kind: str, facts: dict[str, Json], hand: Hand, seq: int) -> dict[str, Any]:
        """Return the new change counters, which depend on who can see the change to *hand*."""
        if kind == "refused":
            return {}  # invisible to everybody
        if kind not in {"deal", "decision"}:
            return {"public": self.public + 1}
        before, now = self.hand.round, hand.round
        if before.phase == now.phase != IN_TURN:  # other seats have not decided yet
            if before.staked != now.staked:
                return {"public": self.public + 1}
            seat = facts[
                "seat"
            ]  # only its player may see this: it reveals that the hand is not a bust
            return {"own": {**self.own, seat: self.own.get(seat, 0) + 1}}
        return {"public": seq, "own": {}, "asked": seq, "shown": len(hand.log)}

    def with_deadline(self, at: int) -> LiveTable:
        """Return the table with a new deadline, counted from *at*."""
        return replace(self, hand=replace(self.hand, deadline=self.until(at)))

    def until(self, at: int) -> int | None:
        """Return the deadline for decisions that start at *at*."""
        seconds = self.setup.seconds
        return None if seconds is None else at + 1000 * seconds


def opened(
    setup: Setup,
    facts: dict[str, Json],
    seed: bytes,
    *,
    seq: int,
    at: int,
    ended: EndedRound | None,
) -> LiveTable:
    """Return the table at the record that opens a round; that record has all the state needed."""
    hand = Hand(
        number=facts["round"],
        commitment=facts["commitment"],
        seed=seed,
        round=setup.start,
        opened=at,
    )
    places = {int(seat): Place.from_json(place) for seat, place in facts["seats"].items()}
    return LiveTable(
        setup=with_limits(setup, facts["limits"]),
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


def open_after_unrestored(
    setup: Setup, first: Record, others: Iterable[Record], commitment: str
) -> Entry:
    """Return the entry that opens the round after one that cannot be restored.

    It keeps the round's changes to seats and limits, because they do not depend on the cards.
    """
    table = opened(setup, first.facts, b"", seq=first.seq, at=first.at, ended=None)
    for record in others:
        if record.kind in _WITHOUT_CARDS:
            table = table.after(record.kind, record.facts, seq=record.seq, at=record.at)
    return table.open_next(commitment)


def _open_json(table: LiveTable, commitment: str) -> dict[str, Json]:
    return {
        "round": table.hand.number + 1,
        "commitment": commitment,
        "seats": {str(seat): place.as_json() for seat, place in table.places.items()},
        "limits": table.setup.limits_json,
        "closed": table.closed,
    }
