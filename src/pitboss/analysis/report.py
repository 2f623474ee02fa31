"""The math report as data: all its numbers and texts, the same for HTML, PDF and JSON.

The same input always gives the same data: no clock is used, and all seeds are fixed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import ceil, gcd, sqrt
from typing import TYPE_CHECKING, Any

from pitboss import __version__
from pitboss.analysis import analyze
from pitboss.analysis.house import WIDTH, after

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.analysis import Analysis
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json
    from pitboss.tables.limits import Limit

__all__ = [
    "Plan",
    "report_data",
]

HOURS = 8
POINTS = 2**22  # the size of the widest distribution
COUNTS = (60, 480, 2_400, 10_000, 100_000)
"""The numbers of rounds after which the report gives the probability that the house is behind."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The options of a report, apart from the rules."""

    limits: Mapping[str, Limit]
    stakes: Mapping[str, int] = field(default_factory=dict)  # cents per round, for operations
    rounds_per_hour: int = 60
    simulate: int = 0
    seed: int = 1
    date: str | None = None
    worth: bool = True  # whether to solve a game again with each rule changed


def report_data(
    game: Game,
    rules: Any,  # noqa: ANN401  the game's own Rules
    plan: Plan,
    tell: Callable[[int], None] = lambda _: None,
    progress: Callable[[float], object] = lambda _: None,
    *,
    warn: Callable[[str], object] = lambda _: None,
) -> dict[str, Json]:
    """Return the whole report.

    *tell* is called with the number of rounds simulated so far, *progress* with the share of the
    solver's work that is done, and *warn* with the reason why bets are missing.
    """
    analysis = analyze(game, rules, worth=plan.worth, progress=progress)
    if analysis.missing:
        warn(analysis.missing)
    figures = analysis.as_json()
    return {
        "game": game.key,
        "name": game.name,
        "summary": game.summary,
        "version": __version__,
        "date": plan.date,
        "rules": rules.as_json(),
        "digest": rules.digest(),
        "settings": _settings(rules),
        "changes": _changes(game, rules),
        "clauses": dict(game.clauses),
        "paytables": rules.paytables(),
        "bets": figures["bets"],
        "conditions": figures["conditions"],
        "rule_8": figures.get("rule_8"),
        "package": figures.get("package"),
        "sensitivity": figures.get("sensitivity", []),
        "rules_worth": figures.get("rules_worth"),
        "bonus_tables": figures.get("bonus_tables"),
        "strategy": analysis.strategy(),
        "simulation": _simulation(analysis, plan, tell) if plan.simulate else None,
        "exposed": analysis.exposed(),
        "operations": _operations(analysis, plan),
        "limits": _limits(analysis, plan),
    }


def _settings(rules: Any) -> list[dict[str, Json]]:  # noqa: ANN401
    """Return the settings with explanations; a custom pay table is named "custom"."""
    rows = rules.explained()
    return [r | {"value": "custom"} if r["value"].startswith("[") else r for r in rows]


def _changes(game: Game, rules: Any) -> list[dict[str, str]]:  # noqa: ANN401
    """Return every setting that differs from the default preset, with both values."""
    preset = game.presets["default"]
    return [
        {"name": n, "preset": s.text(getattr(preset, n)), "value": s.text(getattr(rules, n))}
        for n, s in rules.settings.items()
        if getattr(preset, n) != getattr(rules, n)
    ]


def _simulation(
    analysis: Analysis, plan: Plan, tell: Callable[[int], None]
) -> dict[str, Json] | None:
    """Return a simulation that confirms the exact figures; None if the game has no such job."""
    from pitboss.simulator import simulate

    job = analysis.job(plan.seed)
    if job is None:
        return None
    run = simulate(job, plan.simulate, progress=tell)
    if run.interrupted:
        raise KeyboardInterrupt
    bets = run.bets(job.exact())
    return {
        "rounds": run.rounds,
        "seed": plan.seed,
        "bets": {bet: bets[bet].as_json() for bet in analysis.counted},
    }


def _operations(analysis: Analysis, plan: Plan) -> dict[str, Json] | None:
    """Return the house's win and the probability that it is behind, at the plan's stakes."""
    stakes = {name: plan.stakes.get(name, 0) for name in analysis.game.stakes}
    found = analysis.round_results(stakes) if any(stakes.values()) else None
    if not found:
        return None
    grain = ceil(2 * WIDTH * found.std_dev * sqrt(max(COUNTS)) / POINTS)
    one = _coarse(found.chances, grain)
    rounds = plan.rounds_per_hour * HOURS
    counts = sorted({*COUNTS, plan.rounds_per_hour, rounds})
    return {
        "stakes": stakes,
        "rounds_per_hour": plan.rounds_per_hour,
        "hours": HOURS,
        "win_per_round": -found.ev,
        "win_per_hour": -found.ev * plan.rounds_per_hour,
        "std_dev_per_round": found.std_dev,
        "house_behind": [{"rounds": n, "probability": after(one, n).house_behind} for n in counts],
        "day": {"rounds": rounds, "histogram": after(one, rounds).histogram()},
    }


def _coarse(one: Mapping[int, float], grain: int) -> Mapping[int, float]:
    """Move results to a grid of *grain* cents if theirs is finer; the mean stays exact."""
    if gcd(*one) >= grain:
        return one
    found: defaultdict[int, float] = defaultdict(float)
    for net, probability in one.items():
        below, rest = divmod(net, grain)
        found[below * grain] += probability * (1 - rest / grain)
        found[(below + 1) * grain] += probability * rest / grain
    return found


def _limits(analysis: Analysis, plan: Plan) -> list[dict[str, Json]]:
    """Return the limits of the bets, in cents, with the highest win of each counted bet.

    A bet that is not counted has a row only if no counted bet has the same stake.
    """
    bets, counted = analysis.game.figures_bets, analysis.counted
    rows = []
    for bet in analysis.bets:
        stake = bets[bet].stake if bet in bets else None
        is_shown = bet in counted or stake not in {bets[other].stake for other in counted}
        if is_shown and (limit := plan.limits.get(stake or "")):
            top = counted[bet].top if bet in counted else None
            rows.append(
                {
                    "bet": bet,
                    "least": limit.least,
                    "most": limit.most,
                    "step": limit.step,
                    "pays": top and top.pays,
                    "top_prize": top and analysis.rules.rounding.net(top.odds, limit.most),
                    "prizes": _prizes(analysis.rules, bets[bet].paytable, limit.most),
                }
            )
    return rows


def _prizes(rules: Any, paytable: str | None, most: int) -> list[dict[str, Json]]:  # noqa: ANN401
    """Return the prizes of a pay table for a bet of *most*, the highest first."""
    rows = [
        {"on": result, "pays": str(odds), "win": rules.rounding.net(odds, most)}
        for results, odds in (getattr(rules, paytable).lines if paytable else ())
        for result in results
    ]
    return sorted(rows, key=lambda row: row["win"], reverse=True)
