"""The coach of blackjack: the solver's values, given every visible card.

All cards are face up but the hole card, so every other seat's cards count as seen. docs/coach.md
explains when a value is approximate.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pitboss.coach import Option, best_first, own_seat
from pitboss.coach.twenty_one import (
    TwentyOneAdvice,
    could_run_out,
    empty_stub_values,
    hand_in_turn,
    needing_kernels,
    seen,
    unplayed_hands,
    unseen,
    up_card,
    values,
)
from pitboss.games.blackjack.decisions import MAIN
from pitboss.games.blackjack.round import Phase
from pitboss.games.blackjack.rules import HoleCard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pitboss.coach import Advice
    from pitboss.core.protocol import View
    from pitboss.games.blackjack.round import Round
    from pitboss.games.blackjack.rules import Rules
    from pitboss.games.blackjack.solver import Solver


def advise(round_: Round, view: View) -> Advice:
    """Value the decisions of the view's seat in the current phase of the round."""
    rules = round_.rules
    if view.phase == Phase.INSURING:
        return _advice(view, _insurances(rules, view), "the insurance", is_approximate=False)
    if not view.cards_left:
        others = any(seat != view.seat for seat, _ in unplayed_hands(view))
        found = _empty_shoe(round_, view)
        return _advice(view, found, "all the seat has in action", is_approximate=others)
    may_run_out = could_run_out(view, values(unseen(view, rules.decks)), rules.max_splits)
    return _advice(view, _plays(rules, view), "this hand alone", is_approximate=may_run_out)


def _advice(view: View, worth: Iterable[float], note: str, *, is_approximate: bool) -> Advice:
    own = own_seat(view)
    options = best_first(map(Option, view.legal, worth), choice=lambda decision: decision)
    return TwentyOneAdvice(own.seat, options, own.stakes[MAIN], note, is_approximate)


def _solver(rules: Rules) -> Solver:
    """Create a new solver for each position, because positions share few values."""
    with needing_kernels():
        from pitboss.games.blackjack.solver import Solver
    return Solver(rules)


def _insurances(rules: Rules, view: View) -> Iterator[float]:
    """Value insurance from the number of tens among the unseen cards (rule 7)."""
    worth = _solver(rules).insurance(values(seen(view)))
    bet = own_seat(view).stakes[MAIN]
    return (worth * insure.amount / bet for insure in view.legal)


def _plays(rules: Rules, view: View) -> Iterator[float]:
    """Value the plays of the hand whose turn it is."""
    solver, up, hand = _solver(rules), int(up_card(view).value), hand_in_turn(view)
    splits = len(own_seat(view).hands) - 1
    worth = solver.options(
        up,
        [int(card.value) for card in hand.cards or ()],  # unsorted: a split card stays first
        values(seen(view)),
        from_split=splits > 0,
        splits=splits,
    )
    if rules.hole_card is HoleCard.ORIGINAL_BETS_ONLY:
        chance = solver.dealer_blackjack(up, values(seen(view)))
        lost = 0.0 if hand.hand else chance  # the first hand has the original bet
        worth = {play: (1 - chance) * value - lost for play, value in worth.items()}
    return (worth[str(play)] for play in view.legal)


def _empty_shoe(round_: Round, view: View) -> Iterator[float]:
    """Value the plays with an empty shoe: only the hole card is unseen (rule 11)."""
    (hole,) = unseen(view, round_.rules.decks)
    world = replace(round_, dealer=(up_card(view), hole))
    return empty_stub_values([world], view, own_seat(view).stakes[MAIN])
