"""Rounds of Roll Your Own Blackjack dealt and played by a table of decisions, one seat.

A round is a function of a key and its number: its cards come from Philox4x32-10, a generator
without state (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011),
so rounds may be played in any order, anywhere. Cards are 0 to 51, ace to king of one suit after the
other; values are counted from 0, the ace 0 and the ten 9.

The tables, which pitboss.solver.trial fills:

``plan[start]``       how three cards are set: by the up card and three values in the order dealt
``plays[row, hand]``  what a hand does, two bits before a split and two bits after one; for the hand
                      without cards, how many times the starting hand splits at most
``grown[hand]``       the hands with one card more (-1: bust), and the state: hard totals are
                      themselves, soft ones ten more; the last hand is the one without cards

Numba optimises a function again inside each one that calls it, so the small ones are inlined before
that, and numbers are made int64 lest a literal be compiled for itself. The rounds are held against
the rules engine by tests/test_trial_roll_your_own.py.
"""

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pitboss.kernels.arrays import bare

Int: TypeAlias = int | np.integer[Any]
Counts = NDArray[np.int64]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Small = NDArray[np.int8]
Shorts = NDArray[np.int16]

STAND, HIT, DOUBLE, SPLIT = 0, 1, 2, 3
AFTER_SPLIT = 2  # where the bits of a play after a split begin

ALONE, LONE_BET, ROWS_AT = 0, 1, 2  # plan: the card alone (-1: double blackjack), its bet, two rows
PLAN = 4
STATE = 10  # the column of grown after those of the ten values

PEEKS, DRAWS, HITS_SOFT_17, MAX_SPLITS, RESPLITS_ACES = range(5)  # the options
OPTIONS = 5

# What can happen: how a hand ends, then what else is counted in a round.
DOUBLE_BLACKJACK, BLACKJACK, BUST, DEALER_BLACKJACK = 0, 1, 2, 3
DEALER_BUST, HIGHER, LOWER, PUSH = 4, 5, 6, 7
DOUBLES, SPLITS, ADDED, DEALER_NATURAL, DEALER_BUSTS = 8, 9, 10, 11, 12
EVENTS = 13
TIMES = 19  # nothing happens more than eighteen times: five hands from each, all doubled

BONUSES = 6  # the classes of three cards, best first; the last wins nothing
BLACKJACKS = 3  # bets that were paid as blackjacks: none, one or two
MOST = 20  # units that all other bets can win or lose together
UNITS = 2 * MOST + 1

# The felt: how often each thing has happened, four numbers for each hand, then the plays made.
BET, TOTAL, STAKE, ENDED = 0, 1, 2, 3
HANDS_AT, PLAYED = 13, 53
FELT = PLAYED + 1 + 60  # there are fewer plays than cards and hands together
_PENDING = -1

DECK = 52
_RANKS = 13
_TEN = 9
_TWENTY_ONE, _SOFT_21, _SOFT_17 = 21, 31, 27
_SOFT_BY = 10
_STANDS = 17

# --- chance

_KEY, _ROUND, _BLOCK, _WORD, _WORDS_AT = 0, 1, 2, 3, 4
_PLACED, _DEALT = 8, 9
DICE = 10
"""The dice of a round: key, number, blocks used, words used of this block, its four words, cards in
their places, cards dealt."""

_NONE, _ONE, _FOUR = np.uint64(0), np.uint64(1), np.uint64(4)
_CARDS = np.uint64(DECK)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_WHOLE = np.uint64(1 << 32)
_MULTIPLY_0, _MULTIPLY_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_BUMP_0, _BUMP_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)


@njit(cache=True, nogil=True, inline="always")
def philox(low: Int, high: Int, block: Int, last: Int, key: Int, out: Words, at: Int) -> None:
    """Write four words of 32 bits at *at*: Philox4x32-10 of a key and a counter of four words."""
    a, b, c, d = low, high, block, last
    k0, k1 = key & _LOW, key >> _HALF
    for _ in range(10):
        p, q = _MULTIPLY_0 * a, _MULTIPLY_1 * c
        a, b, c, d = (q >> _HALF) ^ b ^ k0, q & _LOW, (p >> _HALF) ^ d ^ k1, p & _LOW
        k0, k1 = (k0 + _BUMP_0) & _LOW, (k1 + _BUMP_1) & _LOW
    out[at], out[at + 1], out[at + 2], out[at + 3] = a, b, c, d


