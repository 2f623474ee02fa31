"""Samples that a simulation counted, and their comparison with exact figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, isinf, lgamma, log, sqrt
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from pitboss.core.settings import Json

INTERVALS = {"95%": 1.959963984540054, "99%": 2.5758293035489004}
"""Half-widths of confidence intervals in standard errors, by confidence level."""

LEAST_EXPECTED = 5
"""A class with a lower expected count is merged with the next rarest class."""


@dataclass(frozen=True)
class Sample:
    """The number of rounds by result."""

    counts: Mapping[Any, int]  # the keys are whole numbers or fractions

    @cached_property
    def rounds(self) -> int:
        return sum(self.counts.values())

    @cached_property
    def total(self) -> Fraction | int:
        total: Fraction | int = sum(x * n for x, n in self.counts.items())
        return total

    @cached_property
    def mean(self) -> float:
        return float(self.total / self.rounds)

    @cached_property
    def std_dev(self) -> float:
        return sqrt(self._moment(2) * self.rounds / max(1, self.rounds - 1))

    @property
    def std_error(self) -> float:
        """The standard error of the mean."""
        return self.std_dev / sqrt(self.rounds)

    @property
    def std_dev_error(self) -> float:
        """The standard error of the standard deviation, from the fourth moment (large samples)."""
        square = self._moment(2)
        spread = max(0.0, self._moment(4) - square**2)
        return sqrt(spread / self.rounds / square) / 2 if square else 0.0

    @property
    def chance(self) -> float:
        """The share of rounds whose result is not zero."""
        return 1 - self.counts.get(0, 0) / self.rounds

    def z(self, expected: float) -> float:
        """Return the difference between the mean and *expected*, in standard errors."""
        return (self.mean - expected) / self.std_error

    def _moment(self, power: int) -> float:
        mean = self.mean
        return sum(n * (float(x) - mean) ** power for x, n in self.counts.items()) / self.rounds

    def as_json(self) -> dict[str, Json]:
        return {
            "mean": self.mean,
            "std_error": self.std_error,
            "std_dev": self.std_dev,
            "std_dev_error": self.std_dev_error,
        }


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """The distance between counted and expected frequencies, over all classes."""

    value: float
    freedom: int

    @property
    def p(self) -> float:
        """The probability that chance alone gives a distance at least this large."""
        if isinf(self.value):
            return 0.0
        return 1.0 if self.freedom < 1 else _upper_gamma(self.freedom / 2, self.value / 2)

    def as_json(self) -> dict[str, Json]:
        return {"value": self.value, "degrees_of_freedom": self.freedom, "p": self.p}


def chi_square(pairs: Iterable[tuple[int, float]]) -> ChiSquare:
    """Compare the count of each class with the expected one; rare classes are merged."""
    cells = sorted(((n, expected) for n, expected in pairs if n or expected), key=itemgetter(1))
    if any(n and not expected for n, expected in cells):
        return ChiSquare(inf, max(1, len(cells) - 1))  # an impossible class was counted
    while len(cells) > 1 and cells[0][1] < LEAST_EXPECTED:
        (n, expected), (m, more), *rest = cells
        cells = sorted([(n + m, expected + more), *rest], key=itemgetter(1))
    return ChiSquare(sum((n - e) ** 2 / e for n, e in cells), max(0, len(cells) - 1))


def _upper_gamma(a: float, x: float) -> float:
    """Return the regularized upper incomplete gamma function (DLMF 8.11.4 and 8.9.2)."""
    if x <= 0:
        return 1.0
    front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while abs(term) > 1e-17 * abs(total):
            n += 1
            term *= x / n
            total += term
        return 1 - front * total
    tiny = 1e-300  # Lentz's method for continued fractions
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    fraction = d
    for i in range(1, 10_000):
        b += 2
        d = 1 / (-i * (i - a) * d + b or tiny)
        c = b - i * (i - a) / c or tiny
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:  # noqa: PLR2004
            break
    return front * fraction
