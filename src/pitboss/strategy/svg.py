"""The strategy card as an SVG that prints on one sheet of A4 or letter paper.

The file contains no font, so every line leaves room for the widest of the usual fonts.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pitboss.strategy import text as t
from pitboss.strategy.cards import part_of
from pitboss.strategy.widths import wrap

if TYPE_CHECKING:
    from pitboss.strategy.cards import Data

PAGE_WIDTH, PAGE_HEIGHT = 794, 1123  # A4 in CSS pixels; letter paper cuts off only the margin
LEFT, RIGHT, TOP = 44, 750, 40
INK, QUIET, LINE = "#1a1a1a", "#555555", "#8a8a8a"

FILLS = {
    "S": "#f7e08b",
    "H": "#ffffff",
    "Dh": "#8fc7ee",
    "Ds": "#8fc7ee",
    "P": "#00644b",
    "R": "#7a2d6e",
}
INKS = {"P": "#ffffff", "R": "#ffffff"}
"""The colors also differ in lightness, and every cell has letters."""

FONT = "font-family=\"'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif\""


class Sheet:
    """A page that is filled with shapes from top to bottom."""

    def __init__(self) -> None:
        self.shapes: list[str] = []
        self.y = float(TOP)

    def write(  # noqa: PLR0913  text, position and style
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
        high = max(PAGE_HEIGHT, round(self.y) + TOP)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="210mm"'
            f' height="{high / PAGE_WIDTH * 210:g}mm"'
            f' viewBox="0 0 {PAGE_WIDTH} {high}" role="img" aria-label="{escape(name)}" {FONT}>\n'
            f"<title>{escape(name)}</title>\n"
            f'<rect width="{PAGE_WIDTH}" height="{high}" fill="#ffffff"/>\n'
            + "\n".join(self.shapes)
            + "\n</svg>\n"
        )


def render_svg(data: Data) -> str:
    """Return a card as an SVG page."""
    sheet = Sheet()
    sheet.y += 14
    sheet.write(LEFT, sheet.y, t.title(data), size=25, bold=True)
    sheet.y += 20
    sheet.paragraph(t.in_force(data), size=10.5, fill=QUIET)
    part_of(data).draw(sheet, data)
    return sheet.svg(t.title(data))
