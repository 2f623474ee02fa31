"""The coach: what every decision open to a seat is worth, from what that seat can see.

All it looks at is the round's view for that seat. Toss One 21 is counted exactly, over every hand
that the dealer may hold. Roll Your Own Blackjack is valued by the solver with memory none, every
card in sight known, as if no other seat drew any more; docs/coach.md says what that means and when
a value is approximate.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, dropwhile, groupby, permutations
from math import comb, isclose, prod
from typing import TYPE_CHECKING, TypeAlias

from pitboss.cards import DECK, Card, Rank, Suit, hard_total
from pitboss.errors import GameError, RuleError
from pitboss.felt import Turn, net
from pitboss.games import roll_your_own, toss_one
from pitboss.games.roll_your_own import HoleCard, Insure, Phase, SetHands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pitboss.felt import HandView, Operation, Round, SeatView, View
    from pitboss.solver import Solver

__all__ = [
    "Advice",
    "CoachError",
    "Option",
    "advise",
]

Holding: TypeAlias = tuple[tuple[int, int], ...]  # values, each with how many cards of it

EXTRAS = {"numba", "numpy", "platformdirs"}  # what the extra `kernels` installs

HAND_HOLDS = 30  # pips: a hand draws at a hard 20 at most, and the last card is a ten at most
DEALER_HOLDS = 26  # the same for the dealer, who draws at a hard 16 at most (rule 7f)
DRAW_ADDS = 10


class CoachError(GameError):
    """The coach cannot answer here."""

    code = "coach"


@dataclass(frozen=True, slots=True)
class Option:
    """A legal decision and what it is expected to win, in units of the seat's first bet."""

    decision: Operation
    value: float
    same_as: Operation | None = None
    """An earlier decision that is the same choice, with hands swapped or a card of equal value."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Every decision open to a seat with its value, the best first."""

    seat: int
    options: tuple[Option, ...]
    unit: int
    """In cents: what a value of 1 stands for."""
    note: str
    """What the values are values of."""
    approximate: bool = False
    """Whether the stub could run dry before the dealer is done."""

    @property
    def best(self) -> Option:
        return self.options[0]

    def choices(self) -> tuple[tuple[Option, ...], ...]:
        """Return the choices, the best first; each lists the options that are the same choice."""
        first = [option for option in self.options if option.same_as is None]
        return tuple(
            (one, *(option for option in self.options if option.same_as == one.decision))
            for one in first
        )

    def value(self, decision: Operation) -> float:
        """Return what a legal decision is worth; of insurance, also an amount between."""
        for option in self.options:
            if _written(option.decision) == _written(decision):
                return option.value
        if isinstance(decision, Insure) and decision.seat == self.seat:
            amounts: dict[int, float] = {
                o.decision.amount: o.value for o in self.options if _is_insurance(o)
            }
            most = max(amounts, default=0)
            if 0 < decision.amount < most:
                return amounts[most] * decision.amount / most
        raise RuleError(f"seat {self.seat} may not {decision} now")

    def cost(self, decision: Operation) -> float:
        """Return how much worse than the best a legal decision is."""
        return self.best.value - self.value(decision)


def _is_insurance(option: Option) -> bool:
    return isinstance(option.decision, Insure)


def _written(decision: Operation) -> Operation:
    """Return a decision as all who write its cards in another order write it."""
    if isinstance(decision, SetHands):
        return decision.seat, frozenset(decision.first), frozenset(decision.second)
    return decision


def advise(round_: Round, seat: int) -> Advice:
    """Return every decision open to *seat* with its value, as far as that seat can know it.

    Roll Your Own needs the extra ``kernels``.
    """
    view = round_.view(seat)
    if not view.legal:
        raise RuleError(f"seat {seat} has nothing to decide now")
    if isinstance(round_, toss_one.Round):
        return _tosses(round_.rules, view)
    if isinstance(round_, roll_your_own.Round):
        return _roll(round_, view)
    raise CoachError("the coach does not know this game")


def _best_first(options: Iterable[Option]) -> tuple[Option, ...]:
    """Sort options by value, stably, and mark each that repeats an earlier choice."""
    found: list[Option] = []
    for option in sorted(options, key=lambda option: -option.value):
        same = (other.decision for other in found if _is_same(other, option))
        found.append(replace(option, same_as=next(same, None)))
    return tuple(found)


def _is_same(one: Option, other: Option) -> bool:
    is_equal = isclose(one.value, other.value, abs_tol=1e-9)
    return is_equal and _choice(one.decision) == _choice(other.decision)


def _choice(decision: Operation) -> object:
    """Return a key that is equal for equivalent decisions: card values, without bet or suit."""
    if isinstance(decision, SetHands):
        return {_values(decision.first), _values(decision.second)}
    if isinstance(decision, toss_one.Toss):
        return decision.card.value
    return decision


