"""What a simulation should come to: the exact figures of a job's bets, rounding included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.analysis import roll_your_own, toss_one
from pitboss.simulator import Exact, RollYourOwn, TossOne
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    from pitboss.analysis.figures import Figures
    from pitboss.games import roll_your_own as roll_game
    from pitboss.games import toss_one as toss_game
    from pitboss.simulator import Job


def exact(job: Job) -> dict[str, Exact]:
    """Return what is known of each bet without playing; a bet that is not there is not known.

    With several seats the blackjack bets of Roll Your Own are not known: the deck can run out.
    """
    if isinstance(job, TossOne):
        found = {
            bet: _exact(job.rules, figures) for bet, figures in toss_one.figures(job.rules).items()
        }
        return found | {"package": Exact(sum(known.ev for known in found.values()))}
    assert isinstance(job, RollYourOwn)  # noqa: S101  there are two games
    bonus = _exact(job.rules, roll_your_own.figures(job.rules))
    ev = job.strategy.ev
    if job.seats > 1 or ev is None or _is_rounded(job.rules):
        return {"bonus": bonus}
    return {"blackjack": Exact(ev), "bonus": bonus, "package": Exact(ev + bonus.ev)}


def _exact(rules: toss_game.Rules | roll_game.Rules, figures: Figures) -> Exact:
    share = {event.event: event.combinations / figures.total for event in figures.events}
    cents = sum(
        event.combinations * rules.rounding.net(event.odds, UNIT) for event in figures.events
    )
    return Exact(cents / figures.total / UNIT, share)


def _is_rounded(rules: roll_game.Rules) -> bool:
    """Say whether a blackjack's winnings are rounded, which the solver leaves out."""
    return rules.rounding.net(rules.blackjack_pays, UNIT) != rules.blackjack_pays.on(UNIT)
