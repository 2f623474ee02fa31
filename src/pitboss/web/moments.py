"""Moments: milliseconds since 1970 in the records, ISO 8601 for people and files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

MINUTE: Final = 60_000
DAY: Final = 24 * 60 * MINUTE


def iso(milliseconds: int) -> str:
    """Write a moment.

    >>> iso(1_700_000_000_123)
    '2023-11-14T22:13:20.123Z'
    """
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
