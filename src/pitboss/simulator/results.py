"""The result of a run: its bets next to the exact figures, sessions, and sample journals."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pitboss.simulator.jobs import UNIT
from pitboss.simulator.sessions import session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.core.settings import Json
    from pitboss.simulator.jobs import Bet, Details
    from pitboss.simulator.runs import Run
    from pitboss.simulator.sessions import Session


class Result:
    """A run with its bets next to the exact figures."""

    def __init__(self, run: Run) -> None:
        self.run, self.job = run, run.job
        self.bets: dict[str, Bet] = run.bets(run.job.exact())

    @cached_property
    def details(self) -> Details | None:
        """Figures that are specific to this game."""
        return self.job.details(self.run.counts, self.bets)

    def as_json(self) -> dict[str, Json]:
        run, job = self.run, self.job
        body: dict[str, Json] = {
            "rounds": run.rounds,
            "seconds": run.seconds,
            "rounds_per_second": run.rate,
            "engine": run.engine,
            "seed": job.seed,
            "game": job.game,
            "seats": job.seats,
            "interrupted": run.interrupted,
            "bets": {name: bet.as_json() for name, bet in self.bets.items()},
            "rules": job.rules.as_json(),
        }
        if job.strategy_name:
            body["strategy"] = job.strategy_name
        if self.details:
            body["table"] = self.details.as_json()
        return body

    def is_exact(self, bet: str, *, house: bool = False) -> bool:
        """Return whether the distribution of one round is known without simulation."""
        if house and self.job.seats > 1:
            return False
        return self.job.distribution(bet) is not None

    def session(
        self, rounds: int, bet: str = "package", *, bankroll: int | None = None, house: bool = False
    ) -> Session:
        """Return the session of *rounds* rounds of a bet, for one seat or for the house.

        The *bankroll* is in units. The exact distribution of one round is used if it is known,
        and otherwise the counted one.
        """
        results = self.bets[bet]
        sample = results.table if house else results.player
        known = self.job.distribution(bet) if self.is_exact(bet, house=house) else None
        cents = bankroll and bankroll * UNIT
        stake = 0 if house else self.job.rules.game.units[bet]  # the house stakes nothing
        return session(
            {int(net): n for net, n in (known or sample.counts).items()},
            rounds,
            bankroll=cents,
            stake=UNIT * stake if cents else None,
            house=house,
        )

    def journals(self, number: int) -> Iterator[tuple[int, dict[str, Json]]]:
        """Yield up to *number* rounds, evenly spread over the run, with their numbers."""
        for place in sorted({i * self.run.rounds // number for i in range(number)}):
            yield place, self.job.journal(place)
