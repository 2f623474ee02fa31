"""The operator's switches in the database, which apply to all processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Text, bindparam, cast, exists, insert, select, update

from pitboss.ledger.schema import switches
from pitboss.ledger.transaction import Change

if TYPE_CHECKING:
    from pitboss.ledger.store import Store

ALL_GAMES: Final = "gaming"
"""The switch for all games; each game also has its own, named by its key."""

NEW_SWITCH: Final = insert(
    switches
).from_select(  # a game that is newer than the database has no row yet
    ["name", "value"],
    select(cast(bindparam("which"), Text), cast(bindparam("to"), Text)).where(
        ~exists().where(switches.c.name == bindparam("which"))
    ),
)
SET_SWITCH: Final = (
    update(switches).where(switches.c.name == bindparam("which")).values(value=bindparam("to"))
)


async def stopped_games(store: Store) -> set[str]:
    """Return the switches that are off."""
    query = select(switches.c.name).where(switches.c.value == "stopped")
    return {row.name for row in await store.rows(query)}


def set_switch(name: str, value: str) -> tuple[Change, ...]:
    values = {"which": name, "to": value}
    return tuple(Change(statement, values) for statement in (NEW_SWITCH, SET_SWITCH))
