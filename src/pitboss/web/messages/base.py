"""The base classes and types of all messages."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

VERSION = 1

Cents: TypeAlias = Annotated[int, Field(ge=0, le=10**15)]
KEY = r"^[A-Za-z0-9_-]{1,64}$"
"""The form of an idempotency key: a request with the same key is not carried out twice."""

Key: TypeAlias = Annotated[str, Field(pattern=KEY)]
SeatNumber: TypeAlias = Annotated[int, Field(ge=1, le=9)]
ClientSeed: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")]
Json: TypeAlias = Any
Phase: TypeAlias = Literal["betting", "tossing", "setting", "insuring", "playing", "settled"]
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
