"""Paged lists: newest first, each page with the cursor of the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import literal, tuple_

from pitboss.core.errors import NotationError, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement

MOST_ROWS: Final = 10_000


def page_size(limit: int) -> int:
    return max(1, min(limit, MOST_ROWS))


def page(rows: Sequence[Any], limit: int, *cursor: str) -> tuple[Sequence[Any], str | None]:
    """Return a page and the next cursor; *rows* has one extra row if another page follows."""
    size = page_size(limit)
    if len(rows) <= size:
        return rows, None
    last = rows[size - 1]
    return rows[:size], ":".join(str(getattr(last, name)) for name in cursor)


def behind(before: str | None, place: Sequence[ColumnElement[Any]]) -> list[ColumnElement[bool]]:
    """Return the condition for rounds after a cursor; *place* has time, table and number."""
    if before is None:
        return []
    found = before.split(":")
    if len(found) != 3:  # noqa: PLR2004  time, table, round
        raise _not_a_cursor(before)
    last = literal(whole(found[0])), literal(found[1]), literal(whole(found[2]))
    if len(place) == 1:  # for a single table the number is enough
        return [place[0] < last[2]]
    return [tuple_(*place) < tuple_(*last)]


def whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):  # noqa: PLR2004  longer than any time
        raise _not_a_cursor(text)
    return int(text)


def _not_a_cursor(text: str) -> NotationError:
    return NotationError(
        f"{shown(text)} is not a cursor of this list: use the 'before' of the previous page"
    )
