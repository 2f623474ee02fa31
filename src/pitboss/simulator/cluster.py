"""Playing on many processes or machines with Dask.

A piece can run twice, when a worker dies with its result; it is counted once. The job itself goes
to every worker as a plugin, so that one that joins or is started again has it too.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from itertools import islice
from logging import ERROR
from typing import TYPE_CHECKING, TypeAlias

from distributed import Client, LocalCluster, WorkerPlugin, as_completed, get_worker

from pitboss.errors import shown
from pitboss.simulator.runs import SimulatorError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.simulator.jobs import Counts, Job

    Piece: TypeAlias = tuple[int, int]
    Played: TypeAlias = tuple[int, int, Counts]

WAIT = "20s"
AHEAD = 4
"""Pieces that wait for each core."""


class Rounds(WorkerPlugin):
    """A job, at a worker."""

    name = "pitboss"

    def __init__(self, job: Job) -> None:
        self.job = job


def _play(begin: int, end: int) -> Played:
    rounds = get_worker().plugins[Rounds.name]
    assert isinstance(rounds, Rounds)  # noqa: S101  registered under this name
    return begin, end, rounds.job.play(begin, end)


def play(
    job: Job, pieces: Iterator[Piece], workers: int | None, address: str | None
) -> Iterator[Played]:
    """Yield what the pieces counted, as they are done."""
    with ExitStack() as stack:
        client = stack.enter_context(_client(stack, workers, address))
        client.register_plugin(Rounds(job))
        cores = max(1, sum(client.nthreads().values()))

        def submit(number: int) -> list[object]:
            return [client.submit(_play, *piece, pure=False) for piece in islice(pieces, number)]

        ready = as_completed(submit(AHEAD * cores), loop=client.loop)
        try:
            for future in ready:
                yield future.result()
                future.release()
                for more in submit(1):
                    ready.add(more)
        except (OSError, RuntimeError) as error:  # lost connections and workers
            raise SimulatorError(f"the cluster failed: {error}") from error


def _client(stack: ExitStack, workers: int | None, address: str | None) -> Client:
    if address is None:
        cluster = LocalCluster(
            n_workers=workers or os.cpu_count() or 1,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=ERROR,
        )
        return Client(stack.enter_context(cluster), set_as_default=False)
    try:
        return Client(address, timeout=WAIT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise SimulatorError(
            f"no cluster at {shown(address)}: write the address of a Dask scheduler, as in"
            " tcp://10.0.0.5:8786"
        ) from error
