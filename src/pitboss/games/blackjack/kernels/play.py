"""One round of blackjack for one to seven seats, played from a strategy's tables.

A seat is played in one loop, one card or decision per pass. On a graphics card, threads whose
rounds are at different points can then run together. Tests compare the rounds with the rules
engine.
"""

from typing import Any

import numpy as np
from numba import njit

from pitboss.games.blackjack.kernels.layout import (
    AHEAD,
    AT_RANDOM,
    BLACKJACK,
    BUST,
    COUNT_AT,
    DOUBLE,
    DOUBLED,
    DOUBLES,
    DOUBLES_SPLITS,
    DRAWS,
    HAND_BITS,
    HIT,
    HITS_ACES,
    INSURE,
    INSURED_AT,
    INSURES,
    MAX_SPLITS,
    MODE,
    NATURAL,
    NOT_PLAYED,
    PEEKS,
    PLAYS,
    RAN_OUT,
    RESPLITS_ACES,
    SEATS,
    SIZE,
    SPLIT,
    SPLIT_ROWS,
    STAND,
    SURRENDER,
    SURRENDERED,
    SURRENDERS,
    TOTAL,
    UNFINISHED,
)
from pitboss.games.blackjack.kernels.shoe import place_more
from pitboss.kernels.arrays import Bytes, Counts, Shorts
from pitboss.kernels.cards import value_of
from pitboss.kernels.chance import Int, Places, choose

_TEN = 9
_TWENTY_ONE = 21
ONE_HAND = np.int64(1) << COUNT_AT
_INSURED = np.int64(1) << INSURED_AT
_INSURANCE = 1 << 20  # choices with this number or more are about insurance


@njit(cache=True, nogil=True, inline="always")
def is_blackjack(one: Int, two: Int) -> bool:
    return min(one, two) == 0 and max(one, two) == _TEN


@njit(cache=True, nogil=True, inline="always")
def _log(log: Any, play: Int) -> None:
    if log is not None:
        log[0] += 1
        log[log[0]] = play


@njit(cache=True, nogil=True)
def _by_chance(
    key: Int, number: Int, asked: Int, options: Counts, doubles: Int, pair: bool, two: bool,
    splits: Int,
) -> Int:  # fmt: skip
    """Return a random play; all legal plays are equally likely (rules 8a to 8e)."""
    may_double = two and doubles and (splits == 0 or options[DOUBLES_SPLITS] != 0)
    may_split = pair and splits < options[MAX_SPLITS]
    may_surrender = two and splits == 0 and options[SURRENDERS] != 0
    ways = 2 + np.int64(may_double) + np.int64(may_split) + np.int64(may_surrender)
    play = choose(key, number, asked, ways)
    if play >= DOUBLE and not may_double:
        play += 1
    if play >= SPLIT and not may_split:
        play += 1
    return play


