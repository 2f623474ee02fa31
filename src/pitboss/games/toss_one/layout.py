"""The wagers after the deal: Toss One 21 has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.games.toss_one.rules import Rules
    from pitboss.tables.limits import Limit


def insurance(rules: Rules, limits: Mapping[str, Limit]) -> None:
    """Return nothing: Toss One 21 has no insurance."""


def raises(rules: Rules, limits: Mapping[str, Limit]) -> None:
    """Return nothing: Toss One 21 has no doubles or splits."""
