"""The expected results of a round of blackjack, with the covariance of two seats."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pitboss.analysis.theory import BetTheory, Expected, Theory
from pitboss.core.errors import RuleError, UnsupportedError
from pitboss.games.blackjack.decisions import MAIN, SIDE_BETS
from pitboss.games.blackjack.figures import analyze
from pitboss.games.blackjack.game import GAME
from pitboss.games.blackjack.presolved import NEEDS_KERNELS

if TYPE_CHECKING:
    from pitboss.analysis.figures import Figures
    from pitboss.analysis.theory import Matrix
    from pitboss.games.blackjack.rules import Rules
    from pitboss.games.blackjack.study import Study

ASSUMES: Final = (
    "optimal play of each seat for itself by its own cards and the up card, no insurance, a shoe"
    " that does not run out"
)
ROUNDS: Final = 1_000_000  # in the trial with two seats
SEED: Final = 1


def theory(rules: Rules) -> Theory:
    """Return the expected results under *rules*; raise an error if the solver is missing."""
    study = analyze(rules).study
    if study is None:
        raise UnsupportedError(NEEDS_KERNELS)
    sides = study.sides

    @lru_cache(maxsize=4096)
    def price(stakes: tuple[int, ...]) -> Expected:
        main, *others = stakes
        mean = main * study.game.ev + _rounded(study, main)
        mean += sum(
            _side_bet(rules, sides[bet], stake)
            for bet, stake in zip(SIDE_BETS, others, strict=True)
        )
        staked = main * study.put_down + sum(others)
        return Expected(mean, study.variance(stakes), staked)

    counted = {bet: f.moments for bet, f in sides.items()}
    return Theory(
        game=GAME.key,
        assumes=ASSUMES,
        bets={
            MAIN: BetTheory(1, study.main.ev, study.main.std_dev.value),
            **{b: BetTheory(1, float(m.ev), m.std_dev, str(m.ev)) for b, m in counted.items()},
        },
        stakes=(MAIN, *SIDE_BETS),
        price=price,
        between=lambda: between_seats(study),
    )


def _side_bet(rules: Rules, figures: Figures, stake: int) -> float:
    """Return the expectation of a side bet in cents; winnings are rounded."""
    won = sum(rules.rounding.net(e.odds, stake) * e.combinations for e in figures.events)
    return won / figures.total


def _rounded(study: Study, main: int) -> float:
    """Return the expected gain in cents because blackjacks and surrenders are rounded."""
    rules = study.rules
    pays, rounding = rules.blackjack_pays, rules.rounding
    paid = float(rounding.net(pays, main) - pays.on(main))
    returned = rounding.of(Fraction(main, 2)) - main / 2
    return study.blackjacks_paid * paid + study.game.mean("surrenders") * float(returned)


def between_seats(study: Study) -> Matrix | None:
    """Return the covariances of the bets of two seats per unit, from a trial with a fixed seed.

    Only the Main bets of two seats depend on each other enough to matter: they meet the same
    dealer. The side bets share at most the up card, and count as independent.
    """
    from pitboss.games.blackjack.simulation import Blackjack
    from pitboss.games.blackjack.strategies import solved
    from pitboss.simulator import simulate
    from pitboss.simulator.jobs import UNIT

    try:
        job = Blackjack(solved(study.rules), seats=2, seed=SEED)
        found = job.bets(simulate(job, ROUNDS).counts)[MAIN]
    except RuleError:  # the simulator does not support these payouts
        return None
    alone, both = found.player.std_dev / UNIT, found.table.std_dev / UNIT
    size = len(GAME.stakes)
    matrix = [[0.0] * size for _ in range(size)]
    matrix[0][0] = (both**2 - 2 * alone**2) / 2
    return tuple(map(tuple, matrix))
