"""Toss One 21 in the report, on the rack card and in the terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.games.toss_one.report.card import card
from pitboss.games.toss_one.report.console import show_figures
from pitboss.games.toss_one.report.plots import plots
from pitboss.games.toss_one.report.sections import (
    advantage,
    combinations,
    method,
    package,
    strategy,
)
from pitboss.games.toss_one.report.sensitivity import sensitivity
from pitboss.report.elements import see

if TYPE_CHECKING:
    from collections.abc import Collection

    from rich.console import Console

    from pitboss.games.toss_one.figures import TossOneAnalysis
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
        "strategy": strategy,
        "sensitivity": sensitivity,
        "package": package,
        "advantage": advantage,
    }
)


def warnings(data: Data) -> list[Block]:  # noqa: ARG001
    """Return nothing: Toss One 21 has no further warnings."""
    return []


def edge_reasons(ahead: Collection[str]) -> list[str]:
    """Return the settings that decide the edge of Main."""
    if "main" not in ahead:
        return []
    reason = (
        "It depends on the blackjack payout, the reading of a dealer's blackjack, the rank of an"
        f" ace as a kicker and the number of decks: see {see('sensitivity')}."
    )
    return [reason]


def show_played(console: Console, analysis: TossOneAnalysis) -> None:
    """Print nothing: every bet of Toss One 21 is counted."""


def edge_lines(data: Data) -> list[str]:  # noqa: ARG001
    """Return nothing: no team can beat the game."""
    return []


def minimum_return(data: Data) -> str:  # noqa: ARG001
    """Say that the reviewer decides whether a side bet is judged alone."""
    return "The reviewer decides whether a side bet is judged alone or with the other bets."


def one_round(data: Data) -> str:  # noqa: ARG001
    """Return nothing: the distribution of one round is exact."""
    return ""
