"""Cards: ranks, suits, their text forms, and blackjack totals."""

from __future__ import annotations

import re
from enum import IntEnum, StrEnum
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NoReturn

from pitboss.core.errors import NotationError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

BLACKJACK = 21
"""The target total of every game in the family."""


class Suit(StrEnum):
    """A suit, written as its letter."""

    SPADES = "s"
    HEARTS = "h"
    DIAMONDS = "d"
    CLUBS = "c"

    @property
    def symbol(self) -> str:
        return "♠♥♦♣"["shdc".index(self)]

    @property
    def is_red(self) -> bool:
        return self in {Suit.HEARTS, Suit.DIAMONDS}


class Rank(IntEnum):
    """A rank, from the ace (1) to the king (13)."""

    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13

    @property
    def letter(self) -> str:
        return "A23456789TJQK"[self - 1]


class Card:
    """One of the fifty-two cards.

    Each card exists once: equal cards are the same object, even after copying or unpickling.

    >>> Card(Rank.ACE, Suit.SPADES)
    As
    >>> Card(Rank.QUEEN, Suit.HEARTS).value
    10
    """

    __slots__ = ("rank", "suit", "text", "value")

    rank: Rank
    suit: Suit
    text: str
    value: int
    """The value in blackjack; an ace is 1."""

    def __new__(cls, rank: Rank, suit: Suit) -> Card:  # noqa: PYI034  the existing card
        return _CARDS[rank, suit]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"cards are immutable: cannot set {name}")

    def __reduce__(self) -> tuple[type[Card], tuple[Rank, Suit]]:
        return Card, (self.rank, self.suit)

    def __repr__(self) -> str:
        return self.text

    @property
    def symbol(self) -> str:
        """The card for display, as in ``A♠``."""
        return self.rank.letter.replace("T", "10") + self.suit.symbol


def _make_card(rank: Rank, suit: Suit) -> Card:
    card = object.__new__(Card)
    text = rank.letter + suit.value
    value = min(int(rank), 10)  # a plain int, because it is summed often
    for name, known in {"rank": rank, "suit": suit, "text": text, "value": value}.items():
        object.__setattr__(card, name, known)
    return card


_CARDS = {(rank, suit): _make_card(rank, suit) for suit in Suit for rank in Rank}

DECK = tuple(_CARDS.values())
"""The fifty-two cards: spades, hearts, diamonds, clubs, each from ace to king."""

_BY_TEXT = {card.text: card for card in DECK}
_text_of = attrgetter("text")
_CARD = re.compile(r"(10|[Aa2-9TtJjQqKk])([sShHdDcC♠♥♦♣])[\ufe0e\ufe0f]?")
_RANKS = {rank.letter: rank for rank in Rank} | {"10": Rank.TEN}
_SUITS = {suit.value: suit for suit in Suit} | {suit.symbol: suit for suit in Suit}


def parse(text: str) -> tuple[Card, ...]:
    """Parse cards, with or without spaces between them.

    >>> parse("As 10d,K♥ 8s8d")
    (As, Td, Kh, 8s, 8d)
    """
    return tuple(card for word in re.split(r"[\s,]+", text) if word for card in _parse_word(word))


def parse_card(text: str) -> Card:
    """Parse exactly one card."""
    if card := _BY_TEXT.get(text):
        return card
    cards = parse(text)
    if len(cards) != 1:
        raise NotationError(f"expected one card, got {shown(text)}")
    return cards[0]


def _parse_word(word: str) -> Iterable[Card]:
    end = 0
    while end < len(word):
        match = _CARD.match(word, end)
        if not match:
            raise NotationError(
                f"{shown(word)} is not a card: a rank of A23456789TJQK (or 10) and a suit of shdc,"
                " as in As or Td"
            )
        end = match.end()
        yield Card(_RANKS[match[1].upper()], _SUITS[match[2].lower()])


def spell(cards: Iterable[Card]) -> str:
    """Write cards as :func:`parse` reads them.

    >>> spell(parse("A♠ 10♦"))
    'As Td'
    """
    return " ".join(map(_text_of, cards))


def is_straight(cards: Iterable[Card]) -> bool:
    """Return whether the ranks follow each other; an ace is high or low, never in the middle.

    >>> is_straight(parse("Qs Kd Ah")), is_straight(parse("Ks Ad 2h"))
    (True, False)
    """
    ranks = sorted(int(card.rank) for card in cards)
    if ranks[0] == Rank.ACE and ranks[-1] == Rank.KING:
        ranks = [*ranks[1:], Rank.KING + 1]
    return all(after - before == 1 for before, after in pairwise(ranks))


def hard_total(cards: Iterable[Card]) -> int:
    """Add up cards, counting every ace as 1."""
    return sum([card.value for card in cards])


def total(cards: Iterable[Card]) -> int:
    """Add up cards as in blackjack: one ace counts as 11 if the total is then at most 21.

    >>> total(parse("As Ad 9h")), total(parse("As Kd 9h"))
    (21, 20)
    """
    hard, soft = _count(cards)
    return hard + 10 if soft else hard


def is_soft(cards: Iterable[Card]) -> bool:
    """Return whether an ace counts as 11 in the total.

    >>> is_soft(parse("As 6d")), is_soft(parse("As 6d Th"))
    (True, False)
    """
    return _count(cards)[1]


def _count(cards: Iterable[Card]) -> tuple[int, bool]:
    values = [card.value for card in cards]
    hard = sum(values)
    return hard, hard + 10 <= BLACKJACK and 1 in values
