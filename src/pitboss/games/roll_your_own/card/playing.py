"""How to play the hands: a chart of totals by up card, its exceptions, and its cost.

The hands come from the setting rules: the two cards set together, and the card left alone with each
possible second card. A cell shows the play with the greatest value over all the first decisions it
covers, each weighted by its frequency and followed by the best play. If hit and stand are close,
both are evaluated with hands of every length, and the better one is used.

The cost of a chart is exact: every start is played to the end according to the chart, including
split hands.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from pitboss.games.roll_your_own.card.lists import UPS
from pitboss.games.roll_your_own.card.setting import OWN, STAKE
from pitboss.games.roll_your_own.solver.starts import DOUBLE_BLACKJACKS, is_blackjack
from pitboss.solver.engine import PLAYS
from pitboss.solver.kernels import policies
from pitboss.solver.tables import (
    ACE,
    BLACKJACK,
    VALUES,
    Values,
    best_total,
    hands,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pitboss.games.roll_your_own.card.setting import Rung
    from pitboss.games.roll_your_own.solver import Solver
    from pitboss.solver.engine import Engine
    from pitboss.solver.tables import Plays

TWO = 2
CLOSE = 0.06  # if hit and stand differ by less than this per hand, both are evaluated
LEAST_GAIN = 5e-6  # the smallest gain of a listed exception, as a share of the stake
SURE_HIT = 11  # a hard total that cannot bust

CODES = {"S": "stand", "H": "hit", "Dh": "double", "Ds": "double", "P": "split"}
"""The codes of a cell with their plays; without doubling, Dh means hit and Ds means stand."""

LATER = {"S": "stand", "H": "hit", "Dh": "hit", "Ds": "stand"}
"""The plays of the codes for three or more cards."""


class Row(NamedTuple):
    """A row of the chart: hard or soft and a total, or a pair and its card."""

    kind: str
    number: int


Codes: TypeAlias = dict[Row, str]
GroupPlays: TypeAlias = "dict[Group, str]"
Options: TypeAlias = dict[str, float]


@dataclass(frozen=True, slots=True)
class Group:
    """Some hands of a row: two cards of given values, or all hands of three or more cards."""

    row: Row
    cards: Values = ()


@dataclass(frozen=True, slots=True)
class Deviation:
    """An exception to the chart: a better play for some hands, and its gain in units per round."""

    group: Group
    up: int
    play: str
    instead_of: str
    gain: float


@dataclass(frozen=True)
class Playing:
    """A chart by up card, its cost in units per round, and the exceptions worth listing."""

    chart: dict[int, Codes]
    cost: float
    exceptions: tuple[Deviation, ...]
    cost_with_exceptions: float


def playing(
    solver: Solver, rung: Rung, tell: Callable[[float], object] = lambda _: None
) -> Playing:
    """Return the chart for hands that are set by the rules of *rung*."""
    chart, cost, left, exceptions = {}, 0.0, 0.0, []
    for done, up in enumerate(UPS, 1):
        column = Column(solver, rung, up)
        codes = column.codes()
        found = column.exceptions(codes)
        chart[up] = codes
        cost += column.cost(codes)
        left += column.cost(codes, {e.group: e.play for e in found})
        exceptions += found
        solver.forget(up)
        tell(done / len(UPS))
    exceptions.sort(key=lambda e: (-e.gain, e.up))
    return Playing(chart, cost, tuple(exceptions), left)


class Column:
    """The starts against one up card, set by a list of rules."""

    def __init__(self, solver: Solver, rung: Rung, up: int) -> None:
        self.solver, self.rung, self.up = solver, rung, up
        self.engine: Engine = solver.engine(up)
        self.play = solver.play
        self.starts = list(self._starts())
        self.best = sum(
            weight * self.engine.expected(own, hand, self.play).value
            for own, both, weight in self.starts
            for hand in both
        )
        self.firsts = self._firsts()
        self._costs: dict[tuple[bytes, bytes, bytes], float] = {}

    # --- the hands and their frequencies

    def _starts(self) -> Iterator[tuple[Values, tuple[Values, Values], float]]:
        """Yield the player's cards, the two hands set from them, and their frequency."""
        for own in OWN:
            weight = self._chance(own)
            if weight and own not in DOUBLE_BLACKJACKS:
                one = self.rung.alone(self.up, own)
                two = list(own)
                two.remove(one)
                yield own, (tuple(two), (one,)), weight

    def _chance(self, own: Values) -> float:
        """Return the probability that a start is dealt and is not ended by a peek."""
        solver, barred = self.solver, self.engine.barred
        left, cards = solver.unseen((self.up,))
        shown = solver.deck[self.up - 1] / (cards + 1)
        weight = shown * solver.ways(self.up, own) / (cards * (cards - 1) * (cards - 2) // 6)
        left, cards = solver.unseen((*own, self.up))
        return weight * (1 - left[barred - 1] / cards) if barred else weight

    def _firsts(self) -> dict[Row, dict[Values, tuple[float, Options]]]:
        """Return the two-card hands by row, each with its frequency and the value of each play."""
        found: dict[Row, dict[Values, tuple[float, Options]]] = defaultdict(dict)
        for seen, hand, weight in self._two_cards():
            if best_total(hand)[0] == BLACKJACK:
                continue
            options = self.engine.options(seen, hand, self.play)
            row = row_of(hand, splits=self.play.max_splits > 0)
            often, sums = found[row].get(hand, (0.0, dict.fromkeys(options, 0.0)))
            found[row][hand] = (
                often + weight,
                {play: sums[play] + weight * value for play, value in options.items()},
            )
        return found

    def _two_cards(self) -> Iterator[tuple[Values, Values, float]]:
        """Yield all two-card hands: the cards seen, the hand, and its frequency in a round."""
        for own, (two, (one,)), weight in self.starts:
            yield own, two, weight
            for value in VALUES:
                odds = self.engine.chance(own, value)
                if odds > 0.0:
                    seen, hand = (tuple(sorted((*cards, value))) for cards in (own, (one,)))
                    yield seen, hand, weight * odds

    # --- the cost of a chart

    def cost(
        self, codes: Mapping[Row, str], exceptions: Mapping[Group, str] | None = None
    ) -> float:
        """Return the cost of playing by a chart, in units per round."""
        start, split, pairs = self.policies(codes, exceptions or {})
        asked = start.tobytes(), split.tobytes(), pairs.tobytes()
        if asked not in self._costs:
            worth = sum(
                weight * self.worth(own, hand, start, split, pairs)
                for own, both, weight in self.starts
                for hand in both
            )
            self._costs[asked] = self.best - worth
        return self._costs[asked]

    def policies(
        self, codes: Mapping[Row, str], exceptions: Mapping[Group, str]
    ) -> tuple[Plays, Plays, Plays]:
        """Return a chart as arrays for the kernels."""
        return chart_plays(codes, exceptions, doubles=self.play.double_after_split)

    def worth(self, own: Values, hand: Values, start: Plays, split: Plays, pairs: Plays) -> float:
        """Return the value of a starting hand that is played according to a chart."""
        if is_blackjack(hand):
            return self.play.pays
        a, b = (hand[0], hand[1]) if len(hand) == TWO else (hand[0], 0)
        if a == b and pairs[a]:
            return self._split(own, a, split)
        out = np.empty((10, 2))
        self.engine.play(policies.follow, self.engine.row(own), a, b, start, out)
        if b:
            return float(out[0, 0])
        return float(out[:, 0].sum()) + self._corrections(own, a, out, split, pairs)

    def _corrections(
        self, own: Values, one: int, out: np.ndarray, split: Plays, pairs: Plays
    ) -> float:
        """Return the additional value of blackjacks and split pairs for a hand of one card."""
        more = 0.0
        for value in VALUES:
            odds = self.engine.chance(own, value)
            if odds <= 0.0:
                continue
            if is_blackjack((one, value)):
                more += odds * self.play.pays - float(out[value - 1, 0])
            elif value == one and pairs[one]:
                split_worth = self._split(tuple(sorted((*own, value))), one, split)
                more += odds * split_worth - float(out[value - 1, 0])
        return more

    def _split(self, seen: Values, card: int, split: Plays) -> float:
        """Return the value of a pair that is split as often as possible."""
        again = card != ACE or self.play.resplit_aces
        most = self.play.max_splits if again else 1
        out = np.empty((most, 3))
        policy = np.zeros_like(split) if card == ACE else split
        self.engine.play(policies.split_values, self.engine.row(seen), card, most, policy, out)
        return float(out[-1, 0])

    # --- the chart

    def codes(self) -> Codes:
        """Return the best code of every row."""
        rows = [Row("hard", n) for n in range(4, 21)] + [Row("soft", n) for n in range(13, 21)]
        found = {row: _code(_total(group)) for row, group in sorted(self.firsts.items())}
        missing = [row for row in rows if row not in found]
        found |= {row: "H" if _cannot_bust(row) else "S" for row in missing}
        for row in sorted(found):
            if row.kind != "pair" and (row in missing or self._is_close(row)):
                other = {"S": "H", "H": "S", "Dh": "Ds", "Ds": "Dh"}[found[row]]
                if self.cost(found | {row: other}) < self.cost(found) - 1e-12:
                    found[row] = other
        return found

    def _is_close(self, row: Row) -> bool:
        options = _total(self.firsts[row])
        often = sum(weight for weight, _ in self.firsts[row].values())
        return abs(options["hit"] - options["stand"]) < CLOSE * often

    def exceptions(self, codes: Codes) -> list[Deviation]:
        """Return the groups of hands for which another play gains enough to be listed."""
        found = []
        for group, play in self._candidates(codes):
            gain = self.cost(codes) - self.cost(codes, {group: play})
            if gain >= LEAST_GAIN * STAKE:
                says = (CODES if group.cards else LATER)[codes[group.row]]
                found.append(Deviation(group, self.up, play, says, gain))
        return found

    def _candidates(self, codes: Codes) -> Iterator[tuple[Group, str]]:
        """Yield candidates for exceptions: two-card hands, and longer hands of close rows."""
        for row, group in sorted(self.firsts.items()):
            if row.kind == "pair":
                continue
            says = CODES[codes[row]]
            for hand, (_, options) in sorted(group.items()):
                best = max(options, key=options.__getitem__)
                if options[best] - options[says] >= LEAST_GAIN * STAKE / 2:
                    yield Group(row, hand), best
            if self._is_close(row) and not _cannot_bust(row):
                yield Group(row), "hit" if LATER[codes[row]] == "stand" else "stand"


def row_of(cards: Values, *, splits: bool = True) -> Row:
    """Return the row of the chart that a hand belongs to."""
    if splits and len(cards) == TWO and cards[0] == cards[1]:
        return Row("pair", cards[0])
    total, soft = best_total(cards)
    return Row("soft" if soft else "hard", total)


def _cannot_bust(row: Row) -> bool:
    return row.kind == "hard" and row.number <= SURE_HIT


def _total(group: Mapping[Values, tuple[float, Options]]) -> Options:
    """Return the total value of each play over a whole row."""
    found: Options = defaultdict(float)
    for _, options in group.values():
        for play, value in options.items():
            found[play] += value
    return found


def _code(options: Options) -> str:
    best = max(options, key=lambda play: round(options[play], 12))
    if best == "double":
        return "Dh" if options["hit"] > options["stand"] else "Ds"
    return {"stand": "S", "hit": "H", "split": "P"}[best]


def chart_plays(
    codes: Mapping[Row, str], exceptions: Mapping[Group, str], *, doubles: bool
) -> tuple[Plays, Plays, Plays]:
    """Return a chart for the kernels: plays of starting and split hands, and pairs to split."""
    table = hands()
    first, later, undoubled = (np.zeros(len(table.state), np.int8) for _ in range(3))
    for row, code in codes.items():
        if row.kind == "pair":
            continue
        of_row = table.state == row.number + (10 if row.kind == "soft" else 0)
        first[of_row] = PLAYS.index(CODES[code])
        later[of_row] = PLAYS.index(exceptions.get(Group(row), LATER[code]))
        undoubled[of_row] = PLAYS.index(LATER[code])
    start = np.where(table.size > TWO, later, first)
    split = start.copy() if doubles else np.where(table.size > TWO, later, undoubled)
    for group, play in exceptions.items():
        if group.cards:
            start[table.pair[group.cards]] = PLAYS.index(play)
            if doubles or play != "double":
                split[table.pair[group.cards]] = PLAYS.index(play)
    pairs = np.zeros(11, np.int8)
    for row, code in codes.items():
        if row.kind == "pair" and code == "P":
            pairs[row.number] = 1
        elif row.kind == "pair":
            start[table.pair[row.number, row.number]] = PLAYS.index(CODES[code])
    return start, split, pairs
