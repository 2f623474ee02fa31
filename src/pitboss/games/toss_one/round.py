"""A round of Toss One 21: bets, tosses, settlements and views."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pitboss.core.caching import cached_property
from pitboss.core.cards import DECK, Card, hard_total, parse_card
from pitboss.core.errors import NotationError, RuleError, shown
from pitboss.core.protocol import (
    Deal,
    DealerView,
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.core.paytables import Odds

from pitboss.games.toss_one.hands import (
    PACK,
    Hand,
    all_hands,
    best_hands,
    chosen_hand,
    compare,
    lucky3,
)
from pitboss.games.toss_one.rules import (
    Lucky3,
    Outcome,
    Rules,
    TossRule,
)


@dataclass(frozen=True, slots=True)
class Bet:
    """The bets of a seat, in cents; the side bets are optional (rule 1)."""

    seat: int
    main: int
    lucky3: int = 0
    bonus4: int = 0

    def __post_init__(self) -> None:
        check_stake("main", self.main)
        check_stake("lucky3", self.lucky3)
        check_stake("bonus4", self.bonus4)
        if not self.main:
            raise RuleError(f"seat {shown(self.seat)} needs a Main bet, with or without side bets")


@dataclass(frozen=True, slots=True)
class Toss:
    """A seat tosses one of its four cards."""

    seat: int
    card: Card

    def __str__(self) -> str:
        return f"toss {self.card}"


def read_decision(seat: int, text: str) -> Toss:
    """Parse a decision, ``toss 2h``."""
    word, _, card = text.partition(" ")
    if word != "toss":
        raise NotationError(f"{shown(text)} is not a decision of this game: use the form 'toss 2h'")
    return Toss(seat, parse_card(card))


Operation: TypeAlias = Bet | Deal | Toss


class Phase(StrEnum):
    """The phases of a round."""

    BETTING = "betting"
    TOSSING = "tossing"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat in play: its bets, its four cards and, once it has tossed, its hand."""

    bet: Bet
    cards: tuple[Card, ...] = ()
    hand: Hand | None = None

    @property
    def number(self) -> int:
        return self.bet.seat

    @property
    def is_bust(self) -> bool:
        """Whether the seat is bust, after its toss or because every toss busts (rule 4)."""
        return self.hand.is_bust if self.hand else not best_hands(self.cards)

    @property
    def is_done(self) -> bool:
        return self.hand is not None or self.is_bust

    @property
    def is_settled_at_once(self) -> bool:
        """Whether the seat is settled before the dealer plays: a bust (4) or a blackjack (8)."""
        return self.hand.is_bust or self.hand.is_blackjack if self.hand else self.is_bust


