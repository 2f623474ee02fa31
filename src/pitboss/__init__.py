"""Toss One 21, Roll Your Own Blackjack and blackjack: deal them, play them, prove them."""

from pitboss.core.cards import DECK, Card, Rank, Suit, hard_total, is_soft, parse, spell, total
from pitboss.core.errors import DeckError, GameError, NotationError, RuleError, SettingError
from pitboss.core.journal import (
    Journal,
    differences,
    read_journal,
    replay,
    view_json,
    write_journal,
)
from pitboss.core.paytables import EVEN, Odds, Paytable, Rounding
from pitboss.core.protocol import (
    Deal,
    Draw,
    Game,
    PendingDecision,
    Round,
    Settlement,
    View,
    deal_from,
    supply,
)
from pitboss.core.settings import Rules
from pitboss.games import GAMES, blackjack, find_game, roll_your_own, toss_one
from pitboss.tables.limits import Limit
from pitboss.tables.table import SeededShuffler, Shuffler, SystemShuffler, Table

__version__ = "0.1.0"

__all__ = [
    "DECK",
    "EVEN",
    "GAMES",
    "Card",
    "Deal",
    "DeckError",
    "Draw",
    "Game",
    "GameError",
    "Journal",
    "Limit",
    "NotationError",
    "Odds",
    "Paytable",
    "PendingDecision",
    "Rank",
    "Round",
    "Rounding",
    "RuleError",
    "Rules",
    "SeededShuffler",
    "SettingError",
    "Settlement",
    "Shuffler",
    "Suit",
    "SystemShuffler",
    "Table",
    "View",
    "blackjack",
    "deal_from",
    "differences",
    "find_game",
    "hard_total",
    "is_soft",
    "parse",
    "read_journal",
    "replay",
    "roll_your_own",
    "spell",
    "supply",
    "toss_one",
    "total",
    "view_json",
    "write_journal",
]
