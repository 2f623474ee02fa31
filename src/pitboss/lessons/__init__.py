"""Lessons: drills, dealer training, worked examples and the odds of any rules.

The page knows no rules: everything it shows is worked out here through the games themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.cards import DECK

if TYPE_CHECKING:
    from random import Random

    from pitboss.cards import Card


def shuffled(decks: int, chance: Random) -> tuple[Card, ...]:
    """Return full decks in an order by chance; nothing is at stake here."""
    cards = list(DECK) * decks
    chance.shuffle(cards)
    return tuple(cards)
