"""Roll Your Own Blackjack: the Bonus, counted exactly over all 22,100 three-card hands.

The blackjack bets and the package need a strategy and come from the solver.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from pitboss.analysis.figures import Event, Figures
from pitboss.cards import DECK
from pitboss.games.roll_your_own import Bonus, poker_class

if TYPE_CHECKING:
    from pitboss.games.roll_your_own import Rules


@cache
def classes() -> Counter[Bonus | None]:
    """Count the three-card hands of one deck by class."""
    return Counter(poker_class(cards) for cards in combinations(DECK, 3))


def figures(rules: Rules) -> dict[str, Figures | None]:
    """Return the figures of the Bonus; those of the blackjack bets are not computed yet."""
    table = rules.bonus_paytable
    events = [Event(c.replace("_", " "), table.odds(c), classes()[c]) for c in Bonus]
    bonus = Figures("bonus", (*events, Event("anything else", None, classes()[None])))
    return {"bonus": bonus, "blackjack": None, "package": None}
