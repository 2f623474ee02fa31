"""The writer keeps units whole or not at all, together and in order, however many there are."""

import asyncio
import contextlib
import sqlite3

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import DBAPIError

from pitboss.errors import SettingError
from pitboss.web import store as stores
from pitboss.web.chain import BANK, CAGE, Entry, Head, Posting, player_account
from pitboss.web.schema import ledger, players, records, sessions
from pitboss.web.store import (
    Change,
    ConflictError,
    NotCoveredError,
    RepeatedError,
    Store,
    UnavailableError,
    Unit,
    database_url,
)
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
    """A hundred changes that wait share a few commits, and all are kept in order."""

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


def test_only_what_cannot_be_kept_is_refused(database_url):
    """Of units in one commit the one that takes too much is refused, with what it takes."""

    async def work(store):
        await store.write(new_player("ann"))
        await store.write(move("ann", 100))
        asked = [store.write(move("ann", amount)) for amount in (-60, -60, 30, -60)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return answers, await store.balances(["player:ann"])

    answers, balance = with_store(database_url, work)

    assert [isinstance(answer, NotCoveredError) for answer in answers] == [0, 1, 0, 0]
    assert str(answers[1]) == "that takes $0.60, the bankroll has $0.40"
    assert balance == {"player:ann": 10}


def test_a_name_that_is_taken_does_not_hurt_others(database_url):
    """A unit that breaks a law of the database is refused alone."""

    async def work(store):
        await store.write(new_player("ann"))
        asked = [store.write(new_player(name)) for name in ("bea", "ann", "cid")]
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = with_store(database_url, work)

    assert [isinstance(answer, ConflictError) for answer in answers] == [0, 1, 0]


def test_a_key_counts_once(database_url):
    """Of two units with one key the second is told that it was done."""

    async def work(store):
        await store.write(new_player("ann"))
        asked = [store.write(move("ann", 5, key="k")) for _ in range(2)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return answers, await store.balances(["player:ann"])

    answers, balance = with_store(database_url, work)

    assert [isinstance(answer, RepeatedError) for answer in answers] == [0, 1]
    assert balance == {"player:ann": 5}


def test_a_chain_that_has_gone_on_takes_no_more(database_url):
    """Who adds behind a record that is not the last one is refused."""

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
    """Two stores that spend from one account at the same time stop at nothing left."""
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
def test_only_what_no_database_takes_is_refused(database_url, amount):
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
    """Move what no column holds, between accounts that are not counted."""
    lines = (Posting(BANK, -amount, memo), Posting("house:t", amount, memo))
    return Unit(at=1, entries=(Entry(chain=CAGE, kind="beyond", body={}, postings=lines),))


def test_only_what_postgresql_does_not_take_is_refused(postgres):
    """A unit with a character that no text there can have fails alone."""
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
def test_who_is_chosen_as_a_victim_tries_again(tmp_path, monkeypatch, state, number):
    """A transaction that the database gives up to end a deadlock is made once more."""
    keep, tries = stores._keep, []

    def victim_once(*arguments):
        tries.append(1)
        if len(tries) == 1:
            raise DBAPIError("INSERT", {}, DeadlockError(state))
        return keep(*arguments)

    async def work(store):
        await store.write(new_player("ann"))
        monkeypatch.setattr(stores, "_keep", victim_once)
        asked = [store.write(move("ann", 5)) for _ in range(number)]
        await asyncio.gather(*asked)
        return store.healthy, await store.balances(["player:ann"])

    assert with_store(str(tmp_path / "t.db"), work) == (True, {"player:ann": 5 * number})
    assert len(tries) == 1 + number


class DeadlockError(Exception):
    """What a driver says of a transaction that was given up."""

    def __init__(self, state):
        super().__init__("deadlock detected")
        self.sqlstate = state


def test_who_spends_does_not_lock_who_comes(postgres, monkeypatch):
    """Of two processes one spends for ann and seats bea, the other the reverse: none is stuck."""
    url, stuck = postgres.create(), []
    apart = Store._commit_apart

    async def noted(store, batch, *, again):
        stuck.append(batch)
        await apart(store, batch, again=again)

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


def test_whatever_isolation_is_usual_nobody_overdraws(postgres):
    """Also where repeatable read is the usual isolation one sees what the other has spent."""
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
    assert sum(isinstance(answer, stores.Kept) for answer in answers) == 10
    assert sum(isinstance(answer, NotCoveredError) for answer in answers) == 10
    postgres.drop(url)


def test_the_file_is_private(tmp_path):
    """Nobody else on the machine can read a database, nor what SQLite keeps beside it."""
    path = tmp_path / "t.db"

    async def work(store):
        await store.write(new_player("ann"))
        return {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}

    modes = with_store(str(path), work)

    assert modes == {"t.db": 0o600, "t.db-wal": 0o600, "t.db-shm": 0o600}


def test_postings_must_balance():
    """An entry whose postings do not sum to nothing cannot be made."""
    with pytest.raises(AssertionError, match="do not balance"):
        Entry(chain=CAGE, kind="test", body={}, postings=(Posting(BANK, 1, ""),))


def test_balances_are_sums_of_the_ledger(database_url):
    """A balance that was counted before is the same as one counted from nothing."""

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


def test_a_failing_database_is_told(tmp_path):
    """When the database breaks whoever waits hears of it, and the store goes on afterwards."""

    async def work(store):
        await store.write(new_player("ann"))
        await store.change(lambda c: c.exec_driver_sql("ALTER TABLE records RENAME TO away"))
        with pytest.raises(UnavailableError, match="does not answer"):
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
    """A file, or an address with or without its driver, is understood."""
    assert database_url(given) == address


def test_other_databases_are_refused():
    """A database of another kind is refused with what would be right."""
    with pytest.raises(SettingError, match=r"postgresql\+asyncpg"):
        database_url("mysql://h/d")


def hold(store):
    """Have commits reach the disk and not be answered; return what lets them be."""
    free, run = asyncio.Event(), store._writer.run

    async def run_and_wait(work, *arguments):
        done = await run(work, *arguments)
        await free.wait()
        return done

    store._writer.run = run_and_wait
    return free


async def seen_now(store, account):
    """Return what an account has, as it is seen behind what was asked for before."""
    await store.look(account)
    return store.last_seen[account]


def test_a_look_comes_behind_what_was_asked_before(database_url):
    """What is on the disk and not answered is counted by who asks, and not in sight yet."""
    ann = player_account("ann")

    async def work(store):
        await store.write(new_player("ann"))
        await store.look(ann)
        free = hold(store)
        moving = asyncio.create_task(store.write(move("ann", 5)))

        async def is_kept():
            return (await store.balances([ann]))[ann] == 5

        await eventually(is_kept)
        looking = asyncio.create_task(seen_now(store, ann))
        await asyncio.sleep(0.02)
        in_sight, answered = store.last_seen[ann], looking.done()
        free.set()
        await moving
        return in_sight, answered, store.last_seen[ann], await looking

    assert with_store(database_url, work) == (0, False, 5, 5)


def test_who_only_looks_waits_for_nobody(database_url):
    """A look takes no lock: what another process is about to move holds no table up."""
    ann = player_account("ann")

    async def work(store):
        await store.write(new_player("ann"))
        other = await Store.open(database_url)
        query = select(players.c.id).where(players.c.id == "ann").with_for_update()
        try:
            async with asyncio.timeout(2), other.reading() as connection:
                await connection.execute(query)
                return await seen_now(store, ann)
        finally:
            await other.close()

    assert with_store(database_url, work) == 0


def test_a_look_is_no_sign_that_the_database_can_be_written(tmp_path):
    """On a full disk all can be read; who asks for its health learns that nothing is kept."""
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
    """However many accounts move, only so many are remembered, also if commits fail."""
    monkeypatch.setattr(stores, "MOST_REMEMBERED", 10)

    async def work(store):
        most = 0
        for number in range(50):
            await store.write(new_player(f"p{number}"))
            await store.write(move(f"p{number}", 5))
            store._known = {} if number % 5 == 0 else store._known  # as after a failure
            most = max(most, len(store._known), len(store.last_seen))
        return most, await seen_now(store, player_account("p0"))

    most, balance = with_store(str(tmp_path / "t.db"), work)
    assert most <= 12
    assert balance == 5


@pytest.mark.parametrize("cancelled", [False, True])
def test_balances_are_seen_unit_by_unit(database_url, cancelled):
    """Who goes on sees what they have behind their own unit, not behind the whole commit."""
    ann = player_account("ann")

    async def work(store):
        await store.write(new_player("ann"))

        async def moved(amount):
            await store.write(move("ann", amount))
            return store.last_seen[ann]

        moving = [asyncio.create_task(moved(amount)) for amount in (5, 7, 11)]
        await asyncio.sleep(0)  # all have asked
        if cancelled:
            moving[-1].cancel()
        seen = await asyncio.gather(*moving, return_exceptions=True)

        async def is_seen():
            return store.last_seen[ann] == 23

        await eventually(is_seen)
        return seen, store.commits

    seen, commits = with_store(database_url, work)
    assert commits == 2  # the player's and theirs
    assert seen[:2] == [5, 12]
    assert seen[2] == 23 or (cancelled and isinstance(seen[2], asyncio.CancelledError))


def test_the_log_of_sqlite_is_begun_anew_while_it_is_added_to(tmp_path, monkeypatch):
    """A server that is never idle fills no disk: what is copied into the file is overwritten."""
    path, log = tmp_path / "t.db", tmp_path / "t.db-wal"
    monkeypatch.setattr(stores, "MOST_IN_LOG", 1_000)

    async def work(store):
        await store.write(new_player("ann"))
        for _ in range(30):
            many = (store.write(move("ann", 5, body={"long": "x" * 4_000})) for _ in range(100))
            await asyncio.gather(*many)
        return log.stat().st_size

    size = with_store(str(path), work)
    assert size < 2 * stores.MOST_IN_LOG * 4_096 < 30 * 100 * 4_000
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def with_changes_waiting(path, count):
    """Open a store that has changes to write; return it, and who waits for them."""
    store = await Store.open(str(path / "t.db"))
    await store.write(new_player("ann"))
    waiting = [asyncio.create_task(store.write(move("ann", 5))) for _ in range(count)]
    await asyncio.sleep(0)
    return store, waiting


def test_a_store_that_closes_takes_no_more(tmp_path):
    """Who comes too late is told so at once; what came in time is kept."""

    async def run():
        store, in_time = await with_changes_waiting(tmp_path, 300)
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0)
        with pytest.raises(UnavailableError, match="stopping"):
            await store.write(move("ann", 5))
        await closing
        return len(await asyncio.gather(*in_time))

    assert asyncio.run(run()) == 300


def test_a_store_writes_on_though_nobody_waits_for_its_end(tmp_path):
    """To give up waiting for the end stops no commit: every change that waits is answered."""

    async def run():
        store, waiting = await with_changes_waiting(tmp_path, 20)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(store.close(), 0.001)
        answered = await asyncio.wait_for(asyncio.gather(*waiting), 10)
        await store.close()
        return len(answered)

    assert asyncio.run(run()) == 20
