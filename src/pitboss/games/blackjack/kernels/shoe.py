"""The shoe of one round of blackjack, dealt in a lane of the arrays of ``deal_ahead``."""

import numpy as np
from numba import njit

from pitboss.games.blackjack.kernels.layout import PER_WORD, SIZE
from pitboss.kernels.arrays import Bytes, Counts
from pitboss.kernels.chance import BLOCK, Int, Places, deal_more

_2, _3, _16 = np.uint32(2), np.uint32(3), np.uint32(16)
_SUITS = 4


@njit(cache=True, nogil=True, inline="always")
def per_rank_of(size: Int) -> Int:
    """Return 2^16 divided by the cards of a rank, rounded up."""
    of_rank = size // 13
    return np.uint32((65535 + of_rank) // of_rank)


@njit(cache=True, nogil=True, inline="always")
def card_of(place: Int, per_rank: Int) -> Int:
    """Return the card, 0 to 51, at a place of a shoe in order: rank by rank, suits in turn."""
    rank = np.uint32(np.uint32(place) * np.uint32(per_rank)) >> _16
    return np.uint32(rank << _2) | (np.uint32(place) & _3)


@njit(cache=True, nogil=True)
def place_more(
    key: Int,
    number: Int,
    lane: Int,
    placed: Int,
    options: Counts,
    swaps: Places,
    held: Places,
    deck: Bytes,
) -> Int:
    """Deal more cards in a lane; return how many cards are then in their places."""
    size, draws = options[SIZE], options[PER_WORD]
    a, b, c, d = deal_more(key, number, placed, size, draws, swaps[:, lane], held[:, lane])
    per_rank = per_rank_of(size)
    deck[placed, lane], deck[placed + 1, lane] = card_of(a, per_rank), card_of(b, per_rank)
    if draws == BLOCK:
        deck[placed + 2, lane] = card_of(c, per_rank)
        deck[placed + 3, lane] = card_of(d, per_rank)
    return placed + draws
