"""The expected results of a round of Roll Your Own Blackjack, with the covariance of two seats."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pitboss.analysis.theory import BetTheory, Expected, Theory
from pitboss.core.errors import RuleError, UnsupportedError
from pitboss.games.roll_your_own.figures import analyze
from pitboss.games.roll_your_own.game import GAME
from pitboss.games.roll_your_own.presolved import NEEDS_KERNELS

if TYPE_CHECKING:
    from pitboss.analysis.theory import Matrix
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.games.roll_your_own.study import Study

ASSUMES: Final = (
    "optimal play of each seat for itself by its own cards and the up card, no insurance, a deck"
    " that does not run out"
)
ROUNDS: Final = 1_000_000  # in the trial with two seats
SEED: Final = 1


def theory(rules: Rules) -> Theory:
    """Return the expected results under *rules*; raise an error if the solver is missing."""
    study = analyze(rules).study
    if study is None:
        raise UnsupportedError(NEEDS_KERNELS)
    package = study.package
    pays, blackjacks = rules.blackjack_pays, study.game.mean("blackjacks")

    @lru_cache(maxsize=4096)
    def price(stakes: tuple[int, ...]) -> Expected:
        (bet,) = stakes
        bonus = sum(rules.rounding.net(e.odds, bet) * e.combinations for e in study.bonus.events)
        rounded = blackjacks * float(rules.rounding.net(pays, bet) - pays.on(bet))
        mean = bet * study.game.ev + rounded + bonus / study.bonus.total
        return Expected(mean, (bet * package.std_dev.value) ** 2, bet * package.put_down)

    return Theory(
        game=GAME.key,
        assumes=ASSUMES,
        bets={"package": BetTheory(package.stake, package.ev, package.std_dev.value)},
        stakes=(GAME.first_stake,),
        price=price,
        between=lambda: between_seats(study),
    )


def between_seats(study: Study) -> Matrix | None:
    """Return the covariance of two seats per unit of one bet, from a trial with a fixed seed.

    It covers the blackjack bets only: the Bonus adds less than the sampling error of the trial.
    """
    from pitboss.games.roll_your_own.simulation import RollYourOwn
    from pitboss.games.roll_your_own.strategies import Strategy
    from pitboss.simulator import simulate
    from pitboss.simulator.jobs import UNIT

    try:
        job = RollYourOwn(Strategy.of(study.game), seats=2, seed=SEED)
        run = simulate(job, ROUNDS)
        found = job.bets(run.counts)["blackjack"]
    except RuleError:  # the simulator does not support these payouts
        return None
    alone, both = found.player.std_dev / UNIT, found.table.std_dev / UNIT
    return (((both**2 - 2 * alone**2) / 2,),)
