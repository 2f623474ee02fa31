"""The conditions under which the figures of a bet hold: clauses that complete "hold if ..."."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pitboss.analysis.parts import FiguresPart
    from pitboss.core.settings import Rules

BLIND = "no card is known before the bets are made"
EXACT = "winnings are not rounded"


def conditions(rules: Rules) -> dict[str, list[str]]:
    """Return the conditions of every bet, and of the package."""
    part: FiguresPart = rules.game.part("figures")
    return part.conditions(rules)


def shared(found: dict[str, list[str]]) -> list[str]:
    """Return the conditions that all bets share."""
    first, *others = found.values()
    return [clause for clause in first if all(clause in other for other in others)]


def usual(decks: int) -> list[str]:
    """Return the conditions of every exact figure of a game that shuffles before every round."""
    return [_shuffled(decks), BLIND, EXACT]


def _shuffled(decks: int) -> str:
    if decks == 1:
        return "the deck is shuffled before every round"
    return (
        f"all {decks} decks are shuffled before every round: a shoe dealt to a cut card has"
        " different figures"
    )
