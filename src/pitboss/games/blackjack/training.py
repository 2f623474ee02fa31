"""Dealer training for blackjack: the dealer's moves and every payment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.coach.twenty_one import hand_in_turn
from pitboss.core.cards import total
from pitboss.core.protocol import DealerView, deal_from
from pitboss.games.blackjack.decisions import MAIN, SIDE_BETS, Bet, Surrender
from pitboss.games.blackjack.round import Phase, Round
from pitboss.games.blackjack.rules import HoleCard, Outcome
from pitboss.games.blackjack.side_bets import LuckyLadies, PerfectPairs, PlusThree
from pitboss.training import shuffled, twenty_one
from pitboss.training.dealer import STAKES, TableState, choose_seats

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pitboss.core.cards import Card
    from pitboss.core.protocol import Operation, SeatView, Settlement, View
    from pitboss.core.twenty_one import Soft17
    from pitboss.games.blackjack.rules import Rules
    from pitboss.training.dealer import Step

SIDES = (0, 0, 300, 500)
SURRENDER_TOTALS = (15, 16)  # of the simple player, against a ten
QUEENS = {LuckyLadies.QUEENS_OF_HEARTS, LuckyLadies.QUEENS_AND_DEALER_BLACKJACK}

INSTRUCTIVE = frozenset(
    {
        Outcome.BLACKJACK,
        Outcome.DEALER_BLACKJACK,
        Outcome.NO_DEALER_BLACKJACK,
        Outcome.SURRENDER,
        *PerfectPairs,
        *PlusThree,
        *LuckyLadies,
    }
)


class BlackjackTableState(TableState):
    """The table of blackjack."""

    def bets(self, seat: SeatView) -> Iterator[tuple[str, int]]:
        yield from ((bet, 0) for bet in SIDE_BETS if seat.stakes[bet])
        yield from ((hand.bet, hand.hand) for hand in seat.hands)
        yield from ((bet, 0) for bet in seat.added)


def deal(rules: Rules, chance: Random) -> tuple[list[Step], Round] | None:
    """Deal a round in which the dealer turns the hole card over."""
    round_ = Round(rules)
    for seat in choose_seats(rules.seats, chance):
        sides = (chance.choice(SIDES) for _ in SIDE_BETS)
        round_ = round_.apply(Bet(seat, chance.choice(STAKES), *sides))
    deck = shuffled(rules.decks, chance)
    round_ = deal_from(deck, round_)
    up = round_.dealer[:1]
    state = BlackjackTableState(DealerView((*up, None), up, total(up)), Phase.PLAYING)
    table = TrainingTable(round_, state, deck, chance)
    steps = list(table.steps())
    return None if None in table.round.record().dealer.cards else (steps, table.round)


class TrainingTable(twenty_one.TrainingTable[Round]):
    """A round of blackjack that is played to its end, step by step."""

    dealer_clause = "9"

    @property
    def dealt(self) -> tuple[Card, Card]:
        up, hole = self.round.dealer
        return up, hole

    @property
    def soft_17(self) -> Soft17:
        return self.round.rules.soft_17

    @property
    def peeks(self) -> bool:
        return self.round.rules.hole_card is HoleCard.PEEK

    def decide(self, view: View) -> Operation:
        last = view.legal[-1]
        is_weak = view.turn and hand_in_turn(view).total in SURRENDER_TOTALS
        if isinstance(last, Surrender) and is_weak and self.dealt[0].value == twenty_one.TEN:
            return last
        return twenty_one.decide(view, self.chance)

    def waits(self, settlement: Settlement) -> bool:
        match settlement.result:
            case Outcome.BLACKJACK | Outcome.SURRENDER:
                return self.may_have_blackjack
            case Outcome.BUST:
                return self.may_have_blackjack and self._may_be_returned(settlement)
            case Outcome.DEALER_BLACKJACK | Outcome.NO_DEALER_BLACKJACK | Outcome.BET_RETURNED:
                return not self.peeks
            case Outcome.PUSH if settlement.rule == "5":
                return not self.peeks
        if settlement.bet in SIDE_BETS:
            return self.may_have_blackjack and settlement.result in QUEENS
        return True

    def waits_for_peek(self, settlement: Settlement) -> bool:
        return settlement.bet not in SIDE_BETS or settlement.result in QUEENS

    def needs_dealer(self, settlement: Settlement) -> bool:
        at_once = {Outcome.BLACKJACK, Outcome.SURRENDER, Outcome.BUST}
        is_push = settlement.result is Outcome.PUSH and settlement.rule == "5"
        is_live = settlement.bet == MAIN and settlement.result not in at_once
        return is_live and not is_push and self.waits(settlement)

    def _may_be_returned(self, settlement: Settlement) -> bool:
        """Return whether a dealer's blackjack would return an added bet of a bust hand (R-4)."""
        seat = next(s for s in self.round.seats if s.number == settlement.seat)
        is_added = len(seat.hands) > 1 or settlement.stake > seat.bet.main
        return is_added and self.round.rules.hole_card is HoleCard.ORIGINAL_BETS_ONLY
