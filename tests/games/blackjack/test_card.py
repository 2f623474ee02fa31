"""The strategy card of blackjack: the published charts, its exact value, and its formats.

Sources of the charts, written here by up card as the first and last card of each play:

- three or more decks: Wikipedia, "Blackjack", basic strategy (S17, double after split, late
  surrender), with the five cells that it changes for H17;
- two decks: wizardofodds.com, blackjack appendix 3B (S17: 11 doubles against an ace, soft 18 hits
  an ace with two cards), and casinoblackjackplay.com (S17: the row A-7; H17: doubles A-8 against 6,
  A-7 against 2 and A-3 against 4). Both have the other cells only in pictures, so those cells are
  the usual double-deck chart, not checked against a printed source;
- one deck: S. Jacobs in the FAQ of rec.gambling.blackjack, B10 (H17, no double after split).
"""

from functools import cache

import pytest

from pitboss.games import blackjack
from pitboss.games.blackjack.solver import Solver
from pitboss.games.blackjack.solver.charts import Chart, Row
from pitboss.strategy import render_html, render_svg, render_text, strategy_card

GAME = blackjack.GAME
UPS = "23456789TA"


def row(text):
    """Return ten codes from a text such as ``H 2 | Dh 3-6 | H 7-A``, which names up cards."""
    cells = dict.fromkeys(UPS, None)
    for part in text.split("|"):
        code, ups = part.split()
        first, _, last = ups.partition("-")
        for up in UPS[UPS.index(first) : UPS.index(last or first) + 1]:
            cells[up] = code
    return list(cells.values())


MANY_HARD = {
    **dict.fromkeys(["4", "5", "6", "7", "8"], "H 2-A"),
    "9": "H 2 | Dh 3-6 | H 7-A",
    "10": "Dh 2-9 | H T-A",
    "11": "Dh 2-A",
    "12": "H 2-3 | S 4-6 | H 7-A",
    **dict.fromkeys(["13", "14", "15", "16"], "S 2-6 | H 7-A"),
    **dict.fromkeys(["17", "18", "19", "20"], "S 2-A"),
}
MANY_SOFT = {
    **dict.fromkeys(["13", "14"], "H 2-4 | Dh 5-6 | H 7-A"),
    **dict.fromkeys(["15", "16"], "H 2-3 | Dh 4-6 | H 7-A"),
    "17": "H 2 | Dh 3-6 | H 7-A",
    "18": "Ds 2-6 | S 7-8 | H 9-A",
    "19": "S 2-5 | Ds 6 | S 7-A",
    "20": "S 2-A",
}
MANY_PAIRS = {
    **dict.fromkeys(["2", "3"], "P 2-7 | H 8-A"),
    "4": "H 2-4 | P 5-6 | H 7-A",
    "5": "Dh 2-9 | H T-A",
    "6": "P 2-6 | H 7-A",
    "7": "P 2-7 | H 8-A",
    "8": "P 2-A",
    "9": "P 2-6 | S 7 | P 8-9 | S T-A",
    "T": "S 2-A",
    "A": "P 2-A",
}
SIX_DECKS_H17 = {"hard": MANY_HARD, "soft": MANY_SOFT, "pair": MANY_PAIRS}
SIX_DECKS_S17 = {
    "hard": MANY_HARD | {"11": "Dh 2-T | H A"},
    "soft": MANY_SOFT | {"18": "S 2 | Ds 3-6 | S 7-8 | H 9-A", "19": "S 2-A"},
    "pair": MANY_PAIRS,
}
TWO_DECK_PAIRS = MANY_PAIRS | {"6": "P 2-7 | H 8-A", "7": "P 2-8 | H 9-A"}
TWO_DECKS_H17 = {
    "hard": MANY_HARD | {"9": "Dh 2-6 | H 7-A"},
    "soft": MANY_SOFT | {"14": "H 2-3 | Dh 4-6 | H 7-A"},
    "pair": TWO_DECK_PAIRS,
}
TWO_DECKS_S17 = {
    "hard": MANY_HARD | {"9": "Dh 2-6 | H 7-A"},
    "soft": SIX_DECKS_S17["soft"],
    "pair": TWO_DECK_PAIRS,
}
ONE_DECK_H17 = {
    "hard": MANY_HARD | {"8": "H 2-4 | Dh 5-6 | H 7-A", "9": "Dh 2-6 | H 7-A"},
    "soft": {
        **dict.fromkeys(["13", "14", "15", "16"], "H 2-3 | Dh 4-6 | H 7-A"),
        "17": "Dh 2-6 | H 7-A",
        "18": "S 2 | Ds 3-6 | S 7-8 | H 9-A",
        "19": "S 2-5 | Ds 6 | S 7-A",
        "20": "S 2-A",
    },
    "pair": {
        "2": "H 2 | P 3-7 | H 8-A",
        "3": "H 2-3 | P 4-7 | H 8-A",
        "4": "H 2-4 | Dh 5-6 | H 7-A",
        "5": "Dh 2-9 | H T-A",
        "6": "P 2-6 | H 7-A",
        "7": "P 2-7 | H 8-9 | S T | H A",
        "8": "P 2-A",
        "9": "P 2-6 | S 7 | P 8-9 | S T-A",
        "T": "S 2-A",
        "A": "P 2-A",
    },
}

