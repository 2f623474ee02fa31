"""Costs that do not grow with the data: work per query, the lobby, and tables that expire."""

import asyncio
import contextlib
import json
import secrets
import sqlite3

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event, select, update

from bench.size import PLAYER, START, fill_postgresql, fill_sqlite
from bench.size import rows as rows_of_size
from pitboss.backoffice import events as event_reports
from pitboss.backoffice import lists
from pitboss.backoffice.audit import audit
from pitboss.dealing import upkeep
from pitboss.dealing.config import DealingConfig
from pitboss.ledger import report_queries
from pitboss.ledger.clock import now
from pitboss.ledger.restore_queries import find_key
from pitboss.ledger.schema import metadata, records, seats, tables
from pitboss.ledger.store import prepare
from pitboss.ledger.table_queries import count_created
from pitboss.tables.chain import player_account
from pitboss.tables.hand import Place
from pitboss.tables.timestamps import DAY
from tests.web.client import RefusedError
from tests.web.in_process import change, new_table, rows, services_on
from tests.web.servers import Server, eventually, get
from tests.web.test_limits import FAST, callers

# --- the work of a query


@contextlib.contextmanager
def watched(store):
    """Collect the queries of a store with their parameters."""
    asked = []

    def note(_, __, statement, parameters, *___):
        if statement.lstrip().upper().startswith("SELECT"):
            asked.append((statement, parameters))

    engine = store._reader.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


def sqlite_work(url, statement, parameters):
    """Count the steps that SQLite takes for a query, in tens."""
    count = 0

    def note():
        nonlocal count
        count += 1

    with contextlib.closing(sqlite3.connect(url.partition("///")[2])) as connection:
        connection.set_progress_handler(note, 10)
        connection.execute(statement, parameters).fetchall()
    return count


async def postgresql_work(store, statement, parameters):
    """Count the rows that PostgreSQL reads for a query, with those that it only skips."""
    async with store.reading() as connection:
        query = f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}"
        found = (await connection.exec_driver_sql(query, parameters)).scalar_one()
    plans = json.loads(found) if isinstance(found, str) else found
    return sum(map(rows_read, plans_in(plans[0]["Plan"])))


def plans_in(plan):
    yield plan
    for part in plan.get("Plans", ()):
        yield from plans_in(part)


def rows_read(plan):
    if "Relation Name" not in plan and "Index Name" not in plan:
        return 0
    removed = sum(value for name, value in plan.items() if name.startswith("Rows Removed by "))
    return (plan["Actual Rows"] + removed) * plan["Actual Loops"]


PAGE = 10
MIDDLE = f"{START + 100}:x:0"
"""A cursor: the page after it has the rounds 90 to 99 of thousands, counted from the oldest."""

LISTS = {
    "lobby": lambda services, _: report_queries.lobby_tables(services.store, PAGE),
    "operator's tables": lambda services, _: lists.tables_list(services.store, limit=PAGE),
    "more of the operator's tables": lambda services, _: lists.tables_list(
        services.store, limit=PAGE, before=f"{START + 100}:x"
    ),
    "operator's rounds": lambda services, _: lists.rounds_list(services.store, limit=PAGE),
    "old rounds": lambda services, _: lists.rounds_list(services.store, limit=PAGE, before=MIDDLE),
    "rounds of a table": lambda services, _: lists.rounds_list(
        services.store, limit=PAGE, table=services.busy
    ),
    "old rounds of a table": lambda services, _: lists.rounds_list(
        services.store, limit=PAGE, table=services.busy, before="5:x:12"
    ),
    "operator's events": lambda services, _: event_reports.events(services.store, limit=PAGE),
    "old events": lambda services, _: event_reports.events(
        services.store, limit=PAGE, before=MIDDLE
    ),
    "player's rounds": lambda services, _: lists.player_rounds(services.store, PLAYER, limit=PAGE),
    "old rounds of a player": lambda services, _: lists.player_rounds(
        services.store, PLAYER, limit=PAGE, before=MIDDLE
    ),
    "balance": lambda services, _: services.store.balances([player_account(PLAYER)]),
    "refills": lambda services, _: services.accounts.refills_left(PLAYER),
    "blocked players": lambda services, _: services.accounts.refresh_blocked(),
    "takeovers": lambda services, _: services.pit.take_over(),
    "expiry": lambda services, _: services.upkeep.close_unused(),
    "failed log-ins": lambda services, _: services.accounts._failures("p1", "::1"),
    "known addresses": lambda services, _: services.accounts._knows("p1", "127.0.0.1"),
    "session": lambda services, ann: services.accounts.ends_at(ann),
    "new table": lambda services, ann: count_created(services.store, ann.id, now()),
    "loading a table": lambda services, _: services.pit._restorer.restore(services.setup),
    "one of many keys": lambda services, _: find_key(services.store, "table:t1", "a:b"),
}
SMALL, LARGE = (100, 1_000), (1_000, 10_000)
"""The tables and rounds of two databases: the large one has ten times the rows."""


