"""HTTP connections: limits on the size and duration of requests before they are complete."""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NoReturn

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from pitboss.web import metrics
from pitboss.web.frames import FrameTurns, MeteredSocket, hang_up
from pitboss.web.guard import HEADERS, MOST_BYTES, TOO_LARGE, problem
from pitboss.web.rate_limits import Clients, address_of, unmapped

if TYPE_CHECKING:
    from starlette.types import ASGIApp

log = logging.getLogger("pitboss.http")
log.setLevel(logging.ERROR)  # otherwise anyone could fill the log with bad requests

MOST_HEAD_BYTES: Final = 16 * 1024
MOST_FIELDS: Final = 100
MOST_PIPELINED: Final = 16
"""The maximum number of requests that wait on one connection; browsers send one at a time."""

MOST_BODY_BYTES: Final = 16 * MOST_BYTES
"""A rejected body is read up to this size, so that the client sees the error."""

PIECE_BYTES: Final = 1024
"""A smaller piece of a body is charged as this many bytes, because every piece costs a call."""

CUT_OFF_COST: Final = 20
"""Cutting off a connection counts as this many requests from its address."""

HEAD_S: Final = 10.0
BODY_S: Final = 20.0


class Config(uvicorn.Config):
    """The settings of uvicorn, and the budgets that its connections share."""

    def __init__(self, app: ASGIApp, clients: Clients, most: int, **options: Any) -> None:  # noqa: ANN401
        super().__init__(app, http=HttpConnection, ws=MeteredSocket, **options)
        self.clients = clients
        self.frame_turns = FrameTurns()
        self.most_connections = most


class LimitError(Exception):
    """The client has exceeded a limit, so the parser stops."""


