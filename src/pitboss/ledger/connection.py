"""Connections to SQLite and PostgreSQL: addresses, engines, and errors of the drivers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from sqlalchemy import create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from pitboss.core.errors import SettingError, shown
from pitboss.ledger.errors import UnavailableError
from pitboss.ledger.schema import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger("pitboss.store")

T = TypeVar("T")

TRANSACTION_TIMEOUT_S: Final = 5.0
"""Seconds that a PostgreSQL transaction may take before the server counts as unavailable."""

APPLICATION: Final = "pitboss"

LIMITS_MS: Final = {
    # A process that is suspended in a transaction loses its locks after this time. It must be
    # shorter than LOCK_WAIT_S of the store, so that others can wait for the rows and get them.
    "idle_in_transaction_session_timeout": "2000",
    "lock_timeout": "1000",
    "statement_timeout": "10000",
    "tcp_user_timeout": "10000",
}

KEEPALIVES: Final = {  # seconds, and the number of probes without an answer
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}
"""With these, PostgreSQL ends a connection about ten seconds after its machine has died."""

SQLITE_MAGIC: Final = b"SQLite format 3\0"
"""The first bytes of a SQLite file."""

NO_ANSWER: Final = "the database is unavailable: send the request again, with the same key"

DRIVER_ERRORS: Final = (DBAPIError, OSError, TimeoutError)
"""Errors of the drivers, including violated constraints."""

REJECTED_DATA_STATES: Final = {"22", "23"}
"""The SQLSTATE classes of data that PostgreSQL rejects: invalid values, violated constraints."""

RETRY_STATES: Final = {"40P01", "40001"}
"""The SQLSTATEs of a transaction that was aborted in favor of another and can be retried."""

LOCK_NOT_AVAILABLE: Final = "55P03"
"""The SQLSTATE of a transaction that waited too long for a lock, such as the lock of an index."""

MOST_WAL_PAGES: Final = 4_000
"""The size of SQLite's WAL, in pages of 4 KiB, at which a commit copies it into the file.
Such a commit takes longer; with a large WAL, a page that changed several times is copied once."""


class Writer(Protocol):
    """A way to run a transaction."""

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401 arguments of *work*
        """Run *work* with a connection, and commit."""

    async def upgrade(self, work: Callable[[Connection], None]) -> None:
        """Run *work* without a time limit."""

    async def dispose(self) -> None:
        """Close all connections."""


class _ThreadWriter:
    """SQLite: runs whole transactions in one thread, one after another."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, "pitboss-writer")

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401 arguments of *work*
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._run, work, arguments)

    def _run(self, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        with self._engine.begin() as connection:
            return work(connection, *arguments)

    async def upgrade(self, work: Callable[[Connection], None]) -> None:
        await self.run(work)

    async def dispose(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.dispose)
        self._thread.shutdown()


class _ServerWriter:
    """PostgreSQL: runs transactions on connections from a pool."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401 arguments of *work*
        async with asyncio.timeout(TRANSACTION_TIMEOUT_S), self._engine.begin() as connection:
            return await connection.run_sync(work, *arguments)

    async def upgrade(self, work: Callable[[Connection], None]) -> None:
        engine = create_async_engine(self._engine.url, poolclass=NullPool)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(work)
        finally:
            await engine.dispose()

    async def dispose(self) -> None:
        await self._engine.dispose()


def lock_file(given: str) -> None:
    """Lock a SQLite file, so that no other server can use it until this process ends.

    The lock is on a second file. The system releases it when the process ends, even after a crash.
    Readers, such as an audit or a backup, do not need the lock. Windows has no such locks.
    """
    path = _file_of(given)
    if (
        fcntl is None or path is None or not _may_be_sqlite(path)
    ):  # opening the database will report the error
        return
    beside = f"{path.resolve()}-lock"  # the same for symbolic links; hard links are not recognized
    try:
        file = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # it stays open
    except BlockingIOError:
        raise SettingError(
            f"{path} is in use by another pitboss serve: stop that one first, or choose another"
            " --database. Several processes can share a PostgreSQL database."
        ) from None
    except OSError as error:
        raise SettingError(f"cannot lock {beside}: {error.strerror}") from None


def _file_of(given: str) -> Path | None:
    """Return the file of a SQLite database; None for a database in memory or on a server."""
    try:
        url = make_url(database_url(given))
    except ArgumentError:
        return None  # opening the database will report the error
    if url.get_backend_name() != "sqlite":
        return None
    if "uri" in url.query:
        raise SettingError("give the database as a file name, not as a SQLite URI")
    return Path(url.database) if url.database and url.database != ":memory:" else None


def _may_be_sqlite(path: Path) -> bool:
    """Return whether a file is a SQLite database, or is missing or empty."""
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) in {b"", SQLITE_MAGIC}
    except FileNotFoundError:
        return path.parent.is_dir()
    except OSError:
        return False


def database_url(given: str) -> str:
    """Return the URL of a database, given as a URL or a file name."""
    if "://" not in given:
        return f"sqlite+aiosqlite:///{Path(given)}"
    kind, rest = given.split("://", 1)
    drivers = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}
    kind = drivers.get(kind, kind)
    if kind not in drivers.values():
        raise SettingError(
            f"{shown(kind)} is not a supported database: give a file, or a URL that begins"
            " with postgresql+asyncpg:// or sqlite+aiosqlite://"
        )
    return f"{kind}://{rest}"


def open_engines(given: str) -> tuple[AsyncEngine, Writer]:
    """Return the engine for reading and the writer."""
    address = database_url(given)
    try:
        url = make_url(address)
        if url.get_backend_name() == "sqlite":
            return _sqlite(url)
        engine = create_async_engine(
            url,
            pool_size=10,
            pool_pre_ping=True,
            pool_timeout=10,
            connect_args={
                "timeout": 5,
                "command_timeout": 10,
                "server_settings": {"application_name": APPLICATION, **LIMITS_MS, **KEEPALIVES},
            },
            isolation_level="READ COMMITTED",  # after waiting for a lock, we see the latest row
            hide_parameters=True,  # they include seeds
        )
    except (ArgumentError, ValueError):
        raise SettingError(f"{safe_url(given)} is not the URL of a database") from None
    return engine, _ServerWriter(engine)


def _sqlite(url: URL) -> tuple[AsyncEngine, Writer]:
    reader = create_async_engine(url, pool_size=4, hide_parameters=True)
    _make_private(url.database)
    sync = url.set(drivername="sqlite")
    writer = create_engine(sync, pool_size=1, max_overflow=0, hide_parameters=True)
    _prepare_sqlite(reader.sync_engine, "BEGIN")
    _prepare_sqlite(writer, "BEGIN IMMEDIATE")
    return reader, _ThreadWriter(writer)


def _make_private(path: str | None) -> None:
    """Create the file so that only its owner can read it: it contains the seeds of open rounds."""
    if path and path != ":memory:" and Path(path).parent.is_dir():
        Path(path).touch(mode=0o600, exist_ok=True)


def _prepare_sqlite(engine: Engine, begin: str) -> None:
    @event.listens_for(engine, "connect")
    def connect(connection: Any, _: object) -> None:  # noqa: ANN401 the driver's class
        connection.isolation_level = None  # we begin transactions ourselves
        cursor = connection.cursor()
        if _is_ours(cursor):  # a foreign file is not changed
            cursor.execute("PRAGMA journal_mode=WAL")
        for pragma in (
            "synchronous=FULL",  # a confirmed commit survives a power failure
            "foreign_keys=ON",
            "busy_timeout=10000",
            # only the writer copies the WAL: SQLite < 3.51.3 can lose a concurrent checkpoint
            f"wal_autocheckpoint={MOST_WAL_PAGES}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)


def _is_ours(cursor: Any) -> bool:  # noqa: ANN401 the driver's class
    """Return whether a file is empty or a pitboss database of any version."""
    cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    found = {name for (name,) in cursor.fetchall()}
    return not found or VERSIONS in found


def is_gone(error: DBAPIError) -> bool:
    """Return whether an error means that the database is unavailable, not that data is invalid."""
    state = sql_state(error)
    refused = isinstance(error, IntegrityError | DataError) or state[:2] in REJECTED_DATA_STATES
    return not refused and state not in {*RETRY_STATES, LOCK_NOT_AVAILABLE}


def sql_state(error: BaseException) -> str:
    """Return the SQLSTATE of a failure."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) or ""


@contextlib.contextmanager
def reporting_failures() -> Any:  # noqa: ANN401  a context manager
    """Turn errors of the driver into :class:`UnavailableError`."""
    try:
        yield
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        if isinstance(error, IntegrityError):
            raise
        log.warning("the database is unavailable: %s", reason_of(error))
        raise UnavailableError(NO_ANSWER) from None


def reason_of(error: BaseException) -> str:
    """Return the first line of a driver's error message."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    lines = str(cause).strip().splitlines() or [type(cause).__name__]
    return lines[0]


def safe_url(url: str) -> str:
    """Return a URL without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return shown(url)
