"""Environments for learning agents: Gymnasium, one table or many at once, and PettingZoo.

Importing this package registers the games that have environments with Gymnasium, for example
``pitboss/TossOne21-v0`` and ``pitboss/RollYourOwn-v0``. Their classes are attributes of the package
too: ``TossOne21Env`` is one table, ``TossOne21VectorEnv`` many. ``pitboss.envs.table_v0`` is the
table for PettingZoo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from gymnasium.envs.registration import register
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("environments need the extra: pip install '.[envs]'") from missing

from pitboss.envs import table_v0
from pitboss.envs.encoding import env_name
from pitboss.envs.single import TableEnv
from pitboss.envs.vector import TablesEnv
from pitboss.games import GAMES

if TYPE_CHECKING:
    from pitboss.core.protocol import Game

__all__ = ["TableEnv", "TablesEnv", "table_v0"]

_CLASSES: dict[str, Game] = {}
"""The games by the names of their environment classes."""

for _game in GAMES.values():
    if _game.has_part("encoding"):
        _name, _module = env_name(_game), f"{_game.package}.encoding"
        _CLASSES |= {f"{_name}Env": _game, f"{_name}VectorEnv": _game}
        register(
            f"pitboss/{_name}-v0",
            entry_point=f"{_module}:{_name}Env",
            vector_entry_point=f"{_module}:{_name}VectorEnv",
        )


def __getattr__(name: str) -> Any:  # noqa: ANN401  the class of an environment
    """Return the class of a game's environment."""
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_CLASSES[name].part("encoding"), name)
