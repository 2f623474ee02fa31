"""Queries about tables: their setup, seats, records and rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select

from pitboss.core.settings import read_json
from pitboss.games import find_game
from pitboss.ledger.errors import MissingError
from pitboss.ledger.schema import IN_CAGE, records, results, rounds, seats, tables
from pitboss.tables.chain import table_chain
from pitboss.tables.limits import read_limits_json
from pitboss.tables.setup import Setup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pitboss.core.settings import Json
    from pitboss.ledger.store import Row, Store


async def find_table(store: Store, table: str) -> Row:
    """Return the row of a table."""
    for row in await store.rows(select(tables).where(tables.c.id == table)):
        return row
    raise MissingError("there is no such table")


async def table_setup(store: Store, table: str) -> Setup:
    """Return the setup of a table with its current limits."""
    row = await find_table(store, table)
    game = find_game(row.game)
    return Setup(
        id=row.id,
        name=row.name,
        game=game,
        rules=game.rules.from_json(read_json(row.rules)),
        limits=read_limits_json(read_json(row.limits)),
        seconds=row.seconds,
        private=row.private,
    )


async def table_ids(store: Store) -> list[str]:
    return [row.id for row in await store.rows(select(tables.c.id))]


async def taken_seats(store: Store, table: str) -> Sequence[Row]:
    return await store.rows(select(seats).where(seats.c.table_id == table).order_by(seats.c.seat))


async def seats_of_player(store: Store, player: str) -> Sequence[Row]:
    """Return the tables and seats at which a player sits."""
    query = select(seats.c.table_id, seats.c.seat).where(seats.c.player == player)
    return await store.rows(query.order_by(seats.c.table_id, seats.c.seat))


async def created_table(store: Store, key: str) -> str | None:
    """Return the table that a request with this key created."""
    query = select(records.c.body).where(IN_CAGE, records.c.key == key)
    for row in await store.rows(query):
        return str(read_json(row.body)["table"])
    return None


async def count_created(store: Store, creator: str, since: int) -> int:
    """Return how many tables a player has created since a time."""
    query = select(func.count()).where(tables.c.creator == creator, tables.c.created > since)
    return int((await store.rows(query))[0][0])


# --- rounds


async def finished_round(store: Store, table: str, number: int) -> dict[str, Json]:
    """Return the record of a finished round."""
    query = (
        select(records.c.body)
        .join(rounds, (rounds.c.seq == records.c.seq))
        .where(
            rounds.c.table_id == table,
            rounds.c.number == number,
            records.c.chain == table_chain(table),
            or_(records.c.kind == "settled", records.c.kind == "void"),
        )
    )
    for row in await store.rows(query):
        record: dict[str, Json] = read_json(row.body)["record"]
        return record
    raise MissingError(f"this table has no finished round {number}")


async def seats_in_round(store: Store, table: str, number: int, player: str) -> list[int]:
    """Return the seats on which a player had bets in a finished round."""
    query = select(results.c.seat).where(
        results.c.table_id == table, results.c.number == number, results.c.player == player
    )
    return sorted(row.seat for row in await store.rows(query))
