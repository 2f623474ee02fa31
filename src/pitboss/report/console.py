"""Figures printed in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pitboss.analysis.conditions import conditions, shared
from pitboss.report.elements import part_of, with_edge

if TYPE_CHECKING:
    from fractions import Fraction

    from rich.console import Console

    from pitboss.analysis import Analysis
    from pitboss.analysis.design import Change
    from pitboss.analysis.figures import Figures
    from pitboss.report.elements import Data, ReportPart

LOSS_NOTE = "  A negative house edge favors the player: [bold red]the house loses[/] there."


def show_analysis(analysis: Analysis) -> None:
    """Print the figures of every bet with their conditions."""
    from rich.console import Console

    console = Console(highlight=False)
    is_exact = len(analysis.counted) == len(analysis.bets)
    console.print(
        f"[bold]{analysis.game.name}[/], {'exact ' if is_exact else ''}figures for one unit staked"
    )
    needed = conditions(analysis.rules)
    common = shared(needed)
    show_conditions(console, common)
    for bet, figures in analysis.counted.items():
        _show_bet(console, figures)
        show_conditions(console, [clause for clause in needed[bet] if clause not in common])
    part: ReportPart = analysis.game.part("report")
    part.show_figures(console, analysis)


def show_conditions(console: Console, clauses: list[str]) -> None:
    """Print the conditions under which the figures above hold."""
    from rich.padding import Padding

    if clauses:
        console.print(Padding(f"Conditions: {'; '.join(clauses)}.", (0, 0, 0, 2), expand=False))


def grid(*columns: str) -> Any:  # noqa: ANN401  rich's Table
    """Return an empty table with these columns."""
    from rich import box
    from rich.table import Table

    found = Table(box=box.SIMPLE, pad_edge=False)
    for index, column in enumerate(columns):
        found.add_column(column, justify="right" if index else "left", overflow="fold")
    return found


def _show_bet(console: Console, figures: Figures) -> None:
    shown = grid(figures.bet, "pays", "combinations", "probability", "return")
    for row in figures.as_json()["outcomes"]:
        counts = f"{row['combinations']:,}"
        shown.add_row(
            row["event"], row["pays"], counts, f"{row['probability']:.8f}", f"{row['return']:+.8f}"
        )
    shown.add_section()
    shown.add_row("total", "", f"{figures.total:,}", "1", f"{float(figures.ev):+.8f}")
    console.print(shown)
    moments = figures.moments
    console.print(
        f"  house edge {edge_warning(figures.house_edge)}   EV {figures.ev}\n"
        f"  standard deviation {moments.std_dev:.6f}   skewness {moments.skewness:.4f}\n"
        f"  wins {figures.hit_frequency:.4%}   pushes {figures.push_rate:.4%}\n"
        f"  top prize {figures.top.pays}, once in"
        f" {figures.total / figures.top.combinations:,.1f}".removesuffix(".0")
    )


def edge_text(edge: float, places: int = 4) -> str:
    """Format a house edge, in red if it is negative."""
    return f"[bold red]{edge:.{places}%}[/]" if edge < 0 else f"{edge:.{places}%}"


def edge_warning(edge: float) -> str:
    """Format a house edge, with a warning if it is negative."""
    if edge < 0:
        return f"[bold red]{edge:.4%}: THE PLAYER HAS THE EDGE[/]"
    return f"{edge:.4%}"


def edge_lines(data: Data) -> list[str]:
    """Return a line for each bet of a report on which the player has the edge."""
    lines = [
        f"the player has the edge on {bet}: house edge {figures['house_edge']:.4%}"
        for bet, figures in with_edge(data).items()
        if figures["house_edge"] < 0
    ]
    return [*lines, *part_of(data).edge_lines(data)]


def show_changes(bet: str, target: Fraction, changes: list[Change]) -> None:
    """Print the changes of a pay table that bring a bet's edge closest to a target."""
    from rich.console import Console

    console = Console(highlight=False)
    if not changes:
        console.print(f"{bet}: no change of a single line comes closer to {float(target):.2%}")
        return
    shown = grid(f"{bet}: one line changed for {float(target):.2%}", "pays", "now", "house edge")
    for change in changes:
        on = ", ".join(str(result).replace("_", " ") for result in change.on)
        pays, now = (str(o) if o.win else "push" for o in (change.pays, change.instead_of))
        shown.add_row(on, pays, now, f"{float(change.edge):.4%}")
    console.print(shown)
