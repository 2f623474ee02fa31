"""Simulated rounds of blackjack: the rules engine's settlements, and exact values."""

import json
import random
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from pitboss.core.cards import parse
from pitboss.core.errors import NotationError, RuleError
from pitboss.core.journal import differences, read_journal, replay
from pitboss.games.blackjack import GAME, Rules, strategies
from pitboss.games.blackjack.kernels import layout
from pitboss.games.blackjack.simulation import Blackjack
from pitboss.games.blackjack.strategies import Strategy, at_random, mimic, never_bust
from pitboss.games.blackjack.tables import OUTCOMES
from pitboss.simulator import Result, make_job, simulate
from pitboss.simulator.jobs import UNIT
from pitboss.solver.tables import VALUES, best_total
from tests.simulator.test_simulator import plain_deal
from tests.strategies import random_rules

SIX_DECKS = Rules()
ONE_DECK = Rules(decks=1)
UPS = [*map(str, range(2, 10)), "T", "A"]


def any_strategy(rules, seed=7):
    """Return a strategy that decides by chance once for every case."""
    drawn = random.Random(seed)
    return Strategy.from_function(rules, lambda seen: drawn.choice(seen.legal), name="any")


def greedy(rules):
    """Return a strategy that splits and hits as long as it can, and insures."""
    order = ("insure", "split", "hit", "stand")
    return Strategy.from_function(
        rules, lambda seen: next(play for play in order if play in seen.legal), name="greedy"
    )


@cache
def named(rules, name):
    return strategies.named(rules, name)


# --- against the rules engine


def replayed(job, numbers):
    """Replay rounds through the rules engine; return the events in them and the totals."""
    happened, totals = Counter(), Counter()
    for number in numbers:
        written = read_journal(json.dumps(job.journal(number)))
        played = replay(written)
        assert differences(written, played) == [], (number, job.rules.as_json())
        assert played.phase == "settled"
        for settled in played.settlements():
            totals["main" if settled.bet == "insurance" else settled.bet] += settled.net
            happened[settled.outcome if settled.bet in {"main", "insurance"} else settled.bet] += 1
            happened["insured"] += settled.bet == "insurance"
        totals["package"] += sum(written.net.values())
        happened.update(f"play {play}" for play in played.plays)
        happened["staked"] += played.staked
        happened["cards"] += played.cards_used
    return happened, totals


def counts_as_replayed(job, begin, end):
    """Rounds that are counted and the same rounds through the rules engine come to the same."""
    bets = job.bets(job.play(begin, end))
    happened, totals = replayed(job, range(begin, end))
    assert {name: bet.total for name, bet in bets.items()} == totals
    return happened


def drawn_job(seed):
    """Draw rules, seats and a strategy; large prizes are played by one seat.

    The chips are such that even money can be paid: rounds are counted in units.
    """
    drawn = random.Random(seed)
    chips = drawn.choice(["cent", "down:25", "up:50", "down:100", "up:20"])
    rules = random_rules(drawn, GAME, rounding=chips)
    strategy = (mimic, at_random, any_strategy, never_bust, at_random)[seed % 5](rules)
    job = Blackjack(strategy, drawn.randint(1, rules.seats), drawn.getrandbits(64))
    try:
        job.parts  # noqa: B018
    except RuleError:
        return replace(job, seats=1)
    return job


@pytest.mark.parametrize("seed", range(50))
def test_settles_as_the_rules_do(seed):
    """Two thousand rounds over random rules, one to seven seats: same decisions, same results."""
    counts_as_replayed(drawn_job(seed), 41 * seed, 41 * seed + 40)


@pytest.mark.long
@pytest.mark.parametrize("piece", range(50))
def test_a_million_rounds(piece):
    """5,000 rounds in each of 200 houses."""
    for part in range(4):
        counts_as_replayed(drawn_job(1000 + 4 * piece + part), 0, 5000)


def run_outs(job, begin, end):
    """Return the numbers of the rounds in which the shoe runs out."""
    if not job.trial(job.play(begin, end)).event("run outs").total:
        return []
    middle = (begin + end) // 2
    return [begin] if middle == begin else run_outs(job, begin, middle) + run_outs(job, middle, end)


