"""The drills of Roll Your Own Blackjack: setting the hands, playing two cards, insurance."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pitboss.coach.twenty_one import up_card
from pitboss.core.errors import NotationError
from pitboss.core.protocol import deal_from, supply
from pitboss.core.twenty_one import Insure
from pitboss.games.roll_your_own.decisions import Bet, SetHands
from pitboss.games.roll_your_own.round import Phase, Round
from pitboss.games.roll_your_own.rules import Insurance
from pitboss.training import shuffled
from pitboss.training.drills import BET, Drill, card_name
from pitboss.training.hands import is_hard_hand, is_pair, is_soft_hand, why_best, with_article

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from pitboss.coach import Option
    from pitboss.core.cards import Card
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.training.drills import Question, Situation

    Deal: TypeAlias = Callable[[Rules, Random], Question | None]

DECKS = 1  # rule 1


def _deal_round(rules: Rules, chance: Random, seats: int = 1) -> tuple[Round, tuple[Card, ...]]:
    round_ = Round(rules)
    for seat in range(1, seats + 1):
        round_ = round_.apply(Bet.of(seat, BET))
    deck = shuffled(DECKS, chance)
    return deal_from(deck, round_), deck


def _set(rules: Rules, chance: Random) -> Question | None:
    round_, _ = _deal_round(rules, chance)
    return (round_, 1) if round_.phase == Phase.SETTING else None


def _insurance(rules: Rules, chance: Random) -> Question | None:
    """Deal three seats, because their open cards decide whether to insure (rule 7j)."""
    if rules.insurance is Insurance.OFF:
        raise NotationError("no insurance to practice: it is not offered under these rules")
    round_, deck = _deal_round(rules, chance, seats=3)
    while round_.phase == Phase.SETTING and round_.asked:
        round_ = supply(deck, round_.apply(chance.choice(round_.asked.legal)))
    asked = round_.asked
    return (round_, asked.seat) if asked and round_.phase == Phase.INSURING else None


def _two(is_wanted: Callable[[tuple[Card, ...]], bool]) -> Deal:
    """Return a function that deals two wanted cards to the first bet."""

    def deal(rules: Rules, chance: Random) -> Question | None:
        round_, deck = _deal_round(rules, chance)
        ways = [way for way in round_.legal(1) if isinstance(way, SetHands) and len(way.first) > 1]
        ways = [way for way in ways if is_wanted(way.first)]
        if not ways:
            return None
        round_ = supply(deck, round_.apply(chance.choice(ways)))
        if round_.phase == Phase.INSURING:
            round_ = supply(deck, round_.apply(Insure(1, 0)))
        turn = round_.view(1).turn
        asked = round_.asked and turn and (turn.bet, turn.hand) == ("first", 0)
        return (round_, 1) if asked else None

    return deal


def _pairs(rules: Rules, chance: Random) -> Question | None:
    """Deal a pair, or raise an error if the rules allow no split (rule 7c)."""
    if not rules.max_splits:
        raise NotationError("no pairs to practice: no split is allowed under these rules")
    return _two(is_pair)(rules, chance)


# --- words


def why(situation: Situation, option: Option) -> str | None:
    """Describe the best decision in a player's words; return ``None`` for any other option."""
    if option.value != situation.advice.best.value:
        return None
    decision, view = option.decision, situation.round.view(situation.seat)
    if isinstance(decision, SetHands):
        two, one = sorted((decision.first, decision.second), key=len, reverse=True)
        together, alone = "-".join(map(card_name, two)), card_name(one[0])
        return f"against {with_article(up_card(view))}: {together} together, the {alone} alone"
    return why_best(view, decision, DECKS)


_WHAT = "What do you do with this hand?"
DRILLS = (
    Drill(
        "set",
        "Set three cards",
        "which two cards go together, and which stands alone",
        "Two cards on one bet, one on the other: how do you set them?",
        _set,
    ),
    Drill("hard", "Hard hands", "two cards without an ace", _WHAT, _two(is_hard_hand)),
    Drill("soft", "Soft hands", "an ace that counts 11", _WHAT, _two(is_soft_hand)),
    Drill("pairs", "Pairs", "when to split", _WHAT, _pairs),
    Drill(
        "insurance",
        "Insurance",
        "counting the tens that are out",
        "The dealer shows an ace. Do you insure?",
        _insurance,
    ),
)
