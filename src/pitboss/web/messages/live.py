"""Messages of the WebSocket at a table: requests of the client and replies of the server."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from pitboss.web.messages.base import Cents, ClientSeed, Key, Message, Phase, PlayMoney, SeatNumber
from pitboss.web.messages.tables import LimitValues


class ClientRequest(Message):
    """The base of all requests: the version of the protocol, and the request's own key."""

    v: Literal[1]
    id: Key


class Sit(ClientRequest):
    """Take a seat."""

    do: Literal["sit"]
    seat: SeatNumber
    client_seed: ClientSeed = ""


class Leave(ClientRequest):
    """Leave a seat."""

    do: Literal["leave"]
    seat: SeatNumber


class SitOut(ClientRequest):
    """Sit out, or come back."""

    do: Literal["sit_out"]
    seat: SeatNumber
    out: bool


class ChooseSeed(ClientRequest):
    """Choose the seat's part of the shuffle."""

    do: Literal["seed"]
    seat: SeatNumber
    client_seed: ClientSeed


class PlaceBet(ClientRequest):
    """Put down a seat's bets in a round."""

    do: Literal["bet"]
    round: Annotated[int, Field(ge=1)]
    seat: SeatNumber
    stakes: Annotated[dict[str, Cents], Field(max_length=8)]
    deal: bool = Field(default=False, description="deal at once; only at a table without a timer")


class TakeBack(ClientRequest):
    """Take a seat's bets back before the deal."""

    do: Literal["take_back"]
    round: Annotated[int, Field(ge=1)]
    seat: SeatNumber


class DealNow(ClientRequest):
    """Deal, at a table without a timer."""

    do: Literal["deal"]
    round: Annotated[int, Field(ge=1)]


class Decide(ClientRequest):
    """Decide for a seat, in response to the state with this version."""

    do: Literal["decide"]
    version: Annotated[int, Field(ge=0)]
    seat: SeatNumber
    decision: Annotated[str, Field(min_length=1, max_length=40)]


class Ping(ClientRequest):
    """Check that the connection works."""

    do: Literal["ping"]


Request: TypeAlias = Annotated[
    Sit | Leave | SitOut | ChooseSeed | PlaceBet | TakeBack | DealNow | Decide | Ping,
    Field(discriminator="do"),
]
read_request = TypeAdapter[Request](Request).validate_json


# --- replies of the server
#
# The classes from HandInfo to ViewInfo describe the JSON of ``view_json``, not the dataclasses in
# ``core/protocol.py``: there, cards and decisions are objects, and a settlement has no reason.


class PlaceInfo(Message):
    """A seat that is taken."""

    seat: int
    name: str
    yours: bool
    out: bool
    has_bet: bool
    client_seed: str | None = Field(description="null for the seats of other players")


class RoundInfo(Message):
    """The current round; the commitment fixes its shuffle."""

    number: int
    scheme: str
    commitment: str
    phase: Phase
    staked: dict[str, int] = Field(description="the total bet of each seat, by seat number")
    left_ms: int | None = Field(
        description="the time left to bet or decide; null if there is no limit"
    )


class HandInfo(Message):
    """A hand in front of a bet."""

    bet: str
    hand: int
    cards: list[str] | None
    total: int | None
    stake: int
    is_bust: bool
    text: str = Field(description="the hand in a word or two: its total, bust, or its name")


class SeatInfo(Message):
    """A seat in the round; a card face down is null."""

    seat: int
    stakes: dict[str, int]
    cards: list[str | None]
    hands: list[HandInfo]
    added: dict[str, int] = Field(
        description="the bets that the seat made by decisions since the deal, by the bet's key"
    )


class DealerInfo(Message):
    """The dealer's cards; a card face down is null."""

    cards: list[str | None]
    kept: list[str]
    total: int | None
    is_bust: bool
    text: str = Field(description="the hand in a word or two: its total, bust, or its name")


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
    why: str = Field(
        description="the reason in one sentence, addressed to the seat that made the bet"
    )


class ViewInfo(Message):
    """The view of a seat or a spectator."""

    phase: Phase
    seat: int | None
    turn: TurnInfo | None
    seats: list[SeatInfo]
    dealer: DealerInfo
    cards_left: int
    legal: list[str]
    settlements: list[SettlementInfo]


class PastDecision(Message):
    """A past decision, made by the player or by the timer."""

    seat: int
    decision: str
    by: Literal["player", "timer"]


class NotOffered(Message):
    """A decision that the rules allow but the bankroll does not cover."""

    seat: int
    decision: str
    reason: str


class LastRound(Message):
    """The previous round, with the seed that its commitment promised."""

    number: int
    status: Literal["settled", "void"]
    reason: str | None
    view: ViewInfo | None
    log: list[PastDecision]
    net: dict[str, int]
    commitment: str | None
    server_seed: str | None


class You(Message):
    """The player who receives the message."""

    name: str
    balance: int
    seats: list[int]


class State(PlayMoney):
    """The table as the receiver may see it; ``views`` has one view for each of your seats."""

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
    log: list[PastDecision]
    last: LastRound | None
    you: You | None


class Refusal(PlayMoney):
    """A request that was refused. As with :class:`Problem`, it changed nothing."""

    v: Literal[1] = 1
    type: Literal["error"] = "error"
    ok: Literal[False] = False
    id: str | None = None
    error: str
    detail: str
    address: str | None = Field(
        default=None, description="the address of the process that deals the table, if not this one"
    )


class Pong(PlayMoney):
    """The answer to a ping."""

    v: Literal[1] = 1
    type: Literal["pong"] = "pong"
    id: str


Reply: TypeAlias = Annotated[State | Refusal | Pong, Field(discriminator="type")]
