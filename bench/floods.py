"""The response time for an honest player while others flood the server, with real sockets.

    python -m bench.floods                       # all floods, about three minutes
    python -m bench.floods --flood pings --seconds 10 --apart
    python -m bench.floods --flood "tiny frames" --flood pings --compare

The player acts every 50 to 100 ms at a solo table, first on a quiet server and then during each
flood. Ten flooders share one process. Each sends up to 2 MB/s and reconnects as soon as it is cut
off. They share the player's address, or with --apart each has a different one. Server, player and
flooders share this machine, so the flooders also slow the player down directly. The ratios compare
with the quiet server. With --compare, the same floods also hit a server whose sockets are not
metered (``web/frames.py``).

The exit status is 1 if the 99th percentile of a flood reaches --limit. Because other programs on
the machine can cause that too, such a flood is measured up to three times, and the best one counts.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import httpx

from bench.server import SERVE, Player, sit_down

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PORT = 8138
UNMETERED = f"""
from pitboss.web.frames import MeteredSocket
MeteredSocket.data_received = lambda self, data: self._socket.data_received(data)
{SERVE}
"""
BYTES_PER_S = 2_000_000
TICK_S = 0.01
WARM_UP_S = 2.0
TRIES = 3
RECONNECT_S = 0.002
MAX_OPEN = 300
"""Connections that a flooder keeps open at the same time, in floods of connections."""

HANDSHAKE = (
    "GET /api/v1/tables/{table}/live HTTP/1.1\r\nHost: pitboss\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n"
)
NULL_MASK = b"\0\0\0\0"  # a mask that changes nothing
LARGE_MESSAGE = b'{"v":1,"id":"x","do":"sit","client_seed":"' + b"x" * 65_000 + b'"}'
POST = b"POST /api/v1/guest HTTP/1.1\r\nHost: pitboss\r\n"


def frame(first: int, payload: bytes = b"") -> bytes:
    """Return a masked WebSocket frame, as a client sends it."""
    size = len(payload)
    head = bytes([first, 0x80 | size]) if size < 126 else bytes([first, 0xFE]) + size.to_bytes(2)  # noqa: PLR2004
    return head + NULL_MASK + payload


SOCKETS = {
    "tiny frames": frame(0x81),
    "pings": frame(0x89),
    "pongs": frame(0x8A),
    "empty fragments": frame(0x00),
    "unreadable": frame(0x81, b"{}"),
    "binary": frame(0x82, b"x"),
    "64 KiB messages": frame(0x81, LARGE_MESSAGE),
}
"""Floods on a WebSocket."""

REQUESTS = {
    "pipelined requests": b"GET /api/v1/tables HTTP/1.1\r\nHost: pitboss\r\n\r\n",
    "huge headers": b"x" * 4096,
    "many headers": b"a: b\r\n",
    "tiny chunks": b"1\r\n{\r\n",
    "64 KiB bodies": POST + b"Content-Length: 65000\r\n\r\n" + b"{" * 65_000,
    "not HTTP": b"\x16\x03\x01\x02\x00" * 20,
}
"""Floods of requests; some continue a prefix in ``PREFIX``."""

PREFIX = {
    "huge headers": b"GET / HTTP/1.1\r\nHost: pitboss\r\nx: ",
    "many headers": b"GET / HTTP/1.1\r\nHost: pitboss\r\n",
    "tiny chunks": POST + b"Transfer-Encoding: chunked\r\n\r\n",
    "empty fragments": frame(0x01),
}
CONNECTIONS = {
    "connect and close": b"",
    "connect and ask": b"GET /health/live HTTP/1.1\r\nHost: pitboss\r\n\r\n",
    "handshakes": b"",
    "half-open requests": b"GET / HTTP/1.1\r\nHost: pitboss\r\n",
    "slow bodies": POST + b"Content-Length: 1000\r\n\r\n{",
}
"""Floods of connections; the last two keep them open."""

KEEP_OPEN = {"half-open requests", "slow bodies"}
FLOODS = [*SOCKETS, *REQUESTS, *CONNECTIONS]


class Flooder:
    """One source of a flood."""

    def __init__(self, name: str, table: str, source: str, end: float) -> None:
        self.name, self.end, self.source = name, end, source
        self.handshake = HANDSHAKE.format(table=table).encode()
        self.cuts = self.sent = 0

    async def run(self) -> None:
        """Flood the server until the time is up."""
        work = self._connect if self.name in CONNECTIONS else self._pour
        while time.monotonic() < self.end:
            with suppress(OSError, TimeoutError):
                await work()
            self.cuts += 1
            await asyncio.sleep(RECONNECT_S)

    async def _open(self) -> socket.socket:
        loop = asyncio.get_running_loop()
        wire = socket.socket()
        wire.settimeout(0)
        wire.bind((self.source, 0))
        async with asyncio.timeout(2):
            try:
                await loop.sock_connect(wire, ("127.0.0.1", PORT))
            except BaseException:
                wire.close()
                raise
        return wire

    async def _pour(self) -> None:
        """Send as much as the rate allows until the server cuts the connection off."""
        loop = asyncio.get_running_loop()
        wire = await self._open()
        try:
            if self.name in SOCKETS:
                await loop.sock_sendall(wire, self.handshake)
                answer = await asyncio.wait_for(loop.sock_recv(wire, 65_536), 2)
                if b" 101 " not in answer:
                    return
            await loop.sock_sendall(wire, PREFIX.get(self.name, b""))
            unit = (SOCKETS | REQUESTS)[self.name]
            portion = unit * max(1, int(BYTES_PER_S * TICK_S) // len(unit))
            pause = len(portion) / BYTES_PER_S
            reading = asyncio.create_task(drain(wire))
            try:
                while time.monotonic() < self.end and not reading.done():
                    await asyncio.wait_for(loop.sock_sendall(wire, portion), 2)
                    self.sent += len(portion)
                    await asyncio.sleep(pause)
            finally:
                reading.cancel()
        finally:
            wire.close()

    async def _connect(self) -> None:
        """Open connections, send the data, and close them or keep them open."""
        loop = asyncio.get_running_loop()
        kept: list[socket.socket] = []
        try:
            while time.monotonic() < self.end:
                wire = await self._open()
                kept.append(wire)
                data = self.handshake if self.name == "handshakes" else CONNECTIONS[self.name]
                with suppress(OSError):
                    await loop.sock_sendall(wire, data)
                self.sent += 1
                if self.name not in KEEP_OPEN or len(kept) > MAX_OPEN:
                    kept.pop(0).close()
                await asyncio.sleep(RECONNECT_S)
        finally:
            for wire in kept:
                wire.close()


async def drain(wire: socket.socket) -> None:
    """Read what the server sends until it closes the connection."""
    with suppress(OSError):
        while await asyncio.get_running_loop().sock_recv(wire, 65_536):
            pass


def flood(name: str, table: str, seconds: float, sources: list[str]) -> None:
    """Run the flooders in this process, and print a summary."""

    async def run() -> None:
        end = time.monotonic() + seconds
        flooders = [Flooder(name, table, source, end) for source in sources]
        await asyncio.gather(*(flooder.run() for flooder in flooders))
        sent, cuts = (sum(getattr(f, what) for f in flooders) for what in ("sent", "cuts"))
        unit = f"{sent:,} connections" if name in CONNECTIONS else f"{sent / 1e6:.1f} MB"
        print(f"    sent {unit}, cut off or refused {cuts:,} times", flush=True)

    asyncio.run(run())


async def play(player: Player, until: Callable[[], bool]) -> list[float]:
    """Let a player act every 50 to 100 ms; return the sorted response times in seconds."""
    while not until():
        await player.act()
        await asyncio.sleep(random.uniform(0.05, 0.1))  # noqa: S311  no game of chance
    waits, player.waits = sorted(player.waits), []
    return waits


def show(name: str, waits: list[float], quiet: list[float]) -> float:
    """Print the response times and their ratio to those of a quiet server; return the p99 in ms."""

    def cuts(values: list[float]) -> tuple[float, float]:
        found = statistics.quantiles(values, n=100, method="inclusive")
        return 1000 * found[49], 1000 * found[98]

    (p50, p99), (usual, slowest) = cuts(waits), cuts(quiet)
    print(
        f"  {name:20} p50 {p50:7.1f} ms ({p50 / usual:5.1f}x)  p99 {p99:7.1f} ms"
        f" ({p99 / slowest:5.1f}x)  max {1000 * waits[-1]:7.1f} ms  {len(waits)} actions",
        flush=True,
    )
    return p99


async def measure(options: argparse.Namespace) -> list[str]:
    """Measure a quiet server, then every flood; return the floods that reach the limit."""
    address = f"http://127.0.0.1:{PORT}"
    (player,) = await sit_down(address, 1)
    async with httpx.AsyncClient(base_url=address) as http:
        (await http.post("/api/v1/guest", json={})).raise_for_status()
        shared = {"game": "toss-one-21", "seconds": 600}
        table = (await http.post("/api/v1/tables", json=shared)).json()["id"]
    start = time.monotonic() + WARM_UP_S
    await play(player, lambda: time.monotonic() > start)
    quiet = await play(player, lambda: time.monotonic() > start + options.seconds)
    show("quiet", quiet, quiet)
    sources = [f"127.0.1.{n}" if options.apart else "127.0.0.1" for n in range(1, 11)]
    too_slow = []
    for name in options.flood or FLOODS:
        about = (name, table, options.seconds, sources)
        for _ in range(TRIES):
            process = multiprocessing.get_context("spawn").Process(target=flood, args=about)
            process.start()
            waits = await play(player, lambda: not process.is_alive())  # noqa: B023
            p99 = show(name, waits, quiet)
            await asyncio.sleep(options.pause)
            if p99 < options.limit:
                break
        else:
            too_slow.append(name)
    return too_slow


@contextmanager
def server(program: str = SERVE) -> Iterator[int]:
    """Run a server with the default limits."""
    with tempfile.TemporaryDirectory(prefix="pitboss-bench-") as folder:
        command = [sys.executable, "-c", program, "serve", "--json", "--port", str(PORT)]
        command += ["--database", f"{folder}/tables.db", "--log-level", "error"]
        command += ["--bankroll", "1000000"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
        try:
            assert process.stdout  # noqa: S101  it is a pipe
            if not process.stdout.readline():
                raise SystemExit("the server did not start")
            yield process.pid
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flood", choices=FLOODS, action="append")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--pause", type=float, default=3.0, help="seconds between floods")
    parser.add_argument("--apart", action="store_true", help="an address for each flooder")
    parser.add_argument("--limit", type=float, default=100.0, help="the p99 must be below, in ms")
    parser.add_argument("--compare", action="store_true", help="also without the meter of frames")
    options = parser.parse_args()
    with server():
        too_slow = asyncio.run(measure(options))
    if options.compare:
        print("without the meter of frames:")
        with server(UNMETERED):
            asyncio.run(measure(options))
    if too_slow:
        raise SystemExit(f"p99 of {options.limit:.0f} ms or more: {', '.join(too_slow)}")


if __name__ == "__main__":
    main()
