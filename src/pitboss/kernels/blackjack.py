"""Exact values of blackjack hands, by recursion over the cards seen.

The unseen cards are exchangeable, so the burnt card, the hole card and the stub need no places: a
set of seen cards R is all that matters, and each R has a row here. The method is written out in
docs/solver.md; the symbols below are the ones used there. Values are counted from 0 here: the ace
is 0, the ten 9.

Compiled code copies every array's header at each call, so what the innermost functions take is
kept to six arrays, and the small ones are inlined.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pitboss.kernels.arrays import bare

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]
Small = NDArray[np.int8]
Floats = NDArray[np.float64]

STAND, HIT, DOUBLE, SPLIT = 0, 1, 2, 3

# A hand's state: hard 1 to 21 are themselves, soft 12 to 21 are 22 to 31.
STATES = 32
_TWENTY_ONE, _SOFT_21 = 21, 31
_SOFT_BY = 10  # a soft total's state is this much more
_TWO = 2  # the cards that may double
_TIE = 1e-12  # values nearer than this are alike: stand before hit before double before split
_BUST = 5  # the dealer's outcomes are 17, 18, 19, 20, 21, bust, blackjack


_DRAWING = (1 << STATES) - 1 & ~(1 << _TWENTY_ONE | 1 << _SOFT_21)  # states that may draw, as bits


class Memo(NamedTuple):
    """What has been worked out for one up card and deck: a row for each set R of seen cards."""

    barred: int  # the value that a peek has shown not to be in the hole; -1 if none
    run_out: float  # what a hand in action gets where the dealer finds no card (rule 8)
    work: Ints  # rows used, entries used, the deck, and lists of rows by cards seen
    cards: Rows  # by row: see the columns below
    worth: Floats  # by row: see the columns below
    slots: Rows  # where the rows are: open addressing on the key
    branch: Rows  # the dealer's tree: see the columns below
    ways: Floats  # the orders in which a branch's cards can come, and scratch for its product


ROWS_USED, ENTRIES_USED, CELLS_USED, DECK_AT, LEVELS_AT = 0, 1, 2, 3, 13
_LEVELS = 53
_STAGE_LEVELS_AT = LEVELS_AT + _LEVELS
WORK = _STAGE_LEVELS_AT + _LEVELS
_LEFT = 10  # the columns of cards: the rows with one card more, the unseen cards of each value,
_KEY, _LEVEL = 20, 21  # the number of the set, how many cards are unseen,
WANTED, _LINK = 22, 23  # the states to be worked out as bits, the next row with as many cards,
STAGE_WANTED, _STAGE_LINK = 24, 25  # and both again for the stage that is being played
CARDS = 26
_DOUBLING = STATES  # the columns of worth: best alone by state, best where two cards may double,
STAND_AT = 2 * STATES  # standing by total (16 or less, 17, ..., 21),
_ODDS = STAND_AT + 6  # what one unseen card adds to the chance of its value, barred or not,
STAGE_AT = _ODDS + 2  # the stage that was looked up last for the row, and its value,
_PLAYED = STAGE_AT + 2  # and by state for the stage that is being played
WORTH = _PLAYED + STATES
_PARENT, _VALUE, _TAKEN, _DEPTH, _SKIP, _OUTCOME = range(6)  # the columns of branch


class Hands(NamedTuple):
    """Every hand of values that is not bust, smallest first; hands grow into later ones."""

    hand: Ints  # state, size, and the hands with one card more: -1 if bust or not in a deck
    pair: Ints  # the hand of one card (a, 0) or two (a, b), counted from 1
    order: Ints  # the hands that one or two cards can grow into, all starts in one row
    begin: Ints  # where the row of each start begins: that of a, b at 11 a + b
    at: Ints  # scratch: the row of each hand
    value: Floats  # scratch: what each hand is worth


_STATE, _SIZE, _GROWN = range(3)  # the columns of hand


class Later(NamedTuple):
    """Hands still to be played: an entry for each row and stage, and the stages.

    A stage is one hand, what follows it and what a split of it leads to.
    """

    entry: Ints  # row and stage in one number, the next entry of the same stage
    slots: Rows  # where the entries are: open addressing on that number
    head: Rows  # the first entry of each stage
    value: Floats  # C(R, stage)
    cells: Ints  # the rows that hands of a stage can stand in and their states as bits, by stage
    bounds: Ints  # by stage: its first cell, and the first after it
    stage: Ints  # see the columns below
    pays: Floats  # by stage: what a blackjack of this hand pays, 0 if 21 is none


STAGES = 1 << 14  # stages are numbered below this
_FIRST, _SECOND, _THEN, _SPLIT, _DOUBLES, _STANDS, _PLAIN = range(7)
"""The columns of stage: the hand's cards (second 0: it receives it now), the stage after this hand
(-1: it is the last), the stage that a split leads to (-1: none), whether it may double, whether it
stands on its second card as split aces do; and the state of two cards that are the last, may double
and neither split nor pay as a blackjack (0: none such): they need no entry, their row has them."""


class Splits(NamedTuple):
    """The settings that hands without memory of one another are played under."""

    most: int
    double_after: int
    resplit_aces: int
    pays: float


# --- arrays without owners: counting references would cost more than the arithmetic


@njit(cache=True, nogil=True)
def _bare_memo(m: Memo) -> Memo:
    return Memo(
        m.barred,
        m.run_out,
        bare(m.work),
        bare(m.cards),
        bare(m.worth),
        bare(m.slots),
        bare(m.branch),
        bare(m.ways),
    )


@njit(cache=True, nogil=True)
def _bare_hands(h: Hands) -> Hands:
    return Hands(
        bare(h.hand),
        bare(h.pair),
        bare(h.order),
        bare(h.begin),
        bare(h.at),
        bare(h.value),
    )


@njit(cache=True, nogil=True)
def _bare_later(x: Later) -> Later:
    return Later(
        bare(x.entry),
        bare(x.slots),
        bare(x.head),
        bare(x.value),
        bare(x.cells),
        bare(x.bounds),
        bare(x.stage),
        bare(x.pays),
    )


# --- rows


@njit(cache=True, nogil=True)
def find_row(memo: Memo, key: int) -> int:
    """Return the row of a set of seen cards; a new one gets its dealer's chances at once."""
    mask = memo.slots.shape[0] - 1
    slot = _row_slot(key, mask)
    while memo.slots[slot] >= 0:
        if memo.cards[memo.slots[slot], _KEY] == key:
            return np.int64(memo.slots[slot])
        slot = (slot + 1) & mask
    row = memo.work[ROWS_USED]
    if row == memo.cards.shape[0]:
        raise MemoryError
    memo.work[ROWS_USED] += 1
    memo.slots[slot] = row
    memo.cards[row, _KEY] = key
    memo.cards[row, WANTED] = 0
    memo.cards[row, STAGE_WANTED] = 0
    memo.worth[row, STAGE_AT] = -1.0
    rest = key
    for v in range(10):
        memo.cards[row, v] = -1
        memo.cards[row, _LEFT + v] = memo.work[DECK_AT + v] - (rest % 5 if v < 9 else rest)  # noqa: PLR2004
        rest //= 5
    for column in range(STAND_AT):
        memo.worth[row, column] = np.nan
    _play_dealer(memo, row)
    return row


