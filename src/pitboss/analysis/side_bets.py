"""Custom side bets: every deal is classified and counted, then priced by a pay table.

A pure function maps the cards to a class. A hand can be dealt from a shoe in prod C(copies, taken)
ways, so equal cards of several decks are classified once and weighted.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import TYPE_CHECKING, TypeVar

from pitboss.analysis.figures import Event, Figures
from pitboss.core.cards import DECK
from pitboss.core.errors import SettingError, shown
from pitboss.core.paytables import ELSE

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from pitboss.core.cards import Card
    from pitboss.core.paytables import Paytable

C = TypeVar("C", bound="Hashable")  # a class of deals

MOST_DECKS = 8
ORDER_CHECK_INTERVAL = 101
"""Every 101st deal is classified again in reverse order, to check that order does not matter."""

MOST_DEALS = 10_000_000
"""Maximum number of different deals to classify; a million take a few seconds."""


def count_deals(classify: Callable[..., C], *hands: int, decks: int = 1) -> Counter[C]:
    """Count all deals by the class that *classify* returns; *hands* are the sizes of the hands.

    The function receives a tuple of cards for each hand; card order does not matter. With ``4`` it
    receives any four cards, a player's or the dealer's. With ``3, 1`` it receives three cards and
    one more, such as a seat's cards and the up card.

    >>> from pitboss.core.cards import total
    >>> count_deals(total, 2)[21]
    64
    """
    _check(hands, decks)
    found: Counter[C] = Counter()
    for number, (deal, ways) in enumerate(_deals(hands, Counter(dict.fromkeys(DECK, decks)))):
        made = classify(*deal)
        if number % ORDER_CHECK_INTERVAL == 0 and classify(*(hand[::-1] for hand in deal)) != made:
            raise SettingError(
                f"the class of {deal} depends on the order of the cards, but a hand has no order:"
                " for a separate card use a separate hand, as in 3, 1"
            )
        found[made] += ways
    return found


def price(counts: Mapping[C, int], paytable: Paytable[C], bet: str = "side bet") -> Figures:
    """Return the exact figures of a bet on the counted classes; a class not in the table loses."""
    for result in (result for on, _ in paytable.lines for result in on):
        if result not in counts:
            raise SettingError(
                f"the table pays on {shown(result)}, but no deal has that class: the classes are"
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
        raise SettingError(f"decks: {shown(decks)} is not a whole number in 1..{MOST_DECKS}")
    if not hands or any(type(size) is not int or size < 1 for size in hands):
        raise SettingError(f"each hand needs at least one card, as in 4 or 3, 1, not {hands}")
    if sum(hands) > decks * len(DECK):
        raise SettingError(f"hands of {sum(hands)} cards cannot be dealt from {decks * len(DECK)}")
    if (deals := prod(_ways(hands, decks))) > MOST_DEALS:
        raise SettingError(f"{deals:,} deals are too many: the limit is {MOST_DEALS:,}")


def _ways(hands: tuple[int, ...], decks: int) -> Iterator[int]:
    """Yield the number of different hands for each size."""
    for place, size in enumerate(hands):
        left = len(DECK) - sum(hands[:place]) if decks == 1 else len(DECK) + size - 1
        yield comb(left, size)


def _deals(
    hands: tuple[int, ...], shoe: Counter[Card]
) -> Iterator[tuple[tuple[tuple[Card, ...], ...], int]]:
    """Yield every deal of the hands, with its number of combinations."""
    size, *rest = hands
    for hand, ways in _hands(size, shoe):
        if not rest:
            yield (hand,), ways
            continue
        for others, more in _deals(tuple(rest), shoe - Counter(hand)):
            yield (hand, *others), ways * more


def _hands(size: int, shoe: Counter[Card]) -> Iterator[tuple[tuple[Card, ...], int]]:
    """Yield every hand of *size* cards, with its number of combinations."""
    if max(shoe.values()) == 1:
        yield from ((hand, 1) for hand in combinations(shoe, size))
        return
    for hand in combinations_with_replacement(shoe, size):
        if ways := prod([comb(shoe[card], hand.count(card)) for card in {*hand}]):
            yield hand, ways
