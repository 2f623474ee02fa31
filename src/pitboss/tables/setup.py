"""The setup of a live table: its game, rules and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitboss.core.caching import cached_property
from pitboss.tables.chain import felt_account, table_chain
from pitboss.tables.limits import limits_json, named_limits
from pitboss.tables.views import explained_view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.protocol import Game, Round
    from pitboss.core.settings import Json, Rules
    from pitboss.tables.limits import Limit


@dataclass(frozen=True, kw_only=True)  # no slots: derived values are cached
class Setup:
    """The setup of a table; only the limits can change later."""

    id: str
    name: str
    game: Game
    rules: Rules
    limits: Mapping[str, Limit]
    seconds: int | None = None  # time to decide; None: no timer, one player
    private: bool = False

    @cached_property
    def chain(self) -> str:
        return table_chain(self.id)

    @cached_property
    def felt(self) -> str:
        """The account of the bets in action."""
        return felt_account(self.id)

    @cached_property
    def digest(self) -> str:
        return self.rules.digest()

    @cached_property
    def start(self) -> Round:
        """The round before the first bet."""
        return self.game.start(self.rules)

    @cached_property
    def empty_view(self) -> dict[str, Json]:
        """The public view of the round before the first bet."""
        return explained_view(self.rules, self.start.view(None))

    @cached_property
    def limits_json(self) -> dict[str, Json]:
        return limits_json(self.limits)

    @cached_property
    def named_limits(self) -> dict[str, Json]:
        return named_limits(self.limits)

    def as_json(self) -> dict[str, Json]:
        """Return the setup in the format of the table's first record."""
        return {
            "table": self.id,
            "name": self.name,
            "game": self.game.key,
            "rules": self.rules.as_json(),
            "rules_digest": self.digest,
            "limits": self.limits_json,
            "seconds": self.seconds,
            "private": self.private,
        }
