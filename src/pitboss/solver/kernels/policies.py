"""Exact values of hands that are played independently, and of fixed policies."""

import numpy as np
from numba import njit

from pitboss.solver.kernels.hand_values import (
    alone,
    chance,
    double_value,
    grow,
    hit_value,
    is_21,
    may_double,
    stand_column,
    two_cards,
)
from pitboss.solver.kernels.memos import (
    DOUBLE,
    GROWN,
    HIT,
    LEFT,
    SIZE,
    SOFT_21,
    SPLIT,
    STAND,
    STATE,
    TIE,
    TWO,
    Floats,
    Hands,
    Memo,
    Small,
    Splits,
    bare_hands,
    bare_memo,
)


@njit(cache=True, nogil=True, forceinline=True)
def _lay_children(memo: Memo, hands: Hands, hand: int) -> None:
    for v in range(10):
        child = hands.hand[hand, GROWN + v]
        if child >= 0 and hands.at[child] < 0 and memo.cards[hands.at[hand], LEFT + v] > 0:
            hands.at[child] = grow(memo, hands.at[hand], v)


@njit(cache=True, nogil=True)
def start_policy(
    memo: Memo, hands: Hands, row: int, a: int, b: int, doubles: int, out: Small
) -> None:
    """Write the best play of every hand that starts with a, b, played alone and without splits."""
    begin, end = hands.begin[11 * a + b], hands.begin[11 * a + b + 1]
    for i in range(begin, end):
        hands.at[hands.order[i]] = -1
    hands.at[hands.pair[a, b]] = row
    for i in range(begin, end):
        hand = hands.order[i]
        out[hand] = STAND
        if hands.at[hand] < 0:
            continue
        if hands.hand[hand, SIZE] > 1:
            out[hand] = _best_play(memo, hands, hands.at[hand], hand, doubles)
        if hands.hand[hand, SIZE] == 1 or out[hand] == HIT:
            _lay_children(memo, hands, hand)


@njit(cache=True, nogil=True)
def _best_play(memo: Memo, hands: Hands, row: int, hand: int, doubles: int) -> int:
    state = hands.hand[hand, STATE]
    stand = memo.worth[row, stand_column(state)]
    best = alone(memo, row, state)
    doubles = doubles and hands.hand[hand, SIZE] == TWO
    if doubles and two_cards(memo, row, state, 1) > best + TIE:
        return DOUBLE
    return HIT if best > stand + TIE else STAND


@njit(cache=True, nogil=True)
def follow(memo: Memo, hands: Hands, row: int, a: int, b: int, policy: Small, out: Floats) -> None:
    """Write the value of a hand played by *policy*, and how often it doubles.

    For a one-card hand, ``out[v]`` is for a second card v + 1, multiplied by its chance. For two
    cards the result is ``out[0]``.
    """
    begin, end = hands.begin[11 * a + b], hands.begin[11 * a + b + 1]
    at, worth = hands.at, hands.value
    for i in range(begin, end):
        at[hands.order[i]] = -1
    at[hands.pair[a, b]] = row
    for i in range(begin, end):
        hand = hands.order[i]
        if at[hand] >= 0 and (hands.hand[hand, SIZE] == 1 or policy[hand] != STAND):
            _lay_children(memo, hands, hand)
    for i in range(end - 1, begin - 1, -1):
        hand = hands.order[i]
        if at[hand] >= 0 and hands.hand[hand, SIZE] > 1:
            worth[hand] = _followed(memo, hands, hand, policy[hand])
    out.fill(0.0)
    if b:
        hand = hands.pair[a, b]
        out[0, 0], out[0, 1] = worth[hand], policy[hand] == DOUBLE
        return
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            hand = hands.pair[a, v + 1]
            out[v, 0] = p * worth[hand]
            out[v, 1] = p * (policy[hand] == DOUBLE)


