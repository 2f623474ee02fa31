"""Several processes on one PostgreSQL server, and a server with outages."""

import asyncio
import contextlib
import random
import signal
import time

import httpx
import pytest
from sqlalchemy import func, select, text

from pitboss.ledger.schema import records, rounds
from tests.web.client import RefusedError, new_key
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
    """Start two processes at the same time on an empty database."""
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
            server.kill()


async def kinds(url, table):
    """Return the kinds of a table's records, in order."""
    query = select(records.c.kind).where(records.c.chain == f"table:{table}")
    return [row.kind for row in await rows(url, query.order_by(records.c.seq))]


async def times_kept(url, key):
    ((times,),) = await rows(url, select(func.count()).where(records.c.key.contains(key)))
    return times


async def taken_over(url, table):
    return "taken_over" in await kinds(url, table)


async def told_elsewhere(at):
    """Receive the notice that a table is dealt elsewhere; return the address."""
    with pytest.raises(RefusedError) as refused:
        await at.until(lambda _: False)
    assert refused.value.answer["error"] == "elsewhere"
    return refused.value.answer["address"]


# --- a process that dies, freezes or stops


def test_another_process_takes_over(url):
    """If a process is killed in mid-round, another continues its table: timers, cards and bets."""

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
            headers = {"Authorization": "Bearer operator"}
            metrics = await party.players[0].http.get(f"{b.address}/metrics", headers=headers)
            assert "pitboss_takeovers_total 1.0" in metrics.text
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


@pytest.mark.long
def test_a_frozen_process_adds_nothing(url):
    """A process that wakes after its lease ended cannot append to the chain of the new owner."""

    async def run(a, b):
        async with Party(a.address) as party:
            one, number = party.at[0], party.number
            alone = await party.guest(a.address)
            solo = await party.sit(alone, await alone.open_table("roll-your-own"))
            seat, decision = one.open_decisions()[0]
            ask = {"version": one.state["version"], "seat": seat, "decision": decision}
            key, late = new_key(), new_key()

            a.process.send_signal(signal.SIGSTOP)
            await one.send({"v": 1, "id": key, "do": "decide", **ask})  # nobody answers
            seed = {"do": "seed", "seat": 1, "client_seed": "late"}
            await solo.send({"v": 1, "id": late, **seed})
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
        assert await times_kept(url, key) == 1
        assert await times_kept(url, late) == 0

    with two_servers(url, "--lease", "1") as servers:
        asyncio.run(run(*servers))


