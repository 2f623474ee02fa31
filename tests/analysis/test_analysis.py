"""Exact figures: census files, published values, an independent count, and general properties."""

import itertools
import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import comb, sqrt
from operator import eq, gt

import numpy as np
import pytest
from hypothesis import given, settings

from pitboss.analysis import analyze, design, sensitivity
from pitboss.analysis.conditions import conditions, shared
from pitboss.analysis.figures import Event, Figures
from pitboss.analysis.house import after
from pitboss.cli import main
from pitboss.core.cards import Card, Rank, Suit, hard_total
from pitboss.core.errors import SettingError
from pitboss.core.paytables import Odds
from pitboss.games import GAMES, roll_your_own
from pitboss.games.roll_your_own import bonus_figures as roll_figures
from pitboss.games.roll_your_own import presolved as played
from pitboss.games.roll_your_own import rules_worth
from pitboss.games.roll_your_own import study as blackjack
from pitboss.games.roll_your_own.figures import bonus_alone
from pitboss.games.roll_your_own.rules_worth import REASONS, alternatives
from pitboss.games.roll_your_own.solver import Solver
from pitboss.games.toss_one import Outcome, Rules, best_hands, chosen_hand, lucky3
from pitboss.games.toss_one import census as counting
from pitboss.games.toss_one import figures as toss_one
from pitboss.games.toss_one.hands import compare
from pitboss.training import odds
from tests.strategies import chances, random_rules
from tools.census import DECKS, FOLDER, written

pytestmark = pytest.mark.xdist_group("figures")  # what is solved once serves all

# --- census files and published figures


@pytest.mark.parametrize("decks", DECKS)
def test_census_files(decks):
    """The counts for 1, 2, 6 and 8 decks equal those in the census files."""
    assert written(decks) == (FOLDER / f"toss-one-21-{decks}.census").read_text("utf-8")


@pytest.mark.parametrize("decks", [1, 8])
def test_census_without_compiler(decks):
    """Plain Python counts the same integers as the kernel."""
    of = counting.census(decks)
    found = [counting.kinds().index(counting.kind(hand)) for hand in counting.hands(4)]
    arguments = (of.copies, counting.hands(4), found, len(counting.kinds()))

    assert counting._count_plain(*arguments) == counting._count_compiled(*arguments)


def test_analysis_without_numba(monkeypatch):
    """Without Numba the figures are the same; only counting is slower."""
    monkeypatch.setitem(sys.modules, "pitboss.games.toss_one.kernels.rounds", None)
    of = counting.Census(counting.shoe_of(1))

    assert toss_one.figures(Rules(), of) == toss_one.figures(Rules())


def test_kernel_as_python():
    """The kernel's own code, run without compilation, counts a small shoe."""
    from pitboss.games.toss_one.kernels.rounds import count_dealers

    players = np.array([[1, 0], [0, 2]])
    dealers = np.array([[2, 0], [1, 1], [0, 2]])
    out = np.zeros((2, 2), np.int64)
    count_dealers.py_func(players, dealers, np.array([0, 1, 1]), np.array([3, 4]), out)

    assert out.tolist() == [[1, 2 * 4 + 6], [3, 3 * 2 + 1]]


@pytest.mark.parametrize(
    ("settings_", "ev"),
    [
        ("", Fraction(179767813, 26338835250)),  # the literal reading: the player's edge
        ("dealer_blackjack=beats_21", Fraction(-270870907, 26338835250)),  # published: 1.03 %
    ],
)
def test_published_edges(settings_, ev):
    """With one deck and 3:2, the two readings give the two known figures for Main."""
    assert toss_one.figures(Rules().changed(*settings_.split()))["main"].ev == ev


@pytest.mark.parametrize(
    ("decks", "is_21", "beats_21"), [(1, -0.0068, 0.0103), (6, 0.0041, 0.0195)]
)
def test_rounded_edges(decks, is_21, beats_21):
    """The house edges for one and six decks equal the known ones to a hundredth of a percent."""
    edges = [
        toss_one.figures(Rules(decks=decks, dealer_blackjack=reading))["main"].house_edge
        for reading in ("is_21", "beats_21")
    ]
    assert edges == pytest.approx([is_21, beats_21], abs=5e-5)


def test_side_bets():
    """With table 1 the house edge of Lucky 3 is 7.4 %; a careless toss would make it 14.8 %."""
    figures = toss_one.figures(Rules(lucky3_paytable=1))

    assert figures["lucky3"].house_edge == pytest.approx(0.0744, abs=5e-5)
    assert figures["bonus4"].ev == Fraction(-3414, 38675)


# --- every game


@pytest.fixture(scope="module", params=GAMES.values(), ids=list(GAMES))
def any_analysis(request):
    """The analysis of each game under its default rules."""
    return analyze(request.param, request.param.rules())


def test_edges_are_per_unit_staked(any_analysis):
    """In every game the house edge is minus the expectation, divided by the units staked."""
    units = any_analysis.game.units
    for bet, figures in any_analysis.as_json()["bets"].items():
        assert figures["stake"] == units[bet]
        edge = -float(Fraction(figures["ev"])) / units[bet]
        assert figures["house_edge"] == pytest.approx(edge, abs=1e-15)


