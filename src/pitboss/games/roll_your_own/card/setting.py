"""How to set three cards: the shortest lists of rules, and their costs against the optimum.

``lists`` defines a list. The two hands are played independently (memory ``none``), so the cost of a
list is an exact sum over all 2,200 starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pitboss.games.roll_your_own import GAME
from pitboss.games.roll_your_own.card.lists import (
    LAST_LINES,
    UPS,
    Feature,
    Kind,
    Rule,
    ace_high,
    left_alone,
)
from pitboss.solver.tables import ACE, TEN, VALUES, Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pitboss.games.roll_your_own.solver import Game, Solver

Floats: TypeAlias = NDArray[np.float64]
Picks: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

OWN = tuple(combinations_with_replacement(VALUES, 3))
STAKE = GAME.units["package"]
"""Units staked in a round: the two blackjack bets and the Bonus."""

AIM = 0.0002
"""The upper limit for the cost of a list, as a share of the stake."""

MOST_LINES = 12
WIDEST = 4  # the largest number of totals in a rule
RESTRICTION_PENALTY = 3e-5  # a rule for some up cards only must save this much more, in units
BEAM = 4  # the number of lists refined after a rule is added
LAST_LINE_FIXED_AT = 5  # with this many lines or more, the best last line is kept


@dataclass(frozen=True, slots=True)
class Rung:
    """A list of rules, including its last line, and its cost in units per round."""

    rules: tuple[Rule, ...]
    cost: float

    @property
    def lines(self) -> int:
        return len(self.rules)

    @property
    def of_stake(self) -> float:
        return self.cost / STAKE

    def alone(self, up: int, own: Values) -> int:
        """Return the card that the list leaves alone."""
        return left_alone(self.rules, up, own)


@dataclass(frozen=True, slots=True)
class Starts:
    """The chances and losses of all starts, by up card (as in :data:`UPS`) and player's cards."""

    weight: Floats
    loss: Floats  # the cost of leaving the k-th card alone, times the weight

    @classmethod
    def of(cls, solver: Solver, game: Game) -> Starts:
        """Compute the chances and losses from a solved game."""
        weight = np.zeros((len(UPS), len(OWN)))
        loss = np.zeros((len(UPS), len(OWN), 3))
        for card in game.up_cards:
            deals = [solver.ways(card.up, s.own) for s in card.starts]
            for solution, number in zip(card.starts, deals, strict=True):
                at = UPS.index(card.up), OWN.index(solution.own)
                weight[at] = card.chance * number / sum(deals)
                worth = {way.second[0]: way.ev for way in solution.ways if len(way.second) == 1}
                alone = [worth.get(v, solution.ev) for v in solution.own]
                loss[at] = weight[at] * (max(alone) - np.array(alone))
        return cls(weight, loss)


def ladder(starts: Starts, tell: Callable[[float], object] = lambda _: None) -> tuple[Rung, ...]:
    """Return the best lists found with one line, two lines and so on; each costs less."""
    searches = [_Search(starts, last) for last in LAST_LINES]
    rungs: list[Rung] = []
    for lines in range(1, MOST_LINES + 1):
        for search in searches if lines > 1 else ():
            search.grow()
        searches.sort(key=lambda search: search.cost)
        if lines >= LAST_LINE_FIXED_AT:
            del searches[1:]
        rung = searches[0].rung()
        if rungs and rung.cost > rungs[-1].cost - _NOTHING:
            break
        rungs.append(rung)
        tell(lines / MOST_LINES)
    return tuple(rungs)


def chosen(rungs: Sequence[Rung]) -> Rung:
    """Return the shortest list that meets the aim, otherwise the best list."""
    return next((rung for rung in rungs if rung.of_stake < AIM), rungs[-1])


# --- the search: rules are numbers (feature, first, last) into arrays of all features


_Row: TypeAlias = tuple[int, int, int]

_NOTHING = 1e-12
_RANGES = [(lo, hi) for lo in range(len(UPS)) for hi in range(lo, len(UPS))]
_ALL = (0, len(UPS) - 1)


