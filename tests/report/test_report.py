"""The math report and the rack card: every section, every number, the same bytes each time."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from html import unescape
from math import comb
from pathlib import Path

import matplotlib as mpl
import pytest
import typst
from fontTools.ttLib import TTFont

from pitboss import analysis, report
from pitboss.analysis.report import Plan, _coarse, report_data
from pitboss.cli import main, reporting, shell
from pitboss.cli.shell import needing, read_limits
from pitboss.core.errors import NotationError
from pitboss.games import GAMES
from pitboss.games.roll_your_own import rules_worth
from pitboss.games.roll_your_own.figures import bonus_alone
from pitboss.games.roll_your_own.report.teams import WHO
from pitboss.report.blocks import flatten
from pitboss.report.card import card
from pitboss.report.elements import TITLES
from pitboss.report.plots import plots
from pitboss.report.sections import document
from pitboss.report.text import decimal, money, odds, percent, whole
from pitboss.training.odds import price
from tests.parts import games_with

pytestmark = pytest.mark.xdist_group("figures")  # what is solved once serves all

TOSS, ROLL = GAMES["toss-one-21"], GAMES["roll-your-own"]
STAKES = {"main": 1000, "lucky3": 500, "bonus4": 500}
LONG = [{"on": [total], "pays": f"{22 - total}:1"} for total in range(4, 22)]


def build(game, *changes, limits=(), **plan):
    stakes = STAKES if game is TOSS else {"bet": 1000}
    asked = Plan(limits=read_limits(game, limits), stakes=stakes, **plan)
    return report_data(game, game.rules().changed(*changes), asked)


@pytest.fixture(scope="module")
def toss():
    return build(TOSS, simulate=1000, seed=20261115, date="15 <November> 2026")


@pytest.fixture(scope="module")
def other():
    """Toss One 21 with many changes: two decks, a free toss, a long pay table."""
    changes = ["decks=2", "toss=free", "dealer_blackjack=beats_21", "rounding=down:25"]
    table = f"bonus4_paytable={json.dumps(LONG)}"
    return build(TOSS, *changes, table, "blackjack_pays=7:5", rounds_per_hour=75)


def few(rules):
    """Return a few changed settings, to keep the test short."""
    changes = ("resplit_aces=yes", "blackjack_pays=6:5", "insurance=off")
    return [(change.partition("=")[0], rules.changed(change)) for change in changes]


@pytest.fixture(scope="module")
def roll():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules_worth, "alternatives", few)
        return build(ROLL)


@pytest.fixture(scope="module")
def bonus_only():
    """Roll Your Own without Numba."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis.report, "analyze", lambda _, rules, **__: bonus_alone(rules))
        return build(ROLL)


@pytest.fixture
def at_once(roll, monkeypatch):
    """Give the commands the computed data of Roll Your Own."""
    monkeypatch.setattr(reporting, "_data", lambda *_: roll)


@pytest.fixture(scope="module")
def page(toss):
    return report.render_html(toss).decode()


