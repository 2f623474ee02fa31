"""Blackjack, one decision at a time at many tables, for the vector environments.

Each table plays the simulator's round with the same number. Actions and observations are those of
pitboss.games.blackjack.encoding; tests/envs compares every step with the rules engine. A table's
shoe is a column of the arrays, like a lane of the simulator.
"""

from typing import TypeAlias

import numpy as np
from numba import njit

from pitboss.games.blackjack.kernels import layout
from pitboss.games.blackjack.kernels.play import ONE_HAND, is_blackjack, is_over
from pitboss.games.blackjack.kernels.rounds import settle_one, settle_split
from pitboss.games.blackjack.kernels.shoe import place_more
from pitboss.kernels.arrays import (
    Bytes,
    Counts,
    Flags,
    Ints,
    Masks,
    Numbers,
    Rewards,
    Shorts,
    Small,
    bare,
)
from pitboss.kernels.cards import VALUES, value_of
from pitboss.kernels.chance import Int, Places

Shoe: TypeAlias = tuple[Places, Places, Bytes]
"""The arrays of the shoes: swaps, held cards, and cards dealt."""

Payouts: TypeAlias = tuple[Bytes, Bytes, Small, Counts, Counts]
"""The dealer's states, the outcomes of hands, their units, and the results in cents of Main and of
insurance."""

_TEN, _ACE_BY, _TWENTY_ONE, _TWO = 9, 10, 21, 2
_UNIT = 100

INSURING, PLAYING, SETTLED = 0, 1, 2
(
    R_PHASE,
    R_SEAT,
    R_UP,
    R_CARD_1,
    R_CARD_2,
    R_TOTAL,
    R_SOFT,
    R_COUNT,
    R_PAIR,
    R_HANDS,
    R_LEFT,
    R_SEEN,
) = range(12)
FIELDS = R_SEEN + VALUES
DECLINE, INSURE, HIT, STAND, DOUBLE, SPLIT, SURRENDER = range(7)
ACTIONS = 7

# A table's state: the progress of the round, the hand in play, and the values seen. Totals are
# hard. P_PAID is the amount settled so far, in cents.
(
    P_PHASE,
    P_SEAT,
    P_DEALT,
    P_PLACED,
    P_INSURED,
    P_PAID,
    P_DONE,
    P_HARD,
    P_ACE,
    P_COUNT,
    P_PAIR,
    P_VALUE,
    P_SPLITS,
    P_HANDS_LEFT,
    P_DOUBLED,
    P_LEGAL,
    P_SEEN,
) = range(17)
STATE = P_SEEN + VALUES

ASKED, DEALT, ALL_INSURED, NEXT_SEAT, HAND_BEGUN, HAND_DONE = (np.int64(n) for n in range(6))
"""The stages of a round between two decisions."""

ORIGINAL_ONLY, LEAST_DOUBLE, MOST_DOUBLE, DOUBLES_SOFT = range(layout.OPTIONS, layout.OPTIONS + 4)
OPTIONS = layout.OPTIONS + 4
"""The simulator's options, then whether a dealer's blackjack takes only original bets, and the
two-card totals that may double."""


@njit(cache=True, nogil=True, inline="always")
def _total(state: Ints) -> Int:
    hard = np.int64(state[P_HARD])
    return hard + _ACE_BY if state[P_ACE] and hard + _ACE_BY <= _TWENTY_ONE else hard


@njit(cache=True, nogil=True, forceinline=True)
def _card(key: Int, number: Int, i: Int, shoe: Shoe, options: Counts, state: Ints) -> Int:
    """Take the next card of the shoe and return its value."""
    swaps, held, deck = shoe
    if state[P_DEALT] == state[P_PLACED]:
        placed = np.int64(state[P_PLACED])
        state[P_PLACED] = place_more(key, number, i, placed, options, swaps, held, deck)
    value = value_of(deck[state[P_DEALT], i])
    state[P_DEALT] += 1
    return value


@njit(cache=True, nogil=True, inline="always")
def _first_two(i: Int, shoe: Shoe, options: Counts, seat: Int) -> tuple[Int, Int]:
    """Return the values of a seat's first two cards."""
    deck, seats = shoe[2], options[layout.SEATS]
    return value_of(deck[seat, i]), value_of(deck[seats + 1 + seat, i])


