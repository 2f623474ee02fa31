"""The drills of blackjack: playing two cards, surrender and insurance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pitboss.core.cards import DECK, is_soft, total
from pitboss.core.errors import NotationError
from pitboss.core.protocol import deal_from
from pitboss.core.twenty_one import Insure
from pitboss.games.blackjack.decisions import Bet
from pitboss.games.blackjack.round import Phase, Round
from pitboss.games.blackjack.rules import SurrenderRule
from pitboss.training import shuffled
from pitboss.training.drills import BET, Drill
from pitboss.training.hands import is_hard_hand, is_pair, is_soft_hand, why_best

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from pitboss.coach import Option
    from pitboss.core.cards import Card
    from pitboss.games.blackjack.rules import Rules
    from pitboss.training.drills import Question, Situation

    Deal: TypeAlias = Callable[[Rules, Random], Question | None]

SURRENDER_TOTALS = range(14, 18)  # hard totals that are surrendered against some up card
STRONG_UP_CARDS = {1, 8, 9, 10}
INSURANCE_SEATS = 5


def _deal_round(rules: Rules, chance: Random, seats: int = 1) -> Round:
    round_ = Round(rules)
    for seat in range(1, seats + 1):
        round_ = round_.apply(Bet(seat, BET))
    return deal_from(shuffled(rules.decks, chance), round_)


def _two(is_wanted: Callable[[tuple[Card, ...]], bool]) -> Deal:
    """Return a function that deals two wanted cards and declines insurance."""

    def deal(rules: Rules, chance: Random) -> Question | None:
        round_ = _deal_round(rules, chance)
        if not is_wanted(round_.seats[0].cards):
            return None
        if round_.phase == Phase.INSURING:
            round_ = round_.apply(Insure(1, 0))
        return (round_, 1) if round_.asked else None

    return deal


def _pairs(rules: Rules, chance: Random) -> Question | None:
    """Deal a pair, or raise an error if the rules allow no split (rule 8c)."""
    if not rules.max_splits:
        raise NotationError("no pairs to practice: no split is allowed under these rules")
    return _two(is_pair)(rules, chance)


def _is_stiff(two: tuple[Card, ...]) -> bool:
    return not is_soft(two) and total(two) in SURRENDER_TOTALS


def _surrender(rules: Rules, chance: Random) -> Question | None:
    """Deal a weak hand against a strong up card; late surrender is allowed in this drill."""
    found = _two(_is_stiff)(replace(rules, surrender=SurrenderRule.LATE), chance)
    is_strong = found and found[0].view().dealer.kept[0].value in STRONG_UP_CARDS
    return found if is_strong else None


def _insurance(rules: Rules, chance: Random) -> Question | None:
    """Deal one deck to five seats: with more decks, the open cards never make insurance right."""
    if not rules.insurance:
        raise NotationError("no insurance to practice: it is not offered under these rules")
    round_ = _deal_round(replace(rules, decks=1), chance, seats=min(INSURANCE_SEATS, rules.seats))
    asked = round_.asked
    return (round_, asked.seat) if asked and round_.phase == Phase.INSURING else None


def why(situation: Situation, option: Option) -> str | None:
    """Describe the best decision in a player's words; return ``None`` for any other option."""
    if option.value != situation.advice.best.value:
        return None
    round_ = situation.round
    return why_best(round_.view(situation.seat), option.decision, round_.deck_size // len(DECK))


_WHAT = "What do you do with this hand?"
DRILLS = (
    Drill("hard", "Hard hands", "two cards without an ace", _WHAT, _two(is_hard_hand)),
    Drill("soft", "Soft hands", "an ace that counts 11", _WHAT, _two(is_soft_hand)),
    Drill("pairs", "Pairs", "when to split", _WHAT, _pairs),
    Drill(
        "surrender",
        "Surrender",
        "when to give up half of the bet",
        "Surrender is allowed here. What do you do with this hand?",
        _surrender,
    ),
    Drill(
        "insurance",
        "Insurance",
        "counting the tens that are out of one deck",
        "One deck, and the dealer shows an ace. Do you insure?",
        _insurance,
    ),
)
