"""Many rounds of blackjack, dealt at random and counted."""

import numpy as np
from numba import njit

from pitboss.games.blackjack.kernels.layout import (
    AHEAD,
    CARDS,
    COUNT_AT,
    ENDS,
    EVENTS,
    FIRST,
    HAND_BITS,
    INSURED_AT,
    LADIES,
    LATER,
    MOST,
    MOST_SEATS,
    NATURAL,
    ONE_HAND,
    PER_WORD,
    PLACES,
    QUEENS,
    RANKS,
    SEATS,
    SIZE,
    SPLIT_DOUBLES,
    SPLITS,
)
from pitboss.games.blackjack.kernels.play import play_round
from pitboss.games.blackjack.kernels.shoe import card_of, per_rank_of, place_more
from pitboss.kernels.arrays import Bytes, Counts, Ints, Shorts, Small, bare
from pitboss.kernels.chance import BLOCK, LANES, Int, Places, Words, deal_ahead

_SUIT = 3


@njit(cache=True, nogil=True, inline="always")
def side_of(deck: Bytes, lane: Int, seat: Int, seats: Int, twos: Bytes, threes: Bytes) -> Int:
    """Return the classes of a seat's side bets; Lucky Ladies as if the dealer has no blackjack."""
    one, two = np.int64(deck[seat, lane]), np.int64(deck[seats + 1 + seat, lane])
    up = np.int64(deck[seats, lane])
    suited = ((one ^ two) | (one ^ up)) & _SUIT == 0
    ranks = ((one >> 2) * RANKS + (two >> 2)) * RANKS + (up >> 2)
    return np.int64(twos[one * CARDS + two]) + np.int64(threes[2 * ranks + suited])


@njit(cache=True, nogil=True, inline="always")
def settle_hand(state: Int, place: Int, hand: Int, settled: Bytes) -> Int:
    """Return the outcome of a hand."""
    return np.int64(settled[(state * PLACES + place) * ENDS + (hand & (ENDS - 1))])


@njit(cache=True, nogil=True, inline="always")
def settle_one(state: Int, word: Int, settled: Bytes) -> Int:
    """Return the result of the Main bet of a seat with one hand."""
    doubled = word >> 5 & 1
    return 2 * settle_hand(state, doubled, word, settled) + doubled


@njit(cache=True, nogil=True)
def settle_split(state: Int, word: Int, settled: Bytes, units: Small, found: Counts) -> Int:
    """Return the result of the Main bet of a seat that split; write its events to *found*."""
    hands = word >> COUNT_AT & 7
    for event in range(EVENTS):
        found[event] = 0
    net = np.int64(0)
    for i in range(hands):
        hand = word >> HAND_BITS * i
        outcome = settle_hand(state, LATER if i else FIRST, hand, settled)
        doubled = hand >> 5 & 1
        found[outcome] += 1
        found[SPLIT_DOUBLES] += doubled
        net += units[outcome, doubled]
    found[SPLITS] = hands - 1
    return ONE_HAND + MOST + net


@njit(cache=True, nogil=True, inline="always")
def insurance_of(state: Int, word: Int) -> Int:
    """Return 0 for no insurance, 1 for a lost one and 2 for a won one."""
    return (word >> INSURED_AT & 1) * (1 + np.int64(state == NATURAL))


@njit(cache=True, nogil=True, inline="always")
def with_dealer(side: Int, state: Int) -> Int:
    """Return the classes of the side bets after the dealer's hole card is known (rule 14)."""
    return side - 1 if state == NATURAL and side % LADIES == QUEENS else side


