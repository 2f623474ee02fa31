"""Simulated tables of Roll Your Own: teams that run out the deck (rule 8), and single players.

The package ships the figures as data, with the number of rounds and the seed that reproduce them;
``python -m pitboss.games.roll_your_own --ship`` simulates them again. Reading them needs only the
standard library; simulating needs Numba.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import TYPE_CHECKING

from pitboss.analysis.shipped import differences
from pitboss.games.roll_your_own import GAME, Rules, RunOut
from pitboss.games.roll_your_own.presolved import as_played
from pitboss.games.roll_your_own.rules import PRESETS
from pitboss.games.roll_your_own.rules_worth import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own.strategies import Strategy

SHIPPED = files("pitboss.games.roll_your_own") / "trials.json"
ROUNDS, SWITCHED_ROUNDS = 4_000_000, 1_000_000
SEED = 2026
STAKE = GAME.units["package"]
TEAM, SINGLE = "run-out", "solver"
"""The strategies: all seats try to run out the deck, or each seat plays its own best game."""

TEAM_SEATS = (7, 6, 5)
"""The numbers of seats that are simulated under rules other than the defaults."""


def as_team(rules: Rules) -> Rules:
    """Return the rules with the default value for each setting that does not affect the play."""
    return replace(as_played(rules), run_out=rules.run_out)


@dataclass(frozen=True, slots=True)
class TableTrial:
    """A table at which all seats use one strategy: figures per seat and round, in units."""

    strategy: str
    seats: int
    rounds: int
    seed: int
    ev: float
    """The expectation of the two blackjack bets."""

    std_error: float
    run_outs: int
    """Rounds in which the deck ran out."""

    @property
    def frequency(self) -> float:
        """How often the deck runs out."""
        return self.run_outs / self.rounds

    def as_json(self, bonus_ev: float) -> dict[str, Json]:
        """Return the figures of the three bets, with the exact figures of the Bonus."""
        ev, often = self.ev + bonus_ev, self.frequency
        return {
            "strategy": self.strategy,
            "seats": self.seats,
            "ev": ev,
            "house_edge": -ev / STAKE,
            "runs_out": often,
            "source": "simulated",
            "rounds": self.rounds,
            "seed": self.seed,
            "std_error": {
                "ev": self.std_error,
                "house_edge": self.std_error / STAKE,
                "runs_out": sqrt(often * (1 - often) / self.rounds),
            },
        }


@cache
def shipped() -> Mapping[Rules, list[TableTrial]]:
    """Return the simulated tables; the keys are rules from :func:`as_team`."""
    found: dict[Rules, list[TableTrial]] = {}
    for row in json.loads(SHIPPED.read_text(encoding="utf-8")):
        found.setdefault(Rules.from_json(row.pop("rules")), []).append(TableTrial(**row))
    return found


def known(rules: Rules, strategy: str = TEAM) -> list[TableTrial]:
    """Return the simulated tables with no more seats than *rules* allow."""
    trials = shipped().get(as_team(rules), [])
    return [t for t in trials if t.strategy == strategy and t.seats <= rules.seats]


def rule_8(rules: Rules, bonus_ev: float) -> dict[str, Json]:
    """Return the figures of whole tables as JSON; a list is empty if nothing was simulated."""
    push = replace(rules, run_out=RunOut.PUSH)
    found = {
        "teams": known(rules),
        "teams_with_push": known(push),
        "single_players": known(rules, SINGLE),
    }
    rows = {name: [t.as_json(bonus_ev) for t in trials] for name, trials in found.items()}
    return {"run_out": str(rules.run_out), "seats": rules.seats, **rows}


# --- simulating


def wanted() -> Iterator[tuple[Rules, str, int, int]]:
    """Yield the rules, strategy, seats and rounds of each table to simulate."""
    plain, push = Rules(), Rules(run_out=RunOut.PUSH)
    for strategy in (TEAM, SINGLE):
        yield from ((plain, strategy, seats, ROUNDS) for seats in range(plain.seats, 1, -1))
    others = [*PRESETS.values(), *(other for _, other in alternatives(plain))]
    for rules in dict.fromkeys(map(as_team, others)):
        if rules != plain:
            yield from ((rules, TEAM, seats, SWITCHED_ROUNDS) for seats in TEAM_SEATS)
    yield push, SINGLE, plain.seats, ROUNDS


def measure(rules: Rules, strategy: str, seats: int, rounds: int, seed: int = SEED) -> TableTrial:
    """Simulate a table on all cores."""
    from pitboss.games.roll_your_own.simulation import RollYourOwn
    from pitboss.simulator import simulate

    job = RollYourOwn(_strategy(rules, strategy), seats, seed)
    counts = simulate(job, rounds).counts
    bet = job.bets(counts)["blackjack"]
    run_outs = int(job.trial(counts).event("run outs").total)
    return TableTrial(strategy, seats, rounds, seed, bet.ev, bet.std_error, run_outs)


@cache
def _strategy(rules: Rules, name: str) -> Strategy:
    from pitboss.games.roll_your_own import strategies, team

    return {TEAM: team.run_out, SINGLE: strategies.solved}[name](rules)


def rows() -> Iterator[dict[str, Json]]:
    """Simulate the tables to ship, and yield them as JSON."""
    for rules, strategy, seats, rounds in wanted():
        trial = measure(rules, strategy, seats, rounds)
        yield {"rules": differences(rules), **asdict(trial)}
