"""The meter of a WebSocket passes on data exactly as the library would receive it directly."""

import asyncio
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import apply_mask

from pitboss.web.connections import Config
from pitboss.web.frames import MeteredSocket
from pitboss.web.guard import Clients, Guard
from pitboss.web.rate_limits import RateLimits

MOST = 1000
HELLO = (
    b"GET / HTTP/1.1\r\nHost: pitboss\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Wire(asyncio.Transport):
    """A transport that stores the written data."""

    def __init__(self):
        super().__init__()
        self.sent, self.closed, self.reads = b"", False, True

    def write(self, data):
        self.sent += data

    def close(self):
        self.closed = True

    abort = write_eof = close

    def is_closing(self):
        return self.closed

    def pause_reading(self):
        self.reads = False

    def resume_reading(self):
        self.reads = True


async def accept(_scope, receive, send):
    await receive()
    await send({"type": "websocket.accept"})
    await asyncio.Event().wait()


async def opened(kind, early=(HELLO,), clients=None, app=None):
    """Return an open socket and its wire; *early* is data from before it was open."""
    clients = clients or Clients(RateLimits())
    config = Config(
        app or Guard(accept, clients),
        clients,
        most=1,
        log_config=None,
        ws_max_size=MOST,
        ws_per_message_deflate=False,
        ws_ping_interval=None,
    )
    config.load()
    wire, socket = Wire(), kind(config, ServerState(), {}, asyncio.get_running_loop())
    socket.connection_made(wire)
    for chunk in early:
        socket.data_received(chunk)
    await asyncio.sleep(0)
    assert wire.sent.startswith(b"HTTP/1.1 101")
    wire.sent = b""
    return socket, wire


def library(socket):
    """Return the library's socket behind a meter, or the socket itself."""
    return getattr(socket, "_socket", socket)


async def outcome(socket, wire):
    """Return what the application receives and what the client gets."""
    for _ in range(50):
        await asyncio.sleep(0)  # a few frames are parsed at a time
    queue = library(socket).queue
    told = [queue.get_nowait() for _ in range(queue.qsize())]
    return told, wire.sent, wire.closed


def in_both(work, early=(HELLO,)):
    """Do the same with the library's socket and with ours; return both results."""

    async def run(kind):
        socket, wire = await opened(kind, early)
        raised = await work(socket, wire)
        for task in library(socket).tasks:
            task.cancel()
        return raised, *await outcome(socket, wire)

    plain, ours = (asyncio.run(run(kind)) for kind in (WebSocketsSansIOProtocol, MeteredSocket))
    assert ours == plain
    return ours


def frame(payload, first=0x81, size=None, mask=b"\1\2\3\4"):
    """Encode a frame as a client does, possibly wrongly; *size* is the form of its length."""
    size = size or (1 if len(payload) < 126 else 3)
    masked = 0x80 if mask else 0
    if size == 1:
        head = struct.pack(">BB", first, masked | len(payload) & 0x7F)
    elif size == 3:
        head = struct.pack(">BBH", first, masked | 126, len(payload))
    else:
        head = struct.pack(">BBQ", first, masked | 127, len(payload))
    return head + mask + (apply_mask(payload, mask) if mask else payload)


PAYLOADS = st.one_of(
    st.sampled_from([b"", b"{}", b"a" * 125, b"b" * 126, b"c" * MOST, b"d" * (MOST + 1), b"\xff"]),
    st.text(max_size=30).map(str.encode),
    st.binary(max_size=10),
)
FRAMES = st.builds(
    frame,
    PAYLOADS,
    st.sampled_from([0x81] * 8 + [0x01, 0x80, 0x00, 0x82, 0x02, 0x88, 0x89, 0x8A, 0xC1, 0x83]),
    st.sampled_from([None] * 6 + [1, 3, 9]),
    st.sampled_from([b"\1\2\3\4"] * 8 + [b"\0\0\0\0", b""]),
)
CHUNKS = st.lists(st.one_of(FRAMES, FRAMES, FRAMES, st.binary(min_size=1, max_size=12)), max_size=8)


BARE = b"\0\0\0\0"  # a mask that changes nothing
INSIDE = frame(frame(b"hi", mask=BARE), 0x82, mask=BARE)


@pytest.mark.parametrize(
    "chunks",
    [
        [frame(b"a"), frame(b"b"), frame("é€".encode())],
        [frame(b"a") + frame(b"b"), frame(b"c")],
        [frame(b"begun", 0x01), frame(b"not gone on with")],
        [frame(b"begun", 0x01), frame(b" and ended", 0x80), frame(b"next")],
        [INSIDE[:6], INSIDE[6:], frame(b"next")],
        [frame(b"cut")[:1], frame(b"cut")[1:], frame(b"next")],
        [frame(b"x" * MOST), frame(b"x" * (MOST + 1))],
        [frame(b"x" * 20_000)],
        [frame(b"not masked", mask=b"")],
        [frame(b"short", size=3), frame(b"short", size=9)],
        [frame(b"x" * 119, size=9), frame(b"next")],  # as long as one of 127 would be
        [frame(b"\xff\xfe"), frame(b"next")],
        [frame(b"ping", 0x89), frame(b"next"), frame(b"\x03\xe8", 0x88), frame(b"late")],
    ],
)
def test_incoming_frames_by_example(chunks):
    async def work(socket, _):
        for chunk in chunks:
            socket.data_received(chunk)

    in_both(work)


@pytest.mark.parametrize("early", [(HELLO, INSIDE[:6]), (HELLO + INSIDE[:6],)])
def test_frames_before_the_handshake_is_done(early):
    """A frame that starts before the socket is open is read completely."""

    async def work(socket, _):
        socket.data_received(INSIDE[6:])
        socket.data_received(frame(b"next"))

    _, told, _, _ = in_both(work, early)
    assert len(told) == 2


@given(CHUNKS, st.lists(st.integers(0, 400), max_size=4), st.booleans())
def test_incoming_frames(chunks, cuts, whole):
    """Frames, valid or not, split or joined anywhere, have the same result as without the meter."""
    if not whole:
        text = b"".join(chunks)
        ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
        chunks = [text[a:b] for a, b in zip([0, *ends], ends, strict=False) if a < b]

    async def work(socket, wire):
        for chunk in chunks:
            if not wire.closed:
                socket.data_received(chunk)

    in_both(work)
