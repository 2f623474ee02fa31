"""Queries and changes of players: accounts, sessions, log-ins and refills."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Text,
    bindparam,
    cast,
    delete,
    exists,
    insert,
    or_,
    select,
    text,
    update,
)

from pitboss.ledger.errors import MissingError
from pitboss.ledger.schema import failures, ledger, logins, players, records, sessions
from pitboss.ledger.transaction import Change
from pitboss.tables.chain import player_account
from pitboss.tables.names import name_key
from pitboss.tables.timestamps import DAY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection, Delete

    from pitboss.ledger.store import Row, Store

_NEW_PLAYER = insert(players)
_NEW_SESSION = insert(sessions)
_RENAME = (
    update(players)
    .where(players.c.id == bindparam("who"))
    .values(name=bindparam("to"), name_key=bindparam("key_to"))
)
_SET_PASSWORD = (
    update(players).where(players.c.id == bindparam("who")).values(password=bindparam("to"))
)
_BLOCK = update(players).where(players.c.id == bindparam("who")).values(blocked=bindparam("to"))
_END_OTHERS = delete(sessions).where(
    sessions.c.player == bindparam("who"), sessions.c.token != bindparam("but")
)
_END = delete(sessions).where(sessions.c.player == bindparam("who"))
_SEEN = (
    update(sessions)
    .where(sessions.c.token == bindparam("which"), sessions.c.seen < bindparam("older"))
    .values(seen=bindparam("to"))
)
_FAILED = insert(failures)
_KNOWN = insert(logins).from_select(  # once a day
    ["player", "address", "at"],
    select(
        cast(bindparam("who"), Text),
        cast(bindparam("from_address"), Text),
        cast(bindparam("moment"), BigInteger),
    ).where(
        ~exists().where(
            logins.c.player == bindparam("who"),
            logins.c.address == bindparam("from_address"),
            logins.c.at > bindparam("since"),
        )
    ),
)
_FORGIVEN = delete(failures).where(
    failures.c.name_key == bindparam("who"), failures.c.address == bindparam("from_address")
)

# --- changes that are written with a record


def new_player(player: str, name: str, at: int) -> Change:
    row = {"id": player, "name": name, "name_key": name_key(name), "blocked": False}
    return Change(_NEW_PLAYER, row | {"created": at})


def new_session(token: str, player: str, at: int) -> Change:
    """Return the change that inserts a session; *token* is the hash of its token."""
    return Change(_NEW_SESSION, {"token": token, "player": player, "created": at, "seen": at})


def renamed(player: str, name: str) -> Change:
    return Change(_RENAME, {"who": player, "to": name, "key_to": name_key(name)})


def password_set(player: str, hashed: str) -> Change:
    return Change(_SET_PASSWORD, {"who": player, "to": hashed})


def blocked_set(player: str, *, blocked: bool) -> Change:
    return Change(_BLOCK, {"who": player, "to": blocked})


def sessions_ended(player: str, but: str | None = None) -> Change:
    """Return the change that deletes a player's sessions, except the session *but*."""
    if but is None:
        return Change(_END, {"who": player})
    return Change(_END_OTHERS, {"who": player, "but": but})


def known_address(player: str, address: str, at: int) -> Change:
    """Return the change that stores a log-in from an address, at most once a day."""
    values = {"who": player, "from_address": address, "moment": at, "since": at - DAY}
    return Change(_KNOWN, values)


# --- players


async def find_player(store: Store, player: str) -> Row:
    for row in await store.rows(select(players).where(players.c.id == player)):
        return row
    raise MissingError("there is no such player")


async def player_by_name(store: Store, key: str) -> Any:  # noqa: ANN401  a row, or None
    """Return the player whose name has this key, if there is one."""
    return next(iter(await store.rows(select(players).where(players.c.name_key == key))), None)


async def blocked_players(store: Store) -> set[str]:
    query = select(players.c.id).where(players.c.blocked.is_(True))
    return {row.id for row in await store.rows(query)}


# --- sessions


