"""Several processes on one PostgreSQL, and a PostgreSQL that comes and goes."""

import asyncio
import contextlib
import random
import signal
from itertools import count

import httpx
import pytest
from sqlalchemy import func, select

from pitboss.web.schema import records, rounds
from tests.web.client import RefusedError, new_key
from tests.web.gamblers import Crowd, Gambler, check_books, check_given, fixed_port, rows
from tests.web.proxy import Wire
from tests.web.servers import Server

FAST = ("--requests", "10000", "--refills", "100000", "--bankroll", "40")


@pytest.fixture
def url(postgres):
    """Give an empty database of PostgreSQL."""
    made = postgres.create()
    yield made
    postgres.drop(made)


@contextlib.contextmanager
def two_servers(url, *options):
    """Start two processes at once on an empty database."""
    servers = [Server(url, *FAST, *options) for _ in "AB"]
    for server in servers:
        server.port = fixed_port()
        server.launch()
    try:
        for server in servers:
            server.wait()
        yield servers
    finally:
        for server in servers:
            if server.process.poll() is None:
                server.kill()


async def eventually(condition, timeout=30):
    """Wait until a condition holds, and return what it gives."""
    async with asyncio.timeout(timeout):
        while not (found := await condition()):
            await asyncio.sleep(0.05)
    return found


class Party(Crowd):
    """Two players at a shared table, in a round in which both must decide."""

    def __init__(self, address):
        super().__init__()
        self.address = address
        self.players, self.at = [], []
        self.table = None

    async def __aenter__(self):
        self.players = [await self.guest(self.address) for _ in range(2)]
        self.table = await self.players[0].open_table("toss-one-21", seconds=3)
        for seat, player in enumerate(self.players, 1):
            self.at.append(await self.sit(player, self.table, seat))
        await self._deal()
        return self

    async def _deal(self):
        """Bet, until a round is dealt in which nobody is bust at once."""
        for number in count(1):
            await self._reach(lambda s, n=number: s["round"]["number"] == n)
            for seat, at in enumerate(self.at, 1):
                await at.bet(seat, main=500)
            await self._reach(
                lambda s, n=number: s["round"]["number"] > n or s["round"]["phase"] != "betting"
            )
            asked = [at.open_decisions() for at in self.at]
            if all(asked):
                return
            for at, decisions in zip(self.at, asked, strict=True):
                if decisions:
                    await at.decide(decisions[0][1], decisions[0][0])

    async def _reach(self, condition):
        for at in self.at:
            await at.until(condition)

    @property
    def number(self):
        return self.at[0].number

    async def move(self, seat, address):
        """Go to another server and find everything as it was left."""
        player, before = self.players[seat - 1], self.at[seat - 1].state
        player.address = player.http.base_url = address
        at = self.at[seat - 1] = await self.watch(player, self.table)
        for part in ("views", "places", "you", "last"):
            assert at.state[part] == before[part]
        return at


async def kinds(url, table):
    """Return the kinds of a table's records, in their order."""
    query = select(records.c.kind).where(records.c.chain == f"table:{table}")
    return [row.kind for row in await rows(url, query.order_by(records.c.seq))]


async def taken_over(url, table):
    return "taken_over" in await kinds(url, table)


async def told_elsewhere(at):
    """Hear that a table is dealt elsewhere; return where."""
    with pytest.raises(RefusedError) as refused:
        while True:
            await at.hear()
    assert refused.value.answer["error"] == "elsewhere"
    return refused.value.answer["address"]


# --- a process that dies, freezes or stops


def test_another_process_takes_over(url):
    """A table whose process is killed in mid-round goes on elsewhere: timers, cards and bets."""

    async def run(a, b):
        async with Party(a.address) as party:
            with pytest.raises(RefusedError) as refused:
                await party.watch(await party.guest(b.address), party.table)
            assert refused.value.answer["error"] == "elsewhere"
            assert refused.value.answer["address"] == a.address
            number = party.number
            a.kill()
            await eventually(lambda: taken_over(url, party.table))  # by itself
            at = await party.move(1, b.address)
            decision = at.open_decisions()[0][1]
            await at.decide(decision)
            await at.until(lambda s: s["round"]["number"] > number)  # the timer tosses for seat 2
            record = await party.players[0].get(f"/api/v1/tables/{party.table}/rounds/{number}")
            assert [(made["seat"], made["by"]) for made in record["log"]] == [
                (1, "player"),
                (2, "timer"),
            ]
            assert record["log"][0]["decision"] == decision
        await check_books(url)

    with two_servers(url, "--lease", "1") as servers:
        asyncio.run(run(*servers))


