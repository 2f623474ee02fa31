"""The value of each rule of blackjack: the game with one setting switched at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pitboss.analysis import worth
from pitboss.core.paytables import Odds
from pitboss.core.twenty_one import Soft17
from pitboss.games.blackjack.presolved import as_played
from pitboss.games.blackjack.rules import DoubleOn, HoleCard, Rules, SurrenderRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pitboss.core.settings import Json

VALUES: dict[str, Sequence[object]] = {
    "decks": (1, 2, 4, 6, 8),
    "soft_17": tuple(Soft17),
    "blackjack_pays": (Odds(3, 2), Odds(6, 5), Odds(1)),
    "double": tuple(DoubleOn),
    "double_after_split": (True, False),
    "max_splits": range(4),
    "resplit_aces": (False, True),
    "hit_split_aces": (False, True),
    "surrender": tuple(SurrenderRule),
    "hole_card": tuple(HoleCard),
    "insurance": (True, False),
}
"""The values that each setting is switched to."""

REASONS = {
    "hole_card": "a dealer's blackjack takes the original bet alone, as it does after a peek",
    "insurance": "it gains nothing: fewer than a third of the unseen cards are tens",
    "double_after_split": "there are no splits",
    "hit_split_aces": "there are no splits",
    "resplit_aces": "aces cannot be split twice",
}


@dataclass(frozen=True, slots=True)
class Worth(worth.Worth):
    """The game with one setting switched; the expectation is that of Main."""

    @property
    def house_edge(self) -> float | None:
        """The house edge of Main, per unit staked."""
        return None if self.ev is None else -self.ev

    def as_json(self) -> dict[str, Json]:
        return {
            "setting": self.setting,
            "value": self.value,
            "ev": self.ev,
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
    value: Callable[[Rules], float | None],
) -> list[Worth]:
    """Return the effect of each switch; *value* gives the expectation of Main, if known."""
    found = worth.worth_of_rules(
        rules, switched, as_played=_as_valued, value=value, reasons=REASONS
    )
    return [Worth(r.setting, r.value, r.ev, r.difference, r.reason) for r in found]


def _as_valued(rules: Rules) -> Rules:
    """Return rules that give Main the same expectation."""
    played = as_played(rules)
    only = rules.hole_card is HoleCard.ORIGINAL_BETS_ONLY
    return replace(played, hole_card=HoleCard.PEEK) if only else played
