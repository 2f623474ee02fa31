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
    from pitboss.analysis.parts import Sensitivity
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
    part: ReportPart = analysis.game.part("report")
    counted, are_played_shown = analysis.counted, False
    for bet in analysis.bets:
        if bet in counted:
            _show_bet(console, counted[bet])
            show_conditions(console, [clause for clause in needed[bet] if clause not in common])
        elif not are_played_shown:
            part.show_played(console, analysis)
            are_played_shown = True
    part.show_figures(console, analysis)


def show_conditions(console: Console, clauses: list[str]) -> None:
    """Print the conditions under which the figures above hold."""
    if clauses:
        show_paragraph(console, f"Conditions: {'; '.join(clauses)}.")


def show_paragraph(console: Console, text: str) -> None:
    """Print a text of several lines, indented."""
    from rich.padding import Padding

    console.print(Padding(text, (0, 0, 0, 2), expand=False))


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
        f" {figures.top_one_in:,.1f}".removesuffix(".0")
    )


def show_by_decks(console: Console, title: str, rows: list[Sensitivity], names: list[str]) -> None:
    """Print house edges by number of decks; *names* has the name of each row's line."""
    shown = grid(title, *map(str, sorted({row.rules.decks for row in rows})))
    lines: dict[str, list[str]] = {}
    for row, name in zip(rows, names, strict=True):
        edge = f"{row.house_edge:.2%}".replace("%", "")
        cell = f"[bold red]{edge}[/]" if row.house_edge < 0 else edge
        lines.setdefault(name, []).append(cell)
    for name, cells in lines.items():
        shown.add_row(name, *cells)
    console.print(shown)


def paytable_name(row: Sensitivity) -> str:
    """Return the bet of a row and the name of its pay table."""
    setting = str(row.rules.game.figures_bets[row.bet].paytable)
    table = row.rules.settings[setting].text(getattr(row.rules, setting))
    return f"{row.bet} {'custom' if table.startswith('[') else table}"


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
