"""The figures of Roll Your Own Blackjack: the Bonus counted, the blackjack bets solved.

``bonus_figures`` counts the Bonus, ``study`` solves and simulates the blackjack bets (with Numba),
``presolved`` loads the games that ship solved, ``trials`` loads the simulated teams of rule 8, and
``rules_worth`` compares the game under other rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitboss.analysis.conditions import usual
from pitboss.analysis.parts import Analysis, RoundResults
from pitboss.core.errors import SettingError
from pitboss.games.roll_your_own import bonus_figures, rules_worth, trials
from pitboss.games.roll_your_own.game import GAME
from pitboss.games.roll_your_own.presolved import KERNELS, NEEDS_KERNELS, presolved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from pitboss.analysis.figures import Figures
    from pitboss.analysis.parts import BetFigures, Sensitivity
    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.games.roll_your_own.rules_worth import Worth
    from pitboss.games.roll_your_own.study import Study

NOT_USED = (
    "no other card: not the packs of other seats, which lie face up, and not the other hand (memory"
    " none)"
)
PLAYED = (
    "the player is alone at the table: with other seats the deck can run out (rule 8)",
    f"the player uses their own three cards, the up card and the hand being played, and {NOT_USED}",
    "the player sets and plays the hands with the best strategy of this kind",
    "the player does not insure",
)
"""The conditions of the bets that need a strategy."""

SOLVES = True
SIMULATES = False  # the trials that ship with the package confirm them already
ASSUMES = (
    "one seat, the best play by its own cards and the up card, no insurance; before rounding. The"
    " edges of the blackjack bets are solved exactly, how their results spread is simulated"
)


def figures(rules: Rules) -> dict[str, Figures]:
    """Return the figures of the Bonus, the one bet that can be counted."""
    return {"bonus": bonus_figures.figures(rules)}


def conditions(rules: Rules) -> dict[str, list[str]]:  # noqa: ARG001  the same under all rules
    """Return the conditions of every bet, and of the package."""
    every = usual(decks=1)
    return {"bonus": every, "blackjack": [*every, *PLAYED], "package": [*every, *PLAYED]}


def sensitivity(rules: Rules) -> list[Sensitivity]:  # noqa: ARG001
    """Return nothing: ``rules_worth`` gives the value of each rule instead."""
    return []


def analyze(
    rules: Rules,
    *,
    worth: bool = False,
    progress: Callable[[float], object] = lambda _: None,
) -> RollYourOwnAnalysis:
    """Return the figures of every bet; without Numba, those of the Bonus alone."""
    try:
        from pitboss.games.roll_your_own import study as solving
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in KERNELS:
            raise
        return bonus_alone(rules)
    bonus, switched = bonus_figures.figures(rules), list(rules_worth.alternatives(rules))
    others = [other for _, other in switched] if worth else []
    study = solving.study(rules, bonus, progress, others=others)

    def known(wanted: Rules) -> float | None:
        if worth:
            return solving.solved(wanted)
        shipped = presolved(wanted)
        return study.game.ev if shipped is None and wanted == rules else shipped

    rows = rules_worth.rules_worth(rules, switched, float(bonus.ev), known)
    bets: dict[str, BetFigures | None] = {
        "bonus": bonus,
        "blackjack": study.blackjack,
        "package": study.package,
    }
    return RollYourOwnAnalysis(GAME, rules, bets, study=study, worth=rows)


def bonus_alone(rules: Rules) -> RollYourOwnAnalysis:
    """Return the figures that need no solver."""
    bonus, switched = bonus_figures.figures(rules), list(rules_worth.alternatives(rules))
    rows = rules_worth.rules_worth(rules, switched, float(bonus.ev), presolved)
    bets = {"bonus": bonus, "blackjack": None, "package": None}
    return RollYourOwnAnalysis(GAME, rules, bets, NEEDS_KERNELS, worth=rows)


@dataclass(frozen=True)
class RollYourOwnAnalysis(Analysis):
    """The figures of Roll Your Own Blackjack."""

    study: Study | None = None
    """The game solved and simulated; None if Numba is not installed."""

    worth: list[Worth] | None = None
    """The value of each rule; figures of games that are not solved are None."""

    def more_json(self) -> dict[str, Json]:
        return {
            "rules_worth": self.worth and [row.as_json() for row in self.worth],
            "bonus_tables": [table.as_json() for table in self.tables()],
            "rule_8": self.rule_8(),
        }

    def tables(self) -> list[bonus_figures.Table]:
        """Return the edge for each Bonus pay table."""
        ev = self.study.game.ev if self.study else presolved(self.rules)
        return bonus_figures.tables(self.rules, ev)

    def rule_8(self) -> dict[str, Json]:
        """Return the figures of whole tables, where a team can run out the deck."""
        return trials.rule_8(self.rules, float(self.counted["bonus"].ev))

    def expected(self, bet: str, rules: Rules) -> Fraction | float:  # type: ignore[override]
        bonus = bonus_figures.figures(rules).ev
        if bet != "package":
            return bonus
        if self.study is None:
            raise SettingError(f"the edge of the package is not computed: {NEEDS_KERNELS}")
        return bonus + self.study.game.ev

    def exposed(self) -> dict[str, list[dict[str, Json]]] | None:
        return self.study.exposed() if self.study else None

    def round_results(self, stakes: Mapping[str, int]) -> RoundResults | None:
        if not self.study:
            return None
        bet, package = stakes["bet"], self.study.package
        chances: dict[int, float] = {}
        for net, chance in self.study.results().items():
            chances[round(bet * net)] = chances.get(round(bet * net), 0) + chance
        return RoundResults(bet * package.ev, bet * package.std_dev.value, chances)
