"""The value of each rule of Roll Your Own: the game with one setting switched at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pitboss.core.paytables import Odds
from pitboss.games.roll_your_own import GAME, HoleCard, Insurance, OneCard, Rules, RunOut, Soft17
from pitboss.games.roll_your_own.presolved import as_played

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pitboss.core.settings import Json

VALUES: dict[str, Sequence[object]] = {
    "hole_card": tuple(HoleCard),
    "one_card_vs_dealer_blackjack": tuple(OneCard),
    "double_after_split": (True, False),
    "max_splits": range(5),
    "resplit_aces": (False, True),
    "soft_17": tuple(Soft17),
    "blackjack_pays": (Odds(3, 2), Odds(6, 5), Odds(1)),
    "insurance": tuple(Insurance),
    "run_out": tuple(RunOut),
}
"""The values that each setting is switched to."""

REASONS = {
    "insurance": "gains nothing alone: at most 16 of the 48 unseen cards are tens, which is even",
    "run_out": "one seat cannot use up the deck",
    "one_card_vs_dealer_blackjack": "it matters only after a peek",
    "double_after_split": "there are no splits",
    "resplit_aces": "there are no splits",
}


@dataclass(frozen=True, slots=True)
class Worth:
    """The game with one setting switched; figures that are not computed are None."""

    setting: str
    value: str
    ev: float | None
    """The expectation of the two blackjack bets."""

    package_ev: float | None
    difference: float | None
    """The player's gain from the switch per round, in units of one bet."""

    reason: str | None = None
    """Why the switch changes nothing, if that is clear without solving the game."""

    @property
    def house_edge(self) -> float | None:
        """The house edge of the package, per unit staked."""
        return None if self.package_ev is None else -self.package_ev / GAME.units["package"]

    @property
    def blackjack_house_edge(self) -> float | None:
        """The house edge of the two blackjack bets, per unit staked."""
        return None if self.ev is None else -self.ev / GAME.units["blackjack"]

    def as_json(self) -> dict[str, Json]:
        return {
            "setting": self.setting,
            "value": self.value,
            "blackjack_ev": self.ev,
            "blackjack_house_edge": self.blackjack_house_edge,
            "package_ev": self.package_ev,
            "house_edge": self.house_edge,
            "difference": self.difference,
            "reason": self.reason,
        }


def alternatives(rules: Rules) -> Iterator[tuple[str, Rules]]:
    """Yield the rules with each setting switched to each of its other values."""
    for name, values in VALUES.items():
        for value in values:
            if value != getattr(rules, name):
                yield name, replace(rules, **{name: value})  # type: ignore[arg-type]


def rules_worth(
    rules: Rules,
    switched: Sequence[tuple[str, Rules]],
    bonus_ev: float,
    value: Callable[[Rules], float | None],
) -> list[Worth]:
    """Return the effect of each switch; *value* gives the blackjack bets' expectation, if known."""
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
                None if ev is None else ev + bonus_ev,
                0.0 if is_same else None if ev is None or now is None else ev - now,
                REASONS.get(name) if is_same else None,
            )
        )
    return rows
