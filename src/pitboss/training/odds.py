"""The odds under any rules: the edge and outcomes of every bet.

Bets without decisions are counted exactly. Bets that need a strategy are priced from the play that
the solver found for the rules. Until that play is solved, these bets are pending.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from importlib.util import find_spec
from math import floor
from typing import TYPE_CHECKING, Any, Protocol

from pitboss.core.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.analysis.figures import Figures
    from pitboss.analysis.parts import FiguresPart
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules

__all__ = [
    "BetOdds",
    "Odds",
    "Outcome",
    "price",
]

LEAST, MOST = -5, 7
"""Results of at most LEAST units form one group, results of at least MOST units another."""


class PlayedBet(Protocol):
    """The results of bets that need a strategy, per unit of one bet."""

    @property
    def bet(self) -> str:
        """The name that identifies the bets, such as ``package``."""

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def ev(self) -> float:
        """The expectation of a round."""

    @property
    def std_dev(self) -> float:
        """The standard deviation of a round."""

    @property
    def ahead(self) -> float:
        """The share of rounds that end ahead."""

    @property
    def results(self) -> Mapping[Fraction, float]:
        """The chance of each result of a round."""


class PresolvedPart(Protocol):
    """The ``presolved`` part of a game with bets that need a strategy."""

    KERNELS: set[str]  # the libraries that the solver needs
    NEEDS_KERNELS: str  # the error message if they are missing
    PLAYED: Mapping[str, str]  # the bets that need a strategy, with their display names

    def known_play(self, rules: Any) -> Any | None:  # noqa: ANN401
        """Return the play for *rules* if it ships with the package."""

    def played_bets(self, rules: Any, play: Any) -> tuple[PlayedBet, ...]:  # noqa: ANN401
        """Return the results of the bets that need a strategy, priced under *rules*."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A possible outcome, per unit staked; for a package, per unit of one bet."""

    name: str
    pays: str | None
    percent: float
    count: int | None
    returns: float
    net: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BetOdds:
    """The figures of one bet, or of several bets played together."""

    bet: str
    name: str
    stake: int
    """Units staked in a round."""

    ev: float
    """The expectation of a round, in units of one bet."""

    exact: str | None = None
    std_dev: float
    hit_percent: float
    outcomes: tuple[Outcome, ...]

    @property
    def edge_percent(self) -> float:
        """The house edge, per unit staked."""
        return -100 * self.ev / self.stake


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """The odds of every bet of a game under some rules; pending bets are not solved yet."""

    game: Game
    rules: Rules
    assumes: str
    bets: tuple[BetOdds, ...]
    pending: tuple[str, ...] = ()
    missing: str | None = None
    """The reason why missing bets cannot be solved here."""

    changed: tuple[tuple[str, Json, Json], ...]
    """Settings that differ from their defaults: name, value and default."""

    default: Mapping[str, float]
    """The edge of each bet under the default rules, in percent."""


def price(game: Game, rules: Rules, play: object | None = None) -> Odds:
    """Return the odds under *rules*; *play* is the solved play, if the game needs one."""
    changed = tuple(_changed(rules))
    try:
        part: FiguresPart = game.part("figures")
    except UnsupportedError as error:
        return Odds(
            game=game,
            rules=rules,
            assumes="",
            bets=(),
            missing=str(error),
            changed=changed,
            default={},
        )
    known = play or known_play(rules)
    waiting = _presolved(rules) if known is None else None
    able = can_solve(game)
    return Odds(
        game=game,
        rules=rules,
        assumes=part.ASSUMES,
        bets=_priced(rules, known),
        pending=tuple(waiting.PLAYED) if waiting and able else (),
        missing=waiting.NEEDS_KERNELS if waiting and not able else None,
        changed=changed,
        default=_edges(game.rules()),
    )


