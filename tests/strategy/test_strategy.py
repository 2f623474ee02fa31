"""The strategy card: its costs can be recomputed, and its chart shows the best plays."""

import json
import sys
from fractions import Fraction
from html.parser import HTMLParser
from itertools import combinations_with_replacement, pairwise
from math import comb
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.ft2font import FT2Font, LoadFlags

from pitboss.cli import main
from pitboss.core.cards import DECK
from pitboss.games import GAMES
from pitboss.games.roll_your_own import Rules
from pitboss.games.roll_your_own.absent import HOUSE_WAY
from pitboss.games.roll_your_own.card.data import insurance_json
from pitboss.games.roll_your_own.card.lists import UPS, Feature, Kind, Rule
from pitboss.games.roll_your_own.card.playing import CODES, LATER, Column, Group, Row, row_of
from pitboss.games.roll_your_own.card.setting import (
    AIM,
    MOST_LINES,
    STAKE,
    Rung,
    Starts,
    chosen,
    ladder,
)
from pitboss.games.roll_your_own.card.words import full, short
from pitboss.games.roll_your_own.solver import Solver
from pitboss.solver.tables import best_total
from pitboss.strategy import render_html, render_svg, render_text, strategy_card
from pitboss.strategy.widths import BOLD, EM, REGULAR
from tests.parts import games_with, keys_with

ROLL, TOSS = GAMES["roll-your-own"], GAMES["toss-one-21"]
COST = {"units", "of_stake"}

pytestmark = pytest.mark.xdist_group("strategy")  # solving takes seconds: once, not once a worker


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cards")


@pytest.fixture(scope="module")
def card(folder):
    """Return the card of the default rules, as the command writes it."""
    path = folder / "card.json"
    assert main(["strategy", "roll-your-own", "-o", str(path)]) == 0
    return json.loads(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def solved():
    solver = Solver(Rules())
    return solver, solver.solve_game()


@pytest.fixture(scope="module")
def rungs(solved):
    return ladder(Starts.of(*solved))


@pytest.fixture(scope="module")
def other():
    """Return the card of other rules: no splits, no peek, a dealer who stands on soft 17."""
    rules = Rules().changed("max_splits=0", "hole_card=no_peek", "soft_17=stand")
    solver = Solver(rules)
    return solver, ladder(Starts.of(solver, solver.solve_game()))


@pytest.fixture(scope="module")
def cards(card):
    """The cards of all games under the default rules."""
    games = [game for game in games_with("card") if game is not ROLL]
    return {game.key: strategy_card(game, game.rules()) for game in games} | {ROLL.key: card}


# --- setting


def brute(solved, rules):
    """Add up the loss of a list, start by start, in the simplest way."""
    solver, game = solved
    lost = 0.0
    for up_card in game.up_cards:
        for solution in up_card.starts:
            if not solution.ways:
                continue
            alone = next(
                (
                    solution.own[rule.feature.pick(solution.own)]
                    for rule in rules
                    if up_card.up in rule.ups and rule.feature.pick(solution.own) >= 0
                ),
            )
            way = next(w for w in solution.ways if w.second == (alone,))
            deals = solver.ways(up_card.up, solution.own)
            lost += up_card.chance * deals / comb(51, 3) * (solution.ev - way.ev)
    return lost


def test_costs(solved, rungs):
    """The cost of each list is the sum of its losses over all starts."""
    for rung in rungs:
        assert rung.cost == pytest.approx(brute(solved, rung.rules), abs=1e-12)


def test_ladder(rungs):
    """Each list is one line longer and costs less, and its last line fits all starts."""
    assert [rung.lines for rung in rungs] == list(range(1, len(rungs) + 1))
    costs = [rung.cost for rung in rungs]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) == len(costs)
    for rung in rungs:
        assert rung.rules[-1].feature.kind in {Kind.HIGHEST_ALONE, Kind.LOWEST_ALONE}
        assert rung.rules[-1].is_for_all


def test_aim(rungs):
    """A dozen lines cost under 0.02 % of the stake, and the card has the shortest such list."""
    rung = chosen(rungs)

    assert rung.lines <= MOST_LINES
    assert rung.cost / STAKE < AIM == 0.0002
    assert all(shorter.of_stake >= AIM for shorter in rungs[: rung.lines - 1])
    assert chosen(rungs[:3]) is rungs[2]


