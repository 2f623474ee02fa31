"""The strategy card as an SVG that prints on one sheet of A4 or letter paper.

The file contains no font, so every line leaves room for the widest of the usual fonts.
"""

from __future__ import annotations

from html import escape
from math import log10
from typing import TYPE_CHECKING

from pitboss.strategy import text as t
from pitboss.strategy.widths import wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pitboss.strategy.cards import Data

WIDE, HIGH = 794, 1123  # A4 in CSS pixels; what letter paper cuts off is margin
LEFT, RIGHT, TOP = 44, 750, 40
ROW, COLUMN, NAME = 25, 28, 62
INK, QUIET, LINE = "#1a1a1a", "#555555", "#8a8a8a"

FILLS = {"S": "#f7e08b", "H": "#ffffff", "Dh": "#8fc7ee", "Ds": "#8fc7ee", "P": "#00644b"}
INKS = {"P": "#ffffff"}
"""Colors that differ in lightness too; every cell has its letters."""

FONT = "font-family=\"'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif\""
BAR = 96
RULE = 12.5


class Sheet:
    """Shapes on a page, from the top down."""

    def __init__(self) -> None:
        self.shapes: list[str] = []
        self.y = float(TOP)

    def write(  # noqa: PLR0913  a text, where and how
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 12,
        bold: bool = False,
        fill: str = INK,
        anchor: str = "start",
    ) -> None:
        weight = ' font-weight="700"' if bold else ""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.shapes.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{weight}{place}>'
            f"{escape(text)}</text>"
        )

    def box(self, x: float, y: float, wide: float, high: float, fill: str) -> None:
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" fill="{fill}"'
            f' stroke="{LINE}" stroke-width="0.7"/>'
        )

    def rule(self, y: float) -> None:
        self.shapes.append(f'<line x1="{LEFT}" y1="{y:g}" x2="{RIGHT}" y2="{y:g}" stroke="{INK}"/>')

    def heading(self, text: str) -> None:
        self.y += 16
        self.write(LEFT, self.y, text, size=15, bold=True)
        self.y += 5
        self.rule(self.y)
        self.y += 15

    def paragraph(
        self, text: str, *, size: float = 11, wide: float = RIGHT - LEFT, fill: str = INK
    ) -> None:
        for line in wrap(text, wide, size):
            self.write(LEFT, self.y, line, size=size, fill=fill)
            self.y += size * 1.4

    def svg(self, name: str) -> str:
        high = max(HIGH, round(self.y) + TOP)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="210mm"'
            f' height="{high / WIDE * 210:g}mm"'
            f' viewBox="0 0 {WIDE} {high}" role="img" aria-label="{escape(name)}" {FONT}>\n'
            f"<title>{escape(name)}</title>\n"
            f'<rect width="{WIDE}" height="{high}" fill="#ffffff"/>\n'
            + "\n".join(self.shapes)
            + "\n</svg>\n"
        )


def render_svg(data: Data) -> str:
    """Return a card as a page of SVG."""
    sheet = Sheet()
    sheet.y += 14
    sheet.write(LEFT, sheet.y, t.title(data), size=25, bold=True)
    sheet.y += 20
    sheet.paragraph(t.in_force(data), size=10.5, fill=QUIET)
    (_roll if "setting" in data else _toss)(sheet, data)
    return sheet.svg(t.title(data))


def _roll(sheet: Sheet, data: Data) -> None:
    _setting(sheet, data)
    sheet.heading("How to play the hands")
    _charts(sheet, data)
    sheet.paragraph(t.playing_cost(data), size=10.5)
    sheet.heading("Exceptions that matter")
    for row in data["playing"]["exceptions"]:
        sheet.paragraph(f"•  {t.exception(row)}")
    sheet.paragraph(t.exceptions_head(data), size=10, fill=QUIET)
    sheet.y += 8
    sheet.rule(sheet.y)
    sheet.y += 16
    sheet.paragraph(data["insurance"]["text"], size=10.5)
    sheet.paragraph(t.together(data), size=10.5)


def _setting(sheet: Sheet, data: Data) -> None:
    sheet.heading("How to set three cards")
    top = sheet.y
    middle = RIGHT - 214
    for line in (t.HOW, t.TENS):
        sheet.paragraph(line, size=10.5, wide=middle - LEFT, fill=QUIET)
    sheet.y += 5
    for number, rule in enumerate(data["setting"]["lines"], 1):
        sheet.write(LEFT + 18, sheet.y, f"{number}", bold=True, anchor="end")
        for line in wrap(rule["text"], middle - LEFT - 28, RULE):
            sheet.write(LEFT + 28, sheet.y, line, size=RULE)
            sheet.y += 18.5
    low = _ladder(sheet, data, middle + 22, top)
    sheet.y = max(sheet.y, low) + 3
    sheet.paragraph(t.setting_cost(data), size=10.5)


