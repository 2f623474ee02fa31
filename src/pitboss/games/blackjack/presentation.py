"""The texts of blackjack on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.presentation import Presentation, plain_decision
from pitboss.core.twenty_one import INSURANCE_PAYS
from pitboss.core.twenty_one_texts import (
    INSURANCE_PROMPT,
    INSURANCE_TEXTS,
    PLAY_TEXTS,
    blackjack_line,
    soft_17_line,
)
from pitboss.games.blackjack.decisions import Surrender
from pitboss.games.blackjack.rules import Outcome
from pitboss.games.blackjack.side_bets import LuckyLadies, PlusThree

if TYPE_CHECKING:
    from pitboss.games.blackjack.rules import Rules


def _felt_lines(rules: Rules) -> tuple[str, ...]:
    lines = (blackjack_line(rules.blackjack_pays), soft_17_line(rules.soft_17))
    return (*lines, f"Insurance pays {INSURANCE_PAYS.win} to 1") if rules.insurance else lines


def _any_amount(rules: Rules) -> tuple[str, ...]:
    return ("insure",) if rules.insurance else ()


PRESENTATION = Presentation(
    decisions=(*PLAY_TEXTS, plain_decision(Surrender.word, key="r"), *INSURANCE_TEXTS),
    prompts={
        "insuring": INSURANCE_PROMPT,
        "playing": "Your {hand} has {total}, the dealer shows {dealer}.",
    },
    celebrations={
        Outcome.BLACKJACK: "Blackjack!",
        LuckyLadies.QUEENS_AND_DEALER_BLACKJACK.replace("_", " "): "The queens of hearts!",
        LuckyLadies.QUEENS_OF_HEARTS.replace("_", " "): "The queens of hearts!",
        PlusThree.SUITED_THREE_OF_A_KIND.replace("_", " "): "Suited three of a kind!",
    },
    hand_marks={Outcome.BLACKJACK, Outcome.SURRENDER},
    result_titles={
        LuckyLadies.QUEENS_AND_DEALER_BLACKJACK: "Queens of hearts, dealer blackjack",
        LuckyLadies.QUEENS_OF_HEARTS: "Two queens of hearts",
        LuckyLadies.MATCHED_20: "Matched 20 (rank and suit)",
    },
    felt_lines=_felt_lines,
    any_amount=_any_amount,
)
