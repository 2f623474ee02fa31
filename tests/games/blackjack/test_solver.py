"""The solver of blackjack: published figures, laws, and a second implementation on small decks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from pitboss.core.cards import parse
from pitboss.core.paytables import Odds
from pitboss.games import roll_your_own
from pitboss.games.blackjack import DoubleOn, HoleCard, Rules, Soft17, SurrenderRule
from pitboss.games.blackjack.solver import (
    Solver,
    SolverError,
    Splitting,
    best_chart,
)
from pitboss.games.blackjack.solver.charts import FIRST, LATER, ROWS, Column, Row
from pitboss.solver.engine import Engine, Play
from pitboss.solver.kernels.memos import HIT
from pitboss.solver.tables import DECK, VALUES, full_deck, number_of
from tests import nairn
from tests.plain import blackjack_solver as plain

CLOSE = 1e-12
S17, H17 = Soft17.STAND, Soft17.HIT
LATE = SurrenderRule.LATE


@cache
def solved(splitting=Splitting.NONE, **changes):
    return Solver(Rules(**changes), splitting).solve_game()


# --- figures of other analyzers


def test_single_deck():
    game = solved(Splitting.UNSPLIT, decks=1)
    assert game.ev == pytest.approx(-0.00008734733, abs=5e-12)
    assert game.as_json()["by_up_card"].keys() == set("A23456789T")
    assert solved(decks=1).ev > game.ev


ANALYZER = [  # E. Farmer's analyzer, version 7.6, run beside ours: split hands CDZ- and CDP1
    ({"decks": 2, "resplit_aces": True}, -0.003277134408, -0.003275113564),
    ({"decks": 2, "double": DoubleOn.NINE_TO_ELEVEN}, -0.005026329388, -0.005026236136),
    (
        {"decks": 6, "soft_17": S17, "resplit_aces": True, "surrender": LATE},
        -0.002614013512,
        -0.002613954578,
    ),
    ({"decks": 8}, -0.006445538519, -0.006445538519),
]
MORE = [  # the same
    ({"decks": 1, "soft_17": S17}, 0.001819343061, 0.001830733392),
    ({"decks": 1, "double_after_split": False}, -0.001521391461, -0.001517411371),
    (
        {"decks": 1, "double_after_split": False, "blackjack_pays": Odds(6, 5)},
        -0.015469124400,
        -0.015465144311,
    ),
    ({"decks": 1, "max_splits": 1}, -0.000374835393, -0.000369050435),
    ({"decks": 1, "double": DoubleOn.TEN_TO_ELEVEN}, -0.003107570148, -0.003103829035),
    ({"decks": 2}, -0.003804450755, -0.003802429911),
    ({"decks": 2, "soft_17": S17, "double_after_split": False}, -0.003211633389, -0.003210631724),
    ({"decks": 6}, -0.006153891229, -0.006153891229),
    ({"decks": 6, "soft_17": S17}, -0.004028702361, -0.004028643428),
    ({"decks": 6, "surrender": LATE}, -0.005271915469, -0.005271915469),
    (
        {"decks": 6, "soft_17": S17, "double": DoubleOn.NINE_TO_ELEVEN, "max_splits": 1},
        -0.005519966755,
        -0.005519966755,
    ),
    ({"decks": 6, "max_splits": 0}, -0.011808914886, -0.011808914886),
    ({"decks": 8, "soft_17": S17}, -0.004305806290, -0.004305806290),
    ({"decks": 8, "max_splits": 2}, -0.006524547757, -0.006524547757),
    (
        {"decks": 8, "double_after_split": False, "blackjack_pays": Odds(6, 5)},
        -0.021467956217,
        -0.021467956217,
    ),
]


@pytest.mark.parametrize(
    ("changes", "unsplit", "alone"),
    [*ANALYZER, *(pytest.param(*case, marks=pytest.mark.long) for case in MORE)],
)
def test_the_values_of_another_analyzer(changes, unsplit, alone):
    assert solved(Splitting.UNSPLIT, **changes).ev == pytest.approx(unsplit, abs=1e-12)
    assert solved(Splitting.NONE, **changes).ev == pytest.approx(alone, abs=1e-12)


def test_published_values_of_the_single_deck():
    """Figures of k_c's analyzers (bjstrat.net, blackjackinfo.com), without resplitting."""
    rules = {"decks": 1, "double_after_split": False, "max_splits": 1}
    assert solved(soft_17=S17, **rules).ev == pytest.approx(0.000247914, abs=5e-10)
    solver, chart = chart_of(**rules)
    assert chart.expected(solver).value == pytest.approx(-0.002051, abs=5e-7)


