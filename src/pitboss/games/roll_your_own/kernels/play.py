"""One round of Roll Your Own Blackjack for one to seven seats, played from a strategy's tables.

A starting hand is played in one loop, one card or decision per pass. On a graphics card, threads
whose rounds are at different points can then run together. Tests compare the rounds with the rules
engine.
"""

from typing import Any

import numpy as np
from numba import njit

from pitboss.games.roll_your_own.kernels.layout import (
    ADDED,
    AFTER_SPLIT,
    AS_TEAM,
    AT_RANDOM,
    BLACKJACK,
    BUST,
    DEALER_BLACKJACK,
    DEALER_BUST,
    DEALER_BUSTS,
    DECK,
    DOUBLE,
    DOUBLE_BLACKJACK,
    DOUBLES,
    DOUBLES_SPLITS,
    DRAWS,
    ENDED,
    HIGHER,
    HIT,
    HITS_SOFT_17,
    LOWER,
    MAX_SPLITS,
    MODE,
    NATURAL,
    PACK,
    PAID,
    PEEKS,
    PENDING,
    PER_SEAT,
    PLAYED,
    PUSH,
    RAN_OUT,
    RESPLITS_ACES,
    ROUND_EVENTS,
    RUN_OUT,
    RUN_OUT_WINS,
    SEATS,
    SECOND_BET,
    SET,
    SPLIT,
    SPLITS,
    STAND,
    STATE,
    TEAM_ROW,
    THEIRS,
    UNITS,
    USED,
    WON_BY_RUN_OUT,
)
from pitboss.games.roll_your_own.kernels.shuffle import AHEAD, place_next
from pitboss.kernels.arrays import Bytes, Counts, Ints, Shorts, Small
from pitboss.kernels.cards import value_of
from pitboss.kernels.chance import Int, Words, choose

_RANKS = 13
_TEN = 9
_TWENTY_ONE, _SOFT_21, _SOFT_17 = 21, 31, 27
_SOFT_BY = 10
_STANDS = 17
_LOWEST = 16  # lower totals of hands that wait for the dealer count as this one
_BUST = 22
_STAKES_AT = 24


@njit(cache=True, nogil=True, inline="always")
def bonus_of(deck: Bytes, at: Int) -> Int:
    """Return the Bonus class of three cards (rule 6)."""
    one, two, three = np.int64(deck[at]), np.int64(deck[at + 1]), np.int64(deck[at + 2])
    a, b, c = one >> 2, two >> 2, three >> 2
    low, high = min(a, b, c), max(a, b, c)
    middle = a + b + c - low - high
    flush = (one ^ two) & 3 == 0 and (one ^ three) & 3 == 0
    akq = low == 0 and middle == _RANKS - 2 and high == _RANKS - 1
    straight = akq or (low + 1 == middle and middle + 1 == high)
    if flush and straight:
        return 0 if akq else 1
    if low == high:
        return 2
    if straight:
        return 3
    return 4 if flush else 5


@njit(cache=True, nogil=True, inline="always")
def is_blackjack(one: Int, two: Int) -> bool:
    return min(one, two) == 0 and max(one, two) == _TEN


@njit(cache=True, nogil=True, inline="always")
def total_of(grown: Shorts, hand: Int) -> Int:
    state = np.int64(grown[hand, STATE])
    return state - _SOFT_BY if state > _TWENTY_ONE else state


@njit(cache=True, nogil=True, inline="always")
def _waiting_with(waiting: Int, total: Int, stake: Int) -> Int:
    """Add a hand to the seat's hands that wait for the dealer.

    The low bits count them by total, with four bits each; the high bits sum their stakes, with
    five bits each.
    """
    place = max(total, _LOWEST) - _LOWEST
    return waiting + (np.int64(1) << 4 * place) + (np.int64(stake) << _STAKES_AT + 5 * place)


@njit(cache=True, nogil=True, inline="always")
def _log(log: Any, kind: Int, what: Int) -> None:
    if log is not None:
        log[0] += 1
        log[log[0]] = (kind << 20) + what


