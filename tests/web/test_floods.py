"""Floods and slow clients are cut off, and honest players do not notice them."""

import asyncio
import contextlib
import itertools
import json
import socket
import subprocess
import sys
import time

import pytest
from uvicorn.server import ServerState

from pitboss.web import connections, rate_limits
from pitboss.web.connections import MOST_FIELDS, MOST_HEAD_BYTES, Config, HttpConnection
from pitboss.web.frames import (
    FRAMES_PER_ITERATION,
    FRAMES_PER_MESSAGE,
    FRAMES_PER_TURN,
    PINGS,
    REFUSALS,
    MeteredSocket,
)
from pitboss.web.guard import Clients, Guard
from pitboss.web.rate_limits import ABORT_FACTOR, Bucket, RateLimits
from tests.web.client import Guest
from tests.web.servers import Server, eventually
from tests.web.test_frames import accept, frame, opened
from tools.console import ROOT

pytestmark = pytest.mark.xdist_group("web floods")

REQUESTS = 5
BURST = 3 * REQUESTS
BUDGET = FRAMES_PER_MESSAGE * BURST + REFUSALS
"""Frames that one socket may send at once."""

RATE = FRAMES_PER_MESSAGE * REQUESTS + PINGS
HALF = b"GET /health/live HTTP/1.1\r\nHost: pitboss\r\n"
ASK = HALF + b"\r\n"
UPGRADE = (
    "GET /api/v1/tables/{table}/live HTTP/1.1\r\nHost: pitboss\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n"
)


@pytest.fixture
def server(tmp_path):
    """Return a server with low limits; its log is empty at the end."""
    with (
        (tmp_path / "log").open("w", encoding="utf-8") as log,
        Server(str(tmp_path / "tables.db"), "--requests", str(REQUESTS), log=log) as server,
    ):
        yield server
    assert (tmp_path / "log").read_text("utf-8") == ""


WIRES = []


@pytest.fixture(autouse=True)
def closed_in_the_end():
    """Close the connections of a test."""
    yield
    while WIRES:
        WIRES.pop().close()


def connect(server, source="127.0.0.1"):
    """Return a plain connection to a server, from an address of this machine."""
    wire = socket.create_connection(("127.0.0.1", server.port), 15, (source, 0))
    WIRES.append(wire)
    return wire


def read_all(wire):
    """Read until the server closes the connection in any way."""
    said = b""
    with contextlib.suppress(ConnectionError):
        while data := wire.recv(65_536):
            said += data
    return said


def pour(wire, data):
    """Send everything, or as much as the server accepts before it closes the connection."""
    with contextlib.suppress(ConnectionError):
        wire.sendall(data)


def watch(server, table, source="127.0.0.2"):
    """Return a connection upgraded to a spectator's WebSocket, with nothing read."""
    wire = connect(server, source)
    wire.sendall(UPGRADE.format(table=table).encode())
    said = b""
    while b'"type":"state"' not in said:
        data = wire.recv(65_536)
        if not data:
            raise ConnectionError("the socket was refused")
        said += data
    return wire


