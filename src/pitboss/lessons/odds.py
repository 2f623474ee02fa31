"""The odds of any rules: every bet with its edge and its outcomes, recomputed at once.

What can be counted is counted. The two blackjack bets of Roll Your Own are priced from a play that
was solved before; while there is none for the rules they are pending.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from importlib.util import find_spec
from math import floor
from typing import TYPE_CHECKING

from pitboss.analysis import KERNELS, NEEDS_KERNELS, roll_your_own, toss_one
from pitboss.analysis.played import as_played, shipped
from pitboss.games import not_there
from pitboss.games import roll_your_own as roll_game
from pitboss.games import toss_one as toss_game

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.analysis.figures import Figures
    from pitboss.analysis.played import Play
    from pitboss.felt import Game
    from pitboss.rules import Json, Rules

__all__ = [
    "BetOdds",
    "Odds",
    "Outcome",
    "price",
]

COUNTED = (toss_game.Rules, roll_game.Rules)
"""The rules that have exact figures."""

PLAYED = {"blackjack": "both blackjack bets", "package": "all three bets"}
"""The bets of Roll Your Own that need a strategy, with their names for people."""

LEAST, MOST = -5, 7
"""Results of a round beyond these are told together."""

BEST_TOSS = "the toss with the best total, of those the best for Lucky 3; before rounding"
BEST_PLAY = (
    "one seat, the best play by its own cards and the up card, no insurance; before rounding. The"
    " edges of the blackjack bets are solved exactly, how their results spread is simulated"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way a bet can end: per unit staked, of a package per unit of one bet."""

    name: str
    pays: str | None
    percent: float
    count: int | None
    returns: float
    net: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BetOdds:
    """The figures of one bet, or of bets that are played together."""

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
    """Every bet of a game under some rules; what is pending is still to be solved."""

    game: Game
    rules: Rules
    assumes: str
    bets: tuple[BetOdds, ...]
    pending: tuple[str, ...] = ()
    missing: str | None = None
    """Why what is not there cannot be solved here."""

    changed: tuple[tuple[str, Json, Json], ...]
    """Settings that differ from their defaults: name, value and default."""

    default: Mapping[str, float]
    """The edge of each bet under the default rules, in percent."""


def price(game: Game, rules: Rules, play: Play | None = None) -> Odds:
    """Return the odds of *rules*; Roll Your Own's with their *play*, if it has been solved."""
    known = play or known_play(rules)
    changed = tuple(_changed(rules))
    if not isinstance(rules, COUNTED):
        why = str(not_there("exact figures", rules))
        return Odds(
            game=game, rules=rules, assumes="", bets=(), missing=why, changed=changed, default={}
        )
    waits = isinstance(rules, roll_game.Rules) and known is None
    able = can_solve()
    return Odds(
        game=game,
        rules=rules,
        assumes=BEST_TOSS if isinstance(rules, toss_game.Rules) else BEST_PLAY,
        bets=_priced(rules, known),
        pending=tuple(PLAYED) if waits and able else (),
        missing=NEEDS_KERNELS if waits and not able else None,
        changed=changed,
        default=_edges(game.rules()),
    )


def known_play(rules: Rules) -> Play | None:
    """Return the play that comes with the package, if it is that of these rules."""
    if not isinstance(rules, roll_game.Rules):
        return None
    return shipped().get(as_played(rules))


@cache
def can_solve() -> bool:
    """Say whether what the solver needs is installed."""
    return all(find_spec(name) for name in KERNELS)


def _changed(rules: Rules) -> list[tuple[str, Json, Json]]:
    plain = type(rules)().as_json()
    values = rules.as_json()
    return [(name, values[name], plain[name]) for name in plain if values[name] != plain[name]]


@cache
def _edges(rules: Rules) -> dict[str, float]:
    return {bet.bet: bet.edge_percent for bet in _priced(rules, known_play(rules))}


@lru_cache(maxsize=512)
def _counted(rules: Rules) -> tuple[BetOdds, ...]:
    if isinstance(rules, toss_game.Rules):
        names = toss_game.GAME.stakes
        found = toss_one.figures(rules)
        return tuple(_of_figures(names[bet], figures) for bet, figures in found.items())
    if isinstance(rules, roll_game.Rules):
        return (_of_figures("Bonus", roll_your_own.figures(rules)),)
    raise not_there("exact figures", rules)


def _priced(rules: Rules, play: Play | None) -> tuple[BetOdds, ...]:
    counted = _counted(rules)
    if not isinstance(rules, roll_game.Rules) or play is None:
        return counted
    bonus = roll_your_own.figures(rules)
    return (*counted, _of_play("blackjack", play), _of_play("package", play, bonus))


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


def _of_play(bet: str, play: Play, bonus: Figures | None = None) -> BetOdds:
    return BetOdds(
        bet=bet,
        name=PLAYED[bet],
        stake=roll_game.GAME.units[bet],
        ev=play.ev + float(bonus.ev if bonus else 0),
        std_dev=play.std_dev(bonus),
        hit_percent=100 * play.share(lambda net: net > 0, bonus).value,
        outcomes=tuple(_grouped(play.results(bonus))),
    )


def _grouped(results: Mapping[Fraction, float]) -> list[Outcome]:
    """Return the results of a round by whole units, those between two of them together."""
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
