"""The frames of a WebSocket: a short way for what nearly all are, one whole text."""

from __future__ import annotations

import struct
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import apply_mask  # type: ignore[attr-defined]
from websockets.protocol import State
from websockets.streams import StreamReader

WHOLE_TEXT: Final = 0x81
"""How a frame begins that is a text and all of it."""

AT_END: Final = StreamReader.at_eof.__code__
"""Where the library's parser waits between messages."""

MASKED: Final = 0x80
SHORT: Final = 126
"""Lengths below it stand in one byte."""

MEDIUM: Final = 1 << 16
"""Lengths below it stand in two bytes more."""

MASK_BYTES: Final = 4
MOST_UNREAD: Final = 8
"""Messages that wait to be read before no more are taken from the system."""


class Frames(WebSocketsSansIOProtocol):
    """The library's WebSocket; it reads and writes every frame that is not plain.

    Plain ones pass its debug log by.
    """

    _between = False  # messages, the library's parser holding no part of one

    def data_received(self, data: bytes) -> None:
        """Take what came in."""
        if self._between and self.conn.state is State.OPEN:
            begin = text_begin(data)
            if begin and self._take_text(data, begin):
                return
        super().data_received(data)
        self._between = self._is_between()

    def _is_between(self) -> bool:
        """Say whether the library's parser waits for the first byte of a message."""
        waits: Any = self.conn.parser
        while waits.gi_yieldfrom is not None:
            waits = waits.gi_yieldfrom
        return waits.gi_code is AT_END and self.conn.current_size is None

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
        text = message.get("text") if message["type"] == "websocket.send" else None
        if text is not None and self.conn.state is State.OPEN and self._can_write:
            self.transport.write(text_frame(text.encode()))
        else:
            await super().send(message)

    @property
    def _can_write(self) -> bool:
        """Say whether the wire is there and not full; that it is lost, *conn* is not told."""
        return self.writable.is_set() and not self.disconnected


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


def text_begin(data: bytes) -> int:
    """Return where the text begins, if *data* is one whole frame of one from a client, else 0.

    >>> text_begin(bytes.fromhex("8182 00000000 6869")), text_begin(b"GET /")
    (6, 0)
    """
    if len(data) < 2 + MASK_BYTES or data[0] != WHOLE_TEXT:
        return 0
    length, begin = data[1] - MASKED, 2 + MASK_BYTES
    if length == SHORT:
        length, begin = int.from_bytes(data[2:4]), 4 + MASK_BYTES
    elif length > SHORT:
        return 0
    return begin if len(data) == begin + length else 0
