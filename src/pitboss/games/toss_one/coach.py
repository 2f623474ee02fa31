"""The coach of Toss One 21: the exact value of every toss over all hands of the dealer."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import TYPE_CHECKING, TypeAlias

from pitboss.coach import Advice, Option, best_first, own_seat
from pitboss.core.cards import DECK, Card, Rank, Suit
from pitboss.core.protocol import net
from pitboss.games.toss_one.hands import PACK, Hand, best_hands, compare
from pitboss.games.toss_one.round import Bet, Seat, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pitboss.core.protocol import View
    from pitboss.games.toss_one.round import Round, Toss
    from pitboss.games.toss_one.rules import Outcome, Rules

Holding: TypeAlias = tuple[tuple[int, int], ...]  # card values, each with its number of cards


def advise(round_: Round, view: View) -> Advice:
    """Value every toss over all hands of the dealer that the unseen cards can make."""
    rules, own = round_.rules, own_seat(view)
    cards = tuple(filter(None, own.cards))
    dealers = _dealers(rules.decks, cards)
    bet = Bet(own.seat, **own.stakes)
    options = []
    for toss in view.legal:
        index = cards.index(toss.card)
        hand = Hand(cards[:index] + cards[index + 1 :], toss.card)
        cents = _expected(rules, Seat(bet, cards, hand), dealers)
        options.append(Option(toss, float(cents / bet.main)))
    note = "all bets of the seat together"
    return Advice(own.seat, best_first(options, _value), bet.main, note)


def _value(toss: Toss) -> int:
    return toss.card.value


def _expected(
    rules: Rules,
    seat: Seat,
    dealers: Sequence[tuple[Hand | None, int]],
) -> Fraction:
    """Return the expected net result, in cents, of a seat that has tossed."""
    nets: dict[Outcome, int] = {}
    paid = 0
    for dealer, ways in dealers:
        outcome = compare(rules, seat.hand, dealer)
        if outcome not in nets:
            nets[outcome] = net(settle(rules, seat, dealer), seat.number)
        paid += ways * nets[outcome]
    return Fraction(paid, sum(ways for _, ways in dealers))


def _dealers(decks: int, seen: Sequence[Card]) -> list[tuple[Hand | None, int]]:
    """Return the dealer's hands, ``None`` for a bust, with the ways to deal each (rules 5, 6)."""
    unseen = Counter(card.value for card in DECK * decks)
    unseen.subtract(card.value for card in seen)
    return [
        (hand, prod(comb(unseen[value], number) for value, number in holding))
        for holding, hand in _hands()
    ]


@cache
def _hands() -> tuple[tuple[Holding, Hand | None], ...]:
    """Return the 715 combinations of four values, each with its best hand."""
    found = []
    for values in combinations_with_replacement(range(1, 11), PACK):
        cards = tuple(Card(Rank(value), Suit.SPADES) for value in values)
        best = next(iter(best_hands(cards)), None)
        found.append((tuple(Counter(values).items()), best))
    return tuple(found)
