"""Drills: one situation at a time, with every legal decision priced by the coach.

A situation is a round up to a decision of one seat. Rounds are dealt at random until one suits the
drill. No money is at stake, so the values are sent with the question. The drills of a game are in
its ``drills`` part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from pitboss.coach import Advice, Option, advise
from pitboss.core.errors import NotationError, shown
from pitboss.core.protocol import Round
from pitboss.games import GAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

    from pitboss.core.cards import Card
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Rules

Question: TypeAlias = tuple[Round, int]  # a round, and the seat that must decide

BET = 1000


@dataclass(frozen=True, slots=True)
class Drill:
    """A kind of situation to practice repeatedly."""

    key: str
    title: str
    trains: str
    question: str
    deal: Callable[[Any, Random], Question | None]  # None if the round does not suit the drill


@dataclass(frozen=True, slots=True)
class Situation:
    """A round up to a decision, with the value of every legal decision."""

    game: Game
    drill: Drill
    round: Round
    advice: Advice

    @property
    def seat(self) -> int:
        return self.advice.seat

    def why(self, option: Option) -> str | None:
        """Explain an option in a few words; None if the game explains only the best options."""
        part: DrillsPart = self.game.part("drills")
        return part.why(self, option)


class DrillsPart(Protocol):
    """The ``drills`` part of a game."""

    DRILLS: tuple[Drill, ...]

    def why(self, situation: Situation, option: Option) -> str | None:
        """Explain an option in a few words."""


def ask(game: Game, drill: str, rules: Rules, chance: Random) -> Situation:
    """Deal a random situation of a drill."""
    part: DrillsPart = game.part("drills")
    known = {drill.key: drill for drill in part.DRILLS}
    if drill not in known:
        raise NotationError(f"no drill {shown(drill)} of {game.name}: there are {', '.join(known)}")
    while True:
        found = known[drill].deal(rules, chance)
        if found:
            round_, seat = found
            return Situation(game, known[drill], round_, advise(round_, seat))


def drills(game: Game) -> Mapping[str, Drill]:
    """Return the drills of a game by key; empty if the game has no drills."""
    if not game.has_part("drills"):
        return {}
    part: DrillsPart = game.part("drills")
    return {drill.key: drill for drill in part.DRILLS}


def all_drills() -> Iterator[tuple[Game, Drill]]:
    """Yield every drill with its game."""
    return ((game, drill) for game in GAMES.values() for drill in drills(game).values())


def card_name(card: Card) -> str:
    """Return the name of a card's value, as players say it.

    >>> from pitboss import parse
    >>> [card_name(card) for card in parse("As Kd")]
    ['ace', '10']
    """
    return {1: "ace"}.get(card.value, str(card.value))
