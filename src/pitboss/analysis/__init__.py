"""Figures of every bet: counted once, then priced for any rules and pay tables.

What cannot be counted, the bets of Roll Your Own that are played, the solver works out exactly, and
a trial gives what that leaves open, marked as such. A side bet of one's own is counted by one
function and priced by another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from pitboss.analysis import design, roll_your_own, teams, toss_one
from pitboss.analysis.conditions import conditions
from pitboss.analysis.figures import Event, Figures
from pitboss.analysis.played import presolved
from pitboss.analysis.side_bets import count_deals, price
from pitboss.analysis.worth import alternatives, rules_worth
from pitboss.errors import SettingError
from pitboss.games import not_there
from pitboss.games import roll_your_own as roll_game
from pitboss.games import toss_one as toss_game
from pitboss.paytables import Odds

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.analysis.blackjack import Played, Study
    from pitboss.analysis.worth import Worth
    from pitboss.felt import Game
    from pitboss.rules import Json, Rules

__all__ = [
    "Analysis",
    "Event",
    "Figures",
    "Sensitivity",
    "analyze",
    "count_deals",
    "price",
    "roll_your_own",
    "sensitivity",
    "toss_one",
]


@dataclass(frozen=True)
class Analysis:
    """The figures of every bet of a game; nothing where a bet is not computed."""

    game: Game
    rules: Any  # the game's own Rules
    bets: dict[str, Figures | Played | None]
    study: Study | None = None
    """Roll Your Own as it is played, where Numba is installed."""

    worth: list[Worth] | None = None
    """The worth of each rule of Roll Your Own; figures of games that are not solved are None."""

    def as_json(self) -> dict[str, Json]:
        body = {
            "game": self.game.key,
            "rules": self.rules.as_json(),
            "bets": {bet: f and f.as_json() for bet, f in self.bets.items()},
            "conditions": conditions(self.rules),
        }
        if isinstance(self.rules, toss_game.Rules):
            body["package"] = package_json(self.rules)
            body["sensitivity"] = [row.as_json() for row in sensitivity(self.rules)]
        else:
            body["rules_worth"] = self.worth and [row.as_json() for row in self.worth]
            body["bonus_tables"] = [table.as_json() for table in self.tables()]
            body["rule_8"] = teams.rule_8(self.rules, float(self.counted["bonus"].ev))
        return body

    @property
    def counted(self) -> dict[str, Figures]:
        """The bets that are counted, combination by combination."""
        return {bet: f for bet, f in self.bets.items() if isinstance(f, Figures)}

    def tables(self) -> list[roll_your_own.Table]:
        """Return which Bonus pay table gives which edge."""
        ev = self.study.game.ev if self.study else presolved(self.rules)
        return roll_your_own.tables(self.rules, ev)

    def changes(self, bet: str, target: Fraction) -> list[design.Change]:
        """Return which line of a pay table, changed, brings the bet's edge nearest *target*."""
        if bet == "package" and self.study is None and "package" in self.bets:
            raise SettingError(f"no edge of the package to design for: {NEEDS_KERNELS}")
        played = self.study.game.ev if self.study and bet == "package" else 0

        def expected(rules: Any) -> Fraction | float:  # noqa: ANN401  the game's own Rules
            return _counted(rules)[PRICED.get(bet, bet)].ev + played

        return design.changes(self.rules, bet, target, expected, self.game.units.get(bet, 1))


PRICED = {"package": "bonus"}
"""The counted bet whose pay table is the package's to change."""

NEEDS_KERNELS = "the blackjack bets need pip install 'pitboss[kernels]'"
"""What is said where a bet is not computed."""


def analyze(
    game: Game,
    rules: Rules,
    *,
    worth: bool = False,
    progress: Callable[[float], object] = lambda _: None,
) -> Analysis:
    """Return the figures of *game* under *rules*, and report the share of work done to *progress*.

    With *worth*, Roll Your Own is solved again with each rule switched, which takes longer.
    Without it, the worth of each rule comes from the solved games that ship with the package.
    """
    counted = _counted(rules)
    if isinstance(rules, toss_game.Rules):
        return Analysis(game, rules, {**counted})
    assert isinstance(rules, roll_game.Rules)  # noqa: S101  the others are not counted
    switched, bonus = list(alternatives(rules)), counted["bonus"]
    try:
        from pitboss.analysis import blackjack
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in KERNELS:
            raise
        rows = rules_worth(rules, switched, float(bonus.ev), presolved)
        return Analysis(game, rules, {**counted, "blackjack": None, "package": None}, worth=rows)
    others = [other for _, other in switched] if worth else []
    study = blackjack.study(rules, bonus, progress, others=others)
    played = {"blackjack": study.blackjack, "package": study.package}

    def known(wanted: roll_game.Rules) -> float | None:
        if worth:
            return blackjack.solved(wanted)
        shipped = presolved(wanted)
        return study.game.ev if shipped is None and wanted == rules else shipped

    rows = rules_worth(rules, switched, float(bonus.ev), known)
    return Analysis(game, rules, {**counted, **played}, study, rows)


