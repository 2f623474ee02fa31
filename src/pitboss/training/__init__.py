"""Training: drills, dealer training, worked examples and the odds of any rules.

The web page contains no rules: the games compute everything that it shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.cards import DECK

if TYPE_CHECKING:
    from random import Random

    from pitboss.core.cards import Card


def shuffled(decks: int, chance: Random) -> tuple[Card, ...]:
    """Return full decks in random order; *chance* may be insecure: no money is at stake."""
    cards = list(DECK) * decks
    chance.shuffle(cards)
    return tuple(cards)
