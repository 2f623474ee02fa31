"""Lists of rounds and tables, newest first.

Amounts are in cents, times in ISO 8601. A page has ``rows``; its ``before`` is the cursor of the
next page, or None on the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from pitboss.core.settings import read_json
from pitboss.ledger.report_queries import (
    Filters,
    lobby_tables,
    player_round_page,
    round_page,
    table_page,
)
from pitboss.tables.timestamps import iso, iso_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pitboss.core.settings import Json
    from pitboss.ledger.store import Row, Store


async def rounds_list(
    store: Store, *, limit: int = 100, before: str | None = None, **wanted: Unpack[Filters]
) -> dict[str, Json]:
    """Return a page of finished rounds."""
    rows, next_ = await round_page(store, wanted, limit, before)
    return {"rows": [_round_json(row) for row in rows], "before": next_}


def _round_json(row: Row) -> dict[str, Json]:
    return {
        "table": row.table_id,
        "name": row.name,
        "round": row.number,
        "game": row.game,
        "rules_digest": row.rules_digest,
        "status": row.status,
        "seats": len(read_json(row.stakes)),
        "staked": int(row.staked),
        "net": int(row.net),
        "opened": iso(row.opened),
        "ended": iso(row.ended),
    }


async def player_rounds(
    store: Store, player: str, *, limit: int = 100, before: str | None = None
) -> dict[str, Json]:
    """Return a page of a player's rounds, each with the player's balance after it."""
    rows, next_ = await player_round_page(store, player, limit, before)
    return {
        "rows": [
            {
                "table": row.table_id,
                "name": row.name,
                "round": row.number,
                "game": row.game,
                "seats": sorted(map(int, row.seats.split(","))),
                "status": row.status,
                "staked": int(row.staked),
                "net": int(row.net),
                "balance": None if row.balance is None else int(row.balance),
                "ended": iso(row.ended),
            }
            for row in rows
        ],
        "before": next_,
    }


async def lobby(store: Store, limit: int) -> list[dict[str, Json]]:
    """Return the public tables, with their taken seats; tables with players come first."""
    return [table_facts(row, taken) for row, taken in await lobby_tables(store, limit)]


async def tables_list(
    store: Store, *, limit: int = 100, before: str | None = None, **wanted: Unpack[Filters]
) -> dict[str, Json]:
    """Return a page of tables, with taken seats, finished rounds and bets in action."""
    found, next_ = await table_page(store, wanted, limit, before)
    return {
        "rows": [
            table_facts(one.row, one.taken)
            | {
                "created": iso(one.row.created),
                "rounds": one.rounds,
                "ended": iso_or_none(one.ended),
                "felt": one.felt,
            }
            for one in found
        ],
        "before": next_,
    }


def table_facts(row: Row, taken: Iterable[Row]) -> dict[str, Json]:
    """Return a table's setup, its taken seats, and whether it is closed."""
    limits = read_json(row.limits)
    names = ("least", "most", "step")
    return {
        "id": row.id,
        "name": row.name,
        "game": row.game,
        "rules": read_json(row.rules),
        "rules_digest": row.rules_digest,
        "limits": {stake: dict(zip(names, limit, strict=True)) for stake, limit in limits.items()},
        "places": row.places,
        "seconds": row.seconds,
        "private": bool(row.private),
        "closed": row.closed is not None,
        "taken": [{"seat": one.seat, "name": one.name} for one in taken],
    }
