"""Plot a session: the distribution of its result, and how long the bankroll lasts.

The same session always gives the same bytes.
"""

from __future__ import annotations

import re
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from pitboss.core.errors import NotationError, plural, shown
from pitboss.plotting import BLUE, GREY, INK, ORANGE, style, svg_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypeAlias

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from pitboss.simulator.sessions import Session

    Floats: TypeAlias = NDArray[np.float64]

NAME = "session"  # the prefix of every name inside an SVG
WIDTH = 8.0  # inches
DPI = 150
BARS = 90  # at most
STEPS = 200  # up to this many rounds, the ruin curve shows every round
CUT = 0.0005  # share of each tail that is not shown; more if the tail is long
LETTER = 0.0105  # width of a digit in a label, with spacing, as a share of the plot's width
LINE = 0.17  # height of a line of labels, as a share of the highest bar
RARE = 1e-6
PAPER: Any = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 0.6}  # under labels

STYLE: Any = {  # in addition to the common style
    "text.parse_math": False,  # a dollar sign does not start a formula
    "axes.titlesize": 10,
    "figure.titlesize": 12,
}


def session_plot(session: Session, title: str, *, currency: str = "units", unit: int = 100) -> str:
    """Return the plot of a session as SVG text that can be embedded in a page.

    Amounts are in units of *unit* cents. A *currency* sign ($) is written before the amount, a word
    after it.
    """
    with style(STYLE):
        svg = svg_of(_draw_session(session, title, _Money(currency, unit)), NAME, title)
    return f"{svg}\n"


def session_figure(
    session: Session, title: str, *, currency: str = "units", unit: int = 100
) -> Figure:
    """Return the plot of a session as a figure for :func:`save`."""
    with style(STYLE):
        return _draw_session(session, title, _Money(currency, unit))


def save(picture: Figure | str, path: Path) -> None:
    """Write a plot in the format of the file's suffix; SVG text can only be written as SVG."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in {"svg", "png"}:
        raise NotationError(f"a plot can be written as .svg or .png, not {shown(path.suffix)}")
    if isinstance(picture, str):
        if kind == "png":
            raise NotationError("SVG text cannot be written as .png: save the figure itself")
        path.write_text(picture, encoding="utf-8")
        return
    with style(STYLE):
        if kind == "svg":
            svg = svg_of(picture, NAME, picture.get_suptitle())
            path.write_text(f"{svg}\n", encoding="utf-8")
        else:
            picture.savefig(path, format="png", dpi=DPI, metadata={"Software": None})


class _Money:
    """Formats amounts in cents for a plot."""

    def __init__(self, currency: str, unit: int) -> None:
        if unit < 1:
            raise NotationError(f"a unit must be at least one cent, not {unit}")
        self.unit = unit
        self.sign = "" if currency.isalpha() else currency
        self.word = f" {currency}" if currency.isalpha() else ""

    def short(self, cents: float) -> str:
        amount = abs(cents) / self.unit
        text = f"{amount:,.2f}".removesuffix(".00") if amount < 100 else f"{amount:,.0f}"  # noqa: PLR2004
        return f"{'−' if cents < 0 else ''}{self.sign}{text}"  # noqa: RUF001  minus

    def full(self, cents: float) -> str:
        return self.short(cents) + self.word


def _draw_session(session: Session, title: str, money: _Money) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.06)
    ruin = session.ruin is not None
    figure = Figure(figsize=(WIDTH, 6.6 if ruin else 4.2), layout=layout)
    figure.suptitle(title, x=0.012, ha="left", weight="bold")
    parts = figure.subplots(2 if ruin else 1, 1, squeeze=False, height_ratios=[3, 2][: 1 + ruin])
    _result(parts[0, 0], session, money)
    if ruin:
        _ruin(parts[1, 0], session, money)
    layout.execute(figure)
    figure.set_layout_engine("none")  # keep the layout, so that every drawing is the same
    return figure


# --- the distribution


def _result(axes: Axes, session: Session, money: _Money) -> None:
    """Draw the distribution as bars, with marks for break-even and the quantiles."""
    places, stacks, width = _bars(session)
    below = np.zeros(len(places))
    result = session.result
    for colour, name, share, heights in zip(
        (ORANGE, GREY, BLUE),
        ("behind", "even", "ahead"),
        (result.behind, result.even, result.ahead),
        stacks,
        strict=True,
    ):
        label = f"{name} {_percent(share)}"
        axes.bar(places, heights, 0.92 * width, bottom=below, color=colour, label=label)
        below += heights
    axes.set_xlim(places[0] - width, places[-1] + width)
    _marks(axes, session, money, float(below.max()))
    axes.set_title(
        f"{'The house' if session.house else 'The player'}’s result after"  # noqa: RUF001
        f" {plural(session.rounds, 'round')}"
        f" (mean {money.full(session.mean)}, standard deviation {money.full(session.std_dev)})",
        loc="left",
    )
    wide = f", bars {money.full(width)} wide" if width > result.step else ""
    axes.set_ylabel(f"probability{wide}")
    axes.xaxis.set_major_formatter(lambda cents, _: money.short(cents))
    axes.yaxis.set_major_formatter(lambda share, _: _percent(share))
    axes.locator_params(axis="x", nbins=8)
    axes.grid(axis="y")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=5)


def _bars(session: Session) -> tuple[Floats, Floats, int]:
    """Return the bars' centers, their shares of losses, ties and wins, and their width."""
    result = session.result
    low, high = _range(session)
    seen = (result.cents >= low) & (result.cents <= high)
    cents, chances = result.cents[seen], result.probability[seen]
    width = result.step * _round_number((high - low) / result.step / BARS)
    start, middle = (result.first % result.step, 0) if width == result.step else (0, width / 2)
    bars = (cents - start) // width
    stacks = np.zeros((3, int(bars[-1] - bars[0]) + 1))
    np.add.at(stacks, (np.sign(cents) + 1, bars - bars[0]), chances)
    return width * np.arange(bars[0], bars[-1] + 1) + start + middle, stacks, width


