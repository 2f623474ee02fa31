"""The texts of Roll Your Own Blackjack on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.presentation import DecisionText, Presentation, plain_decision
from pitboss.core.twenty_one import Soft17
from pitboss.games.roll_your_own.rules import Bonus, Insurance, Outcome

if TYPE_CHECKING:
    from pitboss.games.roll_your_own.rules import Rules


def _felt_lines(rules: Rules) -> tuple[str, ...]:
    odds = rules.blackjack_pays
    hits = rules.soft_17 is Soft17.HIT
    return (
        f"Blackjack pays {odds.win} to {odds.stake}",
        "Dealer hits soft 17" if hits else "Dealer stands on all 17s",
    )


def _any_amount(rules: Rules) -> tuple[str, ...]:
    return ("insure",) if rules.insurance is Insurance.UP_TO_HALF else ()


PRESENTATION = Presentation(
    decisions=(
        DecisionText(
            decision="set",
            label="{} | {}",
            you="set {} on First, {} on Second",
            they="sets {} on First, {} on Second",
            noun="setting",
            control="hands",
        ),
        plain_decision("hit", key="h"),
        plain_decision("stand", key="s"),
        plain_decision("double", key="d"),
        plain_decision("split", key="p"),
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
    ),
    prompts={
        "setting": "Set two cards on one bet, one on the other.",
        "insuring": "The dealer shows an ace: do you insure?",
        "playing": "Your {hand} has {total}, the dealer shows {dealer}.",
    },
    celebrations={
        Outcome.DOUBLE_BLACKJACK: "Double blackjack!",
        Outcome.RUN_OUT: "The deck ran out: every bet wins!",
    },
    hand_marks={Outcome.BLACKJACK},
    result_titles={Bonus.AKQ_SUITED: "A-K-Q suited"},
    felt_lines=_felt_lines,
    any_amount=_any_amount,
)
