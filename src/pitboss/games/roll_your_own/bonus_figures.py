"""The Bonus of Roll Your Own Blackjack, counted exactly over all 22,100 three-card hands.

The blackjack bets and the package need a strategy: see ``blackjack``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, floor
from typing import TYPE_CHECKING

from pitboss.analysis.design import with_odds
from pitboss.analysis.figures import Event, Figures
from pitboss.analysis.side_bets import count_deals
from pitboss.core.paytables import LARGEST_ODDS, Odds
from pitboss.games.roll_your_own import GAME, Bonus, poker_class
from pitboss.games.roll_your_own.rules import PACK

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from fractions import Fraction

    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own import Rules


@cache
def classes() -> Counter[Bonus | None]:
    """Count the three-card hands of one deck by class."""
    return count_deals(poker_class, PACK)


def figures(rules: Rules) -> Figures:
    """Return the figures of the Bonus."""
    table = rules.bonus_paytable
    events = [Event(c.replace("_", " "), table.odds(c), classes()[c]) for c in Bonus]
    return Figures("bonus", (*events, Event("anything else", None, classes()[None])))


# --- the Bonus pay table and the edge


@dataclass(frozen=True, slots=True)
class Table:
    """A Bonus pay table, and the expectations of the Bonus and the package with it."""

    rules: Rules
    changed: tuple[Bonus, ...]
    """The results of the line that differs from the table in force."""

    bonus_ev: Fraction
    package_ev: float | None
    """None if the blackjack bets are not computed."""

    @property
    def package_edge(self) -> float | None:
        """The house edge per unit staked."""
        return None if self.package_ev is None else -self.package_ev / GAME.units["package"]

    def as_json(self) -> dict[str, Json]:
        odds = {c: self.rules.bonus_paytable.odds(c) for c in Bonus}
        return {
            "pays": {c.value: str(o) if o else None for c, o in odds.items()},
            "changed": list(self.changed),
            "bonus_ev": str(self.bonus_ev),
            "bonus_house_edge": -float(self.bonus_ev),
            "package_ev": self.package_ev,
            "house_edge": self.package_edge,
        }


def tables(rules: Rules, blackjack_ev: float | None) -> list[Table]:
    """Return the Bonus table in force, and variants with one line a step lower or higher."""

    def priced(of: Rules, changed: tuple[Bonus, ...] = ()) -> Table:
        ev = figures(of).ev
        together = None if blackjack_ev is None else blackjack_ev + float(ev)
        return Table(of, changed, ev, together)

    found = [priced(rules)]
    for index, (on, odds) in enumerate(rules.bonus_paytable.lines):
        others = (with_odds(rules, "bonus_paytable", index, other) for other in _steps(odds))
        found += [priced(other, on) for other in others]
    return found


def _steps(odds: Odds) -> Iterator[Odds]:
    """Yield the next lower and higher odds that a layout would print."""
    now = odds.on(1)
    step = next(size for most, size in STEPS if now <= most)
    for other in (ceil(now / step) - 1, floor(now / step) + 1):
        if 0 < other * step <= LARGEST_ODDS:
            yield Odds(other * step)


STEPS = ((10, 1), (60, 10), (LARGEST_ODDS, 50))
"""Each entry is an upper limit of the odds, and the step between odds up to that limit."""
