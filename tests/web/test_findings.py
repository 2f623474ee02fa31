"""What a review of the server found, and stays found: each of these went wrong once."""

import asyncio
import contextlib
import hashlib
import json
import random
import sqlite3

import httpx
import pytest
from argon2 import PasswordHasher
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import OperationalError

from pitboss.errors import RuleError, SettingError
from pitboss.games import GAMES
from pitboss.table import Limit
from pitboss.web import accounts as accounting
from pitboss.web import pit as pits
from pitboss.web import socket as sockets
from pitboss.web.accounts import Bankroll, LockedError, SignInError
from pitboss.web.app import create_app
from pitboss.web.audit import audit
from pitboss.web.chain import BANK, CAGE, Entry, Posting, player_account
from pitboss.web.guard import Doors
from pitboss.web.live import LARGEST_PRIZE, Place, Setup, check_prizes
from pitboss.web.pit import ElsewhereError, House
from pitboss.web.rooms import Rooms, Settings
from pitboss.web.schema import records, seats, sessions, tables
from pitboss.web.store import (
    ConflictError,
    Store,
    Unit,
    now,
)
from tests.web.client import At, Guest, RefusedError, new_key
from tests.web.gamblers import eventually
from tests.web.servers import Server
from tests.web.test_store import hold

TOSS = GAMES["toss-one-21"]
MINUTE = 60_000
GOOD, OTHER = "correct horse battery", "another password"
SIGNED_OUT = 4001


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Have passwords hashed quickly: how slowly is not at stake here."""
    hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(accounting, "_hasher", hasher)
    monkeypatch.setattr(accounting, "_DUMMY", hasher.hash("nobody's"))


# --- without a server: the rooms of one process


@contextlib.asynccontextmanager
async def rooms_on(url, **settings):
    """Open a database as a process does; give its store, pit and accounts."""
    store = await Store.open(str(url))
    rooms = Rooms(Settings(database=str(url), **settings), store)
    try:
        yield rooms
    finally:
        await rooms.pit.close()
        await store.close()


async def new_table(rooms, name, **changes):
    limits = {stake: Limit(100, 200_000) for stake in TOSS.stakes}
    setup = {"id": name, "name": name, "game": TOSS, "rules": TOSS.rules(), "limits": limits}
    await rooms.pit.create(Setup(**setup | changes), "nobody", None)
    return await rooms.pit.dealer(name)


async def sit(dealer, player, seat=1):
    await dealer.act(lambda table: table.sit(seat, Place(player.id, player.name)))


async def bet(dealer, player, amount=500, seat=1):
    await dealer.act(lambda table: table.bet(player.id, seat, {"main": amount}))


async def take_back(dealer, player, seat=1):
    await dealer.act(lambda table: table.take_back(player.id, seat))


async def rows(rooms, query):
    async with rooms.store.reading() as connection:
        return (await connection.execute(query)).all()


async def change(rooms, query):
    await rooms.store.change(lambda connection: connection.execute(query))


def file_of(tmp_path):
    return tmp_path / "tables.db"


# --- without a process: the application, its requests and sockets


class HungUpError(Exception):
    """The server has closed a socket; *code* is why."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Wire:
    """One socket of the application, as a server would hold it."""

    def __init__(self, app, path, cookie, address):
        headers = [(b"host", b"pit")] + ([(b"cookie", cookie.encode())] if cookie else [])
        scope = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": (address, 1),
            "server": ("pit", 80),
            "subprotocols": [],
        }
        self._in, self._out = asyncio.Queue(), asyncio.Queue()
        self._in.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.create_task(app(scope, self._in.get, self._out.put))

    async def send(self, text):
        self._in.put_nowait({"type": "websocket.receive", "text": text})

    async def recv(self):
        while True:
            message = await self._out.get()
            if message["type"] == "websocket.send":
                return message["text"]
            if message["type"] == "websocket.close":
                raise HungUpError(message["code"])

    async def close(self):
        self._in.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await self._task


class Visitor(Guest):
    """Somebody who comes to the application in this process, from an address."""

    def __init__(self, app, address="127.0.0.1"):
        super().__init__("http://pit")
        self.app, self.client = app, address
        transport = httpx.ASGITransport(app, client=(address, 1))
        self.http = httpx.AsyncClient(transport=transport, base_url="http://pit")

    async def watch(self, table):
        return await Nearby(self, table).connect()

    async def sit(self, table, seat=1, **options):
        at = await self.watch(table)
        await at.ask("sit", seat=seat, **options)
        return at

    @property
    def session(self):
        """The hash by which the session is kept."""
        (cookie,) = self.http.cookies.jar
        return hashlib.sha256(cookie.value.encode()).hexdigest()


class Nearby(At):
    """A visitor at a table."""

    async def connect(self):
        path = f"/api/v1/tables/{self.table}/live"
        self._socket = Wire(self.guest.app, path, self.guest.cookie, self.guest.client)
        self.guest.app.state.wires.append(self._socket)
        await self.hear()
        return self

    async def hung_up(self):
        """Return the code by which the socket is closed; nothing is shown before."""
        with pytest.raises(HungUpError) as caught:
            raise AssertionError(f"told: {await self.hear()}")
        return caught.value.code


@contextlib.asynccontextmanager
async def served(url, **settings):
    """Run the application on a database; give it."""
    settings = {"doors": Doors(requests=10**6, burst=10**6), "operator": "operator"} | settings
    app = create_app(Settings(database=str(url), **settings))
    app.state.wires = []
    lifespan = app.router.lifespan_context(app)
    await lifespan.__aenter__()
    try:
        yield app
    finally:
        for wire in app.state.wires:
            await wire.close()
        await lifespan.__aexit__(None, None, None)  # whatever happened: the server did not fail


def play(url, **settings):
    """Run an asynchronous test against the application."""

    def decorate(test):
        async def run():
            async with served(url, **settings) as app:
                await test(app)

        asyncio.run(run())

    return decorate


OPERATOR = {"Authorization": "Bearer operator"}