WIZARD = {  # wizardofodds.com, blackjack appendix 9: stand, hit, double against an ace
    (1, S17, HoleCard.PEEK): {
        (1, 2): (-0.661732, -0.067808, -0.593281),
        (5, 6): (-0.634013, 0.172946, 0.240259),
        (1, 7): (-0.101015, -0.108386, -0.357778),
    },
    (2, H17, HoleCard.PEEK): {
        (2, 3): (-0.592126, -0.320313, -1.184253),
        (5, 6): (-0.587564, 0.121079, 0.166650),
        (1, 7): (-0.224703, -0.165428, -0.416886),
    },
    (6, H17, HoleCard.NO_PEEK): {
        (2, 3): (-0.721887, -0.529734, -1.443774),
        (5, 6): (-0.720879, -0.235772, -0.535879),
        (1, 7): (-0.466029, -0.421285, -0.909374),
    },
    (8, H17, HoleCard.NO_PEEK): {
        (1, 2): (-0.722307, -0.378980, -1.024082),
        (5, 6): (-0.721201, -0.235977, -0.537869),
        (1, 7): (-0.465508, -0.420237, -0.908247),
    },
}


@pytest.mark.parametrize("table", WIZARD)
def test_published_plays_against_an_ace(table):
    decks, soft_17, hole_card = table
    solver = Solver(Rules(decks=decks, soft_17=soft_17, hole_card=hole_card))
    for own, values in WIZARD[table].items():
        plays = solver.solve(1, own).plays
        assert [plays[p] for p in ("stand", "hit", "double")] == pytest.approx(values, abs=6e-7)


@pytest.mark.long
def test_published_effects_of_removal():
    """Ask the Wizard 294: six decks, late surrender, aces split again; 2 to 10, then the ace."""
    rules = {"decks": 6, "soft_17": S17, "surrender": LATE, "resplit_aces": True}
    published = [0.070, 0.084, 0.114, 0.146, 0.079, 0.041, -0.010, -0.041, -0.092, -0.101]
    for value, effect in zip((*range(2, 11), 1), published, strict=True):
        deck = [n - (v == value) for v, n in zip(VALUES, full_deck(6), strict=True)]
        changed = Solver(Rules(**rules), deck=deck).solve_game().ev
        assert 100 * (changed - solved(**rules).ev) == pytest.approx(effect, abs=6e-4)


@pytest.mark.parametrize("up", VALUES)
def test_published_single_deck_values(up):
    """Standing, hitting and doubling by the fixed strategy, and splitting in all nine columns."""
    engine = Engine(up, hits_soft_17=False)
    seen = 0
    for line in nairn.lines():
        if line.up == up:
            assert _nairn_line(engine, line) == pytest.approx(line.values, abs=1e-5)
            seen += len(line.values)
    assert seen == 3 * 55 + 10 * 9


def _nairn_line(engine, line):
    if line.kind == "P":
        return nairn.splitting(engine, line.card, s17=True)
    values = []
    for other in range(1, line.card + 1):
        own = (line.card, other)
        options = engine.options(own, own, Play(max_splits=0))
        if line.kind == "H":
            plays = nairn.plays(line.up, nairn.NONE, s17=True).copy()
            plays[number_of(own)] = HIT
            values.append(engine.follow(own, own, plays))
        elif line.kind == "S":
            values.append(1.5 if sorted(own) == [1, 10] else options["stand"])
        else:
            values.append(options.get("double", _double_21(engine, own)))
    return values


