"""The conditions under which the figures of a bet hold: clauses that complete "hold if ..."."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games import toss_one as toss_game

if TYPE_CHECKING:
    from pitboss.rules import Rules

BLIND = "no card is known before the bets are made"
EXACT = "winnings are not rounded"
KEPT = {
    toss_game.TossRule.MUST_BE_BEST: "the player keeps the best total, as the rules require",
    toss_game.TossRule.FREE: "the player keeps the best total",
}
LUCKY = "between equal tosses, the player chooses the one that Lucky 3 pays most"
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


def conditions(rules: Rules) -> dict[str, list[str]]:
    """Return the conditions of every bet, and of the package."""
    if isinstance(rules, toss_game.Rules):
        every, kept = [_shuffled(rules.decks), BLIND, EXACT], KEPT[rules.toss]
        return {
            "main": [*every, kept],
            "lucky3": [*every, kept, LUCKY],
            "bonus4": every,
            "package": [*every, kept, LUCKY],
        }
    every = [_shuffled(1), BLIND, EXACT]
    return {"bonus": every, "blackjack": [*every, *PLAYED], "package": [*every, *PLAYED]}


def shared(found: dict[str, list[str]]) -> list[str]:
    """Return the conditions that all bets share."""
    first, *others = found.values()
    return [clause for clause in first if all(clause in other for other in others)]


def _shuffled(decks: int) -> str:
    if decks == 1:
        return "the deck is shuffled before every round"
    return (
        f"all {decks} decks are shuffled before every round: a shoe dealt to a cut card has"
        " different figures"
    )