def test_every_bet_has_conditions(any_analysis):
    """Every bet with figures states its conditions, and they share those of the shuffle."""
    needed = conditions(any_analysis.rules)

    assert {*any_analysis.bets} <= {*needed}
    assert "shuffled before every round" in shared(needed)[0]


def test_results_of_a_round_of_every_game(any_analysis):
    """The distribution of a round at the usual stakes has its mean, and adds up to one."""
    game = any_analysis.game
    found = any_analysis.round_results(dict.fromkeys(game.stakes, 0) | dict(game.usual_stakes))
    mean = sum(x * p for x, p in found.chances.items())
    spread = sum((x - mean) ** 2 * p for x, p in found.chances.items())

    assert sum(found.chances.values()) == pytest.approx(1)
    assert mean == pytest.approx(found.ev, abs=0.01)
    assert sqrt(spread) == pytest.approx(found.std_dev, rel=0.01)


# --- Roll Your Own


def few(rules):
    """Return a few changed settings, to keep the test short."""
    changes = ("hole_card=no_peek", "resplit_aces=yes", "blackjack_pays=6:5", "insurance=off")
    return [(change.partition("=")[0], rules.changed(change)) for change in changes]


@pytest.fixture(scope="module")
def roll():
    """Return the whole analysis of Roll Your Own, with a few settings changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules_worth, "alternatives", few)
        return analyze(roll_your_own.GAME, roll_your_own.Rules(), worth=True)


def test_roll_your_own_bonus():
    """The house edge of the Bonus is 2284/5525."""
    assert roll_figures.figures(roll_your_own.Rules()).ev == Fraction(-2284, 5525)


def test_roll_your_own_bonus_of_ones_own():
    """Any Bonus table is priced from the same counts."""
    table = [{"on": ["flush", "straight"], "pays": "4:1"}, {"on": ["akq_suited"], "pays": "0:1"}]
    figures = roll_figures.figures(roll_your_own.Rules(bonus_paytable=table))

    assert figures.ev == Fraction(4 * (720 + 1096) - (22100 - 720 - 1096 - 4), 22100)
    assert figures.push_rate == pytest.approx(4 / 22100)


def test_blackjack_bets_and_package(roll):
    """The blackjack bets are worth 0.387748494770; the house edge of the package is 0.8548 %."""
    bets = roll.as_json()["bets"]
    played, package = bets["blackjack"], bets["package"]

    assert played["ev"] == pytest.approx(0.387748494770, abs=1e-9)
    assert played["house_edge"] == -played["ev"] / 2
    assert package["ev"] == played["ev"] + float(Fraction(bets["bonus"]["ev"]))
    assert package["house_edge"] == pytest.approx(0.00854839013, abs=1e-9)
    assert package["house_edge"] == -package["ev"] / 3
    assert not {"combinations", "outcomes"} & {*played, *package}


def test_money_put_down(roll):
    """Doubles and splits add to the stake, and the edge is also given per unit of that money."""
    played, package = roll.study.blackjack, roll.study.package
    game = roll.study.game

    assert played.put_down == 2 + game.mean("doubles") + game.mean("splits")
    assert package.put_down == pytest.approx(played.put_down + 1)
    assert package.house_edge_put_down == pytest.approx(0.0075176, abs=1e-7)
    assert package.house_edge_put_down < package.house_edge


def test_what_is_simulated_is_marked(roll):
    """Each simulated figure is marked and has a standard error; no other figure has one."""
    bets = roll.as_json()["bets"]
    for name in ("blackjack", "package"):
        marked = {"std_dev", "hit_frequency", "push_rate"}
        also = {"correlation"} if name == "package" else set()
        assert set(bets[name]["simulated"]) == marked | also
        for mark in bets[name]["simulated"].values():
            assert mark["source"] == "simulated"
            assert 0 < mark["std_error"] < 0.001
    rows = {row["event"]: row for row in bets["blackjack"]["frequencies"]}
    assert {e for e, row in rows.items() if row["source"] == "exact"} == {
        "blackjacks paid",
        "double blackjacks",
        "doubles",
        "splits",
        "dealer's blackjacks",
    }
    assert all(("std_error" in row) == (row["source"] != "exact") for row in rows.values())


def test_the_trial_agrees(roll):
    """The simulation agrees with the exact figures within its errors; only it gives the spread."""
    study = roll.study
    trial, exact = study.trial, {row["event"]: row["per_round"] for row in study.frequencies()}
    paid = trial.event("hands: blackjack"), trial.event("hands: double blackjack")

    assert abs(trial.blackjack.z(study.game.ev)) < 4
    for name in ("doubles", "splits", "dealer's blackjacks"):
        assert abs(trial.event(name).z(exact[name])) < 4
    assert sum(s.mean for s in paid) == pytest.approx(exact["blackjacks paid"], abs=0.001)
    assert paid[1].mean / 2 == pytest.approx(exact["double blackjacks"], abs=0.0004)
    assert study.package.std_dev.value == pytest.approx(trial.package.std_dev, abs=0.05)
    assert study.package.std_dev.std_error < trial.package.std_dev_error / 10
    spread = [s.std_dev**2 for s in (trial.package, trial.blackjack, trial.bonus)]
    assert (spread[0] - spread[1] - spread[2]) / 2 == pytest.approx(study.covariance, abs=0.03)


def test_double_blackjacks_by_hand(roll):
    """The frequencies of double blackjacks and dealer's blackjacks equal those computed by hand."""
    exact = {row["event"]: row["per_round"] for row in roll.study.frequencies()}

    ways = comb(4, 2) * 16 + 4 * comb(16, 2)
    assert exact["double blackjacks"] == pytest.approx(ways / comb(52, 3), abs=1e-12)
    assert exact["dealer's blackjacks"] == pytest.approx(64 / comb(52, 2), abs=1e-12)


