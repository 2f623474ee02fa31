"""The server is killed, starved and confused: no answered request is lost or repeated."""

import asyncio
import contextlib
import json
import os
import random
import re
import resource
import socket
import sqlite3
from pathlib import Path

import httpx
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import delete, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from websockets.exceptions import InvalidStatus

from pitboss.backoffice.audit import audit
from pitboss.core.errors import SettingError
from pitboss.dealing.config import DealingConfig
from pitboss.dealing.creation import create_table
from pitboss.dealing.pit import Pit
from pitboss.games import GAMES
from pitboss.ledger import migrations
from pitboss.ledger.schema import balances, chains, ledger, records, rounds, seeds
from pitboss.ledger.store import Store, prepare
from pitboss.tables.chain import CAGE, is_cage, player_account
from pitboss.tables.hand import Place
from pitboss.tables.limits import Limit
from pitboss.tables.setup import Setup
from pitboss.web.accounts import Accounts, Bankroll
from tests.web.client import ConnectionClosed, RefusedError, new_key
from tests.web.gamblers import (
    Crowd,
    Gambler,
    Party,
    change,
    check_books,
    check_given,
    eventually,
    fixed_port,
    rows,
)
from tests.web.servers import Server

OPERATOR = {"Authorization": "Bearer operator"}
FAST = ("--lease", "1", "--requests", "10000", "--refills", "100000", "--bankroll", "40")


def server_of(database_url, log=None):
    """Return a server that is not started yet and has a fixed port."""
    server = Server(database_url, *FAST, log=log)
    server.port = fixed_port()
    return server


# --- killed


async def seated(address, chance):
    """Open tables of both games and seat gamblers: alone, at two seats, and together."""
    plan = [
        ("toss-one-21", None, [{}]),
        ("roll-your-own", None, [{}]),
        ("roll-your-own", None, [{"seats": (2, 5)}]),
        ("toss-one-21", 3, [{}, {"seats": (3,)}]),
        ("roll-your-own", 3, [{}, {"seats": (4,), "dawdles": 0.02}]),
    ]
    gamblers = []
    for game, seconds, players in plan:
        party = [await Gambler(address, chance, game, **each).visit() for each in players]
        table = await party[0].guest.open_table(game, seconds=seconds)
        for gambler in party:
            gambler.table, gambler.shares = table, seconds is not None
        gamblers += party
    return gamblers


async def play_under_fire(server, database_url, kills, *, audit_every=1):
    """Let gamblers play while the server is killed repeatedly; return them."""
    chance = random.Random(kills)
    server.start()
    gamblers = await seated(server.address, chance)
    over = asyncio.Event()
    playing = [asyncio.create_task(gambler.play(over)) for gambler in gamblers]
    try:
        for number in range(kills):
            if chance.random() < 0.8:  # else it is killed while it starts
                await all_found(server, gamblers, playing)
            await asyncio.sleep(chance.uniform(0, 0.3))
            server.kill()
            for gambler in gamblers:
                gambler.found.clear()
            server.launch()
            if number % audit_every == 0:
                await asyncio.gather(asyncio.to_thread(server.wait), check_books(database_url))
        await all_found(server, gamblers, playing)
    finally:
        over.set()
        await asyncio.gather(*playing)
        await asyncio.gather(*(gambler.close() for gambler in gamblers))
    return gamblers


async def all_found(server, gamblers, playing):
    """Wait until each gambler has found its seat again and has got an answer."""
    found = asyncio.gather(*(gambler.found.wait() for gambler in gamblers))
    await asyncio.wait({found, *playing}, return_when=asyncio.FIRST_COMPLETED, timeout=30)
    for task in playing:
        if task.done():
            await task
    assert found.done(), f"nobody answers; the server's status is {server.process.poll()}"


def survive(database_url, folder, kills, **options):
    async def run(server):
        gamblers = await play_under_fire(server, database_url, kills, **options)
        await check_books(database_url, gamblers)
        await check_given(database_url, gamblers)
        return gamblers

    path = folder / "log"
    with path.open("w", encoding="utf-8") as log:
        server = server_of(database_url, log=log)
        try:
            gamblers = asyncio.run(run(server))
        finally:
            server.kill()
    assert "error" not in path.read_text("utf-8")
    assert all(gambler.rounds for gambler in gamblers)
    assert all(gambler.returns for gambler in gamblers)


