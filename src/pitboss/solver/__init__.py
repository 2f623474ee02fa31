"""Exact values and best decisions: Roll Your Own Blackjack, and the ordinary game to test against.

``tables`` knows hands of values and the dealer's hands, ``engine`` what hands are worth against one
up card, ``starts`` the game from the deal on, ``checkpoint`` keeps a long solution.
"""

from pitboss.solver.checkpoint import Checkpoint
from pitboss.solver.engine import SolverError
from pitboss.solver.starts import Game, Memory, Solution, Solver, Way

__all__ = [
    "Checkpoint",
    "Game",
    "Memory",
    "Solution",
    "Solver",
    "SolverError",
    "Way",
]
