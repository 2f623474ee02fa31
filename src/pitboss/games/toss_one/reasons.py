"""The reason for the result of each bet of Toss One 21."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pitboss.core.cards import BLACKJACK
from pitboss.games.toss_one.hands import best_hands
from pitboss.games.toss_one.rules import AceKicker, Lucky3, Outcome
from pitboss.reasons import compare_totals, pays

if TYPE_CHECKING:
    from pitboss.core.cards import Card
    from pitboss.core.protocol import SeatView, Settlement, View
    from pitboss.games.toss_one.rules import Rules

_LUCKY_3 = {kind: kind.replace("_", " ") for kind in Lucky3} | {
    Lucky3.BLACKJACK: "blackjack of both colors",
    Lucky3.OTHER_21: "21 of both colors",
}


def reason(rules: Rules, view: View, seat: SeatView, settlement: Settlement) -> str:
    """Explain the *settlement* of a bet of *seat*."""
    if settlement.result is Outcome.PLAYER_BUST:
        return _bust(rules, seat, settlement.bet)
    if settlement.bet == "lucky3":
        return _lucky3(seat, settlement)
    if settlement.bet == "bonus4":
        return _bonus4(seat, settlement)
    return _main(rules, view, seat, settlement.result)


def _bust(rules: Rules, seat: SeatView, bet: str) -> str:
    """Explain why a bust, by the cards or by a free toss (R-6), loses every bet (rule 4)."""
    saved = best_hands(tuple(filter(None, seat.cards)))
    why = "You kept three cards over 21" if saved else "You have no three cards under 22"
    side = "" if bet == "main" else f" takes {rules.game.stakes[bet]} too"
    return f"{why}: {'a ' if side else ''}bust{side}."


def _main(rules: Rules, view: View, seat: SeatView, outcome: Outcome) -> str:
    dealer = view.dealer
    if outcome is Outcome.BLACKJACK:
        return f"Blackjack {pays(rules.blackjack_pays)}, whatever the dealer has."
    if outcome is Outcome.DEALER_BUST:
        return "The dealer is bust."
    hand = seat.hands[0]
    if outcome in {Outcome.HIGHER_TOTAL, Outcome.LOWER_TOTAL}:
        return compare_totals(hand.total, dealer.total)
    if outcome is Outcome.DEALER_BLACKJACK:
        return f"The dealer's blackjack beats your {hand.total}."
    ours = _kicker(rules, seat.cards, hand.cards or ())
    theirs = _kicker(rules, dealer.cards, dealer.kept)
    if outcome is Outcome.TIE:
        kickers = f"kicker {ours}" if ours == theirs else f"kickers {ours} and {theirs}"
        return f"Total {hand.total} and {kickers} are equal: the house wins."
    verb = "beats" if outcome is Outcome.HIGHER_KICKER else "loses to"
    return f"{hand.total} against {dealer.total}: your kicker {ours} {verb} {theirs}."


def _kicker(rules: Rules, cards: tuple[Card | None, ...], kept: tuple[Card, ...]) -> str:
    """Return the rank of the tossed card, with the value of a low ace (R-3)."""
    (tossed,) = filter(None, Counter(cards) - Counter(kept))
    low = tossed.value == 1 and rules.ace_kicker is AceKicker.LOW
    return tossed.rank.letter.replace("T", "10") + (" (1)" if low else "")


def _lucky3(seat: SeatView, settlement: Settlement) -> str:
    if settlement.result is None:
        return f"Your three cards total {seat.hands[0].total}, not 21."
    return f"{_LUCKY_3[settlement.result].capitalize()} {pays(settlement.odds)}."


def _bonus4(seat: SeatView, settlement: Settlement) -> str:
    four = settlement.result
    ace = " (an ace is 1)" if any(card and card.value == 1 for card in seat.cards) else ""
    which = "more than 21" if four > BLACKJACK else f"which {pays(settlement.odds)}"
    return f"All four cards total {four}{ace}, {which}."
