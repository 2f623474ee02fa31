"""Dealer training for Roll Your Own Blackjack: the dealer's moves and every payment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.cards import BLACKJACK, Card, is_soft, total
from pitboss.core.protocol import DealerView, Draw, deal_from, hand_name
from pitboss.core.twenty_one import DEALER_STANDS, TWO, Double, Hit, Split
from pitboss.games.roll_your_own.card.lists import ACE, TEN
from pitboss.games.roll_your_own.decisions import Bet
from pitboss.games.roll_your_own.plain_player import decide, decision_text
from pitboss.games.roll_your_own.round import Phase, Round
from pitboss.games.roll_your_own.rules import HoleCard, Outcome
from pitboss.training import shuffled
from pitboss.training.dealer import STAKES, Move, TableState, Watch, choose_seats, spot_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pitboss.core.protocol import SeatView, Settlement
    from pitboss.games.roll_your_own.rules import Rules
    from pitboss.training.dealer import Settle, Step


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
    table = TrainingTable(deal_from(deck, round_), deck, chance)
    steps = list(table.steps())
    found = any(s.result is Outcome.DEALER_BLACKJACK for s in table.round.settlements())
    moves = any(isinstance(step, Move) for step in steps)
    return (steps, table.round) if moves or found else None


class TrainingTable:
    """A round of Roll Your Own that is played to its end, step by step."""

    def __init__(self, round_: Round, deck: tuple[Card, ...], chance: Random) -> None:
        self.round = round_
        self.deck = deck
        self.chance = chance
        self.state = RollTableState(round_.record().dealer, Phase.PLAYING)

    def steps(self) -> Iterator[Step]:
        for seat in self.round.seats:
            if seat.is_double_blackjack:
                yield self._watch(f"Seat {seat.number} has a double blackjack.")
        yield from self._players()
        yield from self._turn()
        yield from self._settle(is_over=True)
        yield self._watch("Every bet is settled.")

    def _players(self) -> Iterator[Step]:
        """Play all hands of the players, until only the dealer is left to play."""
        yield from self._settle()
        looked = not self._looks
        while True:
            if self.round.phase in {"playing", "settled"} and not looked:
                looked = True
                yield from self._peek()
            if self._wants_card:
                yield from self._draw()
            elif self.round.asked:
                yield from self._decide(self.round.asked.seat)
            else:
                return
            yield from self._settle()

    @property
    def _wants_card(self) -> bool:
        """Whether the next card goes to a player, not to the dealer."""
        return self.round.needs_card and self.round.record().turn is not None

    @property
    def _looks(self) -> bool:
        peek = self.round.rules.hole_card is HoleCard.PEEK
        return peek and self.round.dealer[1].value in {ACE, TEN}

    @property
    def _peek_found(self) -> bool:
        return self._looks and total(self.round.dealer[1:]) == BLACKJACK

    def _peek(self) -> Iterator[Step]:
        """Look at the hole card, and turn it over if it makes a blackjack (R-3)."""
        if not self._peek_found:
            yield self._watch("You look at your hole card: no blackjack.")
            return
        self.state.dealer = self.round.record().dealer
        yield self._watch("You look at your hole card: a blackjack. You turn it over.")

    def _decide(self, number: int) -> Iterator[Step]:
        view = self.round.view(number)
        decision = decide(view, self.chance)
        said = decision_text(view, decision)
        self.round = self.round.apply(decision)
        if isinstance(decision, Hit | Double | Split):  # shown in one step with the card
            yield from self._draw(said)
        else:
            yield self._watch(f"{said}.")

    def _draw(self, said: str | None = None) -> Iterator[Step]:
        turn = self.round.record().turn
        card = self.deck[self.round.cards_used]
        self.round = self.round.apply(Draw(card))
        if said is None and turn:
            said = f"Seat {turn.seat}, {hand_name(turn.bet, turn.hand)} bet, receives a card"
        yield self._watch(f"{said}: {card.symbol}.")

    def _watch(self, said: str) -> Watch:
        return Watch(view=self.state.show(self.round), prompt=said)

    def _settle(self, *, is_over: bool = False) -> Iterator[Settle]:
        """Settle the bets that are due; a bet that waits for the dealer is settled at the end."""
        known = set(map(spot_of, self.state.settled))
        new = [s for s in self.round.settlements() if spot_of(s) not in known]
        if not is_over:
            new = [s for s in new if not self._waits(s)]
        return self.state.settle(self.round, new)

    def _waits(self, settlement: Settlement) -> bool:
        """Return whether a bet is settled only after the dealer's hole card is turned."""
        at_once = {Outcome.BLACKJACK, Outcome.DOUBLE_BLACKJACK, Outcome.BUST}
        if settlement.bet == "bonus" or settlement.result in at_once:
            return False
        if settlement.bet == "insurance" or settlement.result is Outcome.DEALER_BLACKJACK:
            return self.round.rules.hole_card is HoleCard.NO_PEEK
        return True

    def _turn(self) -> Iterator[Step]:
        """Turn the hole card and draw, if a bet needs it (rule 7f)."""
        if self._peek_found or None in self.round.record().dealer.cards:
            return
        waits = any(self._waits(s) and s.bet != "insurance" for s in self._final().settlements())
        cards = self.round.dealer[1:]
        while waits and total(cards) <= BLACKJACK:
            self.state.dealer = DealerView(cards, cards, total(cards))
            hits = self.round.needs_card
            yield self._hit_or_stand(cards, hits=hits, first=len(cards) == TWO)
            if not hits:
                break
            card = self.deck[self.round.cards_used]
            self.round = self.round.apply(Draw(card))
            cards = (*cards, card)
        self.state.dealer = self.round.record().dealer
        if not waits:  # only insurance under no_peek was open
            yield self._watch("You turn your hole card over.")

    def _final(self) -> Round:
        round_ = self.round
        while round_.needs_card:
            round_ = round_.apply(Draw(self.deck[round_.cards_used]))
        return round_

    def _hit_or_stand(self, cards: tuple[Card, ...], *, hits: bool, first: bool) -> Move:
        name = f"{'soft' if is_soft(cards) else 'hard'} {total(cards)}"
        said = "Turn your hole card over" if first else f"You drew {cards[-1].symbol}"
        soft = f", and {self.round.rules.soft_17}s soft {DEALER_STANDS}"
        return Move(
            view=self.state.show(self.round),
            prompt=f"{said}: {name}. Hit or stand?",
            choices=("hit", "stand"),
            accepts=("hit",) if hits else ("stand",),
            why=f"{name.capitalize()}: the dealer hits 16 and less{soft} (rule 7f).",
        )
