"""The ``Game`` of blackjack."""

from __future__ import annotations

from types import MappingProxyType

from pitboss.core.cards import BLACKJACK
from pitboss.core.protocol import BetSpec, Game
from pitboss.games.blackjack.decisions import Bet, read_decision
from pitboss.games.blackjack.round import Round
from pitboss.games.blackjack.rules import CLAUSES, PRESETS, Rules

GAME = Game(
    key="blackjack",
    name="Blackjack",
    summary="two cards against the dealer, from one to eight decks; side bets Perfect Pairs, 21+3"
    " and Lucky Ladies",
    stakes=MappingProxyType(
        {
            "main": "Main",
            "perfect_pairs": "Perfect Pairs",
            "21+3": "21+3",
            "lucky_ladies": "Lucky Ladies",
        }
    ),
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
            key="perfect_pairs",
            title="Perfect Pairs",
            stake="perfect_pairs",
            figures="perfect_pairs",
            paytable="perfect_pairs_paytable",
            usual_stake=500,
            is_side_bet=True,
        ),
        BetSpec(
            key="21+3",
            title="21+3",
            stake="21+3",
            figures="21+3",
            paytable="plus_three_paytable",
            usual_stake=500,
            is_side_bet=True,
        ),
        BetSpec(
            key="lucky_ladies",
            title="Lucky Ladies",
            stake="lucky_ladies",
            figures="lucky_ladies",
            paytable="lucky_ladies_paytable",
            usual_stake=500,
            is_side_bet=True,
        ),
        BetSpec(key="insurance", title="Insurance", stake=None),
    ),
    clauses=CLAUSES,
    rules=Rules,
    presets=PRESETS,
    start=Round,
    bet=Bet.of,
    decision=read_decision,
    bust_above=BLACKJACK,
    package=__package__,
    strategies=("solver", "card", "mimic", "never-bust", "random"),
)
"""Blackjack, as the generic packages use it."""
