"""The kinds of hands of Toss One 21, which alone decide how two hands compare.

Main depends only on the values of the cards: there are 715 hands of four values, of 98 kinds.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, TypeAlias

from pitboss.core.cards import Card, Rank, Suit
from pitboss.core.paytables import ELSE, unit_net
from pitboss.games.toss_one import Hand, Lucky3, Outcome, Rules, best_hands
from pitboss.games.toss_one.hands import compare

if TYPE_CHECKING:
    from collections.abc import Iterable

Values: TypeAlias = tuple[int, ...]  # the values of a hand's cards, ace 1 to ten 10, in order
Kind: TypeAlias = tuple[int, int, bool]  # total, kicker's value, blackjack; a bust is (0, 0, False)

VALUES = range(1, 11)
BUST: Kind = (0, 0, False)


@cache
def hands(size: int) -> tuple[Values, ...]:
    """Return every hand of *size* values; there are 715 of four values."""
    return tuple(combinations_with_replacement(VALUES, size))


@cache
def best(values: Values) -> Hand | None:
    """Return the best hand of four values from the rules engine; None if it busts."""
    cards = tuple(Card(Rank(value), Suit.SPADES) for value in values)
    return next(iter(best_hands(cards)), None)


@cache
def kind(values: Values) -> Kind:
    """Return the kind of a hand, which decides the comparison with another hand."""
    hand = best(values)
    return (hand.total, hand.tossed.value, hand.is_blackjack) if hand else BUST


@cache
def kinds() -> tuple[Kind, ...]:
    return tuple(sorted({kind(values) for values in hands(4)}))


@cache
def _example(of: Kind) -> Hand | None:
    return best(next(values for values in hands(4) if kind(values) == of))


@cache
def outcome_table(dealer_blackjack: str, ace_kicker: str) -> dict[Kind, tuple[Outcome, ...]]:
    """Return the outcomes of Main for each kind of player's hand against each dealer's kind."""
    rules = Rules.from_json({"dealer_blackjack": dealer_blackjack, "ace_kicker": ace_kicker})
    return {
        ours: tuple(compare(rules, _example(ours), _example(theirs)) for theirs in kinds())
        for ours in kinds()
    }


def chosen_class(rules: Rules, classes: Iterable[Lucky3]) -> Lucky3 | None:
    """Return the class with the highest Lucky 3 prize, among the classes a hand may choose."""
    return max(sorted(classes), key=lambda c: unit_net(rules.lucky3_paytable.odds(c)), default=None)


def class_name(of: Lucky3 | None) -> str:
    return of.replace("_", " ") if of else ELSE


def bonus4_lines(rules: Rules) -> dict[str, tuple[int, ...]]:
    """Return the totals of each line of the Bonus 4 pay table, by the line's name."""
    return {f"total {_span(totals)}": totals for totals, _ in rules.bonus4_paytable.lines}


def _span(totals: tuple[int, ...]) -> str:
    """Format totals, with consecutive ones as a range."""
    first, last = min(totals), max(totals)
    if len(totals) > 2 and last - first + 1 == len(totals):  # noqa: PLR2004  two are named
        return f"{first} to {last}"
    return ", ".join(map(str, sorted(totals)))
