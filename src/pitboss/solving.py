"""Problems to solve: games whose best play a solver computes.

A game lists its problems in the ``solving`` part, as ``PROBLEMS``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pitboss.core.errors import NotationError, shown
from pitboss.games import GAMES, find_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pitboss.core.cards import Card
    from pitboss.core.settings import Json, Rules


class Reporter(Protocol):
    """Reports the progress of a long solution."""

    def say(self, text: str) -> None:
        """Show a line."""

    def progress(self, what: str) -> AbstractContextManager[Callable[[float], None]]:
        """Open a progress display; call the result with the share of the work done."""


class Problem(Protocol):
    """A game, or a part of a game, that can be solved; *rules* come from its presets."""

    def check(self, memory: str, preset: str, checkpoint: Path | None) -> None:
        """Raise an error for options that this problem does not support."""

    def presets(self) -> Mapping[str, Rules]:
        """Return the supported rules by preset name."""

    def solve_start(
        self,
        rules: Any,  # noqa: ANN401
        memory: str,
        hand: tuple[Card, ...],
        up: Card,
        reporter: Reporter,
    ) -> dict[str, Json]:
        """Solve one starting hand."""

    def solve_all(
        self,
        rules: Any,  # noqa: ANN401
        memory: str,
        checkpoint: Path | None,
        reporter: Reporter,
    ) -> dict[str, Json]:
        """Solve the whole game."""

    def start_lines(self, result: dict[str, Json]) -> Iterator[str]:
        """Yield the solution of a starting hand as lines of text."""

    def game_lines(self, result: dict[str, Json]) -> Iterator[str]:
        """Yield the solution of the whole game as lines of text."""


def find_problem(key: str) -> Problem:
    """Return the problem with this key, from any game."""
    for game in GAMES.values():
        if game.has_part("solving"):
            problems: Mapping[str, Problem] = game.part("solving").PROBLEMS
            if key in problems:
                return problems[key]
    find_game(key)
    raise NotationError(f"{shown(key)} has nothing to solve: see pitboss strategy {key}")
