"""Hands of 21 and their plays, shared by the games in which a dealer draws to 17."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, TypeAlias, assert_never

from pitboss.core.cards import BLACKJACK, Card, hard_total, is_soft, total
from pitboss.core.paytables import Odds

if TYPE_CHECKING:
    from collections.abc import Sequence

TWO = 2  # the number of cards that can double, split or be a blackjack
DEALER_STANDS = 17
INSURANCE_PAYS = Odds(2)


class Soft17(StrEnum):
    """The dealer's play on a soft 17."""

    HIT = "hit"
    STAND = "stand"


# --- decisions


@dataclass(frozen=True, slots=True)
class Insure:
    """A seat insures for an amount in cents; 0 declines."""

    seat: int
    amount: int

    def __str__(self) -> str:
        return f"insure {self.amount}"


@dataclass(frozen=True, slots=True)
class PlayWord:
    """A decision for the hand whose turn it is, written as one word."""

    seat: int

    word: ClassVar[str]

    def __str__(self) -> str:
        return self.word


class Hit(PlayWord):
    """Take one more card."""

    __slots__ = ()
    word = "hit"


class Stand(PlayWord):
    """Take no more cards."""

    __slots__ = ()
    word = "stand"


class Double(PlayWord):
    """Double the bet and take exactly one card."""

    __slots__ = ()
    word = "double"


class Split(PlayWord):
    """Make two hands from two cards of the same value, each with its own bet."""

    __slots__ = ()
    word = "split"


Play: TypeAlias = Hit | Stand | Double | Split

PLAYS: dict[str, type[Play]] = {play.word: play for play in (Hit, Stand, Double, Split)}


# --- hands


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards on a bet and their stake."""

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
        """Whether the hand is two cards of equal value; all faces count as ten."""
        return len(self.cards) == TWO and self.cards[0].value == self.cards[1].value

    @property
    def is_blackjack(self) -> bool:
        """Whether the first two cards are 21; never after a split."""
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


def play_hand(hand: Hand, play: Play) -> tuple[Hand, ...]:
    """Return the hand after a play, or the two hands of a split."""
    match play:
        case Hit():
            return (Hand(hand.cards, hand.stake, hand.from_split, called=True),)
        case Stand():
            return (Hand(hand.cards, hand.stake, hand.from_split, stood=True),)
        case Double():
            return (Hand(hand.cards, 2 * hand.stake, hand.from_split, doubled=True, called=True),)
        case Split():
            one, two = (Hand((card,), hand.stake, from_split=True) for card in hand.cards)
            return one, two
        case _:
            assert_never(play)


def add_card(hand: Hand, card: Card) -> Hand:
    """Return the hand with the card that it waited for."""
    return Hand((*hand.cards, card), hand.stake, hand.from_split, hand.doubled)


def dealer_hits(cards: Sequence[Card], soft_17: Soft17) -> bool:
    """Return whether the dealer draws: on 16 or less, and on a soft 17 if the house says so."""
    points = total(cards)
    hits = soft_17 is Soft17.HIT and points == DEALER_STANDS and is_soft(cards)
    return points < DEALER_STANDS or hits