def _double_21(engine, own):
    """Doubling a blackjack, which no table lets anyone do: the file has it all the same."""
    left = [n - (*own, engine.up).count(v) for v, n in zip(VALUES, DECK, strict=True)]
    chances = [engine.chance(own, v) for v in VALUES]
    assert sum(chances) == pytest.approx(1)
    assert all(p > 0 for p, n in zip(chances, left, strict=True) if n)
    totals = {v: 11 + v if v < 10 else 21 for v in VALUES}
    return 2 * sum(
        p * engine.stand((*own, v), totals[v]) for v, p in zip(VALUES, chances, strict=True) if p
    )


@pytest.mark.parametrize("up", VALUES)
def test_the_splitting_table_for_a_dealer_who_hits_soft_17(up):
    """It is in no file here: it parts from S17 where it must, and only there."""
    hits, stands = (Engine(up, hits_soft_17=hit) for hit in (True, False))
    for card in VALUES:
        h17, s17 = (nairn.splitting(e, card, s17=e is stands) for e in (hits, stands))
        assert (h17 == pytest.approx(s17, abs=1e-12)) == (7 <= up <= 10)


@pytest.mark.parametrize("up", VALUES)
@pytest.mark.parametrize("hits_soft_17", [False, True])
def test_an_optimal_player_does_no_worse_than_the_fixed_strategy(up, hits_soft_17):
    engine = Engine(up, hits_soft_17=hits_soft_17)
    for card in range(2, 11):
        fixed = nairn.splitting(engine, card, s17=not hits_soft_17)
        for splits in (1, 2, 3):
            best = engine.options((card, card), (card, card), Play(max_splits=splits))["split"]
            assert best >= fixed[3 * splits - 2] - CLOSE  # doubling on any two cards


# --- a second implementation, on small decks


TENS = [10] * 12
TABLE = plain.TableSettings


def counts_of(deck):
    return tuple(deck.count(v) for v in VALUES)


def rules_of(s, **changes):
    double = {(): DoubleOn.ANY, (9, 10, 11): DoubleOn.NINE_TO_ELEVEN}
    return Rules(
        decks=3,
        hole_card=HoleCard.PEEK if s.peek else HoleCard.NO_PEEK,
        double=double.get(s.doubles, DoubleOn.TEN_TO_ELEVEN),
        double_after_split=s.double_after_split,
        max_splits=s.max_splits,
        resplit_aces=s.resplit_aces,
        hit_split_aces=s.hit_split_aces,
        soft_17=H17 if s.hit_soft_17 else S17,
        **changes,
    )


def agrees(deck, own, up, s):
    """Compare the solver with the plain expectimax; return False if a line of play runs dry."""
    try:
        wanted = plain.plays(deck, own, up, s)
    except plain.RanDry:
        return False
    own = tuple(sorted(own))
    solver = Solver(rules_of(s), deck=counts_of(deck))
    start = solver.solve(up, own)
    chance = start.dealer_blackjack if s.peek else 0.0
    found = {play: (1 - chance) * value - chance for play, value in start.plays.items()}
    first = plain.alone(deck, own, up, s, ("stand", "hit", "double"))
    if first == plain.alone(deck, own, up, s, ("double", "hit", "stand")):
        assert start.ev == pytest.approx(float(first), abs=1e-10)
    if s.max_splits <= 1:
        seeing = Solver(rules_of(s), Splitting.HAND, deck=counts_of(deck)).solve(up, own)
        assert start.ev <= seeing.ev + CLOSE
        if "split" in wanted:
            split = (1 - chance) * seeing.plays["split"] - chance
            assert split == pytest.approx(float(wanted["split"]), abs=1e-10)
    wanted.pop("split", None)
    found.pop("split", None)
    assert found == pytest.approx({play: float(v) for play, v in wanted.items()}, abs=1e-10)
    return True


