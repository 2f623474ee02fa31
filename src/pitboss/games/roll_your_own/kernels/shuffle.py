"""The deck of one round of Roll Your Own, shuffled four cards at a time as they are needed."""

import numpy as np
from numba import njit

from pitboss.games.roll_your_own.kernels.layout import DECK
from pitboss.kernels.arrays import Bytes
from pitboss.kernels.chance import (
    BLOCK,
    Int,
    Words,
    another_word,
    block_of,
    four_draws,
    least_of,
)

AHEAD = 12  # cards dealt to many rounds at a time; few rounds of one seat need more


@njit(cache=True, nogil=True)
def _place(key: Int, number: Int, group: Int, word: Int, deck: Bytes) -> None:
    """Put the four cards of a group in their places."""
    at = BLOCK * group
    left = np.uint32(DECK - at)
    a, b, c, d, rest = four_draws(word, left)
    if rest < np.uint32(DECK**4) and rest < least_of(left, BLOCK):
        word = another_word(key, number, group // BLOCK, group % BLOCK, left, BLOCK)
        a, b, c, d, rest = four_draws(word, left)
    i, j, k, m = at + np.int64(a), at + 1 + np.int64(b), at + 2 + np.int64(c), at + 3 + np.int64(d)
    deck[at], deck[i] = deck[i], deck[at]
    deck[at + 1], deck[j] = deck[j], deck[at + 1]
    deck[at + 2], deck[k] = deck[k], deck[at + 2]
    deck[at + 3], deck[m] = deck[m], deck[at + 3]


@njit(cache=True, nogil=True)
def lay_out(key: Int, number: Int, words: Words, deck: Bytes) -> None:
    """Shuffle the first cards of a fresh deck; *words* are the first block of the round."""
    for card in range(DECK):
        deck[card] = card
    for group in range(AHEAD // BLOCK):
        _place(key, number, group, words[group], deck)


@njit(cache=True, nogil=True)
def shuffle_more(key: Int, number: Int, placed: Int, words: Words, deck: Bytes) -> Int:
    """Shuffle four more cards and return how many cards are then in their places."""
    group = placed // BLOCK
    if group % BLOCK == 0:
        words[0], words[1], words[2], words[3] = block_of(
            key, number, np.uint32(0), np.uint32(group // BLOCK)
        )
    _place(key, number, group, words[group % BLOCK], deck)
    return placed + BLOCK


@njit(cache=True, nogil=True, inline="always")
def place_next(
    key: Int, number: Int, whole: Int, dealt: Int, placed: Int, words: Words, deck: Bytes
) -> Int:
    """Shuffle more cards if the next one is not in place yet; return how many are in place.

    A deck that is not *whole* has only its first cards, which were dealt ahead.
    """
    if dealt < placed:
        return placed
    if placed == AHEAD and not whole:
        lay_out(key, number, words, deck)
    return shuffle_more(key, number, placed, words, deck)