def test_survives_kill(database_url, tmp_path):
    """A server killed at any moment continues: nothing is lost, and nothing is done twice."""
    survive(database_url, tmp_path, 5)


@pytest.mark.long
def test_survives_many_kills(database_url, tmp_path):
    """The same with 200 kills."""
    survive(database_url, tmp_path, 200, audit_every=20)


# --- players who go away


def test_a_request_is_done_after_a_disconnect(database_url):
    """A request is completed, once, even if its player disconnects before the answer."""

    async def run(server):
        async with Crowd() as crowd:
            guest = await crowd.guest(server.address)
            at = await crowd.sit(guest, await guest.open_table("toss-one-21"))
            watcher = await crowd.watch(guest, at.table)
            for number in range(30):
                do = ("bet", "take_back")[number % 2]
                more = {"stakes": {"main": 500}} if do == "bet" else {}
                request = {"v": 1, "id": new_key(), "do": do, "round": 1, "seat": 1, **more}
                for seed in "abc":  # what is shown of these finds nobody there
                    ask = {"do": "seed", "seat": 1, "client_seed": f"{seed}{number}"}
                    await at.send({"v": 1, "id": new_key(), **ask})
                await at.send(request)
                await asyncio.sleep(random.uniform(0, 0.003))
                at._socket.transport.abort()
                at = await crowd.watch(guest, at.table)
                await at.ask(do, key=request["id"], round=1, seat=1, **more)
                expected = {"1": 500} if do == "bet" else {}
                assert at.state["round"]["staked"] == expected
                await watcher.until(lambda s, due=expected: s["round"]["staked"] == due)
        await check_books(database_url)

    with server_of(database_url) as server:
        asyncio.run(run(server))


# --- stopped


@pytest.mark.long
def test_a_stopped_server_goes_on_later(tmp_path):
    """After a restart, the server finishes an open round without a request."""

    async def run(server):
        async with Party(server.address) as party:
            await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.start)
            over = select(rounds).where(
                rounds.c.table_id == party.table, rounds.c.number == party.number
            )
            await eventually(lambda: rows(sqlite_url(tmp_path), over))
        await check_books(sqlite_url(tmp_path))

    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


# --- unreadable


def test_an_unreadable_round_is_void(database_url):
    """The bets of an unreadable round are returned, on record, and the table continues."""

    async def run(server):
        async with Party(server.address, seconds=600) as party:
            before, number = [at.state for at in party.at], party.number
            server.kill()
            lost = (seeds.c.table_id == party.table) & (seeds.c.round == number)
            await change(database_url, delete(seeds).where(lost))
            await asyncio.to_thread(server.start)
            for seat, (player, old) in enumerate(zip(party.players, before, strict=True), 1):
                at = party.at[seat - 1] = await party.watch(player, party.table)
                assert at.number == number + 1
                assert (at.state["round"]["phase"], at.state["round"]["staked"]) == ("betting", {})
                assert at.state["last"]["status"] == "void"
                assert at.state["last"]["reason"] == "the round could not be restored"
                assert at.state["you"] == old["you"] | {"balance": old["you"]["balance"] + 500}
            for seat, at in enumerate(party.at, 1):
                await at.bet(seat, main=500)
            assert at.state["round"]["phase"] != "betting" or at.number == number + 2
            here = f"/api/v1/tables/{party.table}/rounds/{number}"
            assert (await party.players[0].get(here))["status"] == "void"
            events = await party.players[0].get("/api/v1/operator/events", **server.operator)
            voided = [event["facts"] for event in events["rows"] if event["kind"] == "void"]
            told = [(facts["table"], facts["round"]) for facts in voided]
            assert told == [(party.table, number)]
        report = await check_books(database_url)
        assert report.not_restored == 1

    with server_of(database_url) as server:
        asyncio.run(run(server))


# --- older, newer and other databases


async def with_connection(database_url, work):
    engine = create_async_engine(database_url, poolclass=NullPool)
    async with engine.begin() as connection:
        await connection.run_sync(work)
    await engine.dispose()


def downgrade(connection, revision="0001"):
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    command.downgrade(config, revision)