@njit(cache=True, nogil=True, inline="always")
def _row_slot(key: int, mask: int) -> int:
    return (key * 0x9E3779B1 >> 9) & mask


@njit(cache=True, nogil=True)
def _play_dealer(memo: Memo, row: int) -> None:
    """Fill in what standing on each total is worth, over every way the dealer's hand can end."""
    left = memo.cards[row, _LEFT:_KEY]
    cards = 0
    for v in range(10):
        cards += left[v]
    memo.cards[row, _LEVEL] = cards
    _set_odds(memo, row, cards)
    over = np.zeros(32)  # one over the ways to draw that many cards in order
    over[0] = 1.0
    if memo.barred >= 0:  # given that the hole card is not barred
        free = cards - left[memo.barred]
        over[0] = cards / free if free > 0 else 0.0
    for n in range(1, 32):
        over[n] = over[n - 1] / (cards - n + 1) if cards >= n else 0.0
    outcomes = np.zeros(7)
    i, size = 0, memo.branch.shape[0]
    while i < size:
        parent = memo.branch[i, _PARENT]
        product = 1.0 if parent < 0 else memo.ways[parent, 1]
        product *= left[memo.branch[i, _VALUE]] - memo.branch[i, _TAKEN]
        if product <= 0.0:
            i = memo.branch[i, _SKIP]
            continue
        memo.ways[i, 1] = product
        outcomes[memo.branch[i, _OUTCOME]] += (
            memo.ways[i, 0] * product * over[memo.branch[i, _DEPTH]]
        )
        i += 1
    played = 0.0
    for n in range(7):
        played += outcomes[n]
    dry = (1.0 - played) * memo.run_out if played < 1.0 - 1e-9 else 0.0
    win = outcomes[_BUST]
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
        free = cards - memo.cards[row, _LEFT + memo.barred]
        plain = (free - 1.0) / (free * (cards - 1.0)) if free else 0.0
        barred = 1.0 / (cards - 1.0)
    memo.worth[row, _ODDS] = plain
    memo.worth[row, _ODDS + 1] = barred


