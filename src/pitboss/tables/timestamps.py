"""Times: milliseconds since 1970 in the records, ISO 8601 for people and files."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

MINUTE: Final = 60_000
DAY: Final = 24 * 60 * MINUTE


def iso(milliseconds: int) -> str:
    """Format a time.

    >>> iso(1_700_000_000_123)
    '2023-11-14T22:13:20.123Z'
    """
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second(seconds)}.{rest:03}Z"


def iso_or_none(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else iso(milliseconds)


@lru_cache(maxsize=1024)  # many records share the same second
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
