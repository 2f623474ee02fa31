"""Add running balances, a cage chain for each process, and write checks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

IN_CAGE = sa.text("substr(chain, 1, 4) = 'cage'")
REFILL = sa.text("memo = 'refill'")
FILL_BALANCES = """
    INSERT INTO balances (account, amount, worth)
    SELECT l.account, sum(l.amount),
        sum(CASE WHEN o.seq IS NULL OR l.seq <= o.seq THEN l.amount ELSE 0 END)
    FROM ledger AS l
    LEFT JOIN (SELECT chain, max(seq) AS seq FROM records WHERE kind = 'open' GROUP BY chain) AS o
        ON o.chain = l.chain
    WHERE l.account LIKE 'player:%'
    GROUP BY l.account
"""
"""``worth`` includes bets of the open round, so only postings up to its opening count."""


def upgrade() -> None:
    op.create_table(
        "balances",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("worth", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account"),
    )
    op.execute(FILL_BALANCES)
    op.create_table(
        "processes",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("proof", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    _partial_index("ix_records_event", "records", ["at", "chain", "seq"], IN_CAGE)
    _partial_index("ux_records_cage_key", "records", ["key"], IN_CAGE, unique=True)
    _partial_index("ix_ledger_refill", "ledger", ["account", "id"], REFILL)


def _partial_index(
    name: str, table: str, columns: list[str], only: sa.TextClause, *, unique: bool = False
) -> None:
    op.create_index(name, table, columns, unique=unique, sqlite_where=only, postgresql_where=only)


def downgrade() -> None:
    op.drop_index("ix_ledger_refill", "ledger")
    op.drop_index("ux_records_cage_key", "records")
    op.drop_index("ix_records_event", "records")
    op.drop_table("processes")
    op.drop_table("balances")