@njit(cache=True, nogil=True, inline="always")
def grow(memo: Memo, row: int, v: int) -> int:
    """Return the row with one card of value *v* more seen."""
    child = np.int64(memo.cards[row, v])
    return child if child >= 0 else _grow(memo, row, v)


@njit(cache=True, nogil=True)
def _grow(memo: Memo, row: int, v: int) -> int:
    child = find_row(memo, np.int64(memo.cards[row, _KEY]) + 5**v)
    memo.cards[row, v] = child
    return child


@njit(cache=True, nogil=True, inline="always")
def chance(memo: Memo, row: int, v: int) -> float:
    """Return the chance that the next card is of value *v*: n_v (M - [v != x]) / (M (N - 1))."""
    return memo.cards[row, _LEFT + v] * memo.worth[row, _ODDS + (v == memo.barred)]


# --- states


@njit(cache=True, nogil=True, inline="always")
def _column(state: int) -> int:
    """Return the column of standing on a hand's state."""
    total = state - _SOFT_BY if state > _TWENTY_ONE else state
    return STAND_AT + max(0, total - 16)


@njit(cache=True, nogil=True, inline="always")
def _is_21(state: int) -> bool:
    return state == _TWENTY_ONE or state == _SOFT_21


def _next_states() -> Ints:
    """Return a hand's state after one card more, by state and card; -1 is a bust."""
    table = np.full((STATES, 10), -1)
    for state in range(1, STATES):
        for v in range(10):
            soft = state > _TWENTY_ONE
            hard = (state - 20 if soft else state) + v + 1  # soft 12 is two aces: hard 2
            if hard <= _TWENTY_ONE:
                counts_eleven = (soft or v == 0) and hard + _SOFT_BY <= _TWENTY_ONE
                table[state, v] = hard + 2 * _SOFT_BY if counts_eleven else hard
    return table


NEXT_STATE = _next_states()
_BITS = np.array([next((b for b in range(STATES) if (1 << b) % 37 == r), 0) for r in range(37)])


@njit(cache=True, nogil=True, inline="always")
def _lowest(states: int) -> int:
    """Return the first of the states in a set of bits: powers of two differ modulo 37."""
    return _BITS[(states & -states) % 37]


# --- one hand with nothing after it


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
    """Ask for a hand to be worked out by the next sweep."""
    if np.isnan(memo.worth[row, state]):
        if _is_21(state):
            memo.worth[row, state] = memo.worth[row, STAND_AT + 5]
        else:
            wanted = memo.cards[row, WANTED]
            if wanted == 0:
                level = LEVELS_AT + memo.cards[row, _LEVEL]
                memo.cards[row, _LINK] = memo.work[level]
                memo.work[level] = row
            memo.cards[row, WANTED] = wanted | (1 << state)