def test_exposed_cards_of_roll_your_own_average_out(roll):
    """The value of exposed cards averages to the value of the bets."""
    for rows in roll.study.exposed().values():
        for bet in ("bonus", "blackjack", "package"):
            mean = sum((4 if r["card"] == "10" else 1) * r[bet] for r in rows) / 13
            assert mean == pytest.approx(float(roll.bets[bet].ev), abs=1e-12)


def test_results_of_a_round(roll):
    """The distribution of a round has the exact mean, and the spread of the package."""
    results, package = roll.study.results(), roll.study.package
    mean = sum(float(x) * p for x, p in results.items())
    spread = sum((float(x) - mean) ** 2 * p for x, p in results.items())

    assert min(results.values()) > 0
    assert sum(results.values()) == pytest.approx(1)
    assert mean == pytest.approx(package.ev, abs=1e-12)
    assert sqrt(spread) == pytest.approx(package.std_dev.value, abs=0.002)


def test_worth_of_rules(roll):
    """The peek and 3:2 favor the player, and so would splitting aces again."""
    rows = {(row.setting, row.value): row for row in roll.worth}

    assert rows["blackjack_pays", "6:5"].difference < -0.05
    assert -0.01 < rows["hole_card", "no_peek"].difference < 0
    assert 0 < rows["resplit_aces", "yes"].difference < 0.001
    assert rows["insurance", "off"].difference == 0
    assert rows["insurance", "off"].reason == REASONS["insurance"]
    row = rows["blackjack_pays", "6:5"].as_json()
    assert row["house_edge"] == -row["package_ev"] / 3
    assert row["difference"] == row["blackjack_ev"] - roll.study.game.ev


def test_shared_engines_change_nothing(roll):
    """Rules that are solved together with others have the same value as when solved alone."""
    rules = roll_your_own.Rules(blackjack_pays="6:5")
    alone = {s.own: s.ev for s in Solver(rules).solve_all(6, [(1, 10, 5), (8, 8, 10), (2, 2, 3)])}
    (found,) = [row for row in roll.worth if row.setting == "blackjack_pays"]
    game = blackjack._solve_cached([rules], lambda _: None)[0]
    beside = {s.own: s.ev for s in game.up_cards[5].starts}

    assert found.ev == game.ev
    assert {own: beside[tuple(sorted(own))] for own in alone} == alone


@pytest.mark.long
def test_worth_of_every_rule():
    """Every setting changed in turn: fewer splits or doubles and lower payouts cost the player."""
    found = analyze(roll_your_own.GAME, roll_your_own.Rules(), worth=True)
    rows = {f"{row.setting}={row.value}": row.difference for row in found.worth}

    assert len(rows) == 14
    assert rows["max_splits=0"] < rows["max_splits=1"] < rows["max_splits=2"] < 0
    assert rows["max_splits=3"] == 0  # a fifth card of a value is a ten, and no tens are split
    assert rows["blackjack_pays=1:1"] < rows["blackjack_pays=6:5"] < 0
    assert rows["one_card_vs_dealer_blackjack=loses"] < 0
    assert rows["double_after_split=no"] < 0 < rows["soft_17=stand"]
    push = Solver(roll_your_own.Rules(run_out="push")).solve_game()
    assert push.ev == found.study.game.ev


def test_the_shipped_play_is_what_the_solver_finds(roll):
    """The solver gives the plays that ``python -m pitboss.games.roll_your_own --ship`` writes."""
    shipped, study = played.shipped()[roll.rules], roll.study
    assert shipped.ev == pytest.approx(study.game.ev, abs=1e-12)
    assert shipped.added == pytest.approx(study.put_down - 2, abs=1e-12)
    for kind, part in study.parts().items():
        assert shipped.parts[kind].value == pytest.approx(part.value, abs=1e-12)
        assert shipped.parts[kind].nets == part.nets
    bonus, package = roll.counted["bonus"], roll.bets["package"]
    assert shipped.covariance(bonus) == pytest.approx(study.covariance)
    assert shipped.std_dev(bonus) == pytest.approx(package.std_dev.value, rel=1e-6)
    assert shipped.std_dev() == pytest.approx(roll.bets["blackjack"].std_dev.value, rel=1e-6)


