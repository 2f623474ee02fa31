"""The drill of Toss One 21: which card to toss."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pitboss.core.cards import BLACKJACK, Card, hard_total, total
from pitboss.core.protocol import deal_from
from pitboss.games.toss_one.hands import PACK, Hand, best_hands, lucky3
from pitboss.games.toss_one.round import Bet, Round
from pitboss.games.toss_one.rules import TossRule
from pitboss.training import shuffled
from pitboss.training.drills import BET, Drill, card_name

if TYPE_CHECKING:
    from random import Random

    from pitboss.coach import Option
    from pitboss.games.toss_one.round import Toss
    from pitboss.games.toss_one.rules import Rules
    from pitboss.training.drills import Question, Situation

CLOSE_TOTAL = 4  # points: totals within this distance are not obvious
EASY_SKIP_RATE = 0.8  # the share of hands with an obvious toss that are skipped


def _deal(rules: Rules, chance: Random) -> Question | None:
    """Deal four cards; the player may try any toss, though rule 3 allows only the best ones."""
    free = replace(rules, toss=TossRule.FREE)
    side = chance.choice((0, BET // 2))
    cards = shuffled(rules.decks, chance)
    four = cards[:PACK]
    if not _is_instructive(free, four, with_lucky3=bool(side)) and chance.random() < EASY_SKIP_RATE:
        return None
    round_ = deal_from(cards, Round(free).apply(Bet(1, BET, side)))
    return (round_, 1) if round_.legal(1) else None


def _is_instructive(rules: Rules, four: tuple[Card, ...], *, with_lucky3: bool) -> bool:
    """Return whether totals are close, or Lucky 3 pays different odds on equal totals."""
    best = best_hands(four)
    if not best:
        return False  # a bust has no card to toss (rule 4)
    paid = {rules.lucky3_paytable.odds(lucky3(hand)) for hand in best}
    if with_lucky3 and len(paid) > 1:
        return True
    others = {_total_without(four, card) for card in four} - {best[0].total}
    return any(best[0].total - CLOSE_TOTAL < points <= BLACKJACK for points in others)


def _total_without(cards: tuple[Card, ...], tossed: Card) -> int:
    index = cards.index(tossed)
    return total(cards[:index] + cards[index + 1 :])


def why(situation: Situation, option: Option) -> str:
    """Describe the hand that a toss leaves."""
    toss: Toss = option.decision
    (own,) = situation.round.view(situation.seat).seats
    cards = tuple(filter(None, own.cards))
    index = cards.index(toss.card)
    hand = Hand(cards[:index] + cards[index + 1 :], toss.card)
    if hand.is_bust:
        return f"keeps {hard_total(hand.kept)}: over 21, a bust"
    name = "a blackjack" if hand.is_blackjack else str(hand.total)
    lucky = lucky3(hand)
    if own.stakes["lucky3"] and lucky:
        return f"keeps {name}, for Lucky 3 a {lucky.replace('_', ' ')}"
    return f"keeps {name} with kicker {card_name(toss.card)}"


DRILLS = (
    Drill("toss", "Toss one", "seeing the best three of four cards", "Toss one card.", _deal),
)
