"""The decision for an absent seat of Toss One 21."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.toss_one.hands import chosen_hand
from pitboss.games.toss_one.round import Toss

if TYPE_CHECKING:
    from pitboss.core.protocol import View
    from pitboss.games.toss_one.rules import Rules


def decide(rules: Rules, view: View) -> Toss:
    """Return the toss that the game makes for a player who does not choose (R-8)."""
    own = next(seat for seat in view.seats if seat.seat == view.seat)
    hand = chosen_hand(rules, tuple(filter(None, own.cards)))
    assert hand is not None  # noqa: S101  a seat that busts has nothing to decide (rule 4)
    return Toss(own.seat, hand.tossed)