@pytest.mark.parametrize("hole_card", ["peek", "no_peek", "original_bets_only"])
@pytest.mark.parametrize("hit_split_aces", [True, False])
def test_greedy_tables_run_out_of_cards(hole_card, hit_split_aces):
    """Seven seats that hit and split while they can use up one deck, and get their bets back."""
    rules = Rules(decks=1, resplit_aces=True, hit_split_aces=hit_split_aces, hole_card=hole_card)
    job = Blackjack(greedy(rules), 7, 1)
    happened, _ = replayed(job, run_outs(job, 0, 8000))
    assert happened["no card left"] > 10
    assert happened["play split"] > 10
    assert counts_as_replayed(job, 0, 25)["insured"] > 5


@pytest.mark.parametrize("name", GAME.strategies)
@pytest.mark.parametrize("preset", ["default", "single-deck", "european", "washington"])
def test_every_strategy_settles_as_the_rules_do(preset, name):
    """The named strategies make legal decisions under the presets."""
    for seats in (1, 7):
        counts_as_replayed(Blackjack(named(GAME.presets[preset], name), seats, 3), 1000, 1040)


@pytest.mark.parametrize("seats", [1, 4])
@pytest.mark.parametrize(
    "changes",
    [
        (),
        ("hole_card=no_peek", "surrender=late"),
        ("hole_card=original_bets_only", "hit_split_aces=yes"),
        ("decks=1", "resplit_aces=yes", "insurance=no"),
        ("double=9-11", "double_after_split=no", "max_splits=1"),
    ],
    ids=str,
)
def test_events_are_those_of_the_rules_engine(changes, seats):
    """Outcomes, doubles, splits, insurances, stakes and cards are counted as they happen."""
    job, rounds = Blackjack(at_random(SIX_DECKS.changed(*changes)), seats, 3), 600 // seats

    trial = job.trial(job.play(0, rounds))
    happened, _ = replayed(job, range(rounds))

    for outcome in OUTCOMES:
        insured = happened["insured"] - happened["no dealer blackjack"]
        extra = insured if outcome == "dealer blackjack" else 0
        assert trial.event(f"hands: {outcome}").total == happened[outcome] - extra
    assert trial.event("doubles").total == happened["play double"]
    assert trial.event("splits").total == happened["play split"]
    assert trial.event("insurances").total == happened["insured"]
    assert trial.event("cards used").total == happened["cards"]
    staked = happened["staked"] / UNIT / (rounds * seats)
    assert trial.put_down + 3 == pytest.approx(staked)
    assert trial.rounds == rounds