def test_one_share_of_rounds_ahead(roll):
    """The analysis and the shipped play give the same share of rounds that end ahead or even."""
    shipped, bonus = played.shipped()[roll.rules], roll.counted["bonus"]
    for bet, table in (("blackjack", None), ("package", bonus)):
        figures = roll.bets[bet]
        ahead, even = (shipped.share(lambda net, s=s: s(net, 0), table) for s in (gt, eq))
        assert figures.wins.value == pytest.approx(ahead.value, abs=1e-12)
        assert figures.pushes.value == pytest.approx(even.value, abs=1e-12)
        explored = {bet.bet: bet for bet in odds.price(roll.game, roll.rules).bets}[bet]
        assert explored.hit_percent == pytest.approx(100 * figures.wins.value, abs=1e-9)
        shown = roll.as_json()["bets"][bet]
        assert shown["hit_frequency"] == figures.wins.value
        assert shown["simulated"]["hit_frequency"]["std_error"] == figures.wins.std_error


def test_standard_error_of_a_share():
    """The shares in other simulations vary as much as the standard error says."""
    play, chance = played.shipped()[roll_your_own.Rules()], np.random.default_rng(1)
    bonus = roll_figures.figures(roll_your_own.Rules())
    cells = [(kind, net, n) for kind, part in play.parts.items() for net, n in part.nets.items()]
    weights = np.array([n for *_, n in cells])
    found = []
    for counts in chance.multinomial(400_000, weights / weights.sum(), size=300).tolist():
        nets = {kind: {} for kind in play.parts}
        for (kind, net, _), n in zip(cells, counts, strict=True):
            nets[kind] |= {net: n} if n else {}
        parts = {kind: replace(part, nets=nets[kind]) for kind, part in play.parts.items()}
        found.append(replace(play, parts=parts).share(lambda net: net > 0, bonus))

    spread = np.std([share.value for share in found])
    assert found[0].std_error == pytest.approx(spread, rel=0.15)


def test_worth_from_shipped_plays(roll, capsys):
    """Without --worth, the worth of a rule comes from the shipped plays, if there is one."""
    assert main(["analyze", "roll-your-own", "--set", "insurance=off"]) == 0
    text = capsys.readouterr().out
    solved = {(row.setting, row.value): row for row in roll.worth}
    for key in (("resplit_aces", "yes"), ("blackjack_pays", "6:5"), ("hole_card", "no_peek")):
        assert f"{solved[key].ev:+.9f}   {solved[key].difference:+.9f}" in text
    assert "not computed" not in text

    rules = roll_your_own.Rules(soft_17="stand", blackjack_pays="6:5")
    rows = {
        f"{row.setting}={row.value}": row
        for row in rules_worth.rules_worth(rules, list(alternatives(rules)), 0.0, played.presolved)
    }
    assert rows["hole_card=no_peek"].as_json()["house_edge"] is None
    assert rows["blackjack_pays=3:2"].ev == played.presolved(rules.changed("blackjack_pays=3:2"))
    assert rows["blackjack_pays=3:2"].difference is None


@pytest.mark.long
def test_every_shipped_play_is_what_the_solver_finds():
    """Solving the shipped plays again gives the same values."""
    for rules, play in played.shipped().items():
        assert blackjack.solved(rules) == pytest.approx(play.ev, abs=1e-12)


def test_alternatives():
    """Each setting is changed to each other value, even if the rules are not the default."""
    rules = roll_your_own.Rules(max_splits=0, hole_card="no_peek", blackjack_pays="7:5")
    found = [(name, getattr(other, name)) for name, other in alternatives(rules)]

    assert [value for name, value in found if name == "max_splits"] == [1, 2, 3, 4]
    assert [str(v) for name, v in found if name == "blackjack_pays"] == ["3:2", "6:5", "1:1"]
    assert len(found) == len(set(found)) == 15
    same = blackjack.as_played(rules)
    for name in ("double_after_split", "resplit_aces", "one_card_vs_dealer_blackjack", "run_out"):
        for other in [other for setting, other in alternatives(rules) if setting == name]:
            assert blackjack.as_played(other) == same


def test_bonus_tables(roll):
    """Each line moves a step up or down; the package's edge changes by a third of the Bonus's."""
    first, *others = rows = [table.as_json() for table in roll.tables()]

    assert first["changed"] == []
    assert first["house_edge"] == roll.bets["package"].house_edge
    assert len(others) == 10
    by_line = {(*row["changed"], row["pays"][row["changed"][0]]): row for row in others}
    assert ("flush", "4:1") in by_line
    assert ("straight", "4:1") in by_line
    assert ("akq_suited", "150:1") in by_line
    for row in rows:
        moved = row["bonus_house_edge"] - first["bonus_house_edge"]
        assert row["house_edge"] - first["house_edge"] == pytest.approx(moved / 3)
    assert by_line["flush", "4:1"]["house_edge"] < 0
    table = [{"on": ["flush"], "pays": "1:2"}]
    alone = roll_figures.tables(roll_your_own.Rules(bonus_paytable=table), None)
    assert [row.as_json()["pays"]["flush"] for row in alone] == ["1:2", "1:1"]
    assert alone[1].as_json()["pays"]["straight"] is None
    assert alone[1].as_json()["house_edge"] is None


