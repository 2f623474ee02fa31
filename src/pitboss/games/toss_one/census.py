"""Count every deal of one seat against the dealer in Toss One 21.

Main depends only on the values of the cards, and there are 715 hands of four values. For each
player's hand p, the census counts the dealer's hands d of every kind (bust, or total, kicker and
blackjack) that can be dealt from the rest of the shoe:

    D[p, kind] = sum over d of that kind of prod_v C(shoe_v - p_v, d_v).

The player's hand itself has N(p) = prod_v C(shoe_v, p_v) combinations. N(p, L) of them leave the
set L of Lucky 3 classes to choose from; they are counted over the forty pairs of value and suit.
The four-card total follows from p.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations_with_replacement, product
from math import comb, prod
from typing import TYPE_CHECKING, TypeAlias

from pitboss.core.cards import BLACKJACK, Card, Rank, Suit
from pitboss.games.toss_one import Hand, Lucky3, lucky3
from pitboss.games.toss_one.kinds import VALUES, Kind, Values, hands, kind, kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Type: TypeAlias = tuple[int, Suit]  # a card's value and suit
Shoe: TypeAlias = "Mapping[Type, int]"  # copies of each value and suit


def shoe_of(decks: int) -> dict[Type, int]:
    """Return the copies of each value and suit in full decks; there are four times as many tens."""
    return {(v, s): decks * (4 if v == 10 else 1) for v in VALUES for s in Suit}  # noqa: PLR2004


@cache
def _class(kept: Values, suits: tuple[Suit, ...]) -> Lucky3 | None:
    cards = tuple(Card(Rank(value), suit) for value, suit in zip(kept, suits, strict=True))
    return lucky3(Hand(cards, cards[0]))


@cache
def _alike(suits: tuple[Suit, ...]) -> tuple[tuple[Suit, int], ...]:
    return tuple(Counter(suits).items())


@cache
def suited_hands() -> tuple[tuple[Values, frozenset[Lucky3], tuple[tuple[Type, int], ...]], ...]:
    """Return every hand of values and suits that makes 21, with the Lucky 3 classes to choose from.

    All best tosses of a hand have the same value.
    """
    found = []
    for values in hands(4):
        points, tossed, _ = kind(values)
        if points != BLACKJACK:
            continue
        counts = Counter(values)
        places = [index for index, value in enumerate(values) if value == tossed]
        kept = tuple(value for index, value in enumerate(values) if index != places[0])
        for groups in product(*(combinations_with_replacement(Suit, n) for n in counts.values())):
            suits = tuple(chain.from_iterable(groups))
            ways = {_class(kept, suits[:index] + suits[index + 1 :]) for index in places}
            types = [
                ((value, suit), n)
                for value, group in zip(counts, groups, strict=True)
                for suit, n in _alike(group)
            ]
            found.append((values, frozenset(filter(None, ways)), tuple(types)))
    return tuple(found)


@cache
def suited_patterns() -> Counter[tuple[Values, frozenset[Lucky3], tuple[tuple[int, int], ...]]]:
    """Count the suited hands by pattern; hands of a pattern have equally many combinations."""
    return Counter(
        (values, classes, tuple(sorted((value, n) for (value, _), n in types)))
        for values, classes, types in suited_hands()
    )


@dataclass(frozen=True)
class Census:
    """The counts of all deals of one seat against the dealer from a shoe."""

    shoe: Shoe
    exposed: int | None = None
    """The value of a dealer's card that is already known, and no longer in the shoe."""

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """The number of cards of each value in the shoe."""
        return tuple(sum(self.shoe.get((v, s), 0) for s in Suit) for v in VALUES)

    @cached_property
    def players(self) -> dict[Values, int]:
        """The number of combinations of each player's hand of values."""
        copies = self.copies
        return {h: prod(comb(copies[v - 1], h.count(v)) for v in set(h)) for h in hands(4)}

    @cached_property
    def classes(self) -> dict[Values, dict[frozenset[Lucky3], int]]:
        """The combinations of each hand of values, by the Lucky 3 classes to choose from."""
        found: dict[Values, dict[frozenset[Lucky3], int]] = {}
        for values, classes, ways in self._suited_ways():
            row = found.setdefault(values, {})
            row[classes] = row.get(classes, 0) + ways
        nothing: frozenset[Lucky3] = frozenset()
        return {h: found.get(h, {nothing: ways}) for h, ways in self.players.items()}

    def _suited_ways(self) -> Iterator[tuple[Values, frozenset[Lucky3], int]]:
        """Yield the hands that make 21 with their combinations; equivalent hands are merged."""
        suits = {v: {self.shoe[v, s] for s in Suit} for v in VALUES}
        if all(len(copies) == 1 for copies in suits.values()):
            each = {v: [comb(min(copies), k) for k in range(5)] for v, copies in suits.items()}
            for (values, classes, pattern), number in suited_patterns().items():
                yield values, classes, number * prod(each[v][k] for v, k in pattern)
            return
        own = {t: [comb(copies, k) for k in range(5)] for t, copies in self.shoe.items()}
        for values, classes, types in suited_hands():
            yield values, classes, prod(own[t][k] for t, k in types)

    @cached_property
    def dealers(self) -> dict[Values, list[int]]:
        """The combinations of the dealer's hands by kind, for each player's hand."""
        known = () if self.exposed is None else (self.exposed,)
        rest = hands(4 - len(known))
        found = [kinds().index(kind(tuple(sorted(known + h)))) for h in rest]
        return count_dealers(self.copies, rest, found, len(kinds()))

    @cached_property
    def deals(self) -> int:
        return sum(n * sum(self.dealers[h]) for h, n in self.players.items())

    @cached_property
    def pairs(self) -> dict[Kind, list[int]]:
        """The number of deals for each kind of player's hand against each kind of dealer's hand."""
        found = {ours: [0] * len(kinds()) for ours in kinds()}
        for h, n in self.players.items():
            row = found[kind(h)]
            for index, ways in enumerate(self.dealers[h]):
                row[index] += n * ways
        return found


