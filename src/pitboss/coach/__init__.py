"""The coach: the value of every legal decision of a seat, from the cards that the seat can see.

Each game has its own coach, the ``coach`` part. It uses only the seat's view of the round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose
from typing import TYPE_CHECKING, Any, Protocol

from pitboss.core.errors import GameError, RuleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pitboss.core.protocol import Operation, Round, SeatView, View

__all__ = [
    "Advice",
    "CoachError",
    "Option",
    "advise",
]


class CoachError(GameError):
    """The coach cannot value this situation."""

    code = "coach"


@dataclass(frozen=True, slots=True)
class Option:
    """A legal decision and its expected win, in units of the seat's first bet."""

    decision: Operation
    value: float
    same_as: Operation | None = None
    """An earlier equivalent option: it swaps the hands, or uses a card of the same value."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The legal decisions of a seat with their values, best first."""

    seat: int
    options: tuple[Option, ...]
    unit: int
    """The amount in cents that a value of 1 stands for."""
    note: str
    """What the values measure."""
    approximate: bool = False
    """True if the stub could run out of cards before the dealer is done."""

    @property
    def best(self) -> Option:
        return self.options[0]

    def choices(self) -> tuple[tuple[Option, ...], ...]:
        """Group equivalent options; return the groups, best first."""
        first = [option for option in self.options if option.same_as is None]
        return tuple(
            (one, *(option for option in self.options if option.same_as == one.decision))
            for one in first
        )

    def value(self, decision: Operation) -> float:
        """Return the value of a legal decision."""
        for option in self.options:
            if option.decision == decision:
                return option.value
        raise RuleError(f"seat {self.seat} may not {decision} now")

    def cost(self, decision: Operation) -> float:
        """Return the expected loss of a legal decision compared with the best one."""
        return self.best.value - self.value(decision)


class CoachPart(Protocol):
    """The ``coach`` part of a game."""

    def advise(self, round_: Any, view: View) -> Advice:  # noqa: ANN401  the game's own round
        """Value the decisions of the view's seat from the visible cards only."""


def advise(round_: Round, seat: int) -> Advice:
    """Value every legal decision of *seat*, from the cards that the seat can see.

    Roll Your Own needs the extra ``kernels``.
    """
    view = round_.view(seat)
    if not view.legal:
        raise RuleError(f"seat {seat} has nothing to decide now")
    part: CoachPart = round_.rules.game.part("coach")
    return part.advise(round_, view)


def best_first(
    options: Iterable[Option], choice: Callable[[Operation], object]
) -> tuple[Option, ...]:
    """Sort options by value, stably, and mark each one that is equivalent to an earlier option.

    *choice* returns equal keys for decisions that differ only in notation.
    """
    found: list[Option] = []
    for option in sorted(options, key=lambda option: -option.value):
        same = (other.decision for other in found if _is_same(other, option, choice))
        found.append(replace(option, same_as=next(same, None)))
    return tuple(found)


def _is_same(one: Option, other: Option, choice: Callable[[Operation], object]) -> bool:
    is_equal = isclose(one.value, other.value, abs_tol=1e-9)
    return is_equal and choice(one.decision) == choice(other.decision)


def own_seat(view: View) -> SeatView:
    """Return the seat that the view belongs to."""
    return next(seat for seat in view.seats if seat.seat == view.seat)
