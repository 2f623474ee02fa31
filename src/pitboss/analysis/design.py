"""Pay table design: find the change to one line that brings the house edge closest to a target.

If a line wins with probability p, each additional unit that it pays lowers the edge by p. So the
odds that hit the target exactly are known. The nearest odds that a layout can print (whole units,
and halves below 10:1) are then priced exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pitboss.core.errors import SettingError, shown
from pitboss.core.paytables import LARGEST_ODDS, Odds, Paytable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules

    Price: TypeAlias = Callable[[Any], Fraction | float]  # the expectation under some rules

R = TypeVar("R", bound="Rules")

HALVES_BELOW = 10
"""Below these odds a layout can also print halves: 1:2, 3:2, and so on up to 19:2."""


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a pay table at other odds, and the resulting edge of the bet."""

    on: tuple[str | int, ...]
    pays: Odds
    instead_of: Odds
    edge: Fraction | float  # per unit staked
    ev: Fraction | float

    def as_json(self) -> dict[str, Json]:
        return {
            "on": list(self.on),
            "pays": str(self.pays),
            "instead_of": str(self.instead_of),
            "house_edge": float(self.edge),
            "ev": str(self.ev) if isinstance(self.ev, Fraction) else self.ev,
        }


def changes(rules: Rules, bet: str, target: Fraction, price: Price, stake: int = 1) -> list[Change]:
    """Return the single-line changes that bring the edge closest to *target*, best first.

    The edge is per unit staked, with *stake* units on the bet. A line is skipped if its present
    odds are already the closest.
    """
    tables = paytables(rules.game)
    if bet not in tables:
        valid = ", ".join(tables)
        raise SettingError(f"no pay table to design for {shown(bet)}: valid are {valid}")
    name = tables[bet]

    def distance(change: Change) -> Fraction:
        return abs(Fraction(change.edge) - target)

    found = []
    for index in range(len(getattr(rules, name).lines)):
        priced = (
            _priced(rules, name, index, odds, price, stake)
            for odds in _near(rules, name, index, target * stake, price)
        )
        nearest = min(priced, key=distance)
        if nearest.pays.on(1) != nearest.instead_of.on(1):
            found.append(nearest)
    return sorted(found, key=distance)


def paytables(game: Game) -> dict[str, str]:
    """Return the pay table setting of each bet that has one.

    If every bet is mandatory and only one has a pay table, the package uses that table too.
    """
    found = {bet.figures: bet.paytable for bet in game.bets if bet.figures and bet.paytable}
    if len(found) == 1 and all(bet.is_mandatory for bet in game.bets if bet.stake):
        found["package"] = next(iter(found.values()))
    return found


def _near(rules: Rules, name: str, index: int, target: Fraction, price: Price) -> Iterator[Odds]:
    """Yield the printable odds next to those that would hit the target exactly."""
    _, odds = getattr(rules, name).lines[index]
    edge = -price(rules)
    rise = edge + price(with_odds(rules, name, index, Odds(odds.win + odds.stake, odds.stake)))
    exact = odds.on(1) + ((edge - target) / rise if rise else 0)
    yield odds  # the present odds first: they win a tie
    for whole in range(int(exact) - 1, int(exact) + 3):
        if 0 <= whole <= LARGEST_ODDS:
            yield Odds(whole)
        if 0 <= whole < HALVES_BELOW:
            yield Odds(2 * whole + 1, 2)


def _priced(rules: Rules, name: str, index: int, odds: Odds, price: Price, stake: int) -> Change:
    on, instead_of = getattr(rules, name).lines[index]
    ev = price(with_odds(rules, name, index, odds))
    return Change(on, odds, instead_of, -ev / stake, ev)


def with_odds(rules: R, name: str, index: int, odds: Odds) -> R:
    """Return the rules with one line of a pay table at other odds."""
    lines = list(getattr(rules, name).lines)
    lines[index] = (lines[index][0], odds)
    changed: Any = {name: Paytable(tuple(lines))}
    return replace(rules, **changed)
