"""Odds, pay tables and rounding: how a result becomes money.

Pay tables use the notation of a layout. A push pays 0:1, a result that a table does not list loses,
and amounts are whole cents.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Generic, TypeVar, overload

from pitboss.core.errors import SettingError, shown

R = TypeVar("R", bound=Hashable)  # a result of a bet: an outcome, a class of hands, a total

LARGEST_ODDS = 1_000_000
ELSE = "anything else"
"""The name, in tables of figures, for results that a pay table does not list."""


@dataclass(frozen=True, slots=True)
class Odds:
    """A payout of *win* to *stake*; 0:1 is a push.

    >>> Odds(3, 2).on(5)
    Fraction(15, 2)
    >>> str(Odds.read("6:5"))
    '6:5'
    """

    win: int
    stake: int = 1

    def __post_init__(self) -> None:
        whole = type(self.win) is int and type(self.stake) is int
        if not (whole and 0 <= self.win <= LARGEST_ODDS and 1 <= self.stake <= LARGEST_ODDS):
            raise SettingError(
                f"odds of {self.win}:{self.stake} are invalid: the win must be from 0 to"
                f" {LARGEST_ODDS:,} and the stake from 1 to {LARGEST_ODDS:,}"
            )

    @classmethod
    def read(cls, text: str) -> Odds:
        """Parse odds as a layout prints them, ``3:2``."""
        match = re.fullmatch(r"([0-9]{1,9}):([0-9]{1,9})", text)
        if not match:
            raise SettingError(f"{shown(text)} are not odds: write them as in 3:2")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.win}:{self.stake}"

    def on(self, stake: int) -> Fraction:
        """Return the exact winnings on *stake*."""
        return Fraction(self.win * stake, self.stake)


EVEN = Odds(1)
"""Even money: one to one."""
PUSH = Odds(0)
"""The odds of a push: the stake is returned without winnings."""


def unit_net(odds: Odds | None) -> Fraction:
    """Return the net result of a one-unit bet at *odds*; ``None`` is a loss."""
    return Fraction(-1) if odds is None else odds.on(1)


class Direction(StrEnum):
    """How to round winnings that are not a whole number of chips."""

    NEAREST = "nearest"
    DOWN = "down"
    UP = "up"


@dataclass(frozen=True, slots=True)
class Rounding:
    """The rounding of winnings to whole chips of *chip* cents.

    >>> [Rounding.read(text).of(Fraction(1235, 2)) for text in ("cent", "down:25", "up:25")]
    [618, 600, 625]
    """

    direction: Direction = Direction.NEAREST
    chip: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction", Direction(self.direction))
        if type(self.chip) is not int or self.chip < 1:
            raise SettingError(f"a chip of {self.chip} cents is invalid: use a whole number from 1")
        if self.direction is Direction.NEAREST and self.chip != 1:
            raise SettingError("winnings are rounded to the nearest cent, or down or up to a chip")

    @classmethod
    def read(cls, text: str) -> Rounding:
        """Parse ``cent``, ``down:CHIP`` or ``up:CHIP`` with the chip in cents."""
        if text == "cent":
            return cls()
        match = re.fullmatch(r"(down|up):([0-9]{1,9})", text)
        if not match:
            raise SettingError(
                f"{shown(text)} is not a rounding: use cent, down:CHIP or up:CHIP with the chip"
                " in cents, as in down:25"
            )
        return cls(Direction(match[1]), int(match[2]))

    def __str__(self) -> str:
        if self.direction is Direction.NEAREST:
            return "cent"
        return f"{self.direction}:{self.chip}"

    def of(self, winnings: Fraction) -> int:
        """Round *winnings* to whole cents; to the nearest cent, an exact half is rounded up."""
        return self._round(winnings.numerator, winnings.denominator)

    def net(self, odds: Odds | None, stake: int) -> int:
        """Return the net result of a bet of *stake* at *odds*; ``None`` is a loss."""
        return -stake if odds is None else self._round(odds.win * stake, odds.stake)

    def _round(self, cents: int, parts: int) -> int:
        """Round *cents* / *parts* with integer arithmetic."""
        if self.direction is Direction.NEAREST:
            return (2 * cents + parts) // (2 * parts)
        chips = cents // (parts * self.chip)
        if self.direction is Direction.UP and cents % (parts * self.chip):
            chips += 1
        return chips * self.chip


@dataclass(frozen=True, slots=True)
class Paytable(Generic[R]):
    """The results that a bet pays on, line by line; any other result loses.

    >>> table = Paytable((((4,), Odds(250)), ((5, 6), Odds(50))))
    >>> table.odds(6), table.odds(7)
    (Odds(win=50, stake=1), None)
    """

    lines: tuple[tuple[tuple[R, ...], Odds], ...]
    _odds: dict[R, Odds] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        odds: dict[R, Odds] = {}
        for results, pays in self.lines:
            for result in results:
                if result is None:
                    raise SettingError("None cannot be a winning result: it stands for a loss")
                if result in odds:
                    raise SettingError(f"{shown(result)} is listed twice")
                odds[result] = pays
        if not odds:
            raise SettingError("the pay table lists no winning result")
        object.__setattr__(self, "_odds", odds)

    @overload
    @classmethod
    def of(cls, pays: Mapping[tuple[R, ...], Odds | str]) -> Paytable[R]: ...

    @overload
    @classmethod
    def of(cls, pays: Mapping[R, Odds | str]) -> Paytable[R]: ...

    @classmethod
    def of(cls, pays: Mapping[Any, Odds | str]) -> Paytable[Any]:
        """Create a table from the odds of each result; results that share a line are a tuple.

        A result that is itself a tuple must be inside another tuple: ``{((1, 2),): "5:1"}``.

        >>> Paytable.of({(4,): "250:1", (5, 6): "50:1"}).odds(6)
        Odds(win=50, stake=1)
        """
        if not isinstance(pays, Mapping):
            raise SettingError(f"{shown(pays)} is not a pay table: give the odds of each result")
        lines = ((on if isinstance(on, tuple) else (on,), odds) for on, odds in pays.items())
        return cls(tuple((on, Odds.read(str(odds))) for on, odds in lines))

    def odds(self, result: R | None) -> Odds | None:
        """Return the odds of *result*, or ``None`` if it loses."""
        return None if result is None else self._odds.get(result)

    @property
    def results(self) -> frozenset[R]:
        """The results that the table lists, including a push."""
        return frozenset(self._odds)
