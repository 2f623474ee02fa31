"""Actual results of every game and table, compared with theory.

Amounts are in cents, times in ISO 8601. The *hold* is the house's win. Percentages refer to the
bets made before the deal; the final amount *staked* includes doubles, splits and insurance.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from math import sqrt
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeVar, Unpack

from pitboss.analysis.theory import Expected, Theory
from pitboss.backoffice.theory import NoTheory, known, theory
from pitboss.core.settings import read_json
from pitboss.games import find_game
from pitboss.ledger.paging import MOST_ROWS
from pitboss.ledger.report_queries import (
    Filters,
    amounts_on_felt,
    counted_rounds,
    games_played,
    newest_tables,
)
from pitboss.tables.timestamps import iso, iso_or_none

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules
    from pitboss.ledger.store import Row, Store

T = TypeVar("T")

SIGMAS: Final = 3
"""The distance from the expectation to the chart's limits, in standard errors (99.7 %)."""

SOLVED_AT_ONCE: Final = 8
"""The maximum number of rules for which one report computes the theory; the next one continues."""

NOT_COMPUTED: Final = "not computed yet: try again later"


@dataclass(slots=True)
class Sums:
    """Sums over rounds, with their expectation."""

    rounds: int = 0
    voids: int = 0
    initial: int = 0
    staked: int = 0
    net: int = 0
    first: int | None = None
    last: int | None = None
    # from the theory, if there is one
    mean: float = 0.0
    variance: float = 0.0
    expected: float = 0.0  # the expected final amount staked

    @property
    def hold(self) -> int:
        return -self.net

    @property
    def z(self) -> float | None:
        """The number of standard errors by which the hold exceeds its expectation."""
        return (self.hold + self.mean) / sqrt(self.variance) if self.variance else None

    def add(self, row: Row, rules: RulesPlayed) -> None:
        """Add rounds of one table with equal bets."""
        times = int(row.times)
        if row.status == "void":
            self.voids += times
            return
        self.rounds += times
        initial, per = rules.of(row.stakes)
        self.initial += times * initial
        self.staked += int(row.staked)
        self.net += int(row.net)
        if per:
            self.mean += times * per.mean
            self.variance += times * per.variance
            self.expected += times * per.staked
        self.first = min(self.first or row.first, row.first)
        self.last = max(self.last or row.last, row.last)

    def as_json(self) -> dict[str, Json]:
        z = self.z
        known = z is not None
        return {
            "rounds": self.rounds,
            "voids": self.voids,
            "initial": self.initial,
            "staked": self.staked,
            "paid": self.staked + self.net,
            "hold": self.hold,
            "hold_percent": _percent(self.hold, self.initial),
            "hold_percent_of_staked": _percent(self.hold, self.staked),
            "return_percent": _percent(self.initial - self.hold, self.initial),
            "theoretical_hold": round(-self.mean) if known else None,
            "theoretical_hold_percent": _percent(-self.mean, self.initial) if known else None,
            "theoretical_hold_percent_of_staked": (
                _percent(-self.mean, self.expected) if known else None
            ),
            "theoretical_return_percent": (
                _percent(self.initial + self.mean, self.initial) if known else None
            ),
            "std_error": round(sqrt(self.variance)) if known else None,
            "z": z,
            "out_of_range": known and abs(z or 0) > SIGMAS,
            "first": iso_or_none(self.first),
            "last": iso_or_none(self.last),
        }