def problem_in(answer):
    """Return the status and the error of a raw answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"x-content-type-options: nosniff" in head
    problem = json.loads(body)
    assert problem["detail"]
    return int(head.split()[1]), problem["error"]


@contextlib.asynccontextmanager
async def seated(server):
    """Let an honest player take a seat at a shared table."""
    guest = Guest(server.address)
    try:
        await guest.visit()
        at = await guest.sit(await guest.open_table("toss-one-21", seconds=600))
        yield at
        await at.close()
    finally:
        await guest.close()


# --- frames

CLOSED = b"\x88\x02\x03\xf0"
"""The frame that closes with 1008."""

FLOODS = {
    "pings": frame(b"", 0x89),
    "pongs": frame(b"", 0x8A),
    "fragments": frame(b"", 0x00),
    "texts": frame(b""),
    "binary": frame(b"", 0x82),
}
FIRST = {"fragments": frame(b"", 0x01)}


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_of_frames_is_cut_off(server, kind):
    """Frames of every kind count, and the socket is soon closed."""

    async def run():
        async with seated(server) as at:
            wire = watch(server, at.table)
            pour(wire, FIRST.get(kind, b"") + FLOODS[kind] * 100_000)
            said = await asyncio.to_thread(read_all, wire)
            assert CLOSED in said or not said  # unless the reset came first
            assert said.count(b"\x8a\x00") <= BUDGET + RATE * 15  # pongs
            await at.ask("ping")

    asyncio.run(run())


@pytest.mark.parametrize("size", [1, 5, 7, 64, 1200])
@pytest.mark.parametrize("kind", FLOODS)
def test_the_budget_is_charged_before_parsing(kind, size):
    """The parser gets no frame beyond the budget, however the reads are split."""
    most, unit = 50, FLOODS[kind]

    async def run():
        socket_, wire = await opened(MeteredSocket)
        socket_._budget = Bucket(0, most)
        inner = socket_._socket
        parsed, receive = [], inner.data_received
        inner.data_received = lambda data: (parsed.append(data), receive(data))
        data = FIRST.get(kind, b"") + unit * 200
        texts = 0
        for at in range(0, len(data), size):
            socket_.data_received(data[at : at + size])
            for _ in range(20 if size > 100 else 1):
                while not inner.queue.empty():
                    texts += "text" in await inner.receive()
                await asyncio.sleep(0)
        socket_._budget = Bucket(0, most)  # time passes
        socket_.data_received(data)
        return sum(map(len, parsed)), texts, wire.sent

    parsed, texts, sent = asyncio.run(run())
    assert parsed <= (most + 1) * len(unit)
    assert texts <= most
    assert parsed or texts
    assert sent.endswith(CLOSED)


async def closing(scope, receive, send):
    """Accept a WebSocket and close it."""
    await receive()
    await send({"type": "websocket.accept"})
    await asyncio.sleep(0)
    await send({"type": "websocket.close", "code": 1008})


def test_nothing_is_parsed_after_a_policy_close():
    """After a close with 1008, the socket reads nothing more and soon disconnects."""

    async def run():
        socket_, wire = await opened(MeteredSocket, app=Guard(closing, Clients(RateLimits())))
        await asyncio.sleep(0)
        assert wire.sent == CLOSED
        assert not wire.reads
        socket_._socket.data_received = lambda _: pytest.fail("it was parsed")
        socket_.data_received(frame(b"late") * 2)
        assert socket_._timer.when() - asyncio.get_running_loop().time() <= 1

    asyncio.run(run())


def test_large_messages_count_by_their_size(server):
    """Large messages use up the budget like many small ones."""

    async def run():
        async with seated(server) as at:
            wire = watch(server, at.table)
            pour(wire, frame(b"x" * 60_000) * 50)
            said = await asyncio.to_thread(read_all, wire)
            assert said.count(b'"error"') < 10
            await at.ask("ping")

    asyncio.run(run())


def test_one_socket_does_not_hold_up_the_others():
    """A few frames of a large read are parsed at a time."""

    async def run():
        socket_, wire = await opened(MeteredSocket)
        socket_.data_received(frame(b"", 0x89) * 100)
        pongs = [len(wire.sent) // 2]
        while pongs[-1] < 100 and len(pongs) < 50:
            await asyncio.sleep(0)
            pongs.append(len(wire.sent) // 2)
        return pongs

    pongs = asyncio.run(run())
    assert pongs[0] <= FRAMES_PER_TURN
    assert max(b - a for a, b in itertools.pairwise(pongs)) <= FRAMES_PER_ITERATION
    assert pongs[-1] == 100


def test_many_sockets_do_not_hold_up_the_loop():
    """One iteration of the event loop parses few frames, however many sockets flood the server."""

    async def run():
        opened_ = [await opened(MeteredSocket) for _ in range(20)]
        turns = opened_[0][0]._turns
        for socket_, _ in opened_:
            socket_._turns = turns  # they belong to one server
            socket_.data_received(frame(b"", 0x89) * 100)

        def pongs():
            return [len(wire.sent) // 2 for _, wire in opened_]

        found = [pongs()]
        while sum(found[-1]) < 2000 and len(found) < 500:
            await asyncio.sleep(0)
            found.append(pongs())
        return found

    found = asyncio.run(run())

    totals = [*map(sum, found)]
    assert max(b - a for a, b in itertools.pairwise(totals)) <= FRAMES_PER_ITERATION
    assert max(max(each) - min(each) for each in found) <= FRAMES_PER_TURN  # they take turns
    assert totals[-1] == 2000


@pytest.mark.long
def test_a_player_hardly_waits_during_a_flood():
    """During floods from ten sockets of one address, 99 % of the answers come within 100 ms."""
    command = [sys.executable, "-W", "ignore", "-m", "bench.floods", "--seconds", "3"]
    ended = subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=900, check=False, cwd=ROOT
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_neighbors_of_a_flood_keep_their_sockets(server):
    """Other sockets at the address of a flood stay open if they keep to the limits."""

    async def run():
        async with seated(server) as at:
            flood = [watch(server, at.table, "127.0.0.1") for _ in range(3)]
            for wire in flood:
                pour(wire, FLOODS["pings"] * 10_000)
            for wire in flood:
                await asyncio.to_thread(read_all, wire)
            for _ in range(5):
                await at.ask("ping")

    asyncio.run(run())


def test_sockets_share_the_budget_of_their_address():
    """All sockets of an address share one budget for data beyond their bursts."""

    async def run():
        clients = Clients(RateLimits())
        clients["local"].excess = Bucket(0, 100)
        pongs = 0
        for _ in range(5):
            guard = Guard(accept, Clients(RateLimits()))  # it would refuse an address that floods
            socket_, wire = await opened(MeteredSocket, clients=clients, app=guard)
            socket_.data_received(FLOODS["pings"] * 300)
            for _ in range(60):
                await asyncio.sleep(0)
            pongs += wire.sent.count(b"\x8a\x00")
            assert wire.sent.endswith(CLOSED)
        return pongs

    assert asyncio.run(run()) <= 100 + 5 * (RateLimits().message_burst + FRAMES_PER_TURN)


# --- requests


async def answer(_scope, receive, send):
    """Read the body and answer."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@contextlib.asynccontextmanager
