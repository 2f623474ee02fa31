"""Cards: parsing, printing, copying and totals."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.core.cards import (
    DECK,
    Card,
    Rank,
    Suit,
    hard_total,
    is_soft,
    parse,
    parse_card,
    spell,
    total,
)
from pitboss.core.errors import NotationError
from tests.strategies import cards, hands


def test_deck_is_the_fifty_two():
    """A deck has 52 different cards, thirteen to a suit."""
    assert len(set(DECK)) == 52
    assert all(sum(card.suit is suit for card in DECK) == 13 for suit in Suit)


@pytest.mark.parametrize("text", ["Td", "10d", "td", "TD", "10♦", "T♦", "10♦\ufe0f", " Td ", "Td,"])
def test_every_way_to_write_a_card(text):
    """Rank and suit may be written in either case, with 10 and with the suit's sign."""
    assert parse_card(text) is Card(Rank.TEN, Suit.DIAMONDS)


@pytest.mark.parametrize(
    "text", ["1d", "Ax", "A", "s", "AsK", "0d", "11d", "A s", "Kſ", "As?", "٢d"]
)
def test_what_is_no_card_is_refused(text):
    """Text that is not a card is rejected, with the correct notation."""
    with pytest.raises(NotationError, match="is not a card: a rank of A23456789TJQK"):
        parse(text)


@pytest.mark.parametrize("text", ["", "As Kd"])
def test_one_card_means_one(text):
    """If one card is expected, none or two are rejected."""
    with pytest.raises(NotationError, match="expected one card"):
        parse_card(text)


@given(hands(7))
def test_cards_round_trip(hand):
    """Printed cards are parsed back, with and without spaces."""
    assert parse(spell(hand)) == hand
    assert parse(spell(hand).replace(" ", "")) == hand
    assert parse(" ".join(card.symbol for card in hand)) == hand


@given(st.text())
def test_any_text_reads_or_is_refused(text):
    """Any text is parsed or rejected, without another error."""
    try:
        assert parse(spell(parse(text))) == parse(text)
    except NotationError as error:
        assert "\n" not in str(error)


@given(cards)
def test_a_card_exists_once(card):
    """Copies and unpickled copies of a card are the same object."""
    assert copy.deepcopy(card) is card
    assert pickle.loads(pickle.dumps(card)) is card  # noqa: S301  our own


def test_a_card_does_not_change():
    """No attribute of a card can be set."""
    with pytest.raises(AttributeError, match="cards are immutable"):
        DECK[0].rank = Rank.TWO


@pytest.mark.parametrize(
    ("text", "points", "soft"),
    [
        ("As", 11, True),
        ("As Ad", 12, True),
        ("As Kd", 21, True),
        ("As Kd Qh", 21, False),
        ("As Ad Ah Ac", 14, True),
        ("As 9d Ac", 21, True),
        ("As 9d 2c", 12, False),
        ("Td Jd Qd", 30, False),
        ("2s 3d 4h 5c", 14, False),
        ("", 0, False),
    ],
)
def test_totals(text, points, soft):
    """An ace counts 11 unless the total would exceed 21; then it counts 1."""
    assert (total(parse(text)), is_soft(parse(text))) == (points, soft)


@given(hands(5))
def test_total_is_hard_or_ten_more(hand):
    """A soft total is the hard total plus ten, and never over 21."""
    assert total(hand) - hard_total(hand) == (10 if is_soft(hand) else 0)
    assert not is_soft(hand) or total(hand) <= 21


def test_values_and_colours():
    """Faces count ten, an ace one; hearts and diamonds are red."""
    assert [card.value for card in DECK[:13]] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert [suit.is_red for suit in Suit] == [False, True, True, False]
    assert [card.symbol for card in parse("As Th 9d Kc")] == ["A♠", "10♥", "9♦", "K♣"]
