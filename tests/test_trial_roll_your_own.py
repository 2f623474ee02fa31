"""Rounds that the kernel plays: the rules engine's settlements, the solver's values."""

import json
import math
import multiprocessing
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product

import numpy as np
import pytest

from pitboss.cards import DECK
from pitboss.felt import deal_from, net, supply
from pitboss.games.roll_your_own import GAME, PRESETS, Bet, Insure, Round, SetHands, read_decision
from pitboss.kernels import roll_your_own as kernel
from pitboss.notation import differences, read_journal, replay
from pitboss.solver import Game, Memory, Solver, SolverError
from pitboss.solver.tables import hands
from pitboss.solver.trial import (
    EVENTS,
    OUTCOMES,
    Sample,
    Strategy,
    _grown,
    _options,
    _start,
    journal,
    simulate,
)
from tests.strategies import random_rules

DEFAULT = PRESETS["default"]
OTHER = GAME.rules.from_json(
    {
        "hole_card": "no_peek",
        "double_after_split": False,
        "max_splits": 2,
        "resplit_aces": True,
        "soft_17": "stand",
        "blackjack_pays": "6:5",
    }
)
BONUS = -2284 / 5525


def any_strategy(rules, seed=7):
    """Return a strategy that sets and plays as chance would have it, within the rules."""
    chance = np.random.default_rng(seed)
    rows, known = 500, hands()
    two = known.size == 2
    plan = np.empty((10**4, kernel.PLAN), np.int16)
    plan[:, kernel.ALONE], plan[:, kernel.LONE_BET] = chance.integers(0, [[3], [2]], (2, 10**4))
    plan[:, kernel.ROWS_AT :] = chance.integers(0, rows, (10**4, 2))
    for up, *own in product(range(1, 11), repeat=4):
        if sorted(own) in ([1, 1, 10], [1, 10, 10]):
            plan[_start(up, tuple(own)), kernel.ALONE] = -1
    shape = rows, len(two)
    start = np.where(two, chance.integers(0, 3, shape), chance.integers(0, 2, shape))
    most = 2 + rules.double_after_split
    split = np.where(two, chance.integers(0, most, shape), chance.integers(0, 2, shape))
    limits = chance.integers(0, rules.max_splits + 1, rows)
    for value in range(1, 11):
        pair = known.pair[value, value]
        start[:, pair] = np.where(limits > 0, kernel.SPLIT, start[:, pair])
    if not rules.resplit_aces:  # the one limit that depends on the cards: rows without aces
        start[limits != 1, known.pair[1, 1]] = kernel.HIT
    plays = np.column_stack([start | split << kernel.AFTER_SPLIT, limits]).astype(np.uint8)
    return Strategy(rules, (plan, plays, _grown(), _options(rules)))


def agrees(strategy, seed, rounds):
    """Replay rounds of a trial, and return what happened in them, by the rules engine."""
    happened = Counter()
    for number in range(rounds):
        written = read_journal(json.dumps(journal(strategy, seed, number, bet=210)))
        played = replay(written)
        assert differences(written, played) == []
        assert played.phase == "settled"
        happened.update(s.outcome for s in played.settlements())
        happened.update(str(play) for play in played.plays)
        happened["added"] += played.staked // 210 - 3
    return happened


# --- chance


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ([0] * 4, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([2**32 - 1] * 4, 2**64 - 1, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            0x299F31D0A4093822,
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox(counter, key, words):
    """The generator gives the known answers that its authors published with it."""
    out = np.zeros(4, np.uint64)

    kernel.philox(*map(np.uint64, counter), np.uint64(key), out, 0)

    assert out.tolist() == words


def test_every_card_is_as_likely_everywhere():
    """Over 26,000 decks each card comes to each of the first twelve places as often as it should.

    The chi-square of 12 times 51 degrees of freedom is within four standard deviations.
    """
    strategy, decks = any_strategy(DEFAULT), 26_000
    deck, felt = np.empty(kernel.DECK, np.uint8), np.empty(kernel.FELT, np.int8)
    found = np.zeros((12, 52))
    for number in range(decks):
        kernel.record_round(np.uint64(5), number, *strategy.tables, deck, felt)
        found[range(12), deck[:12]] += 1
        assert number % 1000 or len({*deck.tolist()}) == 52

    chi_square = float(((found - decks / 52) ** 2 / (decks / 52)).sum())

    assert abs(chi_square - 12 * 51) < 4 * math.sqrt(2 * 12 * 51)


# --- against the rules engine


@pytest.mark.parametrize("seed", range(24))
def test_settles_as_the_rules_do(seed):
    """2,400 rounds of random play over random rules: the same questions, the same settlements."""
    strategy = any_strategy(random_rules(random.Random(seed), GAME), seed)

    agrees(strategy, seed, 100)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"hole_card": "no_peek"},
        {"one_card_vs_dealer_blackjack": "loses"},
        {"double_after_split": False},
        {"max_splits": 0},
        {"max_splits": 1, "resplit_aces": True},
        {"resplit_aces": True, "insurance": "off"},
        {"soft_17": "stand", "blackjack_pays": "6:5"},
    ],
)
def test_counts_what_the_rules_engine_settles(settings):
    """Counts and means of a trial are those of the same rounds through the rules engine."""
    strategy = any_strategy(GAME.rules.from_json(settings))
    rounds = 250

    trial = simulate(strategy, rounds, seed=3)
    happened = agrees(strategy, 3, rounds)

    for outcome in OUTCOMES:
        assert trial.event(f"hands: {outcome}").mean * rounds == pytest.approx(happened[outcome])
    assert trial.event("doubles").mean * rounds == pytest.approx(happened["double"])
    assert trial.event("splits").mean * rounds == pytest.approx(happened["split"])
    assert trial.put_down.mean == pytest.approx(2 + happened["added"] / rounds)
    nets = [journal(strategy, 3, n, bet=210)["settlements"] for n in range(rounds)]
    bonus = sum(s["net"] for settled in nets for s in settled if s["bet"] == "bonus")
    total = sum(s["net"] for settled in nets for s in settled)
    assert trial.bonus.mean == pytest.approx(bonus / 210 / rounds)
    assert trial.package.mean == pytest.approx(total / 210 / rounds)
    assert trial.blackjack.mean == pytest.approx((total - bonus) / 210 / rounds)


