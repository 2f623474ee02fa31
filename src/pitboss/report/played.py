"""Figures of bets that need a strategy, which all solved games show in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.plotting import INK
from pitboss.report.blocks import Block, Cell, cell, code, facts, figure, table
from pitboss.report.plots import axes_of, sign_color
from pitboss.report.text import decimal, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.figure import Figure
    from rich.console import Console

    from pitboss.analysis.played import Estimate, PlayedFigures
    from pitboss.report.elements import Data

NAME = "by-up-card"
WIDTH_95 = 1.959964  # of a 95% interval, in standard errors


# --- blocks of the report


def frequency_table(caption: str, rows: Iterable[Data]) -> Block:
    """Return a table of the events in a round; simulated numbers have a standard error."""
    titles = ("event", "number in a round", "standard error")
    return table(caption, "wrr", titles, [_frequency_row(row) for row in rows])


def _frequency_row(row: Data) -> list[Cell]:
    error = f"± {decimal(row['std_error'], 6)}" if "std_error" in row else ""
    return [cell(row["event"]), cell(decimal(row["per_round"], 6)), cell(error)]


def up_card_blocks(bets: str, cards: Data) -> list[Block]:
    """Return the table and the figure of the expectation by up card; *bets* names the bets."""
    return [
        table(
            f"{bets} by the dealer's up card, exact, in units of one bet",
            "lrrr",
            ("up card", "expectation", "doubles", "splits"),
            [
                [
                    cell(_card_name(card)),
                    cell(decimal(row["ev"], 9, sign=True)),
                    cell(decimal(row["doubles"], 6)),
                    cell(decimal(row["splits"], 6)),
                ]
                for card, row in cards.items()
            ],
        ),
        figure(NAME, f"{bets} by the dealer's up card", _up_card_alt(bets, cards)),
    ]


def _card_name(card: str) -> str:
    return "10" if card == "T" else card


def _up_card_alt(bets: str, cards: Data) -> str:
    evs = {_card_name(card): row["ev"] for card, row in cards.items()}
    low, high = min(evs, key=evs.__getitem__), max(evs, key=evs.__getitem__)
    return (
        f"Bar chart of the expectation of {bets[0].lower()}{bets[1:]} for each up card of the"
        f" dealer: from {decimal(evs[low], 4, sign=True)} units against {low} to"
        f" {decimal(evs[high], 4, sign=True)} against {high}."
    )


def up_card_plot(cards: Data) -> dict[str, Figure]:
    """Draw a bar for each up card; it points up if the player wins on average."""
    drawn, axes = axes_of(2.6)
    evs = [row["ev"] for row in cards.values()]
    bars = axes.bar(range(len(evs)), evs, width=0.72, color=[*map(sign_color, evs)])
    labels = [decimal(ev, 2, sign=True) for ev in evs]
    axes.bar_label(bars, labels=labels, padding=2, fontsize=8)
    axes.axhline(0, color=INK, linewidth=1.2)
    axes.set_xticks(range(len(evs)), [*map(_card_name, cards)])
    axes.tick_params(axis="x", length=0)
    axes.margins(y=0.12)
    axes.set_xlabel("the dealer's up card")
    axes.set_ylabel("expectation, units")
    axes.grid(axis="y")
    return {NAME: drawn}


def trial_facts(bets: str, figures: Data) -> Block:
    """Compare the solved expectation of *bets* with their mean in the simulation."""
    trial = figures["trial"]
    half = WIDTH_95 * trial["std_error"]
    low, high = (decimal(trial["mean"] + side * half, 6, sign=True) for side in (-1, 1))
    return facts(
        ("Rounds", cell(whole(trial["rounds"]))),
        ("Seed", code(str(trial["seed"]))),
        (f"{bets}, mean", cell(decimal(trial["mean"], 6, sign=True))),
        ("95% interval", cell(f"{low} to {high}")),
        ("Exact", cell(decimal(figures["ev"], 6, sign=True))),
        ("z", cell(decimal(trial["z"], 2, sign=True))),
    )


# --- the terminal


def show_estimates(console: Console, played: PlayedFigures) -> None:
    """Print the simulated figures of a bet with their standard errors."""
    console.print(
        f"  standard deviation {_estimate(played.std_dev, 4)}\n"
        f"  ahead {_estimate(played.wins, 2, percent=True)}"
        f"   even {_estimate(played.pushes, 2, percent=True)} of rounds"
    )


def _estimate(estimate: Estimate, places: int, *, percent: bool = False) -> str:
    scale, unit = (100, "%") if percent else (1, "")
    value, error = scale * estimate.value, scale * estimate.std_error
    return f"{value:.{places}f}{unit} ± {error:.{places}f}{unit}"


def show_rounds(console: Console, played: PlayedFigures) -> None:
    """Print the expectation by up card, and how often each event happens in a round."""
    from pitboss.report.console import grid

    shown = grid("up card", "EV", "doubles", "splits")
    for card, row in played.more["by_up_card"].items():
        shown.add_row(card, f"{row['ev']:+.9f}", f"{row['doubles']:.6f}", f"{row['splits']:.6f}")
    console.print(shown)
    shown = grid("in a round", "number", "simulated")
    for row in played.more["frequencies"]:
        error = f"± {row['std_error']:.6f}" if "std_error" in row else ""
        shown.add_row(row["event"], f"{row['per_round']:.6f}", error)
    console.print(shown)
