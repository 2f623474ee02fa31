"""What the games should return: the mean and spread of a round at given stakes.

The bets of a seat depend on the same cards, and the seats of a round play against the same dealer,
so their covariances count. Rounds are independent, because every round starts with a new shuffle.

A theory takes seconds to compute, so compute it in a thread. The result is cached.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import combinations_with_replacement
from math import comb, sqrt
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pitboss.analysis import NEEDS_KERNELS, analyze, toss_one
from pitboss.errors import GameError, RuleError
from pitboss.games import not_there
from pitboss.games import roll_your_own as roll_game
from pitboss.games import toss_one as toss_game
from pitboss.kinds import VALUES, chosen_class, hands, kind, kinds, outcome_table
from pitboss.paytables import unit_net

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from pitboss.analysis.blackjack import Study
    from pitboss.felt import Game
    from pitboss.rules import Json, Rules

log = logging.getLogger("pitboss.theory")

Matrix: TypeAlias = tuple[tuple[float, ...], ...]

BEST_TOSS: Final = "optimal play: the toss with the best total, of those the best for Lucky 3"
BEST_PLAY: Final = (
    "optimal play of each seat for itself by its own cards and the up card, no insurance, a deck"
    " that does not run out"
)
ROUNDS: Final = 1_000_000  # of the trial for two seats
SEED: Final = 1


@dataclass(frozen=True, slots=True)
class Expected:
    """What is to be expected of a seat or a round, in cents."""

    mean: float  # what players win
    variance: float
    staked: float  # finally, with doubles and splits


@dataclass(frozen=True, slots=True)
class BetTheory:
    """The figures of a bet; the three equal bets of Roll Your Own count as one package."""

    stake: int  # units staked in a round
    ev: float  # the expectation of a round, in units of one bet
    std_dev: float
    exact: str | None = None  # the expectation as a fraction, where it is counted

    @property
    def theoretical_return(self) -> float:
        return 1 + self.ev / self.stake

    def as_json(self) -> dict[str, Json]:
        return {
            "stake": self.stake,
            "ev": self.ev,
            "exact": self.exact,
            "std_dev": self.std_dev,
            "return_percent": 100 * self.theoretical_return,
        }


@dataclass(frozen=True, kw_only=True)
class Theory:
    """What a game returns under its rules, if it is played as *assumes* says."""

    game: str
    assumes: str
    bets: Mapping[str, BetTheory]
    stakes: tuple[str, ...]
    _price: Callable[[tuple[int, ...]], Expected]
    _between: Callable[[], Matrix | None]

    def seat(self, stakes: Mapping[str, int]) -> Expected:
        """Return what to expect of one seat's bets together; winnings are rounded as they are."""
        return self._price(self._in_order(stakes))

    def round(self, seats: Sequence[Mapping[str, int]]) -> Expected:
        """Return what to expect of a round with these stakes of each seat."""
        alone = [self.seat(stakes) for stakes in seats]
        mean, staked = sum(s.mean for s in alone), sum(s.staked for s in alone)
        if len(alone) == 1:
            return alone[0]
        return Expected(mean, self._spread(alone, [self._in_order(s) for s in seats]), staked)

    @cached_property
    def pairs(self) -> Matrix | None:
        """The covariances between the bets of two seats, per unit; they take seconds to compute."""
        return self._between()

    def is_ready(self, seats: int) -> bool:
        """Return whether a round with this many seats can be priced without waiting."""
        return seats <= 1 or "pairs" in vars(self)

    def _spread(self, alone: list[Expected], stakes: list[tuple[int, ...]]) -> float:
        """Return the variance of seats together; where it is not known, the most it can be."""
        matrix = self.pairs
        if matrix is None:
            return sum(sqrt(seat.variance) for seat in alone) ** 2
        whole = tuple(map(sum, zip(*stakes, strict=True)))
        pairs = _squared(matrix, whole) - sum(_squared(matrix, row) for row in stakes)
        return sum(seat.variance for seat in alone) + pairs

    def _in_order(self, stakes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(stakes.get(name, 0) for name in self.stakes)

    def as_json(self) -> dict[str, Json]:
        return {
            "game": self.game,
            "assumes": self.assumes,
            "bets": {name: bet.as_json() for name, bet in self.bets.items()},
        }


def _squared(matrix: Matrix, row: Sequence[int]) -> float:
    return sum(
        row[i] * row[j] * value for i, line in enumerate(matrix) for j, value in enumerate(line)
    )


@dataclass(frozen=True, slots=True)
class NoTheory:
    """The reason why rules have no theory."""

    reason: str


KEPT: Final = 256
_lock = Lock()
_found: dict[Rules, Theory | NoTheory] = {}


def known(rules: Rules) -> Theory | NoTheory | None:
    """Return the theory of these rules if it has been computed; never waits."""
    return _found.get(_play(rules))


def theory(game: Game, rules: Rules) -> Theory | NoTheory:
    """Return what *game* should return under *rules*, or why that cannot be computed."""
    assert type(rules) is game.rules  # noqa: S101
    with _lock:  # two callers do not compute the same rules twice
        found = known(rules) or _computed(_play(rules))
        _found[_play(rules)] = found
        for old in [*_found][:-KEPT]:
            del _found[old]
        return found


def _play(rules: Rules) -> Rules:
    """Return the rules without the number of seats, which changes nothing here."""
    return replace(rules, seats=1)


def _computed(rules: Rules) -> Theory | NoTheory:
    if isinstance(rules, toss_game.Rules):
        return _toss_one(rules)
    if not isinstance(rules, roll_game.Rules):
        return NoTheory(str(not_there("exact figures", rules)))
    try:
        study = analyze(roll_game.GAME, rules).study
    except GameError as error:
        return NoTheory(str(error))
    except Exception:
        log.exception("computing the theory of %s", rules)
        return NoTheory("computing it failed: see the server's log")
    return _roll_your_own(study) if study else NoTheory(NEEDS_KERNELS)


# --- Toss One 21


def _toss_one(rules: toss_game.Rules) -> Theory:
    figures = {bet: f.moments for bet, f in toss_one.figures(rules).items()}
    deals = toss_one.package(rules).counts

    @lru_cache(maxsize=4096)
    def price(stakes: tuple[int, ...]) -> Expected:
        first = second = total = 0
        for nets, ways in deals.items():
            won = sum(_won(rules, x * stake) for x, stake in zip(nets, stakes, strict=True))
            first, second, total = first + ways * won, second + ways * won**2, total + ways
        mean = Fraction(first, total)
        return Expected(float(mean), float(Fraction(second, total) - mean**2), sum(stakes))

    return Theory(
        game=toss_game.GAME.key,
        assumes=BEST_TOSS,
        bets={b: BetTheory(1, float(m.ev), m.std_dev, str(m.ev)) for b, m in figures.items()},
        stakes=toss_one.BETS,
        _price=price,
        _between=lambda: _between_tosses(rules),
    )


def _won(rules: toss_game.Rules, amount: Fraction) -> int:
    return rules.rounding.of(amount) if amount > 0 else int(amount)


def _between_tosses(rules: toss_game.Rules) -> Matrix | None:
    """Return the covariances of the bets of one seat with those of another, per unit.

    They are exact but for Lucky 3 with Lucky 3, which takes the suits of two hands as independent.
    """
    try:
        import numpy as np
    except ModuleNotFoundError:
        return None
    of = toss_one.census(rules.decks)
    main = _main_nets(rules)
    sides = np.array([_side_nets(rules, of, values) for values in hands(4)])
    pair, ways = _two_hands()
    moments, means, total = np.zeros((3, 3)), np.zeros(3), 0.0
    for place, dealers in enumerate(_dealers(of)):
        weights = dealers[pair] * ways
        nets = np.column_stack((main[:, place], sides))
        moments += nets.T @ weights @ nets
        means += weights.sum(axis=0) @ nets
        total += float(weights.sum())
    means /= total
    return tuple(map(tuple, (moments / total - np.outer(means, means)).tolist()))


def _main_nets(rules: toss_game.Rules) -> NDArray[Any]:
    """Return what Main wins by the player's values and the dealer's kind."""
    import numpy as np

    table = outcome_table(rules.dealer_blackjack, rules.ace_kicker)
    return np.array(
        [[float(unit_net(rules.odds(ended))) for ended in table[kind(h)]] for h in hands(4)]
    )


def _side_nets(
    rules: toss_game.Rules, of: toss_one.Census, values: tuple[int, ...]
) -> tuple[float, float]:
    """Return what Lucky 3 on average and Bonus 4 win on a hand of these values."""
    table, classes = rules.lucky3_paytable, of.classes[values]
    won = sum(unit_net(table.odds(chosen_class(rules, c))) * n for c, n in classes.items())
    lucky = won / sum(classes.values()) if any(classes.values()) else 0
    return float(lucky), float(unit_net(rules.bonus4_paytable.odds(sum(values))))


@cache
def _eight() -> NDArray[Any]:
    """Return how many cards of each value there are in every way to hold eight."""
    import numpy as np

    ways = combinations_with_replacement(VALUES, 8)
    return np.array([[h.count(value) for value in VALUES] for h in ways])


@cache
def _two_hands() -> tuple[NDArray[Any], NDArray[Any]]:
    """Return which eight values two hands hold, and in how many ways these part into the two."""
    import numpy as np

    four = np.array([[h.count(value) for value in VALUES] for h in hands(4)])
    places = 9 ** np.arange(len(VALUES))
    eight = _eight() @ places
    order = eight.argsort()
    codes = four @ places
    pair = order[np.searchsorted(eight[order], codes[:, None] + codes)]
    choose = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.float64)
    ways = np.ones(pair.shape)
    for column in four.T:
        ways *= choose[column[:, None] + column, column]
    return pair, ways


