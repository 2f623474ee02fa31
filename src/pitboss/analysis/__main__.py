"""Solve the play of Roll Your Own in a process of its own, beside whatever else is going on.

Rules as JSON come in, the play goes out as JSON. With ``--ship`` the plays that come with the
package are written anew.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pitboss.analysis.played import SHIPPED, differences, solve, wanted
from pitboss.games.roll_your_own import Rules

POLITE = 10
"""How far tables that deal come first."""


def main() -> None:
    if sys.argv[1:] == ["--ship"]:
        rows = [{"rules": differences(rules), "play": solve(rules).as_json()} for rules in wanted()]
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        Path(str(SHIPPED)).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        return
    if hasattr(os, "nice"):
        os.nice(POLITE)
    play = solve(Rules.from_json(json.load(sys.stdin)))
    json.dump(play.as_json(), sys.stdout)


if __name__ == "__main__":
    main()
