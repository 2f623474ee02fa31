"""Dealer training for Roll Your Own Blackjack: the dealer's moves and every payment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.coach import own_seat
from pitboss.core.protocol import deal_from
from pitboss.games.roll_your_own.card.lists import ACE, TEN, Feature, Kind, Rule, left_alone
from pitboss.games.roll_your_own.decisions import Bet, SetHands
from pitboss.games.roll_your_own.round import Phase, Round
from pitboss.games.roll_your_own.rules import HoleCard, Outcome
from pitboss.training import shuffled, twenty_one
from pitboss.training.dealer import STAKES, Move, TableState, choose_seats

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pitboss.core.cards import Card
    from pitboss.core.protocol import Operation, SeatView, Settlement, View
    from pitboss.core.twenty_one import Soft17
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.training.dealer import Step

SETTING_RULES = (
    Rule(Feature(Kind.TOGETHER, ACE, TEN)),
    Rule(Feature(Kind.TOGETHER, TEN, TEN)),
    Rule(Feature(Kind.HARD, 9, 11)),
    Rule(Feature(Kind.PAIRS, 2, 9)),
    Rule(Feature(Kind.HIGHEST_ALONE)),
)
"""How the simple player sets three cards."""

INSTRUCTIVE = frozenset(
    {
        Outcome.DOUBLE_BLACKJACK,
        Outcome.BLACKJACK,
        Outcome.DEALER_BLACKJACK,
        Outcome.NO_DEALER_BLACKJACK,
    }
)


class RollTableState(TableState):
    """The table of Roll Your Own Blackjack."""

    ends_together = (Outcome.DOUBLE_BLACKJACK,)

    def bets(self, seat: SeatView) -> Iterator[tuple[str, int]]:
        yield "bonus", 0
        hands = [(hand.bet, hand.hand) for hand in seat.hands]
        yield from hands or [("first", 0), ("second", 0)]  # a double blackjack sets no hands (7i)
        for bet in seat.added:
            yield bet, 0


def deal(rules: Rules, chance: Random) -> tuple[list[Step], Round] | None:
    """Deal a round in which the dealer draws, stands or finds a blackjack."""
    round_ = Round(rules)
    for seat in choose_seats(rules.seats, chance):
        round_ = round_.apply(Bet.of(seat, chance.choice(STAKES)))
    deck = shuffled(1, chance)
    round_ = deal_from(deck, round_)
    state = RollTableState(round_.record().dealer, Phase.PLAYING)
    table = TrainingTable(round_, state, deck, chance)
    steps = list(table.steps())
    found = any(s.result is Outcome.DEALER_BLACKJACK for s in table.round.settlements())
    moves = any(isinstance(step, Move) for step in steps)
    return (steps, table.round) if moves or found else None


class TrainingTable(twenty_one.TrainingTable[Round]):
    """A round of Roll Your Own that is played to its end, step by step."""

    dealer_clause = "7f"

    @property
    def dealt(self) -> tuple[Card, Card]:
        _, up, hole = self.round.dealer
        return up, hole

    @property
    def soft_17(self) -> Soft17:
        return self.round.rules.soft_17

    @property
    def peeks(self) -> bool:
        return self.round.rules.hole_card is HoleCard.PEEK

    def steps(self) -> Iterator[Step]:
        for seat in self.round.seats:
            if seat.is_double_blackjack:
                yield self.watch(f"Seat {seat.number} has a double blackjack.")
        yield from super().steps()

    def decide(self, view: View) -> Operation:
        if not isinstance(view.legal[0], SetHands):
            return twenty_one.decide(view, self.chance)
        values = tuple(sorted(int(card.value) for card in own_seat(view).cards if card))
        alone = left_alone(SETTING_RULES, int(view.dealer.kept[0].value), values)
        return self.chance.choice(
            [w for w in view.legal if alone in [c.value for c in min(w.first, w.second, key=len)]]
        )

    def decision_text(self, view: View, decision: Operation) -> str:
        if not isinstance(decision, SetHands):
            return super().decision_text(view, decision)
        first, second = (
            "".join(card.symbol for card in cards) for cards in (decision.first, decision.second)
        )
        return f"Seat {view.seat} sets {first} on the first bet and {second} on the second"

    def waits(self, settlement: Settlement) -> bool:
        at_once = {Outcome.BLACKJACK, Outcome.DOUBLE_BLACKJACK, Outcome.BUST}
        if settlement.bet == "bonus" or settlement.result in at_once:
            return False
        if settlement.bet == "insurance" or settlement.result is Outcome.DEALER_BLACKJACK:
            return not self.peeks
        return True

    def needs_dealer(self, settlement: Settlement) -> bool:
        return self.waits(settlement) and settlement.bet != "insurance"
