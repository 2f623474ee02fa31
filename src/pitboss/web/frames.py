"""The frames of a WebSocket: a short way for what nearly all are, one whole text."""

from __future__ import annotations

import struct
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import apply_mask  # type: ignore[attr-defined]
from websockets.protocol import State

WHOLE_TEXT: Final = 0x81
"""How a frame begins that is a text and all of it."""

UNDIVIDED: Final = {WHOLE_TEXT, 0x82, 0x89, 0x8A}
"""How frames begin behind which another message may begin: also binary, ping and pong."""

MASKED: Final = 0x80
SHORT: Final = 126
"""Lengths below it stand in one byte."""

MEDIUM: Final = 1 << 16
"""Lengths below it stand in two bytes more."""

MASK_BYTES: Final = 4
MOST_UNREAD: Final = 8
"""Messages that wait to be read before no more are taken from the system."""


class Frames(WebSocketsSansIOProtocol):
    """The library's WebSocket; it reads and writes every frame that is not plain."""

    _plain = True  # so far all frames have come one by one, and none was part of a message

    def data_received(self, data: bytes) -> None:
        """Take what came in."""
        if self._plain and self.conn.state is State.OPEN:
            begin = payload_begin(data)
            self._plain = begin > 0 and data[0] in UNDIVIDED
            if self._plain and data[0] == WHOLE_TEXT and self._take_text(data, begin):
                return
        elif self.handshake_initiated:
            self._plain = False
        super().data_received(data)

    def _take_text(self, data: bytes, begin: int) -> bool:
        """Hand a text on, unless it is too long or none; read no more while several wait."""
        if len(data) - begin > self.config.ws_max_size or self.close_sent:
            return False
        try:
            text = apply_mask(data[begin:], data[begin - MASK_BYTES : begin]).decode()
        except UnicodeDecodeError:
            return False
        self.queue.put_nowait({"type": "websocket.receive", "text": text})
        if self.queue.qsize() >= MOST_UNREAD and not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()
        return True

    async def send(self, message: Any) -> None:  # noqa: ANN401  as ASGI has it
        """Send a message, or wait until it can be sent."""
        text = message.get("text")
        if text is None or self.conn.state is not State.OPEN or not self._is_free:
            await super().send(message)
        else:
            self.transport.write(text_frame(text.encode()))

    @property
    def _is_free(self) -> bool:
        return self.writable.is_set() and not (self.disconnected or self.close_sent)


def text_frame(text: bytes) -> bytes:
    r"""Return a text as the frame that a server sends.

    >>> text_frame(b"hi")
    b'\x81\x02hi'
    """
    length = len(text)
    if length < SHORT:
        return bytes((WHOLE_TEXT, length)) + text
    if length < MEDIUM:
        return struct.pack(">BBH", WHOLE_TEXT, SHORT, length) + text
    return struct.pack(">BBQ", WHOLE_TEXT, SHORT + 1, length) + text


def payload_begin(data: bytes) -> int:
    """Return where the payload begins, if *data* is one frame of a client, else 0.

    >>> payload_begin(bytes.fromhex("8182 00000000 6869")), payload_begin(b"GET /")
    (6, 0)
    """
    if len(data) < 2 + MASK_BYTES or not MASKED <= data[1] <= MASKED + SHORT:
        return 0
    length, begin = data[1] - MASKED, 2 + MASK_BYTES
    if length == SHORT:
        length, begin = int.from_bytes(data[2:4]), 4 + MASK_BYTES
    return begin if len(data) == begin + length else 0