def test_house_way(rungs):
    """The house sets according to the card of the default rules."""
    assert chosen(rungs).rules == HOUSE_WAY


def test_every_line_earns_its_place(solved, rungs):
    """Without any one of its lines, a list costs more."""
    rules = chosen(rungs).rules
    for index in range(len(rules) - 1):
        assert brute(solved, rules[:index] + rules[index + 1 :]) > chosen(rungs).cost


@pytest.mark.parametrize(
    ("feature", "own", "pick"),
    [
        (Feature(Kind.TOGETHER, 1, 10), (1, 7, 10), 1),
        (Feature(Kind.TOGETHER, 1, 10), (1, 7, 9), -1),
        (Feature(Kind.TOGETHER, 8, 8), (8, 8, 8), 2),
        (Feature(Kind.HARD, 8, 11), (2, 8, 9), 1),  # 11, not 10
        (Feature(Kind.HARD, 8, 11), (1, 7, 9), -1),  # an ace is in no total
        (Feature(Kind.HARD, 20, 20), (10, 10, 10), 2),
        (Feature(Kind.SOFT, 8, 9), (1, 8, 9), 1),
        (Feature(Kind.SOFT, 8, 9), (1, 1, 7), -1),
        (Feature(Kind.PAIRS, 2, 9), (1, 1, 4), -1),
        (Feature(Kind.PAIRS, 2, 9), (4, 4, 10), 2),
        (Feature(Kind.ALONE, 6, 6), (2, 6, 9), 1),
        (Feature(Kind.ALONE, 6, 6), (2, 7, 9), -1),
        (Feature(Kind.HIGHEST_ALONE), (1, 6, 10), 0),
        (Feature(Kind.LOWEST_ALONE), (1, 6, 10), 1),
    ],
)
def test_features(feature, own, pick):
    """A rule leaves the right card alone, or does not apply."""
    assert feature.pick(own) == pick


def against(first, last):
    return UPS.index(first), UPS.index(last)


@pytest.mark.parametrize(
    ("rule", "text", "code"),
    [
        (Rule(Feature(Kind.TOGETHER, 1, 10)), "Make a blackjack: put ace and 10 together.", "A-10"),
        (
            Rule(Feature(Kind.TOGETHER, 1, 9), *against(2, 10)),
            "Put ace and 9 together, but not against an ace.",
            "A-9 v 2-10",
        ),
        (Rule(Feature(Kind.TOGETHER, 1, 1)), "Keep two aces together.", "A-A"),
        (
            Rule(Feature(Kind.TOGETHER, 9, 9), *against(8, 8)),
            "Keep two 9s together against an 8.",
            "9-9 v 8",
        ),
        (
            Rule(Feature(Kind.PAIRS, 2, 9), *against(2, 8)),
            "Keep a pair of 2s to 9s together against 2 to 8.",
            "pairs 2-9 v 2-8",
        ),
        (Rule(Feature(Kind.PAIRS, 2, 10)), "Keep any pair but aces together.", "pairs 2-10"),
        (Rule(Feature(Kind.HARD, 7, 7)), "Make 7.", "total 7"),
        (
            Rule(Feature(Kind.HARD, 9, 11), *against(9, 1)),
            "Make 11, 10 or 9 (the highest you can) against 9, 10 or ace.",
            "total 11-9 v 9-A",
        ),
        (
            Rule(Feature(Kind.SOFT, 8, 9)),
            "Put an ace with 9 or 8 (the highest you can).",
            "A with 9-8",
        ),
        (
            Rule(Feature(Kind.ALONE, 10, 10), *against(3, 1)),
            "Leave a 10 alone, but not against a 2.",
            "10 alone v 3-A",
        ),
    ],
)
def test_words(rule, text, code):
    """The rules are worded as a dealer would say them."""
    assert full(rule) == text
    assert short(rule) == code


# --- playing


@pytest.mark.parametrize(
    ("kind", "row", "up", "code"),
    [
        ("hard", "11", "6", "Dh"),
        ("hard", "16", "T", "H"),
        ("hard", "16", "6", "S"),
        ("hard", "20", "A", "S"),
        ("soft", "18", "6", "Ds"),
        ("soft", "18", "9", "H"),
        ("pair", "8", "6", "P"),
        ("pair", "A", "T", "P"),
        ("pair", "T", "6", "S"),
        ("pair", "5", "6", "Dh"),
    ],
)
def test_chart(card, kind, row, up, code):
    """The chart agrees with common single-deck charts."""
    chart = card["playing"]["chart"]
    assert chart[kind][row][chart["up_cards"].index(up)] == code