@njit(cache=True, nogil=True)
def follow_all(memo: Memo, hands: Hands, row: int, policy: Small, out: Floats) -> None:
    """Write the value of every hand of two or more cards that *policy* reaches, by its number.

    The cards seen are those of the hand and of *row*. The value of any other hand is not written.
    """
    memo, hands = bare_memo(memo), bare_hands(hands)
    at = hands.at
    at.fill(-1)
    for v in range(10):
        if memo.cards[row, LEFT + v] > 0:
            at[hands.pair[v + 1, 0]] = grow(memo, row, v)
    for hand in range(at.shape[0]):
        if at[hand] >= 0 and (hands.hand[hand, SIZE] == 1 or policy[hand] != STAND):
            _lay_children(memo, hands, hand)
    for hand in range(at.shape[0] - 1, -1, -1):
        if at[hand] >= 0 and hands.hand[hand, SIZE] > 1:
            hands.value[hand] = _followed(memo, hands, hand, policy[hand])
            out[hand] = hands.value[hand]


@njit(cache=True, nogil=True, forceinline=True)
def _followed(memo: Memo, hands: Hands, hand: int, play: int) -> float:
    """Return the value of a play; the hands it can lead to are already computed."""
    row = hands.at[hand]
    if play == STAND:
        return memo.worth[row, stand_column(hands.hand[hand, STATE])]
    value = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            child = hands.hand[hand, GROWN + v]
            if child < 0:
                value -= p
            elif play == DOUBLE:
                value += p * memo.worth[hands.at[child], stand_column(hands.hand[child, STATE])]
            else:
                value += p * hands.value[child]
    return 2.0 * value if play == DOUBLE else value


@njit(cache=True, nogil=True)
def split_values(
    memo: Memo, hands: Hands, row: int, card: int, most: int, policy: Small, out: Floats
) -> None:
    """Write the value of splitting a pair, for at most 1, 2, ..., *most* splits.

    ``out[n]`` is for n + 1 splits: the value, the expected number of doubled hands, and the
    expected number of hands. Every second card is a slot. The chance that j given slots hold the
    card and m others do not is a signed sum of the chances Q that j + i given slots hold it. If
    those slots are known, the rest is an ordinary deck with j + i more of the card seen.
    """
    known = 2 * most + 1
    reached = np.zeros(known)  # Q
    other = np.zeros((known, 2))  # Q times the value of a hand whose second card differs
    whole = np.zeros((known, 2))  # Q times the value of a hand
    seconds = np.empty((10, 2))
    at, q = row, 1.0
    for j in range(known):
        follow(memo, hands, at, card, 0, policy, seconds)
        reached[j] = q
        for c in range(2):
            for v in range(10):
                whole[j, c] += q * seconds[v, c]
            other[j, c] = whole[j, c] - q * seconds[card - 1, c]
        q *= chance(memo, at, card - 1)
        if q <= 0.0:
            break
        at = grow(memo, at, card - 1)
    for n in range(most):
        out[n, 0], out[n, 1], out[n, 2] = _split_sum(reached, other, whole, n + 2)


@njit(cache=True, nogil=True)
def _split_sum(
    reached: Floats, other: Floats, whole: Floats, hands: int
) -> tuple[float, float, float]:
    """Sum over all sequences of splits, up to *hands* hands."""
    value, doubled, expected = 0.0, 0.0, 0.0
    ways = np.zeros((hands + 1, hands + 1))  # by cards of the pair drawn and hands closed
    ways[0, 0] = 1.0
    for drawn in range(hands - 1):
        for closed in range(drawn + 3):
            number = ways[drawn, closed]
            waiting = drawn + 2 - closed
            if number == 0.0:
                continue
            if drawn + 2 < hands and waiting > 0:
                ways[drawn + 1, closed] += number
                ways[drawn, closed + 1] += number
                continue
            sign, binomial, fewer = 1.0, 1.0, 1.0  # C(closed, i) and C(closed - 1, i)
            for i in range(closed + 1):
                j = drawn + i
                if j < reached.shape[0]:
                    sure = number * sign * binomial
                    apart = number * sign * fewer * closed
                    value += waiting * sure * whole[j, 0] + apart * other[j, 0]
                    doubled += waiting * sure * whole[j, 1] + apart * other[j, 1]
                    expected += (drawn + 2) * sure * reached[j]
                sign = -sign
                fewer = fewer * (closed - 1 - i) / (i + 1)
                binomial = binomial * (closed - i) / (i + 1)
    return value, doubled, expected


