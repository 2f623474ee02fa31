"""The report, the rack card and the check of blackjack."""

import json
import re

import pytest

from pitboss import analysis, report
from pitboss.analysis.report import Plan, report_data
from pitboss.cli import main
from pitboss.cli.shell import read_limits
from pitboss.games.blackjack import GAME, presolved
from pitboss.games.blackjack.figures import side_bets_alone
from pitboss.jurisdictions import WASHINGTON_2023, Verdict, check
from pitboss.report.blocks import flatten
from pitboss.report.card import card
from pitboss.report.elements import TITLES
from pitboss.report.plots import plots
from pitboss.report.sections import document
from pitboss.report.text import decimal, percent
from pitboss.tables.limits import Limit

pytestmark = pytest.mark.xdist_group("figures")  # a game is solved once for all tests

STAKES = dict(GAME.usual_stakes)


def build(*changes, preset="six-deck-s17"):
    plan = Plan(limits=read_limits(GAME, ("main=10..300",)), stakes=STAKES)
    return report_data(GAME, GAME.presets[preset].changed(*changes), plan)


@pytest.fixture(scope="module")
def data():
    return build()


@pytest.fixture(scope="module")
def sides_only():
    """Blackjack where Numba is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis.report, "analyze", lambda _, rules, **__: side_bets_alone(rules))
        return build()


def words(data, section):
    found = next(s for s in document(data)["sections"] if s["id"] == section)
    return json.dumps(list(flatten(found["blocks"])), ensure_ascii=False)


@pytest.mark.parametrize("name", ["data", "sides_only"])
def test_sections(name, request):
    """The report has every section, with and without the solver."""
    page = report.render_html(request.getfixturevalue(name)).decode()

    for number, (key, title) in enumerate(TITLES.items(), 1):
        assert f'id="{key}"' in page, (number, title)
    assert "None" not in re.sub(r"<(style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)


def test_main_comes_first(data):
    """The outcome tables start with Main, then come the side bets with their check sums."""
    text = words(data, "outcomes")
    places = [text.index(f'"{name}"') for name in ("Main", "Perfect Pairs", "21+3", "Lucky Ladies")]

    assert places == sorted(places)
    assert "C(312, 2) × C(310, 2) is 2,323,673,820" in text
    assert "C(312, 3) is 5,013,320" in text


def test_summary(data):
    """The summary has the edges of all four bets."""
    text = words(data, "summary")

    for figures in data["bets"].values():
        assert percent(figures["house_edge"]) in text
    assert "GLI-19" in words(build("decks=1"), "summary")  # side bets that return little


def test_rules_worth(data):
    """Each switched setting has its difference in the table, and the reasons are given."""
    text = words(data, "sensitivity")

    for row in data["rules_worth"]:
        assert f"{row['setting']}={row['value']}" in text
        assert decimal(row["ev"], 9, sign=True) in text
    assert "fewer than a third of the unseen cards are tens" in text


def test_method_names_the_splits(data):
    """The method says for which play and how many splits the values are exact."""
    assert "3 splits" in words(data, "method")
    assert data["bets"]["main"]["splits"]["about"] in words(data, "method")


def test_package_and_exposed_cards(data):
    """The correlations and the value of exposed cards are in the report."""
    assert "Main and Lucky Ladies" in words(data, "package")
    for rows in data["exposed"].values():
        for row in rows:
            assert decimal(row["main"], 4, sign=True) in words(data, "advantage")


def test_without_the_solver(sides_only):
    """Without the solver, the parts about Main say that they are not computed."""
    for section in ("method", "outcomes", "strategy", "simulation", "package", "advantage"):
        assert "ot computed here" in words(sides_only, section)
    assert '"rules in force"' not in words(sides_only, "sensitivity")
    assert "by-up-card" not in plots(sides_only)
    assert card(sides_only)["odds"][0][:2] == ["Main", "not computed here"]


def test_unsolved_rules(sides_only):
    """A rule whose value is not computed has an empty row."""
    rows = [row | {"ev": None, "difference": None} for row in sides_only["rules_worth"]]

    assert "not computed here" in words(sides_only | {"rules_worth": rows}, "sensitivity")


def test_plots(data):
    """Every figure has a plot and says in words what it shows."""
    sections = document(data)["sections"]
    figures = [b for s in sections for b in flatten(s["blocks"]) if b["kind"] == "figure"]

    assert {figure["name"] for figure in figures} == set(plots(data))
    assert {"by-up-card", "rules-worth", "other-bets-by-decks", "house-day"} <= set(plots(data))
    assert all(len(figure["alt"]) > 80 for figure in figures)


def test_operations_and_limits(data):
    """The limits have Main too, and the win per round is that of the stakes."""
    assert [row["bet"] for row in data["limits"]] == [*data["bets"]]
    assert "$10" in words(data, "limits")
    win = -sum(stake * (-data["bets"][bet]["house_edge"]) for bet, stake in STAKES.items())
    assert data["operations"]["win_per_round"] == pytest.approx(win)
    assert "exact chances of the side bets" in words(data, "operations")


def test_same_bytes(data):
    """The same data gives the same bytes, in every form."""
    again = json.loads(report.render_json(data))

    assert again == json.loads(json.dumps(data))
    assert report.render_html(again) == report.render_html(data)
    assert report.render_pdf(again) == report.render_pdf(data)
    assert report.render_card(again, "svg") == report.render_card(data, "svg")


def test_player_edge_is_reported():
    """Rules that favor the player are reported, with the reason; a free table is one."""
    with_edge = build("decks=1", "hit_split_aces=yes", "resplit_aces=yes")
    text = json.dumps(document(with_edge)["warnings"])

    assert with_edge["bets"]["main"]["house_edge"] < 0
    assert "The rules decide the edge of Main" in text
    assert "The player has the edge" in text
    sided = with_edge | {"bets": with_edge["bets"] | {"main": None}}
    sided["bets"]["21+3"] = sided["bets"]["21+3"] | {"house_edge": -0.01}
    assert "The rules decide the edge of Main" not in json.dumps(document(sided)["warnings"])


# --- the rack card


def test_card(data):
    """The card has six steps, four tables, the odds and the limits of every bet."""
    content = card(data)

    assert len(content["steps"]) == 6
    assert [table["title"] for table in content["tables"]] == [*GAME.stakes.values()]
    assert content["odds"][0][:2] == ["Main", "0.40%"]
    assert content["limits"][0] == ["Main", "$10 to $300"]
    assert ["insurance", "2 to 1"] in content["tables"][0]["rows"]
    assert report.render_card(data, "svg").startswith(b"<svg ")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (["soft_17=hit"], "hits soft 17"),
        (["max_splits=0"], "Pairs are not split."),
        (["max_splits=1", "hit_split_aces=yes"], 'up to 2 hands."'),
        (["resplit_aces=yes"], "Split aces get one card each."),
        (["surrender=late"], "give up your first two cards"),
        (["double=9-11", "double_after_split=no"], "Double on a hard 9, 10 or 11, not after a"),
        (["hole_card=no_peek"], "takes every bet, doubles and splits too"),
        (["hole_card=original_bets_only"], "takes only the original bet"),
        (["insurance=no"], 'beats all hands but a blackjack."'),
    ],
)
def test_card_of_other_rules(data, changes, text):
    """The steps say what the rules in force are."""
    rules = GAME.presets["six-deck-s17"].changed(*changes).as_json()

    assert text in json.dumps(card(data | {"rules": rules})["steps"])


# --- the check


def test_check():
    """The wagers after the deal are checked: insurance is half of Main, raises go to four hands."""
    found = check(
        GAME,
        GAME.presets["washington"],
        jurisdiction=WASHINGTON_2023,
        limits=dict.fromkeys(GAME.stakes, Limit(500, 40_000)),
    )
    topics = {finding.topic: finding for finding in found}

    assert topics["wager on insurance"].verdict is Verdict.PASS
    assert "half of the Main bet, is $200" in topics["wager on insurance"].detail
    assert "may bring one bet to $3,200" in topics["doubles and splits"].detail
    assert topics["separate games"].detail.startswith("one hand plays 4 games")
    assert topics["approval"].verdict is Verdict.FAIL


def test_check_without_insurance(capsys):
    """A table without insurance or splits has no such findings, and one double."""
    command = ["check", "blackjack", "--jurisdiction", "washington-2023", "--json"]
    changes = ["--set", "insurance=no", "--set", "max_splits=0", "--limit", "main=5..300"]

    assert main([*command, *changes]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert not [f for f in findings if "insurance" in f["topic"]]
    (raises,) = [f for f in findings if f["topic"] == "doubles and splits"]
    assert "may bring one bet to $600" in raises["detail"]


# --- the command


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (["-o", "r.html"], b"<!DOCTYPE html>"),
        (["-o", "r.json"], b"{\n"),
        (["-o", "card.pdf", "--rack-card"], b"%PDF-"),
    ],
)
def test_writes(arguments, start, tmp_path, capsys, monkeypatch):
    """The report and the rack card are written, and the command names the file."""
    monkeypatch.chdir(tmp_path)

    assert main(["report", "blackjack", "--preset", "six-deck-s17", *arguments]) == 0
    (written,) = tmp_path.iterdir()
    assert written.read_bytes().startswith(start)
    assert capsys.readouterr().out == f"wrote {written.name}\n"


def test_says_what_is_missing(capsys, monkeypatch):
    """Without the solver the command says in one line what to install."""
    monkeypatch.setattr(analysis.report, "analyze", lambda _, rules, **__: side_bets_alone(rules))

    assert main(["report", "blackjack", "--json"]) == 0
    assert capsys.readouterr().err == f"pitboss: {presolved.NEEDS_KERNELS}\n"
