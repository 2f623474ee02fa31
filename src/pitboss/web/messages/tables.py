"""Messages about games, tables and their settings."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from pitboss.core.protocol import PARTS
from pitboss.web.messages.base import Cents, Json, Message, PlayMoney

PartName: TypeAlias = Annotated[str, Field(json_schema_extra={"enum": [*PARTS]})]


class LimitValues(Message):
    """The minimum and maximum of a bet, and the step between amounts, in cents."""

    least: Cents
    most: Cents
    step: Annotated[int, Field(ge=1, le=10**15)] = 100


class SettingApproval(Message):
    """The verdict of the game's approval letter on the value of a setting."""

    verdict: Literal["approved", "not approved", "open"]
    values: list[str] = Field(
        description="the approved values; empty if the letter leaves the setting open"
    )
    says: str = Field(description="the letter's words about a setting that it leaves open")


class SettingInput(Message):
    """How a setting is entered."""

    type: Literal["number", "switch", "odds", "choice", "paytable", "text"]
    least: int | None = Field(default=None, description="the smallest number allowed")
    most: int | None = Field(default=None, description="the largest number allowed")
    options: list[str | int] = Field(
        default_factory=list, description="the values of a choice, or the standard pay tables"
    )


class SettingInfo(Message):
    """A setting of a game's rules."""

    name: str
    value: str
    choices: str
    input: SettingInput
    rule: str
    reading: str
    approval: SettingApproval | None = Field(
        description="null if no approval is on file, or if it does not mention the setting"
    )


class ApprovalLetter(Message):
    """The letter that approves a game; each setting lists its approved values."""

    date: str
    authority: str
    citation: str


class BetInfo(Message):
    """A bet of the layout."""

    key: str = Field(description="its name in settlements")
    title: str
    stake: str | None = Field(description="the stake that funds it; null if it is made later")
    paytable: str | None = Field(description="the setting that holds its pay table")
    is_mandatory: bool
    has_hand: bool = Field(description="whether a separate hand is played for it")


class DecisionInfo(Message):
    """The words for a decision; each ``{}`` is an argument: cards, or an amount in cents."""

    decision: str = Field(description="the first word of its text, or the whole text")
    label: str = Field(description="the text of its button")
    you: str = Field(description='the words after "you"')
    they: str = Field(description="the words after a player's name")
    noun: str = Field(description='the words after "your"')
    key: str = Field(description="its keyboard shortcut; empty if there is none")
    control: Literal["button", "card", "hands"] = Field(
        description="how it is entered: a button, a tap on a card, or cards laid out as hands"
    )


class GameInfo(PlayMoney):
    """A game: its bets, its rules in plain words, its settings and pay tables."""

    key: str
    name: str
    summary: str
    stakes: dict[str, str]
    stake_titles: dict[str, str] = Field(description="the name of each stake on the layout")
    bets: dict[str, str] = Field(description="each bet of the layout with the stake that funds it")
    layout: list[BetInfo] = Field(description="every bet, in the order of the layout")
    decisions: list[DecisionInfo]
    prompts: dict[str, str] = Field(
        description="the question to the player in each phase, with {hand}, {total} and {dealer}"
    )
    celebrations: dict[str, str] = Field(description="outcomes to celebrate, with their text")
    result_titles: dict[str, str] = Field(description="titles of the results in pay tables")
    bust_above: int | None = Field(description="the largest total that does not bust")
    clauses: dict[str, str]
    presets: dict[str, dict[str, Json]]
    settings: list[SettingInfo]
    paytables: dict[str, list[dict[str, Json]]]
    limits: dict[str, LimitValues]
    approval: ApprovalLetter | None = Field(description="null if no approval is on file")
    parts: list[PartName] = Field(
        description="the features that the game has beyond its rules, such as a coach"
    )


class NewTable(Message):
    """A table to open. Send only settings that differ from the defaults; limits are in cents."""

    game: Annotated[str, Field(max_length=40)]
    name: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    rules: dict[str, Json] = Field(default_factory=dict)
    limits: dict[str, LimitValues] = Field(default_factory=dict)
    seconds: Annotated[int, Field(ge=3, le=600)] | None = Field(
        default=None,
        description="the time to decide; without it, the table has no timer and seats one player",
    )
    private: bool = False


class TakenSeat(Message):
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
    taken: list[TakenSeat]


class SettingInForce(SettingInfo):
    """A setting with its value at a table."""

    default: str = Field(description="the value in the default rules")
    differs: bool = Field(description="whether the value differs from the default")


class TableRules(PlayMoney):
    """The rules of a table: every setting in force, and the pay tables line by line."""

    game: str
    digest: str
    settings: list[SettingInForce]
    paytables: dict[str, list[dict[str, Json]]]
    felt_lines: list[str] = Field(description="the rules printed on the layout")
    any_amount: list[str] = Field(
        description="decisions that accept any amount up to the largest legal one"
    )


class Lobby(PlayMoney):
    """The public tables."""

    tables: list[TableInfo]
