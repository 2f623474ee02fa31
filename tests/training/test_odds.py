"""The odds of any rules agree with the analysis and the solver."""

import json

import pytest

from pitboss import GAMES, analysis, roll_your_own, toss_one
from pitboss.games.roll_your_own import presolved as played
from pitboss.training import odds
from tests.parts import games_with

TOSS, ROLL = GAMES["toss-one-21"], GAMES["roll-your-own"]


def named(found):
    return {bet.bet: bet for bet in found.bets}


@pytest.mark.parametrize("decks", [1, 8])
@pytest.mark.parametrize("changes", [{}, {"lucky3_paytable": 1, "dealer_blackjack": "beats_21"}])
def test_toss_one_odds_are_those_of_the_analysis(decks, changes):
    """Every bet has the fraction and the counts of the analysis."""
    rules = toss_one.Rules(decks=decks, **changes)
    found = odds.price(TOSS, rules)
    assert found.pending == ()
    figures = analysis.analyze(TOSS, rules).counted
    for name, bet in named(found).items():
        assert bet.exact == str(figures[name].ev)
        assert bet.edge_percent == pytest.approx(100 * figures[name].house_edge)
        assert sum(o.count for o in bet.outcomes) == figures[name].total
        assert sum(o.returns for o in bet.outcomes) == pytest.approx(bet.ev)
        assert sum(o.percent for o in bet.outcomes) == pytest.approx(100)
    assert found.default["main"] == pytest.approx(-0.68252, abs=1e-5)
    assert {name for name, *_ in found.changed} == {*changes, *(["decks"] if decks > 1 else [])}


@pytest.mark.parametrize("game", games_with("figures"), ids=str)
def test_bets_come_in_the_order_of_the_layout(game):
    """The bet that every seat makes comes before the side bets, and the package last."""
    found = [bet.bet for bet in odds.price(game, game.rules()).bets]
    assert found == [name for name in game.units if name in found]


def test_an_edited_line():
    """A higher payout on one line raises the value by the extra payout."""
    lines = [*TOSS.rules().paytables()["bonus4_paytable"]]
    lines[0] = lines[0] | {"pays": "1000:1"}
    found = odds.price(TOSS, toss_one.Rules.from_json({"bonus4_paytable": lines}))
    usual = odds.price(TOSS, TOSS.rules())
    more = named(found)["bonus4"].ev - named(usual)["bonus4"].ev
    assert more == pytest.approx(750 / 270725)
    assert named(found)["main"] == named(usual)["main"]


def test_roll_your_own_as_published():
    """The shipped play gives the figures in the solver's tests."""
    found = named(odds.price(ROLL, ROLL.rules()))
    assert found["blackjack"].ev == pytest.approx(0.387748494770, abs=1e-9)
    assert found["package"].edge_percent == pytest.approx(0.8548, abs=1e-4)
    assert found["bonus"].exact == "-2284/5525"
    for bet in found.values():
        assert sum(o.percent for o in bet.outcomes) == pytest.approx(100)
        assert sum(o.returns for o in bet.outcomes) == pytest.approx(bet.ev)


def test_every_switch_alone_is_there_at_once():
    """Presets and single changes are answered at once; two changed settings are pending."""
    for rules in played.wanted():
        assert named(odds.price(ROLL, rules)).keys() == {"bonus", "blackjack", "package"}
    table = [{"on": ["straight"], "pays": "6:1"}, {"on": ["flush"], "pays": "4:1"}]
    other = roll_your_own.Rules.from_json({"bonus_paytable": table, "seats": 3, "soft_17": "stand"})
    found = odds.price(ROLL, other)
    assert found.pending == ()
    bets = named(found)
    assert bets["package"].ev == pytest.approx(bets["blackjack"].ev + bets["bonus"].ev)
    two = odds.price(ROLL, roll_your_own.Rules(soft_17="stand", max_splits=1))
    assert two.pending == ("blackjack", "package")
    assert [bet.bet for bet in two.bets] == ["bonus"]


def test_without_the_solver(monkeypatch):
    """If bets cannot be solved, they are not pending, and the reason is given."""
    monkeypatch.setattr(odds, "can_solve", lambda _: False)
    found = odds.price(ROLL, roll_your_own.Rules(soft_17="stand", max_splits=1))
    assert found.pending == ()
    assert "pitboss[kernels]" in found.missing
    assert odds.price(ROLL, ROLL.rules()).missing is None


@pytest.mark.long
def test_every_shipped_play_is_what_the_solver_finds():
    """`python -m pitboss.games.roll_your_own --ship` would write the same file."""
    assert list(played.shipped()) == played.wanted()
    for rules, shipped in played.shipped().items():
        check_play(shipped, played.solve(rules))


def check_play(shipped, solved):
    assert shipped.ev == pytest.approx(solved.ev, abs=1e-12)
    assert shipped.added == pytest.approx(solved.added, abs=1e-12)
    for kind, part in solved.parts.items():
        assert shipped.parts[kind].value == pytest.approx(part.value, abs=1e-12)
        assert shipped.parts[kind].nets == part.nets
    assert played.Play.from_json(json.loads(json.dumps(solved.as_json()))) == solved
