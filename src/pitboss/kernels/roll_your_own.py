"""Rounds of Roll Your Own Blackjack, dealt at random and played by tables, one to seven seats.

Cards are 0 to 51, rank by rank from the aces, each in four suits; values are counted from 0, the
ace 0 and the ten 9. The tables, which pitboss.simulator.strategies fills:

``plan[start]``       how three cards are set, by the up card and three values in the order dealt:
                      which stands alone (bits 1 and 2), on which bet (bit 0), and the row of plays
                      (the rest); -1 for a double blackjack
``plays[row, hand]``  what a hand does: two bits before a split and two bits after one, the first
                      bet's in the low half; for the hand without cards, how many times the starting
                      hand splits at most
``grown[hand]``       the hands with one card more (-1: bust), and the state: hard totals are
                      themselves, soft ones ten more; the last hand is the one without cards
``reach[hands]``      a team plays for the end of the deck once so few cards are left, by how many
                      starting hands come after this one; -1 for never

A starting hand is played in one loop, a card or a decision at a time: in a graphics card that
keeps rounds that are at different points together. The rounds are held against the rules engine by
tests/test_simulator.py.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pitboss.kernels.arrays import bare
from pitboss.kernels.chance import (
    BLOCK,
    LANES,
    Int,
    Places,
    Words,
    another_word,
    block_of,
    deal_ahead,
    four_draws,
    least_of,
)

Counts = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Small = NDArray[np.int8]
Shorts = NDArray[np.int16]
Ints = NDArray[np.int32]

STAND, HIT, DOUBLE, SPLIT = 0, 1, 2, 3
AFTER_SPLIT = 2  # where the bits of a play after a split begin
SECOND_BET = 4  # where the bits of the second bet begin
STATE = 10  # the column of grown after those of the ten values

# The options of a game.
(
    SEATS,
    MODE,
    PEEKS,
    DRAWS,
    HITS_SOFT_17,
    MAX_SPLITS,
    RESPLITS_ACES,
    DOUBLES_SPLITS,
    RUN_OUT_WINS,
    TEAM_ROW,
) = range(10)
OPTIONS = 10
BY_TABLE, AT_RANDOM, AS_TEAM = 0, 1, 2  # modes

# What can happen to a seat: how hands end, then what else is counted.
DOUBLE_BLACKJACK, BLACKJACK, BUST, DEALER_BLACKJACK = 0, 1, 2, 3
DEALER_BUST, HIGHER, LOWER, PUSH, RUN_OUT = 4, 5, 6, 7, 8
DOUBLES, SPLITS, ADDED, WON_BY_RUN_OUT = 9, 10, 11, 12  # the last two in units
EVENTS = 13
TIMES = 24  # nothing happens more than twenty times
PAID, UNITS = 13, 14  # bets paid as blackjacks; what all others came to
PER_SEAT = 16

# What can happen in a round, how many cards it used, and the dealer's total if it was played.
NATURAL, DEALER_BUSTS, RAN_OUT, USED, THEIRS = 0, 1, 2, 3, 4
ROUND_EVENTS = 5
DECK = 52
USES = DECK + 1

FELT_SEATS = 7
FELT = ROUND_EVENTS + FELT_SEATS * PER_SEAT
"""The felt: what happened in the round, then at each seat."""

BONUSES = 6  # the classes of three cards, best first; the last wins nothing
BLACKJACKS = 3  # bets that were paid as blackjacks: none, one or two
MOST = 20  # units that all other bets can win or lose together
UNITS_OF = 2 * MOST + 1
BETS = 3  # the blackjack bets, the Bonus, all together

AHEAD = 12  # cards dealt to many rounds at a time; few rounds of one seat need more
LOG = 1024
PLAYED, ENDED, SET = 0, 1, 2  # what a log says, from bit 20 on
PENDING = 15

_PACK = 3
_RANKS = 13
_TEN = 9
_TWENTY_ONE, _SOFT_21, _SOFT_17 = 21, 31, 27
_SOFT_BY = 10
_STANDS = 17
_LOWEST = 16  # hands that waited for the dealer are told apart from this total on
_BUST = 22
_STAKES_AT = 24
_CHOICES = np.uint32(1 << 31)  # attempts from here on choose what to do, not cards


# --- cards


@njit(cache=True, nogil=True, inline="always")
def value_of(card: Int) -> Int:
    return min(np.int64(card) >> 2, _TEN)


@njit(cache=True, nogil=True)
def _place(key: Int, number: Int, group: Int, word: Int, deck: Bytes) -> None:
    """Put the four cards of a group in their places."""
    at = BLOCK * group
    left = np.uint32(DECK - at)
    a, b, c, d, rest = four_draws(word, left)
    if rest < np.uint32(DECK**4) and rest < least_of(left, BLOCK):
        word = another_word(key, number, group // BLOCK, group % BLOCK, left, BLOCK)
        a, b, c, d, rest = four_draws(word, left)
    i, j, k, m = at + np.int64(a), at + 1 + np.int64(b), at + 2 + np.int64(c), at + 3 + np.int64(d)
    deck[at], deck[i] = deck[i], deck[at]
    deck[at + 1], deck[j] = deck[j], deck[at + 1]
    deck[at + 2], deck[k] = deck[k], deck[at + 2]
    deck[at + 3], deck[m] = deck[m], deck[at + 3]


@njit(cache=True, nogil=True)
def lay_out(key: Int, number: Int, words: Words, deck: Bytes) -> None:
    """Shuffle the first cards of a fresh deck; *words* are the first block of the round."""
    for card in range(DECK):
        deck[card] = card
    for group in range(AHEAD // BLOCK):
        _place(key, number, group, words[group], deck)


@njit(cache=True, nogil=True)
def shuffle_more(key: Int, number: Int, placed: Int, words: Words, deck: Bytes) -> Int:
    """Shuffle four more cards and return how many have their places then."""
    group = placed // BLOCK
    if group % BLOCK == 0:
        words[0], words[1], words[2], words[3] = block_of(
            key, number, np.uint32(0), np.uint32(group // BLOCK)
        )
    _place(key, number, group, words[group % BLOCK], deck)
    return placed + BLOCK


@njit(cache=True, nogil=True, inline="always")
def _next(
    key: Int, number: Int, whole: Int, dealt: Int, placed: Int, words: Words, deck: Bytes
) -> Int:
    """Return how many cards have their places, so many that the next one has.

    A deck that is not *whole* has its first cards only, dealt ahead.
    """
    if dealt < placed:
        return placed
    if placed == AHEAD and not whole:
        lay_out(key, number, words, deck)
    return shuffle_more(key, number, placed, words, deck)


@njit(cache=True, nogil=True)
def choose(key: Int, number: Int, asked: Int, ways: Int) -> Int:
    """Return one of so many ways at random; *asked* counts what a round has chosen so far."""
    least, attempt = least_of(ways, 1), np.uint32(0)
    while True:
        word = block_of(key, number, _CHOICES + np.uint32(asked), attempt)[0]
        product = np.uint64(word) * np.uint64(ways)
        if np.uint32(product & np.uint64(0xFFFFFFFF)) >= least:
            return np.int64(product >> np.uint64(32))
        attempt += np.uint32(1)


# --- one round


@njit(cache=True, nogil=True, inline="always")
def bonus_of(deck: Bytes, at: Int) -> Int:
    """Return the class of three cards (rule 6)."""
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
    """Add a hand to those of a seat that wait for the dealer.

    They are counted by total, four bits each, and above that their stakes, five bits each.
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
    """Say whether a hand may double (7a) and whether it may split (7b, 7c)."""
    doubles = two and (splits == 0 or options[DOUBLES_SPLITS] != 0)
    return doubles, two and pair and splits < options[MAX_SPLITS]


