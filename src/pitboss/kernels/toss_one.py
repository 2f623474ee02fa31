"""Counting for Toss One 21."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@njit(cache=True, nogil=True)
def count_dealers(
    players: Counts, dealers: Counts, kinds: Counts, shoe: Counts, out: Counts
) -> None:
    """Count, for every player's hand, the dealer's hands of each kind from what is left.

    ``players[i, v]`` and ``dealers[j, v]`` are how many cards of value *v* a hand holds,
    ``shoe[v]`` how many the shoe holds, ``kinds[j]`` the kind of a dealer's hand; ``out[i, k]``
    is filled. Exact in 64 bits up to eight decks of four-card hands (about 1.2e9 hands).
    """
    values = shoe.shape[0]
    left = np.empty(values, np.int64)
    for i in range(players.shape[0]):
        for value in range(values):
            left[value] = shoe[value] - players[i, value]
        for j in range(dealers.shape[0]):
            ways = 1
            for value in range(values):
                for k in range(dealers[j, value]):
                    ways = ways * (left[value] - k) // (k + 1)
            out[i, kinds[j]] += ways