@pytest.fixture(scope="module")
def column(solved, rungs):
    return Column(solved[0], chosen(rungs), 6)


@pytest.mark.long
def test_cells_are_the_best_plays(column):
    """A cell has the play with the highest value over its first decisions."""
    codes = column.codes()
    sums = {}
    for own, (two, (one,)), weight in column.starts:
        drawn = [(v, column.engine.chance(own, v)) for v in range(1, 11)]
        hands = [(own, two, weight)]
        hands += [((*own, v), tuple(sorted((one, v))), weight * p) for v, p in drawn if p > 0]
        for seen, hand, often in hands:
            if best_total(hand)[0] < 21:
                options = column.engine.options(seen, hand, column.play)
                found = sums.setdefault(row_of(hand), {})
                for play, value in options.items():
                    found[play] = found.get(play, 0.0) + often * value
    assert len(sums) == 33  # hard 5 to 19, soft 13 to 20, ten pairs
    for row, found in sums.items():
        assert CODES[codes[row]] == max(found, key=found.get), row


def follow(column, codes, seen, cards):
    """Return the value of a hand that is played by the chart, by plain recursion."""
    total, _ = best_total(cards)
    if total > 21:
        return -1.0
    codes_now = CODES if len(cards) == 2 else LATER
    play = codes_now[codes[row_of(cards, splits=False)]] if total < 21 else "stand"
    if play == "stand":
        return column.engine.stand(seen, total)
    worth = 0.0
    for value in range(1, 11):
        chance = column.engine.chance(seen, value)
        if chance > 0:
            grown, more = (*cards, value), (*seen, value)
            if play == "double" and best_total(grown)[0] <= 21:
                worth += chance * column.engine.stand(more, best_total(grown)[0])
            else:
                worth += chance * follow(column, codes, more, grown)
    return 2 * worth if play == "double" else worth


@pytest.mark.long
@pytest.mark.parametrize(("own", "hand"), [((5, 9, 10), (9, 10)), ((2, 5, 8), (2, 8))])
def test_a_hand_played_by_the_chart(column, own, hand):
    """The value of a hand under the chart equals that of playing it out."""
    codes = column.codes()
    start, split, pairs = column.policies(codes, {})

    assert column.worth(own, hand, start, split, pairs) == pytest.approx(
        follow(column, codes, own, hand), abs=1e-12
    )


@pytest.mark.long
def test_a_chart_costs_something(solved, rungs, column):
    """The chart costs a little; any other play in a cell that is not close costs more."""
    codes = column.codes()
    cost = column.cost(codes)

    assert 0 < cost < 0.001
    for row, code in [(("hard", 15), "H"), (("hard", 9), "H"), (("pair", 8), "S")]:
        assert column.cost(codes | {Row(*row): code}) > cost + 1e-6
    assert column.cost(codes, {Group(Row("hard", 14)): "hit"}) > cost


@pytest.mark.long
def test_exceptions_gain_what_they_say(column):
    """An exception lowers the cost of the chart by its gain."""
    codes = column.codes()
    (apart,) = column.exceptions(codes)

    assert apart.group == Group(Row("hard", 8), (2, 6))
    assert (apart.up, apart.play, apart.instead_of) == (6, "hit", "double")
    told = {apart.group: apart.play}
    assert column.cost(codes, told) == pytest.approx(column.cost(codes) - apart.gain, abs=1e-15)


def test_starts_are_weighted(solved, rungs):
    """The probabilities of all starts, played or ended by a blackjack, add up to one."""
    solver, _ = solved
    rung = chosen(rungs)
    played = sum(w for up in (2, 6) for *_, w in Column(solver, rung, up).starts)
    blackjacks = 6 * 16 + 4 * comb(16, 2)  # of C(51, 3) deals, with a 2 or a 6 up
    assert played == pytest.approx(2 / 13 * (1 - blackjacks / comb(51, 3)), abs=1e-12)


# --- other rules


@pytest.mark.long
def test_other_rules(other):
    """The search works for other rules; without splits, a pair is played as its total."""
    solver, rungs = other
    column = Column(solver, chosen(rungs), 1)
    codes = column.codes()

    assert rungs[-1].cost < rungs[0].cost
    assert chosen(rungs).of_stake < AIM
    assert {row.kind for row in codes} == {"hard", "soft"}
    assert codes[Row("soft", 12)] == "H"
    assert codes[Row("hard", 16)] == "H"
    assert column.cost(codes) > 0


