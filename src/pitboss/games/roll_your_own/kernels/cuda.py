"""Rounds of Roll Your Own Blackjack on a graphics card, one thread per round."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import cuda, types
from numpy.typing import NDArray

from pitboss.games.roll_your_own.kernels import layout
from pitboss.games.roll_your_own.kernels.play import bonus_of, play_round
from pitboss.games.roll_your_own.kernels.shuffle import lay_out
from pitboss.kernels import chance
from pitboss.kernels.arrays import Counts
from pitboss.kernels.cuda import IS_SIMULATED, blocks, jit, launch, plain

Array = NDArray[Any]

THREADS = 4 if IS_SIMULATED else 128
BLOCKS_PER_CORE = 32
REGISTERS = 56
"""Registers per thread; with more, too few threads run at once to hide the memory latency."""


@cache
def kernel_of() -> Any:
    """Return the kernel."""
    threads, cards, tally_n = THREADS, layout.DECK, layout.TALLY
    nets_n = layout.BONUSES * layout.BLACKJACKS * layout.UNITS_OF
    events_n, rounds_n = layout.EVENTS * layout.TIMES, layout.ROUND_EVENTS * layout.USES

    @jit(REGISTERS)
    def kernel(
        key,
        begin,
        end,
        plan,
        plays,
        grown,
        options,
        reach,
        pays,
        nets,
        events,
        rounds,
        house,
    ):
        decks = cuda.shared.array((cards, threads), types.uint8)
        nets_ = cuda.shared.array(nets_n, types.uint32)
        events_ = cuda.shared.array(events_n, types.uint32)
        rounds_ = cuda.shared.array(rounds_n, types.uint32)
        thread, seats = cuda.threadIdx.x, options[layout.SEATS]
        for i in range(thread, nets_n, threads):
            nets_[i] = 0
        for i in range(thread, events_n, threads):
            events_[i] = 0
        for i in range(thread, rounds_n, threads):
            rounds_[i] = 0
        cuda.syncthreads()
        plan_, plays_, grown_ = plain(plan), plain(plays), plain(grown)
        options_, reach_ = plain(options), plain(reach)
        deck = decks[:, thread]
        words, tally = cuda.local.array(4, types.uint32), cuda.local.array(tally_n, types.int8)
        waits = cuda.local.array(7, types.int64)
        number, step = np.int64(begin + cuda.grid(1)), np.int64(cuda.gridsize(1))
        while number < end:
            chance.first_block(key, number, words)
            lay_out(key, np.uint64(number), words, deck)
            play_round(
                key, np.uint64(number), 1, words, deck, plan_, plays_, grown_, options_, reach_,
                tally, waits, None,
            )  # fmt: skip
            blackjack, bonus = np.int64(0), np.int64(0)
            for seat in range(seats):
                at = layout.ROUND_EVENTS + seat * layout.PER_SEAT
                found = bonus_of(deck, 3 * seat)
                paid = np.int64(tally[at + layout.PAID])
                units = np.int64(tally[at + layout.UNITS]) + layout.MOST
                cell = (found * layout.BLACKJACKS + paid) * layout.UNITS_OF + units
                cuda.atomic.add(nets_, cell, 1)
                for event in range(layout.EVENTS):
                    times = np.int64(tally[at + event])
                    if times:  # events with zero occurrences are counted at the end
                        cuda.atomic.add(events_, event * layout.TIMES + times, 1)
                blackjack += pays[layout.BONUSES] * paid + pays[layout.BONUSES + 1] * units
                bonus += pays[found]
            for event in range(layout.ROUND_EVENTS):
                times = np.int64(tally[event])
                if times:
                    cuda.atomic.add(rounds_, event * layout.USES + times, 1)
            if seats > 1:
                cuda.atomic.add(house, (0, blackjack), 1)
                cuda.atomic.add(house, (1, bonus), 1)
                cuda.atomic.add(house, (2, blackjack + bonus), 1)
            number += step
        cuda.syncthreads()
        for i in range(thread, nets_n, threads):
            if nets_[i]:
                cuda.atomic.add(nets, i, np.int64(nets_[i]))
        for i in range(thread, events_n, threads):
            if events_[i]:
                cuda.atomic.add(events, i, np.int64(events_[i]))
        for i in range(thread, rounds_n, threads):
            if rounds_[i]:
                cuda.atomic.add(rounds, i, np.int64(rounds_[i]))

    return kernel


def play_rounds(
    key: int,
    begin: int,
    end: int,
    tables: Sequence[Array],
    nets: Counts,
    events: Counts,
    rounds: Counts,
    house: Counts,
) -> None:
    """Play rounds *begin* to *end* and add them to the counts, as ``rounds.play_rounds`` does.

    *tables*: plan, plays, grown, options, reach and pays.
    """
    shape = blocks(BLOCKS_PER_CORE), THREADS
    flat = nets.reshape(-1), events.reshape(-1), rounds.reshape(-1), house
    before = events[:, 1:].sum(axis=1), rounds[:, 1:].sum(axis=1)
    launch(kernel_of(), shape, key, begin, end, tables, flat)
    played = end - begin
    events[:, 0] += played * int(tables[3][layout.SEATS]) - (events[:, 1:].sum(axis=1) - before[0])
    rounds[:, 0] += played - (rounds[:, 1:].sum(axis=1) - before[1])
