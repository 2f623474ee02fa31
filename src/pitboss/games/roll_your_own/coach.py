"""The coach of Roll Your Own Blackjack: the solver's values, given every visible card.

The values assume that no other seat draws another card. docs/coach.md explains this assumption and
when a value is approximate.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import dropwhile, groupby, permutations
from typing import TYPE_CHECKING

from pitboss.coach import Advice, CoachError, Option, best_first, own_seat
from pitboss.core.cards import DECK, Card, hard_total
from pitboss.core.protocol import Turn, net
from pitboss.core.twenty_one import TWO, Insure, Stand
from pitboss.games.roll_your_own.decisions import SetHands
from pitboss.games.roll_your_own.round import Phase
from pitboss.games.roll_your_own.rules import HoleCard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pitboss.core.protocol import HandView, Operation, View
    from pitboss.games.roll_your_own.round import Round
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.games.roll_your_own.solver import Solver

EXTRAS = {"numba", "numpy", "platformdirs", "psutil"}  # the libraries of the extra `kernels`

MAX_HAND_TOTAL = 30  # a hand draws on hard 20 or less, and the last card counts 10 or less
MAX_DEALER_TOTAL = 26  # the dealer draws on hard 16 or less (rule 7f)
MAX_CARD_VALUE = 10


class RollAdvice(Advice):
    """Advice that accepts the cards of a hand in any order, and any amount of insurance."""

    __slots__ = ()

    def value(self, decision: Operation) -> float:
        if isinstance(decision, SetHands):
            legal = (option.decision for option in self.options)
            decision = next((d for d in legal if _hands(d) == _hands(decision)), decision)
        if isinstance(decision, Insure) and decision.seat == self.seat:
            amounts = [o.decision.amount for o in self.options if isinstance(o.decision, Insure)]
            most = max(amounts, default=0)
            if 0 < decision.amount < most:
                return Advice.value(self, Insure(self.seat, most)) * decision.amount / most
        return Advice.value(self, decision)


def _hands(decision: Operation) -> object:
    """Return the seat and the two hands as sets, so that the order of cards does not matter."""
    if isinstance(decision, SetHands):
        return decision.seat, frozenset(decision.first), frozenset(decision.second)
    return decision


def advise(round_: Round, view: View) -> Advice:
    """Value the decisions of the view's seat in the current phase of the round."""
    rules, may_run_out = round_.rules, _could_run_out(round_.rules, view)
    if view.phase == Phase.SETTING:
        return _advice(
            view, _sets(rules, view), "both blackjack bets together", may_run_out=may_run_out
        )
    if view.phase == Phase.INSURING:
        settled_late = rules.hole_card is HoleCard.NO_PEEK
        return _advice(
            view,
            _insurances(rules, view),
            "the insurance",
            may_run_out=settled_late and may_run_out,
        )
    if not view.cards_left:
        others = any(seat != view.seat for seat, _ in _unplayed_hands(view))
        return _advice(
            view, _run_out(round_, view), "all the seat has in action", may_run_out=others
        )
    return _advice(view, _plays(rules, view), "this hand alone", may_run_out=may_run_out)


def _advice(view: View, values: Iterable[float], note: str, *, may_run_out: bool) -> Advice:
    own = own_seat(view)
    options = map(Option, view.legal, values)
    return RollAdvice(own.seat, best_first(options, _choice), own.stakes["bet"], note, may_run_out)


def _choice(decision: Operation) -> object:
    """Return the values of the cards set together, on either bet."""
    if isinstance(decision, SetHands):
        return {_values(decision.first), _values(decision.second)}
    return decision


def _solver(rules: Rules) -> Solver:
    """Create a new solver for each position, because positions share few values."""
    try:
        from pitboss.games.roll_your_own.solver import Solver
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        if name not in EXTRAS:
            raise
        raise CoachError(
            f"the coach of this game needs {name}, which is not installed:"
            " pip install 'pitboss[kernels]'"
        ) from None
    return Solver(rules)


def _sets(rules: Rules, view: View) -> Iterator[float]:
    """Value the ways to set three cards (rule 5)."""
    own = _values(filter(None, own_seat(view).cards))
    ways = _solver(rules).solve(int(_up(view).value), own).ways
    worth = {(way.first, way.second): way.ev for way in ways}
    return (worth[_values(way.first), _values(way.second)] for way in view.legal)


def _insurances(rules: Rules, view: View) -> Iterator[float]:
    """Value insurance from the number of tens among the unseen cards (rule 7j)."""
    worth = _solver(rules).insurance(_values(_seen(view)))
    bet = own_seat(view).stakes["bet"]
    return (worth * insure.amount / bet if insure.amount else 0.0 for insure in view.legal)


