"""Simulator jobs, and the results of their bets.

A job is a game with its rules, seats, strategy and seed. A run counts how often each event
happened. The counts are whole numbers, so they can be added in any order and on any machine. They
are priced after the run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import gcd, prod, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from pitboss.core.cards import Card, Rank, Suit
from pitboss.core.errors import RuleError, shown
from pitboss.core.paytables import EVEN
from pitboss.simulator.samples import INTERVALS, ChiSquare, Sample, chi_square

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from pitboss.core.settings import Json, Rules

    Counts = NDArray[np.int64]

UNIT = 100
"""The stake of each bet, in cents."""

CARDS = tuple(Card(rank, suit) for rank in Rank for suit in Suit)
"""A deck in the card order of the kernels."""

MOST_ROUNDS = 10**15
MOST_SEED = 2**64 - 1
MOST_RESULTS = 1 << 22
"""Maximum number of different combined results of several seats."""


@dataclass(frozen=True, slots=True)
class ExactFigures:
    """The exact figures of a bet per unit, and the probability of each class."""

    ev: float
    classes: Mapping[str, float] | None = None
    std_dev: float | None = None


@dataclass(frozen=True)
class Bet:
    """The results of a bet in a run, in cents."""

    name: str
    stake: int  # units staked by a seat in a round
    seats: int
    player: Sample  # one seat's results per round
    table: Sample  # the combined results of all seats per round
    classes: Mapping[str, int] | None = None
    exact: ExactFigures | None = None

    @property
    def total(self) -> int:
        return int(self.table.total)

    @property
    def ev(self) -> float:
        """The mean result of a seat per round, in units of one bet."""
        return self.table.mean / self.seats / UNIT

    @property
    def house_edge(self) -> float:
        """The house edge per unit staked; doubles and splits do not add to the stake."""
        return -self.ev / self.stake

    @property
    def std_error(self) -> float:
        return self.table.std_error / self.seats / UNIT

    @property
    def std_dev(self) -> float:
        """The standard deviation of a seat's result per round."""
        return self.player.std_dev / UNIT

    @property
    def z(self) -> float | None:
        """The difference between the mean and the exact mean, in standard errors.

        The exact standard error is used if it is known.
        """
        if self.exact is None:
            return None
        error = self.std_error
        if self.exact.std_dev and self.seats == 1:  # a sample may lack the rare prizes
            error = self.exact.std_dev / sqrt(self.table.rounds)
        return (self.ev - self.exact.ev) / error if error else None

    @property
    def interval(self) -> dict[str, tuple[float, float]]:
        """The confidence intervals of the mean, by confidence level."""
        return {
            name: (self.ev - width * self.std_error, self.ev + width * self.std_error)
            for name, width in INTERVALS.items()
        }

    @property
    def chi_square(self) -> ChiSquare | None:
        """Compare class frequencies with the exact ones, for one seat only.

        Seats in a round are not independent.
        """
        if self.seats > 1 or self.classes is None or self.exact is None or not self.exact.classes:
            return None
        n = sum(self.classes.values())
        names = {**self.exact.classes, **self.classes}
        found = chi_square(
            (self.classes.get(name, 0), n * self.exact.classes.get(name, 0.0)) for name in names
        )
        return found if found.freedom else None  # too few rounds to compare

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


class Details(Protocol):
    """Figures of a run that are specific to one game."""

    def as_json(self) -> dict[str, Json]:
        """Return all figures."""

    def lines(self) -> list[str]:
        """Return the lines that the command line prints below the bets."""

    def columns(self) -> dict[str, str]:
        """Return this run's cells in the table of results by seats, keyed by column title."""


