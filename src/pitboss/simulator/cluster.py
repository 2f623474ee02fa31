"""Play rounds on many processes or machines with Dask.

If a worker dies before it returns its counts, its piece runs again. Every piece is counted once.
The job is sent to every worker as a plugin, so workers that join later or restart get it too.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from logging import ERROR
from signal import SIG_IGN, SIGINT, signal
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

from distributed import Client, LocalCluster, WorkerPlugin, as_completed, get_worker

from pitboss.core.errors import shown
from pitboss.kernels import SOURCES
from pitboss.simulator.runs import SimulatorError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.simulator.jobs import Counts, Job

    Piece: TypeAlias = tuple[int, int]
    Played: TypeAlias = tuple[int, int, Counts]

WAIT = "10s"
PIECES_PER_CORE = 4
"""Pieces submitted in advance per core."""


class JobPlugin(WorkerPlugin):
    """A job on a worker. Its name is unique, because several runs may share a cluster."""

    def __init__(self, name: str, job: Job) -> None:
        self.name, self.job, self.kernels = name, job, SOURCES

    def setup(self, worker: object) -> None:
        """Reject a worker with other kernels, because its counts could differ."""
        from pitboss.kernels import SOURCES as HERE

        if self.kernels != HERE:
            raise SimulatorError(f"{worker} has a different version of pitboss")


def _play(name: str, begin: int, end: int) -> Played:
    rounds = get_worker().plugins[name]
    assert isinstance(rounds, JobPlugin)  # noqa: S101  registered under this name
    return begin, end, rounds.job.play(begin, end)


def play(
    job: Job, pieces: Iterator[Piece], workers: int | None, address: str | None
) -> Iterator[Played]:
    """Yield the counts of the pieces as they complete."""
    name = f"pitboss-{uuid4().hex}"
    with ExitStack() as stack:
        client = stack.enter_context(_client(stack, workers, address))
        try:
            client.wait_for_workers(1, timeout=WAIT)
            client.register_plugin(JobPlugin(name, job))
            stack.callback(_forget, client, name)
            cores = max(1, sum(client.nthreads().values()))

            def submit(number: int) -> list[object]:
                some = islice(pieces, number)
                return [client.submit(_play, name, *piece, pure=False) for piece in some]

            ready = as_completed(submit(PIECES_PER_CORE * cores), loop=client.loop)
            for future in ready:
                yield future.result()
                future.release()
                for more in submit(1):
                    ready.add(more)
        except TimeoutError as error:
            raise SimulatorError(f"no worker joined the cluster within {WAIT}") from error
        except Exception as error:  # any failure of a worker or of the connection
            raise SimulatorError(f"the cluster failed: {error}") from error


def _forget(client: Client, name: str) -> None:
    """Remove the job from the cluster; other users may share it."""
    with suppress(Exception):  # the cluster may be gone
        client.unregister_worker_plugin(name)


@contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C; this process handles it."""
    try:
        before = signal(SIGINT, SIG_IGN)
    except ValueError:  # signals can be set in the main thread only
        yield
        return
    try:
        yield
    finally:
        signal(SIGINT, before)


def _client(stack: ExitStack, workers: int | None, address: str | None) -> Client:
    if address is None:
        with _ignore_interrupts():
            cluster = LocalCluster(
                n_workers=workers or os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=ERROR,
            )
        return Client(stack.enter_context(cluster), set_as_default=False)
    wrong = SimulatorError(
        f"no cluster at {shown(address)}: write the address of a Dask scheduler, as in"
        " tcp://10.0.0.5:8786"
    )
    if not re.fullmatch(r"[a-z]+://\S+:\d+", address):
        raise wrong
    try:
        return Client(address, timeout=WAIT, set_as_default=False)
    except Exception as error:  # Dask raises many types
        raise wrong from error