@njit(cache=True, nogil=True)
def sweep(memo: Memo) -> None:
    """Work out the hands that are wanted: what they need, card by card, then their values."""
    for unseen in range(_LEVELS - 1, -1, -1):
        row = memo.work[LEVELS_AT + unseen]
        while row >= 0:
            wanted = np.int64(memo.cards[row, WANTED])
            while wanted:
                state = _lowest(wanted)
                wanted &= wanted - 1
                for v in range(10):
                    after = NEXT_STATE[state, v]
                    if after >= 0 and chance(memo, row, v) > 0.0:
                        want(memo, grow(memo, row, v), after)
            row = np.int64(memo.cards[row, _LINK])
    for unseen in range(_LEVELS):
        row = memo.work[LEVELS_AT + unseen]
        while row >= 0:
            wanted = np.int64(memo.cards[row, WANTED])
            while wanted:
                state = _lowest(wanted)
                wanted &= wanted - 1
                stand = memo.worth[row, _column(state)]
                memo.worth[row, state] = max(stand, _hit_known(memo, row, state))
            memo.cards[row, WANTED] = 0
            row = np.int64(memo.cards[row, _LINK])
        memo.work[LEVELS_AT + unseen] = -1


@njit(cache=True, nogil=True, inline="always")
def _hit_known(memo: Memo, row: int, state: int) -> float:
    """Return what hitting is worth, the hands it can lead to known."""
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
                value += 2.0 * p * memo.worth[grow(memo, row, v), _column(after)]
    return value


@njit(cache=True, nogil=True, inline="always")
def two_cards(memo: Memo, row: int, state: int, doubles: int) -> float:
    """Return the best value of two cards that are not split."""
    known = memo.worth[row, state + _DOUBLING * doubles]
    return known if not np.isnan(known) else _two_cards(memo, row, state, doubles)


@njit(cache=True, nogil=True, forceinline=True)
def _two_cards(memo: Memo, row: int, state: int, doubles: int) -> float:
    best = alone(memo, row, state)
    if doubles and not _is_21(state):
        best = max(best, double_value(memo, row, state))
    memo.worth[row, state + _DOUBLING * doubles] = best
    return best


# --- several hands, each seeing what the earlier ones drew


@njit(cache=True, nogil=True)
def find_entry(memo: Memo, later: Later, stage: int, row: int) -> int:
    """Return where C(R, stage) is kept; a new entry joins its stage's list."""
    mask = later.slots.shape[0] - 1
    entry = row * STAGES + stage
    slot = _entry_slot(entry, mask)
    while later.slots[slot] >= 0:
        if later.entry[later.slots[slot], 0] == entry:
            return np.int64(later.slots[slot])
        slot = (slot + 1) & mask
    new = memo.work[ENTRIES_USED]
    if new == later.entry.shape[0]:
        raise MemoryError
    memo.work[ENTRIES_USED] += 1
    later.slots[slot] = new
    later.entry[new, 0] = entry
    later.entry[new, 1] = later.head[stage]
    later.head[stage] = new
    return new


@njit(cache=True, nogil=True, forceinline=True)
def _enter(memo: Memo, later: Later, stage: int, row: int) -> None:
    """Ask for C(R, stage)."""
    if later.stage[stage, _PLAIN]:
        want(memo, row, later.stage[stage, _PLAIN])
    else:
        find_entry(memo, later, stage, row)


@njit(cache=True, nogil=True, forceinline=True)
def _after(memo: Memo, later: Later, stage: int, row: int) -> float:
    """Return C(R, stage), which has been asked for; the same row is often asked again."""
    state = later.stage[stage, _PLAIN]
    if state:
        return two_cards(memo, row, state, 1)
    if memo.worth[row, STAGE_AT] != stage:
        memo.worth[row, STAGE_AT + 1] = _look_up(later, stage, row)
        memo.worth[row, STAGE_AT] = stage
    return memo.worth[row, STAGE_AT + 1]


@njit(cache=True, nogil=True, inline="always")
def _look_up(later: Later, stage: int, row: int) -> float:
    """Return C(R, stage), which has been worked out."""
    mask = later.slots.shape[0] - 1
    entry = row * STAGES + stage
    slot = _entry_slot(entry, mask)
    while later.entry[later.slots[slot], 0] != entry:
        slot = (slot + 1) & mask
    return later.value[later.slots[slot]]