@njit(cache=True, nogil=True, inline="always")
def _word(dice: Words) -> Int:
    """Return the next word of a round."""
    if dice[_WORD] == _FOUR:
        low, high = dice[_ROUND] & _LOW, dice[_ROUND] >> _HALF
        philox(low, high, dice[_BLOCK], _NONE, dice[_KEY], dice, _WORDS_AT)
        dice[_BLOCK] += _ONE
        dice[_WORD] = 0
    word = dice[_WORDS_AT + np.int64(dice[_WORD])]
    dice[_WORD] += _ONE
    return word


@njit(cache=True, nogil=True, inline="always")
def _below(dice: Words, n: Int) -> Int:
    """Return a number below *n*, every one as likely: Lemire's method, which rejects."""
    product = _word(dice) * n
    if product & _LOW < n:
        least = _WHOLE % n
        while product & _LOW < least:
            product = _word(dice) * n
    return product >> _HALF


@njit(cache=True, nogil=True)
def _shuffle_more(dice: Words, deck: Bytes) -> None:
    """Put four more cards in their places, drawn from those that have none yet."""
    for _ in range(4):
        at = dice[_PLACED]
        other = at + _below(dice, _CARDS - at)
        deck[at], deck[other] = deck[other], deck[at]
        dice[_PLACED] += _ONE


@njit(cache=True, nogil=True, inline="always")
def shuffle(key: Int, number: Int, dice: Words, deck: Bytes) -> None:
    """Make ready to deal round *number*; most cards get their places only when they are needed."""
    dice[_KEY], dice[_ROUND] = key, number
    dice[_BLOCK], dice[_WORD], dice[_PLACED], dice[_DEALT] = 0, _FOUR, 0, 0
    for card in range(DECK):
        deck[card] = card
    _shuffle_more(dice, deck)
    _shuffle_more(dice, deck)


@njit(cache=True, nogil=True, forceinline=True)
def _deal(dice: Words, deck: Bytes) -> Int:
    """Return the value of the next card."""
    at = dice[_DEALT]
    if at == dice[_PLACED]:
        _shuffle_more(dice, deck)
    dice[_DEALT] = at + _ONE
    return value_of(np.int64(deck[at]))


@njit(cache=True, nogil=True, inline="always")
def value_of(card: Int) -> Int:
    return min(card % _RANKS, _TEN)


# --- one round


@njit(cache=True, nogil=True, inline="always")
def bonus_of(deck: Bytes) -> Int:
    """Return the class of the first three cards (rule 6)."""
    one, two, three = np.int64(deck[0]), np.int64(deck[1]), np.int64(deck[2])
    a, b, c = one % _RANKS, two % _RANKS, three % _RANKS
    low, high = min(a, b, c), max(a, b, c)
    middle = a + b + c - low - high
    flush = one // _RANKS == two // _RANKS == three // _RANKS
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
def _is_blackjack(one: Int, two: Int) -> bool:
    return min(one, two) == 0 and max(one, two) == _TEN


@njit(cache=True, nogil=True, inline="always")
def _note(felt: Small, play: Int) -> None:
    felt[PLAYED] += 1
    felt[PLAYED + felt[PLAYED]] = play


@njit(cache=True, nogil=True, inline="always")
def _put(felt: Small, place: Int, bet: Int, total: Int, stake: Int, ended: Int) -> None:
    """Lay a hand down; how it ended may still be pending."""
    at = HANDS_AT + 4 * place
    felt[at + BET] = bet
    felt[at + TOTAL] = total
    felt[at + STAKE] = stake
    felt[at + ENDED] = ended
    if ended != _PENDING:
        felt[ended] += 1


@njit(cache=True, nogil=True, inline="always")
def _total(grown: Shorts, hand: Int) -> Int:
    state = np.int64(grown[hand, STATE])
    return state - _SOFT_BY if state > _TWENTY_ONE else state


