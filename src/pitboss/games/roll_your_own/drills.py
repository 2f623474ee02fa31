"""The drills of Roll Your Own Blackjack: setting the hands, playing two cards, insurance."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from pitboss.coach import own_seat
from pitboss.core.cards import BLACKJACK, DECK, Card, is_soft, total
from pitboss.core.errors import NotationError
from pitboss.core.protocol import deal_from, supply
from pitboss.core.twenty_one import TWO, Insure
from pitboss.games.roll_your_own.card.lists import TEN
from pitboss.games.roll_your_own.decisions import Bet, SetHands
from pitboss.games.roll_your_own.round import Phase, Round
from pitboss.games.roll_your_own.rules import Insurance
from pitboss.training import shuffled
from pitboss.training.drills import BET, Drill, card_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from pitboss.coach import Option
    from pitboss.core.protocol import View
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.training.drills import Question, Situation

    Deal: TypeAlias = Callable[[Rules, Random], Question | None]

PRACTICE_TOTALS = range(8, 18)  # hard totals whose play is not obvious


def _deal_round(rules: Rules, chance: Random, seats: int = 1) -> tuple[Round, tuple[Card, ...]]:
    round_ = Round(rules)
    for seat in range(1, seats + 1):
        round_ = round_.apply(Bet.of(seat, BET))
    deck = shuffled(1, chance)
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


def _is_pair(two: tuple[Card, ...]) -> bool:
    return two[0].value == two[1].value


def _is_hard(two: tuple[Card, ...]) -> bool:
    return not is_soft(two) and not _is_pair(two) and total(two) in PRACTICE_TOTALS


def _is_soft(two: tuple[Card, ...]) -> bool:
    return is_soft(two) and not _is_pair(two) and total(two) < BLACKJACK


def _pairs(rules: Rules, chance: Random) -> Question | None:
    """Deal a pair, or raise an error if the rules allow no split (rule 7c)."""
    if not rules.max_splits:
        raise NotationError("no pairs to practice: no split is allowed under these rules")
    return _two(_is_pair)(rules, chance)


# --- words


def _a(card: Card) -> str:
    return f"{'an' if card.value in {1, 8} else 'a'} {card_name(card)}"


def why(situation: Situation, option: Option) -> str | None:
    """Describe the best decision in a player's words; return ``None`` for any other option."""
    if option.value != situation.advice.best.value:
        return None
    decision, view = option.decision, situation.round.view(situation.seat)
    up = view.dealer.kept[0]
    if isinstance(decision, SetHands):
        two, one = sorted((decision.first, decision.second), key=len, reverse=True)
        together, alone = "-".join(map(card_name, two)), card_name(one[0])
        return f"against {_a(up)}: {together} together, the {alone} alone"
    if isinstance(decision, Insure):
        return _count_tens(view)
    turn = view.turn
    hands = own_seat(view).hands
    (hand,) = (h for h in hands if turn and (h.bet, h.hand) == (turn.bet, turn.hand))
    return f"{_hand(hand.cards or ())} against {_a(up)}: {decision}"


def _hand(cards: tuple[Card, ...]) -> str:
    if len(cards) == TWO and _is_pair(cards):
        return f"a pair of {card_name(cards[0])}s"
    return f"{'soft' if is_soft(cards) else 'hard'} {total(cards)}"


def _count_tens(view: View) -> str:
    """Explain insurance: it pays 2 to 1, so more than a third of the cards must be tens."""
    seen = Counter(card.value for seat in view.seats for card in seat.cards if card)
    seen[view.dealer.kept[0].value] += 1
    tens = sum(card.value == TEN for card in DECK) - seen[TEN]
    unseen = len(DECK) - seen.total()
    share = 100 * tens / unseen
    return f"{tens} of {unseen} unseen cards are tens, {share:.0f} %: insurance gains above 33 %"


_WHAT = "What do you do with this hand?"
DRILLS = (
    Drill(
        "set",
        "Set three cards",
        "which two cards go together, and which stands alone",
        "Two cards on one bet, one on the other: how do you set them?",
        _set,
    ),
    Drill("hard", "Hard hands", "two cards without an ace", _WHAT, _two(_is_hard)),
    Drill("soft", "Soft hands", "an ace that counts 11", _WHAT, _two(_is_soft)),
    Drill("pairs", "Pairs", "when to split", _WHAT, _pairs),
    Drill(
        "insurance",
        "Insurance",
        "counting the tens that are out",
        "The dealer shows an ace. Do you insure?",
        _insurance,
    ),
)