async def listening(rate_limits=None, most=1000):
    """Return the port of a server in this process that answers every request."""
    config = Config(answer, Clients(rate_limits or RateLimits()), most, log_config=None)
    config.load()
    state, loop = ServerState(), asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: HttpConnection(config, state, {}, loop), "127.0.0.1", 0
    )
    async with server:
        yield server.sockets[0].getsockname()[1]
        for connection in list(state.connections):
            connection.transport.abort()


def exchange(*parts, rate_limits=None, pause=0.0, most=1000):
    """Send parts on one connection to such a server; return everything it sends."""

    async def run():
        async with listening(rate_limits, most) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            reading = asyncio.create_task(read_stream(reader))
            for part in parts:
                with contextlib.suppress(ConnectionError):
                    writer.write(part)
                    await writer.drain()
                await asyncio.sleep(pause)
            async with asyncio.timeout(15):
                said = await reading
            writer.close()
            return said

    return asyncio.run(run())


async def read_stream(reader):
    said = b""
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            said += data
    return said


BYE = b"GET / HTTP/1.1\r\nHost: pitboss\r\nConnection: close\r\n\r\n"
DONE = b"HTTP/1.1 204 No Content"


def sized(size):
    """Return a request whose head has this many bytes of URL and headers."""
    return BYE[:-2] + b"x: " + b"y" * (size - len("/HostpitbossConnectioncloseX")) + b"\r\n\r\n"


def test_requests_of_the_usual_size_are_answered():
    """Heads up to the limit, long bodies and several requests in one read are accepted."""
    assert exchange(BYE).startswith(DONE)
    assert exchange(sized(MOST_HEAD_BYTES)).startswith(DONE)
    assert exchange(sized(MOST_HEAD_BYTES)[:9000], sized(MOST_HEAD_BYTES)[9000:]).startswith(DONE)
    assert exchange(ASK * 10 + BYE).count(DONE) == 11
    body = POST + b"Content-Length: 60000\r\n\r\n" + b"x" * 60_000
    assert exchange(body + body + BYE).count(DONE) == 3
    assert exchange(body + BYE[:9], BYE[9:], pause=0.05).count(DONE) == 2