@njit(cache=True, nogil=True)
def _finish(
    dice: Words,
    deck: Bytes,
    plays: Bytes,
    grown: Shorts,
    felt: Small,
    bet: Int,
    place: Int,
    row: Int,
    begin: Int,
    bits: Int,
) -> None:
    """Play the hand *begin* to its end and lay it at *place* (rules 7 and 7a)."""
    hand: Int = begin
    stake = 1
    while hand >= 0:
        state = grown[hand, STATE]
        if state in (_TWENTY_ONE, _SOFT_21):
            break
        play = (plays[row, hand] >> bits) & 3
        _note(felt, play)
        if play == STAND:
            break
        hand = np.int64(grown[hand, _deal(dice, deck)])
        if play == DOUBLE:
            stake = 2
            felt[DOUBLES] += 1
            break
    if hand < 0:
        _put(felt, place, bet, _TWENTY_ONE + 1, stake, BUST)
    else:
        _put(felt, place, bet, _total(grown, hand), stake, _PENDING)


@njit(cache=True, nogil=True)
def _split(
    dice: Words,
    deck: Bytes,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    felt: Small,
    bet: Int,
    begin: Int,
    row: Int,
    value: Int,
) -> Int:
    """Play the hands of a split pair and return the place after the last (rules 7b to 7d)."""
    _note(felt, SPLIT)
    alone = grown[grown.shape[0] - 1, value]
    used, waiting, place = 1, 2, begin
    while waiting:
        waiting -= 1
        second = _deal(dice, deck)
        while second == value and used < plays[row, grown.shape[0] - 1]:
            _note(felt, SPLIT)
            used += 1
            waiting += 1
            second = _deal(dice, deck)
        hand = np.int64(grown[alone, second])
        if value == 0:
            asked = options[RESPLITS_ACES] and used < options[MAX_SPLITS]
            if second == 0 and asked:
                _note(felt, STAND)
            _put(felt, place, bet, _total(grown, hand), 1, _PENDING)
        else:
            _finish(dice, deck, plays, grown, felt, bet, place, row, hand, np.int64(AFTER_SPLIT))
        place += 1
    felt[SPLITS] += used
    return place


@njit(cache=True, nogil=True, forceinline=True)
def _play_bet(
    dice: Words,
    deck: Bytes,
    plan: Shorts,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    felt: Small,
    start: Int,
    bet: Int,
    begin: Int,
    ended: Int,
) -> Int:
    """Play the starting hand on a bet and return the place after its last hand.

    *ended*: the peek has found a blackjack (rules 7g and 7h).
    """
    alone = np.int64(plan[start, ALONE])
    if plan[start, LONE_BET] == bet:
        one = value_of(np.int64(deck[alone]))
        draws = not ended or (options[DRAWS] and (one in (0, _TEN)))
        two = _deal(dice, deck) if draws else one
    else:
        one = value_of(np.int64(deck[0 if alone else 1]))
        two = value_of(np.int64(deck[3 - alone - (0 if alone else 1)]))
    hand = np.int64(grown[grown[grown.shape[0] - 1, one], two])
    row = np.int64(plan[start, ROWS_AT + bet])
    if _is_blackjack(one, two):
        _put(felt, begin, bet, _TWENTY_ONE, 1, BLACKJACK)
    elif ended:
        _put(felt, begin, bet, 0, 1, DEALER_BLACKJACK)
    elif plays[row, hand] & 3 == SPLIT:
        return _split(dice, deck, plays, grown, options, felt, bet, begin, row, one)
    else:
        _finish(dice, deck, plays, grown, felt, bet, begin, row, hand, np.int64(0))
    return begin + 1


@njit(cache=True, nogil=True, inline="always")
def _dealer_total(dice: Words, deck: Bytes, grown: Shorts, begin: Int, hits_soft_17: Int) -> Int:
    """Play the dealer's hand and return its total, 22 for a bust (rule 7f)."""
    hand: Int = begin
    while hand >= 0:
        state, total = grown[hand, STATE], _total(grown, hand)
        if total >= _STANDS and not (hits_soft_17 and state == _SOFT_17):
            return total
        hand = np.int64(grown[hand, _deal(dice, deck)])
    return _TWENTY_ONE + 1


@njit(cache=True, nogil=True, inline="always")
def _compare(total: Int, theirs: Int) -> Int:
    if theirs > _TWENTY_ONE:
        return DEALER_BUST
    if total == theirs:
        return PUSH
    return HIGHER if total > theirs else LOWER


