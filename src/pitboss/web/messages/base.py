"""The base classes and types of all messages."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from pitboss.games import GAMES

VERSION = 1

Cents: TypeAlias = Annotated[int, Field(ge=0, le=10**15)]
KEY = r"^[A-Za-z0-9_-]{1,64}$"
"""The form of an idempotency key: a request with the same key is not carried out twice."""

Key: TypeAlias = Annotated[str, Field(pattern=KEY)]
SeatNumber: TypeAlias = Annotated[int, Field(ge=1, le=9)]
ClientSeed: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")]
Json: TypeAlias = Any


def _all_phases() -> list[str]:
    """Return the phases of all games; a settled round comes last."""
    starts = (game.start(game.rules()).phase for game in GAMES.values())
    found = dict.fromkeys(phase.value for start in starts for phase in type(start))
    return sorted(found, key=lambda phase: phase == "settled")


Phase: TypeAlias = Annotated[str, Field(json_schema_extra={"enum": [*_all_phases()]})]
"""The next thing that a round of any game waits for."""


class Message(BaseModel):
    """The base of all messages: strict types, no unknown fields, immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Problem(Message):
    """The common format of all errors.

    The failed request changed nothing. After ``unavailable`` this is uncertain: send the
    request again with the same key.
    """

    ok: Literal[False] = False
    error: str = Field(description="a short code for programs", examples=["not_allowed"])
    detail: str = Field(description="the error and how to correct it")
    address: str | None = Field(
        default=None, description="the address of the process that deals the table, if not this one"
    )


class PlayMoney(Message):
    """A message that says that all amounts are play money."""

    play_money: Literal[True] = True


class Done(PlayMoney):
    """The request was carried out."""

    ok: Literal[True] = True
