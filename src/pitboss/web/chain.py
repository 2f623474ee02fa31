"""Records in a chain: each carries the hash of the one before it, so that none can be changed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pitboss.rules import Json

START = "0" * 64
"""The hash before the first record."""

CAGE = "cage"
"""The chain of accounts and significant events; every table has its own beside it."""

BANK = "bank"
"""The account that play money comes from."""

Postings: TypeAlias = tuple["Posting", ...]

_json: Any = json.encoder  # whose types say nothing of the encoder in C
_encode = _json.c_make_encoder(  # json.JSONEncoder makes one anew for every text
    markers=None,
    default=json.JSONEncoder().default,
    encoder=_json.c_encode_basestring_ascii,
    indent=None,
    key_separator=":",
    item_separator=",",
    sort_keys=True,
    skipkeys=False,
    allow_nan=True,
)


class Posting(NamedTuple):
    """An amount in cents that goes to an account, or as a negative number leaves it."""

    account: str
    amount: int
    memo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is to be recorded, with the money that moves by it."""

    chain: str
    kind: str
    body: dict[str, Json]
    postings: Postings = ()
    key: str | None = None  # of the request that asked for it: a second one changes nothing

    def __post_init__(self) -> None:
        if self.postings and sum([posting.amount for posting in self.postings]):
            raise AssertionError(f"the postings of {self.kind} do not balance")

    def asked_by(self, key: str | None) -> Entry:
        """Return the entry with the key of the request that asked for it."""
        return Entry(
            chain=self.chain, kind=self.kind, body=self.body, postings=self.postings, key=key
        )


class Head(NamedTuple):
    """The last record of a chain: its number and its hash."""

    seq: int = 0
    hash: str = START


class Record(NamedTuple):
    """An entry in its place, as its row; *body* is the text that was hashed."""

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


def player_account(player: str) -> str:
    return f"player:{player}"


def player_of(account: str) -> str:
    """Return whose account this is."""
    return account.partition(":")[2]


def felt_account(table: str) -> str:
    """Name the account of the bets in action at a table."""
    return f"felt:{table}"


def house_account(table: str) -> str:
    """Name the account of what the house has won at a table."""
    return f"house:{table}"


def table_chain(table: str) -> str:
    return f"table:{table}"


def canonical(value: Json) -> str:
    """Write JSON in its one form: keys sorted, no spaces, ASCII."""
    return "".join(_encode(value, 0))


def record_of(entry: Entry, before: Head, at: int) -> Record:
    """Put an entry after *before*; *at* is milliseconds since 1970."""
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
    """Return the hash of a record: of the hash before it and all that it says."""
    head = canonical([chain, seq, at, kind, key])
    text = "\n".join((before, head, body, canonical(postings) if postings else "[]"))
    return hashlib.sha256(text.encode()).hexdigest()
