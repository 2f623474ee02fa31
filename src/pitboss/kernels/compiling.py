"""Tell people that Numba compiles our kernels: it takes many seconds, once for each version."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from numba.core import event

if TYPE_CHECKING:
    from numba.core.event import Event

log = logging.getLogger("pitboss.kernels")


class Compiling(event.Listener):
    """Counts the functions that are compiled, and logs a message when the first one starts.

    A function that is loaded from the cache does not count. Numba compiles one function at a time,
    with those that it calls inside.
    """

    def __init__(self, message: str) -> None:
        self.functions = 0
        self._message = message
        self._unfinished = 0

    @property
    def is_active(self) -> bool:
        """Whether a function is being compiled now."""
        return self._unfinished > 0

    def on_start(self, found: Event) -> None:
        """Count a function of ours; the log shows warnings even if nobody has set it up."""
        if not _is_ours(found):
            return
        if self.functions == 0:
            log.warning(self._message)
        self.functions += 1
        self._unfinished += 1

    def on_end(self, found: Event) -> None:
        """Note that a function of ours is compiled, or that compiling it failed."""
        self._unfinished -= _is_ours(found)


def _is_ours(found: Event) -> bool:
    module: str = found.data["dispatcher"].py_func.__module__
    return module.startswith("pitboss.")
