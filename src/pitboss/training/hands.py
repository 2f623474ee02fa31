"""The kinds of hands of 21 that drills ask about, and hands in a player's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.coach.twenty_one import hand_in_turn, unseen, up_card
from pitboss.core.cards import BLACKJACK, Card, Rank, is_soft, total
from pitboss.core.twenty_one import TWO, Insure
from pitboss.training.drills import card_name

if TYPE_CHECKING:
    from pitboss.core.protocol import Operation, View

PRACTICE_TOTALS = range(8, 18)  # hard totals whose play is not obvious


def is_pair(cards: tuple[Card, ...]) -> bool:
    """Return whether a hand is two cards of the same value."""
    return len(cards) == TWO and cards[0].value == cards[1].value


def is_hard_hand(cards: tuple[Card, ...]) -> bool:
    """Return whether a hand is a hard total to practice, and no pair."""
    return not is_soft(cards) and not is_pair(cards) and total(cards) in PRACTICE_TOTALS


def is_soft_hand(cards: tuple[Card, ...]) -> bool:
    """Return whether a hand is a soft total below 21, and no pair."""
    return is_soft(cards) and not is_pair(cards) and total(cards) < BLACKJACK


def with_article(card: Card) -> str:
    """Return the name of a card's value with its article.

    >>> from pitboss import parse
    >>> [with_article(card) for card in parse("As Kd")]
    ['an ace', 'a 10']
    """
    return f"{'an' if card.value in {1, 8} else 'a'} {card_name(card)}"


def why_best(view: View, decision: Operation, decks: int) -> str:
    """Describe the best insurance or play in a player's words."""
    if isinstance(decision, Insure):
        return _count_tens(view, decks)
    hand = _hand_name(hand_in_turn(view).cards or ())
    return f"{hand} against {with_article(up_card(view))}: {decision}"


def _hand_name(cards: tuple[Card, ...]) -> str:
    if is_pair(cards):
        return f"a pair of {card_name(cards[0])}s"
    return f"{'soft' if is_soft(cards) else 'hard'} {total(cards)}"


def _count_tens(view: View, decks: int) -> str:
    """Explain insurance: it pays 2 to 1, so more than a third of the cards must be tens."""
    left = unseen(view, decks)
    tens = sum(card.value == Rank.TEN.value for card in left)
    share = 100 * tens / len(left)
    return f"{tens} of {len(left)} unseen cards are tens, {share:.0f} %: insurance gains above 33 %"
