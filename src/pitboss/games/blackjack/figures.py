"""The figures of blackjack: the side bets counted, Main solved.

``side_bet_figures`` counts the side bets, ``study`` solves and simulates Main (with Numba),
``presolved`` loads the games that ship solved, and ``rules_worth`` compares the game under other
rules.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pitboss.analysis.conditions import usual
from pitboss.analysis.parts import Analysis, RoundResults, Sensitivity
from pitboss.games.blackjack import rules_worth, side_bet_figures
from pitboss.games.blackjack.game import GAME
from pitboss.games.blackjack.presolved import KERNELS, NEEDS_KERNELS, presolved
from pitboss.games.blackjack.side_bets import LUCKY_LADIES, PERFECT_PAIRS, PLUS_THREE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pitboss.analysis.figures import Figures
    from pitboss.analysis.parts import BetFigures
    from pitboss.core.settings import Json
    from pitboss.games.blackjack.rules import Rules
    from pitboss.games.blackjack.rules_worth import Worth
    from pitboss.games.blackjack.study import Study

PLAYED = (
    "the player is alone at the table and uses their own cards and the up card, but no other card",
    "the player plays the hands with the best strategy of this kind (composition-dependent play)",
    "the hands of a split are played without using the cards of the other hands",
    "the player does not insure",
)
"""The conditions of Main."""

ASSUMES = (
    "one seat, the best play by its own cards and the up card, no insurance; before rounding. The"
    " edge of Main is solved exactly, how its results spread is simulated"
)

SOLVES, SIMULATES = True, False


def figures(rules: Rules) -> dict[str, Figures]:
    """Return the figures of the side bets, which can be counted."""
    return side_bet_figures.figures(rules)


def conditions(rules: Rules) -> dict[str, list[str]]:
    """Return the conditions of every bet, and of the package."""
    every = usual(rules.decks)
    played = [*every, *PLAYED]
    return {"main": played, **dict.fromkeys(figures(rules), every), "package": played}


# --- other settings

PAYTABLES = {
    "perfect_pairs": ("perfect_pairs_paytable", PERFECT_PAIRS),
    "21+3": ("plus_three_paytable", PLUS_THREE),
    "lucky_ladies": ("lucky_ladies_paytable", LUCKY_LADIES),
}
"""The pay table setting and the published pay tables of each side bet."""


def sensitivity(rules: Rules, decks: range = range(1, 9)) -> list[Sensitivity]:
    """Return the expectation of every side bet for each pay table and number of decks."""
    return [
        Sensitivity(bet, other, (setting, "decks"), figures(other)[bet].ev)
        for bet, (setting, tables) in PAYTABLES.items()
        for table in dict.fromkeys((*tables.values(), getattr(rules, setting)))
        for other in _by_decks(rules, setting, table, decks)
    ]


def _by_decks(rules: Rules, setting: str, table: object, decks: range) -> Iterator[Rules]:
    for number in decks:
        yield replace(rules, **{setting: table, "decks": number})  # type: ignore[arg-type]


# --- the analysis


def analyze(
    rules: Rules,
    *,
    worth: bool = False,
    progress: Callable[[float], object] = lambda _: None,
) -> BlackjackAnalysis:
    """Return the figures of every bet; without Numba, those of the side bets alone."""
    try:
        from pitboss.games.blackjack import study as solving
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in KERNELS:
            raise
        return side_bets_alone(rules)
    share = 0.2 if worth else 1.0
    found = solving.study(rules, lambda done: progress(share * done))
    switched = list(rules_worth.alternatives(rules))
    solved = 0

    def value(wanted: Rules) -> float | None:
        nonlocal solved
        solved += 1
        progress(min(1.0, share + (1 - share) * solved / len(switched)))
        shipped = presolved(wanted)
        return solving.solved(wanted) if worth and shipped is None else shipped

    def known(wanted: Rules) -> float | None:
        return found.game.ev if wanted == rules else value(wanted)

    rows = rules_worth.rules_worth(rules, switched, known)
    bets: dict[str, BetFigures | None] = {"main": found.main, **found.sides}
    return BlackjackAnalysis(GAME, rules, bets, study=found, worth=rows)


def side_bets_alone(rules: Rules) -> BlackjackAnalysis:
    """Return the figures that need no solver."""
    rows = rules_worth.rules_worth(rules, list(rules_worth.alternatives(rules)), presolved)
    bets: dict[str, BetFigures | None] = {"main": None, **figures(rules)}
    return BlackjackAnalysis(GAME, rules, bets, NEEDS_KERNELS, worth=rows)


@dataclass(frozen=True)
class BlackjackAnalysis(Analysis):
    """The figures of blackjack."""

    study: Study | None = None
    """The game solved and simulated; None if Numba is not installed."""

    worth: list[Worth] | None = None
    """The value of each rule; figures of games that are not solved are None."""

    def more_json(self) -> dict[str, Json]:
        return {
            "package": self.study.package() if self.study else None,
            "rules_worth": self.worth and [row.as_json() for row in self.worth],
            "sensitivity": [row.as_json() for row in sensitivity(self.rules)],
        }

    def exposed(self) -> dict[str, list[dict[str, Json]]] | None:
        return self.study.exposed() if self.study else None

    def round_results(self, stakes: Mapping[str, int]) -> RoundResults | None:
        if not self.study:
            return None
        row = [stakes[bet] for bet in GAME.stakes]
        spread = self.study.variance(row)
        means = (self.study.game.ev, *(float(f.ev) for f in self.study.sides.values()))
        ev = sum(stake * mean for stake, mean in zip(row, means, strict=True))
        return RoundResults(ev, spread**0.5, self.study.results(stakes))
