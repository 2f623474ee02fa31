"""Toss One 21, one decision at a time at many tables, for the vector environments.

Each table plays the simulator's round with the same number. Actions and observations are those of
pitboss.games.toss_one.encoding; tests/envs compares every step with the rules engine.
"""

import numpy as np
from numba import njit

from pitboss.games.toss_one.kernels.rounds import PACK, per_rank_of, rank_of
from pitboss.kernels.arrays import Counts, Flags, Ints, Masks, Numbers, Rewards, Shorts, bare
from pitboss.kernels.cards import VALUES, value_of
from pitboss.kernels.chance import BLOCK, Int, Words, deal_one, first_block

_TEN, _ACE_BY, _TWENTY_ONE = 9, 10, 21

# The columns of an observation, then those of a table's state.
BETTING, TOSSING, SETTLED = 0, 1, 2
(T_PHASE, T_SEAT, T_CARDS, T_LUCKY3, T_BONUS4, T_SEEN) = 0, 1, 2, 6, 7, 8
FIELDS = T_SEEN + VALUES
BET_ACTIONS, ACTIONS = 4, 8  # four ways to bet, then four cards to toss
MOST_SEATS = 9
S_PHASE, S_SEAT, S_DONE, S_LEGAL, S_BETS, S_TOSSED = 0, 1, 2, 3, 4, 4 + MOST_SEATS
STATE = S_TOSSED + MOST_SEATS
BUST = PACK  # the toss of a seat that cannot toss

# The settings of a round, as numbers.
SEATS, DECKS, DRAWS, FREE, BEATS_21, ACE_HIGH = range(6)
OPTIONS = 6

# The outcomes of Main, in the order of the rules engine's Outcome.
(
    _PLAYER_BUST,
    _BLACKJACK,
    _DEALER_BUST,
    _HIGHER,
    _LOWER,
    _DEALER_BLACKJACK,
    _HIGHER_KICKER,
    _LOWER_KICKER,
    _TIE,
) = range(9)
NO_LUCK = 6
LEAST_BONUS, NO_BONUS = 4, 18


@njit(cache=True, nogil=True, inline="always")
def _sums(cards: Shorts, at: Int) -> tuple[Int, Int, Int]:
    """Return the hard total of four cards, and how many of them are aces and tens."""
    hard, aces, tens = np.int64(0), np.int64(0), np.int64(0)
    for i in range(PACK):
        value = value_of(cards[at + i])
        hard += value + 1
        aces += value == 0
        tens += value == _TEN
    return hard, aces, tens


@njit(cache=True, nogil=True, inline="always")
def _without(value: Int, hard: Int, aces: Int, tens: Int) -> tuple[Int, bool]:
    """Return the total without a card, and whether an ace and two tens are left (rule 8)."""
    left, ace, ten = hard - value - 1, aces - (value == 0), tens - (value == _TEN)
    total = left + _ACE_BY if ace and left + _ACE_BY <= _TWENTY_ONE else left
    return total, ace == 1 and ten == 2  # noqa: PLR2004


@njit(cache=True, nogil=True, inline="always")
def _three(cards: Shorts, at: Int, tossed: Int) -> tuple[Int, bool]:
    """Return the total of the cards kept, and whether they are a blackjack."""
    hard, aces, tens = _sums(cards, at)
    return _without(value_of(cards[at + tossed]), hard, aces, tens)


@njit(cache=True, nogil=True, inline="always")
def _is_duplicate(cards: Shorts, at: Int, place: Int) -> bool:
    """Return whether the same card, from another deck, appears earlier in the hand."""
    again = False
    for i in range(place):
        again |= cards[at + i] == cards[at + place]
    return again


@njit(cache=True, nogil=True, forceinline=True)
def _best(cards: Shorts, at: Int) -> tuple[Int, Int]:
    """Return the best total after a toss, and the first toss that gives it (rules 3 and 5)."""
    best, first = np.int64(0), np.int64(BUST)
    hard, aces, tens = _sums(cards, at)
    for i in range(PACK):
        total, _ = _without(value_of(cards[at + i]), hard, aces, tens)
        if best < total <= _TWENTY_ONE:
            best, first = total, np.int64(i)
    return best, first


@njit(cache=True, nogil=True, forceinline=True)
def _tosses(cards: Shorts, at: Int, free: Int) -> Int:
    """Return the legal tosses as bits of their actions."""
    found, best = np.int64(0), _best(cards, at)[0]
    hard, aces, tens = _sums(cards, at)
    for place in range(PACK):
        value = value_of(cards[at + place])
        legal = free != 0 or _without(value, hard, aces, tens)[0] == best
        if legal and not _is_duplicate(cards, at, place):
            found |= 1 << (BET_ACTIONS + place)
    return found


