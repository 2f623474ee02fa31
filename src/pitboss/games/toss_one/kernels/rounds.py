"""Kernels of Toss One 21: count deals, and simulate rounds.

The code of the rounds contains no rules. The class of a hand, the comparison of two hands and the
Lucky 3 class of suits are tables, which pitboss.games.toss_one.simulation fills from the rules
engine. Cards of a shoe are numbered rank by rank, and suit by suit within a rank.

``pairs[two ranks]``   the number of a pair of values
``hands[two pairs]``   the class of a player's hand: everything except suits that affects its bets
``dealers[two pairs]`` the kind of a dealer's hand
``classes[class]``     the class of the Bonus 4 total (low byte), the value tossed from a 21 (next
                       byte, NO_21 if it is not a 21) and the family of Lucky 3 (next byte)
``outcomes[class, kind]``  the outcome of Main
``suits[three suits]`` the Lucky 3 class of three suits, as a bit
``lucky[family + set]``  the class of Lucky 3, by the set of suit classes that may be kept
"""

from typing import TypeAlias

import numpy as np
from numba import njit

from pitboss.kernels.arrays import Bytes, Counts
from pitboss.kernels.chance import LANES, Int, Places, Words, deal_ahead

Tables: TypeAlias = tuple[Bytes, Bytes, Bytes, Words, Bytes, Bytes, Bytes]

PACK = 4
RANKS = 13
PAIRS = 55
DEALERS = 98  # kinds of hands
NO_21 = 0xFF
OUTCOMES, LUCKY, BONUS = 9, 7, 19  # classes of Main, Lucky 3, Bonus 4; the last of a side bet loses
CELLS = OUTCOMES * LUCKY * BONUS
BETS = 4  # Main, Lucky 3, Bonus 4, all together

_TEN = np.uint32(9)
_BYTE = np.uint32(0xFF)
_SUIT = np.uint32(3)
_2, _4, _8, _16 = (np.uint32(n) for n in (2, 4, 8, 16))
_RANKS, _PAIRS, _DEALERS = np.uint32(RANKS), np.uint32(PAIRS), np.uint32(DEALERS)
_LUCKY, _BONUS, _NO_LUCK = np.uint32(LUCKY), np.uint32(BONUS), np.uint32(LUCKY - 1)
_NO_21 = np.uint32(NO_21)


