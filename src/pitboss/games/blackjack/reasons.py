"""The reason for the result of each bet of blackjack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.cards import BLACKJACK, total
from pitboss.core.paytables import Odds
from pitboss.games.blackjack.decisions import INSURANCE, MAIN
from pitboss.games.blackjack.rules import Outcome
from pitboss.games.blackjack.side_bets import LuckyLadies, PerfectPairs, PlusThree
from pitboss.reasons import bust, compare_totals, insurance, pays

if TYPE_CHECKING:
    from pitboss.core.protocol import SeatView, Settlement, View
    from pitboss.games.blackjack.rules import Rules

EVEN_MONEY_ODDS = Odds(3, 2)  # with these odds, a blackjack insured for half always nets one bet
_SIDE_BETS = {
    PerfectPairs.PERFECT_PAIR: "A perfect pair",
    PerfectPairs.COLORED_PAIR: "A colored pair",
    PerfectPairs.MIXED_PAIR: "A mixed pair",
    PlusThree.SUITED_THREE_OF_A_KIND: "Suited three of a kind",
    PlusThree.STRAIGHT_FLUSH: "A straight flush",
    PlusThree.THREE_OF_A_KIND: "Three of a kind",
    PlusThree.STRAIGHT: "A straight",
    PlusThree.FLUSH: "A flush",
    LuckyLadies.QUEENS_AND_DEALER_BLACKJACK: "A pair of queens of hearts with a dealer's blackjack",
    LuckyLadies.QUEENS_OF_HEARTS: "A pair of queens of hearts",
    LuckyLadies.MATCHED_20: "A matched 20",
    LuckyLadies.SUITED_20: "A suited 20",
    LuckyLadies.ANY_20: "A 20",
}
_LOST_SIDE_BETS = {
    "perfect_pairs": "Your first two cards are not a pair.",
    "21+3": "No flush, no straight, no three of a kind.",
    "lucky_ladies": "Your first two cards do not total 20.",
}


def reason(rules: Rules, view: View, seat: SeatView, settlement: Settlement) -> str:
    """Explain the *settlement* of a bet of *seat*."""
    if settlement.bet == MAIN:
        return _hand(rules, view, seat, settlement)
    if settlement.bet == INSURANCE:
        return _insurance(rules, seat, settlement)
    if settlement.result is None:
        return _LOST_SIDE_BETS[settlement.bet]
    return f"{_SIDE_BETS[settlement.result]} {pays(settlement.odds)}."


def _insurance(rules: Rules, seat: SeatView, settlement: Settlement) -> str:
    said = insurance(is_won=settlement.result is Outcome.DEALER_BLACKJACK)
    return f"{said}{', even money in all' if _is_even_money(rules, seat) else ''}."


def _is_even_money(rules: Rules, seat: SeatView) -> bool:
    """Return whether the seat has insured a blackjack for half of its bet (rule 7)."""
    cards = tuple(filter(None, seat.cards))
    is_half = 2 * seat.added[INSURANCE] == seat.stakes[MAIN]
    return is_half and total(cards) == BLACKJACK and rules.blackjack_pays == EVEN_MONEY_ODDS


def _hand(rules: Rules, view: View, seat: SeatView, settlement: Settlement) -> str:
    ours, theirs = seat.hands[settlement.hand].total, view.dealer.total
    match settlement.result:
        case Outcome.BLACKJACK:
            return f"Blackjack {pays(rules.blackjack_pays)}."
        case Outcome.BUST:
            return bust(ours)
        case Outcome.SURRENDER:
            return f"Your {ours} was surrendered for half of the bet."
        case Outcome.RUN_OUT:
            return "No card was left: the bet is returned."
        case Outcome.DEALER_BLACKJACK | Outcome.BET_RETURNED:
            return _dealer_blackjack(ours, settlement)
        case Outcome.DEALER_BUST:
            return f"The dealer is bust with {theirs}."
        case Outcome.PUSH if settlement.rule == "5":
            return "You have blackjack and so has the dealer: a push."
        case _:
            return compare_totals(ours, theirs)


def _dealer_blackjack(ours: int | None, settlement: Settlement) -> str:
    """Explain a loss, or a bet that is returned if only original bets are lost (R-4)."""
    if settlement.net == -settlement.stake:
        return f"The dealer's blackjack beats your {ours}."
    rest = "the double" if settlement.net else "this bet"
    return f"The dealer's blackjack takes only the original bet: {rest} is returned."
