"""The safe decision: what a table decides for a seat that does not decide in time.

It puts down no more money and asks for no card, and looks at nothing but the seat's own view. A
hand that is in its turn ends it: it stands. In Toss One 21 it is the best toss, and in Roll Your
Own Blackjack cards are set the house way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.errors import RuleError
from pitboss.games import toss_one
from pitboss.games.roll_your_own import Hit, SetHands, Stand
from pitboss.strategy.lists import ACE, TEN, UPS, Feature, Kind, Rule, left_alone

if TYPE_CHECKING:
    from pitboss.cards import Card
    from pitboss.felt import Operation, Round, View

HOUSE_WAY = (
    Rule(Feature(Kind.TOGETHER, ACE, TEN)),
    Rule(Feature(Kind.TOGETHER, TEN, TEN)),
    Rule(Feature(Kind.HARD, 8, 11)),
    Rule(Feature(Kind.TOGETHER, 9, TEN)),
    Rule(Feature(Kind.PAIRS, 2, 9), last=UPS.index(8)),
    Rule(Feature(Kind.TOGETHER, 8, TEN), last=UPS.index(8)),
    Rule(Feature(Kind.TOGETHER, ACE, 9), last=UPS.index(TEN)),
    Rule(Feature(Kind.TOGETHER, 9, 9)),
    Rule(Feature(Kind.TOGETHER, ACE, 8), first=UPS.index(7), last=UPS.index(8)),
    Rule(Feature(Kind.HIGHEST_ALONE)),
)
"""How the house sets three cards: the strategy card of the default rules, whatever the rules are.

Two cards go on the first bet and the card left alone on the second.
"""


def safe_decision(round_: Round, seat: int) -> Operation:
    """Return a legal decision for a seat that has one to make.

    >>> from functools import reduce
    >>> from pitboss.cards import parse
    >>> from pitboss.felt import Deal
    >>> from pitboss.games.roll_your_own import Bet, Round, Rules
    >>> operations = [Bet.of(1, 1000), Deal((parse("8s Th 8d"), parse("2c 6h Td")))]
    >>> str(safe_decision(reduce(Round.apply, operations, Round(Rules())), 1))
    'set 8s8d Th'
    """
    view = round_.view(seat)
    if not view.legal:
        raise RuleError(f"seat {seat} has nothing to decide now")
    if isinstance(round_, toss_one.Round):
        return _toss(round_.rules, seat, _own(view))
    match view.legal[0]:
        case SetHands():
            return _house_way(view)
        case Hit() | Stand():  # also when the deck has run out, where a hit would win by rule 8
            return Stand(seat)
        case _:
            return _cheapest(round_, view)


def _cheapest(round_: Round, view: View) -> Operation:
    """Return the first decision that stakes least, of these one that ends the turn."""

    def cost(decision: Operation) -> tuple[int, bool]:
        after = round_.apply(decision)
        return after.staked, view.turn is not None and after.view(view.seat).turn == view.turn

    return min(view.legal, key=cost)


def _own(view: View) -> tuple[Card, ...]:
    return next(tuple(filter(None, s.cards)) for s in view.seats if s.seat == view.seat)


def _toss(rules: toss_one.Rules, seat: int, cards: tuple[Card, ...]) -> toss_one.Toss:
    """Return the toss that the game makes for a player who does not choose (R-8)."""
    hand = toss_one.chosen_hand(rules, cards)
    assert hand is not None  # noqa: S101  a seat that busts has nothing to decide (rule 4)
    return toss_one.Toss(seat, hand.tossed)


def _house_way(view: View) -> SetHands:
    """Return the house's set; of cards of one value the last as dealt is left alone."""
    own = tuple(sorted(int(card.value) for card in _own(view)))
    alone = left_alone(HOUSE_WAY, int(view.dealer.kept[0].value), own)
    ways: tuple[SetHands, ...] = view.legal
    return next(way for way in ways if [card.value for card in way.second] == [alone])
