"""The math report as data: every number and word of it, the same for HTML, PDF and JSON.

The same input gives the same data: there is no clock and no chance in it but for trials' seeds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import ceil, gcd, sqrt
from typing import TYPE_CHECKING, Any

from pitboss import __version__
from pitboss.analysis import analyze, toss_one
from pitboss.analysis.house import WIDTH, after
from pitboss.cards import DECK
from pitboss.games import toss_one as toss_game
from pitboss.games.toss_one import best_hands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.analysis import Analysis
    from pitboss.felt import Game
    from pitboss.rules import Json
    from pitboss.table import Limit

__all__ = [
    "Plan",
    "report_data",
]

CARDS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")
HOURS = 8
POINTS = 2**22  # of the widest distribution
COUNTS = (60, 480, 2_400, 10_000, 100_000)
"""After how many rounds, beside an hour's and a day's, the house may be behind."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a report is asked for beside the rules."""

    limits: Mapping[str, Limit]
    stakes: Mapping[str, int] = field(default_factory=dict)  # cents a round, for operations
    rounds_per_hour: int = 60
    simulate: int = 0
    seed: int = 1
    date: str | None = None
    worth: bool = True  # what each rule of Roll Your Own is worth, which takes a while


def report_data(
    game: Game,
    rules: Any,  # noqa: ANN401  the game's own Rules
    plan: Plan,
    tell: Callable[[int], None] = lambda _: None,
    progress: Callable[[float], object] = lambda _: None,
) -> dict[str, Json]:
    """Return the whole report; *tell* hears the rounds of a trial, *progress* of solving."""
    analysis = analyze(game, rules, worth=plan.worth, progress=progress)
    figures = analysis.as_json()
    is_toss = isinstance(rules, toss_game.Rules)
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
        "strategy": _strategy() if is_toss else None,
        "simulation": _simulation(analysis, plan, tell) if is_toss and plan.simulate else None,
        "exposed": _exposed(analysis),
        "operations": _operations(analysis, plan),
        "limits": _limits(analysis, plan),
    }


def _settings(rules: Any) -> list[dict[str, Json]]:  # noqa: ANN401
    """Return the settings as they are explained; a custom pay table is named "custom"."""
    rows = rules.explained()
    return [r | {"value": "custom"} if r["value"].startswith("[") else r for r in rows]


def _changes(game: Game, rules: Any) -> list[dict[str, str]]:  # noqa: ANN401
    """Return every setting that is not the default preset's, with both values."""
    preset = game.presets["default"]
    return [
        {"name": n, "preset": s.text(getattr(preset, n)), "value": s.text(getattr(rules, n))}
        for n, s in rules.settings.items()
        if getattr(preset, n) != getattr(rules, n)
    ]


@cache
def _strategy() -> dict[str, Json]:
    """Count, over every hand of one deck, how many best tosses there are and in how many values."""
    choices: Counter[int] = Counter()
    values: Counter[int] = Counter()
    for cards in combinations(DECK, 4):
        best = best_hands.__wrapped__(cards)
        choices[len(best)] += 1
        values[len({hand.tossed.value for hand in best})] += 1
    return {
        "hands": sum(choices.values()),
        "busts": choices[0],
        "one_toss": choices[1],
        "several_equal_tosses": sum(n for count, n in choices.items() if count > 1),
        "tosses_of_different_value": sum(n for count, n in values.items() if count > 1),
    }


def _simulation(analysis: Analysis, plan: Plan, tell: Callable[[int], None]) -> dict[str, Json]:
    from pitboss.analysis.confirmation import exact
    from pitboss.simulator import TossOne, simulate

    job = TossOne(analysis.rules, seed=plan.seed)
    run = simulate(job, plan.simulate, progress=tell)
    if run.interrupted:
        raise KeyboardInterrupt
    bets = job.bets(run.counts, exact(job))
    return {
        "rounds": run.rounds,
        "seed": plan.seed,
        "bets": {bet: bets[bet].as_json() for bet in analysis.counted},
    }


