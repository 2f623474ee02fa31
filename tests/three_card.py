"""A small complete game of another family: a Three Card Poker without parts, for tests.

A decision adds a Play bet, which is a bet of its own; hands have names instead of totals; nothing
can be bust. It uses nothing but the protocol of games, so it shows what any game can rely on.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile

from pitboss.core.cards import DECK, Card, Rank
from pitboss.core.errors import NotationError, shown
from pitboss.core.paytables import EVEN, PUSH
from pitboss.core.protocol import (
    BetSpec,
    Deal,
    DealerView,
    Game,
    HandView,
    PendingDecision,
    SeatView,
    Settlement,
    View,
    add_seat,
    check_deal,
    check_stake,
    check_viewer,
    refuse_unknown,
    require,
)
from pitboss.core.settings import Rules as BaseRules
from pitboss.core.settings import WholeNumber, setting, with_settings
from pitboss.games import GAMES

CLAUSES = {
    "1": "Every player bets an Ante and is dealt three cards, and so is the dealer.",
    "2": "Each player folds and loses the Ante, or makes a Play bet of the same size or more.",
    "3": "The dealer qualifies with queen high or better; if not, the Ante wins even money and"
    " the Play bet is a push.",
    "4": "Otherwise the better hand wins even money on both bets; equal hands push.",
}
PACK = 3
SUITED, TWO_ALIKE, ALL_ALIKE = 1, 2, 1  # the number of different suits or ranks


class Outcome(StrEnum):
    """The outcome of a bet."""

    FOLDED = "folded"
    NOT_QUALIFIED = "dealer does not qualify"
    BETTER = "better hand"
    WORSE = "worse hand"
    EQUAL = "equal hands"


RULE_OF = {Outcome.FOLDED: "2", Outcome.NOT_QUALIFIED: "3"}
ODDS = {Outcome.BETTER: EVEN, Outcome.EQUAL: PUSH}


class Phase(StrEnum):
    """The phases of a round."""

    BETTING = "betting"
    DECIDING = "deciding"
    SETTLED = "settled"


@with_settings
@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """One house's version of the game."""

    times: int = setting(WholeNumber(1, 3), 1, rule="2", about="Play bet in units of the Ante")
    seats: int = setting(WholeNumber(1, 7), 7, rule="1", about="seats at the table")


@dataclass(frozen=True)
class Bet:
    """The Ante of a seat."""

    seat: int
    ante: int

    def __post_init__(self):
        check_stake("ante", self.ante, 1)


@dataclass(frozen=True)
class Play:
    """A seat makes its Play bet."""

    seat: int

    def __str__(self):
        return "play"


@dataclass(frozen=True)
class Fold:
    """A seat gives up its Ante."""

    seat: int

    def __str__(self):
        return "fold"


def read_decision(seat, text):
    decisions = {"play": Play, "fold": Fold}
    if text not in decisions:
        raise NotationError(f"{shown(text)} is not a decision: play or fold")
    return decisions[text](seat)


# --- hands


NAMES = ("high", "pair", "flush", "straight", "three of a kind", "straight flush")


def strength(cards: tuple[Card, ...]) -> tuple[int, ...]:
    """Return the index of the hand's name, then its ranks by their number and height."""
    heights = sorted((14 if c.rank is Rank.ACE else int(c.rank) for c in cards), reverse=True)
    straight = heights in ([h, h - 1, h - 2] for h in heights) or heights == [14, 3, 2]
    flush = len({card.suit for card in cards}) == SUITED
    different = len(set(heights))
    by_count = sorted(heights, key=lambda height: (-heights.count(height), -height))
    kinds = (different == TWO_ALIKE, flush, straight, different == ALL_ALIKE, straight and flush)
    best = max((i for i, is_kind in enumerate(kinds, 1) if is_kind), default=0)
    return (best, *([3] if heights == [14, 3, 2] and straight else by_count))


QUALIFIES = strength((Card(Rank.QUEEN, "h"), Card(Rank.TWO, "s"), Card(Rank.THREE, "d")))


def hand_label(cards: tuple[Card, ...]) -> str:
    best, highest, *_ = strength(cards)
    letter = Rank(1 if highest == 14 else highest).letter
    return NAMES[best] if best else f"{letter} {NAMES[0]}"


@dataclass(frozen=True)
class Seat:
    """A seat: its bet, its cards and its decision."""

    bet: Bet
    cards: tuple[Card, ...] = ()
    played: int | None = None  # the cents of the Play bet; 0 if it folded

    @property
    def number(self):
        return self.bet.seat


