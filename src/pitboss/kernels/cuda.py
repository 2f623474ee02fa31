"""The same rounds on a graphics card, a thread for each.

Cards, hands and settlements are the functions of the other modules, compiled again for the card;
what a thread holds and how counts are added up is said here. Counts are whole numbers, so the order
of additions does not matter. What every thread asks for again and again lies in shared memory.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import cuda, types
from numba.core import config
from numpy.typing import NDArray

from pitboss.kernels import chance, toss_one
from pitboss.kernels import roll_your_own as roll

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # noqa: NPY201  numba-cuda 0.30 asks for it

Counts = NDArray[np.int64]
Array = NDArray[Any]

SIMULATED = bool(config.ENABLE_CUDASIM)
TOSS_THREADS, ROLL_THREADS, BLOCKS = (4, 4, 2) if SIMULATED else (512, 128, 0)
TOSS_BLOCKS_PER_CORE, ROLL_BLOCKS_PER_CORE = 8, 32
ROLL_REGISTERS = 56
"""For a thread: with more of them too few threads are there to hide how long memory takes."""

MOST_PER_BLOCK = 1 << 28
"""Rounds of one launch: no count of a block, of nine seats at most, can pass 32 bits."""

_PACK = toss_one.PACK
_CELLS = toss_one.CELLS
_PAIRS, _HANDS, _CLASSES = toss_one.RANKS**2, toss_one.PAIRS**2, 148
_OUTCOMES = _CLASSES * toss_one.DEALERS


if SIMULATED:

    def _plain(array: Any) -> Array:
        """Return the array inside the simulator's own."""
        return np.asarray(array._item._ary)  # noqa: SLF001
else:

    @cuda.jit(device=True)
    def _plain(array):
        return array


def is_there() -> bool:
    """Say whether there is a card to play on."""
    try:
        return bool(cuda.is_available())
    except Exception:  # noqa: BLE001  a broken driver is no card
        return False


def name() -> str:
    """Return the name of the card."""
    found = getattr(cuda.get_current_device(), "name", "simulated")
    return found.decode() if isinstance(found, bytes) else str(found)


def _jit(registers: int = 0) -> Any:
    """Return the decorator of a kernel; with fewer registers more threads are there at a time."""
    if SIMULATED:
        return cuda.jit
    return cuda.jit(cache=True, max_registers=registers or None)


def _blocks(per_core: int) -> int:
    """Return how many blocks of threads keep the card busy."""
    return BLOCKS or per_core * int(cuda.get_current_device().MULTIPROCESSOR_COUNT)


