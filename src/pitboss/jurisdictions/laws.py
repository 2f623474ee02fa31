"""The rules of a jurisdiction as data. Every rule has its citation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from pitboss.core.paytables import Odds, Paytable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.settings import Rules

SOURCES_DATE = "November 2026"
"""The month in which the cited texts were collected."""


class Verdict(StrEnum):
    """The result of one point of a check; some points need a person's decision."""

    PASS = "pass"  # noqa: S105  not a password
    FAIL = "fail"
    PERSON = "needs a person"

    @property
    def on_approval(self) -> Literal["approved", "not approved", "open"]:
        """The verdict, worded for an approval letter."""
        if self is Verdict.PERSON:
            return "open"
        return "approved" if self is Verdict.PASS else "not approved"


@dataclass(frozen=True, slots=True)
class Citation:
    """The source of a rule: its section, the version of the text, and where the text was found.

    >>> print(Citation("WAC 230-15-455", "in force since 1 January 2010", "apps.leg.wa.gov"))
    WAC 230-15-455, in force since 1 January 2010 (apps.leg.wa.gov)
    """

    section: str
    version: str
    source: str

    def __str__(self) -> str:
        return f"{self.section}, {self.version} ({self.source})"


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerRule:
    """The maximum of a single wager, in cents."""

    most: int
    citation: Citation
    raises: Citation  # on doubles, splits and insurance


@dataclass(frozen=True, slots=True, kw_only=True)
class GamesRule:
    """How many separate games may be played with one hand, and how many may be large."""

    most: int
    most_large: int
    small: int  # in cents; a game with a higher maximum wager is large
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsRule:
    """The usual maximum number of seats, and the maximum at tables that may have more."""

    usual: int
    most: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class CapRule:
    """The lowest cap on the total payout to all players, for one bet of one deal."""

    counted: Odds  # higher odds are reduced to these
    counts_least: bool  # whether the minimum wager at full odds is a lower bound too
    players: int  # the cap must pay this many players
    allowed_from: Odds  # no cap is allowed if the highest odds are lower
    notice: str  # a duty that applies only if there is a cap
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class ReserveRule:
    """If several prizes exceed this amount in cents, the second highest must be held in reserve."""

    above: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A letter that approves a game: the settings it fixes, and those it leaves open.

    The game's rules and the letter use the same numbers: a setting's rule is also its clause.
    """

    date: str
    citation: Citation
    fixed: Mapping[str, tuple[str | int, ...]]  # a setting and its approved values
    open: Mapping[str, str]  # a setting, and the letter's statement on it
    warning: str

    def verdict(self, rules: Rules, name: str) -> Verdict | None:
        """Return the verdict on a setting's value; None if the letter does not mention it."""
        if name in self.open:
            return Verdict.PERSON
        if name not in self.fixed:
            return None
        return verdict_of(passes=self.matched(rules, name) is not None)

    def matched(self, rules: Rules, name: str) -> object | None:
        """Return the approved value that matches the setting; pay tables match by their payouts."""
        value = worth_of(getattr(rules, name))
        return next((other for other in self.values(rules, name) if worth_of(other) == value), None)

    def values(self, rules: Rules, name: str) -> list[object]:
        """Return the approved values of a setting."""
        return [rules.setting(name).read(plain) for plain in self.fixed.get(name, ())]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """How a jurisdiction treats the approval letter of a game."""

    verdict: Verdict
    detail: str
    letter: Letter


@dataclass(frozen=True, slots=True)
class Duty:
    """A task that only people can do or check."""

    topic: str
    detail: str
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Jurisdiction:
    """The rules of one jurisdiction on one date."""

    name: str
    title: str
    wager: WagerRule
    games: GamesRule
    seats: SeatsRule
    cap: CapRule
    reserve: ReserveRule
    approvals: Mapping[str, Approval]  # by the key of the game
    unapproved: Citation  # the reason to reject a game without an approval
    duties: tuple[Duty, ...]


def verdict_of(*, passes: bool) -> Verdict:
    """Return the verdict on a point that the data decide."""
    return Verdict.PASS if passes else Verdict.FAIL


def odds_by_result(paytable: Paytable[Any]) -> dict[object, Odds]:
    """Return the odds of each result of a pay table."""
    return {result: odds for results, odds in paytable.lines for result in results}


def worth_of(value: Any) -> Any:  # noqa: ANN401  any setting's value
    """Return the payout of odds on one unit, so that 2:1 equals 4:2; other values are unchanged."""
    match value:
        case Odds():
            return value.on(1)
        case Paytable():
            return {result: odds.on(1) for result, odds in odds_by_result(value).items()}
    return value
