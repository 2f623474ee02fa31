"""The tables of the database.

``records`` and ``ledger`` are the truth and are only ever added to, ``chains`` has the last record
of each chain; ``rounds`` and
``results`` are drawn from them, in the same transaction, for those who look things up.
"""

from __future__ import annotations

from typing import Final

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
)

metadata: Final = MetaData()

Milliseconds = BigInteger
"""A moment, since 1970."""

Cents = BigInteger

players = Table(
    "players",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),  # names that read alike are one
    Column("password", Text),  # an argon2 hash; a guest has none
    Column("blocked", Boolean, nullable=False),
    Column("created", Milliseconds, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token", Text, primary_key=True),  # the SHA-256 of what the cookie holds
    Column("player", Text, ForeignKey("players.id"), nullable=False, index=True),
    Column("created", Milliseconds, nullable=False),
    Column("seen", Milliseconds, nullable=False),
)

failures = Table(  # failed log-ins, for the lock-out
    "failures",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("name_key", Text, nullable=False),
    Column("at", Milliseconds, nullable=False),
    Index("ix_failures_name_at", "name_key", "at"),
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
    Column("seconds", Integer),  # to decide in; null: the table waits
    Column("private", Boolean, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created", Milliseconds, nullable=False),
    Column("closed", Milliseconds),
    # the process that deals here, by a lease that it renews
    Column("owner", Text),
    Column("address", Text),
    Column("lease_until", Milliseconds, nullable=False),
    Index("ix_tables_owner", "owner", "lease_until"),
    Index("ix_tables_creator", "creator", "created"),
)

seats = Table(
    "seats",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player", Text, ForeignKey("players.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
)

seeds = Table(  # for the dealing part alone: no query of the web layer reads it
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

records = Table(
    "records",
    metadata,
    Column("chain", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("at", Milliseconds, nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Text),
    Column("body", Text, nullable=False),
    Column("hash", Text, nullable=False),
    UniqueConstraint("chain", "key"),
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
    Index("ix_ledger_account", "account", "id", "amount"),
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
    Column("net", Cents, nullable=False),  # what the players won together
    Column("stakes", Text, nullable=False),  # put down before the deal, seat by seat; not if void
    Column("seq", BigInteger, nullable=False),  # the record in the table's chain that has it whole
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
    Index("ix_results_player", "player", "ended"),
)

switches = Table(  # what the house has switched for all processes
    "switches",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
