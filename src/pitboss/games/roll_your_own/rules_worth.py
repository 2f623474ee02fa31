"""The value of each rule of Roll Your Own: the game with one setting switched at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitboss.analysis import worth
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
class Worth(worth.Worth):
    """The game with one setting switched; the expectation is that of the two blackjack bets."""

    bonus_ev: float = 0.0

    @property
    def package_ev(self) -> float | None:
        return None if self.ev is None else self.ev + self.bonus_ev

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
    return worth.alternatives(rules, VALUES)


def rules_worth(
    rules: Rules,
    switched: Sequence[tuple[str, Rules]],
    bonus_ev: float,
    value: Callable[[Rules], float | None],
) -> list[Worth]:
    """Return the effect of each switch; *value* gives the blackjack bets' expectation, if known."""
    found = worth.worth_of_rules(rules, switched, as_played=as_played, value=value, reasons=REASONS)
    return [Worth(r.setting, r.value, r.ev, r.difference, r.reason, bonus_ev) for r in found]
