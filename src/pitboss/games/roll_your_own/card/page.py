"""The strategy card of Roll Your Own Blackjack as HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pitboss.games.roll_your_own.card import text as t
from pitboss.strategy.charts import html_tables
from pitboss.strategy.page import paragraph, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.strategy.cards import Data


def html_blocks(data: Data) -> Iterator[str]:
    """Yield the blocks of the card as HTML."""
    yield "<h2>How to set three cards</h2>"
    yield paragraph(f"{t.HOW} {t.TENS}", "quiet")
    lines = "".join(f"<li>{escape(rule['text'])}</li>\n" for rule in data["setting"]["lines"])
    yield f'<ol class="rules">\n{lines}</ol>'
    yield paragraph(t.setting_cost(data))
    yield "<h2>How to play the hands</h2>"
    yield html_tables(data["playing"]["chart"])
    yield paragraph(t.playing_cost(data))
    yield "<h2>Exceptions that matter</h2>"
    apart = "".join(f"<li>{escape(t.exception(e))}</li>\n" for e in data["playing"]["exceptions"])
    yield f"<ul>\n{apart}</ul>" if apart else ""
    yield paragraph(t.exceptions_head(data), "quiet")
    yield paragraph(data["insurance"]["text"])
    yield "<h2>The ladder: shorter and longer lists</h2>"
    yield _ladder(data)
    yield paragraph(t.together(data))


def _ladder(data: Data) -> str:
    return table(
        "ladder",
        ("Lines", "% of stake", "The list, first choice first"),
        (
            (
                ' class="ours"' if rung["is_the_card"] else "",
                str(rung["lines"]),
                f"{100 * rung['cost']['of_stake']:.5f}",
                t.rung_line(rung),
            )
            for rung in data["setting"]["ladder"]
        ),
    )
