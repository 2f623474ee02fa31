"""A game that has its rules and no more: what is not made for it is refused in one line."""

from dataclasses import dataclass, replace
from random import Random

import pytest

from pitboss.analysis import analyze
from pitboss.cards import DECK
from pitboss.coach import CoachError, advise
from pitboss.errors import NotationError
from pitboss.felt import Deal, Settlement
from pitboss.games import GAMES, roll_your_own, toss_one
from pitboss.jurisdictions import WASHINGTON_2023, check
from pitboss.lessons import examples, odds, practice, training
from pitboss.lessons.money import odds_of
from pitboss.rules import Rules, Whole, setting, with_settings
from pitboss.strategy import strategy_card
from pitboss.table import default_limits
from pitboss.web.theory import theory


@with_settings
@dataclass(frozen=True, kw_only=True)
class OtherRules(Rules):
    """Rules that nothing above the games knows."""

    seats: int = setting(Whole(1, 7), 7, rule="1", about="seats at the table")


RULES = OtherRules()
OTHER = replace(toss_one.GAME, key="other", rules=OtherRules, presets={"default": RULES})

REFUSED = {
    "exact figures": lambda: analyze(OTHER, RULES),
    "strategy card": lambda: strategy_card(OTHER, RULES),
    "layout to check": lambda: check(
        OTHER, RULES, jurisdiction=WASHINGTON_2023, limits=default_limits(OTHER)
    ),
    "dealer training": lambda: training.train(OTHER, RULES, Random(1)),
    "drills": lambda: practice.ask(OTHER, "toss", RULES, Random(1)),
    "odds": lambda: odds_of(RULES, Settlement(1, "main", 0, "won", "1", 500, 500)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    """What rests on a game's own mathematics is refused by its name, and nothing breaks."""
    with pytest.raises(NotationError, match=f"^no {what} for "):
        REFUSED[what]()


def test_no_theory():
    """The house compares the returns of such a game with nothing, and knows why."""
    assert theory(OTHER, RULES).reason.startswith("no exact figures for ")


def test_no_odds():
    """Odds of a game that nobody has counted say so, beside the rules as they are."""
    found = odds.price(OTHER, OtherRules(seats=3))

    assert found.missing.startswith("no exact figures for ")
    assert (found.bets, found.pending, found.changed) == ((), (), (("seats", 3, 7),))


def test_no_lessons(monkeypatch):
    """A game without drills and examples has none, and takes none away from the others."""
    before = [drill for _, drill in practice.every()]
    monkeypatch.setattr(practice, "GAMES", {**GAMES, "other": OTHER})
    monkeypatch.setattr(examples, "find_game", lambda _: OTHER)

    assert [drill for _, drill in practice.every()] == before
    assert examples.examples.__wrapped__("other") == ()


def test_no_coach():
    """The coach says that it does not know the game."""

    class Other:
        def view(self, _):
            return _deal().view(1)

    with pytest.raises(CoachError, match="does not know this game"):
        advise(Other(), 1)


def _deal():
    packs = Deal((DECK[:4], DECK[-4:]))
    return toss_one.Round(toss_one.Rules()).apply(toss_one.Bet(1, 500)).apply(packs)


def test_bets():
    """A stake is a bet of its own, unless it fills several."""
    assert toss_one.GAME.bets == {"main": "main", "lucky3": "lucky3", "bonus4": "bonus4"}
    assert roll_your_own.GAME.bets == {"first": "bet", "second": "bet", "bonus": "bet"}