@njit(cache=True, nogil=True, inline="always")
def _end(log: Any, seat: Int, bet: Int, total: Int, stake: Int, ended: Int) -> None:
    if log is not None:
        what = ended + (stake << 4) + (total << 6) + (bet << 11) + (seat << 12)
        _log(log, ENDED, what)


@njit(cache=True, nogil=True, inline="always")
def _by_rule(options: Counts, two: bool, pair: bool, splits: Int) -> tuple[bool, bool]:
    """Return whether a hand may double (7a) and whether it may split (7b, 7c)."""
    doubles = two and (splits == 0 or options[DOUBLES_SPLITS] != 0)
    return doubles, two and pair and splits < options[MAX_SPLITS]


@njit(cache=True, nogil=True)
def _by_chance(
    key: Int, number: Int, asked: Int, options: Counts, two: bool, pair: bool, splits: Int
) -> Int:
    """Return a random play; all legal plays are equally likely."""
    doubles, halves = _by_rule(options, two, pair, splits)
    play = choose(key, number, asked, 2 + np.int64(doubles) + np.int64(halves))
    if play == DOUBLE and not doubles:
        return np.int64(SPLIT)
    return play


@njit(cache=True, nogil=True, inline="always")
def _may_split_aces(options: Counts, value: Int, card: Int, splits: Int) -> bool:
    """Return whether a split ace that drew an ace may split again (7d)."""
    asked = options[RESPLITS_ACES] != 0 and splits < options[MAX_SPLITS]
    return asked and value == 0 and card == 0


@njit(cache=True, nogil=True, forceinline=True)
def _play_hand(
    key: Int,
    number: Int,
    whole: Int,
    dealt: Int,
    placed: Int,
    asked: Int,
    words: Words,
    deck: Bytes,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    reach: Counts,
    tally: Small,
    log: Any,
    seat: Int,
    bet: Int,
    row: Int,
    team_row: Int,
    value: Int,
    second: Int,
    waiting: Int,
) -> tuple[Int, Int, Int, Int, Int]:
    """Play a starting hand to its end (rules 7 to 7d).

    *second* is -1 for a hand of one card. Return how many cards are dealt and placed, how many
    decisions were made, the hands that wait for the dealer, and whether the deck ran out (rule 8).
    """
    at = ROUND_EVENTS + seat * PER_SEAT
    empty = np.int64(grown.shape[0] - 1)
    alone = np.int64(grown[empty, value])
    single, two, pair = second < 0, True, second == value
    hand = alone if single else np.int64(grown[alone, second])
    splits, limit, left, shift = np.int64(0), np.int64(0), np.int64(0), SECOND_BET * bet
    stake = np.int64(1)
    mode, later = options[MODE], 2 * (options[SEATS] - seat) - 1 - bet
    ran_out = False
    while True:
        play = np.int64(HIT)
        if not single:
            state = grown[hand, STATE]
            if state == _TWENTY_ONE or state == _SOFT_21:
                play = np.int64(STAND)
            else:
                if mode == AT_RANDOM:
                    play = _by_chance(key, number, asked, options, two, pair, splits)
                    asked += 1
                elif mode == AS_TEAM and DECK - dealt <= reach[later]:
                    play = np.int64(plays[team_row, hand] >> shift) & 3
                    doubles, halves = _by_rule(options, two, pair, splits)
                    if dealt == DECK:  # a bet added now wins
                        play = np.int64(DOUBLE if doubles else SPLIT if halves else HIT)
                    elif play == SPLIT and not halves:
                        play = np.int64(HIT)
                else:
                    play = np.int64(plays[row, hand] >> shift) & 3
                _log(log, PLAYED, play)
            if play == SPLIT:
                if splits == 0:
                    limit = np.int64(plays[row, empty] >> SECOND_BET * bet) & 15
                    if mode == AT_RANDOM:
                        limit = np.int64(0)
                    shift += AFTER_SPLIT
                splits += 1
                left += 1
                single, hand = True, alone
                continue
        ended = PENDING
        if play != STAND:
            if play == DOUBLE:
                stake = np.int64(2)
                tally[at + DOUBLES] += 1
            if dealt == DECK:
                ran_out = True
                for _ in range(left + 1):
                    waiting = _waiting_with(waiting, np.int64(0), stake)
                    _end(log, seat, bet, np.int64(0), stake, PENDING)
                    stake = np.int64(1)
                break
            placed = place_next(key, number, whole, dealt, placed, words, deck)
            card = value_of(deck[dealt])
            dealt += 1
            if single:
                if splits and card == value and splits < limit:
                    _log(log, PLAYED, SPLIT)
                    splits += 1
                    left += 1
                    continue
                single, two, pair = False, True, card == value
                hand = np.int64(grown[alone, card])
                if splits == 0 and is_blackjack(value, card):
                    tally[at + BLACKJACK] += 1
                    _end(log, seat, bet, np.int64(_TWENTY_ONE), stake, BLACKJACK)
                    break
                if splits == 0 or value != 0:
                    continue
                if _may_split_aces(options, value, card, splits):
                    again = np.int64(0)
                    if mode == AT_RANDOM:
                        again = choose(key, number, asked, 2)
                        asked += 1
                    _log(log, PLAYED, SPLIT if again else STAND)
                    if again:
                        splits += 1
                        left += 1
                        single, hand = True, alone
                        continue
            else:
                two = False
                hand = np.int64(grown[hand, card])
                if hand >= 0 and play == HIT:
                    continue
                if hand < 0:
                    ended = BUST
        if ended == BUST:
            tally[at + BUST] += 1
            tally[at + UNITS] -= stake
            _end(log, seat, bet, np.int64(_BUST), stake, BUST)
        else:
            waiting = _waiting_with(waiting, total_of(grown, hand), stake)
            _end(log, seat, bet, total_of(grown, hand), stake, PENDING)
        if left == 0:
            break
        left -= 1
        single, hand, stake = True, alone, np.int64(1)
    tally[at + SPLITS] += splits
    return dealt, placed, asked, waiting, ran_out