# --- totals


def test_totals_do_not_depend_on_how_the_work_is_shared():
    """Any number of threads and any chunk give the same counts; another seed gives others."""
    strategy, told = any_strategy(DEFAULT), []

    trial = simulate(strategy, 20_000, progress=told.append)
    again = simulate(strategy, 20_000, threads=3, chunk=777)
    other = simulate(strategy, 20_000, seed=2)

    assert told == [1.0]
    assert np.array_equal(trial.nets, again.nets)
    assert np.array_equal(trial.events, again.events)
    assert not np.array_equal(trial.nets, other.nets)
    assert trial.nets.sum() == 20_000
    assert (trial.events.sum(axis=1) == 20_000).all()


def test_bonus_and_dealt_blackjacks():
    """What no play can change is as often as the exact counts say, over 2 million rounds."""
    trial = simulate(any_strategy(DEFAULT), 2_000_000)
    chances = {
        "bonus: akq suited": 4 / 22_100,
        "bonus: straight flush": 44 / 22_100,
        "bonus: three of a kind": 52 / 22_100,
        "bonus: straight": 720 / 22_100,
        "bonus: flush": 1096 / 22_100,
        "dealer's blackjacks": 2 * 4 * 16 / (52 * 51),
        "hands: double blackjack": 2 * (6 * 16 + 4 * 120) / 22_100,
    }

    assert abs(trial.bonus.z(BONUS)) < 4
    for name, expected in chances.items():
        assert abs(trial.frequencies[name].z(expected)) < 4


def test_sample():
    """A sample's moments are those of its numbers."""
    numbers = np.repeat([0, 1, 3], [10, 6, 4])

    sample = Sample({0: 10, 1: 6, 3: 4})

    assert sample.mean == numbers.mean()
    assert sample.std_dev == pytest.approx(numbers.std(ddof=1))
    assert sample.std_error == pytest.approx(numbers.std(ddof=1) / math.sqrt(20))
    assert sample.chance == 0.5
    assert sample.z(numbers.mean()) == 0
    assert Sample({2: 5}).std_dev_error == 0


def test_error_of_the_standard_deviation():
    """Standard deviations of many trials spread as far as one trial says."""
    strategy = any_strategy(DEFAULT)
    samples = [simulate(strategy, 5_000, seed=seed).blackjack for seed in range(200)]

    spread = float(np.std([sample.std_dev for sample in samples]))

    assert spread == pytest.approx(np.mean([s.std_dev_error for s in samples]), rel=0.2)


def test_as_json():
    """A trial is written with its rules, and without a value where none was computed."""
    written = json.loads(json.dumps(simulate(any_strategy(DEFAULT), 1000).as_json()))

    assert (written["rounds"], written["seed"], written["ev"], written["z"]) == (
        1000,
        1,
        None,
        None,
    )
    assert written["rules"] == DEFAULT.as_json()
    assert {*EVENTS} < {*written["frequencies"]}


def test_other_memories_are_refused():
    """Only a player without memory has a policy to play by."""
    with pytest.raises(SolverError, match="memory 'none', not 'full'"):
        Strategy.of(Solver(DEFAULT, Memory.FULL))


# --- against the solver


@cache
def solved(rules) -> Game:
    return Solver(rules).solve_game()