@njit(cache=True, nogil=True, forceinline=True)
def play_round(
    dice: Words,
    deck: Bytes,
    plan: Shorts,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    felt: Small,
) -> None:
    """Deal and play a round whose deck is ready; the felt then shows what happened.

    There are two hands and one more for every split. The plays are those that the rules ask for.
    """
    felt[:HANDS_AT] = 0
    felt[PLAYED] = 0
    a, b, c = _deal(dice, deck), _deal(dice, deck), _deal(dice, deck)
    _deal(dice, deck)  # the burn
    up, hole = _deal(dice, deck), _deal(dice, deck)
    start = ((up * 10 + a) * 10 + b) * 10 + c
    natural = _is_blackjack(up, hole)
    felt[DEALER_NATURAL] = natural
    if plan[start, ALONE] < 0:  # rule 7i
        _put(felt, 0, 0, _TWENTY_ONE, 1, DOUBLE_BLACKJACK)
        _put(felt, 1, 1, _TWENTY_ONE, 1, DOUBLE_BLACKJACK)
        return
    ended = natural and options[PEEKS]
    number: Int = np.int64(0)
    for bet in range(2):
        number = _play_bet(
            dice,
            deck,
            plan,
            plays,
            grown,
            options,
            felt,
            start,
            bet,
            number,
            ended,
        )
    theirs: Int = 0
    for hand in range(number):
        at = HANDS_AT + 4 * hand
        if felt[at + ENDED] != _PENDING:
            continue
        if not natural and theirs == 0:
            begin = np.int64(grown[grown[grown.shape[0] - 1, up], hole])
            theirs = _dealer_total(dice, deck, grown, begin, options[HITS_SOFT_17])
            felt[DEALER_BUSTS] = theirs > _TWENTY_ONE
        ending = DEALER_BLACKJACK if natural else _compare(felt[at + TOTAL], theirs)
        felt[at + ENDED] = ending
        felt[ending] += 1


# --- many rounds


@njit(cache=True, nogil=True, inline="always")
def _count(deck: Bytes, felt: Small, nets: Counts, events: Counts) -> None:
    """Count a round by what its bets came to, and what happened in it."""
    number = np.int64(felt[SPLITS]) + 2
    units: Int = MOST
    added: Int = -2
    for hand in range(number):
        at = HANDS_AT + 4 * hand
        ended, stake = felt[at + ENDED], np.int64(felt[at + STAKE])
        added += stake
        if ended in (DEALER_BUST, HIGHER):
            units += stake
        elif ended in (BUST, DEALER_BLACKJACK, LOWER):
            units -= stake
    felt[ADDED] = added
    paid = np.int64(felt[BLACKJACK]) + np.int64(felt[DOUBLE_BLACKJACK])
    nets[bonus_of(deck), paid, units] += 1
    for event in range(EVENTS):
        events[event, felt[event]] += 1


@njit(cache=True, nogil=True)
def play_rounds(
    key: Int,
    begin: Int,
    end: Int,
    plan: Shorts,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    nets: Counts,
    events: Counts,
) -> None:
    """Play rounds *begin* to *end* and add them to the counts.

    ``nets[bonus, blackjacks, units]`` counts rounds by the class of the Bonus, how many bets were
    paid as blackjacks and what the others came to (*MOST* is nothing); ``events[event, times]`` by
    how often each thing happened.
    """
    dice, deck = np.empty(DICE, np.uint64), np.empty(DECK, np.uint8)
    felt = np.empty(FELT, np.int8)
    plan_, plays_, grown_, options_ = bare(plan), bare(plays), bare(grown), bare(options)
    dice_, deck_, felt_, nets_, events_ = (
        bare(dice),
        bare(deck),
        bare(felt),
        bare(nets),
        bare(events),
    )
    for number in range(begin, end):
        shuffle(key, number, dice_, deck_)
        play_round(dice_, deck_, plan_, plays_, grown_, options_, felt_)
        _count(deck_, felt_, nets_, events_)


@njit(cache=True, nogil=True)
def record_round(
    key: Int,
    number: Int,
    plan: Shorts,
    plays: Bytes,
    grown: Shorts,
    options: Counts,
    deck: Bytes,
    felt: Small,
) -> None:
    """Play one round and keep all of it, the deck dealt out to its last card."""
    dice = np.empty(DICE, np.uint64)
    shuffle(key, number, dice, deck)
    play_round(dice, deck, plan, plays, grown, options, felt)
    while dice[_PLACED] < _CARDS:
        _shuffle_more(dice, deck)
