"""The wagers after the deal in Roll Your Own: insurance, doubles and splits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.roll_your_own import rules as roll_your_own
from pitboss.jurisdictions.setup import Insurance, doubles_and_splits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.jurisdictions.setup import Raises
    from pitboss.tables.limits import Limit


def insurance(rules: Rules, limits: Mapping[str, Limit]) -> Insurance | None:
    """Return the largest insurance, half of the two blackjack bets (rule 7j), if offered."""
    if rules.insurance is roll_your_own.Insurance.OFF:
        return None
    return Insurance(limits["bet"].most, "half of two bets")


def raises(rules: Rules, limits: Mapping[str, Limit]) -> Raises:
    """Return the largest double or split, and the largest total of one bet."""
    return doubles_and_splits(
        limits["bet"].most, rules.max_splits, double_after_split=rules.double_after_split
    )
