"""Simulated rounds, compared with a plain dealer, the rules engine and exact values."""

import json
import math
import multiprocessing
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from pitboss.core.cards import DECK
from pitboss.core.errors import RuleError
from pitboss.core.journal import differences, read_journal, replay
from pitboss.core.paytables import unit_net
from pitboss.core.protocol import deal_from, net, supply
from pitboss.games import blackjack, roll_your_own, toss_one
from pitboss.games.blackjack import strategies as blackjack_strategies
from pitboss.games.blackjack.simulation import Blackjack
from pitboss.games.roll_your_own import Bet, Insure, Round, SetHands, read_decision, strategies
from pitboss.games.roll_your_own.kernels import layout, shuffle
from pitboss.games.roll_your_own.simulation import RollYourOwn
from pitboss.games.roll_your_own.solver import Solver
from pitboss.games.roll_your_own.strategies import Strategy, at_random, mimic, start_of
from pitboss.games.roll_your_own.trial import EVENTS, OUTCOMES, ROUND_EVENTS
from pitboss.games.toss_one import figures as analysis
from pitboss.games.toss_one.simulation import TossOne
from pitboss.kernels import chance
from pitboss.simulator import jobs, samples
from pitboss.simulator.jobs import CARDS, ExactFigures, check_seed
from pitboss.simulator.samples import ChiSquare, Sample, chi_square
from pitboss.solver.tables import hands
from tests.strategies import random_rules
from tools.console import ROOT

ROLL, TOSS = roll_your_own.Rules(), toss_one.Rules()
NO_SPLITS = ROLL.changed("max_splits=0")  # solved ten times as fast
OTHER = ROLL.changed(
    "hole_card=no_peek",
    "double_after_split=no",
    "max_splits=2",
    "resplit_aces=yes",
    "soft_17=stand",
    "blackjack_pays=6:5",
)
BONUS = {
    "akq suited": 4,
    "straight flush": 44,
    "three of a kind": 52,
    "straight": 720,
    "flush": 1096,
    "anything else": 22_100 - 1916,
}
"""Three cards by what they are to the Bonus."""

group = pytest.mark.xdist_group("simulator")  # what is solved once serves all


# --- cards, by a program that has nothing but the description


def plain_philox(counter, key):
    """Return Philox4x32-10 of four words and a key of two."""
    (a, b, c, d), (key_0, key_1) = counter, key
    for _ in range(10):
        one, two = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = two >> 32 ^ b ^ key_0, two % 2**32, one >> 32 ^ d ^ key_1, one % 2**32
        key_0, key_1 = (key_0 + 0x9E3779B9) % 2**32, (key_1 + 0xBB67AE85) % 2**32
    return a, b, c, d


