"""Every clause that cards can illustrate has an example."""

import pytest

from pitboss import GAMES
from pitboss.training import examples

TOSS, ROLL = GAMES["toss-one-21"], GAMES["roll-your-own"]

UNSHOWN = {TOSS.key: set(), ROLL.key: {"1", "4", "7e"}}
"""Clauses that no cards show: the deck, the stub in the hand, and that there is no surrender."""


@pytest.mark.parametrize("game", [TOSS, ROLL], ids=lambda x: getattr(x, "key", x))
def test_every_clause_has_its_example(game):
    """The highlighted bet is decided by the clause of the example, or by its other named clause."""
    found = examples.examples(game.key)
    assert {e.scenario.rule for e in found} == set(game.clauses) - UNSHOWN[game.key]
    order = [list(game.clauses).index(e.scenario.rule) for e in found]
    assert order == sorted(order)
    for example in found:
        assert example.round.phase == "settled"
        assert example.highlight.rule == (example.scenario.decided_by or example.scenario.rule)
        assert len(example.reasons()) == len(example.round.settlements())
    settling = {s.rule for e in found for s in e.round.settlements()}
    assert {e.scenario.rule for e in found if e.scenario.decided_by}.isdisjoint(settling)