@dataclass(frozen=True)
class Round:
    """One round. Operations return a new round."""

    rules: Rules
    seats: tuple[Seat, ...] = ()
    dealer: tuple[Card, ...] = ()

    pack = PACK
    deals_in_turn = False
    needs_card = False
    deck_size = len(DECK)

    @property
    def phase(self):
        if not self.dealer:
            return Phase.BETTING
        return Phase.DECIDING if any(self._waiting()) else Phase.SETTLED

    @property
    def numbers(self):
        return tuple(seat.number for seat in self.seats)

    @property
    def cards_used(self):
        return PACK * (len(self.seats) + 1) if self.dealer else 0

    @property
    def staked(self):
        return sum(seat.bet.ante + (seat.played or 0) for seat in self.seats)

    @property
    def asked(self):
        for seat in self._waiting():
            return PendingDecision(seat.number, "play", self.legal(seat.number))
        return None

    def legal(self, seat=None):
        waiting = [s.number for s in self._waiting() if seat in {None, s.number}]
        return tuple(option(number) for number in waiting for option in (Play, Fold))

    def decisions(self):
        done = takewhile(lambda s: s.played is not None, self.seats)
        return tuple((Play if s.played else Fold)(s.number) for s in done)

    def apply(self, operation):
        match operation:
            case Bet():
                seats = add_seat(self.seats, Seat(operation), self)
                return replace(self, seats=seats)
            case Deal():
                check_deal(operation, self)
                *packs, dealer = operation.packs
                seats = zip(self.seats, packs, strict=True)
                return replace(
                    self, seats=tuple(Seat(s.bet, cards) for s, cards in seats), dealer=dealer
                )
            case Play() | Fold():
                return self._decide(operation)
            case _:
                return refuse_unknown(operation)

    def settlements(self):
        if not self.dealer:
            return ()
        folded = [seat for seat in self.seats if seat.played == 0]
        compared = [seat for seat in self.seats if seat.played and self.phase is Phase.SETTLED]
        return tuple(s for seat in folded + compared for s in self._settle(seat))

    def view(self, seat=None):
        check_viewer(seat, self)
        is_over = self.phase is Phase.SETTLED
        return self._show(seat, self.numbers if is_over else (seat,))

    def record(self):
        return self._show(None, self.numbers)

    def _waiting(self):
        return (seat for seat in self.seats if self.dealer and seat.played is None)

    def _decide(self, decision):
        waiting = {seat.number: seat for seat in self._waiting()}
        require(decision.seat in waiting, f"seat {decision.seat} has nothing to decide now")
        seat = waiting[decision.seat]
        cents = self.rules.times * seat.bet.ante if isinstance(decision, Play) else 0
        decided = replace(seat, played=cents)
        return replace(self, seats=tuple(decided if s is seat else s for s in self.seats))

    def _settle(self, seat):
        outcome = self._outcome(seat)
        pushes = outcome is Outcome.NOT_QUALIFIED
        yield self._settled(seat, "ante", seat.bet.ante, outcome, EVEN if pushes else None)
        if seat.played:
            yield self._settled(seat, "play", seat.played, outcome, PUSH if pushes else None)

    def _settled(self, seat, bet, stake, outcome, odds):
        odds = odds or ODDS.get(outcome)
        net = self.rules.rounding.net(odds, stake)
        rule = RULE_OF.get(outcome, "4")
        return Settlement(seat.number, bet, 0, str(outcome), rule, stake, net, outcome, odds)

    def _outcome(self, seat):
        own, dealer = strength(seat.cards), strength(self.dealer)
        if not seat.played:
            return Outcome.FOLDED
        if dealer < QUALIFIES[:2]:
            return Outcome.NOT_QUALIFIED
        if own == dealer:
            return Outcome.EQUAL
        return Outcome.BETTER if own > dealer else Outcome.WORSE

    def _show(self, seat, up):
        return View(
            phase=self.phase,
            seat=seat,
            turn=None,
            seats=tuple(_seat_view(s, is_up=s.number in up) for s in self.seats),
            dealer=self._dealer_view(),
            cards_left=self.deck_size - self.cards_used,
            legal=self.legal(seat) if seat else (),
            settlements=tuple(s for s in self.settlements() if s.seat in up),
        )

    def _dealer_view(self):
        if self.phase is not Phase.SETTLED:
            return DealerView((None,) * len(self.dealer))
        return DealerView(self.dealer, self.dealer, label=hand_label(self.dealer))


def _seat_view(seat, *, is_up):
    stakes = {"ante": seat.bet.ante}
    added = {"play": seat.played} if seat.played else {}
    if not is_up or not seat.cards:
        return SeatView(seat.number, stakes, (None,) * len(seat.cards), (), added)
    hand = HandView("ante", 0, seat.cards, None, seat.bet.ante, label=hand_label(seat.cards))
    return SeatView(seat.number, stakes, seat.cards, (hand,), added)


GAME = Game(
    key="three-card",
    name="Three Card",
    summary="three cards against the dealer's three: play or fold",
    stakes={"ante": "Ante"},
    bets=(
        BetSpec(key="ante", title="Ante", stake="ante", is_mandatory=True, has_hand=True),
        BetSpec(key="play", title="Play", stake=None),
    ),
    clauses=CLAUSES,
    rules=Rules,
    presets={"default": Rules()},
    start=Round,
    bet=Bet,
    decision=read_decision,
    largest_raise=3,
)


def all_games() -> dict[str, Game]:
    """Return the dictionary behind GAMES, to which a test can add a game."""
    (games,) = gc.get_referents(GAMES)
    return games


SERVER = """
from tests.three_card import GAME, all_games
all_games()[GAME.key] = GAME
from pitboss.cli import run
run()
"""
"""The program of a server that also deals this game."""
