"""Rounds played by the solver's strategy: how far results spread, and how often things happen.

The solver's values are exact; a trial gives what they do not, with standard errors, and checks them
by play. Rounds are counted by what happened and priced afterwards, so totals are whole numbers that
do not depend on how the work was shared out, and round *i* depends on the seed and on *i* alone.
One seat plays as memory ``none`` does, and never insures; winnings are not rounded.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from pitboss.cards import DECK, spell
from pitboss.games.roll_your_own import (
    GAME,
    PUSH,
    Bonus,
    HoleCard,
    Insurance,
    OneCard,
    Outcome,
    SetHands,
    Soft17,
)
from pitboss.kernels import roll_your_own as kernel
from pitboss.notation import FORMAT
from pitboss.paytables import EVEN, Odds, unit_net
from pitboss.solver.engine import PLAYS, SolverError
from pitboss.solver.starts import Game, Memory, Solver
from pitboss.solver.tables import ACE, VALUES, hands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction
    from typing import TypeAlias

    from numpy.typing import NDArray

    from pitboss.games.roll_your_own import Rules
    from pitboss.rules import Json
    from pitboss.solver.engine import Policy
    from pitboss.solver.starts import UpCard

    Tables: TypeAlias = tuple[
        NDArray[np.int16],
        NDArray[np.uint8],
        NDArray[np.int16],
        NDArray[np.int64],
    ]

CHUNK = 1 << 17  # rounds that a thread plays at a time

OUTCOMES = (
    Outcome.DOUBLE_BLACKJACK,
    Outcome.BLACKJACK,
    Outcome.BUST,
    Outcome.DEALER_BLACKJACK,
    Outcome.DEALER_BUST,
    Outcome.HIGHER_TOTAL,
    Outcome.LOWER_TOTAL,
    Outcome.PUSH,
)
"""How hands end, as the kernel numbers it."""

_PAYS: dict[Outcome, Odds | None] = {
    Outcome.BUST: None,
    Outcome.DEALER_BLACKJACK: None,
    Outcome.DEALER_BUST: EVEN,
    Outcome.HIGHER_TOTAL: EVEN,
    Outcome.LOWER_TOTAL: None,
    Outcome.PUSH: PUSH,
}

EVENTS = (
    *(f"hands: {outcome}" for outcome in OUTCOMES),
    "doubles",
    "splits",
    "units added",  # by doubles and splits
    "dealer's blackjacks",  # dealt, turned or not
    "dealer's busts",
)
"""What a trial counts, as the kernel numbers it."""


# --- how the seat plays


@dataclass(frozen=True)
class Strategy:
    """What to do in every case, as the tables of the kernel; and what it is worth, if known."""

    rules: Rules
    tables: Tables
    ev: float | None = None

    @classmethod
    def of(cls, solved: Solver | Game) -> Strategy:
        """Take the strategy of memory ``none``; a solver solves the game first."""
        if solved.memory is not Memory.NONE:
            raise SolverError(f"a trial plays memory 'none', not {solved.memory.value!r}")
        game = solved if isinstance(solved, Game) else solved.solve_game()
        solver = Solver(game.rules)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(lambda card: _policies(solver, card), game.up_cards))
        plan = np.full((10**4, kernel.PLAN), -1, np.int16)
        rows: list[Policy] = []
        for card, policies in zip(game.up_cards, parts, strict=True):
            for values, way in _settings(card).items():
                plan[_start(card.up, values), : kernel.ROWS_AT] = way
            for own, pair in policies.items():
                for values in set(permutations(own)):
                    plan[_start(card.up, values), kernel.ROWS_AT :] = len(rows), len(rows) + 1
                rows += pair
        plays = np.array([_packed(policy) for policy in rows])
        return cls(game.rules, (plan, plays, _grown(), _options(game.rules)), game.ev)


def _start(up: int, values: tuple[int, ...]) -> int:
    """Return the number of an up card and three values in the order dealt."""
    a, b, c = values
    return (((up - 1) * 10 + a - 1) * 10 + b - 1) * 10 + c - 1


def _policies(solver: Solver, card: UpCard) -> dict[tuple[int, ...], list[Policy]]:
    """Return how both hands of every start are played, set in the best way."""
    engine = solver.engine(card.up)
    found = {
        s.own: [engine.policy(s.own, hand, solver.play) for hand in (s.best.first, s.best.second)]
        for s in card.starts
        if s.ways
    }
    solver.forget(card.up)
    return found


def _settings(card: UpCard) -> dict[tuple[int, ...], tuple[int, int]]:
    """Return which card stands alone and on which bet, by values in the order dealt."""
    found = {}
    for start in (s for s in card.starts if s.ways):
        bet = 0 if len(start.best.first) == 1 else 1
        (lone,) = (start.best.first, start.best.second)[bet]
        for values in set(permutations(start.own)):
            found[values] = values.index(lone), bet
    return found


def _packed(policy: Policy) -> NDArray[np.uint8]:
    """Return the plays of a starting hand as a row of the kernel's table."""
    plays = policy.start | policy.split << kernel.AFTER_SPLIT
    return np.append(plays, policy.splits).astype(np.uint8)


