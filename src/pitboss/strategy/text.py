"""The strategy card as plain text, and the text that all formats share."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pitboss.strategy.cards import part_of

if TYPE_CHECKING:
    from pitboss.strategy.cards import Data

WIDTH = 92
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


def render_text(data: Data) -> str:
    """Return a card for a terminal or a plain file."""
    lines = [title(data), *wrap(in_force(data)), *part_of(data).text_lines(data)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def wrap(text: str, width: int = WIDTH) -> list[str]:
    """Wrap a text, but never at hyphens or no-break spaces."""
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    return [line.replace(NO_BREAK_SPACE, " ") for line in lines]


def title(data: Data) -> str:
    return f"{data['name']}: strategy card"


def in_force(data: Data) -> str:
    """Describe the rules of the card."""
    changes = ", ".join(data["changes"])
    rules = f"Rules: the defaults with {changes}." if changes else "Rules: the defaults."
    return f"{rules} Digest {data['digest'][:16]}."
