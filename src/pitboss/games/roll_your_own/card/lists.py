"""Lists of rules for setting three cards; a list decides which card is left alone.

A list is read from the top, and the first rule that fits decides. The last line always fits. A rule
names two cards to put together, or a card to leave alone, and the up cards to which it applies.
Reading a list needs only the standard library; ``setting`` finds lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from pitboss.core.cards import Rank

if TYPE_CHECKING:
    from collections.abc import Iterable

Values: TypeAlias = tuple[int, ...]

ACE, TEN = Rank.ACE.value, Rank.TEN.value
HIGH_ACE = 11

UPS = (*range(2, 11), ACE)
"""Up cards in the order of a chart: 2 to 9, ten, ace."""


class Kind(StrEnum):
    """The kinds of rules for setting the cards."""

    TOGETHER = "together"  # exactly these two cards
    HARD = "hard"  # two cards with a total in the range, without an ace
    SOFT = "soft"  # an ace and a card in the range
    PAIRS = "pairs"  # a pair of a card in the range
    ALONE = "alone"  # a card in the range left alone
    HIGHEST_ALONE = "highest alone"
    LOWEST_ALONE = "lowest alone"


LAST_LINES = (Kind.HIGHEST_ALONE, Kind.LOWEST_ALONE)


@dataclass(frozen=True, slots=True)
class Feature:
    """Two cards to put together, or one to leave alone; if several fit, the highest number wins.

    >>> Feature(Kind.HARD, 8, 11).pick((2, 8, 9))  # the 8 is left alone: 2 and 9 are 11
    1
    """

    kind: Kind
    low: int = 0
    high: int = 0

    def pick(self, own: Values) -> int:
        """Return the index of the card to leave alone; -1 if the rule does not fit."""
        fits = [(self._rank(own[:k] + own[k + 1 :], own[k]), k) for k in range(3)]
        rank, k = max(fits)
        return k if rank >= 0 else -1

    def _rank(self, two: Values, one: int) -> int:
        """Return the preference for a set; -1 if the rule does not apply to it."""
        a, b = two
        number = {
            Kind.TOGETHER: 1 if two == (self.low, self.high) else -1,
            Kind.HARD: a + b if a != ACE else -1,
            Kind.SOFT: b if a == ACE else -1,
            Kind.PAIRS: b if a == b else -1,
            Kind.ALONE: one,
            Kind.HIGHEST_ALONE: ace_high(one),
            Kind.LOWEST_ALONE: HIGH_ACE - ace_high(one),
        }[self.kind]
        if self.kind in {Kind.TOGETHER, *LAST_LINES}:
            return number
        return number if self.low <= number <= self.high else -1


@dataclass(frozen=True, slots=True)
class Rule:
    """A feature, and the first and last up card to which it applies, as places in :data:`UPS`."""

    feature: Feature
    first: int = 0
    last: int = len(UPS) - 1

    @property
    def is_for_all(self) -> bool:
        return (self.first, self.last) == (0, len(UPS) - 1)

    @property
    def ups(self) -> Values:
        return UPS[self.first : self.last + 1]


def left_alone(rules: Iterable[Rule], up: int, own: Values) -> int:
    """Return the card that a list leaves alone against an up card; *own* is sorted.

    >>> pairs_or_highest = Rule(Feature(Kind.PAIRS, 2, 9)), Rule(Feature(Kind.HIGHEST_ALONE))
    >>> left_alone(pairs_or_highest, 6, (4, 9, 9))
    4
    """
    column = UPS.index(up)
    picks = (r.feature.pick(own) for r in rules if r.first <= column <= r.last)
    return own[next(pick for pick in picks if pick >= 0)]


def ace_high(value: int) -> int:
    """Return a value, with 11 for the ace."""
    return HIGH_ACE if value == ACE else value
