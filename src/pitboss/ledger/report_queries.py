"""Queries for the operator's reports, the lobby, and lists of rounds and events."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from sqlalchemy import Text, cast, func, literal, select, tuple_

from pitboss.ledger.errors import MissingError
from pitboss.ledger.paging import behind, page, page_size, whole
from pitboss.ledger.schema import (
    IN_CAGE,
    IN_LOBBY,
    SHARED_AND_DEALT,
    ledger,
    records,
    results,
    rounds,
    seats,
    tables,
)
from pitboss.tables.chain import canonical, felt_account, player_account, table_chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, ScalarSelect, Tuple

    from pitboss.ledger.store import Row, Store


class Filters(TypedDict, total=False):
    """Filters for rounds, tables or events; missing and None mean no filter."""

    since: int | None  # milliseconds since 1970
    until: int | None  # milliseconds since 1970, exclusive
    table: str | None
    game: str | None
    digest: str | None  # the digest of the rules
    status: str | None  # rounds: settled or void; tables: open or closed
    kind: str | None  # the kind of an event
    player: str | None  # the player named in an event


def _between(column: ColumnElement[int], wanted: Filters) -> list[ColumnElement[bool]]:
    found = []
    if (since := wanted.get("since")) is not None:
        found.append(column >= since)
    if (until := wanted.get("until")) is not None:
        found.append(column < until)
    return found


def _of_rounds(wanted: Filters) -> list[ColumnElement[bool]]:
    asked = {
        rounds.c.table_id: wanted.get("table"),
        rounds.c.game: wanted.get("game"),
        rounds.c.rules_digest: wanted.get("digest"),
        rounds.c.status: wanted.get("status"),
    }
    same = [column == value for column, value in asked.items() if value is not None]
    return [*same, *_between(rounds.c.ended, wanted)]


def _of_tables(wanted: Filters) -> list[ColumnElement[bool]]:
    asked = {
        tables.c.id: wanted.get("table"),
        tables.c.game: wanted.get("game"),
        tables.c.rules_digest: wanted.get("digest"),
    }
    return [column == value for column, value in asked.items() if value is not None]


async def newest_tables(store: Store, wanted: Filters, limit: int) -> Sequence[Row]:
    query = select(tables).where(*_of_tables(wanted))
    newest = query.order_by(tables.c.created.desc(), tables.c.id.desc())
    return await store.rows(newest.limit(page_size(limit)))


async def games_played(store: Store, wanted: Filters) -> Sequence[Row]:
    query = (
        select(
            tables.c.game,
            tables.c.rules_digest,
            func.min(tables.c.rules).label("rules"),
            func.count().label("number"),
            func.count(tables.c.closed).label("closed_tables"),
            func.min(tables.c.created).label("created"),
            func.max(tables.c.closed).label("closed"),
        )
        .where(*_of_tables(wanted))
        .group_by(tables.c.game, tables.c.rules_digest)
        .order_by(tables.c.game, func.min(tables.c.created), tables.c.rules_digest)
    )
    return await store.rows(query)


async def amounts_on_felt(
    store: Store, wanted: Filters, *which: ColumnElement[bool]
) -> dict[str, tuple[int, str]]:
    """Return the bets in action by table, each with the digest of the table's rules.

    The felt is empty at the end of a round, so only the lines after the last round count.
    """
    held = select(func.sum(ledger.c.amount)).where(
        ledger.c.chain == literal(table_chain("")) + tables.c.id,
        ledger.c.account == literal(felt_account("")) + tables.c.id,
        ledger.c.seq > func.coalesce(_of_last_round(rounds.c.seq), 0),
    )
    each = select(tables.c.id, tables.c.rules_digest, held.scalar_subquery().label("held"))
    rows = await store.rows(each.where(*_of_tables(wanted), *which))
    return {row.id: (int(row.held), row.rules_digest) for row in rows if row.held}


async def counted_rounds(store: Store, wanted: Filters) -> Sequence[Row]:
    """Count the rounds of each table, grouped by equal bets."""
    by = (rounds.c.table_id, rounds.c.rules_digest, rounds.c.status, rounds.c.stakes)
    query = (
        select(
            *by,
            func.count().label("times"),
            func.sum(rounds.c.staked).label("staked"),
            func.sum(rounds.c.net).label("net"),
            func.min(rounds.c.ended).label("first"),
            func.max(rounds.c.ended).label("last"),
        )
        .where(*_of_rounds(wanted))
        .group_by(*by)
    )
    return await store.rows(query)


async def grouped_rounds(store: Store, wanted: Filters, points: int) -> Sequence[Row]:
    """Group the rounds by time into *points* groups, and each group by equal bets."""
    order = (rounds.c.ended, rounds.c.table_id, rounds.c.number)
    place = func.ntile(points).over(order_by=order).label("place")
    settled = rounds.c.status == "settled"
    each = select(rounds, place).where(settled, *_of_rounds(wanted)).subquery()
    query = (
        select(
            each.c.place,
            each.c.status,
            each.c.stakes,
            func.count().label("times"),
            func.sum(each.c.staked).label("staked"),
            func.sum(each.c.net).label("net"),
            func.min(each.c.ended).label("first"),
            func.max(each.c.ended).label("last"),
        )
        .group_by(each.c.place, each.c.status, each.c.stakes)
        .order_by(each.c.place)
    )
    return await store.rows(query)


async def rules_played(store: Store, wanted: Filters) -> Row:
    """Return the game and rules of the first table that matches the filters."""
    query = select(tables.c.game, tables.c.rules).where(*_of_tables(wanted)).limit(1)
    for row in await store.rows(query):
        return row
    raise MissingError("there is no such table, and no table with such rules")


async def event_page(
    store: Store, wanted: Filters, limit: int, before: str | None
) -> tuple[Sequence[Row], str | None]:
    """Return a page of significant events, with the cursor of the next."""
    at, chain, seq = records.c.at, records.c.chain, records.c.seq
    query = select(at, chain, seq, records.c.kind, records.c.body).where(
        IN_CAGE, *_between(at, wanted)
    )
    if wanted.get("kind") is not None:
        query = query.where(records.c.kind == wanted["kind"])
    for name, value in (("table", wanted.get("table")), ("player", wanted.get("player"))):
        if value is not None:
            fact = canonical({name: value})[1:-1]
            query = query.where(records.c.body.contains(fact, autoescape=True))
    if before is not None:
        query = query.where(tuple_(at, chain, seq) < _event_cursor(before))
    query = query.order_by(at.desc(), chain.desc(), seq.desc()).limit(page_size(limit) + 1)
    return page(await store.rows(query), limit, "at", "chain", "seq")


def _event_cursor(before: str) -> Tuple:
    """Parse the time, chain and number of an event; the name of a chain may contain a colon."""
    at, _, rest = before.partition(":")
    chain, _, seq = rest.rpartition(":")
    return tuple_(literal(whole(at)), literal(chain), literal(whole(seq)))


async def round_page(
    store: Store, wanted: Filters, limit: int, before: str | None
) -> tuple[Sequence[Row], str | None]:
    """Return a page of finished rounds, with the cursor of the next."""
    place = [rounds.c.ended, rounds.c.table_id, rounds.c.number]
    if wanted.get("table") is not None:
        place = place[
            2:
        ]  # rounds of one table end in the order of their numbers, which are indexed
    query = (
        select(rounds, tables.c.name)
        .outerjoin(tables, tables.c.id == rounds.c.table_id)
        .where(*_of_rounds(wanted), *behind(before, place))
        .order_by(*(column.desc() for column in place))
        .limit(page_size(limit) + 1)
    )
    return page(await store.rows(query), limit, "ended", "table_id", "number")


async def player_round_page(
    store: Store, player: str, limit: int, before: str | None
) -> tuple[Sequence[Row], str | None]:
    """Return a page of the rounds that a player bet in, with the cursor of the next.

    ``balance`` is the player's balance after the last ledger line that the player has at the table
    up to the end of the round: after the payment, or after the bet if it was lost.
    """
    place = results.c.ended, results.c.table_id, results.c.number
    played = (  # this uses the index of results, so older rounds cost nothing
        select(
            *place,
            func.aggregate_strings(cast(results.c.seat, Text), ",").label("seats"),
            func.sum(results.c.staked).label("staked"),
            func.sum(results.c.net).label("net"),
        )
        .where(results.c.player == player, *behind(before, place))
        .group_by(*place)
        .order_by(*(column.desc() for column in place))
        .limit(page_size(limit) + 1)
        .subquery()
    )
    same = (played.c.table_id == rounds.c.table_id) & (played.c.number == rounds.c.number)
    balance = (
        select(ledger.c.balance)
        .where(
            ledger.c.chain == literal(table_chain("")) + played.c.table_id,
            ledger.c.account == player_account(player),
            ledger.c.seq <= rounds.c.seq,
        )
        .order_by(ledger.c.seq.desc(), ledger.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = (
        select(played, rounds.c.game, rounds.c.status, tables.c.name, balance.label("balance"))
        .join(rounds, same)
        .outerjoin(tables, tables.c.id == rounds.c.table_id)
        .order_by(played.c.ended.desc(), played.c.table_id.desc(), played.c.number.desc())
    )
    return page(await store.rows(query), limit, "ended", "table_id", "number")


async def lobby_tables(store: Store, limit: int) -> list[tuple[Row, list[Row]]]:
    """Return the public tables, with their taken seats; tables with players come first.

    Tables with players are among the few tables that a process deals. Without the hint, SQLite
    would scan all tables or all seats.
    """
    players = select(func.count()).where(seats.c.table_id == tables.c.id).scalar_subquery()
    busiest = (
        select(tables, players.label("players"))
        .where(IN_LOBBY, SHARED_AND_DEALT)
        .with_hint(tables, "INDEXED BY ix_tables_dealt", "sqlite")
        .order_by(players.desc(), tables.c.created.desc())
        .limit(limit)
    )
    newest = select(tables).where(IN_LOBBY).order_by(tables.c.created.desc()).limit(limit)
    found = {row.id: row for row in await store.rows(busiest) if row.players}
    for row in await store.rows(newest):
        found.setdefault(row.id, row)
    ids = [*found][:limit]
    taken = await _seats_by_table(store, ids)
    return [(found[id_], taken[id_]) for id_ in ids]


async def _seats_by_table(store: Store, ids: Sequence[str]) -> dict[str, list[Row]]:
    taken: dict[str, list[Row]] = defaultdict(list)
    sitting = select(seats).where(seats.c.table_id.in_(ids)).order_by(seats.c.seat)
    for row in await store.rows(sitting):
        taken[row.table_id].append(row)
    return taken


class ListedTable(NamedTuple):
    """A table with its taken seats, its finished rounds and its bets in action."""

    row: Row
    taken: list[Row]
    rounds: int
    ended: int | None  # when the last round ended
    felt: int


async def table_page(
    store: Store, wanted: Filters, limit: int, before: str | None
) -> tuple[list[ListedTable], str | None]:
    """Return a page of tables, newest first, with the cursor of the next."""
    query = select(tables).where(*_of_tables(wanted))
    if (status := wanted.get("status")) is not None:
        query = query.where(tables.c.closed.is_(None) == (status == "open"))
    if before is not None:
        moment, _, table = before.partition(":")
        place = tuple_(tables.c.created, tables.c.id)
        query = query.where(place < tuple_(literal(whole(moment)), literal(table)))
    query = query.order_by(tables.c.created.desc(), tables.c.id.desc()).limit(page_size(limit) + 1)
    rows, next_ = page(await store.rows(query), limit, "created", "id")
    ids = [row.id for row in rows]
    taken = await _seats_by_table(store, ids)
    played = await _rounds_by_table(store, ids)
    felt = await amounts_on_felt(store, wanted, tables.c.id.in_(ids))
    found = [
        ListedTable(
            row, taken[row.id], *played.get(row.id, (0, None)), felt.get(row.id, (0, ""))[0]
        )
        for row in rows
    ]
    return found, next_


async def _rounds_by_table(store: Store, ids: Sequence[str]) -> dict[str, tuple[int, int | None]]:
    """Return the number of finished rounds of each table, and when the last one ended.

    The rounds of a table are numbered from 1 and end in the order of their numbers.
    """
    number, ended = _of_last_round(rounds.c.number), _of_last_round(rounds.c.ended)
    query = select(tables.c.id, number.label("number"), ended.label("ended"))
    rows = await store.rows(query.where(tables.c.id.in_(ids)))
    return {row.id: (row.number or 0, row.ended) for row in rows}


def _of_last_round(column: ColumnElement[int]) -> ScalarSelect[int]:
    """Return a column of the last finished round of each table."""
    query = select(column).where(rounds.c.table_id == tables.c.id)
    return query.order_by(rounds.c.number.desc()).limit(1).correlate(tables).scalar_subquery()
