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
Phase: TypeAlias = Literal["betting", "tossing", "setting", "insuring", "playing", "settled"]
"""What a round of any game waits for."""


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


class Visitor(PlayMoney):
    """The player who is signed in, or null."""

    me: Me | None


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


class SettingApproval(Message):
    """What the game's approval letter says about the value of a setting."""

    verdict: Literal["approved", "not approved", "open"]
    values: list[str] = Field(
        description="the approved values; empty if the letter leaves the setting open"
    )
    says: str = Field(description="what the letter says about a setting that it leaves open")


class SettingInfo(Message):
    """A setting of a game's rules."""

    name: str
    value: str
    choices: str
    rule: str
    reading: str
    approval: SettingApproval | None = Field(
        description="null if no approval is on file, or if it does not mention the setting"
    )


class ApprovalLetter(Message):
    """A letter that approves a game; every setting says which values are approved."""

    date: str
    authority: str
    citation: str


class GameInfo(PlayMoney):
    """A game: its bets, its rules in our words, its settings and pay tables."""

    key: str
    name: str
    summary: str
    stakes: dict[str, str]
    bets: dict[str, str] = Field(description="each bet on the felt with the stake that fills it")
    clauses: dict[str, str]
    presets: dict[str, dict[str, Json]]
    settings: list[SettingInfo]
    paytables: dict[str, list[dict[str, Json]]]
    limits: dict[str, LimitValues]
    approval: ApprovalLetter | None = Field(description="null if no approval is on file")


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


class SettingInForce(SettingInfo):
    """A setting as a table has it."""

    default: str = Field(description="its value in the default rules")
    differs: bool = Field(description="whether the value differs from the default")


class TableRules(PlayMoney):
    """The rules of a table: every setting in force, and the pay tables line by line."""

    game: str
    digest: str
    settings: list[SettingInForce]
    paytables: dict[str, list[dict[str, Json]]]


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


class RoundRow(Message):
    """A finished round of a table; ``net`` is what its players won together."""

    table: str
    name: str | None
    round: int
    game: str
    rules_digest: str
    status: Literal["settled", "void"]
    seats: int = Field(description="how many")
    staked: int
    net: int
    opened: str
    ended: str


class Rounds(PlayMoney):
    """Rounds, and where to go on: give ``before`` to get older ones."""

    rows: list[RoundRow]
    before: str | None = None


class MyRoundRow(Message):
    """A finished round of a player: their seats, and their balance when it was over."""

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
    """A player's rounds; ``before`` goes on."""

    rows: list[MyRoundRow]
    before: str | None = None


class Step(Message):
    """A step of a round gone through again; ``seat`` and ``player`` are of a decision."""

    replay: Literal[True] = True
    what: str
    by: Literal["players", "dealer", "house", "player", "timer"]
    at: str | None
    view: ViewInfo | None = Field(description="every seat's cards face up, for the record")
    seat: int | None = None
    player: str | None = None


class Replay(PlayMoney):
    """A round gone through again step by step."""

    replay: Literal[True] = True
    table: str
    round: int
    yours: list[int] = Field(description="the seats that you had bets on")
    steps: list[Step]


# --- the coach


class OptionInfo(Message):
    """A legal decision: what it is expected to win, and how much less that is than the best."""

    decision: str
    value: float = Field(description="in cents, a loss negative")
    cost: float = Field(description="in cents")
    same_as: str | None = Field(
        description="an earlier decision that is the same choice: with the hands swapped, or with"
        " another card of equal value"
    )


class Advice(PlayMoney):
    """What every legal decision of a seat is worth, by what that seat can see; best first."""

    seat: int
    version: int = Field(description="of the state that was looked at")
    unit: int = Field(description="the seat's first bet, in cents")
    note: str = Field(description="which bets the values are values of")
    approximate: bool = Field(description="the stub could run dry before the dealer is done")
    options: list[OptionInfo]


class Priced(Message):
    """A decision that was made, beside the best by what the seat could see then; in cents."""

    step: int = Field(description="where it stands among the steps of the round, from 0")
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
    """A finished round as the coach sees it: the decisions of your seats, each with its price."""

    table: str
    round: int
    decisions: list[Priced]
    cost: dict[str, float] = Field(description="of all decisions of each of your seats")


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


class Software(Message):
    """What runs: the version, and the SHA-256 over every file of the program."""

    version: str
    hash: str


class GamingState(PlayMoney):
    """What the house takes bets on now."""

    open: bool = Field(description="play as a whole has not been stopped")
    healthy: bool = Field(description="the program's files passed their last check")
    games: dict[str, bool] = Field(description="whether each game's own play has not been stopped")


class Checked(Message):
    """What a check of the program's files found."""

    ok: bool = Field(description="they are as they were when the process started")
    software: Software


class OperatorTable(TableInfo):
    """A table as its operator sees it."""

    created: str
    ended: str | None = Field(description="when its last round was over")
    rounds: int = Field(description="that are over, void ones among them")
    felt: int = Field(description="cents that lie on it in the round that is on")


class OperatorTables(PlayMoney):
    """Tables, newest first, private and closed ones among them."""

    rows: list[OperatorTable]
    before: str | None = None


class PerformanceRow(Message):
    """Figures of a game's rules or of a table: cents, and percentages of the bets put down."""

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
    z: float | None = Field(description="standard errors that the hold is above the theoretical")
    out_of_range: bool
    first: str | None
    last: str | None
    felt: int
    assumes: str | None = Field(description="how the theory has the game played")
    bets: dict[str, Json] | None
    no_theory: str | None = Field(description="why there is none")
    pending: bool = Field(description="the theory is being computed: ask again")


