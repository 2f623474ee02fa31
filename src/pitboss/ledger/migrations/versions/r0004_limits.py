"""Add indexes for constant-time lists, and count log-ins by address."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

INDEXES = [
    ("ix_tables_created", "tables", ["created", "id"], None),
    (
        "ix_tables_lobby",
        "tables",
        ["created"],
        "private IS {false} AND closed IS NULL AND seconds IS NOT NULL",
    ),
    (
        "ix_tables_dealt",
        "tables",
        ["owner", "lease_until"],
        "owner IS NOT NULL AND seconds IS NOT NULL",
    ),
    ("ix_tables_used", "tables", ["used"], "closed IS NULL"),
    ("ix_failures_at", "failures", ["at"], None),
    ("ix_logins_at", "logins", ["at"], None),
    ("ix_players_blocked", "players", ["id"], "blocked IS {true}"),
    ("ix_results_player", "results", ["player", "ended", "table_id", "number"], None),
]
REPLACED = [
    ("ix_tables_owner", "tables", ["owner", "lease_until"]),
    ("ix_results_player", "results", ["player", "ended"]),
]


def upgrade() -> None:
    _collate_keys("C")
    _limit_guesses_by_address()
    _index_what_is_listed()


def downgrade() -> None:
    for name, table, *_ in INDEXES:
        op.drop_index(name, table)
    for name, table, columns in REPLACED:
        op.create_index(name, table, columns)
    op.drop_column("tables", "used")
    op.drop_table("logins")
    op.drop_column("failures", "address")
    _collate_keys("default")


def _collate_keys(collation: str) -> None:
    """Sort keys by their bytes, as SQLite does, so that an index finds them by prefix."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("records", "key", type_=sa.Text(collation=collation))


def _limit_guesses_by_address() -> None:
    """Store the address of each failed log-in, and the addresses of successful ones."""
    address = sa.Column("address", sa.Text(), nullable=False, server_default="")
    op.add_column("failures", address)
    integer = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "logins",
        sa.Column("id", integer, nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_logins_player", "logins", ["player", "address", "at"])


def _index_what_is_listed() -> None:
    """Add the time of a table's last use, and indexes that let a list read only its own rows."""
    op.add_column("tables", sa.Column("used", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute("UPDATE tables SET used = (SELECT coalesce(max(at), 0) FROM records)")
    for name, table, _ in REPLACED:
        op.drop_index(name, table)
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    words = {"true": "1", "false": "0"} if is_sqlite else {"true": "true", "false": "false"}
    for name, table, columns, condition in INDEXES:
        where = sa.text(condition.format(**words)) if condition else None
        op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
