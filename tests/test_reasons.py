"""Reasons of results: a sentence for every settlement, with visible figures only."""

import random
import re

import pytest

from pitboss.core.paytables import Odds
from pitboss.games import GAMES
from pitboss.reasons import reason
from tests.parts import keys_with
from tests.strategies import play, random_rules

# --- whatever the round


def figures(rules, view, settlement):
    """Return the numbers that a sentence may mention, given a view."""
    seat = next(seat for seat in view.seats if seat.seat == settlement.seat)
    shown = [card for card in (*seat.cards, *view.dealer.cards) if card]
    odds = [Odds(2)]  # of insurance
    for name in rules.settings:
        value = getattr(rules, name)
        odds += [value] if isinstance(value, Odds) else []
        odds += [line for _, line in getattr(value, "lines", ())]
    found = {1, 3, 4, 20, 21, 22, view.dealer.total, *(hand.total for hand in seat.hands)}
    found |= {card.value for card in shown} | {n for o in odds for n in (o.win, o.stake)}
    return found | {sum(card.value for card in seat.cards if card)}


def check_sentence(rules, view, settlement):
    told = reason(rules, view, settlement)
    assert re.fullmatch(r"[A-Z0-9][^.]*\.", told), told
    assert len(told) <= 80, told
    assert {int(n) for n in re.findall(r"\d+", told)} <= figures(rules, view, settlement), told
    assert not re.search(r"None|[A2-9TJQK][shdc♠♥♦♣]\b", told), told
    if settlement.net > 0:
        assert not re.search("lose|bust takes|push|does not|not 21|more than", told), told
    if settlement.net < 0:
        assert not re.search("pays|paid|push|Your .* beats|dealer is bust|wins, ", told), told
    return told


LEAST_KINDS = 20


@pytest.mark.parametrize("key", keys_with("reasons"))
def test_every_settlement_says_why(key):
    """Every settlement in every view of random rounds, under any rules, has a correct sentence."""
    game, kinds, number = GAMES[key], set(), 0
    for seed in range(1000):
        chance = random.Random(seed)
        rules = random_rules(chance, game)
        found = play(game, rules, chance)
        for state in {id(s): s for s in (chance.choice(found.states), found.round)}.values():
            seats = [None, chance.choice(state.numbers)] if state.numbers else [None]
            for view in (*map(state.view, seats), state.record()):
                for settlement in view.settlements:
                    kinds.add(
                        re.sub(r"\b(\d+|[AJQK])\b", "#", check_sentence(rules, view, settlement))
                    )
                    number += 1
    assert number > 5_000
    assert len(kinds) >= LEAST_KINDS, kinds
