"""Checks on every request: its origin, headers, size and rate."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from pitboss.web import metrics
from pitboss.web.messages.base import Problem
from pitboss.web.rate_limits import POLICY, Clients, address_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("pitboss.guard")

MOST_BYTES: Final = 64 * 1024
"""The longest body or message that is accepted."""

SAFE: Final = {"GET", "HEAD", "OPTIONS"}
COSTS: Final = {
    **dict.fromkeys(("/api/v1/guest", "/api/v1/login"), 5),
    **dict.fromkeys(("/api/v1/practice", "/api/v1/training", "/api/v1/odds"), 2),
}
"""Requests that cost the server more work are charged more."""

COSTS_BY_END: Final = {"/coach": 2, "/steps": 2, "/review": 5}

HEADERS: Final = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; style-src 'self';"
    " script-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-play-money": "nothing here is real money",
}


TOO_LARGE: Final = f"a body may have at most {MOST_BYTES} bytes"


class _TooLargeError(HTTPException):  # another error would count as an unreadable body
    """A body that is longer than its announced length."""

    def __init__(self) -> None:
        super().__init__(413, TOO_LARGE)


class Guard:
    """ASGI middleware: rejects requests that are too large, too frequent or from other sites."""

    def __init__(self, app: ASGIApp, clients: Clients) -> None:
        self._app = app
        self._clients = clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        send = _with_headers(scope, send)
        headers = Headers(scope=scope)
        if not self._clients[address_of(scope)].requests.take(_cost(scope["path"])):
            await refuse(send, 429, "too_fast", "too many requests: wait a second")
        elif scope["method"] not in SAFE and not self._is_ours(scope, headers):
            await refuse(send, 403, "wrong_origin", "requests from other sites are not allowed")
        elif not _is_clean(scope):
            await refuse(send, 400, "unreadable", "a URL must not contain a NUL character")
        elif not _is_small(headers):
            await refuse(send, 413, "too_large", TOO_LARGE)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer; an internal error gets an answer in the same format."""
        try:
            await self._app(scope, _limited(receive), send)
        except _TooLargeError:
            await refuse(send, 413, "too_large", TOO_LARGE)
        except Exception:
            log.exception("%s %s failed", scope["method"], _route_of(scope))
            await refuse(
                send,
                500,
                "internal",
                "the server had an internal error; nothing was changed: try again",
            )

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = address_of(scope)
        if error := self._clients.open_socket(address):
            await _refuse_socket(receive, send, error)
            return
        send = _metered(scope, send)
        try:
            if not _is_clean(scope):
                await _refuse_socket(receive, send, "unreadable")
            elif not self._is_ours(scope, Headers(scope=scope)):
                await _refuse_socket(receive, send, "wrong_origin")
            else:
                await self._app(scope, receive, send)
        finally:
            self._clients.close_socket(address)

    def _is_ours(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a request comes from our own page; programs send no origin."""
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site", "none") in {"none", "same-origin"}
        secure = scope["scheme"] in {"https", "wss"}
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.netloc == headers.get("host") and (parts.scheme == "https" or not secure)


def _metered(scope: Scope, send: Send) -> Send:
    """Give a WebSocket's meter the client's address; tell it when the socket opens and closes."""
    meter = scope.get("state", {}).get("meter")
    if meter is None:  # another server runs the application
        return send
    meter.address = address_of(scope)

    async def metered(message: Message) -> None:
        await send(message)
        if message["type"] == "websocket.accept":
            meter.opened()
        elif message.get("code") == POLICY and meter.is_open:
            meter.cut_off()

    return metered


async def _refuse_socket(receive: Receive, send: Send, error: str) -> None:
    """Reject a WebSocket before it is open, and count the error."""
    metrics.refusals.labels(error).inc()
    await receive()
    await send({"type": "websocket.close", "code": POLICY})


def _route_of(scope: Scope) -> str:
    """Return the route's template, not its path, which may be the link of a private table."""
    return getattr(scope.get("route"), "path", "a request")


def _is_clean(scope: Scope) -> bool:
    """Return whether a URL has no NUL character, which databases reject in text."""
    return "\0" not in scope["path"] and b"%00" not in scope["query_string"]


def _cost(path: str) -> int:
    end = path[path.rfind("/") :]
    return COSTS.get(path) or COSTS_BY_END.get(end, 1)


def _is_small(headers: Headers) -> bool:
    length = headers.get("content-length", "0")
    return length.isdecimal() and len(length) < 10 and int(length) <= MOST_BYTES  # noqa: PLR2004


def _limited(receive: Receive) -> Receive:
    """Limit the size of a body, whatever length was announced."""
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MOST_BYTES:
            raise _TooLargeError
        return message

    return limited


def _with_headers(scope: Scope, send: Send) -> Send:
    async def headed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if scope["path"].startswith("/api/"):
                headers.setdefault("cache-control", "no-store")
            if scope["scheme"] == "https":
                headers.setdefault("strict-transport-security", "max-age=31536000")
        await send(message)

    return headed


async def refuse(send: Send, status: int, error: str, detail: str) -> None:
    """Answer in the common error format."""
    body = problem(error, detail)
    headers: list[tuple[bytes, Any]] = [(b"content-type", b"application/json")]
    headers.append((b"content-length", str(len(body)).encode()))
    if status == 429:  # noqa: PLR2004
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def problem(error: str, detail: str, address: str | None = None) -> bytes:
    """Count an error, and return it in the common error format."""
    metrics.refusals.labels(error).inc()
    found = Problem(error=error, detail=detail, address=address)
    return found.model_dump_json(exclude_none=True).encode()
