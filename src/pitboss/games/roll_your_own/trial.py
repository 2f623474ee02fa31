"""The counts of simulated rounds of Roll Your Own, and the figures specific to this game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pitboss.core.paytables import unit_net
from pitboss.games.roll_your_own import Bonus, Outcome, Rules
from pitboss.games.roll_your_own.kernels import layout
from pitboss.simulator.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from pitboss.core.settings import Json
    from pitboss.simulator.jobs import Bet

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
"""The outcomes of hands, in the kernel's order."""

EVENTS = (
    *(f"hands: {outcome}" for outcome in OUTCOMES),
    "doubles",
    "splits",
    "units added",  # by doubles and splits
    "units won by run out",
)
"""The counted events of a seat, in the kernel's order."""

ROUND_EVENTS = (
    "dealer's blackjacks",  # dealt, whether turned over or not
    "dealer's busts",
    "run outs",
    "cards used",
    "dealer's total",  # zero if no hand waited for the dealer
)
"""The counted events of a round, in the kernel's order."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Counts of simulated rounds with one unit on each bet."""

    rules: Rules
    seats: int
    seed: int
    nets: NDArray[np.int64]  # by class of the Bonus, bets paid as blackjacks, and other net units
    events: NDArray[np.int64]  # by event, and the number of times it happened to a seat in a round
    happened: NDArray[np.int64]  # by event, and the number of times it happened in a round
    ev: float | None = None  # the exact expectation of the two blackjack bets together

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
            net = price(bonuses[bonus], paid * pays + units - layout.MOST)
            counts[net] = counts.get(net, 0) + int(self.nets[bonus, paid, units])
        return Sample(counts)

    @property
    def put_down(self) -> Sample:
        """Units put down on the blackjack bets in a round, including doubles and splits."""
        return Sample({2 + n: times for n, times in self.event("units added").counts.items()})

    def event(self, name: str) -> Sample:
        """Return the counts of an event of a seat (EVENTS) or of a round (ROUND_EVENTS)."""
        if name in EVENTS:
            row = self.events[EVENTS.index(name)].tolist()
        else:
            row = self.happened[ROUND_EVENTS.index(name)].tolist()
        return Sample({times: n for times, n in enumerate(row) if n})

    @property
    def frequencies(self) -> dict[str, Sample]:
        """All counted events, and the classes of the Bonus."""
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


@dataclass(frozen=True)
class TableDetails:
    """The figures of a whole table: house edge, run-outs, cards used, and frequencies of events."""

    trial: Trial
    package: Bet

    @property
    def _is_alone(self) -> bool:
        """Whether only one seat plays; several seats in a round are not independent."""
        return self.trial.seats == 1

    def as_json(self) -> dict[str, Json]:
        ran_out, used = self.trial.event("run outs"), self.trial.event("cards used")
        won, down = self.trial.event("units won by run out"), self.trial.put_down
        return {
            "run_out": {"frequency": ran_out.mean, "std_error": ran_out.std_error},
            "run_out_worth": {
                "units": won.mean,
                "std_error": won.std_error if self._is_alone else None,
            },
            "cards_used": {"mean": used.mean, "most": max(used.counts)},
            "put_down": down.mean + 1,
            "house_edge": {
                "of_stake": self.package.house_edge,
                "of_money_put_down": -self.package.ev / (down.mean + 1),
                "std_error": self.package.std_error / self.package.stake,
            },
            "frequencies": {
                name: {
                    "mean": s.mean,
                    "std_error": s.std_error if self._is_alone or name in ROUND_EVENTS else None,
                }
                for name, s in self.trial.frequencies.items()
            },
        }

    def lines(self) -> list[str]:
        found: dict[str, Json] = self.as_json()
        edge, out, used = found["house_edge"], found["run_out"], found["cards_used"]
        return [
            (
                f"house edge {edge['of_stake']:+.4%} of the stake"
                f" (std error {edge['std_error']:.4%}),"
                f" {edge['of_money_put_down']:+.4%} of the money put down"
            ),
            (
                f"the deck runs out in {out['frequency']:.4%} of rounds"
                f" (std error {out['std_error']:.4%}),"
                f" worth {found['run_out_worth']['units']:+.6f} units a seat and round"
            ),
            f"cards used: {used['mean']:.2f} a round, {used['most']} at most",
        ]

    def columns(self) -> dict[str, str]:
        found: dict[str, Json] = self.as_json()
        return {
            "runs out": f"{found['run_out']['frequency']:.4%}",
            "worth": f"{found['run_out_worth']['units']:+.4f}",
            "cards": f"{found['cards_used']['mean']:.1f}",
        }