def test_no_double_after_split():
    """Without doubling after a split, split hands use the play for when doubling is not allowed."""
    rules = Rules().changed("double_after_split=no", "max_splits=1", "insurance=off")
    rung = Rung((Rule(Feature(Kind.HIGHEST_ALONE)),), 0.0)
    solver = Solver(rules)
    column = Column(solver, rung, 5)
    codes = column.codes()
    told = {Group(Row("hard", 12), (2, 10)): "hit", Group(Row("hard", 8), (3, 5)): "double"}
    start, split, pairs = column.policies(codes, told)

    assert 2 not in split
    assert 2 in start
    assert pairs[8] == 1
    assert column.cost(codes) > 0
    assert insurance_json(solver)["best"] is None

    del column.firsts[Row("soft", 17)]
    assert column.codes()[Row("soft", 17)] == "H"  # played out both ways where nothing is known


# --- forms


def test_the_command_gives_the_library_s_card(card, rungs):
    """The command writes the card of the library, the same each time."""
    assert card["setting"]["cost"]["units"] == chosen(rungs).cost
    assert [r["cost"]["units"] for r in card["setting"]["ladder"]] == [r.cost for r in rungs]
    assert [line["text"] for line in card["setting"]["lines"]] == [
        full(rule) for rule in chosen(rungs).rules
    ]


def test_json(card, solved):
    """The JSON has every part, and its costs add up."""
    assert set(card) == {
        "game", "name", "rules", "changes", "digest", "memory", "stake", "ev", "setting",
        "playing", "insurance", "costs",
    }  # fmt: skip
    assert card["rules"] == Rules().as_json()
    assert card["digest"] == Rules().digest()
    assert card["ev"]["best"] == solved[1].ev
    costs = card["costs"]
    assert all(set(cost) == COST for cost in costs.values())
    assert costs["together"]["units"] == costs["setting"]["units"] + costs["playing"]["units"]
    apart = costs["together_with_exceptions"]
    assert card["ev"]["card"] == card["ev"]["best"] - apart["units"]
    assert apart["of_stake"] == apart["units"] / 3
    assert 0 < costs["playing_with_exceptions"]["units"] < costs["playing"]["units"] < 0.002
    chart = card["playing"]["chart"]
    assert chart["up_cards"] == ["2", "3", "4", "5", "6", "7", "8", "9", "T", "A"]
    cells = [
        code for kind in ("hard", "soft", "pair") for row in chart[kind].values() for code in row
    ]
    assert set(cells) == set(CODES)
    assert len(cells) == 10 * (17 + 8 + 10)
    assert list(chart["pair"]) == ["A", *"23456789", "T"]
    for line in card["setting"]["lines"]:
        assert set(line) == {"text", "short", "kind", "low", "high", "against"}
    (best, *_) = card["playing"]["exceptions"]
    assert (best["hands"], best["up"]) == ("16 of three or more cards", "T")
    assert card["insurance"]["best"] == pytest.approx(0, abs=1e-12)


def test_text(card):
    """The text has every line of the list, every rung and the chart, and no line is too long."""
    text = render_text(card)

    for rule in card["setting"]["lines"]:
        assert rule["text"] in text
    for rung in card["setting"]["ladder"]:
        assert f"{100 * rung['cost']['of_stake']:.5f}" in text
    assert "16 of three or more cards against 10: stand, not hit" in text
    assert max(map(len, text.splitlines())) <= 92
    assert "\x1b" not in text


class Tags(HTMLParser):
    """Checks that tags are closed in order, and collects the text."""

    def __init__(self):
        super().__init__()
        self.open, self.words, self.heads = [], "", []

    def handle_starttag(self, tag, attrs):
        if tag == "th":
            self.heads.append(dict(attrs).get("scope"))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


@pytest.mark.parametrize("name", keys_with("card"))
def test_html(name, cards):
    """The page is well formed, with a language and a title; every header cell has a scope."""
    data = cards[name]
    page = render_html(data)
    tags = Tags()
    tags.feed(page)

    assert tags.open == []
    assert '<html lang="en">' in page
    assert f"<title>{data['name']}: strategy card</title>" in page
    assert set(tags.heads) <= {"col", "row"}
    assert "http" not in page
    wanted = [r["text"] for r in data["setting"]["lines"]] if name == ROLL.key else []
    for words in [*wanted, data["digest"][:16]]:
        assert words in tags.words


