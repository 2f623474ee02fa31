"""The results of the Main bet: solved and simulated once, then priced instantly.

A play has the exact expectation of Main, and the spread of its results from a simulation. The
package ships the plays of the presets and of each of their settings switched alone; ``python -m
pitboss.games.blackjack --ship`` recomputes them. The play of any other rules takes seconds to
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

from pitboss.analysis.played import Stratum, is_ahead, weighted_results, weighted_share
from pitboss.analysis.shipped import differences
from pitboss.games.blackjack.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pitboss.core.settings import Json

SHIPPED = files("pitboss.games.blackjack") / "presolved.json"
KERNELS = {"numba", "numpy", "platformdirs", "psutil"}
"""The libraries that the solver needs beyond the core."""

NEEDS_KERNELS = "Main needs pip install 'pitboss[kernels]'"
"""The message if Main is not computed."""

PLAYED = {"main": "Main"}
"""The bets that need a strategy, with their display names."""

NO_EFFECT = (
    "perfect_pairs_paytable",
    "plus_three_paytable",
    "lucky_ladies_paytable",
    "insurance",
    "rounding",
    "seats",
)
"""Settings that do not affect the figures of Main: one seat, no insurance, no rounding."""


def as_played(rules: Rules) -> Rules:
    """Return the rules without the settings that do not change the play of Main."""
    plain, same = Rules(), [*NO_EFFECT]
    if not rules.max_splits:
        same += ["double_after_split", "hit_split_aces"]
    if rules.max_splits < 2:  # noqa: PLR2004  aces cannot be split twice
        same.append("resplit_aces")
    return replace(rules, **{name: getattr(plain, name) for name in same})


@dataclass(frozen=True, slots=True)
class Play:
    """The Main bet, solved: per unit staked."""

    ev: float
    added: float
    """The expected number of units that doubles and splits add to the bet in a round."""

    nets: Mapping[Fraction, int]
    """Simulated rounds by their result."""

    @classmethod
    def from_json(cls, data: Json) -> Play:
        nets = {Fraction(net): rounds for net, rounds in data["nets"].items()}
        return cls(data["ev"], data["added"], nets)

    def as_json(self) -> dict[str, Json]:
        nets = {str(net): n for net, n in sorted(self.nets.items())}
        return {"ev": self.ev, "added": self.added, "nets": nets}

    @property
    def strata(self) -> list[Stratum]:
        """All simulated rounds, as one stratum."""
        rounds = sum(self.nets.values())
        mean = sum(float(net) * n for net, n in self.nets.items()) / rounds
        cells = [(net, n / rounds, float(net) - mean) for net, n in self.nets.items()]
        return [Stratum(1.0, rounds, cells)]

    @property
    def results(self) -> dict[Fraction, float]:
        """The chance of each result of a round, with the exact expectation."""
        return weighted_results(self.strata, self.ev)

    @property
    def std_dev(self) -> float:
        (stratum,) = self.strata
        return sqrt(sum(p * away**2 for _, p, away in stratum.cells))


@dataclass(frozen=True, slots=True)
class PlayedBet:
    """The results of Main, per unit staked."""

    bet: str
    name: str
    ev: float
    std_dev: float
    ahead: float
    results: Mapping[Fraction, float]


def played_bets(rules: Rules, play: Play) -> tuple[PlayedBet, ...]:  # noqa: ARG001  Main alone
    """Return the results of Main."""
    ahead = weighted_share(play.strata, play.ev, is_ahead).value
    return (PlayedBet("main", PLAYED["main"], play.ev, play.std_dev, ahead, play.results),)


@cache
def shipped() -> Mapping[Rules, Play]:
    """Return the plays that ship with the package; the keys are rules from :func:`as_played`."""
    rows = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return {Rules.from_json(row["rules"]): Play.from_json(row["play"]) for row in rows}


def known_play(rules: Rules) -> Play | None:
    """Return the play of *rules* if it ships with the package."""
    return shipped().get(as_played(rules))


def presolved(rules: Rules) -> float | None:
    """Return the exact expectation of Main if the package ships its play."""
    play = known_play(rules)
    return play.ev if play else None


def solve(rules: Rules) -> Play:
    """Solve and simulate the play of *rules*; this needs Numba."""
    from pitboss.games.blackjack.study import study

    return study(as_played(rules)).play


def rows() -> Iterator[dict[str, Json]]:
    """Solve the games to ship, and yield them as JSON."""
    for rules in wanted():
        yield {"rules": differences(rules), "play": solve(rules).as_json()}


def wanted() -> list[Rules]:
    """Return the rules whose play ships: the presets, and each of their settings switched alone."""
    from pitboss.games.blackjack.rules import PRESETS
    from pitboss.games.blackjack.rules_worth import alternatives

    presets = dict.fromkeys(map(as_played, PRESETS.values()))
    every = [*presets, *(other for rules in presets for _, other in alternatives(rules))]
    return list(dict.fromkeys(map(as_played, every)))
