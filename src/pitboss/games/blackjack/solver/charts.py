"""Total-dependent strategies: their exact values, and the best one.

A chart has a code for every hard total, soft total and pair, by up card. Its value is exact: every
start is played to the end by the chart, and pairs are split as often as the rules allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from pitboss.core.twenty_one import TWO
from pitboss.games.blackjack.rules import SurrenderRule
from pitboss.games.blackjack.solver.starts import is_blackjack
from pitboss.solver.engine import PLAYS, Expected, Policy
from pitboss.solver.kernels.memos import DOUBLE, SPLIT, STAND, TIE
from pitboss.solver.tables import (
    ACE,
    BLACKJACK,
    STATES,
    VALUES,
    Values,
    best_total,
    hands,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pitboss.games.blackjack.solver.starts import Solver
    from pitboss.solver.tables import Floats, Plays

FIRST = MappingProxyType(
    {
        "S": "stand",
        "H": "hit",
        "Dh": "double",
        "Ds": "double",
        "P": "split",
        "Rh": "surrender",
        "Rs": "surrender",
        "Rp": "surrender",
    }
)
"""The codes of a cell with the play of the first two cards."""

LATER = MappingProxyType(
    {"S": "stand", "H": "hit", "Dh": "hit", "Ds": "stand", "Rh": "hit", "Rs": "stand"}
)
"""The codes with the play if a hand may not double or surrender."""


class Row(NamedTuple):
    """A row of a chart: ``hard`` or ``soft`` and a total, or ``pair`` and a card."""

    kind: str
    number: int

    @property
    def state(self) -> int:
        """The state of a hard or soft total."""
        return state_of(self.number, soft=self.kind == "soft")


HARD = tuple(Row("hard", total) for total in range(4, BLACKJACK))
SOFT = tuple(Row("soft", total) for total in range(12, BLACKJACK))
PAIRS = tuple(Row("pair", card) for card in VALUES)
ROWS = HARD + SOFT + PAIRS

SEARCH_ORDER = (*HARD[:7:-1], *SOFT[::-1], *HARD[7::-1], *PAIRS)
"""The rows such that a hand grows into rows that come before its own."""

SPLITS = ("P", "Rp")
AS_TOTAL = ""  # a pair that is played like its total, while the best chart is searched
SURE_HIT = 11  # a hard total up to this cannot bust
HIGHEST_HIT = 17  # no hard total above this is hit or surrendered

Codes: TypeAlias = dict[Row, str]


@dataclass(frozen=True)
class Chart:
    """A total-dependent strategy: a code for every row of :data:`ROWS`, by up card.

    ``Dh`` and ``Ds`` double, or else hit or stand. ``Rh``, ``Rs`` and ``Rp`` surrender, or else
    hit, stand or split. The row of a pair is for the first two cards. A pair in a split hand is
    split again if the code of its row is ``P`` or ``Rp``; otherwise it is played like its total.
    """

    codes: Mapping[int, Codes]

    def expected(self, solver: Solver) -> Expected:
        """Return the exact results of a round played by this chart, without insurance."""
        found = Expected(0.0)
        for up, codes in self.codes.items():
            chance = solver.deck[up - 1] / sum(solver.deck)
            found += Column(solver, up).expected(codes).times(chance)
        return found

    def policy(self, solver: Solver, up: int, own: Sequence[int]) -> Policy:
        """Return the plays of a start, by hand of values."""
        return Column(solver, up).policy(self.codes[up], tuple(sorted(own)))


def best_chart(solver: Solver, progress: Callable[[float], object] = lambda _: None) -> Chart:
    """Return total-dependent basic strategy: no change of one cell makes it better."""
    codes = {}
    ups = [up for up in VALUES if solver.deck[up - 1]]
    for done, up in enumerate(ups, 1):
        codes[up] = Column(solver, up).best_codes()
        solver.forget(up)
        progress(done / len(ups))
    return Chart(codes)


class ChartPlays(NamedTuple):
    """A column of a chart for the kernels: plays by hand of values, and starts to surrender."""

    start: Plays  # with SPLIT for a pair that is split
    split: Plays  # the same for the hands of a split
    surrenders: frozenset[Values]


class Column:
    """The starts against one up card, played by the codes of a chart."""

    def __init__(self, solver: Solver, up: int) -> None:
        self.solver, self.up = solver, up
        self.engine = solver.engine(up)
        self.starts = solver.starts(up)
        self._hands = hands(self.engine.decks)
        self._splits = solver.play.max_splits > 0
        self._surrenders = solver.rules.surrender is SurrenderRule.LATE
        self._known: dict[tuple[int, bytes], Expected] = {}

    # --- from codes to plays

    def plays(self, codes: Codes) -> ChartPlays:
        """Return the plays of every hand."""
        table = self._hands
        first, later = np.zeros((2, STATES), np.int8)
        for row in HARD + SOFT:
            later[row.state] = PLAYS.index(LATER[codes[row]])
            first[row.state] = self._first(codes[row], row)
        start = np.where(table.size == TWO, first[table.state], later[table.state])
        split = start.copy() if self.solver.play.double_after_split else later[table.state]
        surrenders = []
        for own, _ in self.starts:
            code = self._code(codes, own)
            if self._surrenders and FIRST[code] == "surrender":
                surrenders.append(own)
            if own[0] == own[1]:
                start[table.pair[own]] = SPLIT if code in SPLITS else self._first(code, _row(own))
        return ChartPlays(start, split, frozenset(surrenders))

    def _first(self, code: str, row: Row) -> int:
        """Return the play of two cards that may neither split nor surrender."""
        doubles = FIRST[code] == "double" and self.engine.may_double(row.state)
        return DOUBLE if doubles else PLAYS.index(LATER[code])

    def _code(self, codes: Codes, own: Values) -> str:
        """Return the code of a start: of its pair, or else of its total."""
        row = _row(own)
        if row.number == BLACKJACK:
            return "S"
        code = codes[Row("pair", own[0])] if own[0] == own[1] else codes[row]
        cannot_split = code in SPLITS and not self._splits
        return codes[row] if cannot_split or code == AS_TOTAL else code

    def policy(self, codes: Codes, own: Values) -> Policy:
        """Return the plays of a start, by hand of values."""
        plays = self.plays(codes)
        is_split = plays.start[self._hands.pair[own]] == SPLIT
        most = self.solver.split_limit(own[0]) if is_split else 0
        split = self._of_split(own[0], plays)
        return Policy(plays.start, split, most, self.engine.decks, own in plays.surrenders)

    def _of_split(self, card: int, plays: ChartPlays) -> Plays:
        """Return the plays of the hands of a split; aces that may not be hit stand."""
        stands = card == ACE and not self.solver.play.hit_split_aces
        return np.full_like(plays.split, STAND) if stands else plays.split

    # --- values

    def expected(self, codes: Codes) -> Expected:
        """Return the exact results of a round against this up card."""
        plays = self.plays(codes)
        values = self.engine.follow_all(plays.start)
        found = Expected(0.0)
        for own, chance in self.starts:
            found += self._start(own, plays, values).times(chance)
        return found

    def _start(self, own: Values, plays: ChartPlays, values: Floats) -> Expected:
        solver, number = self.solver, self._hands.pair[own]
        blackjack = solver.dealer_blackjack(self.up, own)
        if is_blackjack(own):
            return Expected((1 - blackjack) * solver.play.pays, blackjacks=1.0)
        if own in plays.surrenders:
            result = Expected(solver.surrender_value(blackjack), surrenders=1.0)
        elif plays.start[number] == SPLIT:
            result = self._split(own[0], plays)
        else:
            result = Expected(float(values[number]), float(plays.start[number] == DOUBLE))
        return solver.with_dealer_blackjack(result, blackjack)

    def _split(self, card: int, plays: ChartPlays) -> Expected:
        """Return the results of a pair that is split as often as the rules allow."""
        split = self._of_split(card, plays)
        key = card, split.tobytes()
        if key not in self._known:
            most = self.solver.split_limit(card)
            self._known[key] = self.engine.expected_splits((card, card), card, split, most)[-1]
        return self._known[key]

    # --- the best codes

    def best_codes(self) -> Codes:
        """Return codes that no change of one cell makes better, found by changing cell by cell."""
        codes = self._first_guess()
        value = self.expected(codes).value
        changed = True
        while changed:
            changed = False
            for row in SEARCH_ORDER:
                for code in self._choices(row):
                    tried = codes | {row: code}
                    gained = self.expected(tried).value if code != codes[row] else value
                    if gained > value + TIE:
                        codes, value, changed = tried, gained, True
        return codes | {row: self._pair_code(row, codes) for row in PAIRS}

    def _pair_code(self, row: Row, codes: Codes) -> str:
        """Return the code of a pair, with the play to choose if it may not surrender."""
        total = codes[_row((row.number, row.number))]
        code = total if codes[row] == AS_TOTAL else codes[row]
        if FIRST[code] != "surrender":
            return code
        later = LATER[total][0].upper()
        played, split = (self.expected(codes | {row: c}).value for c in (later, "P"))
        return "Rp" if self._splits and split > played + TIE else f"R{later.lower()}"

    def _first_guess(self) -> Codes:
        low = SURE_HIT if 2 <= self.up <= 6 else 16  # noqa: PLR2004  the highest hard total to hit
        codes = {row: "H" if row.number <= low else "S" for row in HARD}
        codes |= {row: "H" if row.number <= 17 else "S" for row in SOFT}  # noqa: PLR2004
        return codes | dict.fromkeys(PAIRS, AS_TOTAL)

    def _choices(self, row: Row) -> list[str]:
        """Return the codes that can be best in a cell."""
        if row.kind == "pair":
            return [AS_TOTAL] + ["P"] * self._splits + ["Rh"] * self._surrenders
        is_hard = row.kind == "hard"
        later = ["H"] if not is_hard or row.number <= HIGHEST_HIT else []
        later += ["S"] if not is_hard or row.number > SURE_HIT else []
        doubles = self.engine.may_double(row.state) and not (is_hard and row.number > SURE_HIT)
        surrenders = self._surrenders and is_hard and row.number <= HIGHEST_HIT
        first = ["D"] * doubles + ["R"] * surrenders
        return later + [f"{letter}{code.lower()}" for letter in first for code in later]


def _row(cards: Values) -> Row:
    """Return the row of a hand's total."""
    total, soft = best_total(cards)
    return Row("soft" if soft else "hard", total)
