"""The kinds of hands of Toss One 21: all that comparing two hands depends on.

Main depends on the values of the cards alone: there are 715 ways to hold four values, and 98 kinds
of them.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, TypeAlias

from pitboss.cards import Card, Rank, Suit
from pitboss.games.toss_one import Hand, Lucky3, Outcome, Rules, best_hands, compare
from pitboss.paytables import unit_net

if TYPE_CHECKING:
    from collections.abc import Iterable

Values: TypeAlias = tuple[int, ...]  # the values of a hand's cards, ace 1 to ten 10, in order
Kind: TypeAlias = tuple[int, int, bool]  # total, kicker's value, blackjack; a bust is (0, 0, False)

VALUES = range(1, 11)
BUST: Kind = (0, 0, False)


@cache
def hands(size: int) -> tuple[Values, ...]:
    """Return every way to hold *size* values, 715 ways for four."""
    return tuple(combinations_with_replacement(VALUES, size))


@cache
def best(values: Values) -> Hand | None:
    """Return the best hand of four values, as the core makes it; nothing if it busts."""
    cards = tuple(Card(Rank(value), Suit.SPADES) for value in values)
    return next(iter(best_hands(cards)), None)


@cache
def kind(values: Values) -> Kind:
    """Return what the other side's result depends on."""
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
    """Return how Main ends for each kind of the player's against each of the dealer's."""
    rules = Rules.from_json({"dealer_blackjack": dealer_blackjack, "ace_kicker": ace_kicker})
    return {
        ours: tuple(compare(rules, _example(ours), _example(theirs)) for theirs in kinds())
        for ours in kinds()
    }


def chosen_class(rules: Rules, classes: Iterable[Lucky3]) -> Lucky3 | None:
    """Return the class that Lucky 3 pays most of those a hand may choose."""
    return max(sorted(classes), key=lambda c: unit_net(rules.lucky3_paytable.odds(c)), default=None)


ELSE = "anything else"
"""What a bet's last class is called, the one that wins nothing."""


def class_name(of: Lucky3 | None) -> str:
    return of.replace("_", " ") if of else ELSE


def bonus4_lines(rules: Rules) -> dict[str, tuple[int, ...]]:
    """Return the totals of each line of the Bonus 4 pay table, by what the line is called."""
    return {f"total {_span(totals)}": totals for totals, _ in rules.bonus4_paytable.lines}


def _span(totals: tuple[int, ...]) -> str:
    """Write totals that follow each other as a span."""
    first, last = min(totals), max(totals)
    if len(totals) > 2 and last - first + 1 == len(totals):  # noqa: PLR2004  two are named
        return f"{first} to {last}"
    return ", ".join(map(str, sorted(totals)))
