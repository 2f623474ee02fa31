"""Rounds of blackjack on a graphics card, one thread per round."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import cuda, types
from numpy.typing import NDArray

from pitboss.games.blackjack.kernels import layout
from pitboss.games.blackjack.kernels.play import play_round
from pitboss.games.blackjack.kernels.rounds import (
    insurance_of,
    settle_one,
    settle_split,
    side_of,
    with_dealer,
)
from pitboss.games.blackjack.kernels.shoe import card_of
from pitboss.kernels import chance
from pitboss.kernels.arrays import Counts
from pitboss.kernels.cuda import IS_SIMULATED, blocks, jit, launch, plain

Array = NDArray[Any]

THREADS = 4 if IS_SIMULATED else 128
BLOCKS_PER_CORE = 16

_TABLES = ("plays", "grown", "dealer", "settled", "units", "twos", "threes", "options")
_OPTIONS = _TABLES.index("options")


@cache
def kernel_of(seats: int, size: int, draws: int, ahead: int) -> Any:
    """Return the kernel for a number of seats and a size of the shoe."""
    per_rank = np.uint32(-(-(1 << 16) // (size // layout.RANKS)))
    events, several, most_seats = layout.EVENTS, seats > 1, layout.MOST_SEATS

    @jit()
    def kernel(
        key,
        begin,
        end,
        plays,
        grown,
        dealer,
        settled,
        units,
        twos,
        threes,
        options,
        mains,
        sides,
        nets,
        splits,
        rounds,
        house,
    ):
        plays_, grown_, dealer_ = plain(plays), plain(grown), plain(dealer)
        settled_, units_, options_ = plain(settled), plain(units), plain(options)
        twos_, threes_ = plain(twos), plain(threes)
        words, dealt = cuda.local.array(4, types.uint32), cuda.local.array(ahead, types.uint32)
        swaps = cuda.local.array((size, 1), types.uint16)
        held = cuda.local.array((size, 1), types.uint16)
        deck = cuda.local.array((size, 1), types.uint8)
        hands = cuda.local.array(most_seats, types.int64)
        found = cuda.local.array(events, types.int64)
        number, step = np.int64(begin + cuda.grid(1)), np.int64(cuda.gridsize(1))
        while number < end:
            chance.first_block(key, number, words)
            chance.deal_one(
                key, np.uint64(number), 0, ahead, size, draws, words, swaps[:, 0], held[:, 0], dealt
            )
            for card in range(ahead):
                deck[card, 0] = card_of(dealt[card], per_rank)
            state, used = play_round(
                key, np.uint64(number), 0, swaps, held, deck, plays_, grown_, dealer_, options_,
                hands, None,
            )  # fmt: skip
            cuda.atomic.add(rounds, (state, used), 1)
            main_sum, one, two, three = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
            for seat in range(seats):
                word = hands[seat]
                side = with_dealer(side_of(deck, 0, seat, seats, twos_, threes_), state)
                if word >> layout.COUNT_AT & 7 == 1:
                    main = settle_one(state, word, settled_)
                else:
                    main = settle_split(state, word, settled_, units_, found)
                    for event in range(events):
                        cuda.atomic.add(splits, (event, found[event]), 1)
                insured = insurance_of(state, word)
                cuda.atomic.add(nets, (side, insured, main), 1)
                if several:
                    main_sum += mains[insured, main]
                    one += sides[side, 0]
                    two += sides[side, 1]
                    three += sides[side, 2]
            if several:
                cuda.atomic.add(house, (0, main_sum), 1)
                cuda.atomic.add(house, (1, one), 1)
                cuda.atomic.add(house, (2, two), 1)
                cuda.atomic.add(house, (3, three), 1)
                cuda.atomic.add(house, (4, main_sum + one + two + three), 1)
            number += step

    return kernel


def play_rounds(
    key: int,
    begin: int,
    end: int,
    tables: Sequence[Array],
    nets: Counts,
    splits: Counts,
    rounds: Counts,
    house: Counts,
) -> None:
    """Play rounds *begin* to *end* and add them to the counts, as ``rounds.play_rounds`` does.

    *tables*: the tables of a round, then the payouts of Main and of the side bets.
    """
    options = tables[_OPTIONS].tolist()
    asked = (layout.SEATS, layout.SIZE, layout.PER_WORD, layout.AHEAD)
    kernel = kernel_of(*(options[place] for place in asked))
    shape = blocks(BLOCKS_PER_CORE), THREADS
    launch(kernel, shape, key, begin, end, tables, (nets, splits, rounds, house))
