"""A game with rules but no other parts: unsupported features are rejected in one line."""

from dataclasses import dataclass, replace
from random import Random

import pytest

from pitboss.analysis import analyze
from pitboss.backoffice.theory import theory
from pitboss.coach import advise
from pitboss.core.cards import DECK
from pitboss.core.errors import NotationError, UnsupportedError
from pitboss.core.protocol import PARTS, Deal, Settlement
from pitboss.core.settings import Rules, WholeNumber, setting, with_settings
from pitboss.games import GAMES, roll_your_own, toss_one
from pitboss.jurisdictions import WASHINGTON_2023, check
from pitboss.reasons import reason
from pitboss.simulator import make_job
from pitboss.strategy import strategy_card
from pitboss.tables.limits import default_limits
from pitboss.training import dealer, drills, examples, odds
from pitboss.training.money import odds_of


@with_settings
@dataclass(frozen=True, kw_only=True)
class OtherRules(Rules):
    """Rules that no generic package knows."""

    seats: int = setting(WholeNumber(1, 7), 7, rule="1", about="seats at the table")


RULES = OtherRules()
OTHER = replace(
    toss_one.GAME, key="other", rules=OtherRules, presets={"default": RULES}, package=""
)


class OtherRound:
    """A round of the game, with a decision."""

    rules = RULES

    def view(self, _):
        packs = Deal((DECK[:4], DECK[-4:]))
        return toss_one.Round(toss_one.Rules()).apply(toss_one.Bet(1, 500)).apply(packs).view(1)


REFUSED = {
    "coach": lambda: advise(OtherRound(), 1),
    "simulations": lambda: make_job(RULES),
    "environments": lambda: OTHER.part("encoding"),
    "exact figures": lambda: analyze(OTHER, RULES),
    "strategy card": lambda: strategy_card(OTHER, RULES),
    "layout to check": lambda: check(
        OTHER, RULES, jurisdiction=WASHINGTON_2023, limits=default_limits(OTHER)
    ),
    "dealer training": lambda: dealer.train(OTHER, RULES, Random(1)),
    "drills": lambda: drills.ask(OTHER, "toss", RULES, Random(1)),
    "odds": lambda: odds_of(RULES, Settlement(1, "main", 0, "won", "1", 500, 500)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    """Features that need a missing part are rejected with the game's name, and nothing breaks."""
    with pytest.raises(NotationError, match=f"^no {what} for "):
        REFUSED[what]()


def test_no_theory():
    """The house has no theory for such a game, and gives the reason."""
    assert theory(OTHER, RULES).reason.startswith("no exact figures for ")


def test_no_odds():
    """The odds of a game without figures say so, next to its rules."""
    found = odds.price(OTHER, OtherRules(seats=3))

    assert found.missing.startswith("no exact figures for ")
    assert (found.bets, found.pending, found.changed) == ((), (), (("seats", 3, 7),))


def test_no_lessons(monkeypatch):
    """A game without drills and examples has none, and does not affect other games."""
    before = [drill for _, drill in drills.all_drills()]
    monkeypatch.setattr(drills, "GAMES", {**GAMES, "other": OTHER})
    monkeypatch.setattr(examples, "find_game", lambda _: OTHER)

    assert [drill for _, drill in drills.all_drills()] == before
    assert examples.examples.__wrapped__("other") == ()


def test_no_reasons():
    """For a game without a reasons part, the reason is the outcome text."""
    settlement = Settlement(1, "main", 0, "dealer bust", "6", 500, 500)
    assert reason(RULES, OtherRound().view(1), settlement) == "Dealer bust."


@pytest.mark.parametrize("name", PARTS)
def test_parts(name):
    """A part that a game has can be loaded; the other game has no parts."""
    for game in GAMES.values():
        if game.has_part(name):
            assert game.part(name).__name__ == f"{game.package}.{name}"
    assert not OTHER.has_part(name)
    with pytest.raises(UnsupportedError, match=f"^no {PARTS[name]} for other$"):
        OTHER.part(name)


def test_bets():
    """Each stake is a bet, unless it covers several."""
    assert toss_one.GAME.stake_of == {"main": "main", "lucky3": "lucky3", "bonus4": "bonus4"}
    assert roll_your_own.GAME.stake_of == {"first": "bet", "second": "bet", "bonus": "bet"}