@njit(cache=True, nogil=True)
def count_dealers(
    players: Counts, dealers: Counts, kinds: Counts, shoe: Counts, out: Counts
) -> None:
    """Count, for every player's hand, the dealer's hands of each kind from the rest of the shoe.

    ``players[i, v]`` and ``dealers[j, v]`` are the numbers of cards of value *v* in a hand,
    ``shoe[v]`` is their number in the shoe, and ``kinds[j]`` is the kind of a dealer's hand. The
    counts are written to ``out[i, k]``. 64 bits suffice for exact counts of four-card hands from up
    to eight decks (about 1.2e9 hands).
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


# --- rounds


@njit(cache=True, nogil=True, inline="always")
def rank_of(card, per_rank):
    """Return the rank of a card; *per_rank* is 2^16 divided by the cards of a rank, rounded up."""
    return np.uint32(np.uint32(card) * np.uint32(per_rank)) >> _16


@njit(cache=True, nogil=True, inline="always")
def pair_of(one, two, per_rank):
    """Return the index of two cards in the table of pairs."""
    return np.uint32(rank_of(one, per_rank) * _RANKS + rank_of(two, per_rank))


@njit(cache=True, nogil=True, inline="always")
def hand_of(first, second, pairs, table):
    """Return the entry of a table for two pairs."""
    place = np.uint32(pairs[first]) * _PAIRS + np.uint32(pairs[second])
    return np.uint32(table[np.uint32(place)])


@njit(cache=True, nogil=True, inline="always")
def _kept(card, value, per_rank, one, two, three, suits):
    """Return the bit of the suits kept if *card* is tossed; 0 if it has another value."""
    left = ((one & _SUIT) << _4) | ((two & _SUIT) << _2) | (three & _SUIT)
    goes = min(rank_of(card, per_rank), _TEN) == value
    return np.uint32(suits[np.uint32(left)]) * np.uint32(goes)  # without a branch


@njit(cache=True, nogil=True, inline="always")
def lucky_of(a, b, c, d, known, per_rank, suits, lucky):
    """Return the class of Lucky 3 that is chosen among all cards of the tossed value."""
    value = np.uint32(known >> _8) & _BYTE
    ways = _kept(a, value, per_rank, b, c, d, suits)
    ways |= _kept(b, value, per_rank, a, c, d, suits)
    ways |= _kept(c, value, per_rank, a, b, d, suits)
    ways |= _kept(d, value, per_rank, a, b, c, suits)
    return np.uint32(lucky[np.uint32(known >> _16) + ways])


@njit(cache=True, nogil=True, inline="always")
def is_21(known):
    return np.uint32(known >> _8) & _BYTE != _NO_21


@njit(cache=True, nogil=True, inline="always")
def cell_of(mine, theirs, known, found, outcomes):
    """Return the cell of the joint counts for two hands and a class of Lucky 3."""
    main = np.uint32(outcomes[np.uint32(mine * _DEALERS + theirs)])
    return np.uint32((main * _LUCKY + found) * _BONUS + (known & _BYTE))


@njit(cache=True, nogil=True)
def cell_at(dealt, own, dealer, per_rank, pairs, hands, dealers, classes, outcomes, suits, lucky):
    """Return the cell of a seat from the cards dealt; the seat's cards begin at *own*."""
    a, b = np.uint32(dealt[own]), np.uint32(dealt[own + 1])
    c, d = np.uint32(dealt[own + 2]), np.uint32(dealt[own + 3])
    mine = hand_of(pair_of(a, b, per_rank), pair_of(c, d, per_rank), pairs, hands)
    first = pair_of(dealt[dealer], dealt[dealer + 1], per_rank)
    second = pair_of(dealt[dealer + 2], dealt[dealer + 3], per_rank)
    theirs = hand_of(first, second, pairs, dealers)
    known, found = np.uint32(classes[mine]), _NO_LUCK
    if is_21(known):
        found = lucky_of(a, b, c, d, known, per_rank, suits, lucky)
    return cell_of(mine, theirs, known, found, outcomes)


