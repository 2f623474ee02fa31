"""The Main bet of blackjack, from the solver and a simulation, and the bets of a seat together.

The solver gives exact expectations of Main and of the money added by doubles and splits. It also
gives the exact expectation of Main for every two cards and up card. Together with the side bets of
every deal, this gives their exact covariances with Main. A simulation of the same strategy with a
fixed seed gives the other figures, with standard errors: the spread of the results and the
frequencies of the outcomes.

This module needs Numba, which is optional.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from pitboss.analysis.played import (
    Estimate,
    PlayedFigures,
    Stratum,
    is_ahead,
    is_even,
    weighted_cells,
    weighted_share,
)
from pitboss.core.paytables import Odds, unit_net
from pitboss.games.blackjack import side_bet_figures, strategies, tables
from pitboss.games.blackjack.decisions import MAIN, SIDE_BETS
from pitboss.games.blackjack.game import GAME
from pitboss.games.blackjack.kernels import layout
from pitboss.games.blackjack.presolved import Play, as_played
from pitboss.games.blackjack.rules import Outcome, SurrenderRule
from pitboss.games.blackjack.side_bets import LuckyLadies
from pitboss.games.blackjack.simulation import Blackjack
from pitboss.games.blackjack.solver import Solver
from pitboss.games.blackjack.solver.starts import is_blackjack, name_of
from pitboss.simulator import simulate
from pitboss.simulator.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pitboss.analysis.figures import Figures
    from pitboss.core.settings import Json
    from pitboss.games.blackjack.rules import Rules
    from pitboss.games.blackjack.side_bet_figures import Classes, Values
    from pitboss.games.blackjack.solver import Game, Start
    from pitboss.games.blackjack.trial import Trial

ROUNDS = 4_000_000
SEED = 1
BETS = (MAIN, *SIDE_BETS)
EXACT_SPLITS = (
    "exact for a player who plays every hand of a split by the pair, the up card and the cards of"
    " that hand, and does not use the cards of the other hands"
)


# --- solving and simulating


CACHE_SIZE = 40
"""The number of solved games to cache."""

_games: dict[Rules, Game] = {}
_trials: dict[Rules, Trial] = {}


def solve_game(rules: Rules, progress: Callable[[float], object] = lambda _: None) -> Game:
    """Return the solved game, from the cache if it was solved before."""
    play = as_played(rules)
    if play not in _games:
        _games[play] = Solver(play).solve_game(progress)
        for old in [*_games][:-CACHE_SIZE]:
            del _games[old]
    return _games[play]


def solved(rules: Rules) -> float:
    """Return the exact expectation of Main."""
    return solve_game(rules).ev


def _simulate(rules: Rules, progress: Callable[[float], object]) -> Trial:
    """Return simulated rounds of the solved strategy, from the cache if possible."""
    play = replace(as_played(rules), blackjack_pays=Odds(3, 2))  # outcomes are counted, not money
    if play not in _trials:
        job = Blackjack(strategies.solved(play), seed=SEED)
        run = simulate(job, ROUNDS, progress=lambda done: progress(done / ROUNDS))
        if run.interrupted:
            raise KeyboardInterrupt
        _trials[play] = job.trial(run.counts)
    return _trials[play]


def study(rules: Rules, progress: Callable[[float], object] = lambda _: None) -> Study:
    """Solve and simulate the game under *rules*; cache the results."""
    game = solve_game(rules, lambda done: progress(0.7 * done))
    return Study(rules, game, _simulate(rules, lambda done: progress(0.7 + 0.3 * done)))


# --- figures


class Deal(NamedTuple):
    """Deals with the same values, up card and results of the side bets."""

    own: Values
    up: int
    classes: Classes
    chance: float
    main: float  # the expectation of Main


@dataclass(frozen=True)
class Study:
    """A solved and simulated game: all figures of one seat's bets."""

    rules: Rules
    game: Game
    trial: Trial

    @cached_property
    def sides(self) -> dict[str, Figures]:
        """The figures of the side bets."""
        return side_bet_figures.figures(self.rules)

    @cached_property
    def main(self) -> PlayedFigures:
        """The Main bet."""
        sample = Sample(self.play.nets)
        return PlayedFigures(
            game=GAME,
            bet=MAIN,
            ev=self.game.ev,
            put_down=self.put_down,
            std_dev=Estimate(sample.std_dev, sample.std_dev_error),
            wins=weighted_share(self.strata, self.game.ev, is_ahead),
            pushes=weighted_share(self.strata, self.game.ev, is_even),
            more={
                "splits": {
                    "most": self.rules.max_splits,
                    "memory": str(self.game.splitting),
                    "about": EXACT_SPLITS,
                },
                "by_up_card": {
                    name_of(card.up): {
                        "ev": card.ev,
                        "doubles": card.doubles,
                        "splits": card.splits,
                    }
                    for card in self.game.up_cards
                },
                "frequencies": self.frequencies(),
                "trial": {
                    "rounds": self.trial.rounds,
                    "seed": SEED,
                    "mean": sample.mean,
                    "std_error": sample.std_error,
                    "z": sample.z(self.game.ev),
                },
            },
        )

    @property
    def put_down(self) -> float:
        """The expected units put down on Main in a round."""
        return 1 + self.game.mean("doubles") + self.game.mean("splits")

    @cached_property
    def play(self) -> Play:
        """The results of Main."""
        counts: Counter[Fraction] = Counter()
        for net, rounds in zip(self._nets, self._rounds.sum(axis=0).tolist(), strict=True):
            counts[net] += rounds
        return Play(self.game.ev, self.put_down - 1, +counts)

    # --- simulated rounds

    @cached_property
    def _nets(self) -> list[Fraction]:
        """The net result of each result of Main that the kernel counts, before rounding."""
        units = tables.units(self.rules.hole_card).tolist()
        priced = {Outcome.BLACKJACK: self.rules.blackjack_pays.on(1), Outcome.SURRENDER: LOST_HALF}
        one = [
            Fraction(priced.get(outcome, units[place][doubled]))
            for place, outcome in enumerate(tables.OUTCOMES)
            for doubled in (0, 1)
        ]
        return [*one, *map(Fraction, range(-layout.MOST, layout.MOST + 1))]

    @property
    def _rounds(self) -> NDArray[np.int64]:
        """The simulated rounds by classes of the side bets and result of Main; none is insured."""
        rounds: NDArray[np.int64] = self.trial.nets.sum(axis=1)
        return rounds

    @cached_property
    def _strata(self) -> dict[Classes, Stratum]:
        """The simulated rounds by the classes of the side bets, with their exact chances.

        A class that was never dealt in the simulation has the results of all rounds.
        """
        every_class = product(tables.PAIRS, tables.THREES, tables.LADIES)
        rows = dict(zip(every_class, self._rounds, strict=True))
        every = self._rounds.sum(axis=0)
        chances: dict[Classes, float] = {}
        for deal in self.deals:
            chances[deal.classes] = chances.get(deal.classes, 0.0) + deal.chance
        return {
            classes: self._stratum(chance, rows[classes] if rows[classes].any() else every)
            for classes, chance in chances.items()
        }

    def _stratum(self, chance: float, row: NDArray[np.int64]) -> Stratum:
        counts: Counter[Fraction] = Counter()
        for net, n in zip(self._nets, row.tolist(), strict=True):
            counts[net] += n
        rounds = counts.total()
        mean = sum(float(net) * n for net, n in counts.items()) / rounds
        cells = [(net, n / rounds, float(net) - mean) for net, n in counts.items() if n]
        return Stratum(chance, rounds, cells)

    @property
    def strata(self) -> list[Stratum]:
        return [*self._strata.values()]

    def results(self, stakes: Mapping[str, int]) -> dict[int, float]:
        """Return the distribution of a seat's result with these stakes, in cents."""
        sides = [
            sum(stakes[bet] * net for bet, net in zip(SIDE_BETS, self.side_nets(c), strict=True))
            for c in self._strata
        ]
        found: dict[int, float] = {}
        for place, net, weight in weighted_cells(self.strata, self.game.ev):
            cents = round(stakes[MAIN] * net + sides[place])
            found[cents] = found.get(cents, 0.0) + weight
        return found

    # --- exact figures computed from the solver's values

    @cached_property
    def deals(self) -> list[Deal]:
        """All deals by values, up card and results of the side bets."""
        starts = {(s.own, s.up): s for card in self.game.up_cards for s in card.starts}
        counted = side_bet_figures.count_starts(self.rules.decks)
        total = sum(counts.total() for counts in counted.values())
        return [
            deal
            for (own, up), counts in counted.items()
            for classes, ways in counts.items()
            for deal in _with_queens(starts[own, up], classes, ways / total)
        ]

    def side_nets(self, classes: Classes) -> tuple[Fraction, ...]:
        """Return the net results of the side bets."""
        pair, three, twenty = classes
        rules = self.rules
        return (
            unit_net(rules.perfect_pairs_paytable.odds(pair)),
            unit_net(rules.plus_three_paytable.odds(three)),
            unit_net(rules.lucky_ladies_paytable.odds(twenty)),
        )

    def _outcomes(self) -> Iterator[tuple[Deal, tuple[float, ...]]]:
        """Yield each deal, with the expectation of every bet."""
        nets = {classes: tuple(map(float, self.side_nets(classes))) for classes in self._strata}
        for deal in self.deals:
            yield deal, (deal.main, *nets[deal.classes])

    @cached_property
    def covariances(self) -> list[list[float]]:
        """The covariances of the bets of one seat; all are exact but the variance of Main."""
        means = [self.game.ev, *(float(self.sides[bet].ev) for bet in SIDE_BETS)]
        found = [[-one * two for two in means] for one in means]
        for deal, nets in self._outcomes():
            for i, j in product(range(len(BETS)), repeat=2):
                found[i][j] += deal.chance * nets[i] * nets[j]
        found[0][0] = self.main.std_dev.value**2
        return found

    def variance(self, stakes: Sequence[int]) -> float:
        """Return the variance of a seat's result with these stakes, in the order of the bets."""
        rows = zip(stakes, self.covariances, strict=True)
        return sum(
            one * sum(two * value for two, value in zip(stakes, row, strict=True))
            for one, row in rows
        )

    def package(self) -> dict[str, Json]:
        """Return the figures of all bets of one seat together, one unit on each."""
        alone = self.main.std_dev
        std_dev = sqrt(self.variance([1] * len(BETS)))
        ev = self.game.ev + sum(float(figures.ev) for figures in self.sides.values())
        stake = GAME.units["package"]
        return {
            "stake": stake,
            "ev": ev,
            "house_edge": -ev / stake,
            "std_dev": std_dev,
            "correlations": {
                f"{BETS[i]}, {BETS[j]}": self._correlation(i, j)
                for i in range(len(BETS))
                for j in range(i + 1, len(BETS))
            },
            "simulated": {
                "std_dev": Estimate(std_dev, alone.value * alone.std_error / std_dev).as_json()
            },
        }

    def _correlation(self, i: int, j: int) -> float:
        return self.covariances[i][j] / sqrt(self.covariances[i][i] * self.covariances[j][j])

    def exposed(self) -> dict[str, list[dict[str, Json]]]:
        """Return the expectations of the bets if a card is known before betting."""
        won = {whose: {v: [0.0] * (len(BETS) + 1) for v in VALUES} for whose in ("own", "dealer")}
        for deal, nets in self._outcomes():
            known = [("dealer", deal.up, 1), *(("own", v, deal.own.count(v)) for v in {*deal.own})]
            for whose, value, times in known:
                row = won[whose][value]
                for place, net in enumerate((*nets, 1.0)):
                    row[place] += deal.chance * times * net
        return {
            whose: [
                {"card": {1: "A"}.get(value, str(value))}
                | {bet: row[place] / row[-1] for place, bet in enumerate(BETS)}
                for value, row in rows.items()
            ]
            for whose, rows in won.items()
        }

    @property
    def blackjacks_paid(self) -> float:
        """The chance of a blackjack that the dealer does not match."""
        return sum(
            deal.chance * deal.main for deal in self.deals if is_blackjack(deal.own)
        ) / float(self.rules.blackjack_pays.on(1))

    def frequencies(self) -> list[dict[str, Json]]:
        """Return the frequencies of events in a round, the exact ones first."""
        decks = self.rules.decks
        hands = side_bet_figures.count_pairs(decks).total()

        exact = {
            "blackjacks paid": self.blackjacks_paid,
            "doubles": self.game.mean("doubles"),
            "splits": self.game.mean("splits"),
        }
        if self.rules.surrender is SurrenderRule.LATE:
            exact["surrenders"] = self.game.mean("surrenders")
        exact["dealer's blackjacks"] = side_bet_figures.dealer_blackjacks(decks) / hands
        rows: list[dict[str, Json]] = [
            {"event": name, "per_round": value, "source": "exact"} for name, value in exact.items()
        ]
        for name, event in COUNTED.items():
            sample = self.trial.event(name)
            rows.append(
                {
                    "event": event,
                    "per_round": sample.mean,
                    "source": "simulated",
                    "std_error": sample.std_error,
                }
            )
        return rows


