"""The drills of blackjack ask what their titles say."""

import random

import pytest

from pitboss.core.cards import is_soft, total
from pitboss.core.errors import NotationError
from pitboss.games import blackjack
from pitboss.training import drills

GAME = blackjack.GAME


def asked(drill, seed, **settings):
    found = drills.ask(GAME, drill, blackjack.Rules.from_json(settings), random.Random(seed))
    return found, found.round.view(found.seat)


def two_cards(view):
    return view.seats[0].hands[0].cards


@pytest.mark.parametrize("seed", range(5))
def test_two_cards(seed):
    """Hard totals, soft totals and pairs are asked with two cards, the hole card hidden."""
    for drill in ("hard", "soft", "pairs"):
        _, view = asked(drill, seed)
        cards = two_cards(view)
        is_pair = cards[0].value == cards[1].value
        assert (drill == "pairs") == is_pair
        assert (drill == "soft") == (is_soft(cards) and not is_pair)
        assert view.dealer.cards[1] is None
        assert ("split" in map(str, view.legal)) == is_pair


@pytest.mark.parametrize("surrender", ["none", "late"])
def test_surrender_is_allowed_in_its_drill(surrender):
    """A weak hand meets a strong up card, and late surrender is allowed under any rules."""
    best = set()
    for seed in range(12):
        found, view = asked("surrender", seed, surrender=surrender)
        assert total(two_cards(view)) in range(14, 18)
        assert view.dealer.kept[0].value in {1, 8, 9, 10}
        assert "surrender" in map(str, view.legal)
        best.add(str(found.advice.best.decision))
    assert {"surrender"} < best


def test_insurance_is_right_sometimes():
    """From one deck, the open cards of five seats make insurance right in some deals."""
    best = set()
    for seed in range(12):
        found, view = asked("insurance", seed)
        assert found.round.deck_size == 52
        assert len(view.seats) == 5
        assert view.dealer.kept[0].value == 1
        best.add(str(found.advice.best.decision))
        assert "unseen cards are tens" in found.why(found.advice.best)
    assert best == {"insure 0", "insure 500"}


def test_refused_drills():
    """A drill that the rules leave nothing to ask in says so."""
    with pytest.raises(NotationError, match="no split is allowed"):
        asked("pairs", 1, max_splits=0)
    with pytest.raises(NotationError, match="not offered"):
        asked("insurance", 1, insurance=False)
