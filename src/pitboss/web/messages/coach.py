"""Messages of the coach."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pitboss.web.messages.base import Message, PlayMoney


class OptionInfo(Message):
    """A legal decision: its expected win, and its cost compared with the best decision."""

    decision: str
    value: float = Field(description="the expected win in cents; a loss is negative")
    cost: float = Field(description="how much less it wins than the best decision, in cents")
    same_as: str | None = Field(
        description="an earlier equivalent decision: with the hands swapped, or with another card"
        " of equal value"
    )


class Advice(PlayMoney):
    """The values of a seat's legal decisions, computed from its own view; the best first."""

    seat: int
    version: int = Field(description="the version of the state that the advice is for")
    unit: int = Field(description="the seat's first bet, in cents")
    note: str = Field(description="the bets that the values cover")
    approximate: bool = Field(
        description="the stub could run out of cards before the dealer is done"
    )
    options: list[OptionInfo]


class PricedDecision(Message):
    """A past decision, compared with the best one in the seat's view; amounts in cents."""

    step: int = Field(description="its index among the steps of the round, from 0")
    seat: int
    decision: str
    by: Literal["player", "timer"]
    best: str
    value: float
    best_value: float
    cost: float
    note: str
    approximate: bool


class Review(PlayMoney):
    """The coach's review of a finished round: the decisions of your seats, each with its cost."""

    table: str
    round: int
    decisions: list[PricedDecision]
    cost: dict[str, float] = Field(
        description="the total cost of the decisions of each of your seats"
    )
