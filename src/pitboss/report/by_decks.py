"""House edges of counted bets by pay table and number of decks: tables, text and a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.errors import plural
from pitboss.plotting import INK, LINES
from pitboss.report.blocks import Block, Cell, cell, figure, table
from pitboss.report.elements import Data, bet_name, game_of
from pitboss.report.plots import axes_of
from pitboss.report.text import minus, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "other-bets-by-decks"


def by_pay_table(data: Data) -> dict[tuple[str, str], list[Data]]:
    """Return the rows of the sensitivity by bet and pay table, except those of Main."""
    bets = game_of(data).figures_bets
    found: dict[tuple[str, str], list[Data]] = {}
    for row in data["sensitivity"]:
        if row["bet"] != "main":
            setting = bets[row["bet"]].paytable if row["bet"] in bets else None
            pays = row.get(setting or "", "in force")
            name = "custom" if isinstance(pays, list) else str(pays)
            found.setdefault((row["bet"], name), []).append(row)
    return found


def by_decks_blocks(data: Data) -> list[Block]:
    """Return the table and the figure of the house edges by number of decks."""
    rows = by_pay_table(data)
    decks = [str(row["decks"]) for row in next(iter(rows.values()))]
    return [
        table(
            "House edge of the other bets, in percent, by number of decks",
            "ll" + "r" * len(decks),
            ["bet", "pay table", *decks],
            [
                [cell(bet_name(data, bet)), cell(pays), *(edge_in_force(data, r) for r in found)]
                for (bet, pays), found in rows.items()
            ],
        ),
        figure(NAME, "House edge of the other bets against the number of decks", _alt(data)),
    ]


def edge_in_force(data: Data, row: Data) -> Cell:
    """Return a house edge in percent; the rules in force are framed, a negative edge is red."""
    in_force = all(row[name] == data["rules"][name] for name in row.keys() & data["rules"].keys())
    styles = ["bad"] * (row["house_edge"] < 0) + ["force"] * in_force
    return cell(percent(row["house_edge"], 3).removesuffix("%"), " ".join(styles))


def _alt(data: Data) -> str:
    ends = [
        f"{bet_name(data, bet)} ({pays}) from {percent(found[0]['house_edge'], 2)} with"
        f" {plural(found[0]['decks'], 'deck')} to {percent(found[-1]['house_edge'], 2)} with"
        f" {found[-1]['decks']}"
        for (bet, pays), found in by_pay_table(data).items()
    ]
    return f"Lines of the house edge against the number of decks: {'; '.join(ends)}."


def by_decks_plot(data: Data) -> dict[str, Figure]:
    """Draw a line for each pay table of each bet other than Main."""
    lines = by_pay_table(data)
    figure, axes = axes_of(2.88 + 0.13 * len(lines))
    bets = list(dict.fromkeys(bet for bet, _ in lines))
    for place, ((bet, pays), found) in enumerate(lines.items()):
        axes.plot(
            [row["decks"] for row in found],
            [100 * row["house_edge"] for row in found],
            color=LINES[bets.index(bet)],
            marker="os^Dvx"[place % 6],
            markersize=4,
            linewidth=1.6,
            label=f"{bet_name(data, bet)}, {pays}",
        )
    axes.axhline(0, color=INK, linewidth=1.2)
    axes.set_xlabel("decks")
    axes.set_ylabel("house edge")
    axes.yaxis.set_major_formatter(lambda edge, _: minus(f"{edge:.1f}%"))
    axes.grid(axis="y")
    figure.legend(title="bet, pay table", loc="outside lower center", ncols=2)
    return {NAME: figure}