class HttpConnection(HttpToolsProtocol):
    """The library's HTTP connection, with limits on sizes, times and numbers.

    The application sees a request only when its head is complete. These limits apply before that;
    uvicorn has no settings for them. Every override is a method of :class:`asyncio.Protocol` or a
    callback of httptools, and tests/web/test_floods.py tries each limit on a real socket.
    """

    config: Config
    _is_refused = False
    _part: str | None = "head"  # the part of a request that is not complete
    _head_bytes = _unfinished_bytes = _body_bytes = 0
    _read_bytes = 0
    _timer: asyncio.TimerHandle | None = None
    _running: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, and abort it if its address has too many."""
        self.logger = log
        super().connection_made(transport)
        if self.client:
            self.client = (unmapped(self.client[0]), self.client[1])
        clients = self.config.clients
        self._address = address_of({"client": self.client})
        self._is_proxy = clients.is_proxy(self.client[0]) if self.client else False
        is_one_too_many = len(self.connections) > self.config.most_connections
        if (not clients.connect(self._address) and not self._is_proxy) or is_one_too_many:
            self._abort("too_many_connections")
        else:
            self._timer = self.loop.call_later(HEAD_S, self._time_out)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._drop_requests()
        self.config.clients.disconnect(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse a part of a request, or several requests."""
        if self._is_refused:
            return
        self._read_bytes = len(data)
        if self._part is None:
            self._unfinished_bytes = 0
        super().data_received(data)
        if self._is_refused or self.transport.get_protocol() is not self:
            return
        if not self._check_unfinished(len(data)):
            return
        if self._timer is None and self._is_awaiting:
            seconds = BODY_S if self._part == "body" else HEAD_S
            self._timer = self.loop.call_later(seconds, self._time_out)

    def _check_unfinished(self, read: int) -> bool:
        """Count the bytes of an unfinished request, including those that the parser holds back.

        Examples are a header that never ends, or a trailer after the last chunk of a body.
        """
        if self._part is None:
            return True
        self._unfinished_bytes += read
        if self._part == "head" and self._unfinished_bytes > MOST_HEAD_BYTES:
            self._refuse_head()
        elif self._unfinished_bytes > MOST_BODY_BYTES:
            self._refuse_body()
        return not self._is_refused

    @property
    def _is_awaiting(self) -> bool:
        """Return whether the server waits for the client to send something."""
        return self._part is not None or self._running is None

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to its WebSocket, which counts the disconnection."""
        self._stop_timer()
        super().handle_websocket_upgrade()

    # --- callbacks of the parser

    def on_message_begin(self) -> None:
        """Charge for a request before it is parsed."""
        self._stop_timer()
        self._part, self._head_bytes = "head", 0
        if not self._is_proxy and not self.config.clients[self._address].arrivals.take():
            self._cut_off("too_fast")
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Parse a part of the URL."""
        self._measure(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Parse a header field."""
        self._measure(name, value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start a request, unless too many are waiting."""
        self._stop_timer()
        self._part, self._unfinished_bytes, self._body_bytes = "body", 0, 0
        if len(self.pipeline) >= MOST_PIPELINED:
            self._cut_off("too_fast")
        super().on_headers_complete()
        self._running = self._running or self.cycle

    def on_body(self, body: bytes) -> None:
        """Parse a part of the body."""
        self._body_bytes += max(len(body), PIECE_BYTES)
        if self._body_bytes > MOST_BODY_BYTES:
            self._refuse_body()
            raise LimitError
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request; the same read may contain a part of the next one."""
        self._stop_timer()
        self._part, self._unfinished_bytes = None, -self._read_bytes
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Continue with the next waiting request."""
        self._running = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()

    # --- refusals

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be parsed."""
        if not self._is_refused:
            self._refuse(HTTPStatus.BAD_REQUEST, "unreadable", msg)

    def _measure(self, *parts: bytes) -> None:
        self._head_bytes += sum(map(len, parts))
        if self._head_bytes > MOST_HEAD_BYTES or len(self.headers) >= MOST_FIELDS:
            self._refuse_head()
            raise LimitError

    def _refuse_head(self) -> None:
        self._penalize()
        detail = (
            f"a request may have at most {MOST_FIELDS} headers with {MOST_HEAD_BYTES} bytes in all"
        )
        self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too_large", detail)

    def _time_out(self) -> None:
        if (
            self._part == "head" and self._running
        ):  # the client would mistake this for the answer to the running request
            self._abort("too_slow")
        elif self._part == "body" or self._unfinished_bytes > 0:
            self._refuse(
                HTTPStatus.REQUEST_TIMEOUT,
                "too_slow",
                "the request was not completed in time: send it again",
            )
        else:
            self._abort("too_slow")

    def _refuse_body(self) -> None:
        """Reject a body, unless the application already did; let the client read the answer."""
        self._penalize()
        if self.cycle.response_started:
            self._drop_requests()
            self._timer = hang_up(self.transport, self.loop)
        else:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", TOO_LARGE)

    def _cut_off(self, reason: str) -> NoReturn:
        """Abort the connection from inside the parser, and charge its address."""
        self._penalize()
        self._abort(reason)
        raise LimitError

    def _penalize(self) -> None:
        if not self._is_proxy:
            self.config.clients[self._address].arrivals.penalize(CUT_OFF_COST)

    def _abort(self, reason: str) -> None:
        metrics.refusals.labels(reason).inc()
        self._drop_requests()
        self.transport.abort()

    def _refuse(self, status: HTTPStatus, error: str, detail: str) -> None:
        """Answer in place of the application, if no answer is being sent; then close."""
        if not self._can_answer:
            self._abort(error)
            return
        self._drop_requests()
        body = problem(error, detail)
        fields = HEADERS | {"content-type": "application/json", "content-length": str(len(body))}
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)
        self._timer = hang_up(self.transport, self.loop)

    def _drop_requests(self) -> None:
        """Stop parsing, and tell the application that nobody waits for an answer."""
        self._stop_timer()
        self._is_refused = True
        self.pipeline.clear()
        if self._running:
            self._running.disconnected = True
            self._running.message_event.set()

    @property
    def _can_answer(self) -> bool:
        """Return whether the client can tell which request an answer is for."""
        if self._running is None:
            return True
        return self._running is self.cycle and not self._running.response_started

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
