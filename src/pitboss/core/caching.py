"""A cached property without a lock, on every supported Python version."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING:
    from collections.abc import Callable

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:  # noqa: N801  named like the decorator of functools
        """A copy of ``functools.cached_property`` of Python 3.12, which has no lock.

        In Python 3.11 the lock costs more than most of the computed values. Use this class for
        objects that every step of a round creates, and functools elsewhere.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self._function, self._name = function, function.__name__
            self.__doc__ = function.__doc__

        def __get__(self, owner: Any, _: type | None = None) -> Any:  # noqa: ANN401  any property
            """Compute and store the value. Python calls this only if no value is stored yet."""
            if owner is None:
                return self
            value = vars(owner)[self._name] = self._function(owner)
            return value
