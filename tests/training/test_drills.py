"""Drills use the decisions of the games and the values of the coach."""

import random
from collections import Counter

import pytest

from pitboss import GAMES, find_game, roll_your_own, toss_one
from pitboss.coach import advise
from pitboss.core.errors import NotationError
from pitboss.training import drills

TOSS, ROLL = GAMES["toss-one-21"], GAMES["roll-your-own"]
DRILLS = [(game, drill.key) for game, drill in drills.all_drills()]


@pytest.mark.parametrize(("game", "drill"), DRILLS, ids=lambda x: getattr(x, "key", x))
def test_the_options_of_a_drill_are_the_coachs(game, drill):
    """Every legal decision is listed once, best first, with the coach's value."""
    chance = random.Random(f"{game.key} {drill}")
    for _ in range(8):
        found = drills.ask(game, drill, game.rules(), chance)
        advice = advise(found.round, found.seat)
        assert found.advice == advice
        decisions = [option.decision for option in found.advice.options]
        assert Counter(decisions) == Counter(found.round.legal(found.seat))
        assert found.why(advice.best)
        assert find_game(game.key).decision(found.seat, str(decisions[0])) == decisions[0]


def test_a_drill_asks_what_it_is_about():
    """A drill deals two cards of its kind, a pair to split, or an ace up; others are hidden."""
    chance = random.Random(4)
    for drill in ("hard", "soft", "pairs"):
        for _ in range(10):
            found = drills.ask(ROLL, drill, ROLL.rules(), chance)
            view = found.round.view(1)
            (hand, _) = view.seats[0].hands
            soft = 1 in {card.value for card in hand.cards}
            pair = len({card.value for card in hand.cards}) == 1
            assert (drill == "pairs") == pair
            assert (drill == "soft") == soft or pair
            assert ("split" in map(str, view.legal)) == pair
            assert view.dealer.cards[1] is None
    asked = drills.ask(ROLL, "insurance", ROLL.rules(), chance)
    view = asked.round.view(asked.seat)
    assert view.dealer.cards[0].value == 1
    assert len(view.seats) == 3


def test_tosses_are_worth_a_thought():
    """Most hands have two close tosses, or equal ones that differ for Lucky 3."""
    chance = random.Random(5)
    gaps = []
    for _ in range(40):
        found = drills.ask(TOSS, "toss", TOSS.rules(), chance)
        best, second, *_ = found.advice.options
        assert len(found.advice.options) == 4
        assert best.decision.card in {
            h.tossed for h in toss_one.best_hands(found.round.seats[0].cards)
        }
        gaps.append((best.value - second.value) * found.advice.unit)
    assert sum(gap < 900 for gap in gaps) > 20


def test_what_cannot_be_practised():
    """An unknown drill, or one that the rules exclude, is rejected with a message."""
    chance = random.Random(1)
    with pytest.raises(NotationError, match="no drill 'cheat' of Toss One 21: there are toss"):
        drills.ask(TOSS, "cheat", TOSS.rules(), chance)
    with pytest.raises(NotationError, match="no split is allowed"):
        drills.ask(ROLL, "pairs", roll_your_own.Rules(max_splits=0), chance)
    with pytest.raises(NotationError, match="not offered"):
        drills.ask(ROLL, "insurance", roll_your_own.Rules(insurance="off"), chance)
