"""The interface of a game's ``figures`` part, and the analysis that it returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from pitboss.analysis import design
from pitboss.analysis.conditions import conditions
from pitboss.analysis.figures import Figures
from pitboss.games import GAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules
    from pitboss.simulator.jobs import Job


class FiguresPart(Protocol):
    """The ``figures`` part of a game; *rules* is an instance of the game's own class."""

    ASSUMES: str
    """The player's strategy that these figures assume, in one line."""

    SOLVES: bool
    """Whether a solver computes figures, which takes a while.

    Then *worth* solves the game again with each rule changed."""

    SIMULATES: bool
    """Whether a simulation can confirm the figures: see :meth:`Analysis.job`."""

    def figures(self, rules: Any) -> dict[str, Figures]:  # noqa: ANN401
        """Return the figures of the bets that can be counted, by name."""

    def analyze(
        self,
        rules: Any,  # noqa: ANN401
        *,
        worth: bool,
        progress: Callable[[float], object],
    ) -> Analysis:
        """Return the figures of every bet; see :func:`analyze`."""

    def conditions(self, rules: Any) -> dict[str, list[str]]:  # noqa: ANN401
        """Return the conditions under which the figures of each bet hold."""

    def sensitivity(self, rules: Any) -> list[Sensitivity]:  # noqa: ANN401
        """Return the bets' expectations under other settings; empty if the game lists none."""


class BetFigures(Protocol):
    """The figures of a bet: counted, solved or simulated."""

    @property
    def stake(self) -> int:
        """The units staked in a round."""

    @property
    def house_edge(self) -> float:
        """The house edge per unit staked."""

    def as_json(self) -> dict[str, Json]:
        """Return the figures as JSON."""


@dataclass(frozen=True, slots=True)
class RoundResults:
    """The distribution of a seat's net result in one round at given stakes, in cents."""

    ev: float
    std_dev: float
    chances: dict[int, float]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The expectation of a bet under one combination of the settings that affect it."""

    bet: str
    rules: Any  # the game's own Rules
    decided_by: tuple[str, ...]
    """The settings that vary; the others keep their values from the rules in force."""

    ev: Fraction
    """With one unit on the bet; for the package, with one unit on each of its bets."""

    @property
    def stake(self) -> int:
        """The number of units staked."""
        return self.rules.game.units[self.bet]  # type: ignore[no-any-return]

    @property
    def house_edge(self) -> float:
        """The house edge per unit staked."""
        return -float(self.ev / self.stake)

    def as_json(self) -> dict[str, Json]:
        values = self.rules.as_json()
        return {
            "bet": self.bet,
            **{name: values[name] for name in self.decided_by},
            "stake": self.stake,
            "ev": str(self.ev),
            "house_edge": self.house_edge,
        }


@dataclass(frozen=True)
class Analysis:
    """The figures of every bet of a game. Subclasses add the figures specific to one game."""

    game: Game
    rules: Any  # the game's own Rules
    bets: Mapping[str, BetFigures | None]
    """The figures by bet; None for a bet that is not computed."""

    missing: str | None = None
    """Why some bets are not computed."""

    @property
    def counted(self) -> dict[str, Figures]:
        """The bets that are counted, combination by combination."""
        return {bet: f for bet, f in self.bets.items() if isinstance(f, Figures)}

    def as_json(self) -> dict[str, Json]:
        return {
            "game": self.game.key,
            "rules": self.rules.as_json(),
            "bets": {bet: f and f.as_json() for bet, f in self.bets.items()},
            "conditions": conditions(self.rules),
            **self.more_json(),
        }

    def changes(self, bet: str, target: Fraction) -> list[design.Change]:
        """Return the changes to one pay table line that bring a bet's edge closest to *target*."""
        price = partial(self.expected, bet)
        return design.changes(self.rules, bet, target, price, self.game.units.get(bet, 1))

    # --- figures specific to a game

    def more_json(self) -> dict[str, Json]:
        """Return the figures specific to this game as JSON."""
        return {}

    def expected(self, bet: str, rules: Rules) -> Fraction | float:
        """Return the expectation of a bet under *rules*, which differ only in a pay table."""
        part: FiguresPart = self.game.part("figures")
        return part.figures(rules)[bet].ev

    def strategy(self) -> dict[str, Json] | None:
        """Return the report's figures on the strategy, if they are counted."""
        return None

    def exposed(self) -> dict[str, list[dict[str, Json]]] | None:
        """Return each bet's expectation when one card is known before betting."""
        return None

    def round_results(self, stakes: Mapping[str, int]) -> RoundResults | None:  # noqa: ARG002
        """Return the results of a seat with these stakes in a round; None if not computed."""
        return None

    def job(self, seed: int) -> Job | None:  # noqa: ARG002
        """Return the simulation that confirms the figures; None if they are confirmed already."""
        return None


def analyze(
    game: Game,
    rules: Rules,
    *,
    worth: bool = False,
    progress: Callable[[float], object] = lambda _: None,
) -> Analysis:
    """Return the figures of *game* under *rules*, and report the share of work done to *progress*.

    With *worth*, a game that needs a solver is solved again with each rule changed, which takes
    longer. Otherwise the worth of each rule comes from the solutions that ship with the package.
    """
    part: FiguresPart = game.part("figures")
    return part.analyze(rules, worth=worth, progress=progress)


def games_where(is_so: Callable[[FiguresPart], bool]) -> list[str]:
    """Return the keys of the games whose ``figures`` part fulfills a condition."""
    parts = {key: game.part("figures") for key, game in GAMES.items() if game.has_part("figures")}
    return [key for key, part in parts.items() if is_so(part)]


def sensitivity(rules: Rules) -> list[Sensitivity]:
    """Return every bet's expectation for each combination of the settings that affect it."""
    part: FiguresPart = rules.game.part("figures")
    return part.sensitivity(rules)
