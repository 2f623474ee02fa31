"""The figures of blackjack: Main solved and simulated, the bets together, the value of rules."""

import json
import subprocess
import sys
from fractions import Fraction
from math import sqrt

import pytest

from pitboss.analysis import analyze
from pitboss.analysis.conditions import conditions
from pitboss.cli import main
from pitboss.core.cards import DECK
from pitboss.core.errors import SettingError, UnsupportedError
from pitboss.games.blackjack import GAME, Rules, presolved, rules_worth, study, theory
from pitboss.games.blackjack.decisions import SIDE_BETS
from pitboss.games.blackjack.figures import side_bets_alone
from pitboss.games.blackjack.presolved import as_played, known_play, shipped, wanted
from pitboss.games.blackjack.rules_worth import REASONS, alternatives
from pitboss.games.blackjack.solver import Solver
from pitboss.simulator.samples import Sample
from pitboss.training import odds

pytestmark = pytest.mark.xdist_group("figures")  # a game is solved once for all tests

BETS = ("main", *SIDE_BETS)
SIX_DECKS_S17 = -0.004028643428  # E. Farmer's analyzer, split hands "CDP1"


@pytest.fixture(scope="module")
def found():
    """The analysis of six decks where the dealer stands on soft 17."""
    return analyze(GAME, GAME.presets["six-deck-s17"])


@pytest.fixture(scope="module")
def data(found):
    return found.as_json()


# --- Main


def test_main_is_a_number(data):
    """The expectation of Main is the solver's, and the split values say how exact they are."""
    main = data["bets"]["main"]

    assert main["ev"] == pytest.approx(SIX_DECKS_S17, abs=1e-11)
    assert main["house_edge"] == -main["ev"]
    assert main["splits"]["most"] == 3
    assert main["splits"]["memory"] == "none"
    assert "exact for a player who" in main["splits"]["about"]
    assert not {"combinations", "outcomes"} & main.keys()


def test_order_of_the_bets(data):
    """Main comes first, then the side bets of the layout; these are exact fractions."""
    assert [*data["bets"]] == [*BETS]
    assert all(Fraction(data["bets"][bet]["ev"]) < 0 for bet in SIDE_BETS)


def test_simulated_figures_are_marked(data):
    """Figures that are not exact say so with their standard error; the others have none."""
    main = data["bets"]["main"]

    assert set(main["simulated"]) == {"std_dev", "hit_frequency", "push_rate"}
    for mark in main["simulated"].values():
        assert mark["source"] == "simulated"
        assert 0 < mark["std_error"] < 0.001
    exact = {row["event"] for row in main["frequencies"] if row["source"] == "exact"}
    assert exact == {"blackjacks paid", "doubles", "splits", "dealer's blackjacks"}
    assert all(("std_error" in r) == (r["source"] != "exact") for r in main["frequencies"])
    assert main["std_dev"] == pytest.approx(1.15, abs=0.02)
    assert main["hit_frequency"] == pytest.approx(0.433, abs=0.01)


def test_the_simulation_agrees(found):
    """The simulation comes to the exact expectation and frequencies, within its errors."""
    one, trial = found.study, found.study.trial
    exact = {row["event"]: row["per_round"] for row in one.frequencies()}

    assert trial.rounds == study.ROUNDS
    assert abs(one.main.more["trial"]["z"]) < 4
    for name in ("doubles", "splits", "dealer's blackjacks"):
        assert abs(trial.event(name).z(exact[name])) < 4
    assert abs(trial.event("hands: blackjack").z(exact["blackjacks paid"])) < 4


def test_frequencies_by_hand(found):
    """Blackjacks are counted by hand: the dealer's, and the player's that are paid."""
    exact = {row["event"]: row["per_round"] for row in found.study.frequencies()}
    cards, tens, aces = 312, 96, 24
    dealt = 2 * tens * aces / cards / (cards - 1)
    matched = 2 * (tens - 1) * (aces - 1) / (cards - 2) / (cards - 3)

    assert exact["dealer's blackjacks"] == pytest.approx(dealt)
    assert exact["blackjacks paid"] == pytest.approx(dealt * (1 - matched))


def test_surrender_is_an_event():
    """Under late surrender the hands given up are counted exactly."""
    one = study.study(Rules(surrender="late"))
    rows = {row["event"]: row for row in one.frequencies()}

    assert rows["surrenders"]["source"] == "exact"
    sample = one.trial.event("hands: surrender")
    assert abs(sample.z(rows["surrenders"]["per_round"])) < 4