class _Search:
    """A search for lists with a given last line, which adds one rule at a time."""

    def __init__(self, starts: Starts, last: Kind) -> None:
        self._last = Feature(last)
        self._otherwise = _lost(starts, _picks(self._last))
        self._features, self._fits, self._inside = _features()
        picks = [_picks(f) for f in self._features]
        lost = np.stack([_lost(starts, np.maximum(p, 0)) for p in picks], axis=1)
        self._lost = np.where(self._fits, lost, 0.0)  # by up card, feature and player's cards
        self._list: list[_Row] = []

    @property
    def cost(self) -> float:
        return self._score(self._list)

    def rung(self) -> Rung:
        """Return the list as rules, in an equivalent order that is easy to read."""
        rows = self._sorted(self._list)
        rules = [Rule(self._features[f], first, last) for f, first, last in rows]
        return Rung((*rules, Rule(self._last)), float(self._losses(rows).sum()))

    def grow(self) -> None:
        """Add the best rule to the list, or to a variant of the list with one narrower rule."""
        tried = [self._with_best(self._list)]
        for place, row in enumerate(self._list):
            for narrower in self._narrower(row):
                rest = [*self._list[:place], narrower, *self._list[place + 1 :]]
                tried.append(self._with_best(rest))
        tried.sort(key=self._score)
        self._list = min(map(self._refine, tried[:BEAM]), key=self._score)

    def _losses(self, rows: list[_Row]) -> Floats:
        """Return the loss of each start under a list."""
        lost = self._otherwise.copy()
        for feature, first, last in reversed(rows):
            fits = self._fits[feature]
            lost[first : last + 1, fits] = self._lost[first : last + 1, feature][:, fits]
        return lost

    def _score(self, rows: list[_Row]) -> float:
        restricted = sum(row[1:] != _ALL for row in rows)
        return float(self._losses(rows).sum()) + RESTRICTION_PENALTY * restricted

    def _with_best(self, rows: list[_Row]) -> list[_Row]:
        """Return a list with the additional rule that saves most, at its best place."""
        after = np.stack([self._losses(rows[place:]) for place in range(len(rows) + 1)])
        reached = np.ones_like(after)
        for place, (feature, first, last) in enumerate(rows):
            reached[place + 1] = reached[place]
            reached[place + 1, first : last + 1, self._fits[feature]] = 0.0
        change = self._lost @ reached.transpose(1, 2, 0)
        change -= self._fits.astype(float) @ (reached * after).transpose(1, 2, 0)
        sums = np.concatenate([np.zeros_like(change[:1]), change.cumsum(axis=0)])
        ends = np.array(_RANGES)
        by_range = sums[ends[:, 1] + 1] - sums[ends[:, 0]] + RESTRICTION_PENALTY
        by_range[_RANGES.index(_ALL)] -= RESTRICTION_PENALTY
        # rounded, so that every machine takes the first of equal values
        best = int(np.round(by_range, 12).argmin())
        which, feature, place = (int(i) for i in np.unravel_index(best, by_range.shape))
        return [*rows[:place], (feature, *_RANGES[which]), *rows[place:]]

    def _refine(self, rows: list[_Row]) -> list[_Row]:
        """Replace each rule in turn with the best one, until the cost stops falling."""
        score, stale, place = self._score(rows), 0, 0
        while stale < len(rows):
            place %= len(rows)
            tried = self._with_best(rows[:place] + rows[place + 1 :])
            if self._score(tried) < score - _NOTHING:
                rows, score, stale = tried, self._score(tried), 0
            else:
                stale += 1
            place += 1
        return rows

    def _narrower(self, row: _Row) -> Iterator[_Row]:
        feature, first, last = row
        for inside in self._inside[feature]:
            yield inside, first, last
        for end in range(first, last):
            yield feature, first, end
            yield feature, end + 1, last

    def _sorted(self, rows: list[_Row]) -> list[_Row]:
        """Move the simplest rules forward if the setting of every start stays the same."""
        rows, steady = list(rows), False
        while not steady:
            steady = True
            for at in range(len(rows) - 1):
                swapped = [*rows[:at], rows[at + 1], rows[at], *rows[at + 2 :]]
                if self._place(rows[at + 1]) < self._place(rows[at]) and self._same(rows, swapped):
                    rows, steady = swapped, False
        return rows

    def _same(self, rows: list[_Row], others: list[_Row]) -> bool:
        return bool((self._losses(rows) == self._losses(others)).all())

    def _place(self, row: _Row) -> tuple[int, ...]:
        feature = self._features[row[0]]
        if feature.kind is Kind.TOGETHER and TEN in {feature.low, feature.high}:
            return (0, -ace_high(feature.low) - feature.high, row[1])
        return (1 + list(Kind).index(feature.kind), -feature.high, -feature.low, row[1])


def _picks(feature: Feature) -> Picks:
    return np.array([feature.pick(own) for own in OWN])


def _lost(starts: Starts, picks: Picks) -> Floats:
    """Return the loss of each start if these cards are left alone."""
    lost: Floats = starts.loss[:, np.arange(len(OWN)), picks]
    return lost


@cache
def _features() -> tuple[tuple[Feature, ...], Flags, tuple[tuple[int, ...], ...]]:
    """Return the distinct features, the starts that each fits, and its narrower features."""
    picks: dict[bytes, tuple[Feature, Picks]] = {}
    for feature in _candidates():
        found = _picks(feature)
        picks.setdefault(found.tobytes(), (feature, found))
    features, found_picks = zip(*picks.values(), strict=True)
    table = np.stack(found_picks)
    fits = table >= 0
    inside = tuple(
        tuple(
            g
            for g in range(len(features))
            if g != f and not (fits[g] & (table[g] != table[f])).any()
        )
        for f in range(len(features))
    )
    return features, fits, inside


def _candidates() -> Iterator[Feature]:
    """Yield the features that a player can put in words, the simplest first."""
    for low, high in combinations_with_replacement(VALUES, 2):
        if high == TEN or low in {ACE, high}:
            yield Feature(Kind.TOGETHER, low, high)
    for low in range(4, 20):
        for high in range(low, min(low + WIDEST, 20)):
            yield Feature(Kind.HARD, low, high)
    for low, high in combinations_with_replacement(range(2, 10), 2):
        yield Feature(Kind.SOFT, low, high)
    for low, high in combinations_with_replacement(range(2, 11), 2):
        yield Feature(Kind.PAIRS, low, high)
    for low, high in combinations_with_replacement(VALUES, 2):
        yield Feature(Kind.TOGETHER, low, high)
    for value in VALUES:
        yield Feature(Kind.ALONE, value, value)