@njit(cache=True, nogil=True)
def place_again(memo: Memo, later: Later) -> None:
    """Find places for all rows and entries in larger tables."""
    mask = memo.slots.shape[0] - 1
    for row in range(memo.work[ROWS_USED]):
        slot = _row_slot(np.int64(memo.cards[row, _KEY]), mask)
        while memo.slots[slot] >= 0:
            slot = (slot + 1) & mask
        memo.slots[slot] = row
    mask = later.slots.shape[0] - 1
    for entry in range(memo.work[ENTRIES_USED]):
        slot = _entry_slot(later.entry[entry, 0], mask)
        while later.slots[slot] >= 0:
            slot = (slot + 1) & mask
        later.slots[slot] = entry


@njit(cache=True, nogil=True, inline="always")
def _entry_slot(entry: int, mask: int) -> int:
    return (entry * 0x9E3779B97F4A7C1 >> 17) & mask


@njit(cache=True, nogil=True)
def work_out(memo: Memo, hands: Hands, later: Later) -> None:
    """Enter everything that can follow what is entered, then value it, last hands first.

    What a stage leads to is numbered before it. The lists of stages are empty afterwards.
    """
    memo, hands, later = _bare_memo(memo), _bare_hands(hands), _bare_later(later)
    memo.work[CELLS_USED] = 0
    for stage in range(later.stage.shape[0] - 1, -1, -1):
        if later.head[stage] >= 0:
            _expand(memo, hands, later, stage)
    sweep(memo)
    for stage in range(later.stage.shape[0]):
        if later.head[stage] >= 0:
            _play_stage(memo, later, stage)
        while later.head[stage] >= 0:
            entry = later.head[stage]
            row = later.entry[entry, 0] // STAGES
            later.value[entry] = _entry_value(memo, hands, later, stage, row)
            later.head[stage] = later.entry[entry, 1]


@njit(cache=True, nogil=True)
def _expand(memo: Memo, hands: Hands, later: Later, stage: int) -> None:
    """Enter what can follow each entry of a stage."""
    a, b, then = later.stage[stage, _FIRST], later.stage[stage, _SECOND], later.stage[stage, _THEN]
    split = later.stage[stage, _SPLIT]
    entry = later.head[stage]
    while entry >= 0:
        row = later.entry[entry, 0] // STAGES
        entry = later.entry[entry, 1]
        for v in range(10):
            if (b == v + 1) or (not b and chance(memo, row, v) > 0.0):
                at = row if b else grow(memo, row, v)
                state = hands.hand[hands.pair[a, v + 1], _STATE]
                if then < 0:
                    want(memo, at, state)
                else:
                    _want_played(memo, at, state)
                if split >= 0 and v + 1 == a:
                    find_entry(memo, later, split, at)
    later.bounds[stage, 0] = memo.work[CELLS_USED]
    if then >= 0:
        for unseen in range(_LEVELS - 1, -1, -1):
            _expand_level(memo, later, stage, unseen)
    later.bounds[stage, 1] = memo.work[CELLS_USED]


@njit(cache=True, nogil=True, forceinline=True)
def _want_played(memo: Memo, row: int, state: int) -> None:
    """Ask for a hand to be worked out in the stage that is being expanded."""
    wanted = memo.cards[row, STAGE_WANTED]
    if wanted == 0:
        level = _STAGE_LEVELS_AT + memo.cards[row, _LEVEL]
        memo.cards[row, _STAGE_LINK] = memo.work[level]
        memo.work[level] = row
    memo.cards[row, STAGE_WANTED] = wanted | (1 << (state & 31))


