"""A round at a live table with its players: seats, bets, decisions and result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from pitboss.core.caching import cached_property
from pitboss.tables.views import explained_view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.cards import Card
    from pitboss.core.fairness import Omission
    from pitboss.core.protocol import Operation, Round, View
    from pitboss.core.settings import Json, Rules


@dataclass(frozen=True, slots=True)
class Place:
    """A taken seat; if the player sits *out*, the table does not wait for a decision."""

    player: str
    name: str
    seed: str = ""
    out: bool = False

    @classmethod
    def from_json(cls, facts: dict[str, Json]) -> Place:
        return cls(facts["player"], facts["name"], facts["seed"], facts["out"])

    def as_json(self) -> dict[str, Json]:
        return {"player": self.player, "name": self.name, "seed": self.seed, "out": self.out}


@dataclass(frozen=True, slots=True)
class LoggedDecision:
    """A past decision, made by the seat's player or by the timer."""

    seat: int
    decision: str
    by: str
    at: int


@dataclass(frozen=True, slots=True)
class OmittedSeat:
    """A seat that was taken before the deal but not dealt in."""

    seat: int
    place: Place
    why: Omission


@dataclass(frozen=True, kw_only=True)  # no slots: derived values are cached
class Hand:
    """A round, from the commitment to its shuffle until it is settled or void."""

    number: int
    commitment: str
    seed: bytes = field(repr=False)  # secret until the round is over
    round: Round = field(repr=False)
    opened: int
    deck: tuple[Card, ...] = field(default=(), repr=False)
    client_seeds: Mapping[int, str] = field(default_factory=dict)
    owners: Mapping[int, Place] = field(
        default_factory=dict
    )  # the players who bet, even if they have left
    staked: Mapping[int, int] = field(default_factory=dict)
    log: tuple[LoggedDecision, ...] = ()
    refused: tuple[dict[str, Json], ...] = ()  # bets, as the record of the round lists them
    omitted: tuple[OmittedSeat, ...] = ()
    dealt: int | None = None
    deadline: int | None = None

    @property
    def is_dealt(self) -> bool:
        return self.dealt is not None

    @property
    def is_settled(self) -> bool:
        return self.is_dealt and self.round.phase == "settled"

    @cached_property
    def public_view(self) -> View:
        return self.round.view(None)

    @cached_property
    def public_json(self) -> dict[str, Json]:
        return explained_view(self.round.rules, self.public_view)

    @cached_property
    def _next(self) -> dict[Any, tuple[Operation, Round]]:
        return {}

    def after(self, operation: Operation) -> Round:
        """Return the round after an operation; the result is cached."""
        if operation not in self._next:
            self._next[operation] = operation, self.round.apply(operation)
        return self._next[operation][1]

    def decided(self, seat: int, text: str) -> tuple[Operation, Round]:
        """Return a seat's decision and the round after it; the result is cached."""
        if (seat, text) not in self._next:
            operation = self.round.rules.game.decision(seat, text)
            self._next[seat, str(operation)] = operation, self.round.apply(operation)
            self._next[seat, text] = self._next[seat, str(operation)]
        return self._next[seat, text]


@dataclass(frozen=True, kw_only=True)  # no slots: derived values are cached
class EndedRound:
    """The previous round, which is now public."""

    number: int
    view: View | None  # None if it was void
    rules: Rules
    record: dict[str, Json]

    @cached_property
    def message(self) -> dict[str, Json]:
        """The round in the format for clients."""
        record = self.record
        fair, journal = record.get("fairness") or {}, record.get("journal") or {}
        log = record.get("log", [])
        return {
            "number": self.number,
            "status": record["status"],
            "reason": record.get("reason"),
            "view": self.view and explained_view(self.rules, self.view),
            "log": [{key: one[key] for key in ("seat", "decision", "by")} for one in log],
            "net": journal.get("net", {}),
            "commitment": fair.get("commitment"),
            "server_seed": fair.get("server_seed"),
        }

    @cached_property
    def text(self) -> str:
        """The message as JSON text, which is sent with every state of the next round."""
        return to_json(self.message).decode()