@dataclass(frozen=True)  # no slots: cached_property needs a __dict__
class Round:
    """One round, from the first bet to settlement. Operations return a new round.

    A round has no deck and no randomness: the deal supplies the cards. Seats may toss in any order.

    >>> from functools import reduce
    >>> from pitboss.core.cards import parse
    >>> operations = [Bet(1, 1000), Deal((parse("As Kd 9h Qc"), parse("Ks 8d 3c 7c")))]
    >>> table = reduce(Round.apply, operations, Round(Rules()))
    >>> [str(toss) for toss in table.legal(1)]
    ['toss 9h']
    >>> table.apply(read_decision(1, "toss 9h")).settlements()[0].outcome
    'blackjack'
    """

    rules: Rules
    seats: tuple[Seat, ...] = ()
    dealer: tuple[Card, ...] = ()

    pack = PACK
    deals_in_turn = False
    needs_card = False  # every card comes with the deal

    @cached_property
    def phase(self) -> Phase:
        if not self.dealer:
            return Phase.BETTING
        return Phase.SETTLED if all(seat.is_done for seat in self.seats) else Phase.TOSSING

    @property
    def cards_used(self) -> int:
        return PACK * (len(self.seats) + 1) if self.dealer else 0

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        return tuple([seat.bet.seat for seat in self.seats])

    @property
    def deck_size(self) -> int:
        return self.rules.decks * len(DECK)

    @cached_property
    def staked(self) -> int:
        return sum([s.bet.main + s.bet.lucky3 + s.bet.bonus4 for s in self.seats])

    @property
    def asked(self) -> PendingDecision | None:
        """The toss of the first seat from the dealer's left that has not tossed yet."""
        for seat in self._waiting():
            return PendingDecision(seat.number, "toss", self._tosses(seat))
        return None

    def legal(self, seat: int | None = None) -> tuple[Toss, ...]:
        """Return the legal tosses of *seat*, or of all seats."""
        waiting = [s for s in self._waiting() if seat is None or s.number == seat]
        return tuple([toss for s in waiting for toss in self._tosses(s)])

    def apply(self, operation: Operation) -> Round:
        """Return the round after *operation*, or raise an error and change nothing."""
        match operation:
            case Toss():
                return self._toss(operation)
            case Bet():
                return self._bet(operation)
            case Deal():
                return self._deal(operation)
            case _:
                return refuse_unknown(operation)

    def decisions(self) -> tuple[Toss, ...]:
        """Return the tosses in seat order, not in the order in which they were made.

        The list ends before the first seat that has not decided yet, so it hides later tosses.
        """
        done = takewhile(lambda seat: seat.is_done, self.seats if self.dealer else ())
        return tuple([Toss(seat.number, seat.hand.tossed) for seat in done if seat.hand])

    def settlements(self) -> tuple[Settlement, ...]:
        """Return the bets settled so far: busts and blackjacks at once, the rest at the reveal."""
        return self._settled_so_far

    @cached_property
    def _settled_so_far(self) -> tuple[Settlement, ...]:
        if not self.dealer:
            return ()
        at_once = [seat for seat in self.seats if seat.is_settled_at_once]
        waiting = [seat for seat in self.seats if not seat.is_settled_at_once]
        if self.phase is not Phase.SETTLED:
            waiting = []
        dealer = next(iter(best_hands(self.dealer)), None)
        return tuple([s for seat in at_once + waiting for s in settle(self.rules, seat, dealer)])

    def view(self, seat: int | None = None) -> View:
        """Return the view of *seat*, which hides other seats until all have decided."""
        check_viewer(seat, self)
        if self.phase is not Phase.SETTLED:
            return self._show(seat, {seat})
        return self._show(seat, {*self.numbers}) if seat else self.record()

    def record(self) -> View:
        """Return the view with every seat's cards face up, for the record, not for players."""
        return self._recorded

    @cached_property
    def _recorded(self) -> View:
        return self._show(None, {*self.numbers})

    def _bet(self, bet: Bet) -> Round:
        return Round(self.rules, add_seat(self.seats, Seat(bet), self), self.dealer)

    def _deal(self, deal: Deal) -> Round:
        check_deal(deal, self)
        *packs, dealer = deal.packs
        seats = tuple(Seat(s.bet, cards) for s, cards in zip(self.seats, packs, strict=True))
        return Round(self.rules, seats, dealer)

    def _toss(self, toss: Toss) -> Round:
        seat = next((s for s in self._waiting() if s.number == toss.seat), None)
        hands = self._hands(seat) if seat else ()
        hand = next((hand for hand in hands if hand.tossed is toss.card), None)
        if seat is None or hand is None:
            raise RuleError(self._refusal(toss, seat))
        done = Seat(seat.bet, seat.cards, hand)
        seats = tuple([done if s is seat else s for s in self.seats])
        return Round(self.rules, seats, self.dealer)

    def _refusal(self, toss: Toss, seat: Seat | None) -> str:
        if seat is None:
            return f"seat {toss.seat} has nothing to toss now"
        legal = " or ".join(str(t.card) for t in self._tosses(seat))
        if toss.card not in seat.cards:
            return f"seat {toss.seat} does not hold {toss.card}: it may toss {legal}"
        best = best_hands(seat.cards)[0].total
        return f"seat {toss.seat} may not toss {toss.card}: the best total is {best}, by {legal}"

    def _waiting(self) -> Iterator[Seat]:
        return (seat for seat in self.seats if self.dealer and not seat.is_done)

    def _tosses(self, seat: Seat) -> tuple[Toss, ...]:
        return tuple([Toss(seat.number, hand.tossed) for hand in self._hands(seat)])

    def _hands(self, seat: Seat) -> tuple[Hand, ...]:
        """Return the hands that a seat may choose."""
        return (all_hands if self.rules.toss is TossRule.FREE else best_hands)(seat.cards)

    def _show(self, seat: int | None, up: set[int | None]) -> View:
        """Return the view of *seat*, with the cards of the seats in *up* face up."""
        return View(
            phase=self.phase,
            seat=seat,
            turn=None,  # all seats toss at the same time
            seats=tuple([_seat_view(s, face_up=s.number in up) for s in self.seats]),
            dealer=self._dealer_view(),
            cards_left=self.deck_size - self.cards_used,
            legal=self.legal(seat) if seat else (),
            settlements=tuple([s for s in self.settlements() if s.seat in up]),
        )

    def _dealer_view(self) -> DealerView:
        if self.phase is not Phase.SETTLED:
            return DealerView((None,) * len(self.dealer))
        for hand in best_hands(self.dealer):
            return DealerView(self.dealer, hand.kept, hand.total)
        return DealerView(self.dealer, is_bust=True)


