"""Seats and the places of hands in a round of blackjack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pitboss.core.caching import cached_property

if TYPE_CHECKING:
    from pitboss.core.cards import Card
    from pitboss.core.twenty_one import Hand
    from pitboss.games.blackjack.decisions import Bet


@dataclass(frozen=True)  # no slots: cached_property needs a __dict__
class Seat:
    """A seat in play: its bets, its first two cards, and its hands."""

    bet: Bet
    cards: tuple[Card, ...] = ()
    hands: tuple[Hand, ...] = ()
    insurance: int | None = None  # None: not decided yet
    surrendered: bool = False

    @property
    def number(self) -> int:
        return self.bet.seat

    @cached_property
    def drawn(self) -> int:
        """The number of cards that the seat has received after the deal."""
        return sum(len(hand.cards) for hand in self.hands) - len(self.cards)


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of a hand: its seat and its index among the seat's hands."""

    seat: Seat
    index: int

    @property
    def hand(self) -> Hand:
        return self.seat.hands[self.index]

    @property
    def has_added_bet(self) -> bool:
        """Whether a double or a split has added to the seat's original bet."""
        return self.hand.doubled or self.hand.from_split

    def with_hands(self, *new: Hand) -> Seat:
        """Return the seat with the hand replaced by *new*."""
        hands = self.seat.hands
        return replace(self.seat, hands=hands[: self.index] + new + hands[self.index + 1 :])