@njit(cache=True, nogil=True, inline="always")
def _up(i: Int, shoe: Shoe, options: Counts) -> Int:
    return value_of(shoe[2][options[layout.SEATS], i])


@njit(cache=True, nogil=True, inline="always")
def _waits(i: Int, shoe: Shoe, options: Counts) -> bool:
    """Return whether the up card allows a dealer's blackjack that no peek has ruled out."""
    up = _up(i, shoe, options)
    return options[layout.PEEKS] == 0 and (up == 0 or up == _TEN)


@njit(cache=True, nogil=True, forceinline=True)
def _deal(
    key: Int, number: Int, i: Int, shoe: Shoe, options: Counts, state: Ints, hands: Counts
) -> None:
    """Deal the cards of the simulator's round *number*."""
    seats = options[layout.SEATS]
    for column in range(STATE):
        state[column] = 0
    for card in range(2 * seats + 2):
        value = _card(key, number, i, shoe, options, state)
        if card <= 2 * seats:  # all but the hole card
            state[P_SEEN + value] += 1
    for seat in range(seats):
        one, two = _first_two(i, shoe, options, seat)
        hands[seat] = ONE_HAND | (layout.BLACKJACK if is_blackjack(one, two) else layout.UNFINISHED)


@njit(cache=True, nogil=True, forceinline=True)
def _pay(state: Ints, cents: Int) -> None:
    state[P_PAID] += cents


@njit(cache=True, nogil=True, forceinline=True)
def _go_on(
    stage: Int, key: Int, number: Int, i: Int, shoe: Shoe, pays: Payouts, options: Counts,
    state: Ints, hands: Counts, found: Counts,
) -> None:  # fmt: skip
    """Continue a round from a stage to the next decision."""
    if stage == DEALT:
        asks = options[layout.INSURES] != 0 and _up(i, shoe, options) == 0  # rule 7
        state[P_PHASE] = INSURING if asks else PLAYING
        stage = ASKED if asks else ALL_INSURED
    if stage == ALL_INSURED:
        stage = _open(i, shoe, pays, options, state, hands, found)
    while stage != ASKED:
        if stage == HAND_DONE:
            stage = NEXT_SEAT
            if state[P_HANDS_LEFT]:
                state[P_HANDS_LEFT] -= 1
                _begin_with(state, state[P_VALUE])
                stage = HAND_BEGUN
        if stage == NEXT_SEAT:
            stage = ASKED
            if not _next_seat(i, shoe, options, state, hands):
                _dealer(key, number, i, shoe, pays, options, state, hands, found)
        elif stage == HAND_BEGUN:
            if state[P_DEALT] == options[layout.SIZE]:
                _run_out(i, shoe, pays, options, state, hands, found)
                return
            _draw(key, number, i, shoe, options, state)
            stage = ASKED
            if _total(state) == _TWENTY_ONE or (
                _is_frozen(state, options) and not _may_split(state, options)
            ):
                _end_hand(i, shoe, options, state, hands)
                stage = HAND_DONE


@njit(cache=True, nogil=True, forceinline=True)
def _open(
    i: Int, shoe: Shoe, pays: Payouts, options: Counts, state: Ints, hands: Counts, found: Counts
) -> Int:
    """Look at the hole card if the dealer peeks, and pay blackjacks (rules 5 and 6)."""
    state[P_PHASE], state[P_SEAT] = PLAYING, -1
    natural = _start(i, shoe, pays, options) == layout.NATURAL
    if options[layout.PEEKS]:
        if natural:
            _settle(layout.NATURAL, pays, options, state, hands, found)
            return ASKED
        _pay(state, state[P_INSURED] * pays[4][1])
    if not _waits(i, shoe, options):
        for seat in range(options[layout.SEATS]):
            one, two = _first_two(i, shoe, options, seat)
            if is_blackjack(one, two):
                _pay(state, pays[3][2 * layout.WON_BLACKJACK])
    return NEXT_SEAT


@njit(cache=True, nogil=True, inline="always")
def _start(i: Int, shoe: Shoe, pays: Payouts, options: Counts) -> Int:
    """Return the dealer's state after two cards."""
    hole = value_of(shoe[2][2 * options[layout.SEATS] + 1, i])
    return np.int64(pays[0][layout.DRAWS + _up(i, shoe, options), hole])


