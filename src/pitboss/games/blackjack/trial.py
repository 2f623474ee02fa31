"""The counts of simulated rounds of blackjack, and the figures specific to this game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitboss.games.blackjack.kernels import layout
from pitboss.games.blackjack.tables import OUTCOMES
from pitboss.simulator.samples import Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pitboss.core.settings import Json
    from pitboss.simulator.jobs import Bet

EVENTS = (*(f"hands: {outcome}" for outcome in OUTCOMES), "doubles", "splits")
"""The counted events of a seat, in the kernel's order."""

ROUND_EVENTS = {
    "dealer's blackjacks": layout.NATURAL,  # dealt, whether turned over or not
    "dealer's busts": layout.DEALER_BUST,
    "run outs": layout.RAN_OUT,
}
"""The counted events of a round, with the dealer's final state."""

CARDS_USED = "cards used"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Counts of simulated rounds with one unit on each bet."""

    seats: int
    nets: NDArray[np.int64]  # by classes of the side bets, insurance, and result of the Main bet
    splits: NDArray[np.int64]  # by event, and the number of times it happened to a seat that split
    happened: NDArray[np.int64]  # by the dealer's final state, and the number of cards used

    @property
    def rounds(self) -> int:
        return int(self.happened.sum())

    @property
    def put_down(self) -> float:
        """The mean of the units put down on Main and insurance by a seat in a round."""
        added = self.event("doubles").mean + self.event("splits").mean
        return 1 + added + self.event("insurances").mean / 2

    def event(self, name: str) -> Sample:
        """Return the counts of an event of a seat or of a round."""
        if name == CARDS_USED:
            row = self.happened.sum(axis=0).tolist()
            return Sample({cards: n for cards, n in enumerate(row) if n})
        if name in ROUND_EVENTS:
            return _of(int(self.happened[ROUND_EVENTS[name]].sum()), self.rounds)
        if name == "insurances":
            return _of(int(self.nets[:, 1:].sum()), self.rounds * self.seats)
        return self._seat_event(EVENTS.index(name))

    def _seat_event(self, event: int) -> Sample:
        """Return the counts of an event of a seat, which may happen several times after a split."""
        hands = self.nets.sum(axis=(0, 1))[: layout.ONE_HAND].reshape(-1, 2)
        counts = dict(enumerate(self.splits[event].tolist()))
        once = {
            **dict(enumerate(hands.sum(axis=1).tolist())),
            layout.SPLIT_DOUBLES: hands[:, 1].sum(),
        }
        counts[1] += int(once.get(event, 0))
        counts[0] = self.rounds * self.seats - sum(n for times, n in counts.items() if times)
        return Sample({times: n for times, n in counts.items() if n})

    @property
    def frequencies(self) -> dict[str, Sample]:
        """All counted events."""
        names = (*EVENTS, "insurances", *ROUND_EVENTS, CARDS_USED)
        return {name: self.event(name) for name in names}


def _of(times: int, rounds: int) -> Sample:
    """Return the sample of an event that happens at most once in a round."""
    return Sample({times_each: n for times_each, n in ((0, rounds - times), (1, times)) if n})


@dataclass(frozen=True)
class TableDetails:
    """The figures of a whole table: house edge, cards used, and frequencies of events."""

    trial: Trial
    main: Bet

    def as_json(self) -> dict[str, Json]:
        ran_out, used = self.trial.event("run outs"), self.trial.event(CARDS_USED)
        down = self.trial.put_down
        alone = self.trial.seats == 1  # several seats in a round are not independent
        return {
            "run_out": {"frequency": ran_out.mean, "std_error": ran_out.std_error},
            "cards_used": {"mean": used.mean, "most": max(used.counts)},
            "put_down": down,
            "house_edge": {
                "of_stake": self.main.house_edge,
                "of_money_put_down": -self.main.ev / down,
                "std_error": self.main.std_error,
            },
            "frequencies": {
                name: {
                    "mean": s.mean,
                    "std_error": s.std_error if alone or name in self._of_round else None,
                }
                for name, s in self.trial.frequencies.items()
            },
        }

    @property
    def _of_round(self) -> tuple[str, ...]:
        return *ROUND_EVENTS, CARDS_USED

    def lines(self) -> list[str]:
        found: dict[str, Json] = self.as_json()
        edge, out, used = found["house_edge"], found["run_out"], found["cards_used"]
        lines = [
            (
                f"house edge of main {edge['of_stake']:+.4%} of the stake"
                f" (std error {edge['std_error']:.4%}),"
                f" {edge['of_money_put_down']:+.4%} of the money put down"
            ),
            f"cards used: {used['mean']:.2f} a round, {used['most']} at most",
        ]
        if out["frequency"]:
            lines.append(
                f"the shoe runs out in {out['frequency']:.4%} of rounds"
                f" (std error {out['std_error']:.4%})"
            )
        return lines

    def columns(self) -> dict[str, str]:
        return {"cards": f"{self.trial.event(CARDS_USED).mean:.1f}"}