@njit(cache=True, nogil=True)
def _by_chance(
    key: Int, number: Int, asked: Int, options: Counts, two: bool, pair: bool, splits: Int
) -> Int:
    """Return a play at random, every legal one as likely."""
    doubles, halves = _by_rule(options, two, pair, splits)
    play = choose(key, number, asked, 2 + np.int64(doubles) + np.int64(halves))
    if play == DOUBLE and not doubles:
        return np.int64(SPLIT)
    return play


@njit(cache=True, nogil=True, inline="always")
def _may_split_aces(options: Counts, value: Int, card: Int, splits: Int) -> bool:
    """Say whether a split ace that drew an ace is asked (7d)."""
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
    felt: Small,
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

    *second* is -1 for a hand of one card. Return how many cards are dealt and placed, what was
    asked, the hands that wait for the dealer, and whether the deck ran out (rule 8).
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
                    if dealt == DECK:  # a bet that is added now wins
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
                felt[at + DOUBLES] += 1
            if dealt == DECK:
                ran_out = True
                for _ in range(left + 1):
                    waiting = _waiting_with(waiting, np.int64(0), stake)
                    _end(log, seat, bet, np.int64(0), stake, PENDING)
                    stake = np.int64(1)
                break
            placed = _next(key, number, whole, dealt, placed, words, deck)
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
                    felt[at + BLACKJACK] += 1
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
            felt[at + BUST] += 1
            felt[at + UNITS] -= stake
            _end(log, seat, bet, np.int64(_BUST), stake, BUST)
        else:
            waiting = _waiting_with(waiting, total_of(grown, hand), stake)
            _end(log, seat, bet, total_of(grown, hand), stake, PENDING)
        if left == 0:
            break
        left -= 1
        single, hand, stake = True, alone, np.int64(1)
    felt[at + SPLITS] += splits
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
    felt: Small,
    waits: Counts,
    log: Any,
) -> None:
    """Play a round whose first cards are in their places; the felt then shows what happened."""
    seats = options[SEATS]
    empty = np.int64(grown.shape[0] - 1)
    dealt, placed, asked = _PACK * (seats + 1), np.int64(AHEAD), np.int64(0)
    while placed < dealt:
        placed = _next(key, number, whole, placed, placed, words, deck)
    up, hole = value_of(deck[dealt - 2]), value_of(deck[dealt - 1])
    natural = is_blackjack(up, hole)
    ended = natural and options[PEEKS] != 0
    ran_out, needed = False, False
    for seat in range(seats):
        at = ROUND_EVENTS + seat * PER_SEAT
        for event in range(PER_SEAT):
            felt[at + event] = 0
        own = _PACK * seat
        x, y, z = value_of(deck[own]), value_of(deck[own + 1]), value_of(deck[own + 2])
        how = _set(plan, options, key, number, seat, ((up * 10 + x) * 10 + y) * 10 + z)
        _log(log, SET, (seat << 16) + (how & 7) if how >= 0 else (seat << 16) + 8)
        waiting = np.int64(0)
        waits[seat] = 0
        if how < 0:  # rule 7i
            felt[at + DOUBLE_BLACKJACK] = 2
            _end(log, seat, 0, np.int64(_TWENTY_ONE), 1, DOUBLE_BLACKJACK)
            _end(log, seat, 1, np.int64(_TWENTY_ONE), 1, DOUBLE_BLACKJACK)
            continue
        lone, row = (how >> 1) & 3, how >> 3
        for bet in range(2):
            if bet == how & 1:
                value, second = value_of(deck[own + lone]), np.int64(-1)
                if ended and options[DRAWS] and (value == 0 or value == _TEN):
                    placed = _next(key, number, whole, dealt, placed, words, deck)
                    second = value_of(deck[dealt])
                    dealt += 1
            else:
                first = 0 if lone else 1
                value, second = value_of(deck[own + first]), value_of(deck[own + 3 - lone - first])
            if is_blackjack(value, second):  # rules 7g and 7h
                felt[at + BLACKJACK] += 1
                _end(log, seat, bet, np.int64(_TWENTY_ONE), 1, BLACKJACK)
            elif ended:
                felt[at + DEALER_BLACKJACK] += 1
                felt[at + UNITS] -= 1
                _end(log, seat, bet, np.int64(0), 1, DEALER_BLACKJACK)
            elif ran_out:
                waiting = _waiting_with(waiting, np.int64(0), np.int64(1))
                _end(log, seat, bet, np.int64(0), 1, PENDING)
            else:
                dealt, placed, asked, waiting, ran_out = _play_hand(
                    key, number, whole, dealt, placed, asked, words, deck, plays, grown, options,
                    reach, felt, log, seat, bet, row, options[TEAM_ROW] + up, value, second,
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
            placed = _next(key, number, whole, dealt, placed, words, deck)
            hand = np.int64(grown[hand, value_of(deck[dealt])])
            dealt += 1
            if hand < 0:
                theirs = np.int64(_BUST)
                break
    felt[NATURAL], felt[RAN_OUT], felt[USED] = natural, ran_out, dealt
    felt[DEALER_BUSTS], felt[THEIRS] = theirs == _BUST, theirs
    for seat in range(seats):
        _settle(options, felt, ROUND_EVENTS + seat * PER_SEAT, waits[seat], theirs)


@njit(cache=True, nogil=True, inline="always")
def _settle(options: Counts, felt: Small, at: Int, waiting: Int, theirs: Int) -> None:
    """Settle the hands of a seat that waited for the dealer, or for a card that was not there."""
    units, left, total = np.int64(0), waiting, _LOWEST
    stakes_left = waiting >> _STAKES_AT
    left = waiting & ((1 << _STAKES_AT) - 1)
    while left:
        hands, stakes = left & 15, stakes_left & 31
        if hands:
            if felt[RAN_OUT]:  # rule 8
                ended, wins = RUN_OUT, options[RUN_OUT_WINS]
            elif felt[NATURAL]:
                ended, wins = DEALER_BLACKJACK, -1
            elif theirs == _BUST:
                ended, wins = DEALER_BUST, 1
            elif total == theirs:
                ended, wins = PUSH, 0
            elif total > theirs:
                ended, wins = HIGHER, 1
            else:
                ended, wins = LOWER, -1
            felt[at + ended] += hands
            units += wins * stakes
            if ended == RUN_OUT:
                felt[at + WON_BY_RUN_OUT] += wins * stakes
        left >>= 4
        stakes_left >>= 5
        total += 1
    felt[at + UNITS] += units
    felt[at + ADDED] = felt[at + DOUBLES] + felt[at + SPLITS]
    felt[at + PAID] = felt[at + BLACKJACK] + felt[at + DOUBLE_BLACKJACK]


# --- many rounds


@njit(cache=True, nogil=True, inline="always")
def _count(
    deck: Bytes,
    felt: Small,
    seats: Int,
    pays: Counts,
    nets: Counts,
    events: Counts,
    rounds: Counts,
    house: Counts,
) -> None:
    """Count a round by what the bets of its seats came to, and what happened in it."""
    blackjack, bonus = np.int64(0), np.int64(0)
    for seat in range(seats):
        at = ROUND_EVENTS + seat * PER_SEAT
        found = bonus_of(deck, _PACK * seat)
        paid, units = np.int64(felt[at + PAID]), np.int64(felt[at + UNITS]) + MOST
        nets[found, paid, units] += 1
        for event in range(EVENTS):
            events[event, felt[at + event]] += 1
        blackjack += pays[BONUSES] * paid + pays[BONUSES + 1] * units
        bonus += pays[found]
    rounds[NATURAL, felt[NATURAL]] += 1
    rounds[DEALER_BUSTS, felt[DEALER_BUSTS]] += 1
    rounds[RAN_OUT, felt[RAN_OUT]] += 1
    rounds[USED, felt[USED]] += 1
    rounds[THEIRS, felt[THEIRS]] += 1
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

    ``nets[bonus, blackjacks, units]`` counts the seats' rounds by the class of the Bonus, how many
    bets were paid as blackjacks and what the others came to (*MOST* is nothing); ``events[event,
    times]`` by how often each thing happened at a seat, ``rounds[event, times]`` in the round.
    With several seats ``house[bet, sum]`` counts rounds by what all seats together came to: *pays*
    has what the classes of the Bonus, a blackjack and a unit pay, so that no sum is below nought.
    """
    words, ahead = np.empty(BLOCK, np.uint32), np.empty((BLOCK, LANES), np.uint32)
    swaps, held = np.empty((AHEAD, LANES), np.uint16), np.empty((AHEAD, LANES), np.uint16)
    dealt, deck = np.empty((AHEAD, LANES), np.uint16), np.empty(DECK, np.uint8)
    felt, waits = np.empty(FELT, np.int8), np.empty(FELT_SEATS, np.int64)
    _play_rounds(
        key, begin, end, plan, plays, grown, options, reach, pays, nets, events, rounds, house,
        words, ahead, swaps, held, dealt, deck, felt, waits,
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
    felt: Small,
    waits: Counts,
) -> None:
    plan_, plays_, grown_, options_ = bare(plan), bare(plays), bare(grown), bare(options)
    reach_, pays_, nets_, events_ = bare(reach), bare(pays), bare(nets), bare(events)
    rounds_, house_, words_, ahead_ = bare(rounds), bare(house), bare(words), bare(ahead)
    swaps_, held_, dealt_ = bare(swaps), bare(held), bare(dealt)
    deck_, felt_, waits_ = bare(deck), bare(felt), bare(waits)
    for first in range(begin, end, LANES):
        deal_ahead(key, first, AHEAD, DECK, BLOCK, ahead_, swaps_, held_, dealt_)
        for lane in range(min(LANES, end - first)):
            for word in range(BLOCK):
                words_[word] = ahead_[word, lane]
            for card in range(AHEAD):
                deck_[card] = dealt_[card, lane]
            play_round(
                key, np.uint64(first + lane), 0, words_, deck_, plan_, plays_, grown_, options_,
                reach_, felt_, waits_, None,
            )  # fmt: skip
            _count(deck_, felt_, options_[SEATS], pays_, nets_, events_, rounds_, house_)


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
    felt: Small,
    log: Ints,
) -> None:
    """Play one round and keep all of it, the deck dealt out to its last card."""
    words, waits = np.empty(BLOCK, np.uint32), np.empty(FELT_SEATS, np.int64)
    words[0], words[1], words[2], words[3] = block_of(key, number, np.uint32(0), np.uint32(0))
    lay_out(key, number, words, deck)
    log[0] = 0
    play_round(key, number, 1, words, deck, plan, plays, grown, options, reach, felt, waits, log)
    words[0], words[1], words[2], words[3] = block_of(key, number, np.uint32(0), np.uint32(0))
    lay_out(key, number, words, deck)
    placed = np.int64(AHEAD)
    while placed < DECK:
        placed = shuffle_more(key, number, placed, words, deck)
