"""A cache of the games' theories. Computing one takes seconds, so use a thread."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Final

from pitboss.core.errors import GameError

if TYPE_CHECKING:
    from pitboss.analysis.theory import Theory, TheoryPart
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Rules

log = logging.getLogger("pitboss.theory")


@dataclass(frozen=True, slots=True)
class NoTheory:
    """The reason why some rules have no theory."""

    reason: str


MOST_CACHED: Final = 256
_lock = Lock()
_found: dict[Rules, Theory | NoTheory] = {}


def known(rules: Rules) -> Theory | NoTheory | None:
    """Return the theory of these rules if it is cached; this never waits."""
    return _found.get(_play(rules))


def theory(game: Game, rules: Rules) -> Theory | NoTheory:
    """Return the theory of *game* under *rules*, or the reason why it cannot be computed."""
    assert type(rules) is game.rules  # noqa: S101
    with _lock:  # so that the same rules are not computed twice
        found = known(rules) or _computed(_play(rules))
        _found[_play(rules)] = found
        for old in [*_found][:-MOST_CACHED]:
            del _found[old]
        return found


def _play(rules: Rules) -> Rules:
    """Return the rules without the number of seats, which does not affect the theory."""
    return replace(rules, seats=1)


def _computed(rules: Rules) -> Theory | NoTheory:
    try:
        part: TheoryPart = rules.game.part("theory")
        return part.theory(rules)
    except GameError as error:
        return NoTheory(str(error))
    except Exception:
        log.exception("cannot compute the theory of %s", rules)
        return NoTheory("the computation failed: see the server's log")
