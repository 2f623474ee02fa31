"""The blackjack bets and the package of Roll Your Own, from the solver and a simulation.

The solver gives exact expectations of the bets and of the money added by doubles and splits. It
also gives the exact expectation of both blackjack bets for every three cards and up card. Together
with the Bonus result of every hand, this gives their covariance with the Bonus. A simulation of the
same strategy with a fixed seed gives the other figures, with standard errors: the spread of the
results and the frequencies of the dealer's outcomes.

This module needs Numba, which is optional.
"""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from math import sqrt
from threading import Lock
from typing import TYPE_CHECKING

from pitboss.analysis.played import Estimate, PlayedFigures, is_ahead, is_even
from pitboss.core.cards import DECK
from pitboss.core.paytables import unit_net
from pitboss.games.roll_your_own import GAME, Bonus, Rules, poker_class
from pitboss.games.roll_your_own.kernels.layout import MOST
from pitboss.games.roll_your_own.presolved import CLASSES, Part, Play, as_played
from pitboss.games.roll_your_own.simulation import RollYourOwn
from pitboss.games.roll_your_own.solver import Solver
from pitboss.games.roll_your_own.solver.starts import Game, Memory, name_of
from pitboss.games.roll_your_own.strategies import Strategy
from pitboss.simulator import simulate
from pitboss.solver.tables import ACE, TEN, VALUES
from pitboss.solver.tables import DECK as VALUES_DEALT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from pitboss.analysis.figures import Figures
    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own.solver.starts import UpCard
    from pitboss.games.roll_your_own.trial import Trial
    from pitboss.solver.engine import Engine
    from pitboss.solver.tables import Values

ROUNDS = 4_000_000
SEED = 1


# --- solving, once for each set of dealer rules


class _SharingSolver(Solver):
    """A solver that uses the engines of another solver; rules with the same dealer share them."""

    def __init__(self, rules: Rules, donor: Solver | None = None) -> None:
        super().__init__(rules)
        self._donor = donor

    def engine(self, up: int) -> Engine:
        return self._donor.engine(up) if self._donor else super().engine(up)

    def solve_up(self, up: int) -> UpCard:
        starts = [own for card, own in self.starts() if card == up]
        return self._gather(up, self.solve_all(up, starts))


def solve_games(
    wanted: Sequence[Rules], progress: Callable[[float], object] = lambda _: None
) -> list[Game]:
    """Solve the game with memory ``none`` under each of *wanted*, all up cards in parallel."""
    dealers: dict[tuple[str, ...], list[int]] = {}
    for index, rules in enumerate(wanted):
        dealers.setdefault((rules.hole_card, rules.soft_17, rules.run_out), []).append(index)
    done, lock = 0, Lock()

    def one_card(up: int) -> dict[int, UpCard]:
        nonlocal done
        found = {}
        for group in dealers.values():
            donor = _SharingSolver(wanted[group[0]])
            for index in group:
                found[index] = _SharingSolver(wanted[index], donor).solve_up(up)
                with lock:
                    done += 1
                    progress(done / len(wanted) / len(VALUES))
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cards = list(pool.map(one_card, VALUES))
    return [
        Game(rules, Memory.NONE, tuple(card[index] for card in cards), 0, 0.0)
        for index, rules in enumerate(wanted)
    ]


CACHE_SIZE = 40
"""The number of solved games to cache."""

_games: dict[Rules, Game] = {}
_trials: dict[Rules, Trial] = {}


def _solve_cached(wanted: Sequence[Rules], progress: Callable[[float], object]) -> list[Game]:
    """Return the games, from the cache if they were solved before."""
    plays = [as_played(rules) for rules in wanted]
    missing = [rules for rules in dict.fromkeys(plays) if rules not in _games]
    if missing:
        _games.update(zip(missing, solve_games(missing, progress), strict=True))
    found = [_games[rules] for rules in plays]
    for rules in [*_games][:-CACHE_SIZE]:
        del _games[rules]
    return found


def _simulate_cached(rules: Rules, game: Game, progress: Callable[[float], object]) -> Trial:
    """Return the simulation of a game, priced by *rules*, from the cache if possible."""
    play = as_played(rules)
    if play not in _trials:
        job = RollYourOwn(Strategy.of(game), seed=SEED)
        run = simulate(job, ROUNDS, progress=lambda done: progress(done / ROUNDS))
        if run.interrupted:
            raise KeyboardInterrupt
        _trials[play] = job.trial(run.counts)
    return replace(_trials[play], rules=rules)


# --- figures


@cache
def _hands() -> Counter[tuple[Values, Bonus | None]]:
    """Count the hands of three cards by their values and their Bonus result."""
    return Counter(
        (tuple(sorted(card.value for card in cards)), poker_class(cards))
        for cards in combinations(DECK, 3)
    )


