"""Roll Your Own Blackjack, one decision at a time at many tables, for the vector environments.

Each table plays the simulator's round with the same number. Actions and observations are those of
pitboss.games.roll_your_own.encoding; tests/envs compares every step with the rules engine.
"""

import numpy as np
from numba import njit

from pitboss.games.roll_your_own.kernels import layout, shuffle
from pitboss.games.roll_your_own.kernels.play import bonus_of, is_blackjack
from pitboss.kernels.arrays import (
    Bytes,
    Counts,
    Flags,
    Ints,
    Masks,
    Numbers,
    Rewards,
    Shorts,
    bare,
)
from pitboss.kernels.cards import VALUES, value_of
from pitboss.kernels.chance import Int, Words, block_of

_TEN, _ACE_BY, _TWENTY_ONE = 9, 10, 21

SETTING, INSURING, PLAYING, SETTLED = 0, 1, 2, 3
(
    R_PHASE,
    R_SEAT,
    R_UP,
    R_CARDS,
    _,
    _,
    R_BET,
    R_TOTAL,
    R_SOFT,
    R_COUNT,
    R_PAIR,
    R_HANDS,
    R_LEFT,
    R_SEEN,
) = range(14)
FIELDS = R_SEEN + VALUES
WAYS = 6
DECLINE, INSURE, HIT, STAND, DOUBLE, SPLIT = range(WAYS, WAYS + 6)
ACTIONS = WAYS + 6
PACK = 3
SEATS = 7
DOUBLE_BLACKJACK = -1  # the setting of a seat that has nothing to set
TOTALS = 6  # totals of hands that wait for the dealer: 16 or less, 17, ..., 21

# A table's state: the progress of the round, the hand in play, the settings of the seats, the
# hands that wait for the dealer, and the values seen. Totals are hard.
(
    P_PHASE,
    P_SEAT,
    P_BET,
    P_DEALT,
    P_PLACED,
    P_INSURED,
    P_ACTED,
    P_DONE,
    P_HARD,
    P_ACE,
    P_COUNT,
    P_PAIR,
    P_VALUE,
    P_SPLITS,
    P_HANDS_LEFT,
    P_STAKE,
    P_LEGAL,
) = range(17)
P_SETS = 17
P_WAITS = P_SETS + SEATS
P_SEEN = P_WAITS + TOTALS
STATE = P_SEEN + VALUES

ASKED, ALL_SET, ALL_INSURED, HAND_BEGUN, HAND_DONE, ALL_PLAYED = (np.int64(n) for n in range(6))
"""The stages of a round between two decisions."""

INSURES, UNIT = layout.OPTIONS, layout.OPTIONS + 1
OPTIONS = layout.OPTIONS + 2
"""The simulator's options, then two more: whether insurance is offered, and a bet in cents."""

INSURED_PAYS = layout.BONUSES + 1
"""The place of insurance in *pays* (in cents), after the classes of the Bonus and a blackjack."""


@njit(cache=True, nogil=True, inline="always")
def _total(hard: Int, ace: Int) -> Int:
    return hard + _ACE_BY if ace and hard + _ACE_BY <= _TWENTY_ONE else hard


@njit(cache=True, nogil=True)
def _card(key: Int, number: Int, words: Words, deck: Bytes, state: Ints) -> Int:
    """Take the next card of the stub and return its value."""
    if state[P_DEALT] == state[P_PLACED]:
        state[P_PLACED] = shuffle.shuffle_more(key, number, state[P_PLACED], words, deck)
    value = value_of(deck[state[P_DEALT]])
    state[P_DEALT] += 1
    return value


@njit(cache=True, nogil=True, inline="always")
def _lone(deck: Bytes, state: Ints, seat: Int) -> Int:
    """Return the value of the card that a seat has set alone."""
    return value_of(deck[PACK * seat + (state[P_SETS + seat] >> 1)])


@njit(cache=True, nogil=True, inline="always")
def _two(deck: Bytes, state: Ints, seat: Int) -> tuple[Int, Int]:
    """Return the values of the cards that a seat has set together."""
    at, lone = PACK * seat, state[P_SETS + seat] >> 1
    first = 1 if lone == 0 else 0
    return value_of(deck[at + first]), value_of(deck[at + 3 - lone - first])


@njit(cache=True, nogil=True)
def _next_seat(state: Ints, seat: Int, seats: Int) -> Int:
    """Return the first seat from *seat* on without a double blackjack (7i), or *seats* if none."""
    while seat < seats and state[P_SETS + seat] == DOUBLE_BLACKJACK:
        seat += 1
    return seat


