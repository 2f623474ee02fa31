"""The strategy card of Roll Your Own Blackjack as data, computed with the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.roll_your_own.card import words
from pitboss.games.roll_your_own.card.lists import UPS
from pitboss.games.roll_your_own.card.playing import LEAST_GAIN, playing
from pitboss.games.roll_your_own.card.setting import AIM, OWN, STAKE, Starts, chosen, ladder
from pitboss.games.roll_your_own.rules import Insurance
from pitboss.games.roll_your_own.solver import Solver
from pitboss.games.roll_your_own.solver.starts import name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.games.roll_your_own.card.lists import Rule
    from pitboss.games.roll_your_own.card.playing import Deviation, Playing
    from pitboss.games.roll_your_own.card.setting import Rung
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.solver.tables import Values
    from pitboss.strategy.cards import Data

SOLVED_SHARE, SETTING_SHARE = 0.4, 0.6
"""The shares of the work done when the game is solved, and when the setting rules are found."""


def card_data(rules: Rules, tell: Callable[[float], object]) -> Data:
    """Return the card: setting lines, chart, exceptions, insurance, and their costs."""
    solver = Solver(rules)
    solved = solver.solve_game(progress=lambda share: tell(SOLVED_SHARE * share))
    starts = Starts.of(solver, solved)
    rungs = ladder(
        starts, lambda share: tell(SOLVED_SHARE + (SETTING_SHARE - SOLVED_SHARE) * share)
    )
    rung = chosen(rungs)
    chart = playing(solver, rung, lambda share: tell(SETTING_SHARE + (1 - SETTING_SHARE) * share))
    costs = {
        "setting": rung.cost,
        "playing": chart.cost,
        "playing_with_exceptions": chart.cost_with_exceptions,
        "together": rung.cost + chart.cost,
        "together_with_exceptions": rung.cost + chart.cost_with_exceptions,
    }
    return {
        "memory": str(solved.memory),
        "stake": STAKE,
        "ev": {"best": solved.ev, "card": solved.ev - costs["together_with_exceptions"]},
        "setting": setting_json(rungs, rung),
        "playing": playing_json(chart),
        "insurance": insurance_json(solver),
        "costs": {name: _cost(units) for name, units in costs.items()},
    }


def setting_json(rungs: tuple[Rung, ...], rung: Rung) -> Data:
    return {
        "aim": AIM,
        "aim_met": rung.of_stake < AIM,
        "lines": [_rule(rule) for rule in rung.rules],
        "cost": _cost(rung.cost),
        "ladder": [
            {
                "lines": r.lines,
                "cost": _cost(r.cost),
                "is_the_card": r is rung,
                "rules": [_rule(rule) for rule in r.rules],
            }
            for r in rungs
        ],
    }


INSURANCE = (
    "Insurance: never when you play alone; at best it is even. With other packs face up, count the"
    " 10s in all packs, yours too: insure only if there are fewer 10s than other packs."
)
"""With n other packs and t tens in sight, the 48 - 3n unseen cards contain 16 - t tens. Insurance
pays 2 to 1, so it gains if more than a third of the unseen cards are tens: if t < n."""


def insurance_json(solver: Solver) -> Data:
    """Return the rule for insurance, and the largest gain from it for a single player."""
    if solver.rules.insurance is Insurance.OFF:
        return {"best": None, "text": "There is no insurance at this table."}
    best = max(
        solver.insurance(own) for own in OWN
    )  # zero: without a 10 in hand, exactly one unseen card in three is a 10
    return {"best": best, "text": INSURANCE}


def _rule(rule: Rule) -> Data:
    return {
        "text": words.full(rule),
        "short": words.short(rule),
        "kind": str(rule.feature.kind),
        "low": rule.feature.low or None,
        "high": rule.feature.high or None,
        "against": [name_of(up) for up in rule.ups],
    }


def playing_json(found: Playing) -> Data:
    rows = sorted({row for codes in found.chart.values() for row in codes})
    chart: Data = {"up_cards": [name_of(up) for up in UPS]}
    for kind in ("hard", "soft", "pair"):
        name = {"pair": name_of}.get(kind, str)
        chart[kind] = {
            name(row.number): [found.chart[up][row] for up in UPS]
            for row in rows
            if row.kind == kind and all(row in found.chart[up] for up in UPS)
        }
    return {
        "chart": chart,
        "cost": _cost(found.cost),
        "exceptions": [_exception(deviation) for deviation in found.exceptions],
        "cost_with_exceptions": _cost(found.cost_with_exceptions),
        "least_gain": LEAST_GAIN,
    }


def _exception(deviation: Deviation) -> Data:
    return {
        "hands": words.hands(deviation.group),
        "cards": _names(deviation.group.cards),
        "row": [deviation.group.row.kind, deviation.group.row.number],
        "up": name_of(deviation.up),
        "play": deviation.play,
        "instead_of": deviation.instead_of,
        "gain": _cost(deviation.gain),
    }


def _names(cards: Values) -> list[str] | None:
    return [name_of(value) for value in cards] or None


def _cost(units: float) -> Data:
    return {"units": units, "of_stake": units / STAKE}
