"""Exact values of several hands; each hand sees the cards that the earlier hands drew."""

import numpy as np
from numba import njit

from pitboss.solver.kernels.hand_values import (
    NEXT_STATE,
    chance,
    double_value,
    grow,
    hit_value,
    is_21,
    key_of,
    lowest,
    may_double,
    row_slot,
    stand_column,
    sweep,
    two_cards,
    want,
)
from pitboss.solver.kernels.memos import (
    CELLS_USED,
    DOUBLE,
    DOUBLES,
    DRAWING,
    ENTRIES_USED,
    FIRST,
    HIT,
    LEVEL,
    LEVELS,
    PLAIN,
    PLAYED,
    ROWS_USED,
    SECOND,
    SOFT_21,
    SPLIT,
    SPLIT_TO,
    STAGE_AT,
    STAGE_LEVELS_AT,
    STAGE_LINK,
    STAGE_WANTED,
    STAGES,
    STAND,
    STANDS_AT_TWO,
    STATE,
    THEN,
    Floats,
    Hands,
    Later,
    Memo,
    bare_hands,
    bare_later,
    bare_memo,
)


@njit(cache=True, nogil=True)
def find_entry(memo: Memo, later: Later, stage: int, row: int) -> int:
    """Return the entry of C(R, stage); a new entry joins its stage's list."""
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
    """Add an entry for C(R, stage)."""
    if later.stage[stage, PLAIN]:
        want(memo, row, later.stage[stage, PLAIN])
    else:
        find_entry(memo, later, stage, row)


@njit(cache=True, nogil=True, forceinline=True)
def _after(memo: Memo, later: Later, stage: int, row: int) -> float:
    """Return C(R, stage), which has an entry; the last value of each row is cached."""
    state = later.stage[stage, PLAIN]
    if state:
        return two_cards(memo, row, state, 1)
    if memo.worth[row, STAGE_AT] != stage:
        memo.worth[row, STAGE_AT + 1] = _look_up(later, stage, row)
        memo.worth[row, STAGE_AT] = stage
    return memo.worth[row, STAGE_AT + 1]


@njit(cache=True, nogil=True, inline="always")
def _look_up(later: Later, stage: int, row: int) -> float:
    """Return C(R, stage), which is already computed."""
    mask = later.slots.shape[0] - 1
    entry = row * STAGES + stage
    slot = _entry_slot(entry, mask)
    while later.entry[later.slots[slot], 0] != entry:
        slot = (slot + 1) & mask
    return later.value[later.slots[slot]]


@njit(cache=True, nogil=True)
def place_again(memo: Memo, later: Later) -> None:
    """Rehash all rows and entries into larger tables."""
    mask = memo.slots.shape[0] - 1
    for row in range(memo.work[ROWS_USED]):
        slot = row_slot(key_of(memo, row), mask)
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
    """Add entries for everything that can follow, then compute all values, last hands first.

    The stages that a stage leads to have lower numbers. The lists of stages are empty afterwards.
    """
    memo, hands, later = bare_memo(memo), bare_hands(hands), bare_later(later)
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
    """Add entries for everything that can follow each entry of a stage."""
    a, b, then = later.stage[stage, FIRST], later.stage[stage, SECOND], later.stage[stage, THEN]
    split = later.stage[stage, SPLIT_TO]
    entry = later.head[stage]
    while entry >= 0:
        row = later.entry[entry, 0] // STAGES
        entry = later.entry[entry, 1]
        for v in range(10):
            if (b == v + 1) or (not b and chance(memo, row, v) > 0.0):
                at = row if b else grow(memo, row, v)
                state = hands.hand[hands.pair[a, v + 1], STATE]
                if then < 0:
                    want(memo, at, state)
                else:
                    _want_played(memo, at, state)
                if split >= 0 and v + 1 == a:
                    find_entry(memo, later, split, at)
    later.bounds[stage, 0] = memo.work[CELLS_USED]
    if then >= 0:
        for level in range(LEVELS):
            _expand_level(memo, later, stage, level)
    later.bounds[stage, 1] = memo.work[CELLS_USED]


@njit(cache=True, nogil=True, forceinline=True)
def _want_played(memo: Memo, row: int, state: int) -> None:
    """Mark a hand to be computed in the stage that is being expanded."""
    wanted = memo.cards[row, STAGE_WANTED]
    if wanted == 0:
        level = STAGE_LEVELS_AT + memo.cards[row, LEVEL]
        memo.cards[row, STAGE_LINK] = memo.work[level]
        memo.work[level] = row
    memo.cards[row, STAGE_WANTED] = wanted | (1 << (state & 31))