SEVENS = "the row of a pair that is not split is that of its total; for 7-7 the chart hits 14"
SIXES = (
    "with A-6 alone a hit is better by 0.0002 (H17) or 0.0006 (S17), as published; the chart also"
    " doubles the 6-A of split sixes, with one more 6 out of the shoe, and that is worth more"
)
LONGER = (
    "with A-7 alone a hit is better by 0.0001, as published; soft 18 of three or more cards, which"
    " wizardofodds.com lists as an exception of two decks, stands, and that is worth more"
)
CHARTS = {
    "6 decks, H17": ({"decks": 6}, SIX_DECKS_H17, {}),
    "8 decks, H17": ({"decks": 8}, SIX_DECKS_H17, {}),
    "6 decks, S17": ({"decks": 6, "soft_17": "stand"}, SIX_DECKS_S17, {}),
    "2 decks, H17": ({"decks": 2}, TWO_DECKS_H17, {("soft", "17", "2"): ("Dh", SIXES)}),
    "2 decks, S17": (
        {"decks": 2, "soft_17": "stand"},
        TWO_DECKS_S17,
        {("soft", "17", "2"): ("Dh", SIXES), ("soft", "18", "A"): ("S", LONGER)},
    ),
    "1 deck, H17, no DAS": (
        {"decks": 1, "double_after_split": False},
        ONE_DECK_H17,
        {("pair", "7", "T"): ("H", SEVENS)},
    ),
}


@cache
def card_of(**changes):
    return strategy_card(GAME, blackjack.Rules.from_json(changes))


@pytest.mark.parametrize("name", CHARTS)
def test_published_charts(name):
    """Every cell is that of the published chart, apart from the differences explained above."""
    changes, published, differences = CHARTS[name]
    chart = card_of(**changes)["chart"]
    found = {}
    for kind, rows in published.items():
        for number, text in rows.items():
            cells = zip(UPS, row(text), chart[kind][number], strict=True)
            found |= {(kind, number, up): ours for up, code, ours in cells if code != ours}
    assert found == {place: code for place, (code, _) in differences.items()}
    assert chart["surrender"] == {}


# --- surrender