def settle(rules: Rules, seat: Seat, dealer: Hand | None) -> Iterator[Settlement]:
    """Settle one seat: classify the hand once for each bet, then look up the odds."""
    outcome, bet = compare(rules, seat.hand, dealer), seat.bet
    main = Result(outcome, str(outcome), outcome.rule, rules.odds(outcome))
    bust = main if outcome is Outcome.PLAYER_BUST else None  # rule 4: all three bets lose
    yield _settled(rules, bet.seat, "main", bet.main, main)
    if bet.lucky3:
        yield _settled(rules, bet.seat, "lucky3", bet.lucky3, bust or _lucky3_result(rules, seat))
    if bet.bonus4:
        yield _settled(rules, bet.seat, "bonus4", bet.bonus4, bust or _bonus4_result(rules, seat))


class Result(NamedTuple):
    """The result of a bet: its value, its text, the rule that decided, and the odds."""

    value: Outcome | Lucky3 | int | None
    text: str
    rule: str
    odds: Odds | None


def _settled(rules: Rules, seat: int, bet: str, stake: int, result: Result) -> Settlement:
    net = rules.rounding.net(result.odds, stake)
    return Settlement(seat, bet, 0, result.text, result.rule, stake, net, result.value, result.odds)


def _lucky3_result(rules: Rules, seat: Seat) -> Result:
    kept = lucky3(seat.hand) if seat.hand else None
    text = kept.replace("_", " ") if kept else "no 21"
    return Result(kept, text, "10", rules.lucky3_paytable.odds(kept))


def _bonus4_result(rules: Rules, seat: Seat) -> Result:
    four = hard_total(seat.cards)
    return Result(four, f"total {four}", "11", rules.bonus4_paytable.odds(four))


def _seat_view(seat: Seat, *, face_up: bool) -> SeatView:
    bet = seat.bet
    stakes = {"main": bet.main, "lucky3": bet.lucky3, "bonus4": bet.bonus4}
    if not face_up:
        return SeatView(bet.seat, stakes, (None,) * len(seat.cards), ())
    return SeatView(bet.seat, stakes, seat.cards, _hand_views(seat))


def _hand_views(seat: Seat) -> tuple[HandView, ...]:
    if seat.cards and seat.is_bust:
        return (HandView("main", 0, None, None, seat.bet.main, is_bust=True),)
    if seat.hand:
        return (HandView("main", 0, seat.hand.kept, seat.hand.total, seat.bet.main),)
    return ()


def play_deal(
    rules: Rules,
    bet: Bet,
    player: tuple[Card, ...],
    dealer: tuple[Card, ...],
    toss: Card | None = None,
) -> Round:
    """Play a round with one seat; without *toss*, the best toss is chosen."""
    round_ = Round(rules).apply(bet).apply(Deal((player, dealer)))
    chosen = chosen_hand(rules, player)
    if chosen is None:
        require(toss is None, "no three of the player's cards make 21 or less: nothing to toss")
        return round_
    return round_.apply(Toss(bet.seat, toss or chosen.tossed))
