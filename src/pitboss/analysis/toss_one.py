"""Toss One 21, counted exactly.

Main depends on the values of the cards alone, and there are 715 ways to hold four values. For
each such player's hand p the census counts the dealer's hands d of every kind (bust, or total,
kicker and blackjack) that the rest of the shoe can deal:

    D[p, kind] = sum over d of that kind of prod_v C(shoe_v - p_v, d_v).

The player's hand itself comes in N(p) = prod_v C(shoe_v, p_v) ways, and of those N(p, L) leave the
set L of Lucky 3 classes to choose from, counted over the forty pairs of value and suit. The
four-card total follows from p. Everything else is pricing: which outcome a pair of kinds is, the
core's own compare says; what it pays, the pay table. So new rules or pay tables cost no recount.

The toss is the one chosen for a player: best total, then what Lucky 3 pays most.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, combinations_with_replacement, product
from math import comb, prod
from typing import TYPE_CHECKING, TypeAlias

from pitboss.analysis.figures import Event, Figures, Moments
from pitboss.cards import BLACKJACK, Card, Rank, Suit
from pitboss.games.toss_one import Hand, Lucky3, Outcome, Rules, lucky3
from pitboss.kinds import (
    ELSE,
    VALUES,
    Kind,
    Values,
    bonus4_lines,
    chosen_class,
    class_name,
    hands,
    kind,
    kinds,
    outcome_table,
)
from pitboss.paytables import unit_net

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


Type: TypeAlias = tuple[int, Suit]  # a card's value and suit
Shoe: TypeAlias = "Mapping[Type, int]"  # copies of each value and suit

BETS = ("main", "lucky3", "bonus4")


def shoe_of(decks: int) -> dict[Type, int]:
    """Return the copies of each value and suit in full decks: four tens to every other value."""
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
    """Return every hand of values and suits that makes 21, with the classes it may choose.

    The best tosses of a hand are all its cards of one value: no two differ in value.
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
    """Count the suited hands that come in equally many ways where all suits are alike."""
    return Counter(
        (values, classes, tuple(sorted((value, n) for (value, _), n in types)))
        for values, classes, types in suited_hands()
    )


@dataclass(frozen=True)
class Census:
    """Every deal of one seat against the dealer from a shoe, counted."""

    shoe: Shoe
    exposed: int | None = None
    """The value of a card of the dealer's that is known to be there, and not in the shoe."""

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """How many cards of each value the shoe holds."""
        return tuple(sum(self.shoe.get((v, s), 0) for s in Suit) for v in VALUES)

    @cached_property
    def players(self) -> dict[Values, int]:
        """In how many ways the player can hold each hand of values."""
        copies = self.copies
        return {h: prod(comb(copies[v - 1], h.count(v)) for v in set(h)) for h in hands(4)}

    @cached_property
    def classes(self) -> dict[Values, dict[frozenset[Lucky3], int]]:
        """In how many ways a hand of values leaves each set of Lucky 3 classes to choose from."""
        found: dict[Values, dict[frozenset[Lucky3], int]] = {}
        for values, classes, ways in self._suited_ways():
            row = found.setdefault(values, {})
            row[classes] = row.get(classes, 0) + ways
        nothing: frozenset[Lucky3] = frozenset()
        return {h: found.get(h, {nothing: ways}) for h, ways in self.players.items()}

    def _suited_ways(self) -> Iterator[tuple[Values, frozenset[Lucky3], int]]:
        """Return in how many ways hands that make 21 come, alike ones together."""
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
        """In how many ways the dealer holds a hand of each kind, for each hand of the player."""
        known = () if self.exposed is None else (self.exposed,)
        rest = hands(4 - len(known))
        found = [kinds().index(kind(tuple(sorted(known + h)))) for h in rest]
        return count_dealers(self.copies, rest, found, len(kinds()))

    @cached_property
    def deals(self) -> int:
        return sum(n * sum(self.dealers[h]) for h, n in self.players.items())

    @cached_property
    def pairs(self) -> dict[Kind, list[int]]:
        """How many deals put each kind of the player's against each of the dealer's."""
        found = {ours: [0] * len(kinds()) for ours in kinds()}
        for h, n in self.players.items():
            row = found[kind(h)]
            for index, ways in enumerate(self.dealers[h]):
                row[index] += n * ways
        return found


def count_dealers(
    copies: tuple[int, ...], rest: tuple[Values, ...], found: list[int], width: int
) -> dict[Values, list[int]]:
    """Count the dealer's hands by kind, compiled where Numba is installed, else in Python."""
    try:
        return _count_compiled(copies, rest, found, width)
    except ModuleNotFoundError:
        return _count_plain(copies, rest, found, width)


def _count_compiled(
    copies: tuple[int, ...], rest: tuple[Values, ...], found: list[int], width: int
) -> dict[Values, list[int]]:
    import numpy as np

    from pitboss.kernels.toss_one import count_dealers as count

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
    """Return the census of full decks; counted once for each number."""
    return Census(shoe_of(decks))


# --- pricing


def outcomes(rules: Rules, of: Census) -> Counter[Outcome]:
    """Count the deals by how Main ends."""
    found: Counter[Outcome] = Counter()
    table = outcome_table(rules.dealer_blackjack, rules.ace_kicker)
    for ours, row in of.pairs.items():
        for outcome, deals in zip(table[ours], row, strict=True):
            found[outcome] += deals
    return found


