"""The coach of Roll Your Own Blackjack: the solver's values, given every visible card.

The values assume that no other seat draws another card. docs/coach.md explains this assumption and
when a value is approximate.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

from pitboss.coach import Option, best_first, own_seat
from pitboss.coach.twenty_one import (
    MAX_HAND_TOTAL,
    TwentyOneAdvice,
    could_run_out,
    empty_stub_values,
    needing_kernels,
    seen,
    unplayed_hands,
    unseen,
    up_card,
    values,
)
from pitboss.core.cards import hard_total
from pitboss.games.roll_your_own.decisions import SetHands
from pitboss.games.roll_your_own.round import Phase
from pitboss.games.roll_your_own.rules import HoleCard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pitboss.coach import Advice
    from pitboss.core.protocol import HandView, Operation, View
    from pitboss.games.roll_your_own.round import Round
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.games.roll_your_own.solver import Solver

DECKS = 1  # rule 1


class RollAdvice(TwentyOneAdvice):
    """Advice that accepts the cards of a hand in any order, and any amount of insurance."""

    __slots__ = ()

    def value(self, decision: Operation) -> float:
        if isinstance(decision, SetHands):
            legal = (option.decision for option in self.options)
            decision = next((d for d in legal if _hands(d) == _hands(decision)), decision)
        return TwentyOneAdvice.value(self, decision)


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
        others = any(seat != view.seat for seat, _ in unplayed_hands(view))
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
        return {values(decision.first), values(decision.second)}
    return decision


def _solver(rules: Rules) -> Solver:
    """Create a new solver for each position, because positions share few values."""
    with needing_kernels():
        from pitboss.games.roll_your_own.solver import Solver
    return Solver(rules)


def _sets(rules: Rules, view: View) -> Iterator[float]:
    """Value the ways to set three cards (rule 5)."""
    own = values(filter(None, own_seat(view).cards))
    ways = _solver(rules).solve(int(up_card(view).value), own).ways
    worth = {(way.first, way.second): way.ev for way in ways}
    return (worth[values(way.first), values(way.second)] for way in view.legal)


def _insurances(rules: Rules, view: View) -> Iterator[float]:
    """Value insurance from the number of tens among the unseen cards (rule 7j)."""
    worth = _solver(rules).insurance(values(seen(view)))
    bet = own_seat(view).stakes["bet"]
    return (worth * insure.amount / bet if insure.amount else 0.0 for insure in view.legal)


def _plays(rules: Rules, view: View) -> Iterator[float]:
    """Value the plays of the hand whose turn it is."""
    turn = view.turn
    hands = [hand for hand in own_seat(view).hands if turn and hand.bet == turn.bet]
    hand = next(hand for hand in hands if turn and hand.hand == turn.hand)
    solver = _solver(rules)
    worth = solver.engine(int(up_card(view).value)).options(
        values(seen(view)),
        tuple(int(card.value) for card in hand.cards or ()),  # unsorted: a split card stays first
        replace(solver.play, max_splits=_splits_left(rules, hands)),
        from_split=len(hands) > 1,
    )
    return (worth[str(play)] for play in view.legal)


def _splits_left(rules: Rules, hands: Sequence[HandView]) -> int:
    """Return the number of splits left for a bet with these hands (rule 7c)."""
    return rules.max_splits + 1 - len(hands)


# --- an empty stub (rule 8)


def _run_out(round_: Round, view: View) -> Iterator[float]:
    """Value the plays with an empty stub: only the burn card and the hole card are unseen."""
    up, own = up_card(view), own_seat(view)
    dealers = ((burn, up, hole) for burn, hole in permutations(unseen(view, DECKS)))
    worlds = [replace(round_, dealer=dealer) for dealer in dealers]
    worlds = [
        world for world in worlds if world.view(own.seat) == view
    ]  # keep the orders that agree with the peek
    return empty_stub_values(worlds, view, own.stakes["bet"])


def _could_run_out(rules: Rules, view: View) -> bool:
    """Return whether the deck could run out; the burn card is never in a hand."""
    left = values(unseen(view, DECKS))[:-1]
    room = 0
    if view.phase == Phase.SETTING:
        most = 2 * MAX_HAND_TOTAL * (1 + rules.max_splits)
        room = sum(most - hard_total(filter(None, seat.cards)) for seat in view.seats)
    return could_run_out(view, left, rules.max_splits, room)
