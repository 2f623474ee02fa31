"""The problem of ``pitboss solve``: a hand of blackjack.

This module imports only the standard library; solving needs the extra ``kernels``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.core.errors import NotationError
from pitboss.games.blackjack.rules import PRESETS
from pitboss.solving import NO_BLACKJACK, check_cards, plays_line, title_line, up_card_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pitboss.core.cards import Card
    from pitboss.core.settings import Json
    from pitboss.games.blackjack.rules import Rules
    from pitboss.games.blackjack.solver import Solver
    from pitboss.solving import Problem, Reporter


class Blackjack:
    """The Main bet of one hand against the dealer."""

    def check(self, memory: str, preset: str, checkpoint: Path | None) -> None:  # noqa: ARG002  any preset is valid
        """Reject options that this game does not have: full memory and checkpoints."""
        if memory == "full":
            raise NotationError("blackjack has one hand: use memory none, hand or unsplit")
        if checkpoint:
            raise NotationError("blackjack is solved at once: it needs no checkpoint")

    def presets(self) -> Mapping[str, Rules]:
        return PRESETS

    def solve_start(
        self, rules: Rules, memory: str, hand: tuple[Card, ...], up: Card, reporter: Reporter
    ) -> dict[str, Json]:
        """Solve two cards against an up card."""
        check_cards(hand, up, 2, decks=rules.decks)
        solver = self._solver(rules, memory)
        with reporter.progress(f"blackjack, memory {memory}"):
            start = solver.solve(up.value, [card.value for card in hand])
        is_offered = rules.insurance and start.up == 1
        found: dict[str, Json] = {
            "ev": start.ev,
            "memory": memory,
            "hand": [str(card) for card in hand],
            "up": str(up),
            "choices": [
                {"play": play, "ev": value}
                for play, value in sorted(start.plays.items(), key=lambda item: -item[1])
            ],
            "options": start.plays,
            "given": NO_BLACKJACK if start.dealer_blackjack and solver.has_condition else None,
            "dealer_blackjack": start.dealer_blackjack,
            "insurance": solver.insurance(start.own) if is_offered else None,
            "rules": rules.as_json(),
        }
        return found

    def solve_all(
        self,
        rules: Rules,
        memory: str,
        checkpoint: Path | None,  # noqa: ARG002  it is solved at once
        reporter: Reporter,
    ) -> dict[str, Json]:
        """Solve the whole game."""
        solver = self._solver(rules, memory)
        if memory == "hand" and rules.max_splits:
            reporter.say("pitboss: memory hand may take several minutes for the whole game")
        with reporter.progress(f"blackjack, memory {memory}") as report:
            return solver.solve_game(report).as_json()

    def _solver(self, rules: Rules, memory: str) -> Solver:
        from pitboss.games.blackjack.solver import Solver, Splitting

        return Solver(rules, Splitting(memory))

    def game_lines(self, result: dict[str, Json]) -> Iterator[str]:
        """Yield the value of a round and of each up card."""
        yield f"blackjack, memory {result['memory']}: a round is worth {result['ev']:+.9f}"
        yield from up_card_lines(result)

    def start_lines(self, result: dict[str, Json]) -> Iterator[str]:
        """Yield the plays of the hand."""
        yield title_line(result)
        if result["insurance"] is not None:
            yield f"  a unit of insurance is worth {result['insurance']:+.6f}"
        if result["given"]:
            yield f"  {result['given']}:"
        yield plays_line("", result["options"])


PROBLEMS: Mapping[str, Problem] = MappingProxyType({"blackjack": Blackjack()})
