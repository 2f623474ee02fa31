"""Strategies as tables: their values, their play through the rules engine, and their files."""

import json
import random
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import permutations
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.core.errors import NotationError, RuleError
from pitboss.core.journal import differences, read_journal, replay
from pitboss.core.protocol import deal_from, supply
from pitboss.games.roll_your_own import GAME, Bet, Round, Rules, strategies
from pitboss.games.roll_your_own.card.lists import Feature, Kind
from pitboss.games.roll_your_own.card.playing import CODES, LATER
from pitboss.games.roll_your_own.card.setting import OWN
from pitboss.games.roll_your_own.kernels import layout
from pitboss.games.roll_your_own.simulation import RollYourOwn
from pitboss.games.roll_your_own.solver import Memory, Solver, SolverError
from pitboss.games.roll_your_own.solver.starts import DOUBLE_BLACKJACKS, is_blackjack, name_of
from pitboss.games.roll_your_own.strategies import (
    NAMES,
    PlaySituation,
    Strategy,
    at_random,
    card,
    mimic,
    printed,
    read,
    start_of,
)
from pitboss.simulator.jobs import UNIT
from pitboss.simulator.samples import chi_square
from pitboss.solver.tables import VALUES, best_total, hands
from pitboss.strategy import strategy_card
from tests.strategies import random_rules

DEFAULT = Rules()
UPS = [*"23456789TA"]
LINES = [
    ("together", 1, 10, UPS),
    ("together", 10, 10, UPS),
    ("hard", 8, 11, UPS),
    ("together", 9, 10, UPS),
    ("pairs", 2, 9, UPS[:7]),
    ("together", 8, 10, UPS[:7]),
    ("together", 1, 9, UPS[:9]),
    ("together", 9, 9, UPS),
    ("together", 1, 8, ["7", "8"]),
    ("highest alone", None, None, UPS),
]
CHART = """
hard  4  H  H  H  H  H  H  H  H  H  H
hard  5  H  H  H  H  H  H  H  H  H  H
hard  6  H  H  H  H  H  H  H  H  H  H
hard  7  H  H  H  H  H  H  H  H  H  H
hard  8  H  H  H  H  Dh H  H  H  H  H
hard  9  Dh Dh Dh Dh Dh H  H  H  H  H
hard 10  Dh Dh Dh Dh Dh Dh Dh Dh H  H
hard 11  Dh Dh Dh Dh Dh Dh Dh Dh Dh Dh
hard 12  H  H  S  S  S  H  H  H  H  H
hard 13  S  S  S  S  S  H  H  H  H  H
hard 14  S  S  S  S  S  H  H  H  H  H
hard 15  S  S  S  S  S  H  H  H  H  H
hard 16  S  S  S  S  S  H  H  H  H  H
hard 17  S  S  S  S  S  S  S  S  S  S
hard 18  S  S  S  S  S  S  S  S  S  S
hard 19  S  S  S  S  S  S  S  S  S  S
hard 20  S  S  S  S  S  S  S  S  S  S
soft 13  H  H  Dh Dh Dh H  H  H  H  H
soft 14  H  H  Dh Dh Dh H  H  H  H  H
soft 15  H  H  Dh Dh Dh H  H  H  H  H
soft 16  H  H  Dh Dh Dh H  H  H  H  H
soft 17  Dh Dh Dh Dh Dh H  H  H  H  H
soft 18  S  Ds Ds Ds Ds S  S  H  H  H
soft 19  S  S  S  S  Ds S  S  S  S  S
soft 20  S  S  S  S  S  S  S  S  S  S
pair  A  P  P  P  P  P  P  P  P  P  P
pair  2  P  P  P  P  P  P  H  H  H  H
pair  3  P  P  P  P  P  P  P  H  H  H
pair  4  H  H  P  P  P  H  H  H  H  H
pair  5  Dh Dh Dh Dh Dh Dh Dh Dh H  H
pair  6  P  P  P  P  P  P  H  H  H  H
pair  7  P  P  P  P  P  P  P  H  H  H
pair  8  P  P  P  P  P  P  P  P  P  P
pair  9  P  P  P  P  P  S  P  P  S  P
pair  T  S  S  S  S  S  S  S  S  S  S
"""
EXCEPTIONS = [
    (None, ["hard", 16], "T", "stand"),
    (["2", "T"], ["hard", 12], "4", "hit"),
    (["2", "6"], ["hard", 8], "6", "hit"),
    (["4", "8"], ["hard", 12], "3", "stand"),
    (["5", "7"], ["hard", 12], "3", "stand"),
]
CARD_EV = 0.38630109345024066
"""What the card of the default rules, which this is, brings: as its own JSON has it."""


