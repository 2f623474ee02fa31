"""The coach of any game: every legal decision has a value."""

import math

import pytest
from hypothesis import given, settings

from pitboss.coach import advise
from pitboss.games import GAMES
from tests.strategies import rounds

# --- whatever the state


@pytest.mark.parametrize("game", GAMES.values(), ids=str)
def test_every_legal_decision(game):
    """At every decision of a round each legal option has one value, with the best first."""

    @settings(max_examples=12)
    @given(rounds(game))
    def check(found):
        for state in found.states:
            if state.asked:
                advice = advise(state, state.asked.seat)
                decisions = [option.decision for option in advice.options]
                worth = [option.value for option in advice.options]
                assert sorted(map(str, decisions)) == sorted(map(str, state.asked.legal))
                assert worth == sorted(worth, reverse=True)
                assert all(map(math.isfinite, worth))
                assert advice.cost(advice.best.decision) == 0

    check()
