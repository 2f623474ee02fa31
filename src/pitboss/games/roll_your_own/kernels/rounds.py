"""Many rounds of Roll Your Own Blackjack, dealt at random and counted."""

import numpy as np
from numba import njit

from pitboss.games.roll_your_own.kernels.layout import (
    BONUSES,
    DEALER_BUSTS,
    DECK,
    EVENTS,
    MOST,
    NATURAL,
    PACK,
    PAID,
    PER_SEAT,
    RAN_OUT,
    ROUND_EVENTS,
    SEATS,
    TALLY,
    TALLY_SEATS,
    THEIRS,
    UNITS,
    USED,
)
from pitboss.games.roll_your_own.kernels.play import bonus_of, play_round
from pitboss.games.roll_your_own.kernels.shuffle import AHEAD, lay_out, shuffle_more
from pitboss.kernels.arrays import Bytes, Counts, Ints, Shorts, Small, bare
from pitboss.kernels.chance import BLOCK, LANES, Int, Places, Words, block_of, deal_ahead


@njit(cache=True, nogil=True, inline="always")
def _count(
    deck: Bytes,
    tally: Small,
    seats: Int,
    pays: Counts,
    nets: Counts,
    events: Counts,
    rounds: Counts,
    house: Counts,
) -> None:
    """Count the net results of the seats' bets and the events of a round."""
    blackjack, bonus = np.int64(0), np.int64(0)
    for seat in range(seats):
        at = ROUND_EVENTS + seat * PER_SEAT
        found = bonus_of(deck, PACK * seat)
        paid, units = np.int64(tally[at + PAID]), np.int64(tally[at + UNITS]) + MOST
        nets[found, paid, units] += 1
        for event in range(EVENTS):
            events[event, tally[at + event]] += 1
        blackjack += pays[BONUSES] * paid + pays[BONUSES + 1] * units
        bonus += pays[found]
    rounds[NATURAL, tally[NATURAL]] += 1
    rounds[DEALER_BUSTS, tally[DEALER_BUSTS]] += 1
    rounds[RAN_OUT, tally[RAN_OUT]] += 1
    rounds[USED, tally[USED]] += 1
    rounds[THEIRS, tally[THEIRS]] += 1
    if seats > 1:
        house[0, blackjack] += 1
        house[1, bonus] += 1
        house[2, blackjack + bonus] += 1


@njit(cache=True, nogil=True)
def play_rounds(
    key: Int,
    begin: Int,
    end: Int,
    plan: Ints,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    reach: Counts,
    pays: Counts,
    nets: Counts,
    events: Counts,
    rounds: Counts,
    house: Counts,
) -> None:
    """Play rounds *begin* to *end* and add them to the counts.

    ``nets[bonus, blackjacks, units]`` counts the seats' rounds by the class of the Bonus, the
    number of bets paid as blackjacks, and the net units of the other bets (*MOST* is zero).
    ``events[event, times]`` counts how often each event happened at a seat, ``rounds[event,
    times]`` in the round. With several seats, ``house[bet, sum]`` counts rounds by the result of
    all seats together. *pays* has the payouts of the Bonus classes, of a blackjack and of a unit,
    shifted so that no sum is negative.
    """
    words, ahead = np.empty(BLOCK, np.uint32), np.empty((BLOCK, LANES), np.uint32)
    swaps, held = np.empty((AHEAD, LANES), np.uint16), np.empty((AHEAD, LANES), np.uint16)
    dealt, deck = np.empty((AHEAD, LANES), np.uint16), np.empty(DECK, np.uint8)
    tally, waits = np.empty(TALLY, np.int8), np.empty(TALLY_SEATS, np.int64)
    _play_rounds(
        key, begin, end, plan, plays, grown, options, reach, pays, nets, events, rounds, house,
        words, ahead, swaps, held, dealt, deck, tally, waits,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _play_rounds(
    key: Int,
    begin: Int,
    end: Int,
    plan: Ints,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    reach: Counts,
    pays: Counts,
    nets: Counts,
    events: Counts,
    rounds: Counts,
    house: Counts,
    words: Words,
    ahead: Words,
    swaps: Places,
    held: Places,
    dealt: Places,
    deck: Bytes,
    tally: Small,
    waits: Counts,
) -> None:
    plan_, plays_, grown_, options_ = bare(plan), bare(plays), bare(grown), bare(options)
    reach_, pays_, nets_, events_ = bare(reach), bare(pays), bare(nets), bare(events)
    rounds_, house_, words_, ahead_ = bare(rounds), bare(house), bare(words), bare(ahead)
    swaps_, held_, dealt_ = bare(swaps), bare(held), bare(dealt)
    deck_, tally_, waits_ = bare(deck), bare(tally), bare(waits)
    for first in range(begin, end, LANES):
        deal_ahead(key, first, AHEAD, DECK, BLOCK, ahead_, swaps_, held_, dealt_)
        for lane in range(min(LANES, end - first)):
            for word in range(BLOCK):
                words_[word] = ahead_[word, lane]
            for card in range(AHEAD):
                deck_[card] = dealt_[card, lane]
            play_round(
                key, np.uint64(first + lane), 0, words_, deck_, plan_, plays_, grown_, options_,
                reach_, tally_, waits_, None,
            )  # fmt: skip
            _count(deck_, tally_, options_[SEATS], pays_, nets_, events_, rounds_, house_)


@njit(cache=True, nogil=True)
def record_round(
    key: Int,
    number: Int,
    plan: Ints,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    reach: Counts,
    deck: Bytes,
    tally: Small,
    log: Ints,
) -> None:
    """Play one round and record all of it, including the order of the whole deck."""
    words, waits = np.empty(BLOCK, np.uint32), np.empty(TALLY_SEATS, np.int64)
    words[0], words[1], words[2], words[3] = block_of(key, number, np.uint32(0), np.uint32(0))
    lay_out(key, number, words, deck)
    log[0] = 0
    play_round(key, number, 1, words, deck, plan, plays, grown, options, reach, tally, waits, log)
    words[0], words[1], words[2], words[3] = block_of(key, number, np.uint32(0), np.uint32(0))
    lay_out(key, number, words, deck)
    placed = np.int64(AHEAD)
    while placed < DECK:
        placed = shuffle_more(key, number, placed, words, deck)
