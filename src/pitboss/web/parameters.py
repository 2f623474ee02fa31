"""Parameters that several routes take."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Path, Query

LONGEST_LIST: Final = 500

Before = Annotated[str | None, Query(max_length=100)]
Most = Annotated[int, Query(ge=1, le=LONGEST_LIST)]
RoundNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
