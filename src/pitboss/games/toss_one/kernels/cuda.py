"""Rounds of Toss One 21 on a graphics card, one thread per round."""

from functools import cache
from typing import Any

import numpy as np
from numba import cuda, types

from pitboss.games.toss_one.kernels.rounds import (
    CELLS,
    DEALERS,
    PACK,
    PAIRS,
    RANKS,
    Tables,
    cell_at,
)
from pitboss.kernels import chance
from pitboss.kernels.arrays import Counts
from pitboss.kernels.cuda import IS_SIMULATED, blocks, jit, launch

THREADS = 4 if IS_SIMULATED else 512
BLOCKS_PER_CORE = 8

_PAIRS, _HANDS, _CLASSES = RANKS**2, PAIRS**2, 148
_OUTCOMES = _CLASSES * DEALERS


@cache
def kernel_of(seats: int, decks: int, draws: int) -> Any:
    """Return the kernel for a number of seats and decks."""
    n, size, per_rank = PACK * (seats + 1), 52 * decks, np.uint32(-(-(1 << 16) // (4 * decks)))
    rounds = 2 if 2 * draws >= n else 1  # two rounds share a block
    several, threads = seats > 1, THREADS

    @jit()
    def kernel(
        key,
        begin,
        end,
        pairs,
        hands,
        dealers,
        classes,
        outcomes,
        suits,
        lucky,
        pays,
        counts,
        house,
    ):
        pairs_ = cuda.shared.array(_PAIRS, types.uint8)
        hands_ = cuda.shared.array(_HANDS, types.uint8)
        dealers_ = cuda.shared.array(_HANDS, types.uint8)
        classes_ = cuda.shared.array(_CLASSES, types.uint32)
        outcomes_ = cuda.shared.array(_OUTCOMES, types.uint8)
        suits_ = cuda.shared.array(64, types.uint8)
        lucky_ = cuda.shared.array(16, types.uint8)
        cells = cuda.shared.array(CELLS, types.uint32)
        thread = cuda.threadIdx.x
        for i in range(thread, _PAIRS, threads):
            pairs_[i] = pairs[i]
        for i in range(thread, _HANDS, threads):
            hands_[i], dealers_[i] = hands[i], dealers[i]
        for i in range(thread, _OUTCOMES, threads):
            outcomes_[i] = outcomes[i]
        for i in range(thread, _CLASSES, threads):
            classes_[i] = classes[i]
        for i in range(thread, 64, threads):
            suits_[i] = suits[i]
        for i in range(thread, 16, threads):
            lucky_[i] = lucky[i]
        for i in range(thread, CELLS, threads):
            cells[i] = 0
        cuda.syncthreads()
        words, swaps = cuda.local.array(4, types.uint32), cuda.local.array(n, types.uint32)
        held, dealt = cuda.local.array(n, types.uint32), cuda.local.array(n, types.uint32)
        place, step = np.int64(begin // rounds + cuda.grid(1)), np.int64(cuda.gridsize(1))
        while place * rounds < end:
            chance.first_block(key, place, words)
            for half in range(rounds):
                number = place * rounds + half
                chance.deal_one(
                    key, np.uint64(place), half, n, size, draws, words, swaps, held, dealt
                )
                if begin <= number < end:
                    main, lucky3, bonus4 = np.int64(0), np.int64(0), np.int64(0)
                    for seat in range(seats):
                        cell = cell_at(
                            dealt, PACK * seat, PACK * seats, per_rank, pairs_, hands_,
                            dealers_, classes_, outcomes_, suits_, lucky_,
                        )  # fmt: skip
                        cuda.atomic.add(cells, cell, 1)
                        if several:
                            main += pays[cell, 0]
                            lucky3 += pays[cell, 1]
                            bonus4 += pays[cell, 2]
                    if several:
                        cuda.atomic.add(house, (0, main), 1)
                        cuda.atomic.add(house, (1, lucky3), 1)
                        cuda.atomic.add(house, (2, bonus4), 1)
                        cuda.atomic.add(house, (3, main + lucky3 + bonus4), 1)
            place += step
        cuda.syncthreads()
        for i in range(thread, CELLS, threads):
            if cells[i]:
                cuda.atomic.add(counts, i, np.int64(cells[i]))

    return kernel


def play_rounds(
    key: int,
    begin: int,
    end: int,
    seats: int,
    decks: int,
    draws: int,
    tables: Tables,
    pays: Counts,
    counts: Counts,
    house: Counts,
) -> None:
    """Deal rounds *begin* to *end* and add them to the counts, as ``rounds.play_rounds`` does."""
    kernel = kernel_of(seats, decks, draws)
    shape = blocks(BLOCKS_PER_CORE), THREADS
    launch(kernel, shape, key, begin, end, (*tables, pays), (counts, house))