def _plays(rules: Rules, view: View) -> Iterator[float]:
    """Value the plays of the hand whose turn it is."""
    turn = view.turn
    hands = [hand for hand in own_seat(view).hands if turn and hand.bet == turn.bet]
    hand = next(hand for hand in hands if turn and hand.hand == turn.hand)
    solver = _solver(rules)
    worth = solver.engine(int(_up(view).value)).options(
        _values(_seen(view)),
        tuple(int(card.value) for card in hand.cards or ()),  # unsorted: a split card stays first
        replace(solver.play, max_splits=_splits_left(rules, hands)),
        from_split=len(hands) > 1,
    )
    return (worth[str(play)] for play in view.legal)


def _splits_left(rules: Rules, hands: Sequence[HandView]) -> int:
    """Return the number of splits left for a bet with these hands (rule 7c)."""
    return rules.max_splits + 1 - len(hands)


def _values(cards: Iterable[Card]) -> tuple[int, ...]:
    return tuple(sorted(int(card.value) for card in cards))  # plain ints


def _up(view: View) -> Card:
    return view.dealer.kept[0]


def _seen(view: View) -> set[Card]:
    """Return every open card of the seats; with one deck no card appears twice (rule 1)."""
    dealt = (seat.cards for seat in view.seats)
    held = (hand.cards or () for seat in view.seats for hand in seat.hands)
    return {card for cards in (*dealt, *held) for card in cards if card}


def _unseen(view: View) -> list[Card]:
    out = _seen(view) | {_up(view)}
    return [card for card in DECK if card not in out]


# --- an empty stub (rule 8)


def _run_out(round_: Round, view: View) -> Iterator[float]:
    """Value the plays with an empty stub: only the burn card and the hole card are unseen.

    The game engine plays both possible orders of the two cards to the end.
    """
    up, own = _up(view), own_seat(view)
    dealers = ((burn, up, hole) for burn, hole in permutations(_unseen(view)))
    worlds = [replace(round_, dealer=dealer) for dealer in dealers]
    worlds = [
        world for world in worlds if world.view(own.seat) == view
    ]  # keep the orders that agree with the peek
    settled = net(view.settlements, own.seat)
    return (
        (_expected_net(worlds, play, own.seat) - settled) / own.stakes["bet"] for play in view.legal
    )


def _expected_net(worlds: Sequence[Round], play: Operation, seat: int) -> float:
    """Return the seat's expected net after *play* if it then plays best and other seats stand."""
    after = [world.apply(play) for world in worlds]
    asked = after[0].asked
    if asked is None:
        return sum(net(world.settlements(), seat) for world in after) / len(after)
    if asked.seat != seat:
        return _expected_net(after, Stand(asked.seat), seat)
    return max(_expected_net(after, later, seat) for later in asked.legal)


def _could_run_out(rules: Rules, view: View) -> bool:
    """Return whether the deck could run out; False means that it certainly cannot.

    When the deck has run out, every unseen card except the burn card lies in a hand, and the hand
    that needs a card has room for at least ten more points.
    """
    unseen = [card.value for card in _unseen(view)]
    room = MAX_DEALER_TOTAL - _up(view).value + sum(_rooms(rules, view, unseen))
    return sum(unseen) - max(unseen) <= room - MAX_CARD_VALUE


def _rooms(rules: Rules, view: View, unseen: list[int]) -> Iterator[int]:
    """Yield, for each bet still to be played, the most points that its hands can take."""
    if view.phase == Phase.SETTING:
        for seat in view.seats:
            most = 2 * MAX_HAND_TOTAL * (1 + rules.max_splits)
            yield most - hard_total(filter(None, seat.cards))
    bets = Counter((seat.seat, hand.bet) for seat in view.seats for hand in seat.hands)
    for bet, spots in groupby(_unplayed_hands(view), lambda spot: (spot[0], spot[1].bet)):
        hands = [hand.cards or () for _, hand in spots]
        splits = min(rules.max_splits + 1 - bets[bet], _pairs(hands, unseen))
        yield MAX_HAND_TOTAL * (len(hands) + splits) - sum(map(hard_total, hands))


def _pairs(hands: Sequence[tuple[Card, ...]], unseen: list[int]) -> int:
    """Return the number of pairs that the hands of one bet have or can still draw (rule 7b)."""
    held = sum(len(cards) == TWO and len(set(_values(cards))) == 1 for cards in hands)
    waits = held or any(len(cards) == 1 for cards in hands)
    return held + unseen.count(hands[-1][0].value) if waits else 0


def _unplayed_hands(view: View) -> list[tuple[int, HandView]]:
    """Return the hands still to be played, with their seats, starting with the current one."""
    spots = [(seat.seat, hand) for seat in view.seats for hand in seat.hands]
    if view.turn:
        spots = list(dropwhile(lambda spot: _turn(*spot) != view.turn, spots))
    settled = {Turn(s.seat, s.bet, s.hand) for s in view.settlements}
    return [spot for spot in spots if _turn(*spot) not in settled]


def _turn(seat: int, hand: HandView) -> Turn:
    return Turn(seat, hand.bet, hand.hand)
