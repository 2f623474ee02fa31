"""Leases: the right of one process to deal a table for a limited time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select, update

from pitboss.core.errors import GameError
from pitboss.ledger.errors import BlockedError
from pitboss.ledger.schema import SHARED_AND_DEALT, tables

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from pitboss.ledger.store import Store


class ElsewhereError(GameError):
    """Another process deals this table, at *address*."""

    code = "elsewhere"

    def __init__(self, message: str, address: str | None) -> None:
        super().__init__(message)
        self.address = address


class Leases:
    """The leases of one process; other processes reach it at *address*."""

    def __init__(self, store: Store, address: str | None, lease_ms: int) -> None:
        self.owner = store.owner
        self.address = address
        self._store = store
        self._lease_ms = lease_ms

    async def claim(self, table: str, at: int) -> str | None:
        """Acquire the lease of a table; return the previous owner if it did not release it."""

        def claim(connection: Connection) -> str | None:
            query = select(tables).where(tables.c.id == table)
            query = query.with_for_update(key_share=True, skip_locked=True)
            row = connection.execute(query).first()
            if row is None:  # the row exists, but another process has locked it
                raise BlockedError("the table is moving to another process: try again")
            if self._is_held_elsewhere(row, at):
                raise ElsewhereError("another process deals this table", row.address)
            held = {"owner": self.owner, "address": self.address, "used": at}
            connection.execute(
                update(tables)
                .where(tables.c.id == table)
                .values(**held, lease_until=at + self._lease_ms)
            )
            return row.owner if row.owner != self.owner else None

        return await self._store.change(claim)

    def _is_held_elsewhere(self, row: Any, at: int) -> bool:  # noqa: ANN401  a row
        """Return whether another process deals a table; a process at our address no longer runs."""
        here = self.address is not None and row.address == self.address
        return not (here or row.owner in {None, self.owner}) and row.lease_until >= at

    async def renew(self, at: int) -> set[str]:
        """Renew the leases of all shared tables that this process owns; return the tables."""
        ours = (tables.c.owner == self.owner) & tables.c.seconds.is_not(None)
        renewed = update(tables).where(ours).values(lease_until=at + self._lease_ms)

        def renew(connection: Connection) -> set[str]:
            connection.execute(renewed)
            return {row.id for row in connection.execute(select(tables.c.id).where(ours))}

        return await self._store.change(renew)

    async def expired(self, at: int) -> list[str]:
        """Return the shared tables whose owner no longer renews its lease."""
        query = select(tables.c.id).where(SHARED_AND_DEALT, tables.c.lease_until < at)
        return [row.id for row in await self._store.rows(query)]

    async def release(self, names: Collection[str], to_take_over: Collection[str], at: int) -> None:
        """Release tables; those in *to_take_over* keep their owner, so others take them over."""
        ours = update(tables).where(tables.c.owner == self.owner, tables.c.id.in_(names))
        released = ours.where(tables.c.id.not_in(to_take_over)).values(owner=None, address=None)

        def release(connection: Connection) -> None:
            connection.execute(ours.values(lease_until=0, used=at))
            connection.execute(released)

        await self._store.change(release)

    async def release_all(self) -> None:
        """Release every table of the database, including those of other processes."""
        free = update(tables).values(owner=None, address=None, lease_until=0)
        await self._store.change(lambda connection: connection.execute(free))

    # --- use

    async def mark_used(self, names: Collection[str], at: int) -> None:
        """Mark tables as in use."""
        marked = update(tables).where(tables.c.id.in_(names)).values(used=at)
        await self._store.change(lambda connection: connection.execute(marked))

    async def unused(self, since: int, at: int, limit: int) -> list[str]:
        """Return open tables without a dealer that were not used since a time, oldest use first."""
        query = (
            select(tables.c.id)
            .where(
                tables.c.closed.is_(None),
                tables.c.used < since,
                or_(tables.c.owner.is_(None), tables.c.lease_until < at),
            )
            .order_by(tables.c.used)
            .limit(limit)
        )
        return [row.id for row in await self._store.rows(query)]
