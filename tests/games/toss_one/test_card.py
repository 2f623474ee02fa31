"""The strategy card of Toss One 21: its advice is the best there is."""

import json
from itertools import combinations_with_replacement, product

import pytest

from pitboss.core.cards import DECK, Card, Rank, Suit, parse
from pitboss.games import toss_one
from pitboss.games.toss_one import Lucky3, best_hands, chosen_hand, lucky3
from pitboss.strategy import strategy_card

TOSS = toss_one.GAME


def test_equal_tosses_are_of_one_value():
    """The card's statement on equal best tosses holds for all values that can be dealt."""
    for values in combinations_with_replacement(range(1, 11), 4):
        suits = dict.fromkeys(values, 0)
        cards = []
        for value in values:
            cards.append(Card(Rank(value), list(Suit)[suits[value]]))
            suits[value] += 1
        assert len({hand.tossed.value for hand in best_hands(tuple(cards))}) <= 1


@pytest.mark.parametrize("table", [1, 2])
@pytest.mark.parametrize("cards", ["As Ks Qs Jh", "Ah Kd Qh Jc", "7s 7h 7d 7c", "Ts 9s 2s 9h"])
def test_lucky3_keeps_what_the_card_says(table, cards):
    """The hand chosen for a player is the first of the card's order that can be kept."""
    rules = TOSS.rules().changed(f"lucky3_paytable={table}")
    order = [
        row["class"]
        for family in strategy_card(TOSS, rules)["lucky3"]["families"]
        for row in family["keep"]
    ]
    can = {lucky3(hand) for hand in best_hands(parse(cards))}

    assert lucky3(chosen_hand(rules, parse(cards))) == next(c for c in order if c in can)


def test_lucky3_with_a_custom_table():
    """A custom pay table has its own order; results that pay the same are equivalent."""
    table = [
        {"on": ["coloured_blackjack"], "pays": "9:1"},
        {"on": ["suited_blackjack"], "pays": "5:1"},
        {"on": ["suited_21", "coloured_21", "21"], "pays": "0:1"},
    ]
    rules = TOSS.rules().changed(f"lucky3_paytable={json.dumps(table)}")
    data = strategy_card(TOSS, rules)
    blackjack, other = data["lucky3"]["families"]

    assert [row["class"] for row in blackjack["keep"]] == [
        Lucky3.COLOURED_BLACKJACK,
        Lucky3.SUITED_BLACKJACK,
        Lucky3.BLACKJACK,
    ]
    assert [row["pays"] for row in blackjack["keep"]] == ["9:1", "5:1", "lose"]
    assert [row["rank"] for row in other["keep"]] == [1, 1, 1]
    assert {row["pays"] for row in other["keep"]} == {"push"}
    assert "of any other 21, any, for all pay the same" in data["lucky3"]["rule"]


def test_free_toss():
    """If any toss is legal, the card says that the best total is still best."""
    data = strategy_card(TOSS, TOSS.rules().changed("toss=free"))
    assert "none is better" in data["toss"]["why"]


def test_a_higher_total_wins_whenever_a_lower_does():
    """The card's reason: against no dealer's hand is a lower total of the same cards better."""
    rules = TOSS.rules()
    dealers = [parse(text) for text in ("Td 8c 3d 9s", "Ad Kd Qh 9c", "9h 9d 4c 2h", "7d 6h 5c 2d")]
    packs = [parse("Ks 8s 3s 2s"), parse("As 6s 4s 9d"), parse("5s 6c 7s 8d")]
    for pack, dealer in product(packs, dealers):
        theirs = best_hands(dealer)[0]
        kept = [toss_one.Hand(tuple(c for c in pack if c != t), t) for t in pack]
        wins = {
            h.total: rules.odds(toss_one.hands.compare(rules, h, theirs)) is not None
            for h in sorted(kept, key=lambda h: h.total)
            if not h.is_bust
        }
        assert list(wins.values()) == sorted(wins.values())
    assert len(DECK) == 52
