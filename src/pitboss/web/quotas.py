"""Limits for each address over minutes and days, in bounded memory."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from pitboss.core.errors import GameError, plural
from pitboss.ledger.errors import BusyError
from pitboss.web.rate_limits import Bucket, Recent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DAY_S: Final = 24 * 3600
AT_ONCE: Final = 0.1
"""The fraction of a day's quota that may be used at once."""

FREE_GUESSES: Final = 5
"""Wrong tokens that an address may send before it has to wait."""

FIRST_WAIT_S: Final = 30
LONGEST_WAIT_S: Final = 3600


class TooOftenError(GameError):
    """One address sends too many requests; *wait_s* is how many seconds it must wait."""

    code = "too_often"

    def __init__(self, message: str, wait_s: float) -> None:
        self.wait_s = max(1, ceil(wait_s))
        super().__init__(f"{message}: try again in {duration(self.wait_s)}")


class LockedError(TooOftenError):
    """Too many failed attempts."""

    code = "locked"


def duration(seconds: int) -> str:
    """Format a waiting time, rounded up.

    >>> duration(1), duration(90), duration(1800), duration(7300)
    ('1 second', '90 seconds', '30 minutes', '3 hours')
    """
    if seconds <= 120:  # noqa: PLR2004
        return plural(seconds, "second")
    if seconds <= 120 * 60:
        return plural(ceil(seconds / 60), "minute")
    return plural(ceil(seconds / 3600), "hour")


class Quota:
    """A daily quota for each address; a tenth of it may be used at once."""

    def __init__(self, per_day: int, what: str) -> None:
        self._per_day, self._what = per_day, what
        self._buckets: Recent[Bucket] = Recent()

    def take(self, address: str) -> None:
        """Charge an address once, or reject it."""
        self.check(address)
        most = max(1.0, self._per_day * AT_ONCE)
        bucket = self._buckets.get(address) or Bucket(self._per_day / DAY_S, most)
        self._buckets[address] = bucket
        bucket.take()

    def check(self, address: str) -> None:
        """Reject an address that has used up its quota."""
        bucket = self._buckets.get(address)
        if bucket and (wait_s := bucket.wait_s()):
            most = f"at most {self._per_day:,} a day"
            raise TooOftenError(f"too many {self._what} from your address ({most})", wait_s)

    def give_back(self, address: str) -> None:
        """Undo one charge, because the request failed."""
        if bucket := self._buckets.get(address):
            bucket.give_back()


@dataclass(slots=True)
class _Guesser:
    wrong: int = 0
    refused: int = 0  # requests refused without checking the token
    until: float = 0.0
    last: float = 0.0  # the time of the last wrong token

    @property
    def is_locked(self) -> bool:
        return self.wrong >= FREE_GUESSES


class TokenLockout:
    """Locks out addresses that send wrong operator tokens, each time for longer."""

    def __init__(self) -> None:
        self._guessers: Recent[_Guesser] = Recent()

    def check(self, address: str) -> None:
        """Reject an address that has to wait."""
        guesser = self._guessers.get(address)
        wait = guesser.until - time.monotonic() if guesser else 0.0
        if guesser and wait > 0:
            guesser.refused += 1
            raise LockedError("too many wrong tokens from your address", wait)

    def fail(self, address: str) -> int:
        """Count a wrong token; return how many the address has sent."""
        guesser, at = self._guessers.get(address) or _Guesser(), time.monotonic()
        if not guesser.is_locked and guesser.last < at - LONGEST_WAIT_S:
            guesser.wrong = 0  # the old mistakes no longer count
        guesser.wrong, guesser.last = guesser.wrong + 1, at
        if guesser.is_locked:
            wait = FIRST_WAIT_S * 2 ** min(guesser.wrong - FREE_GUESSES, 20)
            guesser.until = at + min(wait, LONGEST_WAIT_S)
        self._guessers[address] = guesser
        return guesser.wrong

    def forgive(self, address: str) -> int:
        """Forget an address; return how often it was refused since it was locked."""
        guesser = self._guessers.pop(address, None)
        if guesser is None or not guesser.is_locked:
            return 0
        return guesser.refused + guesser.wrong - FREE_GUESSES

    def quiet(self) -> list[str]:
        """Return the locked addresses that have sent nothing for an hour since their wait ended."""
        since = time.monotonic() - LONGEST_WAIT_S
        return [name for name, one in self._guessers.items() if one.is_locked and one.until < since]


class Turns:
    """A queue that runs a few requests at a time and serves the addresses in turn.

    An address may take half of the free places, but always at least two. So a few addresses with
    many requests always leave room for others, and the others are served next.
    """

    def __init__(self, at_once: int, most: int) -> None:
        self._free, self._most = at_once, most
        self._waiting = 0
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}  # the next address first

    @contextlib.asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """Wait for a turn; reject the request if too many are waiting."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(address)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, address: str) -> None:
        queue = self._queues.get(address, deque())
        if self._waiting >= self._most and (queue or not self._make_room()):
            raise _busy()
        if len(queue) >= max(2, (self._most - self._waiting) // 2):
            raise TooOftenError("too many log-ins from your address at once", 1)
        future = asyncio.get_running_loop().create_future()
        queue.append(future)
        self._queues[address] = queue
        self._waiting += 1
        try:
            await future
        except asyncio.CancelledError:
            if not future.cancelled() and not future.exception():  # the turn came at the same time
                self._pass_on()
            raise

    def _make_room(self) -> bool:
        """Reject the last request of the address with the most requests, if it has several."""
        longest = max(self._queues.values(), key=len)
        if len(longest) < 2:  # noqa: PLR2004
            return False
        last = longest.pop()
        self._waiting -= 1
        if not last.done():
            last.set_exception(_busy())
        return True

    def _pass_on(self) -> None:
        """Let the next address in."""
        while self._queues:
            address = next(iter(self._queues))
            queue = self._queues.pop(address)
            future = queue.popleft()
            self._waiting -= 1
            if queue:
                self._queues[address] = queue
            if not future.done():
                future.set_result(None)
                return
        self._free += 1


def _busy() -> BusyError:
    return BusyError("too many people are logging in: try again in a moment")
