"""The writer commits units completely or not at all, in groups and in order."""

import asyncio
import contextlib
import sqlite3
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from pitboss.core.errors import SettingError
from pitboss.ledger import connection as connections
from pitboss.ledger import store as stores
from pitboss.ledger.connection import database_url
from pitboss.ledger.errors import (
    BlockedError,
    ConflictError,
    NotCoveredError,
    RepeatedError,
    UnavailableError,
)
from pitboss.ledger.schema import balances, ledger, players, records, sessions
from pitboss.ledger.store import Store
from pitboss.ledger.transaction import Change, Unit, WriteResult
from pitboss.tables.chain import BANK, CAGE, Entry, Head, Posting, player_account
from tests.web.gamblers import eventually

NEW_PLAYER = insert(players)
NEW_SESSION = insert(sessions)


def move(player, amount, **more):
    """Move play money from the bank to a player, or back."""
    lines = (Posting(BANK, -amount, "test"), Posting(player_account(player), amount, "test"))
    more = {"chain": CAGE, "kind": "test", "body": {}} | more
    return Unit(at=1, entries=(Entry(postings=lines, **more),))


def new_player(name):
    row = {"id": name, "name": name, "name_key": name, "blocked": False, "created": 1}
    entry = Entry(chain=CAGE, kind="guest", body={})
    return Unit(at=1, entries=(entry,), changes=(Change(NEW_PLAYER, row),))


def with_store(url, work):
    async def run():
        store = await Store.open(url)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(run())


def test_units_that_come_together_are_committed_together(database_url):
    """A hundred waiting units share a few commits, in order."""

    async def work(store):
        await store.write(new_player("ann"))
        before = store.commits
        await asyncio.gather(*(store.write(move("ann", 5)) for _ in range(100)))
        balance = await store.balances([player_account("ann")])
        return store.commits - before, balance, await store.records(CAGE)

    commits, balance, kept = with_store(database_url, work)

    assert commits < 10
    assert balance == {"player:ann": 500}
    assert [record.seq for record in kept] == list(range(1, 102))


