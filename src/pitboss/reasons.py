"""Why a bet ended as it did, in one sentence with the figures that decided.

It is said as a dealer says it, to the seat whose bet it is, and from a view alone: what lies face
down there is not named. The number of the rule is the settlement's to tell. A game that has no
sentences here has its outcomes in their own words.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING

from pitboss.cards import BLACKJACK, hard_total
from pitboss.games import roll_your_own, toss_one
from pitboss.games.roll_your_own import INSURANCE_PAYS, Bonus, RunOut, poker_class
from pitboss.games.toss_one import AceKicker, Lucky3

if TYPE_CHECKING:
    from pitboss.cards import Card
    from pitboss.felt import HandView, SeatView, Settlement, View
    from pitboss.paytables import Odds
    from pitboss.rules import Rules

__all__ = [
    "aside",
    "reason",
]

_LUCKY_3 = {kind: kind.replace("_", " ") for kind in Lucky3} | {
    Lucky3.BLACKJACK: "blackjack of both colors",
    Lucky3.OTHER_21: "21 of both colors",
}
_BONUS = {
    Bonus.AKQ_SUITED: "A-K-Q suited",
    Bonus.STRAIGHT_FLUSH: "A straight flush",
    Bonus.THREE_OF_A_KIND: "Three of a kind",
    Bonus.STRAIGHT: "A straight",
    Bonus.FLUSH: "A flush",
}


_ASIDE = {"Your ": "The player's ", "your ": "the player's ", "You have": "The player has"}
_ASIDE |= {"You kept": "The player kept"}


def aside(sentence: str) -> str:
    """Turn a reason that is said to the player into one that is said about the player.

    >>> aside("21 against 21: your kicker 5 loses to 9.")
    "21 against 21: the player's kicker 5 loses to 9."
    """
    return reduce(lambda text, words: text.replace(*words), _ASIDE.items(), sentence)


def reason(rules: Rules, view: View, settlement: Settlement) -> str:
    """Say why a bet of *view* ended as its *settlement* says.

    >>> from pitboss.cards import parse
    >>> round_ = toss_one.play_deal(
    ...     toss_one.Rules(), toss_one.Bet(1, 500), parse("9s 6d 6c 5h"), parse("Ad 6h 4s 9d")
    ... )
    >>> reason(round_.rules, round_.view(1), round_.settlements()[0])
    '21 against 21: your kicker 5 loses to 9.'
    """
    seat = next(seat for seat in view.seats if seat.seat == settlement.seat)
    if isinstance(rules, toss_one.Rules):
        return _tossed(rules, view, seat, settlement)
    if isinstance(rules, roll_your_own.Rules):
        return _rolled(rules, view, seat, settlement)
    return f"{settlement.outcome.capitalize()}."


def _pays(odds: Odds | None) -> str:
    """Say what a result of a pay table is worth; a table of one's own may list any."""
    if odds is None:
        return "does not pay here"
    return f"pays {_ratio(odds)}" if odds.win else "is a push"


def _ratio(odds: Odds) -> str:
    return "even money" if odds.win == odds.stake else f"{odds.win} to {odds.stake}"


def _compared(ours: int | None, theirs: int | None) -> str:
    if ours == theirs:
        return f"Your {ours} and the dealer's {theirs}: a push."
    verb = "beats" if (ours or 0) > (theirs or 0) else "loses to"
    return f"Your {ours} {verb} the dealer's {theirs}."


# --- Toss One 21


def _tossed(rules: toss_one.Rules, view: View, seat: SeatView, settlement: Settlement) -> str:
    if settlement.outcome == toss_one.Outcome.PLAYER_BUST:
        return _bust(seat, settlement.bet)
    if settlement.bet == "lucky3":
        return _lucky3(rules, seat, settlement)
    if settlement.bet == "bonus4":
        return _bonus4(rules, seat)
    return _main(rules, view, seat, toss_one.Outcome(settlement.outcome))


def _bust(seat: SeatView, bet: str) -> str:
    """Say how a seat went bust; a free toss can do it too (R-6), and rule 4 takes every bet."""
    saved = toss_one.best_hands(tuple(filter(None, seat.cards)))
    why = "You kept three cards over 21" if saved else "You have no three cards under 22"
    side = "" if bet == "main" else f" takes {toss_one.GAME.stakes[bet]} too"
    return f"{why}: {'a ' if side else ''}bust{side}."


