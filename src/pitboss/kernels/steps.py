"""Both games a decision at a time, for many tables at once: what vectorised environments run on.

A table's round has a number, and its cards are those of the simulator's round with that number.
Actions and observations are those of pitboss.envs.coding, the same numbers as for one table that
goes through the rules engine; tests/test_envs.py holds the two against each other.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pitboss.kernels import roll_your_own as roll
from pitboss.kernels.arrays import bare
from pitboss.kernels.chance import BLOCK, Int, Words, block_of, deal_one, first_block
from pitboss.kernels.roll_your_own import Bytes, Counts, Shorts, is_blackjack, value_of
from pitboss.kernels.toss_one import per_rank_of, rank_of

Numbers = NDArray[np.uint64]
Masks = NDArray[np.int8]
Rewards = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int32]

VALUES = 10
_TEN, _ACE_BY, _TWENTY_ONE = 9, 10, 21

# --- Toss One 21: the columns of an observation, then those of a table's state

TOSS_BETTING, TOSS_TOSSING, TOSS_SETTLED = 0, 1, 2
PACK = 4
(T_PHASE, T_SEAT, T_CARDS, T_LUCKY3, T_BONUS4, T_SEEN) = 0, 1, 2, 6, 7, 8
TOSS_FIELDS = T_SEEN + VALUES
TOSS_BETS, TOSS_ACTIONS = 4, 8  # four ways to bet, then four cards to toss
MOST_SEATS = 9
S_PHASE, S_SEAT, S_DONE, S_LEGAL, S_BETS, S_TOSSED = 0, 1, 2, 3, 4, 4 + MOST_SEATS
TOSS_STATE = S_TOSSED + MOST_SEATS
BUST = PACK  # the toss of a seat that has none

# What a round of Toss One 21 asks for, as numbers.
TOSS_SEATS, DECKS, DRAWS, FREE, BEATS_21, ACE_HIGH = range(6)
TOSS_OPTIONS = 6

# How Main ends, in the order of the rules engine's Outcome.
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
def _is_again(cards: Shorts, at: Int, place: Int) -> bool:
    """Say whether an equal card of another deck stands before this one."""
    again = False
    for i in range(place):
        again |= cards[at + i] == cards[at + place]
    return again


@njit(cache=True, nogil=True, forceinline=True)
def _best(cards: Shorts, at: Int) -> tuple[Int, Int]:
    """Return the best total that a toss leaves and the first toss that does (rules 3 and 5)."""
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
        if legal and not _is_again(cards, at, place):
            found |= 1 << (TOSS_BETS + place)
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
    """Return how Main ends: the first rule that applies decides."""
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
def _toss_net(
    cards: Shorts, seat: Int, state: Ints, options: Counts, main: Counts, lucky3: Counts,
    bonus4: Counts,
) -> Int:  # fmt: skip
    """Return what a seat has won, in cents."""
    at, tossed, bets = PACK * seat, state[S_TOSSED + seat], state[S_BETS + seat]
    ended = _main(cards, at, tossed, PACK * options[TOSS_SEATS], options)
    net = main[ended]
    lost = ended == _PLAYER_BUST  # rule 4 takes all three
    if bets & 1:
        net += lucky3[NO_LUCK if lost else _lucky(cards, at, tossed)]
    if bets & 2:
        four = _sums(cards, at)[0]
        net += bonus4[NO_BONUS if lost or four > _TWENTY_ONE else four - LEAST_BONUS]
    return net


@njit(cache=True, nogil=True, forceinline=True)
def _at_once(cards: Shorts, seat: Int, state: Ints) -> bool:
    """Say whether a seat is settled before the dealer is looked at: a bust (4), a blackjack (8)."""
    tossed = state[S_TOSSED + seat]
    if tossed < 0 or tossed == BUST:
        return tossed == BUST
    total, blackjack = _three(cards, PACK * seat, tossed)
    return total > _TWENTY_ONE or blackjack


@njit(cache=True, nogil=True, forceinline=True)
def _deal_toss(
    key: Int, number: Int, options: Counts, words: Words, places: Words, cards: Shorts
) -> None:
    """Deal the cards of the simulator's round *number*."""
    n, size = PACK * (options[TOSS_SEATS] + 1), 52 * options[DECKS]
    paired = 2 * options[DRAWS] >= n
    place = np.uint64(number) >> np.uint64(1) if paired else np.uint64(number)
    half = np.int64(number & np.uint64(1)) if paired else np.int64(0)
    first_block(key, place, words)
    deal_one(key, place, half, n, size, options[DRAWS], words, places[0], places[1], places[2])
    per_rank = per_rank_of(options[DECKS])
    for i in range(n):  # of several decks as one of 52: rank by rank, in four suits
        cards[i] = rank_of(places[2, i], per_rank) * 4 + (places[2, i] & np.uint32(3))