@pytest.mark.parametrize(
    "parts",
    [
        [sized(MOST_HEAD_BYTES + 1)],
        [sized(100_000)],
        [HALF + b"x: ", *[b"y" * 4096] * 100],
        [b"GET /" + b"y" * 1_000_000],
        [b"GET /", *[b"y" * 1000] * 30],
        [HALF + b"x: y\r\n" * MOST_FIELDS + b"\r\n"],
        [ASK, HALF + b"x: " + b"y" * 50_000],
    ],
    ids=range(7),
)
def test_large_heads_are_refused(parts):
    """A head that is too large gets 431, complete or not, and the connection is closed."""
    said = exchange(*parts, pause=0.001)
    if parts[0] == ASK:
        assert said.startswith(DONE)
        said = said[said.index(b"HTTP/1.1", 1) :]
    assert problem_in(said) == (431, "too_large")


def test_two_hundred_megabytes_of_headers(server):
    """Endless headers are cut off after the first few."""
    wire = connect(server)
    sent = 0
    with contextlib.suppress(OSError):
        wire.sendall(HALF)
        while sent < 200_000_000:
            wire.sendall(b"x: " + b"y" * 65_536 + b"\r\n")
            sent += 65_536
    assert sent < 50_000_000
    assert connect_and_ask(server).startswith(b"HTTP/1.1 200")


def test_endless_trailers_are_cut_off(server):
    """Data after the last chunk of a body is limited like the body."""
    wire = connect(server)
    sent = 0
    with contextlib.suppress(OSError):
        wire.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nx: ")
        while sent < 100_000_000:
            wire.sendall(b"y" * 65_536)
            sent += 65_536
    assert sent < 50_000_000
    assert connect_and_ask(server, "127.0.0.2").startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "field",
    [b"x: " + b"y" * 9_000, b"Content-Length: 5", b"Transfer-Encoding: chunked"],
    ids=["long", "length", "chunked"],
)
def test_handshakes_that_the_library_rejects_do_not_stay(server, field):
    """An invalid WebSocket handshake ends the connection."""
    wire = connect(server)
    ask = UPGRADE.format(table="any").encode()
    pour(wire, ask[:-2] + field + b"\r\n\r\n" + b"z" * 100_000)
    wire.settimeout(10)
    read_all(wire)  # it ends
    assert connect_and_ask(server, "127.0.0.2").startswith(b"HTTP/1.1 200")


def connect_and_ask(server, source="127.0.0.1"):
    """Request the health check on a new connection."""
    with contextlib.suppress(ConnectionError), connect(server, source) as wire:
        pour(wire, BYE.replace(b"/", b"/health/live", 1))
        return read_all(wire)
    return b""


POST = b"POST / HTTP/1.1\r\nHost: pitboss\r\n"


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([HALF], 408),
        ([b"G"], 408),
        ([ASK, HALF], 408),
        ([POST + b"Content-Length: 10\r\n\r\nhalf"], 408),
        ([POST + b"Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"], 408),
        ([b""], None),
        ([ASK, b"\r\n"], None),
        ([b"\r\n"] * 8, 408),
    ],
    ids=range(8),
)
def test_requests_that_are_never_finished(parts, status, monkeypatch):
    """A client that stops in the middle of a request gets an error and is disconnected."""
    monkeypatch.setattr(connections, "HEAD_S", 0.3)
    monkeypatch.setattr(connections, "BODY_S", 0.3)
    said = exchange(*parts, pause=0.1)
    if parts[0] == ASK:
        assert said.startswith(DONE)
        said = said[said.find(b"HTTP/1.1", 1) :] if said.count(b"HTTP/1.1") > 1 else b""
    assert (problem_in(said) if said else (None,))[0] == status


def test_a_request_that_comes_byte_by_byte(monkeypatch):
    """The time limit for a head starts with its first byte, however many follow."""
    monkeypatch.setattr(connections, "HEAD_S", 0.3)
    said = exchange(*[bytes([byte]) for byte in ASK], pause=0.05)
    assert problem_in(said) == (408, "too_slow")