async def fill(url, tables_, rounds_):
    """Fill a database with a long history of one player, and with log-ins of others."""
    await prepare(url)
    found = rows_of_size(tables_, rounds_, busy=PAGE)
    ids = [f"p{n % tables_}" for n in range(rounds_)]
    at = now()
    found["failures"] = ("name_key", "address", "at"), ((id_, "::1", at) for id_ in ids)
    found["logins"] = ("player", "address", "at"), ((id_, "::1", at) for id_ in ids)
    if url.startswith("sqlite"):
        fill_sqlite(url.partition("///")[2], found)
    else:
        await fill_postgresql(url, found)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def databases(request, tmp_path_factory):
    """Give a small and a large database; the tests add little to them."""
    if request.param == "sqlite":
        folder = tmp_path_factory.mktemp("sizes")
        urls = [f"sqlite+aiosqlite:///{folder}/{name}.db" for name in ("small", "large")]
    else:
        server = request.getfixturevalue("postgres")
        urls = [server.create() for _ in range(2)]
    for url, size in zip(urls, (SMALL, LARGE), strict=True):
        asyncio.run(fill(url, *size))
    yield urls
    if request.param == "postgresql":
        for url in urls:
            server.drop(url)


async def work_of(url, tables_, what):
    """Return how much work the queries of a list are, and how many rows it has."""
    async with services_on(url) as services:
        name = secrets.token_hex(4)
        ann, _ = await services.accounts.guest(name)
        dealer = await new_table(services, name, seconds=600, private=True)
        services.setup, services.busy = dealer.table.setup, f"t{tables_ - 1}"
        await dealer.act(lambda table: table.sit(1, Place(ann.id, ann.name)))
        with watched(services.store) as asked:
            found = await LISTS[what](services, ann)
        await dealer.act(lambda table: table.leave(ann.id, 1))
        length = len(found["rows"]) if isinstance(found, dict) and "rows" in found else None
        if services.store.dialect == "sqlite":
            return sum(sqlite_work(url, *query) for query in asked), length
        return sum([await postgresql_work(services.store, *query) for query in asked]), length


@pytest.mark.parametrize("what", LISTS)
def test_the_work_for_a_list_does_not_grow(databases, what):
    """A database with ten times the rows needs no more steps, and no more rows are read."""

    async def run():
        sizes = zip(databases, (SMALL, LARGE), strict=True)
        return [await work_of(url, size[0], what) for url, size in sizes]

    (little, few), (much, many) = asyncio.run(run())

    assert few == many
    assert few in {None, PAGE}
    assert much <= 1.5 * little + 2 * PAGE, (little, much)


def test_an_upgraded_database_has_the_schema_of_the_program(database_url):
    """The migrations from the first version create the same tables, columns and indexes."""

    def differences(connection):
        return compare_metadata(MigrationContext.configure(connection), metadata)

    async def run():
        async with services_on(database_url) as services:
            return await services.store.change(differences)

    assert asyncio.run(run()) == []


# --- the lobby


def test_the_lobby_shows_tables_with_players_first(database_url):
    """Tables with players come first, then the newest; private, closed and solo ones are hidden."""

    async def run():
        async with services_on(database_url) as services:
            ann, _ = await services.accounts.guest("ann")
            for name in ("old", "one", "two", "left"):
                dealer = await new_table(services, name, seconds=600)
                for seat in range({"one": 1, "two": 2}.get(name, 0)):
                    sit = Place(ann.id, ann.name)
                    await dealer.act(lambda table, s=seat + 1, p=sit: table.sit(s, p))
                await asyncio.sleep(0.01)
            await new_table(services, "private", seconds=600, private=True)
            await new_table(services, "solo")
            closed = await new_table(services, "closed", seconds=600)
            await closed.act(lambda table: table.close())
            await services.pit.release_idle()
            found = await report_queries.lobby_tables(services.store, 100)
            few = await report_queries.lobby_tables(services.store, 2)
            return [[(row.id, len(taken)) for row, taken in each] for each in (found, few)]

    found, few = asyncio.run(run())

    assert found == [("two", 2), ("one", 1), ("left", 0), ("old", 0)]
    assert few == [("two", 2), ("one", 1)]


def test_tables_with_players_are_dealt_after_a_restart(database_url):
    """A stopped server leaves them to the next one, which frees the seats of absent players."""

    async def run():
        async with services_on(database_url, dealing=DealingConfig(address="http://a")) as services:
            ann, _ = await services.accounts.guest("ann")
            dealer = await new_table(services, "t1", seconds=600)
            await dealer.act(lambda table: table.sit(1, Place(ann.id, ann.name)))
        async with services_on(
            database_url, dealing=DealingConfig(address="http://b", idle_seat_ms=0)
        ) as services:
            before = await report_queries.lobby_tables(services.store, 10)
            await services.pit.take_over()
            assert "t1" in services.pit.dealers
            await services.upkeep.empty_seats()
            await asyncio.sleep(0.01)
            await services.upkeep.empty_seats()
            return before, await report_queries.lobby_tables(services.store, 10)

    (((_, taken),), ((_, free),)) = asyncio.run(run())

    assert (len(taken), free) == (1, [])


