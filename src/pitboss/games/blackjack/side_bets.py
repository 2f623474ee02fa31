"""The side bets of blackjack: the classes that they pay on, and published pay tables.

docs/rules/blackjack.md names the source of each table. A table is named after its odds, best hand
first.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pitboss.core.cards import Card, Rank, Suit, is_straight, total
from pitboss.core.paytables import Odds, Paytable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LUCKY_TOTAL = 20
QUEEN_OF_HEARTS = Card(Rank.QUEEN, Suit.HEARTS)


class PerfectPairs(StrEnum):
    """The pairs that Perfect Pairs pays on, best first (rule 12)."""

    PERFECT_PAIR = "perfect_pair"
    COLORED_PAIR = "colored_pair"
    MIXED_PAIR = "mixed_pair"


class PlusThree(StrEnum):
    """The three-card hands that 21+3 pays on, best first (rule 13)."""

    SUITED_THREE_OF_A_KIND = "suited_three_of_a_kind"
    STRAIGHT_FLUSH = "straight_flush"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    FLUSH = "flush"


class LuckyLadies(StrEnum):
    """The hands that Lucky Ladies pays on, best first (rule 14)."""

    QUEENS_AND_DEALER_BLACKJACK = "queens_and_dealer_blackjack"
    QUEENS_OF_HEARTS = "queens_of_hearts"
    MATCHED_20 = "matched_20"
    SUITED_20 = "suited_20"
    ANY_20 = "any_20"


E = TypeVar("E", bound=StrEnum)


def _table(results: Iterable[tuple[E, ...]], *odds: int) -> Paytable[E]:
    """Return a pay table with odds to one, line by line."""
    return Paytable(tuple((on, Odds(win)) for on, win in zip(results, odds, strict=True)))


_PAIRS = [(pair,) for pair in PerfectPairs]
_FIVE_HANDS = [(hand,) for hand in PlusThree]
_FOUR_HANDS = [
    (PlusThree.STRAIGHT_FLUSH,),
    (PlusThree.THREE_OF_A_KIND, PlusThree.SUITED_THREE_OF_A_KIND),
    (PlusThree.STRAIGHT,),
    (PlusThree.FLUSH,),
]
_TWENTIES = [(twenty,) for twenty in LuckyLadies]

PERFECT_PAIRS: Mapping[str | int, Paytable[PerfectPairs]] = MappingProxyType(
    {"25-12-6": _table(_PAIRS, 25, 12, 6), "30-10-5": _table(_PAIRS, 30, 10, 5)}
)
PLUS_THREE: Mapping[str | int, Paytable[PlusThree]] = MappingProxyType(
    {
        "9-9-9-9": _table(_FOUR_HANDS, 9, 9, 9, 9),
        "100-40-30-10-5": _table(_FIVE_HANDS, 100, 40, 30, 10, 5),
        "30-20-10-5": _table(_FOUR_HANDS, 30, 20, 10, 5),
    }
)
LUCKY_LADIES: Mapping[str | int, Paytable[LuckyLadies]] = MappingProxyType(
    {
        "1000-125-19-9-4": _table(_TWENTIES, 1000, 125, 19, 9, 4),
        "1000-200-25-10-4": _table(_TWENTIES, 1000, 200, 25, 10, 4),
    }
)


def perfect_pairs(cards: tuple[Card, ...]) -> PerfectPairs | None:
    """Return the class of a pair (rule 12).

    >>> from pitboss.core.cards import parse
    >>> perfect_pairs(parse("8s 8c")), perfect_pairs(parse("Ts Js"))
    (<PerfectPairs.COLORED_PAIR: 'colored_pair'>, None)
    """
    one, two = cards
    if one.rank is not two.rank:
        return None
    if one.suit is two.suit:
        return PerfectPairs.PERFECT_PAIR
    if one.suit.is_red == two.suit.is_red:
        return PerfectPairs.COLORED_PAIR
    return PerfectPairs.MIXED_PAIR


def plus_three(cards: tuple[Card, ...]) -> PlusThree | None:
    """Return the poker class of two cards and the up card (rule 13).

    >>> from pitboss.core.cards import parse
    >>> plus_three(parse("Qs Ks Ad")), plus_three(parse("9h 9h 9d"))
    (<PlusThree.STRAIGHT: 'straight'>, <PlusThree.THREE_OF_A_KIND: 'three_of_a_kind'>)
    """
    suited = len({card.suit for card in cards}) == 1
    if len({card.rank for card in cards}) == 1:
        return PlusThree.SUITED_THREE_OF_A_KIND if suited else PlusThree.THREE_OF_A_KIND
    if is_straight(cards):
        return PlusThree.STRAIGHT_FLUSH if suited else PlusThree.STRAIGHT
    return PlusThree.FLUSH if suited else None


def lucky_ladies(cards: tuple[Card, ...], *, dealer_blackjack: bool) -> LuckyLadies | None:
    """Return the class of a total of 20 (rule 14).

    >>> from pitboss.core.cards import parse
    >>> lucky_ladies(parse("Qh Qh"), dealer_blackjack=False)
    <LuckyLadies.QUEENS_OF_HEARTS: 'queens_of_hearts'>
    """
    if total(cards) != LUCKY_TOTAL:
        return None
    one, two = cards
    if one is two is QUEEN_OF_HEARTS:
        if dealer_blackjack:
            return LuckyLadies.QUEENS_AND_DEALER_BLACKJACK
        return LuckyLadies.QUEENS_OF_HEARTS
    if one is two:
        return LuckyLadies.MATCHED_20
    return LuckyLadies.SUITED_20 if one.suit is two.suit else LuckyLadies.ANY_20
