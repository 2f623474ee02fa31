"""Shuffle cards in an order that depends only on a key and a round's number.

Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011)
turns a key and a counter into a block of four 32-bit words. It keeps no state, so rounds can be
dealt in any order on any machine. The counter consists of the round's place (64 bits), the attempt
and the block.

One word draws up to four cards (Brackett-Rozinsky and Lemire, "Batched ranged random integer
generation", 2024). The word is multiplied by n, the number of cards left: the upper word of the
product is the first draw, and the lower word multiplied by n - 1 gives the next draw, and so on. If
the last lower word is below 2^32 mod n (n - 1) ..., the word is rejected and replaced by the same
word of the next attempt. So all orders are equally likely. For the card at place i, draw d
swaps places i and i + d (Fisher-Yates).

``deal_ahead`` deals many rounds at a time, one per lane, in loops that the processor vectorizes.
It does not store a deck: when card i is drawn, place t holds the card that the latest swap with t
put there; if there was no such swap, it still holds card t.
"""

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pitboss.kernels.words import plus, times, xor

Int: TypeAlias = int | np.integer[Any]
Word: TypeAlias = np.uint32
Words = NDArray[np.uint32]
Places = NDArray[np.uint16]

LANES = 256
ATTEMPTS = np.uint32(1)
BLOCK = 4  # words in a block

_HALF, _LOW, _WHOLE = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1 << 32)
_MULTIPLY_0, _MULTIPLY_1 = np.uint32(0xD2511F53), np.uint32(0xCD9E8D57)
_BUMP_0, _BUMP_1 = np.uint32(0x9E3779B9), np.uint32(0xBB67AE85)
_RARE = np.uint32(
    52**4
)  # more than every least_of: four draws from a deck, or two from eight decks
_NONE, _ONE = np.uint32(0), np.uint64(1)
_CHOICES = np.uint32(1 << 31)  # attempts with this number or more are for choices, not cards
_LESS_1, _LESS_2 = np.uint32(2**32 - 1), np.uint32(2**32 - 2)


@njit(cache=True, nogil=True, inline="always")
def philox(
    a: Word, b: Word, c: Word, d: Word, key_0: Word, key_1: Word
) -> tuple[Word, Word, Word, Word]:
    """Return Philox4x32-10 of a counter of four words and a key of two."""
    for _ in range(10):
        upper_0, lower_0 = times(_MULTIPLY_0, a)
        upper_1, lower_1 = times(_MULTIPLY_1, c)
        a, b = xor(xor(upper_1, b), key_0), lower_1
        c, d = xor(xor(upper_0, d), key_1), lower_0
        key_0, key_1 = plus(key_0, _BUMP_0), plus(key_1, _BUMP_1)
    return a, b, c, d


@njit(cache=True, nogil=True, inline="always")
def block_of(key: Int, place: Int, attempt: Int, block: Int) -> tuple[Word, Word, Word, Word]:
    """Return the four words of a block."""
    return philox(
        np.uint32(place & _LOW),
        np.uint32(place >> _HALF),
        np.uint32(attempt),
        np.uint32(block),
        np.uint32(key & _LOW),
        np.uint32(key >> _HALF),
    )


@njit(cache=True, nogil=True, inline="always")
def two_draws(word: Word, n: Word) -> tuple[Word, Word, Word]:
    """Return numbers below n and n - 1, and the last lower word, which decides a rejection."""
    a, rest = times(word, n)
    b, rest = times(rest, plus(n, _LESS_1))
    return a, b, rest


@njit(cache=True, nogil=True, inline="always")
def four_draws(word: Word, n: Word) -> tuple[Word, Word, Word, Word, Word]:
    """Return numbers below n to n - 3, and the last lower word, which decides a rejection."""
    a, b, rest = two_draws(word, n)
    c, d, rest = two_draws(rest, plus(n, _LESS_2))
    return a, b, c, d, rest


@njit(cache=True, nogil=True)
def least_of(n: Int, draws: Int) -> Int:
    """Return the smallest last lower word that is accepted: 2^32 mod n (n - 1) ..."""
    ways = _ONE
    for i in range(draws):
        ways *= np.uint64(n) - np.uint64(i)
    return np.uint32(_WHOLE % ways)


@njit(cache=True, nogil=True)
def another_word(key: Int, place: Int, block: Int, lane: Int, n: Int, draws: Int) -> Word:
    """Return the word that replaces a rejected one."""
    least, attempt = least_of(n, draws), np.uint32(0)
    while True:
        attempt = plus(attempt, ATTEMPTS)
        one, two, three, four = block_of(key, place, attempt, block)
        word = (one if lane == 0 else two) if lane <= 1 else (three if lane == BLOCK - 2 else four)
        left = (
            four_draws(word, np.uint32(n))[4]
            if draws == BLOCK
            else two_draws(word, np.uint32(n))[2]
        )
        if left >= least:
            return word


