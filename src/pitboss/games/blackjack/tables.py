"""The rules of blackjack as tables for the kernels; see kernels/layout.py."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from pitboss.core.cards import BLACKJACK, DECK
from pitboss.core.twenty_one import DEALER_STANDS, INSURANCE_PAYS, Soft17
from pitboss.games.blackjack.kernels import layout
from pitboss.games.blackjack.rules import DoubleOn, HoleCard, Outcome, Rules, SurrenderRule
from pitboss.games.blackjack.side_bets import (
    LuckyLadies,
    PerfectPairs,
    PlusThree,
    lucky_ladies,
    perfect_pairs,
    plus_three,
)
from pitboss.simulator.jobs import CARDS, UNIT
from pitboss.solver.tables import VALUES, best_total, hands, hands_of_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

OUTCOMES = (
    Outcome.BLACKJACK,
    Outcome.SURRENDER,
    Outcome.BUST,
    Outcome.DEALER_BLACKJACK,
    Outcome.DEALER_BUST,
    Outcome.HIGHER_TOTAL,
    Outcome.LOWER_TOTAL,
    Outcome.PUSH,
    Outcome.RUN_OUT,
    Outcome.BET_RETURNED,
)
"""The outcomes of hands, in the kernel's order."""

WINS = {
    Outcome.DEALER_BUST: 1,
    Outcome.HIGHER_TOTAL: 1,
    Outcome.BUST: -1,
    Outcome.DEALER_BLACKJACK: -1,
    Outcome.LOWER_TOTAL: -1,
}
"""The units that a hand with one unit wins; the other outcomes push or are priced by the rules."""

PAIRS = (*PerfectPairs, None)
THREES = (*PlusThree, None)
LADIES = (*LuckyLadies, None)
"""The classes of the side bets, in the kernel's order."""


# --- hands


@cache
def grown(decks: int, double: DoubleOn) -> NDArray[np.int16]:
    """Return how hands grow, their totals, and which two-card totals may double (rule 8a)."""
    known = hands(decks)
    table = np.zeros((len(known.state) + 1, layout.GROWN), np.int16)
    table[:-1, :10] = known.child
    table[-1, :10] = [known.pair[v, 0] for v in VALUES]
    for number, cards in enumerate(hands_of_values(decks)):
        total, soft = best_total(cards)
        table[number, layout.TOTAL] = total
        table[number, layout.DOUBLES] = not double.totals or (not soft and total in double.totals)
    return table


@cache
def dealer(soft_17: Soft17) -> NDArray[np.uint8]:
    """Return the dealer's states: how each hand grows until it stands or is bust (rule 9)."""
    states: dict[tuple[int, ...], int] = {(v,): layout.DRAWS + v - 1 for v in VALUES}
    kinds: dict[tuple[int, bool], int] = {}
    rows: dict[int, list[int]] = {}
    waiting = [*states]
    while waiting:
        held = waiting.pop(0)
        row = []
        for v in VALUES:
            cards = (*held, v)
            kind = best_total(cards)
            final = _final(cards, soft_17)
            if final is None and kind not in kinds:
                kinds[kind] = states[cards] = layout.DRAWS + len(VALUES) + len(kinds)
                waiting.append(cards)
            row.append(kinds[kind] if final is None else final)
        rows[states[held]] = row
    table = np.zeros((layout.DRAWS + len(rows), len(VALUES)), np.uint8)
    for state, row in rows.items():
        table[state] = row
    return table


def _final(cards: tuple[int, ...], soft_17: Soft17) -> int | None:
    """Return the final state of a dealer's hand, or None if the dealer draws."""
    total, soft = best_total(cards)
    if total > BLACKJACK:
        return layout.DEALER_BUST
    hits = total == DEALER_STANDS and soft and soft_17 is Soft17.HIT
    if total < DEALER_STANDS or hits:
        return None
    if total == BLACKJACK and len(cards) == 2:  # noqa: PLR2004  rule 5
        return layout.NATURAL
    return total - DEALER_STANDS


# --- settlement


@cache
def settled(hole_card: HoleCard) -> NDArray[np.uint8]:
    """Return the outcome of each hand, by the dealer's final state and the hand's place."""
    table = np.zeros((layout.STATES, layout.PLACES, layout.ENDS), np.uint8)
    for state, place, end in product(*map(range, table.shape)):
        table[state, place, end] = OUTCOMES.index(_outcome(state, place, end, hole_card))
    return table.reshape(-1)


