"""Solved starts kept in a file, so that a long solution goes on where it was stopped."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from threading import Lock
from typing import TYPE_CHECKING, Any

from pitboss.errors import GameError, shown
from pitboss.solver.starts import Solution, Way

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pitboss.solver.starts import Solver
    from pitboss.solver.tables import Values

FORMAT = 1
NUMBERS = ("ev", "doubles", "splits", "blackjacks")
EVERY = 2.0
"""Seconds between two writings."""


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
            self._write()  # a place that cannot be written to is told before the work

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
                f"{shown(str(self._path))} is no checkpoint of this command: remove it, or name"
                " another file"
            ) from error
        if about != self._about:
            raise GameError(
                f"{shown(str(self._path))} is the checkpoint of other rules or another memory:"
                " remove it, or name another file"
            )
        self._done = done

    def recall(self, up: int, starts: Sequence[Values]) -> list[Solution] | None:
        """Return the solutions of all of *starts*, or nothing."""
        names = [_name(up, own) for own in starts]
        return [self._done[n] for n in names] if self._done.keys() >= set(names) else None

    def keep(self, solved: Sequence[Solution]) -> None:
        """Remember solutions, and write them if it is time."""
        with self._lock:
            self._done |= {_name(s.up, s.own): s for s in solved}
            if time.monotonic() - self._written > EVERY:
                self._write()

    def write(self) -> None:
        """Write what there is."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        body = self._about | {"starts": {n: asdict(s) for n, s in self._done.items()}}
        try:
            write_whole(self._path, json.dumps(body))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it has no name"
            raise GameError(f"cannot write {shown(str(self._path))}: {reason}") from None
        self._written = time.monotonic()

    def remove(self) -> None:
        """Remove the file: the work is done."""
        self._path.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all, whoever else is writing it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    beside.write_text(text, "utf-8")
    beside.replace(path.resolve())


def _name(up: int, own: Values) -> str:
    return " ".join(map(str, (up, *own)))


def _solution(body: Any) -> Solution:  # noqa: ANN401  JSON
    ways = tuple(
        Way(tuple(w["first"]), tuple(w["second"]), *(float(w[name]) for name in NUMBERS))
        for w in body["ways"]
    )
    return Solution(int(body["up"]), tuple(map(int, body["own"])), float(body["ev"]), ways)