def charted():
    """Return the required content of a strategy file, from the card of the default rules."""
    chart = {"up_cards": UPS, "hard": {}, "soft": {}, "pair": {}}
    for line in CHART.strip().splitlines():
        kind, name, *codes = line.split()
        chart[kind][name] = codes
    lines = [dict(zip(("kind", "low", "high", "against"), line, strict=True)) for line in LINES]
    keys = ("cards", "row", "up", "play")
    exceptions = [dict(zip(keys, exception, strict=True)) for exception in EXCEPTIONS]
    body = {"setting": {"lines": lines}, "playing": {"chart": chart, "exceptions": exceptions}}
    return deepcopy(body)


def same(one, other):
    """Return whether two strategies set and play in the same way."""
    return np.array_equal(one.plan, other.plan) and np.array_equal(one.plays, other.plays)


# --- how strategies are played and valued


def way(strategy, up, values):
    """Return how cards are set: the index of the single card, its bet, and the row of plays."""
    how = int(strategy.plan[start_of(up, values)])
    return how >> 1 & 3, how & 1, how >> 3


def row_of_bet(strategy, row, bet):
    """Return the part of a row for one bet, packed like a policy."""
    return strategy.plays[row] >> layout.SECOND_BET * bet & 0xF


def agrees(strategy, seed, rounds):
    """Replay rounds through the rules engine, check the settlements, and return them."""
    job, found = RollYourOwn(strategy, 1, seed), []
    for number in range(rounds):
        written = read_journal(json.dumps(job.journal(number)))
        played = replay(written)
        assert differences(written, played) == []
        assert played.phase == "settled"
        found.append(written)
    return found


def means(strategy, rounds, blocks):
    """Return the mean results of the blackjack bets in blocks of the same rounds."""
    job, size = RollYourOwn(strategy, 1, 1), rounds // blocks
    begins = range(0, rounds, size)
    return np.array([job.trial(job.play(n, n + size)).blackjack.mean for n in begins])


def z_of(samples, expected):
    return (samples.mean() - expected) / (samples.std(ddof=1) / sqrt(len(samples)))


class Exact:
    """The exact value of tables, start by start; the two hands ignore each other."""

    def __init__(self, strategy):
        self.strategy, self.solver = strategy, Solver(strategy.rules)
        self.play = self.solver.play

    def value(self):
        return sum(self._against(up) for up in VALUES)

    def _against(self, up):
        self.engine, total = self.solver.engine(up), 0.0
        for own in OWN:
            dealt = [*set(permutations(own))]
            if weight := self.solver.ways(up, own) / comb(51, 3) / len(dealt):
                worth = cache(self._worth)
                total += weight * sum(self._set(up, values, worth) for values in dealt)
        self.solver.forget(up)
        return self.solver.deck[up - 1] / 52 * total

    def _set(self, up, values, worth):
        """Return the value of three cards in the order dealt."""
        alone, bet, row = way(self.strategy, up, values)
        own = tuple(sorted(values))
        if own in DOUBLE_BLACKJACKS:
            assert self.strategy.plan[start_of(up, values)] == -1
            return 2 * self.play.pays
        left, cards = self.solver.unseen((*own, up))
        barred = self.engine.barred
        found = left[barred - 1] / cards if barred else 0.0
        two = tuple(sorted(values[:alone] + values[alone + 1 :]))
        total = 0.0
        for hand, on in (((values[alone],), bet), (two, 1 - bet)):
            ended = self.solver._ended(hand, left, barred).value
            plays = row_of_bet(self.strategy, row, on).tobytes()
            total += found * ended + (1 - found) * worth(own, hand, plays)
        return total

    def _worth(self, own, hand, packed):
        plays = np.frombuffer(packed, np.int8)
        start, split, most = plays[:-1] & 3, plays[:-1] >> layout.AFTER_SPLIT, int(plays[-1])
        if len(hand) == 2:
            return self._two(own, hand, start, split, most)
        (one,) = hand
        total = self.engine.follow(own, hand, np.minimum(start, layout.DOUBLE))
        for value in {one, 11 - one} if one in {1, 10} else {one}:
            if (chance := self.engine.chance(own, value)) > 0:
                seen, two = tuple(sorted((*own, value))), tuple(sorted((one, value)))
                plain = self.engine.follow(seen, two, np.minimum(start, layout.DOUBLE))
                total += chance * (self._two(seen, two, start, split, most) - plain)
        return total

    def _two(self, seen, hand, start, split, most):
        if is_blackjack(hand):
            return self.play.pays
        if start[hands().pair[hand]] != layout.SPLIT:
            return self.engine.follow(seen, hand, start)
        policy = np.zeros_like(split) if hand[0] == 1 else split
        return self.engine.split(seen, hand[0], policy, most)[-1]


