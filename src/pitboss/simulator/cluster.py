"""Playing on many processes or machines with Dask.

A piece can run twice, when a worker dies with its result; it is counted once. The job itself goes
to every worker as a plugin, so that one that joins or is started again has it too.
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

from pitboss.errors import shown
from pitboss.kernels import SOURCES
from pitboss.simulator.runs import SimulatorError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.simulator.jobs import Counts, Job

    Piece: TypeAlias = tuple[int, int]
    Played: TypeAlias = tuple[int, int, Counts]

WAIT = "10s"
AHEAD = 4
"""Pieces that wait for each core."""


class Rounds(WorkerPlugin):
    """A job, at a worker; every run has a name of its own, for a cluster may have several."""

    def __init__(self, name: str, job: Job) -> None:
        self.name, self.job, self.kernels = name, job, SOURCES

    def setup(self, worker: object) -> None:
        """Refuse a worker that would count otherwise."""
        from pitboss.kernels import SOURCES as HERE

        if self.kernels != HERE:
            raise SimulatorError(f"{worker} has another version of pitboss")


def _play(name: str, begin: int, end: int) -> Played:
    rounds = get_worker().plugins[name]
    assert isinstance(rounds, Rounds)  # noqa: S101  registered under this name
    return begin, end, rounds.job.play(begin, end)


def play(
    job: Job, pieces: Iterator[Piece], workers: int | None, address: str | None
) -> Iterator[Played]:
    """Yield what the pieces counted, as they are done."""
    name = f"pitboss-{uuid4().hex}"
    with ExitStack() as stack:
        client = stack.enter_context(_client(stack, workers, address))
        try:
            client.wait_for_workers(1, timeout=WAIT)
            client.register_plugin(Rounds(name, job))
            stack.callback(_forget, client, name)
            cores = max(1, sum(client.nthreads().values()))

            def submit(number: int) -> list[object]:
                some = islice(pieces, number)
                return [client.submit(_play, name, *piece, pure=False) for piece in some]

            ready = as_completed(submit(AHEAD * cores), loop=client.loop)
            for future in ready:
                yield future.result()
                future.release()
                for more in submit(1):
                    ready.add(more)
        except TimeoutError as error:
            raise SimulatorError(f"the cluster has no worker after {WAIT}") from error
        except Exception as error:  # whatever a worker or a lost connection ends with
            raise SimulatorError(f"the cluster failed: {error}") from error


def _forget(client: Client, name: str) -> None:
    """Take the job off a cluster that others use too."""
    with suppress(Exception):  # it may be gone
        client.unregister_worker_plugin(name)


@contextmanager
def _spared() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C, which is for this one."""
    try:
        before = signal(SIGINT, SIG_IGN)
    except ValueError:  # not the main thread, so nothing to spare
        yield
        return
    try:
        yield
    finally:
        signal(SIGINT, before)


def _client(stack: ExitStack, workers: int | None, address: str | None) -> Client:
    if address is None:
        with _spared():
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
    except Exception as error:  # Dask has many
        raise wrong from error