def test_design_of_the_package(roll):
    """`--target package` finds changes to the lines of the Bonus table."""
    found = roll.changes("package", Fraction(2, 100))

    assert abs(found[0].edge - 0.02) < 0.001
    for change in found:
        assert change.as_json()["ev"] == pytest.approx(-3 * change.edge)


def test_without_numba():
    """Without Numba the Bonus is shown, and one line says what the other figures need."""
    for more in ([], ["--json"], ["--target", "package=2%"]):
        code = (
            "import sys; sys.modules['numba'] = None; from pitboss.cli import main;"
            f"sys.exit(main(['analyze', 'roll-your-own', *{more}]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False
        )
        (line,) = done.stderr.splitlines()
        assert "the blackjack bets need pip install 'pitboss[kernels]'" in line
        assert done.returncode == (2 if "--target" in more else 0)
        if more == ["--json"]:
            bets = json.loads(done.stdout)["bets"]
            assert bets["bonus"]["ev"] == "-2284/5525"
            assert (bets["blackjack"], bets["package"]) == (None, None)
        elif not more:
            assert "blackjack, package: not computed" in done.stdout
            assert "41.3394%" in done.stdout


# --- a second way of counting: every deal of a small shoe, card by card


def small_shoe(values, suits):
    """Return a shoe with one card of each given value and suit."""
    return dict.fromkeys(itertools.product(range(1, 11), Suit), 0) | {
        (v, s): 1 for v in values for s in suits
    }


def enumerate_deals(shoe, rules):
    """Count outcomes, Lucky 3 classes and totals by dealing every hand, card by card."""
    cards = [Card(Rank(v), s) for (v, s), copies in shoe.items() for _ in range(copies)]
    main, lucky, totals = Counter(), Counter(), Counter()
    for player in itertools.combinations(cards, 4):
        ours = chosen_hand(rules, player)
        lucky[lucky3(ours) if ours else None] += 1
        totals[hard_total(player)] += 1
        rest = [card for card in cards if card not in player]
        for dealer in itertools.combinations(rest, 4):
            main[compare(rules, ours, next(iter(best_hands(dealer)), None))] += 1
    return main, lucky, totals


def agrees_with_enumeration(values, suits, rules):
    shoe = small_shoe(values, suits)
    of = counting.Census(shoe)
    main, lucky, totals = enumerate_deals(shoe, rules)

    assert of.deals == main.total()
    assert +toss_one.outcomes(rules, of) == main
    events = toss_one.lucky3_figures(rules, of).events
    assert [e.combinations for e in events[:-1]] == [lucky[c] for c in toss_one.Lucky3]
    assert sum(n for h, n in of.players.items() if sum(h) <= 21) == sum(
        n for total, n in totals.items() if total <= 21
    )


@pytest.mark.parametrize("reading", ["is_21", "beats_21"])
@pytest.mark.parametrize("kicker", ["high", "low"])
def test_every_deal_of_a_small_shoe(reading, kicker):
    """A shoe of ten cards, dealt in every way, gives the counts of the census."""
    rules = Rules(dealer_blackjack=reading, ace_kicker=kicker)

    agrees_with_enumeration((1, 5, 6, 9, 10), (Suit.SPADES, Suit.HEARTS), rules)


@pytest.mark.long
@pytest.mark.parametrize("values", [(1, 4, 7, 10), (1, 2, 9, 10), (3, 6, 8, 10), (1, 5, 6, 10)])
def test_every_deal_of_a_shoe(values):
    """Shoes of sixteen cards, dealt in every way, give the counts of the census."""
    for reading, table in itertools.product(("is_21", "beats_21"), (1, 2)):
        rules = Rules(dealer_blackjack=reading, lucky3_paytable=table)
        agrees_with_enumeration(values, tuple(Suit), rules)


# --- laws


@pytest.mark.parametrize("decks", range(1, 9))
def test_combinations_add_up(decks):
    """The combinations add up to the number of deals for Main, and of hands for the side bets."""
    n = 52 * decks
    figures = toss_one.figures(Rules(decks=decks))

    assert figures["main"].total == comb(n, 4) * comb(n - 4, 4)
    assert figures["lucky3"].total == figures["bonus4"].total == comb(n, 4)


@settings(max_examples=30)
@given(chances)
def test_the_package_agrees_with_its_bets(chance):
    """Under any settings, the joint distribution agrees with each bet and with all deals."""
    rules = random_rules(chance, GAMES["toss-one-21"], decks=chance.choice([1, 6]))
    package, figures = toss_one.package(rules), toss_one.figures(rules)

    assert sum(package.counts.values()) == figures["main"].total
    for index, bet in enumerate(toss_one.BETS):
        alone = package.moments(tuple(int(i == index) for i in range(3)))
        assert alone.ev == figures[bet].ev
        assert alone.variance == figures[bet].moments.variance


