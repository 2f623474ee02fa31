"""What a simulation should come to: the exact figures of a job's bets, rounding included."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pitboss.analysis import roll_your_own, toss_one
from pitboss.simulator import Exact, RollYourOwn, Sample, TossOne
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    from fractions import Fraction

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
        nets = Sample(one_round(job, "package"))
        return found | {"package": Exact(nets.mean / UNIT, std_dev=nets.std_dev / UNIT)}
    assert isinstance(job, RollYourOwn)  # noqa: S101  there are two games
    bonus = _exact(job.rules, roll_your_own.figures(job.rules))
    ev = job.strategy.ev
    if job.seats > 1 or ev is None or _is_rounded(job.rules):
        return {"bonus": bonus}
    return {"blackjack": Exact(ev), "bonus": bonus, "package": Exact(ev + bonus.ev)}


def _exact(rules: toss_game.Rules | roll_game.Rules, figures: Figures) -> Exact:
    share = {event.event: event.combinations / figures.total for event in figures.events}
    counts: Counter[int] = Counter()
    for event in figures.events:
        counts[rules.rounding.net(event.odds, UNIT)] += event.combinations
    nets = Sample(counts)
    return Exact(nets.mean / UNIT, share, nets.std_dev / UNIT)


def one_round(job: TossOne, bet: str) -> dict[int, int]:
    """Count the deals of one seat of Toss One 21 by what a bet, or the package, comes to in cents.

    Winnings are rounded as the rules say, bet by bet.
    """
    found: Counter[int] = Counter()
    for nets, deals in toss_one.package(job.rules).counts.items():
        cents = [_rounded(job.rules, net) for net in nets]
        places = {name: cents[i] for i, name in enumerate(toss_one.BETS)}
        found[(places | {"package": sum(cents)})[bet]] += deals
    return dict(found)


def _rounded(rules: toss_game.Rules, net: Fraction) -> int:
    return rules.rounding.of(net * UNIT) if net > 0 else int(net * UNIT)


def _is_rounded(rules: roll_game.Rules) -> bool:
    """Say whether a blackjack's winnings are rounded, which the solver leaves out."""
    return rules.rounding.net(rules.blackjack_pays, UNIT) != rules.blackjack_pays.on(UNIT)
