"""Table limits on bets, and the largest prize that a table may pay."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from pitboss.core.errors import NotationError, RuleError, SettingError, shown
from pitboss.core.journal import dollars, read_cents
from pitboss.core.paytables import Odds
from pitboss.core.settings import PaytableChoice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules

LARGEST_PRIZE = 10**12
"""The largest win of one bet, in cents: far below the largest sum that the ledger can store."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The minimum and maximum of a bet, and the step between amounts, in cents.

    >>> Limit.read("5..300/2.50")
    Limit(least=500, most=30000, step=250)
    """

    least: int
    most: int
    step: int = 100

    def __post_init__(self) -> None:
        if not all(type(cents) is int for cents in (self.least, self.most, self.step)):
            raise SettingError("a limit must be in whole cents")
        if not 0 < self.least <= self.most:
            raise SettingError(
                f"a limit of {self} is invalid: the minimum must be positive"
                " and at most the maximum"
            )
        if self.step < 1:
            raise SettingError(
                f"a limit in steps of {dollars(self.step)} is invalid: the step must be positive"
            )

    @classmethod
    def read(cls, text: str) -> Limit:
        """Parse ``LEAST..MOST`` or ``LEAST..MOST/STEP`` in dollars."""
        match = re.fullmatch(r"([^./]+(?:\.\d\d)?)\.\.([^/]+)(?:/(.+))?", text)
        if not match:
            raise NotationError(
                f"{shown(text)} is not a limit: write LEAST..MOST or LEAST..MOST/STEP in dollars,"
                " as in 5..300/5"
            )
        return cls(*(read_cents(part) for part in match.groups() if part))

    def __str__(self) -> str:
        return f"{dollars(self.least)} to {dollars(self.most)} in steps of {dollars(self.step)}"

    def check(self, name: str, amount: int) -> None:
        """Reject an amount outside the limit; the rules decide whether the bet is mandatory."""
        inside = self.least <= amount <= self.most
        if amount and not (inside and (amount - self.least) % self.step == 0):
            bet = "bet" if name == "bet" else f"{name} bet"
            raise RuleError(f"a {bet} of {dollars(amount)} is outside the limit: {self}")


class GivenLimit(Protocol):
    """A limit in a request."""

    @property
    def least(self) -> int: ...
    @property
    def most(self) -> int: ...
    @property
    def step(self) -> int: ...


def default_limits(game: Game) -> dict[str, Limit]:
    """Return the default limits of a game's tables."""
    least = dict.fromkeys(game.stakes, 100) | {game.first_stake: 500}
    return {name: Limit(least[name], 30_000) for name in game.stakes}


def usual_stakes(game: Game, limits: Mapping[str, Limit]) -> dict[str, int]:
    """Return the usual stakes of a seat, adjusted to the limits; a stake without one is minimal."""
    usual = {name: game.usual_stakes.get(name, limit.least) for name, limit in limits.items()}
    return {n: min(max(usual[n], limits[n].least), limits[n].most) for n in game.stakes}


def check_stakes(game: Game, limits: Mapping[str, Limit], stakes: Mapping[str, int]) -> None:
    """Reject stakes that the rules or the limits do not allow."""
    game.place(1, stakes)
    for name, amount in stakes.items():
        limits[name].check(name, amount)


def limits_json(limits: Mapping[str, Limit]) -> dict[str, Json]:
    """Return limits in the JSON format of records and the database."""
    return {name: [limit.least, limit.most, limit.step] for name, limit in limits.items()}


def named_limits(limits: Mapping[str, Limit]) -> dict[str, Json]:
    """Return limits in the JSON format for clients."""
    return {
        name: {"least": limit.least, "most": limit.most, "step": limit.step}
        for name, limit in limits.items()
    }


def read_limits_json(limits: Mapping[str, Json]) -> dict[str, Limit]:
    return {name: Limit(*cents) for name, cents in limits.items()}


def check_prizes(rules: Rules, limits: Mapping[str, Limit]) -> None:
    """Reject limits that let one bet win more than ``LARGEST_PRIZE``."""
    odds = [Fraction(1)]
    for name, known in rules.settings.items():
        value = getattr(rules, name)
        if isinstance(value, Odds):
            odds.append(value.on(1))
        elif isinstance(known.kind, PaytableChoice):
            odds += [line.on(1) for _, line in value.lines]
    most = max(limit.most for limit in limits.values())
    if max(odds) * most > LARGEST_PRIZE:
        raise SettingError(
            f"a bet of {dollars(most)} could win {dollars(int(max(odds) * most))}: a bet may"
            f" win at most {dollars(LARGEST_PRIZE)}, so lower the limits or the odds"
        )


def read_limits(game: Game, limits: Mapping[str, GivenLimit]) -> dict[str, Limit]:
    """Return the requested limits; reject limits of bets that the game does not have."""
    for name in limits:
        if name not in game.stakes:
            raise SettingError(f"no bet {shown(name)}: choose one of {', '.join(game.stakes)}")
    return {name: Limit(given.least, given.most, given.step) for name, given in limits.items()}
