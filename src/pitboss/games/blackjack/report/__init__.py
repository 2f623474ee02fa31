"""Blackjack in the report, on the rack card and in the terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.games.blackjack.report.card import card
from pitboss.games.blackjack.report.console import show_figures, show_played
from pitboss.games.blackjack.report.plots import plots
from pitboss.games.blackjack.report.sections import (
    advantage,
    combinations,
    method,
    outcomes,
    package,
    sensitivity,
    simulation,
    strategy,
    summary,
)
from pitboss.report.elements import see

if TYPE_CHECKING:
    from collections.abc import Collection

    from pitboss.report.blocks import Block
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


def warnings(data: Data) -> list[Block]:  # noqa: ARG001
    """Return nothing: blackjack has no further warnings."""
    return []


def edge_reasons(ahead: Collection[str]) -> list[str]:
    """Return the section that shows the value of each rule."""
    if "main" not in ahead:
        return []
    return [f"The rules decide the edge of Main: see {see('sensitivity')} for the value of each."]


def edge_lines(data: Data) -> list[str]:  # noqa: ARG001
    """Return nothing: the edges of the bets are all."""
    return []


def minimum_return(data: Data) -> str:  # noqa: ARG001
    """Say that the reviewer decides whether a side bet is judged alone."""
    return "Whether a side bet is judged alone or with the other bets is for the reviewer."


def one_round(data: Data) -> str:
    """Describe the distribution of one round."""
    if not data["bets"]["main"]:
        return ""
    return "simulated, with the exact chances of the side bets and the exact mean of Main, "
