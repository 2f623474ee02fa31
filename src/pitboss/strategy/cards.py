"""The strategy card of a game as data: everything that is printed, with its numbers in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pitboss.games import not_there, roll_your_own, toss_one
from pitboss.games.toss_one import Lucky3, TossRule
from pitboss.paytables import unit_net

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.felt import Game
    from pitboss.rules import Rules
    from pitboss.solver import Solver
    from pitboss.solver.tables import Values
    from pitboss.strategy.lists import Rule
    from pitboss.strategy.playing import Apart, Playing
    from pitboss.strategy.setting import Rung

Data: TypeAlias = dict[str, Any]

SOLVED, CLIMBED = 0.4, 0.6
"""The shares of the work done when the game is solved, and when the setting rules are found."""


def strategy_card(
    game: Game, rules: Rules, tell: Callable[[float], object] = lambda _: None
) -> Data:
    """Return the card of a game; *tell* is told the share of the work done."""
    head = {
        "game": game.key,
        "name": game.name,
        "rules": rules.as_json(),
        "changes": [f"{s['name']}={s['value']}" for s in rules.explained() if not s["default"]],
        "digest": rules.digest(),
    }
    if isinstance(rules, roll_your_own.Rules):
        return head | _roll_your_own(rules, tell)
    if isinstance(rules, toss_one.Rules):
        return head | toss_advice(rules)
    raise not_there("strategy card", rules)


# --- Roll Your Own Blackjack


def _roll_your_own(rules: roll_your_own.Rules, tell: Callable[[float], object]) -> Data:
    from pitboss.solver import Solver
    from pitboss.strategy.playing import playing
    from pitboss.strategy.setting import STAKE, Starts, chosen, ladder

    solver = Solver(rules)
    solved = solver.solve_game(progress=lambda share: tell(SOLVED * share))
    starts = Starts.of(solver, solved)
    rungs = ladder(starts, lambda share: tell(SOLVED + (CLIMBED - SOLVED) * share))
    rung = chosen(rungs)
    chart = playing(solver, rung, lambda share: tell(CLIMBED + (1 - CLIMBED) * share))
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
    from pitboss.strategy.setting import AIM

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
    """Return the rule for insurance, and the most that a lone player can gain by it."""
    from pitboss.strategy.setting import OWN

    if solver.rules.insurance is roll_your_own.Insurance.OFF:
        return {"best": None, "text": "There is no insurance at this table."}
    best = max(
        solver.insurance(own) for own in OWN
    )  # zero: without a 10 in hand, exactly one unseen card in three is a 10
    return {"best": best, "text": INSURANCE}


def _rule(rule: Rule) -> Data:
    from pitboss.solver.starts import name_of
    from pitboss.strategy import words

    return {
        "text": words.full(rule),
        "short": words.short(rule),
        "kind": str(rule.feature.kind),
        "low": rule.feature.low or None,
        "high": rule.feature.high or None,
        "against": [name_of(up) for up in rule.ups],
    }


def playing_json(found: Playing) -> Data:
    from pitboss.solver.starts import name_of
    from pitboss.strategy.lists import UPS
    from pitboss.strategy.playing import LEAST_GAIN

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
        "exceptions": [_exception(apart) for apart in found.exceptions],
        "cost_with_exceptions": _cost(found.cost_with_exceptions),
        "least_gain": LEAST_GAIN,
    }


def _exception(apart: Apart) -> Data:
    from pitboss.solver.starts import name_of
    from pitboss.strategy import words

    return {
        "hands": words.hands(apart.group),
        "cards": _names(apart.group.cards),
        "row": [apart.group.row.kind, apart.group.row.number],
        "up": name_of(apart.up),
        "play": apart.play,
        "instead_of": apart.instead_of,
        "gain": _cost(apart.gain),
    }


def _names(cards: Values) -> list[str] | None:
    from pitboss.solver.starts import name_of

    return [name_of(value) for value in cards] or None


def _cost(units: float) -> Data:
    from pitboss.strategy.setting import STAKE

    return {"units": units, "of_stake": units / STAKE}


# --- Toss One 21


MAIN = "Toss the card that leaves the highest total of 21 or less."
WHY = {
    TossRule.MUST_BE_BEST: "No other toss is legal (toss=must_be_best).",
    TossRule.FREE: "Any toss is legal (toss=free), and none is better: a higher total wins whenever"
    " a lower one does.",
}
SAME = (
    "Where several tosses leave that total, the cards are of one value, and Main does not care"
    " which of them goes."
)
FAMILIES = {
    "blackjack": (Lucky3.SUITED_BLACKJACK, Lucky3.COLOURED_BLACKJACK, Lucky3.BLACKJACK),
    "any other 21": (Lucky3.SUITED_21, Lucky3.COLOURED_21, Lucky3.OTHER_21),
}
SUITS = ("three of one suit", "three of one color", "mixed colors")


def toss_advice(rules: toss_one.Rules) -> Data:
    """Return the toss in one line, and which of equal tosses Lucky 3 prefers."""
    orders = [_order(rules, family) for family in FAMILIES.values()]
    return {
        "toss": {"rule": MAIN, "legal": str(rules.toss), "why": WHY[rules.toss], "equal": SAME},
        "lucky3": {
            "rule": _prefers(orders),
            "families": [
                {"name": name, "keep": order} for name, order in zip(FAMILIES, orders, strict=True)
            ],
        },
    }


def _order(rules: toss_one.Rules, family: tuple[Lucky3, ...]) -> list[Data]:
    """Return the classes of a family, best paid first; a class pays as its table says."""
    nets = {kept: unit_net(rules.lucky3_paytable.odds(kept)) for kept in family}
    order = sorted(zip(family, SUITS, strict=True), key=lambda pair: -nets[pair[0]])
    return [
        {
            "class": str(kept),
            "text": text,
            "pays": _pays(rules, kept),
            "rank": 1 + sum(net > nets[kept] for net in set(nets.values())),
        }
        for kept, text in order
    ]


def _pays(rules: toss_one.Rules, kept: Lucky3) -> str:
    odds = rules.lucky3_paytable.odds(kept)
    if odds is None:
        return "lose"
    return str(odds) if odds.win else "push"


def _prefers(orders: list[list[Data]]) -> str:
    """Return the preference in one line; of each family where they differ."""
    named = [_line(order) for order in orders]
    if named[0] == named[1]:
        return f"If Lucky 3 is bet and the total is 21: {named[0]}."
    each = "; ".join(f"of {name}, {line}" for name, line in zip(FAMILIES, named, strict=True))
    return f"If Lucky 3 is bet and the total is 21: {each}."


def _line(order: list[Data]) -> str:
    ranks = sorted({row["rank"] for row in order})
    if len(ranks) == 1:
        return "any, for all pay the same"
    best = [" or ".join(row["text"] for row in order if row["rank"] == rank) for rank in ranks]
    return f"keep {', else '.join(best)}"
