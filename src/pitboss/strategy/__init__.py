"""The strategy card: how to set and play Roll Your Own, what to toss in Toss One 21.

``setting`` finds the shortest lists of rules (``lists``), ``playing`` the chart, both from the
solver's exact values; ``cards`` gathers them as data, and ``text``, ``svg`` and ``page`` show that
data.
"""

from pitboss.strategy.cards import strategy_card
from pitboss.strategy.page import render_html
from pitboss.strategy.svg import render_svg
from pitboss.strategy.text import render_text

__all__ = ["render_html", "render_svg", "render_text", "strategy_card"]