class Performance(PlayMoney):
    """Games by their rules, then tables."""

    software: Software
    rows: list[PerformanceRow]


class ChartPoint(Message):
    """Where the hold stands after so many rounds, in cents."""

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
    """The hold as it grew beside its expectation and the limits around it."""

    table: str | None
    game: str
    rules_digest: str
    assumes: str | None
    no_theory: str | None
    pending: bool = Field(description="the theory is being computed: ask again")
    sigmas: int
    rounds: int
    points: list[ChartPoint]
    out_of_range: bool
    first_out: int | None


class EventRow(Message):
    """A significant event."""

    seq: int
    at: str
    kind: str
    component: str
    what: str
    by: str | None
    facts: dict[str, Json]


class Events(PlayMoney):
    """Significant events, newest first; ``before`` goes on."""

    software: Software
    rows: list[EventRow]
    before: str | None = None
    kinds: list[str] = Field(description="all that there are to ask for")


class ListedRounds(Rounds):
    """Rounds of all tables."""

    software: Software


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
    phase: Phase
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
    why: str = Field(description="one sentence, said to the seat whose bet it is")


class ViewInfo(Message):
    """What a seat, or somebody who only looks on, may see."""

    phase: Phase
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


# --- lessons


class DrillInfo(Message):
    """A drill: one kind of situation that is asked again and again."""

    game: str
    drill: str
    title: str
    trains: str


class Drills(PlayMoney):
    """The drills of every game."""

    drills: list[DrillInfo]


class DrillOption(OptionInfo):
    """A decision of a drill; the best, and every toss, in a few words."""

    why: str | None


class Drill(PlayMoney):
    """A situation of a drill: what one seat sees, and every legal decision, the best first."""

    game: str
    drill: str
    title: str
    question: str
    view: ViewInfo
    options: list[DrillOption]
    unit: int = Field(description="the seat's first bet, in cents")
    note: str = Field(description="which bets the values are values of")
    approximate: bool


class BetSpot(Message):
    """A bet on the felt."""

    seat: int
    bet: str
    hand: int


class WatchStep(Message):
    """Something happens; there is nothing to answer."""

    kind: Literal["watch"] = "watch"
    view: ViewInfo
    prompt: str


class DealerStep(Message):
    """The dealer's own move: a card to toss or ``bust``, ``hit`` or ``stand``."""

    kind: Literal["dealer"] = "dealer"
    view: ViewInfo
    prompt: str
    choices: list[str]
    accepts: list[str] = Field(description="every choice that is right")
    why: str


class SettleStep(Message):
    """The next bet to settle; the view is of the moment before."""

    kind: Literal["settle"] = "settle"
    view: ViewInfo
    prompt: str
    seat: int
    bet: str
    hand: int
    stake: int
    action: Literal["take", "pay", "push"]
    pays: Cents
    outcome: str
    rule: str
    why: str
    unsettled: list[BetSpot] = Field(description="every bet still on the felt")
    next: list[BetSpot] = Field(description="those that are right to settle now, this one first")


TrainingStep: TypeAlias = Annotated[
    WatchStep | DealerStep | SettleStep, Field(discriminator="kind")
]


class Training(PlayMoney):
    """A round to deal oneself, from the first move of a player to the last bet."""

    game: str
    rules: dict[str, Json]
    digest: str
    title: str
    seats: list[int]
    steps: list[TrainingStep]


class ExampleInfo(PlayMoney):
    """A clause of the rules shown by cards; its view is settled, and every settlement says why."""

    rule: str
    title: str
    text: str
    view: ViewInfo
    highlight: BetSpot = Field(description="the bet to look at")


class OddsAsked(Message):
    """The rules to compute the odds for; settings that are left out have their defaults."""

    game: Annotated[str, Field(max_length=40)]
    rules: dict[str, Json] = Field(default_factory=dict)


class ChangedSetting(Message):
    """A setting that differs from its default."""

    name: str
    value: Json
    default: Json


class OutcomeOdds(Message):
    """One way a bet can end, per unit of one bet."""

    name: str
    pays: str | None = Field(description="odds, or push; nothing where it loses or is played")
    percent: float
    count: int | None = Field(description="combinations, where it is counted")
    returns: float = Field(description="its part of the expectation")
    net: float


class BetOdds(Message):
    """The figures of a bet, or of bets that are played together."""

    bet: str
    name: str
    stake: int = Field(description="units staked in a round")
    ev: float = Field(description="the expectation of a round, in units of one bet")
    edge_percent: float = Field(description="the house edge, per unit staked")
    exact: str | None = Field(description="the expectation as a fraction, where it is counted")
    std_dev: float
    hit_percent: float
    outcomes: list[OutcomeOdds]


class Odds(PlayMoney):
    """The odds of a game under some rules. What is pending is being solved: ask again."""

    game: str
    rules: dict[str, Json]
    digest: str
    settings: list[SettingInForce]
    paytables: dict[str, list[dict[str, Json]]]
    changed: list[ChangedSetting]
    assumes: str
    bets: list[BetOdds]
    pending: list[str]
    missing: str | None = Field(description="why bets that are not there cannot be solved here")
    default: dict[str, float] = Field(
        description="the edge of each bet under the default rules, in percent"
    )