@pytest.mark.parametrize("decks", [1, 6])
def test_known_cards_average_out(decks):
    """The value of exposed cards averages to the value of the bet."""
    rules = Rules(decks=decks)
    figures = toss_one.figures(rules)
    weight = [Fraction(4 if value == 10 else 1, 13) for value in range(1, 11)]
    for exposed in (toss_one.exposed_own, toss_one.exposed_dealer):
        evs = [exposed(rules, value) for value in range(1, 11)]
        for bet in toss_one.BETS:
            assert sum(w * ev[bet] for w, ev in zip(weight, evs, strict=True)) == figures[bet].ev


def test_an_exposed_ace_is_worth_knowing():
    """A player who sees an ace in their own hand has the edge on every bet."""
    assert min(toss_one.exposed_own(Rules(), 1).values()) > 0


@settings(max_examples=30)
@given(chances)
def test_paying_more_never_costs_the_player(chance):
    """Better odds on any line never lower a bet's expectation."""
    rules = random_rules(chance, GAMES["toss-one-21"], decks=1)
    lines = list(rules.lucky3_paytable.lines)
    index = chance.randrange(len(lines))
    on, odds = lines[index]
    lines[index] = (on, Odds(odds.win + odds.stake, odds.stake))
    better = Rules.from_json(
        rules.as_json() | {"lucky3_paytable": [{"on": list(o), "pays": str(p)} for o, p in lines]}
    )

    assert toss_one.figures(better)["lucky3"].ev >= toss_one.figures(rules)["lucky3"].ev


def test_outcomes_of_main_are_priced_as_settled():
    """Each outcome pays what the rules engine pays for it."""
    figures = toss_one.figures(Rules(blackjack_pays="7:5"))["main"]
    pays = {event.event: event.pays for event in figures.events}

    assert pays["blackjack"] == "7:5"
    assert pays["tie"] == "lose"
    assert set(pays) == {outcome.value for outcome in Outcome} - {"dealer blackjack"}


def test_sensitivity():
    """The table has every combination of Main's settings, including those that favor the player."""
    found = [row for row in sensitivity(Rules()) if row.bet == "main"]
    rows = {tuple(list(r.as_json().values())[1:5]): r.ev for r in found}

    assert len(rows) == 2 * 2 * 2 * 8
    assert rows["3:2", "is_21", "high", 1] == Fraction(179767813, 26338835250)
    assert rows["3:2", "beats_21", "high", 1] == Fraction(-270870907, 26338835250)
    assert sum(ev > 0 for ev in rows.values()) == 3
    varied = sensitivity(Rules(blackjack_pays="1:1"))
    assert len([row for row in varied if row.bet == "main"]) == 3 * 2 * 2 * 8


@pytest.mark.parametrize("changes", [(), ("lucky3_paytable=1", "blackjack_pays=6:5", "toss=free")])
def test_sensitivity_of_every_bet(changes):
    """Every bet and the package has the same figures as the analysis for each number of decks."""
    rules = Rules().changed(*changes)
    rows = sensitivity(rules)

    assert list(dict.fromkeys(row.bet for row in rows)) == ["main", "lucky3", "bonus4", "package"]
    for decks in range(1, 9):
        of = rules.changed(f"decks={decks}")
        edges = {row.bet: row.house_edge for row in rows if row.rules == of}
        exact = {bet: f.house_edge for bet, f in toss_one.figures(of).items()}
        exact["package"] = sum(exact.values()) / 3
        assert edges == pytest.approx(exact, abs=1e-15)


def test_side_bets_by_decks():
    """The edge of Bonus 4 is 8.83 % with one deck, 1.06 % with eight; both Lucky 3 tables show."""
    own = [{"on": ["suited_blackjack"], "pays": "99:1"}]
    rows = [row.as_json() for row in sensitivity(Rules(lucky3_paytable=own))]

    bonus4 = {row["decks"]: row["house_edge"] for row in rows if row["bet"] == "bonus4"}
    assert (bonus4[1], bonus4[8]) == pytest.approx((0.0883, 0.0106), abs=5e-5)
    tables = [row["lucky3_paytable"] for row in rows if row["bet"] == "lucky3"]
    assert tables == [table for table in (1, 2, own) for _ in range(8)]


@pytest.mark.parametrize("decks", [1, 6])
def test_conditions(decks):
    """Figures of several decks hold for a shuffle before every round, not for a shoe."""
    needed = conditions(Rules(decks=decks))

    assert list(needed) == ["main", "lucky3", "bonus4", "package"]
    assert ("cut card" in needed["bonus4"][0]) is (decks > 1)
    assert shared(needed) == needed["bonus4"]
    assert "the player keeps the best total" in conditions(Rules(toss="free"))["main"]


def test_conditions_of_roll_your_own():
    """The blackjack figures are for a player who is alone, sees no other pack and never insures."""
    needed = conditions(roll_your_own.Rules())

    assert needed["bonus"] == shared(needed)
    assert needed["blackjack"] == needed["package"]
    text = "; ".join(needed["package"])
    for words in ("alone at the table", "packs of other seats", "memory none", "does not insure"):
        assert words in text


