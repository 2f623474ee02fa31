"""Exact values and best decisions of Roll Your Own Blackjack, and of ordinary blackjack for tests.

``tables`` lists the hands of values and the dealer's hands, ``engine`` values hands against one up
card, and ``starts`` solves the game from the deal. ``checkpoint`` stores a long solution.
"""

from pitboss.games.roll_your_own.solver.checkpoint import Checkpoint
from pitboss.games.roll_your_own.solver.engine import SolverError
from pitboss.games.roll_your_own.solver.starts import Game, Memory, Solution, Solver, Way

__all__ = [
    "Checkpoint",
    "Game",
    "Memory",
    "Solution",
    "Solver",
    "SolverError",
    "Way",
]