def _dealers(of: toss_one.Census) -> NDArray[Any]:
    """Return in how many ways each kind of the dealer's leaves every eight values to two seats."""
    import numpy as np

    eight = _eight()
    left = [
        [
            np.array([comb(max(copies - used, 0), k) for k in range(9)], np.float64)[column]
            for used in range(5)
        ]
        for copies, column in zip(of.copies, eight.T, strict=True)
    ]
    found = np.zeros((len(kinds()), len(eight)))
    for values, ways in of.players.items():
        rows = [left[value - 1][values.count(value)] for value in VALUES]
        found[kinds().index(kind(values))] += ways * np.prod(rows, axis=0)
    return found


# --- Roll Your Own Blackjack


def _roll_your_own(study: Study) -> Theory:
    package, rules = study.package, study.rules
    pays, blackjacks = rules.blackjack_pays, study.game.mean("blackjacks")

    @lru_cache(maxsize=4096)
    def price(stakes: tuple[int, ...]) -> Expected:
        (bet,) = stakes
        bonus = sum(rules.rounding.net(e.odds, bet) * e.combinations for e in study.bonus.events)
        rounded = blackjacks * float(rules.rounding.net(pays, bet) - pays.on(bet))
        mean = bet * study.game.ev + rounded + bonus / study.bonus.total
        return Expected(mean, (bet * package.std_dev.value) ** 2, bet * package.put_down)

    return Theory(
        game=roll_game.GAME.key,
        assumes=BEST_PLAY,
        bets={"package": BetTheory(package.stake, package.ev, package.std_dev.value)},
        stakes=(roll_game.GAME.first_stake,),
        _price=price,
        _between=lambda: _between_packages(study),
    )


def _between_packages(study: Study) -> Matrix | None:
    """Return the covariance of two seats per unit of one bet, from a trial with a fixed seed.

    It is that of their blackjack bets: what the Bonus adds is less than chance does to the trial.
    """
    from pitboss.simulator import RollYourOwn, Strategy, simulate
    from pitboss.simulator.jobs import UNIT

    try:
        job = RollYourOwn(Strategy.of(study.game), seats=2, seed=SEED)
        run = simulate(job, ROUNDS)
        found = job.bets(run.counts)["blackjack"]
    except RuleError:  # pays that the simulator cannot add up
        return None
    alone, both = found.player.std_dev / UNIT, found.table.std_dev / UNIT
    return (((both**2 - 2 * alone**2) / 2,),)
