"""Dealer training settles bets like the game, step by step."""

import random
import re

import pytest

from pitboss import GAMES, toss_one, view_json
from pitboss.core.cards import hard_total, parse_card
from pitboss.training import dealer, money
from pitboss.training.dealer import Move, Settle, Watch
from tests.parts import games_with

TOSS, ROLL = GAMES["toss-one-21"], GAMES["roll-your-own"]
PRESETS = [(game, name) for game in games_with("training") for name in game.presets]


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=lambda x: getattr(x, "key", x))
def test_training_settles_what_the_game_settles(game, preset):
    """Every bet is settled step by step, in the game's order, from those still on the felt."""
    for seed in range(60):
        found = dealer.train(game, game.presets[preset], random.Random(seed))
        assert found.round.phase == "settled"
        assert dealer.settlements_of(found.steps) == found.round.settlements()
        left = None
        for step in found.steps:
            assert step.prompt
            if isinstance(step, Settle):
                check_settle(found.rules, step)
                spot = (step.settlement.seat, step.settlement.bet, step.settlement.hand)
                left = set(step.unsettled) - {spot}
            elif isinstance(step, Move):
                assert set(step.accepts) <= set(step.choices)
        assert left == set()
        last = found.steps[-1]
        assert isinstance(last, Watch)
        assert view_json(last.view) == view_json(found.round.record())


def check_settle(rules, step):
    paid = step.settlement
    assert (paid.seat, paid.bet, paid.hand) == step.next[0]
    assert set(step.next) <= set(step.unsettled)
    assert step.action == ("pay" if paid.net > 0 else "take" if paid.net else "push")
    assert rules.rounding.net(money.odds_of(rules, paid), paid.stake) == paid.net or paid.net <= 0
    assert paid not in step.view.settlements
    assert step.why.endswith(".")


def test_the_dealer_moves_by_the_rules():
    """The toss keeps the best three, unless all bust; the dealer stands on 17 (7f)."""
    for seed in range(80):
        found = dealer.train(TOSS, TOSS.rules(), random.Random(seed))
        (move,) = (step for step in found.steps if isinstance(step, Move))
        cards = found.round.dealer
        best = toss_one.best_hands(cards)
        assert move.accepts == (tuple(h.tossed.text for h in best) or ("bust",))
        for text in set(move.choices) - {"bust"} - set(move.accepts):
            kept = [card for card in cards if card != parse_card(text)]
            assert hard_total(kept) > 21 or not best or best[0].total > hard_total(kept)
        found = dealer.train(ROLL, ROLL.rules(), random.Random(seed))
        moves = [step for step in found.steps if isinstance(step, Move)]
        dealt = found.round.record().dealer
        assert [m.accepts for m in moves[:-1]] == [("hit",)] * (len(moves) - 1)
        assert len(dealt.cards) == 2 + sum(m.accepts == ("hit",) for m in moves)
        if moves:  # a blackjack that the peek finds leaves none
            assert moves[0].view.dealer.cards == dealt.cards[:2]
        else:
            assert dealt.total == 21


def test_nothing_of_the_dealers_is_seen_too_soon():
    """Face-down cards are not shown before the dealer's first move."""
    for game, preset in PRESETS:
        for seed in range(20):
            found = dealer.train(game, game.presets[preset], random.Random(seed))
            for step in found.steps:
                if isinstance(step, Move):
                    break
                hidden = step.view.dealer.cards if game is TOSS else step.view.dealer.cards[1:]
                if re.search("[Yy]ou turn (it|your hole card) over", step.prompt):
                    break
                assert set(hidden) == {None}


def test_house_rules():
    """Training sometimes uses 6 to 5 in Toss One 21, and always the defaults in the other game."""
    chance = random.Random(2)
    assert {dealer.house_rules(TOSS, chance) for _ in range(40)} == {
        TOSS.rules(),
        TOSS.presets["six-to-five"],
    }
    assert dealer.house_rules(ROLL, chance) == ROLL.rules()