def _main(rules: toss_one.Rules, view: View, seat: SeatView, outcome: toss_one.Outcome) -> str:
    kinds = toss_one.Outcome
    dealer = view.dealer
    if outcome is kinds.BLACKJACK:
        return f"Blackjack {_pays(rules.blackjack_pays)}, whatever the dealer has."
    if outcome is kinds.DEALER_BUST:
        return "The dealer is bust."
    hand = seat.hands[0]
    if outcome in {kinds.HIGHER_TOTAL, kinds.LOWER_TOTAL}:
        return _compared(hand.total, dealer.total)
    if outcome is kinds.DEALER_BLACKJACK:
        return f"The dealer's blackjack beats your {hand.total}."
    ours = _kicker(rules, seat.cards, hand.cards or ())
    theirs = _kicker(rules, dealer.cards, dealer.kept)
    if outcome is kinds.TIE:
        kickers = f"kicker {ours}" if ours == theirs else f"kickers {ours} and {theirs}"
        return f"Total {hand.total} and {kickers} are equal: the house wins."
    verb = "beats" if outcome is kinds.HIGHER_KICKER else "loses to"
    return f"{hand.total} against {dealer.total}: your kicker {ours} {verb} {theirs}."


def _kicker(rules: toss_one.Rules, cards: tuple[Card | None, ...], kept: tuple[Card, ...]) -> str:
    """Name the card that is not kept by its rank; what a low ace counts needs saying (R-3)."""
    (tossed,) = filter(None, Counter(cards) - Counter(kept))
    low = tossed.value == 1 and rules.ace_kicker is AceKicker.LOW
    return tossed.rank.letter.replace("T", "10") + (" (1)" if low else "")


def _lucky3(rules: toss_one.Rules, seat: SeatView, settlement: Settlement) -> str:
    found = settlement.outcome.replace(" ", "_")
    if found not in _LUCKY_3:
        return f"Your three cards total {seat.hands[0].total}, not 21."
    kind = Lucky3(found)
    return f"{_LUCKY_3[kind].capitalize()} {_pays(rules.lucky3_paytable.odds(kind))}."


def _bonus4(rules: toss_one.Rules, seat: SeatView) -> str:
    cards = tuple(filter(None, seat.cards))
    four = hard_total(cards)
    ace = " (an ace is 1)" if any(card.value == 1 for card in cards) else ""
    pays = _pays(rules.bonus4_paytable.odds(four))
    which = "more than 21" if four > BLACKJACK else f"which {pays}"
    return f"All four cards total {four}{ace}, {which}."


# --- Roll Your Own Blackjack


def _rolled(rules: roll_your_own.Rules, view: View, seat: SeatView, settlement: Settlement) -> str:
    if settlement.bet == "bonus":
        return _bonus(rules, seat)
    outcome = roll_your_own.Outcome(settlement.outcome)
    if settlement.bet == "insurance":
        return _insurance(rules, outcome)
    spot = (settlement.bet, settlement.hand)
    hand = next((hand for hand in seat.hands if (hand.bet, hand.hand) == spot), None)
    return _hand(rules, view, hand, settlement) if hand else _double_blackjack(rules)


def _bonus(rules: roll_your_own.Rules, seat: SeatView) -> str:
    found = poker_class(tuple(filter(None, seat.cards)))
    if found is None:
        return "No straight, no flush, no three of a kind."
    return f"{_BONUS[found]} {_pays(rules.bonus_paytable.odds(found))}."


def _insurance(rules: roll_your_own.Rules, outcome: roll_your_own.Outcome) -> str:
    if outcome is roll_your_own.Outcome.DEALER_BLACKJACK:
        return f"The dealer has blackjack: insurance {_pays(INSURANCE_PAYS)}."
    if outcome is roll_your_own.Outcome.NO_DEALER_BLACKJACK:
        return "The dealer has no blackjack: insurance loses."
    more = "" if rules.run_out is RunOut.PUSH else f", insurance {_ratio(INSURANCE_PAYS)}"
    return _run_out(rules).replace(".", f"{more}.")


def _run_out(rules: roll_your_own.Rules) -> str:
    wins = "is returned" if rules.run_out is RunOut.PUSH else "wins"
    return f"No card was left: every bet in action {wins}."


def _double_blackjack(rules: roll_your_own.Rules) -> str:
    return f"Double blackjack: both bets are paid {_ratio(rules.blackjack_pays)} at once."


def _hand(rules: roll_your_own.Rules, view: View, hand: HandView, settlement: Settlement) -> str:
    kinds = roll_your_own.Outcome
    match kinds(settlement.outcome):
        case kinds.BLACKJACK:
            drawn = settlement.rule == "7h"
            what = "Your next card makes blackjack, which" if drawn else "Blackjack"
            return f"{what} {_pays(rules.blackjack_pays)}, whatever the dealer has."
        case kinds.BUST:
            return f"Your {hand.total} is over 21: bust."
        case kinds.RUN_OUT:
            return _run_out(rules)
        case kinds.DEALER_BLACKJACK:
            one = len(hand.cards or ()) == 1  # it was not given a second one
            return f"The dealer's blackjack beats your {'one card' if one else hand.total}."
        case kinds.DEALER_BUST:
            return f"The dealer is bust with {view.dealer.total}."
        case _:
            return _compared(hand.total, view.dealer.total)
