"""The strategy card of Roll Your Own Blackjack, drawn on a sheet."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING

from pitboss.games.roll_your_own.card import text as t
from pitboss.strategy.charts import draw_tables
from pitboss.strategy.svg import FILLS, LEFT, QUIET, RIGHT
from pitboss.strategy.widths import wrap

if TYPE_CHECKING:
    from pitboss.strategy.cards import Data
    from pitboss.strategy.svg import Sheet

BAR = 96
RULE = 12.5


def draw(sheet: Sheet, data: Data) -> None:
    """Draw the card on a sheet."""
    _setting(sheet, data)
    sheet.heading("How to play the hands")
    draw_tables(sheet, data["playing"]["chart"], LEFT)
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
    """Draw the cost of lists of each length on a log scale; return the y coordinate of the end."""
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