def check_value(rules, rounds, most):
    game = solved(rules)
    strategy = Strategy.of(game)

    trial = simulate(strategy, rounds)

    agrees(strategy, 1, 300)
    assert trial.ev == game.ev
    assert abs(trial.blackjack.z(game.ev)) < most
    assert trial.as_json()["z"] == trial.blackjack.z(game.ev)
    for name in ("doubles", "splits"):
        expected = game.mean(name)
        z = trial.event(name).z(expected) if expected else trial.event(name).chance
        assert abs(z) < (most if expected else 1e-12)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(DEFAULT, id="default"),
        pytest.param(OTHER, id="other", marks=pytest.mark.long),
    ],
)
def test_play_comes_to_the_computed_value(rules):
    """2 million rounds of the solver's strategy come to its value, within 4 standard errors."""
    check_value(rules, 2_000_000, 4)


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [
        {"hole_card": "no_peek"},
        {"one_card_vs_dealer_blackjack": "loses"},
        {"double_after_split": False},
        {"max_splits": 0},
        {"max_splits": 1},
        {"max_splits": 3, "resplit_aces": True},
        {"soft_17": "stand"},
        {"blackjack_pays": "6:5"},
        {"blackjack_pays": "2:1", "hole_card": "no_peek", "resplit_aces": True},
    ],
    ids=str,
)
def test_play_comes_to_the_computed_value_at_length(settings):
    """20 million rounds of other houses' games come to their values."""
    check_value(GAME.rules.from_json(settings), 20_000_000, 4)


# --- the rules engine itself, played by the solver's decisions


class Player:
    """A seat that asks the solver what to do."""

    def __init__(self, game):
        self._solver = Solver(game.rules)
        self._best = {(s.up, s.own): s.best for c in game.up_cards for s in c.starts if s.ways}
        self._policies = {}

    def decide(self, table):
        """Return what to do in a round that asks."""
        seat, asked = table.seats[0], table.asked
        up, own = table.dealer[1].value, tuple(sorted(card.value for card in seat.cards))
        way = self._best[up, own]
        if asked.decision == "set":
            return next(option for option in asked.legal if self._is(option, way))
        if asked.decision == "insure":
            return Insure(1, 0)
        spot = table._spot
        policy = self._policy(up, own, way.first if spot.bet == "first" else way.second)
        cards, splits = tuple(card.value for card in spot.hand.cards), len(spot.hands) - 1
        if splits and spot.hand.is_pair and splits < policy.splits:
            return read_decision(1, "split")
        return read_decision(1, policy.play(cards, from_split=splits > 0))

    def _is(self, option: SetHands, way):
        held = (option.first, option.second)
        return [sorted(c.value for c in hand) for hand in held] == [
            sorted(way.first),
            sorted(way.second),
        ]

    def _policy(self, up, own, hand):
        if (up, own, hand) not in self._policies:
            engine = self._solver.engine(up)
            self._policies[up, own, hand] = engine.policy(own, hand, self._solver.play)
        return self._policies[up, own, hand]


@cache
def player_of(rules) -> Player:
    return Player(solved(rules))


def play_by_hand(rules, seed, rounds):
    """Play rounds through the rules engine: how often the blackjack bets came to each net."""
    player, chance, deck = player_of(rules), random.Random(seed), list(DECK)
    nets = Counter()
    for _ in range(rounds):
        chance.shuffle(deck)
        cards = tuple(deck)
        table = deal_from(cards, Round(rules).apply(Bet.of(1, 2)))
        while table.asked:
            table = supply(cards, table.apply(player.decide(table)))
        nets[net((s for s in table.settlements() if s.bet != "bonus"), 1)] += 1
    return nets


def test_kernel_decides_as_the_solver_does():
    """Rounds of the kernel are those of a player who asks the solver, decision by decision."""
    game = solved(DEFAULT)
    strategy, player = Strategy.of(game), player_of(DEFAULT)
    for number in range(400):
        written = read_journal(json.dumps(journal(strategy, 11, number)))
        table = deal_from(written.deck, Round(DEFAULT).apply(Bet.of(1, 100)))
        while table.asked:
            table = supply(written.deck, table.apply(player.decide(table)))

        # of equal values another card may stand alone
        assert [str(play) for play in table.plays] == [
            word for word in written.decisions if " " not in word
        ]
        assert net(table.settlements(), 1) == written.net["1"]


@pytest.mark.long
def test_a_million_rounds_through_the_rules_engine():
    """The rules engine, played by the solver's decisions, comes to the computed value."""
    parts = 20
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        played = pool.map(play_by_hand, [DEFAULT] * parts, range(parts), [50_000] * parts)
        sample = Sample(sum(played, Counter()))

    assert sample.rounds == 1_000_000
    assert abs(sample.z(2 * solved(DEFAULT).ev)) < 3
