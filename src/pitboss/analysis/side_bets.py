"""Side bets of one's own: every deal classified and counted, then priced by a pay table.

A class is whatever a pure function makes of the cards. Hands of n cards from a shoe come in
prod C(copies, taken) ways, so equal cards of several decks are looked at once and weighted.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import TYPE_CHECKING, TypeVar

from pitboss.analysis.figures import Event, Figures
from pitboss.cards import DECK
from pitboss.errors import SettingError, shown
from pitboss.kinds import ELSE

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from pitboss.cards import Card
    from pitboss.paytables import Paytable

C = TypeVar("C", bound="Hashable")  # a class of deals

MOST_DECKS = 8
TURNED = 101
"""One deal in so many is classified with its cards the other way round too."""

MOST_DEALS = 10_000_000
"""Different deals that are looked at one by one: a few seconds for each million."""


def count_deals(classify: Callable[..., C], *hands: int, decks: int = 1) -> Counter[C]:
    """Count every deal of hands of so many cards by what *classify* makes of them.

    It is given a tuple of cards for each hand, in no order that means anything. With ``4`` it sees
    any four cards, a player's or the dealer's; with ``3, 1`` three cards and one more, as those of
    a seat and the up card.

    >>> from pitboss.cards import total
    >>> count_deals(total, 2)[21]
    64
    """
    _check(hands, decks)
    found: Counter[C] = Counter()
    for number, (deal, ways) in enumerate(_deals(hands, Counter(dict.fromkeys(DECK, decks)))):
        made = classify(*deal)
        if number % TURNED == 0 and classify(*(hand[::-1] for hand in deal)) != made:
            raise SettingError(
                f"a hand's cards have no order, and the class of {deal} changes with it: for a card"
                " apart name a hand of its own, as in 3, 1"
            )
        found[made] += ways
    return found


def price(counts: Mapping[C, int], paytable: Paytable[C], bet: str = "side bet") -> Figures:
    """Return the exact figures of a bet on classes that were counted; what is not listed loses."""
    for result in (result for on, _ in paytable.lines for result in on):
        if result not in counts:
            raise SettingError(
                f"the table pays on {shown(result)}, and no deal is of that class: counted were"
                f" {shown([*counts])}"
            )
    lines = [
        Event(", ".join(map(str, on)), odds, sum(counts[result] for result in on))
        for on, odds in paytable.lines
    ]
    paid = sum(line.combinations for line in lines)
    return Figures(bet, (*lines, Event(ELSE, None, sum(counts.values()) - paid)))


def _check(hands: tuple[int, ...], decks: int) -> None:
    if type(decks) is not int or not 1 <= decks <= MOST_DECKS:
        raise SettingError(f"decks: {shown(decks)} is not a whole number of 1..{MOST_DECKS}")
    if not hands or any(type(size) is not int or size < 1 for size in hands):
        raise SettingError(f"a deal is hands of one card or more, as in 4 or 3, 1, not {hands}")
    if sum(hands) > decks * len(DECK):
        raise SettingError(f"hands of {sum(hands)} cards cannot come from {decks * len(DECK)}")
    if (deals := prod(_ways(hands, decks))) > MOST_DEALS:
        raise SettingError(f"{deals:,} deals are more than can be looked at, {MOST_DEALS:,}")


def _ways(hands: tuple[int, ...], decks: int) -> Iterator[int]:
    """Return how many different hands there are, one after another."""
    for place, size in enumerate(hands):
        left = len(DECK) - sum(hands[:place]) if decks == 1 else len(DECK) + size - 1
        yield comb(left, size)


def _deals(
    hands: tuple[int, ...], shoe: Counter[Card]
) -> Iterator[tuple[tuple[tuple[Card, ...], ...], int]]:
    """Return every deal of the hands and in how many ways it comes."""
    size, *rest = hands
    for hand, ways in _hands(size, shoe):
        if not rest:
            yield (hand,), ways
            continue
        for others, more in _deals(tuple(rest), shoe - Counter(hand)):
            yield (hand, *others), ways * more


def _hands(size: int, shoe: Counter[Card]) -> Iterator[tuple[tuple[Card, ...], int]]:
    """Return every hand of so many cards and in how many ways the shoe gives it."""
    if max(shoe.values()) == 1:
        yield from ((hand, 1) for hand in combinations(shoe, size))
        return
    for hand in combinations_with_replacement(shoe, size):
        if ways := prod([comb(shoe[card], hand.count(card)) for card in {*hand}]):
            yield hand, ways