@pytest.fixture(scope="module")
def solved():
    told = []
    strategy = strategies.solved(DEFAULT, told.append)
    assert told[-1] == 1.0
    return strategy


# --- what they are worth


def test_the_card_is_worth_what_it_says():
    """The card's tables have the value printed on the card, exactly and in a million rounds."""
    strategy = read(charted(), DEFAULT)

    assert Exact(strategy).value() == pytest.approx(CARD_EV, abs=1e-12)
    assert abs(z_of(means(strategy, 1_000_000, 500), CARD_EV)) < 4


@pytest.mark.long
@pytest.mark.xdist_group("strategies")
def test_what_the_card_loses(solved):
    """The same 4 million rounds, played both ways, differ by the cost of the card."""
    strategy = read(charted(), DEFAULT)
    lost = CARD_EV - solved.ev

    played, best = (means(s, 4_000_000, 1000) for s in (strategy, solved))

    assert -0.002 < lost < 0
    assert abs(z_of(best, solved.ev)) < 4
    assert abs(z_of(played - best, lost)) < 4
    assert (played - best).std() < 0.3 * played.std()  # the rounds are the same


@pytest.mark.long
@pytest.mark.parametrize("soft_17", ["hit", "stand"])
def test_mimic_is_worth_its_exact_value(soft_17):
    """Simulated rounds of the mimic agree with its exact value."""
    strategy = mimic(DEFAULT.changed(f"soft_17={soft_17}"))

    value = Exact(strategy).value()

    assert -0.08 < value < -0.06
    assert abs(z_of(means(strategy, 500_000, 250), value)) < 4


@pytest.mark.long
@pytest.mark.xdist_group("strategies")
def test_the_solver_s_tables_are_worth_its_value(solved):
    """The tables have the solver's value, even if the game was solved before."""
    again = Strategy.of(Solver(DEFAULT).solve_game())

    assert Exact(solved).value() == pytest.approx(solved.ev, abs=1e-12)
    assert again.ev == solved.ev
    assert same(again, solved)


@pytest.mark.long
@pytest.mark.parametrize(
    "changes",
    [
        (),
        ("max_splits=0", "hole_card=no_peek", "soft_17=stand"),
        ("double_after_split=no", "max_splits=2", "resplit_aces=yes", "blackjack_pays=6:5"),
    ],
    ids=str,
)
def test_printed_cards(changes):
    """A card printed for any rules has its stated value, also if it is read from its text."""
    rules = DEFAULT.changed(*changes)
    data = strategy_card(GAME, rules)

    strategy = card(data)
    file = read(json.dumps(data), rules)

    assert Exact(strategy).value() == pytest.approx(strategy.ev, abs=1e-12)
    assert abs(z_of(means(strategy, 4_000_000, 1000), strategy.ev)) < 4
    agrees(strategy, 1, 300)
    assert (file.name, file.ev) == ("file", None)
    assert same(file, strategy)
    assert changes or strategy.ev == CARD_EV
    assert changes or same(strategy, read(charted(), rules))


def test_printed(monkeypatch):
    """The printed card is made for the rules, and keeps its name and stated value."""
    data = charted() | {"rules": DEFAULT.as_json(), "ev": {"best": 0.4, "card": 0.25}}
    asked = []
    monkeypatch.setattr(strategies, "strategy_card", lambda *given: asked.append(given) or data)

    strategy = printed(DEFAULT, print)

    assert asked == [(GAME, DEFAULT, print)]
    assert (strategy.name, strategy.rules, strategy.ev) == ("card", DEFAULT, 0.25)
    assert same(strategy, read(data, DEFAULT))


def test_of_a_solver():
    """A solver's strategy sets and plays every start as the solver does, for a deck of 18 cards."""
    solver = Solver(DEFAULT, deck=(2, 1, 1, 1, 1, 1, 1, 3, 1, 6))
    told = []

    strategy = Strategy.of(solver, told.append)

    game = solver.solve_game()
    assert strategy.ev == game.ev
    assert told[-1] == 1.0
    for start in (s for up_card in game.up_cards for s in up_card.starts if s.ways):
        alone, bet, row = way(strategy, start.up, start.own)
        both = start.best.first, start.best.second
        assert both[bet] == (start.own[alone],)
        for on, hand in enumerate(both):
            policy = solver.engine(start.up).policy(start.own, hand, solver.play)
            assert row_of_bet(strategy, row, on).tobytes() == strategies.packed(policy)