@njit(cache=True, nogil=True, inline="always")
def _set(plan: Ints, options: Counts, key: Int, number: Int, seat: Int, start: Int) -> Int:
    """Return how a seat sets its cards."""
    how = np.int64(plan[start])
    if options[MODE] == AT_RANDOM and how >= 0:
        way = choose(key, number, np.int64(1 << 20) + seat, 6)
        how = (how & ~np.int64(7)) + way
    return how


@njit(cache=True, nogil=True, forceinline=True)
def play_round(
    key: Int,
    number: Int,
    whole: Int,
    words: Words,
    deck: Bytes,
    plan: Ints,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    reach: Counts,
    tally: Small,
    waits: Counts,
    log: Any,
) -> None:
    """Play a round whose first cards are in their places, and write its tally."""
    seats = options[SEATS]
    empty = np.int64(grown.shape[0] - 1)
    dealt, placed, asked = PACK * (seats + 1), np.int64(AHEAD), np.int64(0)
    while placed < dealt:
        placed = place_next(key, number, whole, placed, placed, words, deck)
    up, hole = value_of(deck[dealt - 2]), value_of(deck[dealt - 1])
    natural = is_blackjack(up, hole)
    ended = natural and options[PEEKS] != 0
    ran_out, needed = False, False
    for seat in range(seats):
        at = ROUND_EVENTS + seat * PER_SEAT
        for event in range(PER_SEAT):
            tally[at + event] = 0
        own = PACK * seat
        x, y, z = value_of(deck[own]), value_of(deck[own + 1]), value_of(deck[own + 2])
        how = _set(plan, options, key, number, seat, ((up * 10 + x) * 10 + y) * 10 + z)
        _log(log, SET, (seat << 16) + (how & 7) if how >= 0 else (seat << 16) + 8)
        waiting = np.int64(0)
        waits[seat] = 0
        if how < 0:  # rule 7i
            tally[at + DOUBLE_BLACKJACK] = 2
            _end(log, seat, 0, np.int64(_TWENTY_ONE), 1, DOUBLE_BLACKJACK)
            _end(log, seat, 1, np.int64(_TWENTY_ONE), 1, DOUBLE_BLACKJACK)
            continue
        lone, row = (how >> 1) & 3, how >> 3
        for bet in range(2):
            if bet == how & 1:
                value, second = value_of(deck[own + lone]), np.int64(-1)
                if ended and options[DRAWS] and (value == 0 or value == _TEN):
                    placed = place_next(key, number, whole, dealt, placed, words, deck)
                    second = value_of(deck[dealt])
                    dealt += 1
            else:
                first = 0 if lone else 1
                value, second = value_of(deck[own + first]), value_of(deck[own + 3 - lone - first])
            if is_blackjack(value, second):  # rules 7g and 7h
                tally[at + BLACKJACK] += 1
                _end(log, seat, bet, np.int64(_TWENTY_ONE), 1, BLACKJACK)
            elif ended:
                tally[at + DEALER_BLACKJACK] += 1
                tally[at + UNITS] -= 1
                _end(log, seat, bet, np.int64(0), 1, DEALER_BLACKJACK)
            elif ran_out:
                waiting = _waiting_with(waiting, np.int64(0), np.int64(1))
                _end(log, seat, bet, np.int64(0), 1, PENDING)
            else:
                dealt, placed, asked, waiting, ran_out = _play_hand(
                    key, number, whole, dealt, placed, asked, words, deck, plays, grown, options,
                    reach, tally, log, seat, bet, row, options[TEAM_ROW] + up, value, second,
                    waiting,
                )  # fmt: skip
        waits[seat] = waiting
        needed |= waiting != 0
    theirs = np.int64(0)
    if needed and not natural and not ran_out:  # rule 7f
        hand = np.int64(grown[grown[empty, up], hole])
        while True:
            state, theirs = np.int64(grown[hand, STATE]), total_of(grown, hand)
            if theirs >= _STANDS and not (options[HITS_SOFT_17] and state == _SOFT_17):
                break
            if dealt == DECK:
                ran_out = True
                break
            placed = place_next(key, number, whole, dealt, placed, words, deck)
            hand = np.int64(grown[hand, value_of(deck[dealt])])
            dealt += 1
            if hand < 0:
                theirs = np.int64(_BUST)
                break
    tally[NATURAL], tally[RAN_OUT], tally[USED] = natural, ran_out, dealt
    tally[DEALER_BUSTS], tally[THEIRS] = theirs == _BUST, theirs
    for seat in range(seats):
        _settle(options, tally, ROUND_EVENTS + seat * PER_SEAT, waits[seat], theirs)