@njit(cache=True, nogil=True, forceinline=True)
def _toss_on(
    cards: Shorts, state: Ints, options: Counts, main: Counts, lucky3: Counts, bonus4: Counts,
    settled: Int,
) -> Int:  # fmt: skip
    """Go on to the next seat that has to toss; return what is settled by then, in cents.

    *settled* is the seat whose toss may have settled it, -1 for those who bust as they were dealt.
    """
    seats, won = options[TOSS_SEATS], np.int64(0)
    waiting = np.int64(seats)
    for seat in range(seats):
        if state[S_TOSSED + seat] < 0:
            waiting = min(waiting, np.int64(seat))
        elif _at_once(cards, seat, state) and (settled == seat or settled < 0):
            won += _toss_net(cards, seat, state, options, main, lucky3, bonus4)
    state[S_SEAT] = waiting
    if waiting < seats:
        return won
    state[S_PHASE], state[S_SEAT] = TOSS_SETTLED, 0
    for seat in range(seats):
        if not _at_once(cards, seat, state):
            won += _toss_net(cards, seat, state, options, main, lucky3, bonus4)
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _toss_act(
    action: Int, cards: Shorts, state: Ints, options: Counts, main: Counts, lucky3: Counts,
    bonus4: Counts,
) -> Int:  # fmt: skip
    """Carry out a legal action; return what it settles, in cents."""
    seat = np.int64(state[S_SEAT])
    if state[S_PHASE] == TOSS_TOSSING:
        state[S_TOSSED + seat] = action - TOSS_BETS
        return _toss_on(cards, state, options, main, lucky3, bonus4, seat)
    state[S_BETS + seat] = action
    state[S_SEAT] += 1
    if state[S_SEAT] < options[TOSS_SEATS]:
        return np.int64(0)
    state[S_PHASE] = TOSS_TOSSING
    for other in range(options[TOSS_SEATS]):
        bust = _best(cards, PACK * other)[1] == BUST
        state[S_TOSSED + other] = BUST if bust else -1
    return _toss_on(cards, state, options, main, lucky3, bonus4, np.int64(-1))


@njit(cache=True, nogil=True, forceinline=True)
def _see_toss(cards: Shorts, state: Ints, options: Counts, seen: Shorts, mask: Masks) -> None:
    """Write what the player sees, and what is legal."""
    phase, seat = np.int64(state[S_PHASE]), np.int64(state[S_SEAT])
    at, legal = PACK * seat, np.int64(0)
    if phase == TOSS_BETTING:
        legal = np.int64((1 << TOSS_BETS) - 1)
    elif phase == TOSS_TOSSING:
        legal = _tosses(cards, at, options[FREE])
    state[S_LEGAL] = legal
    for i in range(TOSS_ACTIONS):
        mask[i] = legal >> i & 1
    for i in range(TOSS_FIELDS):
        seen[i] = 0
    seen[T_PHASE], seen[T_SEAT] = phase, seat + 1
    if phase == TOSS_BETTING:
        return
    for i in range(PACK):
        seen[T_CARDS + i] = cards[at + i] + 1
    seen[T_LUCKY3] = state[S_BETS + seat] & 1
    seen[T_BONUS4] = state[S_BETS + seat] >> 1
    for i in range(PACK * options[TOSS_SEATS]):
        seen[T_SEEN + value_of(cards[i])] += 1


