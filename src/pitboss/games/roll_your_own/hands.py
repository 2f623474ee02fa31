"""Seats and the places of hands in a round of Roll Your Own Blackjack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pitboss.core.caching import cached_property
from pitboss.games.roll_your_own.rules import PACK

if TYPE_CHECKING:
    from pitboss.core.cards import Card
    from pitboss.core.twenty_one import Hand
    from pitboss.games.roll_your_own.decisions import (
        Bet,
    )


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