@njit(cache=True, nogil=True, inline="always")
def round_in(first: Int, lane: Int, paired: bool) -> Int:
    """Return the number of the round in a lane."""
    if not paired:
        return first + lane
    return first + 2 * (lane % (LANES // 2)) + lane // (LANES // 2)


@njit(cache=True, nogil=True)
def play_rounds(
    key: Int,
    begin: Int,
    end: Int,
    seats: Int,
    decks: Int,
    draws: Int,
    pairs: Bytes,
    hands: Bytes,
    dealers: Bytes,
    classes: Words,
    outcomes: Bytes,
    suits: Bytes,
    lucky: Bytes,
    pays: Counts,
    counts: Counts,
    house: Counts,
) -> None:
    """Deal rounds *begin* to *end* and add them to the counts.

    ``counts[cell]`` counts the seats' rounds by the results of the three bets. With several seats,
    ``house[bet, sum]`` counts rounds by the result of a bet for all seats together. ``pays[cell,
    bet]`` is the payout of a cell, shifted so that no sum is negative.
    """
    n, per_rank = PACK * (seats + 1), per_rank_of(decks)
    words, places = np.empty((4, LANES), np.uint32), np.empty((n // 2, LANES), np.uint16)
    swaps, held = np.empty((n, LANES), np.uint16), np.empty((n, LANES), np.uint16)
    dealt, nets = np.empty((n, LANES), np.uint16), np.empty((BETS, LANES), np.int64)
    cells, at_21 = np.empty(LANES, np.uint32), np.empty((2, LANES + 1), np.uint32)
    first = begin - begin % 2
    while first < end:
        deal_ahead(key, first, n, 52 * decks, draws, words, swaps, held, dealt)
        _count(
            first, begin, end, 2 * draws >= n, seats, per_rank, dealt, places, pairs, hands,
            dealers, classes, outcomes, suits, lucky, pays, counts, house, nets, cells, at_21,
        )  # fmt: skip
        first += LANES


@njit(cache=True, nogil=True)
def per_rank_of(decks: Int) -> Int:
    return np.uint32((1 << 16) // (4 * decks) + ((1 << 16) % (4 * decks) != 0))


@njit(cache=True, nogil=True)
def _look_up(row: Int, dealt: Places, per_rank: Int, places: Places) -> None:
    """Write the index of two cards in the table of pairs for every lane."""
    for i in range(LANES):
        places[row, i] = pair_of(dealt[2 * row, i], dealt[2 * row + 1, i], per_rank)


@njit(cache=True, nogil=True)
def _count(
    first: Int,
    begin: Int,
    end: Int,
    paired: bool,
    seats: Int,
    per_rank: Int,
    dealt: Places,
    places: Places,
    pairs: Bytes,
    hands: Bytes,
    dealers: Bytes,
    classes: Words,
    outcomes: Bytes,
    suits: Bytes,
    lucky: Bytes,
    pays: Counts,
    counts: Counts,
    house: Counts,
    nets: Counts,
    cells: Words,
    at_21: Words,
) -> None:
    """Count the dealt rounds that lie between *begin* and *end*.

    Lucky 3 is computed separately for hands of 21, which avoids a branch.
    """
    for row in range(2 * seats + 2):
        _look_up(row, dealt, per_rank, places)
    whole = begin <= first and first + LANES <= end
    for seat in range(seats):
        own, some = PACK * seat, 0
        for lane in range(LANES):
            mine = hand_of(places[2 * seat, lane], places[2 * seat + 1, lane], pairs, hands)
            theirs = hand_of(places[2 * seats, lane], places[2 * seats + 1, lane], pairs, dealers)
            known = classes[mine]
            cells[lane] = cell_of(mine, theirs, known, _NO_LUCK, outcomes)
            at_21[0, some], at_21[1, some] = lane, known  # overwritten if this is not a 21
            some += np.int64(is_21(known))
        for i in range(some):
            lane = np.int64(at_21[0, i])
            a, b = np.uint32(dealt[own, lane]), np.uint32(dealt[own + 1, lane])
            c, d = np.uint32(dealt[own + 2, lane]), np.uint32(dealt[own + 3, lane])
            found = lucky_of(a, b, c, d, at_21[1, i], per_rank, suits, lucky)
            cells[lane] -= (_NO_LUCK - found) * _BONUS
        for lane in range(LANES):
            if whole or begin <= round_in(first, lane, paired) < end:
                counts[cells[lane]] += 1
        for bet in range(BETS - 1 if seats > 1 else 0):
            for lane in range(LANES):
                nets[bet, lane] = pays[cells[lane], bet] + (nets[bet, lane] if seat else 0)
    if seats > 1:
        for lane in range(LANES):
            if whole or begin <= round_in(first, lane, paired) < end:
                main, lucky3, bonus4 = nets[0, lane], nets[1, lane], nets[2, lane]
                house[0, main] += 1
                house[1, lucky3] += 1
                house[2, bonus4] += 1
                house[3, main + lucky3 + bonus4] += 1


@njit(cache=True, nogil=True)
def record_round(
    key: Int,
    number: Int,
    seats: Int,
    decks: Int,
    draws: Int,
    pairs: Bytes,
    hands: Bytes,
    dealers: Bytes,
    classes: Words,
    outcomes: Bytes,
    suits: Bytes,
    lucky: Bytes,
) -> tuple[Places, Counts]:
    """Return the cards of a round in the order dealt, and the cell of each seat."""
    n, per_rank = PACK * (seats + 1), per_rank_of(decks)
    words = np.empty((4, LANES), np.uint32)
    swaps, held = np.empty((n, LANES), np.uint16), np.empty((n, LANES), np.uint16)
    dealt = np.empty((n, LANES), np.uint16)
    first, lane = number - number % 2, 0
    deal_ahead(key, first, n, 52 * decks, draws, words, swaps, held, dealt)
    while round_in(first, lane, 2 * draws >= n) != number:
        lane += 1
    cards, cells = dealt[:, lane].copy(), np.empty(seats, np.int64)
    for seat in range(seats):
        cells[seat] = cell_at(
            cards, PACK * seat, PACK * seats, per_rank, pairs, hands, dealers, classes, outcomes,
            suits, lucky,
        )  # fmt: skip
    return cards, cells