@njit(cache=True, nogil=True, forceinline=True)
def _play_seat(
    key: Int,
    number: Int,
    lane: Int,
    dealt: Int,
    placed: Int,
    asked: Int,
    swaps: Places,
    held: Places,
    deck: Bytes,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    log: Any,
    up: Int,
    value: Int,
    second: Int,
) -> tuple[Int, Int, Int, Int, Int]:
    """Play a seat whose first two cards are no blackjack (rules 8 to 8e).

    Return how many cards are dealt and placed, how many decisions were made, the seat's hands as a
    word, and whether the shoe ran out (rule 11).
    """
    empty, random = np.int64(grown.shape[0] - 1), options[MODE] == AT_RANDOM
    alone = np.int64(grown[empty, value])
    twin = np.int64(grown[alone, value])
    hand = np.int64(grown[alone, second])
    row, size = np.int64(up), options[SIZE]
    single, two, ran_out = False, True, False
    splits, limit, left = np.int64(0), np.int64(0), np.int64(0)
    word, shift, doubled = np.int64(0), np.int64(0), np.int64(0)
    while True:
        play = np.int64(HIT)
        if not single:
            play = np.int64(plays[row, hand]) & PLAYS
            if random and grown[hand, TOTAL] < _TWENTY_ONE:
                again = splits == 0 or value != 0 or options[RESPLITS_ACES] != 0  # rule 8d
                pair = two and hand == twin and again
                play = _by_chance(
                    key, number, asked, options, grown[hand, DOUBLES], pair, two, splits
                )
                asked += 1
            if grown[hand, TOTAL] < _TWENTY_ONE:
                _log(log, play)
            if play >= SPLIT:
                if play == SURRENDER:
                    word = np.int64(SURRENDERED)
                    break
                if splits == 0:
                    row = np.int64(SPLIT_ROWS + 10 * up + value)
                    limit = np.int64(0) if random else np.int64(plays[row, empty])
                splits += 1
                left += 1
                single = True
                continue
        if play != STAND:
            if play == DOUBLE:
                doubled = np.int64(DOUBLED)
            if dealt == size:
                ran_out = True
                for _ in range(left + 1):
                    word |= (UNFINISHED | doubled) << shift
                    shift += HAND_BITS
                    doubled = np.int64(0)
                shift -= HAND_BITS
                break
            if dealt == placed:
                placed = place_more(key, number, lane, placed, options, swaps, held, deck)
            card = value_of(deck[dealt, lane])
            dealt += 1
            if single:
                hand = np.int64(grown[alone, card])
                if card == value and splits < limit:
                    _log(log, SPLIT)
                    splits += 1
                    left += 1
                    continue
                single, two = False, True
                if value != 0 or options[HITS_ACES]:
                    continue
                again = card == 0 and options[RESPLITS_ACES] and splits < options[MAX_SPLITS]
                if again:  # a split ace that drew an ace may only stand or split (rule 8d)
                    way = np.int64(0)
                    if random:
                        way = choose(key, number, asked, 2)
                        asked += 1
                    _log(log, SPLIT if way else STAND)
                    if way:
                        splits += 1
                        left += 1
                        single = True
                        continue
            else:
                two = False
                hand = np.int64(grown[hand, card])
                if hand >= 0 and play == HIT:
                    continue
        end = np.int64(BUST) if hand < 0 else np.int64(grown[hand, TOTAL])
        word |= (end | doubled) << shift
        if left == 0:
            break
        left -= 1
        shift += HAND_BITS
        single, doubled = True, np.int64(0)
    word |= (shift // HAND_BITS + 1) << COUNT_AT
    return dealt, placed, asked, word, ran_out


@njit(cache=True, nogil=True, inline="always")
def is_over(word: Int) -> bool:
    """Return whether a seat's hands need no card of the dealer (rule 9)."""
    over, hands = True, word >> COUNT_AT & 7
    for i in range(hands):
        over &= word >> HAND_BITS * i & 31 >= BUST
    return over


@njit(cache=True, nogil=True, forceinline=True)
def play_round(
    key: Int,
    number: Int,
    lane: Int,
    swaps: Places,
    held: Places,
    deck: Bytes,
    plays: Bytes,
    grown: Shorts,
    dealer: Bytes,
    options: Counts,
    hands: Counts,
    log: Any,
) -> tuple[Int, Int]:
    """Play a round whose first cards are in their places.

    Write the hands of every seat, and return the dealer's final state and how many cards are used.
    """
    seats, empty = options[SEATS], np.int64(grown.shape[0] - 1)
    dealt, placed, asked = 2 * seats + 2, options[AHEAD], np.int64(0)
    up = value_of(deck[seats, lane])
    state = np.int64(dealer[DRAWS + up, value_of(deck[dealt - 1, lane])])
    natural = state == NATURAL
    ended = natural and options[PEEKS] != 0
    ran_out, needed = False, False
    for seat in range(seats):
        one, two = value_of(deck[seat, lane]), value_of(deck[seats + 1 + seat, lane])
        word = ONE_HAND
        if is_blackjack(one, two):
            word |= BLACKJACK
        elif ended or ran_out:
            word |= UNFINISHED
            needed = True
        else:
            dealt, placed, asked, word, ran_out = _play_seat(
                key, number, lane, dealt, placed, asked, swaps, held, deck, plays, grown, options,
                log, up, one, two,
            )  # fmt: skip
            needed |= not is_over(word)
        if up == 0 and options[INSURES]:
            hand = grown[grown[empty, one], two]
            insured = np.int64(plays[0, hand]) & INSURE
            if options[MODE] == AT_RANDOM:
                insured = choose(key, number, _INSURANCE + seat, 2)
            word |= _INSURED if insured else 0
        hands[seat] = word
    if natural:
        return state, dealt
    if ran_out:
        return np.int64(RAN_OUT), dealt
    if not needed:
        return np.int64(NOT_PLAYED), dealt
    while state >= DRAWS:  # rule 9
        if dealt == options[SIZE]:
            return np.int64(RAN_OUT), dealt
        if dealt == placed:
            placed = place_more(key, number, lane, placed, options, swaps, held, deck)
        state = np.int64(dealer[state, value_of(deck[dealt, lane])])
        dealt += 1
    return state, dealt
