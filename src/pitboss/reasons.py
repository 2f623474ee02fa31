"""Explain the result of a bet in one sentence with the totals or cards that decided it.

The sentence addresses the player, as a dealer would. It uses only a view, so it names no face-down
card. It omits the rule number, which is in the settlement. The game's part ``reasons`` supplies
the sentences; for a game without that part the sentence is the outcome text.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

from pitboss.core.twenty_one import INSURANCE_PAYS

if TYPE_CHECKING:
    from pitboss.core.paytables import Odds
    from pitboss.core.protocol import SeatView, Settlement, View
    from pitboss.core.settings import Rules

__all__ = [
    "aside",
    "reason",
]

_THIRD_PERSON = {
    "Your ": "The player's ",
    "your ": "the player's ",
    "You have": "The player has",
    "You kept": "The player kept",
}


class ReasonsPart(Protocol):
    """The ``reasons`` part of a game."""

    def reason(self, rules: Any, view: View, seat: SeatView, settlement: Settlement) -> str:  # noqa: ANN401  the game's own rules
        """Explain the *settlement* of a bet of *seat*."""


def aside(sentence: str) -> str:
    """Rewrite a reason that addresses the player as a sentence about the player.

    >>> aside("21 against 21: your kicker 5 loses to 9.")
    "21 against 21: the player's kicker 5 loses to 9."
    """
    return reduce(lambda text, words: text.replace(*words), _THIRD_PERSON.items(), sentence)


def reason(rules: Rules, view: View, settlement: Settlement) -> str:
    """Explain the *settlement* of a bet, from the cards in *view*.

    >>> from pitboss import parse, toss_one
    >>> round_ = toss_one.play_deal(
    ...     toss_one.Rules(), toss_one.Bet(1, 500), parse("9s 6d 6c 5h"), parse("Ad 6h 4s 9d")
    ... )
    >>> reason(round_.rules, round_.view(1), round_.settlements()[0])
    '21 against 21: your kicker 5 loses to 9.'
    """
    if not rules.game.has_part("reasons"):
        return f"{settlement.outcome.capitalize()}."
    part: ReasonsPart = rules.game.part("reasons")
    seat = next(seat for seat in view.seats if seat.seat == settlement.seat)
    return part.reason(rules, view, seat, settlement)


# --- phrases that the games share


def pays(odds: Odds | None) -> str:
    """Return the payout of a pay-table result in words; a custom table may have any odds."""
    if odds is None:
        return "does not pay here"
    return f"pays {ratio(odds)}" if odds.win else "is a push"


def ratio(odds: Odds) -> str:
    """Return odds as a dealer says them.

    >>> from pitboss import Odds
    >>> ratio(Odds(3, 2)), ratio(Odds(1))
    ('3 to 2', 'even money')
    """
    return "even money" if odds.win == odds.stake else f"{odds.win} to {odds.stake}"


def compare_totals(ours: int | None, theirs: int | None) -> str:
    """Compare the player's total with the dealer's, in a sentence."""
    if ours == theirs:
        return f"Your {ours} and the dealer's {theirs}: a push."
    verb = "beats" if (ours or 0) > (theirs or 0) else "loses to"
    return f"Your {ours} {verb} the dealer's {theirs}."


def bust(ours: int | None) -> str:
    """Explain the loss of a hand over 21."""
    return f"Your {ours} is over 21: bust."


def insurance(*, is_won: bool) -> str:
    """Explain the result of insurance, without the full stop."""
    if is_won:
        return f"The dealer has blackjack: insurance {pays(INSURANCE_PAYS)}"
    return "The dealer has no blackjack: insurance loses"
