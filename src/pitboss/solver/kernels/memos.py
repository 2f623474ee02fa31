"""The arrays of the solver's kernels: their columns, and the values computed so far.

The unseen cards are exchangeable, so they are not assigned to the burn card, the hole card or the
stub. Only the set R of seen cards matters, and each R has a row here. docs/solver.md describes the
method and defines the symbols. Values go from 0 (ace) to 9 (ten) here.

Compiled code copies every array's header at each call, so the innermost functions take at most six
arrays, and the small functions are inlined.
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
TWENTY_ONE, SOFT_21 = 21, 31
SOFT_BY = 10  # the state of a soft total is the total plus this
TWO = 2  # the number of cards of a hand that may double
TIE = 1e-12  # closer values count as equal: stand then precedes hit, double and split
BUST = 5  # the dealer's outcomes are 17, 18, 19, 20, 21, bust, blackjack


DRAWING = (1 << STATES) - 1 & ~(1 << TWENTY_ONE | 1 << SOFT_21)  # states that may draw, as bits


class Memo(NamedTuple):
    """The values computed for one up card and deck: a row for each set R of seen cards."""

    barred: int  # the value that a peek rules out for the hole card; -1 if none
    run_out: float  # the result of a hand in action if the dealer has no card to draw
    doubling: int  # the states of two cards that may double, as bits
    work: Ints  # see the indices below
    cards: Rows  # by row: see the columns below
    worth: Floats  # by row: see the columns below
    slots: Rows  # the hash table of the rows: open addressing on the key
    branch: Rows  # the dealer's tree: see the columns below
    ways: Floats  # the orders in which a branch's cards can come, and scratch for its product


ROWS_USED, ENTRIES_USED, CELLS_USED = range(3)  # the indices of work: the used parts of arrays,
LOWEST, HIGHEST = 3, 4  # the fewest and the most cards seen of the rows to compute,
DECK_AT, WEIGHTS_AT = 5, 15  # the cards of each value in the deck, and their weights in a key,
LEVELS_AT = 25  # the first row to compute by cards seen,
LEVELS = 8 * 52 + 1
STAGE_LEVELS_AT = LEVELS_AT + LEVELS  # and the same for the stage that is being played
WORK = STAGE_LEVELS_AT + LEVELS
LEFT = 10  # the columns of cards: the rows with one more card, the unseen cards of each value,
KEY, LEVEL = 20, 21  # the low bits of the number of the set, the number of cards seen,
WANTED, LINK = 22, 23  # the states to compute as bits, the next row with equally many cards,
STAGE_WANTED, STAGE_LINK = 24, 25  # the same two for the stage that is being played,
KEY_HIGH = 26  # and the high bits of the number of the set
CARDS = 27
KEY_BITS = 31  # the low bits of a key
DOUBLING = STATES  # the columns of worth: best alone by state, best if two cards may double,
STAND_AT = 2 * STATES  # standing by total (16 or less, 17, ..., 21),
ODDS = STAND_AT + 6  # the chance per unseen card of a value that is barred or not,
STAGE_AT = ODDS + 2  # the stage last looked up for the row, and its value,
PLAYED = STAGE_AT + 2  # and by state for the stage that is being played
WORTH = PLAYED + STATES
PARENT, VALUE, TAKEN, DEPTH, SKIP, OUTCOME = range(6)  # the columns of branch


class Hands(NamedTuple):
    """Every hand of values that is not bust, smallest first; a hand grows into later hands."""

    hand: Ints  # state, size, and the hands with one more card: -1 if bust or not in a deck
    pair: Ints  # the hand of one card (a, 0) or two (a, b), counted from 1
    order: Ints  # the hands that one or two cards can grow into, concatenated for all starts
    begin: Ints  # the index at which each start begins: cards a, b at 11 a + b
    at: Ints  # scratch: the row of each hand
    value: Floats  # scratch: the value of each hand


STATE, SIZE, GROWN = range(3)  # the columns of hand


class Later(NamedTuple):
    """Hands still to be played: an entry for each row and stage, and the stages.

    A stage is one hand, with the stage that follows it and the stage that a split leads to.
    """

    entry: Ints  # row and stage as one number, the next entry of the same stage
    slots: Rows  # the hash table of the entries: open addressing on that number
    head: Rows  # the first entry of each stage
    value: Floats  # C(R, stage)
    cells: Ints  # by stage: the rows of its hands, and their states as bits
    bounds: Ints  # by stage: its first cell, and the cell after its last one
    stage: Ints  # see the columns below
    pays: Floats  # by stage: the payout of a blackjack of this hand, 0 if 21 is not a blackjack


STAGES = 1 << 14  # stages are numbered below this
FIRST, SECOND, THEN, SPLIT_TO, DOUBLES, STANDS_AT_TWO, PLAIN = range(7)
"""The columns of stage: the hand's two cards (second 0: it is dealt now), the stage after this hand
(-1: it is the last), the stage that a split leads to (-1: none), whether it may double, and whether
it stands on its second card, as split aces do. The last column is the state of a last hand of two
cards that may double but neither split nor pay as a blackjack (0: any other hand). Such a hand
needs no entry, because its row has the value."""


class Splits(NamedTuple):
    """The split settings for hands that are played independently."""

    most: int
    double_after: int
    resplit_aces: int
    hit_aces: int
    pays: float


# --- arrays without reference counting, which would cost more than the arithmetic


@njit(cache=True, nogil=True)
def bare_memo(m: Memo) -> Memo:
    return Memo(
        m.barred,
        m.run_out,
        m.doubling,
        bare(m.work),
        bare(m.cards),
        bare(m.worth),
        bare(m.slots),
        bare(m.branch),
        bare(m.ways),
    )


@njit(cache=True, nogil=True)
def bare_hands(h: Hands) -> Hands:
    return Hands(
        bare(h.hand),
        bare(h.pair),
        bare(h.order),
        bare(h.begin),
        bare(h.at),
        bare(h.value),
    )


@njit(cache=True, nogil=True)
def bare_later(x: Later) -> Later:
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
