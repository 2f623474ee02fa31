"""Charts of the plays of 21 by up card, in every format of a card.

A chart is data: ``up_cards``, and the tables ``hard``, ``soft``, ``pair`` and ``surrender``, each
with the codes of its rows by up card. A game may leave out a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.strategy.svg import FILLS, INK, INKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pitboss.strategy.cards import Data
    from pitboss.strategy.svg import Sheet

TITLES = {
    "hard": "Hard totals",
    "soft": "Soft totals",
    "pair": "Pairs",
    "surrender": "Surrender",
}
LEGEND = {
    "S": "stand",
    "H": "hit",
    "Dh": "double, if not allowed hit",
    "Ds": "double, if not allowed stand",
    "P": "split",
    "R": "surrender",
}
CELL = 4  # characters
ROW, COLUMN, NAME = 25, 28, 62  # pixels


def label(name: str) -> str:
    """Return a card as players say it."""
    return name.replace("T", "10")


def rows(chart: Data, kind: str) -> list[tuple[str, list[str]]]:
    """Return the rows of a table of the chart; equal neighbors are merged."""
    found: list[tuple[str, str, list[str]]] = []
    for name, cells in chart.get(kind, {}).items():
        if found and kind in {"hard", "soft"} and found[-1][2] == cells:
            found[-1] = found[-1][0], name, cells
        else:
            found.append((name, name, cells))
    return [(_row_label(kind, first, last), cells) for first, last, cells in found]


def _row_label(kind: str, first: str, last: str) -> str:
    if kind == "pair":
        return f"{label(first)}-{label(first)}"
    return first if first == last else f"{first}-{last}"


def used(chart: Data) -> dict[str, str]:
    """Return the codes used in a chart, with their meanings."""
    cells = {c for kind in TITLES for codes in chart.get(kind, {}).values() for c in codes}
    return {code: text for code, text in LEGEND.items() if code in cells}


# --- text


def text_tables(chart: Data) -> Iterator[str]:
    """Yield the tables of a chart and the legend as lines of text."""
    for kind in TITLES:
        yield from _text_table(chart, kind)
    yield from (f"  {code:<3} {text}" for code, text in used(chart).items())


def _text_table(chart: Data, kind: str) -> Iterator[str]:
    lines = rows(chart, kind)
    if not lines:
        return
    ups = "".join(f"{label(up):>{CELL}}" for up in chart["up_cards"])
    yield f"{TITLES[kind] + ' v':<14}{ups}"
    for row, cells in lines:
        yield f"{row:<14}" + "".join(f"{code:>{CELL}}" for code in cells)
    yield ""


# --- HTML


def html_tables(chart: Data) -> str:
    """Return the tables of a chart and the legend as HTML, in two columns."""
    totals, others = (
        "".join(_html_table(chart, kind) for kind in kinds)
        for kinds in (("hard", "soft"), ("pair", "surrender"))
    )
    return f'<div class="charts"><div>{totals}</div><div>{others}{_html_legend(chart)}</div></div>'


def _html_table(chart: Data, kind: str) -> str:
    lines = rows(chart, kind)
    if not lines:
        return ""
    ups = "".join(f'<th scope="col">{label(up)}</th>' for up in chart["up_cards"])
    body = "".join(
        f'<tr><th scope="row">{name}</th>'
        + "".join(f'<td class="{code}">{code}</td>' for code in cells)
        + "</tr>\n"
        for name, cells in lines
    )
    return (
        f'<table class="chart">\n<caption>{TITLES[kind]}, by the dealer\'s up card</caption>\n'
        f'<thead><tr><th scope="col">You</th>{ups}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>\n"
    )


def _html_legend(chart: Data) -> str:
    keys = "".join(
        f'<li><span class="{code}">{code}</span>{text}</li>\n' for code, text in used(chart).items()
    )
    return f'<ul class="legend">\n{keys}</ul>'


# --- SVG


def draw_tables(sheet: Sheet, chart: Data, left: float) -> None:
    """Draw the tables of totals on the left, the others and the legend on the right."""
    top, right = sheet.y - 4, left + NAME + 10 * COLUMN + 22
    low = _draw_table(sheet, chart, "hard", left, top)
    low = _draw_table(sheet, chart, "soft", left, low + 8)
    other = _draw_table(sheet, chart, "pair", right, top)
    if chart.get("surrender"):
        other = _draw_table(sheet, chart, "surrender", right, other + 8)
    other = _draw_legend(sheet, chart, right, other + 10)
    sheet.y = max(low, other) + 16


def _draw_table(sheet: Sheet, chart: Data, kind: str, x: float, y: float) -> float:
    lines = rows(chart, kind)
    if not lines:
        return y
    sheet.write(x, y + 17, TITLES[kind].removesuffix(" totals"), size=11.5, bold=True)
    _draw_cells(sheet, x, y, map(label, chart["up_cards"]), head=True)
    for name, cells in lines:
        y += ROW
        sheet.write(x + NAME - 8, y + 17, name, size=12, bold=True, anchor="end")
        _draw_cells(sheet, x, y, cells)
    return y + ROW


def _draw_cells(
    sheet: Sheet, x: float, y: float, cells: Iterable[str], *, head: bool = False
) -> None:
    for number, cell in enumerate(cells):
        at = x + NAME + number * COLUMN
        if not head:
            sheet.box(at, y, COLUMN, ROW, FILLS.get(cell, FILLS["H"]))
        ink = INK if head else INKS.get(cell, INK)
        sheet.write(at + COLUMN / 2, y + 17, cell, size=12, bold=head, fill=ink, anchor="middle")


def _draw_legend(sheet: Sheet, chart: Data, x: float, y: float) -> float:
    for code, text in used(chart).items():
        sheet.box(x + NAME, y, COLUMN, 19, FILLS[code])
        ink = INKS.get(code, INK)
        sheet.write(x + NAME + COLUMN / 2, y + 14, code, size=11, fill=ink, anchor="middle")
        sheet.write(x + NAME + COLUMN + 9, y + 14, text, size=11)
        y += 23
    return y