@njit(cache=True, nogil=True, forceinline=True)
def _deal(key: Int, number: Int, words: Words, deck: Bytes, options: Counts, state: Ints) -> None:
    """Deal the cards of the simulator's round *number*."""
    seats = options[layout.SEATS]
    words[0], words[1], words[2], words[3] = block_of(key, number, np.uint32(0), np.uint32(0))
    shuffle.lay_out(key, number, words, deck)
    for column in range(STATE):
        state[column] = 0
    placed, dealt = np.int64(shuffle.AHEAD), PACK * (seats + 1)
    while placed < dealt:
        placed = shuffle.shuffle_more(key, number, placed, words, deck)
    state[P_PLACED], state[P_DEALT] = placed, dealt
    state[P_SEEN + value_of(deck[dealt - 2])] += 1
    for seat in range(seats):
        aces, tens = 0, 0
        for card in range(PACK):
            value = value_of(deck[PACK * seat + card])
            state[P_SEEN + value] += 1
            aces += value == 0
            tens += value == _TEN
        if aces and tens and aces + tens == PACK:
            state[P_SETS + seat] = DOUBLE_BLACKJACK
    state[P_SEAT] = _next_seat(state, 0, seats)


@njit(cache=True, nogil=True, forceinline=True)
def _go_on(
    stage: Int, key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts,
    state: Ints,
) -> Int:  # fmt: skip
    """Continue a round from a stage to the next decision; return the amount settled, in cents."""
    won = np.int64(0)
    if stage == ALL_SET:
        won += _settle_as_set(deck, options, pays, state)
        stage = ASKED if _asks_for_insurance(deck, options, state) else ALL_INSURED
    if stage == ALL_INSURED:
        won += _look(key, number, words, deck, options, pays, state)
        stage = ASKED if state[P_PHASE] == SETTLED else HAND_DONE
    while stage == HAND_BEGUN or stage == HAND_DONE:
        if stage == HAND_DONE and not _next_hand(deck, options, state):
            stage = ALL_PLAYED
            break
        asks = _asks(key, number, words, deck, options, pays, state)
        won += state[P_ACTED]
        stage = ASKED if asks or state[P_PHASE] == SETTLED else HAND_DONE
    if stage == ALL_PLAYED:
        won += _dealer(key, number, words, deck, options, pays, state)
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _settle_as_set(deck: Bytes, options: Counts, pays: Counts, state: Ints) -> Int:
    """Settle the Bonus (6) and the blackjacks that were set (7g, 7i)."""
    won = np.int64(0)
    for seat in range(options[layout.SEATS]):
        won += pays[bonus_of(deck, PACK * seat)]
        if state[P_SETS + seat] == DOUBLE_BLACKJACK:
            won += 2 * pays[layout.BONUSES]
        else:
            one, two = _two(deck, state, seat)
            won += pays[layout.BONUSES] if is_blackjack(one, two) else 0
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _asks_for_insurance(deck: Bytes, options: Counts, state: Ints) -> bool:
    """Return whether seats are offered insurance, that is, whether an ace is up (7j)."""
    seats = options[layout.SEATS]
    first = _next_seat(state, 0, seats)
    if first < seats and options[INSURES] and value_of(deck[PACK * seats + 1]) == 0:
        state[P_PHASE], state[P_SEAT] = INSURING, first
        return True
    return False


