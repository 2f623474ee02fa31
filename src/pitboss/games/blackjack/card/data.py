"""The strategy card of blackjack as data, computed with the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.blackjack.solver import Solver
from pitboss.games.blackjack.solver.charts import HARD, LATER, PAIRS, SOFT, best_chart
from pitboss.games.blackjack.solver.starts import name_of
from pitboss.solver.tables import ACE, VALUES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.games.blackjack.rules import Rules
    from pitboss.games.blackjack.solver.charts import Chart, Row
    from pitboss.strategy.cards import Data

UPS = (*VALUES[1:], ACE)
"""The up cards in the order of a chart: 2 to 9, ten, ace."""

CHART_SHARE = 0.7  # the share of the work done when the chart is found
SURRENDER, NO_SURRENDER = "R", "-"
CODES = {"stand": "S", "hit": "H", "double": "Dh", "split": "P"}


def card_data(rules: Rules, tell: Callable[[float], object]) -> Data:
    """Return the card: the chart, its value and cost, and the rule for insurance."""
    solver = Solver(rules)
    chart = best_chart(solver, lambda share: tell(CHART_SHARE * share))
    card = chart.expected(solver).value
    solved = solver.solve_game(lambda share: tell(CHART_SHARE + (1 - CHART_SHARE) * share))
    return {
        "memory": str(solved.splitting),
        "ev": {"best": solved.ev, "card": card},
        "cost": solved.ev - card,
        "chart": chart_json(solver, chart),
        "insurance": insurance_json(solver),
    }


def chart_json(solver: Solver, chart: Chart) -> Data:
    """Return the tables of the chart, with the surrenders in a table of their own."""
    return {
        "up_cards": [name_of(up) for up in UPS],
        "hard": {str(row.number): _plays(solver, chart, row) for row in HARD},
        "soft": {str(row.number): _plays(solver, chart, row) for row in SOFT},
        "pair": {
            name_of(row.number): _plays(solver, chart, row)
            for row in (*PAIRS[1:], PAIRS[0])
            if solver.play.max_splits
        },
        "surrender": _surrenders(chart),
    }


def _plays(solver: Solver, chart: Chart, row: Row) -> list[str]:
    """Return the codes of a row for hands that are not surrendered."""
    return [_play(solver, chart, row, up) for up in UPS]


def _play(solver: Solver, chart: Chart, row: Row, up: int) -> str:
    code = chart.codes[up][row]
    if not code.startswith(SURRENDER):
        return code
    if row.kind != "pair":
        return CODES[LATER[code]]
    plays = dict(solver.solve(up, (row.number, row.number)).plays)
    del plays["surrender"]
    return CODES[max(plays, key=lambda play: plays[play])]


def _surrenders(chart: Chart) -> dict[str, list[str]]:
    """Return the rows with a surrender: hard totals, and pairs that differ from their total."""
    found = {str(row.number): _surrender_cells(chart, row) for row in HARD}
    for row in PAIRS[1:]:
        cells = _surrender_cells(chart, row)
        if cells != found[str(2 * row.number)]:
            found["-".join(2 * [name_of(row.number)])] = cells
    return {name: cells for name, cells in found.items() if SURRENDER in cells or "-" in name}


def _surrender_cells(chart: Chart, row: Row) -> list[str]:
    codes = (chart.codes[up][row] for up in UPS)
    return [SURRENDER if code.startswith(SURRENDER) else NO_SURRENDER for code in codes]


def insurance_json(solver: Solver) -> Data:
    """Return the rule for insurance, with its value on average and for the best hand."""
    if not solver.rules.insurance:
        return {"average": None, "best": None, "text": "There is no insurance at this table."}
    average = solver.insurance(())
    best = max(solver.insurance(own) for own, _ in solver.starts(ACE))
    return {
        "average": average,
        "best": best,
        "text": f"Insurance: never, and no even money. On average insurance loses {-average:.2%} of"
        f" its stake, and {-best:.2%} if you hold no 10. Only if you count the cards of the whole"
        " table: insure if more than one unseen card in three is a 10.",
    }