@st.composite
def small_games(draw):
    """A deck of 12 to 15 cards of few values, up to nine of a value, two cards and an up card."""
    ranks = draw(st.lists(st.sampled_from(VALUES), min_size=3, max_size=5, unique=True))
    pool = [v for v in ranks for _ in range(9 if v < 10 else 15)]
    deck = draw(st.permutations(pool))[: draw(st.integers(12, 15))]
    own, up = tuple(sorted(deck[:2])), deck[2]
    if draw(st.booleans()):
        own = (own[0], own[0])
    assume(all(deck.count(v) >= n for v, n in Counter([*own, up]).items()))
    assume(own != (1, 10))
    return deck, own, up, draw(_settings())


def _settings():
    return st.builds(
        TABLE,
        peek=st.booleans(),
        double_after_split=st.booleans(),
        max_splits=st.integers(0, 3),
        resplit_aces=st.booleans(),
        hit_soft_17=st.booleans(),
        doubles=st.sampled_from([(), (9, 10, 11), (10, 11)]),
        hit_split_aces=st.booleans(),
    )


SMALL = [  # decks in which no line of play runs dry
    ([5, 5, 6, 6, *TENS], (6, 6), 10, TABLE(peek=False, max_splits=1)),
    ([1, 1, 1, 4, 6, 7, 7, *TENS[:9]], (1, 1), 7, TABLE(max_splits=1, hit_split_aces=True)),
    ([1, 1, 1, 9, 9, 7, *TENS[:9]], (1, 1), 9, TABLE(max_splits=2, resplit_aces=True)),
    ([8] * 7 + [9, 9, *TENS[:6]], (8, 8), 9, TABLE(max_splits=3, doubles=(9, 10, 11))),
    ([9] * 9 + [10] * 6, (9, 9), 10, TABLE(max_splits=1, double_after_split=False)),
]


@pytest.mark.parametrize("case", SMALL)
def test_equals_the_expectimax_over_positions(case):
    assert agrees(*case), "a line of play runs dry"