@dataclass(frozen=True)
class Study:
    """A solved and simulated game: all figures of one seat's three bets."""

    rules: Rules
    game: Game
    trial: Trial
    bonus: Figures

    @property
    def blackjack(self) -> PlayedFigures:
        """The two blackjack bets together."""
        sample = self.trial.blackjack
        return PlayedFigures(
            game=GAME,
            bet="blackjack",
            ev=self.game.ev,
            put_down=self.put_down,
            std_dev=Estimate(sample.std_dev, sample.std_dev_error),
            wins=self.play.share(is_ahead),
            pushes=self.play.share(is_even),
            more={
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
                    "seed": self.trial.seed,
                    "mean": sample.mean,
                    "std_error": sample.std_error,
                    "z": sample.z(self.game.ev),
                },
            },
        )

    @property
    def package(self) -> PlayedFigures:
        """All three bets. Only the blackjack bets' part of the variance is simulated."""
        alone = self.trial.blackjack
        bonus = self.bonus.moments
        std_dev = sqrt(alone.std_dev**2 + float(bonus.variance) + 2 * self.covariance)
        correlation = self.covariance / bonus.std_dev / alone.std_dev
        return PlayedFigures(
            game=GAME,
            bet="package",
            ev=self.game.ev + float(self.bonus.ev),
            put_down=1 + self.put_down,
            std_dev=Estimate(std_dev, alone.std_dev * alone.std_dev_error / std_dev),
            wins=self.play.share(is_ahead, self.bonus),
            pushes=self.play.share(is_even, self.bonus),
            more={"covariance": self.covariance},
            correlation=Estimate(
                correlation, abs(correlation) * alone.std_dev_error / alone.std_dev
            ),
        )

    @property
    def put_down(self) -> float:
        """The expected units put down on the blackjack bets in a round."""
        added = self.game.mean("doubles") + self.game.mean("splits")
        return GAME.units["blackjack"] + added

    # --- exact figures computed from the solver's values

    @cached_property
    def _values(self) -> dict[tuple[int, Values], float]:
        """The value of both blackjack bets, by up card and player's values."""
        return {
            (card.up, start.own): start.ev for card in self.game.up_cards for start in card.starts
        }

    def _deals(self) -> Iterator[tuple[Values, int, float, int]]:
        """Yield player's values, up card, net result of the Bonus, and the number of deals."""
        table = self.rules.bonus_paytable
        for (own, kind), hands in _hands().items():
            bonus = float(unit_net(table.odds(kind)))
            for up in VALUES:
                if left := VALUES_DEALT[up - 1] - own.count(up):
                    yield own, up, bonus, hands * left

    @cached_property
    def covariance(self) -> float:
        """The covariance of the Bonus and the two blackjack bets, over every hand and up card."""
        product, deals = 0.0, 0
        for own, up, bonus, ways in self._deals():
            product += ways * bonus * self._values[up, own]
            deals += ways
        return product / deals - float(self.bonus.ev) * self.game.ev

    @cached_property
    def play(self) -> Play:
        """The results of the blackjack bets, which can be priced with any Bonus pay table."""
        return Play(self.game.ev, self.put_down - GAME.units["blackjack"], self.parts())

    def parts(self) -> dict[Bonus | None, Part]:
        """Return the results of the blackjack bets by the result of the Bonus."""
        won, deals = dict.fromkeys(CLASSES, 0.0), dict.fromkeys(CLASSES, 0)
        for (own, kind), hands in _hands().items():
            for up in VALUES:
                if ways := hands * (VALUES_DEALT[up - 1] - own.count(up)):
                    won[kind] += ways * self._values[up, own]
                    deals[kind] += ways
        pays = self.rules.blackjack_pays.on(1)
        found = {}
        for kind, nets in zip(CLASSES, self.trial.nets, strict=True):
            counts: Counter[Fraction] = Counter()
            for paid, units in zip(*(axis.tolist() for axis in nets.nonzero()), strict=True):
                counts[paid * pays + units - MOST] += int(nets[paid, units])
            found[kind] = Part(won[kind] / deals[kind], counts)
        return found

    def exposed(self) -> dict[str, list[dict[str, Json]]]:
        """Return the expectations of the bets if a card is known before betting."""
        won = {
            whose: {v: {"bonus": 0.0, "blackjack": 0.0, "deals": 0.0} for v in VALUES}
            for whose in ("own", "dealer")
        }
        for own, up, bonus, ways in self._deals():
            played = self._values[up, own]
            known = [("dealer", up, ways), *(("own", v, ways * own.count(v)) for v in set(own))]
            for whose, value, weight in known:
                row = won[whose][value]
                row["bonus"] += weight * bonus
                row["blackjack"] += weight * played
                row["deals"] += weight
        return {
            whose: [
                {
                    "card": {ACE: "A"}.get(value, str(value)),
                    "bonus": row["bonus"] / row["deals"],
                    "blackjack": row["blackjack"] / row["deals"],
                    "package": (row["bonus"] + row["blackjack"]) / row["deals"],
                }
                for value, row in rows.items()
            ]
            for whose, rows in won.items()
        }

    def frequencies(self) -> list[dict[str, Json]]:
        """Return the frequencies of events in a round, the exact ones first."""
        aces, tens, cards = VALUES_DEALT[ACE - 1], VALUES_DEALT[TEN - 1], sum(VALUES_DEALT)
        exact = {
            "blackjacks paid": self.game.mean("blackjacks"),
            "double blackjacks": self.game.mean("double_blackjacks"),
            "doubles": self.game.mean("doubles"),
            "splits": self.game.mean("splits"),
            "dealer's blackjacks": 2 * aces * tens / cards / (cards - 1),
        }
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

    def results(self) -> dict[Fraction, float]:
        """Return the distribution of a round of all three bets, per unit of one bet.

        It is simulated, then weighted to match the exact chances of the Bonus and the exact mean.
        """
        return self.play.results(self.bonus)


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


def study(
    rules: Rules,
    bonus: Figures,
    progress: Callable[[float], object] = lambda _: None,
    *,
    others: Sequence[Rules] = (),
) -> Study:
    """Solve and simulate the game under *rules*, and solve it under *others*; cache the results."""
    share = 0.8 if others else 0.5  # the solver's share of the work
    game, *_ = _solve_cached([rules, *others], lambda done: progress(share * done))
    trial = _simulate_cached(rules, game, lambda done: progress(0.9 + 0.1 * done))
    return Study(rules, game, trial, bonus)


def solved(rules: Rules) -> float:
    """Return the exact expectation of the two blackjack bets."""
    (game,) = _solve_cached([rules], lambda _: None)
    return game.ev
