"""Hands and seats of a round of Roll Your Own Blackjack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pitboss.core.caching import cached_property
from pitboss.core.cards import BLACKJACK, Card, hard_total, total
from pitboss.games.roll_your_own.rules import (
    PACK,
    TWO,
)

if TYPE_CHECKING:
    from pitboss.games.roll_your_own.decisions import (
        Bet,
    )


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards on a blackjack bet and their stake."""

    cards: tuple[Card, ...]
    stake: int
    from_split: bool = False
    doubled: bool = False
    stood: bool = False
    called: bool = False  # a hit or a double waits for its card

    @property
    def total(self) -> int:
        return total(self.cards)

    @property
    def is_bust(self) -> bool:
        return hard_total(self.cards) > BLACKJACK

    @property
    def is_pair(self) -> bool:
        """Whether the hand is two cards of equal value; all faces count as ten (rule 7b)."""
        return len(self.cards) == TWO and self.cards[0].value == self.cards[1].value

    @property
    def is_blackjack(self) -> bool:
        """Whether the first two cards are 21; never after a split (rule 7h)."""
        return len(self.cards) == TWO and self.total == BLACKJACK and not self.from_split

    @property
    def is_split_ace(self) -> bool:
        return self.from_split and self.cards[0].value == 1

    @property
    def is_settled_at_once(self) -> bool:
        return self.is_bust or self.is_blackjack

    @property
    def needs_card(self) -> bool:
        """Whether the hand waits for a card: its second one, or the card of a hit or double."""
        return len(self.cards) == 1 or self.called


@dataclass(frozen=True)  # no slots: cached_property needs a __dict__
class Seat:
    """A seat in play: three cards, then the hands on its two blackjack bets."""

    bet: Bet
    cards: tuple[Card, ...] = ()
    first: tuple[Hand, ...] = ()
    second: tuple[Hand, ...] = ()
    insurance: int | None = None  # None: not decided yet

    @property
    def number(self) -> int:
        return self.bet.seat

    @cached_property
    def is_double_blackjack(self) -> bool:
        """Whether the three cards are A-A-10 or A-10-10 (rule 7i)."""
        return sorted(card.value for card in self.cards) in ([1, 1, 10], [1, 10, 10])

    @property
    def is_set(self) -> bool:
        return bool(self.first) or self.is_double_blackjack

    @cached_property
    def drawn(self) -> int:
        """The number of cards that the seat has received from the stub."""
        held = sum(len(hand.cards) for hand in self.first + self.second)
        return held - PACK if held else 0

    @property
    def half(self) -> int:
        """The largest insurance: half of two equal bets (rule 7j)."""
        return self.bet.first


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of a hand: its seat, its bet and its index on the bet."""

    seat: Seat
    bet: str
    index: int

    @property
    def hands(self) -> tuple[Hand, ...]:
        return self.seat.first if self.bet == "first" else self.seat.second

    @property
    def hand(self) -> Hand:
        return self.hands[self.index]

    def with_hands(self, *new: Hand) -> Seat:
        """Return the seat with the hand replaced by *new*."""
        hands = self.hands[: self.index] + new + self.hands[self.index + 1 :]
        if self.bet == "first":
            return replace(self.seat, first=hands)
        return replace(self.seat, second=hands)
