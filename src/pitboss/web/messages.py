"""What is said over HTTP and WebSocket, word for word; nothing else is understood.

Everything that comes in is strict: a number is a number, an unknown field is an error.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

VERSION = 1

Cents: TypeAlias = Annotated[int, Field(ge=0, le=10**15)]
KEY = r"^[A-Za-z0-9_-]{1,64}$"
"""What a request may be known by, so that it is not done twice."""

Key: TypeAlias = Annotated[str, Field(pattern=KEY)]
SeatNumber: TypeAlias = Annotated[int, Field(ge=1, le=9)]
ClientSeed: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")]
Json: TypeAlias = Any


class Message(BaseModel):
    """Strict, closed and unchanging."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


# --- what goes out everywhere


class Problem(Message):
    """The one form of every error.

    Nothing was changed by what it answers; only after ``unavailable`` that is not known: ask again
    with the same key.
    """

    ok: Literal[False] = False
    error: str = Field(description="a short code for machines", examples=["not_allowed"])
    detail: str = Field(description="what was wrong and what would be right")
    address: str | None = Field(default=None, description="where the table is dealt, if elsewhere")


class PlayMoney(Message):
    """Nothing here is real money."""

    play_money: Literal[True] = True


class Done(PlayMoney):
    """It was done."""

    ok: Literal[True] = True


# --- players


class NewGuest(Message):
    """A first visit; without a name one is given."""

    name: Annotated[str, Field(min_length=1, max_length=24)] | None = None


class Credentials(Message):
    """A name and its password."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00]*$")]
    password: Annotated[str, Field(min_length=1, max_length=128)]


class NewName(Message):
    """How a player wants to be called."""

    name: Annotated[str, Field(min_length=1, max_length=24)]


class NewPassword(Message):
    """A password to keep an account by; the old one if there is one."""

    password: Annotated[str, Field(min_length=8, max_length=128)]
    old: Annotated[str, Field(max_length=128)] | None = None


class Sitting(Message):
    """A seat that is held somewhere."""

    table: str
    seat: int


class Me(PlayMoney):
    """Who is signed in, and what they have."""

    id: str
    name: str
    kept: bool = Field(description="there is a password: the account outlives the session")
    balance: int
    refill_below: int = Field(description="who has less may ask the bank")
    refills_left: int
    sittings: list[Sitting]


class Refilled(PlayMoney):
    """What the bank gave."""

    added: int
    balance: int


# --- games and tables


class LimitValues(Message):
    """The least and most of a bet and the step between, in cents."""

    least: Cents
    most: Cents
    step: Annotated[int, Field(ge=1, le=10**15)] = 100


class SettingInfo(Message):
    """A setting of a game's rules."""

    name: str
    value: str
    choices: str
    rule: str
    reading: str


class GameInfo(PlayMoney):
    """A game: its bets, its rules in our words, its settings and pay tables."""

    key: str
    name: str
    summary: str
    stakes: dict[str, str]
    clauses: dict[str, str]
    presets: dict[str, dict[str, Json]]
    settings: list[SettingInfo]
    paytables: dict[str, list[dict[str, Json]]]
    limits: dict[str, LimitValues]


class NewTable(Message):
    """A table to open: rules that are not named have their defaults."""

    game: Annotated[str, Field(max_length=40)]
    name: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    rules: dict[str, Json] = Field(default_factory=dict)
    limits: dict[str, LimitValues] = Field(default_factory=dict)
    seconds: Annotated[int, Field(ge=3, le=600)] | None = Field(
        default=None, description="to decide in; without, the table waits and seats one player"
    )
    private: bool = False


class Taken(Message):
    """A seat that is taken."""

    seat: int
    name: str


class TableInfo(PlayMoney):
    """A table as the lobby lists it."""

    id: str
    name: str
    game: str
    rules: dict[str, Json]
    rules_digest: str
    limits: dict[str, LimitValues]
    places: int
    seconds: int | None
    private: bool
    closed: bool
    taken: list[Taken]


class Lobby(PlayMoney):
    """The tables that anybody may sit down at, newest first."""

    tables: list[TableInfo]


# --- rounds


class RoundRecord(BaseModel):
    """A finished round, whole: ``pitboss verify`` reads it. Fields as docs/fairness.md has them."""

    model_config = ConfigDict(extra="allow")

    format: Literal[1]
    kind: Literal["pitboss-round"]
    play_money: Literal[True]
    table: str
    round: int
    status: Literal["settled", "void"]


class Page(PlayMoney):
    """Rows, and where to go on: give ``before`` to get older ones."""

    rows: list[dict[str, Json]]
    before: str | None = None


class Replay(PlayMoney):
    """A round gone through again step by step."""

    replay: Literal[True] = True
    table: str
    round: int
    steps: list[dict[str, Json]]


# --- the operator


class Reason(Message):
    """Why something is done."""

    reason: Annotated[str, Field(min_length=1, max_length=200)]


class NewLimits(Message):
    """New limits of a table's bets."""

    limits: dict[str, LimitValues]


class Gaming(Reason):
    """Whether bets are taken, on one game or at all, and why."""

    open: bool
    game: Annotated[str, Field(max_length=40)] | None = None


class Block(Message):
    """Whether an account is closed."""

    blocked: bool


# --- a table live: what a client says


