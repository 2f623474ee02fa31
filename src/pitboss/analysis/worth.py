"""The value of each rule of a game that is solved: one setting switched at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pitboss.core.settings import Rules

R = TypeVar("R", bound="Rules")


@dataclass(frozen=True, slots=True)
class Worth:
    """A game with one setting switched; figures that are not computed are None."""

    setting: str
    value: str
    ev: float | None
    """The expectation of the bets that are solved."""

    difference: float | None
    """The player's gain from the switch per round, in units of one bet."""

    reason: str | None = None
    """Why the switch changes nothing, if that is clear without solving the game."""


def worth_of_rules(
    rules: Rules,
    switched: Iterable[tuple[str, Rules]],
    *,
    as_played: Callable[[Any], Rules],
    value: Callable[[Any], float | None],
    reasons: Mapping[str, str],
) -> list[Worth]:
    """Return the effect of each switch of a setting.

    *switched* has the name of a setting and the rules with another value of it. *value* gives the
    expectation of the solved bets, if known; rules with equal *as_played* have the same.
    """
    now = value(rules)
    rows = []
    for name, other in switched:
        is_same = as_played(other) == as_played(rules)
        ev = now if is_same else value(other)
        rows.append(
            Worth(
                name,
                other.settings[name].text(getattr(other, name)),
                ev,
                0.0 if is_same else None if ev is None or now is None else ev - now,
                reasons.get(name) if is_same else None,
            )
        )
    return rows


def alternatives(rules: R, values: Mapping[str, Sequence[object]]) -> Iterator[tuple[str, R]]:
    """Yield the rules with each setting switched to each of its other *values*."""
    for name, others in values.items():
        for value in others:
            if value != getattr(rules, name):
                changed: Any = {name: value}
                yield name, replace(rules, **changed)
