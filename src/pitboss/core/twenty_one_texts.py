"""The texts of hands, plays and insurance that games of 21 share on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.presentation import DecisionText, plain_decision
from pitboss.core.twenty_one import Soft17

if TYPE_CHECKING:
    from pitboss.core.paytables import Odds

PLAY_TEXTS = (
    plain_decision("hit", key="h"),
    plain_decision("stand", key="s"),
    plain_decision("double", key="d"),
    plain_decision("split", key="p"),
)

INSURANCE_TEXTS = (
    DecisionText(
        decision="insure",
        label="Insure for {}",
        you="insure for {}",
        they="insures for {}",
        noun="answer",
        key="i",
    ),
    DecisionText(
        decision="insure 0",
        label="No insurance",
        you="take no insurance",
        they="takes no insurance",
        noun="answer",
        key="n",
    ),
)

INSURANCE_PROMPT = "The dealer shows an ace: do you insure?"


def blackjack_line(odds: Odds) -> str:
    """Return the line of a layout that says what a blackjack pays."""
    return f"Blackjack pays {odds.win} to {odds.stake}"


def soft_17_line(soft_17: Soft17) -> str:
    """Return the line of a layout that says when the dealer stands."""
    return "Dealer hits soft 17" if soft_17 is Soft17.HIT else "Dealer stands on all 17s"