class Asking(Message):
    """Every message has the version of this language and a key of its own."""

    v: Literal[1]
    id: Key


class Sit(Asking):
    """Take a seat."""

    do: Literal["sit"]
    seat: SeatNumber
    client_seed: ClientSeed = ""


class Leave(Asking):
    """Leave a seat."""

    do: Literal["leave"]
    seat: SeatNumber


class SitOut(Asking):
    """Sit out, or come back."""

    do: Literal["sit_out"]
    seat: SeatNumber
    out: bool


class ChooseSeed(Asking):
    """Choose the seat's part of the shuffle."""

    do: Literal["seed"]
    seat: SeatNumber
    client_seed: ClientSeed


class PlaceBet(Asking):
    """Put down a seat's bets in a round."""

    do: Literal["bet"]
    round: Annotated[int, Field(ge=1)]
    seat: SeatNumber
    stakes: Annotated[dict[str, Cents], Field(max_length=8)]
    deal: bool = Field(default=False, description="and deal at once, at a table that waits")


class TakeBack(Asking):
    """Take a seat's bets back before the deal."""

    do: Literal["take_back"]
    round: Annotated[int, Field(ge=1)]
    seat: SeatNumber


class DealNow(Asking):
    """Deal, at a table that waits."""

    do: Literal["deal"]
    round: Annotated[int, Field(ge=1)]


class Decide(Asking):
    """Decide for a seat, in answer to the state of that version."""

    do: Literal["decide"]
    version: Annotated[int, Field(ge=0)]
    seat: SeatNumber
    decision: Annotated[str, Field(min_length=1, max_length=40)]


class Ping(Asking):
    """Say that one is there."""

    do: Literal["ping"]


Request: TypeAlias = Annotated[
    Sit | Leave | SitOut | ChooseSeed | PlaceBet | TakeBack | DealNow | Decide | Ping,
    Field(discriminator="do"),
]
read_request = TypeAdapter[Request](Request).validate_json


# --- a table live: what the server says


class PlaceInfo(Message):
    """A seat that is taken."""

    seat: int
    name: str
    yours: bool
    out: bool
    has_bet: bool
    client_seed: str | None = Field(description="of your own seats")


class RoundInfo(Message):
    """The round that is on; the commitment is to its shuffle."""

    number: int
    scheme: str
    commitment: str
    phase: str
    staked: dict[str, int] = Field(description="what each seat has put down, by its number")
    left_ms: int | None = Field(description="how long there is to bet or decide")


class HandInfo(Message):
    """A hand in front of a bet."""

    bet: str
    hand: int
    cards: list[str] | None
    total: int | None
    stake: int


class SeatInfo(Message):
    """A seat in the round; a card face down is null."""

    seat: int
    stakes: dict[str, int]
    cards: list[str | None]
    hands: list[HandInfo]
    insurance: int


class DealerInfo(Message):
    """The dealer's cards; a card face down is null."""

    cards: list[str | None]
    kept: list[str]
    total: int | None


class TurnInfo(Message):
    """The hand whose turn it is."""

    seat: int
    bet: str
    hand: int


class SettlementInfo(Message):
    """How a bet ended."""

    seat: int
    bet: str
    hand: int
    outcome: str
    rule: str
    stake: int
    net: int


class ViewInfo(Message):
    """What a seat, or somebody who only looks on, may see."""

    phase: str
    seat: int | None
    turn: TurnInfo | None
    seats: list[SeatInfo]
    dealer: DealerInfo
    cards_left: int
    legal: list[str]
    settlements: list[SettlementInfo]


class MadeInfo(Message):
    """A decision that was made, by the player or by the timer."""

    seat: int
    decision: str
    by: Literal["player", "timer"]


class NotOffered(Message):
    """A decision that the rules allow and the bankroll does not cover."""

    seat: int
    decision: str
    reason: str


class LastRound(Message):
    """The round before, with the seed that its commitment promised."""

    number: int
    status: Literal["settled", "void"]
    reason: str | None
    view: ViewInfo | None
    log: list[MadeInfo]
    net: dict[str, int]
    commitment: str | None
    server_seed: str | None


class You(Message):
    """The player at this end."""

    name: str
    balance: int
    seats: list[int]


class State(PlayMoney):
    """The table as the receiver may see it; ``views`` has one for each own seat in the round."""

    v: Literal[1] = 1
    type: Literal["state"] = "state"
    table: str
    version: int
    done: list[str] = Field(description="the keys of your requests that were carried out")
    closed: bool
    limits: dict[str, LimitValues]
    places: list[PlaceInfo]
    round: RoundInfo
    views: list[ViewInfo]
    not_offered: list[NotOffered]
    log: list[MadeInfo]
    last: LastRound | None
    you: You | None


class Refusal(PlayMoney):
    """A request that was refused; what is said of :class:`Problem` holds here."""

    v: Literal[1] = 1
    type: Literal["error"] = "error"
    ok: Literal[False] = False
    id: str | None = None
    error: str
    detail: str
    address: str | None = Field(default=None, description="where the table is dealt, if elsewhere")


class Pong(PlayMoney):
    """The answer to a ping."""

    v: Literal[1] = 1
    type: Literal["pong"] = "pong"
    id: str


Reply: TypeAlias = Annotated[State | Refusal | Pong, Field(discriminator="type")]