@pytest.mark.parametrize("decks", [1, 2, 6, 8])
def test_the_shoe_is_the_one_described(decks):
    """A journal has the whole shoe in the order that docs/simulator.md describes."""
    rules = Rules(decks=decks)
    for number in (0, 1, 2**40 + 7):
        deck = parse(Blackjack(mimic(rules), 3, 9).journal(number)["deck"])
        size, draws = 52 * decks, 4 if decks == 1 else 2
        order = sorted(range(size), key=lambda n: n // (4 * decks))
        described, _ = plain_deal(9, number, size, size, draws)
        names = [(place // (4 * decks) + 1, place % 4) for place in described]
        assert [(int(card.rank), "shdc".index(card.suit.value)) for card in deck] == names
        assert sorted(described) == order


# --- exact values


def z_scores(job, rounds):
    result = Result(simulate(job, rounds, threads=2))
    found = {name: bet.z for name, bet in result.bets.items() if bet.exact}
    for bet in result.bets.values():
        assert bet.chi_square is None or bet.chi_square.p > 1e-6, bet.name
    return found


HOUSES = {
    "six decks": (),
    "one deck": ("decks=1", "double_after_split=no"),
    "no peek": ("hole_card=no_peek", "surrender=late", "decks=2"),
    "original bets only": ("hole_card=original_bets_only", "soft_17=stand", "double=10-11"),
    "aces": ("resplit_aces=yes", "hit_split_aces=yes", "decks=1", "blackjack_pays=6:5"),
    "one split": ("max_splits=1", "decks=4"),
    "no split": ("max_splits=0", "decks=8", "double=9-11"),
}


@pytest.mark.parametrize("name", ["solver", "card"])
@pytest.mark.parametrize("house", HOUSES)
def test_comes_to_the_solver_s_value(house, name):
    """Four million rounds of a solved strategy, and the side bets, come to the exact values."""
    job = make_job(SIX_DECKS.changed(*HOUSES[house]), seed=12, strategy=name)
    found = z_scores(job, 4_000_000)
    assert {*found} == {"main", "perfect_pairs", "21+3", "lucky_ladies", "package"}
    assert all(abs(z) < 4.5 for z in found.values()), found


@pytest.mark.long
@pytest.mark.parametrize("name", ["solver", "card"])
@pytest.mark.parametrize("house", HOUSES)
def test_comes_to_the_solver_s_value_at_length(house, name):
    """A thousand million rounds."""
    job = make_job(SIX_DECKS.changed(*HOUSES[house]), seed=13, strategy=name)
    assert all(abs(z) < 4 for z in z_scores(job, 10**9).values())


def test_several_seats_have_exact_side_bets_only():
    """A shoe can run out with several seats, and rounded blackjacks are not the solver's."""
    known = {"perfect_pairs", "21+3", "lucky_ladies"}
    assert {*Blackjack(named(SIX_DECKS, "solver"), 2).exact()} == known
    assert {*Blackjack(mimic(SIX_DECKS)).exact()} == known
    rounded = Strategy("own", SIX_DECKS.changed("rounding=down:100"), mimic(SIX_DECKS).plays, 0.0)
    assert {*Blackjack(rounded).exact()} == known


def test_details():
    """The details of a table add up, with and without a shoe that can run out."""
    one = Result(simulate(make_job(SIX_DECKS, strategy="mimic"), 100_000))
    found = one.details.as_json()
    assert found["put_down"] == 1.0
    assert found["house_edge"]["of_stake"] == one.bets["main"].house_edge
    assert len(one.details.lines()) == 2
    many = Result(simulate(Blackjack(greedy(ONE_DECK), 7), 1000))
    assert many.details.as_json()["cards_used"]["most"] == 52
    assert many.details.lines()[2].startswith("the shoe runs out in ")
    assert many.details.columns()["cards"] == f"{many.details.as_json()['cards_used']['mean']:.1f}"


# --- strategies


def chart(code, **rows):
    """Return a strategy file with the same code in every cell, except for some rows."""
    body = {
        "up_cards": UPS,
        "hard": {str(n): [code] * 10 for n in range(4, 21)},
        "soft": {str(n): [code] * 10 for n in range(12, 21)},
        "pair": {name: [code] * 10 for name in UPS},
    }
    for row, codes in rows.items():
        kind, name = row.split("_")
        body[kind][name] = [codes] * 10
    return {"game": "blackjack", "playing": {"chart": body}}


def test_a_file_is_played_as_written():
    """A chart that mimics the dealer is the mimic, and one for all pairs splits them."""
    rules = Rules(soft_17="stand")
    totals = {f"hard_{n}": "S" for n in range(17, 21)} | {f"soft_{n}": "S" for n in range(17, 21)}
    pairs = {"pair_9": "S", "pair_T": "S"}
    same = strategies.read(chart("H", **totals, **pairs), rules)
    job, other = Blackjack(same, 2, 5), Blackjack(mimic(rules), 2, 5)
    assert (job.play(0, 50_000) == other.play(0, 50_000)).all()

    splits = strategies.read(json.dumps(chart("S", **{f"pair_{n}": "P" for n in UPS})), rules)
    happened = counts_as_replayed(Blackjack(splits, 3, 5), 0, 100)
    assert happened["play split"] > 30
    assert happened["play hit"] == 0


def test_codes_that_the_rules_do_not_allow():
    """Without doubles and surrenders Dh and Rh hit, Ds and Rs stand, and Rp splits."""
    rules = Rules(double="10-11", surrender="none")
    doubles = strategies.read(chart("Ds", hard_9="Dh", hard_16="Rh", pair_8="Rp"), rules)
    happened = counts_as_replayed(Blackjack(doubles, 7, 5), 0, 100)
    assert min(happened[f"play {word}"] for word in ("stand", "hit", "double", "split")) > 5
    assert happened["play surrender"] == 0
    late = strategies.read(chart("Rs", pair_8="Rp"), rules.changed("surrender=late"))
    assert counts_as_replayed(Blackjack(late, 5, 5), 0, 20)["play surrender"] > 50


def test_a_file_may_insure():
    """With insurance "always" every seat insures under an ace; by default none does."""
    body = chart("S")
    body["playing"]["insurance"] = "always"
    insured = Blackjack(strategies.read(body, SIX_DECKS), 1, 5)
    assert counts_as_replayed(insured, 0, 200)["insured"] > 5
    job = Blackjack(strategies.read(chart("S"), SIX_DECKS), 1, 5)
    assert job.trial(job.play(0, 10_000)).event("insurances").total == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda body: body.pop("playing"), "a strategy needs 'playing'"),
        (lambda body: body.update(game="toss-one-21"), "the strategy is for 'toss-one-21'"),
        (lambda body: body["playing"].update(insurance="often"), "'often' is not a value of"),
        (lambda body: body["playing"]["chart"]["hard"].pop("16"), "the chart of hard needs a row"),
        (
            lambda body: body["playing"]["chart"]["hard"].update({"16": ["P"] * 10}),
            "'P' is not a code of row '16' of the chart of hard",
        ),
    ],
)
def test_wrong_files(change, message):
    body = chart("S")
    change(body)
    with pytest.raises(NotationError, match=message):
        strategies.read(body, SIX_DECKS)


