"""The entry point for Alembic: it migrates the database of the given connection."""

from __future__ import annotations

from alembic import context

from pitboss.ledger.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite alters a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
