"""Queries for restoring a table; only these read the seed of an open round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from pitboss.ledger.errors import MissingError
from pitboss.ledger.schema import ledger, records, seeds
from pitboss.tables.chain import Posting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pitboss.ledger.store import Row, Store
    from pitboss.tables.setup import Setup


async def last_openings(store: Store, chain: str) -> list[int]:
    """Return the numbers of the last two records that opened a round, newest first."""
    query = select(records.c.seq).where(records.c.chain == chain, records.c.kind == "open")
    return [row.seq for row in await store.rows(query.order_by(records.c.seq.desc()).limit(2))]


async def keys_since(store: Store, chain: str, seq: int, limit: int) -> Sequence[Row]:
    """Return the newest *limit* request keys after record *seq*, with their record numbers."""
    query = select(records.c.seq, records.c.key).where(
        records.c.chain == chain, records.c.key.is_not(None), records.c.seq > seq
    )
    return await store.rows(query.order_by(records.c.seq.desc()).limit(limit))


async def find_key(store: Store, chain: str, name: str) -> str | None:
    """Look up a key by the part before its digest, in the index that makes keys unique."""
    query = select(records.c.key).where(
        records.c.chain == chain,
        records.c.key >= f"{name}#",
        records.c.key < f"{name}$",  # the character after "#"
    )
    return next((str(row.key) for row in await store.rows(query)), None)


async def find_seed(store: Store, commitment: str) -> bytes:
    """Return the seed of a round."""
    for row in await store.rows(select(seeds.c.seed).where(seeds.c.commitment == commitment)):
        return bytes.fromhex(row.seed)
    raise MissingError("the seed of the round is missing")


async def returned_bets(store: Store, setup: Setup, since: int) -> tuple[Posting, ...]:
    """Return the postings that return all bets made since a record, according to the ledger."""
    felt = setup.felt
    query = select(ledger.c.account, func.sum(ledger.c.amount)).where(
        ledger.c.chain == setup.chain, ledger.c.seq >= since, ledger.c.account != felt
    )
    rows = await store.rows(query.group_by(ledger.c.account))
    lines = [Posting(account, -int(sum_), "returned") for account, sum_ in rows if sum_]
    if lines:
        lines.append(Posting(felt, -sum(line.amount for line in lines), "returned"))
    return tuple(lines)
