"""Blackjack: two cards against the dealer, from one to eight decks."""

from pitboss.core.twenty_one import Double, Hit, Insure, Soft17, Split, Stand
from pitboss.games.blackjack.decisions import Bet, Surrender, read_decision
from pitboss.games.blackjack.game import GAME
from pitboss.games.blackjack.round import Phase, Round
from pitboss.games.blackjack.rules import DoubleOn, HoleCard, Outcome, Rules, SurrenderRule
from pitboss.games.blackjack.side_bets import (
    LuckyLadies,
    PerfectPairs,
    PlusThree,
    lucky_ladies,
    perfect_pairs,
    plus_three,
)

__all__ = [
    "GAME",
    "Bet",
    "Double",
    "DoubleOn",
    "Hit",
    "HoleCard",
    "Insure",
    "LuckyLadies",
    "Outcome",
    "PerfectPairs",
    "Phase",
    "PlusThree",
    "Round",
    "Rules",
    "Soft17",
    "Split",
    "Stand",
    "Surrender",
    "SurrenderRule",
    "lucky_ladies",
    "perfect_pairs",
    "plus_three",
    "read_decision",
]