def test_an_older_database_is_upgraded(database_url):
    """A database of the first version is upgraded without loss."""

    async def play(server):
        async with Crowd() as crowd:
            guest = await crowd.guest(server.address)
            at = await crowd.sit(guest, await guest.open_table("toss-one-21"))
            for _ in range(3):
                await at.play_round(main=500)
            await at.bet(main=500)
            await asyncio.to_thread(server.stop)
            await with_connection(database_url, downgrade)
            with pytest.raises(SettingError, match=r"older version \(0001"):
                await audit(database_url)
            await asyncio.to_thread(server.start)
            again = await crowd.watch(guest, at.table)
            for part in ("places", "round", "views", "last", "you"):
                assert again.state[part] == at.state[part]
            await again.play_round()
        await check_books(database_url)

    with server_of(database_url) as server:
        asyncio.run(play(server))


def test_balances_are_filled_in_by_an_upgrade(database_url):
    """A database from before balances and process cages continues, and can be rolled back."""

    async def play(path):
        store = await Store.open(path)
        store.cage, store._has_begun = CAGE, True  # as it was
        accounts, pit = Accounts(store, Bankroll()), Pit(store, DealingConfig())
        game = GAMES["toss-one-21"]
        limits = {"main": Limit(100, 5_000)}
        setup = Setup(id="t", name="t", game=game, rules=game.rules(), limits=limits)
        try:
            ann, _ = await accounts.guest("ann")
            await create_table(pit.store, setup, ann.id, None)
            dealer = await pit.dealer("t")
            await dealer.act(lambda table: table.sit(1, Place(ann.id, "ann")))
            while not dealer.table.hand.is_dealt:  # some rounds are over at once
                await dealer.act(lambda table: table.bet(ann.id, 1, {"main": 1_500}))
                await dealer.act(lambda table: table.deal())
            await dealer.act(lambda table: table.leave(ann.id, 1))
            return ann.id
        finally:
            await pit.close()
            await store.close()

    async def run():
        ann = player_account(await play(database_url))
        for _ in range(2):  # back and forth
            before = await rows(database_url, select(balances))
            await with_connection(database_url, lambda c: downgrade(c, "0002"))
            with pytest.raises(SettingError, match=r"older version \(0002"):
                await audit(database_url)
            await prepare(database_url)
            assert await rows(database_url, select(balances)) == before
            ((account, amount, worth),) = before
            assert (account, worth - amount) == (ann, 1_500)
        with server_of(database_url) as server:
            async with Crowd() as crowd:
                guest = await crowd.guest(server.address)
                await guest.open_table("toss-one-21")
        report = await check_books(database_url)
        assert len([name for name in report.heads if is_cage(name)]) == 2
        ((body,),) = await rows(
            database_url, select(records.c.body).where(records.c.key == f"after:{CAGE}")
        )
        after = json.loads(body)["after"]
        assert report.heads[CAGE] == (after["seq"], after["hash"])

    asyncio.run(run())


def refusal(database_url, folder):
    """Run a server that must not start; return its one-line message."""
    path = folder / "stderr"
    with path.open("w", encoding="utf-8") as log:
        server = Server(database_url, log=log)
        server.launch()
        server.process.stdout.read()
        status = server.stop()
    *_, line = path.read_text("utf-8").splitlines()  # root is warned first
    assert status == 2, line
    return line


def test_a_newer_database_is_refused(database_url, tmp_path):
    """A database of a later version is left unchanged."""
    with server_of(database_url) as server:
        server.stop()
    newer = text("UPDATE alembic_version SET version_num = '9999'")
    asyncio.run(change(database_url, newer))
    before = asyncio.run(contents(database_url))
    files = files_of(database_url)
    assert "the database has a newer version (9999; this pitboss knows up to" in refusal(
        database_url, tmp_path
    )
    assert asyncio.run(contents(database_url)) == before
    assert files_of(database_url) == files


async def contents(database_url):
    """Return the records and ledger of a database, and its version."""
    version = await rows(database_url, text("SELECT version_num FROM alembic_version"))
    return version, *[await rows(database_url, select(t)) for t in (records, chains, ledger)]


def files_of(database_url):
    """Return the content of a database file, if it is one."""
    path = Path(make_url(database_url).database)
    return path.read_bytes() if database_url.startswith("sqlite") else None


def test_other_databases_are_refused(database_url, tmp_path):
    """A database of another program is left unchanged."""
    asyncio.run(change(database_url, text("CREATE TABLE recipes (name TEXT)")))
    files = files_of(database_url)
    assert "the database belongs to another program: choose an empty one" in refusal(
        database_url, tmp_path
    )
    assert files_of(database_url) == files
    asyncio.run(change(database_url, text("DROP TABLE recipes")))  # it is all there was


