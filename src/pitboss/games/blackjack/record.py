"""One simulated round of blackjack as a journal, with the results that the kernel counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pitboss.core.cards import spell
from pitboss.core.journal import FORMAT
from pitboss.games.blackjack import tables
from pitboss.games.blackjack.decisions import INSURANCE, MAIN, SIDE_BETS
from pitboss.games.blackjack.game import GAME
from pitboss.games.blackjack.kernels import layout, rounds
from pitboss.games.blackjack.rules import HoleCard, Outcome
from pitboss.simulator.jobs import CARDS, UNIT, net_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.core.settings import Json
    from pitboss.games.blackjack.simulation import Blackjack

WORDS = ("stand", "hit", "double", "split", "surrender")
"""The plays, in the kernel's order."""


@dataclass(frozen=True, slots=True)
class EndedHand:
    """A hand at the end of a round."""

    seat: int  # from 0
    index: int  # among the seat's hands
    hands: int  # the number of the seat's hands
    end: int  # its total, or a special end of the kernel
    doubled: int

    @property
    def place(self) -> int:
        """The hand's place among the bets of its seat."""
        if self.index:
            return layout.LATER
        return layout.FIRST if self.doubled or self.hands > 1 else layout.ALONE


class Record:
    """One round of a job in full."""

    def __init__(self, job: Blackjack, number: int) -> None:
        self.job, self.rules = job, job.rules
        plays, grown, dealer, options = job.strategy.tables(job.seats)
        deck = np.empty((int(options[layout.SIZE]), 1), np.uint8)
        words, log = np.zeros(layout.MOST_SEATS, np.int64), np.empty(layout.LOG, np.int32)
        key, place = np.uint64(job.seed), np.uint64(number)
        self.state = int(
            rounds.record_round(key, place, plays, grown, dealer, options, deck, words, log)
        )
        self.cards = tuple(CARDS[n] for n in deck[:, 0].tolist())
        self.plays = [WORDS[play] for play in log[1 : 1 + log[0]].tolist()]
        self.sides = [
            int(rounds.with_dealer(side, self.state))
            for side in (
                rounds.side_of(deck, 0, seat, job.seats, tables.twos(), tables.threes())
                for seat in range(job.seats)
            )
        ]
        self.words = words[: job.seats].tolist()

    def journal(self) -> dict[str, Json]:
        """Return the round with the kernel's results; a replay checks them."""
        seats = range(1, self.job.seats + 1)
        settlements = [*self._settlements()]
        return {
            "format": FORMAT,
            "game": GAME.key,
            "rules": self.rules.as_json(),
            "deck": spell(self.cards),
            "bets": [{"seat": seat, **dict.fromkeys((MAIN, *SIDE_BETS), UNIT)} for seat in seats],
            "decisions": self._decisions(),
            "settlements": settlements,
            "net": net_of(settlements),
        }

    def _decisions(self) -> list[str]:
        if self._up != 1 or not self.rules.insurance:
            return self.plays
        amounts = (UNIT // 2 if self._is_insured(seat) else 0 for seat in range(self.job.seats))
        return [*(f"insure {amount}" for amount in amounts), *self.plays]

    # --- settlements, in the order the money moves

    def _settlements(self) -> Iterator[dict[str, Json]]:
        hands = [*self._hands()]
        outcomes = {hand: self._outcome(hand) for hand in hands}
        early = [hand for hand in hands if self._is_early(hand, outcomes[hand])]
        early.sort(key=lambda h: outcomes[h] is not Outcome.BLACKJACK and not self._peek_ends)
        for seat in range(self.job.seats):
            yield from self._side_settlements(seat, queens=False)
        if not self._may_wait:
            yield from self._settled_on_blackjack()
        yield from (self._settled(hand, outcomes[hand]) for hand in early)
        if self._may_wait:
            yield from self._settled_on_blackjack()
        yield from (self._settled(h, outcomes[h]) for h in hands if h not in early)

    def _settled_on_blackjack(self) -> Iterator[dict[str, Json]]:
        for seat in range(self.job.seats):
            yield from self._side_settlements(seat, queens=True)
        won = self.state == layout.NATURAL
        for seat in filter(self._is_insured, range(self.job.seats)):
            net = tables.insurance_nets(self.rules)[1 + won]
            outcome = Outcome.DEALER_BLACKJACK if won else Outcome.NO_DEALER_BLACKJACK
            yield _settlement(seat, INSURANCE, UNIT // 2, net) | {"outcome": outcome.value}

    def _side_settlements(self, seat: int, *, queens: bool) -> Iterator[dict[str, Json]]:
        """Yield the side bets; Lucky Ladies waits for the dealer with two queens of hearts."""
        classes = self.job.classes_of(self.sides[seat])
        nets = tables.side_nets(self.rules)
        for place, (bet, found) in enumerate(zip(SIDE_BETS, classes, strict=True)):
            waits = bet == SIDE_BETS[2] and found <= layout.QUEENS
            if waits == queens:
                yield _settlement(seat, bet, UNIT, nets[place][found])

    def _hands(self) -> Iterator[EndedHand]:
        for seat, word in enumerate(self.words):
            number = word >> layout.COUNT_AT & 7
            for i in range(number):
                hand = word >> layout.HAND_BITS * i
                end, doubled = hand & layout.ENDS - 1, int(bool(hand & layout.DOUBLED))
                yield EndedHand(seat, i, number, end, doubled)

    def _outcome(self, hand: EndedHand) -> Outcome:
        settled = tables.settled(self.rules.hole_card)
        return tables.OUTCOMES[rounds.settle_hand(self.state, hand.place, hand.end, settled)]

    def _settled(self, hand: EndedHand, outcome: Outcome) -> dict[str, Json]:
        stake = UNIT * (1 + hand.doubled)
        place = 2 * tables.OUTCOMES.index(outcome) + hand.doubled
        net = tables.main_nets(self.rules)[place]
        return _settlement(hand.seat, MAIN, stake, net, hand.index) | {"outcome": outcome.value}

    def _is_early(self, hand: EndedHand, outcome: Outcome) -> bool:
        """Return whether a hand is settled before the dealer plays."""
        if self._peek_ends:
            return True
        if hand.end == layout.BUST:
            only = self.rules.hole_card is HoleCard.ORIGINAL_BETS_ONLY
            return not (self._may_wait and only and hand.place != layout.ALONE)
        over = outcome is Outcome.BLACKJACK or hand.end in {layout.BLACKJACK, layout.SURRENDERED}
        return over and not self._may_wait

    @property
    def _peek_ends(self) -> bool:
        return self.state == layout.NATURAL and self.rules.hole_card is HoleCard.PEEK

    @property
    def _may_wait(self) -> bool:
        """Whether the up card allows a blackjack that no peek has ruled out."""
        return self.rules.hole_card is not HoleCard.PEEK and self._up in {1, 10}

    @property
    def _up(self) -> int:
        return int(self.cards[self.job.seats].value)

    def _is_insured(self, seat: int) -> bool:
        return bool(self.words[seat] >> layout.INSURED_AT & 1)


def _settlement(seat: int, bet: str, stake: int, net: int, hand: int = 0) -> dict[str, Json]:
    return {"seat": seat + 1, "bet": bet, "hand": hand, "stake": stake, "net": net}
