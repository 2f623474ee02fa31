"""Problems to solve: games whose best play a solver computes.

A game lists its problems in the ``solving`` part, as ``PROBLEMS``. The functions at the end check
and print what these problems have in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pitboss.core.cards import parse, spell
from pitboss.core.errors import NotationError, RuleError, shown
from pitboss.games import GAMES, find_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pitboss.core.cards import Card
    from pitboss.core.settings import Json, Rules


NO_BLACKJACK = "given no dealer's blackjack"


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


# --- cards and text


def check_cards(hand: tuple[Card, ...], up: Card, number: int, *, decks: int = 1) -> None:
    """Raise an error for a hand of another size, or cards that the decks do not contain."""
    if len(hand) != number:
        raise RuleError(f"a hand has {number} cards here, not {len(hand)}")
    cards = [*hand, up]
    for card in cards:
        if cards.count(card) > decks:
            often = {2: "twice"}.get(cards.count(card), f"{cards.count(card)} times")
            only = "there is only one deck" if decks == 1 else f"there are only {decks} decks"
            raise RuleError(f"{card} appears {often}, but {only}")


def title_line(result: dict[str, Json]) -> str:
    """Return the title of a solved start."""
    title = f"{spell(parse(' '.join(result['hand'])))} against {result['up']}"
    return f"{title}, memory {result['memory']}: worth {result['ev']:+.6f}"


def up_card_lines(result: dict[str, Json]) -> Iterator[str]:
    """Yield the value of a solved game by up card, and the cost of the solution."""
    for up, value in result["by_up_card"].items():
        yield f"  {up} up  {value:+.9f}"
    yield f"{result['states']:,} values in {result['seconds']:.1f} s"


def plays_line(second: str, plays: dict[str, float]) -> str:
    """Return the plays of a hand with their values, best first; *second* is its second card."""
    best = sorted(plays.items(), key=lambda item: -item[1])
    texts = "   ".join(f"{name} {value:+.6f}" for name, value in best)
    return f"  {second + ':' if second else '':<4}{texts}"