@cache
def _grown() -> NDArray[np.int16]:
    """Return how hands grow, as the kernel takes it."""
    known = hands()
    table = np.full((len(known.state) + 1, 11), 0, np.int16)
    table[:-1, :10], table[:-1, kernel.STATE] = known.child, known.state
    table[-1, :10] = [known.pair[v, 0] for v in VALUES]
    return table


def _options(rules: Rules) -> NDArray[np.int64]:
    options = np.zeros(kernel.OPTIONS, np.int64)
    options[kernel.PEEKS] = rules.hole_card is HoleCard.PEEK
    options[kernel.DRAWS] = rules.one_card_vs_dealer_blackjack is OneCard.DRAWS
    options[kernel.HITS_SOFT_17] = rules.soft_17 is Soft17.HIT
    options[kernel.MAX_SPLITS] = rules.max_splits
    options[kernel.RESPLITS_ACES] = rules.resplit_aces
    return options


# --- what came of it


@dataclass(frozen=True, slots=True)
class Sample:
    """How often each number came in so many rounds."""

    counts: Mapping[Fraction | int, int]

    @property
    def rounds(self) -> int:
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        return float(sum(x * n for x, n in self.counts.items()) / self.rounds)

    @property
    def std_dev(self) -> float:
        return sqrt(self._moment(2) * self.rounds / max(1, self.rounds - 1))

    @property
    def std_error(self) -> float:
        """The standard error of the mean."""
        return self.std_dev / sqrt(self.rounds)

    @property
    def std_dev_error(self) -> float:
        """The standard error of the standard deviation, from the fourth moment (large samples)."""
        square = self._moment(2)
        spread = max(0.0, self._moment(4) - square**2)
        return sqrt(spread / self.rounds / square) / 2 if square else 0.0

    @property
    def chance(self) -> float:
        """The share of rounds in which the number is not nothing."""
        return 1 - self.counts.get(0, 0) / self.rounds

    def z(self, expected: float) -> float:
        """Return how many standard errors the mean is above *expected*."""
        return (self.mean - expected) / self.std_error

    def _moment(self, power: int) -> float:
        mean = self.mean
        return sum(n * (float(x) - mean) ** power for x, n in self.counts.items()) / self.rounds

    def as_json(self) -> dict[str, Json]:
        return {
            "mean": self.mean,
            "std_error": self.std_error,
            "std_dev": self.std_dev,
            "std_dev_error": self.std_dev_error,
        }


@dataclass(frozen=True, kw_only=True)
class Trial:
    """So many rounds of one seat, a unit on each bet, counted by what happened."""

    rules: Rules
    seed: int
    rounds: int
    nets: NDArray[np.int64]  # by class of the Bonus, bets paid as blackjacks, and other units won
    events: NDArray[np.int64]  # by event, and how often it happened in a round
    seconds: float
    ev: float | None = None  # of the two blackjack bets together, computed

    @property
    def blackjack(self) -> Sample:
        """The two blackjack bets together."""
        return self._priced(lambda _, blackjack: blackjack)

    @property
    def bonus(self) -> Sample:
        return self._priced(lambda bonus, _: bonus)

    @property
    def package(self) -> Sample:
        """All three bets."""
        return self._priced(lambda bonus, blackjack: bonus + blackjack)

    def _priced(self, price: Callable[[Fraction, Fraction], Fraction]) -> Sample:
        pays = self.rules.blackjack_pays.on(1)
        table = self.rules.bonus_paytable
        bonuses = [unit_net(table.odds(c)) for c in (*Bonus, None)]
        counts: dict[Fraction | int, int] = {}
        for bonus, paid, units in np.argwhere(self.nets).tolist():
            net = price(bonuses[bonus], paid * pays + units - kernel.MOST)
            counts[net] = counts.get(net, 0) + int(self.nets[bonus, paid, units])
        return Sample(counts)

    @property
    def put_down(self) -> Sample:
        """Units on the blackjack bets of a round, with what doubles and splits add."""
        return Sample({2 + n: times for n, times in self.event("units added").counts.items()})

    def event(self, name: str) -> Sample:
        """Return how often a thing of :data:`EVENTS` happened in a round."""
        row = self.events[EVENTS.index(name)].tolist()
        return Sample({times: n for times, n in enumerate(row) if n})

    @property
    def frequencies(self) -> dict[str, Sample]:
        """Everything that is counted, and the classes of the Bonus."""
        found = {name: self.event(name) for name in EVENTS}
        wins = self.nets.sum(axis=(1, 2)).tolist()
        for name, n in zip(Bonus, wins, strict=False):
            found[f"bonus: {name.replace('_', ' ')}"] = Sample({1: n, 0: self.rounds - n})
        return found

    def as_json(self) -> dict[str, Json]:
        return {
            "rounds": self.rounds,
            "seed": self.seed,
            "ev": self.ev,
            "z": None if self.ev is None else self.blackjack.z(self.ev),
            "blackjack": self.blackjack.as_json(),
            "bonus": self.bonus.as_json(),
            "package": self.package.as_json(),
            "put_down": self.put_down.as_json(),
            "frequencies": {
                name: {"mean": s.mean, "std_error": s.std_error, "chance": s.chance}
                for name, s in self.frequencies.items()
            },
            "rules": self.rules.as_json(),
        }


