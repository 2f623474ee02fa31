"""Set players.created to the time of the record that created the player."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# a player is created at the time of the record, not some milliseconds later

_FIRST_LINE = """
    SELECT records.at FROM ledger
    JOIN records ON records.chain = ledger.chain AND records.seq = ledger.seq
    WHERE ledger.account = 'player:' || players.id AND records.kind = 'guest'
    ORDER BY ledger.id LIMIT 1
"""
_CREATED = f"""
    UPDATE players SET created = ({_FIRST_LINE})
    WHERE abs(created - ({_FIRST_LINE})) BETWEEN 1 AND 999
"""  # noqa: S608  nothing comes from outside


def upgrade() -> None:
    op.execute(sa.text(_CREATED))


def downgrade() -> None:
    """Keep the new times, because older versions do not use them."""
