"""The tables of the database.

``records`` and ``ledger`` are the source of truth and are append-only. ``chains`` has the last
record of each chain, and ``balances`` the sum of each player's ledger lines; ``ledger.balance`` is
that sum up to the line. ``rounds`` and ``results`` are for lookups. All of these are derived from
the records and written in the same transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    and_,
    text,
)

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, TextClause

metadata: Final = MetaData()

VERSIONS: Final = "alembic_version"
"""The table that stores the version of the database."""

Milliseconds = BigInteger
"""A time, in milliseconds since 1970."""

Cents = BigInteger


def _only(condition: ColumnElement[bool] | TextClause) -> dict[str, Any]:
    """Return the options of a partial index, which stays small when the table grows."""
    return {"sqlite_where": condition, "postgresql_where": condition}


players = Table(
    "players",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),  # equal for names that look alike
    Column("password", Text),  # an argon2 hash; null for a guest
    Column("blocked", Boolean, nullable=False),
    Column("created", Milliseconds, nullable=False),
)
Index("ix_players_blocked", players.c.id, **_only(players.c.blocked.is_(True)))

sessions = Table(
    "sessions",
    metadata,
    Column("token", Text, primary_key=True),  # the SHA-256 of the cookie
    Column("player", Text, ForeignKey("players.id"), nullable=False, index=True),
    Column("created", Milliseconds, nullable=False),
    Column("seen", Milliseconds, nullable=False),
)

failures = Table(  # failed log-ins, for lockouts
    "failures",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("name_key", Text, nullable=False),
    Column("address", Text, nullable=False),  # in plain text, like the address in the events
    Column("at", Milliseconds, nullable=False),
    Index("ix_failures_name_at", "name_key", "at"),
    Index("ix_failures_name_address", "name_key", "address", "at"),
    Index("ix_failures_at", "at"),
)

logins = Table(  # addresses of past log-ins, which others cannot lock out
    "logins",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("player", Text, ForeignKey("players.id"), nullable=False),
    Column("address", Text, nullable=False),
    Column("at", Milliseconds, nullable=False),
    Index("ix_logins_player", "player", "address", "at"),
    Index("ix_logins_at", "at"),
)

tables = Table(
    "tables",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("rules", Text, nullable=False),
    Column("rules_digest", Text, nullable=False, index=True),
    Column("limits", Text, nullable=False),
    Column("places", Integer, nullable=False),
    Column("seconds", Integer),  # the time to decide; null: no timer
    Column("private", Boolean, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created", Milliseconds, nullable=False),
    Column("closed", Milliseconds),
    # the process that holds the lease and renews it
    Column("owner", Text),
    Column("address", Text),
    Column("lease_until", Milliseconds, nullable=False),
    Column("used", Milliseconds, nullable=False),  # when a player last came or left
    Index("ix_tables_creator", "creator", "created"),
    Index("ix_tables_created", "created", "id"),
)

IN_LOBBY: Final = and_(
    tables.c.private.is_(False), tables.c.closed.is_(None), tables.c.seconds.is_not(None)
)
"""The condition for public tables."""

SHARED_AND_DEALT: Final = and_(tables.c.owner.is_not(None), tables.c.seconds.is_not(None))
"""The condition for shared tables that a process deals; they include every table with players."""

Index("ix_tables_lobby", tables.c.created, **_only(IN_LOBBY))
Index("ix_tables_dealt", tables.c.owner, tables.c.lease_until, **_only(SHARED_AND_DEALT))
Index("ix_tables_used", tables.c.used, **_only(tables.c.closed.is_(None)))

seats = Table(
    "seats",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player", Text, ForeignKey("players.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
)

seeds = Table(  # only for dealing: no query of the web layer reads it
    "seeds",
    metadata,
    Column("commitment", Text, primary_key=True),
    Column("table_id", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("seed", Text, nullable=False, unique=True),
    UniqueConstraint("table_id", "round"),
)

chains = Table(
    "chains",
    metadata,
    Column("name", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
)

IN_CAGE: Final = text("substr(records.chain, 1, 4) = 'cage'")
"""The condition of the partial indexes of cage records: queries must use exactly this text."""

_IN_CAGE = text("substr(chain, 1, 4) = 'cage'")  # an index names columns without their table

records = Table(
    "records",
    metadata,
    Column("chain", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("at", Milliseconds, nullable=False),
    Column("kind", Text, nullable=False),
    # byte order, so that keys with the same prefix are one range of the index
    Column("key", Text().with_variant(Text(collation="C"), "postgresql")),
    Column("body", Text, nullable=False),
    Column("hash", Text, nullable=False),
    UniqueConstraint("chain", "key"),
    Index("ix_records_event", "at", "chain", "seq", **_only(_IN_CAGE)),
    # a request counts once, even if several processes receive it
    Index("ux_records_cage_key", "key", unique=True, **_only(_IN_CAGE)),
)

ledger = Table(
    "ledger",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("chain", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("account", Text, nullable=False),
    Column("amount", Cents, nullable=False),
    Column("memo", Text, nullable=False),
    Column("balance", Cents),  # of the player after this line; null for other accounts
    Index("ix_ledger_chain", "chain", "account", "seq", "id"),
    Index("ix_ledger_refill", "account", "id", **_only(text("memo = 'refill'"))),
)

balances = Table(  # only players: every process would wait for a row of the bank
    "balances",
    metadata,
    Column("account", Text, primary_key=True),
    Column("amount", Cents, nullable=False),
    Column("worth", Cents, nullable=False),  # the amount plus the player's bets in action
)

rounds = Table(
    "rounds",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("game", Text, nullable=False),
    Column("rules_digest", Text, nullable=False),
    Column("status", Text, nullable=False),  # settled or void
    Column("opened", Milliseconds, nullable=False),
    Column("ended", Milliseconds, nullable=False),
    Column("staked", Cents, nullable=False),
    Column("net", Cents, nullable=False),  # the players' total win
    Column("stakes", Text, nullable=False),  # bets before the deal, by seat; empty if void
    Column(
        "seq", BigInteger, nullable=False
    ),  # the record in the table's chain with the full round
    Index("ix_rounds_ended", "ended"),
    Index("ix_rounds_digest", "rules_digest", "ended"),
)

results = Table(
    "results",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("staked", Cents, nullable=False),
    Column("net", Cents, nullable=False),
    Column("ended", Milliseconds, nullable=False),
    Index("ix_results_player", "player", "ended", "table_id", "number"),
)

switches = Table(  # the operator's switches, for all processes
    "switches",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

processes = Table(  # the last write check of each process
    "processes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", Milliseconds, nullable=False),
    Column("proof", Text, nullable=False),
)
