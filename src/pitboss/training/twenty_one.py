"""Dealer training for games of 21: a simple player, and a round played step by step.

A game with hit, stand, double and split adds its own bets, phases and clauses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from pitboss.coach.twenty_one import hand_in_turn
from pitboss.core.cards import BLACKJACK, Card, Rank, is_soft, total
from pitboss.core.journal import dollars
from pitboss.core.protocol import DealerView, Draw, Round, hand_name
from pitboss.core.twenty_one import (
    DEALER_STANDS,
    TWO,
    Double,
    Hit,
    Insure,
    Soft17,
    Split,
    Stand,
)
from pitboss.training.dealer import Move, Watch, spot_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from random import Random

    from pitboss.core.protocol import Operation, Settlement, View
    from pitboss.training.dealer import Settle, Step, TableState

ACE, TEN = Rank.ACE.value, Rank.TEN.value

R = TypeVar("R", bound=Round)


# --- a simple, imperfect player

INSURANCE_RATE = 0.3
WEAK_UP_CARDS = range(2, 7)  # the player stands and hopes that the dealer busts
STIFF_TOTAL, PAT_TOTAL, SOFT_PAT_TOTAL = 12, 17, 18
ALWAYS_SPLIT, NEVER_SPLIT = {ACE, 8}, {4, 5, TEN}
DOUBLE_TOTALS = (10, 11)


def decide(view: View, chance: Random) -> Operation:
    """Return the insurance or the play of the simple player."""
    first = view.legal[0]
    if isinstance(first, Insure):
        return view.legal[-1] if chance.random() < INSURANCE_RATE else first
    legal = {type(play): play for play in view.legal}
    preferred = _play(hand_in_turn(view).cards or (), view.dealer.kept[0].value, legal)
    return legal.get(preferred) or legal[Stand]


def _play(cards: tuple[Card, ...], up: int, legal: Collection[type]) -> type:
    points = total(cards)
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
    """Describe an insurance or a play of the view's seat."""
    who = f"Seat {view.seat}"
    if isinstance(decision, Insure):
        amount = decision.amount
        return f"{who} insures for {dollars(amount)}" if amount else f"{who} does not insure"
    return f"{who} {decision}s"


# --- the round


