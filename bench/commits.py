"""The time to write a unit of the ledger: through the driver, and through SQLAlchemy.

    python -m bench.commits                 # about ten seconds

A unit is one record with its chain's head, two postings and two balances, as a bet writes them. The
two ways alternate on one SQLite database in memory, so that only the statements are measured, not
the disk. ``ledger/transaction.py`` gives the text of a statement to the driver.
"""

from __future__ import annotations

import statistics
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from pitboss.ledger import transaction
from pitboss.ledger.schema import metadata
from pitboss.tables.chain import BANK, Entry, Posting, canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection
    from sqlalchemy.sql.dml import UpdateBase

TABLES = 50
REPEATS = 400
START = 10**12


def unit(table: int, at: int) -> transaction.Unit:
    """Return a bet of five dollars at a table, and a refund to another player."""
    postings = (
        Posting(f"player:a{table}", -500, "bet"),
        Posting(f"player:b{table}", 500, "returned"),
    )
    body = {"seat": 1, "stakes": {"main": 500}, "round": at}
    entry = Entry(chain=f"table:{table}", kind="bet", body=body, postings=postings)
    return transaction.Unit(entries=(entry,), at=at)


def grant(table: int) -> transaction.Unit:
    """Return a unit that opens a table and gives its first player money."""
    postings = (Posting(f"player:a{table}", START, "guest"), Posting(BANK, -START, "guest"))
    return transaction.Unit(
        entries=(Entry(chain=f"table:{table}", kind="open", body={}, postings=postings),), at=0
    )


def execute(connection: Connection, statement: UpdateBase, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(statement, rows)


def insert(
    connection: Connection, statement: UpdateBase, columns: tuple[str, ...], rows: list[Any]
) -> None:
    execute(connection, statement, [dict(zip(columns, row, strict=True)) for row in rows])


def look_up(connection: Connection, queries: Mapping[str, str], names: set[str]) -> Iterable[Any]:
    if not names:
        return ()
    return connection.exec_driver_sql(queries["sqlite"], (canonical([*names]),)).fetchall()


@contextmanager
def through_sqlalchemy() -> Iterator[None]:
    """Replace the functions that give text to the driver."""
    with ExitStack() as stack:
        for name, way in {"_execute": execute, "_insert": insert, "_look_up": look_up}.items():
            stack.enter_context(mock.patch.object(transaction, name, way))
        yield


def timed(connection: Connection, units: list[transaction.Unit]) -> float:
    """Commit units in one transaction; return the microseconds for each."""
    start = time.perf_counter()
    with connection.begin():
        connection.exec_driver_sql("BEGIN")
        answers = transaction.commit_units(connection, units)
    took = time.perf_counter() - start
    assert all(isinstance(one, transaction.WriteResult) for one in answers), answers  # noqa: S101
    return took / len(units) * 1e6


def main() -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine)
    with engine.connect() as connection:
        driver = connection.connection.dbapi_connection
        driver.isolation_level = None  # type: ignore[union-attr]  # as in the ledger
        connection.rollback()
        timed(connection, [grant(table) for table in range(TABLES)])
        for size in (1, 10):
            found: dict[str, list[float]] = {"driver": [], "SQLAlchemy": []}
            for number in range(REPEATS):
                units = [unit((number + i) % TABLES, number + 1) for i in range(size)]
                found["driver"].append(timed(connection, units))
                with through_sqlalchemy():
                    found["SQLAlchemy"].append(timed(connection, units))
            shown = ", ".join(f"{way} {statistics.median(each):.0f}" for way, each in found.items())
            print(f"groups of {size}: {shown} microseconds a unit (medians of {REPEATS})")


if __name__ == "__main__":
    main()
