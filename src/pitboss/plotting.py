"""The common style of all plots: the colors, and SVG with the same bytes for the same data.

The colors are Okabe and Ito's, which people with any color vision can distinguish; a shape, a line
or a word repeats the meaning of each color. Text is drawn as outlines, so viewers need no fonts.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PINK, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8A8A8A"
INK, FAINT = "#222222", "#DDDDDD"
LINES = (BLUE, ORANGE, GREEN, PINK, "#56B4E9", "#E69F00")

STYLE: Any = {  # Any: matplotlib types the keys as literals
    "svg.fonttype": "path",
    "svg.hashsalt": "pitboss",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 8.5,
}


@contextmanager
def style(more: Any = None) -> Iterator[None]:  # noqa: ANN401  as STYLE
    """Draw in the common style plus *more*, ignoring this machine's matplotlib settings."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE | (more or {}))
        yield


def svg_of(figure: Figure, name: str, title: str | None = None) -> str:
    """Return a figure as SVG for embedding in a page, without header and with unique ids."""
    file = io.StringIO()
    about = {"Date": None, "Creator": None} | ({"Title": title} if title else {})
    figure.savefig(file, format="svg", metadata=about)
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    return re.sub(r'(\bid="|"#|url\(#)', rf"\g<1>{name}-", svg)
