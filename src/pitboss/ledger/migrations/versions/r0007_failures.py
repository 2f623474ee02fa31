"""Find the failed log-ins of one address."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_failures_name_address", "failures", ["name_key", "address", "at"])


def downgrade() -> None:
    op.drop_index("ix_failures_name_address", "failures")
