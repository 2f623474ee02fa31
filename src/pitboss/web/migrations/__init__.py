"""How the database came to be, step by step; Alembic runs what an older one lacks."""