KERNELS = {"numba", "numpy", "platformdirs"}
"""What the solver needs beyond the core."""


def _counted(rules: Rules) -> dict[str, Figures]:
    if isinstance(rules, toss_game.Rules):
        return toss_one.figures(rules)
    if isinstance(rules, roll_game.Rules):
        return {"bonus": roll_your_own.figures(rules)}
    raise not_there("exact figures", rules)


def package_json(rules: toss_game.Rules) -> dict[str, Json]:
    """Return the figures of the three bets of one seat together, one unit on each."""
    package = toss_one.package(rules)
    together = package.moments()
    pairs = [(0, 1), (0, 2), (1, 2)]
    stake = toss_game.GAME.units["package"]
    return {
        "stake": stake,
        "ev": str(together.ev),
        "house_edge": -float(together.ev) / stake,
        "std_dev": together.std_dev,
        "skewness": together.skewness,
        "correlations": {
            f"{toss_one.BETS[i]}, {toss_one.BETS[j]}": package.correlation(i, j) for i, j in pairs
        },
    }


DECIDED_BY = {
    "main": ("blackjack_pays", "dealer_blackjack", "ace_kicker", "decks"),
    "lucky3": ("lucky3_paytable", "decks"),
    "bonus4": ("bonus4_paytable", "decks"),
    "package": ("decks",),
}
"""The settings that are varied for each bet of Toss One 21; the others stay as they are."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The expectation of a bet under one combination of the settings that decide it."""

    bet: str
    rules: toss_game.Rules
    ev: Fraction
    """With one unit on the bet; for the package, with one unit on each of its bets."""

    @property
    def stake(self) -> int:
        """The number of units staked."""
        return toss_game.GAME.units[self.bet]

    @property
    def house_edge(self) -> float:
        """The house edge per unit staked."""
        return -float(self.ev / self.stake)

    def as_json(self) -> dict[str, Json]:
        values = self.rules.as_json()
        return {
            "bet": self.bet,
            **{name: values[name] for name in DECIDED_BY[self.bet]},
            "stake": self.stake,
            "ev": str(self.ev),
            "house_edge": self.house_edge,
        }


def sensitivity(rules: toss_game.Rules, decks: range = range(1, 9)) -> list[Sensitivity]:
    """Return every bet's expectation for each combination of the settings that decide it."""
    return [
        Sensitivity(bet, of, _expected(bet, of))
        for bet, varied in _varied(rules).items()
        for of in (replace(other, decks=n) for other in varied for n in decks)
    ]


def _varied(rules: toss_game.Rules) -> dict[str, list[toss_game.Rules]]:
    """Return the rules to compute each bet for, all with the same number of decks."""
    pays = sorted(
        {Odds(3, 2), Odds(6, 5), rules.blackjack_pays}, key=lambda o: o.on(1), reverse=True
    )
    lucky3 = (toss_game.LUCKY_3_TABLE_1, toss_game.LUCKY_3_TABLE_2, rules.lucky3_paytable)
    bonus4 = (toss_game.BONUS_4, rules.bonus4_paytable)
    return {
        "main": [
            replace(rules, blackjack_pays=odds, dealer_blackjack=reading, ace_kicker=kicker)
            for odds, reading, kicker in product(
                pays, toss_game.DealerBlackjack, toss_game.AceKicker
            )
        ],
        "lucky3": [replace(rules, lucky3_paytable=table) for table in dict.fromkeys(lucky3)],
        "bonus4": [replace(rules, bonus4_paytable=table) for table in dict.fromkeys(bonus4)],
        "package": [rules],
    }


def _expected(bet: str, rules: toss_game.Rules) -> Fraction:
    of = toss_one.census(rules.decks)
    bets = toss_one.BETS if bet == "package" else (bet,)
    return sum((toss_one.PRICES[name](rules, of).ev for name in bets), Fraction())
