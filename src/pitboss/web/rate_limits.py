"""Rate limits for each client address."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T = TypeVar("T")

MOST_ADDRESSES: Final = 10_000
LONGEST_NAME: Final = 64
ABORT_FACTOR: Final = 4
"""A client's connections are aborted above this multiple of its request rate."""

EXCESS: Final = 1000
"""The budget that all sockets of one address share for frames and KiB beyond their own bursts. One
shared burst is added to it."""

HTTP_CONNECTIONS: Final = 64
"""Connections that one address may have in addition to its sockets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimits:
    """The rate limits of one client, and the proxies that are trusted to name the client."""

    requests: float = 20.0  # per second, over HTTP
    burst: float = 100.0
    messages: float = 20.0  # per second, on one socket
    message_burst: float = 60.0
    connections: int = 200  # sockets of one address
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    tables: int = 500  # new ones per address and day
    guests: int = 1000  # new ones per address and day


POLICY: Final = 1008
"""The close code of a WebSocket whose client exceeds the limits."""


class Bucket:
    """A token bucket: it fills at a constant rate, and each request takes a token."""

    __slots__ = ("_at", "_has", "_most", "_rate")

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._has, self._at = most, time.monotonic()

    def take(self, tokens: float = 1) -> bool:
        """Take tokens if there are enough; return whether there were."""
        self._fill()
        if self._has < tokens:
            return False
        self._has -= tokens
        return True

    def wait_s(self) -> float:
        """Return the seconds until the next token; 0 if there is one."""
        self._fill()
        return max(0.0, 1 - self._has) / self._rate

    def give_back(self) -> None:
        """Put back a token that was not needed."""
        self._has += 1

    def _fill(self) -> None:
        now = time.monotonic()
        self._has = min(self._most, self._has + (now - self._at) * self._rate)
        self._at = now

    def penalize(self, tokens: float = math.inf) -> None:
        """Take tokens even if too few are left, down to a debt of one full bucket."""
        self._has = max(-self._most, self._has - tokens)

    @property
    def spent(self) -> float:
        """The number of tokens that the bucket lacked when it was last filled."""
        return self._most - self._has


class Recent(dict[str, T]):
    """A value for each address, in bounded memory.

    Beyond ``MOST_ADDRESSES``, the address whose value was set longest ago is forgotten.
    """

    def __setitem__(self, address: str, value: T) -> None:
        self.pop(address, None)
        super().__setitem__(address, value)
        if len(self) > MOST_ADDRESSES:
            del self[next(iter(self))]


class Client:
    """The budgets of one address."""

    __slots__ = ("arrivals", "excess", "requests")

    def __init__(self, rate_limits: RateLimits) -> None:
        self.requests = Bucket(rate_limits.requests, rate_limits.burst)
        """Requests and handshakes; beyond these the client is told to wait."""
        self.arrivals = Bucket(
            ABORT_FACTOR * rate_limits.requests, ABORT_FACTOR * rate_limits.burst
        )
        """Connections and requests; beyond these the connection is aborted."""
        self.excess = Bucket(rate_limits.messages, EXCESS + rate_limits.message_burst)
        """Frames and KiB that its sockets send beyond their bursts."""


class Clients:
    """The budgets and open connections of every address, in bounded memory."""

    def __init__(self, rate_limits: RateLimits) -> None:
        self.rate_limits = rate_limits
        self.sockets: Counter[str] = Counter()
        self._connections: Counter[str] = Counter()
        self._clients: Recent[Client] = Recent()

    def __getitem__(self, address: str) -> Client:
        self._clients[address] = client = self._clients.get(address) or Client(self.rate_limits)
        return client

    def is_proxy(self, host: str) -> bool:
        """Return whether a host is a proxy whose forwarded headers are trusted."""
        address = _ip(host)
        return address is not None and any(
            address in network for network in self.rate_limits.proxies
        )

    def connect(self, address: str) -> bool:
        """Count a new connection; return whether the address may have it."""
        self._connections[address] += 1
        most = self.rate_limits.connections + HTTP_CONNECTIONS
        return self._connections[address] <= most and self[address].arrivals.take()

    def disconnect(self, address: str) -> None:
        """Remove a closed connection from the count."""
        _count_down(self._connections, address)

    def open_socket(self, address: str) -> str | None:
        """Count a new socket; return the error if the address may not have one more."""
        if self.sockets[address] >= self.rate_limits.connections:
            return "too_many_connections"
        if not self[address].requests.take():
            return "too_fast"
        self.sockets[address] += 1
        return None

    def close_socket(self, address: str) -> None:
        """Remove a closed socket from the count."""
        _count_down(self.sockets, address)


def _count_down(counter: Counter[str], address: str) -> None:
    counter[address] -= 1
    if counter[address] <= 0:
        del counter[address]


def address_of(scope: Mapping[str, Any]) -> str:
    """Return the client's address; for IPv6, the network of one household."""
    client = scope.get("client")
    if not client:
        return "local"
    address = _ip(client[0])
    if address is None:
        return str(client[0])[:LONGEST_NAME]
    if address.version == 4:  # noqa: PLR2004
        return str(address)
    return str(ip_network((address, 64), strict=False))


def unmapped(host: str) -> str:
    """Return an IPv4-mapped IPv6 address as IPv4, and any other address unchanged.

    >>> unmapped("::ffff:192.0.2.1"), unmapped("2001:db8::1")
    ('192.0.2.1', '2001:db8::1')
    """
    return str(_ip(host) or host)


def with_mapped(networks: Iterable[IPv4Network | IPv6Network]) -> list[str]:
    """Return networks as text; IPv4 networks are also given as IPv4-mapped IPv6.

    >>> with_mapped([IPv4Network("192.0.2.0/24")])
    ['192.0.2.0/24', '::ffff:192.0.2.0/120']
    """
    plain = [str(network) for network in networks]
    return plain + [
        f"::ffff:{network.network_address}/{96 + network.prefixlen}"
        for network in networks
        if isinstance(network, IPv4Network)
    ]


def _ip(host: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return (address.version == 6 and address.ipv4_mapped) or address  # noqa: PLR2004
