"""Solve the play of blackjack in a separate process.

The program reads rules as JSON and writes the play as JSON. With ``--ship`` it recomputes the data
that ships with the package instead: the solved plays. That takes minutes.
"""

from __future__ import annotations

from pitboss.analysis.shipped import solve_or_ship
from pitboss.games.blackjack import Rules, presolved

if __name__ == "__main__":
    solve_or_ship(Rules, lambda rules: presolved.solve(rules).as_json(), presolved)