@njit(cache=True, nogil=True, forceinline=True)
def _look(
    key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts, state: Ints
) -> Int:
    """Check for a dealer blackjack, which ends the round; return the amount settled, in cents."""
    seats, unit = options[layout.SEATS], options[UNIT]
    at = PACK * seats
    natural = is_blackjack(value_of(deck[at + 1]), value_of(deck[at + 2]))
    won = np.int64(0)
    state[P_PHASE], state[P_SEAT], state[P_BET] = PLAYING, 0, -1
    if not options[layout.PEEKS]:
        return won
    won += state[P_INSURED] * (pays[INSURED_PAYS] if natural else -unit)
    if not natural:
        return won
    for seat in range(seats):
        if state[P_SETS + seat] == DOUBLE_BLACKJACK:
            continue
        one, two = _two(deck, state, seat)
        won -= 0 if is_blackjack(one, two) else unit
        lone = _lone(deck, state, seat)
        if options[layout.DRAWS] and (lone == 0 or lone == _TEN):  # reading R-4
            card = _card(key, number, words, deck, state)
            state[P_SEEN + card] += 1
            won += pays[layout.BONUSES] if is_blackjack(lone, card) else -unit
        else:
            won -= unit
    state[P_PHASE] = SETTLED
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _next_hand(deck: Bytes, options: Counts, state: Ints) -> bool:
    """Begin the next starting hand; return false if there is none."""
    seats = options[layout.SEATS]
    while True:
        state[P_BET] += 1
        if state[P_BET] == 2:  # noqa: PLR2004  first and second
            state[P_BET] = 0
            state[P_SEAT] += 1
        state[P_SEAT] = _next_seat(state, state[P_SEAT], seats)
        seat = np.int64(state[P_SEAT])
        if seat == seats:
            return False
        state[P_SPLITS], state[P_HANDS_LEFT], state[P_STAKE] = 0, 0, 1
        if state[P_BET] == state[P_SETS + seat] & 1:
            _begin_with(state, _lone(deck, state, seat))
            return True
        one, two = _two(deck, state, seat)
        if not is_blackjack(one, two):  # a blackjack was paid when it was set
            _begin_with(state, one)
            _add(state, two)
            return True


@njit(cache=True, nogil=True, inline="always")
def _begin_with(state: Ints, value: Int) -> None:
    """Begin a hand with one card."""
    state[P_HARD], state[P_ACE], state[P_COUNT] = value + 1, value == 0, 1
    state[P_VALUE], state[P_PAIR] = value, 0


@njit(cache=True, nogil=True, inline="always")
def _add(state: Ints, value: Int) -> None:
    state[P_COUNT] += 1
    state[P_HARD] += value + 1
    state[P_ACE] |= value == 0
    state[P_PAIR] = value + 1 if state[P_COUNT] == 2 and value == state[P_VALUE] else 0  # noqa: PLR2004


@njit(cache=True, nogil=True)
def _may_split(state: Ints, options: Counts) -> bool:
    """Return whether the hand may split (7b) and has splits left (7c, 7d)."""
    ace_again = state[P_SPLITS] and state[P_VALUE] == 0
    allowed = not ace_again or options[layout.RESPLITS_ACES] != 0
    return state[P_PAIR] != 0 and allowed and state[P_SPLITS] < options[layout.MAX_SPLITS]


@njit(cache=True, nogil=True)
def _may_double(state: Ints, options: Counts) -> bool:
    """Return whether the hand may double: any two cards (7a) except split aces (7d)."""
    split = state[P_SPLITS] != 0
    allowed = not split or (options[layout.DOUBLES_SPLITS] != 0 and state[P_VALUE] != 0)
    return state[P_COUNT] == 2 and allowed  # noqa: PLR2004


@njit(cache=True, nogil=True)
def _asks(
    key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts, state: Ints
) -> bool:
    """Continue a starting hand until it needs a decision (true) or is finished (false).

    The amount settled on the way is added to P_ACTED, in cents.
    """
    state[P_ACTED] = 0
    while True:
        single = state[P_COUNT] == 1
        if single:
            if state[P_DEALT] == layout.DECK:
                state[P_ACTED] += _run_out(deck, options, pays, state)
                return False
            _draw(key, number, words, deck, state)
            if state[P_SPLITS] == 0 and is_blackjack(
                state[P_VALUE], state[P_HARD] - state[P_VALUE] - 2
            ):
                state[P_ACTED] += pays[layout.BONUSES]  # rule 7h
                return False
        total = _total(state[P_HARD], state[P_ACE])
        ace = state[P_SPLITS] and state[P_VALUE] == 0
        if total < _TWENTY_ONE and (not ace or _may_split(state, options)):
            return True
        if not _put_by(state, options):
            return False


@njit(cache=True, nogil=True)
def _draw(key: Int, number: Int, words: Words, deck: Bytes, state: Ints) -> None:
    value = _card(key, number, words, deck, state)
    state[P_SEEN + value] += 1
    _add(state, value)


@njit(cache=True, nogil=True)
def _put_by(state: Ints, options: Counts) -> bool:
    """End a hand, bust or not; return whether another hand of the same bet begins."""
    total = _total(state[P_HARD], state[P_ACE])
    if total > _TWENTY_ONE:
        state[P_ACTED] -= state[P_STAKE] * options[UNIT]
    else:
        state[P_WAITS + max(total, 16) - 16] += state[P_STAKE]
    state[P_STAKE] = 1
    if state[P_HANDS_LEFT] == 0:
        return False
    state[P_HANDS_LEFT] -= 1
    _begin_with(state, state[P_VALUE])
    return True


