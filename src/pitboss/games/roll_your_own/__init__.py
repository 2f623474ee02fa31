"""Roll Your Own Blackjack: three cards set as two hands, both played against one dealer."""

from pitboss.core.twenty_one import Double, Hit, Insure, Soft17, Split, Stand
from pitboss.games.roll_your_own.decisions import (
    Bet,
    SetHands,
    read_decision,
)
from pitboss.games.roll_your_own.game import (
    GAME,
)
from pitboss.games.roll_your_own.round import (
    Phase,
    Round,
)
from pitboss.games.roll_your_own.rules import (
    SHEET,
    Bonus,
    HoleCard,
    Insurance,
    OneCard,
    Outcome,
    Rules,
    RunOut,
    poker_class,
)

__all__ = [
    "GAME",
    "SHEET",
    "Bet",
    "Bonus",
    "Double",
    "Hit",
    "HoleCard",
    "Insurance",
    "Insure",
    "OneCard",
    "Outcome",
    "Phase",
    "Round",
    "Rules",
    "RunOut",
    "SetHands",
    "Soft17",
    "Split",
    "Stand",
    "poker_class",
    "read_decision",
]