async def find_session(store: Store, token: str) -> Any:  # noqa: ANN401  a row, or None
    """Return a session and its player by the hash of its token, if there is one."""
    query = (
        select(players.c.id, players.c.name, players.c.password, players.c.blocked, sessions)
        .join(sessions, sessions.c.player == players.c.id)
        .where(sessions.c.token == token)
    )
    return next(iter(await store.rows(query)), None)


async def session_tokens(store: Store, player: str) -> set[str]:
    query = select(sessions.c.token).where(sessions.c.player == player)
    return {row.token for row in await store.rows(query)}


async def write_activity(store: Store, seen: Mapping[str, int]) -> None:
    """Store the last activity of sessions, which are given by the hashes of their tokens."""
    rows = [{"which": token, "to": at, "older": at} for token, at in seen.items()]
    await store.change(lambda connection: connection.execute(_SEEN, rows))


async def end_session(store: Store, token: str) -> list[str]:
    """End a session; return the hashes of the ended tokens."""
    return await _end(store, delete(sessions).where(sessions.c.token == token))


async def end_all_sessions(store: Store, player: str) -> list[str]:
    """End all sessions of a player; return the hashes of their tokens."""
    return await _end(store, delete(sessions).where(sessions.c.player == player))


async def _end(store: Store, which: Any) -> list[str]:  # noqa: ANN401  a statement
    query = which.returning(sessions.c.token)
    rows = await store.change(lambda connection: connection.execute(query).all())
    return [row.token for row in rows]


# --- log-ins


async def log_in(store: Store, session: Change, key: str, address: str, known: Change) -> None:
    """Open a session, and forget the failed log-ins from its address."""

    def work(connection: Connection) -> None:
        connection.execute(session.statement, session.values)
        connection.execute(_FORGIVEN, {"who": key, "from_address": address})
        connection.execute(known.statement, known.values)

    await store.change(work)


async def is_known_address(store: Store, player: str, address: str, since: int) -> bool:
    """Return whether a player has logged in from this address since a time."""
    query = select(logins.c.id).where(
        logins.c.player == player, logins.c.address == address, logins.c.at > since
    )
    return bool(await store.rows(query.limit(1)))


async def failed_logins(
    store: Store, key: str, since: int, limit: int, address: str | None = None
) -> list[tuple[int, str]]:
    """Return the times and addresses of the last failed log-ins since a time, oldest first.

    With an *address*, return only those from there, however many others there are.
    """
    query = select(failures.c.at, failures.c.address).where(
        failures.c.name_key == key, failures.c.at > since
    )
    if address is not None:
        query = query.where(failures.c.address == address)
    newest = query.order_by(failures.c.at.desc()).limit(limit)
    return [(row.at, row.address) for row in await store.rows(newest)][::-1]


async def add_failed_login(store: Store, key: str, address: str, at: int) -> None:
    row = {"name_key": key, "address": address, "at": at}
    await store.change(lambda connection: connection.execute(_FAILED, row))


async def delete_old(
    store: Store, *, idle_since: int, opened_before: int, failed_before: int, known_before: int
) -> None:
    """Delete expired sessions, and log-ins that no longer count."""
    expired = or_(sessions.c.seen < idle_since, sessions.c.created < opened_before)
    for old in (
        delete(sessions).where(expired),
        delete(failures).where(failures.c.at < failed_before),
        delete(logins).where(logins.c.at < known_before),
    ):
        await store.change(partial(_delete, old))


def _delete(old: Delete, connection: Connection) -> None:
    connection.execute(old)


# --- refills


async def last_refills(store: Store, player: str, limit: int) -> Iterable[Row]:
    """Return the times and the numbered keys of a player's last refills, newest first."""
    same = (records.c.chain == ledger.c.chain) & (records.c.seq == ledger.c.seq)
    query = (
        select(records.c.at, records.c.key)
        .join(ledger, same)
        .where(ledger.c.account == player_account(player), text("ledger.memo = 'refill'"))
        .order_by(ledger.c.id.desc())
        .limit(limit)
    )
    return await store.rows(query)
