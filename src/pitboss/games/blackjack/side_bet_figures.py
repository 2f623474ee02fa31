"""The side bets of blackjack, counted exactly over every deal of one to eight decks.

Perfect Pairs depends on the player's two cards, 21+3 on these and the up card. Lucky Ladies also
depends on the dealer's two cards, because two queens of hearts win more if the dealer has a
blackjack. The rules engine's own functions classify every hand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING, Any, TypeAlias

from pitboss.analysis.figures import Event, Figures
from pitboss.analysis.side_bets import count_deals
from pitboss.core.cards import DECK, Rank
from pitboss.core.paytables import ELSE
from pitboss.games.blackjack.side_bets import (
    LuckyLadies,
    PerfectPairs,
    PlusThree,
    lucky_ladies,
    perfect_pairs,
    plus_three,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pitboss.core.paytables import Paytable
    from pitboss.games.blackjack.rules import Rules

TENS = sum(card.value == 10 for card in DECK)  # noqa: PLR2004  ten-value cards in a deck
ACES = sum(card.rank is Rank.ACE for card in DECK)


def figures(rules: Rules) -> dict[str, Figures]:
    """Return the figures of the side bets."""
    pairs, threes = rules.perfect_pairs_paytable, rules.plus_three_paytable
    decks = rules.decks
    return {
        "perfect_pairs": _priced("perfect_pairs", PerfectPairs, count_pairs(decks), pairs),
        "21+3": _priced("21+3", PlusThree, count_threes(decks), threes),
        "lucky_ladies": _priced(
            "lucky_ladies", LuckyLadies, count_twenties(decks), rules.lucky_ladies_paytable
        ),
    }


def _priced(
    bet: str, classes: Iterable[Any], counts: Mapping[Any, int], paytable: Paytable[Any]
) -> Figures:
    """Return the figures of a bet, with an event for each class that can be dealt."""
    events = [Event(c.replace("_", " "), paytable.odds(c), counts[c]) for c in classes if counts[c]]
    return Figures(bet, (*events, Event(ELSE, None, counts[None])))


@cache
def count_pairs(decks: int) -> Counter[PerfectPairs | None]:
    """Count the player's two cards by the class of Perfect Pairs."""
    return count_deals(perfect_pairs, 2, decks=decks)


@cache
def count_threes(decks: int) -> Counter[PlusThree | None]:
    """Count the player's two cards with the up card by the class of 21+3."""
    return count_deals(plus_three, 3, decks=decks)


@cache
def count_twenties(decks: int) -> Counter[LuckyLadies | None]:
    """Count the player's two cards with the dealer's two cards by the class of Lucky Ladies."""
    without = count_deals(lambda hand: lucky_ladies(hand, dealer_blackjack=False), 2, decks=decks)
    dealers = comb(decks * len(DECK) - 2, 2)
    found = Counter({twenty: hands * dealers for twenty, hands in without.items()})
    blackjacks = without[LuckyLadies.QUEENS_OF_HEARTS] * dealer_blackjacks(decks, tens=2)
    found[LuckyLadies.QUEENS_AND_DEALER_BLACKJACK] = blackjacks
    found[LuckyLadies.QUEENS_OF_HEARTS] -= blackjacks
    return found


def dealer_blackjacks(decks: int, *, tens: int = 0) -> int:
    """Return the number of dealer's blackjacks after the player received *tens* ten-value cards."""
    return (decks * TENS - tens) * decks * ACES


# --- the side bets of one seat together


Values: TypeAlias = tuple[int, ...]
Classes: TypeAlias = tuple[PerfectPairs | None, PlusThree | None, LuckyLadies | None]


@cache
def count_starts(decks: int) -> Mapping[tuple[Values, int], Counter[Classes]]:
    """Count the deals of two cards and an up card by their values and the classes of side bets.

    Lucky Ladies is classified as if the dealer had no blackjack.
    """
    shoe = Counter(dict.fromkeys(DECK, decks))
    found: defaultdict[tuple[Values, int], Counter[Classes]] = defaultdict(Counter)
    for hand in combinations_with_replacement(DECK, 2):
        one, two = hand
        pair, twenty = perfect_pairs(hand), lucky_ladies(hand, dealer_blackjack=False)
        ways = comb(decks, 2) if one is two else decks * decks
        low, high = sorted((one.value, two.value))
        for up, left in (shoe - Counter(hand)).items():
            classes = (pair, plus_three((*hand, up)), twenty)
            found[(low, high), up.value][classes] += ways * left
    return {start: +counts for start, counts in found.items() if counts.total()}
