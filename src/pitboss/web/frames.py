"""WebSockets with a budget: frames and bytes are charged before the library parses them.

uvicorn and websockets limit the size of a message, but not the number of frames, pings and empty
fragments, which never reach the application. ``python -m bench.floods --flood "tiny frames"
--flood pings --flood "empty fragments" --compare`` measures an honest player during floods from ten
sockets. In one run the p99 was 47, 23 and 59 ms with this meter, and 1.5, 6.4 and 45 s without it.
The target is 100 ms.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from pitboss.web import metrics
from pitboss.web.rate_limits import POLICY, Bucket, address_of

if TYPE_CHECKING:
    from uvicorn.server import ServerState

    from pitboss.web.connections import Config

MASKED: Final = 0x80
MASK_BYTES: Final = 4
SHORT: Final = 126
"""Smaller payload lengths are written in one byte."""

LONGEST_HEAD: Final = 14
FRAMES_PER_TURN: Final = 2
"""Frames of a socket that are parsed before the other sockets get their turn."""

FRAMES_PER_ITERATION: Final = 8
"""Waiting frames of all sockets together that are parsed in one iteration of the event loop."""

CLOSE_FRAME: Final = b"\x88\x02" + POLICY.to_bytes(2)
BAD_REQUEST: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
KIB: Final = 1024
FRAMES_PER_MESSAGE: Final = 2
PINGS: Final = 10
"""The allowed number of pings and pongs per second."""

REFUSALS: Final = 120
"""Frames allowed beyond a burst. A table refuses fewer messages before it disconnects a client."""

HANDSHAKE_S: Final = 3.0


LINGER_S: Final = 1.0
"""Time for the client to read the reason why the connection is closed."""


def hang_up(transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> asyncio.TimerHandle:
    """Stop reading, flush the output, and abort the connection after ``LINGER_S``."""
    if not transport.is_closing():
        transport.pause_reading()
        transport.write_eof()
    return loop.call_later(LINGER_S, transport.abort)


class FrameTurns:
    """Sockets with waiting frames, which are parsed in turn.

    Few frames are parsed in one iteration of the event loop, however many sockets send them. So an
    iteration stays short, and a player does not wait for the frames of others.
    """

    def __init__(self) -> None:
        self._sockets: deque[MeteredSocket] = deque()

    def add(self, socket: MeteredSocket, loop: asyncio.AbstractEventLoop) -> None:
        """Give a socket a turn in the next iteration of the event loop or later."""
        if not self._sockets:
            loop.call_soon(self._run, loop)
        self._sockets.append(socket)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            for _ in range(FRAMES_PER_ITERATION // FRAMES_PER_TURN):
                if self._sockets and (socket := self._sockets.popleft()).parse_some():
                    self._sockets.append(socket)
        finally:  # an error must not stop the other sockets
            if self._sockets:
                loop.call_soon(self._run, loop)


class MeteredSocket(asyncio.Protocol):
    """A WebSocket whose incoming data is metered before the library parses it.

    Every frame costs a token, and so does every KiB. A socket
    that has spent its budget is closed at once. Data beyond a burst of messages is also charged
    to the budget of its address. So a client that keeps to the limits is never closed because of
    others at the same address.

    The meter and the library share only the methods of :class:`asyncio.Protocol`. The
    application finds the meter as ``scope["state"]["meter"]``.
    """

    address = "local"  # the client's address, even behind a proxy
    is_open = False  # the application has accepted it

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._socket = WebSocketsSansIOProtocol(
            config, server_state, {**app_state, "meter": self}, _loop
        )
        self._loop = _loop or asyncio.get_running_loop()
        self._clients = config.clients
        self._turns = config.frame_turns
        limits = config.clients.rate_limits
        self._burst = limits.message_burst
        self._budget = Bucket(
            FRAMES_PER_MESSAGE * limits.messages + PINGS,
            FRAMES_PER_MESSAGE * limits.message_burst + REFUSALS,
        )
        self._frames = FrameCounter()
        self._has_head = False
        self._waiting = b""  # charged for its bytes, not parsed yet
        self._is_cut_off = False
        self._timer: asyncio.TimerHandle | None = None

    # --- the connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over a connection that requests a WebSocket."""
        self._transport = cast("asyncio.Transport", transport)
        self._peer = address_of({"client": transport.get_extra_info("peername")})
        self.address = self._peer
        self._timer = self._loop.call_later(HANDSHAKE_S, self._end_handshake)
        self._socket.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_timer()
        self._waiting = b""
        self._is_cut_off = True
        self._clients.disconnect(self._peer)
        self._socket.connection_lost(exc)

    def eof_received(self) -> None:
        """Report that the client has stopped sending."""
        self._socket.eof_received()

    def pause_writing(self) -> None:
        """Report that the client has stopped reading."""
        self._socket.pause_writing()

    def resume_writing(self) -> None:
        """Report that the client reads again."""
        self._socket.resume_writing()

    def _shake_hands(self, head: bytes) -> None:
        """Pass the request on, or reject it if the library would fail (uvicorn 0.54)."""
        try:
            self._socket.data_received(head)
        except AssertionError:
            metrics.refusals.labels("unreadable").inc()
            self._transport.write(BAD_REQUEST)
            self._is_cut_off = True
            self._stop_timer()
            self._timer = hang_up(self._transport, self._loop)

    def opened(self) -> None:
        """Mark the WebSocket as accepted by the application."""
        self.is_open = True
        self._stop_timer()

    def _end_handshake(self) -> None:
        """Abort a handshake that the library has rejected without an answer."""
        metrics.refusals.labels("unreadable").inc()
        self._transport.abort()

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()

    # --- the budget

    def data_received(self, data: bytes) -> None:
        """Pass data to the library as far as the budget allows."""
        if self._is_cut_off:
            self._transport.pause_reading()  # the library resumes it when its queue is empty
            return
        if not self._has_head:
            head, end, data = data.partition(b"\r\n\r\n")
            self._has_head = True
            self._shake_hands(head + end)
        if data and not self._is_cut_off and self._charge(len(data) / KIB):
            is_idle = not self._waiting
            self._waiting += data
            if is_idle and self.parse_some():
                self._turns.add(self, self._loop)

    def parse_some(self) -> bool:
        """Parse a few of the waiting frames; return whether the others need another turn."""
        if not self._waiting or self._transport.is_closing():
            return False
        end, frames = self._frames.count(self._waiting, FRAMES_PER_TURN)
        if not self._charge(frames):
            return False
        data, self._waiting = self._waiting[:end], self._waiting[end:]
        self._socket.data_received(data)
        return bool(self._waiting)

    def _charge(self, tokens: float) -> bool:
        """Take tokens from the budget; if there are too few, close the socket."""
        has_enough = self._budget.take(tokens)
        if has_enough and self._budget.spent <= self._burst:
            return True
        client = self._clients[self.address]
        if has_enough and client.excess.take(tokens):
            return True
        client.requests.penalize()  # so that it cannot reconnect at once
        metrics.refusals.labels("flood").inc()
        if self.is_open and not self._transport.is_closing():
            self._transport.write(CLOSE_FRAME)
        self.cut_off()
        return False

    def cut_off(self) -> None:
        """Stop parsing, and close when the client has had time to read the reason."""
        self._waiting = b""
        self._is_cut_off = True
        self._stop_timer()
        if self.is_open:  # the application may still write, so the output stays open
            self._transport.pause_reading()
            self._timer = self._loop.call_later(LINGER_S, self._transport.abort)
        else:
            self._transport.abort()


