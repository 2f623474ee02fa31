"""Exact values of one blackjack hand, computed by recursion over the cards seen."""

import numpy as np
from numba import njit

from pitboss.solver.kernels.memos import (
    BUST,
    DECK_AT,
    DEPTH,
    DOUBLING,
    HIGHEST,
    KEY,
    KEY_BITS,
    KEY_HIGH,
    LEFT,
    LEVEL,
    LEVELS,
    LEVELS_AT,
    LINK,
    LOWEST,
    ODDS,
    OUTCOME,
    PARENT,
    ROWS_USED,
    SKIP,
    SOFT_21,
    SOFT_BY,
    STAGE_AT,
    STAGE_WANTED,
    STAND_AT,
    STATES,
    TAKEN,
    TWENTY_ONE,
    VALUE,
    WANTED,
    WEIGHTS_AT,
    Ints,
    Memo,
)


@njit(cache=True, nogil=True)
def find_row(memo: Memo, key: int) -> int:
    """Return the row of a set of seen cards; a new row gets the dealer's probabilities at once."""
    slot = _find_slot(memo, key)
    if memo.slots[slot] >= 0:
        return np.int64(memo.slots[slot])
    row = _add_row(memo, key, slot)
    rest, seen = key, 0
    for v in range(9, -1, -1):
        number = rest // memo.work[WEIGHTS_AT + v]
        rest -= number * memo.work[WEIGHTS_AT + v]
        seen += number
        memo.cards[row, LEFT + v] = memo.work[DECK_AT + v] - number
    memo.cards[row, LEVEL] = seen
    _play_dealer(memo, row)
    return row


@njit(cache=True, nogil=True, inline="always")
def _find_slot(memo: Memo, key: int) -> int:
    """Return the slot that holds a key's row, or the empty slot for a new row."""
    mask = memo.slots.shape[0] - 1
    slot = row_slot(key, mask)
    while memo.slots[slot] >= 0 and key_of(memo, memo.slots[slot]) != key:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True, inline="always")
def key_of(memo: Memo, row: int) -> int:
    return np.int64(memo.cards[row, KEY]) | np.int64(memo.cards[row, KEY_HIGH]) << KEY_BITS


@njit(cache=True, nogil=True)
def _add_row(memo: Memo, key: int, slot: int) -> int:
    """Add a row without its cards."""
    row = memo.work[ROWS_USED]
    if row == memo.cards.shape[0]:
        raise MemoryError
    memo.work[ROWS_USED] += 1
    memo.slots[slot] = row
    memo.cards[row, KEY] = key & ((1 << KEY_BITS) - 1)
    memo.cards[row, KEY_HIGH] = key >> KEY_BITS
    memo.cards[row, WANTED] = 0
    memo.cards[row, STAGE_WANTED] = 0
    memo.worth[row, STAGE_AT] = -1.0
    for v in range(10):
        memo.cards[row, v] = -1
    for column in range(STAND_AT):
        memo.worth[row, column] = np.nan
    return row


@njit(cache=True, nogil=True, inline="always")
def row_slot(key: int, mask: int) -> int:
    return (key * 0x9E3779B1 >> 9) & mask


@njit(cache=True, nogil=True)
def _play_dealer(memo: Memo, row: int) -> None:
    """Fill in the value of standing on each total, over all outcomes of the dealer's hand."""
    left = memo.cards[row, LEFT:KEY]
    cards = 0
    for v in range(10):
        cards += left[v]
    _set_odds(memo, row, cards)
    over = np.zeros(32)  # the inverse of the number of ordered draws of that many cards
    over[0] = 1.0
    if memo.barred >= 0:  # given that the hole card does not have the barred value
        free = cards - left[memo.barred]
        over[0] = cards / free if free > 0 else 0.0
    for n in range(1, 32):
        over[n] = over[n - 1] / (cards - n + 1) if cards >= n else 0.0
    outcomes = np.zeros(7)
    i, size = 0, memo.branch.shape[0]
    while i < size:
        parent = memo.branch[i, PARENT]
        product = 1.0 if parent < 0 else memo.ways[parent, 1]
        product *= left[memo.branch[i, VALUE]] - memo.branch[i, TAKEN]
        if product <= 0.0:
            i = memo.branch[i, SKIP]
            continue
        memo.ways[i, 1] = product
        outcomes[memo.branch[i, OUTCOME]] += memo.ways[i, 0] * product * over[memo.branch[i, DEPTH]]
        i += 1
    played = 0.0
    for n in range(7):
        played += outcomes[n]
    dry = (1.0 - played) * memo.run_out if played < 1.0 - 1e-9 else 0.0
    win = outcomes[BUST]
    lose = played - win
    memo.worth[row, STAND_AT] = win - lose + dry
    for n in range(5):
        lose -= outcomes[n]
        memo.worth[row, STAND_AT + n + 1] = win - lose + dry
        win += outcomes[n]


