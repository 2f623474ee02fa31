"""Figures of a bet: an outcome table of exact counts, and the figures derived from it.

With counts n_i that add up to N, and x_i won for each unit staked, the expectation is
sum(n_i x_i) / N, exactly. The variance and the third central moment are exact too. Only square
roots give floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, ClassVar

from pitboss.core.paytables import unit_net

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.core.paytables import Odds
    from pitboss.core.settings import Json


@dataclass(frozen=True, slots=True)
class Event:
    """A line of an outcome table: an event, its odds, and its number of combinations."""

    event: str
    odds: Odds | None  # None if the bet loses
    combinations: int

    @property
    def net(self) -> Fraction:
        """The net result of a bet of one unit."""
        return unit_net(self.odds)

    @property
    def pays(self) -> str:
        if self.odds is None:
            return "lose"
        return str(self.odds) if self.odds.win else "push"


@dataclass(frozen=True)
class Moments:
    """The mean and the shape of a distribution given as counts of exact results."""

    counts: Mapping[Fraction, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def ev(self) -> Fraction:
        return self._mean(lambda net: net)

    @property
    def variance(self) -> Fraction:
        ev = self.ev
        return self._mean(lambda net: (net - ev) ** 2)

    @property
    def std_dev(self) -> float:
        return sqrt(self.variance)

    @property
    def skewness(self) -> float:
        ev, spread = self.ev, self.variance
        third = self._mean(lambda net: (net - ev) ** 3)
        return float(third) / float(spread) ** 1.5 if spread else 0.0

    def _mean(self, value: Callable[[Fraction], Fraction]) -> Fraction:
        return sum((value(x) * n for x, n in self.counts.items()), Fraction()) / self.total


@dataclass(frozen=True)
class Figures:
    """The exact figures of one bet, per unit staked."""

    bet: str
    events: tuple[Event, ...]
    stake: ClassVar[int] = 1

    @property
    def total(self) -> int:
        return sum(event.combinations for event in self.events)

    @property
    def moments(self) -> Moments:
        counts: dict[Fraction, int] = {}
        for event in self.events:
            counts[event.net] = counts.get(event.net, 0) + event.combinations
        return Moments(counts)

    @property
    def ev(self) -> Fraction:
        return self.moments.ev

    @property
    def house_edge(self) -> float:
        """The house's expected win per unit staked; negative if the player has the edge."""
        return -float(self.ev)

    @property
    def hit_frequency(self) -> float:
        """How often the bet wins something."""
        return self._frequency(lambda event: event.net > 0)

    @property
    def push_rate(self) -> float:
        return self._frequency(lambda event: event.net == 0)

    @property
    def top(self) -> Event:
        """The highest possible prize."""
        return max((e for e in self.events if e.combinations), key=lambda event: event.net)

    @property
    def top_one_in(self) -> float:
        """The number of bets for each highest prize, on average; several events may win it."""
        best = self.top.net
        return self.total / sum(e.combinations for e in self.events if e.net == best)

    def _frequency(self, chosen: Callable[[Event], bool]) -> float:
        counted = sum(event.combinations for event in self.events if chosen(event))
        return float(Fraction(counted, self.total))

    def as_json(self) -> dict[str, Json]:
        moments = self.moments
        top = self.top
        return {
            "stake": self.stake,
            "ev": str(moments.ev),
            "house_edge": self.house_edge,
            "std_dev": moments.std_dev,
            "hit_frequency": self.hit_frequency,
            "push_rate": self.push_rate,
            "skewness": moments.skewness,
            "top_prize": {"pays": top.pays, "one_in": self.top_one_in},
            "combinations": self.total,
            "outcomes": [self._row(event) for event in self.events],
        }

    def _row(self, event: Event) -> dict[str, Json]:
        probability = Fraction(event.combinations, self.total)
        return {
            "event": event.event,
            "pays": event.pays,
            "combinations": event.combinations,
            "probability": float(probability),
            "return": float(probability * event.net),
        }
