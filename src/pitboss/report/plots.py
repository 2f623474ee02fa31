"""The report's plots as SVG text."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, Any

from pitboss.plotting import BLUE, GREY, INK, ORANGE, style, svg_of
from pitboss.report.elements import counted, part_of
from pitboss.report.text import decimal, money, net, one_in, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pitboss.report.elements import Data

WIDTH = 4.8  # inches
LARGEST_RATIO = 200.0
"""The ratio of the largest to the smallest probability that makes the scale logarithmic."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plots(data: Data) -> dict[str, str]:
    """Return every plot of a report, by the name of its figure."""
    with style():
        figures = {f"outcomes-{bet}": _outcomes(f) for bet, f in counted(data).items()}
        figures |= part_of(data).plots(data)
        if data["operations"]:
            figures["house-day"] = _house_day(data["operations"])
        return {name: svg_of(figure, name) for name, figure in figures.items()}


def axes_of(height: float) -> tuple[Figure, Axes]:
    """Return an empty plot of the report's width."""
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
    figure, axes = axes_of(0.9 + 0.3 * len(nets))
    bars = axes.barh(range(len(nets)), shares, height=0.72, color=[*map(sign_color, nets)])
    axes.bar_label(bars, labels=[*map(_share, shares)], padding=4, fontsize=8.5)
    axes.set_yticks(range(len(nets)), [*map(_net_label, nets)])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(nets) - 0.4)
    _scale(axes, shares)
    return figure


def sign_color(won: float) -> str:
    """Return the color for a win or a loss."""
    return ORANGE if won < 0 else BLUE if won else GREY


def _net_label(won: float) -> str:
    if won < 0:
        return "loses 1"
    return f"wins {won:,.2f}".rstrip("0").rstrip(".") if won else "push"


def _share(share: float) -> str:
    return percent(share, 2) if share >= 0.01 else one_in(1 / share)  # noqa: PLR2004  one percent


def _scale(axes: Axes, shares: list[float]) -> None:
    """Use a logarithmic scale if small probabilities would be invisible."""
    axes.grid(axis="x")
    if max(shares) / min(shares) < LARGEST_RATIO:
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
    """Format a power of ten."""
    exponent = round(log10(share))
    return f"10{str(exponent).translate(RAISED)}" if exponent else "1"


def _no_ticks() -> Any:  # noqa: ANN401  a matplotlib locator; the import is local
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _house_day(plan: Data) -> Figure:
    """Draw the house's result after a day, the part below zero in another color."""
    centres, shares = zip(*plan["day"]["histogram"], strict=True)
    width = centres[1] - centres[0]
    mean = plan["win_per_round"] * plan["day"]["rounds"] / 100
    figure, axes = axes_of(3.4)
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