@njit(cache=True, nogil=True)
def _expand_level(memo: Memo, later: Later, stage: int, level: int) -> None:
    """Add entries for everything that can follow the hands with *level* cards seen."""
    then, stands = later.stage[stage, THEN], later.stage[stage, STANDS_AT_TWO]
    while memo.work[STAGE_LEVELS_AT + level] >= 0:
        row = memo.work[STAGE_LEVELS_AT + level]
        wanted = np.int64(memo.cards[row, STAGE_WANTED]) & 0xFFFFFFFF
        _enter(memo, later, then, row)
        drawing = wanted & DRAWING if not stands else 0
        busts = 0
        while drawing:
            state = lowest(drawing)
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
        memo.work[STAGE_LEVELS_AT + level] = memo.cards[row, STAGE_LINK]


@njit(cache=True, nogil=True)
def _play_stage(memo: Memo, later: Later, stage: int) -> None:
    """Compute the hands of a stage by hitting and standing, those with most cards seen first."""
    then, stands = later.stage[stage, THEN], later.stage[stage, STANDS_AT_TWO]
    for cell in range(later.bounds[stage, 1] - 1, later.bounds[stage, 0] - 1, -1):
        row, wanted = later.cells[cell, 0], later.cells[cell, 1]
        after = _after(memo, later, then, row)
        while wanted:
            state = lowest(wanted)
            wanted &= wanted - 1
            value = memo.worth[row, stand_column(state)] + after
            if not stands and not is_21(state):
                value = max(value, _hit_played(memo, later, then, row, state))
            memo.worth[row, PLAYED + state] = value


@njit(cache=True, nogil=True, forceinline=True)
def _hit_played(memo: Memo, later: Later, then: int, row: int, state: int) -> float:
    value = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if p > 0.0:
            after = NEXT_STATE[state, v]
            child = np.int64(memo.cards[row, v])
            if after >= 0:
                value += p * memo.worth[child, PLAYED + after]
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
            won = 2.0 * memo.worth[child, stand_column(after)] if after >= 0 else -2.0
            value += p * (won + _after(memo, later, then, child))
    return value


@njit(cache=True, nogil=True)
def _entry_value(memo: Memo, hands: Hands, later: Later, stage: int, row: int) -> float:
    """Return C(R, stage); everything that can follow is already computed."""
    a, b, then = later.stage[stage, FIRST], later.stage[stage, SECOND], later.stage[stage, THEN]
    stands, doubles = later.stage[stage, STANDS_AT_TWO], later.stage[stage, DOUBLES]
    pays, split = later.pays[stage], later.stage[stage, SPLIT_TO]
    total = 0.0
    for v in range(10):
        p = chance(memo, row, v)
        if b:
            p = 1.0 if b == v + 1 else 0.0
        if p <= 0.0:
            continue
        at = row if b else grow(memo, row, v)
        state = hands.hand[hands.pair[a, v + 1], STATE]
        after = _after(memo, later, then, at) if then >= 0 else 0.0
        if state == SOFT_21 and pays > 0.0:
            value = pays + after
        elif stands:
            value = memo.worth[at, stand_column(state)] + after
        elif then < 0:
            value = two_cards(memo, at, state, doubles)
        else:
            value = memo.worth[at, PLAYED + state]
            if doubles and may_double(memo, state):
                value = max(value, _double_played(memo, later, then, at, state))
        if split >= 0 and v + 1 == a:
            value = max(value, _look_up(later, split, at))
        total += p * value
    return total


@njit(cache=True, nogil=True)
def decisions(memo: Memo, hands: Hands, later: Later, stage: int, row: int, out: Floats) -> None:
    """Write the value of every play of a hand, by its second card; -inf for an illegal play.

    ``out[v]`` is for a second card v + 1, even if the hand already has two cards. The stage must
    have been computed from this row.
    """
    out.fill(-np.inf)
    a, b, then = later.stage[stage, FIRST], later.stage[stage, SECOND], later.stage[stage, THEN]
    later.head[stage] = find_entry(memo, later, stage, row)  # the list now has this entry only
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
        state = hands.hand[hands.pair[a, v + 1], STATE]
        after = _after(memo, later, then, at) if then >= 0 else 0.0
        out[v, STAND] = memo.worth[at, stand_column(state)] + after
        if state == SOFT_21 and later.pays[stage] > 0.0:
            out[v, STAND] = later.pays[stage] + after
        if later.stage[stage, SPLIT_TO] >= 0 and v + 1 == a:
            out[v, SPLIT] = _look_up(later, later.stage[stage, SPLIT_TO], at)
        if is_21(state) or later.stage[stage, STANDS_AT_TWO]:
            continue
        if then < 0:
            out[v, HIT] = hit_value(memo, at, state)
        else:
            out[v, HIT] = _hit_played(memo, later, then, at, state)
        doubles = later.stage[stage, DOUBLES] and may_double(memo, state)
        if doubles and then < 0:
            out[v, DOUBLE] = double_value(memo, at, state)
        elif doubles:
            out[v, DOUBLE] = _double_played(memo, later, then, at, state)
