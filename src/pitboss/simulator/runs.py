"""Run a simulation on all cores, on a graphics card or on a cluster, with checkpoints.

The rounds are cut into pieces. The counts of a piece depend only on the job and on the numbers of
its rounds, and the counts of all pieces are added. So the totals do not depend on the pieces, on
the machine or on the order, and a lost piece can be played again.
"""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import index
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pitboss.core.errors import GameError, RuleError, shown
from pitboss.files import write_atomically
from pitboss.simulator.jobs import MOST_ROUNDS, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from pitboss.core.settings import Json
    from pitboss.simulator.jobs import Bet, Counts, ExactFigures

    Piece: TypeAlias = tuple[int, int]
    Played: TypeAlias = tuple[int, int, Counts]

ENGINES = ("cpu", "cuda", "dask")
"""The engines: all cores of this machine, a graphics card, a cluster."""

FORMAT = 1
MOST_COUNT = 2**62
PIECES_PER_CORE, LEAST_ROUNDS = 8, 1 << 14
"""Pieces per core (several, so that no core idles at the end), and minimum rounds per piece."""

WRITE_INTERVAL_S = 2.0
"""Seconds between two writes of a checkpoint."""


class SimulatorError(GameError):
    """A simulation cannot be run or continued."""


@dataclass(frozen=True)
class Run:
    """The rounds of a job that were played, and their counts."""

    job: Job
    rounds: int
    counts: Counts
    seconds: float
    """Wall time of this run; it excludes compilation and the rounds from a checkpoint."""

    engine: str
    played: int
    """Rounds played in this run; the others came from the checkpoint."""

    interrupted: bool = False

    @property
    def rate(self) -> float:
        """Rounds per second."""
        return self.played / self.seconds if self.seconds > 0 else 0.0

    def bets(self, exact: Mapping[str, ExactFigures] | None = None) -> dict[str, Bet]:
        """Return the results of each bet, with the exact figures."""
        return self.job.bets(self.counts, exact)


