"""Helpers shared by sections: names of bets, cells, conditions and the game's report part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from pitboss.games import find_game
from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    text,
)
from pitboss.report.text import (
    decimal,
    fraction,
    percent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from matplotlib.figure import Figure
    from rich.console import Console

    from pitboss.core.protocol import Game
    from pitboss.report.blocks import Block, Cell


Data: TypeAlias = dict[str, Any]  # the result of report_data


class ReportPart(Protocol):
    """The ``report`` part of a game: its sections, plots, rack card and terminal output."""

    SECTIONS: Mapping[str, Callable[[Data], list[Block]]]
    """By section key: a function that returns the game's blocks for the section."""

    def warnings(self, data: Data) -> list[Block]:
        """Return the game's warnings, which follow the warning that the player has the edge."""

    def edge_reasons(self, ahead: Collection[str]) -> list[str]:
        """Explain why the bets in *ahead* favor the player."""

    def combinations(self, data: Data, bet: str) -> tuple[str, int]:
        """Return the number of all combinations of a counted bet, with its formula."""

    def minimum_return(self, data: Data) -> str:
        """Explain how to judge a bet with a low return."""

    def one_round(self, data: Data) -> str:
        """Describe the distribution of one round, if it is not exact."""

    def plots(self, data: Data) -> dict[str, Figure]:
        """Return the game's plots, by the name of the figure."""

    def card(self, data: Data) -> CardContent:
        """Return the game's content for the rack card."""

    def edge_lines(self, data: Data) -> list[str]:
        """Return a line for each edge of the player that is specific to this game."""

    def show_played(self, console: Console, analysis: Any) -> None:  # noqa: ANN401
        """Print the figures of the bets that need a strategy; not called if there are none."""

    def show_figures(self, console: Console, analysis: Any) -> None:  # noqa: ANN401
        """Print the other figures that are specific to this game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContent:
    """A game's content for the rack card."""

    tagline: str
    steps: list[list[str]]
    main_table: Data
    paytables: Mapping[str, tuple[str, str]]  # the title and subject, by setting
    lines: Mapping[str, str]  # longer names of some results
    names: Mapping[str, str]  # longer names of some bets
    decks: int
    play: str = ""  # the player's strategy, if the odds depend on it


NOT_COMPUTED = "not computed here"


NEEDS_STRATEGY = "These figures need the solver: pip install 'pitboss[kernels]'."


TITLES = {
    "identification": "Identification",
    "rules": "Rules as modelled",
    "method": "Method",
    "outcomes": "Outcome tables",
    "summary": "Summary figures",
    "strategy": "Strategy",
    "simulation": "Confirmation by simulation",
    "sensitivity": "Sensitivity",
    "package": "Correlation and package edge",
    "advantage": "Advantage play",
    "operations": "Operations",
    "limits": "Limits and reserves",
    "changes": "Change log and approval",
}
"""The titles of the sections, in order."""


def see(section: str) -> str:
    """Refer to a section by its number."""
    return f"section {[*TITLES].index(section) + 1}"


def game_of(data: Data) -> Game:
    """Return the game that a report is about."""
    return find_game(data["game"])


def part_of(data: Data) -> ReportPart:
    """Return the ``report`` part of the game that a report is about."""
    return game_of(data).part("report")  # type: ignore[no-any-return]


def bet_name(data: Data, bet: str) -> str:
    """Return the name of a bet or of the package."""
    return game_of(data).figures_title(bet)


def stake_name(data: Data, stake: str) -> str:
    """Return the name of a stake."""
    return game_of(data).stakes[stake].removeprefix("on ")


def package_of(data: Data) -> Data | None:
    """Return the figures of all bets of a seat together, if computed."""
    found: Data | None = data["bets"].get("package") or data["package"]
    return found


def computed(data: Data) -> dict[str, Data]:
    """Return the bets that have figures."""
    return {bet: figures for bet, figures in data["bets"].items() if figures}


def with_edge(data: Data) -> dict[str, Data]:
    """Return the figures that have a house edge: those of one-unit bets and of the package."""
    return {b: f for b, f in computed(data).items() if f["stake"] == 1 or b == "package"}


def counted(data: Data) -> dict[str, Data]:
    """Return the bets whose outcomes are counted."""
    return {bet: figures for bet, figures in computed(data).items() if "outcomes" in figures}


def missing(data: Data) -> list[str]:
    """Return the bets that have no figures here."""
    return [bet for bet, figures in data["bets"].items() if not figures]


def staked(figures: Data) -> str:
    """Name the stake to which the expectation of a bet refers."""
    stake = figures["stake"]
    return "each unit staked" if stake == 1 else f"a round of {stake} units"


def expectation(figures: Data) -> str:
    """Format an expectation: a fraction if it was counted, otherwise a decimal."""
    ev = figures["ev"]
    return fraction(ev) if isinstance(ev, str) else decimal(ev, 12, sign=True)


def edge_cell(house_edge: float, places: int = 4) -> Cell:
    """Return a cell with a house edge, highlighted if it is negative."""
    return cell(percent(house_edge, places), "bad" if house_edge < 0 else "")


def estimate_cell(figures: Data, name: str, show: Callable[[float, int], str], places: int) -> Cell:
    """Return a cell with a number, and its standard error if it was simulated."""
    simulated = figures.get("simulated", {}).get(name)
    if not simulated:
        return cell(show(figures[name], places))
    fewer = places - 2
    return cell(f"{show(figures[name], fewer)} ± {show(simulated['std_error'], fewer)}")


def conditions_text(clauses: list[str]) -> str:
    """Format conditions as a sentence."""
    return f"Conditions: {'; '.join(clauses)}."


def conditions_block(data: Data, bet: str) -> Block:
    """State the conditions under which the figures of a bet hold."""
    return text(conditions_text(data["conditions"][bet]))


def game_blocks(data: Data, section: str) -> list[Block]:
    """Return the blocks that the game adds to a section."""
    write = part_of(data).SECTIONS.get(section)
    return write(data) if write else []