@njit(cache=True, nogil=True)
def _run_out(deck: Bytes, options: Counts, pays: Counts, state: Ints) -> Int:
    """Settle a round in which the deck has run out (rule 8)."""
    units = np.int64(state[P_STAKE] + state[P_HANDS_LEFT])
    for total in range(TOTALS):
        units += state[P_WAITS + total]
    seat, bet = np.int64(state[P_SEAT]), np.int64(state[P_BET])
    for other in range(seat, options[layout.SEATS]):
        if state[P_SETS + other] == DOUBLE_BLACKJACK:
            continue
        for later in range(2):
            if other == seat and later <= bet:
                continue
            one, two = _two(deck, state, other)
            alone = later == state[P_SETS + other] & 1
            units += 1 if alone or not is_blackjack(one, two) else 0
    won = units * options[layout.RUN_OUT_WINS] * options[UNIT]
    if not options[layout.PEEKS] and options[layout.RUN_OUT_WINS]:
        won += state[P_INSURED] * pays[INSURED_PAYS]
    state[P_PHASE], state[P_SEAT] = SETTLED, 0
    return won


@njit(cache=True, nogil=True)
def _dealer(
    key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts, state: Ints
) -> Int:
    """Play the dealer's hand if any hand waits for it (7f), and settle the round."""
    unit, won, staked = options[UNIT], np.int64(0), np.int64(0)
    at = PACK * options[layout.SEATS]
    up, hole = value_of(deck[at + 1]), value_of(deck[at + 2])
    natural = is_blackjack(up, hole)
    if not options[layout.PEEKS]:
        won += state[P_INSURED] * (pays[INSURED_PAYS] if natural else -unit)
    for total in range(TOTALS):
        staked += state[P_WAITS + total]
    hard, ace, ran_out = up + hole + 2, up == 0 or hole == 0, False
    while staked and not natural:
        theirs = _total(hard, ace)
        soft_17 = theirs == 17 and theirs != hard and options[layout.HITS_SOFT_17]  # noqa: PLR2004
        if theirs >= 17 and not soft_17:  # noqa: PLR2004
            break
        if state[P_DEALT] == layout.DECK:
            ran_out = True
            break
        value = _card(key, number, words, deck, state)
        hard += value + 1
        ace |= value == 0
    theirs = _total(hard, ace)
    for total in range(TOTALS):
        stakes = state[P_WAITS + total]
        if ran_out:
            won += stakes * options[layout.RUN_OUT_WINS] * unit
        elif natural:
            won -= stakes * unit
        elif theirs > _TWENTY_ONE or total + 16 > theirs:
            won += stakes * unit
        elif total + 16 < theirs:
            won -= stakes * unit
    state[P_PHASE], state[P_SEAT] = SETTLED, 0
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _act(
    action: Int, key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts,
    state: Ints,
) -> tuple[Int, Int]:  # fmt: skip
    """Carry out a legal action; return the amount settled, in cents, and the next stage."""
    seats, phase, nothing = options[layout.SEATS], state[P_PHASE], np.int64(0)
    if phase == SETTLED:  # there was nothing to decide
        return nothing, ASKED
    if phase == PLAYING:
        return _play(action, key, number, words, deck, options, pays, state)
    seat = np.int64(state[P_SEAT])
    if phase == SETTING:
        state[P_SETS + seat] = action
    else:
        state[P_INSURED] += action == INSURE
    state[P_SEAT] = _next_seat(state, seat + 1, seats)
    if state[P_SEAT] < seats:
        return nothing, ASKED
    return nothing, ALL_SET if phase == SETTING else ALL_INSURED


@njit(cache=True, nogil=True, forceinline=True)
def _play(
    action: Int, key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts,
    state: Ints,
) -> tuple[Int, Int]:  # fmt: skip
    """Hit, stand, double or split; return the amount settled, in cents, and the next stage."""
    state[P_ACTED] = 0
    if action == SPLIT:
        state[P_SPLITS] += 1
        state[P_HANDS_LEFT] += 1
        _begin_with(state, state[P_VALUE])
        return np.int64(0), HAND_BEGUN
    if action != STAND:
        state[P_STAKE] = 2 if action == DOUBLE else state[P_STAKE]
        if state[P_DEALT] == layout.DECK:
            return _run_out(deck, options, pays, state), ASKED
        _draw(key, number, words, deck, state)
        if action == HIT and _total(state[P_HARD], state[P_ACE]) < _TWENTY_ONE:
            return np.int64(0), ASKED
    begun = _put_by(state, options)
    return np.int64(state[P_ACTED]), HAND_BEGUN if begun else HAND_DONE


