"""How to play the hands: a chart of totals by up card, its exceptions, and what it costs.

Hands arise as the setting rules make them: the two cards set together, and the card left alone
with each card it may draw. A cell has the play whose value, best play following, is greatest over
the first decisions that come to it, each weighted by how often a round comes to it. Where hit and
stand are close, both are played out with hands of every length, and the better one stands.

What a chart costs is exact: every start is played by it to the end, split hands too.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from pitboss.kernels import blackjack as kernel
from pitboss.solver.engine import PLAYS
from pitboss.solver.starts import DOUBLE_BLACKJACKS, is_blackjack
from pitboss.solver.tables import ACE, BLACKJACK, VALUES, Values, best_total, hands
from pitboss.strategy.lists import UPS
from pitboss.strategy.setting import OWN, STAKE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pitboss.solver import Solver
    from pitboss.solver.engine import Engine
    from pitboss.solver.tables import Plays
    from pitboss.strategy.setting import Rung

TWO = 2
CLOSE = 0.06  # hit and stand so near each other, per hand, are played out
LEAST_GAIN = 5e-6  # of the stake: what an exception must be worth to be listed
SURE_HIT = 11  # a hard hand that cannot bust

CODES = {"S": "stand", "H": "hit", "Dh": "double", "Ds": "double", "P": "split"}
"""What stands in a cell: Dh and Ds say what to do where doubling is not allowed."""

LATER = {"S": "stand", "H": "hit", "Dh": "hit", "Ds": "stand"}
"""The same with three cards or more."""


class Row(NamedTuple):
    """A row of the chart: hard or soft and a total, or a pair and its card."""

    kind: str
    number: int


Codes: TypeAlias = dict[Row, str]
Told: TypeAlias = "dict[Group, str]"
Options: TypeAlias = dict[str, float]


@dataclass(frozen=True, slots=True)
class Group:
    """Hands of a row that can be told apart: two cards of these values, or three and more."""

    row: Row
    cards: Values = ()


@dataclass(frozen=True, slots=True)
class Apart:
    """An exception: hands better played otherwise, and what that gains in units a round."""

    group: Group
    up: int
    play: str
    instead_of: str
    gain: float


@dataclass(frozen=True)
class Playing:
    """A chart by up card, what it costs in units a round, and the exceptions that matter."""

    chart: dict[int, Codes]
    cost: float
    exceptions: tuple[Apart, ...]
    cost_with_exceptions: float


def playing(
    solver: Solver, rung: Rung, tell: Callable[[float], object] = lambda _: None
) -> Playing:
    """Return the chart for hands set by the rules of *rung*."""
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

    # --- how hands arise

    def _starts(self) -> Iterator[tuple[Values, tuple[Values, Values], float]]:
        """Return own cards, the two hands made of them, and how often they are played."""
        for own in OWN:
            weight = self._chance(own)
            if weight and own not in DOUBLE_BLACKJACKS:
                one = self.rung.alone(self.up, own)
                two = list(own)
                two.remove(one)
                yield own, (tuple(two), (one,)), weight

    def _chance(self, own: Values) -> float:
        """Return how often a round starts so and no peek ends it."""
        solver, barred = self.solver, self.engine.barred
        left, cards = solver.unseen((self.up,))
        shown = solver.deck[self.up - 1] / (cards + 1)
        weight = shown * solver.ways(self.up, own) / (cards * (cards - 1) * (cards - 2) // 6)
        left, cards = solver.unseen((*own, self.up))
        return weight * (1 - left[barred - 1] / cards) if barred else weight

    def _firsts(self) -> dict[Row, dict[Values, tuple[float, Options]]]:
        """Return the hands of two cards by row: how often each comes, what each play brings."""
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
        """Return all hands of two cards: cards seen, the hand, how often a round comes to it."""
        for own, (two, (one,)), weight in self.starts:
            yield own, two, weight
            for value in VALUES:
                odds = self.engine.chance(own, value)
                if odds > 0.0:
                    seen, hand = (tuple(sorted((*cards, value))) for cards in (own, (one,)))
                    yield seen, hand, weight * odds

    # --- what a chart costs

    def cost(self, codes: Mapping[Row, str], told: Mapping[Group, str] | None = None) -> float:
        """Return what playing by a chart costs, in units a round."""
        start, split, pairs = self.policies(codes, told or {})
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
        self, codes: Mapping[Row, str], told: Mapping[Group, str]
    ) -> tuple[Plays, Plays, Plays]:
        """Return a chart as the kernels take it."""
        return chart_plays(codes, told, doubles=self.play.double_after_split)

    def worth(self, own: Values, hand: Values, start: Plays, split: Plays, pairs: Plays) -> float:
        """Return what a starting hand is worth, played by a chart."""
        if is_blackjack(hand):
            return self.play.pays
        a, b = (hand[0], hand[1]) if len(hand) == TWO else (hand[0], 0)
        if a == b and pairs[a]:
            return self._split(own, a, split)
        out = np.empty((10, 2))
        self.engine.play(kernel.follow, self.engine.row(own), a, b, start, out)
        if b:
            return float(out[0, 0])
        return float(out[:, 0].sum()) + self._corrections(own, a, out, split, pairs)

    def _corrections(
        self, own: Values, one: int, out: np.ndarray, split: Plays, pairs: Plays
    ) -> float:
        """Return what a blackjack or a pair to split adds to a card that draws its second."""
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
        """Return what a pair is worth that is split as often as it may be."""
        again = card != ACE or self.play.resplit_aces
        most = self.play.max_splits if again else 1
        out = np.empty((most, 3))
        policy = np.zeros_like(split) if card == ACE else split
        self.engine.play(kernel.split_values, self.engine.row(seen), card, most, policy, out)
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

    def exceptions(self, codes: Codes) -> list[Apart]:
        """Return the groups that one other play suits better, and gain enough."""
        found = []
        for group, play in self._tried(codes):
            gain = self.cost(codes) - self.cost(codes, {group: play})
            if gain >= LEAST_GAIN * STAKE:
                says = (CODES if group.cards else LATER)[codes[group.row]]
                found.append(Apart(group, self.up, play, says, gain))
        return found

    def _tried(self, codes: Codes) -> Iterator[tuple[Group, str]]:
        """Return what may be better otherwise: two cards by their values, more if it is close."""
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
    """Return what each play brings over a whole row."""
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
    codes: Mapping[Row, str], told: Mapping[Group, str], *, doubles: bool
) -> tuple[Plays, Plays, Plays]:
    """Return a chart as the kernels take it: of starting hands, of split hands, pairs to split."""
    table = hands()
    first, later, undoubled = (np.zeros(len(table.state), np.int8) for _ in range(3))
    for row, code in codes.items():
        if row.kind == "pair":
            continue
        of_row = table.state == row.number + (10 if row.kind == "soft" else 0)
        first[of_row] = PLAYS.index(CODES[code])
        later[of_row] = PLAYS.index(told.get(Group(row), LATER[code]))
        undoubled[of_row] = PLAYS.index(LATER[code])
    start = np.where(table.size > TWO, later, first)
    split = start.copy() if doubles else np.where(table.size > TWO, later, undoubled)
    for group, play in told.items():
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
