"""Figures of bets that need a strategy: the expectation is solved, the spread is simulated.

A simulation gives the distribution of a round. Its rounds are divided into strata whose chances are
known exactly, and weighted to match these chances and the exact expectation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json


@dataclass(frozen=True, slots=True)
class Estimate:
    """A simulated number."""

    value: float
    std_error: float

    def as_json(self) -> dict[str, Json]:
        return {"source": "simulated", "std_error": self.std_error}


@dataclass(frozen=True, kw_only=True)
class PlayedFigures:
    """The figures of bets that need a strategy, per unit of one bet."""

    game: Game
    bet: str
    ev: float
    """The expectation of a round, per unit of one bet."""

    put_down: float
    """The expected units put down in a round, including doubles and splits."""

    std_dev: Estimate
    wins: Estimate
    pushes: Estimate
    more: Mapping[str, Json] = field(default_factory=dict)
    correlation: Estimate | None = None
    """The correlation of a package's parts: the covariance is exact, one deviation is simulated."""

    @property
    def stake(self) -> int:
        """Units staked in a round, before doubles and splits."""
        return self.game.units[self.bet]

    @property
    def house_edge(self) -> float:
        """The house edge per unit staked, before doubles and splits."""
        return -self.ev / self.stake

    @property
    def house_edge_put_down(self) -> float:
        """The house edge per unit put down, including doubles and splits."""
        return -self.ev / self.put_down

    def as_json(self) -> dict[str, Json]:
        guessed = {
            "std_dev": self.std_dev,
            "hit_frequency": self.wins,
            "push_rate": self.pushes,
        }
        if self.correlation:
            guessed["correlation"] = self.correlation
        return {
            "stake": self.stake,
            "ev": self.ev,
            "house_edge": self.house_edge,
            "put_down": self.put_down,
            "house_edge_put_down": self.house_edge_put_down,
            **{name: estimate.value for name, estimate in guessed.items()},
            "simulated": {name: estimate.as_json() for name, estimate in guessed.items()},
            **self.more,
        }


# --- simulated rounds, weighted


@dataclass(frozen=True, slots=True)
class Stratum:
    """Simulated rounds that have something in common, such as a result of another bet."""

    chance: float  # exact
    rounds: int
    cells: list[tuple[Fraction, float, float]]
    """Net result, its share of these rounds, and the solved bets' net minus their mean net."""


def weighted_cells(strata: Iterable[Stratum], ev: float) -> Iterator[tuple[int, Fraction, float]]:
    """Yield the index of a stratum, a result and its probability, for every cell.

    The probabilities match the exact chances of the strata and the exact expectation *ev*.
    """
    rows = [(i, net, s.chance * p, away) for i, s in enumerate(strata) for net, p, away in s.cells]
    off = ev - sum(float(net) * p for _, net, p, _ in rows)
    tilt = off / sum(away**2 * p for _, _, p, away in rows)
    for place, net, p, away in rows:
        yield place, net, p * (1 + tilt * away)


def weighted_results(strata: Iterable[Stratum], ev: float) -> dict[Fraction, float]:
    """Return the probability of each result, with exact chances of the strata and an exact mean."""
    found: dict[Fraction, float] = {}
    for _, net, weight in weighted_cells(strata, ev):
        found[net] = found.get(net, 0.0) + weight
    return found


def weighted_share(
    strata: Sequence[Stratum], ev: float, chosen: Callable[[Fraction], bool]
) -> Estimate:
    """Return the share of rounds with a *chosen* result, as :func:`weighted_results` weights them.

    The weights use exact chances and an exact expectation, so the standard error is that of a
    stratified regression estimate.
    """
    rows = [(chosen(net), s.chance * p, away) for s in strata for net, p, away in s.cells]
    slope = sum(hit * p * away for hit, p, away in rows) / sum(p * away**2 for _, p, away in rows)
    variance = 0.0
    for s in strata:
        mean = sum(p for net, p, _ in s.cells if chosen(net))
        left = sum(p * (chosen(net) - mean - slope * away) ** 2 for net, p, away in s.cells)
        variance += s.chance**2 * left / s.rounds
    value = sum(p for net, p in weighted_results(strata, ev).items() if chosen(net))
    return Estimate(value, sqrt(variance))


def is_ahead(net: Fraction) -> bool:
    return net > 0


def is_even(net: Fraction) -> bool:
    return net == 0
