"""A property that is worked out once and then kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

__all__ = ["once"]

if TYPE_CHECKING:
    from collections.abc import Callable

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as once
else:

    class once:  # noqa: N801  as the decorator it is
        """What Python has from 3.12 on: before, a lock takes longer than most of what is kept.

        For what is made anew with every step of a round; elsewhere Python's own does.
        """

        def __init__(self, work: Callable[[Any], Any]) -> None:
            self._work, self._name, self.__doc__ = work, work.__name__, work.__doc__

        def __get__(self, owner: Any, _: type | None = None) -> Any:  # noqa: ANN401  the property's
            """Work it out: what is kept is found before this is asked."""
            if owner is None:
                return self
            value = vars(owner)[self._name] = self._work(owner)
            return value