@pytest.mark.parametrize(
    "flood",
    [
        ASK * 10_000,
        POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 100_000,
        POST + b"Content-Length: 99999999\r\n\r\n" + b"x" * 10_000_000,
        b"\x16\x03\x01" * 10_000,
        POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nx: " + b"y" * 10_000_000,
        POST + b"Transfer-Encoding: chunked\r\n\r\n1;x=" + b"y" * 10_000_000,
    ],
    ids=["pipelined", "chunks", "body", "not HTTP", "trailers", "extensions"],
)
def test_floods_of_requests_are_cut_off(flood):
    """The connection is soon closed, long before every request is answered."""
    assert exchange(flood).count(b"HTTP/1.1") <= 400


def test_requests_that_cannot_be_parsed():
    """They are answered in the common error format."""
    assert problem_in(exchange(b"nonsense\r\n\r\n")) == (400, "unreadable")


def test_connections_after_many_refusals_are_aborted(server):
    """A client that continues after 429 is cut off, and may come back later."""
    with connect(server) as wire:
        statuses = []
        for _ in range(40 * REQUESTS):
            pour(wire, ASK)
            if not (said := next_answer(wire)):
                break
            statuses.append(int(said.split()[1]))
    assert statuses[0] == 200
    assert statuses[-1] == 429
    assert len(statuses) < 40 * REQUESTS
    assert connect_and_ask(server, "127.0.0.2").startswith(b"HTTP/1.1 200")
    deadline = time.monotonic() + 15
    while not connect_and_ask(server).startswith(b"HTTP/1.1 200"):
        assert time.monotonic() < deadline
        time.sleep(0.5)


def next_answer(wire):
    """Read one answer to its end; b"" if the connection was aborted instead."""
    said = b""
    with contextlib.suppress(ConnectionError):
        while not is_whole(said):
            if not (data := wire.recv(65_536)):
                break
            said += data
    return said


def is_whole(said):
    head, end, body = said.partition(b"\r\n\r\n")
    return end and len(body) >= int(head.partition(b"content-length: ")[2].split()[0])


# --- connections


def test_connections_of_one_address(tmp_path):
    """Connections per address are limited; other addresses can still connect."""
    most = 3 + rate_limits.HTTP_CONNECTIONS
    options = ("--connections", "3", "--requests", "1000")
    with Server(str(tmp_path / "tables.db"), *options) as server:
        wires = [connect(server) for _ in range(most + 10)]
        for wire in wires:
            pour(wire, HALF)
        assert connect_and_ask(server) == b""
        assert connect_and_ask(server, "127.0.0.2").startswith(b"HTTP/1.1 200")
        for wire in wires:
            pour(wire, b"\r\n")
        answers = [next_answer(wire)[:12] for wire in wires]
        assert answers.count(b"HTTP/1.1 200") == most
        for wire in wires:
            wire.close()
        eventually(lambda: connect_and_ask(server).startswith(b"HTTP/1.1 200"))


def test_connections_in_total():
    """Beyond the number that the system allows, new connections are closed at once."""

    async def run():
        async with listening(most=2) as port:
            opened_ = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
            answers = []
            for reader, writer in opened_:
                with contextlib.suppress(ConnectionError):
                    writer.write(BYE)
                    await writer.drain()
                answers.append((await read_stream(reader))[:12])
                writer.close()
            return answers

    assert asyncio.run(run()) == [b"HTTP/1.1 204"] * 2 + [b""]


def test_connecting_again_and_again(server):
    """An address that repeatedly connects and disconnects is refused; others are not."""
    for _ in range(ABORT_FACTOR * 5 * REQUESTS + 50):
        connect(server).close()
    assert connect_and_ask(server) == b""
    assert connect_and_ask(server, "127.0.0.2").startswith(b"HTTP/1.1 200")


@pytest.mark.long
def test_half_open_requests_do_not_stay(tmp_path):
    """Thousands of incomplete requests are all closed after the timeout for a head."""
    with Server(str(tmp_path / "tables.db"), "--requests", "10000") as server:
        wires = [connect(server, f"127.0.1.{1 + n % 200}") for n in range(900)]
        for wire in wires:
            wire.sendall(HALF)
        assert connect_and_ask(server).startswith(b"HTTP/1.1 200")
        start = time.monotonic()
        assert {problem_in(read_all(wire)) for wire in wires} == {(408, "too_slow")}
        assert time.monotonic() - start < 3 * connections.HEAD_S