def main_figures(rules: Rules, of: Census) -> Figures:
    """Return the figures of Main."""
    counted = outcomes(rules, of)
    events = [Event(outcome.value, rules.odds(outcome), counted[outcome]) for outcome in Outcome]
    return Figures("main", tuple(event for event in events if event.combinations))


def lucky3_figures(rules: Rules, of: Census) -> Figures:
    """Return the figures of Lucky 3, the toss chosen for it."""
    found: Counter[Lucky3 | None] = Counter()
    for row in of.classes.values():
        for classes, ways in row.items():
            found[chosen_class(rules, classes)] += ways
    table = rules.lucky3_paytable
    return Figures(
        "lucky3",
        tuple(Event(class_name(c), table.odds(c), found[c]) for c in (*Lucky3, None)),
    )


def bonus4_figures(rules: Rules, of: Census) -> Figures:
    """Return the figures of Bonus 4, line by line of its pay table."""
    found: Counter[int] = Counter()
    for h, ways in of.players.items():
        found[sum(h)] += ways
    lines = [
        Event(name, rules.bonus4_paytable.odds(totals[0]), sum(found[t] for t in totals))
        for name, totals in bonus4_lines(rules).items()
    ]
    paid = sum(line.combinations for line in lines)
    return Figures("bonus4", (*lines, Event(ELSE, None, found.total() - paid)))


PRICES = {"main": main_figures, "lucky3": lucky3_figures, "bonus4": bonus4_figures}
"""The function that computes the figures of each bet."""


def figures(rules: Rules, of: Census | None = None) -> dict[str, Figures]:
    """Return the figures of every bet."""
    of = of or census(rules.decks)
    return {bet: PRICES[bet](rules, of) for bet in BETS}


# --- the bets of one seat together


@dataclass(frozen=True)
class Package:
    """The bets of one seat together: how many deals give each set of results."""

    counts: Mapping[tuple[Fraction, ...], int]  # what Main, Lucky 3 and Bonus 4 win a unit

    def moments(self, stakes: tuple[int, ...] = (1, 1, 1)) -> Moments:
        """Return the distribution of the result of *stakes* units on the bets."""
        found: Counter[Fraction] = Counter()
        for nets, deals in self.counts.items():
            found[sum((s * x for s, x in zip(stakes, nets, strict=True)), Fraction())] += deals
        return Moments(found)

    def correlation(self, one: int, other: int) -> float:
        """Return the correlation of two bets, by their places."""
        pair = self.moments(tuple(int(i in {one, other}) for i in range(len(BETS))))
        alone = [self.moments(tuple(int(i == j) for i in range(len(BETS)))) for j in (one, other)]
        covariance = (pair.variance - alone[0].variance - alone[1].variance) / 2
        return float(covariance) / (alone[0].std_dev * alone[1].std_dev)


def package(rules: Rules, of: Census | None = None) -> Package:
    """Return the joint distribution of Main, Lucky 3 and Bonus 4 of the same four cards."""
    of = of or census(rules.decks)
    found: Counter[tuple[Fraction, ...]] = Counter()
    for h, row in of.classes.items():
        bonus = unit_net(rules.bonus4_paytable.odds(sum(h)))
        results = _main_results(rules, of, h)
        for classes, ways in row.items():
            lucky = unit_net(rules.lucky3_paytable.odds(chosen_class(rules, classes)))
            for main, deals in results.items():
                found[main, lucky, bonus] += ways * deals
    return Package({nets: deals for nets, deals in found.items() if deals})


def _main_results(rules: Rules, of: Census, values: Values) -> Counter[Fraction]:
    """Count the dealer's hands by what Main wins against them."""
    ended: Counter[Outcome] = Counter()
    table = outcome_table(rules.dealer_blackjack, rules.ace_kicker)
    for outcome, ways in zip(table[kind(values)], of.dealers[values], strict=True):
        ended[outcome] += ways
    found: Counter[Fraction] = Counter()
    for outcome, ways in ended.items():
        found[unit_net(rules.odds(outcome))] += ways
    return found


# --- what a card seen before betting is worth


def exposed_own(rules: Rules, value: int) -> dict[str, Fraction]:
    """Return the expectation of each bet when one card of the player's own hand is known."""
    of = census(rules.decks)
    weights = {h: h.count(value) for h in hands(4)}
    return _expectations(rules, of, weights)


def exposed_dealer(rules: Rules, value: int) -> dict[str, Fraction]:
    """Return the expectation of each bet when one card of the dealer's hand is known."""
    shoe = shoe_of(rules.decks)
    shoe[value, Suit.SPADES] -= 1  # any suit: they are alike
    return _expectations(rules, Census(shoe, value), dict.fromkeys(hands(4), 1))


def _expectations(rules: Rules, of: Census, weights: Mapping[Values, int]) -> dict[str, Fraction]:
    won = dict.fromkeys(BETS, Fraction())
    deals = 0
    for h, weight in weights.items():
        ways = of.players[h] * weight
        if not ways:
            continue
        dealers = sum(of.dealers[h])
        deals += ways * dealers
        main = sum(x * n for x, n in _main_results(rules, of, h).items())
        won["main"] += ways * main
        won["bonus4"] += ways * dealers * unit_net(rules.bonus4_paytable.odds(sum(h)))
        for classes, n in of.classes[h].items():
            paid = unit_net(rules.lucky3_paytable.odds(chosen_class(rules, classes)))
            won["lucky3"] += n * weight * dealers * paid
    return {bet: total / deals for bet, total in won.items()}