@pytest.mark.parametrize(
    ("soft_17", "published"),
    [
        (
            "hit",
            {
                "15": "- 2-9 | R T-A",
                "16": "- 2-8 | R 9-A",
                "17": "- 2-T | R A",
                "8-8": "- 2-T | R A",
            },
        ),
        ("stand", {"15": "- 2-9 | R T | - A", "16": "- 2-8 | R 9-A", "8-8": "- 2-A"}),
    ],
)
def test_published_surrenders(soft_17, published):
    """The surrenders are those of the published chart for three or more decks.

    One cell of the totals differs from it: 16 against a ten stands. Two cards of 16 are
    surrendered, so the cell is for three or more cards, with which standing is better.
    """
    chart = card_of(soft_17=soft_17, surrender="late")["chart"]
    assert chart["surrender"] == {name: row(text) for name, text in published.items()}
    assert chart["hard"]["16"] == row("S 2-6 | H 7-9 | S T | H A")
    assert chart["hard"]["15"] == row("S 2-6 | H 7-A")
    assert chart["pair"]["8"] == row("P 2-A")  # what to do with a pair that is not surrendered


# --- values


def codes_of(data):
    """Return the chart that a reader of the card plays, as the solver's codes."""
    chart, found = data["chart"], {}
    values = [*range(2, 11), 1]
    for at, up in enumerate(values):
        codes = {
            Row(kind, int(n)): c[at] for kind in ("hard", "soft") for n, c in chart[kind].items()
        }
        for name, value in zip(UPS, values, strict=True):
            codes[Row("pair", value)] = chart["pair"][name][at]
        found[up] = codes
    return Chart(found)


@pytest.mark.parametrize("decks", [1, 6])
def test_the_value_is_that_of_the_chart_as_printed(decks):
    """Read from the card, the chart has the value printed, and the cost is what is missing."""
    data = card_of(decks=decks)
    solver = Solver(blackjack.Rules(decks=decks))
    assert codes_of(data).expected(solver).value == pytest.approx(data["ev"]["card"], abs=1e-12)
    assert solver.solve_game().ev == pytest.approx(data["ev"]["best"], abs=1e-12)
    assert data["cost"] == data["ev"]["best"] - data["ev"]["card"]
    assert 0 < data["cost"] < 0.0005


@pytest.mark.parametrize(
    ("kind", "number", "up", "code"),
    [("hard", 16, 10, "S"), ("soft", 18, 9, "S"), ("pair", 8, 10, "H"), ("hard", 11, 1, "H")],
)
def test_another_cell_costs_more(kind, number, up, code):
    """A change of a cell makes the card worse."""
    data = card_of(decks=6)
    solver = Solver(blackjack.Rules(decks=6))
    codes = dict(codes_of(data).codes)
    codes[up] = codes[up] | {Row(kind, number): code}
    assert Chart(codes).expected(solver).value < data["ev"]["card"]


def test_fewer_decks_cost_more():
    """A chart of totals loses more against play by cards when each card matters more."""
    costs = [card_of(decks=decks)["cost"] for decks in (1, 2, 8)]
    assert costs == sorted(costs, reverse=True)


# --- the card for people


def test_text():
    """The card says in which order to read it, its value, and when to insure."""
    text = render_text(card_of(surrender="late"))
    assert "Look up the surrender, then the pair, then the total." in text
    assert "With this card the Main bet is worth -0.5283% of the stake." in text
    assert "On average insurance loses 7.40% of its stake" in text
    assert "16               -   -   -   -   -   -   -   R   R   R" in text
    assert "R   surrender" in text


def test_without_splits_surrender_and_insurance():
    """Tables that a house does not need are left out in every format."""
    data = card_of(max_splits=0, insurance=False)
    assert (data["chart"]["pair"], data["chart"]["surrender"]) == ({}, {})
    for render in (render_text, render_html, render_svg):
        shown = render(data)
        assert "There is no insurance at this table." in shown
        assert "Pairs" not in shown
        assert "surrender" not in shown.replace("no surrender", "")
    assert "Look up" not in render_text(data)


def test_insurance():
    """The average is that of a fresh shoe with an ace out; without a ten in hand it is better."""
    for decks, average, best in ((1, 48 / 51 - 1, 48 / 49 - 1), (6, 288 / 311 - 1, 288 / 309 - 1)):
        found = card_of(decks=decks)["insurance"]
        assert found["average"] == pytest.approx(average)
        assert found["best"] == pytest.approx(best)