# --- many rounds at a time


@njit(cache=True, nogil=True)
def _fill(key: Int, place: Int, block: Int, lanes: Int, out: Words) -> None:
    """Write the words of a block for *lanes* places."""
    for i in range(lanes):
        one, two, three, four = block_of(key, place + np.uint64(i), _NONE, np.uint32(block))
        out[0, i], out[1, i], out[2, i], out[3, i] = one, two, three, four


@njit(cache=True, nogil=True)
def _draw(row: Words, lanes: Int, n: Int, draws: Int, card: Int, swaps: Places, lane: Int) -> Int:
    """Draw cards, starting at *card*, in *lanes* lanes from *lane*; return the rejections."""
    left, least, rejected = np.uint32(n), least_of(n, draws), 0
    at = np.uint32(card)
    if draws == BLOCK:
        for i in range(lanes):
            a, b, c, d, rest = four_draws(row[i], left)
            swaps[card, lane + i] = plus(at, a)
            swaps[card + 1, lane + i] = plus(at, b) + _ONE
            swaps[card + 2, lane + i] = plus(at, c) + 2 * _ONE
            swaps[card + 3, lane + i] = plus(at, d) + 3 * _ONE
            rejected += rest < least
    else:
        for i in range(lanes):
            a, b, rest = two_draws(row[i], left)
            swaps[card, lane + i] = plus(at, a)
            swaps[card + 1, lane + i] = plus(at, b) + _ONE
            rejected += rest < least
    return rejected


@njit(cache=True, nogil=True)
def _redraw(
    key: Int,
    place: Int,
    block: Int,
    word: Int,
    row: Words,
    lanes: Int,
    n: Int,
    draws: Int,
    card: Int,
    swaps: Places,
    lane: Int,
) -> None:
    """Draw again in the lanes whose word was rejected."""
    left, least = np.uint32(n), least_of(n, draws)
    one = np.empty(1, np.uint32)
    for i in range(lanes):
        rest = four_draws(row[i], left)[4] if draws == BLOCK else two_draws(row[i], left)[2]
        if rest < least:
            one[0] = another_word(key, place + np.uint64(i), block, word, n, draws)
            _draw(one, 1, n, draws, card, swaps, lane + i)


@njit(cache=True, nogil=True)
def _swap(cards: Int, swaps: Places, held: Places, dealt: Places) -> None:
    """Write the cards that the swaps move to the first places of every lane."""
    for card in range(cards):
        place = np.uint16(card)  # 16 bits wide, like the swaps it is compared with
        for i in range(LANES):
            dealt[card, i] = swaps[card, i]
            held[card, i] = place
        for earlier in range(card):
            for i in range(LANES):
                there, left = swaps[earlier, i], held[earlier, i]
                mine, keeps = dealt[card, i], held[card, i]
                dealt[card, i] = left if there == swaps[card, i] else mine
                held[card, i] = left if there == place else keeps


