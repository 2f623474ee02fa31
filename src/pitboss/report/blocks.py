"""The blocks of a section: plain data that both the HTML and the PDF template render.

Text is a list of spans. A span is a style (plain, ``code``, ``bold``, ``sub`` or ``break``) and its
words. A cell is a list of spans and a cell style: ``bad`` and ``good`` are highlighted, ``force``
marks the rules in force.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Block: TypeAlias = dict[str, Any]
Cell: TypeAlias = dict[str, Any]
Spans: TypeAlias = list[list[str]]

_MARKS = re.compile(r"(\*\*.+?\*\*|`.+?`|~.+?~)")


def spans(marked: str) -> Spans:
    """Parse text with the marks ``**bold**``, `code` and ``~sub~``.

    >>> spans("set **`decks`** or `seats`")
    [['', 'set '], ['bold', '`decks`'], ['', ' or '], ['code', 'seats']]
    """
    return [_span(part) for part in _MARKS.split(marked) if part]


def _span(part: str) -> list[str]:
    if part.startswith("**"):
        return ["bold", part[2:-2]]
    styles = {"`": "code", "~": "sub"}
    return [styles[part[0]], part[1:-1]] if part[0] in styles else ["", part]


def text(marked: str) -> Block:
    return {"kind": "text", "spans": spans(marked)}


def formula(marked: str) -> Block:
    return {"kind": "formula", "spans": spans(marked)}


def heading(title: str) -> Block:
    return {"kind": "heading", "text": title}


def note(tone: str, title: str, *paragraphs: str) -> Block:
    """Return a boxed note; its tone is ``warning`` or ``info``."""
    return {"kind": "note", "tone": tone, "title": title, "paragraphs": [*map(spans, paragraphs)]}


def cell(words: str, style: str = "") -> Cell:
    """Return a cell of plain text."""
    return {"spans": [["", words]], "style": style}


def code(words: str, style: str = "") -> Cell:
    return {"spans": [["code", words]], "style": style}


def marked_cell(*lines: str, style: str = "") -> Cell:
    """Return a cell with one or more lines of marked text."""
    joined: Spans = []
    for line in lines:
        joined += [["break", ""]] if joined else []
        joined += spans(line)
    return {"spans": joined, "style": style}


def facts(*rows: tuple[str, Cell]) -> Block:
    """Return a list of names with their values."""
    return {"kind": "facts", "rows": [{"name": name, "cell": value} for name, value in rows]}


def table(
    caption: str,
    columns: str,
    titles: Iterable[str],
    rows: Iterable[list[Cell]],
    total: list[Cell] | None = None,
) -> Block:
    """Return a table; *columns* has a letter for each column: l (left), r (right) or w (wide).

    If the last column is wide, cells are stacked on a narrow page. A table without a wide column
    is compact.
    """
    layout = "stack" if columns.endswith("w") else "" if "w" in columns else "snug"
    return {
        "kind": "table",
        "layout": layout,
        "caption": caption,
        "columns": list(columns),
        "titles": list(titles),
        "rows": list(rows),
        "total": total,
    }


def figure(name: str, caption: str, alt: str) -> Block:
    return {"kind": "figure", "name": name, "caption": caption, "alt": alt}


def pair(*blocks: Block) -> Block:
    """Put two blocks next to each other if there is room."""
    return {"kind": "pair", "blocks": list(blocks)}


def flatten(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield each block; a pair yields its two blocks."""
    for block in blocks:
        yield from block["blocks"] if block["kind"] == "pair" else [block]


def number(sections: Iterable[Block]) -> None:
    """Number the tables and figures consecutively through all sections."""
    counts = {"table": 0, "figure": 0}
    for section in sections:
        for block in flatten(section["blocks"]):
            if block["kind"] in counts:
                counts[block["kind"]] += 1
                block["number"] = counts[block["kind"]]
