"""The safe decision, which the timer makes for a seat that does not decide in time.

It adds no money, takes no card, and depends only on the seat's own view. A game may define it in
the ``absent`` part: in Toss One 21 the best toss, in Roll Your Own Blackjack the house way to set.
Otherwise it is the cheapest decision that ends the turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pitboss.core.errors import RuleError

if TYPE_CHECKING:
    from pitboss.core.protocol import Operation, Round, View


class AbsentPart(Protocol):
    """The ``absent`` part of a game."""

    def decide(self, rules: Any, view: View) -> Operation | None:  # noqa: ANN401 the game's own rules
        """Return the decision for the view's seat, or None to choose the cheapest one."""


def safe_decision(round_: Round, seat: int) -> Operation:
    """Return the safe decision for a seat whose turn it is.

    >>> from functools import reduce
    >>> from pitboss import Deal, parse
    >>> from pitboss.games.roll_your_own import Bet, Round, Rules
    >>> operations = [Bet.of(1, 1000), Deal((parse("8s Th 8d"), parse("2c 6h Td")))]
    >>> str(safe_decision(reduce(Round.apply, operations, Round(Rules())), 1))
    'set 8s8d Th'
    """
    view = round_.view(seat)
    if not view.legal:
        raise RuleError(f"seat {seat} has nothing to decide now")
    game, found = round_.rules.game, None
    if game.has_part("absent"):
        part: AbsentPart = game.part("absent")
        found = part.decide(round_.rules, view)
    return found or _cheapest(round_, view)


def _cheapest(round_: Round, view: View) -> Operation:
    """Return the cheapest decision; among equals, the first that ends the turn."""

    def cost(decision: Operation) -> tuple[int, bool]:
        after = round_.apply(decision)
        return after.staked, view.turn is not None and after.view(view.seat).turn == view.turn

    return min(view.legal, key=cost)