def _outcome(state: int, place: int, end: int, hole_card: HoleCard) -> Outcome:
    natural, only = state == layout.NATURAL, hole_card is HoleCard.ORIGINAL_BETS_ONLY
    if end == layout.BLACKJACK:
        return Outcome.PUSH if natural else Outcome.BLACKJACK  # rule 5
    if end == layout.BUST and not (natural and only and place != layout.ALONE):
        return Outcome.BUST
    if natural:  # rule 6, R-4
        later = only and place == layout.LATER
        return Outcome.BET_RETURNED if later else Outcome.DEALER_BLACKJACK
    if end == layout.SURRENDERED:
        return Outcome.SURRENDER
    if state == layout.RAN_OUT:  # rule 11
        return Outcome.RUN_OUT
    if state == layout.DEALER_BUST:
        return Outcome.DEALER_BUST
    theirs = DEALER_STANDS + state
    if end == theirs:
        return Outcome.PUSH
    return Outcome.HIGHER_TOTAL if end > theirs else Outcome.LOWER_TOTAL


@cache
def units(hole_card: HoleCard) -> NDArray[np.int8]:
    """Return the units that an outcome wins, without and with a double."""
    table = np.array([[WINS.get(o, 0), 2 * WINS.get(o, 0)] for o in OUTCOMES], np.int8)
    if hole_card is HoleCard.ORIGINAL_BETS_ONLY:
        table[OUTCOMES.index(Outcome.DEALER_BLACKJACK), 1] = -1
    return table


# --- side bets


@cache
def twos() -> NDArray[np.uint8]:
    """Return the classes of Perfect Pairs and Lucky Ladies for every two cards."""
    step = layout.PLUS_THREE * layout.LADIES
    found = [
        step * PAIRS.index(perfect_pairs(two))
        + LADIES.index(lucky_ladies(two, dealer_blackjack=False))
        for two in product(CARDS, repeat=2)
    ]
    return np.array(found, np.uint8)


@cache
def threes() -> NDArray[np.uint8]:
    """Return the class of 21+3 for every three ranks, of several suits and of one suit."""
    found = []
    for ranks in product(range(layout.RANKS), repeat=3):
        for suits in ((0, 0, 1), (0, 0, 0)):
            cards = tuple(CARDS[4 * r + s] for r, s in zip(ranks, suits, strict=True))
            found.append(layout.LADIES * THREES.index(plus_three(cards)))
    return np.array(found, np.uint8)


# --- options


def options_of(rules: Rules) -> NDArray[np.int64]:
    """Return the kernel's options for *rules*, for one seat that plays by tables."""
    found = np.zeros(layout.OPTIONS, np.int64)
    found[layout.SEATS] = 1
    found[layout.SIZE] = rules.decks * len(DECK)
    found[layout.PER_WORD] = 4 if rules.decks == 1 else 2
    found[layout.PEEKS] = rules.hole_card is HoleCard.PEEK
    found[layout.INSURES] = rules.insurance
    found[layout.MAX_SPLITS] = rules.max_splits
    found[layout.RESPLITS_ACES] = rules.resplit_aces
    found[layout.HITS_ACES] = rules.hit_split_aces
    found[layout.DOUBLES_SPLITS] = rules.double_after_split
    found[layout.SURRENDERS] = rules.surrender is SurrenderRule.LATE
    return found


def ahead_of(seats: int) -> int:
    """Return how many cards to deal to many rounds at a time; few rounds need more."""
    return 4 * -(-(3 * seats + 6) // 4)


# --- prices, in cents for one unit


def main_nets(rules: Rules) -> list[int]:
    """Return the net result of each result of the Main bet."""
    wins = units(rules.hole_card)
    found = [UNIT * int(n) for n in wins.reshape(-1)]
    blackjack = rules.rounding.net(rules.blackjack_pays, UNIT)
    found[2 * OUTCOMES.index(Outcome.BLACKJACK)] = blackjack
    found[2 * OUTCOMES.index(Outcome.SURRENDER)] = surrender_net(rules)
    return found + [UNIT * n for n in range(-layout.MOST, layout.MOST + 1)]


def surrender_net(rules: Rules) -> int:
    """Return the net result of a hand that is given up: half of the bet, rounded (rule 8e)."""
    return min(UNIT, rules.rounding.of(Fraction(UNIT, 2))) - UNIT


def insurance_nets(rules: Rules) -> list[int]:
    """Return the net result of no insurance, a lost one and a won one."""
    return [0, -UNIT // 2, rules.rounding.net(INSURANCE_PAYS, UNIT // 2)]


def side_nets(rules: Rules) -> tuple[list[int], list[int], list[int]]:
    """Return the net result of each class of the three side bets."""
    return (
        [rules.rounding.net(rules.perfect_pairs_paytable.odds(c), UNIT) for c in PAIRS],
        [rules.rounding.net(rules.plus_three_paytable.odds(c), UNIT) for c in THREES],
        [rules.rounding.net(rules.lucky_ladies_paytable.odds(c), UNIT) for c in LADIES],
    )
