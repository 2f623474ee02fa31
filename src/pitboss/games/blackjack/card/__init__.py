"""The strategy card of blackjack: total-dependent basic strategy, its exact value and its cost.

``data`` computes the card with the solver; ``forms`` shows that data as text, SVG and HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.blackjack.card.forms import draw, html_blocks, text_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.games.blackjack.rules import Rules
    from pitboss.strategy.cards import Data

__all__ = ["card_data", "draw", "html_blocks", "text_lines"]


def card_data(rules: Rules, tell: Callable[[float], object]) -> Data:
    """Return the card as data; this needs the extra ``kernels``."""
    from pitboss.games.blackjack.card.data import card_data as compute

    return compute(rules, tell)