@njit(cache=True, nogil=True, forceinline=True)
def _lucky(cards: Shorts, at: Int, tossed: Int) -> Int:
    """Return the class of Lucky 3 (rule 10), in the order of the rules engine's Lucky3."""
    total, blackjack = _three(cards, at, tossed)
    if total != _TWENTY_ONE:
        return np.int64(NO_LUCK)
    suits = np.int64(0)
    for i in range(PACK):
        if i != tossed:
            suits |= 1 << (cards[at + i] & 3)
    if suits == 1 or suits == 2 or suits == 4 or suits == 8:  # noqa: PLR2004
        return np.int64(0 if blackjack else 2)
    if suits == RED or suits == BLACK:
        return np.int64(1 if blackjack else 3)
    return np.int64(4 if blackjack else 5)


RED, BLACK = 0b0110, 0b1001  # spades, hearts, diamonds, clubs from the lowest bit


@njit(cache=True, nogil=True, inline="always")
def _kicker(card: Int, high: Int) -> Int:
    value = value_of(card) + 1
    return np.int64(11) if value == 1 and high else value


@njit(cache=True, nogil=True, forceinline=True)
def _main(cards: Shorts, at: Int, tossed: Int, dealer: Int, options: Counts) -> Int:
    """Return the outcome of Main; the first rule that applies decides."""
    if tossed == BUST:
        return np.int64(_PLAYER_BUST)
    total, blackjack = _three(cards, at, tossed)
    if total > _TWENTY_ONE:
        return np.int64(_PLAYER_BUST)
    if blackjack:
        return np.int64(_BLACKJACK)
    theirs, first = _best(cards, dealer)
    if first == BUST:
        return np.int64(_DEALER_BUST)
    if total != theirs:
        return np.int64(_HIGHER if total > theirs else _LOWER)
    if _three(cards, dealer, first)[1] and options[BEATS_21]:
        return np.int64(_DEALER_BLACKJACK)
    mine = _kicker(cards[at + tossed], options[ACE_HIGH])
    other = _kicker(cards[dealer + first], options[ACE_HIGH])
    if mine == other:
        return np.int64(_TIE)
    return np.int64(_HIGHER_KICKER if mine > other else _LOWER_KICKER)


@njit(cache=True, nogil=True, forceinline=True)
def _net(
    cards: Shorts, seat: Int, state: Ints, options: Counts, main: Counts, lucky3: Counts,
    bonus4: Counts,
) -> Int:  # fmt: skip
    """Return the net result of a seat, in cents."""
    at, tossed, bets = PACK * seat, state[S_TOSSED + seat], state[S_BETS + seat]
    ended = _main(cards, at, tossed, PACK * options[SEATS], options)
    net = main[ended]
    lost = ended == _PLAYER_BUST  # all three bets lose (rule 4)
    if bets & 1:
        net += lucky3[NO_LUCK if lost else _lucky(cards, at, tossed)]
    if bets & 2:
        four = _sums(cards, at)[0]
        net += bonus4[NO_BONUS if lost or four > _TWENTY_ONE else four - LEAST_BONUS]
    return net


@njit(cache=True, nogil=True, forceinline=True)
def _is_settled_early(cards: Shorts, seat: Int, state: Ints) -> bool:
    """Return whether a seat is settled before the dealer's hand: a bust (4) or a blackjack (8)."""
    tossed = state[S_TOSSED + seat]
    if tossed < 0 or tossed == BUST:
        return tossed == BUST
    total, blackjack = _three(cards, PACK * seat, tossed)
    return total > _TWENTY_ONE or blackjack


@njit(cache=True, nogil=True, forceinline=True)
def _deal(
    key: Int, number: Int, options: Counts, words: Words, places: Words, cards: Shorts
) -> None:
    """Deal the cards of the simulator's round *number*."""
    n, size = PACK * (options[SEATS] + 1), 52 * options[DECKS]
    paired = 2 * options[DRAWS] >= n
    place = np.uint64(number) >> np.uint64(1) if paired else np.uint64(number)
    half = np.int64(number & np.uint64(1)) if paired else np.int64(0)
    first_block(key, place, words)
    deal_one(key, place, half, n, size, options[DRAWS], words, places[0], places[1], places[2])
    per_rank = per_rank_of(options[DECKS])
    for i in range(n):  # numbered as in one deck, rank by rank in four suits
        cards[i] = rank_of(places[2, i], per_rank) * 4 + (places[2, i] & np.uint32(3))