@njit(cache=True, nogil=True, forceinline=True)
def _set_odds(memo: Memo, row: int, cards: int) -> None:
    plain, barred = 0.0, 0.0
    if memo.barred < 0 and cards:
        plain = 1.0 / cards
    if memo.barred >= 0 and cards > 1:
        free = cards - memo.cards[row, LEFT + memo.barred]
        plain = (free - 1.0) / (free * (cards - 1.0)) if free else 0.0
        barred = 1.0 / (cards - 1.0)
    memo.worth[row, ODDS] = plain
    memo.worth[row, ODDS + 1] = barred


@njit(cache=True, nogil=True, inline="always")
def grow(memo: Memo, row: int, v: int) -> int:
    """Return the row after one more card of value *v* is seen."""
    child = np.int64(memo.cards[row, v])
    return child if child >= 0 else _grow(memo, row, v)


@njit(cache=True, nogil=True)
def _grow(memo: Memo, row: int, v: int) -> int:
    key = key_of(memo, row) + memo.work[WEIGHTS_AT + v]
    slot = _find_slot(memo, key)
    child = np.int64(memo.slots[slot])
    if child < 0:
        child = _add_row(memo, key, slot)
        for n in range(LEFT, KEY):
            memo.cards[child, n] = memo.cards[row, n]
        memo.cards[child, LEFT + v] -= 1
        memo.cards[child, LEVEL] = memo.cards[row, LEVEL] + 1
        _play_dealer(memo, child)
    memo.cards[row, v] = child
    return child


@njit(cache=True, nogil=True, inline="always")
def chance(memo: Memo, row: int, v: int) -> float:
    """Return the chance that the next card has value *v*: n_v (M - [v != x]) / (M (N - 1))."""
    return memo.cards[row, LEFT + v] * memo.worth[row, ODDS + (v == memo.barred)]


# --- states


@njit(cache=True, nogil=True, inline="always")
def stand_column(state: int) -> int:
    """Return the column with the value of standing on a hand's state."""
    total = state - SOFT_BY if state > TWENTY_ONE else state
    return STAND_AT + max(0, total - 16)


@njit(cache=True, nogil=True, inline="always")
def is_21(state: int) -> bool:
    return state == TWENTY_ONE or state == SOFT_21


def _next_states() -> Ints:
    """Return a hand's state after one more card, by state and card; -1 means bust."""
    table = np.full((STATES, 10), -1)
    for state in range(1, STATES):
        for v in range(10):
            soft = state > TWENTY_ONE
            hard = (state - 20 if soft else state) + v + 1  # soft 12 is two aces: hard 2
            if hard <= TWENTY_ONE:
                counts_eleven = (soft or v == 0) and hard + SOFT_BY <= TWENTY_ONE
                table[state, v] = hard + 2 * SOFT_BY if counts_eleven else hard
    return table


NEXT_STATE = _next_states()
_BITS = np.array([next((b for b in range(STATES) if (1 << b) % 37 == r), 0) for r in range(37)])


@njit(cache=True, nogil=True, inline="always")
def lowest(states: int) -> int:
    """Return the lowest state in a bit set, found by its residue modulo 37."""
    return _BITS[(states & -states) % 37]


# --- one hand that is played last


@njit(cache=True, nogil=True, inline="always")
def alone(memo: Memo, row: int, state: int) -> float:
    """Return the best value of a hand that may hit or stand."""
    known = memo.worth[row, state]
    return known if not np.isnan(known) else _alone(memo, row, state)