def test_pairs_may_be_left_out():
    """A chart without pairs plays them as their totals."""
    body = chart("H", hard_18="S", hard_20="S")
    body["playing"]["chart"].pop("pair")
    plays = strategies.read(body, SIX_DECKS).plays
    full = chart("H", hard_18="S", hard_20="S", pair_9="S", pair_T="S")
    assert (plays == strategies.read(full, SIX_DECKS).plays).all()


def test_a_function_decides_as_a_chart_does():
    """A function that reads the card gives the card's strategy."""
    rules = Rules(decks=2, surrender="late", hole_card="no_peek")
    card = named(rules, "card")

    def play(seen):
        if "decline" in seen.legal:
            return "decline"
        row = seen.up - 1
        if seen.split_card:
            row = strategies.split_row(seen.up, seen.split_card)
            if "split" in seen.legal:
                return "split" if card.plays[row, -1] > 1 else seen.legal[0]
        number = strategies.hands_of_values(2).index(seen.hand)
        return strategies.PLAYS[card.plays[row, number]]

    reachable = Strategy.from_function(rules, play)
    one, other = Blackjack(card, 1, 5), Blackjack(reachable, 1, 5)
    assert (one.play(0, 200_000) == other.play(0, 200_000)).all()


def test_a_function_is_asked_only_what_can_happen():
    """The legal plays are those of the rules, and an illegal answer names the case."""
    asked = []

    def split_eights(seen):
        asked.append(seen)
        return "split" if "split" in seen.legal and seen.hand == (8, 8) else seen.legal[-1]

    with pytest.raises(
        RuleError,
        match="the strategy plays 'double' with A-A against A: legal are hit, stand, split",
    ):
        Strategy.from_function(SIX_DECKS.changed("double=9-11"), lambda _: "double")
    rules = Rules(double_after_split=False, max_splits=2, insurance=False, surrender="late")
    Strategy.from_function(rules, split_eights)
    assert not [seen for seen in asked if seen.total == 21]
    assert {seen.split_card for seen in asked} <= {None, *VALUES}
    after = [seen for seen in asked if seen.split_card == 8]
    assert after
    assert all(8 in seen.hand and "double" not in seen.legal for seen in after)
    assert all(best_total(seen.hand) == (seen.total, seen.is_soft) for seen in asked)


def test_names():
    """Strategies come by name, and a strategy of other rules is rejected."""
    for name in GAME.strategies:
        assert named(SIX_DECKS, name).name == name
    with pytest.raises(NotationError, match="no strategy 'lucky': choose from solver, card"):
        strategies.named(SIX_DECKS, "lucky")
    with pytest.raises(RuleError, match="the strategy mimic was made for other rules"):
        make_job(ONE_DECK, strategy=mimic(SIX_DECKS))
    with pytest.raises(RuleError, match="choose a chip that divides 100 cents"):
        Blackjack(mimic(Rules(rounding="down:137")))


def test_known_edges():
    """The mimic and the player who never busts lose what is published for them, roughly.

    Griffin, "The Theory of Blackjack", has 5.5 % for the mimic with one deck, and Wong 3.9 % for
    never busting with good doubles and splits; this one has neither.
    """
    found = {}
    for strategy in (mimic, never_bust):
        job = Blackjack(strategy(SIX_DECKS.changed("soft_17=stand")), 1, 5)
        found[strategy] = job.bets(job.play(0, 2_000_000))["main"].house_edge
    assert found[mimic] == pytest.approx(0.0567, abs=0.004)
    assert 0.05 < found[never_bust] < 0.065


def test_classes_add_up():
    """Every round of a seat is in one class of each side bet."""
    job = Blackjack(mimic(Rules(decks=8)), 3, 5)
    counts = job.play(0, 10_000)
    assert job.agrees(counts, 10_000)
    for name, bet in job.bets(counts).items():
        assert bet.classes is None or sum(bet.classes.values()) == 30_000, name
    sides = {job.classes_of(side) for side in range(layout.SIDES)}
    assert len(sides) == layout.SIDES