def test_of_a_game():
    """A partly solved game gives the same tables as a solver."""
    solver = Solver(DEFAULT.changed("max_splits=1"))
    up_card = solver._gather(6, solver.solve_all(6, [(1, 9, 9), (1, 10, 10), (8, 8, 8)]))
    taken, told = strategies._PlayCollector(solver), []
    taken.keep(up_card.starts)
    game = strategies.Game(solver.rules, Memory.NONE, (up_card,), 0, 0.0)

    strategy = Strategy.of(game, told.append)

    assert told == [1.0]
    assert (strategy.name, strategy.ev) == ("solver", game.ev)
    assert np.array_equal(strategy.plan, strategies._build_tables(taken.sets())[0])
    assert way(strategy, 6, (9, 1, 9))[:2] == (1, 1)
    assert strategy.plan[start_of(6, (10, 1, 10))] == -1


def test_other_memories_are_refused():
    """Only memory none gives a policy that can be simulated."""
    with pytest.raises(SolverError, match="memory 'none', not 'full'"):
        Strategy.of(Solver(DEFAULT, Memory.FULL))


# --- how they play


def chart_says(data, up, cards, legal):
    """Read a chart as a person would."""
    chart = data["playing"]["chart"]
    column = chart["up_cards"].index(name_of(up))
    total, soft = best_total(cards)
    kind = "soft" if soft else "hard"
    if "split" in legal and chart["pair"]:
        return CODES[chart["pair"][name_of(cards[0])][column]]
    code = chart[kind].get(str(total), ["H"] * 10)[column]
    names = sorted(name_of(value) for value in cards) if len(cards) == 2 else None
    for exception in data["playing"]["exceptions"]:
        held = exception["cards"] and sorted(exception["cards"])
        about = (exception["row"], exception["up"], held)
        if about == ([kind, total], name_of(up), names) and exception["play"] in legal:
            return exception["play"]
    return CODES[code] if CODES[code] in legal else LATER[code]


def lines_say(data, up, own):
    """Return the value that the first line that fits leaves alone."""
    for line in data["setting"]["lines"]:
        feature = Feature(Kind(line["kind"]), line["low"] or 0, line["high"] or 0)
        if name_of(up) in line["against"] and feature.pick(own) >= 0:
            return own[feature.pick(own)]
    raise AssertionError


def check_reading(data, rules, written):
    """Play the round of a journal and compare each decision with the file."""
    table = deal_from(written.deck, Round(rules).apply(Bet.of(1, UNIT)))
    for text in written.decisions:
        up, kind = table.dealer[1].value, table.asked.decision
        legal = [str(decision) for decision in table.asked.legal]
        decision = GAME.decision(1, text)
        if kind == "set":
            own = tuple(sorted(c.value for c in table.seats[0].cards))
            assert [c.value for c in decision.second] == [lines_say(data, up, own)]
        elif kind != "insure":
            cards = tuple(card.value for card in table._spot.hand.cards)
            assert text == chart_says(data, up, cards, legal), (up, cards, legal)
        table = supply(written.deck, table.apply(decision))


CHANGES = [
    "max_splits=0",
    "max_splits=1",
    "double_after_split=no",
    "resplit_aces=yes",
    "hole_card=no_peek",
]


@pytest.mark.parametrize("change", ["seats=7", *CHANGES])
def test_the_card_is_played_as_it_is_read(change):
    """Under any rules, 200 rounds settle correctly, with each decision as on the card."""
    data, rules = charted(), DEFAULT.changed(change)
    for written in agrees(read(data, rules), 5, 200):
        check_reading(data, rules, written)


@pytest.mark.parametrize("seed", range(6))
def test_any_chart_is_played_as_it_is_read(seed):
    """Random charts and lines are played as they read, under random rules."""
    chance, data = random.Random(seed), charted()
    chart = data["playing"]["chart"]
    chart["up_cards"] = chance.sample(UPS, 10)
    chart["soft"]["12"] = [""]
    for kind in ("hard", "soft", "pair"):
        codes = [*CODES, "P", "P", "P"] if kind == "pair" else [*LATER]
        chart[kind] = {name: chance.choices(codes, k=10) for name in chart[kind]}
    if seed % 3 == 0:
        chart["pair"] = {}
        data["playing"]["exceptions"].append(
            {"cards": ["8", "8"], "row": ["hard", 16], "up": "9", "play": "double"}
        )
    chance.shuffle(lines := data["setting"]["lines"][:-1])
    data["setting"]["lines"] = [
        *({**line, "against": chance.sample(UPS, 4)} for line in lines),
        {"kind": "lowest alone", "low": None, "high": None, "against": UPS},
    ]
    rules = random_rules(chance, GAME, rounding="cent")

    for written in agrees(read(json.dumps(data), rules), seed, 100):
        check_reading(data, rules, written)


