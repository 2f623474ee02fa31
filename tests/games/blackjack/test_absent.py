"""An absent seat of blackjack takes no insurance and stands."""

import pytest

from pitboss.core.cards import parse
from pitboss.core.protocol import deal_from, supply
from pitboss.games import blackjack
from pitboss.tables.absent import safe_decision


@pytest.mark.parametrize(
    ("cards", "decisions", "safe"),
    [
        ("9s Ah 7d 8c", [], "insure 0"),
        ("As Ah Td 8c", [], "insure 0"),  # even money is declined too
        ("2s 6h 3d 8c", [], "stand"),
        ("8s 6h 8d 8c", [], "stand"),
        ("Ts Th 6d 8c", [], "stand"),
        ("As 6h Ad 8c Ac", ["split"], "stand"),  # a split ace may stand or split again
    ],
)
def test_safe_decisions(cards, decisions, safe):
    """No money is added and no card is taken, whatever the hand."""
    rules = blackjack.Rules(surrender="late", resplit_aces=True)
    deck = parse(cards)
    round_ = deal_from(deck, blackjack.Round(rules).apply(blackjack.Bet(1, 1000)))
    for text in decisions:
        round_ = supply(deck, round_.apply(blackjack.read_decision(1, text)))
    assert str(safe_decision(round_, 1)) == safe


def test_with_an_empty_shoe_it_stands_too():
    """A hit would end the round and return the bet, but no card is taken for an absent seat."""
    rules = blackjack.Rules(decks=1)
    deck = parse("Ts 6h 3d 8c")
    round_ = deal_from(deck, blackjack.Round(rules).apply(blackjack.Bet(1, 1000)))
    left = 52 - len(deck)
    empty = blackjack.Round(rules, round_.seats, round_.dealer, draws=parse("2s " * left))
    assert empty.cards_used == empty.deck_size
    assert str(safe_decision(empty, 1)) == "stand"