@njit(cache=True, nogil=True)
def _expand_level(memo: Memo, later: Later, stage: int, unseen: int) -> None:
    """Enter what can follow the hands of a stage with so many cards unseen."""
    then, stands = later.stage[stage, _THEN], later.stage[stage, _STANDS]
    while memo.work[_STAGE_LEVELS_AT + unseen] >= 0:
        row = memo.work[_STAGE_LEVELS_AT + unseen]
        wanted = np.int64(memo.cards[row, STAGE_WANTED]) & 0xFFFFFFFF
        _enter(memo, later, then, row)
        drawing = wanted & _DRAWING if not stands else 0
        busts = 0
        while drawing:
            state = _lowest(drawing)
            drawing &= drawing - 1
            for v in range(10):
                if chance(memo, row, v) > 0.0:
                    if NEXT_STATE[state, v] < 0:
                        busts |= 1 << v
                    else:
                        _want_played(memo, grow(memo, row, v), NEXT_STATE[state, v])
        for v in range(10):
            if busts >> v & 1:
                _enter(memo, later, then, grow(memo, row, v))
        cell = memo.work[CELLS_USED]
        if cell == later.cells.shape[0]:
            raise MemoryError
        memo.work[CELLS_USED] += 1
        later.cells[cell, 0] = row
        later.cells[cell, 1] = wanted
        memo.cards[row, STAGE_WANTED] = 0
        memo.work[_STAGE_LEVELS_AT + unseen] = memo.cards[row, _STAGE_LINK]


@njit(cache=True, nogil=True)
def _play_stage(memo: Memo, later: Later, stage: int) -> None:
    """Work out the hands of a stage by hitting and standing, those with most cards seen first."""
    then, stands = later.stage[stage, _THEN], later.stage[stage, _STANDS]
    for cell in range(later.bounds[stage, 1] - 1, later.bounds[stage, 0] - 1, -1):
        row, wanted = later.cells[cell, 0], later.cells[cell, 1]
        after = _after(memo, later, then, row)
        while wanted:
            state = _lowest(wanted)
            wanted &= wanted - 1
            value = memo.worth[row, _column(state)] + after
            if not stands and not _is_21(state):
                value = max(value, _hit_played(memo, later, then, row, state))
            memo.worth[row, _PLAYED + state] = value


@njit(cache=True, nogil=True, forceinline=True)
def _hit_played(memo: Memo, later: Later, then: int, row: int, state: int) -> float:
    value = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            after = NEXT_STATE[state, v]
            child = np.int64(memo.cards[row, v])
            if after >= 0:
                value += p * memo.worth[child, _PLAYED + after]
            else:
                value += p * (_after(memo, later, then, child) - 1.0)
    return value


@njit(cache=True, nogil=True)
def _double_played(memo: Memo, later: Later, then: int, row: int, state: int) -> float:
    value = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            after = NEXT_STATE[state, v]
            child = np.int64(memo.cards[row, v])
            won = 2.0 * memo.worth[child, _column(after)] if after >= 0 else -2.0
            value += p * (won + _after(memo, later, then, child))
    return value


@njit(cache=True, nogil=True)
def _entry_value(memo: Memo, hands: Hands, later: Later, stage: int, row: int) -> float:
    """Return C(R, stage); what can follow is worked out already."""
    a, b, then = later.stage[stage, _FIRST], later.stage[stage, _SECOND], later.stage[stage, _THEN]
    stands, doubles = later.stage[stage, _STANDS], later.stage[stage, _DOUBLES]
    pays, split = later.pays[stage], later.stage[stage, _SPLIT]
    total = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if b:
            p = 1.0 if b == v + 1 else 0.0
        if p <= 0.0:
            continue
        at = row if b else grow(memo, row, v)
        state = hands.hand[hands.pair[a, v + 1], _STATE]
        after = _after(memo, later, then, at) if then >= 0 else 0.0
        if state == _SOFT_21 and pays > 0.0:
            value = pays + after
        elif stands:
            value = memo.worth[at, _column(state)] + after
        elif then < 0:
            value = two_cards(memo, at, state, doubles)
        else:
            value = memo.worth[at, _PLAYED + state]
            if doubles and not _is_21(state):
                value = max(value, _double_played(memo, later, then, at, state))
        if split >= 0 and v + 1 == a:
            value = max(value, _look_up(later, split, at))
        total += p * value
    return total


