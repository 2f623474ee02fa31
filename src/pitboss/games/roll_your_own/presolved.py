"""The results of the two blackjack bets of Roll Your Own: solved once, then priced instantly.

A play contains the data needed to price the game with any Bonus pay table: the exact value of
the bets for each Bonus result, and the spread of their results from a simulation. The package ships
the plays of the default rules and of each setting switched alone; ``python -m
pitboss.games.roll_your_own --ship`` recomputes them. The play of any other rules takes seconds to
solve.

Pricing needs only the standard library; solving needs Numba.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import TYPE_CHECKING

from pitboss.analysis.played import Estimate, Stratum, is_ahead, weighted_results, weighted_share
from pitboss.analysis.shipped import differences
from pitboss.core.paytables import unit_net
from pitboss.games.roll_your_own import Bonus, HoleCard, Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pitboss.analysis.figures import Figures
    from pitboss.core.settings import Json

SHIPPED = files("pitboss.games.roll_your_own") / "presolved.json"
KERNELS = {"numba", "numpy", "platformdirs", "psutil"}
"""The libraries that the solver needs beyond the core."""

NEEDS_KERNELS = "the blackjack bets need pip install 'pitboss[kernels]'"
"""The message if the blackjack bets are not computed."""

CLASSES = (*Bonus, None)
"""The results of the Bonus, in the order of its figures; None is a loss."""


def as_played(rules: Rules) -> Rules:
    """Return the rules with the default for every setting that cannot affect a single seat's play.

    The Bonus is settled separately, insurance is never taken, and one seat cannot run out the deck.
    Some settings have no effect because of other settings.
    """
    plain = Rules()
    same = ["bonus_paytable", "insurance", "run_out", "rounding", "seats"]
    if rules.hole_card is HoleCard.NO_PEEK:
        same.append("one_card_vs_dealer_blackjack")
    if not rules.max_splits:
        same += ["double_after_split", "resplit_aces"]
    return replace(rules, **{name: getattr(plain, name) for name in same})


@dataclass(frozen=True, slots=True)
class Part:
    """The blackjack bets for one result of the Bonus: their exact value, and simulated rounds."""

    value: float
    nets: Mapping[Fraction, int]


@dataclass(frozen=True, slots=True)
class Play:
    """The two blackjack bets, solved: per unit of one bet."""

    ev: float
    added: float
    """The expected number of units that doubles and splits add to the bets in a round."""

    parts: Mapping[Bonus | None, Part]

    @classmethod
    def from_json(cls, data: Json) -> Play:
        parts = {
            Bonus(name) if name else None: Part(
                value, {Fraction(net): rounds for net, rounds in nets.items()}
            )
            for name, (value, nets) in data["parts"].items()
        }
        return cls(data["ev"], data["added"], parts)

    def as_json(self) -> dict[str, Json]:
        parts = {
            kind or "": [part.value, {str(net): n for net, n in sorted(part.nets.items())}]
            for kind, part in self.parts.items()
        }
        return {"ev": self.ev, "added": self.added, "parts": parts}

    def results(self, bonus: Figures | None = None) -> dict[Fraction, float]:
        """Return the probability of each result of a round; with *bonus*, of all three bets.

        The results are simulated, then weighted to match the exact chances of the Bonus and the
        exact expectation.
        """
        return weighted_results(self._strata(bonus), self._ev(bonus))

    def share(self, chosen: Callable[[Fraction], bool], bonus: Figures | None = None) -> Estimate:
        """Return the share of rounds with a *chosen* result, as :meth:`results` weights them."""
        return weighted_share(list(self._strata(bonus)), self._ev(bonus), chosen)

    def _ev(self, bonus: Figures | None) -> float:
        return self.ev + float(bonus.ev if bonus else 0)

    def _strata(self, bonus: Figures | None) -> Iterator[Stratum]:
        for kind, event in zip(CLASSES, (bonus or _counted()).events, strict=True):
            nets = self.parts[kind].nets
            rounds = sum(nets.values())
            mean = sum(float(net) * n for net, n in nets.items()) / rounds
            more = unit_net(event.odds) if bonus else Fraction()
            cells = [(net + more, n / rounds, float(net) - mean) for net, n in nets.items()]
            yield Stratum(event.combinations / _counted().total, rounds, cells)

    def std_dev(self, bonus: Figures | None = None) -> float:
        """Return the standard deviation of a round; the covariance with the Bonus is exact."""
        rounds = sum(n for part in self.parts.values() for n in part.nets.values())
        squares = sum(float(x) ** 2 * n for p in self.parts.values() for x, n in p.nets.items())
        mean = sum(float(x) * n for p in self.parts.values() for x, n in p.nets.items()) / rounds
        variance = (squares - rounds * mean**2) / (rounds - 1)
        if bonus is None:
            return sqrt(variance)
        return sqrt(variance + float(bonus.moments.variance) + 2 * self.covariance(bonus))

    def covariance(self, bonus: Figures) -> float:
        """Return the covariance of the Bonus and the two blackjack bets."""
        product = sum(
            float(event.net) * event.combinations * self.parts[kind].value
            for kind, event in zip(CLASSES, bonus.events, strict=True)
        )
        return product / bonus.total - float(bonus.ev) * self.ev


@cache
def _counted() -> Figures:
    from pitboss.games.roll_your_own import bonus_figures

    return bonus_figures.figures(Rules())


PLAYED = {"blackjack": "both blackjack bets", "package": "all three bets"}
"""The bets that need a strategy, with their display names."""


@dataclass(frozen=True, slots=True)
class PlayedBet:
    """The results of the blackjack bets, or of all three bets, per unit of one bet."""

    bet: str
    name: str
    ev: float
    std_dev: float
    ahead: float
    results: Mapping[Fraction, float]


def played_bets(rules: Rules, play: Play) -> tuple[PlayedBet, ...]:
    """Return the results of the bets that need a strategy, with the Bonus table of *rules*."""
    from pitboss.games.roll_your_own import bonus_figures

    bonus = bonus_figures.figures(rules)
    return (_played_bet("blackjack", play), _played_bet("package", play, bonus))


def _played_bet(bet: str, play: Play, bonus: Figures | None = None) -> PlayedBet:
    return PlayedBet(
        bet=bet,
        name=PLAYED[bet],
        ev=play.ev + float(bonus.ev if bonus else 0),
        std_dev=play.std_dev(bonus),
        ahead=play.share(is_ahead, bonus).value,
        results=play.results(bonus),
    )


@cache
def shipped() -> Mapping[Rules, Play]:
    """Return the plays that ship with the package; the keys are rules from :func:`as_played`."""
    rows = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return {Rules.from_json(row["rules"]): Play.from_json(row["play"]) for row in rows}


def known_play(rules: Rules) -> Play | None:
    """Return the play of *rules* if it ships with the package."""
    return shipped().get(as_played(rules))


def presolved(rules: Rules) -> float | None:
    """Return the exact expectation of the two blackjack bets if the package ships their play."""
    play = known_play(rules)
    return play.ev if play else None


def solve(rules: Rules) -> Play:
    """Solve and simulate the play of *rules*; this needs Numba."""
    from pitboss.games.roll_your_own import study as blackjack

    return blackjack.study(as_played(rules), _counted()).play


def rows() -> Iterator[dict[str, Json]]:
    """Solve the games to ship, and yield them as JSON."""
    for rules in wanted():
        yield {"rules": differences(rules), "play": solve(rules).as_json()}


def wanted() -> list[Rules]:
    """Return the rules whose play ships: the presets, and each setting switched alone."""
    from pitboss.games.roll_your_own.rules import PRESETS
    from pitboss.games.roll_your_own.rules_worth import alternatives

    every = [*PRESETS.values(), *(rules for _, rules in alternatives(Rules()))]
    return list(dict.fromkeys(map(as_played, every)))
