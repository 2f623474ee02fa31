"""Messages about finished rounds."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitboss.web.messages.base import Message, PlayMoney
from pitboss.web.messages.live import ViewInfo


class RoundRecord(BaseModel):
    """The full record of a finished round, for ``pitboss verify``; see docs/fairness.md."""

    model_config = ConfigDict(extra="allow")

    format: Literal[1]
    kind: Literal["pitboss-round"]
    play_money: Literal[True]
    table: str
    round: int
    status: Literal["settled", "void"]


class RoundRow(Message):
    """A finished round of a table; ``net`` is the players' total win."""

    table: str
    name: str | None
    round: int
    game: str
    rules_digest: str
    status: Literal["settled", "void"]
    seats: int = Field(description="the number of seats with bets")
    staked: int
    net: int
    opened: str
    ended: str


class Rounds(PlayMoney):
    """A page of rounds; ``before`` is the cursor of the next page, with older rounds."""

    rows: list[RoundRow]
    before: str | None = None


class MyRoundRow(Message):
    """A finished round of a player, with their seats and their balance after it."""

    table: str
    name: str | None
    round: int
    game: str
    seats: list[int]
    status: Literal["settled", "void"]
    staked: int
    net: int
    balance: int | None
    ended: str


class MyRounds(PlayMoney):
    """A page of a player's rounds; ``before`` is the cursor of the next page."""

    rows: list[MyRoundRow]
    before: str | None = None


class Step(Message):
    """A step of a replayed round; a decision also has ``seat``, ``player`` and ``decision``."""

    replay: Literal[True] = True
    what: str
    by: Literal["players", "dealer", "house", "player", "timer"]
    at: str | None
    view: ViewInfo | None = Field(description="the table with all cards face up")
    seat: int | None = None
    player: str | None = None
    decision: str | None = None


class Replay(PlayMoney):
    """A round replayed step by step."""

    replay: Literal[True] = True
    table: str
    round: int
    yours: list[int] = Field(description="the seats that you had bets on")
    steps: list[Step]
