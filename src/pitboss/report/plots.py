"""The report's plots as SVG text."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, Any, TypeAlias

from pitboss.pictures import BLUE, GREEN, GREY, INK, ORANGE, PINK, style, svg_of
from pitboss.report.sections import counted, other_bets, worth_plotted
from pitboss.report.text import bet_name, decimal, minus, money, net, odds, one_in, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pitboss.report.sections import Data

LINES = (BLUE, ORANGE, GREEN, PINK, "#56B4E9", "#E69F00")
WIDTH = 4.8  # inches
SEVERAL_BARS = 200.0
"""From this ratio of the most to the least likely result on, a plot's scale is logarithmic."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plots(data: Data) -> dict[str, str]:
    """Return every plot of a report, by the name its figure has."""
    with style():
        figures = {f"outcomes-{bet}": _outcomes(f) for bet, f in counted(data).items()}
        if data["bets"].get("blackjack"):
            figures["by-up-card"] = _by_up_card(data["bets"]["blackjack"]["by_up_card"])
        if worth_plotted(data):
            figures["rules-worth"] = _rules_worth(worth_plotted(data)[::-1])
        if data["sensitivity"]:
            figures["edge-by-decks"] = _edge_by_decks(data)
            figures["other-bets-by-decks"] = _other_bets_by_decks(data["sensitivity"])
        if data["operations"]:
            figures["house-day"] = _house_day(data["operations"])
        return {name: svg_of(figure, name) for name, figure in figures.items()}


def _axes(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.add_subplot()


def _outcomes(figures: Data) -> Figure:
    """Draw a bar for each result of one unit, the highest prize on top."""
    chances: dict[float, float] = {}
    for row in figures["outcomes"]:
        if row["combinations"]:
            won = net(row["pays"])
            chances[won] = chances.get(won, 0.0) + row["probability"]
    nets = sorted(chances)
    shares = [chances[won] for won in nets]
    figure, axes = _axes(0.9 + 0.3 * len(nets))
    bars = axes.barh(range(len(nets)), shares, height=0.72, color=[*map(_colour, nets)])
    axes.bar_label(bars, labels=[*map(_share, shares)], padding=4, fontsize=8.5)
    axes.set_yticks(range(len(nets)), [*map(_net_label, nets)])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(nets) - 0.4)
    _scale(axes, shares)
    return figure


def _colour(won: float) -> str:
    return ORANGE if won < 0 else BLUE if won else GREY


def _net_label(won: float) -> str:
    if won < 0:
        return "loses 1"
    return f"wins {won:,.2f}".rstrip("0").rstrip(".") if won else "push"


def _share(share: float) -> str:
    return percent(share, 2) if share >= 0.01 else one_in(1 / share)  # noqa: PLR2004  one percent


def _scale(axes: Axes, shares: list[float]) -> None:
    """Give the probabilities a logarithmic scale where the small ones would not be seen."""
    axes.grid(axis="x")
    if max(shares) / min(shares) < SEVERAL_BARS:
        axes.set_xlim(0, max(shares) * 1.18)
        axes.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        axes.set_xlabel("probability")
        return
    axes.set_xscale("log")
    axes.set_xlim(min(shares) / 4, 8)
    axes.set_xticks([tick for tick in (10.0**-k for k in range(10)) if tick >= min(shares) / 4])
    axes.xaxis.set_major_formatter(_power)
    axes.xaxis.set_minor_locator(_no_ticks())
    axes.set_xlabel("probability, on a logarithmic scale")


def _power(share: float, _: object) -> str:
    """Write a power of ten."""
    exponent = round(log10(share))
    return f"10{str(exponent).translate(RAISED)}" if exponent else "1"


