"""The solver's tables for one to eight decks."""

from itertools import product

import pytest

from pitboss.solver.engine import Engine, Play
from pitboss.solver.tables import (
    DEALER_DECKS,
    HAND_DECKS,
    VALUES,
    _dealer,
    _ends,
    _numbers,
    decks_for,
    full_deck,
    hands,
    hands_of_values,
    key_weights,
    number_of,
)


def test_more_decks_add_no_hands():
    """From some number of decks on, the player and the dealer have the same hands."""
    assert _numbers(HAND_DECKS).keys() == _numbers(HAND_DECKS + 1).keys() > _numbers(2).keys()
    for up, hits in product(VALUES, (False, True)):
        few, many = (
            _ends(up, full_deck(n), hits_soft_17=hits, peeks=False)
            for n in (DEALER_DECKS, DEALER_DECKS + 1)
        )
        assert few == many
        assert len(_dealer(up, hits, False, 1).parent) <= len(_dealer(up, hits, False, 3).parent)  # noqa: FBT003


def test_the_number_of_hands():
    """With many decks there are 3,072 hands of two or more cards, as published at bjstrat.net."""
    assert len(hands_of_values(8)) == 3072 + 10
    assert len(hands_of_values(1)) == 2008 + 10
    assert hands_of_values(8)[number_of((10, 1, 9), 8)] == (1, 9, 10)
    assert (hands(8).size == [len(hand) for hand in hands_of_values(8)]).all()


@pytest.mark.parametrize("decks", range(1, 9))
def test_every_set_of_cards_has_its_own_key(decks):
    weights, deck = key_weights(full_deck(decks)), full_deck(decks)
    assert decks_for(deck) == decks
    for v in range(9):  # all cards of the lower values weigh less than one card of the next
        assert sum(w * n for w, n in zip(weights[: v + 1], deck, strict=False)) < weights[v + 1]
    assert sum(w * n for w, n in zip(weights, deck, strict=True)) < 2**53


def test_a_value_does_not_depend_on_the_radix():
    """The same cards, once as one deck and once as the rest of eight decks."""
    one = Engine(6)
    seen = tuple(v for v in VALUES for _ in range(7 * full_deck(1)[v - 1]))
    rest = Engine(6, deck=full_deck(8))
    for own in ((8, 8), (1, 7), (5, 6), (10, 2)):
        expected = one.options(own, own, Play(max_splits=3))
        assert rest.options((*own, *seen), own, Play(max_splits=3)) == pytest.approx(expected)