def test_figures():
    """Moments, frequencies and the top prize follow from the outcome table."""
    events = (Event("a", Odds(3), 1), Event("b", Odds(0), 1), Event("c", None, 2))
    figures = Figures("bet", events)

    assert figures.ev == Fraction(1, 4)
    assert figures.moments.variance == Fraction(9 + 0 + 1 + 1, 4) - Fraction(1, 16)
    assert (figures.hit_frequency, figures.push_rate) == (0.25, 0.25)
    assert figures.top.event == "a"
    row = figures.as_json()["outcomes"][0]
    assert row == {
        "event": "a",
        "pays": "3:1",
        "combinations": 1,
        "probability": 0.25,
        "return": 0.75,
    }
    assert figures.as_json()["ev"] == "1/4"
    assert Figures("sure", (Event("a", Odds(1), 1),)).moments.skewness == 0


# --- design


def test_design_comes_nearest():
    """For each line, no other whole odds come closer to the target; the lines are sorted."""
    target = Fraction(5, 100)
    analysis = analyze(GAMES["toss-one-21"], Rules())
    found = analysis.changes("bonus4", target)
    distance = [abs(change.edge - target) for change in found]

    assert distance == sorted(distance)
    assert len(found) == 5  # 17 to 21 at 2 to 1 cannot come nearer
    for change in found:
        for other in range(1, 60):
            table = [
                {"on": list(on), "pays": f"{other}:1" if on == change.on else str(odds)}
                for on, odds in Rules().bonus4_paytable.lines
            ]
            edge = -toss_one.figures(Rules(bonus4_paytable=table))["bonus4"].ev
            assert abs(edge - target) >= abs(change.edge - target)


def edge_at(line, pays):
    """Return the edge of Bonus 4 with other odds on one line of its table."""
    rules = design.with_odds(Rules(), "bonus4_paytable", line, Odds.read(pays))
    return -toss_one.figures(rules)["bonus4"].ev


def proposed(line, target):
    """Return the odds proposed for one line of Bonus 4's table."""
    found = analyze(GAMES["toss-one-21"], Rules()).changes("bonus4", target)
    return {change.on: str(change.pays) for change in found}[Rules().bonus4_paytable.lines[line][0]]


@pytest.mark.parametrize("pays", ["1:2", "11:2", "13:2", "15:2", "17:2", "19:2"])
def test_design_proposes_halves(pays):
    """Halves below 10:1 are proposed if they hit the target."""
    for line in range(3, 6):
        assert proposed(line, edge_at(line, pays)) == pays


def test_design_proposes_whole_units_from_ten_up():
    """A layout cannot print 21:2, so 10:1 and 11:1 are the nearest."""
    assert proposed(4, edge_at(4, "21:2")) in {"10:1", "11:1"}


def test_design_of_the_other_game():
    """The Bonus of Roll Your Own can be designed too."""
    analysis = bonus_alone(roll_your_own.Rules())
    found = analysis.changes("bonus", Fraction(1, 10))

    assert min(abs(change.edge - Fraction(1, 10)) for change in found) < Fraction(1, 100)


@pytest.mark.parametrize("bet", ["main", "bonus", "x"])
def test_nothing_to_design(bet):
    """A bet without a pay table cannot be designed."""
    with pytest.raises(SettingError, match="valid are lucky3, bonus4"):
        design.changes(Rules(), bet, Fraction(), lambda rules: None)


# --- the house


def test_house_after_rounds():
    """The distribution after n rounds is the n-fold convolution, and n = 1 is one round."""
    one = {-100: 0.5, 100: 0.4, 250: 0.1}
    three = Counter()
    for a, b, c in itertools.product(one, repeat=3):
        three[a + b + c] += one[a] * one[b] * one[c]

    for rounds, expected in ((1, one), (3, three)):
        result = after(one, rounds)
        found = {
            int(c): p for c, p in zip(result.cents, result.probability, strict=True) if p > 1e-12
        }
        assert found == pytest.approx(dict(expected))
        assert result.house_behind == pytest.approx(sum(p for c, p in expected.items() if c > 0))


def test_house_after_many_rounds():
    """After many rounds the result is nearly normal, with the right mean."""
    one = {-100: 0.51, 100: 0.49}
    result = after(one, 100_000)

    assert result.mean == pytest.approx(-2 * 100_000, rel=1e-6)
    assert result.house_behind < 1e-9
    assert sum(p for _, p in result.histogram()) == pytest.approx(1, abs=1e-3)
    fair = after({-100: 0.5, 100: 0.5}, 10_001)
    assert fair.house_behind == pytest.approx(0.5, abs=1e-9)


# --- the command


