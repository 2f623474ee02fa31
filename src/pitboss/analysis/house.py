"""The house's result after many rounds, and the probability that it is behind.

The result of n rounds is the n-fold convolution of one round's distribution, and its transform is
the n-th power of one round's transform. The circle of cents is so wide (32 standard deviations on
each side, or the whole range) that the probability that wraps around is negligible.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, gcd, log2, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

WIDTH = 32  # standard deviations on each side


@dataclass(frozen=True)
class Result:
    """The distribution of the player's result after a number of rounds, in cents."""

    cents: NDArray[np.int64]
    probability: NDArray[np.float64]

    @property
    def house_behind(self) -> float:
        """The probability that the house is behind, that is, that the player is ahead."""
        return float(self.probability[self.cents > 0].sum())

    @property
    def mean(self) -> float:
        return float(self.cents @ self.probability)

    def histogram(self, bins: int = 60) -> list[tuple[float, float]]:
        """Return the house's result in dollars and its probability by bin, without the tails."""
        house = -self.cents / 100
        spread = sqrt(float(((house + self.mean / 100) ** 2) @ self.probability))
        middle = -self.mean / 100
        counts, edges = np.histogram(
            house, bins, (middle - 4 * spread, middle + 4 * spread), weights=self.probability
        )
        centres = (edges[:-1] + edges[1:]) / 2
        return [(float(x), float(p)) for x, p in zip(centres, counts, strict=True)]


def after(one: Mapping[int, float], rounds: int) -> Result:
    """Return the distribution after *rounds* rounds, given that of one round in cents."""
    step = gcd(*one) or 1
    mean = sum(x * p for x, p in one.items())
    deviation = sqrt(sum((x - mean) ** 2 * p for x, p in one.items()))
    reach = rounds * (max(one) - min(one))
    wide = min(reach, ceil(2 * WIDTH * deviation * sqrt(rounds))) // step + 2
    size = 2 ** ceil(log2(wide))
    pmf = np.zeros(size)
    for cents, probability in one.items():
        pmf[(cents // step) % size] += probability
    total = np.fft.irfft(np.fft.rfft(pmf) ** rounds, size).clip(0)
    middle = round(mean * rounds / step)
    places = middle - size // 2 + np.arange(size)
    return Result(places * step, total[places % size] / total.sum())