def test_a_file_that_is_no_database_is_refused(tmp_path):
    """A file that is not a database is left unchanged."""
    path = tmp_path / "letter.txt"
    path.write_text("Dear house, " * 500, "utf-8")
    assert "file is not a database" in refusal(str(path), tmp_path)
    assert path.read_text("utf-8") == "Dear house, " * 500
    assert {each.name for each in tmp_path.iterdir()} == {"letter.txt", "stderr"}


def test_a_file_has_one_server(tmp_path):
    """A second server on a SQLite file is refused by any path, until the first has ended."""
    path = tmp_path / "pitboss.db"
    (tmp_path / "link.db").symlink_to(path)
    relative = Path(os.path.relpath(path))
    with server_of(str(path)) as server:
        for name in (path, relative, tmp_path / "link.db", f"sqlite:///{path}"):
            said = refusal(str(name), tmp_path)
            assert "pitboss.db is in use by another pitboss serve" in said or "link.db is" in said
        assert asyncio.run(audit(str(path))).ok
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(tmp_path / "backup.db"),))
        server.kill()
        server.start()  # a lock does not outlive its process
    with server_of(str(tmp_path / "link.db")) as server:
        server.stop()


# --- SQLite: locked, or without room


def sqlite_url(tmp_path):
    return f"sqlite+aiosqlite:///{tmp_path}/pitboss.db"


@contextlib.contextmanager
def locked(tmp_path):
    """Begin to write to a SQLite file and do not finish."""
    with contextlib.closing(
        sqlite3.connect(tmp_path / "pitboss.db", isolation_level=None)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_locked_file_is_waited_for(tmp_path):
    """While another program writes to the file, writes wait and reads do not."""

    async def run(server):
        async with Crowd() as crowd:
            guest = await crowd.guest(server.address)
            at = await crowd.sit(guest, await guest.open_table("toss-one-21"))
            with locked(tmp_path):
                betting = asyncio.create_task(at.bet(main=500))
                assert (await guest.get("/api/v1/me"))["balance"] == 4000
                assert await guest.get("/health/ready")
                assert not betting.done()
            await betting
            assert at.state["round"]["staked"] == {"1": 500}
        await check_books(sqlite_url(tmp_path))

    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


@pytest.mark.long
def test_a_file_that_stays_locked(tmp_path):
    """After ten seconds the player gets an error; the repeated request succeeds later."""

    async def run(server):
        async with Crowd() as crowd:
            guest = await crowd.guest(server.address)
            at = await crowd.sit(guest, await guest.open_table("toss-one-21"))
            bet = {"key": new_key(), "round": 1, "seat": 1, "stakes": {"main": 500}}
            with locked(tmp_path), pytest.raises(RefusedError, match="database is unavailable"):
                await at.ask("bet", **bet)
            await asked_again(at, "bet", **bet)
            assert at.state["round"]["staked"] == {"1": 500}
        await check_books(sqlite_url(tmp_path))

    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


async def asked_again(at, do, **fields):
    """Repeat a request until the database answers."""
    while True:
        try:
            return await at.ask(do, **fields)
        except RefusedError as refused:
            assert refused.answer["error"] == "unavailable"
            await asyncio.sleep(0.05)


async def status_of(server, path):
    async with httpx.AsyncClient(base_url=server.address) as client:
        return (await client.get(path)).status_code


@pytest.mark.parametrize("play_first", [True, False])
def test_a_full_disk_is_not_ready(tmp_path, play_first):
    """A server without requests notices by itself that the disk is full."""

    async def run(server):
        if play_first:
            async with Crowd() as crowd:
                await crowd.guest(server.address)
        pid, (_, most) = server.process.pid, resource.getrlimit(resource.RLIMIT_FSIZE)
        assert await status_of(server, "/health/ready") == 200
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
        await asyncio.sleep(1.1)  # what was written before counts for a second
        assert await status_of(server, "/health/ready") == 503
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
        await asyncio.sleep(1.1)
        assert await status_of(server, "/health/ready") == 200

    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


def test_a_full_disk(tmp_path):
    """On a full disk nothing is accepted and nothing is lost; then the server continues."""

    async def run(server):
        async with Crowd() as crowd:
            guest = await crowd.guest(server.address)
            at = await crowd.sit(guest, await guest.open_table("toss-one-21"))
            await at.play_round(main=500)
            before = at.state
            bet = {"key": new_key(), "round": at.number, "seat": 1, "stakes": {"main": 500}}
            pid, (_, most) = server.process.pid, resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
            for _ in range(3):
                with pytest.raises(RefusedError, match="unavailable: the database is unavailable"):
                    await at.ask("bet", **bet)
            with pytest.raises(RefusedError, match="unavailable"):
                await crowd.guest(server.address)
            assert (await guest.get("/api/v1/me"))["balance"] == before["you"]["balance"]
            assert await guest.get("/health/live")
            for _ in range(3):  # a failure is remembered for a second, and then tried again
                assert await status_of(server, "/health/ready") == 503
                await asyncio.sleep(0.6)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))

            async def is_ready():
                return await status_of(server, "/health/ready") == 200

            await eventually(is_ready)
            await asked_again(at, "bet", **bet)
            assert at.state["round"]["staked"] == {"1": 500}
            assert at.state["you"]["balance"] == before["you"]["balance"] - 500
            await at.play_round(main=500)
        await check_books(sqlite_url(tmp_path))

    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


