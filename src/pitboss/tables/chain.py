"""Records in a hash chain: each contains the hash of the previous one, so changes are noticed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pitboss.core.settings import Json

START = "0" * 64
"""The hash before the first record."""

CAGE = "cage"
"""The chain of accounts and significant events in old databases with a single process.

Now every process has its own cage chain, named ``cage:ID``, and never waits for another process.
"""

BANK = "bank"
"""The source account of play money."""

Postings: TypeAlias = tuple["Posting", ...]

_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


class Posting(NamedTuple):
    """An amount in cents that is added to an account; a negative amount is taken from it."""

    account: str
    amount: int
    memo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A record to be written, with the postings that belong to it."""

    chain: str
    kind: str
    body: dict[str, Json]
    postings: Postings = ()
    key: str | None = None  # the key of the request: a repeated request changes nothing
    wins: Mapping[str, int] = field(default_factory=dict)  # net results of a round, by account

    def __post_init__(self) -> None:
        if self.postings and sum([posting.amount for posting in self.postings]):
            raise AssertionError(f"the postings of {self.kind} do not balance")

    def asked_by(self, key: str | None) -> Entry:
        """Return a copy of the entry that has the key of the request."""
        return replace(self, key=key)


class Head(NamedTuple):
    """The last record of a chain: its number and its hash."""

    seq: int = 0
    hash: str = START


class Record(NamedTuple):
    """An entry with its place in the chain, as a database row; *body* is the hashed text."""

    chain: str
    seq: int
    at: int
    kind: str
    key: str | None
    body: str
    hash: str

    @property
    def facts(self) -> dict[str, Json]:
        """What happened."""
        facts: dict[str, Json] = json.loads(self.body)
        return facts


def cage_chain(process: str) -> str:
    return f"{CAGE}:{process}"


def is_cage(chain: str) -> bool:
    """Return whether a chain is the cage chain of a process or of an old database."""
    return chain.partition(":")[0] == CAGE


def player_account(player: str) -> str:
    return f"player:{player}"


def player_of(account: str) -> str:
    """Return the player who owns an account."""
    return account.partition(":")[2]


def felt_account(table: str) -> str:
    """Return the name of the account that holds a table's bets in action."""
    return f"felt:{table}"


def house_account(table: str) -> str:
    """Return the name of the account that holds the house's winnings at a table."""
    return f"house:{table}"


def table_chain(table: str) -> str:
    return f"table:{table}"


def canonical(value: Json) -> str:
    """Render JSON in canonical form: sorted keys, no spaces, ASCII."""
    return _encoder.encode(value)


def record_of(entry: Entry, before: Head, at: int) -> Record:
    """Return the entry as the record after *before*; *at* is in milliseconds since 1970."""
    seq, body = before.seq + 1, canonical(entry.body)
    value = record_hash(
        before.hash, entry.chain, seq, at, entry.kind, entry.key, body, entry.postings
    )
    return Record(entry.chain, seq, at, entry.kind, entry.key, body, value)


def record_hash(  # noqa: PLR0913  one argument for each column
    before: str,
    chain: str,
    seq: int,
    at: int,
    kind: str,
    key: str | None,
    body: str,
    postings: Sequence[Sequence[Json]],
) -> str:
    """Return the hash of a record, which covers the previous hash and all of its columns."""
    head = canonical([chain, seq, at, kind, key])
    text = "\n".join((before, head, body, canonical(postings) if postings else "[]"))
    return hashlib.sha256(text.encode()).hexdigest()
