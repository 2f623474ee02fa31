"""Messages of the operator's API."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pitboss.web.messages.base import Json, Message, PlayMoney
from pitboss.web.messages.rounds import Rounds
from pitboss.web.messages.tables import LimitValues, TableInfo


class Reason(Message):
    """The reason for an action."""

    reason: Annotated[str, Field(min_length=1, max_length=200)]


class NewLimits(Message):
    """New limits of a table's bets."""

    limits: dict[str, LimitValues]


class Gaming(Reason):
    """Whether bets are taken, on one game or on all, and the reason."""

    open: bool
    game: Annotated[str, Field(max_length=40)] | None = None


class Block(Message):
    """Whether an account is closed."""

    blocked: bool


class Software(Message):
    """The running software: its version, and the SHA-256 over all of its files."""

    version: str
    hash: str


class GamingState(PlayMoney):
    """The games on which bets are taken now."""

    open: bool = Field(description="whether play is open in general")
    healthy: bool = Field(description="whether the program's files passed their last check")
    games: dict[str, bool] = Field(description="whether play of each game is open")


class SelfCheck(Message):
    """The result of a check of the program's files."""

    ok: bool = Field(description="whether they are unchanged since the process started")
    software: Software


class OperatorTable(TableInfo):
    """A table as the operator sees it."""

    created: str
    ended: str | None = Field(description="when its last round ended")
    rounds: int = Field(description="the number of finished rounds, including void ones")
    felt: int = Field(description="the bets in action in the current round, in cents")


class OperatorTables(PlayMoney):
    """Tables, newest first, including private and closed ones."""

    rows: list[OperatorTable]
    before: str | None = None


class PerformanceRow(Message):
    """Figures of a game's rules or of a table: amounts in cents, percentages of the bets made."""

    per: Literal["game", "table"]
    game: str
    rules_digest: str
    table: str | None
    name: str
    tables: int
    status: Literal["open", "closed"]
    created: str
    closed: str | None
    rounds: int
    voids: int
    initial: int
    staked: int
    paid: int
    hold: int
    hold_percent: float | None
    hold_percent_of_staked: float | None
    return_percent: float | None
    theoretical_hold: int | None
    theoretical_hold_percent: float | None
    theoretical_hold_percent_of_staked: float | None
    theoretical_return_percent: float | None
    std_error: int | None
    z: float | None = Field(
        description="by how many standard errors the hold exceeds the theoretical hold"
    )
    out_of_range: bool
    first: str | None
    last: str | None
    felt: int
    assumes: str | None = Field(description="the strategy that the theory assumes")
    bets: dict[str, Json] | None
    no_theory: str | None = Field(description="the reason why there is no theory")
    pending: bool = Field(description="whether the theory is still being computed: try again later")


class Performance(PlayMoney):
    """The figures of every game and rules, then of every table."""

    software: Software
    rows: list[PerformanceRow]


class ChartPoint(Message):
    """The hold after a number of rounds, in cents."""

    rounds: int
    ended: str | None
    initial: int
    hold: int
    expected: int | None
    std_error: int | None
    low: int | None
    high: int | None
    z: float | None
    out: bool


class Chart(Message):
    """The cumulative hold with its expectation and control limits."""

    table: str | None
    game: str
    rules_digest: str
    assumes: str | None
    no_theory: str | None
    pending: bool = Field(description="whether the theory is still being computed: try again later")
    sigmas: int
    rounds: int
    points: list[ChartPoint]
    out_of_range: bool
    first_out: int | None


class EventRow(Message):
    """A significant event."""

    chain: str
    seq: int
    at: str
    kind: str
    component: str
    what: str
    by: str | None
    facts: dict[str, Json]


class Events(PlayMoney):
    """Significant events, newest first; ``before`` is the cursor of the next page."""

    software: Software
    rows: list[EventRow]
    before: str | None = None
    kinds: list[str] = Field(description="every kind that the filter accepts")


class ListedRounds(Rounds):
    """Rounds of all tables."""

    software: Software
