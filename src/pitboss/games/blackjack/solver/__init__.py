"""Exact values and best decisions of blackjack, from one to eight decks.

``starts`` solves the game from the deal with the engine of ``pitboss.solver``. ``charts`` values
total-dependent strategies.
"""

from pitboss.games.blackjack.solver.charts import Chart, Row, best_chart
from pitboss.games.blackjack.solver.starts import Game, Solver, Splitting, Start, UpCard
from pitboss.solver.engine import SolverError

__all__ = [
    "Chart",
    "Game",
    "Row",
    "Solver",
    "SolverError",
    "Splitting",
    "Start",
    "UpCard",
    "best_chart",
]
