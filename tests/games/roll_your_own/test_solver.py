"""The solver: published figures, properties, and a second implementation without shortcuts."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pitboss.core.cards import parse, parse_card
from pitboss.core.errors import GameError
from pitboss.core.paytables import Odds
from pitboss.games import toss_one
from pitboss.games.roll_your_own import HoleCard, OneCard, Rules, Soft17
from pitboss.games.roll_your_own.solver import Checkpoint, Memory, Solver, SolverError
from pitboss.games.roll_your_own.solver.starts import DOUBLE_BLACKJACKS, name_of, ways_to_set
from pitboss.solver.engine import Engine, Play
from pitboss.solver.tables import DECK, VALUES, hands, number_of
from tests.plain import solver as plain

CLOSE = 1e-9
HALF = (2,) * 9 + (8,)
"""Half a deck: quicker."""


@cache
def solved(memory=Memory.NONE, **changes):
    return Solver(Rules(**changes), memory).solve_game()


def evs(solution):
    return {(way.first, way.second): way.ev for way in solution.ways}


# --- the checks of the method's description


@pytest.mark.long
def test_no_splits_with_full_memory():
    game = solved(Memory.FULL, max_splits=0)
    assert game.ev == pytest.approx(0.375975096857, abs=CLOSE)
    two_first = sum(
        card.chance
        * sum(_weight(s) * _best_two_first(s) for s in card.starts)
        / sum(map(_weight, card.starts))
        for card in game.up_cards
    )
    assert two_first == pytest.approx(0.375775831828, abs=CLOSE)


def _weight(solution):
    return Solver(Rules()).ways(solution.up, solution.own)


def _best_two_first(solution):
    if not solution.ways:
        return solution.ev
    return max(way.ev for way in solution.ways if len(way.first) == 2)


def test_each_hand_ignoring_the_other():
    assert solved(max_splits=0).ev == pytest.approx(0.375642037692, abs=CLOSE)


@pytest.mark.long
def test_memory_none_over_the_whole_game():
    """The value and its parts equal those of a plain program in another language (bench/)."""
    game = solved()
    assert game.ev == pytest.approx(0.387748494770, abs=CLOSE)
    by_up_card = {name_of(card.up): card.ev for card in game.up_cards}
    assert by_up_card["A"] == pytest.approx(-0.411140893659, abs=CLOSE)
    assert by_up_card["2"] == pytest.approx(0.591965091349, abs=CLOSE)
    assert by_up_card["6"] == pytest.approx(0.862179276434, abs=CLOSE)
    assert by_up_card["T"] == pytest.approx(0.035736588389, abs=CLOSE)


@pytest.mark.long
@pytest.mark.parametrize(
    ("own", "way", "value"),
    [
        pytest.param((8, 8, 10), ((10,), (8, 8)), 0.584086633917, marks=pytest.mark.long),
        ((2, 3, 10), ((2, 3), (10,)), 0.382727083140),
    ],
)
def test_one_split_with_full_memory(own, way, value):
    solution = Solver(Rules(max_splits=1), Memory.FULL).solve(6, own)
    assert evs(solution)[way] == pytest.approx(value, abs=CLOSE)
    assert solution.ev == pytest.approx(value, abs=CLOSE)
    assert (solution.best.first, solution.best.second) == way


def test_splitting_tens_against_a_six():
    """Splitting up to 2 to 5 hands, with every two-card hand standing."""
    engine = Engine(6)
    stand = np.zeros(len(hands().state), np.int8)
    values = engine.split((10, 10), 10, stand, 4)
    assert values == pytest.approx([0.507561, 0.413036, 0.351471, 0.309925], abs=5e-7)


# --- the dealer


def test_the_dealer_s_hands_are_all_there():
    """The probabilities of all final hands of the dealer add up to one."""
    for up in VALUES:
        for peeks in (False, True):
            engine = Engine(up, peeks=peeks)
            kept = Engine(up, peeks=peeks, run_out=0)  # what is missing would be dry, and count
            for total in (16, 21):
                assert engine.stand((), total) == kept.stand((), total)
    blackjack = Fraction(4, 51)  # a ten up, an ace in the hole
    known, unknown = (Engine(10, peeks=p).stand((), 16) for p in (True, False))
    assert unknown == pytest.approx(float(blackjack * -1 + (1 - blackjack) * Fraction(known)))


# --- a second implementation, on small decks


@st.composite
def small_games(draw):
    """Draw a deck of 12 to 16 cards of few values, three cards, an up card and settings."""
    ranks = draw(st.lists(st.sampled_from(VALUES), min_size=3, max_size=6, unique=True))
    pool = [v for v in ranks for _ in range(DECK[v - 1])]
    size = draw(st.integers(12, 16))
    assume(len(pool) >= size)
    deck = draw(st.permutations(pool))[:size]
    own, up = tuple(sorted(deck[:3])), deck[3]
    if draw(st.booleans()):
        own = tuple(sorted((own[0], own[0], own[2])))
    counts = Counter([*own, up])
    assume(all(deck.count(v) >= n for v, n in counts.items()))
    assume(own not in DOUBLE_BLACKJACKS)
    return deck, own, up, draw(_settings())


def _settings():
    return st.builds(
        plain.Settings,
        peek=st.booleans(),
        draws=st.booleans(),
        double_after_split=st.booleans(),
        max_splits=st.integers(0, 4),
        resplit_aces=st.booleans(),
        hit_soft_17=st.booleans(),
        blackjack_pays=st.sampled_from([1.5, 1.2, 1.0]),
    )


ODDS = {1.5: Odds(3, 2), 1.2: Odds(6, 5), 1.0: Odds(1)}


def rules_of(s):
    return Rules(
        hole_card=HoleCard.PEEK if s.peek else HoleCard.NO_PEEK,
        one_card_vs_dealer_blackjack=OneCard.DRAWS if s.draws else OneCard.LOSES,
        double_after_split=s.double_after_split,
        max_splits=s.max_splits,
        resplit_aces=s.resplit_aces,
        soft_17=Soft17.HIT if s.hit_soft_17 else Soft17.STAND,
        blackjack_pays=ODDS[s.blackjack_pays],
    )


def agrees(deck, own, up, s):
    """Return whether no line of play runs out, and compare the solver with the plain expectimax."""
    try:
        wanted = {Memory.FULL: plain.full(deck, own, up, s)}
    except plain.RanDry:
        return False
    wanted[Memory.HAND] = plain.hand(deck, own, up, s)
    none = plain.none(deck, own, up, s)
    if none == plain.none(deck, own, up, s, ("double", "hit", "stand")):
        wanted[Memory.NONE] = none  # where hands tie alone, which play a split hand takes is open
    counts = tuple(deck.count(v) for v in VALUES)
    found = {m: evs(Solver(rules_of(s), m, deck=counts).solve(up, own)) for m in Memory}
    for memory, values in wanted.items():
        floats = {way: float(ev) for way, ev in values.items()}
        assert found[memory] == pytest.approx(floats, abs=1e-10)
    for way in found[Memory.FULL]:  # more memory is never worse
        none, hand, full = (found[memory][way] for memory in Memory)
        assert none <= hand + 1e-12 <= full + 2e-12
    return True


TENS = [10] * 12
SMALL = [  # decks in which no line of play runs dry
    ([5, 5, 6, 6, *TENS], (6, 6, 10), 10, plain.Settings(peek=False, max_splits=1)),
    ([1, 1, 4, 4, 6, 7, *TENS[:8]], (1, 1, 6), 10, plain.Settings(max_splits=2, draws=False)),
    ([2, 2, 6, 7, 7, 9, 9, *TENS[:9]], (7, 7, 10), 2, plain.Settings(max_splits=1)),
    (
        [1, 1, 4, 4, 4, 5, 6, 6, 6, 6, 8, 8, 8, 8],
        (1, 1, 5),
        4,
        plain.Settings(double_after_split=False, max_splits=2, hit_soft_17=False),
    ),
    ([4, 8, 8, 8, 8, 9, *TENS[:10]], (8, 8, 10), 9, plain.Settings(max_splits=1)),
    pytest.param(
        (
            [1, 1, 1, 1, 3, 3, 4, 4, 4, 6, 8, 8, 8, 9, 9, 9],
            (1, 1, 6),
            9,
            plain.Settings(peek=False, max_splits=2, blackjack_pays=1.2),
        ),
        marks=pytest.mark.long,
    ),
    ([2, 3, 3, 8, 8, 9, *TENS[:10]], (3, 3, 9), 10, plain.Settings(peek=False, max_splits=1)),
    (
        [1, 1, 1, 1, 2, 2, 6, 6, 9, *TENS[:6]],
        (1, 1, 9),
        1,
        plain.Settings(max_splits=2, resplit_aces=True, draws=False, hit_soft_17=False),
    ),
    ([6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 9, *TENS[:4]], (6, 6, 9), 6, plain.Settings(max_splits=1)),
]


@pytest.mark.long
@pytest.mark.parametrize("case", SMALL)
def test_equals_the_expectimax_over_positions(case):
    assert agrees(*case), "a line of play runs dry"


@given(small_games())
@settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_agrees_with_the_expectimax(game):
    assume(agrees(*game))


@pytest.mark.long
@given(small_games())
@settings(
    max_examples=2500, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
def test_agrees_with_the_expectimax_often(game):
    assume(agrees(*game))


# --- laws


STARTS = st.tuples(
    st.sampled_from(VALUES), st.lists(st.sampled_from(VALUES), min_size=3, max_size=3)
).filter(
    lambda s: (
        all([*s[1], s[0]].count(v) <= 4 for v in s[1] if v < 10)
        and tuple(sorted(s[1])) not in DOUBLE_BLACKJACKS
    )
)


@pytest.mark.long
@given(STARTS)
@settings(max_examples=12)
def test_more_memory_is_never_worse(start):
    up, own = start
    rules = Rules(max_splits=0)
    none, full = (
        evs(Solver(rules, memory).solve(up, own)) for memory in (Memory.NONE, Memory.FULL)
    )
    assert all(none[way] <= full[way] + 1e-12 for way in none)


@pytest.mark.long
@pytest.mark.parametrize("up", [1, 6, 10])
def test_more_memory_is_never_worse_with_a_split(up):
    rules = Rules(max_splits=1)
    none, hand, full = (evs(Solver(rules, memory).solve(up, (8, 8, 10))) for memory in Memory)
    assert all(none[way] <= hand[way] + 1e-12 <= full[way] + 2e-12 for way in none)
    assert any(none[way] < hand[way] for way in none)
    assert any(hand[way] < full[way] for way in none)


@given(STARTS)
@settings(max_examples=10)
def test_more_options_are_never_worse(start):
    up, own = start
    values = [Solver(Rules(max_splits=n)).solve(up, own).ev for n in range(5)]
    assert values == sorted(values)
    for better, worse in (
        (Rules(), Rules(double_after_split=False)),
        (Rules(resplit_aces=True), Rules()),
        (Rules(blackjack_pays=Odds(2)), Rules()),
        (Rules(), Rules(blackjack_pays=Odds(6, 5))),
        (Rules(), Rules(one_card_vs_dealer_blackjack=OneCard.LOSES)),
    ):
        high, low = (evs(Solver(rules).solve(up, own)) for rules in (better, worse))
        assert all(high[way] >= low[way] - 1e-12 for way in high)


@given(STARTS, st.sampled_from([HoleCard.PEEK, HoleCard.NO_PEEK]))
@settings(max_examples=25)
def test_first_decisions_are_those_the_value_is_made_of(start, hole_card):
    """The value of a hand is that of its best play, averaged over its second card."""
    up, own = start
    solver = Solver(Rules(hole_card=hole_card))
    solution = solver.solve(up, own)
    engine, seen = solver.engine(up), solution.own
    for hand, told in zip(
        (solution.best.first, solution.best.second), solver.first_decisions(solution), strict=True
    ):
        value = sum(
            (engine.chance(seen, _value(second)) if second else 1) * max(plays.values())
            for second, plays in told["plays"].items()
        )
        assert value == pytest.approx(engine.expected(seen, hand, solver.play).value, abs=1e-12)


def _value(letter):
    return {"A": 1, "T": 10}.get(letter) or int(letter)


@pytest.mark.parametrize("memory", [pytest.param(Memory.HAND, marks=pytest.mark.long), Memory.FULL])
def test_first_decisions_with_memory(memory):
    solver = Solver(Rules(max_splits=1), memory, deck=HALF)
    solution = solver.solve(6, (9, 9, 10))
    told = solver.first_decisions(solution)
    engine = solver.engine(6)
    values = [
        sum(
            (engine.chance(solution.own, _value(second)) if second else 1) * max(plays.values())
            for second, plays in hand["plays"].items()
        )
        for hand in told
    ]
    assert len(told) == (1 if memory is Memory.FULL else 2)
    assert sum(values) == pytest.approx(solution.ev, abs=1e-12)


def test_policies_are_what_the_values_are_of():
    """Following a policy gives the expected value."""
    solver = Solver(Rules(max_splits=0))
    engine = solver.engine(7)
    for own in [(2, 3, 4), (6, 10, 10), (1, 7, 7)]:
        for hand in (own[:2], own[2:]):
            policy = engine.policy(own, hand, solver.play)
            followed = engine.follow(own, hand, policy.start)
            expected = engine.expected(own, hand, solver.play)
            bonus = expected.blackjacks * (solver.play.pays - _stand_21(engine, own, hand))
            assert followed + bonus == pytest.approx(expected.value, abs=1e-12)


def _stand_21(engine, own, hand):
    other = {1: 10, 10: 1}.get(hand[0])
    return engine.stand((*own, other), 21) if other and len(hand) == 1 else 0.0


def test_insurance_and_double_blackjacks():
    solver = Solver(Rules())
    assert solver.insurance((10, 10, 10)) == pytest.approx(3 * 13 / 48 - 1)
    assert solver.insurance((2, 3, 4)) == 0
    assert solver.solve(6, (1, 10, 10)).ev == 3
    assert not solver.solve(6, (10, 1, 1)).ways
    assert Solver(Rules(blackjack_pays=Odds(6, 5))).solve(6, (1, 1, 10)).ev == 2.4


def test_values_may_be_those_of_cards():
    own, up = parse("8s 8d Th"), parse_card("6c")
    solver = Solver(Rules())
    assert solver.solve(up.value, [card.value for card in own]) == solver.solve(6, (8, 8, 10))


def test_every_start_is_counted():
    solver = Solver(Rules())
    by_up = Counter()
    for up, own in solver.starts():
        by_up[up] += solver.ways(up, own)
    assert by_up == dict.fromkeys(VALUES, 20825)  # C(51, 3)
    assert len({own for _, own in solver.starts()}) == 220


def test_ways_to_set():
    assert len(ways_to_set((2, 3, 4))) == 6
    assert len(ways_to_set((8, 8, 10))) == 4
    assert len(ways_to_set((7, 7, 7))) == 2
    assert ways_to_set((1, 1, 10)) == []


@pytest.mark.long
def test_how_often_things_happen():
    """The expected number of double blackjacks equals a count by hand; the others are plausible."""
    game = solved()
    double = Fraction(4 * 3 // 2 * 16 + 4 * (16 * 15 // 2), 22100)
    assert game.mean("double_blackjacks") == pytest.approx(float(double))
    assert 0.3 < game.mean("doubles") < 0.4
    assert 0.05 < game.mean("splits") < 0.07
    assert solved(max_splits=0).mean("splits") == 0


def test_blackjacks_drawn_against_a_dealer_s():
    """With 5 6 10 against 10, the ten finds an ace in 4 of 47 cards; 3 if one is the hole card."""
    way = next(w for w in Solver(Rules()).solve(10, (5, 6, 10)).ways if w.first == (10,))
    found = Fraction(4, 48)
    peeked = Fraction(4, 47)  # the hole card is none of the four
    expected = found * Fraction(3, 47) + (1 - found) * peeked
    assert way.blackjacks == pytest.approx(float(expected))


# --- room, checkpoints, errors


def test_room_is_limited():
    with pytest.raises(SolverError, match="more than the limit of 0.0098 GiB of memory"):
        Solver(Rules(max_splits=4), Memory.FULL, limit=10 << 20).solve(9, (8, 8, 10))


def test_growing_changes_nothing():
    small, large = Engine(9, rows=64, deck=HALF), Engine(9, deck=HALF)
    way = ((9, 9), (10,))
    play = Play(max_splits=1)
    start = [((9, 9, 10), way)]
    assert small.values(start, play) == large.values(start, play)
    assert small.expected((9, 9, 10), (9, 9), play) == large.expected((9, 9, 10), (9, 9), play)


def test_a_checkpoint_is_gone_on_from(tmp_path):
    rules, path = Rules(max_splits=0), tmp_path / "part.json"
    whole = solved(max_splits=0)
    solver = Solver(rules)

    def stop(share):
        if share > 0.4:
            raise KeyboardInterrupt

    first = Checkpoint(path, solver)
    with pytest.raises(KeyboardInterrupt):
        solver.solve_game(progress=stop, checkpoint=first)
    first.write()
    again = Checkpoint(path, Solver(rules))
    assert 0 < len(again) < 2200
    kept = json.loads(path.read_text("utf-8"))
    assert kept["memory"] == "none"
    shares = []
    game = Solver(rules).solve_game(progress=shares.append, checkpoint=again)
    assert game.ev == whole.ev
    assert shares[-1] == 1
    assert [c.starts for c in game.up_cards] == [c.starts for c in whole.up_cards]
    again.remove()
    assert not path.exists()


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    path = tmp_path / "part.json"
    Checkpoint(path, Solver(Rules(max_splits=0))).write()
    with pytest.raises(GameError, match="other rules or another memory"):
        Checkpoint(path, Solver(Rules()))
    about = json.loads(path.read_text("utf-8"))
    for wrong in ("{", "[" * 100_000, json.dumps(about | {"starts": []}), "[]"):
        path.write_text(wrong, "utf-8")
        with pytest.raises(GameError, match="not a checkpoint of this command"):
            Checkpoint(path, Solver(Rules()))
    for nowhere in (tmp_path, tmp_path / "no" / "part.json"):
        with pytest.raises(GameError, match=r"cannot (read|write) .*(directory|file)"):
            Checkpoint(nowhere, Solver(Rules()))


def test_the_cost_is_told_beforehand():
    assert Solver(Rules()).cost() == ""
    assert Solver(Rules(max_splits=0), Memory.FULL).cost() == ""
    long = Solver(Rules(max_splits=2), Memory.FULL).cost()
    assert "memory full with 2 splits" in long
    assert "GiB" in long


def test_every_pair_of_values_is_a_hand():
    for pair in combinations_with_replacement(VALUES, 2):
        assert hands().size[number_of(pair)] == 2


@pytest.mark.parametrize(
    ("up", "own"), [(0, (1, 2, 3)), (6, (1, 2)), (11, (1, 2, 3)), (2, (2, 2, 2, 3)), (6, (0, 2, 3))]
)
def test_what_is_no_start_is_refused(up, own):
    with pytest.raises(SolverError, match="three cards, each a value of 1 to 10"):
        Solver(Rules()).solve(up, own)


def test_cards_that_are_not_there_are_refused():
    with pytest.raises(SolverError, match="deck does not contain all"):
        Solver(Rules(), deck=HALF).solve(2, (2, 2, 3))
    with pytest.raises(SolverError, match="that of one deck"):
        Solver(Rules(), deck=(8,) * 9 + (32,))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (lambda: Solver(toss_one.Rules()), "is not valid as rules of roll-your-own"),
        (lambda: Solver(Rules()).solve(up=parse("6c")[0], own=parse("8s 8d Th")), "each a value"),
        (lambda: Solver(Rules()).solve(up=6, own=[1, 10, 10]).best, "nothing to set"),
    ],
)
def test_slips_are_told(asked, told):
    """Rules of another game, cards instead of values, and a double blackjack are rejected."""
    with pytest.raises(SolverError, match=told):
        asked()