@njit(cache=True, nogil=True)
def split_choice(
    memo: Memo, hands: Hands, rules: Splits, row: int, card: int, policy: Small, out: Floats
) -> int:
    """Return the best limit on the number of splits; write the policy of the hands and its value.

    ``out`` is the value and the expected numbers of doubled hands and of hands.
    """
    most = 1 if card == 1 and not rules.resplit_aces else rules.most
    if card == 1 and not rules.hit_aces:
        policy.fill(STAND)
    else:
        start_policy(memo, hands, row, card, 0, rules.double_after, policy)
    values = np.empty((most, 3))
    split_values(memo, hands, row, card, most, policy, values)
    best = 0
    for n in range(1, most):
        if values[n, 0] > values[best, 0] + TIE:
            best = n
    for c in range(3):
        out[c] = values[best, c]
    return best + 1


@njit(cache=True, nogil=True)
def none_value(
    memo: Memo, hands: Hands, rules: Splits, row: int, a: int, b: int, out: Floats
) -> None:
    """Write a starting hand's value and its expected doubled hands, splits and blackjacks."""
    memo, hands = bare_memo(memo), bare_hands(hands)
    out.fill(0.0)
    if b:
        _none_two(memo, hands, rules, row, a, b, 1.0, out)
        return
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            child = grow(memo, row, v)
            _none_two(memo, hands, rules, child, a, v + 1, p, out)


@njit(cache=True, nogil=True)
def _none_two(
    memo: Memo, hands: Hands, rules: Splits, row: int, a: int, b: int, p: float, out: Floats
) -> None:
    hand = hands.pair[a, b]
    if hands.hand[hand, STATE] == SOFT_21:
        out[0] += p * rules.pays
        out[3] += p
        return
    value = two_cards(memo, row, hands.hand[hand, STATE], 1)
    if a == b and rules.most > 0:
        policy = np.zeros(hands.hand.shape[0], np.int8)
        split = np.empty(3)
        split_choice(memo, hands, rules, row, a, policy, split)
        if split[0] > value + TIE:
            out[0] += p * split[0]
            out[1] += p * split[1]
            out[2] += p * (split[2] - 1.0)
            return
    out[0] += p * value
    out[1] += p * (_best_play(memo, hands, row, hand, np.int64(1)) == DOUBLE)


@njit(cache=True, nogil=True)
def none_options(
    memo: Memo, hands: Hands, rules: Splits, row: int, state: int, pair: int, out: Floats
) -> None:
    """Write the value of every play of a hand alone; *pair* is the card it may split, or 0."""
    memo, hands = bare_memo(memo), bare_hands(hands)
    out.fill(-np.inf)
    out[STAND] = memo.worth[row, stand_column(state)]
    if not is_21(state):
        out[HIT] = hit_value(memo, row, state)
        if may_double(memo, state):
            out[DOUBLE] = double_value(memo, row, state)
    if pair and rules.most > 0:
        policy = np.zeros(hands.hand.shape[0], np.int8)
        split = np.empty(3)
        split_choice(memo, hands, rules, row, pair, policy, split)
        out[SPLIT] = split[0]


@njit(cache=True, nogil=True)
def none_policy(
    memo: Memo, hands: Hands, rules: Splits, row: int, a: int, b: int, out: Small
) -> None:
    """Write the policy of a starting hand: the play of every hand it grows into.

    ``out[0]`` is for the hand itself, with the pair marked if it is split. ``out[1]`` is for the
    hands of a split, and ``out[2, 0]`` is the limit on splits.
    """
    memo, hands = bare_memo(memo), bare_hands(hands)
    out.fill(STAND)
    start_policy(memo, hands, row, a, b, 1, out[0])
    if rules.most == 0 or b not in (0, a):
        return
    at = row if b else grow(memo, row, a - 1)
    if not b and chance(memo, row, a - 1) <= 0.0:
        return
    pair, split = hands.pair[a, a], np.empty(3)
    most = split_choice(memo, hands, rules, at, a, out[1], split)
    if split[0] > two_cards(memo, at, hands.hand[pair, STATE], 1) + TIE:
        out[0, pair] = SPLIT
        out[2, 0] = most
