"""The planned setup of a table: the game, its rules, limits, seats and payout caps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pitboss.core.errors import SettingError, shown
from pitboss.core.journal import dollars
from pitboss.jurisdictions.laws import odds_by_result, worth_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pitboss.core.paytables import Odds
    from pitboss.core.protocol import BetSpec, Game
    from pitboss.core.settings import Rules
    from pitboss.tables.limits import Limit


@dataclass(frozen=True, slots=True)
class Insurance:
    """The maximum insurance bet of a seat, in cents, and how it is calculated."""

    most: int
    basis: str


@dataclass(frozen=True, slots=True)
class Raises:
    """Wagers that are added to a bet during the round, in cents."""

    most: int  # the maximum of one double or split
    largest: int  # the maximum that one bet can reach


def doubles_and_splits(most: int, max_splits: int, *, double_after_split: bool) -> Raises:
    """Return the raises of a hand of 21 with a bet of *most* cents."""
    hands = max_splits + 1
    doubled = hands if double_after_split or hands == 1 else 0
    return Raises(most, most * max(2, hands + doubled))


class LayoutPart(Protocol):
    """The ``layout`` part of a game: wagers beyond the bets made before the deal."""

    def insurance(self, rules: Any, limits: Mapping[str, Limit]) -> Insurance | None:  # noqa: ANN401
        """Return the maximum insurance bet of a seat; None if insurance is not offered."""

    def raises(self, rules: Any, limits: Mapping[str, Limit]) -> Raises | None:  # noqa: ANN401
        """Return how much doubles and splits can raise a bet; None if the game has neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The planned setup of a table; amounts are in cents."""

    game: Game
    rules: Rules
    limits: Mapping[str, Limit]
    seats: int
    cap: int | Mapping[str, int] | None = None  # on every odds-based bet, or bet by bet

    def __post_init__(self) -> None:
        self.layout  # noqa: B018  raises an error if the game has no layout
        _check_names("limit", self.game.stakes, self.limits)
        for stake in self.game.stakes.keys() - self.limits.keys():
            raise SettingError(f"the bet {stake} has no limit")
        if self.seats < 1:
            raise SettingError(f"a table of {self.seats} seats is invalid: give at least one seat")
        _check_names("cap", [bet.key for bet in self.odds_based], self.caps)
        for amount in self.caps.values():
            if amount < 1:
                raise SettingError(f"a cap of {dollars(amount)} is invalid: it must be positive")

    @property
    def layout(self) -> LayoutPart:
        """The game's ``layout`` part, which describes wagers beyond the first bets."""
        return self.game.part("layout")  # type: ignore[no-any-return]

    @property
    def bets(self) -> tuple[BetSpec, ...]:
        """The bets made before the deal; each is a separate game on the same hand."""
        return tuple(bet for bet in self.game.bets if bet.stake)

    @property
    def odds_based(self) -> tuple[BetSpec, ...]:
        """The bets with a pay table.

        WAC 230-15-455 calls a wager odds-based if it pays more than the stake on a fixed pattern of
        cards. A bet against the dealer's hand is not odds-based.
        """
        return tuple(bet for bet in self.bets if bet.paytable)

    @property
    def caps(self) -> Mapping[str, int]:
        """The cap of each odds-based bet that has one."""
        if isinstance(self.cap, int):
            return {bet.key: self.cap for bet in self.odds_based}
        return self.cap or {}

    @property
    def insurance(self) -> Insurance | None:
        """The maximum insurance bet of a seat, if insurance is offered."""
        return self.layout.insurance(self.rules, self.limits)

    def limit(self, bet: BetSpec) -> Limit:
        """Return the limit of a bet."""
        return self.limits[str(bet.stake)]

    def odds(self, bet: BetSpec) -> Mapping[object, Odds]:
        """Return the odds of each result of an odds-based bet."""
        return odds_by_result(getattr(self.rules, str(bet.paytable)))

    def highest(self, bet: BetSpec) -> Odds:
        """Return the highest odds of an odds-based bet."""
        return max(self.odds(bet).values(), key=worth_of)


def _check_names(what: str, valid: Collection[str], given: Iterable[str]) -> None:
    for name in given:
        if name not in valid:
            raise SettingError(f"no bet {shown(name)} to {what}: valid are {', '.join(valid)}")
