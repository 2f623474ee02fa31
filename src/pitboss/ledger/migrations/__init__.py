"""Migrations of the database; Alembic runs those that an older database lacks."""