def simulate(
    solved: Strategy | Solver | Game,
    rounds: int,
    *,
    seed: int = 1,
    progress: Callable[[float], object] = lambda _: None,
    threads: int | None = None,
    chunk: int = CHUNK,
) -> Trial:
    """Play *rounds* rounds on all cores; *progress* is told the share of them done."""
    strategy = solved if isinstance(solved, Strategy) else Strategy.of(solved)
    began = time.perf_counter()
    nets = np.zeros((kernel.BONUSES, kernel.BLACKJACKS, kernel.UNITS), np.int64)
    events = np.zeros((kernel.EVENTS, kernel.TIMES), np.int64)

    def play(begin: int) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        end = min(begin + chunk, rounds)
        mine, happened = np.zeros_like(nets), np.zeros_like(events)
        kernel.play_rounds(np.uint64(seed), begin, end, *strategy.tables, mine, happened)
        return end, mine, happened

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        for end, mine, happened in pool.map(play, range(0, rounds, chunk)):
            nets += mine
            events += happened
            progress(end / rounds)
    return Trial(
        rules=strategy.rules,
        seed=seed,
        rounds=rounds,
        nets=nets,
        events=events,
        seconds=time.perf_counter() - began,
        ev=strategy.ev,
    )


# --- one round on paper


def journal(strategy: Strategy, seed: int, number: int, *, bet: int = 100) -> dict[str, Json]:
    """Write a round of a trial as a journal with its results, *bet* cents on each bet.

    The results are the kernel's own: a replay confirms or contradicts them.
    """
    deck, felt = np.empty(kernel.DECK, np.uint8), np.empty(kernel.FELT, np.int8)
    kernel.record_round(np.uint64(seed), number, *strategy.tables, deck, felt)
    begin = kernel.PLAYED + 1
    plays = felt[begin : begin + felt[kernel.PLAYED]].tolist()
    played = felt[kernel.HANDS_AT : kernel.PLAYED].reshape(-1, 4)[: 2 + felt[kernel.SPLITS]]
    rules, cards = strategy.rules, tuple(DECK[n] for n in deck.tolist())
    up, values = cards[4].value, tuple(card.value for card in cards[:3])
    alone, lone_bet, *_ = strategy.tables[0][_start(up, values)].tolist()
    decisions = []
    if alone >= 0:
        one, two = (cards[alone],), tuple(card for card in cards[:3] if card is not cards[alone])
        decisions.append(str(SetHands(1, *((two, one) if lone_bet else (one, two)))))
        if up == ACE and rules.insurance is not Insurance.OFF:
            decisions.append("insure 0")
        decisions += [PLAYS[play] for play in plays]
    odds = rules.bonus_paytable.odds((*Bonus, None)[kernel.bonus_of(deck)])
    settlements = [_settlement("bonus", 0, bet, rules.rounding.net(odds, bet))]
    settlements += _settled(rules, played.tolist(), lone_bet, bet)
    return {
        "format": FORMAT,
        "game": GAME.key,
        "rules": rules.as_json(),
        "deck": spell(cards),
        "bets": [{"seat": 1, "bet": bet}],
        "decisions": decisions,
        "settlements": settlements,
        "net": {"1": sum(s["net"] for s in settlements)},
    }


def _settled(
    rules: Rules, played: list[list[int]], lone_bet: int, bet: int
) -> list[dict[str, Json]]:
    """Return the settlements of a round's hands in the order the money moves."""
    waits: list[tuple[int, dict[str, Json]]] = []
    places = [0, 0]
    for which, _, units, ended in played:
        outcome, stake = OUTCOMES[ended], units * bet
        odds = _PAYS.get(outcome, rules.blackjack_pays)
        name = ("first", "second")[which]
        settled = _settlement(name, places[which], stake, rules.rounding.net(odds, stake))
        waits.append(
            (_wait(rules, outcome, alone=which == lone_bet), settled | {"outcome": outcome})
        )
        places[which] += 1
    return [settled for _, settled in sorted(waits, key=lambda w: w[0])]


def _wait(rules: Rules, outcome: Outcome, *, alone: bool) -> int:
    """Say when a hand is settled: as it is set 0, as it is played 1, by the dealer's cards 2."""
    if outcome is Outcome.DOUBLE_BLACKJACK or (outcome is Outcome.BLACKJACK and not alone):
        return 0
    peeked = outcome is Outcome.DEALER_BLACKJACK and rules.hole_card is HoleCard.PEEK
    return 1 if peeked or outcome in {Outcome.BLACKJACK, Outcome.BUST} else 2


def _settlement(bet: str, hand: int, stake: int, net: int) -> dict[str, Json]:
    return {"seat": 1, "bet": bet, "hand": hand, "stake": stake, "net": net}