def _exposed(analysis: Analysis) -> dict[str, list[dict[str, Json]]] | None:
    """Return each bet's expectation when one card is known before betting."""
    rules = analysis.rules
    if not isinstance(rules, toss_game.Rules):
        return analysis.study.exposed() if analysis.study else None
    found = {}
    for whose, priced in (("own", toss_one.exposed_own), ("dealer", toss_one.exposed_dealer)):
        rows = [(card, priced(rules, value)) for value, card in enumerate(CARDS, 1)]
        found[whose] = [
            {"card": c} | {bet: float(ev) for bet, ev in evs.items()} for c, evs in rows
        ]
    return found


def _operations(analysis: Analysis, plan: Plan) -> dict[str, Json] | None:
    """Return what the house wins, and how likely it is behind, at the stakes of the plan."""
    one: Counter[int] = Counter()
    if isinstance(analysis.rules, toss_game.Rules):
        stakes = {bet: plan.stakes.get(bet, 0) for bet in toss_one.BETS}
        moments = toss_one.package(analysis.rules).moments(tuple(stakes.values()))
        for net, deals in moments.counts.items():
            one[round(net)] += deals / moments.total  # type: ignore[assignment]
        return _operated(stakes, float(moments.ev), moments.std_dev, one, plan)
    if not analysis.study:
        return None
    bet = plan.stakes.get("bet", 0)
    package = analysis.study.package
    for net, chance in analysis.study.results().items():
        one[round(bet * net)] += chance  # type: ignore[assignment]
    return _operated({"bet": bet}, bet * package.ev, bet * package.std_dev.value, one, plan)


def _operated(
    stakes: dict[str, int], ev: float, std_dev: float, one: Counter[int], plan: Plan
) -> dict[str, Json] | None:
    if not any(stakes.values()):
        return None
    one = _coarse(one, ceil(2 * WIDTH * std_dev * sqrt(max(COUNTS)) / POINTS))
    rounds = plan.rounds_per_hour * HOURS
    counts = sorted({*COUNTS, plan.rounds_per_hour, rounds})
    return {
        "stakes": stakes,
        "rounds_per_hour": plan.rounds_per_hour,
        "hours": HOURS,
        "win_per_round": -ev,
        "win_per_hour": -ev * plan.rounds_per_hour,
        "std_dev_per_round": std_dev,
        "house_behind": [{"rounds": n, "probability": after(one, n).house_behind} for n in counts],
        "day": {"rounds": rounds, "histogram": after(one, rounds).histogram()},
    }


def _coarse(one: Counter[int], grain: int) -> Counter[int]:
    """Put results on a grid of *grain* cents unless theirs is as wide; the mean stays exact."""
    if gcd(*one) >= grain:
        return one
    found: Counter[int] = Counter()
    for net, probability in one.items():
        below, rest = divmod(net, grain)
        found[below * grain] += probability * (1 - rest / grain)  # type: ignore[assignment]
        found[(below + 1) * grain] += probability * rest / grain  # type: ignore[assignment]
    return found


def _limits(analysis: Analysis, plan: Plan) -> list[dict[str, Json]]:
    """Return what each bet can win at its limit, in cents, by the highest prize."""
    rows = []
    for bet, figures in analysis.counted.items():
        limit = plan.limits.get(bet) or plan.limits.get("bet")
        if limit:
            top = figures.top
            win = analysis.rules.rounding.net(top.odds, limit.most)
            rows.append(
                {
                    "bet": bet,
                    "least": limit.least,
                    "most": limit.most,
                    "step": limit.step,
                    "pays": top.pays,
                    "top_prize": win,
                    "prizes": _prizes(analysis.rules, bet, limit.most),
                }
            )
    return rows


def _prizes(rules: Any, bet: str, most: int) -> list[dict[str, Json]]:  # noqa: ANN401
    """Return what a pay table's results win at *most*, highest first; each is a prize."""
    table = getattr(rules, f"{bet}_paytable", None)
    rows = [
        {"on": result, "pays": str(odds), "win": rules.rounding.net(odds, most)}
        for results, odds in (table.lines if table else ())
        for result in results
    ]
    return sorted(rows, key=lambda row: row["win"], reverse=True)
