"""The services and the application of a server, in the process of the tests."""

import asyncio
import contextlib
import hashlib

import httpx
import pytest
from argon2 import PasswordHasher

from pitboss.dealing.creation import create_table
from pitboss.games import GAMES
from pitboss.ledger.clock import now
from pitboss.ledger.store import Store
from pitboss.ledger.transaction import Unit
from pitboss.tables.chain import BANK, CAGE, Entry, Posting, player_account
from pitboss.tables.hand import Place
from pitboss.tables.limits import Limit
from pitboss.tables.setup import Setup
from pitboss.web import accounts as accounting
from pitboss.web.app import create_app
from pitboss.web.rate_limits import RateLimits
from pitboss.web.services import Services, Settings
from tests.web.client import At, Guest, RefusedError

TOSS = GAMES["toss-one-21"]
MINUTE = 60_000
GOOD, OTHER = "correct horse battery", "another password"
SIGNED_OUT = 4001


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Hash passwords quickly: these tests do not depend on slow hashing."""
    hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(accounting, "_hasher", hasher)
    monkeypatch.setattr(accounting, "_DUMMY", hasher.hash("nobody's"))


# --- without a server: the services of one process


@contextlib.asynccontextmanager
async def services_on(url, **settings):
    """Open a database as a server process does; yield its store, pit and accounts."""
    store = await Store.open(str(url))
    services = Services(Settings(database=str(url), **settings), store)
    try:
        yield services
    finally:
        await services.pit.close()
        await store.close()


async def new_table(services, name, **changes):
    limits = {stake: Limit(100, 200_000) for stake in TOSS.stakes}
    setup = {"id": name, "name": name, "game": TOSS, "rules": TOSS.rules(), "limits": limits}
    await create_table(services.store, Setup(**setup | changes), "nobody", None)
    return await services.pit.dealer(name)


async def sit(dealer, player, seat=1):
    await dealer.act(lambda table: table.sit(seat, Place(player.id, player.name)))


async def bet(dealer, player, amount=500, seat=1):
    await dealer.act(lambda table: table.bet(player.id, seat, {"main": amount}))


async def take_back(dealer, player, seat=1):
    await dealer.act(lambda table: table.take_back(player.id, seat))


async def rows(services, query):
    async with services.store.reading() as connection:
        return (await connection.execute(query)).all()


async def change(services, query):
    await services.store.change(lambda connection: connection.execute(query))


def file_of(tmp_path):
    return tmp_path / "tables.db"


# --- without a process: the application, its requests and sockets


class HungUpError(Exception):
    """The server closed a socket; *code* is the close code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Wire:
    """One socket of the application, without a real connection."""

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
    """A client of the application in this process, with an address."""

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
        """The hash under which the session is stored."""
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
        """Return the close code of the socket; check that no message precedes it."""
        with pytest.raises(HungUpError) as caught:
            raise AssertionError(f"told: {await self.hear()}")
        return caught.value.code


@contextlib.asynccontextmanager
async def served(url, **settings):
    """Run the application on a database; yield it."""
    rate_limits = RateLimits(requests=10**6, burst=10**6, tables=10**6, guests=10**6)
    settings = {"rate_limits": rate_limits, "operator": "operator"} | settings
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


async def outcomes(asked):
    found = await asyncio.gather(*asked, return_exceptions=True)
    return [type(one) for one in found]


class Watcher:
    """A spectator of a table who ignores all messages."""

    def __init__(self, player):
        self.player = player

    def show(self, dealer):
        pass

    lose = show


async def give(url, player, amount):
    """Credit a player in another process."""
    async with services_on(url) as services:
        lines = (Posting(BANK, -amount, "x"), Posting(player_account(player), amount, "x"))
        entry = Entry(chain=CAGE, kind="gift", body={}, postings=lines)
        await services.store.write(Unit(at=now(), entries=(entry,)))