def _no_ticks() -> Any:  # noqa: ANN401  matplotlib's locator, imported where it is used
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _by_up_card(cards: Data) -> Figure:
    """Draw a bar for each up card, up where the player wins."""
    figure, axes = _axes(2.6)
    evs = [row["ev"] for row in cards.values()]
    bars = axes.bar(range(len(evs)), evs, width=0.72, color=[*map(_colour, evs)])
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
    """Draw a bar for each switched setting, what the player gains on top."""
    figure, axes = _axes(0.9 + 0.3 * len(rows))
    worth = [row["difference"] for row in rows]
    bars = axes.barh(range(len(rows)), worth, height=0.72, color=[*map(_colour, worth)])
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


def _edge_by_decks(data: Data) -> Figure:
    """Draw a line for each blackjack pay, reading and kicker, and shade what is the player's."""
    figure, axes = _axes(4.6)
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


def _other_bets_by_decks(rows: list[Data]) -> Figure:
    """Draw a line for each pay table of each bet other than Main."""
    figure, axes = _axes(3.4)
    lines = other_bets(rows)
    bets = list(dict.fromkeys(bet for bet, _ in lines))
    for place, ((bet, pays), found) in enumerate(lines.items()):
        axes.plot(
            [row["decks"] for row in found],
            [100 * row["house_edge"] for row in found],
            color=LINES[bets.index(bet)],
            marker="os^Dvx"[place % 6],
            markersize=4,
            linewidth=1.6,
            label=f"{bet_name(bet)}, {pays}",
        )
    axes.axhline(0, color=INK, linewidth=1.2)
    axes.set_xlabel("decks")
    axes.set_ylabel("house edge")
    axes.yaxis.set_major_formatter(lambda edge, _: minus(f"{edge:.1f}%"))
    axes.grid(axis="y")
    figure.legend(title="bet, pay table", loc="outside lower center", ncols=2)
    return figure


Line: TypeAlias = tuple[tuple[str, str, str], dict[int, float]]
"""Blackjack pay, reading and kicker, and the house edge by decks."""


def _lines(rows: list[Data]) -> list[Line]:
    """Return the lines to draw; where the kicker changes nothing one stands for both."""
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


def _line(axes: Axes, key: tuple[str, str, str], edges: dict[int, float], colour: str) -> None:
    pays, reading, kicker = key
    axes.plot(
        [*edges],
        [*edges.values()],
        color=colour,
        linestyle=(0, (4, 2)) if kicker == "low" else "-",
        linewidth=1.6,
        marker="o" if reading == "is_21" else "s",
        markersize=4,
        markerfacecolor="white" if kicker == "low" else colour,
        label=f"{odds(pays)}, {reading}, {kicker}",
    )


def _zero(axes: Axes) -> None:
    """Draw the line at zero and shade what lies below it."""
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


def _house_day(plan: Data) -> Figure:
    """Draw the house's result after a day, the part below zero in another colour."""
    centres, shares = zip(*plan["day"]["histogram"], strict=True)
    width = centres[1] - centres[0]
    mean = plan["win_per_round"] * plan["day"]["rounds"] / 100
    figure, axes = _axes(3.4)
    for colour, label, wanted in ((ORANGE, "house behind", True), (BLUE, "house ahead", False)):
        chosen = [(x, p) for x, p in zip(centres, shares, strict=True) if (x < 0) == wanted]
        if chosen:
            places, heights = zip(*chosen, strict=True)
            axes.bar(places, heights, width=0.92 * width, color=colour, label=label)
    axes.axvline(0, color=INK, linewidth=1.2)
    axes.axvline(mean, color=INK, linewidth=1.4, linestyle=(0, (4, 2)), label=_mean_label(mean))
    axes.set_xlabel(f"the house's result after {plan['day']['rounds']:,} rounds")
    axes.set_ylabel("probability")
    axes.xaxis.set_major_formatter(lambda dollars, _: money(100 * dollars))
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.locator_params(axis="x", nbins=5)
    axes.grid(axis="y")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def _mean_label(mean: float) -> str:
    return f"mean {'−' if mean < 0 else ''}${decimal(abs(mean), 0)}"  # noqa: RUF001  minus