VALUES = range(1, 11)
LOST_HALF = Fraction(-1, 2)
COUNTED = {
    "dealer's busts": "dealer's busts",
    "hands: bust": "hands that bust",
    "hands: dealer blackjack": "hands that lose to a dealer's blackjack",
    "hands: dealer bust": "hands that win by a dealer's bust",
    "hands: higher total": "hands that win by a higher total",
    "hands: lower total": "hands that lose by a lower total",
    "hands: push": "hands that push",
}
"""The frequencies that only the simulation gives, by their names there."""


def _with_queens(start: Start, classes: Classes, chance: float) -> Iterator[Deal]:
    """Yield the deals of a start; two queens of hearts are divided by the dealer's blackjack.

    The queens are never split, so a dealer's blackjack takes one unit.
    """
    pair, three, twenty = classes
    if twenty is not LuckyLadies.QUEENS_OF_HEARTS or not start.dealer_blackjack:
        yield Deal(start.own, start.up, classes, chance, start.ev)
        return
    lost = start.dealer_blackjack
    with_blackjack = (pair, three, LuckyLadies.QUEENS_AND_DEALER_BLACKJACK)
    yield Deal(start.own, start.up, with_blackjack, chance * lost, -1.0)
    yield Deal(start.own, start.up, classes, chance * (1 - lost), (start.ev + lost) / (1 - lost))