@pytest.mark.parametrize("changes", [(), ("soft_17=stand",), ("hole_card=no_peek",)])
def test_mimic(changes):
    """The mimic sets the cards as dealt and hits like the dealer, in 250 replayed rounds."""
    rules = DEFAULT.changed(*changes)
    happened = Counter()
    for written in agrees(mimic(rules), 3, 250):
        table = deal_from(written.deck, Round(rules).apply(Bet.of(1, UNIT)))
        for text in written.decisions:
            decision, kind = GAME.decision(1, text), table.asked.decision
            if kind == "set":
                assert (*decision.first, *decision.second) == table.seats[0].cards
                assert len(decision.first) == 2
            elif kind != "insure":
                total, soft = best_total(tuple(c.value for c in table._spot.hand.cards))
                hits = total < 17 or (total == 17 and soft and "soft_17=stand" not in changes)
                assert text == ("hit" if hits else "stand")
            happened[kind] += 1
            table = supply(written.deck, table.apply(decision))
    assert happened["set"] > 200
    assert mimic(rules).name == NAMES[2] == "mimic"
    assert mimic(rules).ev is None


# --- functions


def by_chance(seed):
    """Return functions that give random answers, the same each time."""

    def chance(*seen):
        return random.Random(repr((seed, *seen)))

    def alone(up, own):
        return chance(up, own).choice(own)

    def play(seen):
        known = chance(seen.up, seen.hand, seen.legal)
        return (
            "split" if "split" in seen.legal and known.random() < 0.6 else known.choice(seen.legal)
        )

    return alone, play


AGAIN = "double_after_split=no resplit_aces=yes max_splits=3"


@pytest.mark.parametrize(
    "changes", ["seats=7", *(pytest.param(c, marks=pytest.mark.long) for c in CHANGES), AGAIN]
)
def test_functions_are_played_as_they_say(changes):
    """In 200 rounds, each decision is the function's answer for the engine's legal plays."""
    rules = DEFAULT.changed(*changes.split())
    alone, play = by_chance(changes)
    strategy = Strategy.from_functions(rules, alone=alone, play=play)
    asked = Counter()
    for written in agrees(strategy, 9, 200):
        table = deal_from(written.deck, Round(rules).apply(Bet.of(1, UNIT)))
        for text in written.decisions:
            up, decision = table.dealer[1].value, GAME.decision(1, text)
            if table.asked.decision == "set":
                own = tuple(sorted(c.value for c in table.seats[0].cards))
                assert [c.value for c in decision.second] == [alone(up, own)]
            elif table.asked.decision != "insure":
                hand = tuple(sorted(card.value for card in table._spot.hand.cards))
                legal = tuple(map(str, table.asked.legal))
                assert text == play(PlaySituation(up, hand, legal)), (up, hand, legal)
                asked[legal] += 1
            table = supply(written.deck, table.apply(decision))
    assert asked["hit", "stand", "double"] > 50
    assert changes != AGAIN or asked["hit", "stand", "split"] > 2


def test_functions_that_read_the_card():
    """The card as two functions gives the same counts as the card as a file."""
    data = charted()
    strategy = Strategy.from_functions(
        DEFAULT,
        alone=lambda up, own: lines_say(data, up, own),
        play=lambda seen: chart_says(data, seen.up, seen.hand, seen.legal),
    )
    jobs = [RollYourOwn(s, 1, 3) for s in (strategy, read(data, DEFAULT))]

    one, other = (job.play(0, 100_000) for job in jobs)

    assert np.array_equal(one, other)
    assert (strategy.name, strategy.ev) == ("own", None)


def test_functions_see_a_total():
    """A play situation has the hand's total, and whether it is soft."""
    seen = PlaySituation(6, (1, 2, 4), ("hit", "stand"))

    assert (seen.total, seen.is_soft) == (17, True)
    assert (PlaySituation(6, (1, 6, 10), ()).total, PlaySituation(6, (1, 6, 10), ()).is_soft) == (
        17,
        False,
    )


def test_functions_are_asked_what_can_come():
    """The functions are called only for cases that can occur in a round."""
    asked = set()

    def play(seen):
        asked.add(seen)
        return "split" if seen.hand in {(1, 1), (10, 10)} and "split" in seen.legal else "stand"

    Strategy.from_functions(DEFAULT.changed("resplit_aces=yes"), alone=lambda _, o: o[0], play=play)

    assert {s.legal for s in asked if s.hand == (1, 1)} == {
        ("hit", "stand", "double", "split"),
        ("stand", "split"),
    }
    assert {s.legal for s in asked if s.hand == (8, 8)} == {("hit", "stand", "double", "split")}
    assert all(len(s.hand) >= 2 and s.total < 21 for s in asked)
    assert not any(s.hand.count(s.up) > 3 for s in asked if s.up < 10)


