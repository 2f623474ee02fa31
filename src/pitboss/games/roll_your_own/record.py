"""One simulated round of Roll Your Own as a journal, with the results that the kernel counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pitboss.core.cards import Rank, spell
from pitboss.core.journal import FORMAT
from pitboss.core.paytables import EVEN, PUSH, Odds
from pitboss.games.roll_your_own import GAME, HoleCard, Insurance, Outcome, RunOut, SetHands
from pitboss.games.roll_your_own.kernels import layout, rounds
from pitboss.games.roll_your_own.kernels.play import bonus_of
from pitboss.games.roll_your_own.rules import PACK
from pitboss.games.roll_your_own.trial import OUTCOMES
from pitboss.simulator.jobs import CARDS, UNIT
from pitboss.solver.engine import PLAYS

if TYPE_CHECKING:
    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own.simulation import RollYourOwn

_PAYS: dict[Outcome, Odds | None] = {
    Outcome.BUST: None,
    Outcome.DEALER_BLACKJACK: None,
    Outcome.DEALER_BUST: EVEN,
    Outcome.HIGHER_TOTAL: EVEN,
    Outcome.LOWER_TOTAL: None,
    Outcome.PUSH: PUSH,
}


class Record:
    """One round of a job in full."""

    def __init__(self, job: RollYourOwn, number: int) -> None:
        self.job, self.rules = job, job.rules
        deck, tally = np.empty(layout.DECK, np.uint8), np.empty(layout.TALLY, np.int8)
        log = np.empty(layout.LOG, np.int32)
        tables = job.strategy.tables(job.seats)
        rounds.record_round(np.uint64(job.seed), np.uint64(number), *tables, deck, tally, log)
        self.cards = tuple(CARDS[n] for n in deck.tolist())
        self.tally = tally.tolist()
        self.bonuses = [bonus_of(deck, PACK * seat) for seat in range(job.seats)]
        entries = [(n >> 20, n & (1 << 20) - 1) for n in log[1 : 1 + log[0]].tolist()]
        self.plays = [what for kind, what in entries if kind == layout.PLAYED]
        self.ends = [what for kind, what in entries if kind == layout.ENDED]
        self.sets = [what & 15 for kind, what in entries if kind == layout.SET]

    def journal(self) -> dict[str, Json]:
        """Return the round with the kernel's results; a replay checks them."""
        seats = range(1, self.job.seats + 1)
        return {
            "format": FORMAT,
            "game": GAME.key,
            "rules": self.rules.as_json(),
            "deck": spell(self.cards),
            "bets": [{"seat": seat, "bet": UNIT} for seat in seats],
            "decisions": self._decisions(),
            "settlements": [*self._bonus_settlements(), *self._settlements()],
            "net": {str(seat): self._net(seat - 1) for seat in seats},
        }

    def _decisions(self) -> list[str]:
        found = []
        for seat, how in enumerate(self.sets):
            if how < DOUBLE:
                own = self.cards[PACK * seat : PACK * (seat + 1)]
                one = (own[how >> 1],)
                two = tuple(card for card in own if card is not one[0])
                found.append(str(SetHands(seat + 1, *((two, one) if how & 1 else (one, two)))))
        up = self.cards[PACK * self.job.seats + 1]
        if up.rank is Rank.ACE and self.rules.insurance is not Insurance.OFF:
            found += ["insure 0"] * len(found)
        return found + [PLAYS[play] for play in self.plays]

    def _bonus_settlements(self) -> list[dict[str, Json]]:
        cents = self.job._cents  # noqa: SLF001 the job of this record
        return [
            _settlement(seat + 1, "bonus", 0, UNIT, cents[found])
            for seat, found in enumerate(self.bonuses)
        ]

    def _settlements(self) -> list[dict[str, Json]]:
        """Return the settlements of the hands in the order the money moves."""
        waits: list[tuple[int, dict[str, Json]]] = []
        places: dict[tuple[int, int], int] = {}
        for end in self.ends:
            seat, bet, total, stake = end >> 12, end >> 11 & 1, end >> 6 & 31, (end >> 4 & 3) * UNIT
            outcome = self._outcome(end & 15, total)
            place = places[seat, bet] = places.get((seat, bet), -1) + 1
            odds = _PAYS.get(outcome, self.rules.blackjack_pays)
            if outcome is Outcome.RUN_OUT:
                odds = EVEN if self.rules.run_out is RunOut.WIN else PUSH
            net = self.rules.rounding.net(odds, stake)
            settled = _settlement(seat + 1, ("first", "second")[bet], place, stake, net)
            alone = self.sets[seat] & 1 == bet
            waits.append((self._wait(outcome, alone=alone), settled | {"outcome": str(outcome)}))
        return [settled for _, settled in sorted(waits, key=lambda w: w[0])]

    def _outcome(self, ended: int, total: int) -> Outcome:
        if ended != layout.PENDING:
            return OUTCOMES[ended]
        theirs = self.tally[layout.THEIRS]
        if self.tally[layout.RAN_OUT]:
            return Outcome.RUN_OUT
        if self.tally[layout.NATURAL]:
            return Outcome.DEALER_BLACKJACK
        if self.tally[layout.DEALER_BUSTS]:
            return Outcome.DEALER_BUST
        if total == theirs:
            return Outcome.PUSH
        return Outcome.HIGHER_TOTAL if total > theirs else Outcome.LOWER_TOTAL

    def _wait(self, outcome: Outcome, *, alone: bool) -> int:
        """Return the time of settlement: 0 when set, 1 when played, 2 after the dealer plays."""
        if outcome is Outcome.DOUBLE_BLACKJACK or (outcome is Outcome.BLACKJACK and not alone):
            return 0
        peeked = outcome is Outcome.DEALER_BLACKJACK and self.rules.hole_card is HoleCard.PEEK
        return 1 if peeked or outcome in {Outcome.BLACKJACK, Outcome.BUST} else 2

    def _net(self, seat: int) -> int:
        """Return the net result that the kernel counted for a seat, in cents."""
        at = layout.ROUND_EVENTS + seat * layout.PER_SEAT
        *bonuses, blackjack = self.job._cents  # noqa: SLF001 the job of this record
        paid, units = self.tally[at + layout.PAID], self.tally[at + layout.UNITS]
        return bonuses[self.bonuses[seat]] + paid * blackjack + units * UNIT


DOUBLE = 8
"""The log's code for a double blackjack, whose cards need no setting."""


def _settlement(seat: int, bet: str, hand: int, stake: int, net: int) -> dict[str, Json]:
    return {"seat": seat, "bet": bet, "hand": hand, "stake": stake, "net": net}
