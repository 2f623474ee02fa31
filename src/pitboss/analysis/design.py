"""Pay table design: which single line, changed, brings a bet's house edge nearest a target.

With the other lines as they are, the edge falls by p for each unit more that a line of probability
p pays, so the odds that hit the target exactly are known; the nearest odds that a layout prints
(whole units, and halves while they are small) are then priced exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pitboss.errors import SettingError, shown
from pitboss.paytables import LARGEST_ODDS, Odds, Paytable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from pitboss.analysis.figures import Figures
    from pitboss.rules import Json, Rules

LARGEST_HALVES = 5
"""Up to here layouts print halves, as in 3 to 2."""

PAYTABLES = {"lucky3": "lucky3_paytable", "bonus4": "bonus4_paytable", "bonus": "bonus_paytable"}
"""The setting that holds each side bet's pay table."""


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a pay table at other odds, and the edge the bet then has."""

    on: tuple[str | int, ...]
    pays: Odds
    instead_of: Odds
    edge: Fraction

    def as_json(self) -> dict[str, Json]:
        return {
            "on": list(self.on),
            "pays": str(self.pays),
            "instead_of": str(self.instead_of),
            "house_edge": float(self.edge),
            "ev": str(-self.edge),
        }


def changes(
    rules: Rules, bet: str, target: Fraction, price: Callable[[Any], Figures]
) -> list[Change]:
    """Return, nearest first, the best odds of each line on its own for an edge of *target*.

    A line whose odds are the nearest already is left out.
    """
    if bet not in PAYTABLES or PAYTABLES[bet] not in rules.settings:
        valid = ", ".join(b for b, name in PAYTABLES.items() if name in rules.settings)
        raise SettingError(f"no pay table to design for {shown(bet)}: valid are {valid}")
    name = PAYTABLES[bet]
    found = []
    for index in range(len(getattr(rules, name).lines)):
        priced = (
            _priced(rules, name, index, odds, price)
            for odds in _near(rules, name, index, target, price)
        )
        nearest = min(priced, key=lambda change: abs(change.edge - target))
        if nearest.pays.on(1) != nearest.instead_of.on(1):
            found.append(nearest)
    return sorted(found, key=lambda change: abs(change.edge - target))


def _near(
    rules: Rules, name: str, index: int, target: Fraction, price: Callable[[Any], Figures]
) -> Iterator[Odds]:
    """Return the printable odds round those that would hit the target exactly."""
    _, odds = getattr(rules, name).lines[index]
    edge = -price(rules).ev
    rise = edge + price(_with(rules, name, index, Odds(odds.win + odds.stake, odds.stake))).ev
    exact = odds.on(1) + ((edge - target) / rise if rise else 0)
    yield odds  # first: odds that are as near are no change
    for whole in range(int(exact) - 1, int(exact) + 3):
        if 0 <= whole <= LARGEST_ODDS:
            yield Odds(whole)
        if 0 <= whole <= LARGEST_HALVES:
            yield Odds(2 * whole + 1, 2)


def _priced(
    rules: Rules, name: str, index: int, odds: Odds, price: Callable[[Any], Figures]
) -> Change:
    on, instead_of = getattr(rules, name).lines[index]
    return Change(on, odds, instead_of, -price(_with(rules, name, index, odds)).ev)


def _with(rules: Rules, name: str, index: int, odds: Odds) -> Rules:
    lines = list(getattr(rules, name).lines)
    lines[index] = (lines[index][0], odds)
    changed: Any = {name: Paytable(tuple(lines))}
    return replace(rules, **changed)
