"""The decision for an absent seat of Roll Your Own Blackjack: set the house way and stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.twenty_one import Hit, Stand
from pitboss.games.roll_your_own.card.lists import ACE, TEN, UPS, Feature, Kind, Rule, left_alone
from pitboss.games.roll_your_own.decisions import SetHands

if TYPE_CHECKING:
    from pitboss.core.protocol import Operation, View
    from pitboss.games.roll_your_own.rules import Rules

HOUSE_WAY = (
    Rule(Feature(Kind.TOGETHER, ACE, TEN)),
    Rule(Feature(Kind.TOGETHER, TEN, TEN)),
    Rule(Feature(Kind.HARD, 8, 11)),
    Rule(Feature(Kind.TOGETHER, 9, TEN)),
    Rule(Feature(Kind.PAIRS, 2, 9), last=UPS.index(8)),
    Rule(Feature(Kind.TOGETHER, 8, TEN), last=UPS.index(8)),
    Rule(Feature(Kind.TOGETHER, ACE, 9), last=UPS.index(TEN)),
    Rule(Feature(Kind.TOGETHER, 9, 9)),
    Rule(Feature(Kind.TOGETHER, ACE, 8), first=UPS.index(7), last=UPS.index(8)),
    Rule(Feature(Kind.HIGHEST_ALONE)),
)
"""The house way to set three cards: the strategy card of the default rules, used under any rules.

Two cards go on the first bet and the single card on the second.
"""


def decide(rules: Rules, view: View) -> Operation | None:  # noqa: ARG001  the same under any rules
    """Set the house way and stand; return ``None`` for insurance, which has no special rule."""
    match view.legal[0]:
        case SetHands():
            return _house_way(view)
        case Hit() | Stand() as play:  # even if the deck is empty and a hit would win (rule 8)
            return Stand(play.seat)
        case _:
            return None


def _house_way(view: View) -> SetHands:
    """Set the house way; if several cards could be the single one, use the last one dealt."""
    cards = next(seat.cards for seat in view.seats if seat.seat == view.seat)
    own = tuple(sorted(int(card.value) for card in cards if card))
    alone = left_alone(HOUSE_WAY, int(view.dealer.kept[0].value), own)
    ways: tuple[SetHands, ...] = view.legal
    return next(way for way in ways if [card.value for card in way.second] == [alone])
