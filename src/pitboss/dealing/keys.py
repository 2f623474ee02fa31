"""Idempotency keys: a repeated request is not carried out twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pitboss.dealing.errors import StaleError
from pitboss.ledger.errors import RepeatedError
from pitboss.ledger.restore_queries import find_key, keys_since

if TYPE_CHECKING:
    from pitboss.ledger.store import Store

MOST_KEYS: Final = 500
"""The maximum number of cached keys per round; further keys are looked up in the database."""


class RequestKeys:
    """The keys of the requests that were carried out in the current and the previous round.

    A key ends with "#" and the digest of its request.
    """

    def __init__(self, store: Store, chain: str) -> None:
        self._store = store
        self._chain = chain
        self._rounds: list[dict[str, str]] = [{}, {}]  # the digests of the requests, by key
        self._are_complete = [True, True]

    async def load(self, openings: list[int]) -> None:
        """Load the keys of the last two rounds, given their first records, newest first."""
        opened = openings[0]
        found = await keys_since(self._store, self._chain, min(openings), 2 * MOST_KEYS + 2)
        for row in found:
            if row.seq < opened:
                self.add(row.key)
        self.open_round()
        for row in found:
            if row.seq > opened:
                self.add(row.key)

    def add(self, key: str) -> None:
        name, _, digest = key.partition("#")
        if len(self._rounds[-1]) < MOST_KEYS:
            self._rounds[-1][name] = digest
        else:
            self._are_complete[-1] = False

    def open_round(self) -> None:
        """Start a round: forget the keys of all rounds except the one that ends now."""
        self._rounds = [self._rounds[-1], {}]
        self._are_complete = [self._are_complete[-1], True]

    async def check(self, key: str) -> None:
        """Reject a key that was used before, for the same request or for another."""
        name, _, digest = key.partition("#")
        used = next((keys[name] for keys in self._rounds if name in keys), None)
        if used is None and not all(self._are_complete):
            found = await find_key(self._store, self._chain, name)
            used = None if found is None else found.partition("#")[2]
        if used is not None and used != digest:
            raise StaleError("this key was used for another request: use a new one")
        if used is not None:
            raise RepeatedError("this request was carried out before")