# --- expiry


async def age(services, *names):
    """Make tables look as if nobody had used them for eight days."""
    await change(
        services, update(tables).where(tables.c.id.in_(names)).values(used=now() - 8 * DAY)
    )


async def closed_tables(services):
    found = await rows(services, select(tables.c.id).where(tables.c.closed.is_not(None)))
    return {row.id for row in found}


def test_unused_tables_are_closed(database_url, monkeypatch):
    """Unused tables are closed after a week, in small batches, with a recorded reason."""
    monkeypatch.setattr(upkeep, "EXPIRED_AT_ONCE", 2)

    async def run():
        async with services_on(database_url) as services:
            pit = services.pit
            ann, _ = await services.accounts.guest("ann")
            for name in ("solo", "shared", "seated", "bet", "new", "watched", "busy"):
                seconds = 600 if name in {"shared", "busy"} else None
                dealer = await new_table(services, name, seconds=seconds)
                if name in {"seated", "bet", "busy"}:
                    await dealer.act(lambda table: table.sit(1, Place(ann.id, ann.name)))
                if name == "bet":
                    await dealer.act(lambda table: table.bet(ann.id, 1, {"main": 500}))
            await pit.release(lambda dealer: dealer.table.setup.id not in {"watched", "busy"})
            pit.dealers["watched"].viewers.add(Spectator())
            await age(services, "solo", "shared", "seated", "bet", "watched", "busy")
            closed = []
            for _ in range(5):
                await services.upkeep.close_unused()
                closed.append(len(await closed_tables(services)))
            pit.dealers["watched"].viewers.clear()
            query = select(records.c.body).where(records.c.kind == "closed")
            reasons = {row.body for row in await rows(services, query)}
            events = await event_reports.events(services.store, kind="table_closed")
            sitting = {row.table_id for row in await rows(services, select(seats))}
            return closed, await closed_tables(services), reasons, events["rows"], sitting

    closed, which, reasons, events, sitting = asyncio.run(run())

    assert which == {"solo", "shared", "seated"}
    assert closed[0] <= 2
    assert closed[-1] == 3
    assert reasons == {'{"reason":"nobody used it for 7 days"}'}
    assert {event_["what"] for event_ in events} == {"table closed: nobody used it for 7 days"}
    assert sitting == {"bet", "busy"}
    assert asyncio.run(audit(database_url)).ok


class Spectator:
    player = None

    def show(self, dealer=None):
        pass

    def lose(self, dealer):
        pass


def test_tables_that_are_dealt_for_long_are_marked_as_used(database_url):
    """A table that is played at for weeks stays open after a crash."""

    async def run():
        async with services_on(database_url) as services:
            dealer = await new_table(services, "t1")
            dealer.viewers.add(Spectator())
            await age(services, "t1")
            services.upkeep._marked = now() - 2 * DAY
            await services.upkeep.close_unused()
            ((used,),) = await rows(services, select(tables.c.used))
            dealer.viewers.clear()
            return used, await closed_tables(services)

    used, closed = asyncio.run(run())

    assert used > now() - DAY
    assert not closed


def test_expire_0_keeps_tables_open(tmp_path):
    """`--expire 0` keeps unused tables open."""

    async def run():
        async with services_on(tmp_path / "t.db", dealing=DealingConfig(expire_ms=0)) as services:
            await new_table(services, "t1")
            await services.pit.release_idle()
            await age(services, "t1")
            await services.upkeep.close_unused()
            return await closed_tables(services)

    assert asyncio.run(run()) == set()


def test_the_link_of_an_expired_table_says_that_it_is_closed(database_url):
    """A real server that closes tables after seconds shows it at the link."""

    async def open_one(server):
        async with callers(server, 2) as (ann,):
            await ann.visit()
            return await ann.open_table("toss-one-21", seconds=600)

    async def come_back(server, table):
        async with callers(server, 2) as (ann,):
            await ann.visit()
            at = await ann.watch(table)
            assert at.state["closed"]
            with pytest.raises(RefusedError, match="this table is closed"):
                await at.ask("sit", seat=1)
            await at.close()

    with Server(database_url, *FAST, "--lease", "0.4", "--expire", "0.00001") as server:
        table = asyncio.run(open_one(server))
        url = f"{server.address}/api/v1/tables"
        eventually(lambda: get(f"{url}/{table}")["closed"])
        assert get(url)["tables"] == []
        asyncio.run(come_back(server, table))