def _own(view: View) -> SeatView:
    return next(seat for seat in view.seats if seat.seat == view.seat)


# --- Toss One 21


def _tosses(rules: toss_one.Rules, view: View) -> Advice:
    """Value every toss over all hands of the dealer that the unseen cards can make."""
    own = _own(view)
    cards = tuple(filter(None, own.cards))
    dealers = _dealers(rules.decks, cards)
    bet = toss_one.Bet(own.seat, **own.stakes)
    options = []
    for toss in view.legal:
        index = cards.index(toss.card)
        hand = toss_one.Hand(cards[:index] + cards[index + 1 :], toss.card)
        cents = _expected(rules, toss_one.Seat(bet, cards, hand), dealers)
        options.append(Option(toss, float(cents / bet.main)))
    return Advice(own.seat, _best_first(options), bet.main, "all bets of the seat together")


def _expected(
    rules: toss_one.Rules,
    seat: toss_one.Seat,
    dealers: Sequence[tuple[toss_one.Hand | None, int]],
) -> Fraction:
    """Return what a seat that has tossed is paid on average, in cents, as the game settles it."""
    nets: dict[toss_one.Outcome, int] = {}
    paid = 0
    for dealer, ways in dealers:
        outcome = toss_one.compare(rules, seat.hand, dealer)
        if outcome not in nets:
            nets[outcome] = net(toss_one.settle(rules, seat, dealer), seat.number)
        paid += ways * nets[outcome]
    return Fraction(paid, sum(ways for _, ways in dealers))


def _dealers(decks: int, seen: Sequence[Card]) -> list[tuple[toss_one.Hand | None, int]]:
    """Return the dealer's hands with the ways to deal each; a bust is none (rules 5 and 6)."""
    unseen = Counter(card.value for card in DECK * decks)
    unseen.subtract(card.value for card in seen)
    return [
        (hand, prod(comb(unseen[value], number) for value, number in holding))
        for holding, hand in _hands()
    ]


@cache
def _hands() -> tuple[tuple[Holding, toss_one.Hand | None], ...]:
    """Return the 715 ways to hold four values, each with the best hand the game makes of it."""
    found = []
    for values in combinations_with_replacement(range(1, 11), toss_one.PACK):
        cards = tuple(Card(Rank(value), Suit.SPADES) for value in values)
        best = next(iter(toss_one.best_hands(cards)), None)
        found.append((tuple(Counter(values).items()), best))
    return tuple(found)


# --- Roll Your Own Blackjack


def _roll(round_: roll_your_own.Round, view: View) -> Advice:
    rules, dry = round_.rules, _could_run_dry(round_.rules, view)
    if view.phase == Phase.SETTING:
        return _advice(view, _sets(rules, view), "both blackjack bets together", dry=dry)
    if view.phase == Phase.INSURING:
        settled_late = rules.hole_card is HoleCard.NO_PEEK
        return _advice(view, _insurances(rules, view), "the insurance", dry=settled_late and dry)
    if not view.cards_left:
        others = any(seat != view.seat for seat, _ in _to_come(view))
        return _advice(view, _run_out(round_, view), "all the seat has in action", dry=others)
    return _advice(view, _plays(rules, view), "this hand alone", dry=dry)


def _advice(view: View, values: Iterable[float], note: str, *, dry: bool) -> Advice:
    own = _own(view)
    options = map(Option, view.legal, values)
    return Advice(own.seat, _best_first(options), own.stakes["bet"], note, dry)


def _solver(rules: roll_your_own.Rules) -> Solver:
    """Return a solver of its own for each question: no position shares much with the one before."""
    try:
        from pitboss.solver import Solver
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        if name not in EXTRAS:
            raise
        raise CoachError(
            f"the coach of this game needs {name}, which is not installed:"
            " pip install 'pitboss[kernels]'"
        ) from None
    return Solver(rules)


def _sets(rules: roll_your_own.Rules, view: View) -> Iterator[float]:
    """Value the ways to set three cards (rule 5)."""
    own = _values(filter(None, _own(view).cards))
    ways = _solver(rules).solve(int(_up(view).value), own).ways
    worth = {(way.first, way.second): way.ev for way in ways}
    return (worth[_values(way.first), _values(way.second)] for way in view.legal)


def _insurances(rules: roll_your_own.Rules, view: View) -> Iterator[float]:
    """Value insurance by the tens among the unseen cards (rule 7j)."""
    worth = _solver(rules).insurance(_values(_seen(view)))
    bet = _own(view).stakes["bet"]
    return (worth * insure.amount / bet if insure.amount else 0.0 for insure in view.legal)


