"""Store solved starts in a file, so that a long solution can be resumed."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from threading import Lock
from typing import TYPE_CHECKING, Any

from pitboss.core.errors import GameError, shown
from pitboss.files import write_atomically
from pitboss.games.roll_your_own.solver.starts import Solution, Way

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pitboss.games.roll_your_own.solver.starts import Solver
    from pitboss.solver.tables import Values

FORMAT = 1
NUMBERS = ("ev", "doubles", "splits", "blackjacks")
WRITE_INTERVAL_S = 2.0
"""Seconds between two writes of a checkpoint."""


class Checkpoint:
    """The starts solved so far, for one set of rules and one memory."""

    def __init__(self, path: Path, solver: Solver) -> None:
        self._path, self._lock, self._written = path, Lock(), time.monotonic()
        self._about = {
            "format": FORMAT,
            "rules": solver.rules.digest(),
            "memory": str(solver.memory),
        }
        self._done: dict[str, Solution] = {}
        if path.exists():
            self._read()
        else:
            self._write()  # so that an unwritable path is reported before the work

    def __len__(self) -> int:
        return len(self._done)

    def _read(self) -> None:
        try:
            body = json.loads(self._path.read_text("utf-8"))
            about = {name: body[name] for name in self._about}
            done = {name: _solution(start) for name, start in body["starts"].items()}
        except OSError as error:
            raise GameError(f"cannot read {shown(str(self._path))}: {error.strerror}") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise GameError(
                f"{shown(str(self._path))} is not a checkpoint of this command: remove it, or"
                " name another file"
            ) from error
        if about != self._about:
            raise GameError(
                f"{shown(str(self._path))} is a checkpoint for other rules or another memory:"
                " remove it, or name another file"
            )
        self._done = done

    def recall(self, up: int, starts: Sequence[Values]) -> list[Solution] | None:
        """Return the solutions of *starts* if all of them are stored, else None."""
        names = [_name(up, own) for own in starts]
        return [self._done[n] for n in names] if self._done.keys() >= set(names) else None

    def keep(self, solved: Sequence[Solution]) -> None:
        """Store solutions; write the file if the last write is long enough ago."""
        with self._lock:
            self._done |= {_name(s.up, s.own): s for s in solved}
            if time.monotonic() - self._written > WRITE_INTERVAL_S:
                self._write()

    def write(self) -> None:
        """Write all solutions to the file."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        body = self._about | {"starts": {n: asdict(s) for n, s in self._done.items()}}
        try:
            write_atomically(self._path, json.dumps(body))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it has no name"
            raise GameError(f"cannot write {shown(str(self._path))}: {reason}") from None
        self._written = time.monotonic()

    def remove(self) -> None:
        """Delete the file after the work is done."""
        self._path.unlink(missing_ok=True)


def _name(up: int, own: Values) -> str:
    return " ".join(map(str, (up, *own)))


def _solution(body: Any) -> Solution:  # noqa: ANN401  JSON
    ways = tuple(
        Way(tuple(w["first"]), tuple(w["second"]), *(float(w[name]) for name in NUMBERS))
        for w in body["ways"]
    )
    return Solution(int(body["up"]), tuple(map(int, body["own"])), float(body["ev"]), ways)
