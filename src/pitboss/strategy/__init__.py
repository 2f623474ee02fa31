"""The strategy card: a strategy for people at the table, as text, SVG, HTML or JSON.

A game's part ``card`` computes the card and renders its content in each format.
"""

from pitboss.strategy.cards import strategy_card
from pitboss.strategy.page import render_html
from pitboss.strategy.svg import render_svg
from pitboss.strategy.text import render_text

__all__ = ["render_html", "render_svg", "render_text", "strategy_card"]