# --- clients that do not behave


@contextlib.asynccontextmanager
async def round_goes_on(server, database_url):
    """Let a gambler play; return a check that they still play and that the server is healthy."""
    gambler = await Gambler(server.address, random.Random(1), "roll-your-own").visit()
    gambler.table = await gambler.guest.open_table("roll-your-own")
    over = asyncio.Event()
    playing = asyncio.create_task(gambler.play(over))

    async def goes_on():
        due, returns = gambler.answers + 10, gambler.returns

        async def more():
            assert not playing.done() or await playing
            return gambler.answers >= due

        await eventually(more)
        assert gambler.returns == returns, "it was thrown out"
        assert await gambler.guest.get("/health/live")

    try:
        yield goes_on
    finally:
        over.set()
        await playing
        await gambler.close()
    await check_books(database_url, [gambler])


async def raw(server, *chunks, source="127.0.0.1"):
    """Open a connection and send bytes; return its reader and writer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=(source, 0))
    for chunk in chunks:
        writer.write(chunk)
        await writer.drain()
    return reader, writer


def hang_up(writer):
    writer.transport.abort()


def upgrade(table):
    """Return the request that opens a socket at a table."""
    lines = (
        f"GET /api/v1/tables/{table}/live HTTP/1.1",
        "Host: localhost",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version: 13",
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


FRAMES = {
    "half a frame": b"\x81\xfe\x10\x00\x00",
    "a frame without a mask": b"\x81\x02hi",
    "a reserved opcode": b"\x83\x80\x00\x00\x00\x00",
    "text that is no UTF-8": b"\x81\x82\x00\x00\x00\x00\xff\xfe",
    "a frame of 2 ** 63 bytes": b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00",
    "a ping that is too long": b"\x89\xfe\x01\x00\x00\x00\x00\x00" + bytes(256),
    "noise": random.Random(3).randbytes(2000),
}
REQUESTS = {
    "half a request": b"GET /api/v1/games HTTP/1.1\r\nHost: lo",
    "half a body": b"POST /api/v1/guest HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{",
    "noise": random.Random(4).randbytes(5000),
    "an endless header": b"GET / HTTP/1.1\r\nX: " + b"a" * 1_000_000,
    "a wrong length": b"POST /api/v1/guest HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
}


def test_nonsense_disturbs_nobody(tmp_path):
    """Garbage, incomplete messages and messages of 10 MB are rejected; other rounds continue."""

    async def run(server):
        async with (
            round_goes_on(server, sqlite_url(tmp_path)) as goes_on,
            Crowd() as crowd,
            contextlib.AsyncExitStack() as ends,
        ):
            guest = await crowd.guest(server.address)
            table = await guest.open_table("toss-one-21")
            at = await crowd.sit(guest, table)
            for nonsense in ("", "{", "[]", "nul", "\0" * 100, "[" * 60_000, b"\x00\xff", "é" * 99):
                await at.send(nonsense)
                refused = await heard_error(at)
                assert refused["error"] == "unreadable"
            await at.bet(main=500)
            for chunk in REQUESTS.values():
                _, writer = await raw(server)
                ends.callback(hang_up, writer)
                writer.write(chunk)
            for frame in FRAMES.values():
                reader, writer = await raw(server, upgrade(table))
                ends.callback(hang_up, writer)
                assert b" 101 " in await reader.readline()
                writer.write(frame)
            await goes_on()
            large = await guest.http.post("/api/v1/guest", content=b" " * 1_000_000)
            assert (large.status_code, large.json()["error"]) == (413, "too_large")
            with pytest.raises(ConnectionClosed) as dropped:
                await shouted(await crowd.watch(guest, table), "x" * 10_000_000)
            assert dropped.value.rcvd.code == 1009
            await at.ask("take_back", round=1, seat=1)
            await goes_on()

    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


async def shouted(at, text_):
    await at.send(text_)
    await at.until(lambda _: False)


async def heard_error(at):
    with pytest.raises(RefusedError) as refused:
        await at.until(lambda _: False)
    return refused.value.answer


def test_idle_connections_disturb_nobody(tmp_path):
    """Thousands of silent connections do no harm; sockets of one address are limited."""

    async def run(server):
        url = sqlite_url(tmp_path)
        async with round_goes_on(server, url) as goes_on, Crowd() as crowd:
            guest = await crowd.guest(server.address)
            table = await guest.open_table("toss-one-21", seconds=3)
            idle = [await raw(server, source=f"127.0.0.{2 + n % 10}") for n in range(2000)]
            await goes_on()
            watching = [await raw(server, upgrade(table)) for _ in range(300)]
            answers = [(await reader.readline()).split()[1] for reader, _ in watching]
            assert answers == [b"101"] * 199 + [b"403"] * 101  # the gambler has one
            await goes_on()
            for _, writer in (*idle, *watching):
                hang_up(writer)
            at = await eventually(lambda: let_in(crowd, guest, table))
            await at.ask("sit", seat=1)
            await goes_on()

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8192)), hard))
    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


async def let_in(crowd, guest, table):
    try:
        return await crowd.watch(guest, table)
    except InvalidStatus:
        return None


async def never_reading(server, table):
    """Watch a table with the smallest TCP window, and read nothing."""
    end = socket.socket()
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    end.setblocking(False)  # noqa: FBT003  the only way
    await asyncio.get_running_loop().sock_connect(end, ("127.0.0.1", server.port))
    await asyncio.get_running_loop().sock_sendall(end, upgrade(table))
    return end


async def watched(guest):
    """Return the number of open sockets that a server reports."""
    figures = (await guest.http.get("/metrics", headers=OPERATOR)).text
    return float(re.search(r"^pitboss_connections (\S+)$", figures, re.MULTILINE)[1])


async def play_before_slow_readers(server, crowd, moves):
    """Play at a table at which twenty sockets do not read."""
    guest = await crowd.guest(server.address)
    at = await crowd.sit(guest, await guest.open_table("toss-one-21"))
    for seat in range(2, 8):
        await at.ask("sit", seat=seat)
    for _ in range(20):
        crowd.callback((await never_reading(server, at.table)).close)
    await eventually(lambda: watchers(guest, 21))
    for seat in range(1, 8):
        await at.bet(seat, main=500)
    await at.play_round()
    for number in range(moves):
        await at.ask("seed", seat=1, client_seed=f"n{number}")
    return guest, at


async def watchers(guest, count):
    return await watched(guest) == count


def test_slow_readers_disturb_nobody(tmp_path):
    """A table does not wait for clients that never read."""

    async def run(server):
        async with Crowd() as crowd:
            _, at = await play_before_slow_readers(server, crowd, 200)
            await at.bet(main=500)
        await check_books(sqlite_url(tmp_path))

    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


@pytest.mark.long
def test_slow_readers_are_dropped(tmp_path):
    """A client that reads nothing for a long time is disconnected."""

    async def run(server):
        async with Crowd() as crowd:
            guest, at = await play_before_slow_readers(server, crowd, 1500)
            await eventually(lambda: watchers(guest, 1))
            await eventually(lambda: files_closed(server, 20))
            await at.bet(main=500)

    with server_of(sqlite_url(tmp_path)) as server:
        asyncio.run(run(server))


async def files_closed(server, count):
    """Return whether these clients' sockets are closed, judged by the server's open files."""
    return len(fd_names(server)) < 20 + count


def fd_names(server):
    return list(Path(f"/proc/{server.process.pid}/fd").iterdir())
