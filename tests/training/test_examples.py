"""Every clause that cards can illustrate has an example."""

import pytest

from pitboss.training import examples
from tests.parts import games_with


@pytest.mark.parametrize("game", games_with("examples"), ids=lambda game: game.key)
def test_every_clause_has_its_example(game):
    """The highlighted bet is decided by the clause of the example, or by its other named clause."""
    found = examples.examples(game.key)
    assert {e.scenario.rule for e in found} == set(game.clauses) - game.part("examples").UNSHOWN
    order = [list(game.clauses).index(e.scenario.rule) for e in found]
    assert order == sorted(order)
    for example in found:
        assert example.round.phase == "settled"
        assert example.highlight.rule == (example.scenario.decided_by or example.scenario.rule)
        assert len(example.reasons()) == len(example.round.settlements())
    settling = {s.rule for e in found for s in e.round.settlements()}
    assert {e.scenario.rule for e in found if e.scenario.decided_by}.isdisjoint(settling)