def _plays(rules: roll_your_own.Rules, view: View) -> Iterator[float]:
    """Value the plays of the hand whose turn it is."""
    turn = view.turn
    hands = [hand for hand in _own(view).hands if turn and hand.bet == turn.bet]
    hand = next(hand for hand in hands if turn and hand.hand == turn.hand)
    solver = _solver(rules)
    worth = solver.engine(int(_up(view).value)).options(
        _values(_seen(view)),
        tuple(int(card.value) for card in hand.cards or ()),  # a split card stays the first
        replace(solver.play, max_splits=_splits_left(rules, hands)),
        from_split=len(hands) > 1,
    )
    return (worth[str(play)] for play in view.legal)


def _splits_left(rules: roll_your_own.Rules, hands: Sequence[HandView]) -> int:
    """Return how often a bet with these hands may still split (rule 7c)."""
    return rules.max_splits + 1 - len(hands)


def _values(cards: Iterable[Card]) -> tuple[int, ...]:
    return tuple(sorted(int(card.value) for card in cards))  # a rank of its own kind otherwise


def _up(view: View) -> Card:
    return view.dealer.kept[0]


def _seen(view: View) -> set[Card]:
    """Return every card that lies open before a seat; one deck, so no card twice (rule 1)."""
    dealt = (seat.cards for seat in view.seats)
    held = (hand.cards or () for seat in view.seats for hand in seat.hands)
    return {card for cards in (*dealt, *held) for card in cards if card}


def _unseen(view: View) -> list[Card]:
    out = _seen(view) | {_up(view)}
    return [card for card in DECK if card not in out]


# --- the stub at its end (rule 8)


def _run_out(round_: roll_your_own.Round, view: View) -> Iterator[float]:
    """Value the plays with an empty stub: burn and hole card are all that is unseen.

    Each way they can lie is played to its end by the game itself.
    """
    up, own = _up(view), _own(view)
    dealers = ((burn, up, hole) for burn, hole in permutations(_unseen(view)))
    worlds = [replace(round_, dealer=dealer) for dealer in dealers]
    worlds = [world for world in worlds if world.view(own.seat) == view]  # what the peek has told
    settled = net(view.settlements, own.seat)
    return ((_ends(worlds, play, own.seat) - settled) / own.stakes["bet"] for play in view.legal)


def _ends(worlds: Sequence[roll_your_own.Round], play: Operation, seat: int) -> float:
    """Return what the seat wins after *play*: its later plays the best, other seats stand."""
    after = [world.apply(play) for world in worlds]
    asked = after[0].asked
    if asked is None:
        return sum(net(world.settlements(), seat) for world in after) / len(after)
    if asked.seat != seat:
        return _ends(after, roll_your_own.Stand(asked.seat), seat)
    return max(_ends(after, later, seat) for later in asked.legal)


def _could_run_dry(rules: roll_your_own.Rules, view: View) -> bool:
    """Say whether a card could be needed that is not there; where not, it cannot.

    Every unseen card but the burn goes to some hand or to the dealer, and the hand that finds no
    card could still have held ten pips more.
    """
    unseen = [card.value for card in _unseen(view)]
    room = DEALER_HOLDS - _up(view).value + sum(_rooms(rules, view, unseen))
    return sum(unseen) - max(unseen) <= room - DRAW_ADDS


def _rooms(rules: roll_your_own.Rules, view: View, unseen: list[int]) -> Iterator[int]:
    """Return the pips that the hands of each bet still to be played can take, at most."""
    if view.phase == Phase.SETTING:
        for seat in view.seats:
            most = 2 * HAND_HOLDS * (1 + rules.max_splits)
            yield most - hard_total(filter(None, seat.cards))
    bets = Counter((seat.seat, hand.bet) for seat in view.seats for hand in seat.hands)
    for bet, spots in groupby(_to_come(view), lambda spot: (spot[0], spot[1].bet)):
        hands = [hand.cards or () for _, hand in spots]
        splits = min(rules.max_splits + 1 - bets[bet], _pairs(hands, unseen))
        yield HAND_HOLDS * (len(hands) + splits) - sum(map(hard_total, hands))


def _pairs(hands: Sequence[tuple[Card, ...]], unseen: list[int]) -> int:
    """Return the pairs that hands of one bet hold or can still draw (rule 7b)."""
    held = sum(len(cards) == roll_your_own.TWO and len(set(_values(cards))) == 1 for cards in hands)
    waits = held or any(len(cards) == 1 for cards in hands)
    return held + unseen.count(hands[-1][0].value) if waits else 0


def _to_come(view: View) -> list[tuple[int, HandView]]:
    """Return the hands that are still to be played, with their seats, this one first."""
    spots = [(seat.seat, hand) for seat in view.seats for hand in seat.hands]
    if view.turn:
        spots = list(dropwhile(lambda spot: _turn(*spot) != view.turn, spots))
    settled = {Turn(s.seat, s.bet, s.hand) for s in view.settlements}
    return [spot for spot in spots if _turn(*spot) not in settled]


def _turn(seat: int, hand: HandView) -> Turn:
    return Turn(seat, hand.bet, hand.hand)
