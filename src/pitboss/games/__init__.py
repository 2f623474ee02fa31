"""The games, by key."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.core.errors import NotationError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.protocol import Game

PACKAGES = ("toss_one", "roll_your_own", "blackjack")
"""The packages of the games, in the order in which games are listed."""

GAMES: Mapping[str, Game] = MappingProxyType(
    {
        game.key: game
        for game in (import_module(f"{__name__}.{package}").GAME for package in PACKAGES)
    }
)
"""All games by key."""


def find_game(key: object) -> Game:
    """Return a game by key; the error for an unknown key lists all games."""
    if not isinstance(key, str) or key not in GAMES:
        raise NotationError(f"no game {shown(key)}: choose from {', '.join(GAMES)}")
    return GAMES[key]
