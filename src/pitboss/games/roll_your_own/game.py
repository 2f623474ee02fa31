"""The ``Game`` of Roll Your Own Blackjack."""

from __future__ import annotations

from types import MappingProxyType

from pitboss.core.cards import BLACKJACK
from pitboss.core.protocol import BetSpec, Game
from pitboss.games.roll_your_own.decisions import Bet, read_decision
from pitboss.games.roll_your_own.round import Round
from pitboss.games.roll_your_own.rules import (
    CLAUSES,
    PRESETS,
    Rules,
)

GAME = Game(
    key="roll-your-own",
    name="Roll Your Own Blackjack",
    summary="three cards set as a two-card and a one-card hand, both played against one dealer;"
    " a mandatory three-card Bonus",
    stakes=MappingProxyType({"bet": "on each of the three bets"}),
    bets=(
        BetSpec(
            key="first",
            title="First",
            stake="bet",
            figures="blackjack",
            figures_title="Blackjack bets",
            usual_stake=1000,
            is_mandatory=True,
            has_hand=True,
        ),
        BetSpec(
            key="second",
            title="Second",
            stake="bet",
            figures="blackjack",
            figures_title="Blackjack bets",
            usual_stake=1000,
            is_mandatory=True,
            has_hand=True,
        ),
        BetSpec(
            key="bonus",
            title="Bonus",
            stake="bet",
            figures="bonus",
            paytable="bonus_paytable",
            usual_stake=1000,
            is_mandatory=True,
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
    strategies=("solver", "card", "mimic", "random", "run-out", "run-out-force"),
)
"""Roll Your Own Blackjack, as the generic packages use it."""