@njit(cache=True, nogil=True, forceinline=True)
def _next_seat(i: Int, shoe: Shoe, options: Counts, state: Ints, hands: Counts) -> bool:
    """Begin the hand of the next seat without a blackjack; return false if there is none."""
    while True:
        state[P_SEAT] += 1
        seat = np.int64(state[P_SEAT])
        if seat == options[layout.SEATS]:
            return False
        one, two = _first_two(i, shoe, options, seat)
        if not is_blackjack(one, two):
            state[P_SPLITS], state[P_HANDS_LEFT] = 0, 0
            hands[seat] = 0
            _begin_with(state, one)
            _add(state, two)
            return True


@njit(cache=True, nogil=True, inline="always")
def _begin_with(state: Ints, value: Int) -> None:
    """Begin a hand with one card."""
    state[P_HARD], state[P_ACE], state[P_COUNT] = value + 1, value == 0, 1
    state[P_VALUE], state[P_PAIR], state[P_DOUBLED] = value, 0, 0


@njit(cache=True, nogil=True, inline="always")
def _add(state: Ints, value: Int) -> None:
    state[P_COUNT] += 1
    state[P_HARD] += value + 1
    state[P_ACE] |= value == 0
    is_pair = state[P_COUNT] == _TWO and value == state[P_VALUE]
    state[P_PAIR] = value + 1 if is_pair else 0


@njit(cache=True, nogil=True, forceinline=True)
def _draw(key: Int, number: Int, i: Int, shoe: Shoe, options: Counts, state: Ints) -> None:
    value = _card(key, number, i, shoe, options, state)
    state[P_SEEN + value] += 1
    _add(state, value)


@njit(cache=True, nogil=True, forceinline=True)
def _is_frozen(state: Ints, options: Counts) -> bool:
    """Return whether the hand is a split ace that is neither hit nor doubled (rule 8d)."""
    return state[P_SPLITS] != 0 and state[P_VALUE] == 0 and options[layout.HITS_ACES] == 0


@njit(cache=True, nogil=True, forceinline=True)
def _may_split(state: Ints, options: Counts) -> bool:
    """Return whether the hand may split (8b) within the limits of the house (8c, 8d)."""
    ace_again = state[P_SPLITS] != 0 and state[P_VALUE] == 0
    allowed = not ace_again or options[layout.RESPLITS_ACES] != 0
    return state[P_PAIR] != 0 and allowed and state[P_SPLITS] < options[layout.MAX_SPLITS]


@njit(cache=True, nogil=True, forceinline=True)
def _may_double(state: Ints, options: Counts) -> bool:
    """Return whether the hand may double (rule 8a)."""
    if state[P_COUNT] != _TWO or _is_frozen(state, options):
        return False
    if state[P_SPLITS] and not options[layout.DOUBLES_SPLITS]:
        return False
    total = _total(state)
    hard = total == state[P_HARD] or options[DOUBLES_SOFT] != 0
    return hard and options[LEAST_DOUBLE] <= total <= options[MOST_DOUBLE]


@njit(cache=True, nogil=True, forceinline=True)
def _may_surrender(state: Ints, options: Counts) -> bool:
    """Return whether the hand is the first two cards (rule 8e)."""
    return options[layout.SURRENDERS] != 0 and state[P_COUNT] == _TWO and state[P_SPLITS] == 0


@njit(cache=True, nogil=True, forceinline=True)
def _put_by(state: Ints, hands: Counts, end: Int) -> None:
    """Add the end of a hand to the hands of its seat."""
    seat = np.int64(state[P_SEAT])
    ended = hands[seat] >> layout.COUNT_AT
    hands[seat] += ((end | np.int64(state[P_DOUBLED])) << layout.HAND_BITS * ended) + ONE_HAND


@njit(cache=True, nogil=True, forceinline=True)
def _end_hand(i: Int, shoe: Shoe, options: Counts, state: Ints, hands: Counts) -> None:
    """End a hand; a bust is settled at once, unless its bet may be returned (R-4)."""
    total = _total(state)
    if total > _TWENTY_ONE:
        doubled = state[P_DOUBLED] != 0
        added = doubled or state[P_SPLITS] != 0
        if not (options[ORIGINAL_ONLY] and added and _waits(i, shoe, options)):
            _pay(state, -_UNIT * (1 + np.int64(doubled)))
        total = np.int64(layout.BUST)
    _put_by(state, hands, total)


