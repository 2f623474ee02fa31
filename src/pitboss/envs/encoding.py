"""Rounds as numbers: an agent's observations, and the meaning of its actions.

An encoding contains no rules: it asks the round which seat decides and which actions are legal. The
kernels of the vector environments use the same numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from gymnasium import spaces

from pitboss.core.errors import SettingError, shown
from pitboss.core.settings import Rules
from pitboss.simulator.jobs import CARDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from pitboss.core.cards import Card
    from pitboss.core.protocol import Game, Operation, Round, SeatView, View
    from pitboss.core.settings import Json

    Observation = dict[str, NDArray[Any]]

NUMBER = {card: number for number, card in enumerate(CARDS, 1)}
"""Card numbers in observations, from 1; 0 means no card or a card face down."""

SEEN = ("seen_A", *(f"seen_{value}" for value in range(2, 11)))
"""The fields that count the cards seen, by value."""

CARD_VALUES = len(CARDS) + 1  # the number of values of a card field


class EncodingPart(Protocol):
    """The ``encoding`` part of a game: a module with these names.

    It also has the environment classes, whose names start with :func:`env_name`:
    ``TossOne21Env`` and ``TossOne21VectorEnv``.
    """

    @property
    def ENCODING(self) -> type[Encoding]:  # noqa: N802  a constant
        """The encoding of the game."""


def env_name(game: Game) -> str:
    """Return the name of a game in Gymnasium, from its key.

    >>> from pitboss.games import toss_one
    >>> env_name(toss_one.GAME)
    'TossOne21'
    """
    return "".join(word.capitalize() for word in game.key.split("-"))


class Encoding(ABC):
    """The rounds of a game as numbers, for one set of rules and a number of seats."""

    game: ClassVar[Game]
    actions: ClassVar[tuple[str, ...]]
    """The meaning of each action."""

    nothing: ClassVar[int]
    """The action that continues a round without a decision."""

    open_phases: ClassVar[frozenset[str]] = frozenset({"playing", "settled"})
    """The phases in which every seat's cards are face up."""

    def __init__(self, rules: RulesLike = None, seats: int = 1) -> None:
        self.rules = read_rules(self.game, rules)
        most = self.rules.seats
        if type(seats) is not int or not 1 <= seats <= most:
            raise SettingError(f"seats: {shown(seats)} is not a whole number in 1..{most}")
        self.seats = seats
        self.fields = self._fields()
        self.action_space = spaces.Discrete(len(self.actions))

    def space(self) -> spaces.Dict:
        """Return a new observation space."""
        return spaces.Dict(
            {
                "observation": spaces.MultiDiscrete([*self.fields.values()], dtype=np.int16),
                "action_mask": spaces.MultiBinary(len(self.actions)),
            }
        )

    @abstractmethod
    def _fields(self) -> dict[str, int]:
        """Return the fields of an observation, each with the number of its values."""

    @abstractmethod
    def legal(self, round_: Round) -> tuple[int, dict[int, Operation]]:
        """Return the seat that decides, and the operation of each of its legal actions."""

    @abstractmethod
    def opened(self) -> Round:
        """Return a new round, with the bets placed unless the agent chooses them."""

    @abstractmethod
    def look(self, view: View, seat: SeatView | None) -> dict[str, int]:
        """Return the fields of a seat's observation, except the counts of cards seen."""

    def observe(
        self, round_: Round, seat: int, mine: Sequence[int], legal: Mapping[int, object]
    ) -> Observation:
        """Return the observation when *seat* decides, for an agent that plays the seats *mine*."""
        in_round = seat in round_.numbers
        view = round_.view(seat if in_round else None)
        own = next((s for s in view.seats if s.seat == seat), None)
        found = self.look(view, own) | {"seat": seat}
        for value, times in self._seen(round_, view, mine).items():
            found[SEEN[value - 1]] = times
        numbers = [found.get(name, 0) for name in self.fields]
        return {"observation": np.array(numbers, np.int16), "action_mask": self.mask(legal)}

    def mask(self, legal: Iterable[int]) -> NDArray[np.int8]:
        """Return the mask of the legal actions."""
        mask = np.zeros(len(self.actions), np.int8)
        mask[[*legal]] = 1
        return mask

    def _seen(self, round_: Round, view: View, mine: Sequence[int]) -> Counter[int]:
        """Count the cards of these seats and the dealer's up card, by value."""
        seen: Counter[int] = Counter()
        for number in mine if view.seats and view.seats[0].cards else ():
            seats = (view if number == view.seat else round_.view(number)).seats
            seen.update(_values(next(s for s in seats if s.seat == number)))
        seen.update(card.value for card in self.shown(view))
        return seen

    def shown(self, view: View) -> tuple[Card, ...]:  # noqa: ARG002  for other games
        """Return the dealer's open cards while seats decide."""
        return ()


RulesLike = Rules | str | dict[str, "Json"] | None
"""Rules, the name of a preset, settings by name, or None for the default rules."""


def read_rules(game: Game, rules: RulesLike) -> Rules:
    """Return the rules of a game, given in any form of :data:`RulesLike`."""
    if isinstance(rules, str):
        if rules not in game.presets:
            names = ", ".join(game.presets)
            raise SettingError(f"{game.key} has no preset {shown(rules)}: valid are {names}")
        return game.presets[rules]
    if rules is None or isinstance(rules, dict):
        for name in rules or {}:
            if name not in game.rules.settings:
                names = ", ".join(game.rules.settings)
                raise SettingError(f"{game.key} has no setting {shown(name)}: valid are {names}")
        return game.rules(**(rules or {}))
    if not isinstance(rules, game.rules):
        raise SettingError(f"{shown(rules)} is not valid as rules of {game.key}")
    return rules


def _values(seat: SeatView) -> list[int]:
    """Return the values of all cards that a seat has received and can see."""
    played = Counter(card for hand in seat.hands if hand.cards for card in hand.cards)
    dealt = Counter(card for card in seat.cards if card)
    return [card.value for card in (played | dealt).elements()]


def card_number(card: Card | None) -> int:
    """Return the number of a card in observations."""
    return NUMBER[card] if card else 0
