"""What a simulation plays, and what became of the bets.

A job is a game with its rules, seats, strategy and seed. Playing rounds gives whole numbers, how
often each thing happened, which add up whatever the order and whoever counted; prices come after.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import gcd, prod, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pitboss.errors import RuleError, shown
from pitboss.simulator.samples import INTERVALS, ChiSquare, Sample, chi_square

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from pitboss.rules import Json

    Counts = NDArray[np.int64]

UNIT = 100
"""Cents on each bet."""

MOST_ROUNDS = 10**15
MOST_SEED = 2**64 - 1
MOST_RESULTS = 1 << 22
"""Results of several seats together that are told apart."""


@dataclass(frozen=True, slots=True)
class Exact:
    """What is known of a bet without playing, per unit, and how often each class comes."""

    ev: float
    classes: Mapping[str, float] | None = None
    std_dev: float | None = None


@dataclass(frozen=True)
class Bet:
    """What a bet came to in so many rounds, in cents."""

    name: str
    stake: int  # units staked by a seat in a round
    seats: int
    player: Sample  # of one seat in a round
    table: Sample  # of all seats together in a round
    classes: Mapping[str, int] | None = None
    exact: Exact | None = None

    @property
    def total(self) -> int:
        return int(self.table.total)

    @property
    def ev(self) -> float:
        """The mean of a seat's round, per unit of one bet."""
        return self.table.mean / self.seats / UNIT

    @property
    def house_edge(self) -> float:
        """Per unit staked, before doubles and splits."""
        return -self.ev / self.stake

    @property
    def std_error(self) -> float:
        return self.table.std_error / self.seats / UNIT

    @property
    def std_dev(self) -> float:
        """The standard deviation of a seat's round."""
        return self.player.std_dev / UNIT

    @property
    def z(self) -> float | None:
        """How many standard errors the mean is above what is exact; those too are, if known."""
        if self.exact is None:
            return None
        error = self.std_error
        if self.exact.std_dev and self.seats == 1:  # a sample that missed rare prizes has less
            error = self.exact.std_dev / sqrt(self.table.rounds)
        return (self.ev - self.exact.ev) / error if error else None

    @property
    def interval(self) -> dict[str, tuple[float, float]]:
        """Where the true mean lies, by how sure one may be."""
        return {
            name: (self.ev - width * self.std_error, self.ev + width * self.std_error)
            for name, width in INTERVALS.items()
        }

    @property
    def chi_square(self) -> ChiSquare | None:
        """The classes beside what is exact; seats of one round are not independent, so of one."""
        if self.seats > 1 or self.classes is None or self.exact is None or not self.exact.classes:
            return None
        n = sum(self.classes.values())
        names = {**self.exact.classes, **self.classes}
        found = chi_square(
            (self.classes.get(name, 0), n * self.exact.classes.get(name, 0.0)) for name in names
        )
        return found if found.freedom else None  # too few rounds to say anything

    def as_json(self) -> dict[str, Json]:
        found = self.chi_square
        return {
            "stake": self.stake,
            "total": self.total,
            "ev": self.ev,
            "house_edge": self.house_edge,
            "std_error": self.std_error,
            "exact": None if self.exact is None else self.exact.ev,
            "z": self.z,
            "std_dev": self.std_dev,
            "interval": {name: list(ends) for name, ends in self.interval.items()},
            "classes": None if self.classes is None else dict(self.classes),
            "chi_square": found and found.as_json(),
        }


class Job(ABC):
    """A game to be played many times; round *i* depends on the seed and on *i* alone."""

    game: ClassVar[str]
    rules: Any  # the game's own
    seats: int
    seed: int
    parts: Mapping[str, tuple[int, ...]]
    """The counts by name, and the shape of each; the first counts every round of every seat."""

    piece: ClassVar[int]
    """Rounds that one core plays at a time."""

    gpu_piece: ClassVar[int]
    """Rounds that a graphics card plays at a time."""

    def __post_init__(self) -> None:
        check_seats(self.seats, self.rules.seats)
        check_seed(self.seed)

    def identity(self) -> dict[str, Json]:
        """Return what the counts depend on beside the rounds played."""
        return {
            "game": self.game,
            "rules": self.rules.digest(),
            "seats": self.seats,
            "seed": self.seed,
        }

    @abstractmethod
    def play(self, begin: int, end: int) -> Counts:
        """Play rounds *begin* to *end* on one core."""

    @abstractmethod
    def play_on_gpu(self, begin: int, end: int) -> Counts:
        """Play the same rounds on a graphics card."""

    @abstractmethod
    def journal(self, number: int) -> dict[str, Json]:
        """Write a round as a journal with the results as they were counted."""

    @abstractmethod
    def bets(self, counts: Counts, exact: Mapping[str, Exact] | None = None) -> dict[str, Bet]:
        """Return what each bet came to, beside what is exact."""

    def agrees(self, counts: Counts, rounds: int) -> bool:
        """Say whether counts can be those of so many rounds."""
        parts = self.views(counts)
        whole = [int(next(iter(parts.values())).sum()) == rounds * self.seats]
        if self.seats > 1:
            whole += [int(n) == rounds for n in parts["house"].sum(axis=1)]
        return bool((counts >= 0).all()) and all(whole)

    @property
    def size(self) -> int:
        return sum(map(prod, self.parts.values()))

    def views(self, counts: Counts) -> dict[str, Counts]:
        """Return the counts by name, in their shapes."""
        ends = np.cumsum([prod(shape) for shape in self.parts.values()])
        pieces = np.split(counts, ends[:-1])
        return {
            name: piece.reshape(shape)
            for (name, shape), piece in zip(self.parts.items(), pieces, strict=True)
        }


def check_seed(seed: int) -> int:
    if type(seed) is not int or not 0 <= seed <= MOST_SEED:
        raise RuleError(f"a seed is a whole number of 0..2^64-1, not {shown(seed)}")
    return seed


def check_number(number: int) -> int:
    if not 0 <= number < MOST_ROUNDS:
        raise RuleError(f"rounds are numbered 0 to 10^15 - 1, and {shown(number)} is none")
    return number


def check_seats(seats: int, most: int) -> int:
    if not 1 <= seats <= most:
        raise RuleError(f"this table has 1..{most} seats, not {shown(seats)}")
    return seats


def steps_of(nets: Iterable[int]) -> int:
    """Return the largest amount that every net result differs from a lost bet by a number of."""
    return gcd(*(net + UNIT for net in nets)) or UNIT


def check_results(results: int) -> int:
    if results > MOST_RESULTS:
        raise RuleError(
            "the prizes are too large, or too uneven, to count what several seats win together:"
            " simulate one seat"
        )
    return results


def sample_of(row: Counts, least: int, step: int) -> Sample:
    """Return a row of counts as a sample: place *i* stands for least + i step."""
    places = np.flatnonzero(row)
    return Sample({least + step * int(i): int(row[i]) for i in places})


def net_of(settlements: Iterable[dict[str, Json]]) -> dict[str, Json]:
    """Return what each seat won, as a journal has it."""
    found: dict[str, Json] = {}
    for settled in settlements:
        seat = str(settled["seat"])
        found[seat] = found.get(seat, 0) + settled["net"]
    return found
