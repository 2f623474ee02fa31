"""Report that Numba is compiling our kernels, which takes many seconds, once for each version."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from numba.core import event

if TYPE_CHECKING:
    from numba.core.event import Event

log = logging.getLogger("pitboss.kernels")


class CompileListener(event.Listener):
    """Count the functions that are compiled, and log a message when the first one starts.

    A function that is loaded from the cache does not count. Numba compiles one function at a time,
    together with the functions that it calls.
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
        """Count one of our functions; a warning is shown even if logging is not configured."""
        if not _is_ours(found):
            return
        if self.functions == 0:
            log.warning(self._message)
        self.functions += 1
        self._unfinished += 1

    def on_end(self, found: Event) -> None:
        """Record that one of our functions is compiled, or that compiling it failed."""
        self._unfinished -= _is_ours(found)


def _is_ours(found: Event) -> bool:
    module: str = found.data["dispatcher"].py_func.__module__
    return module.startswith("pitboss.")