def plain_deal(key, number, cards, size, draws):
    """Return the first cards of a round, and how many words were rejected."""
    deck, rejected, paired = [*range(size)], 0, 2 * draws >= cards
    place = number // 2 if paired else number
    for word in range(cards // draws):
        lane = (word + 2 * (number % 2)) % 4 if paired else word % 4
        left = range(size - word * draws, size - (word + 1) * draws, -1)
        attempt = -1
        found, rest = [], -1
        while rest < 2**32 % math.prod(left):
            attempt, found = attempt + 1, []
            counter = (place % 2**32, place >> 32, attempt, word // 4)
            rest = plain_philox(counter, (key % 2**32, key >> 32))[lane]
            for n in left:
                found.append(rest * n >> 32)
                rest = rest * n % 2**32
        rejected += attempt
        for i, d in enumerate(found, word * draws):
            deck[i], deck[i + d] = deck[i + d], deck[i]
    return deck[:cards], rejected


def deal_ahead(key, first, cards, size, draws):
    """Return the cards of the rounds starting at *first*."""
    words = np.zeros((4, chance.LANES), np.uint32)
    swaps, held, dealt = np.zeros((3, cards, chance.LANES), np.uint16)
    chance.deal_ahead(
        np.uint64(key), np.uint64(first), cards, size, draws, words, swaps, held, dealt
    )
    if 2 * draws >= cards:
        dealt = dealt.reshape(cards, 2, -1).swapaxes(1, 2).reshape(cards, -1)
    return dealt.T.tolist()


def deal_one(key, number, cards, size, draws):
    place, half = (number // 2, number % 2) if 2 * draws >= cards else (number, 0)
    words, (swaps, held, dealt) = np.zeros(4, np.uint32), np.zeros((3, cards), np.uint32)
    chance.first_block(np.uint64(key), np.uint64(place), words)
    chance.deal_one(
        np.uint64(key), np.uint64(place), half, cards, size, draws, words, swaps, held, dealt
    )
    return dealt.tolist()


@njit
def philox(a, b, c, d, key_0, key_1):
    return chance.philox(a, b, c, d, key_0, key_1)


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([2**32 - 1] * 4, [2**32 - 1] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox(counter, key, words):
    """The generator reproduces its authors' published test vectors."""
    assert [*map(int, philox(*map(np.uint32, counter + key)))] == words
    assert [*plain_philox(counter, key)] == words


@pytest.mark.parametrize(
    ("decks", "draws"), [(1, 4), *((decks, 2) for decks in range(1, 9)), (4, 4)]
)
@pytest.mark.parametrize("first", [0, 2**32 - 128, 2**49 + 12_346])
def test_cards_are_dealt_as_described(decks, draws, first):
    """Dealing many rounds or one at a time follows the description, including rejections."""
    rejected = 0
    for cards in (4 * draws // 2, 8, 12, 40):
        dealt = deal_ahead(2**64 - 3, first, cards, 52 * decks, draws)
        for number, found in enumerate(dealt[:64], first):
            expected, times = plain_deal(2**64 - 3, number, cards, 52 * decks, draws)
            rejected += times
            assert found == expected
            assert deal_one(2**64 - 3, number, cards, 52 * decks, draws) == expected
    assert (rejected > 100) == (decks == draws == 4)  # one word of seven: too many ways to draw


def rejecting(key, place, size, draws):
    """Return the lanes whose first word is rejected, among LANES rounds."""
    words = np.zeros((4, chance.LANES), np.uint32)
    chance._fill(np.uint64(key), np.uint64(place), 0, chance.LANES, words)
    left = range(size, size - draws, -1)
    rest = words[0].astype(np.uint64)
    for n in left:
        rest = rest * np.uint64(n) & np.uint64(2**32 - 1)
    return np.flatnonzero(rest < 2**32 % math.prod(left))


@pytest.mark.parametrize(("decks", "draws"), [(1, 4), (5, 2), (6, 2), (8, 2)])
def test_rejected_words(decks, draws):
    """Rounds whose first word is rejected (one in about ten thousand) are dealt as described."""
    found = 0
    for first in range(0, 600_000, chance.LANES):
        for lane in rejecting(5, first, 52 * decks, draws):
            expected, rejected = plain_deal(5, first + int(lane), 12, 52 * decks, draws)
            assert rejected > 0
            assert deal_ahead(5, first, 12, 52 * decks, draws)[lane] == expected
            assert deal_one(5, first + int(lane), 12, 52 * decks, draws) == expected
            found += 1
    assert found > 0


def test_whole_decks():
    """Roll Your Own deals all 52 cards in the described order, four at a time."""
    deck, words, rejected = np.zeros(52, np.uint8), np.zeros(4, np.uint32), 0
    for number in range(2**33, 2**33 + 3000):
        chance.first_block(np.uint64(9), np.uint64(number), words)
        shuffle.lay_out(np.uint64(9), np.uint64(number), words, deck)
        placed = shuffle.AHEAD
        while placed < 52:
            placed = shuffle.shuffle_more(np.uint64(9), np.uint64(number), placed, words, deck)

        expected, times = plain_deal(9, number, 52, 52, 4)
        rejected += times
        assert deck.tolist() == expected
        assert sorted(expected) == [*range(52)]
    assert rejected > 0


@pytest.mark.parametrize("number", [0, 1, 2**40 + 7])
def test_journals_have_these_cards(number):
    """A journal contains the described deck."""
    written = read_journal(json.dumps(RollYourOwn(mimic(ROLL), 2, 9).journal(number)))
    assert [CARDS.index(card) for card in written.deck] == plain_deal(9, number, 52, 52, 4)[0]


# --- strategies


def any_strategy(rules, seed=7):
    """Return a strategy with random, legal settings and plays."""
    drawn, rows, known = np.random.default_rng(seed), 500, hands()
    alone, bet, row = drawn.integers(0, [[3], [2], [rows]], (3, 10**4))
    plan = (row << 3 | alone << 1 | bet).astype(np.int32)
    for up, *own in product(range(1, 11), repeat=4):
        if sorted(own) in ([1, 1, 10], [1, 10, 10]):
            plan[start_of(up, own)] = -1
    first, second = (_any_plays(rules, drawn, rows, known) for _ in range(2))
    return Strategy("any", rules, plan, first | second << layout.SECOND_BET)


def _any_plays(rules, drawn, rows, known):
    two = known.size == 2
    shape = rows, len(two)
    start = np.where(two, drawn.integers(0, 3, shape), drawn.integers(0, 2, shape))
    most = 2 + rules.double_after_split
    split = np.where(two, drawn.integers(0, most, shape), drawn.integers(0, 2, shape))
    limits = drawn.integers(0, rules.max_splits + 1, rows)
    for value in range(1, 11):
        pair = known.pair[value, value]
        start[:, pair] = np.where(limits > 0, layout.SPLIT, start[:, pair])
    if not rules.resplit_aces:  # the one limit that depends on the cards: rows without aces
        start[limits != 1, known.pair[1, 1]] = layout.HIT
    return np.column_stack([start | split << layout.AFTER_SPLIT, limits]).astype(np.uint8)


def greedy(rules):
    """Return a strategy that splits and hits while it can."""
    plays = np.full((1, len(hands().state) + 1), layout.HIT * 0b01010101, np.uint8)
    plays[:, [hands().pair[value, value] for value in range(1, 11)]] |= layout.SPLIT * 0b00010001
    plays[:, -1] = rules.max_splits << layout.SECOND_BET | rules.max_splits
    return Strategy("greedy", rules, mimic(rules).plan, plays)


@cache
def solved(rules):
    """Return a game and the strategy collected while it was solved."""
    solver = Solver(rules)
    taken = strategies._PlayCollector(solver)
    game = solver.solve_game(checkpoint=taken)
    return game, Strategy("solver", rules, *strategies._build_tables(taken.sets()), game.ev)


@pytest.fixture(scope="session")
def no_splits():
    return solved(NO_SPLITS)


# --- against the rules engine


def agrees(job, numbers):
    """Replay rounds through the rules engine; return their events and totals."""
    happened, totals = Counter(), Counter()
    for number in numbers:
        written = read_journal(json.dumps(job.journal(number)))
        played = replay(written)
        assert differences(written, played) == [], (number, job.rules.as_json())
        assert played.phase == "settled"
        for settled in played.settlements():
            bet = "blackjack" if settled.bet in {"first", "second"} else settled.bet
            totals[bet] += settled.net
            happened[settled.outcome] += 1
        totals["package"] += sum(written.net.values())
        happened.update(str(play) for play in getattr(played, "plays", ()))
        happened["staked"] += played.staked
    return happened, totals


def countable(job):
    """Return the job, with one seat if the prizes are too large for several."""
    try:
        job.parts  # noqa: B018
    except RuleError:
        return replace(job, seats=1)
    return job


def counts_as_replayed(job, begin, end):
    """Counted rounds have the same results as the same rounds in the rules engine."""
    bets = job.bets(job.play(begin, end))
    happened, totals = agrees(job, range(begin, end))
    assert {name: bet.total for name, bet in bets.items()} == totals
    return happened


def toss_job(seed):
    drawn = random.Random(seed)
    rules = random_rules(drawn, toss_one.GAME)
    return countable(TossOne(rules, drawn.randint(1, rules.seats), drawn.getrandbits(64)))


def roll_job(seed):
    """Draw rules, seats and a strategy: the mimic, random play, or any other.

    The chips are such that even money can be paid: rounds are counted in units.
    """
    drawn = random.Random(seed)
    chips = drawn.choice(["cent", "down:25", "up:50", "down:100", "up:20"])
    rules = random_rules(drawn, roll_your_own.GAME, rounding=chips)
    strategy = (mimic, at_random, any_strategy)[seed % 3](rules)
    return countable(RollYourOwn(strategy, drawn.randint(1, rules.seats), drawn.getrandbits(64)))


@pytest.mark.parametrize("seed", range(20))
def test_toss_one_settles_as_the_rules_do(seed):
    """A thousand rounds with random rules and one to nine seats settle correctly."""
    counts_as_replayed(toss_job(seed), 51 * seed, 51 * seed + 50)


@pytest.mark.parametrize("seed", range(24))
def test_roll_your_own_settles_as_the_rules_do(seed):
    """A thousand rounds with random rules, one to seven seats: the same decisions and results."""
    counts_as_replayed(roll_job(seed), 42 * seed, 42 * seed + 42)


@group
def test_the_solver_s_play_settles_as_the_rules_do(no_splits):
    for seats in (1, 7):
        counts_as_replayed(RollYourOwn(no_splits[1], seats, 3), 1000, 1100)


@pytest.mark.parametrize("run_out", ["win", "push"])
@pytest.mark.parametrize("hole_card", ["peek", "no_peek"])
def test_greedy_tables_run_out_of_cards(run_out, hole_card):
    """Seats that hit and split as much as possible use up the deck, and are paid by the rules."""
    rules = ROLL.changed(f"run_out={run_out}", f"hole_card={hole_card}", "resplit_aces=yes")
    happened = Counter()
    for seats in (5, 6, 7):
        happened += counts_as_replayed(RollYourOwn(greedy(rules), seats, 1), 0, 20)
    assert happened["deck ran out"] > 100
    assert happened["split"] > 100


@pytest.mark.long
@pytest.mark.parametrize("piece", range(50))
def test_a_million_rounds_of_toss_one(piece):
    """5,000 rounds under each of 200 sets of rules settle correctly."""
    for part in range(4):
        counts_as_replayed(toss_job(1000 + 4 * piece + part), 0, 5000)


@pytest.mark.long
@pytest.mark.parametrize("piece", range(50))
def test_a_million_rounds_of_roll_your_own(piece):
    """5,000 rounds under each of 200 sets of rules settle correctly."""
    for part in range(4):
        counts_as_replayed(roll_job(1000 + 4 * piece + part), 0, 5000)


@pytest.mark.parametrize("seats", [1, 4])
@pytest.mark.parametrize(
    "changes",
    [
        (),
        ("hole_card=no_peek",),
        ("one_card_vs_dealer_blackjack=loses",),
        ("double_after_split=no",),
        ("max_splits=0",),
        ("max_splits=1", "resplit_aces=yes"),
        ("resplit_aces=yes", "insurance=off"),
        ("soft_17=stand", "blackjack_pays=6:5"),
    ],
    ids=str,
)
def test_counts_what_the_rules_engine_settles(changes, seats):
    """The events and means of a trial equal those of the same rounds in the rules engine."""
    job, rounds = RollYourOwn(any_strategy(ROLL.changed(*changes)), seats, 3), 120 // seats

    trial = job.trial(job.play(0, rounds))
    happened, totals = agrees(job, range(rounds))

    per_seat = rounds * seats
    for outcome in OUTCOMES:
        assert trial.event(f"hands: {outcome}").total == happened[outcome]
    assert trial.event("doubles").total == happened["double"]
    assert trial.event("splits").total == happened["split"]
    added = happened["staked"] // jobs.UNIT - 3 * per_seat
    assert trial.put_down.mean == pytest.approx(2 + added / per_seat)
    for name in ("blackjack", "bonus", "package"):
        mean = totals[name] / jobs.UNIT / per_seat
        assert getattr(trial, name).mean == pytest.approx(mean)
    assert trial.rounds == rounds


# --- totals


@cache
def small_jobs():
    return {
        "toss, one seat": TossOne(TOSS, 1, 3),
        "toss, two seats": TossOne(TOSS, 2, 3),
        "toss, seven seats of a shoe": TossOne(TOSS.changed("decks=8"), 7, 3),
        "roll, one seat": RollYourOwn(any_strategy(ROLL), 1, 3),
        "roll, five seats": RollYourOwn(at_random(ROLL), 5, 3),
        "blackjack, one seat": Blackjack(blackjack_strategies.mimic(blackjack.Rules()), 1, 3),
        "blackjack, six seats": Blackjack(
            blackjack_strategies.at_random(blackjack.Rules(decks=1)), 6, 3
        ),
    }


@pytest.mark.parametrize("name", small_jobs())
@settings(max_examples=25)
@given(
    st.integers(0, 2**40),
    st.lists(st.integers(0, 2000), max_size=4),
    st.randoms(use_true_random=False),
)
def test_totals_do_not_depend_on_the_chunks(name, begin, cuts, drawn):
    """The totals do not depend on how the rounds are divided, or on their order."""
    job, ends = small_jobs()[name], sorted({0, 2000, *cuts})
    pieces = [*pairwise(ends)]
    drawn.shuffle(pieces)

    counts = sum(job.play(begin + one, begin + other) for one, other in pieces)

    assert np.array_equal(counts, job.play(begin, begin + 2000))


@pytest.mark.parametrize("name", small_jobs())
def test_totals_do_not_depend_on_threads(name):
    """Any number of threads gives the same counts; another seed gives others; no round is lost."""
    job = small_jobs()[name]
    with ThreadPoolExecutor(4) as pool:
        counted = pool.map(job.play, range(0, 30_000, 777), [*range(777, 30_000, 777), 30_000])
        counts = sum(counted)

    assert np.array_equal(counts, job.play(0, 30_000))
    assert not np.array_equal(counts, replace(job, seed=4).play(0, 30_000))
    assert not job.play(5, 5).any()
    for bet in job.bets(counts).values():
        assert (bet.table.rounds, bet.player.rounds) == (30_000, 30_000 * job.seats)


def test_every_event_is_counted():
    """Each event is counted for each round of a seat, or for each round."""
    job = small_jobs()["roll, five seats"]
    parts = job.views(job.play(0, 10_000))
    assert (parts["events"].sum(axis=1) == 50_000).all()
    assert (parts["rounds"].sum(axis=1) == 10_000).all()


@pytest.mark.parametrize("name", [name for name in small_jobs() if "one seat" not in name])
def test_tables_of_several_seats(name):
    """The combined result of seats has the same mean but a larger spread: they share a dealer."""
    job = small_jobs()[name]
    bets = job.bets(job.play(0, 100_000))
    for bet in bets.values():
        assert bet.table.total == bet.player.total == bet.total
        assert bet.ev == pytest.approx(bet.player.mean / jobs.UNIT)
        assert bet.table.mean == pytest.approx(bet.player.mean * job.seats)
        assert bet.chi_square is None
    package = bets.pop("package")
    assert package.total == sum(bet.total for bet in bets.values())
    first = next(iter(bets.values()))
    assert first.table.std_dev > 1.05 * math.sqrt(job.seats) * first.player.std_dev


# --- against exact figures


def toss_exact(rules):
    figures = analysis.figures(rules)
    found = {
        name: ExactFigures(float(of.ev), {e.event: e.combinations / of.total for e in of.events})
        for name, of in figures.items()
    }
    return found | {"package": ExactFigures(sum(bet.ev for bet in found.values()))}


def roll_exact(strategy):
    pays = strategy.rules.bonus_paytable
    classes = {name: ways / 22_100 for name, ways in BONUS.items()}
    odds = map(pays.odds, (*roll_your_own.Bonus, None))
    bonus = sum(unit_net(o) * n for o, n in zip(odds, BONUS.values(), strict=True)) / 22_100
    found = {"bonus": ExactFigures(float(bonus), classes)}
    if strategy.ev is not None:
        found |= {
            "blackjack": ExactFigures(strategy.ev),
            "package": ExactFigures(strategy.ev + float(bonus)),
        }
    return found


def plays(job, rounds):
    """Play rounds in chunks on two threads."""
    size = 1 << 22
    begins = range(0, rounds, size)
    ends = [min(begin + size, rounds) for begin in begins]
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(job.play, begins, ends))


def comes_to_the_exact_values(job, exact, rounds, most):
    """Play rounds, compare every bet and class with the exact values, and return the counts."""
    bets = job.bets(counts := plays(job, rounds), exact)
    for bet in bets.values():
        assert bet.exact is None or abs(bet.z) < most, (bet.name, bet.z)
        found = bet.chi_square
        assert found is None or found.p > 1e-6, (bet.name, found)
    assert any(bet.chi_square for bet in bets.values()) == (job.seats == 1)
    return counts


HOUSES = {
    "default": (),
    "published": ("dealer_blackjack=beats_21",),
    "six to five": ("blackjack_pays=6:5",),
    "two decks": ("decks=2",),
    "six decks": ("decks=6",),
    "table 1": ("lucky3_paytable=1", "ace_kicker=low"),
}


@pytest.mark.parametrize("seats", [1, 5])
@pytest.mark.parametrize("house", HOUSES)
def test_toss_one_comes_to_its_figures(house, seats):
    """Millions of rounds agree with the exact figures of every bet and class."""
    rules, rounds = TOSS.changed(*HOUSES[house]), 4_000_000 if seats == 1 else 1_000_000
    comes_to_the_exact_values(TossOne(rules, seats, 11), toss_exact(rules), rounds, 4.5)


@pytest.mark.long
@pytest.mark.parametrize("house", HOUSES)
def test_toss_one_at_length(house):
    """A billion rounds agree with the exact figures."""
    rules = TOSS.changed(*HOUSES[house])
    comes_to_the_exact_values(TossOne(rules, 1, 12), toss_exact(rules), 10**9, 4)


def test_figures_that_are_wrong_are_found():
    """The figures of one deck are rejected for two decks."""
    job = TossOne(TOSS.changed("decks=2"), 1, 11)
    bets = job.bets(job.play(0, 4_000_000), toss_exact(TOSS))
    assert abs(bets["package"].z) > 4.5
    assert bets["bonus4"].chi_square.p < 1e-6


def doubles_and_splits(trial, game, most):
    """Simulated doubles and splits agree with the solver."""
    for name in ("doubles", "splits"):
        expected = game.mean(name)
        z = trial.event(name).z(expected) if expected else trial.event(name).chance
        assert abs(z) < (most if expected else 1e-12)


def check_value(rules, rounds, most, seed=1):
    game, strategy = solved(rules)
    job = RollYourOwn(strategy, 1, seed)

    trial = job.trial(comes_to_the_exact_values(job, roll_exact(strategy), rounds, most))

    assert trial.ev == game.ev
    assert trial.as_json()["z"] == trial.blackjack.z(game.ev)
    doubles_and_splits(trial, game, most)


@group
def test_roll_your_own_comes_to_the_solver_s_value(no_splits):
    """4 million rounds agree with the solver's value."""
    check_value(NO_SPLITS, 4_000_000, 4.5)


@pytest.mark.long
@group
def test_roll_your_own_at_length():
    """A billion rounds of the default game agree with the solver's value."""
    check_value(ROLL, 10**9, 4)


@pytest.mark.long
@group
@pytest.mark.parametrize(
    "changes",
    [
        ("hole_card=no_peek",),
        ("one_card_vs_dealer_blackjack=loses",),
        ("double_after_split=no",),
        ("max_splits=1",),
        ("max_splits=3", "resplit_aces=yes"),
        ("soft_17=stand",),
        ("blackjack_pays=2:1", "hole_card=no_peek", "resplit_aces=yes"),
    ],
    ids=str,
)
def test_other_houses_come_to_the_solver_s_value(changes):
    """A hundred million rounds under other rules agree with the solver's value."""
    check_value(ROLL.changed(*changes), 10**8, 4)


@pytest.mark.parametrize("seats", [1, 7])
def test_what_no_play_can_change(seats):
    """The Bonus and dealt blackjacks have their exact frequencies."""
    job = RollYourOwn(at_random(ROLL), seats, 1)
    chances = {
        "dealer's blackjacks": 2 * 4 * 16 / (52 * 51),
        "hands: double blackjack": 2 * (6 * 16 + 4 * 120) / 22_100,
    }
    chances |= {f"bonus: {n}": w / 22_100 for n, w in BONUS.items() if n != "anything else"}

    counts = comes_to_the_exact_values(job, roll_exact(job.strategy), 300_000, 4.5)
    trial = job.trial(counts)
    for name, expected in chances.items():
        assert abs(trial.frequencies[name].z(expected)) < 4.5


# --- the rules engine itself, played by the solver's decisions


class Player:
    """A seat that follows the solver."""

    def __init__(self, game):
        self._solver = Solver(game.rules)
        self._best = {(s.up, s.own): s.best for c in game.up_cards for s in c.starts if s.ways}
        self._policies = {}

    def decide(self, table):
        """Return the decision for a round that waits for one."""
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
    return Player(solved(rules)[0])


def play_by_hand(rules, seed, rounds):
    """Play rounds through the rules engine; count the net results of the blackjack bets."""
    player, drawn, deck = player_of(rules), random.Random(seed), list(DECK)
    nets = Counter()
    for _ in range(rounds):
        drawn.shuffle(deck)
        cards = tuple(deck)
        table = deal_from(cards, Round(rules).apply(Bet.of(1, 2)))
        while table.asked:
            table = supply(cards, table.apply(player.decide(table)))
        nets[net((s for s in table.settlements() if s.bet != "bonus"), 1)] += 1
    return nets


@group
@pytest.mark.parametrize(
    ("rules", "rounds"),
    [
        pytest.param(NO_SPLITS, 200, id="no splits"),
        pytest.param(ROLL, 2000, id="default", marks=pytest.mark.long),
        pytest.param(OTHER, 2000, id="other", marks=pytest.mark.long),
    ],
)
def test_kernel_decides_as_the_solver_does(rules, rounds):
    """The kernel's rounds equal those of a player who follows the solver, decision by decision."""
    job, player = RollYourOwn(solved(rules)[1], 1, 11), player_of(rules)
    for number in range(rounds):
        written = read_journal(json.dumps(job.journal(number)))
        table = deal_from(written.deck, Round(rules).apply(Bet.of(1, jobs.UNIT)))
        while table.asked:
            table = supply(written.deck, table.apply(player.decide(table)))

        # of equal values another card may stand alone
        assert [str(play) for play in table.plays] == [
            word for word in written.decisions if " " not in word
        ]
        assert net(table.settlements(), 1) == written.net["1"]


@pytest.mark.long
@group
def test_a_million_rounds_through_the_rules_engine():
    """The rules engine, with the solver's decisions, agrees with the computed value."""
    parts = 20
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        played = pool.map(play_by_hand, [ROLL] * parts, range(parts), [50_000] * parts)
        sample = Sample(sum(played, Counter()))

    assert sample.rounds == 1_000_000
    assert abs(sample.z(2 * solved(ROLL)[0].ev)) < 3


# --- samples


def test_sample():
    """A sample's moments equal those of its numbers."""
    numbers = np.repeat([0, 1, 3], [10, 6, 4])

    sample = Sample({0: 10, 1: 6, 3: 4})

    assert (sample.rounds, sample.total, sample.mean) == (20, 18, numbers.mean())
    assert sample.std_dev == pytest.approx(numbers.std(ddof=1))
    assert sample.std_error == pytest.approx(numbers.std(ddof=1) / math.sqrt(20))
    assert sample.chance == 0.5
    assert sample.z(numbers.mean()) == 0
    assert Sample({2: 5}).std_dev_error == 0
    assert sample.as_json()["mean"] == sample.mean


def test_error_of_the_standard_deviation():
    """The standard deviations of many trials vary as much as one trial predicts."""
    jobs_ = [RollYourOwn(mimic(ROLL), 1, seed) for seed in range(200)]
    found = [job.trial(job.play(0, 5000)).blackjack for job in jobs_]

    spread = float(np.std([sample.std_dev for sample in found]))

    assert spread == pytest.approx(np.mean([s.std_dev_error for s in found]), rel=0.2)


@pytest.mark.parametrize(
    ("value", "freedom", "p"),
    [
        (3.841458820694124, 1, 0.05),
        (6.6348966010212145, 1, 0.01),
        (0.1, 1, 0.7518296340458492),
        (5.991464547107979, 2, 0.05),
        (2 * math.log(1000), 2, 0.001),
        (18.307038053275146, 10, 0.05),
        (3.9402991361190605, 10, 0.95),
        (124.34211340400407, 100, 0.05),
        (40, 2, math.exp(-20)),
        (1e-9, 2, math.exp(-5e-10)),
    ],
)
def test_chi_square_by_the_tables(value, freedom, p):
    assert ChiSquare(value, freedom).p == pytest.approx(p, rel=1e-9)


@given(st.floats(1e-6, 400), st.integers(1, 60))
def test_chi_square_of_even_freedom(value, half):
    """With an even number of degrees of freedom, p equals an explicit sum."""
    terms = (
        math.exp(k * math.log(value / 2) - value / 2 - math.lgamma(k + 1)) for k in range(half)
    )
    p = math.fsum(terms)
    assert ChiSquare(value, 2 * half).p == pytest.approx(p, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("freedom", [1, 7, 99, 2601, 70_225])
def test_chi_square_of_large_freedom(freedom):
    """The p-value agrees with the normal approximation of the cube root (Wilson and Hilferty)."""
    for z in (-3, -1, 0, 1, 3, 5):
        share = 2 / (9 * freedom)
        value = freedom * (1 - share + z * math.sqrt(share)) ** 3
        p = math.erfc(z / math.sqrt(2)) / 2
        assert ChiSquare(max(value, 0.0), freedom).p == pytest.approx(p, rel=0.3, abs=0.02)


def test_classes_that_are_rare_are_counted_as_one():
    found = chi_square([(60, 50.0), (34, 44.0), (3, 2.0), (2, 3.0), (1, 1.0), (0, 0.0)])
    assert found.value == pytest.approx(100 / 50 + 100 / 44 + 0)
    assert found.freedom == 2
    assert chi_square([]).p == 1.0
    assert found.as_json() == {"value": found.value, "degrees_of_freedom": 2, "p": found.p}


def test_intervals():
    """The intervals contain the true mean as often as they should, in 400 trials."""
    exact, job = toss_exact(TOSS)["main"], TossOne(TOSS, 1, 1)
    inside = Counter()
    for begin in range(0, 400_000, 1000):
        bet = job.bets(job.play(begin, begin + 1000))["main"]
        for name, (low, high) in bet.interval.items():
            inside[name] += low < exact.ev < high
        assert bet.interval["95%"][1] - bet.ev == pytest.approx(1.959964 * bet.std_error)
    assert 400 * 0.95 - 18 < inside["95%"] < 400 * 0.95 + 18
    assert inside["99%"] > 400 * 0.99 - 8
    assert samples.INTERVALS["99%"] == pytest.approx(2.5758293)


def test_as_json():
    """Bets and a trial are written as JSON, with null for unknown figures."""
    job = TossOne(TOSS, 1, 1)
    bets = job.bets(job.play(0, 1000), toss_exact(TOSS))
    written = json.loads(json.dumps({name: bet.as_json() for name, bet in bets.items()}))
    assert written["main"]["exact"] == toss_exact(TOSS)["main"].ev
    assert sum(written["lucky3"]["classes"].values()) == 1000
    assert written["bonus4"]["chi_square"]["p"] == bets["bonus4"].chi_square.p
    assert (written["package"]["classes"], written["package"]["chi_square"]) == (None, None)

    job = RollYourOwn(any_strategy(ROLL), 1, 1)
    counts = job.play(0, 1000)
    trial = json.loads(json.dumps(job.trial(counts).as_json()))
    assert [trial[k] for k in ("rounds", "seats", "seed", "ev", "z")] == [1000, 1, 1, None, None]
    assert trial["rules"] == ROLL.as_json()
    assert {*EVENTS, *ROUND_EVENTS} < {*trial["frequencies"]}
    assert job.bets(counts)["blackjack"].as_json()["z"] is None


def test_identities():
    """Everything that changes the counts changes the identity."""
    one, roll = TossOne(TOSS, 1, 1), RollYourOwn(mimic(ROLL), 1, 1)
    others = [
        one,
        replace(one, seats=2),
        replace(one, seed=2),
        replace(one, rules=TOSS.changed("decks=2")),
        roll,
        replace(roll, seats=2),
        replace(roll, seed=2),
        replace(roll, strategy=at_random(ROLL)),
        replace(roll, strategy=mimic(ROLL.changed("run_out=push"))),
    ]
    assert len({json.dumps(job.identity()) for job in others}) == len(others)
    assert TossOne(TOSS, 1, 1).identity() == one.identity()


# --- errors


@pytest.mark.parametrize("seats", [0, -1, 8])
def test_seats_that_are_not_there(seats):
    for make in (lambda: TossOne(TOSS, seats), lambda: RollYourOwn(mimic(ROLL), seats)):
        with pytest.raises(RuleError, match=f"this table has 1..7 seats, not {seats}"):
            make()


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_that_are_too_large(seed):
    for make in (lambda: TossOne(TOSS, 1, seed), lambda: RollYourOwn(mimic(ROLL), 1, seed)):
        with pytest.raises(RuleError, match="a seed must be a whole number in 0"):
            make()
    assert check_seed(2**64 - 1) == 2**64 - 1


def test_prizes_that_are_too_large():
    """One seat may win any amount; the combined results of several seats must be countable."""
    prizes = {
        "bonus_paytable": [{"on": ["straight"], "pays": "99999:1"}],
        "blackjack_pays": "51:50",
    }
    strategy = mimic(roll_your_own.Rules.from_json(prizes))
    toss = toss_one.Rules.from_json(
        {"bonus4_paytable": [{"on": [4], "pays": "99999:1"}], "blackjack_pays": "51:50"}
    )
    for job in (RollYourOwn(strategy, 2), TossOne(toss, 2)):
        with pytest.raises(RuleError, match="prizes are too large or too uneven"):
            job.play(0, 1)
        one = replace(job, seats=1)
        assert one.bets(one.play(0, 1000))["package"].player.rounds == 1000


def test_what_cannot_happen():
    """An impossible class that occurred is never due to chance; one that did not has no effect."""
    assert chi_square([(50, 0.0), (950, 1000.0)]).p == 0.0
    assert chi_square([(1, 0.0), (950, 950.0), (50, 50.0)]).p == 0.0
    assert chi_square([(96, 96.0), (1, 0.0), (3, 4.0)]).p == 0.0
    assert chi_square([(9999, 9999.99), (1, 0.01)]).freedom == 0  # too rare to say
    assert chi_square([(0, 0.0), (950, 950.0), (50, 50.0)]).p == 1.0


@pytest.mark.parametrize("rounding", ["down:200", "up:137", "down:137"])
def test_rounding_that_wins_lose_by(rounding):
    """If even money is not paid in full, units cannot be counted, and the error says so."""
    rules = roll_your_own.Rules().changed(f"rounding={rounding}")
    with pytest.raises(RuleError, match="choose a chip that divides 100 cents"):
        RollYourOwn(mimic(rules))


def test_the_million_million_rounds_of_the_docs():
    """The result stored in the docs adds up, and its z-scores follow from the exact figures."""
    body = json.loads((ROOT / "docs/results/toss-one-21-1e12.json").read_text("utf-8"))
    job = TossOne(toss_one.Rules(), 1, body["seed"])
    known = job.exact()

    assert body["rounds"] == 10**12
    assert body["rules"] == job.rules.as_json()
    for name, bet in body["bets"].items():
        assert bet["ev"] == pytest.approx(bet["total"] / 100 / 10**12, rel=1e-14)
        assert bet["exact"] == pytest.approx(known[name].ev)
        assert bet["z"] == pytest.approx((bet["ev"] - bet["exact"]) / bet["std_error"])
        assert abs(bet["z"]) < 3
        if bet["classes"]:
            assert sum(bet["classes"].values()) == 10**12
            pairs = [(n, 1e12 * known[name].classes.get(c, 0)) for c, n in bet["classes"].items()]
            assert chi_square(pairs).p == pytest.approx(bet["chi_square"]["p"])
