"""Four-card hands of Toss One 21: which card to toss, and how two hands compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from pitboss.core.cards import BLACKJACK, Card, total
from pitboss.core.paytables import unit_net

if TYPE_CHECKING:
    from fractions import Fraction

from pitboss.games.toss_one.rules import (
    AceKicker,
    DealerBlackjack,
    Lucky3,
    Outcome,
    Rules,
)

PACK = 4


@dataclass(frozen=True, slots=True)
class Hand:
    """Three kept cards and the tossed card, the kicker."""

    kept: tuple[Card, ...]
    tossed: Card
    total: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", total(self.kept))  # cached because it is used often

    @property
    def is_bust(self) -> bool:
        return self.total > BLACKJACK

    @property
    def is_blackjack(self) -> bool:
        """Whether the three cards are an ace and two ten-value cards (rule 8)."""
        is_21 = self.total == BLACKJACK
        return is_21 and sorted([card.value for card in self.kept]) == [1, 10, 10]


@lru_cache(maxsize=1024)  # a round needs the same few hands several times
def best_hands(cards: tuple[Card, ...]) -> tuple[Hand, ...]:
    """Return the hands with the best total (rules 3 and 5); empty if every toss busts.

    Identical cards from several decks count as one toss.

    >>> from pitboss.core.cards import parse
    >>> [hand.tossed for hand in best_hands(parse("As Kd 5h 6c"))]
    [As]
    """
    values = [card.value for card in cards]
    hard, aces = sum(values), values.count(1)
    best = 0
    tossed: list[int] = []
    for index, value in enumerate(values):
        points = hard - value
        if points + 10 <= BLACKJACK and aces > (value == 1):
            points += 10  # an ace is left
        if not best <= points <= BLACKJACK or cards[index] in cards[:index]:
            continue
        if points > best:
            best, tossed = points, []
        tossed.append(index)
    return tuple([Hand(_without(cards, index), cards[index]) for index in tossed])


def _without(cards: tuple[Card, ...], index: int) -> tuple[Card, ...]:
    return cards[:index] + cards[index + 1 :]


def all_hands(cards: tuple[Card, ...]) -> tuple[Hand, ...]:
    """Return the hand of every toss; identical cards from several decks count as one toss."""
    ways = (cards.index(card) for card in dict.fromkeys(cards))
    return tuple([Hand(_without(cards, index), cards[index]) for index in ways])


def lucky3(hand: Hand) -> Lucky3 | None:
    """Return the Lucky 3 class of the three kept cards, if they total 21 (rule 10)."""
    if hand.total != BLACKJACK:
        return None
    suits = {card.suit for card in hand.kept}
    if len(suits) == 1:
        return Lucky3.SUITED_BLACKJACK if hand.is_blackjack else Lucky3.SUITED_21
    if len({suit.is_red for suit in suits}) == 1:
        return Lucky3.COLOURED_BLACKJACK if hand.is_blackjack else Lucky3.COLOURED_21
    return Lucky3.BLACKJACK if hand.is_blackjack else Lucky3.OTHER_21


def chosen_hand(rules: Rules, cards: tuple[Card, ...]) -> Hand | None:
    """Return the hand for a player who does not choose, or ``None`` if it busts.

    It is the best hand with the highest Lucky 3 prize; among equals, the first dealt (R-8).
    """

    def pays(hand: Hand) -> Fraction:
        return unit_net(rules.lucky3_paytable.odds(lucky3(hand)))

    return max(best_hands(cards), key=pays, default=None)


def compare(rules: Rules, player: Hand | None, dealer: Hand | None) -> Outcome:
    """Return the outcome of the Main bet; ``None`` as a hand means a bust."""
    if player is None or player.is_bust:
        return Outcome.PLAYER_BUST  # rule 4
    if player.is_blackjack:
        return Outcome.BLACKJACK  # rule 8, whatever the dealer has
    if dealer is None:
        return Outcome.DEALER_BUST  # rule 6
    if player.total != dealer.total:
        return Outcome.HIGHER_TOTAL if player.total > dealer.total else Outcome.LOWER_TOTAL
    if dealer.is_blackjack and rules.dealer_blackjack is DealerBlackjack.BEATS_21:
        return Outcome.DEALER_BLACKJACK  # reading R-1
    ours, theirs = _kicker(rules, player), _kicker(rules, dealer)
    if ours != theirs:
        return Outcome.HIGHER_KICKER if ours > theirs else Outcome.LOWER_KICKER
    return Outcome.TIE  # rule 9


def _kicker(rules: Rules, hand: Hand) -> int:
    if hand.tossed.value == 1 and rules.ace_kicker is AceKicker.HIGH:
        return 11  # reading R-3
    return hand.tossed.value