class Job(ABC):
    """A game to simulate; round *i* depends only on the seed and on *i*."""

    game: ClassVar[str]
    rules: Any  # the game's Rules
    seats: int
    seed: int
    parts: Mapping[str, tuple[int, ...]]
    """The shape of each count, by name. The first one counts every round of every seat."""

    piece: ClassVar[int]
    """Rounds that one core plays at a time."""

    gpu_piece: ClassVar[int]
    """Rounds that a graphics card plays at a time."""

    @property
    def strategy_name(self) -> str | None:
        """The name of the strategy that all seats play; None for a game without choices."""
        return None

    def __post_init__(self) -> None:
        check_seats(self.seats, self.rules.seats)
        check_seed(self.seed)

    def identity(self) -> dict[str, Json]:
        """Return everything that the counts depend on, except the rounds played."""
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
        """Return a round as a journal, with the results that were counted."""

    @abstractmethod
    def bets(
        self, counts: Counts, exact: Mapping[str, ExactFigures] | None = None
    ) -> dict[str, Bet]:
        """Return the results of each bet, with the exact figures."""

    @abstractmethod
    def exact(self) -> dict[str, ExactFigures]:
        """Return the known exact figures by bet, with rounded winnings."""

    def distribution(self, bet: str) -> Mapping[int, int] | None:  # noqa: ARG002  for other games
        """Return the number of deals by a bet's result in cents, for one seat; None if unknown."""
        return None

    def details(self, counts: Counts, bets: Mapping[str, Bet]) -> Details | None:  # noqa: ARG002
        """Return the figures that are specific to this game, if it has any."""
        return None

    def agrees(self, counts: Counts, rounds: int) -> bool:
        """Return whether these counts are possible after *rounds* rounds."""
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
        raise RuleError(f"a seed must be a whole number in 0..2^64-1, not {shown(seed)}")
    return seed


def check_number(number: int) -> int:
    if not 0 <= number < MOST_ROUNDS:
        raise RuleError(f"a round number must be in 0..10^15-1, not {shown(number)}")
    return number


def check_seats(seats: int, most: int) -> int:
    if not 1 <= seats <= most:
        raise RuleError(f"this table has 1..{most} seats, not {shown(seats)}")
    return seats


def check_unit(rules: Rules) -> None:
    """Reject rules that do not pay even money on a bet and on a doubled bet."""
    rounding = rules.rounding
    if rounding.net(EVEN, UNIT) != UNIT or rounding.net(EVEN, 2 * UNIT) != 2 * UNIT:
        raise RuleError(
            f"rounding={rounding} does not pay even money on a bet of {UNIT} cents, the unit of the"
            f" simulation: choose a chip that divides {UNIT} cents"
        )


def steps_of(nets: Iterable[int]) -> int:
    """Return the largest step that divides every net result plus the stake."""
    return gcd(*(net + UNIT for net in nets)) or UNIT


def check_results(results: int) -> int:
    if results > MOST_RESULTS:
        raise RuleError(
            "the prizes are too large or too uneven to count the results of several seats:"
            " simulate one seat"
        )
    return results


def sample_of(row: Counts, least: int, step: int) -> Sample:
    """Return a row of counts as a sample; element *i* counts the result least + i * step."""
    places = np.flatnonzero(row)
    return Sample({least + step * int(i): int(row[i]) for i in places})


def net_of(settlements: Iterable[dict[str, Json]]) -> dict[str, Json]:
    """Return the net result of each seat, in the format of a journal."""
    found: dict[str, Json] = {}
    for settled in settlements:
        seat = str(settled["seat"])
        found[seat] = found.get(seat, 0) + settled["net"]
    return found


# --- the parts of a game


class SimulationPart(Protocol):
    """The ``simulation`` part of a game: a module with this function."""

    def job(self, rules: Any, seats: int, seed: int, strategy: Any) -> Job:  # noqa: ANN401
        """Return the job that plays *rules*; *strategy* is None for a game without choices."""


class StrategiesPart(Protocol):
    """The ``strategies`` part of a game: a module with these functions."""

    def named(self, rules: Any, name: str, progress: Callable[[float], object]) -> Any:  # noqa: ANN401
        """Return the strategy with this name, one of ``Game.strategies``."""

    def read(self, data: Mapping[str, Json], rules: Any, *, name: str) -> Any:  # noqa: ANN401
        """Return the strategy described by a strategy file."""


def make_job(
    rules: Rules,
    *,
    seats: int = 1,
    seed: int = 1,
    strategy: Any = None,  # noqa: ANN401  the game's strategy class
    progress: Callable[[float], object] = lambda _: None,
) -> Job:
    """Return the job that plays *rules*, for any game that can be simulated.

    *strategy* is a name in ``rules.game.strategies`` (the first if left out) or one of the game's
    strategy objects. Some strategies are computed first; *progress* is called with the share done.
    """
    game = rules.game
    part: SimulationPart = game.part("simulation")
    if strategy is not None and not game.strategies:
        raise RuleError(f"{game.name} has no choices, so it takes no strategy")
    if game.strategies and (strategy is None or isinstance(strategy, str)):
        strategies: StrategiesPart = game.part("strategies")
        strategy = strategies.named(rules, strategy or game.strategies[0], progress)
    return part.job(rules, seats, seed, strategy)