@given(small_games())
@settings(
    max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
def test_agrees_with_the_expectimax(game):
    assume(agrees(*game))


@pytest.mark.long
@given(small_games())
@settings(
    max_examples=2500, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
def test_agrees_with_the_expectimax_often(game):
    assume(agrees(*game))


@given(small_games(), st.randoms(use_true_random=False))
@settings(
    max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
def test_the_value_of_a_chart_is_that_of_playing_by_totals(game, random):
    deck, own, up, s = game
    codes = {row: random.choice(("S", "H", "Dh", "Ds")) for row in ROWS}
    codes |= {row: random.choice(("P", codes[_total(row)])) for row in ROWS if row.kind == "pair"}
    plays = {
        (row.number, row.kind == "soft"): (FIRST[code], LATER[code])
        for row, code in codes.items()
        if row.kind != "pair"
    }
    split = tuple(v for v in VALUES if codes[Row("pair", v)] == "P")
    try:
        wanted = plain.by_chart(deck, own, up, s, plays, split)
    except plain.RanDry:
        reject()
    column = Column(Solver(rules_of(s), deck=counts_of(deck)), up)
    column.starts = [(tuple(sorted(own)), 1.0)]
    assert column.expected(codes).value == pytest.approx(float(wanted), abs=1e-10)


def _total(row):
    return Row("soft", 12) if row.number == 1 else Row("hard", 2 * row.number)


# --- laws


STARTS = st.tuples(
    st.sampled_from(VALUES), st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES))
)
RULES = st.builds(
    Rules,
    decks=st.integers(1, 8),
    soft_17=st.sampled_from(Soft17),
    double=st.sampled_from(DoubleOn),
    double_after_split=st.booleans(),
    max_splits=st.integers(0, 3),
    resplit_aces=st.booleans(),
    hit_split_aces=st.booleans(),
    surrender=st.sampled_from(SurrenderRule),
    hole_card=st.sampled_from(HoleCard),
)


def ascend(values):
    return all(low <= high + CLOSE for low, high in pairwise(values))


@given(RULES, STARTS)
@settings(max_examples=30)
def test_allowing_a_play_never_hurts(rules, start):
    def ev(**changes):
        return Solver(replace(rules, **changes)).solve(*start).ev

    assert ascend([ev(max_splits=n) for n in range(4)])
    assert ascend([ev(max_splits=0, double=on) for on in reversed(DoubleOn)])
    assert ascend([ev(resplit_aces=allowed) for allowed in (False, True)])
    assert ascend([ev(surrender=allowed) for allowed in SurrenderRule])
    assert ascend([ev(blackjack_pays=odds) for odds in (Odds(1), Odds(6, 5), Odds(3, 2))])
    no_splits = replace(rules, max_splits=0, surrender=SurrenderRule.NONE)
    cards = (HoleCard.NO_PEEK, HoleCard.ORIGINAL_BETS_ONLY)
    assert ascend([Solver(replace(no_splits, hole_card=c)).solve(*start).ev for c in cards])


@given(RULES, STARTS)
@settings(max_examples=20)
def test_original_bets_only_is_worth_as_much_as_a_peek(rules, start):
    peek, original = (
        Solver(replace(rules, hole_card=card)).solve(*start)
        for card in (HoleCard.PEEK, HoleCard.ORIGINAL_BETS_ONLY)
    )
    assert (peek.ev, peek.plays) == (original.ev, original.plays)
    if start[0] not in (1, 10):
        no_peek = Solver(replace(rules, hole_card=HoleCard.NO_PEEK)).solve(*start)
        assert no_peek.plays == pytest.approx(peek.plays, abs=CLOSE)


@pytest.mark.parametrize("up", [2, 6, 10])
@pytest.mark.parametrize("decks", [1, 2])
def test_a_split_hand_that_sees_more_is_never_worse(up, decks):
    rules = Rules(decks=decks, max_splits=1)
    unsplit, none, hand = (
        Solver(rules, splitting).solve(up, (8, 8)).plays["split"]
        for splitting in (Splitting.UNSPLIT, Splitting.NONE, Splitting.HAND)
    )
    assert unsplit <= none + CLOSE  # with one split the hands are alike
    assert none <= hand + CLOSE


@pytest.mark.long
@pytest.mark.parametrize("splits", [2, 3])
def test_a_split_hand_that_sees_more_is_never_worse_with_more_splits(splits):
    rules = Rules(decks=1, max_splits=splits)
    none, hand = (
        Solver(rules, splitting).solve(6, (8, 8)).plays["split"]
        for splitting in (Splitting.NONE, Splitting.HAND)
    )
    assert none < hand < none + 1e-3


def test_more_decks_converge():
    values = [solved(decks=decks).ev for decks in (1, 2, 4, 8)]
    steps = [high - low for high, low in pairwise(values)]
    assert steps == sorted(steps, reverse=True)
    assert 0.4 < steps[2] / steps[1] < 0.6  # the effect of n decks is nearly proportional to 1/n


# --- parts of a solution


@given(RULES, STARTS)
@settings(max_examples=40)
def test_a_policy_is_worth_the_value_of_its_start(rules, start):
    up, own = start[0], tuple(sorted(start[1]))
    assume(own != (1, 10))
    for splitting in (Splitting.NONE, Splitting.UNSPLIT):
        solver = Solver(rules, splitting)
        engine, solution = solver.engine(up), solver.solve(up, own)
        policy = solver.policy(up, own)
        first = policy.play(own)
        value = solution.plays[first]
        if first == "split":
            found = engine.split(own, own[0], policy.split, policy.splits)[-1]
        else:
            found = engine.follow(own, own, policy.start)
            assert policy.splits == 0
        assert found == pytest.approx(value, abs=CLOSE)
        assert policy.surrenders == (solution.best == "surrender")
        assert solution.best in (first, "surrender")


@given(RULES, STARTS, st.lists(st.sampled_from(VALUES), max_size=8))
@settings(max_examples=40)
def test_options_in_the_middle_of_a_round(rules, start, others):
    """Cards of other hands count like cards that were never in the shoe."""
    up, own = start
    deck = Counter(dict(zip(VALUES, full_deck(rules.decks), strict=True)))
    deck.subtract(others)
    assume(all(n >= 4 for n in deck.values()))
    rest = tuple(deck[v] for v in VALUES)
    seen = Solver(rules).options(up, own, (*own, *others))
    unseen = Solver(rules, deck=rest).options(up, own, own)
    assert seen == pytest.approx(unseen, abs=1e-10)
    whole = Solver(rules).solve(up, own).plays
    assert Solver(rules).options(up, own, own) == pytest.approx(whole, abs=CLOSE)


def test_options_of_split_hands():
    solver = Solver(Rules(decks=6, surrender=LATE))
    pair = solver.options(6, (8, 8), (8, 8, 8), from_split=True, splits=1)
    assert pair.keys() == {"stand", "hit", "double", "split"}
    last = solver.options(6, (8, 8), (8, 8, 8, 8, 8), from_split=True, splits=3)
    assert "split" not in last
    assert solver.options(6, (1, 5), (1, 1, 5), from_split=True).keys() == {"stand"}
    assert solver.options(6, (1, 10), (1, 1, 10), from_split=True)["stand"] < 1
    hit = Solver(Rules(hit_split_aces=True, double_after_split=False))
    assert hit.options(6, (1, 5), (1, 1, 5), from_split=True).keys() == {"stand", "hit"}
    assert "double" not in solver.options(6, (2, 3, 4), (2, 3, 4))
    assert "surrender" in solver.options(10, (10, 6), (10, 6, 5, 5))


def test_only_hard_totals_double_if_doubling_is_restricted():
    solver = Solver(Rules(double=DoubleOn.NINE_TO_ELEVEN))
    for own in combinations_with_replacement(VALUES, 2):
        allowed = sum(own) in (9, 10, 11) and 1 not in own
        assert ("double" in solver.solve(6, own).plays) == allowed


def test_insurance_blackjacks_and_surrender():
    one = Solver(Rules(decks=1, surrender=LATE))
    assert one.insurance((10, 10)) == pytest.approx(3 * 14 / 49 - 1)
    assert one.insurance((2, 3)) == pytest.approx(3 * 16 / 49 - 1)
    push = Fraction(3, 49)  # the dealer shows a ten and has one of the three aces left
    assert one.solve(10, (1, 10)).ev == pytest.approx(float(1.5 * (1 - push)))
    assert one.solve(6, (1, 10)).ev == 1.5
    given_up = one.solve(10, (6, 10))
    assert given_up.best == "surrender"
    chance = float(Fraction(4, 49))
    assert given_up.dealer_blackjack == pytest.approx(chance)
    assert given_up.ev == pytest.approx(-chance - (1 - chance) / 2)
    no_peek = Solver(Rules(decks=1, surrender=LATE, hole_card=HoleCard.NO_PEEK))
    assert no_peek.solve(10, (6, 10)).plays["surrender"] == pytest.approx(given_up.ev)
    assert no_peek.solve(10, (1, 10)).plays["stand"] == pytest.approx(float(1.5 * (1 - push)))


def test_how_often_things_happen():
    game = solved(decks=1, surrender=LATE)
    assert game.mean("blackjacks") == pytest.approx(2 * 4 * 16 / (52 * 51))
    assert 0.1 < game.mean("doubles") < 0.12
    assert 0.02 < game.mean("splits") < 0.03
    assert 0.03 < game.mean("surrenders") < 0.05
    assert solved(decks=1, max_splits=0).mean("splits") == 0
    assert sum(card.chance for card in game.up_cards) == pytest.approx(1)


# --- charts


@cache
def chart_of(**changes):
    solver = Solver(Rules(**changes))
    return solver, best_chart(solver)


def test_basic_strategy_of_six_decks():
    solver, chart = chart_of(decks=6, soft_17=S17)
    columns = {
        ("hard", 16): "SSSSSHHHHH",
        ("hard", 12): "HHSSSHHHHH",
        ("hard", 9): "HDDDDHHHHH",
        ("hard", 10): "DDDDDDDDHH",
        ("hard", 11): "DDDDDDDDDH",
        ("soft", 18): "SDDDDSSHHH",
        ("soft", 13): "HHHDDHHHHH",
        ("pair", 1): "PPPPPPPPPP",
        ("pair", 9): "PPPPPSPPSS",
        ("pair", 4): "HHHPPHHHHH",
        ("pair", 10): "SSSSSSSSSS",
    }
    for row, codes in columns.items():
        assert "".join(chart.codes[up][Row(*row)][0] for up in (*range(2, 11), 1)) == codes
    cost = solved(decks=6, soft_17=S17).ev - chart.expected(solver).value
    assert 0 < cost < 5e-5


def test_a_chart_surrenders():
    solver, chart = chart_of(decks=6, surrender=LATE)
    assert [chart.codes[up][Row("hard", 16)][0] for up in (8, 9, 10, 1)] == list("HRRR")
    assert [chart.codes[up][Row("hard", 15)][0] for up in (9, 10, 1)] == list("HRR")
    assert chart.codes[1][Row("hard", 17)] == "Rs"
    assert chart.codes[1][Row("pair", 8)] == "Rp"
    policy = chart.policy(solver, 1, (8, 8))
    assert (policy.surrenders, policy.splits, policy.play((8, 8))) == (True, 3, "split")
    expected = chart.expected(solver)
    game = solved(decks=6, surrender=LATE)
    assert expected.value < game.ev
    assert expected.surrenders == pytest.approx(game.mean("surrenders"), abs=5e-3)
    assert expected.blackjacks == pytest.approx(game.mean("blackjacks"))


@pytest.mark.long
@pytest.mark.parametrize("decks", [1, 6])
def test_no_change_of_a_cell_makes_the_chart_better(decks):
    solver, chart = chart_of(decks=decks, double_after_split=False)
    for up in (2, 6, 10, 1):
        column = Column(solver, up)
        best = column.expected(chart.codes[up]).value
        for row in ROWS:
            codes = ("P",) if row.kind == "pair" else ("S", "H", "Dh", "Ds")
            for code in codes:
                assert column.expected(chart.codes[up] | {row: code}).value <= best + CLOSE


def test_a_chart_is_played_as_far_as_the_rules_allow():
    """Codes of plays that are not allowed: hit, stand or play the total."""
    _, chart = chart_of(decks=6, surrender=LATE)
    solver = Solver(Rules(decks=6, max_splits=0, double=DoubleOn.TEN_TO_ELEVEN))
    assert chart.policy(solver, 6, (8, 8)).play((8, 8)) == "stand"
    assert chart.policy(solver, 6, (4, 5)).play((4, 5)) == "hit"
    assert not chart.policy(solver, 1, (6, 10)).surrenders
    assert chart.expected(solver).value < chart.expected(Solver(Rules(decks=6))).value


# --- errors


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: Solver(roll_your_own.Rules()), "is not valid as rules of blackjack"),
        (lambda: Solver(Rules()).solve(6, parse("8s 8d")), "each a value of 1 to 10"),
        (lambda: Solver(Rules()).solve(6, (8, 8, 8)), "an up card and two cards"),
        (lambda: Solver(Rules(), deck=(1,) * 10).solve(2, (2, 3)), "does not contain all"),
        (lambda: Solver(Rules(decks=1), deck=(8,) * 9 + (32,)), "that of the full shoe"),
        (lambda: Solver(Rules(), deck=(1, 2)), "ten card counts"),
        (lambda: Solver(Rules(), Splitting.HAND), "for one deck or one split"),
        (lambda: Solver(Rules(decks=1), Splitting.HAND).policy(6, (8, 8)), "no fixed policy"),
        (lambda: Solver(Rules()).options(6, (8, 8), (8,)), "must include the cards of the hand"),
        (lambda: Solver(Rules(decks=1)).options(6, (8, 8), (8,) * 5), "does not contain all"),
        (lambda: Engine(6, deck=(1000,) * 10), "at most 416 cards"),
    ],
)
def test_wrong_input(asked, message):
    with pytest.raises(SolverError, match=message):
        asked()
