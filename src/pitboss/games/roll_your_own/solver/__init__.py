"""Exact values and best decisions of Roll Your Own Blackjack.

``starts`` solves the game from the deal with the engine of ``pitboss.solver``. ``checkpoint``
stores a long solution.
"""

from pitboss.games.roll_your_own.solver.checkpoint import Checkpoint
from pitboss.games.roll_your_own.solver.starts import Game, Memory, Solution, Solver, Way
from pitboss.solver.engine import SolverError

__all__ = [
    "Checkpoint",
    "Game",
    "Memory",
    "Solution",
    "Solver",
    "SolverError",
    "Way",
]
