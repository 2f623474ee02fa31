"""Exact figures of every bet: counted once, then priced for any rules and pay tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from pitboss.analysis import design, roll_your_own, toss_one
from pitboss.games import roll_your_own as roll_game
from pitboss.games import toss_one as toss_game
from pitboss.paytables import Odds

if TYPE_CHECKING:
    from fractions import Fraction

    from pitboss.analysis.figures import Figures
    from pitboss.felt import Game
    from pitboss.rules import Json, Rules

__all__ = [
    "Analysis",
    "Sensitivity",
    "analyze",
    "design",
    "package_json",
    "roll_your_own",
    "sensitivity",
    "toss_one",
]


@dataclass(frozen=True)
class Analysis:
    """The figures of every bet of a game; nothing where a bet is not computed."""

    game: Game
    rules: Any  # the game's own Rules
    bets: dict[str, Figures | None]

    def as_json(self) -> dict[str, Json]:
        body = {
            "game": self.game.key,
            "rules": self.rules.as_json(),
            "bets": {bet: f and f.as_json() for bet, f in self.bets.items()},
        }
        if isinstance(self.rules, toss_game.Rules):
            body["package"] = package_json(self.rules)
            body["sensitivity"] = [row.as_json() for row in sensitivity(self.rules)]
        return body

    def changes(self, bet: str, target: Fraction) -> list[design.Change]:
        """Return which line of a pay table, changed, brings the bet's edge nearest *target*."""

        def price(rules: Any) -> Figures:  # noqa: ANN401  the game's own Rules
            figures = _bets(rules)[bet]
            assert figures is not None  # noqa: S101  every pay table's bet is counted
            return figures

        return design.changes(self.rules, bet, target, price)


def analyze(game: Game, rules: Rules) -> Analysis:
    """Return the exact figures of *game* under *rules*."""
    return Analysis(game, rules, _bets(rules))


def _bets(rules: Rules) -> dict[str, Figures | None]:
    if isinstance(rules, toss_game.Rules):
        return {**toss_one.figures(rules)}
    assert isinstance(rules, roll_game.Rules)  # noqa: S101  there are two games
    return roll_your_own.figures(rules)


def package_json(rules: toss_game.Rules) -> dict[str, Json]:
    """Return the figures of the three bets of one seat together, one unit on each."""
    package = toss_one.package(rules)
    together = package.moments()
    pairs = [(0, 1), (0, 2), (1, 2)]
    return {
        "stake": len(toss_one.BETS),
        "ev": str(together.ev),
        "house_edge": -float(together.ev) / len(toss_one.BETS),
        "std_dev": together.std_dev,
        "skewness": together.skewness,
        "correlations": {
            f"{toss_one.BETS[i]}, {toss_one.BETS[j]}": package.correlation(i, j) for i, j in pairs
        },
    }


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Main's expectation under one combination of the settings that decide it."""

    rules: toss_game.Rules
    ev: Fraction

    def as_json(self) -> dict[str, Json]:
        shown = ("blackjack_pays", "dealer_blackjack", "ace_kicker", "decks")
        values = self.rules.as_json()
        return {name: values[name] for name in shown} | {
            "ev": str(self.ev),
            "house_edge": -float(self.ev),
        }


def sensitivity(rules: toss_game.Rules, decks: range = range(1, 9)) -> list[Sensitivity]:
    """Return Main's figures over blackjack pay, dealer's blackjack, ace kicker and decks."""
    pays = sorted(
        {Odds(3, 2), Odds(6, 5), rules.blackjack_pays}, key=lambda o: o.on(1), reverse=True
    )
    rows = product(pays, toss_game.DealerBlackjack, toss_game.AceKicker, decks)
    varied = [
        replace(rules, blackjack_pays=odds, dealer_blackjack=reading, ace_kicker=kicker, decks=n)
        for odds, reading, kicker, n in rows
    ]
    return [Sensitivity(r, toss_one.main_figures(r, toss_one.census(r.decks)).ev) for r in varied]