SLOW_FUNCTION = text(
    "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
    " 'BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END'"
)
SLOW_TRIGGER = (
    "CREATE TRIGGER slow BEFORE INSERT ON records FOR EACH ROW"
    " WHEN (NEW.kind IN ('seed', 'bet') AND NEW.chain IN ('table:{}', 'table:{}'))"
    " EXECUTE FUNCTION slow()"
)
SLEEPING = text("SELECT xact_start FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
CAGE_OF = text(
    "SELECT chain FROM records WHERE kind = 'table_opened'"
    " AND body LIKE '%\"table\":\"' || :table || '\"%'"
)
ANY_FREE = text(
    "SELECT name FROM chains WHERE name IN (:table, :cage) FOR NO KEY UPDATE SKIP LOCKED"
)


async def stop_in_a_transaction(url, server, crowd, other):
    """Stop a server while it commits a bet together with a new guest; return that player's table.

    Sets a seed at the *other* table, whose commit is slow, so that both wait for the next one.
    """
    player = await crowd.guest(server.address)
    at = await crowd.sit(player, await player.open_table("toss-one-21", seconds=60))
    trigger = SLOW_TRIGGER.format(other.table, at.table)
    await change(url, SLOW_FUNCTION, text(trigger))
    await other.send({"v": 1, "id": new_key(), "do": "seed", "seat": 1, "client_seed": "slow"})
    ((first,),) = await eventually(lambda: rows(url, SLEEPING))
    bet = {"do": "bet", "round": at.number, "seat": 1, "stakes": {"main": 500}}
    await at.send({"v": 1, "id": new_key(), **bet})
    coming = asyncio.create_task(crowd.guest(server.address))
    crowd.callback(coming.cancel)

    async def is_next():
        return [row for row in await rows(url, SLEEPING) if row.xact_start > first]

    await eventually(is_next)
    server.process.send_signal(signal.SIGSTOP)
    return at


def test_a_process_that_stops_in_a_transaction_blocks_nobody(url):
    """A process stopped in a transaction blocks nobody; others get its tables after the lease."""
    lease = 2

    async def run(a, b):
        async with Party(a.address, seconds=60) as party, Crowd() as crowd:
            guest = await crowd.guest(b.address)
            there = await crowd.sit(guest, await guest.open_table("toss-one-21"))
            held = await stop_in_a_transaction(url, a, crowd, party.at[0])
            stopped = time.monotonic()
            ((cage,),) = await rows(url, CAGE_OF, table=held.table)
            assert not await rows(url, ANY_FREE, table=f"table:{held.table}", cage=cage)
            while not all([await taken_over(url, t) for t in (party.table, held.table)]):
                await crowd.guest(b.address)
                await there.play_round(main=500)
                assert await status(b.address, "/health/ready") == 200
                assert time.monotonic() - stopped < lease + 2
            player = held.guest
            player.address = player.http.base_url = b.address
            at = await crowd.watch(player, held.table)
            assert at.state["you"]["balance"] == 4000  # the bet was never made
            await at.bet(main=500)
            a.process.send_signal(signal.SIGCONT)
            assert await told_elsewhere(party.at[1]) == b.address
        await check_books(url)

    with two_servers(url, "--lease", str(lease)) as servers:
        asyncio.run(run(*servers))


@pytest.mark.long
def test_a_stopped_process_hands_over(url):
    """A stopped process hands all its tables over, even those without sockets."""

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


async def outage(wire, server, trouble):
    """Play through an outage of the database, at a solo table and at a shared one."""
    alone, *party = [
        await Gambler(server.address, random.Random(seat), game, (seat,)).visit()
        for seat, game in enumerate(("roll-your-own", "toss-one-21", "toss-one-21"), 1)
    ]
    gamblers = [alone, *party]
    alone.table = await alone.guest.open_table(alone.game)
    shared = await alone.guest.open_table(party[0].game, seconds=3)
    for gambler in party:
        gambler.table, gambler.shares = shared, True
    over = asyncio.Event()
    playing = [asyncio.create_task(gambler.play(over)) for gambler in gamblers]

    async def ready(code):
        return await status(server.address, "/health/ready") == code

    async def told():
        """Return whether every request was rejected; at a shared table not everyone has to ask."""
        assert await status(server.address, "/health/live") == 200
        refused = [gambler.errors["unavailable"] for gambler in gamblers]
        return refused[0] and sum(refused[1:])

    try:
        await asyncio.gather(*(gambler.found.wait() for gambler in gamblers))
        trouble()
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
    return gamblers


@pytest.mark.parametrize("trouble", ["cut", pytest.param("go_dead", marks=pytest.mark.long)])
def test_the_database_goes_and_comes_back(url, trouble):
    """Without its database a server reports the outage, stays up, and then continues."""

    async def run():
        async with Wire(url) as wire:
            server = Server(wire.url, *FAST, "--lease", "1")
            server.launch()
            try:
                await asyncio.to_thread(server.wait)
                gamblers = await outage(wire, server, getattr(wire, trouble))
            finally:
                server.kill()
        await check_books(url, gamblers)
        await check_given(url, gamblers)

    asyncio.run(run())


@pytest.mark.long
def test_a_long_outage(url):
    """A server whose database was unavailable for many leases takes up its tables again."""

    async def run():
        async with Wire(url) as wire, Crowd() as crowd:
            server = Server(wire.url, *FAST, "--lease", "0.5")
            server.launch()
            try:
                await asyncio.to_thread(server.wait)
                party = await crowd.enter_async_context(Party(server.address))
                number = party.number
                wire.cut()
                await asyncio.sleep(3)  # six leases
                assert await status(server.address, "/health/live") == 200
                assert await status(server.address, "/health/ready") == 503
                wire.mend()
                for at in party.at:  # the timers toss for both
                    await at.until(lambda s: s["round"]["number"] > number)
            finally:
                server.kill()
        await check_books(url)

    asyncio.run(run())


@pytest.mark.long
@pytest.mark.parametrize("trouble", ["cut", "go_dead"])
def test_stops_without_its_database(url, trouble):
    """A server whose database is gone can still be stopped."""

    async def run():
        async with Wire(url) as wire:
            server = Server(wire.url, *FAST)
            server.launch()
            try:
                await asyncio.to_thread(server.wait)
                async with Party(server.address):
                    getattr(wire, trouble)()
                    await asyncio.to_thread(server.stop)
            finally:
                server.kill()
        await check_books(url)

    asyncio.run(run())
