"""Alembic's door: it is given a connection and brings that database up to date."""

from __future__ import annotations

from alembic import context

from pitboss.web.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite alters a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