def simulate(  # noqa: PLR0913  one parameter for each option
    job: Job,
    rounds: float,
    *,
    engine: str = "cpu",
    cluster: str | None = None,
    checkpoint: Path | None = None,
    threads: int | None = None,
    piece: int | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> Run:
    """Play rounds 0 to *rounds*; *progress* is called with the number of rounds played so far.

    After Ctrl-C the run ends with the rounds counted so far. A *checkpoint* file keeps the counts,
    and a later run continues from there.
    """
    if isinstance(rounds, float) and rounds.is_integer():
        rounds = int(rounds)  # 1e8
    if type(rounds) is not int or not 1 <= rounds <= MOST_ROUNDS:
        raise RuleError(f"rounds must be a whole number in 1..10^15, not {shown(rounds)}")
    if piece is not None and piece < 1:
        raise RuleError(f"a piece must be a whole number of rounds, at least 1, not {shown(piece)}")
    if engine not in ENGINES:
        raise SimulatorError(f"no engine {shown(engine)}: valid are {', '.join(ENGINES)}")
    kept = Checkpoint(checkpoint, job, rounds) if checkpoint else None
    done = kept.done if kept else PlayedRounds(np.zeros(job.size, np.int64))
    before = done.rounds
    pieces = _pieces(done.missing(rounds), piece or _size(job, engine, rounds, threads))
    _warm_up(job, engine)
    began, interrupted = time.perf_counter(), False
    progress(before)
    try:
        players = {"cpu": _on_cores, "cuda": _on_gpu, "dask": _on_cluster}
        for begin, end, counts in players[engine](job, pieces, threads, cluster):
            done.add(begin, end, counts)
            progress(done.rounds)
            if kept:
                kept.write_sometimes()
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if kept:
            kept.write()
    seconds = time.perf_counter() - began
    return Run(job, done.rounds, done.counts, seconds, engine, done.rounds - before, interrupted)


# --- rounds played


@dataclass
class PlayedRounds:
    """The rounds that were played, as ranges, and their counts."""

    counts: Counts
    ranges: list[Piece] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        return sum(end - begin for begin, end in self.ranges)

    def add(self, begin: int, end: int, counts: Counts) -> None:
        joined: list[Piece] = []
        for first, last in sorted([*self.ranges, (begin, end)]):
            if joined and joined[-1][1] == first:
                joined[-1] = joined[-1][0], last
            else:
                joined.append((first, last))
        # one statement, so that Ctrl-C cannot separate the two
        self.counts, self.ranges = self.counts + counts, joined

    def missing(self, rounds: int) -> Iterator[Piece]:
        """Return the ranges that have not been played."""
        at = 0
        for begin, end in [*self.ranges, (rounds, rounds)]:
            if at < begin:
                yield at, begin
            at = end


def _pieces(ranges: Iterable[Piece], size: int) -> Iterator[Piece]:
    for begin, end in ranges:
        for first in range(begin, end, size):
            yield first, min(first + size, end)


def _size(job: Job, engine: str, rounds: int, threads: int | None) -> int:
    """Return the rounds per piece, for short pieces of work that keep all cores busy."""
    if engine == "cuda":
        return max(1, job.gpu_piece // job.seats)
    share = rounds // (PIECES_PER_CORE * (threads or os.cpu_count() or 1))
    return max(1, min(job.piece // job.seats, max(LEAST_ROUNDS, share)))


# --- engines


def _on_cores(
    job: Job, pieces: Iterator[Piece], threads: int | None, _: str | None
) -> Iterator[Played]:
    """Play on all cores of this machine."""
    workers = threads or os.cpu_count() or 1
    pool = ThreadPoolExecutor(workers)
    try:
        waiting: set[Future[Played]] = set()

        def play(piece: Piece) -> Played:
            return (*piece, job.play(*piece))

        while True:
            for piece in islice(pieces, 2 * workers - len(waiting)):
                waiting.add(pool.submit(play, piece))
            if not waiting:
                return
            ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in ready)
    finally:
        pool.shutdown(cancel_futures=True)


def _on_gpu(job: Job, pieces: Iterator[Piece], _: int | None, __: str | None) -> Iterator[Played]:
    """Play on a graphics card."""
    for begin, end in pieces:
        yield begin, end, job.play_on_gpu(begin, end)


def _on_cluster(
    job: Job, pieces: Iterator[Piece], threads: int | None, cluster: str | None
) -> Iterator[Played]:
    """Play on a cluster; by default, a local one on this machine's cores."""
    from pitboss.simulator import cluster as dask

    yield from dask.play(job, pieces, threads, cluster)


def _warm_up(job: Job, engine: str) -> None:
    """Compile the kernels of an engine, outside the measured time."""
    if engine != "cuda":
        job.play(0, 1)
        return
    from pitboss.kernels import cuda

    if not cuda.is_available():
        raise SimulatorError(
            "no CUDA graphics card was found (pip install 'pitboss[cuda]' is needed too):"
            " --engine cpu plays the same rounds on all cores"
        )
    job.play_on_gpu(0, 1)


# --- checkpoints


class Checkpoint:
    """A file that stores the counts of a job's rounds played so far, on any engine."""

    def __init__(self, path: Path, job: Job, rounds: int) -> None:
        self._path, self._job, self._written = path, job, time.monotonic()
        self.done = PlayedRounds(np.zeros(job.size, np.int64))
        if path.exists():
            self._read()
            if self.done.ranges and self.done.ranges[-1][1] > rounds:
                raise SimulatorError(
                    f"{shown(str(path))} already has rounds up to {self.done.ranges[-1][1]:,}:"
                    " choose at least as many rounds, or name another file"
                )
        else:
            self.write()  # so that an unwritable path is reported before the work starts

    def _read(self) -> None:
        try:
            body = json.loads(self._path.read_text("utf-8"))
            known, about = body["format"] == FORMAT, body["job"]
            ranges = [(index(begin), index(end)) for begin, end in body["ranges"]]
            counts = [(index(place), index(n)) for place, n in body["counts"]]
        except OSError as error:
            raise SimulatorError(
                f"cannot read {shown(str(self._path))}: {error.strerror}"
            ) from None
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self._no_checkpoint() from None
        if known and about != self._job.identity():
            raise SimulatorError(
                f"{shown(str(self._path))} is a checkpoint with a different game, rules, seats,"
                " strategy or seed: remove it, or name another file"
            )
        if not (known and self._take(ranges, counts)):
            raise self._no_checkpoint()

    def _take(self, ranges: list[Piece], counts: list[tuple[int, int]]) -> bool:
        """Load the counts of a file if they are plausible."""
        ends = [-1, *(n for piece in ranges for n in piece)]
        apart = all(a < b for a, b in pairwise(ends))
        if not apart or any(
            not 0 <= i < self._job.size or not 0 <= n <= MOST_COUNT for i, n in counts
        ):
            return False
        for place, n in counts:
            self.done.counts[place] = n
        self.done.ranges = ranges
        return self._job.agrees(self.done.counts, self.done.rounds)

    def _no_checkpoint(self) -> SimulatorError:
        return SimulatorError(
            f"{shown(str(self._path))} is not a checkpoint of this command, or is damaged: remove"
            " it, or name another file"
        )

    def write_sometimes(self) -> None:
        if time.monotonic() - self._written > WRITE_INTERVAL_S:
            self.write()

    def write(self) -> None:
        """Write all counts atomically."""
        places = np.flatnonzero(self.done.counts)
        body: dict[str, Json] = {
            "format": FORMAT,
            "job": self._job.identity(),
            "ranges": [list(piece) for piece in self.done.ranges],
            "counts": [[int(i), int(self.done.counts[i])] for i in places],
        }
        try:
            write_atomically(self._path, json.dumps(body))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it has no name"
            raise SimulatorError(f"cannot write {shown(str(self._path))}: {reason}") from None
        self._written = time.monotonic()
