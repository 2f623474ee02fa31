"""The ``Game`` of Toss One 21."""

from __future__ import annotations

from types import MappingProxyType

from pitboss.core.cards import BLACKJACK
from pitboss.core.protocol import BetSpec, Game
from pitboss.games.toss_one.round import (
    Bet,
    Round,
    read_decision,
)
from pitboss.games.toss_one.rules import (
    CLAUSES,
    PRESETS,
    Rules,
)

GAME = Game(
    key="toss-one-21",
    name="Toss One 21",
    summary="four cards, toss one, the best three-card total wins; side bets Lucky 3 and Bonus 4",
    stakes=MappingProxyType({"main": "Main", "lucky3": "Lucky 3", "bonus4": "Bonus 4"}),
    bets=(
        BetSpec(
            key="main",
            title="Main",
            stake="main",
            figures="main",
            usual_stake=1000,
            is_mandatory=True,
            has_hand=True,
        ),
        BetSpec(
            key="lucky3",
            title="Lucky 3",
            stake="lucky3",
            figures="lucky3",
            paytable="lucky3_paytable",
            usual_stake=500,
            is_side_bet=True,
        ),
        BetSpec(
            key="bonus4",
            title="Bonus 4",
            stake="bonus4",
            figures="bonus4",
            paytable="bonus4_paytable",
            usual_stake=500,
            is_side_bet=True,
        ),
    ),
    clauses=CLAUSES,
    rules=Rules,
    presets=PRESETS,
    start=Round,
    bet=Bet,
    decision=read_decision,
    bust_above=BLACKJACK,
    package=__package__,
)
"""Toss One 21, as the generic packages use it."""