def test_money_put_down(found):
    """Doubles and splits add to the stake, and the edge is given of that money too."""
    one, game = found.study, found.study.game

    assert one.put_down == 1 + game.mean("doubles") + game.mean("splits")
    assert 0 < one.main.house_edge_put_down < one.main.house_edge
    assert one.play.added == pytest.approx(one.put_down - 1)


def test_results_of_the_play(found):
    """The results of Main add up to one, with the exact mean and the simulated spread."""
    play = found.study.play
    results = play.results

    assert sum(results.values()) == pytest.approx(1)
    assert sum(float(x) * p for x, p in results.items()) == pytest.approx(found.study.main.ev)
    assert play.std_dev == pytest.approx(Sample(play.nets).std_dev, abs=1e-6)
    assert set(results) <= {Fraction(3, 2), *map(Fraction, range(-8, 9))}


# --- the bets together


def test_package(found, data):
    """The four bets together: the sum of their expectations, with exact covariances."""
    package, bets = data["package"], data["bets"]
    total = bets["main"]["ev"] + sum(float(Fraction(bets[bet]["ev"])) for bet in SIDE_BETS)

    assert package["stake"] == 4
    assert package["ev"] == pytest.approx(total)
    assert package["house_edge"] == pytest.approx(-total / 4)
    assert package["correlations"]["main, lucky_ladies"] == pytest.approx(0.07, abs=0.01)
    assert len(package["correlations"]) == 6
    mark = package["simulated"]["std_dev"]
    assert mark["std_error"] < found.study.main.std_dev.std_error


def test_covariances(found):
    """Variances of the side bets are those of their figures; those with Main are simulated too."""
    one = found.study
    matrix = one.covariances

    for place, bet in enumerate(SIDE_BETS, 1):
        assert matrix[place][place] == pytest.approx(float(one.sides[bet].moments.variance))
    for i in range(4):
        for j in range(4):
            assert matrix[i][j] == pytest.approx(matrix[j][i])
    for place, bet in enumerate(SIDE_BETS, 1):
        stakes = dict.fromkeys(BETS, 0) | {"main": 100, bet: 100}
        spread = _variance(one.results(stakes)) / 100**2
        both = matrix[0][0] + matrix[place][place] + 2 * matrix[0][place]
        assert spread == pytest.approx(both, rel=0.004)


def _variance(results):
    mean = sum(x * p for x, p in results.items())
    return sum((x - mean) ** 2 * p for x, p in results.items())


def test_deals_are_all_deals(found):
    """The chances of all deals add up to one, and Main's mean over them is its expectation."""
    deals = found.study.deals

    assert sum(deal.chance for deal in deals) == pytest.approx(1)
    assert sum(deal.chance * deal.main for deal in deals) == pytest.approx(found.study.main.ev)


def test_exposed_cards_average_out(found):
    """The value of each exposed card averages to the value of the bets."""
    for rows in found.exposed().values():
        for bet in BETS:
            mean = sum((4 if r["card"] == "10" else 1) * r[bet] for r in rows) / 13
            assert mean == pytest.approx(float(found.bets[bet].ev), abs=1e-12)


def test_results_of_a_round(found):
    """The distribution of a round has the exact mean and the spread of the covariances."""
    stakes = {"main": 1000, "perfect_pairs": 500, "21+3": 0, "lucky_ladies": 100}
    results = found.round_results(stakes)
    exact = 1000 * found.study.main.ev + sum(
        stakes[bet] * float(found.study.sides[bet].ev) for bet in SIDE_BETS
    )

    assert sum(results.chances.values()) == pytest.approx(1)
    assert results.ev == pytest.approx(exact)
    assert sum(x * p for x, p in results.chances.items()) == pytest.approx(exact)
    assert sqrt(_variance(results.chances)) == pytest.approx(results.std_dev, rel=0.002)
    assert min(results.chances.values()) > 0
    assert max(results.chances) > 100 * 1000  # the top prize of Lucky Ladies


# --- the value of rules


def test_worth_of_rules(found, data):
    """Every setting is switched; the difference is the player's gain."""
    rows = {(row["setting"], row["value"]): row for row in data["rules_worth"]}

    assert rows["soft_17", "hit"]["difference"] == pytest.approx(-0.0021, abs=5e-5)
    assert rows["blackjack_pays", "6:5"]["difference"] == pytest.approx(-0.0136, abs=5e-5)
    assert rows["double_after_split", "no"]["difference"] < 0
    assert rows["surrender", "late"]["difference"] > 0
    assert rows["decks", "1"]["difference"] > rows["decks", "2"]["difference"] > 0
    assert rows["hole_card", "no_peek"]["difference"] < 0
    assert rows["insurance", "no"]["difference"] == 0
    assert rows["hole_card", "original_bets_only"]["difference"] == 0
    assert rows["hole_card", "original_bets_only"]["reason"] == REASONS["hole_card"]
    assert rows["insurance", "no"]["reason"] == REASONS["insurance"]
    for row in rows.values():
        assert row["house_edge"] == -row["ev"]
        assert row["difference"] == pytest.approx(row["ev"] - found.study.main.ev)


