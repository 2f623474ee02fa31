"""Roll Your Own Blackjack in the report, on the rack card and in the terminal."""

from __future__ import annotations

from math import comb
from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.games.roll_your_own.report.card import card
from pitboss.games.roll_your_own.report.console import show_figures, show_played
from pitboss.games.roll_your_own.report.plots import plots
from pitboss.games.roll_your_own.report.sections import (
    advantage,
    method,
    minimum_return,
    one_round,
    outcomes,
    package,
    simulation,
    strategy,
    summary,
)
from pitboss.games.roll_your_own.report.teams import edge_lines, warnings
from pitboss.games.roll_your_own.report.worth import sensitivity

if TYPE_CHECKING:
    from collections.abc import Collection

    from pitboss.report.elements import Data

__all__ = [
    "SECTIONS",
    "card",
    "combinations",
    "edge_lines",
    "edge_reasons",
    "minimum_return",
    "one_round",
    "plots",
    "show_figures",
    "show_played",
    "warnings",
]

SECTIONS = MappingProxyType(
    {
        "method": method,
        "outcomes": outcomes,
        "summary": summary,
        "strategy": strategy,
        "simulation": simulation,
        "sensitivity": sensitivity,
        "package": package,
        "advantage": advantage,
    }
)


def edge_reasons(ahead: Collection[str]) -> list[str]:  # noqa: ARG001
    """Return nothing: a separate section shows the value of each rule."""
    return []


def combinations(data: Data, bet: str) -> tuple[str, int]:  # noqa: ARG001
    """Return the formula and the number of hands of the Bonus."""
    return "C(52, 3)", comb(52, 3)