class RulesPlayed:
    """Rules in use: how often they were played, and their theory or why there is none."""

    def __init__(self, game: str, text: str) -> None:
        self.game: Game = find_game(game)
        self.rules: Rules = self.game.rules.from_json(read_json(text))
        self.rounds = 0
        self.seats = 0  # the largest number in one round
        self.theory: Theory | None = None
        self.reason: str | None = NOT_COMPUTED
        self._rounds: dict[str, tuple[int, Expected | None]] = {}
        self._seats: dict[tuple[tuple[str, int], ...], int] = {}

    def count(self, rows: Iterable[Row]) -> None:
        """Count the finished rounds."""
        for row in rows:
            if row.status != "void":
                self.rounds += int(row.times)
                self.seats = max(self.seats, len(read_json(row.stakes)))

    @property
    def is_ready(self) -> bool:
        """Whether the theory of these rounds is computed."""
        found = known(self.rules)
        return found.is_ready(self.seats) if isinstance(found, Theory) else found is not None

    @property
    def pending(self) -> bool:
        """Whether the theory is not computed yet."""
        return self.rounds > 0 and self.reason is NOT_COMPUTED

    def compute(self) -> None:
        """Compute the theory, which takes seconds, or get it from the cache."""
        found = known(self.rules) or theory(self.game, self.rules)
        if isinstance(found, NoTheory):
            self.reason = found.reason
        else:
            self.theory, self.reason = found, None

    def of(self, stakes: str) -> tuple[int, Expected | None]:
        """Return the sum of the bets before the deal, and the expectation of such a round."""
        if stakes not in self._rounds:
            seats = read_json(stakes)
            expected = self.theory.round(seats) if self.theory else None
            self._rounds[stakes] = sum(map(self._initial, seats)), expected
        return self._rounds[stakes]

    def _initial(self, seat: dict[str, int]) -> int:
        key = tuple(seat.items())
        if key not in self._seats:
            bet = self.game.place(1, seat)
            self._seats[key] = self.game.start(self.rules).apply(bet).staked
        return self._seats[key]

    def as_json(self) -> dict[str, Json]:
        about = self.theory.as_json() if self.theory else {}
        return {
            "assumes": about.get("assumes"),
            "bets": about.get("bets"),
            "no_theory": self.reason,
            "pending": self.pending,
        }


async def in_daemon_thread(work: Callable[[], T]) -> T:
    """Run work that may take minutes in a thread; a stopping server does not wait for it."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001  the caller gets it
            done.set_exception(error)

    Thread(target=run, daemon=True, name="pitboss-theory").start()
    return await asyncio.wrap_future(done)


async def performance(
    store: Store,
    *,
    limit: int = MOST_ROWS,
    solve: int = SOLVED_AT_ONCE,
    **wanted: Unpack[Filters],
) -> list[dict[str, Json]]:
    """Return the figures of each game and rules, then of each table, with their theory.

    Only the newest *limit* tables are listed, but the games count the rounds of all tables. At most
    *solve* missing theories are computed; with 0, the function does not wait.
    """
    games = await games_played(store, wanted)
    newest = await newest_tables(store, wanted, limit)
    felt = await amounts_on_felt(store, wanted)
    counted = await counted_rounds(store, wanted)
    played = {row.rules_digest: RulesPlayed(row.game, row.rules) for row in games}
    by_table, by_digest = await in_daemon_thread(partial(_added_up, counted, played, solve))
    on_felt: dict[str, int] = defaultdict(int)
    for cents, digest in felt.values():
        on_felt[digest] += cents
    return [
        _game_json(row)
        | by_digest[row.rules_digest].as_json()
        | {"felt": on_felt[row.rules_digest]}
        | played[row.rules_digest].as_json()
        for row in games
    ] + [
        _table_json(row)
        | by_table[row.id].as_json()
        | {"felt": felt.get(row.id, (0, ""))[0]}
        | played[row.rules_digest].as_json()
        for row in newest
    ]


def _added_up(
    counted: Sequence[Row], played: dict[str, RulesPlayed], solve: int
) -> tuple[dict[str, Sums], dict[str, Sums]]:
    """Sum up rounds by table and by rules; compute the theory of the most played rules first."""
    for row in counted:
        played[row.rules_digest].count([row])
    by_rounds = sorted((one for one in played.values() if one.rounds), key=lambda one: -one.rounds)
    new = [one for one in by_rounds if not one.is_ready]
    for one in by_rounds:
        if one not in new[solve:]:
            one.compute()
    tables_: dict[str, Sums] = defaultdict(Sums)
    digests: dict[str, Sums] = defaultdict(Sums)
    for row in counted:
        tables_[row.table_id].add(row, played[row.rules_digest])
        digests[row.rules_digest].add(row, played[row.rules_digest])
    return tables_, digests


def _table_json(row: Row) -> dict[str, Json]:
    return {
        "per": "table",
        "game": row.game,
        "rules_digest": row.rules_digest,
        "table": row.id,
        "name": row.name,
        "tables": 1,
        "status": "open" if row.closed is None else "closed",
        "created": iso(row.created),
        "closed": iso_or_none(row.closed),
    }


def _game_json(row: Row) -> dict[str, Json]:
    is_open = row.number > row.closed_tables
    return {
        "per": "game",
        "game": row.game,
        "rules_digest": row.rules_digest,
        "table": None,
        "name": find_game(row.game).name,
        "tables": row.number,
        "status": "open" if is_open else "closed",
        "created": iso(row.created),
        "closed": None if is_open else iso_or_none(row.closed),
    }


def _percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None
