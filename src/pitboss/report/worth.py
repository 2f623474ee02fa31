"""The value of each rule of a solved game: a table, its plot, and lines for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.plotting import INK
from pitboss.report.blocks import Block, Cell, cell, code, figure
from pitboss.report.plots import axes_of, sign_color
from pitboss.report.text import decimal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.figure import Figure
    from rich.console import Console

    from pitboss.analysis.worth import Worth
    from pitboss.report.elements import Data

NAME = "rules-worth"
LEAST_PLOTTED = 1e-6  # in units of a bet


def setting_cell(row: Data) -> Cell:
    """Return the switched setting of a row."""
    return code(f"{row['setting']}={row['value']}")


def difference_cell(row: Data) -> Cell:
    """Return the player's gain by a switch; empty if it is not computed."""
    difference = row["difference"]
    if difference is None:
        return cell("")
    return cell(decimal(difference, 9, sign=True) if difference else "0")


def reasons(rows: Iterable[Data]) -> dict[str, str]:
    """Return the reasons why a switch changes nothing, by setting."""
    return {row["setting"]: row["reason"] for row in rows if row["reason"]}


def worth_plotted(data: Data) -> list[Data]:
    """Return the settings with a noticeable value, ending with the worst for the player."""
    rows = [row for row in data["rules_worth"] or [] if abs(row["difference"] or 0) > LEAST_PLOTTED]
    return sorted(rows, key=lambda row: row["difference"], reverse=True)


def worth_figure(data: Data) -> list[Block]:
    """Return the figure, unless no setting has a noticeable value."""
    rows = worth_plotted(data)
    if not rows:
        return []
    ends = [
        f"{decimal(row['difference'], 4, sign=True)} for {row['setting']}={row['value']}"
        for row in (rows[-1], rows[0])
    ]
    alt = (
        "Bar chart of what the player gains or loses in a round, in units of one bet, when one"
        f" setting is switched: from {ends[0]} to {ends[1]}."
    )
    return [figure(NAME, "What each rule is worth", alt)]


def worth_plot(data: Data) -> dict[str, Figure]:
    """Draw a bar for each changed setting, with its value to the player."""
    rows = worth_plotted(data)[::-1]
    if not rows:
        return {}
    drawn, axes = axes_of(0.9 + 0.3 * len(rows))
    worth = [row["difference"] for row in rows]
    bars = axes.barh(range(len(rows)), worth, height=0.72, color=[*map(sign_color, worth)])
    labels = [decimal(value, 4, sign=True) for value in worth]
    axes.bar_label(bars, labels=labels, padding=3, fontsize=8)
    axes.axvline(0, color=INK, linewidth=1.2)
    axes.set_yticks(range(len(rows)), [f"{row['setting']}={row['value']}" for row in rows])
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    reach = max(map(abs, worth))
    axes.set_xlim(min(0.0, *worth) - 0.55 * reach, max(0.0, *worth) + 0.55 * reach)
    axes.locator_params(axis="x", nbins=4)
    axes.set_xlabel("worth to the player, units a round")
    axes.grid(axis="x")
    return {NAME: drawn}


# --- the terminal


def worth_text(row: Worth) -> str:
    """Format the player's gain by a switch."""
    if row.difference is None:
        return ""
    return f"{row.difference:+.9f}" if row.difference else "0"


def show_reasons(console: Console, rows: Iterable[Worth]) -> None:
    """Print why some switches change nothing, and how to compute what is missing."""
    found = list(rows)
    for setting, reason in {row.setting: row.reason for row in found if row.reason}.items():
        console.print(f"  {setting}: {reason}")
    if any(row.ev is None for row in found):
        console.print("  Use --worth to solve the games that are not computed.")
