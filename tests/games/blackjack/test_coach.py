"""The coach of blackjack: values from every visible card, and from no hidden one."""

import random
import sys
from dataclasses import replace
from statistics import mean

import pytest

from pitboss.coach import CoachError, advise
from pitboss.core.cards import DECK, parse
from pitboss.core.errors import RuleError
from pitboss.core.protocol import Draw, deal_from, net, supply
from pitboss.core.twenty_one import Hand
from pitboss.games import blackjack
from pitboss.games.blackjack.hands import Seat
from pitboss.games.blackjack.solver import Solver


def dealt(cards, decisions=(), seats=1, **settings):
    """Deal a round and make decisions; every seat bets 1000 cents."""
    rules = blackjack.Rules.from_json(settings)
    round_ = blackjack.Round(rules)
    for seat in range(1, seats + 1):
        round_ = round_.apply(blackjack.Bet(seat, 1000))
    deck = parse(cards)
    round_ = deal_from(deck, round_)
    for text in decisions:
        round_ = supply(deck, round_.apply(blackjack.read_decision(round_.asked.seat, text)))
    return round_


def worth(round_, seat=1):
    return {str(o.decision): o.value for o in advise(round_, seat).options}


def test_a_fresh_hand_is_the_solver_s():
    """Alone with two cards, the values are those of the start, and surrender costs half."""
    found = advise(dealt("Ts Th 6d 9c", surrender="late"), 1)
    start = Solver(blackjack.Rules(surrender="late")).solve(10, (6, 10))
    assert worth(dealt("Ts Th 6d 9c", surrender="late")) == pytest.approx(start.plays)
    assert str(found.best.decision) == "surrender"
    assert found.best.value == -0.5
    assert (found.unit, found.note, found.approximate) == (1000, "this hand alone", False)


def test_other_seats_cards_count():
    """With tens in sight 12 is better to hit, with small cards in sight better to stand on."""
    alone = worth(dealt("Ts 2h 2d 9c", decks=1))
    tens = "Ts Th Tc 2h  2d Jh Jc 9c"  # seat 1 has 12 again, and four tens lie open
    crowd = worth(dealt(tens, decks=1, seats=3))
    assert crowd["stand"] < alone["stand"]  # the dealer busts less
    assert crowd["hit"] > alone["hit"]
    low = worth(dealt("Ts 4h 5c 2h  2d 5h 6c 9c", decks=1, seats=3))
    assert low["stand"] > alone["stand"]


def test_insurance_counts_tens():
    """Insurance pays 2 to 1: it gains if more than a third of the unseen cards are tens."""
    few = "2s 3h 4d Ah  5s 6h 7d 9c"  # no ten among seven open cards
    found = advise(dealt(few, decks=1, seats=3), 1)
    assert str(found.best.decision) == "insure 500"
    assert found.best.value == pytest.approx(0.5 * (3 * 16 / 45 - 1))
    assert found.value(blackjack.Insure(1, 250)) == pytest.approx(found.best.value / 2)
    assert found.note == "the insurance"
    many = advise(dealt("As Ah Kd 9c", decks=6), 1)  # even money on a blackjack
    assert str(many.best.decision) == "insure 0"
    assert many.value(blackjack.Insure(1, 500)) == pytest.approx(0.5 * (3 * 95 / 309 - 1))


def test_split_hands_know_the_splits_and_cards_before():
    """A later hand of a split counts the cards of the earlier one, and the splits left."""
    first = "8s 6h 8d Td  Tc"
    one = dealt(f"{first} 3c", ["split", "stand"], decks=1)
    assert one.view(1).turn.hand == 1
    seen = (8, 8, 3, 10)
    expected = Solver(blackjack.Rules(decks=1)).options(6, (8, 3), seen, from_split=True, splits=1)
    assert worth(one) == pytest.approx(expected)
    again = dealt(f"{first} 8h", ["split", "stand"], decks=1)
    assert "split" in worth(again)
    assert "split" not in worth(dealt(f"{first} 8h", ["split", "stand"], decks=1, max_splits=1))