# --- addresses


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::ffff:c000:201", "192.0.2.1"),
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("x" * 1000, "x" * 64),
    ],
)
def test_the_address_of_a_client(host, address):
    """An IPv4-mapped address counts as its IPv4 address; other IPv6 addresses count by network."""
    assert rate_limits.address_of({"client": (host, 1)}) == address


def test_mapped_addresses_have_budgets_of_their_own(tmp_path):
    """On a server that listens to IPv6 and IPv4, each IPv4 client has its own rate."""
    options = ("--host", "::", "--requests", "2")
    with Server(str(tmp_path / "tables.db"), *options) as server:
        with connect(server) as wire:
            for _ in range(20):
                pour(wire, ASK)
                last = next_answer(wire)
        assert last.startswith(b"HTTP/1.1 429")
        assert connect_and_ask(server, "127.0.0.2").startswith(b"HTTP/1.1 200")


def forwarded(server, client, count=20, source="127.0.0.1"):
    """Send several requests for a client that a header names; return the last status."""
    with connect(server, source) as wire:
        for _ in range(count):
            pour(wire, HALF + f"X-Forwarded-For: {client}\r\n\r\n".encode())
            said = next_answer(wire)
    return int(said.split()[1])


@pytest.mark.parametrize("proxy", ["127.0.0.1", "203.0.113.1, 127.0.0.0/30"])
@pytest.mark.parametrize("host", ["127.0.0.1", "::"])
def test_a_proxy_names_its_clients(tmp_path, proxy, host):
    """Rates use the address that a configured proxy forwards; other headers are ignored."""
    options = ("--host", host, "--requests", "2", "--proxy", proxy)
    with Server(str(tmp_path / "tables.db"), *options) as server:
        assert forwarded(server, "192.0.2.1") == 429
        assert forwarded(server, "::ffff:192.0.2.1", 1) == 429
        assert forwarded(server, "192.0.2.2", 1) == 200
        assert forwarded(server, "198.51.100.1, 192.0.2.1", 1) == 429
        stranger = "127.0.0.9"
        assert forwarded(server, "192.0.2.3", source=stranger) == 429
        assert forwarded(server, "192.0.2.3", 1) == 200


def test_a_proxy_has_as_many_connections_as_it_likes(tmp_path):
    """Behind a proxy, the limits apply to each client and not to the proxy."""
    options = ("--connections", "1", "--requests", "1", "--proxy", "127.0.0.1")
    with Server(str(tmp_path / "tables.db"), *options) as server:
        wires = [connect(server) for _ in range(rate_limits.HTTP_CONNECTIONS + 20)]
        for n, wire in enumerate(wires):
            pour(wire, HALF + f"X-Forwarded-For: 192.0.2.{n}\r\n\r\n".encode())
        assert {next_answer(wire)[:12] for wire in wires} == {b"HTTP/1.1 200"}


# --- an honest player


FLOOD = {
    "tiny frames": frame(b""),
    "pings": frame(b"", 0x89),
    "large messages": frame(b"x" * 60_000),
}


@pytest.mark.parametrize("kind", FLOOD)
@pytest.mark.parametrize("source", ["127.0.0.1", "127.0.0.2"])
def test_a_player_is_served_during_a_flood(server, kind, source):
    """While ten sockets flood the server and reconnect, a player still gets answers."""

    def flood(table, end):
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                wire = watch(server, table, source)
                pour(wire, FLOOD[kind] * (2_000_000 // len(FLOOD[kind])))
                wire.close()
            time.sleep(0.01)

    async def run():
        async with seated(server) as at:
            end = time.monotonic() + 2
            floods = [asyncio.to_thread(flood, at.table, end) for _ in range(10)]
            flooding = asyncio.gather(*floods)
            waits = []
            while not flooding.done():
                start = time.monotonic()
                await at.ask("ping")
                waits.append(time.monotonic() - start)
                await asyncio.sleep(0.25)  # within the rate of five a second
            await flooding
            return waits

    waits = asyncio.run(run())
    assert len(waits) > 3
    assert max(waits) < 2  # it was more than four seconds