@cache
def toss_one_kernel(seats: int, decks: int, draws: int) -> Any:
    """Return the kernel of Toss One 21 for so many seats and decks."""
    n, size, per_rank = _PACK * (seats + 1), 52 * decks, np.uint32(-(-(1 << 16) // (4 * decks)))
    rounds = 2 if 2 * draws >= n else 1  # two rounds share a block
    several, threads = seats > 1, TOSS_THREADS

    @_jit()
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
        cells = cuda.shared.array(_CELLS, types.uint32)
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
        for i in range(thread, _CELLS, threads):
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
                        cell = toss_one.cell_at(
                            dealt, _PACK * seat, _PACK * seats, per_rank, pairs_, hands_,
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
        for i in range(thread, _CELLS, threads):
            if cells[i]:
                cuda.atomic.add(counts, i, np.int64(cells[i]))

    return kernel


def toss_one_rounds(
    key: int,
    begin: int,
    end: int,
    seats: int,
    decks: int,
    draws: int,
    tables: toss_one.Tables,
    pays: Counts,
    counts: Counts,
    house: Counts,
) -> None:
    """Deal rounds *begin* to *end* and add them to the counts, as toss_one.play_rounds does."""
    kernel = toss_one_kernel(seats, decks, draws)
    shape = _blocks(TOSS_BLOCKS_PER_CORE), TOSS_THREADS
    _launch(kernel, shape, key, begin, end, (*tables, pays), (counts, house))


@cache
def roll_your_own_kernel() -> Any:
    """Return the kernel of Roll Your Own Blackjack."""
    threads, cards, felt_n = ROLL_THREADS, roll.DECK, roll.FELT
    nets_n = roll.BONUSES * roll.BLACKJACKS * roll.UNITS_OF
    events_n, rounds_n = roll.EVENTS * roll.TIMES, roll.ROUND_EVENTS * roll.USES

    @_jit(ROLL_REGISTERS)
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
        thread, seats = cuda.threadIdx.x, options[roll.SEATS]
        for i in range(thread, nets_n, threads):
            nets_[i] = 0
        for i in range(thread, events_n, threads):
            events_[i] = 0
        for i in range(thread, rounds_n, threads):
            rounds_[i] = 0
        cuda.syncthreads()
        plan_, plays_, grown_ = _plain(plan), _plain(plays), _plain(grown)
        options_, reach_ = _plain(options), _plain(reach)
        deck = decks[:, thread]
        words, felt = cuda.local.array(4, types.uint32), cuda.local.array(felt_n, types.int8)
        waits = cuda.local.array(7, types.int64)
        number, step = np.int64(begin + cuda.grid(1)), np.int64(cuda.gridsize(1))
        while number < end:
            chance.first_block(key, number, words)
            roll.lay_out(key, np.uint64(number), words, deck)
            roll.play_round(
                key, np.uint64(number), 1, words, deck, plan_, plays_, grown_, options_, reach_,
                felt, waits, None,
            )  # fmt: skip
            blackjack, bonus = np.int64(0), np.int64(0)
            for seat in range(seats):
                at = roll.ROUND_EVENTS + seat * roll.PER_SEAT
                found = roll.bonus_of(deck, 3 * seat)
                paid = np.int64(felt[at + roll.PAID])
                units = np.int64(felt[at + roll.UNITS]) + roll.MOST
                cell = (found * roll.BLACKJACKS + paid) * roll.UNITS_OF + units
                cuda.atomic.add(nets_, cell, 1)
                for event in range(roll.EVENTS):
                    times = np.int64(felt[at + event])
                    if times:  # what did not happen is counted at the end
                        cuda.atomic.add(events_, event * roll.TIMES + times, 1)
                blackjack += pays[roll.BONUSES] * paid + pays[roll.BONUSES + 1] * units
                bonus += pays[found]
            for event in range(roll.ROUND_EVENTS):
                times = np.int64(felt[event])
                if times:
                    cuda.atomic.add(rounds_, event * roll.USES + times, 1)
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


def roll_your_own_rounds(
    key: int,
    begin: int,
    end: int,
    tables: Sequence[Array],
    nets: Counts,
    events: Counts,
    rounds: Counts,
    house: Counts,
) -> None:
    """Play rounds *begin* to *end* and add them to the counts, as roll_your_own.play_rounds does.

    *tables*: plan, plays, grown, options, reach and pays.
    """
    shape = _blocks(ROLL_BLOCKS_PER_CORE), ROLL_THREADS
    flat = nets.reshape(-1), events.reshape(-1), rounds.reshape(-1), house
    before = events[:, 1:].sum(axis=1), rounds[:, 1:].sum(axis=1)
    _launch(roll_your_own_kernel(), shape, key, begin, end, tables, flat)
    played = end - begin
    events[:, 0] += played * int(tables[3][roll.SEATS]) - (events[:, 1:].sum(axis=1) - before[0])
    rounds[:, 0] += played - (rounds[:, 1:].sum(axis=1) - before[1])


def _launch(
    kernel: Any,
    shape: tuple[int, int],
    key: int,
    begin: int,
    end: int,
    tables: Sequence[Array],
    counts: Sequence[Counts],
) -> None:
    """Run a kernel as often as it takes and add what it counted."""
    there = [cuda.to_device(np.ascontiguousarray(table)) for table in tables]
    sums = [cuda.to_device(np.zeros_like(count)) for count in counts]
    most = shape[0] * MOST_PER_BLOCK
    for first in range(begin, end, most):
        last = min(first + most, end)
        kernel[shape](np.uint64(key), np.int64(first), np.int64(last), *there, *sums)
    for place, total in enumerate(sums):
        counts[place][...] += total.copy_to_host()
