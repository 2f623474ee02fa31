"""Launch the kernels of the games on a graphics card, one thread per round.

A game's CUDA kernel calls the same functions as its CPU kernel, compiled for the card. Counts are
whole numbers, so the order of additions does not matter.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import cuda
from numba.core import config
from numpy.typing import NDArray

from pitboss.kernels.arrays import Counts

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # noqa: NPY201  numba-cuda 0.30 uses it

Array = NDArray[Any]

IS_SIMULATED = bool(config.ENABLE_CUDASIM)
BLOCKS = 2 if IS_SIMULATED else 0  # blocks to launch; 0 launches enough to keep the card busy

MOST_PER_BLOCK = 1 << 28
"""Rounds per block in one launch: with at most nine seats, every count fits in 32 bits."""

if IS_SIMULATED:

    def plain(array: Any) -> Array:
        """Return the NumPy array inside the CUDA simulator's array."""
        return np.asarray(array._item._ary)  # noqa: SLF001
else:

    @cuda.jit(device=True)
    def plain(array):
        return array


def is_available() -> bool:
    """Return whether this machine has a usable graphics card."""
    try:
        return bool(cuda.is_available())
    except Exception:  # noqa: BLE001  a broken driver counts as no card
        return False


def name() -> str:
    """Return the name of the card."""
    found = getattr(cuda.get_current_device(), "name", "simulated")
    return found.decode() if isinstance(found, bytes) else str(found)


def jit(registers: int = 0) -> Any:
    """Return the decorator of a kernel; fewer registers allow more threads at the same time."""
    if IS_SIMULATED:
        return cuda.jit
    return cuda.jit(cache=True, max_registers=registers or None)


def blocks(per_core: int) -> int:
    """Return how many blocks of threads keep the card busy."""
    return BLOCKS or per_core * int(cuda.get_current_device().MULTIPROCESSOR_COUNT)


def launch(
    kernel: Any,
    shape: tuple[int, int],
    key: int,
    begin: int,
    end: int,
    tables: Sequence[Array],
    counts: Sequence[Counts],
) -> None:
    """Run a kernel for rounds *begin* to *end*, in several launches if needed; add its counts."""
    there = [cuda.to_device(np.ascontiguousarray(table)) for table in tables]
    sums = [cuda.to_device(np.zeros_like(count)) for count in counts]
    most = shape[0] * MOST_PER_BLOCK
    for first in range(begin, end, most):
        last = min(first + most, end)
        kernel[shape](np.uint64(key), np.int64(first), np.int64(last), *there, *sums)
    for place, total in enumerate(sums):
        counts[place][...] += total.copy_to_host()
