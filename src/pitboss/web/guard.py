"""The door: origins, headers, sizes and rates, before anything else looks at a request."""

from __future__ import annotations

import logging
import time
from collections import Counter
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from pitboss.web.messages import Problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("pitboss.guard")

MOST_BYTES: Final = 64 * 1024
"""The longest body or message that is read."""

SAFE: Final = {"GET", "HEAD", "OPTIONS"}
MOST_ADDRESSES: Final = 10_000
COSTS: Final = {
    **dict.fromkeys(("/api/v1/guest", "/api/v1/login"), 5),
    **dict.fromkeys(("/api/v1/practice", "/api/v1/training", "/api/v1/odds"), 2),
}
"""What makes the server work more than a look costs more of a client's rate."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """How much one client may ask for."""

    requests: float = 20.0  # a second, over HTTP
    burst: float = 100.0
    messages: float = 20.0  # a second, on one socket
    message_burst: float = 60.0
    connections: int = 200  # sockets of one address


class Bucket:
    """Tokens that come at a rate: one is taken for each request."""

    __slots__ = ("_at", "_has", "_most", "_rate")

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._has, self._at = most, time.monotonic()

    def take(self, tokens: int = 1) -> bool:
        """Take tokens, if there are so many."""
        now = time.monotonic()
        self._has = min(self._most, self._has + (now - self._at) * self._rate)
        self._at = now
        if self._has < tokens:
            return False
        self._has -= tokens
        return True


TOO_LARGE: Final = f"at most {MOST_BYTES} bytes are read"


class _TooLargeError(HTTPException):  # others would be taken for a body that cannot be read
    """A body that is longer than was announced."""

    def __init__(self) -> None:
        super().__init__(413, TOO_LARGE)


class Guard:
    """ASGI middleware: refuses what comes from elsewhere, too large, or too often."""

    def __init__(self, app: ASGIApp, doors: Doors) -> None:
        self._app = app
        self._doors = doors
        self._buckets: dict[str, Bucket] = {}
        self._sockets: Counter[str] = Counter()

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
        if not self._bucket(address_of(scope)).take(_cost(scope["path"])):
            await refuse(send, 429, "too_fast", "too many requests: wait a second")
        elif scope["method"] not in SAFE and not self._is_ours(scope, headers):
            await refuse(send, 403, "wrong_origin", "this page may not ask for that")
        elif not _is_clean(scope):
            await refuse(send, 400, "unreadable", "no address here has the character 0")
        elif not _is_small(headers):
            await refuse(send, 413, "too_large", TOO_LARGE)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered; a failure of ours is answered in the same form."""
        try:
            await self._app(scope, _limited(receive), send)
        except _TooLargeError:
            await refuse(send, 413, "too_large", TOO_LARGE)
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            await refuse(send, 500, "internal", "something went wrong here; nothing was changed")

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = address_of(scope)
        too_many = self._sockets[address] >= self._doors.connections
        too_many = too_many or not self._bucket(address).take()
        if too_many or not _is_clean(scope) or not self._is_ours(scope, Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # refused before it is open
            return
        self._sockets[address] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._sockets[address] -= 1
            if not self._sockets[address]:
                del self._sockets[address]

    def _bucket(self, address: str) -> Bucket:
        bucket = self._buckets.pop(address, None)
        bucket = bucket or Bucket(self._doors.requests, self._doors.burst)
        self._buckets[address] = bucket  # the last in the row; the first asked longest ago
        if len(self._buckets) > MOST_ADDRESSES:
            del self._buckets[next(iter(self._buckets))]
        return bucket

    def _is_ours(self, scope: Scope, headers: Headers) -> bool:
        """Say whether a request comes from our own page; programs send no origin."""
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site", "none") in {"none", "same-origin"}
        secure = scope["scheme"] in {"https", "wss"}
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.netloc == headers.get("host") and (parts.scheme == "https" or not secure)


def address_of(scope: Scope) -> str:
    """Return who asks: an address, of IPv6 the network that one household has."""
    client = scope.get("client")
    if not client:
        return "local"
    try:
        address = ip_address(client[0])
    except ValueError:
        return str(client[0])
    if address.version == 4:  # noqa: PLR2004
        return str(address)
    return str(ip_network((address, 64), strict=False))


def _is_clean(scope: Scope) -> bool:
    """Say whether an address has no character 0, which no database takes for text."""
    return "\0" not in scope["path"] and b"%00" not in scope["query_string"]


def _cost(path: str) -> int:
    end = path[path.rfind("/") :]
    return COSTS.get(path) or COSTS_BY_END.get(end, 1)


def _is_small(headers: Headers) -> bool:
    length = headers.get("content-length", "0")
    return length.isdecimal() and len(length) < 10 and int(length) <= MOST_BYTES  # noqa: PLR2004


def _limited(receive: Receive) -> Receive:
    """Read no more than is allowed, whatever length was announced."""
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
    """Answer with the one form of every error."""
    body = Problem(error=error, detail=detail).model_dump_json(exclude_none=True).encode()
    headers: list[tuple[bytes, Any]] = [(b"content-type", b"application/json")]
    headers.append((b"content-length", str(len(body)).encode()))
    if status == 429:  # noqa: PLR2004
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
