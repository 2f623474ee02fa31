"""Cards as numbers: 0 to 51, rank by rank from the aces, each rank in four suits."""

import numpy as np
from numba import njit

from pitboss.kernels.chance import Int

VALUES = 10  # from 0 (ace) to 9 (ten)
_TEN = 9


@njit(cache=True, nogil=True, inline="always")
def value_of(card: Int) -> Int:
    """Return the value of a card: 0 for an ace, 9 for every ten."""
    return min(np.int64(card) >> 2, _TEN)