@pytest.mark.parametrize(
    ("pair", "again", "most"),
    [((1, 1), "split", 3), ((1, 1), "stand", 1), ((8, 8), "split", 3), ((8, 8), "hit", 1)],
)
def test_functions_split_again(pair, again, most):
    """If the function says so, a new pair is split as often as the rules allow; otherwise not."""

    def play(seen):
        if seen.hand != pair:
            return "stand"
        return "hit" if "split" not in seen.legal else "split" if "double" in seen.legal else again

    rules = DEFAULT.changed(*AGAIN.split())
    strategy = Strategy.from_functions(rules, alone=lambda _, own: own[2], play=play)

    _, bet, row = way(strategy, 6, (*pair, 9))
    assert row_of_bet(strategy, row, 1 - bet)[-1] == most
    later = row_of_bet(strategy, row, 1 - bet)[hands().pair[pair]] >> layout.AFTER_SPLIT
    assert pair == (1, 1) or later == layout.HIT


def test_functions_need_not_ask_what_is_legal():
    """A function that never splits may double any two cards; splitting aces is decided once."""
    rules = DEFAULT.changed("double_after_split=no")

    for play in (
        lambda seen: "double" if len(seen.hand) == 2 else "stand",
        lambda seen: "split" if seen.hand == (1, 1) else "stand",
    ):
        strategy = Strategy.from_functions(rules, alone=lambda _, own: own[1], play=play, name="x")
        assert strategy.name == "x"


@pytest.mark.parametrize(
    ("alone", "play", "message"),
    [
        (max, "double", r"plays 'double' with A-A-A against 2: legal are hit, stand$"),
        (
            max,
            "surrender",
            r"plays 'surrender' with A-A against 2: legal are hit, stand, double, s",
        ),
        (max, None, r"plays None with A-A against 2: legal are hit, stand, double, split$"),
        (sum, "stand", r"leaves 3 alone from A-A-A against 2: it must be one of \(1, 1, 1\)$"),
        (str, "stand", r"leaves '\(1, 1, 1\)' alone from A-A-A against 2: it must be one of"),
    ],
)
def test_functions_that_cannot_be(alone, play, message):
    """An illegal play, or a card that is not in the hand, is rejected; the error names the case."""
    with pytest.raises(RuleError, match=f"^the strategy {message}"):
        Strategy.from_functions(DEFAULT, alone=lambda _, own: alone(own), play=lambda _: play)


# --- strategy files


def test_round_trip():
    """A strategy can be parsed from its JSON, also with reordered up cards or additional keys."""
    data = charted()
    strategy = read(data, DEFAULT)
    turned = deepcopy(data)
    chart = turned["playing"]["chart"]
    for codes in (
        chart["up_cards"],
        *(c for k in ("hard", "soft", "pair") for c in chart[k].values()),
    ):
        codes.reverse()
    more = data | {"game": GAME.key, "digest": "of other rules", "costs": {}}
    full = card(data | {"rules": DEFAULT.as_json(), "ev": {"card": CARD_EV}})

    assert same(strategy, read(json.dumps(data), DEFAULT))
    assert same(strategy, read(turned, DEFAULT))
    assert same(strategy, read(more, DEFAULT, name="mine"))
    assert same(strategy, full)
    assert (full.name, full.ev) == ("card", CARD_EV)
    assert (strategy.name, strategy.ev) == ("file", None)
    assert read(more, DEFAULT, name="mine").name == "mine"
    assert strategy.rules == DEFAULT


def test_only_what_to_do_is_needed():
    """Exceptions and pairs are optional; without them there are no exceptions and no splits."""
    data = charted()
    del data["playing"]["exceptions"], data["playing"]["chart"]["pair"]

    strategy = read(data, DEFAULT)

    for bet in (0, 1):
        plays = row_of_bet(strategy, slice(None), bet)
        assert not (plays[:, :-1] & 3 == layout.SPLIT).any()
        assert not plays[:, -1].any()
        assert (plays[:, hands().pair[1, 1]] & 3 == layout.HIT).all()