@njit(cache=True, nogil=True)
def play_rounds(
    key: Int,
    begin: Int,
    end: Int,
    plays: Bytes,
    grown: Shorts,
    dealer: Bytes,
    settled: Bytes,
    units: Small,
    twos: Bytes,
    threes: Bytes,
    options: Counts,
    mains: Counts,
    sides: Counts,
    nets: Counts,
    splits: Counts,
    rounds: Counts,
    house: Counts,
) -> None:
    """Play rounds *begin* to *end* and add them to the counts.

    ``nets[sides, insurance, main]`` counts the seats' rounds by the classes of the side bets, the
    insurance and the result of the Main bet. ``splits[event, times]`` counts how often each event
    happened at a seat that split. ``rounds[state, cards]`` counts rounds by the dealer's final
    state and the number of cards used. With several seats, ``house[bet, sum]`` counts rounds by the
    result of all seats together. ``mains[insurance, main]`` and ``sides[classes, bet]`` have the
    payouts, shifted so that no sum is negative.
    """
    size, ahead = options[SIZE], options[AHEAD]
    words = np.empty((BLOCK, LANES), np.uint32)
    swaps, held = np.empty((size, LANES), np.uint16), np.empty((size, LANES), np.uint16)
    dealt, deck = np.empty((ahead, LANES), np.uint16), np.empty((size, LANES), np.uint8)
    hands, found = np.empty(MOST_SEATS, np.int64), np.empty(EVENTS, np.int64)
    _play_rounds(
        key, begin, end, plays, grown, dealer, settled, units, twos, threes, options, mains, sides,
        nets, splits, rounds, house, words, swaps, held, dealt, deck, hands, found,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _play_rounds(
    key: Int,
    begin: Int,
    end: Int,
    plays: Bytes,
    grown: Shorts,
    dealer: Bytes,
    settled: Bytes,
    units: Small,
    twos: Bytes,
    threes: Bytes,
    options: Counts,
    mains: Counts,
    sides: Counts,
    nets: Counts,
    splits: Counts,
    rounds: Counts,
    house: Counts,
    words: Words,
    swaps: Places,
    held: Places,
    dealt: Places,
    deck: Bytes,
    hands: Counts,
    found: Counts,
) -> None:
    plays_, grown_, dealer_, settled_ = bare(plays), bare(grown), bare(dealer), bare(settled)
    units_, twos_, threes_, options_ = bare(units), bare(twos), bare(threes), bare(options)
    mains_, sides_, nets_, splits_ = bare(mains), bare(sides), bare(nets), bare(splits)
    rounds_, house_, words_, swaps_ = bare(rounds), bare(house), bare(words), bare(swaps)
    held_, dealt_, deck_ = bare(held), bare(dealt), bare(deck)
    hands_, found_ = bare(hands), bare(found)
    size, ahead, draws, seats = options[SIZE], options[AHEAD], options[PER_WORD], options[SEATS]
    per_rank = per_rank_of(size)
    for first in range(begin, end, LANES):
        deal_ahead(key, first, ahead, size, draws, words_, swaps_, held_, dealt_)
        _name_cards(ahead, per_rank, dealt_, deck_)
        for lane in range(min(LANES, end - first)):
            state, used = play_round(
                key, np.uint64(first + lane), lane, swaps_, held_, deck_, plays_, grown_, dealer_,
                options_, hands_, None,
            )  # fmt: skip
            _count(
                state, used, lane, seats, deck_, hands_, found_, settled_, units_, twos_, threes_,
                mains_, sides_, nets_, splits_, rounds_, house_,
            )  # fmt: skip


@njit(cache=True, nogil=True)
def _name_cards(ahead: Int, per_rank: Int, dealt: Places, deck: Bytes) -> None:
    """Write the cards, 0 to 51, that were dealt ahead."""
    for card in range(ahead):
        for lane in range(LANES):
            deck[card, lane] = card_of(dealt[card, lane], per_rank)


@njit(cache=True, nogil=True, inline="always")
def _count(
    state: Int,
    used: Int,
    lane: Int,
    seats: Int,
    deck: Bytes,
    hands: Counts,
    found: Counts,
    settled: Bytes,
    units: Small,
    twos: Bytes,
    threes: Bytes,
    mains: Counts,
    sides: Counts,
    nets: Counts,
    splits: Counts,
    rounds: Counts,
    house: Counts,
) -> None:
    """Count the results of the seats and of the round."""
    rounds[state, used] += 1
    main_sum, one, two, three = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for seat in range(seats):
        word = hands[seat]
        side = with_dealer(side_of(deck, lane, seat, seats, twos, threes), state)
        if word >> COUNT_AT & 7 == 1:
            main = settle_one(state, word, settled)
        else:
            main = settle_split(state, word, settled, units, found)
            for event in range(EVENTS):
                splits[event, found[event]] += 1
        insured = insurance_of(state, word)
        nets[side, insured, main] += 1
        if seats > 1:
            main_sum += mains[insured, main]
            one += sides[side, 0]
            two += sides[side, 1]
            three += sides[side, 2]
    if seats > 1:
        house[0, main_sum] += 1
        house[1, one] += 1
        house[2, two] += 1
        house[3, three] += 1
        house[4, main_sum + one + two + three] += 1


@njit(cache=True, nogil=True)
def record_round(
    key: Int,
    number: Int,
    plays: Bytes,
    grown: Shorts,
    dealer: Bytes,
    options: Counts,
    deck: Bytes,
    hands: Counts,
    log: Ints,
) -> Int:
    """Play one round and record all of it, including the order of the whole shoe.

    Return the dealer's final state.
    """
    size = options[SIZE]
    swaps, held = np.empty((size, 1), np.uint16), np.empty((size, 1), np.uint16)
    placed = np.int64(0)
    while placed < size:
        placed = place_more(key, number, 0, placed, options, swaps, held, deck)
    log[0] = 0
    whole = options.copy()
    whole[AHEAD] = size
    state, _ = play_round(
        key, number, 0, swaps, held, deck, plays, grown, dealer, whole, hands, log
    )
    return state
