"""Solve the play of Roll Your Own in a separate process.

The program reads rules as JSON and writes the play as JSON. With ``--ship`` it recomputes the data
that ships with the package instead: the solved plays and the simulated tables. That takes minutes.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pitboss.games.roll_your_own import Rules, presolved, trials
from pitboss.games.roll_your_own.presolved import solve

NICENESS = 10
"""Lowers the priority, so that live tables on the same machine come first."""


def main() -> None:
    if sys.argv[1:] == ["--ship"]:
        for data in (presolved, trials):
            lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in data.rows())
            Path(str(data.SHIPPED)).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        return
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    play = solve(Rules.from_json(json.load(sys.stdin)))
    json.dump(play.as_json(), sys.stdout)


if __name__ == "__main__":
    main()