@njit(cache=True, nogil=True)
def decisions(memo: Memo, hands: Hands, later: Later, stage: int, row: int, out: Floats) -> None:
    """Give the value of every play of a hand, by its second card; -inf is not legal.

    ``out[v]`` is for a second card v + 1, also that of a hand that has two cards already. The stage
    has been worked out from this row.
    """
    out.fill(-np.inf)
    a, b, then = later.stage[stage, _FIRST], later.stage[stage, _SECOND], later.stage[stage, _THEN]
    later.head[stage] = find_entry(memo, later, stage, row)  # once more, by itself
    later.entry[later.head[stage], 1] = -1
    memo.work[CELLS_USED] = 0
    _expand(memo, hands, later, stage)
    sweep(memo)
    _play_stage(memo, later, stage)
    later.head[stage] = -1
    for v in range(10):
        if (b and v + 1 != b) or (not b and chance(memo, row, v) <= 0.0):
            continue
        at = row if b else grow(memo, row, v)
        state = hands.hand[hands.pair[a, v + 1], _STATE]
        after = _after(memo, later, then, at) if then >= 0 else 0.0
        out[v, STAND] = memo.worth[at, _column(state)] + after
        if state == _SOFT_21 and later.pays[stage] > 0.0:
            out[v, STAND] = later.pays[stage] + after
        if later.stage[stage, _SPLIT] >= 0 and v + 1 == a:
            out[v, SPLIT] = _look_up(later, later.stage[stage, _SPLIT], at)
        if _is_21(state) or later.stage[stage, _STANDS]:
            continue
        if then < 0:
            out[v, HIT] = hit_value(memo, at, state)
        else:
            out[v, HIT] = _hit_played(memo, later, then, at, state)
        if later.stage[stage, _DOUBLES] and then < 0:
            out[v, DOUBLE] = double_value(memo, at, state)
        elif later.stage[stage, _DOUBLES]:
            out[v, DOUBLE] = _double_played(memo, later, then, at, state)


# --- hands that remember nothing of one another


@njit(cache=True, nogil=True, forceinline=True)
def _lay_children(memo: Memo, hands: Hands, hand: int) -> None:
    for v in range(10):
        child = hands.hand[hand, _GROWN + v]
        if child >= 0 and hands.at[child] < 0 and memo.cards[hands.at[hand], _LEFT + v] > 0:
            hands.at[child] = grow(memo, hands.at[hand], v)


@njit(cache=True, nogil=True)
def start_policy(
    memo: Memo, hands: Hands, row: int, a: int, b: int, doubles: int, out: Small
) -> None:
    """Give the best play, alone and without splitting, of every hand that a, b grows into."""
    begin, end = hands.begin[11 * a + b], hands.begin[11 * a + b + 1]
    for i in range(begin, end):
        hands.at[hands.order[i]] = -1
    hands.at[hands.pair[a, b]] = row
    for i in range(begin, end):
        hand = hands.order[i]
        out[hand] = STAND
        if hands.at[hand] < 0:
            continue
        if hands.hand[hand, _SIZE] > 1:
            out[hand] = _best_play(memo, hands, hands.at[hand], hand, doubles)
        if hands.hand[hand, _SIZE] == 1 or out[hand] == HIT:
            _lay_children(memo, hands, hand)


@njit(cache=True, nogil=True)
def _best_play(memo: Memo, hands: Hands, row: int, hand: int, doubles: int) -> int:
    state = hands.hand[hand, _STATE]
    stand = memo.worth[row, _column(state)]
    best = alone(memo, row, state)
    may_double = doubles and hands.hand[hand, _SIZE] == _TWO
    if may_double and two_cards(memo, row, state, 1) > best + _TIE:
        return DOUBLE
    return HIT if best > stand + _TIE else STAND


@njit(cache=True, nogil=True)
def follow(memo: Memo, hands: Hands, row: int, a: int, b: int, policy: Small, out: Floats) -> None:
    """Give what a hand is worth that is played by *policy*, and how often it doubles.

    ``out[v]`` is for a second card v + 1 of a one-card hand, times its chance; ``out[0]`` is for
    two cards.
    """
    begin, end = hands.begin[11 * a + b], hands.begin[11 * a + b + 1]
    at, worth = hands.at, hands.value
    for i in range(begin, end):
        at[hands.order[i]] = -1
    at[hands.pair[a, b]] = row
    for i in range(begin, end):
        hand = hands.order[i]
        if at[hand] >= 0 and (hands.hand[hand, _SIZE] == 1 or policy[hand] != STAND):
            _lay_children(memo, hands, hand)
    for i in range(end - 1, begin - 1, -1):
        hand = hands.order[i]
        if at[hand] >= 0 and hands.hand[hand, _SIZE] > 1:
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


