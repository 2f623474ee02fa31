"""The reason for the result of each bet of Roll Your Own Blackjack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.twenty_one import INSURANCE_PAYS
from pitboss.games.roll_your_own.rules import Bonus, Outcome, RunOut
from pitboss.reasons import bust, compare_totals, insurance, pays, ratio

if TYPE_CHECKING:
    from pitboss.core.protocol import HandView, SeatView, Settlement, View
    from pitboss.games.roll_your_own.rules import Rules

_BONUS = {
    Bonus.AKQ_SUITED: "A-K-Q suited",
    Bonus.STRAIGHT_FLUSH: "A straight flush",
    Bonus.THREE_OF_A_KIND: "Three of a kind",
    Bonus.STRAIGHT: "A straight",
    Bonus.FLUSH: "A flush",
}


def reason(rules: Rules, view: View, seat: SeatView, settlement: Settlement) -> str:
    """Explain the *settlement* of a bet of *seat*."""
    if settlement.bet == "bonus":
        return _bonus(settlement)
    if settlement.bet == "insurance":
        return _insurance(rules, settlement.result)
    spot = (settlement.bet, settlement.hand)
    hand = next((hand for hand in seat.hands if (hand.bet, hand.hand) == spot), None)
    return _hand(rules, view, hand, settlement) if hand else _double_blackjack(rules)


def _bonus(settlement: Settlement) -> str:
    if settlement.result is None:
        return "No straight, no flush, no three of a kind."
    return f"{_BONUS[settlement.result]} {pays(settlement.odds)}."


def _insurance(rules: Rules, outcome: Outcome) -> str:
    if outcome is not Outcome.RUN_OUT:
        return f"{insurance(is_won=outcome is Outcome.DEALER_BLACKJACK)}."
    more = "" if rules.run_out is RunOut.PUSH else f", insurance {ratio(INSURANCE_PAYS)}"
    return _run_out(rules).replace(".", f"{more}.")


def _run_out(rules: Rules) -> str:
    wins = "is returned" if rules.run_out is RunOut.PUSH else "wins"
    return f"No card was left: every bet in action {wins}."


def _double_blackjack(rules: Rules) -> str:
    return f"Double blackjack: both bets are paid {ratio(rules.blackjack_pays)} at once."


def _hand(rules: Rules, view: View, hand: HandView, settlement: Settlement) -> str:
    match settlement.result:
        case Outcome.BLACKJACK:
            drawn = settlement.rule == "7h"
            what = "Your next card makes blackjack, which" if drawn else "Blackjack"
            return f"{what} {pays(rules.blackjack_pays)}, whatever the dealer has."
        case Outcome.BUST:
            return bust(hand.total)
        case Outcome.RUN_OUT:
            return _run_out(rules)
        case Outcome.DEALER_BLACKJACK:
            one = len(hand.cards or ()) == 1  # it did not receive a second card
            return f"The dealer's blackjack beats your {'one card' if one else hand.total}."
        case Outcome.DEALER_BUST:
            return f"The dealer is bust with {view.dealer.total}."
        case _:
            return compare_totals(hand.total, view.dealer.total)
