"""The games, by key."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.core.errors import NotationError, shown
from pitboss.games import roll_your_own, toss_one

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.protocol import Game

GAMES: Mapping[str, Game] = MappingProxyType(
    {game.key: game for game in (toss_one.GAME, roll_your_own.GAME)}
)
"""All games by key."""


def find_game(key: object) -> Game:
    """Return a game by key; the error for an unknown key lists all games."""
    if not isinstance(key, str) or key not in GAMES:
        raise NotationError(f"no game {shown(key)}: choose from {', '.join(GAMES)}")
    return GAMES[key]