def count_dealers(
    copies: tuple[int, ...], rest: tuple[Values, ...], found: list[int], width: int
) -> dict[Values, list[int]]:
    """Count the dealer's hands by kind, with Numba if it is installed, otherwise in Python."""
    try:
        return _count_compiled(copies, rest, found, width)
    except ModuleNotFoundError:
        return _count_plain(copies, rest, found, width)


def _count_compiled(
    copies: tuple[int, ...], rest: tuple[Values, ...], found: list[int], width: int
) -> dict[Values, list[int]]:
    import numpy as np

    from pitboss.games.toss_one.kernels.rounds import count_dealers as count

    players, dealers = (
        np.array([[h.count(v) for v in VALUES] for h in some], np.int64)
        for some in (hands(4), rest)
    )
    out = np.zeros((len(players), width), np.int64)
    count(players, dealers, np.array(found, np.int64), np.array(copies, np.int64), out)
    return dict(zip(hands(4), out.tolist(), strict=True))


def _count_plain(
    copies: tuple[int, ...], rest: tuple[Values, ...], found: list[int], width: int
) -> dict[Values, list[int]]:
    parts = [
        (index, [(v - 1, h.count(v)) for v in sorted(set(h))])
        for index, h in zip(found, rest, strict=True)
    ]
    counted = {}
    for player in hands(4):
        left = [n - player.count(v) for v, n in zip(VALUES, copies, strict=True)]
        ways = [[comb(max(n, 0), k) for k in range(5)] for n in left]
        row = [0] * width
        for index, needed in parts:
            row[index] += prod(ways[v][k] for v, k in needed)
        counted[player] = row
    return counted


@cache
def census(decks: int) -> Census:
    """Return the census of full decks, cached by their number."""
    return Census(shoe_of(decks))
