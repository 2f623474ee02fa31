"""Worked examples: a clause of the rules, cards that illustrate it, and the game's settlement.

The game plays each example, so the result is the same as at a table. The scenarios are in the
game's ``examples`` part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol

from pitboss.core.cards import parse
from pitboss.core.protocol import deal_from, supply
from pitboss.games import find_game
from pitboss.reasons import reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.protocol import Game, Round, Settlement, View
    from pitboss.core.settings import Json

UNIT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A clause of the rules, with cards (in dealing order) and decisions that illustrate it."""

    rule: str
    title: str
    text: str
    cards: str
    decisions: tuple[str, ...] = ()
    bet: str
    """The bet that the example explains."""

    seat: int = 1
    hand: int = 0
    decided_by: str | None = None
    """The clause that settles that bet, if it is not *rule*."""

    seats: int = 1
    changes: Mapping[str, Json] = field(default_factory=dict)
    """The settings that differ from the default rules."""


@dataclass(frozen=True, slots=True)
class Example:
    """A scenario and its round, played to the end."""

    scenario: Scenario
    round: Round

    @property
    def view(self) -> View:
        return self.round.record()

    @property
    def highlight(self) -> Settlement:
        """The settlement that the example explains."""
        spot = (self.scenario.seat, self.scenario.bet, self.scenario.hand)
        return next(s for s in self.round.settlements() if (s.seat, s.bet, s.hand) == spot)

    def reasons(self) -> list[str]:
        """Explain the result of each bet, in the order of the settlements."""
        return [reason(self.round.rules, self.view, s) for s in self.round.settlements()]


class ExamplesPart(Protocol):
    """The ``examples`` part of a game."""

    SCENARIOS: tuple[Scenario, ...]
    UNSHOWN: frozenset[str]  # the clauses that no cards can illustrate


@cache
def examples(game: str) -> tuple[Example, ...]:
    """Return the examples of a game, in the order of its clauses; empty if it has no examples."""
    known = find_game(game)
    if not known.has_part("examples"):
        return ()
    part: ExamplesPart = known.part("examples")
    return tuple(Example(scenario, _play(known, scenario)) for scenario in part.SCENARIOS)


def _play(game: Game, scenario: Scenario) -> Round:
    round_ = game.start(game.rules.from_json(scenario.changes))
    stakes = dict.fromkeys(game.stakes, UNIT // 2) | {game.first_stake: UNIT}
    for seat in range(1, scenario.seats + 1):
        round_ = round_.apply(game.place(seat, stakes))
    deck = parse(scenario.cards)
    round_ = deal_from(deck, round_)
    for text in scenario.decisions:
        assert round_.asked is not None, scenario  # noqa: S101  the tests play them all
        round_ = supply(deck, round_.apply(game.decision(round_.asked.seat, text)))
    return round_
