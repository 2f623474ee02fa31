"""Simulate Roll Your Own Blackjack with one to seven seats that all use one strategy.

A seat knows its own cards and the dealer's up card. No seat takes insurance. The simulation counts
events; they are priced afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pitboss.analysis.confirmation import exact_figures
from pitboss.core.errors import RuleError
from pitboss.games.roll_your_own import (
    GAME,
    Bonus,
    Rules,
    bonus_figures,
)
from pitboss.games.roll_your_own.kernels import layout, rounds
from pitboss.games.roll_your_own.record import Record
from pitboss.games.roll_your_own.trial import TableDetails, Trial
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
    from pitboss.games.roll_your_own.strategies import Strategy
    from pitboss.simulator.jobs import Counts

__all__ = ["RollYourOwn", "job"]

BETS = ("blackjack", "bonus", "package")


def _is_rounded(rules: Rules) -> bool:
    """Return whether the winnings of a blackjack are rounded, which the solver ignores."""
    return rules.rounding.net(rules.blackjack_pays, UNIT) != rules.blackjack_pays.on(UNIT)


def cents_of(rules: Rules) -> list[int]:
    """Return the net results of the classes of the Bonus and of a blackjack, in cents."""
    odds = [*map(rules.bonus_paytable.odds, (*Bonus, None)), rules.blackjack_pays]
    return [rules.rounding.net(o, UNIT) for o in odds]


@dataclass(frozen=True, eq=False)
class RollYourOwn(Job):
    """Rounds of Roll Your Own Blackjack, with one unit on each bet of every seat."""

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

    @property
    def strategy_name(self) -> str:
        return self.strategy.name

    def identity(self) -> dict[str, Json]:
        return super().identity() | {"strategy": self.strategy.digest()}

    # --- playing

    @cached_property
    def parts(self) -> dict[str, tuple[int, ...]]:  # type: ignore[override]
        bonus, blackjack, unit = self._pays[: layout.BONUSES].max(), *self._pays[layout.BONUSES :]
        most = int(bonus + 2 * blackjack + (layout.UNITS_OF - 1) * unit) * self.seats + 1
        results = check_results(most) if self.seats > 1 else 1
        return {
            "nets": (layout.BONUSES, layout.BLACKJACKS, layout.UNITS_OF),
            "events": (layout.EVENTS, layout.TIMES),
            "rounds": (layout.ROUND_EVENTS, layout.USES),
            "house": (layout.BETS, results),
        }

    @cached_property
    def _cents(self) -> list[int]:
        """The net results of the classes of the Bonus and of a blackjack, in cents."""
        return cents_of(self.rules)

    @cached_property
    def _step(self) -> int:
        return steps_of([*self._cents, 0])

    @cached_property
    def _pays(self) -> NDArray[np.int64]:
        """These results and a unit, all in steps; Bonus results are relative to a lost bet."""
        *bonuses, blackjack = self._cents
        cents = [*(net + UNIT for net in bonuses), blackjack, UNIT]
        return np.array([net // self._step for net in cents], np.int64)

    @cached_property
    def _tables(self) -> Sequence[NDArray[np.int64]]:
        return *self.strategy.tables(self.seats), self._pays  # type: ignore[return-value]

    def play(self, begin: int, end: int) -> Counts:
        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        rounds.play_rounds(np.uint64(self.seed), begin, end, *self._tables, *parts.values())  # type: ignore[arg-type]
        return counts

    def play_on_gpu(self, begin: int, end: int) -> Counts:
        from pitboss.games.roll_your_own.kernels import cuda

        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        cuda.play_rounds(self.seed, begin, end, self._tables, *parts.values())
        return counts

    # --- results

    def trial(self, counts: Counts) -> Trial:
        """Return the counts as a trial."""
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

    def bets(
        self, counts: Counts, exact: Mapping[str, ExactFigures] | None = None
    ) -> dict[str, Bet]:
        """Return the results of the blackjack bets, the Bonus and all three together."""
        parts, known = self.views(counts), exact or {}
        least = {"blackjack": -layout.MOST, "bonus": -1, "package": -layout.MOST - 1}
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

    def exact(self) -> dict[str, ExactFigures]:
        """Return the exact figures of the bets.

        The figures of the blackjack bets are known for one seat, a solved strategy, and blackjacks
        that are paid without rounding. With several seats the deck can run out.
        """
        bonus = exact_figures(self.rules, bonus_figures.figures(self.rules))
        ev = self.strategy.ev
        if self.seats > 1 or ev is None or _is_rounded(self.rules):
            return {"bonus": bonus}
        return {
            "blackjack": ExactFigures(ev),
            "bonus": bonus,
            "package": ExactFigures(ev + bonus.ev),
        }

    def details(self, counts: Counts, bets: Mapping[str, Bet]) -> TableDetails:
        return TableDetails(self.trial(counts), bets["package"])

    def _sample(self, nets: Counts, name: str) -> Sample:
        *bonuses, blackjack = self._cents
        counts: dict[int, int] = {}
        for bonus, paid, units in np.argwhere(nets).tolist():
            played = paid * blackjack + (units - layout.MOST) * UNIT
            net = {"blackjack": played, "bonus": bonuses[bonus], "package": played + bonuses[bonus]}
            counts[net[name]] = counts.get(net[name], 0) + int(nets[bonus, paid, units])
        return Sample(counts)

    def _classes(self, nets: Counts) -> dict[str, int]:
        names = [*(c.replace("_", " ") for c in Bonus), "anything else"]
        return dict(zip(names, nets.sum(axis=(1, 2)).tolist(), strict=True))

    # --- one round as a journal

    def journal(self, number: int) -> dict[str, Json]:
        return Record(self, check_number(number)).journal()


def job(rules: Rules, seats: int, seed: int, strategy: Strategy) -> RollYourOwn:
    """Return the job that plays *rules* with a strategy."""
    if strategy.rules != rules:
        raise RuleError(f"the strategy {strategy.name} was made for other rules")
    return RollYourOwn(strategy, seats, seed)
