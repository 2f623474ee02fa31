"""Encodings shared by the games in which hands are played to 21 against a dealer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.cards import is_soft
from pitboss.core.twenty_one import Insure
from pitboss.envs.encoding import Encoding
from pitboss.simulator.jobs import UNIT, check_unit

if TYPE_CHECKING:
    from pitboss.core.cards import Card
    from pitboss.core.protocol import HandView, Operation, Round, View
    from pitboss.envs.encoding import RulesLike

INSURANCES = ("no insurance", "insure")


class TwentyOneEncoding(Encoding):
    """The encoding of a game with equal bets that are placed before the agent decides."""

    open_phases = frozenset({"insuring", "playing", "settled"})

    def __init__(self, rules: RulesLike = None, seats: int = 1) -> None:
        super().__init__(rules, seats)
        check_unit(self.rules)

    def shown(self, view: View) -> tuple[Card, ...]:
        return tuple(card for card in view.dealer.cards[:1] if card)

    def opened(self) -> Round:
        round_ = self.game.start(self.rules)
        for seat in range(1, self.seats + 1):
            round_ = round_.apply(self.game.bet(seat, UNIT))
        return round_


def decision_word(decision: Operation) -> str:
    """Return the action of a decision: its word, or whether it insures."""
    if isinstance(decision, Insure):
        return INSURANCES[decision.amount > 0]
    return str(decision)


def hand_fields(hand: HandView) -> dict[str, int]:
    """Return the fields of the hand in play."""
    cards = hand.cards or ()
    pair = len(cards) == 2 and cards[0].value == cards[1].value  # noqa: PLR2004
    return {
        "total": hand.total or 0,
        "soft": int(is_soft(cards)),
        "cards": len(cards),
        "pair": cards[0].value if pair else 0,
    }
