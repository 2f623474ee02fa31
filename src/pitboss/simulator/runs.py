"""Running a simulation: on all cores, on a graphics card or on a cluster, with checkpoints.

The rounds are cut into pieces, each a pure function of the job and its numbers; what a piece
counted is added up. So the totals do not depend on the pieces, on who played them or in which
order, and a piece that is lost can be played again.
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

from pitboss.errors import GameError, RuleError, shown
from pitboss.simulator.jobs import MOST_ROUNDS, Job
from pitboss.solver.checkpoint import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from pitboss.rules import Json
    from pitboss.simulator.jobs import Bet, Counts, Exact

    Piece: TypeAlias = tuple[int, int]
    Played: TypeAlias = tuple[int, int, Counts]

ENGINES = ("cpu", "cuda", "dask")
"""Where rounds can be played: all cores, a graphics card, a cluster."""

FORMAT = 1
MOST_COUNT = 2**62
EACH, LEAST = 8, 1 << 14
"""Pieces for each core, so that none is idle at the end, and rounds that are worth a piece."""

EVERY = 2.0
"""Seconds between two writings of a checkpoint."""


class SimulatorError(GameError):
    """A simulation that cannot be run, or cannot go on."""


@dataclass(frozen=True)
class Run:
    """What was played: so many rounds of a job, and everything that was counted."""

    job: Job
    rounds: int
    counts: Counts
    seconds: float
    """Wall time of this run, without compiling and without what a checkpoint had."""

    engine: str
    played: int
    """Rounds of this run; the others were in the checkpoint."""

    interrupted: bool = False

    @property
    def rate(self) -> float:
        """Rounds a second."""
        return self.played / self.seconds if self.seconds > 0 else 0.0

    def bets(self, exact: Mapping[str, Exact] | None = None) -> dict[str, Bet]:
        """Return what each bet came to, beside what is exact."""
        return self.job.bets(self.counts, exact)


def simulate(  # noqa: PLR0913  one for each thing that can be chosen
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
    """Play rounds 0 to *rounds*; *progress* is told how many are done.

    At Ctrl-C the run ends with what was counted. With a *checkpoint* that is kept in a file, and a
    later run goes on from there.
    """
    if isinstance(rounds, float) and rounds.is_integer():
        rounds = int(rounds)  # 1e8
    if type(rounds) is not int or not 1 <= rounds <= MOST_ROUNDS:
        raise RuleError(f"rounds must be a whole number of 1..10^15, not {shown(rounds)}")
    if piece is not None and piece < 1:
        raise RuleError(f"a piece is a whole number of rounds from 1 up, not {shown(piece)}")
    if engine not in ENGINES:
        raise SimulatorError(f"no engine {shown(engine)}: there are {', '.join(ENGINES)}")
    kept = Checkpoint(checkpoint, job, rounds) if checkpoint else None
    done = kept.done if kept else Done(np.zeros(job.size, np.int64))
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


# --- what is done


@dataclass
class Done:
    """The rounds that were played, as ranges, and what was counted in them."""

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
        self.counts, self.ranges = self.counts + counts, joined  # both, or at Ctrl-C neither

    def missing(self, rounds: int) -> Iterator[Piece]:
        """Return the ranges that are still to be played."""
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
    """Return how many rounds make a piece: tenths of a second's work, and some for every core."""
    if engine == "cuda":
        return max(1, job.gpu_piece // job.seats)
    share = rounds // (EACH * (threads or os.cpu_count() or 1))
    return max(1, min(job.piece // job.seats, max(LEAST, share)))


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
    """Play on a cluster, of this machine's cores if no other is named."""
    from pitboss.simulator import cluster as dask

    yield from dask.play(job, pieces, threads, cluster)


def _warm_up(job: Job, engine: str) -> None:
    """Compile what an engine needs, which is not counted as its time."""
    if engine != "cuda":
        job.play(0, 1)
        return
    from pitboss.kernels import cuda

    if not cuda.is_there():
        raise SimulatorError(
            "no CUDA graphics card was found (it needs pip install 'pitboss[cuda]' too):"
            " --engine cpu plays the same rounds on all cores"
        )
    job.play_on_gpu(0, 1)


# --- checkpoints


class Checkpoint:
    """What is done, in a file: rounds of one job, whoever played them."""

    def __init__(self, path: Path, job: Job, rounds: int) -> None:
        self._path, self._job, self._written = path, job, time.monotonic()
        self.done = Done(np.zeros(job.size, np.int64))
        if path.exists():
            self._read()
            if self.done.ranges and self.done.ranges[-1][1] > rounds:
                raise SimulatorError(
                    f"{shown(str(path))} has rounds up to {self.done.ranges[-1][1]:,} already: ask"
                    " for as many or more, or name another file"
                )
        else:
            self.write()  # a place that cannot be written to is told before the work

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
                f"{shown(str(self._path))} is the checkpoint of another game, other rules, seats,"
                " strategy or seed: remove it, or name another file"
            )
        if not (known and self._take(ranges, counts)):
            raise self._no_checkpoint()

    def _take(self, ranges: list[Piece], counts: list[tuple[int, int]]) -> bool:
        """Take what a file has, if it can be true."""
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
            f"{shown(str(self._path))} is no checkpoint of this command, or is damaged: remove it,"
            " or name another file"
        )

    def write_sometimes(self) -> None:
        if time.monotonic() - self._written > EVERY:
            self.write()

    def write(self) -> None:
        """Write what there is, whole or not at all."""
        places = np.flatnonzero(self.done.counts)
        body: dict[str, Json] = {
            "format": FORMAT,
            "job": self._job.identity(),
            "ranges": [list(piece) for piece in self.done.ranges],
            "counts": [[int(i), int(self.done.counts[i])] for i in places],
        }
        try:
            write_whole(self._path, json.dumps(body))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it has no name"
            raise SimulatorError(f"cannot write {shown(str(self._path))}: {reason}") from None
        self._written = time.monotonic()