@pytest.mark.parametrize("hole_card", ["no_peek", "original_bets_only"])
def test_a_dealer_s_blackjack_counts_without_a_peek(hole_card):
    """The value of standing is the mean over every hole card and every draw of the dealer."""
    round_ = dealt("Ts Th 9d 5c", decks=1, hole_card=hole_card)
    unseen = [card for card in DECK if card not in parse("Ts Th 9d")]
    results = []
    for hole in unseen:
        left = [card for card in unseen if card != hole]
        after = replace(round_, dealer=(round_.dealer[0], hole)).apply(blackjack.Stand(1))
        results.append(mean(ends(after, left)))
    assert worth(round_)["stand"] == pytest.approx(mean(results) / 1000)


def ends(round_, left):
    """Yield the net of every way to draw for the dealer, one for each next card."""
    if not round_.needs_card:
        yield net(round_.settlements(), 1)
        return
    for card in left:
        rest = [other for other in left if other != card]
        yield mean(ends(round_.apply(Draw(card)), rest))


def test_original_bets_only_lets_doubles_be():
    """Against a ten, 11 is doubled if a dealer's blackjack takes only the original bet."""
    cards = "6s Th 5d 9c"
    assert str(advise(dealt(cards, hole_card="original_bets_only"), 1).best.decision) == "double"
    assert str(advise(dealt(cards, hole_card="no_peek"), 1).best.decision) == "hit"
    both = [worth(dealt(cards, hole_card=rule)) for rule in ("original_bets_only", "no_peek")]
    assert both[0]["hit"] == pytest.approx(both[1]["hit"])  # one bet is lost either way


def test_hidden_cards_do_not_matter():
    """With another hole card and another order of the shoe, the advice is the same."""
    chance = random.Random(5)
    for _ in range(10):
        deck = list(DECK)
        chance.shuffle(deck)
        one, other = deck[:4], [*deck[:3], deck[4]]
        rounds = [dealt(" ".join(map(str, cards)), decks=1) for cards in (one, other)]
        if all(round_.asked for round_ in rounds):
            assert advise(rounds[0], 1) == advise(rounds[1], 1)


def test_when_the_shoe_could_run_out():
    """Alone it cannot; with seven seats of one deck it can, and from six decks it cannot."""
    assert not advise(dealt("8s 6h 8d 9c", decks=1), 1).approximate
    deck = " ".join(map(str, sorted(DECK, key=lambda card: (-card.value, str(card)))))
    full = dealt(deck, decks=1, seats=7)
    assert advise(full, full.asked.seat).approximate
    shoe = dealt(deck, decks=6, seats=7)
    assert not advise(shoe, shoe.asked.seat).approximate


def test_an_empty_shoe():
    """With no card left, a hit returns the bet; only the hole card is unseen, so it is known."""
    round_ = dealt("Ts Th 6d 9c", decks=1)
    others = [card for card in DECK if card not in parse("Ts Th 6d 9c")]
    used = blackjack.Round(round_.rules, (*round_.seats, filler(others)), round_.dealer)
    assert used.cards_used == used.deck_size
    assert worth(used) == {"hit": 0, "double": 0, "stand": -1}
    assert advise(used, 1).note == "all the seat has in action"


def filler(cards):
    """Return a seat that holds the given cards in hands that have stood."""
    hands = tuple(Hand(cards[i : i + 2], 1000, stood=True) for i in range(0, len(cards), 2))
    return Seat(blackjack.Bet(2, 1000), cards[:2], hands)


def test_nothing_to_decide():
    """A seat with a blackjack or out of turn has nothing to ask."""
    with pytest.raises(RuleError, match="seat 1 has nothing to decide"):
        advise(dealt("As 6h Kd 9c"), 1)


def test_without_numba(monkeypatch):
    """Without the extra the coach says what to install."""
    solving = ("pitboss.games.blackjack.solver", "pitboss.solver", "pitboss.kernels")
    for name in [name for name in sys.modules if name.startswith(solving)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(CoachError, match=r"needs numba.*pip install 'pitboss\[kernels\]'"):
        advise(dealt("Ts 6h 6d 9c"), 1)