class FrameCounter:
    """Counts frames in a stream of bytes that arrives in pieces of any size."""

    def __init__(self) -> None:
        self._head = b""  # an incomplete frame head
        self._payload_left = 0

    def count(self, data: bytes, most: int) -> tuple[int, int]:
        """Return the end of the first *most* frames, and how many frames begin before it."""
        at = frames = 0
        while at < len(data) and frames < most:
            if not self._payload_left:
                known = len(self._head)
                self._head += data[at : at + LONGEST_HEAD - known]
                size = head_size(self._head)
                if len(self._head) < size:
                    return len(data), frames
                at += size - known
                frames += 1
                self._payload_left = payload_size(self._head[:size])
                self._head = b""
            step = min(self._payload_left, len(data) - at)
            at += step
            self._payload_left -= step
        return at, frames


def head_size(head: bytes) -> int:
    """Return the length of a frame's head, or a number above ``len(head)`` if it is incomplete."""
    if len(head) < 2:  # noqa: PLR2004
        return 2
    length = head[1] & ~MASKED
    more = 0 if length < SHORT else 2 if length == SHORT else 8
    return 2 + more + (MASK_BYTES if head[1] & MASKED else 0)


def payload_size(head: bytes) -> int:
    """Return the length of a frame's payload from its complete head.

    >>> payload_size(bytes.fromhex("82fe 0100 00000000"))
    256
    """
    length = head[1] & ~MASKED
    if length < SHORT:
        return length
    return int.from_bytes(head[2:4] if length == SHORT else head[2:10])
