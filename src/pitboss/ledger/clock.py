"""The clock that sets the times of the records."""

from __future__ import annotations

import time


def now() -> int:
    """Return the system time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000