def _ladder(sheet: Sheet, data: Data, x: float, y: float) -> float:
    """Draw what lists of each length cost, on a log scale; return where it ends."""
    ladder = data["setting"]["ladder"]
    sheet.write(x, y, "Lines", size=10.5, bold=True)
    sheet.write(RIGHT, y, "cost, % of the stake", size=10.5, bold=True, anchor="end")
    shares = [max(rung["cost"]["of_stake"], 1e-9) for rung in ladder]
    lowest = log10(min(shares)) - 0.3
    for rung, share in zip(ladder, shares, strict=True):
        y += 16
        ours = rung["is_the_card"]
        wide = BAR * (log10(share) - lowest) / max(log10(max(shares)) - lowest, 0.1)
        sheet.write(x + 14, y, str(rung["lines"]), size=10.5, bold=ours, anchor="end")
        sheet.box(x + 24, y - 9, wide, 10, FILLS["Dh"] if ours else "#e4e4e4")
        cost = f"{100 * rung['cost']['of_stake']:.4f}"
        sheet.write(RIGHT, y, cost, size=10.5, bold=ours, anchor="end")
    sheet.write(x, y + 14, "bars on a log scale; blue: this card", size=8.5, fill=QUIET)
    return y + 26


def _charts(sheet: Sheet, data: Data) -> None:
    """Draw hard and soft totals on the left, pairs and the legend on the right."""
    top, right = sheet.y - 4, LEFT + NAME + 10 * COLUMN + 22
    low = _chart(sheet, data, "hard", LEFT, top)
    low = _chart(sheet, data, "soft", LEFT, low + 8)
    other = _chart(sheet, data, "pair", right, top)
    other = _legend(sheet, data, right, other + 10)
    sheet.y = max(low, other) + 16


def _chart(sheet: Sheet, data: Data, kind: str, x: float, y: float) -> float:
    lines = t.rows(data, kind)
    if not lines:
        return y
    sheet.write(x, y + 17, t.TITLES[kind].removesuffix(" totals"), size=11.5, bold=True)
    _cells(sheet, x, y, map(t.label, data["playing"]["chart"]["up_cards"]), head=True)
    for name, cells in lines:
        y += ROW
        sheet.write(x + NAME - 8, y + 17, name, size=12, bold=True, anchor="end")
        _cells(sheet, x, y, cells)
    return y + ROW


def _cells(sheet: Sheet, x: float, y: float, cells: Iterable[str], *, head: bool = False) -> None:
    for number, cell in enumerate(cells):
        at = x + NAME + number * COLUMN
        if not head:
            sheet.box(at, y, COLUMN, ROW, FILLS[cell])
        ink = INK if head else INKS.get(cell, INK)
        sheet.write(at + COLUMN / 2, y + 17, cell, size=12, bold=head, fill=ink, anchor="middle")


def _legend(sheet: Sheet, data: Data, x: float, y: float) -> float:
    for code, text in t.used(data).items():
        sheet.box(x + NAME, y, COLUMN, 19, FILLS[code])
        ink = INKS.get(code, INK)
        sheet.write(x + NAME + COLUMN / 2, y + 14, code, size=11, fill=ink, anchor="middle")
        sheet.write(x + NAME + COLUMN + 9, y + 14, text, size=11)
        y += 23
    return y


def _toss(sheet: Sheet, data: Data) -> None:
    toss, lucky3 = data["toss"], data["lucky3"]
    sheet.heading("The toss")
    sheet.y += 6
    sheet.paragraph(toss["rule"], size=17)
    sheet.y += 2
    sheet.paragraph(f"{toss['why']} {toss['equal']}", size=12, fill=QUIET)
    sheet.y += 8
    sheet.heading("Lucky 3")
    sheet.y += 4
    sheet.paragraph(lucky3["rule"], size=13)
    for family in lucky3["families"]:
        sheet.y += 12
        sheet.write(LEFT, sheet.y, family["name"].capitalize(), size=13, bold=True)
        for row in family["keep"]:
            sheet.y += 24
            fill = {1: FILLS["Dh"], 2: FILLS["S"]}.get(row["rank"], FILLS["H"])
            sheet.box(LEFT, sheet.y - 16, 420, 24, fill)
            sheet.write(LEFT + 12, sheet.y, str(row["rank"]), size=13, bold=True)
            sheet.write(LEFT + 40, sheet.y, row["text"], size=13)
            sheet.write(LEFT + 408, sheet.y, row["pays"], size=13, anchor="end")
        sheet.y += 20
