"""Lookup tables of the solver: hands of values, how they grow, and the dealer's final hands.

A hand is a multiset of values, from ace 1 to ten 10. A set of cards is a number in a mixed radix,
whose digit v is the number of cards of value v. So adding a card adds a weight. The tables are made
for a number of full decks, because a hand of one deck holds at most four aces.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Plays: TypeAlias = NDArray[np.int8]
Values: TypeAlias = tuple[int, ...]

VALUES = range(1, 11)
DECK: Values = (4,) * 9 + (16,)
ACE, TEN = 1, 10
BLACKJACK = 21
STANDS = 17
BUST, NATURAL = 5, 6  # the outcomes after 17, 18, 19, 20 and 21
HAND_DECKS = 6  # with more decks there are no more hands: 21 aces are the most
DEALER_DECKS = 3  # with more decks the dealer has no more final hands: 12 aces are the most


def full_deck(decks: int) -> Values:
    """Return the number of cards of each value in full decks."""
    return tuple(decks * n for n in DECK)


def decks_for(deck: Values) -> int:
    """Return the smallest number of full decks that contain *deck*."""
    return max(1, *(-(-n // most) for n, most in zip(deck, DECK, strict=True)))


def key_weights(deck: Values) -> Values:
    """Return the weight of each value in the number that represents a set of cards.

    The radix of a value is one more than the cards of the smallest number of full decks: 5 for one
    deck, 33 for eight decks. So the keys of one deck have 25 bits, and those of eight decks 53.
    """
    radix = DECK[0] * decks_for(deck) + 1
    return tuple(radix**v for v in range(10))


def best_total(values: Values) -> tuple[int, bool]:
    """Return a hand's total, and whether an ace counts as eleven in it."""
    hard = sum(values)
    soft = ACE in values and hard + 10 <= BLACKJACK
    return (hard + 10 if soft else hard), soft


# --- a hand's value depends on its state: hard 1 to 21 are 1 to 21, soft 12 to 21 follow


def state_of(total: int, *, soft: bool) -> int:
    return total + 10 if soft else total


STATES = state_of(BLACKJACK, soft=True) + 1


class Hands(NamedTuple):
    """Every hand that is not bust, smallest first; hands grow into later hands."""

    state: Ints
    size: Ints
    child: Ints  # the hand with one more card, -1 if that is bust or not in a deck
    pair: Ints  # the hand of two values
    order: Ints  # the hands that one or two cards can grow into, concatenated for all starts
    begin: Ints  # the index at which each start begins: card v at v, cards a, b at 11a + b


@cache
def _numbers(decks: int) -> dict[Values, int]:
    found = sorted(_growing((), 1, full_deck(decks)), key=lambda h: (sum(h), len(h)))
    return {h: i for i, h in enumerate(found)}


def hands_of_values(decks: int = 1) -> tuple[Values, ...]:
    """Return every hand of values that is not bust, by number."""
    return tuple(_numbers(min(decks, HAND_DECKS)))


def number_of(cards: Values, decks: int = 1) -> int:
    """Return the number of a hand of values."""
    return _numbers(min(decks, HAND_DECKS))[tuple(sorted(cards))]


def hands(decks: int = 1) -> Hands:
    """Return every hand that is not bust."""
    return _hands(min(decks, HAND_DECKS))


@cache
def _hands(decks: int) -> Hands:
    index = _numbers(decks)
    found = list(index)
    child = np.full((len(found), 10), -1, np.int64)
    for i, h in enumerate(found):
        for v in VALUES:
            child[i, v - 1] = index.get(tuple(sorted((*h, v))), -1)
    pair = np.full((11, 11), -1, np.int64)
    order: list[int] = []
    begin = np.zeros(11 * 11 + 1, np.int64)
    for a, b in ((a, b) for a in range(11) for b in range(11)):
        start = tuple(sorted(v for v in (a, b) if v))
        if start:
            pair[a, b] = index[start]
            order += _grown(index[start], child)
        begin[11 * a + b + 1] = len(order)
    return Hands(
        state=np.array([state_of(t, soft=s) for t, s in map(best_total, found)]),
        size=np.array([len(h) for h in found]),
        child=child,
        pair=pair,
        order=np.array(order),
        begin=begin,
    )