@njit(cache=True, nogil=True, inline="always")
def _settle(options: Counts, tally: Small, at: Int, waiting: Int, theirs: Int) -> None:
    """Settle a seat's hands that waited for the dealer, even if the deck ran out."""
    units, left, total = np.int64(0), waiting, _LOWEST
    stakes_left = waiting >> _STAKES_AT
    left = waiting & ((1 << _STAKES_AT) - 1)
    while left:
        hands, stakes = left & 15, stakes_left & 31
        if hands:
            if tally[RAN_OUT]:  # rule 8
                ended, wins = RUN_OUT, options[RUN_OUT_WINS]
            elif tally[NATURAL]:
                ended, wins = DEALER_BLACKJACK, -1
            elif theirs == _BUST:
                ended, wins = DEALER_BUST, 1
            elif total == theirs:
                ended, wins = PUSH, 0
            elif total > theirs:
                ended, wins = HIGHER, 1
            else:
                ended, wins = LOWER, -1
            tally[at + ended] += hands
            units += wins * stakes
            if ended == RUN_OUT:
                tally[at + WON_BY_RUN_OUT] += wins * stakes
        left >>= 4
        stakes_left >>= 5
        total += 1
    tally[at + UNITS] += units
    tally[at + ADDED] = tally[at + DOUBLES] + tally[at + SPLITS]
    tally[at + PAID] = tally[at + BLACKJACK] + tally[at + DOUBLE_BLACKJACK]
