"""Data files of solved games that ship with the package of a game, and the program that makes them.

``python -m PACKAGE`` reads rules as JSON and writes the solved play as JSON. With ``--ship`` it
recomputes the data files of the package instead.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pitboss.core.settings import Json, Rules

NICENESS = 10
"""Lowers the priority, so that live tables on the same machine come first."""


class DataModule(Protocol):
    """A module that reads a data file and can recompute it."""

    SHIPPED: Any  # the file

    def rows(self) -> Iterable[dict[str, Json]]:
        """Compute the rows of the file."""


def differences(rules: Rules) -> dict[str, Json]:
    """Return the settings that differ from the defaults."""
    plain = type(rules)().as_json()
    return {name: value for name, value in rules.as_json().items() if value != plain[name]}


def solve_or_ship(
    rules: type[Rules], solve: Callable[[Any], dict[str, Json]], *data: DataModule
) -> None:
    """Run the program of a package; *solve* returns the play of rules as JSON."""
    if sys.argv[1:] == ["--ship"]:
        for module in data:
            lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in module.rows())
            Path(str(module.SHIPPED)).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        return
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    json.dump(solve(rules.from_json(json.load(sys.stdin))), sys.stdout)
