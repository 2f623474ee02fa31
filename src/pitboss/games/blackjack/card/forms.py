"""The strategy card of blackjack as text, SVG and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.strategy.charts import draw_tables, html_tables, text_tables
from pitboss.strategy.page import paragraph
from pitboss.strategy.svg import LEFT, QUIET
from pitboss.strategy.text import wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.strategy.cards import Data
    from pitboss.strategy.svg import Sheet

HEADING = "How to play a hand"
FIRST = {"surrender": "the surrender", "pair": "the pair"}
SURRENDER = "You can surrender only your first two cards. "
TENS = "10 is any 10, J, Q or K."


def how(data: Data) -> str:
    """Return the order in which to read the tables."""
    first = [name for kind, name in FIRST.items() if data["chart"][kind]]
    order = f"Look up {', then '.join([*first, 'the total'])}. " if first else ""
    order += SURRENDER if data["chart"]["surrender"] else ""
    return f"{order}A total is soft if an ace counts 11. {TENS}"


def worth(data: Data) -> str:
    """Return a sentence on the value of the card and its cost."""
    ev = data["ev"]
    return (
        f"With this card the Main bet is worth {ev['card']:+.4%} of the stake. The best play of"
        f" every hand by its cards brings {ev['best']:+.4%}, so the card costs {data['cost']:.4%}."
        " All figures are exact, for a player alone, with a fresh shuffle before every round."
    )


def text_lines(data: Data) -> Iterator[str]:
    """Yield the lines of the card as plain text."""
    yield ""
    yield HEADING.upper()
    yield from wrap(how(data))
    yield ""
    yield from text_tables(data["chart"])
    yield ""
    yield from wrap(data["insurance"]["text"])
    yield from wrap(worth(data))


def draw(sheet: Sheet, data: Data) -> None:
    """Draw the card on a sheet."""
    sheet.heading(HEADING)
    sheet.paragraph(how(data), size=10.5, fill=QUIET)
    sheet.y += 4
    draw_tables(sheet, data["chart"], LEFT)
    sheet.rule(sheet.y)
    sheet.y += 16
    sheet.paragraph(data["insurance"]["text"], size=10.5)
    sheet.paragraph(worth(data), size=10.5)


def html_blocks(data: Data) -> Iterator[str]:
    """Yield the blocks of the card as HTML."""
    yield f"<h2>{HEADING}</h2>"
    yield paragraph(how(data), "quiet")
    yield html_tables(data["chart"])
    yield paragraph(data["insurance"]["text"])
    yield paragraph(worth(data))