def plain(page):
    """Return the visible text of a page, without plots."""
    page = re.sub(r"<(style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
    page = re.sub(r"<br>|</?(?:t[dhr]|p|dt|dd|li|h\d)\b[^>]*>", " ", page)
    return unescape(" ".join(re.sub(r"<[^>]+>", "", page).split()))


def blocks(data, section):
    found = next(s for s in document(data)["sections"] if s["id"] == section)
    return list(flatten(found["blocks"]))


def texts(data, section):
    """Return all text of a section on one line."""
    return json.dumps(blocks(data, section), ensure_ascii=False)


def cells(block):
    rows = [*block["rows"], *([block["total"]] if block["total"] else [])]
    return [["".join(text for _, text in cell["spans"]) for cell in row] for row in rows]


def pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


# --- content


@pytest.mark.parametrize(
    "name", ["toss", "other", pytest.param("roll", marks=pytest.mark.long), "bonus_only"]
)
def test_sections(name, request):
    """Both games have every section, numbered and in order, and the contents link to each."""
    data = request.getfixturevalue(name)
    page = report.render_html(data).decode()

    places = [page.index(f'<section id="{key}"') for key in TITLES]
    assert places == sorted(places)
    for number, (key, title) in enumerate(TITLES.items(), 1):
        assert f'<a href="#{key}">{title}</a>' in page
        assert f'<span class="number">{number}</span> {title}' in page


def test_identification(toss, page):
    """The report has the game, the rules, their digest, the version and the given date."""
    text = plain(page)

    for name in (toss["name"], toss["digest"], f"pitboss {toss['version']}", toss["date"]):
        assert name in text
    assert "15 &lt;November&gt; 2026" in page
    for setting in toss["settings"]:
        assert f"{setting['name']}={setting['value']}: {setting['reading']}" in text
        assert setting["choices"] in text
    for clause in toss["clauses"].values():
        assert clause in text


def test_no_date(roll):
    """Without --date the report has no date."""
    assert "Date" not in texts(roll, "identification")
    assert not re.search(rb"(?<!seed )2026", report.render_html(roll))  # not a date but a seed


def test_outcome_tables(toss, page):
    """Every line of an outcome table comes from the data, and the totals are the known ones."""
    tables = [block for block in blocks(toss, "outcomes") if block["kind"] == "table"]

    for figures, block in zip(toss["bets"].values(), tables, strict=True):
        *rows, total = cells(block)
        assert rows == [
            [
                row["event"],
                odds(row["pays"]),
                whole(row["combinations"]),
                decimal(row["probability"]),
                decimal(row["return"], sign=True),
            ]
            for row in figures["outcomes"]
        ]
        assert total[2] == whole(figures["combinations"])
        assert total[4] == decimal(float(Fraction(figures["ev"])), sign=True)
    text = plain(page)
    assert (
        f"add up to {comb(52, 4) * comb(48, 4):,}, and C(52, 4) × C(48, 4) is 52,677,670,500"
        in text
    )
    assert "add up to 270,725, and C(52, 4) is 270,725" in text


def test_summary(toss, page):
    """The summary has the figures of each bet, and the page shows the same figures."""
    text = plain(page)

    for figures in toss["bets"].values():
        assert figures["ev"] in text
        for share in (figures["house_edge"], 1 - figures["house_edge"], figures["hit_frequency"]):
            assert percent(share) in text
        assert f"{figures['std_dev']:.6f}" in text
        assert f"{figures['skewness']:.4f}" in text


def test_strategy(toss, other, roll):
    """The count proves that the toss is forced; if the toss is free, the report says so."""
    (count,) = [block for block in blocks(toss, "strategy") if block["kind"] == "table"]

    assert [row[1] for row in cells(count)] == ["54,634", "155,856", "60,235", "0", "270,725"]
    assert "The toss is forced" in texts(toss, "strategy")
    assert "The toss is free under these rules" in texts(other, "strategy")
    assert "the toss is forced" not in texts(other, "advantage")
    assert "best strategy" in texts(roll, "strategy")


def test_simulation(toss, other, roll):
    """A simulation is shown with seed, interval, z and chi-square; without one, that is stated."""
    text = texts(toss, "simulation")

    assert "20261115" in text
    assert "1,000" in text
    for row in toss["simulation"]["bets"].values():
        assert percent(row["ev"], sign=True) in text
        assert decimal(row["z"], 2, sign=True) in text
        found = row["chi_square"]
        assert f"{found['value']:.2f} ({found['degrees_of_freedom']})" in text
    assert "No simulation was requested" in texts(other, "simulation")
    text = texts(roll, "simulation")
    assert "4,000,000" in text
    assert decimal(roll["bets"]["blackjack"]["trial"]["mean"], 6, sign=True) in text


def test_a_trial_that_disagrees(toss):
    """A mean whose interval does not contain the exact value is marked and named."""
    trial = toss["simulation"]
    off = trial["bets"]["main"] | {"interval": {"95%": [0.5, 0.6]}, "z": 9.0}

    text = texts(
        toss | {"simulation": trial | {"bets": trial["bets"] | {"main": off}}}, "simulation"
    )
    assert "Outside its interval: Main." in text
    assert '"+9.00"]], "style": "bad"' in text


def test_sensitivity(toss):
    """Every house edge is shown by settings and decks; negative ones are red, the rules framed."""
    tables = [b for b in blocks(toss, "sensitivity") if b["kind"] == "table"]
    main, others = (
        [row[heads:] for row in t["rows"]] for t, heads in zip(tables, (3, 2), strict=True)
    )
    shown = [cell for row in (*main, *others) for cell in row]

    for cell, row in zip(shown, toss["sensitivity"], strict=True):
        assert cell["spans"] == [["", percent(row["house_edge"], 3)[:-1]]]
        assert ("bad" in cell["style"]) is (row["house_edge"] < 0)
    styles = [cell["style"] for cell in shown if "force" in cell["style"]]
    assert styles == ["bad force", "force", "force", "force"]  # Main, Lucky 3, Bonus 4, package


def test_sensitivity_of_the_other_bets(toss, other):
    """Lucky 3 and Bonus 4 are shown for each pay table, the package for the rules in force."""
    rows = [cells(b) for b in blocks(toss, "sensitivity") if b["kind"] == "table"][1]

    assert [row[:2] for row in rows] == [
        ["Lucky 3", "1"], ["Lucky 3", "2"], ["Bonus 4", "letter"], ["Package", "in force"],
    ]  # fmt: skip
    assert (rows[2][2], rows[2][9]) == ("8.827", "1.057")
    (alt,) = [
        b["alt"] for b in blocks(toss, "sensitivity") if b.get("name", "").startswith("other")
    ]
    assert "Bonus 4 (letter) from 8.83% with 1 deck to 1.06% with 8" in alt
    text = texts(toss, "sensitivity")
    assert "All decks are shuffled before every round" in text
    assert "not those of a shoe dealt to a cut card" in text
    rows = [cells(b) for b in blocks(other, "sensitivity") if b["kind"] == "table"][1]
    assert ["Bonus 4", "custom"] in [row[:2] for row in rows]


def test_two_readings(toss, other):
    """Both readings of a dealer's blackjack are quoted, whatever rules are in force."""
    for data in (toss, other):
        text = texts(data, "sensitivity")
        assert "+179767813/26338835250" in text
        assert "-270870907/26338835250" in text
        assert "The published 1.03%" in text


def test_warning(toss, other, roll, page):
    """The player's edge is in a box at the top with its exact fraction; otherwise there is none."""
    place = page.index('<aside class="note warning"')

    assert place < page.index('<nav id="contents"')
    assert "+179767813/26338835250" in page[place : page.index("</aside>", place)]
    assert [bet for bet, f in other["bets"].items() if f["house_edge"] < 0] == ["bonus4"]
    assert "All bets together favor the player" in json.dumps(document(other)["warnings"])
    assert "The player has the edge" not in json.dumps(document(roll)["warnings"])  # as one game
    package = roll["bets"]["package"] | {"house_edge": -0.01, "ev": 0.03}
    lost = document(roll | {"bets": roll["bets"] | {"package": package}})["warnings"]
    assert "+0.030000000000" in json.dumps(lost)
    assert "All bets together favor the player" in json.dumps(lost)


def test_warning_of_teams(roll):
    """Page 1 shows what teams win through rule 8, with standard error, rounds and seed."""
    page = report.render_html(roll).decode()
    top = plain(page[: page.index('<nav id="contents"')])

    assert "A team at 6 or 7 seats beats this game through rule 8" in top
    for row in roll["rule_8"]["teams"][:2]:
        error = row["std_error"]
        assert (
            f"{row['seats']} seats: a house edge of {percent(row['house_edge'], 2)} ±"
            f" {percent(error['house_edge'], 2)} of the three-unit stake" in top
        )
    assert "4,000,000 rounds each, seed 2026, strategy run-out" in top
    assert "The house edge of 0.8548% in this report is for a player alone" in top
    assert roll["rule_8"]["teams"][0]["house_edge"] == pytest.approx(-0.5602, abs=1e-4)


def ruled(data, *changes):
    """Return the data of a report with the figures of rule 8 under other rules."""
    rules = ROLL.rules().changed(*changes)
    return data | {"rule_8": bonus_alone(rules).rule_8()}


@pytest.mark.parametrize(
    ("changes", "warned", "said"),
    [
        (["run_out=push"], None, "every bet in action is returned"),
        (["seats=5"], None, "11.39% ± 0.03%"),
        (["seats=6"], "A team at 6 seats beats this game", "0.635"),
        (["seats=1"], None, "One seat alone cannot use up the deck"),
        (["soft_17=stand"], "A team at 6 or 7 seats beats this game", "1,000,000"),
        (["max_splits=0"], None, "0.008%"),
        (
            ["max_splits=3", "soft_17=stand", "seats=5"],
            "are not computed here",
            "not computed here under these",
        ),
        (["max_splits=3", "soft_17=stand", "seats=4"], None, "not computed here under these"),
    ],
)
def test_teams_under_other_rules(bonus_only, changes, warned, said):
    """The report warns if a team wins or might win; the section gives the known figures."""
    data = ruled(bonus_only, *changes)
    warnings = json.dumps(document(data)["warnings"])

    assert warned in warnings if warned else warnings == "[]"
    assert said in texts(data, "advantage")


def test_whole_tables(roll):
    """One table has teams, teams under run_out=push and single players, with standard errors."""
    rows = [cells(b) for b in blocks(roll, "advantage") if b["kind"] == "table"][-1]

    assert len(rows) == sum(len(roll["rule_8"][key]) for key in WHO) == 6 + 3 + 6
    assert rows[0] == [
        "a team", "7", "4,000,000", "79.174% ± 0.020%", "+1.680 ± 0.001", "−56.02% ± 0.03%",
    ]  # fmt: skip
    assert rows[6][0] == "a team, with run_out=push"
    assert rows[9][0] == "single players"
    assert "All packs lie face up" in texts(roll, "advantage")
    push = [
        cells(b) for b in blocks(ruled(roll, "run_out=push"), "advantage") if b["kind"] == "table"
    ][-1]
    assert [row[0] for row in push] == ["a team"] * 3 + ["single players"]


def test_conditions(toss, other, roll):
    """Each figure has its conditions, starting with the shuffle."""
    for section in ("outcomes", "summary", "package"):
        assert "deck is shuffled before every round" in texts(toss, section).replace("The ", "the ")
        assert "cut card has different figures" in texts(other, section)
        assert "not the packs of other seats, which lie face up" in texts(roll, section)
    for section in ("sensitivity", "operations"):
        for data in (toss, other, roll):
            assert "onditions" in texts(data, section)
    assert "all 2 decks are shuffled before every round" in json.dumps(document(other)["warnings"])
    (summary,) = [b for b in blocks(roll, "summary") if b["kind"] == "facts"]
    assert [row["name"] for row in summary["rows"]] == [
        "Every figure", "Blackjack bets and Package",
    ]  # fmt: skip
    assert card(other)["odds_note"].endswith("if all 2 decks are shuffled every round.")
    assert card(roll)["odds_note"].endswith(
        "if the deck is shuffled every round, and you play alone with the best strategy."
    )


def test_insurance(roll):
    """The report says when insurance gains: never alone, but with few tens in other packs."""
    text = texts(roll, "strategy")

    assert "A player who plays alone never gains from insurance" in text
    assert "fewer tens than there are other packs" in text


def test_package_and_advantage(toss):
    """Correlations and exposed cards come from the data; valuable cards are highlighted."""
    text = texts(toss, "package")

    assert toss["package"]["ev"] in text
    for value in toss["package"]["correlations"].values():
        assert decimal(value, 4, sign=True) in text
    assert "no card that a player sees is worth anything on Main" in texts(toss, "advantage")
    tables = [block for block in blocks(toss, "advantage") if block["kind"] == "table"]
    for rows, block in zip(toss["exposed"].values(), tables, strict=True):
        for row, drawn in zip(rows, block["rows"], strict=True):
            values = [row[bet] for bet in toss["bets"]]
            assert [c["spans"][0][1] for c in drawn[1:]] == [
                decimal(v, 4, sign=True) for v in values
            ]
            assert [c["style"] == "good" for c in drawn[1:]] == [v > 0 for v in values]


def test_operations(toss, other):
    """Stakes, pace, win and the probability of being behind, also for a day at another pace."""
    text = texts(toss, "operations")

    assert "$10 on Main, $5 on Lucky 3 and $5 on Bonus 4, every round" in text
    assert money(toss["operations"]["win_per_hour"]) in text
    for row in toss["operations"]["house_behind"]:
        assert whole(row["rounds"]) in text
    assert "under 0.0001%" in text
    assert "after 600 rounds" in texts(other, "operations")


def test_coarse_results_keep_their_mean():
    """Results on a coarser grid keep their mean; a grid of the same width changes nothing."""
    one = Counter({-700: 0.5, 1312: 0.25, 19: 0.25})

    grid = _coarse(one, 50)
    assert all(net % 50 == 0 for net in grid)
    assert sum(n * p for n, p in grid.items()) == pytest.approx(sum(n * p for n, p in one.items()))
    assert _coarse(grid, 50) is grid


def test_reserve(toss, roll):
    """The reserve is the second highest prize over $25,000; a single prize needs none."""
    text = texts(toss, "limits")

    assert all(prize in text for prize in ("$75,000", "$45,000", "WAC 230-15-455"))
    assert '["bold", "$45,000"]' in text
    assert "none is due" in texts(roll, "limits")
    low = [row | {"prizes": row["prizes"][1:]} for row in roll["limits"]]
    assert "exceeds $25,000" in texts(roll | {"limits": low}, "limits")
    assert "No limits" in texts(roll | {"limits": []}, "limits")


def test_change_log(toss, other, roll):
    """Changes are shown next to the defaults; each point is compared with the approval letter."""
    assert "no setting is changed" in texts(toss, "changes")
    assert "not approved" not in texts(toss, "changes")
    text = texts(other, "changes")
    assert all(change["name"] in text for change in other["changes"])
    assert "toss=free is not the approved must_be_best" in text
    assert "No approval of Roll Your Own Blackjack is on file" in texts(roll, "changes")


def test_custom_table(other):
    """A custom pay table is shown line by line, in the report and on the card."""
    rows = cells([b for b in blocks(other, "outcomes") if b["kind"] == "table"][2])

    assert [row[:2] for row in rows[:18]] == [
        [f"total {t}", f"{22 - t} to 1"] for t in range(4, 22)
    ]
    assert card(other)["tables"][2]["rows"] == [[str(t), f"{22 - t} to 1"] for t in range(4, 22)]


def test_what_is_not_computed(bonus_only):
    """Without the solver the Bonus is exact, and the report names the figures that are missing."""
    text = plain(report.render_html(bonus_only).decode())

    assert bonus_only["bets"]["bonus"]["ev"] in text
    assert text.count("ot computed here") >= 8
    assert "A team at 6 or 7 seats beats this game" in text
    assert "pip install 'pitboss[kernels]'" in text
    assert "GLI-19, 4.7.1" in text
    assert card(bonus_only)["odds"][1][1] == "not computed here"
    assert list(plots(bonus_only)) == ["outcomes-bonus", "rules-worth"]


def test_blackjack_bets_and_package(roll):
    """The report has the blackjack bets' edges, spread and frequencies, and marks exact figures."""
    text = plain(report.render_html(roll).decode())
    played, package = roll["bets"]["blackjack"], roll["bets"]["package"]

    for number in (played["ev"], package["ev"]):
        assert decimal(number, 12, sign=True) in text
    for edge in (package["house_edge"], package["house_edge_put_down"], played["house_edge"]):
        assert percent(edge) in text
    assert decimal(package["put_down"], 6) in text
    assert "3.8743 ± 0.0003" in text
    for row in played["frequencies"]:
        error = f" ± {decimal(row['std_error'], 6)}" if row["source"] == "simulated" else ""
        assert f"{row['event']} {decimal(row['per_round'], 6)}{error}" in text
    for row in played["by_up_card"].values():
        assert decimal(row["ev"], 9, sign=True) in text
    assert "the return of the package is 99.15%" in text
    for section in ("outcomes", "summary", "strategy", "simulation", "package", "operations"):
        assert "ot computed here" not in texts(roll, section)


@pytest.mark.parametrize("name", ["toss", "roll"])
def test_one_house_edge(name, request, capsys):
    """Every output gives the same house edge for a bet: per unit staked, with the stake."""
    data = request.getfixturevalue(name)
    game, bets = GAMES[data["game"]], data["bets"]
    together = {} if "package" in bets else {"package": data["package"]}
    for bet, figures in {**bets, **together}.items():
        assert figures["stake"] == game.units[bet]
        assert figures["house_edge"] == pytest.approx(
            -float(Fraction(figures["ev"])) / figures["stake"]
        )

    assert main(["analyze", game.key]) == 0
    text = capsys.readouterr().out
    (summary,) = [b for b in blocks(data, "summary") if b["kind"] == "table"]
    rows = dict(zip([row[0] for row in cells(summary)], cells(summary), strict=True))
    explored = {bet.bet: bet for bet in price(game, game.rules()).bets}
    for place, (bet, figures) in enumerate(bets.items(), 1):
        edge = figures["house_edge"]
        assert f"house edge {edge:.4%}" in text
        assert rows["house edge"][place] == percent(edge)
        assert rows["units staked"][place] == str(figures["stake"])
        assert rows["return to player"][place] == percent(1 - edge)
        assert explored[bet].stake == figures["stake"]
        assert explored[bet].edge_percent == pytest.approx(100 * edge)
        assert percent(abs(edge), 2) in card(data)["odds"][place - 1][1]


@pytest.mark.parametrize("game", games_with("simulation"), ids=lambda game: game.key)
def test_simulated_house_edge(game, capsys):
    """A simulation also gives the house edge per unit staked, with the stake."""
    how = ["--strategy", "mimic"] if "mimic" in game.strategies else []
    assert main(["simulate", game.key, "--rounds", "1000", "--json", *how]) == 0
    found = json.loads(capsys.readouterr().out)

    assert {bet: row["stake"] for bet, row in found["bets"].items()} == game.units
    for row in found["bets"].values():
        assert row["house_edge"] == pytest.approx(-row["ev"] / row["stake"])
    if game is ROLL:
        assert found["table"]["house_edge"]["of_stake"] == found["bets"]["package"]["house_edge"]


def test_rules_and_tables(roll):
    """The report gives the value of each rule, and the edge for each Bonus table."""
    worth, tables = [cells(b) for b in blocks(roll, "sensitivity") if b["kind"] == "table"]

    for row, shown in zip(roll["rules_worth"], worth, strict=False):
        assert shown[0] == f"{row['setting']}={row['value']}"
        assert shown[3:] == [percent(row["blackjack_house_edge"]), percent(row["house_edge"])]
    assert worth[2][2] == "0"
    package, played = roll["bets"]["package"], roll["bets"]["blackjack"]
    assert worth[-1][3:] == [percent(-played["ev"] / 2), percent(package["house_edge"])]
    assert tables[0] == ["100 to 1", "50 to 1", "30 to 1", "5 to 1", "3 to 1", "41.34%", "0.855%"]
    assert len(tables) == len(roll["bonus_tables"]) == 11
    text = texts(roll, "sensitivity")
    assert "gains nothing alone" in text
    assert "under each of these settings its house edge is 41.3394%" in text
    nothing = [row | {"difference": 0.0} for row in roll["rules_worth"]]
    assert "rules-worth" not in plots(roll | {"rules_worth": nothing})


def test_worth_that_is_not_computed(bonus_only):
    """Without the solver, the report shows shipped figures, or says that there are none."""
    worth = next(cells(b) for b in blocks(bonus_only, "sensitivity") if b["kind"] == "table")
    row = next(row for row in worth if row[0] == "soft_17=stand")
    assert row == ["soft_17=stand", "+0.393237993", "+0.005489498", "−19.6619%", "0.6719%"]

    rules = ROLL.rules().changed("soft_17=stand", "max_splits=2")
    rows = [w.as_json() for w in bonus_alone(rules).worth]
    worth = next(
        cells(b)
        for b in blocks(bonus_only | {"rules_worth": rows}, "sensitivity")
        if b["kind"] == "table"
    )
    assert ["hole_card=no_peek", "not computed here", "", "", ""] in worth
    assert ["max_splits=4", "+0.393237993", "", "−19.6619%", "0.6719%"] in worth
    assert ["insurance=off", "not computed here", "", "", ""] in worth


def test_operations_of_roll_your_own(roll):
    """The house's win uses the exact edge of the three bets, and the package's deviation."""
    plan, package = roll["operations"], roll["bets"]["package"]

    assert plan["stakes"] == {"bet": 1000}
    assert plan["win_per_round"] == pytest.approx(-1000 * package["ev"])
    assert plan["std_dev_per_round"] == pytest.approx(1000 * package["std_dev"])
    assert "$10 on each of the three bets, every round" in texts(roll, "operations")
    assert "simulated, with the exact chances of the Bonus" in texts(roll, "operations")
    behind = [row["probability"] for row in plan["house_behind"]]
    assert behind[-1] < behind[0] < 0.5


def test_exposed_cards_of_roll_your_own(roll):
    """A card known before betting changes the value of the package."""
    text = texts(roll, "advantage")

    for rows in roll["exposed"].values():
        for row in rows:
            assert decimal(row["package"], 4, sign=True) in text


# --- every game


@pytest.fixture(scope="module", params=GAMES.values(), ids=list(GAMES))
def any_report(request):
    """The report of each game under its default rules."""
    game = request.param
    asked = Plan(limits=read_limits(game, ()), stakes=game.usual_stakes, worth=False)
    return report_data(game, game.rules(), asked)


def test_every_game_has_a_whole_report(any_report):
    """Each game has every section with content, and each figure has a plot and a description."""
    sections = document(any_report)["sections"]
    figures = [b for s in sections for b in flatten(s["blocks"]) if b["kind"] == "figure"]

    assert [section["id"] for section in sections] == list(TITLES)
    assert all(section["blocks"] for section in sections)
    assert {figure["name"] for figure in figures} == set(plots(any_report))
    assert all(len(figure["alt"]) > 80 for figure in figures)
    assert "None" not in plain(report.render_html(any_report).decode())


def test_every_game_has_a_rack_card(any_report):
    """Each card has a table for every pay table, the odds of every bet, and limits on one page."""
    content = card(any_report)

    assert len(content["tables"]) == 1 + len(any_report["paytables"])
    assert len(content["odds"]) == len(any_report["bets"])
    assert content["limits"]
    assert pages(report.render_card(any_report, "pdf")) == 1


# --- form


def test_plots(toss, roll):
    """Every figure has a plot with unique names and a description in words."""
    drawn = plots(toss)
    figures = [
        b for s in document(toss)["sections"] for b in flatten(s["blocks"]) if b["kind"] == "figure"
    ]

    assert [figure["name"] for figure in figures] == list(drawn)
    assert all(len(figure["alt"]) > 80 for figure in figures)
    names = {"outcomes-bonus", "by-up-card", "rules-worth", "house-day"}
    figures = [
        b for s in document(roll)["sections"] for b in flatten(s["blocks"]) if b["kind"] == "figure"
    ]
    assert set(plots(roll)) == {figure["name"] for figure in figures} == names
    assert all(len(figure["alt"]) > 80 for figure in figures)


def test_page_is_whole(page):
    """The page loads nothing from outside, and all its ids are unique."""
    assert not re.search(r"""(?:src|href)=["'](?!#)|@import|url\((?!#)""", page)
    assert "<script" not in page
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(names)
    assert page.count('role="img" aria-label="') == page.count("<svg ") == 6
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


@pytest.mark.long
def test_same_bytes_of_the_other_game(roll):
    """The report of Roll Your Own does not depend on a clock or on an order."""
    again = json.loads(report.render_json(roll))

    assert again == json.loads(json.dumps(roll))
    assert report.render_html(again) == report.render_html(roll)
    assert report.render_pdf(again) == report.render_pdf(roll)
    assert "seconds" not in json.dumps(roll)


def test_same_bytes(toss, page):
    """The same data gives the same bytes in every format."""
    again = json.loads(report.render_json(toss))

    assert again == json.loads(json.dumps(toss))
    assert report.render_html(again) == page.encode()
    assert report.render_pdf(again) == report.render_pdf(toss)
    for form in ("pdf", "svg"):
        assert report.render_card(again, form) == report.render_card(toss, form)


def test_pdf(toss):
    """The PDF is tagged, has a title, no timestamp, and several pages."""
    pdf = report.render_pdf(toss)

    assert pdf.startswith(b"%PDF-")
    assert 6 <= pages(pdf) <= 14
    assert b"/MarkInfo" in pdf
    assert not re.search(rb"/CreationDate|/ModDate", pdf)


DRAWN = """
import hashlib
from matplotlib.figure import Figure
from pitboss.plotting import style, svg_of
with style():
    figure = Figure(layout="constrained")
    figure.add_subplot(title="Main \N{MINUS SIGN}0.68% \N{PLUS-MINUS SIGN} 0.03", xlabel="decks")
    print(hashlib.sha256(svg_of(figure, "plot").encode()).hexdigest())
"""


def test_plots_do_not_depend_on_installed_fonts(tmp_path):
    """A font on the machine with the same name but other shapes does not change a plot."""
    own = TTFont(Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
    for name, (wide, left) in own["hmtx"].metrics.items():
        own["hmtx"].metrics[name] = (2 * wide, left)
    (tmp_path / ".fonts").mkdir()
    own.save(tmp_path / ".fonts" / "DejaVuSans.ttf")

    def drawn(home):
        paths = {"HOME": str(home), "MPLCONFIGDIR": str(home / "matplotlib")}
        command = [sys.executable, "-c", DRAWN]
        env = os.environ | paths
        return subprocess.run(command, env=env, capture_output=True, check=True).stdout

    (tmp_path / "bare").mkdir()
    assert drawn(tmp_path) == drawn(tmp_path / "bare")


def test_documents_name_only_fonts_of_typst():
    """The PDF and the rack card use only the fonts that come with typst."""
    brought = typst.Fonts(include_system_fonts=False).families()
    for template in report.TEMPLATES.glob("*.typ"):
        fonts = re.findall(r"font: (\([^)]+\)|\"[^\"]+\")", template.read_text(encoding="utf-8"))
        assert fonts
        assert set(re.findall(r'"([^"]+)"', " ".join(fonts))) <= set(brought)


@pytest.mark.parametrize("name", ["toss", "other", "roll"])
def test_card_is_one_page(name, request):
    """The card has one page, even with the longest pay table."""
    data = request.getfixturevalue(name)

    assert pages(report.render_card(data, "pdf")) == 1
    assert report.render_card(data, "svg").startswith(b"<svg ")


@pytest.mark.long
def test_card_that_hardly_fits(other):
    """Even with an unrealistically long pay table, the card has one page."""
    lines = [{"on": ["suited_21", "coloured_21", "21"], "pays": f"{n}:1"} for n in range(1, 60)]

    crowded = other | {"paytables": other["paytables"] | {"lucky3_paytable": lines}}
    assert pages(report.render_card(crowded, "pdf")) == 1


def test_card(toss, other, roll):
    """The card has at most six steps, the tables in force, the odds and the limits."""
    content = card(toss)

    assert len(content["steps"]) == 6
    assert ["Main", "0.68% in your favor", "48.6%", "3 to 2"] in content["odds"]
    assert ["any other 21", "1 to 1"] in content["tables"][1]["rows"]
    assert ["6 to 8", "50 to 1"] in content["tables"][2]["rows"]
    assert content["limits"][0] == ["Main", "$5 to $300"]
    assert "beats any other 21" in json.dumps(card(other)["steps"])
    assert card(roll)["odds"][1][:2] == ["Two blackjack bets", "19.39% in your favor"]
    assert card(roll)["odds"][2] == ["All three bets", "0.85%", "42.2%", ""]
    (limit,) = roll["limits"]
    stepped = roll | {
        "rules": roll["rules"] | {"insurance": "off", "max_splits": 0},
        "limits": [limit | {"most": 10_000, "step": 500}],
    }
    assert card(stepped)["limits"] == [["Each of the equal bets", "$5 to $100, in steps of $5"]]
    assert "No splitting" in json.dumps(card(stepped)["steps"])


# --- the command


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (["-o", "r.html"], b"<!DOCTYPE html>"),
        (["-o", "r.PDF", "--date", "today"], b"%PDF-"),
        (["-o", "r.json", "--set", "soft_17=stand"], b"{\n"),
        (["-o", "card.pdf", "--rack-card"], b"%PDF-"),
        (["-o", "card.svg", "--rack-card", "--limit", "bet=10..200"], b"<svg "),
    ],
)
@pytest.mark.usefixtures("at_once")
def test_writes(arguments, start, tmp_path, capsys, monkeypatch):
    """The file extension selects the format, and no other file is left behind."""
    monkeypatch.chdir(tmp_path)

    assert main(["report", "roll-your-own", *arguments]) == 0
    (written,) = tmp_path.iterdir()
    assert written.read_bytes().startswith(start)
    assert capsys.readouterr().out.startswith(f"wrote {written.name}\n")


