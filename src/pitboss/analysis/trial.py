"""Confirmation by simulation: rounds of Toss One 21 through the rules engine itself.

Slow beside a compiled simulator, but it plays the very code that settles bets at a table.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from pitboss.cards import DECK
from pitboss.games.toss_one import Bet, play_deal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.analysis.figures import Figures
    from pitboss.games.toss_one import Rules
    from pitboss.rules import Json

LEAST_EXPECTED = 5  # a result expected less often is pooled with the others such
UNIT = 1_000_000  # cents on each bet: rounding cannot be seen


@dataclass(frozen=True, slots=True)
class Trial:
    """What one bet came to in so many rounds, beside what it should."""

    figures: Figures
    rounds: int
    nets: Mapping[int, int]  # how often each result came, in cents at UNIT a bet

    @property
    def mean(self) -> float:
        return sum(net * n for net, n in self.nets.items()) / self.rounds / UNIT

    @property
    def std_error(self) -> float:
        return self.figures.moments.std_dev / sqrt(self.rounds)

    @property
    def z(self) -> float:
        return (self.mean - float(self.figures.ev)) / self.std_error

    @property
    def chi_square(self) -> tuple[float, int]:
        """The chi-square over the results a bet can have, and its degrees of freedom."""
        expected: Counter[int] = Counter()
        for event in self.figures.events:
            share = event.combinations / self.figures.total
            expected[round(event.net * UNIT)] += share * self.rounds  # type: ignore[assignment]
        cells = [(self.nets.get(x, 0), e) for x, e in expected.items() if e]
        rare = [cell for cell in cells if cell[1] < LEAST_EXPECTED]  # counted as one
        cells = [cell for cell in cells if cell[1] >= LEAST_EXPECTED]
        if rare:
            cells.append((sum(n for n, _ in rare), sum(e for _, e in rare)))
        return sum((n - e) ** 2 / e for n, e in cells), len(cells) - 1

    def as_json(self) -> dict[str, Json]:
        chi_square, freedom = self.chi_square
        return {
            "mean": self.mean,
            "exact": float(self.figures.ev),
            "std_error": self.std_error,
            "interval_95": [
                self.mean - 1.959964 * self.std_error,
                self.mean + 1.959964 * self.std_error,
            ],
            "z": self.z,
            "chi_square": chi_square,
            "degrees_of_freedom": freedom,
        }


def simulate(
    rules: Rules,
    figures: Mapping[str, Figures],
    rounds: int,
    seed: str,
    tell: Callable[[int], None] = lambda _: None,
) -> dict[str, Trial]:
    """Play *rounds* rounds of one seat, all bets made; *tell* hears how many are done."""
    chance = random.Random(seed)  # noqa: S311  a trial is repeated by its seed
    deck, bet = DECK * rules.decks, Bet(1, UNIT, UNIT, UNIT)
    nets: dict[str, Counter[int]] = {name: Counter() for name in figures}
    for done in range(1, rounds + 1):
        cards = tuple(chance.sample(deck, 8))
        for settlement in play_deal(rules, bet, cards[:4], cards[4:]).settlements():
            nets[settlement.bet][settlement.net] += 1
        if done % 1000 == 0:
            tell(done)
    return {name: Trial(figures[name], rounds, nets[name]) for name in figures}
