"""The configuration of live tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pitboss.tables.timestamps import DAY

LARGE_WIN: Final = 100_000_00
"""A win of at least this many cents is a significant event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealingConfig:
    """The configuration of all tables of a server."""

    address: str | None = None  # where other processes redirect players of our tables
    lease_ms: int = 10_000
    idle_seat_ms: int = 600_000
    large_win: int = LARGE_WIN
    expire_ms: int = 7 * DAY  # unused tables are closed after this time; 0: never