@njit(cache=True, nogil=True, forceinline=True)
def _followed(memo: Memo, hands: Hands, hand: int, play: int) -> float:
    """Return what a play is worth, the hands it can lead to known."""
    row = hands.at[hand]
    if play == STAND:
        return memo.worth[row, _column(hands.hand[hand, _STATE])]
    value = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            child = hands.hand[hand, _GROWN + v]
            if child < 0:
                value -= p
            elif play == DOUBLE:
                value += p * memo.worth[hands.at[child], _column(hands.hand[child, _STATE])]
            else:
                value += p * hands.value[child]
    return 2.0 * value if play == DOUBLE else value


@njit(cache=True, nogil=True)
def split_values(
    memo: Memo, hands: Hands, row: int, card: int, most: int, policy: Small, out: Floats
) -> None:
    """Give what splitting a pair is worth, for at most 1, 2, ..., *most* splits.

    ``out[n]`` is for n + 1 splits: value, doubled hands and hands, both expected. Every second card
    is a slot; the chance that j given slots hold the card and m others do not is a signed sum of
    the chances Q that j + i given slots hold it, and with those slots known the rest is an ordinary
    deck with j + i more of the card seen.
    """
    known = 2 * most + 1
    reached = np.zeros(known)  # Q
    other = np.zeros((known, 2))  # Q times what a hand is worth whose second card is another
    whole = np.zeros((known, 2))  # Q times what a hand is worth
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
    """Add up the ways the splitting can go, to at most *hands* hands."""
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
    """Return how many splits to allow oneself, with the policy of the hands and what it is worth.

    ``out`` is the value, doubled hands and hands, both expected.
    """
    most = 1 if card == 1 and not rules.resplit_aces else rules.most
    if card == 1:
        policy.fill(STAND)
    else:
        start_policy(memo, hands, row, card, 0, rules.double_after, policy)
    values = np.empty((most, 3))
    split_values(memo, hands, row, card, most, policy, values)
    best = 0
    for n in range(1, most):
        if values[n, 0] > values[best, 0] + _TIE:
            best = n
    for c in range(3):
        out[c] = values[best, c]
    return best + 1


@njit(cache=True, nogil=True)
def none_value(
    memo: Memo, hands: Hands, rules: Splits, row: int, a: int, b: int, out: Floats
) -> None:
    """Give a starting hand's value, doubled hands, splits and blackjacks, all expected."""
    memo, hands = _bare_memo(memo), _bare_hands(hands)
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
    if hands.hand[hand, _STATE] == _SOFT_21:
        out[0] += p * rules.pays
        out[3] += p
        return
    value = two_cards(memo, row, hands.hand[hand, _STATE], 1)
    if a == b and rules.most > 0:
        policy = np.zeros(hands.hand.shape[0], np.int8)
        split = np.empty(3)
        split_choice(memo, hands, rules, row, a, policy, split)
        if split[0] > value + _TIE:
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
    """Give the value of every play of a hand alone; *pair* is the card it may split, or 0."""
    memo, hands = _bare_memo(memo), _bare_hands(hands)
    out.fill(-np.inf)
    out[STAND] = memo.worth[row, _column(state)]
    if not _is_21(state):
        out[HIT] = hit_value(memo, row, state)
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
    """Give how a starting hand is played: the play of every hand it grows into.

    ``out[0]`` is for the hand itself; ``out[1]`` for the hands of a split, which the pair is marked
    for, and ``out[2, 0]`` is how many splits there are at most.
    """
    memo, hands = _bare_memo(memo), _bare_hands(hands)
    out.fill(STAND)
    start_policy(memo, hands, row, a, b, 1, out[0])
    if rules.most == 0 or b not in (0, a):
        return
    at = row if b else grow(memo, row, a - 1)
    if not b and chance(memo, row, a - 1) <= 0.0:
        return
    pair, split = hands.pair[a, a], np.empty(3)
    most = split_choice(memo, hands, rules, at, a, out[1], split)
    if split[0] > two_cards(memo, at, hands.hand[pair, _STATE], 1) + _TIE:
        out[0, pair] = SPLIT
        out[2, 0] = most
