"""A simple, imperfect player of Roll Your Own Blackjack for dealer training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.coach import own_seat
from pitboss.core.cards import Card, is_soft, total
from pitboss.core.journal import dollars
from pitboss.core.twenty_one import TWO, Double, Hit, Insure, Split, Stand
from pitboss.games.roll_your_own.card.lists import ACE, TEN, Feature, Kind, Rule, left_alone
from pitboss.games.roll_your_own.decisions import SetHands

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from pitboss.core.protocol import HandView, Operation, SeatView, View

INSURANCE_RATE = 0.3
SETTING_RULES = (
    Rule(Feature(Kind.TOGETHER, ACE, TEN)),
    Rule(Feature(Kind.TOGETHER, TEN, TEN)),
    Rule(Feature(Kind.HARD, 9, 11)),
    Rule(Feature(Kind.PAIRS, 2, 9)),
    Rule(Feature(Kind.HIGHEST_ALONE)),
)
WEAK_UP_CARDS = range(2, 7)  # the player stands and hopes that the dealer busts
STIFF_TOTAL, PAT_TOTAL, SOFT_PAT_TOTAL = 12, 17, 18
ALWAYS_SPLIT, NEVER_SPLIT = {ACE, 8}, {4, 5, TEN}
DOUBLE_TOTALS = (10, 11)


def decide(view: View, chance: Random) -> Operation:
    """Return the decision of the simple player."""
    own = own_seat(view)
    up = view.dealer.kept[0].value
    first = view.legal[0]
    if isinstance(first, SetHands):
        values = tuple(sorted(int(card.value) for card in own.cards if card))
        alone = left_alone(SETTING_RULES, int(up), values)
        ways = [
            w for w in view.legal if alone in [c.value for c in min(w.first, w.second, key=len)]
        ]
        return chance.choice(ways)
    if isinstance(first, Insure):
        return view.legal[-1] if chance.random() < INSURANCE_RATE else first
    legal = {type(play): play for play in view.legal}
    preferred = _play(_hand_in_turn(view, own).cards or (), up, legal)
    return legal.get(preferred) or legal[Stand]


def _hand_in_turn(view: View, own: SeatView) -> HandView:
    turn = view.turn
    return next(h for h in own.hands if turn and (h.bet, h.hand) == (turn.bet, turn.hand))


def _play(cards: tuple[Card, ...], up: int, legal: Iterable[type]) -> type:
    points, legal = total(cards), set(legal)
    if Split in legal:
        value = cards[0].value
        if value in ALWAYS_SPLIT or (value not in NEVER_SPLIT and up in WEAK_UP_CARDS):
            return Split
    if is_soft(cards):
        return Stand if points >= SOFT_PAT_TOTAL else Hit
    if Double in legal and len(cards) == TWO and points in DOUBLE_TOTALS and up not in {ACE, TEN}:
        return Double
    return Stand if points >= PAT_TOTAL or (points >= STIFF_TOTAL and up in WEAK_UP_CARDS) else Hit


def decision_text(view: View, decision: Operation) -> str:
    """Describe the decision of the view's seat."""
    who = f"Seat {view.seat}"
    if isinstance(decision, SetHands):
        first, second = (
            "".join(card.symbol for card in cards) for cards in (decision.first, decision.second)
        )
        return f"{who} sets {first} on the first bet and {second} on the second"
    if isinstance(decision, Insure):
        amount = decision.amount
        return f"{who} insures for {dollars(amount)}" if amount else f"{who} does not insure"
    return f"{who} {decision}s"