def test_original_bets_only():
    """If only original bets are lost to a blackjack, Main is worth the same as after a peek."""
    rules = Rules(decks=2, hole_card="original_bets_only")

    assert Solver(rules).solve_game().ev == pytest.approx(presolved.presolved(Rules(decks=2)))


def test_insurance_never_gains():
    """For every number of decks, fewer than a third of the unseen cards are tens."""
    for decks in range(1, 9):
        assert 3 * 16 * decks < len(DECK) * decks - 3


def test_settings_without_effect():
    """Settings that cannot affect Main are left out of the key of a solved game."""
    plain = Rules()

    assert as_played(plain.changed("insurance=no", "seats=3", "rounding=down:25")) == plain
    no_splits = plain.changed("max_splits=0")
    for change in ("double_after_split=no", "hit_split_aces=yes", "resplit_aces=yes"):
        assert as_played(no_splits.changed(change)) == no_splits
    once = plain.changed("max_splits=1")
    assert as_played(once.changed("resplit_aces=yes")) == once
    assert as_played(once.changed("hit_split_aces=yes")) != once
    name = "resplit_aces"
    switched = [(name, once.changed(f"{name}=yes"))]
    (row,) = rules_worth.rules_worth(once, switched, presolved.presolved)
    assert (row.difference, row.reason) == (0, REASONS[name])


def test_unknown_rules_are_not_computed():
    """Without --worth, rules that do not ship solved have no value."""
    rules = Rules(decks=5, max_splits=2)
    rows = rules_worth.rules_worth(rules, list(alternatives(rules)), presolved.presolved)

    unknown = [row for row in rows if not row.reason and row.setting != "decks"]
    assert {(row.ev, row.difference, row.house_edge) for row in unknown} == {(None, None, None)}


def test_worth_solves_what_does_not_ship(monkeypatch):
    """With --worth, a game that does not ship is solved again."""
    few = [("soft_17", Rules(decks=5, soft_17="stand"))]
    monkeypatch.setattr(rules_worth, "alternatives", lambda _: iter(few))
    shares = []
    (row,) = analyze(GAME, Rules(decks=5), worth=True, progress=shares.append).worth

    assert row.ev == Solver(few[0][1]).solve_game().ev
    assert row.difference > 0
    assert shares[-1] == 1
    assert shares == sorted(shares)


# --- games that ship solved


def test_shipped_games():
    """The presets ship solved, and so does each of their settings switched alone."""
    assert list(shipped()) == wanted()
    for rules in GAME.presets.values():
        assert known_play(rules)
        for _, other in alternatives(rules):
            assert known_play(other)


@pytest.mark.parametrize("rules", wanted()[3::25], ids=lambda rules: rules.digest()[:8])
def test_a_shipped_game_is_the_solved_one(rules):
    """A shipped expectation is the solver's, for a few of the games."""
    assert Solver(rules).solve_game().ev == pytest.approx(known_play(rules).ev, abs=1e-12)


def test_a_shipped_play_is_the_simulated_one(found):
    """The shipped play of a preset is the one that its study gives, round for round."""
    play = presolved.solve(found.rules)

    assert play.nets == known_play(found.rules).nets
    assert presolved.Play.from_json(json.loads(json.dumps(play.as_json()))) == play


def test_the_program_that_solves():
    """The program of the package reads rules as JSON and writes their play."""
    command = [sys.executable, "-m", GAME.package]
    text = json.dumps({"soft_17": "stand"})
    done = subprocess.run(command, input=text, capture_output=True, check=True, encoding="utf-8")
    play = presolved.Play.from_json(json.loads(done.stdout))

    assert play.ev == pytest.approx(SIX_DECKS_S17, abs=1e-11)


# --- without the solver


def test_without_numba():
    """Without Numba the side bets are counted, and Main says what to install."""
    alone = side_bets_alone(Rules())
    data = alone.as_json()

    assert data["bets"]["main"] is None
    assert data["package"] is None
    assert alone.missing == presolved.NEEDS_KERNELS
    assert alone.round_results(dict.fromkeys(BETS, 100)) is None
    assert alone.exposed() is None
    assert all(row["ev"] is not None for row in data["rules_worth"])


