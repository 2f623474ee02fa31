"""The wagers after the deal in blackjack: insurance, doubles and splits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.jurisdictions.setup import Insurance, doubles_and_splits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.games.blackjack.rules import Rules
    from pitboss.jurisdictions.setup import Raises
    from pitboss.tables.limits import Limit


def insurance(rules: Rules, limits: Mapping[str, Limit]) -> Insurance | None:
    """Return the largest insurance, half of the Main bet (rule 7), if offered."""
    return Insurance(limits["main"].most // 2, "half of the Main bet") if rules.insurance else None


def raises(rules: Rules, limits: Mapping[str, Limit]) -> Raises:
    """Return the largest double or split, and the largest total of one bet."""
    return doubles_and_splits(
        limits["main"].most, rules.max_splits, double_after_split=rules.double_after_split
    )
