"""The texts of Roll Your Own Blackjack on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.presentation import DecisionText, Presentation
from pitboss.core.twenty_one_texts import (
    INSURANCE_PROMPT,
    INSURANCE_TEXTS,
    PLAY_TEXTS,
    blackjack_line,
    soft_17_line,
)
from pitboss.games.roll_your_own.rules import Bonus, Insurance, Outcome

if TYPE_CHECKING:
    from pitboss.games.roll_your_own.rules import Rules


def _felt_lines(rules: Rules) -> tuple[str, ...]:
    return blackjack_line(rules.blackjack_pays), soft_17_line(rules.soft_17)


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
        *PLAY_TEXTS,
        *INSURANCE_TEXTS,
    ),
    prompts={
        "setting": "Set two cards on one bet, one on the other.",
        "insuring": INSURANCE_PROMPT,
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