def _presolved(rules: Rules) -> PresolvedPart | None:
    """Return the part with the solved plays; None if the game needs no strategy."""
    return rules.game.part("presolved") if rules.game.has_part("presolved") else None


def known_play(rules: Rules) -> Any | None:  # noqa: ANN401 the game's own type
    """Return the play for these rules if it ships with the package."""
    part = _presolved(rules)
    return part.known_play(rules) if part else None


def can_solve(game: Game) -> bool:
    """Return whether the libraries of the game's solver are installed."""
    return game.has_part("presolved") and _are_installed(*game.part("presolved").KERNELS)


@cache
def _are_installed(*names: str) -> bool:
    return all(find_spec(name) for name in names)


def _changed(rules: Rules) -> list[tuple[str, Json, Json]]:
    plain = type(rules)().as_json()
    values = rules.as_json()
    return [(name, values[name], plain[name]) for name in plain if values[name] != plain[name]]


@cache
def _edges(rules: Rules) -> dict[str, float]:
    return {bet.bet: bet.edge_percent for bet in _priced(rules, known_play(rules))}


@lru_cache(maxsize=512)
def _counted(rules: Rules) -> tuple[BetOdds, ...]:
    part: FiguresPart = rules.game.part("figures")
    return tuple(
        _of_figures(rules.game.figures_title(bet), figures)
        for bet, figures in part.figures(rules).items()
    )


def _priced(rules: Rules, play: object | None) -> tuple[BetOdds, ...]:
    """Return the odds of the bets in the order of the layout."""
    part, units = _presolved(rules), rules.game.units
    if part is None or play is None:
        return _counted(rules)
    played = (_of_play(units[bet.bet], bet) for bet in part.played_bets(rules, play))
    return tuple(sorted((*_counted(rules), *played), key=lambda odds: [*units].index(odds.bet)))


def _of_figures(name: str, figures: Figures) -> BetOdds:
    moments = figures.moments
    return BetOdds(
        bet=figures.bet,
        name=name,
        stake=figures.stake,
        ev=float(moments.ev),
        exact=str(moments.ev),
        std_dev=moments.std_dev,
        hit_percent=100 * figures.hit_frequency,
        outcomes=tuple(
            Outcome(
                event.event,
                None if event.odds is None else event.pays,
                100 * event.combinations / figures.total,
                event.combinations,
                float(event.net * event.combinations / figures.total),
                float(event.net),
            )
            for event in figures.events
        ),
    )


def _of_play(stake: int, played: PlayedBet) -> BetOdds:
    return BetOdds(
        bet=played.bet,
        name=played.name,
        stake=stake,
        ev=played.ev,
        std_dev=played.std_dev,
        hit_percent=100 * played.ahead,
        outcomes=tuple(_grouped(played.results)),
    )


def _grouped(results: Mapping[Fraction, float]) -> list[Outcome]:
    """Group the results of a round by whole units; results between two units form one group."""
    groups: dict[Fraction, list[tuple[Fraction, float]]] = {}
    for net, p in results.items():
        near = min(max(net, Fraction(LEAST)), Fraction(MOST))
        key = near if near.denominator == 1 else floor(near) + Fraction(1, 2)
        groups.setdefault(key, []).append((net, p))
    found = []
    for key in sorted(groups):
        chance = sum(p for _, p in groups[key])
        won = sum(float(net) * p for net, p in groups[key])
        found.append(
            Outcome(_result(key), None, 100 * chance, None, won, won / chance if chance else 0.0)
        )
    return found


def _result(key: Fraction) -> str:
    """Name a result of a round in units of one bet."""
    if key == 0:
        return "even"
    verb, size = ("win", key) if key > 0 else ("lose", -key)
    if key in {LEAST, MOST}:
        return f"{verb} {size} or more"
    if size.denominator == 1:
        return f"{verb} {size}"
    low = floor(size)
    return f"{verb} {low} to {low + 1}" if low else f"{verb} less than 1"