def _growing(hand: Values, least: int, deck: Values) -> Iterator[Values]:
    """Yield every hand that is not bust and extends *hand* by values of at least *least*."""
    for v in range(least, 11):
        if sum(hand) + v > BLACKJACK:
            return
        if hand.count(v) < deck[v - 1]:
            yield (*hand, v)
            yield from _growing((*hand, v), v, deck)


def _grown(start: int, child: Ints) -> list[int]:
    """Return a hand and all hands that it can grow into, in order."""
    reached = {start}
    for hand in range(start, len(child)):
        if hand in reached:
            reached.update(c for c in child[hand].tolist() if c >= 0)
    return sorted(reached)


class Dealer(NamedTuple):
    """The dealer's hands as a tree over sorted draws, parents before children.

    The chance of a hand is ``ways`` times the product of ``left[value] - taken`` along its branch,
    divided by the number of ordered draws of that many cards. If the product is 0, ``skip`` is the
    next branch to visit.
    """

    parent: Ints
    value: Ints
    taken: Ints
    depth: Ints
    skip: Ints
    outcome: Ints
    ways: Floats  # 0 if the dealer still draws


def dealer(up: int, *, hits_soft_17: bool, peeks: bool, decks: int = 1) -> Dealer:
    """Return all final hands of the dealer, without blackjacks if the dealer peeks."""
    return _dealer(up, hits_soft_17, peeks and completing(up) > 0, min(decks, DEALER_DECKS))


@cache
def _dealer(up: int, hits_soft_17: bool, peeks: bool, decks: int) -> Dealer:  # noqa: FBT001  cached
    ends = _ends(up, full_deck(decks), hits_soft_17=hits_soft_17, peeks=peeks)
    branches = sorted({h[:n] for h in ends for n in range(1, len(h) + 1)})
    index = {h: i for i, h in enumerate(branches)}
    skip = list(range(1, len(branches) + 1))
    for i in reversed(range(len(branches))):
        parent = index.get(branches[i][:-1])
        if parent is not None:
            skip[parent] = max(skip[parent], skip[i])
    return Dealer(
        parent=np.array([index.get(h[:-1], -1) for h in branches]),
        value=np.array([h[-1] - 1 for h in branches]),
        taken=np.array([h[:-1].count(h[-1]) for h in branches]),
        depth=np.array([len(h) for h in branches]),
        skip=np.array(skip),
        outcome=np.array([ends.get(h, (0, 0))[0] for h in branches]),
        ways=np.array([float(ends.get(h, (0, 0))[1]) for h in branches]),
    )


def _ends(
    up: int, deck: Values, *, hits_soft_17: bool, peeks: bool
) -> dict[Values, tuple[int, int]]:
    """Return the outcome and the number of orders of every draw that ends the dealer's hand."""
    barred = completing(up) if peeks else 0
    drawing: Counter[Values] = Counter({(): 1})
    ends: dict[Values, tuple[int, int]] = {}
    while drawing:
        longer: Counter[Values] = Counter()
        for drawn, ways in drawing.items():
            for v in VALUES:
                grown = tuple(sorted((*drawn, v)))
                held = (*grown, up)
                if held.count(v) <= deck[v - 1] and not (len(grown) == 1 and v == barred):
                    longer[grown] += ways
        drawing = Counter()
        for grown, ways in longer.items():
            outcome = _outcome((up, *grown), hits_soft_17=hits_soft_17)
            if outcome is None:
                drawing[grown] = ways
            else:
                ends[grown] = outcome, ways
    return ends


def _outcome(cards: Values, *, hits_soft_17: bool) -> int | None:
    total, soft = best_total(cards)
    if total > BLACKJACK:
        return BUST
    if total < STANDS or (total == STANDS and soft and hits_soft_17):
        return None
    if total == BLACKJACK and len(cards) == 2:  # noqa: PLR2004  the up card and the hole card
        return NATURAL
    return total - STANDS


def completing(up: int) -> int:
    """Return the value that makes a blackjack with *up*; 0 if no value does."""
    return {ACE: TEN, TEN: ACE}.get(up, 0)