def test_missing_kernels():
    """If Numba is not installed, the command prints the side bets as JSON."""
    code = (
        "import sys; sys.modules['numba'] = None; from pitboss.cli import main;"
        "sys.exit(main(['analyze', 'blackjack', '--json']))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)

    assert json.loads(done.stdout)["bets"]["main"] is None
    assert done.stderr == f"pitboss: {presolved.NEEDS_KERNELS}\n"


# --- other parts


def test_explorer():
    """The explorer has every bet at once for rules that ship, and Main pending for others."""
    known = odds.price(GAME, GAME.presets["double-deck"])
    other = odds.price(GAME, Rules(decks=7, max_splits=2))

    assert [bet.bet for bet in known.bets] == ["main", *SIDE_BETS]
    assert known.bets[0].edge_percent == pytest.approx(0.380243, abs=1e-6)
    assert sum(outcome.percent for outcome in known.bets[-1].outcomes) == pytest.approx(100)
    assert known.default["main"] == pytest.approx(0.615389, abs=1e-6)
    assert other.pending == ("main",)


def test_conditions():
    """Main and the package assume the best play; the side bets assume only the shuffle."""
    needed = conditions(Rules())

    assert [*needed] == [*BETS, "package"]
    assert needed["main"] == needed["package"]
    assert len(needed["main"]) == len(needed["21+3"]) + 4


def test_design(found):
    """A side bet's pay table can be designed; Main has none."""
    (best, *_) = found.changes("21+3", Fraction(1, 20))

    assert abs(best.edge - Fraction(1, 20)) < Fraction(1, 100)
    with pytest.raises(SettingError, match="no pay table to design for 'main'"):
        found.changes("main", Fraction(1, 100))


def test_theory(found):
    """The theory of a seat adds the bets; doubles and splits add to the money staked."""
    expected = theory.theory(found.rules)
    seat = expected.seat({"main": 1000, "lucky_ladies": 500})
    mean = 1000 * found.study.main.ev + 500 * float(found.study.sides["lucky_ladies"].ev)

    assert expected.bets["main"].ev == found.study.main.ev
    assert expected.bets["21+3"].exact == str(found.study.sides["21+3"].ev)
    assert seat.mean == pytest.approx(mean)
    assert seat.staked == pytest.approx(1000 * found.study.put_down + 500)
    assert seat.variance == pytest.approx(found.study.variance([1000, 0, 0, 500]))


def test_theory_rounds_winnings():
    """Blackjacks and surrenders that do not pay evenly are rounded by the rules."""
    rules = Rules(surrender="late", rounding="down:100")
    one = study.study(rules)
    seat = theory.theory(rules).seat({"main": 500})
    given_up = one.game.mean("surrenders")  # 250 cents become 200
    exact = 500 * one.main.ev - 50 * one.blackjacks_paid - 50 * given_up

    assert seat.mean == pytest.approx(exact)


def test_two_seats(found):
    """Two seats meet the same dealer, so their Main bets win together more often."""
    expected = theory.theory(found.rules)
    two = expected.round([{"main": 100}, {"main": 100}])
    one = expected.seat({"main": 100})

    assert two.mean == pytest.approx(2 * one.mean)
    assert 2.5 * one.variance < two.variance < 3.5 * one.variance


def test_theory_needs_the_solver(monkeypatch):
    """Without the solver there is no theory, and the message says what to install."""
    monkeypatch.setattr(theory, "analyze", side_bets_alone)
    with pytest.raises(UnsupportedError, match="pip install"):
        theory.theory(Rules())


# --- the command


@pytest.mark.usefixtures("found")
def test_command(capsys):
    """The command prints Main first, then the side bets, the bets together and each rule."""
    assert main(["analyze", "blackjack", "--preset", "six-deck-s17"]) == 0
    text = capsys.readouterr().out
    places = [
        text.index(words)
        for words in (
            "house edge 0.4029%",
            "split values, up to 3 splits",
            "house edge 6.1093%",
            "house edge 24.7089%",
            "the four bets together",
            "what each rule is worth",
            "house edge of the side bets",
        )
    ]
    assert places == sorted(places)


@pytest.mark.usefixtures("found")
def test_command_as_json(capsys):
    """--json and --target work for the side bets."""
    command = ["analyze", "blackjack", "--preset", "six-deck-s17", "--target", "perfect_pairs=5%"]

    assert main([*command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert isinstance(data["bets"]["main"]["ev"], float)
    assert data["designs"]["perfect_pairs"]


def test_command_without_the_solver(capsys, monkeypatch):
    """Without the solver the command prints the side bets and says that Main is not computed."""
    monkeypatch.setattr("pitboss.analysis.analyze", lambda _, rules, **__: side_bets_alone(rules))

    assert main(["analyze", "blackjack"]) == 0
    printed = capsys.readouterr()
    assert "main: not computed" in printed.out
    assert presolved.NEEDS_KERNELS in printed.err