@pytest.mark.parametrize("name", keys_with("card"))
def test_svg(name, cards):
    """The SVG is well-formed XML of the size of a sheet, and nothing lies outside it."""
    data = cards[name]
    root = ET.fromstring(render_svg(data))  # noqa: S314  our own

    _, _, wide, high = map(float, root.attrib["viewBox"].split())
    assert (wide, high) == (794, 1123)
    for shape in root.iter():
        if "y" in shape.attrib:
            assert 0 <= float(shape.attrib["x"]) <= wide - 40
            assert 0 <= float(shape.attrib["y"]) <= high - 40
    words = " ".join(shape.text or "" for shape in root.iter())
    assert data["digest"][:16] in words
    for row in data.get("playing", {}).get("exceptions", []):
        assert row["hands"] in words


FAMILIES = [("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"), ("STIXGeneral.ttf", "STIXGeneralBol.ttf")]
"""A wide and a narrow family that come with matplotlib: the same on every machine."""


def extents(svg, family):
    """Return the baseline, left end, right end and text of each text in an SVG."""
    fonts = [FT2Font(Path(mpl.get_data_path(), "fonts", "ttf", name)) for name in family]
    found = []
    for shape in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):  # noqa: S314
        of = shape.attrib
        font = fonts["font-weight" in of]
        flags = LoadFlags.NO_SCALE | LoadFlags.NO_HINTING
        ems = sum(font.load_char(ord(c), flags).horiAdvance for c in shape.text) / font.units_per_EM
        wide = ems * float(of["font-size"])
        left = (
            float(of["x"])
            - {"start": 0, "middle": 0.5, "end": 1}[of.get("text-anchor", "start")] * wide
        )
        found.append((float(of["y"]), left, left + wide, shape.text))
    return sorted(found)


@pytest.mark.parametrize("family", FAMILIES, ids=["wide", "narrow"])
@pytest.mark.parametrize("name", [*keys_with("card"), "long_card"])
def test_svg_fits_with_any_font(name, family, cards, long_card):
    """With a wide and with a narrow font, texts stay within the margins and do not touch."""
    found = extents(render_svg((cards | {"long_card": long_card})[name]), family)

    for _, left, right, text in found:
        assert left >= 44 - 1, text
        assert right <= 750 + 1, text
    for (y, _, end, one), (other_y, start, _, other) in pairwise(found):
        assert y != other_y or end < start, (one, other)


@pytest.fixture(scope="module")
def long_card(card):
    """A card with long lines: a rule that wraps, and a pay table among the changes."""
    long = "Put an ace with 9, 8, 7 or 6 (the highest you can), but not against a 2, for all that."
    lines = [line | {"text": long} for line in card["setting"]["lines"]]
    table = json.dumps([{"on": ["flush"], "pays": f"{n}:1"} for n in range(20)], separators=",:")
    changes = [f"bonus_paytable={table}", "one_card_vs_dealer_blackjack=loses"]
    return card | {"changes": changes, "setting": card["setting"] | {"lines": lines}}


def test_widths_are_those_of_the_font():
    """Lines are wrapped with the widths of DejaVu Sans."""
    for name, widths in zip(FAMILIES[0], (REGULAR, BOLD), strict=True):
        font = FT2Font(Path(mpl.get_data_path(), "fonts", "ttf", name))
        flags = LoadFlags.NO_SCALE | LoadFlags.NO_HINTING
        assert font.units_per_EM == EM
        assert widths == tuple(font.load_char(c, flags).horiAdvance for c in range(32, 127))


def test_insurance_alone(solved):
    """Alone, insurance never gains: without a 10 it breaks even, and each 10 costs 1/16."""
    for own in combinations_with_replacement(range(1, 11), 3):
        assert solved[0].insurance(own) == pytest.approx(-own.count(10) / 16, abs=1e-12)


@given(st.randoms(use_true_random=False), st.integers(0, 6))
def test_insurance_with_other_packs(random, others):
    """With other packs in sight, insurance gains if there are fewer 10s than other packs."""
    deck = [card.value for card in DECK]
    deck.remove(1)  # the dealer's
    random.shuffle(deck)
    seen = tuple(deck[: 3 * (others + 1)])
    worth = Solver(Rules()).insurance(seen)

    assert worth == pytest.approx((others - seen.count(10)) / (16 - others), abs=1e-12)