@njit(cache=True, nogil=True, forceinline=True)
def _go_on(
    cards: Shorts, state: Ints, options: Counts, main: Counts, lucky3: Counts, bonus4: Counts,
    settled: Int,
) -> Int:  # fmt: skip
    """Continue to the next seat that must toss; return the amount settled, in cents.

    *settled* is the seat that has just tossed, or -1 to settle the seats that busted on the deal.
    """
    seats, won = options[SEATS], np.int64(0)
    waiting = np.int64(seats)
    for seat in range(seats):
        if state[S_TOSSED + seat] < 0:
            waiting = min(waiting, np.int64(seat))
        elif _is_settled_early(cards, seat, state) and (settled == seat or settled < 0):
            won += _net(cards, seat, state, options, main, lucky3, bonus4)
    state[S_SEAT] = waiting
    if waiting < seats:
        return won
    state[S_PHASE], state[S_SEAT] = SETTLED, 0
    for seat in range(seats):
        if not _is_settled_early(cards, seat, state):
            won += _net(cards, seat, state, options, main, lucky3, bonus4)
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _act(
    action: Int, cards: Shorts, state: Ints, options: Counts, main: Counts, lucky3: Counts,
    bonus4: Counts,
) -> Int:  # fmt: skip
    """Carry out a legal action; return the amount settled, in cents."""
    seat = np.int64(state[S_SEAT])
    if state[S_PHASE] == TOSSING:
        state[S_TOSSED + seat] = action - BET_ACTIONS
        return _go_on(cards, state, options, main, lucky3, bonus4, seat)
    state[S_BETS + seat] = action
    state[S_SEAT] += 1
    if state[S_SEAT] < options[SEATS]:
        return np.int64(0)
    state[S_PHASE] = TOSSING
    for other in range(options[SEATS]):
        bust = _best(cards, PACK * other)[1] == BUST
        state[S_TOSSED + other] = BUST if bust else -1
    return _go_on(cards, state, options, main, lucky3, bonus4, np.int64(-1))


@njit(cache=True, nogil=True, forceinline=True)
def _see(cards: Shorts, state: Ints, options: Counts, seen: Shorts, mask: Masks) -> None:
    """Write the player's observation and the mask of legal actions."""
    phase, seat = np.int64(state[S_PHASE]), np.int64(state[S_SEAT])
    at, legal = PACK * seat, np.int64(0)
    if phase == BETTING:
        legal = np.int64((1 << BET_ACTIONS) - 1)
    elif phase == TOSSING:
        legal = _tosses(cards, at, options[FREE])
    state[S_LEGAL] = legal
    for i in range(ACTIONS):
        mask[i] = legal >> i & 1
    for i in range(FIELDS):
        seen[i] = 0
    seen[T_PHASE], seen[T_SEAT] = phase, seat + 1
    if phase == BETTING:
        return
    for i in range(PACK):
        seen[T_CARDS + i] = cards[at + i] + 1
    seen[T_LUCKY3] = state[S_BETS + seat] & 1
    seen[T_BONUS4] = state[S_BETS + seat] >> 1
    for i in range(PACK * options[SEATS]):
        seen[T_SEEN + value_of(cards[i])] += 1


@njit(cache=True, nogil=True)
def step_tables(
    key: Int, begin: Int, end: Int, fresh: bool, actions: Counts, numbers: Numbers, cards: Shorts,
    states: Ints, options: Counts, main: Counts, lucky3: Counts, bonus4: Counts, unit: Int,
    seen: Shorts, masks: Masks, rewards: Rewards, done: Flags, illegal: Flags,
) -> None:  # fmt: skip
    """Carry out an action at each of the tables *begin* to *end*, or deal *fresh* rounds there.

    A table whose round is over is dealt its next round, whatever the action.
    """
    words, places = np.empty(BLOCK, np.uint32), np.empty((3, cards.shape[1]), np.uint32)
    _step_tables(
        key, begin, end, fresh, actions, numbers, cards, states, options, main, lucky3, bonus4,
        unit, seen, masks, rewards, done, illegal, words, places,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _step_tables(
    key: Int, begin: Int, end: Int, fresh: bool, actions: Counts, numbers: Numbers, cards: Shorts,
    states: Ints, options: Counts, main: Counts, lucky3: Counts, bonus4: Counts, unit: Int,
    seen: Shorts, masks: Masks, rewards: Rewards, done: Flags, illegal: Flags, words: Words,
    places: Words,
) -> None:  # fmt: skip
    """Carry out the actions; scratch arrays are arguments, because ``bare`` needs arguments."""
    states_, cards_, seen_, masks_ = bare(states), bare(cards), bare(seen), bare(masks)
    options_, main_, lucky3_, bonus4_ = bare(options), bare(main), bare(lucky3), bare(bonus4)
    words_, places_ = bare(words), bare(places)
    for i in range(begin, end):
        state = states_[i]
        won, illegal[i] = np.int64(0), False
        if fresh or state[S_DONE]:
            if not fresh:
                numbers[i] += np.uint64(states.shape[0])
            _deal(key, numbers[i], options_, words_, places_, cards_[i])
            for column in range(STATE):
                state[column] = 0
        else:
            action = actions[i]
            if 0 <= action < ACTIONS and state[S_LEGAL] >> action & 1:
                won = _act(action, cards_[i], state, options_, main_, lucky3_, bonus4_)
            else:
                illegal[i] = True
        _see(cards_[i], state, options_, seen_[i], masks_[i])
        state[S_DONE] = state[S_PHASE] == SETTLED
        done[i] = state[S_DONE] != 0
        rewards[i] = won / unit