@njit(cache=True, nogil=True)
def _see(deck: Bytes, state: Ints, options: Counts, seen: Shorts, mask: Masks) -> None:
    """Write the player's observation and the mask of legal actions."""
    for i in range(FIELDS):
        seen[i] = 0
    phase, seat = state[P_PHASE], np.int64(state[P_SEAT])
    seen[R_PHASE], seen[R_SEAT] = phase, seat + 1
    seen[R_UP] = deck[PACK * options[layout.SEATS] + 1] + 1
    for card in range(PACK):
        seen[R_CARDS + card] = deck[PACK * seat + card] + 1
    seen[R_LEFT] = layout.DECK - state[P_DEALT]
    for value in range(VALUES):
        seen[R_SEEN + value] = state[P_SEEN + value]
    if phase == PLAYING:
        total = _total(state[P_HARD], state[P_ACE])
        seen[R_BET], seen[R_TOTAL], seen[R_SOFT] = state[P_BET], total, total != state[P_HARD]
        seen[R_COUNT], seen[R_PAIR] = state[P_COUNT], state[P_PAIR]
        seen[R_HANDS] = state[P_SPLITS] + 1
    state[P_LEGAL] = _legal(state, options)
    for i in range(ACTIONS):
        mask[i] = state[P_LEGAL] >> i & 1


@njit(cache=True, nogil=True)
def _legal(state: Ints, options: Counts) -> Int:
    """Return the legal actions as bits; if there is nothing to decide, only stand is legal."""
    phase = state[P_PHASE]
    if phase == SETTING:
        return np.int64((1 << WAYS) - 1)
    if phase == INSURING:
        return np.int64(1 << DECLINE | 1 << INSURE)
    if phase == SETTLED:
        return np.int64(0 if state[P_DONE] else 1 << STAND)
    hits = not (state[P_SPLITS] and state[P_VALUE] == 0)
    found = np.int64(1 << STAND) | np.int64(hits) << HIT
    found |= np.int64(_may_double(state, options)) << DOUBLE
    return found | np.int64(_may_split(state, options)) << SPLIT


@njit(cache=True, nogil=True)
def step_tables(
    key: Int, begin: Int, end: Int, fresh: bool, actions: Counts, numbers: Numbers, words: Words,
    decks: Bytes, states: Ints, options: Counts, pays: Counts, seen: Shorts, masks: Masks,
    rewards: Rewards, done: Flags, illegal: Flags, owed: Counts,
) -> None:  # fmt: skip
    """Carry out an action at each of the tables *begin* to *end*, or deal *fresh* rounds there.

    A table whose round is over is dealt its next round, whatever the action. An amount that is
    settled by the deal itself is stored in *owed* until the first action.
    """
    unit, seats = options[UNIT], options[layout.SEATS]
    states_, decks_, words_ = bare(states), bare(decks), bare(words)
    seen_, masks_, options_, pays_ = bare(seen), bare(masks), bare(options), bare(pays)
    for i in range(begin, end):
        state, deck = states_[i], decks_[i]
        dealt = fresh or state[P_DONE] != 0
        won, stage, legal = np.int64(0), ASKED, False
        if dealt:
            if not fresh:
                numbers[i] += np.uint64(states.shape[0])
            _deal(key, numbers[i], words_[i], deck, options_, state)
            stage = ALL_SET if state[P_SEAT] == seats else ASKED
        else:
            action = actions[i]
            legal = 0 <= action < ACTIONS and state[P_LEGAL] >> action & 1 != 0
            if legal:
                won, stage = _act(action, key, numbers[i], words_[i], deck, options_, pays_, state)
        illegal[i] = not (dealt or legal)
        won += _go_on(stage, key, numbers[i], words_[i], deck, options_, pays_, state)
        if dealt:
            owed[i], won = won, np.int64(0)
        if legal:
            won, owed[i] = won + owed[i], np.int64(0)
            state[P_DONE] = state[P_PHASE] == SETTLED
        _see(deck, state, options_, seen_[i], masks_[i])
        done[i] = state[P_DONE] != 0
        rewards[i] = won / unit
