"""Store the player's balance with each ledger line, and find lines by table and account."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

FILL_BALANCES = """
    UPDATE ledger SET balance = summed.balance
    FROM (
        SELECT id, sum(amount) OVER (PARTITION BY account ORDER BY id) AS balance
        FROM ledger WHERE account LIKE 'player:%'
    ) AS summed
    WHERE summed.id = ledger.id
"""
"""Lines of one account are numbered in the order in which they were written."""

BY_ACCOUNT = "ix_ledger_account", ["account", "id", "amount"]
BY_TABLE = "ix_ledger_chain", ["chain", "account", "seq", "id"]


def upgrade() -> None:
    op.add_column("ledger", sa.Column("balance", sa.BigInteger(), nullable=True))
    op.execute(FILL_BALANCES)
    _replace_index(BY_ACCOUNT, BY_TABLE)


def downgrade() -> None:
    _replace_index(BY_TABLE, BY_ACCOUNT)
    op.drop_column("ledger", "balance")


def _replace_index(old: tuple[str, list[str]], new: tuple[str, list[str]]) -> None:
    op.drop_index(old[0], "ledger")
    op.create_index(new[0], "ledger", new[1])
