"""Published values of ordinary single-deck blackjack (arXiv 1909.13710), and how they were played.

The values and the fixed strategy are facts from that paper; the strategy is in the file's header.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pitboss.solver.kernels.memos import DOUBLE, HIT, STAND
from pitboss.solver.tables import Plays, Values, best_total, hands_of_values

if TYPE_CHECKING:
    from pitboss.solver.engine import Engine

FILE = Path(__file__).parent / "figures" / "nairn-single-deck.csv"
NONE, ANY, TEN_ELEVEN = range(3)
"""Doubling after a split: not at all, on any two cards, on 10 and 11 only."""


class Line(NamedTuple):
    """One line of the file: S stand, H hit, D double by second card, P split by rules."""

    rule: str
    up: int
    kind: str
    card: int
    values: tuple[float, ...]


@cache
def lines() -> tuple[Line, ...]:
    rows = [row.split(",") for row in FILE.read_text("utf-8").splitlines() if row[0] != "#"]
    return tuple(
        Line(rule, int(up), kind, int(card), tuple(map(float, values)))
        for rule, up, kind, card, *values in rows
    )


def stands(cards: Values, up: int, *, s17: bool) -> bool:
    """Return whether the fixed strategy stands on a hand that it does not double."""
    total, soft = best_total(cards)
    if soft:
        return total > (17 if 2 <= up <= 8 or (up == 1 and s17) else 18)
    two = tuple(sorted(cards)) if len(cards) == 2 else ()
    if up in (2, 3):
        if up == 3 and two in ((4, 8), (5, 7), (6, 6)):
            return True
        return total > 12 and not (up == 2 and two == (3, 10) and s17)
    if up in (4, 5, 6):
        return total > 11 and not (two == (2, 10) and (up == 4 or (up == 6 and s17)))
    if up == 10 and (two == (7, 7) or (total == 16 and len(cards) > 2)):
        return True
    return total > 16


def doubles(cards: Values, up: int, *, s17: bool) -> bool:
    """Return whether the fixed strategy doubles two cards if it may."""
    if len(cards) != 2:
        return False
    total, soft = best_total(cards)
    if soft:
        low, high = {2: (17, 17), 3: (17, 18), 4: (13, 18), 5: (13, 18), 6: (13, 19)}.get(
            up, (0, 0)
        )
        return low <= total <= high
    if up in (5, 6) and sorted(cards) == [2, 6]:
        return up == 5 and not s17
    least = {2: 9, 3: 9, 4: 9, 5: 8, 6: 8, 7: 10, 8: 10, 9: 10}.get(up, 11)
    return least <= total <= 11


@cache
def plays(up: int, doubling: int, *, s17: bool) -> Plays:
    """Return the fixed strategy for split hands, by hand of values."""
    found = []
    for cards in hands_of_values():
        may = doubling == ANY or (
            doubling == TEN_ELEVEN and best_total(cards) in ((10, False), (11, False))
        )
        if may and doubles(cards, up, s17=s17):
            found.append(DOUBLE)
        else:
            found.append(STAND if stands(cards, up, s17=s17) else HIT)
    return np.array(found, np.int8)


def splitting(engine: Engine, card: int, *, s17: bool) -> list[float]:
    """Return the nine values of a line: at most 2, 3 or 4 hands, for each doubling rule."""
    if card == 1:  # one card to each ace, the further aces split as well
        always = np.zeros_like(plays(engine.up, NONE, s17=s17))
        columns = [engine.split((1, 1), 1, always, 3)] * 3
    else:
        columns = [
            engine.split((card, card), card, plays(engine.up, d, s17=s17), 3)
            for d in (NONE, ANY, TEN_ELEVEN)
        ]
    return [columns[doubling][most] for most in range(3) for doubling in range(3)]
