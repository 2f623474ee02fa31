"""Add the switch that stops all play."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    switches = op.create_table(
        "switches",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    names = ("gaming", "toss-one-21", "roll-your-own")
    op.bulk_insert(switches, [{"name": name, "value": "open"} for name in names])


def downgrade() -> None:
    op.drop_table("switches")
