"""The short way hands on and sends what the library does, whatever comes in and goes out."""

import asyncio
import struct

import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import apply_mask

from pitboss.web.frames import MOST_UNREAD, Frames, text_frame

MOST = 1000
HELLO = (
    b"GET / HTTP/1.1\r\nHost: pitboss\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Wire(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self):
        super().__init__()
        self.sent, self.closed, self.reads = b"", False, True

    def write(self, data):
        self.sent += data

    def close(self):
        self.closed = True

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


async def opened(kind, early=(HELLO,)):
    """Return an open socket of a kind, and its wire; *early* is what came before it was open."""
    config = uvicorn.Config(
        accept,
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


def outcome(socket, wire):
    """Return what the table is told and what the client gets."""
    told = []
    while not socket.queue.empty():
        told.append(socket.queue.get_nowait())
    return told, wire.sent, wire.closed


def in_both(work, early=(HELLO,)):
    """Do the same with the library's socket and with ours; return what came of it."""

    async def run(kind):
        socket, wire = await opened(kind, early)
        raised = await work(socket, wire)
        for task in socket.tasks:
            task.cancel()
        return raised, *outcome(socket, wire)

    library, ours = (asyncio.run(run(kind)) for kind in (WebSocketsSansIOProtocol, Frames))
    assert ours == library
    return ours


def frame(payload, first=0x81, size=None, mask=b"\1\2\3\4"):
    """Write a frame as a client does, or nearly; *size* is the form of its length."""
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
def test_what_comes_in_by_the_case(chunks):
    async def work(socket, _):
        for chunk in chunks:
            socket.data_received(chunk)

    in_both(work)


@pytest.mark.parametrize("early", [(HELLO, INSIDE[:6]), (HELLO + INSIDE[:6],)])
def test_who_does_not_wait_for_the_answer(early):
    """A frame that is begun before the socket is open is read to its end."""

    async def work(socket, _):
        socket.data_received(INSIDE[6:])
        socket.data_received(frame(b"next"))

    _, told, _, _ = in_both(work, early)
    assert len(told) == 2


@given(CHUNKS, st.lists(st.integers(0, 400), max_size=4), st.booleans())
def test_what_comes_in(chunks, cuts, whole):
    """Frames whole, cut and joined anywhere, and what is none, are taken alike."""
    if not whole:
        text = b"".join(chunks)
        ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
        chunks = [text[a:b] for a, b in zip([0, *ends], ends, strict=False) if a < b]

    async def work(socket, wire):
        for chunk in chunks:
            if not wire.closed:
                socket.data_received(chunk)

    in_both(work)


PONG = frame(b"", 0x8A)
DIVIDED = [frame(b"a", 0x01), frame(b"b", 0x80)]
BEFORE = [[], [PONG], [PONG + PONG], [PONG[:3], PONG[3:]], DIVIDED]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("size", [0, 2, 125, 126, 127, 999, MOST])
def test_a_plain_text_takes_the_short_way(size, before, monkeypatch):
    """The library's parser is not asked for one whole text, whatever was before it."""

    async def run():
        socket, wire = await opened(Frames)
        for chunk in before:
            socket.data_received(chunk)
        outcome(socket, wire)
        monkeypatch.setattr(socket.conn, "receive_data", lambda _: pytest.fail("the long way"))
        socket.data_received(frame(b"x" * size))
        return outcome(socket, wire)[0]

    assert asyncio.run(run()) == [{"type": "websocket.receive", "text": "x" * size}]


def test_who_sends_too_much_is_not_read():
    """Some messages may wait; then nothing more is taken in until all have been read."""

    async def run():
        socket, wire = await opened(Frames)
        reads = []
        for _ in range(MOST_UNREAD):
            reads.append(wire.reads)
            socket.data_received(frame(b"more"))
        reads.append(wire.reads)
        for _ in range(MOST_UNREAD):
            reads.append(wire.reads)
            await socket.receive()
        return [*reads, wire.reads]

    assert asyncio.run(run()) == [True] * MOST_UNREAD + [False] * (MOST_UNREAD + 1) + [True]


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65535, 65536, 70_000])
def test_what_goes_out(size):
    """A text of any length is the frame that the library makes."""
    text = "é" * (size // 2) + "a" * (size % 2)

    async def work(socket, _):
        await socket.send({"type": "websocket.send", "text": text})
        await socket.send({"type": "websocket.send", "bytes": b"\0\1"})

    _, told, sent, closed = in_both(work)
    assert sent == text_frame(text.encode()) + b"\x82\x02\0\1"
    assert (told, closed) == ([], False)


@pytest.mark.parametrize("ending", ["closes", "is closed", "is lost"])
def test_nothing_goes_out_behind_the_end(ending):
    """Who has gone, or was told to, is sent nothing more, and who sends is told."""

    async def work(socket, wire):
        if ending == "closes":
            socket.data_received(frame(b"\x03\xe8", 0x88))
        elif ending == "is closed":
            await socket.send({"type": "websocket.close", "code": 1000})
            socket.close_timer.cancel()
        else:
            socket.connection_lost(None)
        wire.sent = b""
        try:
            await socket.send({"type": "websocket.send", "text": "late"})
        except Exception as error:  # noqa: BLE001  it is compared
            return type(error), str(error)

    raised, _, sent, _ = in_both(work)
    assert raised is not None
    assert sent == b""


def test_who_does_not_read_is_waited_for():
    """While the wire is full nothing is written."""

    async def work(socket, wire):
        socket.pause_writing()
        sending = asyncio.create_task(socket.send({"type": "websocket.send", "text": "later"}))
        await asyncio.sleep(0)
        before = wire.sent
        socket.resume_writing()
        await sending
        return before

    before, _, sent, _ = in_both(work)
    assert (before, sent) == (b"", b"\x81\x05later")