def test_insurance_at_a_full_table():
    """At a full table, insuring by the card is worth the 0.0030 units a round in the docs."""
    gain = sum(
        Fraction(comb(16, tens) * comb(35, 21 - tens), comb(51, 21)) * Fraction(6 - tens, 10)
        for tens in range(6)
    )

    assert round(float(gain / 13), 4) == 0.0030  # one up card in 13 is an ace


def test_insurance_text(card):
    """Every format of the card says when to insure, alone and with other packs."""
    text = card["insurance"]["text"]

    assert text.startswith("Insurance: never when you play alone; at best it is even.")
    assert "fewer 10s than other packs" in text
    assert text in " ".join(render_text(card).split())
    assert text in render_html(card)
    words = [t for *_, t in extents(render_svg(card), FAMILIES[0])]
    assert text in " ".join(words)


def test_charts_of_other_rules(card):
    """Without pairs the chart has no pair rows, and a long chart makes the sheet longer."""
    chart = card["playing"]["chart"]
    rows = {
        "hard": {str(n): [list(CODES)[(n + k) % 4] for k in range(10)] for n in range(4, 21)},
        "soft": {str(n): [list(CODES)[(n + k) % 4] for k in range(10)] for n in range(12, 21)},
    }
    setting = card["setting"] | {"aim_met": False}
    playing = card["playing"] | {"exceptions": [], "chart": chart | rows | {"pair": {}}}
    data = card | {"playing": playing, "setting": setting, "changes": ["max_splits=0"]}

    assert "Pairs" not in render_text(data)
    assert "not under the aim" in render_text(data)
    assert "No exception by two cards" in render_text(data)
    assert "the defaults with max_splits=0" in render_html(data)
    assert float(ET.fromstring(render_svg(data)).attrib["viewBox"].split()[3]) > 1123  # noqa: S314


@pytest.mark.parametrize("render", [render_text, render_svg, render_html])
@pytest.mark.parametrize("name", keys_with("card"))
def test_same_bytes(render, name, cards):
    """The same data makes the same bytes."""
    data = cards[name]
    assert render(data) == render(json.loads(json.dumps(data)))


# --- the command


def test_endings(tmp_path, capsys):
    """The file extension selects the format; each format is written, the same each time."""
    for ending in ("txt", "svg", "html", "json"):
        first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending.upper()}"
        for path in (first, second):
            assert main(["strategy", "toss-one-21", "-o", str(path)]) == 0
            assert capsys.readouterr().out == f"wrote {path}\n"
        assert first.read_bytes() == second.read_bytes() != b""
    assert len(list(tmp_path.iterdir())) == 8


def test_stdout(capsys):
    """Without a file the text is printed, or JSON."""
    assert main(["strategy", "toss-one-21"]) == 0
    assert capsys.readouterr().out == render_text(strategy_card(TOSS, TOSS.rules()))
    assert main(["strategy", "toss-one-21", "--set", "lucky3_paytable=1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["rules"]["lucky3_paytable"] == 1
    assert data["changes"] == ["lucky3_paytable=1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["toss-one-21", "-o", "card.pdf"], "ends in .txt, .svg, .html or .json"),
        (["toss-one-21", "-o", "card"], "cannot write 'card'"),
        (["toss-one-21", "-o", "no/such/card.svg"], "cannot write"),
        (["poker"], "no game"),
        (["roll-your-own", "--set", "max_splits=9"], "max_splits"),
        (["roll-your-own", "--preset", "mine"], "no preset"),
    ],
)
def test_errors(arguments, said, capsys):
    """Each error is reported in one line, before any work."""
    assert main(["strategy", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["numba", "numpy", "platformdirs"])
def test_without_the_solver(name, capsys, monkeypatch):
    """If the solver's packages are missing, the command says what to install."""
    roll = "pitboss.games.roll_your_own"
    solving = ("pitboss.kernels", "pitboss.solver", f"{roll}.kernels", f"{roll}.solver")
    solving += (f"{roll}.card.",)
    for module in [m for m in sys.modules if m.startswith(solving)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)

    assert main(["strategy", "roll-your-own"]) == 2
    assert "pip install 'pitboss[kernels]'" in capsys.readouterr().err
