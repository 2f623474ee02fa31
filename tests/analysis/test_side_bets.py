"""Custom side bets: counted like cards laid out one by one, and priced like the house's bets."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from pitboss.analysis import count_deals, price
from pitboss.core.cards import DECK, hard_total, total
from pitboss.core.errors import SettingError
from pitboss.core.paytables import Paytable
from pitboss.games import roll_your_own
from pitboss.games.roll_your_own import bonus_figures as roll_figures
from pitboss.games.toss_one import BONUS_4, Rules, chosen_hand, lucky3
from pitboss.games.toss_one import figures as toss_one


def alike(cards):
    """Return the largest number of cards of the same rank."""
    return max(Counter(card.rank for card in cards).values())


@pytest.mark.parametrize("decks", [1, 2, pytest.param(8, marks=pytest.mark.long)])
def test_bonus_4(decks):
    """Bonus 4, written as a custom bet, has the counts and the edge of the census."""
    rules = Rules(decks=decks)
    known = toss_one.figures(rules)["bonus4"]

    figures = price(count_deals(hard_total, 4, decks=decks), BONUS_4)

    assert [e.combinations for e in figures.events] == [e.combinations for e in known.events]
    assert (figures.ev, figures.total) == (known.ev, comb(52 * decks, 4))


@pytest.mark.long
@pytest.mark.parametrize("decks", [1, 6])
def test_lucky_3(decks):
    """Lucky 3, which depends on suits, has the counts and the edge of the census too."""
    rules = Rules(decks=decks)

    def kept(cards):
        hand = chosen_hand(rules, cards)
        return lucky3(hand) if hand else None

    figures = price(count_deals(kept, 4, decks=decks), rules.lucky3_paytable)

    assert figures.moments == toss_one.figures(rules)["lucky3"].moments


def test_the_bonus():
    """The Bonus of Roll Your Own has the counts and the edge of the analysis too."""
    rules = roll_your_own.Rules()
    figures = price(count_deals(roll_your_own.poker_class, 3), rules.bonus_paytable, "bonus")

    assert figures.moments == roll_figures.figures(rules).moments
    assert figures.bet == "bonus"


@pytest.mark.parametrize("decks", [1, 2])
def test_two_hands_are_as_if_laid_out(decks):
    """Deals of two cards and one more are counted as if every card of the shoe were different."""
    shoe = range(52 * decks)

    def classify(two, one):
        return total(two), one[0].suit in {card.suit for card in two}, one[0] in two

    by_hand = Counter(
        classify((DECK[a % 52], DECK[b % 52]), (DECK[c % 52],))
        for a, b in combinations(shoe, 2)
        for c in shoe
        if c not in {a, b}
    )

    assert count_deals(classify, 2, 1, decks=decks) == by_hand


def test_cards_alike():
    """Cards of equal rank occur as often as textbooks say, and a bet on them has an exact edge."""
    counts = count_deals(alike, 4)
    figures = price(counts, Paytable.of({4: "1000:1", 3: "25:1", 2: "0:1"}))

    assert counts == {4: 13, 3: 13 * 4 * 48, 2: 2808 + 82368, 1: 715 * 256}
    assert [(e.event, e.pays, e.combinations) for e in figures.events] == [
        ("4", "1000:1", 13),
        ("3", "25:1", 2496),
        ("2", "push", 85176),
        ("anything else", "lose", 183040),
    ]
    assert figures.ev == Fraction(1000 * 13 + 25 * 2496 - 183040, 270725)
    assert figures.top.event == "4"


@pytest.mark.parametrize(
    ("hands", "decks", "message"),
    [
        ((), 1, r"^each hand needs at least one card, as in 4 or 3, 1, not \(\)$"),
        ((0,), 1, r"^each hand needs at least one card"),
        ((3, 1.0), 1, r"^each hand needs at least one card"),
        ((True,), 1, r"^each hand needs at least one card"),
        ((4,), 0, r"^decks: 0 is not a whole number in 1\.\.8$"),
        ((4,), 9, r"^decks: 9 is not a whole number in 1\.\.8$"),
        ((4,), "six", r"^decks: 'six' is not a whole number in 1\.\.8$"),
        ((50, 3), 1, r"^hands of 53 cards cannot be dealt from 52$"),
        ((4, 4), 1, r"^52,677,670,500 deals are too many: the limit is 10,000,000$"),
        ((6,), 2, r"^36,288,252 deals are too many: the limit is 10,000,000$"),
    ],
)
def test_deals_that_cannot_be_counted(hands, decks, message):
    """Impossible deals, and too many deals, are rejected before anything is counted."""
    with pytest.raises(SettingError, match=message):
        count_deals(alike, *hands, decks=decks)


def test_a_table_that_pays_on_nothing():
    """A table whose classes never occur is rejected, because they are probably misspelled."""
    with pytest.raises(
        SettingError, match="^the table pays on '4', but no deal has that class: the classes are"
    ):
        price(Counter({4: 13, 1: 5}), Paytable.of({"4": "5:1"}))


def test_a_class_that_is_written_wrong():
    """A single misspelled line in a table is rejected too."""
    counts = count_deals(alike, 4)
    with pytest.raises(SettingError, match="pays on 5, but no deal"):
        price(counts, Paytable.of({4: "1000:1", 5: "1:1"}))


def test_cards_have_no_order():
    """A classification that depends on the order of the cards is rejected."""
    with pytest.raises(SettingError, match="has no order"):
        count_deals(lambda cards: cards[0].rank, 4)