def test_analyze_for_machines(capsys):
    """The JSON has the form that scripts rely on, with exact fractions as text."""
    assert main(["analyze", "toss-one-21", "--target", "bonus4=5%", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)

    assert list(data["bets"]) == ["main", "lucky3", "bonus4"]
    assert data["bets"]["main"]["ev"] == "179767813/26338835250"
    assert data["bets"]["main"]["house_edge"] == pytest.approx(-0.0068252)
    assert sum(o["combinations"] for o in data["bets"]["main"]["outcomes"]) == 52_677_670_500
    assert data["bets"]["lucky3"]["outcomes"][0] == {
        "event": "suited blackjack",
        "pays": "20:1",
        "combinations": 1_144,
        "probability": 1_144 / 270_725,
        "return": 20 * 1_144 / 270_725,
    }
    assert data["package"]["std_dev"] > data["bets"]["bonus4"]["std_dev"]
    assert Counter(row["bet"] for row in data["sensitivity"]) == {
        "main": 64,
        "lucky3": 16,
        "bonus4": 8,
        "package": 8,
    }
    assert list(data["conditions"]) == ["main", "lucky3", "bonus4", "package"]
    assert len(data["designs"]["bonus4"]) == 5


def test_analyze_roll_your_own(roll, capsys):
    """The JSON has the three bets, their conditions, the rules' worth and the teams' results."""
    assert main(["analyze", "roll-your-own", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)

    assert list(data["bets"]) == ["bonus", "blackjack", "package"]
    assert data["bets"] == json.loads(json.dumps(roll.as_json()["bets"]))
    assert len(data["rules_worth"]) == 14
    assert None not in [row["house_edge"] for row in data["rules_worth"]]
    assert data["conditions"]["package"] == conditions(roll.rules)["package"]
    assert data["rule_8"]["teams"][0]["house_edge"] == pytest.approx(-0.5602, abs=1e-4)
    assert [row["pays"]["flush"] for row in data["bonus_tables"]].count("3:1") == 9


def test_analyze_roll_your_own_for_people(roll, capsys, monkeypatch):
    """The output explains the figures, marks simulated ones, and values the rules and tables."""
    monkeypatch.setattr(rules_worth, "alternatives", few)

    assert main(["analyze", "roll-your-own", "--worth", "--target", "package=2%"]) == 0
    text = capsys.readouterr().out
    for line in (
        "EV +0.387748494770 a round   with 2.411363 units put down",
        "house edge 0.8548% of the three-unit stake, 0.7518% of the money put down",
        "standard deviation 2.0212 ± 0.0005",
        "±: simulated, 4,000,000 rounds with seed 1",
        "insurance: gains nothing alone",
        "7 seats: house edge -56.02% ± 0.03%; the deck runs out in 79.17% of rounds",
        "Conditions: the player is alone at the table",
        "package: one line changed for 2.00%",
    ):
        assert line in text
    assert "blackjack_pays=6:5" in text
    assert "the house loses there" in text


def test_worth_is_of_one_game(capsys):
    """--worth is rejected for a game that always shows its table of settings."""
    assert main(["analyze", "toss-one-21", "--worth"]) == 2
    assert "--worth is only for roll-your-own" in capsys.readouterr().err


def test_analyze_for_people(capsys):
    """The output clearly shows that the player has the edge, and which change would remove it."""
    assert main(["analyze", "toss-one-21", "--target", "lucky3=4.5"]) == 0
    text = capsys.readouterr().out
    assert "THE PLAYER HAS THE EDGE" in text
    assert "52,677,670,500" in text
    assert "correlation of main, lucky3: +0.4249" in text
    assert "lucky3: one line changed for 4.50%" in text
    assert "Conditions: the deck is shuffled before every round" in text
    by_decks = next(line for line in text.splitlines() if line.startswith(" bonus4 letter"))
    assert " ".join(by_decks.split()[2:]) == "8.83 4.48 2.98 2.22 1.75 1.44 1.22 1.06"
    assert main(["analyze", "toss-one-21", "--preset", "published"]) == 0
    assert "house edge 1.0284%" in capsys.readouterr().out


def test_analyze_where_the_house_is_safe(capsys):
    """Rules without a player's edge are still compared with 3:2, which gives the player one."""
    assert main(["analyze", "toss-one-21", "--set", "blackjack_pays=1:1"]) == 0
    assert "1:1 is_21 high" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("bonus4", "is not a target: write BET=PERCENT"),
        ("bonus4=much", "is not a target"),
        ("bonus4=100%", "is out of reach"),
        ("main=5%", "no pay table to design for 'main': valid are lucky3, bonus4"),
        ("bonus=5%", "no pay table to design for 'bonus'"),
    ],
)
def test_analyze_wrong_targets(target, reason, capsys):
    """An invalid target is rejected with a one-line message."""
    assert main(["analyze", "toss-one-21", "--target", target]) == 2

    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert reason in captured.err


def test_a_line_that_never_comes():
    """A line for a result that never occurs has no effect, and its odds stay as they are."""
    figures = Figures("bet", (Event("a", Odds(2), 1), Event("b", None, 2)))
    found = design.changes(Rules(), "bonus4", Fraction(1, 10), lambda rules: figures.ev)

    assert found == []


def test_a_target_out_of_reach(capsys):
    """The command says if no change of a single line comes closer to the target."""
    assert main(["analyze", "toss-one-21", "--target", "bonus4=99%"]) == 0
    assert "no change of a single line comes closer to 99.00%" in capsys.readouterr().out