@njit(cache=True, nogil=True, forceinline=True)
def _run_out(
    i: Int, shoe: Shoe, pays: Payouts, options: Counts, state: Ints, hands: Counts, found: Counts
) -> None:
    """Settle a round in which the shoe has run out before the dealer's turn (rule 11)."""
    _put_by(state, hands, np.int64(layout.UNFINISHED))
    state[P_DOUBLED] = 0
    for _ in range(state[P_HANDS_LEFT]):
        _put_by(state, hands, np.int64(layout.UNFINISHED))
    natural = _start(i, shoe, pays, options) == layout.NATURAL
    final = layout.NATURAL if natural else layout.RAN_OUT
    _settle(final, pays, options, state, hands, found)


@njit(cache=True, nogil=True, forceinline=True)
def _dealer(
    key: Int, number: Int, i: Int, shoe: Shoe, pays: Payouts, options: Counts, state: Ints,
    hands: Counts, found: Counts,
) -> None:  # fmt: skip
    """Play the dealer's hand if any hand waits for it (rule 9), and settle the round."""
    final = _start(i, shoe, pays, options)
    needed = False
    for seat in range(options[layout.SEATS]):
        needed |= not is_over(hands[seat])
    if not needed and final != layout.NATURAL:
        final = np.int64(layout.NOT_PLAYED)
    while final >= layout.DRAWS:
        if state[P_DEALT] == options[layout.SIZE]:
            final = np.int64(layout.RAN_OUT)
        else:
            value = _card(key, number, i, shoe, options, state)
            final = np.int64(pays[0][final, value])
    _settle(final, pays, options, state, hands, found)


@njit(cache=True, nogil=True, forceinline=True)
def _settle(
    final: Int, pays: Payouts, options: Counts, state: Ints, hands: Counts, found: Counts
) -> None:
    """Settle everything that is not settled yet, by the dealer's final state."""
    _, settled, units, mains, insurances = pays
    total = state[P_INSURED] * insurances[2 if final == layout.NATURAL else 1]
    for seat in range(options[layout.SEATS]):
        word = hands[seat]
        if word >> layout.COUNT_AT == 1:
            total += mains[settle_one(final, word, settled)]
        else:
            total += mains[settle_split(final, word, settled, units, found)]
    state[P_PAID] = total
    state[P_PHASE], state[P_SEAT] = SETTLED, 0


@njit(cache=True, nogil=True, forceinline=True)
def _act(
    action: Int, key: Int, number: Int, i: Int, shoe: Shoe, pays: Payouts, options: Counts,
    state: Ints, hands: Counts, found: Counts,
) -> Int:  # fmt: skip
    """Carry out a legal action and return the next stage."""
    if state[P_PHASE] == SETTLED:  # there was nothing to decide
        return ASKED
    if state[P_PHASE] == INSURING:
        state[P_INSURED] += action == INSURE
        state[P_SEAT] += 1
        return ALL_INSURED if state[P_SEAT] == options[layout.SEATS] else ASKED
    if action == SPLIT:
        state[P_SPLITS] += 1
        state[P_HANDS_LEFT] += 1
        _begin_with(state, state[P_VALUE])
        return HAND_BEGUN
    if action == SURRENDER:
        _put_by(state, hands, np.int64(layout.SURRENDERED))
        if not _waits(i, shoe, options):
            _pay(state, pays[3][2 * layout.GAVE_UP])
        return NEXT_SEAT
    if action != STAND:
        state[P_DOUBLED] = layout.DOUBLED if action == DOUBLE else 0
        if state[P_DEALT] == options[layout.SIZE]:
            _run_out(i, shoe, pays, options, state, hands, found)
            return ASKED
        _draw(key, number, i, shoe, options, state)
        if action == HIT and _total(state) < _TWENTY_ONE:
            return ASKED
    _end_hand(i, shoe, options, state, hands)
    return HAND_DONE