@njit(cache=True, nogil=True)
def deal_ahead(
    key: Int,
    first: Int,
    cards: Int,
    size: Int,
    draws: Int,
    words: Words,
    swaps: Places,
    held: Places,
    dealt: Places,
) -> None:
    """Deal the first *cards* cards of a shoe of *size* to LANES rounds, beginning with *first*.

    A word gives *draws* cards. If a round needs two words, two rounds share a block: round *first*
    and every second round after it use the first half of the lanes.
    """
    paired = 2 * draws >= cards
    rows, lanes = (2, LANES // 2) if paired else (1, LANES)
    place = np.uint64(first) >> _ONE if paired else np.uint64(first)
    for word in range(cards // draws):
        block = word // BLOCK
        if word % BLOCK == 0:
            _fill(key, place, block, lanes, words)
        for half in range(rows):
            at = (word + 2 * half) % BLOCK
            row, card, lane = words[at], word * draws, half * lanes
            if _draw(row, lanes, size - card, draws, card, swaps, lane):
                _redraw(key, place, block, at, row, lanes, size - card, draws, card, swaps, lane)
    _swap(cards, swaps, held, dealt)


@njit(cache=True, nogil=True)
def deal_more(
    key: Int, place: Int, card: Int, size: Int, draws: Int, swaps: Places, held: Places
) -> tuple[Int, Int, Int, Int]:
    """Deal *draws* more cards to one round whose first *card* cards are dealt, and return them.

    The draws are those of ``deal_ahead`` for rounds that share no block; four draws are for one
    deck only. *swaps* and *held* are the columns of the round's lane, with a row for every card
    that the round can need.
    """
    group, left = card // draws, np.uint32(size - card)
    block, lane = group // BLOCK, group % BLOCK
    one, two, three, four = block_of(key, place, _NONE, np.uint32(block))
    word = (one if lane == 0 else two) if lane <= 1 else (three if lane == BLOCK - 2 else four)
    rest = four_draws(word, left)[4] if draws == BLOCK else two_draws(word, left)[2]
    if rest < _RARE and rest < least_of(left, draws):
        word = another_word(key, place, block, lane, left, draws)
    a, b, c, d, rest = four_draws(word, left)  # with two draws, the first two
    swaps[card], swaps[card + 1] = plus(a, np.uint32(card)), plus(b, np.uint32(card + 1))
    if draws == BLOCK:
        swaps[card + 2] = plus(c, np.uint32(card + 2))
        swaps[card + 3] = plus(d, np.uint32(card + 3))
        first, second = _swapped(card, swaps, held), _swapped(card + 1, swaps, held)
        return first, second, _swapped(card + 2, swaps, held), _swapped(card + 3, swaps, held)
    first, second = _swapped(card, swaps, held), _swapped(card + 1, swaps, held)
    return first, second, first, second


@njit(cache=True, nogil=True)
def _swapped(card: Int, swaps: Places, held: Places) -> Int:
    """Return the card that the last swap of a round moves to place *card*."""
    mine, keeps = np.int64(swaps[card]), np.int64(card)
    target = mine
    for earlier in range(card):
        there, left = np.int64(swaps[earlier]), np.int64(held[earlier])
        mine = left if there == target else mine
        keeps = left if there == card else keeps
    held[card] = keeps
    return mine


@njit(cache=True, nogil=True)
def choose(key: Int, place: Int, asked: Int, ways: Int) -> Int:
    """Return a random number below *ways*; *asked* counts the random choices of the round."""
    least, attempt = least_of(ways, 1), np.uint32(0)
    while True:
        word = block_of(key, place, _CHOICES + np.uint32(asked), attempt)[0]
        product = np.uint64(word) * np.uint64(ways)
        if np.uint32(product & _LOW) >= least:
            return np.int64(product >> _HALF)
        attempt += np.uint32(1)


# --- one round at a time, for a thread of a graphics card


@njit(cache=True, nogil=True)
def deal_one(
    key: Int,
    place: Int,
    half: Int,
    cards: Int,
    size: Int,
    draws: Int,
    words: Words,
    swaps: Words,
    held: Words,
    dealt: Words,
) -> None:
    """Deal the first cards of one round from one *half* of its first block, which is in *words*.

    The draws are those of ``deal_ahead``. If the sizes are known at compile time, the arrays become
    registers.
    """
    rare = np.uint32(size**draws)  # an upper bound of least_of, which is slower to compute
    for word in range(cards // draws):
        if word % BLOCK == 0 and word > 0:
            words[0], words[1], words[2], words[3] = block_of(
                key, place, _NONE, np.uint32(word // BLOCK)
            )
        at, lane = word * draws, (word + 2 * half) % BLOCK
        left, drawn = np.uint32(size - at), words[lane]
        rest = four_draws(drawn, left)[4] if draws == BLOCK else two_draws(drawn, left)[2]
        if rest < rare and rest < least_of(left, draws):
            drawn = another_word(key, place, word // BLOCK, lane, left, draws)
        if draws == BLOCK:
            a, b, c, d, rest = four_draws(drawn, left)
            swaps[at + 2], swaps[at + 3] = plus(c, np.uint32(at + 2)), plus(d, np.uint32(at + 3))
        else:
            a, b, rest = two_draws(drawn, left)
        swaps[at], swaps[at + 1] = plus(a, np.uint32(at)), plus(b, np.uint32(at + 1))
    for card in range(cards):
        here, mine, keeps = np.uint32(card), swaps[card], np.uint32(card)
        for earlier in range(card):
            there, left = swaps[earlier], held[earlier]
            mine = left if there == swaps[card] else mine
            keeps = left if there == here else keeps
        dealt[card], held[card] = mine, keeps


@njit(cache=True, nogil=True)
def first_block(key: Int, place: Int, words: Words) -> None:
    """Write the first block of a place."""
    words[0], words[1], words[2], words[3] = block_of(key, np.uint64(place), _NONE, _NONE)