class TrainingTable(ABC, Generic[R]):
    """A round that is played to its end, step by step."""

    dealer_clause: str  # the clause that says when the dealer draws

    def __init__(
        self, round_: R, state: TableState, deck: tuple[Card, ...], chance: Random
    ) -> None:
        self.round = round_
        self.state = state
        self.deck = deck
        self.chance = chance

    @property
    @abstractmethod
    def dealt(self) -> tuple[Card, Card]:
        """The dealer's up card and hole card."""

    @property
    @abstractmethod
    def soft_17(self) -> Soft17:
        """The dealer's play on a soft 17."""

    @property
    @abstractmethod
    def peeks(self) -> bool:
        """Whether the dealer looks at the hole card under an ace or a ten."""

    @abstractmethod
    def decide(self, view: View) -> Operation:
        """Return the decision of the player."""

    @abstractmethod
    def waits(self, settlement: Settlement) -> bool:
        """Return whether a bet is settled only after the dealer's hole card is turned."""

    @abstractmethod
    def needs_dealer(self, settlement: Settlement) -> bool:
        """Return whether the dealer must play a hand to settle a bet."""

    def decision_text(self, view: View, decision: Operation) -> str:
        """Describe a decision of the view's seat."""
        return decision_text(view, decision)

    def steps(self) -> Iterator[Step]:
        """Play the round and yield its steps."""
        yield from self._players()
        yield from self._turn()
        yield from self._settle(is_over=True)
        yield self.watch("Every bet is settled.")

    @property
    def looks(self) -> bool:
        """Whether the dealer looks at the hole card."""
        return self.peeks and self.dealt[0].value in {ACE, TEN}

    @property
    def may_have_blackjack(self) -> bool:
        """Whether the up card allows a blackjack that the dealer does not look for."""
        return not self.peeks and self.dealt[0].value in {ACE, TEN}

    def watch(self, said: str) -> Watch:
        """Return a step that the trainee only watches."""
        return Watch(view=self.state.show(self.round), prompt=said)

    def _players(self) -> Iterator[Step]:
        """Play all hands of the players, until only the dealer is left to play."""
        looked = not self.looks
        while True:
            yield from self._settle(is_before_peek=not looked)
            if self.round.phase in {"playing", "settled"} and not looked:
                looked = True
                yield from self._peek()
            elif self._wants_card:
                yield from self._draw()
            elif self.round.asked:
                yield from self._decide(self.round.asked.seat)
            else:
                return

    @property
    def _wants_card(self) -> bool:
        """Whether the next card goes to a player, not to the dealer."""
        return self.round.needs_card and self.round.record().turn is not None

    @property
    def _peek_found(self) -> bool:
        return self.looks and total(self.dealt) == BLACKJACK

    def _peek(self) -> Iterator[Step]:
        """Look at the hole card, and turn it over if it makes a blackjack."""
        if not self._peek_found:
            yield self.watch("You look at your hole card: no blackjack.")
            return
        self.state.dealer = self.round.record().dealer
        yield self.watch("You look at your hole card: a blackjack. You turn it over.")

    def _decide(self, number: int) -> Iterator[Step]:
        view = self.round.view(number)
        decision = self.decide(view)
        said = self.decision_text(view, decision)
        self.round = self.round.apply(decision)
        if isinstance(decision, Hit | Double | Split):  # shown in one step with the card
            yield from self._draw(said)
        else:
            yield self.watch(f"{said}.")

    def _draw(self, said: str | None = None) -> Iterator[Step]:
        turn = self.round.record().turn
        card = self.deck[self.round.cards_used]
        self.round = self.round.apply(Draw(card))
        if said is None and turn:
            said = f"Seat {turn.seat}, {hand_name(turn.bet, turn.hand)} bet, receives a card"
        yield self.watch(f"{said}: {card.symbol}.")

    def _settle(self, *, is_before_peek: bool = False, is_over: bool = False) -> Iterator[Settle]:
        """Settle the bets that are due; a bet that waits for the dealer is settled at the end."""
        known = set(map(spot_of, self.state.settled))
        new = [s for s in self.round.settlements() if spot_of(s) not in known]
        if not is_over:
            new = [s for s in new if not self.waits(s)]
        if is_before_peek:
            new = [s for s in new if not self.waits_for_peek(s)]
        return self.state.settle(self.round, new)

    def waits_for_peek(self, settlement: Settlement) -> bool:
        """Return whether a bet is settled only after the dealer has looked at the hole card."""
        return "dealer blackjack" in settlement.outcome

    def _turn(self) -> Iterator[Step]:
        """Turn the hole card and draw, if a bet needs it."""
        if self._peek_found or None in self.round.record().dealer.cards:
            return
        plays = any(map(self.needs_dealer, self._final().settlements()))
        cards: tuple[Card, ...] = self.dealt
        while plays and total(cards) <= BLACKJACK:
            self.state.dealer = DealerView(cards, cards, total(cards))
            hits = self.round.needs_card
            yield self._hit_or_stand(cards, hits=hits, first=len(cards) == TWO)
            if not hits:
                break
            card = self.deck[self.round.cards_used]
            self.round = self.round.apply(Draw(card))
            cards = (*cards, card)
        self.state.dealer = self.round.record().dealer
        if not plays:
            yield self.watch("You turn your hole card over.")

    def _final(self) -> Round:
        round_ = self.round
        while round_.needs_card:
            round_ = round_.apply(Draw(self.deck[round_.cards_used]))
        return round_

    def _hit_or_stand(self, cards: tuple[Card, ...], *, hits: bool, first: bool) -> Move:
        name = f"{'soft' if is_soft(cards) else 'hard'} {total(cards)}"
        said = "Turn your hole card over" if first else f"You drew {cards[-1].symbol}"
        hits_17 = "hits" if self.soft_17 is Soft17.HIT else "stands on"
        return Move(
            view=self.state.show(self.round),
            prompt=f"{said}: {name}. Hit or stand?",
            choices=("hit", "stand"),
            accepts=("hit",) if hits else ("stand",),
            why=f"{name.capitalize()}: the dealer hits 16 and less, and {hits_17} soft"
            f" {DEALER_STANDS} (rule {self.dealer_clause}).",
        )
