"""The version of a database, and its upgrade with the migrations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from pitboss.core.errors import SettingError
from pitboss.ledger import migrations

if TYPE_CHECKING:
    from sqlalchemy import Connection


def upgrade(connection: Connection) -> None:
    """Upgrade the database in one transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(21)"))  # one upgrade at a time
    current, known, newest = versions(connection)
    if current is not None and current not in known:
        raise SettingError(
            f"the database has a newer version ({current}; this pitboss knows up to"
            f" {newest}): run the pitboss that created it, or a later one"
        )
    if current is None and inspect(connection).get_table_names():
        raise SettingError("the database belongs to another program: choose an empty one")
    if current != newest:
        config = _steps()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def versions(connection: Connection) -> tuple[str | None, set[str], str | None]:
    """Return the version of a database, the known versions, and the newest one."""
    script = ScriptDirectory.from_config(_steps())
    known = {step.revision for step in script.walk_revisions()}
    current = MigrationContext.configure(connection).get_current_revision()
    return current, known, script.get_current_head()


def _steps() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config
