"""The texts of Toss One 21 on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.presentation import DecisionText, Presentation
from pitboss.games.toss_one.rules import Outcome

if TYPE_CHECKING:
    from pitboss.games.toss_one.rules import Rules


def _felt_lines(rules: Rules) -> tuple[str, ...]:
    odds = rules.blackjack_pays
    return (f"Blackjack pays {odds.win} to {odds.stake}", "Nearest to 21 wins")


PRESENTATION = Presentation(
    decisions=(
        DecisionText(
            decision="toss",
            label="Toss {}",
            you="toss {}",
            they="tosses {}",
            noun="toss",
            control="card",
        ),
    ),
    prompts={"tossing": "Toss one card."},
    hand_marks={Outcome.BLACKJACK},
    left_out="tosses {}",
    dealer_left_out="kicker {}",
    felt_lines=_felt_lines,
)
