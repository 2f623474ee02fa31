"""Creating tables."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from pitboss.core.fairness import commitment
from pitboss.core.protocol import require
from pitboss.ledger.clock import now
from pitboss.ledger.projection import new_seed, new_table
from pitboss.ledger.software import software
from pitboss.ledger.table_queries import count_created
from pitboss.ledger.transaction import Unit
from pitboss.tables import live
from pitboss.tables.chain import Entry
from pitboss.tables.timestamps import DAY

if TYPE_CHECKING:
    from pitboss.ledger.store import Store
    from pitboss.tables.setup import Setup

MOST_TABLES: Final = 200
"""The maximum number of tables that a player may create in a day."""


async def create_table(store: Store, setup: Setup, creator: str, key: str | None) -> str:
    """Create a table and open its first round; return its id."""
    at = now()
    number = await count_created(store, creator, at - DAY)
    require(
        number < MOST_TABLES,
        f"a player may open at most {MOST_TABLES} tables a day: try again later",
    )
    seed = secrets.token_bytes(32)
    opening = live.first_open(setup, commitment(seed))
    about = setup.as_json() | {"creator": creator, "software": software()}
    table = Entry(chain=setup.chain, kind="table", body=about)
    event = Entry(chain=store.cage, kind="table_opened", body=about, key=key)
    changes = (new_table(setup, creator, at), new_seed(setup.id, opening, seed))
    await store.write(Unit(entries=(table, opening, event), at=at, changes=changes))
    return setup.id
