"""The control chart: the cumulative hold of a table or game, compared with its expectation."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Final, Unpack

from pitboss.backoffice.performance import SIGMAS, RulesPlayed, Sums, in_daemon_thread
from pitboss.core.errors import NotationError
from pitboss.ledger.report_queries import Filters, grouped_rounds, rules_played
from pitboss.tables.timestamps import iso_or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pitboss.core.settings import Json
    from pitboss.ledger.store import Row, Store

POINTS: Final = 100


async def chart(
    store: Store, *, points: int = POINTS, solve: bool = True, **wanted: Unpack[Filters]
) -> dict[str, Json]:
    """Return the cumulative hold and its expectation, for one table or for one game's rules.

    At each point, the hold of a correct game lies within three standard errors of its expectation,
    from ``low`` to ``high``, with a probability of 99.7 %. This holds for a single point: among a
    hundred points, it is more likely that at least one lies outside. If *solve* is false, the
    function does not wait for a theory that is not computed yet.
    """
    played = await _charted(store, wanted)
    rows = await grouped_rounds(store, wanted, max(1, min(points, POINTS)))
    line = await in_daemon_thread(partial(_line, rows, played, solve=solve))
    outside = [place for place, point in enumerate(line) if point["out"]]
    return {
        "table": wanted.get("table"),
        "game": played.game.key,
        "rules_digest": played.rules.digest(),
        "assumes": played.theory.assumes if played.theory else None,
        "no_theory": played.reason,
        "pending": played.pending,
        "sigmas": SIGMAS,
        "rounds": line[-1]["rounds"] if line else 0,
        "points": line,
        "out_of_range": bool(outside),
        "first_out": outside[0] if outside else None,
    }


def _line(rows: Sequence[Row], played: RulesPlayed, *, solve: bool) -> list[dict[str, Json]]:
    played.count(rows)
    if rows and (solve or played.is_ready):
        played.compute()
    sums, points = Sums(), {}
    for row in rows:
        sums.add(row, played)
        points[row.place] = _point(sums)
    return list(points.values())


def _point(sums: Sums) -> dict[str, Json]:
    """Return the hold after these rounds."""
    expected, error, z = -sums.mean, sqrt(sums.variance), sums.z
    known = z is not None
    return {
        "rounds": sums.rounds,
        "ended": iso_or_none(sums.last),
        "initial": sums.initial,
        "hold": sums.hold,
        "expected": round(expected) if known else None,
        "std_error": round(error) if known else None,
        "low": round(expected - SIGMAS * error) if known else None,
        "high": round(expected + SIGMAS * error) if known else None,
        "z": z,
        "out": known and abs(z or 0) > SIGMAS,
    }


async def _charted(store: Store, wanted: Filters) -> RulesPlayed:
    if (wanted.get("table") is None) == (wanted.get("digest") is None):
        raise NotationError("a chart shows one table or one game's rules: choose one of them")
    row = await rules_played(store, wanted)
    return RulesPlayed(row.game, row.rules)