def test_a_frozen_process_adds_nothing(url):
    """A process that wakes after its lease has gone adds nothing behind the new one's records."""

    async def run(a, b):
        async with Party(a.address) as party:
            one, number = party.at[0], party.number
            alone = await party.guest(a.address)
            solo = await party.sit(alone, await alone.open_table("roll-your-own"))
            seat, decision = one.open_decisions()[0]
            ask = {"version": one.state["version"], "seat": seat, "decision": decision}
            key = new_key()

            a.process.send_signal(signal.SIGSTOP)
            await one.send({"v": 1, "id": key, "do": "decide", **ask})  # nobody answers
            await eventually(lambda: taken_over(url, party.table))
            at = await party.move(1, b.address)
            await at.ask("decide", key=key, **ask)
            await at.until(lambda s: s["round"]["number"] > number)
            alone.address = b.address
            elsewhere = await party.watch(alone, solo.table)
            await elsewhere.bet(bet=500)

            a.process.send_signal(signal.SIGCONT)
            for waiting in (one, party.at[1], solo):
                assert await told_elsewhere(waiting) == b.address
            assert (await at.ask("ping"))["type"] == "pong"
            assert at.number == number + 1
        await check_books(url)
        kept = select(func.count()).where(records.c.key.endswith(key))
        assert [tuple(row) for row in await rows(url, kept)] == [(1,)]

    with two_servers(url, "--lease", "1") as servers:
        asyncio.run(run(*servers))


def test_a_stopped_process_hands_over(url):
    """A process that is stopped leaves its tables to the other at once, also those nobody looks at."""

    async def run(a, b):
        async with Party(a.address) as party, Party(a.address) as absent:
            number = party.number
            await asyncio.to_thread(a.stop)
            at = await party.move(1, b.address)
            await at.decide(at.open_decisions()[0][1])
            await at.until(lambda s: s["round"]["number"] > number)
            await eventually(lambda: finished(url, absent.table, absent.number))
        await check_books(url)

    with two_servers(url, "--lease", "4") as servers:
        asyncio.run(run(*servers))


async def finished(url, table, number):
    query = select(rounds).where(rounds.c.table_id == table, rounds.c.number == number)
    return await rows(url, query)


def test_processes_share_a_bankroll(url):
    """A player who bets at two processes at once cannot bet the same money twice."""

    async def run(a, b):
        async with Crowd() as crowd:
            guest = await crowd.guest(a.address)
            here = await crowd.sit(guest, await guest.open_table("toss-one-21"))
            other = await guest.open_table("toss-one-21")
            guest.address = b.address
            there = await crowd.sit(guest, other)
            for _ in range(20):
                both = [at.bet(main=2500) for at in (here, there)]
                answers = await asyncio.gather(*both, return_exceptions=True)
                refused = [a.answer["error"] for a in answers if isinstance(a, RefusedError)]
                assert refused == ["not_covered"]
                for at in (here, there):
                    if at.state["round"]["staked"]:
                        await at.ask("take_back", round=at.number, seat=1)
        await check_books(url)

    with two_servers(url) as servers:
        asyncio.run(run(*servers))


# --- a database that comes and goes


async def status(address, path):
    async with httpx.AsyncClient(base_url=address, timeout=30) as client:
        return (await client.get(path)).status_code


async def outage(url, wire, server, trouble):
    """Play through an outage of the database; return the gamblers."""
    chance = random.Random(1)
    gamblers = [
        await Gambler(server.address, chance, game).visit()
        for game in ("toss-one-21", "roll-your-own", "toss-one-21")
    ]
    gamblers[2].seats = (2,)
    for gambler, seconds in zip(gamblers, (3, None, None), strict=False):
        gambler.table = await gambler.guest.open_table(gambler.game, seconds=seconds)
    gamblers[2].table = gamblers[0].table
    gamblers[0].shares = gamblers[2].shares = True
    over = asyncio.Event()
    playing = [asyncio.create_task(gambler.play(over)) for gambler in gamblers]
    try:
        await asyncio.gather(*(gambler.found.wait() for gambler in gamblers))
        trouble()

        async def ready(code):
            return await status(server.address, "/health/ready") == code

        async def told():
            assert await status(server.address, "/health/live") == 200
            return all(gambler.errors["unavailable"] >= 5 for gambler in gamblers)

        await eventually(lambda: ready(503))
        await eventually(told)
        assert server.process.poll() is None
        wire.mend()
        await eventually(lambda: ready(200))
        for gambler in gamblers:
            gambler.found.clear()
        await asyncio.wait_for(asyncio.gather(*(g.found.wait() for g in gamblers)), 30)
    finally:
        over.set()
        await asyncio.gather(*playing)
        await asyncio.gather(*(gambler.close() for gambler in gamblers))
    await check_books(url, gamblers)
    await check_given(url, gamblers)


@pytest.mark.parametrize("trouble", ["cut", "go_dead"])
def test_the_database_goes_and_comes_back(url, trouble):
    """Without its database a server says so, stays up, and goes on where it stood."""

    async def run():
        async with Wire(url) as wire:
            server = Server(wire.url, *FAST, "--lease", "1")
            server.launch()
            await asyncio.to_thread(server.wait)
            try:
                await outage(url, wire, server, getattr(wire, trouble))
            finally:
                server.kill()

    asyncio.run(run())
