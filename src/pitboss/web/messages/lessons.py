"""Messages of practice, dealer training, examples and the odds explorer."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from pitboss.web.messages.base import Cents, Json, Message, PlayMoney
from pitboss.web.messages.coach import OptionInfo
from pitboss.web.messages.live import ViewInfo
from pitboss.web.messages.tables import SettingInForce


class DrillInfo(Message):
    """A drill: one kind of situation, to practice repeatedly."""

    game: str
    drill: str
    title: str
    trains: str


class Drills(PlayMoney):
    """The drills of every game."""

    drills: list[DrillInfo]


class DrillOption(OptionInfo):
    """A decision in a drill; the best one and every toss have a short reason."""

    why: str | None


class Drill(PlayMoney):
    """A situation of a drill: one seat's view and its legal decisions, the best first."""

    game: str
    drill: str
    title: str
    question: str
    view: ViewInfo
    options: list[DrillOption]
    unit: int = Field(description="the seat's first bet, in cents")
    note: str = Field(description="the bets that the values cover")
    approximate: bool


class BetSpot(Message):
    """A bet on the felt."""

    seat: int
    bet: str
    hand: int


class WatchStep(Message):
    """An event that asks for no answer."""

    kind: Literal["watch"] = "watch"
    view: ViewInfo
    prompt: str


class DealerStep(Message):
    """The dealer's own move: a card to toss, ``bust``, ``hit`` or ``stand``."""

    kind: Literal["dealer"] = "dealer"
    view: ViewInfo
    prompt: str
    choices: list[str]
    accepts: list[str] = Field(description="every correct choice")
    why: str


class SettleStep(Message):
    """The next bet to settle; the view shows the table before the settlement."""

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
    next: list[BetSpot] = Field(
        description="the bets that may correctly be settled now, this one first"
    )


TrainingStep: TypeAlias = Annotated[
    WatchStep | DealerStep | SettleStep, Field(discriminator="kind")
]


class Training(PlayMoney):
    """A round for the trainee to deal, from the first player's move to the last bet."""

    game: str
    rules: dict[str, Json]
    digest: str
    title: str
    seats: list[int]
    steps: list[TrainingStep]


class ExampleInfo(PlayMoney):
    """A worked example of a clause: a settled round in which every settlement has its reason."""

    rule: str
    title: str
    text: str
    view: ViewInfo
    highlight: BetSpot = Field(description="the bet to look at")


class OddsRequest(Message):
    """The rules to compute the odds for; omitted settings have their defaults."""

    game: Annotated[str, Field(max_length=40)]
    rules: dict[str, Json] = Field(default_factory=dict)


class ChangedSetting(Message):
    """A setting that differs from its default."""

    name: str
    value: Json
    default: Json


class OutcomeOdds(Message):
    """An outcome of a bet, per unit of one bet."""

    name: str
    pays: str | None = Field(
        description="the odds or a push; null if the bet loses or is played out"
    )
    percent: float
    count: int | None = Field(description="the number of combinations, if they are counted")
    returns: float = Field(description="its contribution to the expectation")
    net: float


class BetOdds(Message):
    """The figures of a bet, or of bets that are played together."""

    # not the dataclass in training/odds.py, whose schema would lack the descriptions and the edge

    bet: str
    name: str
    stake: int = Field(description="units staked in a round")
    ev: float = Field(description="the expectation of a round, in units of one bet")
    edge_percent: float = Field(description="the house edge, per unit staked")
    exact: str | None = Field(description="the expectation as a fraction, if it is counted exactly")
    std_dev: float
    hit_percent: float
    outcomes: list[OutcomeOdds]


class Odds(PlayMoney):
    """The odds of a game under some rules. Pending bets are being solved: try again later."""

    game: str
    rules: dict[str, Json]
    digest: str
    settings: list[SettingInForce]
    paytables: dict[str, list[dict[str, Json]]]
    changed: list[ChangedSetting]
    assumes: str
    bets: list[BetOdds]
    pending: list[str]
    missing: str | None = Field(description="the reason why the missing bets cannot be solved here")
    default: dict[str, float] = Field(
        description="the edge of each bet under the default rules, in percent"
    )