def test_splits():
    """Pairs that the chart splits are split as often as the rules allow, aces once."""
    data = charted()
    for change, most, aces in [
        ("seats=7", 4, 1),
        ("resplit_aces=yes", 4, 4),
        ("max_splits=0", 0, 0),
    ]:
        strategy = read(data, DEFAULT.changed(change))
        found = {}
        for own in [(8, 8, 10), (1, 1, 5), (4, 4, 10)]:
            row = way(strategy, 10, own)[2]
            found[own] = max(row_of_bet(strategy, row, bet)[-1] for bet in (0, 1))
        assert [*found.values()] == [most, aces, 0]


def put(data, path, value):
    """Change a part of the data; ``...`` removes it."""
    *parents, last = path
    for key in parents:
        data = data[key]
    if value is ...:
        del data[last]
    else:
        data[last] = value


LINE = ("setting", "lines", 2)
HARD = ("playing", "chart", "hard", "16")
FIRST = ("playing", "exceptions", 1)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("setting",), ..., "a strategy needs 'setting'"),
        (("playing",), [], "playing must be a JSON object, not []"),
        (("game",), "toss-one-21", "the strategy is for 'toss-one-21', not for roll-your-own"),
        (("setting", "lines"), {}, "setting lines must be a list, not {}"),
        (LINE, None, "setting line 3 must be a JSON object, not None"),
        ((*LINE, "against"), ..., "setting line 3 needs 'against'"),
        (
            (*LINE, "kind"),
            ["hard"],
            "['hard'] is not a kind of setting line 3: choose from together, hard, soft, pairs,",
        ),
        (
            (*LINE, "high"),
            21,
            "setting line 3: 'hard' needs low and high, whole numbers in 4..20, not 8 and",
        ),
        (
            (*LINE, "low"),
            True,
            "setting line 3: 'hard' needs low and high, whole numbers in 4..20, not True",
        ),
        (
            ("setting", "lines", 9, "low"),
            3,
            "setting line 10: 'highest alone' has no low and high: they must be null",
        ),
        (
            (*LINE, "against"),
            ["10"],
            "'10' is not a card of setting line 3, 'against': choose from 2, 3, 4, 5, 6, 7, 8, 9,",
        ),
        (
            ("setting", "lines", 9, "against"),
            UPS[1:],
            "no setting line applies to A-A-A against 2: the last line must be 'highest alone'",
        ),
        (("playing", "chart"), ..., "playing needs 'chart'"),
        (
            ("playing", "exception"),
            [],
            "'exception' is not a key of playing: choose from chart, cost, cost_with_exceptions,",
        ),
        (
            ("playing", "chart", "pairs"),
            {},
            "'pairs' is not a key of the chart: choose from hard, pair, soft, up_cards",
        ),
        (
            ("playing", "chart", "up_cards"),
            UPS[:9],
            "up_cards must contain each of 2, 3, 4, 5, 6, 7, 8, 9, T, A once",
        ),
        (HARD, ..., "the chart of hard needs a row '16'"),
        (("playing", "chart", "pair", "T"), ..., "the chart of pair needs a row 'T'"),
        (("playing", "chart", "soft", "20"), ..., "the chart of soft needs a row '20'"),
        (
            ("playing", "chart", "soft", "21"),
            ["S"] * 10,
            "'21' is not a row of the chart of soft: choose from 12, 13, 14, 15, 16, 17, 18, 19,",
        ),
        (HARD, "S", "row '16' of the chart of hard must be a list, not 'S'"),
        (
            HARD,
            ["S"] * 9,
            "row '16' of the chart of hard needs 10 codes, one for each up card, not 9",
        ),
        (
            (*HARD, 3),
            "P",
            "'P' is not a code of row '16' of the chart of hard: choose from S, H, Dh, Ds",
        ),
        (
            ("playing", "chart", "pair", "A", 9),
            None,
            "None is not a code of row 'A' of the chart of pair: choose from S, H, Dh, Ds, P",
        ),
        (("playing", "exceptions"), None, "exceptions must be a list, not None"),
        ((*FIRST, "cards"), ..., "exception 2 needs 'cards'"),
        (
            (*FIRST, "up"),
            4,
            "4 is not an up card of exception 2: choose from 2, 3, 4, 5, 6, 7, 8, 9, T, A",
        ),
        (
            (*FIRST, "row"),
            ["hard", 12.0],
            "exception 2: ['hard', 12.0] is not a row: write it as in [\"hard\", 16]",
        ),
        (
            (*FIRST, "row"),
            ["pair", 2],
            "exception 2: ['pair', 2] is not a row: write it as in [\"hard\", 16]",
        ),
        (
            (*FIRST, "cards"),
            ["3", "T"],
            "exception 2: cards ['3', 'T'] are not two cards that make hard 12",
        ),
        (
            (*FIRST, "cards"),
            ["2", "4", "6"],
            "exception 2: cards ['2', '4', '6'] are not two cards that make hard 12",
        ),
        (
            (*FIRST, "cards"),
            ["6", "6"],
            "exception 2: cards ['6', '6'] have their own row among the pairs",
        ),
        (
            (*FIRST, "play"),
            "split",
            "'split' is not a play of exception 2: choose from stand, hit, double",
        ),
        (
            ("playing", "exceptions", 0, "play"),
            "double",
            "'double' is not a play of exception 1: choose from stand, hit",
        ),
        (
            ("playing", "exceptions", 4),
            dict(zip(("cards", "row", "up", "play"), EXCEPTIONS[3], strict=True)),
            "exception 5 is for the same hands as another exception",
        ),
    ],
)
def test_errors(path, value, message):
    """Each error in a file gives one message that says what is wrong and what is valid."""
    data = charted()
    put(data, path, value)

    with pytest.raises(NotationError) as caught:
        read(json.dumps(data), DEFAULT)

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '{"setting": {}, "setting": {}}', "[" * 9999])
def test_not_even_json(text):
    """A file that is not a JSON object is rejected as such."""
    with pytest.raises(NotationError):
        read(text, DEFAULT)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
    | st.sampled_from(["S", "P", "hard", "pairs", "A", "hit"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)  # fmt: skip


def paths(data, so_far=()):
    """Return the paths to every part of the data."""
    parts = data.items() if isinstance(data, dict) else enumerate(data)
    for key, part in parts:
        yield (*so_far, key)
        if isinstance(part, dict | list):
            yield from paths(part, (*so_far, key))


@settings(max_examples=150)
@given(st.sampled_from([*paths(charted())]), anything | st.just(...))
def test_broken_files(path, value):
    """A file with any error is parsed completely or rejected."""
    data = charted()
    put(data, path, value)
    try:
        strategy = read(json.dumps(data), DEFAULT)
    except NotationError as error:
        assert "\n" not in str(error)
    else:
        assert strategy.plays.shape[1] == len(hands().state) + 1


@given(anything)
def test_any_json(value):
    """Other JSON is not accepted as a strategy."""
    with pytest.raises(NotationError):
        read(json.dumps(value), DEFAULT)
    if not isinstance(value, str):
        with pytest.raises(NotationError):
            read(value, DEFAULT)


def test_tables():
    """The tables have the kernel's format, and a changed value does not alter them."""
    strategy = mimic(DEFAULT)
    plan, plays, grown, options, reach = replace(strategy, ev=1.0).tables(3)

    assert [table.dtype for table in (plan, plays, grown)] == [np.int32, np.uint8, np.int16]
    assert plan.shape == (10**4,)
    assert plays.shape[1] == len(grown) == len(hands().state) + 1
    assert (options[layout.SEATS], options[layout.MODE]) == (3, layout.BY_TABLE)
    rules = (layout.PEEKS, layout.DRAWS, layout.HITS_SOFT_17, layout.MAX_SPLITS)
    assert options[[*rules]].tolist() == [1, 1, 1, 4]
    assert options[layout.RUN_OUT_WINS] == options[layout.DOUBLES_SPLITS] == 1
    assert not options[layout.RESPLITS_ACES]
    assert (reach == -1).all()


def test_digests():
    """The digest of a strategy depends on its plays, not on its name or value."""
    one = mimic(DEFAULT)
    told = [
        one,
        at_random(DEFAULT),
        mimic(DEFAULT.changed("soft_17=stand")),
        read(charted(), DEFAULT),
    ]
    assert len({strategy.digest() for strategy in told}) == len(told)
    assert replace(one, name="other", ev=1.0).digest() == mimic(DEFAULT).digest()


def test_at_random():
    """Every way to set and every legal play is equally frequent."""
    job = RollYourOwn(at_random(DEFAULT), 1, 2)
    first, ways = Counter(), Counter()
    for number in range(1500):
        written = read_journal(json.dumps(job.journal(number)))
        table = deal_from(written.deck, Round(DEFAULT).apply(Bet.of(1, UNIT)))
        for text in written.decisions:
            kind, legal = table.asked.decision, [str(decision) for decision in table.asked.legal]
            if kind == "set":
                ways[legal.index(text)] += 1
            elif kind != "insure":
                first[len(legal), legal.index(text)] += 1
            table = supply(written.deck, table.apply(GAME.decision(1, text)))
    told = [[ways[i] for i in range(6)]]
    told += [[first[n, i] for i in range(n)] for n in (2, 3, 4)]
    for counts in told:
        assert len(counts) > 1
        assert chi_square((n, sum(counts) / len(counts)) for n in counts).p > 1e-3
