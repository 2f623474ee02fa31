"""Roll Your Own Blackjack, simulated: one to seven seats that all play by one strategy.

Seats play what they know of their own cards and the dealer's up card; nobody insures. Rounds are
counted by what happened and priced afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pitboss.cards import Card, Rank, Suit, spell
from pitboss.errors import RuleError
from pitboss.games.roll_your_own import (
    GAME,
    PACK,
    Bonus,
    HoleCard,
    Insurance,
    Outcome,
    Rules,
    RunOut,
    SetHands,
)
from pitboss.kernels import roll_your_own as kernel
from pitboss.notation import FORMAT
from pitboss.paytables import EVEN, PUSH, Odds, unit_net
from pitboss.simulator.jobs import (
    UNIT,
    Bet,
    Exact,
    Job,
    check_number,
    check_results,
    sample_of,
    steps_of,
)
from pitboss.simulator.samples import Sample
from pitboss.solver.engine import PLAYS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from pitboss.rules import Json
    from pitboss.simulator.jobs import Counts
    from pitboss.simulator.strategies import Strategy

CARDS = tuple(Card(rank, suit) for rank in Rank for suit in Suit)
"""The deck as the kernel numbers it."""

OUTCOMES = (
    Outcome.DOUBLE_BLACKJACK,
    Outcome.BLACKJACK,
    Outcome.BUST,
    Outcome.DEALER_BLACKJACK,
    Outcome.DEALER_BUST,
    Outcome.HIGHER_TOTAL,
    Outcome.LOWER_TOTAL,
    Outcome.PUSH,
    Outcome.RUN_OUT,
)
"""How hands end, as the kernel numbers it."""

_PAYS: dict[Outcome, Odds | None] = {
    Outcome.BUST: None,
    Outcome.DEALER_BLACKJACK: None,
    Outcome.DEALER_BUST: EVEN,
    Outcome.HIGHER_TOTAL: EVEN,
    Outcome.LOWER_TOTAL: None,
    Outcome.PUSH: PUSH,
}

EVENTS = (
    *(f"hands: {outcome}" for outcome in OUTCOMES),
    "doubles",
    "splits",
    "units added",  # by doubles and splits
    "units won by run out",
)
"""What is counted of a seat, as the kernel numbers it."""

ROUND_EVENTS = (
    "dealer's blackjacks",  # dealt, turned or not
    "dealer's busts",
    "run outs",
    "cards used",
    "dealer's total",  # nothing where no hand waited for the dealer
)
"""What is counted of a round."""

BETS = ("blackjack", "bonus", "package")


def check_unit(rules: Rules) -> None:
    """Refuse rules that do not pay even money on a bet and on a doubled one."""
    rounding = rules.rounding
    if rounding.net(EVEN, UNIT) != UNIT or rounding.net(EVEN, 2 * UNIT) != 2 * UNIT:
        raise RuleError(
            f"rounding={rounding} does not pay a bet of {UNIT} cents even money, and wins are"
            f" counted in such bets: take a chip that {UNIT} cents are a number of"
        )


def cents_of(rules: Rules) -> list[int]:
    """Return what the classes of the Bonus and a blackjack come to, in cents."""
    odds = [*map(rules.bonus_paytable.odds, (*Bonus, None)), rules.blackjack_pays]
    return [rules.rounding.net(o, UNIT) for o in odds]


@dataclass(frozen=True, eq=False)
class RollYourOwn(Job):
    """Rounds of Roll Your Own Blackjack, a unit on each bet of every seat."""

    strategy: Strategy
    seats: int = 1
    seed: int = 1

    game: ClassVar[str] = GAME.key
    piece: ClassVar[int] = 1 << 19
    gpu_piece: ClassVar[int] = 1 << 29

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self.rules)

    @property
    def rules(self) -> Rules:
        return self.strategy.rules

    def identity(self) -> dict[str, Json]:
        return super().identity() | {"strategy": self.strategy.digest()}

    # --- playing

    @cached_property
    def parts(self) -> dict[str, tuple[int, ...]]:  # type: ignore[override]
        bonus, blackjack, unit = self._pays[: kernel.BONUSES].max(), *self._pays[kernel.BONUSES :]
        most = int(bonus + 2 * blackjack + (kernel.UNITS_OF - 1) * unit) * self.seats + 1
        results = check_results(most) if self.seats > 1 else 1
        return {
            "nets": (kernel.BONUSES, kernel.BLACKJACKS, kernel.UNITS_OF),
            "events": (kernel.EVENTS, kernel.TIMES),
            "rounds": (kernel.ROUND_EVENTS, kernel.USES),
            "house": (kernel.BETS, results),
        }

    @cached_property
    def _cents(self) -> list[int]:
        """What the classes of the Bonus and a blackjack come to, in cents."""
        return cents_of(self.rules)

    @cached_property
    def _step(self) -> int:
        return steps_of([*self._cents, 0])

    @cached_property
    def _pays(self) -> NDArray[np.int64]:
        """The same in steps, the Bonus above a lost bet, and a unit."""
        *bonuses, blackjack = self._cents
        cents = [*(net + UNIT for net in bonuses), blackjack, UNIT]
        return np.array([net // self._step for net in cents], np.int64)

    @cached_property
    def _tables(self) -> Sequence[NDArray[np.int64]]:
        return *self.strategy.tables(self.seats), self._pays  # type: ignore[return-value]

    def play(self, begin: int, end: int) -> Counts:
        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        kernel.play_rounds(np.uint64(self.seed), begin, end, *self._tables, *parts.values())  # type: ignore[arg-type]
        return counts

    def play_on_gpu(self, begin: int, end: int) -> Counts:
        from pitboss.kernels import cuda

        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        cuda.roll_your_own_rounds(self.seed, begin, end, self._tables, *parts.values())
        return counts

    # --- what came of it

    def trial(self, counts: Counts) -> Trial:
        """Return what happened."""
        parts = self.views(counts)
        return Trial(
            rules=self.rules,
            seats=self.seats,
            seed=self.seed,
            nets=parts["nets"],
            events=parts["events"],
            happened=parts["rounds"],
            ev=self.strategy.ev if self.seats == 1 else None,
        )

    def bets(self, counts: Counts, exact: Mapping[str, Exact] | None = None) -> dict[str, Bet]:
        """Return what the blackjack bets, the Bonus and all three together came to."""
        parts, known = self.views(counts), exact or {}
        least = {"blackjack": -kernel.MOST, "bonus": -1, "package": -kernel.MOST - 1}
        found = {}
        for place, name in enumerate(BETS):
            player = self._sample(parts["nets"], name)
            table = sample_of(parts["house"][place], UNIT * self.seats * least[name], self._step)
            classes = self._classes(parts["nets"]) if name == "bonus" else None
            found[name] = Bet(
                name,
                GAME.units[name],
                self.seats,
                player,
                player if self.seats == 1 else table,
                classes,
                known.get(name),
            )
        return found

    def _sample(self, nets: Counts, name: str) -> Sample:
        *bonuses, blackjack = self._cents
        counts: dict[int, int] = {}
        for bonus, paid, units in np.argwhere(nets).tolist():
            played = paid * blackjack + (units - kernel.MOST) * UNIT
            net = {"blackjack": played, "bonus": bonuses[bonus], "package": played + bonuses[bonus]}
            counts[net[name]] = counts.get(net[name], 0) + int(nets[bonus, paid, units])
        return Sample(counts)

    def _classes(self, nets: Counts) -> dict[str, int]:
        names = [*(c.replace("_", " ") for c in Bonus), "anything else"]
        return dict(zip(names, nets.sum(axis=(1, 2)).tolist(), strict=True))

    # --- one round on paper

    def journal(self, number: int) -> dict[str, Json]:
        return Record(self, check_number(number)).journal()


@dataclass(frozen=True, kw_only=True)
class Trial:
    """So many rounds, a unit on each bet, counted by what happened."""

    rules: Rules
    seats: int
    seed: int
    nets: NDArray[np.int64]  # by class of the Bonus, bets paid as blackjacks, and other units won
    events: NDArray[np.int64]  # by event, and how often it happened to a seat in a round
    happened: NDArray[np.int64]  # by event, and how often it happened in a round
    ev: float | None = None  # of the two blackjack bets together, computed

    @property
    def rounds(self) -> int:
        return int(self.nets.sum()) // self.seats

    @property
    def blackjack(self) -> Sample:
        """The two blackjack bets together."""
        return self._priced(lambda _, blackjack: blackjack)

    @property
    def bonus(self) -> Sample:
        return self._priced(lambda bonus, _: bonus)

    @property
    def package(self) -> Sample:
        """All three bets."""
        return self._priced(lambda bonus, blackjack: bonus + blackjack)

    def _priced(self, price: Callable[[Fraction, Fraction], Fraction]) -> Sample:
        pays = self.rules.blackjack_pays.on(1)
        table = self.rules.bonus_paytable
        bonuses = [unit_net(table.odds(c)) for c in (*Bonus, None)]
        counts: dict[Fraction | int, int] = {}
        for bonus, paid, units in np.argwhere(self.nets).tolist():
            net = price(bonuses[bonus], paid * pays + units - kernel.MOST)
            counts[net] = counts.get(net, 0) + int(self.nets[bonus, paid, units])
        return Sample(counts)

    @property
    def put_down(self) -> Sample:
        """Units on the blackjack bets of a round, with what doubles and splits add."""
        return Sample({2 + n: times for n, times in self.event("units added").counts.items()})

    def event(self, name: str) -> Sample:
        """Return how often a thing happened to a seat (EVENTS) or in a round (ROUND_EVENTS)."""
        if name in EVENTS:
            row = self.events[EVENTS.index(name)].tolist()
        else:
            row = self.happened[ROUND_EVENTS.index(name)].tolist()
        return Sample({times: n for times, n in enumerate(row) if n})

    @property
    def frequencies(self) -> dict[str, Sample]:
        """Everything that is counted, and the classes of the Bonus."""
        found = {name: self.event(name) for name in (*EVENTS, *ROUND_EVENTS)}
        wins = self.nets.sum(axis=(1, 2)).tolist()
        for name, n in zip(Bonus, wins, strict=False):
            row = {1: n, 0: self.rounds * self.seats - n}
            found[f"bonus: {name.replace('_', ' ')}"] = Sample(row)
        return found

    def as_json(self) -> dict[str, Json]:
        return {
            "rounds": self.rounds,
            "seats": self.seats,
            "seed": self.seed,
            "ev": self.ev,
            "z": None if self.ev is None else self.blackjack.z(self.ev),
            "blackjack": self.blackjack.as_json(),
            "bonus": self.bonus.as_json(),
            "package": self.package.as_json(),
            "put_down": self.put_down.as_json(),
            "frequencies": {
                name: {"mean": s.mean, "std_error": s.std_error, "chance": s.chance}
                for name, s in self.frequencies.items()
            },
            "rules": self.rules.as_json(),
        }


class Record:
    """One round of a job in full."""

    def __init__(self, job: RollYourOwn, number: int) -> None:
        self.job, self.rules = job, job.rules
        deck, felt = np.empty(kernel.DECK, np.uint8), np.empty(kernel.FELT, np.int8)
        log = np.empty(kernel.LOG, np.int32)
        tables = job.strategy.tables(job.seats)
        kernel.record_round(np.uint64(job.seed), np.uint64(number), *tables, deck, felt, log)
        self.cards = tuple(CARDS[n] for n in deck.tolist())
        self.felt = felt.tolist()
        self.bonuses = [kernel.bonus_of(deck, PACK * seat) for seat in range(job.seats)]
        entries = [(n >> 20, n & (1 << 20) - 1) for n in log[1 : 1 + log[0]].tolist()]
        self.plays = [what for kind, what in entries if kind == kernel.PLAYED]
        self.ends = [what for kind, what in entries if kind == kernel.ENDED]
        self.sets = [what & 15 for kind, what in entries if kind == kernel.SET]

    def journal(self) -> dict[str, Json]:
        """Return the round with its results as the kernel has them: a replay may contradict."""
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
        cents = self.job._cents  # noqa: SLF001  the job's own
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
        if ended != kernel.PENDING:
            return OUTCOMES[ended]
        theirs = self.felt[kernel.THEIRS]
        if self.felt[kernel.RAN_OUT]:
            return Outcome.RUN_OUT
        if self.felt[kernel.NATURAL]:
            return Outcome.DEALER_BLACKJACK
        if self.felt[kernel.DEALER_BUSTS]:
            return Outcome.DEALER_BUST
        if total == theirs:
            return Outcome.PUSH
        return Outcome.HIGHER_TOTAL if total > theirs else Outcome.LOWER_TOTAL

    def _wait(self, outcome: Outcome, *, alone: bool) -> int:
        """Say when a hand is settled: as set 0, as it is played 1, by the dealer's cards 2."""
        if outcome is Outcome.DOUBLE_BLACKJACK or (outcome is Outcome.BLACKJACK and not alone):
            return 0
        peeked = outcome is Outcome.DEALER_BLACKJACK and self.rules.hole_card is HoleCard.PEEK
        return 1 if peeked or outcome in {Outcome.BLACKJACK, Outcome.BUST} else 2

    def _net(self, seat: int) -> int:
        """Return what the kernel counted for a seat."""
        at = kernel.ROUND_EVENTS + seat * kernel.PER_SEAT
        *bonuses, blackjack = self.job._cents  # noqa: SLF001  the job's own
        paid, units = self.felt[at + kernel.PAID], self.felt[at + kernel.UNITS]
        return bonuses[self.bonuses[seat]] + paid * blackjack + units * UNIT


DOUBLE = 8
"""What the log has for a double blackjack, which is not set."""


def _settlement(seat: int, bet: str, hand: int, stake: int, net: int) -> dict[str, Json]:
    return {"seat": seat, "bet": bet, "hand": hand, "stake": stake, "net": net}