def test_only_the_overdrawing_unit_is_rejected(database_url):
    """Only the unit of a commit that overdraws an account is rejected."""

    async def work(store):
        await store.write(new_player("ann"))
        await store.write(move("ann", 100))
        asked = [store.write(move("ann", amount)) for amount in (-60, -60, 30, -60)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return answers, await store.balances(["player:ann"])

    answers, balance = with_store(database_url, work)

    assert [isinstance(answer, NotCoveredError) for answer in answers] == [0, 1, 0, 0]
    assert str(answers[1]) == "this takes $0.60, but the bankroll is $0.40"
    assert balance == {"player:ann": 10}


def test_a_name_that_is_taken_does_not_hurt_others(database_url):
    """Only the unit that violates a database constraint is rejected."""

    async def work(store):
        await store.write(new_player("ann"))
        asked = [store.write(new_player(name)) for name in ("bea", "ann", "cid")]
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = with_store(database_url, work)

    assert [isinstance(answer, ConflictError) for answer in answers] == [0, 1, 0]


def test_a_key_counts_once(database_url):
    """The second of two units with the same key learns that it was already done."""

    async def work(store):
        await store.write(new_player("ann"))
        asked = [store.write(move("ann", 5, key="k")) for _ in range(2)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return answers, await store.balances(["player:ann"])

    answers, balance = with_store(database_url, work)

    assert [isinstance(answer, RepeatedError) for answer in answers] == [0, 1]
    assert balance == {"player:ann": 5}


def test_a_chain_that_has_gone_on_takes_no_more(database_url):
    """A unit whose chain has moved on is rejected."""

    async def work(store):
        chain = {"chain": "table:t", "kind": "test", "body": {}}
        ((first,), _) = await store.write(Unit(at=1, entries=(Entry(**chain),), after=Head()))
        head = Head(first.seq, first.hash)
        unit = Unit(at=1, entries=(Entry(**chain),), after=head)
        await store.write(unit)
        with pytest.raises(ConflictError):
            await store.write(unit)
        return await store.records("table:t")

    assert [record.seq for record in with_store(database_url, work)] == [1, 2]


def test_two_processes_never_overdraw(postgres):
    """Two stores that spend from one account at once never overdraw it."""
    url = postgres.create()

    async def run():
        stores = [await Store.open(url) for _ in range(2)]
        await stores[0].write(new_player("ann"))
        await stores[0].write(move("ann", 100))
        asked = [stores[i % 2].write(move("ann", -10)) for i in range(40)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        balance = await stores[1].balances(["player:ann"])
        kept = await stores[0].records(CAGE)
        for store in stores:
            await store.close()
        return answers, balance, kept

    answers, balance, kept = asyncio.run(run())

    assert sum(isinstance(answer, NotCoveredError) for answer in answers) == 30
    assert balance == {"player:ann": 0}
    assert [record.seq for record in kept] == list(range(1, 13))
    postgres.drop(url)


@pytest.mark.parametrize("amount", [2**63, -(2**63) - 1, 10**40])
def test_only_the_unit_beyond_64_bits_is_rejected(database_url, amount):
    """A unit with an amount beyond 64 bits fails alone; those of the same commit are kept."""

    async def work(store):
        await store.write(new_player("ann"))
        asked = [store.write(unit) for unit in (move("ann", 5), beyond(amount), move("ann", 7))]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return answers, store.healthy, await store.records(CAGE)

    answers, healthy, kept = with_store(database_url, work)

    assert [isinstance(answer, ConflictError) for answer in answers] == [0, 1, 0]
    assert [record.kind for record in kept] == ["guest", "test", "test"]
    assert healthy


def beyond(amount, memo="test"):
    """Move an amount too large for the column, between accounts without limits."""
    lines = (Posting(BANK, -amount, memo), Posting("house:t", amount, memo))
    return Unit(at=1, entries=(Entry(chain=CAGE, kind="beyond", body={}, postings=lines),))


def test_only_the_unit_with_a_nul_character_is_rejected(postgres):
    """Only the unit with a character that PostgreSQL cannot store fails."""
    url = postgres.create()

    async def work(store):
        await store.write(new_player("ann"))
        asked = [store.write(unit) for unit in (move("ann", 5), beyond(1, "\0"), move("ann", 7))]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return answers, store.healthy, await store.balances(["player:ann"])

    answers, healthy, balance = with_store(url, work)

    assert [isinstance(answer, ConflictError) for answer in answers] == [0, 1, 0]
    assert healthy
    assert balance == {"player:ann": 12}
    postgres.drop(url)


@pytest.mark.parametrize("state", ["40P01", "40001"])
@pytest.mark.parametrize("number", [1, 3])
def test_a_deadlocked_transaction_is_retried(tmp_path, monkeypatch, state, number):
    """A transaction that the database aborts because of a deadlock is retried."""
    keep, tries = stores.commit_units, []

    def victim_once(*arguments):
        tries.append(1)
        if len(tries) == 1:
            raise DBAPIError("INSERT", {}, DeadlockError(state))
        return keep(*arguments)

    async def work(store):
        await store.write(new_player("ann"))
        monkeypatch.setattr(stores, "commit_units", victim_once)
        asked = [store.write(move("ann", 5)) for _ in range(number)]
        await asyncio.gather(*asked)
        return store.healthy, await store.balances(["player:ann"])

    assert with_store(str(tmp_path / "t.db"), work) == (True, {"player:ann": 5 * number})
    assert len(tries) == 1 + number


class DeadlockError(Exception):
    """The driver's error for a deadlock."""

    def __init__(self, state):
        super().__init__("deadlock detected")
        self.sqlstate = state


def test_crossing_units_do_not_deadlock(postgres, monkeypatch):
    """Two processes spend for one player and seat the other, crosswise, without a deadlock."""
    url, stuck = postgres.create(), []
    apart = Store._commit_apart

    async def noted(store, batch, error, *, again):
        stuck.append(batch)
        await apart(store, batch, error, again=again)

    async def run():
        pair = [await Store.open(url) for _ in range(2)]
        for name in ("ann", "bea"):
            await pair[0].write(new_player(name))
            await pair[0].write(move(name, 1000))
        monkeypatch.setattr(Store, "_commit_apart", noted)
        for store, chain in zip(pair, ("table:a", "table:b"), strict=True):
            await store.write(Unit(at=1, entries=(Entry(chain=chain, kind="test", body={}),)))
        for number in range(15):
            here = spending("ann", "bea", chain="table:a", token=f"a{number}")
            there = spending("bea", "ann", chain="table:b", token=f"b{number}")
            await asyncio.gather(pair[0].write(here), pair[1].write(there))
        balances = await pair[0].balances(["player:ann", "player:bea"])
        for store in pair:
            await store.close()
        return balances

    assert asyncio.run(run()) == {"player:ann": 985, "player:bea": 985}
    assert not stuck
    postgres.drop(url)


def spending(payer, other, *, chain, token):
    """Take from one player, and add a row that refers to another."""
    lines = (Posting(player_account(payer), -1, "test"), Posting("felt:t", 1, "test"))
    entry = Entry(chain=chain, kind="test", body={}, postings=lines)
    row = {"token": token, "player": other, "created": 1, "seen": 1}
    return Unit(at=1, entries=(entry,), changes=(Change(NEW_SESSION, row),))


@contextlib.asynccontextmanager
async def holding(url, *statements):
    """Hold rows in a transaction that does not end."""
    engine = create_async_engine(url, poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            for statement in statements:
                await connection.execute(text(statement))
            yield
    finally:
        await engine.dispose()


HELD = {
    "chain": "SELECT * FROM chains WHERE name = 'table:a' FOR UPDATE",
    "account": "SELECT * FROM balances WHERE account = 'player:ann' FOR UPDATE",
}


@pytest.mark.parametrize("held", HELD)
def test_only_units_that_need_a_locked_row_wait(postgres, held):
    """A locked row holds up only the units that need it; these are committed later, in order."""
    url = postgres.create()

    async def work(store):
        for name in ("ann", "bea"):
            await store.write(new_player(name))
            await store.write(move(name, 100, chain=f"table:{name[0]}"))
        async with holding(url, HELD[held]):
            waiting = [
                asyncio.create_task(store.write(move("ann", amount, chain="table:a")))
                for amount in (1, 2, 3)
            ]
            same_table = asyncio.create_task(store.write(move("bea", 1, chain="table:a")))
            for number in range(20):
                await store.write(move("bea", 1, chain="table:b"))
                await store.write(move(f"new{number}", 1))
            assert not any(task.done() for task in (*waiting, same_table))
            assert await store.is_writable()
        await asyncio.gather(*waiting, same_table)
        kept = await store.records("table:a")
        balances = await store.balances(["player:ann", "player:bea"])
        return [record.seq for record in kept], balances

    with_ann = [1, 2, 3, 4, 5]
    assert with_store(url, work) == (with_ann, {"player:ann": 106, "player:bea": 121})
    postgres.drop(url)


def test_a_unit_waits_for_a_row_only_so_long(postgres, monkeypatch):
    """A unit whose row is never released fails alone; the database still counts as healthy."""
    url = postgres.create()
    monkeypatch.setattr(stores, "LOCK_WAIT_S", 0.5)

    async def work(store):
        await store.write(new_player("ann"))
        await store.write(move("ann", 100))
        async with holding(url, HELD["account"]):
            with pytest.raises(BlockedError, match="another process has locked"):
                await store.write(move("ann", 1))
            await store.write(move("bea", 1))
            return store.healthy, await store.is_writable()

    assert with_store(url, work) == (True, True)
    postgres.drop(url)


def test_a_name_that_is_being_taken_holds_up_nobody_for_long(postgres):
    """A unit that waits for a unique index fails after a second; the others are committed."""
    url = postgres.create()
    row = "'ann', 'ann', 'ann', NULL, false, 1"

    async def work(store):
        async with holding(url, f"INSERT INTO players VALUES ({row})"):  # noqa: S608
            asked = [store.write(new_player(name)) for name in ("bea", "ann", "cid")]
            answers = await asyncio.gather(*asked, return_exceptions=True)
            return [type(answer).__name__ for answer in answers], store.healthy

    assert with_store(url, work) == (["WriteResult", "BlockedError", "WriteResult"], True)
    postgres.drop(url)


def message(kind, *parts):
    body = b"".join(parts)
    return kind + (len(body) + 4).to_bytes(4, "big") + body


async def stop_in_mid_statement(url):
    """Lock an account, send half of a statement like a stopped process, and wait."""
    parts = urlsplit(url)
    host = parse_qs(parts.query)["host"][0]
    reader, writer = await asyncio.open_unix_connection(f"{host}/.s.PGSQL.5432")
    settings = {"user": "postgres", "database": parts.path[1:], "application_name": "pitboss"}
    settings |= connections.LIMITS_MS
    words = b"".join(f"{name}\0{value}\0".encode() for name, value in settings.items())
    writer.write(message(b"", (196608).to_bytes(4, "big"), words, b"\0"))
    for sql in ("BEGIN", HELD["account"]):
        await reader.readuntil(b"Z\0\0\0\5")  # ready for a query
        writer.write(message(b"Q", sql.encode(), b"\0"))
    await reader.readuntil(b"Z\0\0\0\5")
    parse = message(b"P", b"\0SELECT 1\0\0\0")
    writer.write(parse + message(b"B", b"\0\0\0\0\0\0\0\0") + message(b"E", b"\0\0\0\0\0"))
    await writer.drain()
    return writer


def test_a_process_that_stops_in_mid_statement_is_cut_off(postgres):
    """Another process terminates a connection that stopped in mid-statement."""
    url = postgres.create()

    async def work(store):
        await store.write(new_player("ann"))
        await store.write(move("ann", 100))
        writer = await stop_in_mid_statement(url)
        try:
            await store.write(move("ann", 1))
            return await store.balances(["player:ann"])
        finally:
            writer.close()

    assert with_store(url, work) == {"player:ann": 101}
    postgres.drop(url)


def test_nobody_overdraws_with_repeatable_read(postgres):
    """Nobody overdraws even if the default isolation level is repeatable read."""
    url = postgres.create()
    level = "default_transaction_isolation = 'repeatable read'"
    postgres._do(f"ALTER DATABASE {postgres._name(url)} SET {level}")

    async def run():
        pair = [await Store.open(url) for _ in range(2)]
        await pair[0].write(new_player("ann"))
        lowest, answers = 0, []
        for number in range(10):
            await pair[0].write(move("ann", 10))
            both = [
                store.write(move("ann", -10, chain=f"table:{place}{number}"))
                for place, store in enumerate(pair)
            ]
            answers += await asyncio.gather(*both, return_exceptions=True)
            lowest = min(lowest, (await pair[1].balances(["player:ann"]))["player:ann"])
        for store in pair:
            await store.close()
        return lowest, answers

    lowest, answers = asyncio.run(run())

    assert lowest == 0
    assert sum(isinstance(answer, WriteResult) for answer in answers) == 10
    assert sum(isinstance(answer, NotCoveredError) for answer in answers) == 10
    postgres.drop(url)


def test_the_file_is_private(tmp_path):
    """No other user of the machine can read the database or SQLite's other files."""
    path = tmp_path / "t.db"

    async def work(store):
        await store.write(new_player("ann"))
        return {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}

    modes = with_store(str(path), work)

    assert modes == {"t.db": 0o600, "t.db-wal": 0o600, "t.db-shm": 0o600}


def test_postings_must_balance():
    """An entry whose postings do not sum to zero is rejected."""
    with pytest.raises(AssertionError, match="do not balance"):
        Entry(chain=CAGE, kind="test", body={}, postings=(Posting(BANK, 1, ""),))


def test_balances_are_sums_of_the_ledger(database_url):
    """A cached balance equals the sum of the ledger."""

    async def work(store):
        await store.write(new_player("ann"))
        for amount in (100, -30, 7):
            await store.write(move("ann", amount))
        known = await store.balances(["player:ann"])
        async with store.reading() as connection:
            query = select(ledger.c.amount).where(ledger.c.account == "player:ann")
            amounts = [row.amount for row in await connection.execute(query)]
        return known["player:ann"], sum(amounts)

    assert with_store(database_url, work) == (77, 77)


def test_a_failing_database_is_reported(tmp_path):
    """A database failure is reported to all waiting callers, and the store continues afterward."""

    async def work(store):
        await store.write(new_player("ann"))
        await store.change(lambda c: c.exec_driver_sql("ALTER TABLE records RENAME TO away"))
        with pytest.raises(UnavailableError, match="is unavailable"):
            await store.write(move("ann", 5))
        await store.change(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO records"))
        await store.write(move("ann", 5))
        async with store.reading() as connection:
            return len((await connection.execute(select(records))).all())

    assert with_store(str(tmp_path / "t.db"), work) == 2


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("a/b.db", "sqlite+aiosqlite:///a/b.db"),
        ("sqlite:///x", "sqlite+aiosqlite:///x"),
        ("postgresql://h/d", "postgresql+asyncpg://h/d"),
        ("postgresql+asyncpg://h/d", "postgresql+asyncpg://h/d"),
    ],
)
def test_addresses(given, address):
    """File names, and addresses with or without a driver, are accepted."""
    assert database_url(given) == address


def test_other_databases_are_refused():
    """A database of another kind is rejected, with the supported kinds."""
    with pytest.raises(SettingError, match=r"postgresql\+asyncpg"):
        database_url("mysql://h/d")


def hold(store):
    """Let commits reach the disk without an answer; return a function that releases the answers."""
    free, run = asyncio.Event(), store._writer.run

    async def run_and_wait(work, *arguments):
        done = await run(work, *arguments)
        await free.wait()
        return done

    store._writer.run = run_and_wait
    return free


async def seen_now(store, account):
    """Return an account's balance after all earlier units."""
    await store.refresh_balance(account)
    return store.known_balances[account]


def test_a_balance_query_waits_for_earlier_units(database_url):
    """A balance query waits for earlier units that are committed but not confirmed."""
    ann = player_account("ann")

    async def work(store):
        await store.write(new_player("ann"))
        await store.refresh_balance(ann)
        free = hold(store)
        moving = asyncio.create_task(store.write(move("ann", 5)))

        async def is_kept():
            return (await store.balances([ann]))[ann] == 5

        await eventually(is_kept)
        looking = asyncio.create_task(seen_now(store, ann))
        await asyncio.sleep(0.02)
        in_sight, answered = store.known_balances[ann], looking.done()
        free.set()
        await moving
        return in_sight, answered, store.known_balances[ann], await looking

    assert with_store(database_url, work) == (0, False, 5, 5)


def test_a_balance_query_takes_no_lock(database_url):
    """A balance query takes no lock: another process's open transaction does not delay it."""
    ann = player_account("ann")

    async def work(store):
        await store.write(move("ann", 5))
        other = await Store.open(database_url)
        query = select(balances).where(balances.c.account == ann).with_for_update()
        try:
            async with asyncio.timeout(2), other.reading() as connection:
                await connection.execute(query)
                return await seen_now(store, ann)
        finally:
            await other.close()

    assert with_store(database_url, work) == 5


def test_reads_do_not_count_as_healthy_writes(tmp_path):
    """On a full disk reads succeed, but the health check reports that writes fail."""
    ann = player_account("ann")

    def fill(connection):
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")

    async def work(store):
        await store.write(new_player("ann"))
        units = store.units
        await store.change(fill)
        with pytest.raises(UnavailableError):
            await store.write(move("ann", 5, body={"long": "x" * 100_000}))
        looked = await seen_now(store, ann)
        with pytest.raises(NotCoveredError):
            await store.write(move("ann", -5))
        return looked, store.healthy, store.units - units

    assert with_store(str(tmp_path / "t.db"), work) == (0, False, 0)


def test_balances_are_forgotten_to_save_memory(tmp_path, monkeypatch):
    """The cache of balances is bounded."""
    monkeypatch.setattr(stores, "MOST_REMEMBERED", 10)

    async def work(store):
        most = 0
        for number in range(50):
            await store.write(new_player(f"p{number}"))
            await store.write(move(f"p{number}", 5))
            most = max(most, len(store.known_balances))
        return most, await seen_now(store, player_account("p0"))

    most, balance = with_store(str(tmp_path / "t.db"), work)
    assert most <= 12
    assert balance == 5


@pytest.mark.parametrize("cancelled", [False, True])
def test_balances_are_seen_unit_by_unit(database_url, cancelled):
    """The balance after a unit does not include later units of the same commit."""
    ann = player_account("ann")

    async def work(store):
        await store.write(new_player("ann"))

        async def moved(amount):
            await store.write(move("ann", amount))
            return store.known_balances[ann]

        moving = [asyncio.create_task(moved(amount)) for amount in (5, 7, 11)]
        await asyncio.sleep(0)  # all have asked
        if cancelled:
            moving[-1].cancel()
        seen = await asyncio.gather(*moving, return_exceptions=True)

        async def is_seen():
            return store.known_balances[ann] == 23

        await eventually(is_seen)
        return seen, store.commits

    seen, commits = with_store(database_url, work)
    assert commits == 2  # the player's and theirs
    assert seen[:2] == [5, 12]
    assert seen[2] == 23 or (cancelled and isinstance(seen[2], asyncio.CancelledError))


def test_the_wal_is_reset_while_it_is_written(tmp_path, monkeypatch):
    """The WAL of a busy server does not grow without bound: checkpointed frames are overwritten."""
    path, log = tmp_path / "t.db", tmp_path / "t.db-wal"
    monkeypatch.setattr(connections, "MOST_WAL_PAGES", 1_000)

    async def work(store):
        await store.write(new_player("ann"))
        for _ in range(30):
            many = (store.write(move("ann", 5, body={"long": "x" * 4_000})) for _ in range(100))
            await asyncio.gather(*many)
        return log.stat().st_size

    size = with_store(str(path), work)
    assert size < 2 * connections.MOST_WAL_PAGES * 4_096 < 30 * 100 * 4_000
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def with_changes_waiting(path, count):
    """Open a store with waiting units; return it, and the tasks that wait for them."""
    store = await Store.open(str(path / "t.db"))
    await store.write(new_player("ann"))
    waiting = [asyncio.create_task(store.write(move("ann", 5))) for _ in range(count)]
    await asyncio.sleep(0)
    return store, waiting


def test_a_store_that_closes_takes_no_more(tmp_path):
    """A closing store rejects new units and commits the waiting ones."""

    async def run():
        store, in_time = await with_changes_waiting(tmp_path, 300)
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0)
        with pytest.raises(UnavailableError, match="stopping"):
            await store.write(move("ann", 5))
        await closing
        return len(await asyncio.gather(*in_time))

    assert asyncio.run(run()) == 300


def test_cancelling_the_close_stops_no_commit(tmp_path):
    """Cancelling the wait for the close stops no commit: every waiting unit is answered."""

    async def run():
        store, waiting = await with_changes_waiting(tmp_path, 20)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(store.close(), 0.001)
        answered = await asyncio.wait_for(asyncio.gather(*waiting), 10)
        await store.close()
        return len(answered)

    assert asyncio.run(run()) == 20


def test_every_connection_sets_its_limits(postgres):
    """PostgreSQL has the limits of docs/server.md on connections that read and that write."""
    url = postgres.create()
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    timeouts = [text(f"SHOW {name}") for name in names]
    # On a Unix socket, SHOW gives 0 for the settings of TCP: reset_val is what the client set.
    tcp = text("SELECT name, reset_val, source FROM pg_settings WHERE name LIKE 'tcp_%'")

    async def run():
        store = await Store.open(url)
        try:
            async with store.reading() as connection:
                shown = [(await connection.execute(show)).scalar_one() for show in timeouts]
                read = shown, (await connection.execute(tcp)).all()
            wrote = await store.change(
                lambda connection: (
                    [connection.execute(show).scalar_one() for show in timeouts],
                    connection.execute(tcp).all(),
                )
            )
            return read, wrote
        finally:
            await store.close()

    for shown, settings in asyncio.run(run()):
        assert shown == ["10s", "1s", "2s"]
        assert {(row.name, row.reset_val, row.source) for row in settings} == {
            ("tcp_keepalives_idle", "5", "client"),
            ("tcp_keepalives_interval", "2", "client"),
            ("tcp_keepalives_count", "3", "client"),
            ("tcp_user_timeout", "10000", "client"),
        }
    postgres.drop(url)
