"""The plots of the report that only Roll Your Own has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.roll_your_own.report.worth import worth_plotted
from pitboss.plotting import INK
from pitboss.report.plots import axes_of, sign_color
from pitboss.report.text import decimal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pitboss.report.elements import Data


def plots(data: Data) -> dict[str, Figure]:
    """Return the plots of the up cards and of the value of each rule."""
    figures = {}
    if data["bets"]["blackjack"]:
        figures["by-up-card"] = _by_up_card(data["bets"]["blackjack"]["by_up_card"])
    if rows := worth_plotted(data):
        figures["rules-worth"] = _rules_worth(rows[::-1])
    return figures


def _by_up_card(cards: Data) -> Figure:
    """Draw a bar for each up card; it points up if the player wins on average."""
    figure, axes = axes_of(2.6)
    evs = [row["ev"] for row in cards.values()]
    bars = axes.bar(range(len(evs)), evs, width=0.72, color=[*map(sign_color, evs)])
    labels = [decimal(ev, 2, sign=True) for ev in evs]
    axes.bar_label(bars, labels=labels, padding=2, fontsize=8)
    axes.axhline(0, color=INK, linewidth=1.2)
    axes.set_xticks(range(len(evs)), [card.replace("T", "10") for card in cards])
    axes.tick_params(axis="x", length=0)
    axes.margins(y=0.12)
    axes.set_xlabel("the dealer's up card")
    axes.set_ylabel("expectation, units")
    axes.grid(axis="y")
    return figure


def _rules_worth(rows: list[Data]) -> Figure:
    """Draw a bar for each changed setting, with its value to the player."""
    figure, axes = axes_of(0.9 + 0.3 * len(rows))
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
    return figure
