"""The side bets of blackjack: published tables, brute force, and laws for every pay table."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import comb, perm

import pytest

from pitboss.core.cards import DECK, total
from pitboss.games.blackjack import GAME, Rules, lucky_ladies, perfect_pairs, plus_three
from pitboss.games.blackjack.figures import sensitivity
from pitboss.games.blackjack.side_bet_figures import (
    count_pairs,
    count_starts,
    count_threes,
    count_twenties,
    dealer_blackjacks,
    figures,
)

PUBLISHED = {  # house edges in percent, wizardofodds.com unless stated otherwise
    ("perfect_pairs", "25-12-6"): {2: 22.3301, 6: 6.11, 8: 4.0964},
    ("perfect_pairs", "30-10-5"): {8: 3.3735},
    ("21+3", "9-9-9-9"): {1: 13.30, 2: 7.26, 4: 4.24, 6: 3.2386, 8: 2.74},
    ("lucky_ladies", "1000-125-19-9-4"): {1: 38.16, 6: 24.7089, 8: 24.05},
    ("lucky_ladies", "1000-200-25-10-4"): {8: 16.73},
}
PAYTABLES = {
    "perfect_pairs": "perfect_pairs_paytable",
    "21+3": "plus_three_paytable",
    "lucky_ladies": "lucky_ladies_paytable",
}


def counts(decks, bet):
    """Return the combinations of a bet by event."""
    return {e.event: e.combinations for e in figures(Rules(decks=decks))[bet].events}


@pytest.mark.parametrize(("bet", "table"), PUBLISHED)
def test_published_edges(bet, table):
    """Every published house edge is ours, to the digits that were published."""
    for decks, edge in PUBLISHED[bet, table].items():
        rules = Rules(decks=decks).changed(f"{PAYTABLES[bet]}={table}")
        places = len(str(edge).partition(".")[2])

        assert 100 * figures(rules)[bet].house_edge == pytest.approx(edge, abs=0.51 * 10**-places)


def test_published_combinations():
    """The published combinations of six and eight decks are ours, class by class."""
    assert counts(8, "perfect_pairs") == {
        "perfect pair": 1456,
        "colored pair": 1664,
        "mixed pair": 3328,
        "anything else": 79872,
    }
    assert counts(6, "21+3") == {
        "suited three of a kind": 1040,
        "straight flush": 10368,
        "three of a kind": 26312 - 1040,
        "straight": 155520,
        "flush": 236736 + 56160,  # with a pair
        "anything else": 977184 + 3551040,
    }
    assert counts(8, "21+3") == {
        "suited three of a kind": 2912,
        "straight flush": 24576,
        "three of a kind": 61568,
        "straight": 368640,
        "flush": 700928,
        "anything else": 10753536,
    }
    ways = {event: 4 * n for event, n in counts(6, "lucky_ladies").items()}  # ordered hands
    assert ways == {
        "queens and dealer blackjack": 135360,
        "queens of hearts": 2738340,
        "matched 20": 43105500,
        "suited 20": 193112640,
        "any 20": 744863040,
        "anything else": 8310740400,
    }


@pytest.mark.parametrize("decks", [1, 2])
def test_brute_force(decks):
    """Dealing every ordered hand of one and two decks, card by card, gives the same counts."""
    shoe = DECK * decks
    pairs, threes, twenties = Counter(), Counter(), Counter()
    cards = range(len(shoe))
    for one, two in permutations(cards, 2):
        hand = shoe[one], shoe[two]
        pairs[perfect_pairs(hand)] += 1
        twenties[lucky_ladies(hand, dealer_blackjack=False)] += perm(len(shoe) - 2, 2)
        for up in cards:
            if up not in {one, two}:
                threes[plus_three((*hand, shoe[up]))] += 1
        if hand[0] is hand[1] and total(hand) == 20:  # the dealer's hand can matter
            rest = [shoe[i] for i in cards if i not in {one, two}]
            for dealer in permutations(rest, 2):
                natural = total(dealer) == 21
                twenties[lucky_ladies(hand, dealer_blackjack=False)] -= 1
                twenties[lucky_ladies(hand, dealer_blackjack=natural)] += 1

    assert pairs == {c: 2 * n for c, n in count_pairs(decks).items() if n}
    assert threes == {c: 6 * n for c, n in count_threes(decks).items() if n}
    assert +twenties == {c: 4 * n for c, n in count_twenties(decks).items() if n}


@pytest.mark.parametrize("decks", range(1, 9))
def test_totals(decks):
    """The combinations add up to the number of deals, and the joint counts agree with them."""
    cards = 52 * decks
    found = figures(Rules(decks=decks))
    sizes = comb(cards, 2), comb(cards, 3), comb(cards, 2) * comb(cards - 2, 2)

    assert tuple(f.total for f in found.values()) == sizes
    starts = count_starts(decks)
    together = sum(starts.values(), Counter())
    assert together.total() == comb(cards, 2) * (cards - 2)
    for place, counted in ((0, count_pairs(decks)), (1, count_threes(decks))):
        alone = Counter()
        for classes, ways in together.items():
            alone[classes[place]] += ways
        scale = alone.total() / counted.total()
        assert alone == {c: scale * n for c, n in counted.items() if n}
    queens = sum(n for classes, n in together.items() if classes[2] == "queens_of_hearts")
    assert queens == comb(decks, 2) * (cards - 2)


def test_starts_have_the_values_of_their_cards():
    """Two tens against an ace can have every class of Lucky Ladies but no straight."""
    found = count_starts(6)[(10, 10), 1]
    twenties = {classes[2] for classes in found}

    assert twenties == {"queens_of_hearts", "matched_20", "suited_20", "any_20"}
    assert found.total() == comb(96, 2) * 24
    assert "straight" in {classes[1] for classes in found}  # queen, king, ace


def test_one_deck_has_no_equal_cards():
    """One deck has no perfect pair and no two queens of hearts, so these are no events."""
    assert "perfect pair" not in counts(1, "perfect_pairs")
    assert set(counts(1, "lucky_ladies")) == {"suited 20", "any 20", "anything else"}
    assert set(counts(1, "21+3")) == {
        "straight flush",
        "three of a kind",
        "straight",
        "flush",
        "anything else",
    }


def test_dealer_blackjacks():
    """A dealer's blackjack is an ace and a ten; the player's tens are no longer in the shoe."""
    assert dealer_blackjacks(1) == 64
    assert dealer_blackjacks(6, tens=2) == 94 * 24


def test_any_pay_table_is_priced():
    """A custom pay table is priced from the same counts; a class without a line loses."""
    table = [{"on": ["mixed_pair"], "pays": "8:1"}, {"on": ["colored_pair"], "pays": "0:1"}]
    found = figures(Rules(decks=8, perfect_pairs_paytable=table))["perfect_pairs"]

    assert found.ev == Fraction(8 * 3328 - 1456 - 79872, 86320)
    assert found.push_rate == pytest.approx(1664 / 86320)


def test_sensitivity():
    """Each side bet has a row for every published pay table, its own, and every number of decks."""
    rows = sensitivity(Rules())
    custom = Rules().changed('perfect_pairs_paytable=[{"on": ["mixed_pair"], "pays": "9:1"}]')

    assert len(rows) == (2 + 3 + 2) * 8
    assert len(sensitivity(custom)) == (3 + 3 + 2) * 8
    for row in rows:
        assert row.ev == figures(row.rules)[row.bet].ev
    assert {row.stake for row in rows} == {1}


def test_bets_of_the_layout():
    """Every side bet of the layout has figures under its own name."""
    sides = [bet.figures for bet in GAME.bets if bet.is_side_bet]

    assert sides == [*figures(Rules())]
    assert all(GAME.figures_bets[bet].paytable == PAYTABLES[bet] for bet in sides)


@pytest.mark.parametrize("decks", [1, 6])
@pytest.mark.parametrize("bet", PAYTABLES)
def test_more_decks_are_better_for_the_player(decks, bet):
    """All three side bets win more often with more decks, because equal cards are more common."""
    rules = Rules(decks=decks)

    assert figures(rules.changed("decks=8"))[bet].ev > figures(rules)[bet].ev


def test_top_prize_of_several_hands():
    """If every winning hand of 21+3 pays 9 to 1, the top prize is as frequent as a win."""
    found = figures(Rules())["21+3"]

    assert found.as_json()["top_prize"]["one_in"] == pytest.approx(1 / found.hit_frequency)
