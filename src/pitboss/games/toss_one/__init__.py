"""Toss One 21: four cards each, toss one, the best three-card total wins."""

from pitboss.games.toss_one.game import (
    GAME,
)
from pitboss.games.toss_one.hands import (
    Hand,
    best_hands,
    chosen_hand,
    lucky3,
)
from pitboss.games.toss_one.round import (
    Bet,
    Phase,
    Round,
    Toss,
    play_deal,
    read_decision,
)
from pitboss.games.toss_one.rules import (
    BONUS_4,
    LUCKY_3_TABLE_1,
    LUCKY_3_TABLE_2,
    AceKicker,
    DealerBlackjack,
    Lucky3,
    Outcome,
    Rules,
    TossRule,
)

__all__ = [
    "BONUS_4",
    "GAME",
    "LUCKY_3_TABLE_1",
    "LUCKY_3_TABLE_2",
    "AceKicker",
    "Bet",
    "DealerBlackjack",
    "Hand",
    "Lucky3",
    "Outcome",
    "Phase",
    "Round",
    "Rules",
    "Toss",
    "TossRule",
    "best_hands",
    "chosen_hand",
    "lucky3",
    "play_deal",
    "read_decision",
]
