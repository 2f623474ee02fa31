"""The games, by key."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.errors import NotationError, shown
from pitboss.games import roll_your_own, toss_one

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.felt import Game
    from pitboss.rules import Rules

GAMES: Mapping[str, Game] = MappingProxyType(
    {game.key: game for game in (toss_one.GAME, roll_your_own.GAME)}
)
"""The games there are, each under its key: ``toss-one-21`` and ``roll-your-own``."""


def find_game(key: object) -> Game:
    """Return the game of that key, or refuse it naming the games there are."""
    if not isinstance(key, str) or key not in GAMES:
        raise NotationError(f"no game {shown(key)}: there are {', '.join(GAMES)}")
    return GAMES[key]


def not_there(what: str, of: Game | Rules) -> NotationError:
    """Return the error of a game for which *what* has not been made.

    >>> str(not_there("drills", toss_one.GAME))
    'no drills for toss-one-21'
    """
    for game in GAMES.values():
        if of is game or isinstance(of, game.rules):
            return NotationError(f"no {what} for {game.key}")
    return NotationError(f"no {what} for a game with {shown(of)}")