async def refused(asked, code):
    with pytest.raises(RefusedError) as caught:
        await asked
    assert caught.value.answer["error"] == code, caught.value.answer
    return caught.value.answer


# --- prizes


RICH = [{"on": [*range(4, 22)], "pays": "1000000:1"}]


def test_prizes_beyond_the_books_are_refused(tmp_path):
    """A table at which a bet could win more than 10^12 cents is not opened, nor made of another."""
    most = {"least": 100, "most": 10**6 + 1, "step": 1}

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        rich = {"rules": {"bonus4_paytable": RICH}}
        asked = ann.open_table("toss-one-21", **rich, limits={"bonus4": most})
        answer = await refused(asked, "bad_setting")
        assert "the most that is paid here is $10,000,000,000" in answer["detail"]
        table = await ann.open_table("toss-one-21", **rich)
        path = f"/api/v1/operator/tables/{table}/limits"
        await refused(ann.post(path, {"limits": {"bonus4": most}}, **OPERATOR), "bad_setting")
        fits = {"limits": {"bonus4": most | {"most": 10**6}}}
        await ann.post(path, fits, **OPERATOR)


def test_the_largest_prize_is_counted_to_the_cent():
    """Odds times the highest limit may reach the largest prize and not pass it."""
    rules = TOSS.rules()
    check_prizes(rules, {"main": Limit(1, LARGEST_PRIZE // 1000)})
    with pytest.raises(SettingError, match="lower the limits or the odds"):
        check_prizes(rules, {"main": Limit(1, LARGEST_PRIZE)})


# --- a database from a backup


def copy(source, target):
    """Make a backup, as an operator would while the server runs."""
    closing, connect = contextlib.closing, sqlite3.connect
    with closing(connect(source)) as old, closing(connect(target)) as new:
        old.backup(new)


async def leave_open_rounds(path, backup):
    """Play up to open rounds and make a backup; return what was promised of them."""
    async with rooms_on(path, house=House(address="http://a")) as rooms:
        ann, token = await rooms.accounts.guest("ann")
        dealers = [await new_table(rooms, name) for name in ("bet", "closed", "dealt", "empty")]
        for dealer in dealers[:3]:
            await sit(dealer, ann)
            await bet(dealer, ann)
        await dealers[1].act(lambda table: table.close())
        while not dealers[2].table.hand.is_dealt:
            await dealers[2].act(lambda table: table.deal())
            if not dealers[2].table.in_action:  # it was over at once
                await bet(dealers[2], ann)
        copy(path, backup)
        promised = {d.table.setup.id: d.table.hand for d in dealers}
        return ann, token, promised


def test_after_a_restore_no_seed_that_may_be_known_is_used(tmp_path):
    """Started from a backup every open round is void, its bets are back, and another begins."""
    backup = tmp_path / "backup.db"

    async def run():
        ann, _, promised = await leave_open_rounds(file_of(tmp_path), backup)
        async with served(backup, restored=True, house=House(address="http://a")) as app:
            rooms = app.state.rooms
            for name, hand in promised.items():
                dealer = await rooms.pit.dealer(name)
                assert dealer.table.hand.number == hand.number + 1, name
                assert dealer.table.hand.commitment != hand.commitment
                assert not dealer.table.in_action
                record = await pits.finished_round(rooms.store, name, hand.number)
                assert record["status"] == "void"
                assert "restored" in record["reason"]
            kept = (await rooms.store.balances([player_account(ann.id)])).popitem()[1]
            felt = await rooms.store.balances([f"felt:{name}" for name in promised])
            assert set(felt.values()) == {0}
        return kept, promised["dealt"].number, await audit(str(backup))

    kept, number, report = asyncio.run(run())

    assert report.ok, report.findings
    assert report.void == 4
    if number == 1:  # nothing was won or lost before
        assert kept == Bankroll().start


def test_a_table_that_cannot_be_read_stops_a_restore(tmp_path, caplog):
    """Nobody is to deal it with a seed that may be known: the start fails and names it."""
    backup = tmp_path / "backup.db"

    async def run():
        _, _, promised = await leave_open_rounds(file_of(tmp_path), backup)
        with contextlib.closing(sqlite3.connect(backup)) as connection, connection:
            broken = "UPDATE tables SET rules = '{\"no_such_setting\":1}' WHERE id = ?"
            connection.execute(broken, (min(promised),))
        with pytest.raises(SettingError, match="no_such_setting"):
            async with served(backup, restored=True, house=House(address="http://a")):
                raise AssertionError("it has started")
        return min(promised)

    assert f"table {asyncio.run(run())} cannot be begun anew" in caplog.text


def test_leases_in_a_backup_hold_nothing(tmp_path):
    """A server at another address begins all tables anew that were held when the copy was made."""
    backup = tmp_path / "backup.db"

    async def run():
        _, _, promised = await leave_open_rounds(file_of(tmp_path), backup)
        with contextlib.closing(sqlite3.connect(backup)) as connection, connection:
            held = "UPDATE tables SET owner = 'gone', address = 'http://gone', lease_until = ?"
            connection.execute(held, (now() + 60 * MINUTE,))
        async with served(backup, restored=True, house=House(address="http://b")) as app:
            tables_ = [await app.state.rooms.pit.dealer(name) for name in promised]
            hands = {dealer.table.setup.id: dealer.table.hand for dealer in tables_}
        return [hands[name].number - hand.number for name, hand in promised.items()]

    assert set(asyncio.run(run())) == {1}


def test_a_table_that_stays_unreadable_is_void_once(tmp_path):
    """When the round that is opened instead cannot be restored either, no third one is."""

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms:
            rooms.pit.let_go(await new_table(rooms, "t"))

            async def cannot(*_):
                raise ZeroDivisionError

            restored, rooms.pit._restored = rooms.pit._restored, cannot
            for _ in range(3):
                with pytest.raises(ZeroDivisionError):
                    await rooms.pit.dealer("t")
            rooms.pit._restored = restored
            return (await rooms.pit.dealer("t")).table.hand.number

    assert asyncio.run(run()) == 2


def test_the_command_that_begins_anew(tmp_path):
    """`serve --restored` voids what is open before anybody can look."""
    backup = tmp_path / "backup.db"
    _, token, promised = asyncio.run(leave_open_rounds(file_of(tmp_path), backup))

    async def look(address):
        guest = Guest(address)
        guest.http.cookies.set("pitboss", token)
        at = await guest.watch("bet")
        await at.close()
        await guest.close()
        return at.state["round"]

    with Server(str(backup), "--address", "http://a", "--restored") as server:
        shown = asyncio.run(look(server.address))

    assert (shown["number"], shown["staked"]) == (promised["bet"].number + 1, {})
    assert shown["commitment"] != promised["bet"].commitment


# --- log-ins at once


async def outcomes(asked):
    found = await asyncio.gather(*asked, return_exceptions=True)
    return [type(one) for one in found]


def test_of_many_log_ins_at_once_few_are_tried(tmp_path):
    """Of 20 wrong passwords at the same moment at most 4 are tried; then the name is locked."""

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms:
            _, token = await rooms.accounts.guest("ann")
            await rooms.accounts.set_password(await rooms.accounts.whose(token), GOOD, None, "x")
            wrong = (rooms.accounts.log_in("ann", f"wrong {i}", "x") for i in range(20))
            found = await outcomes(wrong)
            right = await outcomes([rooms.accounts.log_in("ann", GOOD, "x")])
            return found, right

    found, right = asyncio.run(run())

    assert 3 <= found.count(SignInError) <= 4
    assert found.count(LockedError) == 20 - found.count(SignInError)
    assert right == [LockedError]


def test_old_passwords_at_once_are_log_ins_too(tmp_path):
    """Who guesses the old password by changing it is counted alike."""

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms:
            _, token = await rooms.accounts.guest("ann")
            await rooms.accounts.set_password(await rooms.accounts.whose(token), GOOD, None, "x")
            ann = await rooms.accounts.whose(token)
            tried = (rooms.accounts.set_password(ann, OTHER, f"{i}", "x") for i in range(10))
            return await outcomes(tried)

    found = asyncio.run(run())

    assert 3 <= found.count(SignInError) <= 4
    assert found.count(LockedError) == 10 - found.count(SignInError)


def test_log_ins_do_not_pile_up(tmp_path, monkeypatch):
    """Who comes while too many wait is refused at once, and nothing of it is counted."""
    monkeypatch.setattr(accounting, "MOST_TRYING", 3)

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms, asyncio.timeout(10):
            accounts = rooms.accounts
            async with accounts._hashing, accounts._hashing:  # others are at work
                asked = [
                    asyncio.create_task(accounts.log_in(f"name {i}", GOOD, "x")) for i in range(5)
                ]
                while sum(task.done() for task in asked) < 2:
                    waiting = [task for task in asked if not task.done()]
                    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            found = await outcomes(asked)
            return found, await outcomes([accounts.log_in("name 0", GOOD, "x")])

    found, later = asyncio.run(run())

    assert sorted(kind.__name__ for kind in found) == ["BusyError"] * 2 + ["SignInError"] * 3
    assert later == [SignInError]


# --- tables of a process that died


def test_one_table_that_cannot_be_read_does_not_stop_the_others(tmp_path):
    """A table with rules that nobody knows is left, and those beside it are taken over."""

    async def run():
        async with rooms_on(file_of(tmp_path), house=House(address="http://a")) as rooms:
            ann, _ = await rooms.accounts.guest("ann")
            for name in ("t1", "t2", "t3"):
                dealer = await new_table(rooms, name, seconds=600)
                await sit(dealer, ann)
                await sit(dealer, ann, 2)
                await bet(dealer, ann)
                rooms.pit.let_go(dealer)  # its process dies
            broken = update(tables).where(tables.c.id != "t2")
            await change(rooms, broken.values(rules='{"no_such_setting":1}'))
            await change(rooms, update(tables).values(lease_until=0))
            other = pits.Pit(rooms.store, House(address="http://b"))
            await other._take_over()
            found = {name: dealer.table.in_action for name, dealer in other.dealers.items()}
            await other.close()
            return found

    assert asyncio.run(run()) == {"t2": True}


# --- sessions that have ended


async def two_at_a_table(app, monkeypatch=None):
    """Seat ann, who keeps an account, and bob at a table that waits for neither."""
    ann, bob = await Visitor(app).visit("ann"), await Visitor(app).visit("bob")
    await ann.post("/api/v1/me/password", {"password": GOOD})
    table = await ann.open_table("toss-one-21", seconds=600)
    at, beside = await ann.sit(table, 1), await bob.sit(table, 2)
    await at.until(lambda state: len(state["places"]) == 2)
    return ann, at, beside


async def log_out(ann):
    await ann.post("/api/v1/logout")


async def change_password_elsewhere(ann):
    phone = Visitor(ann.app)
    await phone.post("/api/v1/login", {"name": "ann", "password": GOOD})
    await phone.post("/api/v1/me/password", {"password": OTHER, "old": GOOD})


async def end_elsewhere(ann):
    """End the session in another process."""
    await change(ann.app.state.rooms, delete(sessions).where(sessions.c.token == ann.session))


ENDS = [log_out, change_password_elsewhere, end_elsewhere]


@pytest.fixture
def often_checked(monkeypatch):
    """Have sockets look at their session many times a second, not once a minute."""
    monkeypatch.setattr(sockets, "MINUTE", 20)


@pytest.mark.parametrize("end", ENDS[:2])
@pytest.mark.parametrize("moved", [True, False])
def test_an_open_socket_ends_with_its_session(tmp_path, end, moved):
    """After a log-out or a password changed elsewhere nothing more is shown, and nothing done."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, beside = await two_at_a_table(app)
        await end(ann)
        if moved:
            await beside.ask("sit_out", seat=2, out=True)
        else:
            await refused(at.ask("sit_out", seat=1, out=True), "not_signed_in")
        assert await at.hung_up() == SIGNED_OUT
        assert [place["out"] for place in beside.state["places"]] == [False, moved]


@pytest.mark.usefixtures("often_checked")
def test_a_socket_ends_with_a_session_that_ended_elsewhere(tmp_path):
    """What another process has ended is looked up, whether or not anything happens."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, _ = await two_at_a_table(app)
        await end_elsewhere(ann)
        assert await at.hung_up() == SIGNED_OUT


def test_what_is_bet_at_one_table_is_seen_at_another(tmp_path):
    """A player at two tables sees at each what they have, whichever they play at."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, bob = await Visitor(app).visit(), await Visitor(app).visit()
        here, there = [await ann.sit(await ann.open_table("toss-one-21")) for _ in range(2)]
        other = await bob.sit(await bob.open_table("toss-one-21"))
        await there.bet(main=500)
        await here.until(lambda state: state["you"]["balance"] == 99_500)
        await there.ask("take_back", round=1, seat=1)
        await here.until(lambda state: state["you"]["balance"] == 100_000)
        assert other.state["you"]["balance"] == 100_000


@pytest.mark.usefixtures("often_checked")
def test_what_is_won_elsewhere_is_shown(tmp_path):
    """What another process has paid is seen at a table where nothing happens."""
    path = file_of(tmp_path)

    @play(path)
    async def _(app):
        _, at, _ = await two_at_a_table(app)
        before = at.state["you"]["balance"]
        await give(path, at.guest.me["id"], 700)
        await at.until(lambda state: state["you"]["balance"] == before + 700)


@pytest.mark.usefixtures("often_checked")
def test_what_is_won_elsewhere_is_shown_though_it_makes_good_a_bet(tmp_path):
    """A balance that is again what it was before a bet differs from what was last shown."""
    path = file_of(tmp_path)

    @play(path)
    async def _(app):
        store = app.state.rooms.store
        ann, at, _ = await two_at_a_table(app)
        begun, go, look = asyncio.Event(), asyncio.Event(), store.look

        async def look_late(account):
            begun.set()
            await go.wait()
            await look(account)

        store.look = look_late
        await begun.wait()
        await at.bet(main=500)
        await give(path, ann.me["id"], 500)
        go.set()
        await at.until(lambda state: state["you"]["balance"] == 100_000)


@pytest.mark.usefixtures("often_checked")
def test_a_socket_outlives_an_outage(tmp_path):
    """Looks that are not answered end nothing; behind the outage what has changed is shown."""
    path = file_of(tmp_path)

    @play(path)
    async def _(app):
        store = app.state.rooms.store
        ann, at, _ = await two_at_a_table(app)
        failed, run = asyncio.Event(), store._writer.run

        async def fail(*_):
            failed.set()
            raise OSError("gone")

        store._writer.run = fail
        await failed.wait()
        await asyncio.sleep(0.1)
        store._writer.run = run
        await give(path, ann.me["id"], 700)
        await at.until(lambda state: state["you"]["balance"] == 100_700)


def test_a_socket_ends_with_a_session_that_ends_while_it_asks(tmp_path):
    """What was asked for is done to its end, and not shown to who has signed out meanwhile."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, beside = await two_at_a_table(app)
        store, keep = app.state.rooms.store, app.state.rooms.store.write

        async def keep_and_end(unit):
            kept = await keep(unit)
            store.write = keep
            await log_out(ann)
            return kept

        store.write = keep_and_end
        await at.send({"v": 1, "id": "last", "do": "sit_out", "seat": 1, "out": True})
        assert await at.hung_up() == SIGNED_OUT
        await beside.until(lambda state: state["places"][0]["out"])


async def seen_of(ann):
    query = select(sessions.c.seen).where(sessions.c.token == ann.session)
    ((seen,),) = await rows(ann.app.state.rooms, query)
    return seen


async def move_back(ann, by):
    query = update(sessions).where(sessions.c.token == ann.session)
    await change(ann.app.state.rooms, query.values(seen=sessions.c.seen - by))
    return await seen_of(ann)


@pytest.mark.usefixtures("often_checked")
def test_who_only_listens_gives_no_sign(tmp_path):
    """States that are shown and pings keep no session; after half an hour the socket ends."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, beside = await two_at_a_table(app)
        await viewers_of(app, at)
        seen = await move_back(ann, 29 * MINUTE)
        await beside.ask("sit_out", seat=2, out=True)
        await at.until(lambda state: state["places"][1]["out"])
        await at.ask("ping")
        player = await app.state.rooms.accounts._signed_in(ann.session)
        assert await app.state.rooms.accounts.is_open(player)
        assert await seen_of(ann) == seen
        await at.ask("sit_out", seat=1, out=True)
        await viewers_of(app, at)
        assert await seen_of(ann) > seen + 28 * MINUTE
        await move_back(ann, 31 * MINUTE)
        assert await at.hung_up() == SIGNED_OUT


async def viewers_of(app, at):
    """Return the sockets at a table, once all signs of their players are noted."""
    viewers = app.state.rooms.pit.dealers[at.table].viewers

    async def is_noted():
        return all(viewer._noted == viewer._active for viewer in viewers)

    await eventually(is_noted)
    return viewers


async def be_idle(app, at, minutes):
    """Let time pass in which the player of a socket gives no sign."""
    for viewer in await viewers_of(app, at):
        viewer._active -= minutes * MINUTE
        viewer._noted -= minutes * MINUTE
    return await move_back(at.guest, minutes * MINUTE)


def test_who_comes_back_in_time_is_noted_at_once(tmp_path):
    """A request after 29 minutes keeps the session, also for the next request by HTTP."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await ann.watch(await ann.open_table("toss-one-21"))
        seen = await be_idle(app, at, 29)
        before = now()
        await at.ask("sit", seat=1)
        assert seen < before <= await seen_of(ann) <= now()


def test_who_comes_back_too_late_is_refused(tmp_path):
    """A request after 31 minutes does nothing and ends the socket, before anybody looks."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await ann.watch(await ann.open_table("toss-one-21"))
        seen = await be_idle(app, at, 31)
        await refused(at.ask("sit", seat=1), "not_signed_in")
        assert await at.hung_up() == SIGNED_OUT
        assert await seen_of(ann) == seen


@pytest.mark.usefixtures("often_checked")
def test_a_sign_is_noted_as_of_when_it_was_given(tmp_path):
    """What is noted late, behind an outage, makes no session longer."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, _ = await two_at_a_table(app)
        await viewers_of(app, at)
        note, free = app.state.rooms.accounts.note, asyncio.Event()

        async def note_late(*sign):
            await free.wait()
            await note(*sign)

        app.state.rooms.accounts.note = note_late
        (viewer,) = [v for v in await viewers_of(app, at) if v.player == ann.me["id"]]
        viewer._active = sign = now()
        await asyncio.sleep(0.1)
        free.set()
        await viewers_of(app, at)
        assert await seen_of(ann) == sign


def test_an_older_sign_moves_nothing_back(tmp_path):
    """Signs that two processes note are noted in any order; the newest holds."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, accounts = await Visitor(app).visit(), app.state.rooms.accounts
        player, sign = await accounts._signed_in(ann.session), now() + 1000
        for at in (sign, sign - 500):
            await accounts.note(player, at)
        assert await seen_of(ann) == sign


def test_who_plays_at_another_table_is_not_idle(tmp_path):
    """A socket that was silent for half an hour goes on if its player was busy elsewhere."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await ann.watch(await ann.open_table("toss-one-21"))
        for viewer in await viewers_of(app, at):
            viewer._active -= 31 * MINUTE
        await at.ask("sit", seat=1)


@pytest.mark.usefixtures("often_checked")
def test_what_nobody_foresaw_is_logged_and_closes_the_socket(tmp_path, caplog):
    """A defect in what is done beside play ends the socket as a defect, not as a farewell."""

    @play(file_of(tmp_path))
    async def _(app):
        _, at, _ = await two_at_a_table(app)

        async def look(_):
            raise ZeroDivisionError("a defect")

        app.state.rooms.store.look = look
        assert await at.hung_up() == sockets.ERROR

    assert "failed" in caplog.text
    assert "ZeroDivisionError: a defect" in caplog.text


# --- the door


def test_handshakes_count_against_an_address(tmp_path):
    """Who opens sockets faster than the rate of an address is refused; others are let in."""

    async def opens(app, address):
        wire = Wire(app, "/api/v1/tables/none/live", "", address)
        app.state.wires.append(wire)
        with contextlib.suppress(HungUpError):
            await wire.recv()  # that there is no such table
            return True
        return False

    @play(file_of(tmp_path), doors=Doors(requests=1e-9, burst=4))
    async def _(app):
        assert [await opens(app, "192.0.2.1") for _ in range(6)] == [True] * 4 + [False] * 2
        asked = Visitor(app, "192.0.2.1")
        assert (await asked.http.get("/health/live")).status_code == 429
        assert await opens(app, "192.0.2.2")


def test_an_origin_that_is_no_address(tmp_path):
    """An origin that cannot be read is another page's, said in the one form of errors."""

    @play(file_of(tmp_path))
    async def _(app):
        headers = {"Origin": "http://["}
        answer = await Visitor(app).http.post("/api/v1/guest", json={}, headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (403, "wrong_origin")
        assert answer.headers["x-frame-options"] == "DENY"


def test_a_body_that_grows_too_large(tmp_path):
    """A body that comes in pieces, without a length, is read to the same limit as any other."""

    async def pieces():
        for _ in range(30):
            yield b"x" * 4096

    @play(file_of(tmp_path))
    async def _(app):
        headers = {"Content-Type": "application/json"}
        answer = await Visitor(app).http.post("/api/v1/guest", content=pieces(), headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (413, "too_large")


def test_heads(tmp_path):
    """What watches over a server may ask without wanting the body."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        table = await ann.open_table("toss-one-21")
        for path in ("/", f"/tables/{table}", "/health/live", "/health/ready"):
            assert (await ann.http.head(path)).status_code == 200, path
        assert (await ann.http.head("/tables/any")).status_code == 404


def test_what_is_not_there_is_not_found(tmp_path):
    """To block nobody, or to see the chart of no table, is answered with 404."""

    @play(file_of(tmp_path))
    async def _(app):
        boss = Visitor(app)
        path = "/api/v1/operator/players/nobody/block"
        answer = await boss.http.post(path, json={"blocked": True}, headers=OPERATOR)
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
        for of in ("table=none", "digest=none"):
            answer = await boss.http.get(f"/api/v1/operator/chart?{of}", headers=OPERATOR)
            assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


def test_a_table_elsewhere_is_told_with_its_address(tmp_path):
    """An answer 421 says where the table is dealt, over HTTP as on a socket."""

    @play(file_of(tmp_path), house=House(address="http://a"))
    async def _(app):
        ann = await Visitor(app).visit()
        table = await ann.open_table("toss-one-21")
        held = {"owner": "another", "address": "http://b", "lease_until": now() + 10 * MINUTE}
        await change(app.state.rooms, update(tables).values(held))
        path = f"/api/v1/operator/tables/{table}/close"
        answer = await ann.http.post(path, headers=OPERATOR)
        assert answer.status_code == 421
        assert (answer.json()["error"], answer.json()["address"]) == ("elsewhere", "http://b")
        with pytest.raises(RefusedError) as caught:
            await ann.watch(table)
        assert caught.value.answer["address"] == "http://b"


def test_figures_are_the_operators(tmp_path):
    """Another machine gets no figures without the token: they would tell who has decided."""

    async def status(app, address, **headers):
        return (await Visitor(app, address).http.get("/metrics", headers=headers)).status_code

    @play(file_of(tmp_path))
    async def _(app):
        for here in ("127.0.0.1", "::1"):
            assert await status(app, here) == 200
        for there in ("192.0.2.1", "2001:db8::1"):
            assert await status(app, there) == 401
            assert await status(app, there, Authorization="Bearer guess") == 401
            assert await status(app, there, **OPERATOR) == 200


# --- seats that nobody is at


class Watcher:
    """Somebody who looks at a table and is told nothing."""

    def __init__(self, player):
        self.player = player

    def show(self, dealer):
        pass

    lose = show


@pytest.fixture
def clock(monkeypatch):
    """Give the pit a clock that goes when it is told to."""
    moment = [now()]
    monkeypatch.setattr(pits, "now", lambda: moment[0])

    def go_on(milliseconds):
        moment[0] += milliseconds

    return go_on


async def keep_once(pit):
    await pit._empty_seats()
    await pit._release_idle()


def test_seats_are_freed_at_a_busy_table(tmp_path, clock):
    """Who has gone loses the seat though others play on; who is there, or came back, does not."""

    async def run():
        async with rooms_on(file_of(tmp_path), house=House(idle_seat=1000)) as rooms:
            ann, bob, cyd = [(await rooms.accounts.guest(n))[0] for n in ("ann", "bob", "cyd")]
            dealer = await new_table(rooms, "t", seconds=600)
            back = Watcher(cyd.id)
            dealer.viewers |= {Watcher(bob.id), back}
            for seat, player in enumerate((ann, bob, cyd), 1):
                await sit(dealer, player, seat)
            await bet(dealer, bob, seat=2)
            dealer.viewers.discard(back)
            found = []
            for step in (0, 600, 600, 600):
                clock(step)
                await keep_once(rooms.pit)
                found.append([*dealer.table.places])
                if step == 600 and back not in dealer.viewers:
                    dealer.viewers.add(back)
            assert dealer.table.in_action
            return found, [row.seat for row in await rows(rooms, select(seats))]

    found, kept = asyncio.run(run())

    assert found == [[1, 2, 3], [1, 2, 3], [2, 3], [2, 3]]
    assert kept == [2, 3]


def test_seats_are_freed_at_a_table_nobody_looks_at(tmp_path, clock):
    """A table where people sit is kept, though nobody looks, until their seats are free."""

    async def run():
        async with rooms_on(file_of(tmp_path), house=House(idle_seat=1000)) as rooms:
            ann, _ = await rooms.accounts.guest("ann")
            await sit(await new_table(rooms, "t", seconds=600), ann)
            found = []
            for step in (0, 900, 200):
                clock(step)
                await keep_once(rooms.pit)
                found.append(([*rooms.pit.dealers], len(await rows(rooms, select(seats)))))
            return found

    assert asyncio.run(run()) == [(["t"], 1), (["t"], 1), ([], 0)]


# --- commits are not split by what could be known before


@pytest.fixture
def split(monkeypatch):
    """Note the commits that had to be made one by one."""
    found, apart = [], Store._commit_apart

    async def noted(store, batch, *, again):
        found.append(len(batch))
        await apart(store, batch, again=again)

    monkeypatch.setattr(Store, "_commit_apart", noted)
    return found


def test_a_taken_name_does_not_split_a_commit(tmp_path, split):
    """Who asks for a name that is taken, as a guest or a new one, costs nobody else a commit."""

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms:
            ann, _ = await rooms.accounts.guest("ann")
            before = rooms.store.commits
            asked = [rooms.accounts.guest(f"guest {i}") for i in range(30)]
            asked += [rooms.accounts.guest("Ann"), rooms.accounts.rename(ann, "ANN")]
            found = await outcomes(asked)
            return found, rooms.store.commits - before

    found, commits = asyncio.run(run())

    assert found == [tuple] * 30 + [RuleError] * 2
    assert commits < 10
    assert split == []


def test_a_repeated_key_does_not_split_a_commit(tmp_path, split):
    """A table that was opened by this key before is found before anything is written."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        body, key = {"game": "toss-one-21"}, {"Idempotency-Key": "k"}
        first = await ann.post("/api/v1/tables", body, **key)
        again = [ann.post("/api/v1/tables", body, **key) for _ in range(5)]
        others = [Visitor(app).visit() for _ in range(20)]
        answers = await asyncio.gather(*again, *others)
        assert [answer["id"] for answer in answers[:5]] == [first["id"]] * 5
        assert split == []


# --- balances that are shown


async def give(url, player, amount):
    """Give a player something in another process."""
    async with rooms_on(url) as rooms:
        lines = (Posting(BANK, -amount, "x"), Posting(player_account(player), amount, "x"))
        entry = Entry(chain=CAGE, kind="gift", body={}, postings=lines)
        await rooms.store.write(Unit(at=now(), entries=(entry,)))


def test_the_balance_is_right_after_a_take_over(tmp_path):
    """Who finds the table again is shown what they have now, not what this process knew."""
    path = file_of(tmp_path)

    @play(path)
    async def _(app):
        ann = await Visitor(app).visit()
        table = await ann.open_table("toss-one-21")
        at = await ann.sit(table)
        assert at.state["you"]["balance"] == 100_000
        await give(path, ann.me["id"], 700)
        app.state.rooms.pit.let_go(app.state.rooms.pit.dealers[table])
        await at.hear()
        assert at.state["you"]["balance"] == 100_700
        await give(path, ann.me["id"], 1)
        assert (await ann.watch(table)).state["you"]["balance"] == 100_701


def test_the_balance_is_right_when_it_was_forgotten(tmp_path):
    """A process that forgets balances to save memory counts again what it shows."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        here, there = [await ann.sit(await ann.open_table("toss-one-21")) for _ in range(2)]
        await there.bet(main=500)
        store = app.state.rooms.store
        store._known = {}
        store.last_seen.clear()
        await here.ask("sit_out", seat=1, out=True)
        assert here.state["you"]["balance"] == 99_500
        store._known = {}
        store.last_seen.clear()
        await there.ask("take_back", round=1, seat=1)
        assert there.state["you"]["balance"] == 100_000


def test_a_balance_is_not_shown_beside_an_older_table(tmp_path):
    """While a bet is on the disk and not answered, nobody sees it taken and not on the felt."""

    def seen(state):
        (place,) = state["places"]
        return state["you"]["balance"], place["has_bet"]

    @play(file_of(tmp_path))
    async def _(app):
        ann, store = await Visitor(app).visit(), app.state.rooms.store
        table = await ann.open_table("toss-one-21")
        at = await ann.sit(table)
        beside = await ann.watch(table)
        free = hold(store)
        betting = asyncio.create_task(at.bet(main=500))

        async def is_kept():
            return (await ann.get("/api/v1/me"))["balance"] == 99_500

        await eventually(is_kept)
        app.state.rooms.pit.show_to(ann.me["id"])
        await beside.hear()
        assert seen(beside.state) == (100_000, False)
        store.last_seen.clear()  # it is counted again, in turn
        app.state.rooms.pit.show_to(ann.me["id"])
        coming = asyncio.create_task(ann.watch(table))
        await asyncio.sleep(0.05)
        free.set()
        await beside.hear()
        assert seen(beside.state) == (99_500, True)
        assert seen((await coming).state) == (99_500, True)
        await betting
        assert seen(at.state) == (99_500, True)


def test_who_comes_while_the_table_is_let_go_finds_it_again(tmp_path):
    """A dealer that is gone by the time the balance is counted is not waited for."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, pit = await Visitor(app).visit(), app.state.rooms.pit
        table = await ann.open_table("toss-one-21")
        at = await ann.sit(table)
        free = hold(app.state.rooms.store)
        coming = asyncio.create_task(ann.watch(table))
        await asyncio.sleep(0.05)
        pit.let_go(pit.dealers[table])
        free.set()
        beside = await coming
        await at.ask("sit_out", seat=1, out=True)
        await beside.until(lambda state: state["places"][0]["out"])


ENOUGH = 100  # states to see
PATIENCE = 300  # seconds, on a busy machine


class Fray:
    """One player with many sockets at one table, who bets and takes back while all goes wrong."""

    def __init__(self, ann, table):
        self.ann, self.table = ann, table
        self.rooms = ann.app.state.rooms
        self.chance = random.Random(7)
        self.seen = set()  # balances with what is on the felt
        self.states = 0
        self._failing = []

    async def come_and_go(self, seat):
        while self.states < ENOUGH:
            try:
                at = await self.ann.watch(self.table)
            except (HungUpError, RefusedError):
                continue  # the table was changing hands
            listening = asyncio.create_task(self._listen(at))
            for _ in range(self.chance.randrange(5, 50)):
                await self._shout(at, seat)
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            await at._socket.close()
            self.ann.app.state.wires.remove(at._socket)

    async def _listen(self, at):
        while True:
            message = json.loads(await at._socket.recv())
            if message["type"] == "state":
                at.state = message
                self.states += 1
                staked = message["round"]["staked"].values()
                self.seen.add(message["you"]["balance"] + sum(staked))

    async def _shout(self, at, seat):
        number = at.state["round"]["number"]
        bet = {"do": "bet", "round": number, "stakes": {"main": 500}}
        do = self.chance.choice(
            [{"do": "sit"}, bet, bet, bet, {"do": "take_back", "round": number}]
        )
        await at.send({"v": 1, "id": new_key(), "seat": seat} | do)
        await asyncio.sleep(self.chance.uniform(0, 0.02))

    async def disturb(self):
        store, run = self.rooms.store, self.rooms.store._writer.run

        async def run_or_fail(work, *arguments):
            done = await run(work, *arguments)
            if self._failing:
                raise self._failing.pop()
            return done

        store._writer.run = run_or_fail
        while self.states < ENOUGH:
            await asyncio.sleep(self.chance.uniform(0, 0.05))
            await self.chance.choice(
                [self._forget, self._show, self._fail, self._let_go, self._ask]
            )()
        store._writer.run = run

    async def _forget(self):
        self.rooms.store.last_seen.clear()

    async def _show(self):
        self.rooms.pit.show_to(self.ann.me["id"])

    async def _fail(self):
        self._failing = [OSError("gone behind the commit")]

    async def _let_go(self):
        dealer = self.rooms.pit.dealers.get(self.table)
        if dealer and not dealer._lock.locked():
            self.rooms.pit.let_go(dealer)

    async def _ask(self):
        await self.ann.get("/api/v1/me")


@pytest.mark.usefixtures("often_checked")
def test_balances_and_tables_agree_whatever_happens(tmp_path):
    """What is shown as taken is shown on the felt, whatever is looked at, lost or let go."""
    fast = Doors(requests=10**6, burst=10**6, messages=10**6, message_burst=10**6)

    @play(file_of(tmp_path), doors=fast)
    async def _(app):
        ann, bob = await Visitor(app).visit(), await Visitor(app).visit()
        table = await ann.open_table("toss-one-21", seconds=600)
        await bob.sit(table, 5)  # who never bets, so that nothing is dealt
        fray = Fray(ann, table)
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*map(fray.come_and_go, range(1, 5)), fray.disturb())
        assert fray.seen == {100_000}


# --- refills


def test_refills_count_what_is_on_the_felt(tmp_path):
    """Who has everything on the felt is not poor; who has lost it is."""

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms:
            ann, _ = await rooms.accounts.guest("ann")
            dealer = await new_table(rooms, "t")
            await sit(dealer, ann)
            await bet(dealer, ann, 99_000)
            with pytest.raises(RuleError, match=r"you have \$1,000, with what is on the felt"):
                await rooms.accounts.refill(ann)
            await give(file_of(tmp_path), ann.id, -900)
            await take_back(dealer, ann)
            assert await rooms.accounts._worth(ann.id) == 99_100
            await give(file_of(tmp_path), ann.id, -98_000)
            await bet(dealer, ann, 1_000)
            assert await rooms.accounts.refill(ann) == 100_000 - 1_100
            return await rooms.accounts.balance(ann.id)

    assert asyncio.run(run()) == 99_000


def test_refills_look_at_one_moment(tmp_path):
    """A bet that is put down or taken back while one looks makes nobody poor."""

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms:
            ann, _ = await rooms.accounts.guest("ann")
            dealer = await new_table(rooms, "t")
            await sit(dealer, ann)

            async def move():
                await (
                    take_back(dealer, ann) if dealer.table.in_action else bet(dealer, ann, 10**5)
                )

            move_after_each_look(rooms.store, move)
            for in_action in (False, True):
                if dealer.table.in_action != in_action:
                    await move()
                with pytest.raises(RuleError, match=r"you have \$1,000, with what is on"):
                    await rooms.accounts.refill(ann)

    asyncio.run(run())


def move_after_each_look(store, move):
    """Have something changed after each look at the database."""
    reading = store.reading

    @contextlib.asynccontextmanager
    async def interrupted():
        async with reading() as connection:
            yield connection
        await move()

    store.reading = interrupted


# --- passwords


def test_a_password_is_changed_by_id(tmp_path):
    """Who has been renamed meanwhile is not taken for the guest who has the old name now."""

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms:
            accounts = rooms.accounts
            _, token = await accounts.guest("ann")
            await accounts.set_password(await accounts.whose(token), GOOD, None, "x")
            asking = await accounts.whose(token)  # one request has looked who asks
            await accounts.rename(await accounts.whose(token), "other")
            await accounts.guest("ann")  # who has no password
            with pytest.raises(SignInError):
                await accounts.set_password(asking, OTHER, None, "x")
            return (await accounts.log_in("other", GOOD, "x"))[0].id == asking.id

    assert asyncio.run(run())


# --- keys


def test_a_key_is_for_one_request(tmp_path):
    """A key that is used for another request is refused, the same request answered."""

    @play(file_of(tmp_path), house=House(address="http://a"))
    async def _(app):
        ann = await Visitor(app).visit()
        table = await ann.open_table("toss-one-21")
        at = await ann.watch(table)
        await at.ask("sit", seat=1, key="k")
        for _ in range(2):
            assert "k" in (await at.ask("sit", seat=1, key="k"))["done"]
            for other in ({"seat": 2}, {"seat": 1, "client_seed": "x"}):
                await refused(at.ask("sit", **other, key="k"), "stale")
            asked = at.ask("bet", round=1, seat=1, stakes={"main": 500}, key="k")
            await refused(asked, "stale")
            assert (at.state["you"]["seats"], at.state["round"]["staked"]) == ([1], {})
            app.state.rooms.pit.let_go(app.state.rooms.pit.dealers[table])  # read anew
            await at.hear()


def test_a_table_is_opened_once_also_after_a_new_log_in(tmp_path):
    """A key is the player's, not the session's: the same table is given."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, bob = await Visitor(app).visit("ann"), await Visitor(app).visit("bob")
        await ann.post("/api/v1/me/password", {"password": GOOD})
        body, key = {"game": "toss-one-21"}, {"Idempotency-Key": "k"}
        first = await ann.post("/api/v1/tables", body, **key)
        await ann.post("/api/v1/logout")
        await ann.post("/api/v1/login", {"name": "ann", "password": GOOD})
        assert (await ann.post("/api/v1/tables", body, **key))["id"] == first["id"]
        assert (await bob.post("/api/v1/tables", body, **key))["id"] != first["id"]
        assert len(await rows(app.state.rooms, select(tables))) == 2


# --- readiness


def test_who_cannot_write_is_not_ready(tmp_path, monkeypatch):
    """While the disk takes nothing a server is not ready, though it can read; then it is again."""

    async def full(*_):
        raise OperationalError("INSERT", {}, Exception("disk is full"))

    @play(file_of(tmp_path))
    async def _(app):
        ann, store = Visitor(app), app.state.rooms.store

        async def status():
            return (await ann.http.get("/health/ready")).status_code

        assert await status() == 200
        with monkeypatch.context() as patch:
            patch.setattr(store._writer, "run", full)
            await refused(ann.visit(), "unavailable")
            assert (await ann.http.get("/api/v1/tables")).status_code == 200
            assert [await status(), await status()] == [503, 503]
        assert [await status(), await status()] == [200, 200]
        await ann.visit()


# --- two processes and their addresses


@pytest.mark.parametrize(
    ("one", "other", "taken"),
    [
        (None, None, False),
        ("http://a", None, False),
        (None, "http://b", False),
        ("http://a", "http://b", False),
        ("http://a", "http://a", True),  # of two at one address the first is dead
    ],
)
def test_tables_are_taken_from_nobody_but_who_was_here(tmp_path, one, other, taken):
    """A table that is held is given up only to a process at the same address."""

    async def run():
        async with rooms_on(file_of(tmp_path), house=House(address=one)) as rooms:
            ann, _ = await rooms.accounts.guest("ann")
            dealer = await new_table(rooms, "t", seconds=600)
            await sit(dealer, ann)
            pit = pits.Pit(rooms.store, House(address=other))
            found = await outcomes([pit.dealer("t")])
            await pit._take_over()
            acted = await outcomes([sit(dealer, ann, 2)])
            await pit.close()
            query = select(func.count()).where(records.c.kind == "taken_over")
            return found, acted, (await rows(rooms, query))[0][0]

    found, acted, noted = asyncio.run(run())

    assert found == [pits.Dealer if taken else ElsewhereError]
    assert acted == [ConflictError if taken else type(None)]
    assert noted == taken


def test_who_comes_while_tables_are_given_back_stays(tmp_path):
    """Between the look for idle tables and their release somebody came: the table is kept."""

    async def run():
        async with rooms_on(file_of(tmp_path)) as rooms:
            left, taken = [await new_table(rooms, name) for name in ("left", "taken")]
            async with rooms.pit._leasing:
                releasing = asyncio.create_task(rooms.pit._release_idle())
                await asyncio.sleep(0)  # it has looked, and waits
                taken.viewers.add(Watcher("ann"))
            await releasing
            return left.gone, taken.gone

    assert asyncio.run(run()) == (True, False)