@njit(cache=True, nogil=True)
def _alone(memo: Memo, row: int, state: int) -> float:
    want(memo, row, state)
    sweep(memo)
    return memo.worth[row, state]


@njit(cache=True, nogil=True, inline="always")
def want(memo: Memo, row: int, state: int) -> None:
    """Mark a hand to be computed by the next sweep."""
    if np.isnan(memo.worth[row, state]):
        if is_21(state):
            memo.worth[row, state] = memo.worth[row, STAND_AT + 5]
        else:
            wanted = memo.cards[row, WANTED]
            if wanted == 0:
                level = np.int64(memo.cards[row, LEVEL])
                memo.cards[row, LINK] = memo.work[LEVELS_AT + level]
                memo.work[LEVELS_AT + level] = row
                memo.work[LOWEST] = min(memo.work[LOWEST], level)
                memo.work[HIGHEST] = max(memo.work[HIGHEST], level)
            memo.cards[row, WANTED] = wanted | (1 << state)


@njit(cache=True, nogil=True)
def sweep(memo: Memo) -> None:
    """Compute the marked hands: first mark the hands they depend on, then compute the values."""
    level = memo.work[LOWEST]
    while level <= memo.work[HIGHEST]:
        row = memo.work[LEVELS_AT + level]
        while row >= 0:
            wanted = np.int64(memo.cards[row, WANTED])
            while wanted:
                state = lowest(wanted)
                wanted &= wanted - 1
                for v in range(10):
                    after = NEXT_STATE[state, v]
                    if after >= 0 and chance(memo, row, v) > 0.0:
                        want(memo, grow(memo, row, v), after)
            row = np.int64(memo.cards[row, LINK])
        level += 1
    for level in range(memo.work[HIGHEST], memo.work[LOWEST] - 1, -1):
        row = memo.work[LEVELS_AT + level]
        while row >= 0:
            wanted = np.int64(memo.cards[row, WANTED])
            while wanted:
                state = lowest(wanted)
                wanted &= wanted - 1
                stand = memo.worth[row, stand_column(state)]
                memo.worth[row, state] = max(stand, _hit_known(memo, row, state))
            memo.cards[row, WANTED] = 0
            row = np.int64(memo.cards[row, LINK])
        memo.work[LEVELS_AT + level] = -1
    memo.work[LOWEST], memo.work[HIGHEST] = LEVELS, -1


@njit(cache=True, nogil=True, inline="always")
def _hit_known(memo: Memo, row: int, state: int) -> float:
    """Return the value of hitting; the hands it can lead to are already computed."""
    value = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            after = NEXT_STATE[state, v]
            value += p * memo.worth[memo.cards[row, v], after] if after >= 0 else -p
    return value


@njit(cache=True, nogil=True)
def hit_value(memo: Memo, row: int, state: int) -> float:
    value = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            after = NEXT_STATE[state, v]
            if after < 0:
                value -= p
            else:
                value += p * alone(memo, grow(memo, row, v), after)
    return value


@njit(cache=True, nogil=True, forceinline=True)
def double_value(memo: Memo, row: int, state: int) -> float:
    value = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            after = NEXT_STATE[state, v]
            if after < 0:
                value -= 2.0 * p
            else:
                value += 2.0 * p * memo.worth[grow(memo, row, v), stand_column(after)]
    return value


@njit(cache=True, nogil=True, inline="always")
def may_double(memo: Memo, state: int) -> bool:
    """Return whether two cards of this state may double."""
    return memo.doubling >> state & 1 == 1


@njit(cache=True, nogil=True, inline="always")
def two_cards(memo: Memo, row: int, state: int, doubles: int) -> float:
    """Return the best value of two cards that are not split."""
    known = memo.worth[row, state + DOUBLING * doubles]
    return known if not np.isnan(known) else _two_cards(memo, row, state, doubles)


@njit(cache=True, nogil=True, forceinline=True)
def _two_cards(memo: Memo, row: int, state: int, doubles: int) -> float:
    best = alone(memo, row, state)
    if doubles and may_double(memo, state):
        best = max(best, double_value(memo, row, state))
    memo.worth[row, state + DOUBLING * doubles] = best
    return best
