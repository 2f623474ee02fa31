"""The expected results of a round at given stakes: their mean and spread.

The bets of a seat depend on the same cards, and the seats of a round play against the same dealer,
so their covariances matter. Rounds are independent, because every round starts with a new shuffle.

Each game computes its theory in its ``theory`` part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pitboss.core.settings import Json

Matrix: TypeAlias = tuple[tuple[float, ...], ...]


class TheoryPart(Protocol):
    """The ``theory`` part of a game; *rules* is an instance of the game's own class."""

    def theory(self, rules: Any) -> Theory:  # noqa: ANN401
        """Return the theory of *rules*; raise UnsupportedError if it cannot be computed here."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected results of a seat or a round, in cents."""

    mean: float  # the players' net result
    variance: float
    staked: float  # including doubles and splits


@dataclass(frozen=True, slots=True)
class BetTheory:
    """The figures of a bet; bets that must be made together count as one package."""

    stake: int  # units staked in a round
    ev: float  # the expectation of a round, in units of one bet
    std_dev: float
    exact: str | None = None  # the expectation as a fraction, if it is counted

    @property
    def theoretical_return(self) -> float:
        return 1 + self.ev / self.stake

    def as_json(self) -> dict[str, Json]:
        return {
            "stake": self.stake,
            "ev": self.ev,
            "exact": self.exact,
            "std_dev": self.std_dev,
            "return_percent": 100 * self.theoretical_return,
        }


@dataclass(frozen=True, kw_only=True)
class Theory:
    """The expected results of a game under its rules and the strategy in *assumes*."""

    game: str
    assumes: str
    bets: Mapping[str, BetTheory]
    stakes: tuple[str, ...]
    price: Callable[[tuple[int, ...]], Expected]
    """Returns the expected results of a seat with these stakes."""

    between: Callable[[], Matrix | None]
    """Computes :attr:`pairs`; returns None if it cannot."""

    def seat(self, stakes: Mapping[str, int]) -> Expected:
        """Return the expected results of one seat, with winnings rounded according to the rules."""
        return self.price(self._in_order(stakes))

    def round(self, seats: Sequence[Mapping[str, int]]) -> Expected:
        """Return the expected results of a round, given each seat's stakes."""
        alone = [self.seat(stakes) for stakes in seats]
        mean, staked = sum(s.mean for s in alone), sum(s.staked for s in alone)
        if len(alone) == 1:
            return alone[0]
        return Expected(mean, self._spread(alone, [self._in_order(s) for s in seats]), staked)

    @cached_property
    def pairs(self) -> Matrix | None:
        """The covariances between the bets of two seats, per unit; they take seconds to compute."""
        return self.between()

    def is_ready(self, seats: int) -> bool:
        """Return whether a round with this many seats can be priced immediately."""
        return seats <= 1 or "pairs" in vars(self)

    def _spread(self, alone: list[Expected], stakes: list[tuple[int, ...]]) -> float:
        """Return the variance of all seats; if the covariances are unknown, its upper bound."""
        matrix = self.pairs
        if matrix is None:
            return sum(sqrt(seat.variance) for seat in alone) ** 2
        whole = tuple(map(sum, zip(*stakes, strict=True)))
        pairs = _squared(matrix, whole) - sum(_squared(matrix, row) for row in stakes)
        return sum(seat.variance for seat in alone) + pairs

    def _in_order(self, stakes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(stakes.get(name, 0) for name in self.stakes)

    def as_json(self) -> dict[str, Json]:
        return {
            "game": self.game,
            "assumes": self.assumes,
            "bets": {name: bet.as_json() for name, bet in self.bets.items()},
        }


def _squared(matrix: Matrix, row: Sequence[int]) -> float:
    return sum(
        row[i] * row[j] * value for i, line in enumerate(matrix) for j, value in enumerate(line)
    )