@njit(cache=True, nogil=True)
def toss_one(
    key: Int, begin: Int, end: Int, fresh: bool, actions: Counts, numbers: Numbers, cards: Shorts,
    states: Ints, options: Counts, main: Counts, lucky3: Counts, bonus4: Counts, unit: Int,
    seen: Shorts, masks: Masks, rewards: Rewards, done: Flags, illegal: Flags,
) -> None:  # fmt: skip
    """Carry out an action at each of the tables *begin* to *end*, or deal *fresh* rounds at all.

    A table whose round is over is dealt the next, whatever the action.
    """
    words, places = np.empty(BLOCK, np.uint32), np.empty((3, cards.shape[1]), np.uint32)
    _toss_one(
        key, begin, end, fresh, actions, numbers, cards, states, options, main, lucky3, bonus4,
        unit, seen, masks, rewards, done, illegal, words, places,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _toss_one(
    key: Int, begin: Int, end: Int, fresh: bool, actions: Counts, numbers: Numbers, cards: Shorts,
    states: Ints, options: Counts, main: Counts, lucky3: Counts, bonus4: Counts, unit: Int,
    seen: Shorts, masks: Masks, rewards: Rewards, done: Flags, illegal: Flags, words: Words,
    places: Words,
) -> None:  # fmt: skip
    """Do it, with room to deal in: only arrays that a function was given may be made bare."""
    states_, cards_, seen_, masks_ = bare(states), bare(cards), bare(seen), bare(masks)
    options_, main_, lucky3_, bonus4_ = bare(options), bare(main), bare(lucky3), bare(bonus4)
    words_, places_ = bare(words), bare(places)
    for i in range(begin, end):
        state = states_[i]
        won, illegal[i] = np.int64(0), False
        if fresh or state[S_DONE]:
            if not fresh:
                numbers[i] += np.uint64(states.shape[0])
            _deal_toss(key, numbers[i], options_, words_, places_, cards_[i])
            for column in range(TOSS_STATE):
                state[column] = 0
        else:
            action = actions[i]
            if 0 <= action < TOSS_ACTIONS and state[S_LEGAL] >> action & 1:
                won = _toss_act(action, cards_[i], state, options_, main_, lucky3_, bonus4_)
            else:
                illegal[i] = True
        _see_toss(cards_[i], state, options_, seen_[i], masks_[i])
        state[S_DONE] = state[S_PHASE] == TOSS_SETTLED
        done[i] = state[S_DONE] != 0
        rewards[i] = won / unit


# --- Roll Your Own Blackjack

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
ROLL_FIELDS = R_SEEN + VALUES
WAYS = 6
DECLINE, INSURE, HIT, STAND, DOUBLE, SPLIT = range(WAYS, WAYS + 6)
ROLL_ACTIONS = WAYS + 6
PACK_OF_3 = 3
SEATS = 7
DOUBLE_BLACKJACK = -1  # how a seat that has nothing to set is set
TOTALS = 6  # hands that wait for the dealer are told apart from 16 on

# A table's state: where the round stands, the hand in play, how seats are set, what waits, the
# values seen. Totals are hard.
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
ROLL_STATE = P_SEEN + VALUES

ASKED, ALL_SET, ALL_INSURED, HAND_BEGUN, HAND_DONE, ALL_PLAYED = (np.int64(n) for n in range(6))
"""Where a round stands between two decisions."""

INSURES, UNIT = roll.OPTIONS, roll.OPTIONS + 1
ROLL_OPTIONS = roll.OPTIONS + 2
"""The simulator's options, whether insurance is offered, and a bet in cents."""

INSURED_PAYS = roll.BONUSES + 1
"""Where what an insurance pays stands, after the classes of the Bonus and a blackjack, in cents."""


@njit(cache=True, nogil=True, inline="always")
def _total(hard: Int, ace: Int) -> Int:
    return hard + _ACE_BY if ace and hard + _ACE_BY <= _TWENTY_ONE else hard


@njit(cache=True, nogil=True)
def _card(key: Int, number: Int, words: Words, deck: Bytes, state: Ints) -> Int:
    """Take the next card of the stub and return its value."""
    if state[P_DEALT] == state[P_PLACED]:
        state[P_PLACED] = roll.shuffle_more(key, number, state[P_PLACED], words, deck)
    value = value_of(deck[state[P_DEALT]])
    state[P_DEALT] += 1
    return value


@njit(cache=True, nogil=True, inline="always")
def _lone(deck: Bytes, state: Ints, seat: Int) -> Int:
    """Return the value of the card that a seat has set alone."""
    return value_of(deck[PACK_OF_3 * seat + (state[P_SETS + seat] >> 1)])


@njit(cache=True, nogil=True, inline="always")
def _two(deck: Bytes, state: Ints, seat: Int) -> tuple[Int, Int]:
    """Return the values of the cards that a seat has set together."""
    at, lone = PACK_OF_3 * seat, state[P_SETS + seat] >> 1
    first = 1 if lone == 0 else 0
    return value_of(deck[at + first]), value_of(deck[at + 3 - lone - first])


@njit(cache=True, nogil=True)
def _next_seat(state: Ints, seat: Int, seats: Int) -> Int:
    """Return the next seat from *seat* on that is no double blackjack (7i); *seats* for none."""
    while seat < seats and state[P_SETS + seat] == DOUBLE_BLACKJACK:
        seat += 1
    return seat


@njit(cache=True, nogil=True, forceinline=True)
def _deal_roll(
    key: Int, number: Int, words: Words, deck: Bytes, options: Counts, state: Ints
) -> None:
    """Deal the cards of the simulator's round *number*."""
    seats = options[roll.SEATS]
    words[0], words[1], words[2], words[3] = block_of(key, number, np.uint32(0), np.uint32(0))
    roll.lay_out(key, number, words, deck)
    for column in range(ROLL_STATE):
        state[column] = 0
    placed, dealt = np.int64(roll.AHEAD), PACK_OF_3 * (seats + 1)
    while placed < dealt:
        placed = roll.shuffle_more(key, number, placed, words, deck)
    state[P_PLACED], state[P_DEALT] = placed, dealt
    state[P_SEEN + value_of(deck[dealt - 2])] += 1
    for seat in range(seats):
        aces, tens = 0, 0
        for card in range(PACK_OF_3):
            value = value_of(deck[PACK_OF_3 * seat + card])
            state[P_SEEN + value] += 1
            aces += value == 0
            tens += value == _TEN
        if aces and tens and aces + tens == PACK_OF_3:
            state[P_SETS + seat] = DOUBLE_BLACKJACK
    state[P_SEAT] = _next_seat(state, 0, seats)


@njit(cache=True, nogil=True, forceinline=True)
def _go_on(
    stage: Int, key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts,
    state: Ints,
) -> Int:  # fmt: skip
    """Carry a round on from a stage until a seat is asked; return what that settles, in cents."""
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
    """Settle the Bonus (6) and the blackjacks as set (7g, 7i)."""
    won = np.int64(0)
    for seat in range(options[roll.SEATS]):
        won += pays[roll.bonus_of(deck, PACK_OF_3 * seat)]
        if state[P_SETS + seat] == DOUBLE_BLACKJACK:
            won += 2 * pays[roll.BONUSES]
        else:
            one, two = _two(deck, state, seat)
            won += pays[roll.BONUSES] if is_blackjack(one, two) else 0
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _asks_for_insurance(deck: Bytes, options: Counts, state: Ints) -> bool:
    """Say whether a seat is offered insurance: an ace is up (7j)."""
    seats = options[roll.SEATS]
    first = _next_seat(state, 0, seats)
    if first < seats and options[INSURES] and value_of(deck[PACK_OF_3 * seats + 1]) == 0:
        state[P_PHASE], state[P_SEAT] = INSURING, first
        return True
    return False


@njit(cache=True, nogil=True, forceinline=True)
def _look(
    key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts, state: Ints
) -> Int:
    """Let the dealer look for a blackjack, which ends the round; return what that settles."""
    seats, unit = options[roll.SEATS], options[UNIT]
    at = PACK_OF_3 * seats
    natural = is_blackjack(value_of(deck[at + 1]), value_of(deck[at + 2]))
    won = np.int64(0)
    state[P_PHASE], state[P_SEAT], state[P_BET] = PLAYING, 0, -1
    if not options[roll.PEEKS]:
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
        if options[roll.DRAWS] and (lone == 0 or lone == _TEN):  # reading R-4
            card = _card(key, number, words, deck, state)
            state[P_SEEN + card] += 1
            won += pays[roll.BONUSES] if is_blackjack(lone, card) else -unit
        else:
            won -= unit
    state[P_PHASE] = SETTLED
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _next_hand(deck: Bytes, options: Counts, state: Ints) -> bool:
    """Begin the next starting hand; false if there is none."""
    seats = options[roll.SEATS]
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
        if not is_blackjack(one, two):  # it was paid when it was set
            _begin_with(state, one)
            _add(state, two)
            return True


@njit(cache=True, nogil=True, inline="always")
def _begin_with(state: Ints, value: Int) -> None:
    """Put one card down as a hand."""
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
    """Say whether the hand may split (7b), as often as the house allows (7c, 7d)."""
    ace_again = state[P_SPLITS] and state[P_VALUE] == 0
    allowed = not ace_again or options[roll.RESPLITS_ACES] != 0
    return state[P_PAIR] != 0 and allowed and state[P_SPLITS] < options[roll.MAX_SPLITS]


@njit(cache=True, nogil=True)
def _may_double(state: Ints, options: Counts) -> bool:
    """Say whether the hand may double: any two cards (7a), split aces excepted (7d)."""
    split = state[P_SPLITS] != 0
    allowed = not split or (options[roll.DOUBLES_SPLITS] != 0 and state[P_VALUE] != 0)
    return state[P_COUNT] == 2 and allowed  # noqa: PLR2004


@njit(cache=True, nogil=True)
def _asks(
    key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts, state: Ints
) -> bool:
    """Go on with a starting hand until it asks for a decision (true) or is finished (false).

    What is settled on the way is left in P_ACTED, in cents.
    """
    state[P_ACTED] = 0
    while True:
        single = state[P_COUNT] == 1
        if single:
            if state[P_DEALT] == roll.DECK:
                state[P_ACTED] += _run_out(deck, options, pays, state)
                return False
            _draw(key, number, words, deck, state)
            if state[P_SPLITS] == 0 and is_blackjack(
                state[P_VALUE], state[P_HARD] - state[P_VALUE] - 2
            ):
                state[P_ACTED] += pays[roll.BONUSES]  # rule 7h
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
    """End a hand, bust or not, and say whether one more of the same bet begins."""
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
    """Settle the round: a card is needed and there is none (rule 8)."""
    units = np.int64(state[P_STAKE] + state[P_HANDS_LEFT])
    for total in range(TOTALS):
        units += state[P_WAITS + total]
    seat, bet = np.int64(state[P_SEAT]), np.int64(state[P_BET])
    for other in range(seat, options[roll.SEATS]):
        if state[P_SETS + other] == DOUBLE_BLACKJACK:
            continue
        for later in range(2):
            if other == seat and later <= bet:
                continue
            one, two = _two(deck, state, other)
            alone = later == state[P_SETS + other] & 1
            units += 1 if alone or not is_blackjack(one, two) else 0
    won = units * options[roll.RUN_OUT_WINS] * options[UNIT]
    if not options[roll.PEEKS] and options[roll.RUN_OUT_WINS]:
        won += state[P_INSURED] * pays[INSURED_PAYS]
    state[P_PHASE], state[P_SEAT] = SETTLED, 0
    return won


@njit(cache=True, nogil=True)
def _dealer(
    key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts, state: Ints
) -> Int:
    """Play the dealer's hand if one waits for it (7f), and settle the round."""
    unit, won, staked = options[UNIT], np.int64(0), np.int64(0)
    at = PACK_OF_3 * options[roll.SEATS]
    up, hole = value_of(deck[at + 1]), value_of(deck[at + 2])
    natural = is_blackjack(up, hole)
    if not options[roll.PEEKS]:
        won += state[P_INSURED] * (pays[INSURED_PAYS] if natural else -unit)
    for total in range(TOTALS):
        staked += state[P_WAITS + total]
    hard, ace, ran_out = up + hole + 2, up == 0 or hole == 0, False
    while staked and not natural:
        theirs = _total(hard, ace)
        soft_17 = theirs == 17 and theirs != hard and options[roll.HITS_SOFT_17]  # noqa: PLR2004
        if theirs >= 17 and not soft_17:  # noqa: PLR2004
            break
        if state[P_DEALT] == roll.DECK:
            ran_out = True
            break
        value = _card(key, number, words, deck, state)
        hard += value + 1
        ace |= value == 0
    theirs = _total(hard, ace)
    for total in range(TOTALS):
        stakes = state[P_WAITS + total]
        if ran_out:
            won += stakes * options[roll.RUN_OUT_WINS] * unit
        elif natural:
            won -= stakes * unit
        elif theirs > _TWENTY_ONE or total + 16 > theirs:
            won += stakes * unit
        elif total + 16 < theirs:
            won -= stakes * unit
    state[P_PHASE], state[P_SEAT] = SETTLED, 0
    return won


@njit(cache=True, nogil=True, forceinline=True)
def _roll_act(
    action: Int, key: Int, number: Int, words: Words, deck: Bytes, options: Counts, pays: Counts,
    state: Ints,
) -> tuple[Int, Int]:  # fmt: skip
    """Carry out a legal action; return what it settles, in cents, and the stage it leads to."""
    seats, phase, nothing = options[roll.SEATS], state[P_PHASE], np.int64(0)
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
    """Hit, stand, double or split; return what that settles, and the stage it leads to."""
    state[P_ACTED] = 0
    if action == SPLIT:
        state[P_SPLITS] += 1
        state[P_HANDS_LEFT] += 1
        _begin_with(state, state[P_VALUE])
        return np.int64(0), HAND_BEGUN
    if action != STAND:
        state[P_STAKE] = 2 if action == DOUBLE else state[P_STAKE]
        if state[P_DEALT] == roll.DECK:
            return _run_out(deck, options, pays, state), ASKED
        _draw(key, number, words, deck, state)
        if action == HIT and _total(state[P_HARD], state[P_ACE]) < _TWENTY_ONE:
            return np.int64(0), ASKED
    begun = _put_by(state, options)
    return np.int64(state[P_ACTED]), HAND_BEGUN if begun else HAND_DONE


@njit(cache=True, nogil=True)
def _see_roll(deck: Bytes, state: Ints, options: Counts, seen: Shorts, mask: Masks) -> None:
    """Write what the player sees, and what is legal."""
    for i in range(ROLL_FIELDS):
        seen[i] = 0
    phase, seat = state[P_PHASE], np.int64(state[P_SEAT])
    seen[R_PHASE], seen[R_SEAT] = phase, seat + 1
    seen[R_UP] = deck[PACK_OF_3 * options[roll.SEATS] + 1] + 1
    for card in range(PACK_OF_3):
        seen[R_CARDS + card] = deck[PACK_OF_3 * seat + card] + 1
    seen[R_LEFT] = roll.DECK - state[P_DEALT]
    for value in range(VALUES):
        seen[R_SEEN + value] = state[P_SEEN + value]
    if phase == PLAYING:
        total = _total(state[P_HARD], state[P_ACE])
        seen[R_BET], seen[R_TOTAL], seen[R_SOFT] = state[P_BET], total, total != state[P_HARD]
        seen[R_COUNT], seen[R_PAIR] = state[P_COUNT], state[P_PAIR]
        seen[R_HANDS] = state[P_SPLITS] + 1
    state[P_LEGAL] = _legal(state, options)
    for i in range(ROLL_ACTIONS):
        mask[i] = state[P_LEGAL] >> i & 1


@njit(cache=True, nogil=True)
def _legal(state: Ints, options: Counts) -> Int:
    """Return the legal actions as bits; where there was nothing to decide, to stand."""
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
def roll_your_own(
    key: Int, begin: Int, end: Int, fresh: bool, actions: Counts, numbers: Numbers, words: Words,
    decks: Bytes, states: Ints, options: Counts, pays: Counts, seen: Shorts, masks: Masks,
    rewards: Rewards, done: Flags, illegal: Flags, owed: Counts,
) -> None:  # fmt: skip
    """Carry out an action at each of the tables *begin* to *end*, or deal *fresh* rounds at all.

    A table whose round is over is dealt the next, whatever the action. What a deal settles by
    itself is *owed* until the first action.
    """
    unit, seats = options[UNIT], options[roll.SEATS]
    states_, decks_, words_ = bare(states), bare(decks), bare(words)
    seen_, masks_, options_, pays_ = bare(seen), bare(masks), bare(options), bare(pays)
    for i in range(begin, end):
        state, deck = states_[i], decks_[i]
        dealt = fresh or state[P_DONE] != 0
        won, stage, legal = np.int64(0), ASKED, False
        if dealt:
            if not fresh:
                numbers[i] += np.uint64(states.shape[0])
            _deal_roll(key, numbers[i], words_[i], deck, options_, state)
            stage = ALL_SET if state[P_SEAT] == seats else ASKED
        else:
            action = actions[i]
            legal = 0 <= action < ROLL_ACTIONS and state[P_LEGAL] >> action & 1 != 0
            if legal:
                won, stage = _roll_act(
                    action, key, numbers[i], words_[i], deck, options_, pays_, state
                )
        illegal[i] = not (dealt or legal)
        won += _go_on(stage, key, numbers[i], words_[i], deck, options_, pays_, state)
        if dealt:
            owed[i], won = won, np.int64(0)
        if legal:
            won, owed[i] = won + owed[i], np.int64(0)
            state[P_DONE] = state[P_PHASE] == SETTLED
        _see_roll(deck, state, options_, seen_[i], masks_[i])
        done[i] = state[P_DONE] != 0
        rewards[i] = won / unit
