"""Simulate blackjack with one to seven seats that all use one strategy.

A seat knows its own cards and the dealer's up card. The simulation counts results; they are priced
afterward.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pitboss.analysis.confirmation import exact_figures
from pitboss.core.errors import RuleError
from pitboss.core.paytables import ELSE
from pitboss.games.blackjack import side_bet_figures, tables
from pitboss.games.blackjack.decisions import SIDE_BETS
from pitboss.games.blackjack.game import GAME
from pitboss.games.blackjack.kernels import layout, rounds
from pitboss.games.blackjack.record import Record
from pitboss.games.blackjack.trial import TableDetails, Trial
from pitboss.simulator.jobs import (
    UNIT,
    Bet,
    ExactFigures,
    Job,
    check_number,
    check_results,
    check_unit,
    sample_of,
    steps_of,
)
from pitboss.simulator.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pitboss.core.settings import Json
    from pitboss.games.blackjack.rules import Rules
    from pitboss.games.blackjack.strategies import Strategy
    from pitboss.simulator.jobs import Counts

__all__ = ["Blackjack", "job"]

BETS = tuple(GAME.units)
"""The bets with results: Main (with insurance), the side bets, and all together."""


@dataclass(frozen=True, eq=False)
class Blackjack(Job):
    """Rounds of blackjack, with one unit on each bet of every seat."""

    strategy: Strategy
    seats: int = 1
    seed: int = 1

    game: ClassVar[str] = GAME.key
    piece: ClassVar[int] = 1 << 20
    gpu_piece: ClassVar[int] = 1 << 29

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self.rules)

    @property
    def rules(self) -> Rules:
        return self.strategy.rules

    @property
    def strategy_name(self) -> str:
        return self.strategy.name

    def identity(self) -> dict[str, Json]:
        return super().identity() | {"strategy": self.strategy.digest()}

    # --- playing

    @cached_property
    def parts(self) -> dict[str, tuple[int, ...]]:  # type: ignore[override]
        most = int(self._mains.max() + self._sides.max(axis=0).sum()) * self.seats + 1
        return {
            "nets": (layout.SIDES, layout.INSURANCES, layout.MAINS),
            "splits": (layout.EVENTS, layout.TIMES),
            "rounds": (layout.STATES, self.rules.decks * layout.CARDS + 1),
            "house": (layout.BETS, check_results(most) if self.seats > 1 else 1),
        }

    @cached_property
    def _main_cents(self) -> NDArray[np.int64]:
        """The net results of the Main bet with insurance, in cents."""
        insurances, mains = tables.insurance_nets(self.rules), tables.main_nets(self.rules)
        return np.add.outer(insurances, mains).astype(np.int64)

    @cached_property
    def _side_cents(self) -> NDArray[np.int64]:
        """The net results of the three side bets by their classes, in cents."""
        nets = tables.side_nets(self.rules)
        rows = [
            [net[found] for net, found in zip(nets, self.classes_of(side), strict=True)]
            for side in range(layout.SIDES)
        ]
        return np.array(rows, np.int64)

    @cached_property
    def _step(self) -> int:
        return steps_of(
            [*self._main_cents.reshape(-1).tolist(), *self._side_cents.reshape(-1).tolist()]
        )

    @cached_property
    def _mains(self) -> NDArray[np.int64]:
        """The net results of the Main bet in steps, relative to the lowest one."""
        return (self._main_cents - self._least_main) // self._step

    @cached_property
    def _sides(self) -> NDArray[np.int64]:
        """The net results of the side bets in steps, relative to a lost bet."""
        return (self._side_cents + UNIT) // self._step

    @cached_property
    def _least_main(self) -> int:
        return int(self._main_cents.min())

    @staticmethod
    def classes_of(side: int) -> tuple[int, int, int]:
        """Return the classes of Perfect Pairs, 21+3 and Lucky Ladies from the kernel's number."""
        rest, ladies = divmod(int(side), layout.LADIES)
        return *divmod(rest, layout.PLUS_THREE), ladies

    @cached_property
    def _tables(self) -> Sequence[NDArray[Any]]:
        plays, grown, dealer, options = self.strategy.tables(self.seats)
        hole_card = self.rules.hole_card
        settled, units = tables.settled(hole_card), tables.units(hole_card)
        sides = tables.twos(), tables.threes()
        return plays, grown, dealer, settled, units, *sides, options, self._mains, self._sides

    def play(self, begin: int, end: int) -> Counts:
        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        kernel: Any = rounds.play_rounds
        kernel(np.uint64(self.seed), begin, end, *self._tables, *parts.values())
        return counts

    def play_on_gpu(self, begin: int, end: int) -> Counts:
        from pitboss.games.blackjack.kernels import cuda

        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        cuda.play_rounds(self.seed, begin, end, self._tables, *parts.values())
        return counts

    # --- results

    def trial(self, counts: Counts) -> Trial:
        """Return the counts as a trial."""
        parts = self.views(counts)
        return Trial(
            seats=self.seats, nets=parts["nets"], splits=parts["splits"], happened=parts["rounds"]
        )

    def bets(
        self, counts: Counts, exact: Mapping[str, ExactFigures] | None = None
    ) -> dict[str, Bet]:
        """Return the results of Main with insurance, of the side bets, and of all together."""
        parts, known = self.views(counts), exact or {}
        mains = parts["nets"].reshape(layout.SIDES, -1)
        least = dict.fromkeys(SIDE_BETS, -UNIT) | {"main": self._least_main}
        least["package"] = sum(least.values())
        found = {}
        for place, name in enumerate(BETS):
            player = self._sample(mains, name)
            table = sample_of(parts["house"][place], self.seats * least[name], self._step)
            found[name] = Bet(
                name,
                GAME.units[name],
                self.seats,
                player,
                player if self.seats == 1 else table,
                self._classes(mains, SIDE_BETS.index(name)) if name in SIDE_BETS else None,
                known.get(name),
            )
        return found

    def exact(self) -> dict[str, ExactFigures]:
        """Return the exact figures of the bets.

        The figures of Main are known for a solved strategy, if no win is rounded and the seat plays
        alone: with several seats a shoe can run out.
        """
        figures = side_bet_figures.figures(self.rules)
        found = {name: exact_figures(self.rules, bet) for name, bet in figures.items()}
        ev = self.strategy.ev
        if self.seats > 1 or ev is None or _is_rounded(self.rules):
            return found
        package = ev + sum(bet.ev for bet in found.values())
        return {"main": ExactFigures(ev), **found, "package": ExactFigures(package)}

    def details(self, counts: Counts, bets: Mapping[str, Bet]) -> TableDetails:
        return TableDetails(self.trial(counts), bets["main"])

    def _sample(self, mains: Counts, name: str) -> Sample:
        """Return one seat's results; *mains* counts by side bets, and by Main with insurance."""
        cents, counts = self._main_cents.reshape(-1).tolist(), dict[int, int]()
        for side, main in np.argwhere(mains).tolist():
            sides = self._side_cents[side].tolist()
            nets = dict(zip(BETS, (cents[main], *sides, cents[main] + sum(sides)), strict=True))
            counts[nets[name]] = counts.get(nets[name], 0) + int(mains[side, main])
        return Sample(counts)

    def _classes(self, mains: Counts, bet: int) -> dict[str, int]:
        """Return how often each class of a side bet was dealt."""
        every = (tables.PAIRS, tables.THREES, tables.LADIES)[bet]
        names = [c.replace("_", " ") if c else ELSE for c in every]
        found = dict.fromkeys(names, 0)
        for side, times in enumerate(mains.sum(axis=1).tolist()):
            found[names[self.classes_of(side)[bet]]] += times
        return found

    # --- one round as a journal

    def journal(self, number: int) -> dict[str, Json]:
        return Record(self, check_number(number)).journal()


def _is_rounded(rules: Rules) -> bool:
    """Return whether a blackjack, a surrender or an insurance is rounded."""
    blackjack = rules.rounding.net(rules.blackjack_pays, UNIT) != rules.blackjack_pays.on(UNIT)
    insurance = tables.insurance_nets(rules) != [0, -UNIT // 2, UNIT]
    return blackjack or insurance or tables.surrender_net(rules) != -UNIT // 2


def job(rules: Rules, seats: int, seed: int, strategy: Strategy) -> Blackjack:
    """Return the job that plays *rules* with a strategy."""
    if strategy.rules != rules:
        raise RuleError(f"the strategy {strategy.name} was made for other rules")
    return Blackjack(strategy, seats, seed)