def _round_number(least: float) -> int:
    """Return 1 or the next even round number: odd widths make uneven bars if steps are half units.

    >>> [_round_number(least) for least in (0.3, 1.2, 2.5, 5, 12, 300)]
    [1, 2, 4, 10, 20, 400]
    """
    if least <= 1:
        return 1
    ten: int = 10 ** floor(log10(least))
    return next(n * ten for n in (2, 4, 10) if n * ten >= least)


def _range(session: Session) -> tuple[int, int]:
    """Return the range to show, without tails; it includes break-even unless that is far away."""
    result, marks = session.result, session.quantiles.values()
    spread = max(marks) - min(marks)
    low = max(result.quantile(CUT), min(marks) - spread // 2)
    high = min(result.quantile(1 - CUT), max(marks) + spread // 2)
    wide = max(high - low, result.step)
    return min(low, 0 if low <= wide else low), max(high, 0 if high >= -wide else high)


def _marks(axes: Axes, session: Session, money: _Money, top: float) -> None:
    """Draw break-even and the quantiles; labels that would overlap go on separate lines."""
    low, high = axes.get_xlim()
    ends: list[float] = []
    for cents, name in _named_quantiles(session):
        text = f"{name}\n{money.short(cents)}"
        half = max(map(len, text.split("\n"))) * LETTER / 2
        place = min(max((cents - low) / (high - low), half), 1 - half)
        line = next((i for i, end in enumerate(ends) if end < place - half), len(ends))
        ends[line : line + 1] = [place + half]
        height = top * (1.05 + LINE * line)
        axes.plot([cents, cents], [0, height], color=INK, linewidth=0.7, linestyle=(0, (1, 2)))
        axes.text(
            low + place * (high - low),
            height,
            text,
            ha="center",
            va="bottom",
            fontsize=7.5,
            bbox=PAPER,
        )
    if low <= 0 <= high:
        axes.plot([0, 0], [0, 1.03 * top], color=INK, linewidth=1.5, label="break-even")
    beyond = 1 - session.result.at_most(high) + session.result.at_most(low)
    if beyond > 2.1 * CUT:
        axes.plot([], [], " ", label=f"beyond the picture {_percent(beyond)}")
    axes.set_ylim(0, top * (1.05 + LINE * len(ends)))


def _named_quantiles(session: Session) -> list[tuple[int, str]]:
    """Return the quantiles with their names, merging those that coincide."""
    names: dict[int, list[float]] = {}
    for share, cents in session.quantiles.items():
        names.setdefault(cents, []).append(share)
    return [
        (cents, f"{shares[0]:.0%}" + (f" to {shares[-1]:.0%}" if len(shares) > 1 else ""))
        for cents, shares in names.items()
    ]


# --- how long the bankroll lasts


def _ruin(axes: Axes, session: Session, money: _Money) -> None:
    """Draw the probability of ruin by round, and label its final value."""
    rounds, chances = zip(*session.curve(400), strict=True)
    steps = session.rounds <= STEPS
    axes.fill_between(
        rounds, chances, step="post" if steps else None, color=ORANGE, alpha=0.15, linewidth=0
    )
    style = "steps-post" if steps else "default"
    axes.plot(rounds, chances, drawstyle=style, color=ORANGE, linewidth=1.8)
    axes.set_xlim(0, session.rounds)
    axes.set_ylim(0, min(1.09, 1.18 * chances[-1]) if chances[-1] > RARE else 0.01)
    axes.annotate(
        f"{_percent(chances[-1])} by round {session.rounds:,}",
        (session.rounds, chances[-1]),
        xytext=(-4, 5),
        textcoords="offset points",
        ha="right",
        bbox=PAPER,
    )
    bankroll, stake = money.full(session.bankroll or 0), money.short(session.stake or 0)
    title = f"Ruin: less than the stake of {stake} left of a bankroll of {bankroll}"
    if not session.stake:
        title = f"Ruin: a bankroll of {bankroll} that cannot pay its losses"
    axes.set_title(title, loc="left")
    axes.set_xlabel("rounds")
    axes.set_ylabel("probability so far")
    axes.locator_params(axis="x", integer=True)
    axes.xaxis.set_major_formatter(lambda number, _: f"{number:,.0f}")
    axes.yaxis.set_major_formatter(lambda share, _: _percent(share))
    axes.grid(axis="y")


def _percent(share: float) -> str:
    """Format a share with enough digits to distinguish it from zero."""
    if 0 < share < RARE:
        return "under 0.0001%"
    if 0.99995 <= share < 1 - 1e-9:  # noqa: PLR2004  it would be written as 100%
        return "over 99.99%"
    text = f"{share:.4%}" if share < 0.001 else f"{share:.2%}"  # noqa: PLR2004
    return re.sub(r"\.?0+%$", "%", text) if "." in text else text
