"""The coach of Toss One 21: values checked with the game, and for hidden cards."""

import random
import subprocess
import sys
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings

from pitboss.coach import advise
from pitboss.core.cards import DECK, parse
from pitboss.core.protocol import Deal, net
from pitboss.games import toss_one
from pitboss.games.toss_one import Bet
from pitboss.games.toss_one import figures as census
from tests.games.test_views import redeal
from tests.strategies import play, random_rules, rounds


def tossing(cards, rules=None, **stakes):
    """Deal Toss One 21 to seat 1; the dealer's cards are any others."""
    rules = rules or toss_one.Rules()
    dealer = tuple(card for card in DECK if card not in parse(cards))[:4]
    start = toss_one.Round(rules).apply(Bet(1, **stakes or {"main": 1000}))
    return start.apply(Deal((parse(cards), dealer)))


def test_without_numba():
    """The coach needs only the standard library."""
    code = (
        "import sys; sys.modules |= dict.fromkeys(['numpy', 'numba'])\n"  # importing them fails now
        "from pitboss import Deal, parse, toss_one\n"
        "from pitboss.coach import advise\n"
        "packs = Deal((parse('7h 7d 7s 2c'), parse('2s 3s 4s 5s')))\n"
        "round_ = toss_one.Round(toss_one.Rules()).apply(toss_one.Bet(1, 1000)).apply(packs)\n"
        "print(advise(round_, 1).best.decision)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == "toss 2c\n"


def test_toss_one_knows_only_its_own():
    """The advice does not depend on the cards of the other seats and the dealer."""
    compared = 0
    for seed in range(40):
        chance = random.Random(seed)
        rules = random_rules(chance, toss_one.GAME)
        state = play(toss_one.GAME, rules, chance).states[-2]
        for seat in [s.number for s in state.seats if state.legal(s.number)]:
            if other := redeal(chance, state, seat):
                assert advise(other, seat) == advise(state, seat)
                compared += 1

    assert compared > 20


@pytest.mark.long
def test_toss_against_every_dealer():
    """The value of a toss is the average payout over all 194,580 hands of the dealer."""
    rules = toss_one.Rules(toss="free", lucky3_paytable=1, ace_kicker="low")
    table = tossing("Ah 5h 5d 9c", rules, main=1000, lucky3=500, bonus4=200)
    cards = table.seats[0].cards
    rest = [card for card in DECK if card not in cards]
    hands = [next(iter(toss_one.best_hands(four)), None) for four in combinations(rest, 4)]
    alike = Counter(hand and (hand.total, hand.tossed.value, hand.is_blackjack) for hand in hands)
    example = {hand and (hand.total, hand.tossed.value, hand.is_blackjack): hand for hand in hands}

    advice = advise(table, 1)

    assert len(advice.options) == 4
    for option in advice.options:
        done = table.apply(option.decision).seats[0]
        paid = sum(
            n * net(toss_one.round.settle(rules, done, example[k]), 1) for k, n in alike.items()
        )
        assert option.value == pytest.approx(paid / 194_580 / 1000, abs=1e-12)


@pytest.mark.parametrize("decks", [1, 8])
def test_toss_agrees_with_the_census(decks):
    """The value of Main alone equals that of the census for the same four cards."""
    rules, chance = toss_one.Rules(decks=decks), random.Random(decks)
    for _ in range(20):
        cards = tuple(chance.sample(DECK, 4))
        table = tossing(" ".join(map(str, cards)), rules)
        if not table.asked:
            continue
        hand = tuple(sorted(card.value for card in cards))
        results = census._main_results(rules, census.census(decks), hand)
        expected = sum(paid * ways for paid, ways in results.items()) / results.total()
        for option in advise(table, 1).options:
            assert option.value == pytest.approx(float(expected), abs=1e-12)


@settings(max_examples=40)
@given(rounds(toss_one.GAME, toss="must_be_best"))
def test_best_toss_is_the_one_chosen_for_a_player(found):
    """The best toss pays as much on Lucky 3 as the toss chosen for a player (R-8)."""
    for state in found.states:
        if state.asked:
            seat = next(s for s in state.seats if s.number == state.asked.seat)
            best, chosen = (
                advise(state, seat.number).best.decision.card,
                toss_one.chosen_hand(state.rules, seat.cards).tossed,
            )
            assert lucky3_pays(state, seat, best) == lucky3_pays(state, seat, chosen)


def lucky3_pays(state, seat, tossed):
    hand = next(hand for hand in toss_one.best_hands(seat.cards) if hand.tossed == tossed)
    done = toss_one.round.Seat(seat.bet, seat.cards, hand)
    return [s.net for s in toss_one.round.settle(state.rules, done, None) if s.bet == "lucky3"]


def test_equal_cards_are_one_choice_unless_a_side_bet_tells_them_apart():
    """Tossing either of two kings is the same choice, unless Lucky 3 pays more for one of them."""
    rules = toss_one.Rules(toss="free")
    alone = advise(tossing("Ks Kh 6s 5s", rules), 1)
    lucky = advise(tossing("Ks Kh 6s 5s", rules, main=1000, lucky3=500), 1)

    assert sorted(len(same) for same in alone.choices()) == [1, 1, 2]
    assert sorted(len(same) for same in lucky.choices()) == [1, 1, 1, 1]
