"""The plots of the report that only Toss One 21 has."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pitboss.plotting import INK, LINES, ORANGE
from pitboss.report.by_decks import by_decks_plot
from pitboss.report.plots import axes_of
from pitboss.report.text import minus, odds, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pitboss.report.elements import Data


def plots(data: Data) -> dict[str, Figure]:
    """Return the plots of the house edges by number of decks."""
    return {"edge-by-decks": _edge_by_decks(data), **by_decks_plot(data)}


def _edge_by_decks(data: Data) -> Figure:
    """Draw a line for each blackjack pay, reading and kicker; shade the player's advantage."""
    figure, axes = axes_of(4.6)
    lines = _lines([row for row in data["sensitivity"] if row["bet"] == "main"])
    groups = list(dict.fromkeys(key[:2] for key, _ in lines))
    for key, edges in lines:
        _line(axes, key, edges, LINES[groups.index(key[:2]) % len(LINES)])
    _zero(axes)
    _in_force(axes, data)
    axes.set_xlabel("decks")
    axes.set_ylabel("house edge of Main")
    axes.yaxis.set_major_formatter(lambda edge, _: minus(f"{edge:.1f}%"))
    axes.grid(axis="y")
    figure.legend(
        title="blackjack pays, dealer's blackjack, ace kicker",
        loc="outside lower center",
        ncols=2,
        handlelength=2.6,
        columnspacing=1.2,
    )
    return figure


Line: TypeAlias = tuple[tuple[str, str, str], dict[int, float]]
"""Blackjack pay, reading and kicker, with the house edge by number of decks."""


def _lines(rows: list[Data]) -> list[Line]:
    """Return the lines to draw, merging the kickers if they make no difference."""
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in rows:
        key = (row["blackjack_pays"], row["dealer_blackjack"], row["ace_kicker"])
        found.setdefault(key, {})[row["decks"]] = 100 * row["house_edge"]
    lines: list[Line] = []
    for (pays, reading, kicker), edges in found.items():
        if kicker == "low" and found.get((pays, reading, "high")) == edges:
            lines[-1] = ((pays, reading, "either"), edges)
        else:
            lines.append(((pays, reading, kicker), edges))
    return lines


def _line(axes: Axes, key: tuple[str, str, str], edges: dict[int, float], color: str) -> None:
    pays, reading, kicker = key
    axes.plot(
        [*edges],
        [*edges.values()],
        color=color,
        linestyle=(0, (4, 2)) if kicker == "low" else "-",
        linewidth=1.6,
        marker="o" if reading == "is_21" else "s",
        markersize=4,
        markerfacecolor="white" if kicker == "low" else color,
        label=f"{odds(pays)}, {reading}, {kicker}",
    )


def _zero(axes: Axes) -> None:
    """Draw the line at zero and shade the area below it."""
    axes.axhline(0, color=INK, linewidth=1.2)
    low, high = axes.get_ylim()
    low = min(low, -0.25)
    axes.set_ylim(low, high)
    axes.axhspan(low, 0, color=ORANGE, alpha=0.12, linewidth=0)
    axes.text(
        0.99,
        0.02,
        "below zero the player has the edge",
        transform=axes.transAxes,
        ha="right",
        va="bottom",
        color="#A33B00",
    )


def _in_force(axes: Axes, data: Data) -> None:
    rules, main = data["rules"], data["bets"]["main"]
    axes.plot(
        [rules["decks"]],
        [100 * main["house_edge"]],
        color="none",
        marker="o",
        markersize=12,
        markeredgecolor=INK,
        markeredgewidth=1.4,
        linestyle="none",
        label=f"rules in force: {percent(main['house_edge'], 2)}",
    )