def test_json(capsys, tmp_path):
    """--json prints the same data as a .json file, and -o is then optional."""
    file = tmp_path / "report.json"
    command = ["report", "toss-one-21", "--simulate", "1000", "--rounds-per-hour", "70", "--json"]

    assert main([*command, "--bet", "main=25", "-o", str(file)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(file.read_text("utf-8"))
    assert printed["operations"]["stakes"] == {"main": 2500, "lucky3": 0, "bonus4": 0}
    assert printed["simulation"]["rounds"] == 1000


@pytest.mark.usefixtures("roll")  # solves the game
def test_json_of_the_other_game(capsys, monkeypatch):
    """The data of Roll Your Own is the same from the command."""
    monkeypatch.setattr(rules_worth, "alternatives", few)

    assert main(["report", "roll-your-own", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["game"] == "roll-your-own"
    assert len(data["rules_worth"]) == 3


def test_default_stakes_keep_the_limits():
    """The default stakes stay within the limits."""
    limits = read_limits(TOSS, ("main=25..300", "bonus4=1..3"))

    assert reporting._stakes(TOSS, limits, None) == {"main": 2500, "lucky3": 500, "bonus4": 300}


def test_says_who_has_the_edge(capsys, roll):
    """The command says if a bet favors the player."""
    lost = roll | {"bets": {"bonus": {"stake": 1, "house_edge": -0.01}, "blackjack": None}}

    reporting._print_summary("r.html", lost)
    teams = (
        "a team of 7 has the edge through rule 8: house edge -56.02% ± 0.03%\n"
        "a team of 6 has the edge through rule 8: house edge -21.17% ± 0.03%\n"
    )
    assert capsys.readouterr().out == (
        f"wrote r.html\nthe player has the edge on bonus: house edge -1.0000%\n{teams}"
    )
    reporting._print_summary("r.html", roll)
    assert capsys.readouterr().out == f"wrote r.html\n{teams}"
    reporting._print_summary("r.html", ruled(roll, "run_out=push"))
    assert capsys.readouterr().out == "wrote r.html\n"


def test_says_what_is_not_computed(capsys, monkeypatch):
    """If the solver is missing, the command says in one line what to install."""
    part = ROLL.part("figures")
    monkeypatch.setattr(part, "analyze", lambda rules, **_: part.bonus_alone(rules))

    assert main(["report", "roll-your-own", "--json"]) == 0
    assert capsys.readouterr().err == (
        "pitboss: the blackjack bets need pip install 'pitboss[kernels]'\n"
    )


WRONG = [
    (["toss-one-21"], "-o FILE is missing: the name of a report ends in .html, .pdf or .json"),
    (["toss-one-21", "-o", "r.docx"], "cannot write 'r.docx': the name of a report ends in .html"),
    (["toss-one-21", "-o", "r"], "ends in .html, .pdf or .json"),
    (["toss-one-21", "--rack-card"], "the name of a rack card ends in .pdf or .svg"),
    (["toss-one-21", "--rack-card", "-o", "r.html"], "a rack card ends in .pdf or .svg"),
    (["toss-one-21", "-o", "none/r.html"], "cannot write 'none/r.html': No such file"),
    (["toss-one-21", "-o", "folder.html"], "cannot write 'folder.html': Is a directory"),
    (["toss-one-21", "-o", "r.pdf", "--bet", "main=ten"], "'ten' is not an amount"),
    (["toss-one-21", "-o", "r.pdf", "--bet", "lucky3=5"], "needs a Main bet"),
    (["toss-one-21", "-o", "r.pdf", "--bet", "main=301"], "outside the limit"),
    (["toss-one-21", "-o", "r.pdf", "--rounds-per-hour", "0"], "'--rounds-per-hour': 0 is not in"),
    (["toss-one-21", "-o", "r.pdf", "--rounds-per-hour", "1001"], "1001 is not in the range"),
    (["toss-one-21", "-o", "r.pdf", "--simulate", "10000000001"], "is not in the range"),
    (["roll-your-own", "-o", "r.pdf", "--simulate", "1"], "--simulate is only for toss-one-21"),
    (["toss-one-21", "-o", "r.pdf", "--date", "\udcff"], "--date '\\udcff' is not UTF-8 text"),
    (["toss-one-21", "-o", "r.pdf", "--set", "decks=9"], "decks: 9 is not a whole number"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG, ids=[" ".join(w[0]) for w in WRONG])
def test_wrong_input(arguments, reason, capsys, tmp_path, monkeypatch):
    """Wrong input exits 2 with one line on stderr, and no file is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()

    assert main(["report", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert reason in captured.err
    assert [path.name for path in tmp_path.rglob("*")] == ["folder.html"]


def test_nothing_half_done(tmp_path):
    """A failed command leaves the old file unchanged and no other file behind."""
    file = tmp_path / "report.html"
    file.write_text("old", "utf-8")

    with pytest.raises(KeyboardInterrupt), shell.atomic_output(file):
        raise KeyboardInterrupt
    assert file.read_text("utf-8") == "old"
    file.unlink()
    file.mkdir()
    with pytest.raises(NotationError, match="cannot write"):
        shell._write_whole(tmp_path / "part", file, b"new")
    (tmp_path / "part").unlink()
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("missing", "arguments"),
    [
        ("jinja2", ["-o", "r.html"]),
        ("matplotlib", ["-o", "r.pdf"]),
        ("typst", ["-o", "r.pdf"]),
        ("typst", ["-o", "r.svg", "--rack-card"]),
    ],
)
def test_missing_extra(missing, arguments, capsys, tmp_path, monkeypatch):
    """A missing package of the report extra is named, with the command to install it."""
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.chdir(tmp_path)

    assert main(["report", "roll-your-own", *arguments]) == 2
    line = f"a report needs {missing}, which is not installed: pip install 'pitboss[report]'"
    assert capsys.readouterr().err == f"pitboss: {line}\n"
    assert list(tmp_path.iterdir()) == []


def test_missing_numpy():
    """Without numpy the data cannot be computed, and the same message is shown."""
    code = (
        "import sys; sys.modules['numpy'] = None; from pitboss.cli import main, reporting;"
        "sys.exit(main(['report', 'roll-your-own', '--json']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pitboss: a report needs numpy, which is not installed")


def test_another_missing_module_is_a_fault():
    """A missing module outside the extra is an ordinary error."""
    with pytest.raises(ModuleNotFoundError), needing("report", "a report"):
        raise ModuleNotFoundError(name="pitboss.nothing")


@pytest.mark.usefixtures("at_once")
def test_a_link_stays_a_link(tmp_path):
    """A report written through a link replaces the target of the link."""
    (tmp_path / "real.json").write_text("", "utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")

    assert main(["report", "roll-your-own", "-o", str(tmp_path / "link.json")]) == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text("utf-8"))["game"] == "roll-your-own"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--rack-card", "--json"], "leave out --json"),
        (["-o", "r.json", "--simulate", "999"], "use at least 1,000 rounds"),
    ],
)
def test_what_does_not_go_together(arguments, reason, capsys):
    """A card as JSON, or a simulation of too few rounds, is rejected with one line."""
    assert main(["report", "toss-one-21", *arguments]) == 2

    assert reason in capsys.readouterr().err
