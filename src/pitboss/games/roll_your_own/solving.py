"""The problem of ``pitboss solve``: both blackjack bets of Roll Your Own Blackjack.

This module imports only the standard library; solving needs the extra ``kernels``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.core.errors import NotationError, plural
from pitboss.games.roll_your_own.rules import PRESETS, Insurance
from pitboss.solving import NO_BLACKJACK, check_cards, plays_line, title_line, up_card_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pitboss.core.cards import Card
    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.games.roll_your_own.solver import Solution, Solver
    from pitboss.solving import Problem, Reporter


class RollYourOwn:
    """Both blackjack bets of Roll Your Own, one player against the dealer."""

    def check(self, memory: str, preset: str, checkpoint: Path | None) -> None:  # noqa: ARG002  any is valid
        """Reject a memory that this game does not have."""
        if memory == "unsplit":
            raise NotationError("memory 'unsplit' is only for blackjack: use none, hand or full")

    def presets(self) -> Mapping[str, Rules]:
        return PRESETS

    def solve_start(
        self, rules: Rules, memory: str, hand: tuple[Card, ...], up: Card, reporter: Reporter
    ) -> dict[str, Json]:
        """Solve three cards against an up card."""
        solver = self._solver(rules, memory)
        check_cards(hand, up, 3)
        self._announce(solver.cost(starts=1), reporter)
        with reporter.progress(f"memory {memory}"):
            return _start_json(solver, hand, up)

    def solve_all(
        self, rules: Rules, memory: str, checkpoint: Path | None, reporter: Reporter
    ) -> dict[str, Json]:
        """Solve the whole game, continuing from a checkpoint."""
        from pitboss.games.roll_your_own.solver import Checkpoint

        solver = self._solver(rules, memory)
        kept = Checkpoint(checkpoint, solver) if checkpoint else None
        if kept is not None and len(kept):
            reporter.say(f"continuing from {checkpoint}: {plural(len(kept), 'start')} solved")
        try:
            self._announce(solver.cost(), reporter)
            with reporter.progress(f"memory {memory}") as report:
                return solver.solve_game(progress=report, checkpoint=kept).as_json()
        finally:
            if kept is not None:
                kept.write()

    def _solver(self, rules: Rules, memory: str) -> Solver:
        from pitboss.games.roll_your_own.solver import Memory, Solver

        return Solver(rules, Memory(memory))

    def _announce(self, cost: str, reporter: Reporter) -> None:
        if cost:
            reporter.say(f"pitboss: {cost}")

    def game_lines(self, result: dict[str, Json]) -> Iterator[str]:
        """Yield the value of the game and of each up card."""
        memory, worth = result["memory"], result["ev"]
        yield f"roll-your-own, memory {memory}: both blackjack bets are worth {worth:+.9f}"
        yield from up_card_lines(result)

    def start_lines(self, result: dict[str, Json]) -> Iterator[str]:
        """Yield the ways to set, and the first plays of each hand."""
        yield title_line(result)
        if not result["choices"]:
            yield "  a double blackjack: both bets are paid at once (rule 7i)"
            return
        for choice in result["choices"]:
            yield f"  set {choice['first']:<5} {choice['second']:<5} {choice['ev']:+.6f}"
        if result["insurance"] is not None:
            yield f"  a unit of insurance is worth {result['insurance']:+.6f}"
        for hand in result["hands"]:
            given = f", {result['given']}" if result["given"] else ""
            yield f"{hand['hand']}, {hand['about']}{given}:"
            yield from (plays_line(second, plays) for second, plays in hand["plays"].items())


PROBLEMS: Mapping[str, Problem] = MappingProxyType({"roll-your-own": RollYourOwn()})


# --- starts


def _start_json(solver: Solver, own: tuple[Card, ...], up: Card) -> dict[str, Json]:
    solution = solver.solve(up.value, [card.value for card in own])
    found: dict[str, Json] = {
        "ev": solution.ev,
        "memory": str(solver.memory),
        "hand": [str(card) for card in own],
        "up": str(up),
        "choices": _choices(solution, own),
        "hands": solver.first_decisions(solution),
        "given": NO_BLACKJACK if solver.peeks and up.value in {1, 10} else None,
        "insurance": solver.insurance(solution.own)
        if _is_insurance_offered(solver, solution)
        else None,
        "rules": solver.rules.as_json(),
    }
    return found


def _is_insurance_offered(solver: Solver, solution: Solution) -> bool:
    """Return whether the seat is offered insurance (rule 7j)."""
    offered = solver.rules.insurance is not Insurance.OFF
    return solution.up == 1 and offered and bool(solution.ways)


def _choices(solution: Solution, own: tuple[Card, ...]) -> list[dict[str, Json]]:
    """Return the six ways to set the cards, best first, in the notation of ``set``."""
    evs = {(way.first, way.second): way.ev for way in solution.ways}
    rows = []
    for index in reversed(range(len(own))):
        one, two = (own[index],), own[:index] + own[index + 1 :]
        for first, second in ((two, one), (one, two)):
            ev = evs.get((_values(first), _values(second)))
            if ev is not None:
                names = ("".join(map(str, hand)) for hand in (first, second))
                rows.append(dict(zip(("first", "second"), names, strict=True)) | {"ev": ev})
    return sorted(rows, key=lambda row: -row["ev"])


def _values(hand: tuple[Card, ...]) -> tuple[int, ...]:
    return tuple(sorted(int(card.value) for card in hand))
