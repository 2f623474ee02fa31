"""The decision for an absent seat of blackjack: no insurance, and stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.twenty_one import Insure, Stand

if TYPE_CHECKING:
    from pitboss.core.protocol import View
    from pitboss.games.blackjack.decisions import Decision
    from pitboss.games.blackjack.rules import Rules


def decide(rules: Rules, view: View) -> Decision:  # noqa: ARG001  the same under any rules
    """Decline insurance or stand, even if the shoe is empty and a hit would return the bet."""
    first: Decision = view.legal[0]
    return Insure(first.seat, 0) if isinstance(first, Insure) else Stand(first.seat)
