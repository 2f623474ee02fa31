"""The strategy card of Roll Your Own Blackjack.

``setting`` finds the shortest lists of rules (``lists``) and ``playing`` the chart, both from the
solver's exact values. ``data`` gathers them; ``text``, ``svg`` and ``page`` show that data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.roll_your_own.card.page import html_blocks
from pitboss.games.roll_your_own.card.svg import draw
from pitboss.games.roll_your_own.card.text import text_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.strategy.cards import Data

__all__ = ["card_data", "draw", "html_blocks", "text_lines"]


def card_data(rules: Rules, tell: Callable[[float], object]) -> Data:
    """Return the card as data; this needs the extra ``kernels``."""
    from pitboss.games.roll_your_own.card.data import card_data as compute

    return compute(rules, tell)