@njit(cache=True, nogil=True, forceinline=True)
def _see(i: Int, shoe: Shoe, options: Counts, state: Ints, seen: Shorts, mask: Masks) -> None:
    """Write the player's observation and the mask of legal actions."""
    deck, seats = shoe[2], options[layout.SEATS]
    for field in range(FIELDS):
        seen[field] = 0
    phase, seat = state[P_PHASE], np.int64(state[P_SEAT])
    seen[R_PHASE], seen[R_SEAT], seen[R_UP] = phase, seat + 1, deck[seats, i] + 1
    seen[R_CARD_1], seen[R_CARD_2] = deck[seat, i] + 1, deck[seats + 1 + seat, i] + 1
    seen[R_LEFT] = options[layout.SIZE] - state[P_DEALT]
    for value in range(VALUES):
        seen[R_SEEN + value] = state[P_SEEN + value]
    if phase == PLAYING:
        total = _total(state)
        seen[R_TOTAL], seen[R_SOFT] = total, total != state[P_HARD]
        seen[R_COUNT], seen[R_PAIR] = state[P_COUNT], state[P_PAIR]
        seen[R_HANDS] = state[P_SPLITS] + 1
    state[P_LEGAL] = _legal(state, options)
    for action in range(ACTIONS):
        mask[action] = state[P_LEGAL] >> action & 1


@njit(cache=True, nogil=True, forceinline=True)
def _legal(state: Ints, options: Counts) -> Int:
    """Return the legal actions as bits; if there is nothing to decide, only stand is legal."""
    if state[P_PHASE] == INSURING:
        return np.int64(1 << DECLINE | 1 << INSURE)
    if state[P_PHASE] == SETTLED:
        return np.int64(0 if state[P_DONE] else 1 << STAND)
    found = np.int64(1 << STAND) | np.int64(not _is_frozen(state, options)) << HIT
    found |= np.int64(_may_double(state, options)) << DOUBLE
    found |= np.int64(_may_surrender(state, options)) << SURRENDER
    return found | np.int64(_may_split(state, options)) << SPLIT


@njit(cache=True, nogil=True)
def step_tables(
    key: Int, begin: Int, end: Int, fresh: bool, actions: Counts, numbers: Numbers, swaps: Places,
    held: Places, decks: Bytes, states: Ints, hands: Counts, dealer: Bytes, settled: Bytes,
    units: Small, options: Counts, mains: Counts, insurances: Counts, seen: Shorts, masks: Masks,
    rewards: Rewards, done: Flags, illegal: Flags, owed: Counts,
) -> None:  # fmt: skip
    """Carry out an action at each of the tables *begin* to *end*, or deal *fresh* rounds there.

    A table whose round is over is dealt its next round, whatever the action. An amount that is
    settled by the deal itself is stored in *owed* until the first action.
    """
    shoe = bare(swaps), bare(held), bare(decks)
    pays = bare(dealer), bare(settled), bare(units), bare(mains), bare(insurances)
    states_, hands_, options_ = bare(states), bare(hands), bare(options)
    seen_, masks_, found = bare(seen), bare(masks), np.empty(layout.EVENTS, np.int64)
    for i in range(begin, end):
        state, own = states_[i], hands_[i]
        dealt = fresh or state[P_DONE] != 0
        before, stage, legal = np.int64(0), ASKED, False
        if dealt:
            if not fresh:
                numbers[i] += np.uint64(states.shape[0])
            _deal(key, numbers[i], i, shoe, options_, state, own)
            stage = DEALT
        else:
            action, before = actions[i], np.int64(state[P_PAID])
            legal = 0 <= action < ACTIONS and state[P_LEGAL] >> action & 1 != 0
            if legal:
                stage = _act(action, key, numbers[i], i, shoe, pays, options_, state, own, found)
        illegal[i] = not (dealt or legal)
        _go_on(stage, key, numbers[i], i, shoe, pays, options_, state, own, found)
        won = np.int64(state[P_PAID]) - before
        if dealt:
            owed[i], won = won, np.int64(0)
        if legal:
            won, owed[i] = won + owed[i], np.int64(0)
            state[P_DONE] = state[P_PHASE] == SETTLED
        _see(i, shoe, options_, state, seen_[i], masks_[i])
        done[i] = state[P_DONE] != 0
        rewards[i] = won / _UNIT
