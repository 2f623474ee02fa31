"""The server is killed, starved and confused: nothing that was answered is lost, or done twice."""

import asyncio
import random

import pytest

from tests.web.client import new_key
from tests.web.gamblers import Crowd, Gambler, check_books, check_given, fixed_port
from tests.web.servers import Server

FAST = ("--lease", "1", "--requests", "10000", "--refills", "100000", "--bankroll", "40")


def server_of(database_url, *options):
    """Return a server that is not started yet, and keeps its port."""
    server = Server(database_url, *FAST, *options)
    server.port = fixed_port()
    return server


# --- killed


async def seated(address, chance):
    """Open tables of both games, and sit gamblers down: alone, at two seats, and together."""
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
    """Let gamblers play while the server is killed again and again; return them."""
    chance = random.Random(kills)
    server.start()
    gamblers = await seated(server.address, chance)
    over = asyncio.Event()
    playing = [asyncio.create_task(gambler.play(over)) for gambler in gamblers]
    try:
        for number in range(kills):
            if chance.random() < 0.8:  # else it is killed while it starts
                await all_found(gamblers, playing)
            await asyncio.sleep(chance.uniform(0, 0.3))
            server.kill()
            server.launch()
            if number % audit_every == 0:
                await asyncio.gather(asyncio.to_thread(server.wait), check_books(database_url))
        await all_found(gamblers, playing)
    finally:
        over.set()
        await asyncio.gather(*playing)
        await asyncio.gather(*(gambler.close() for gambler in gamblers))
    return gamblers


async def all_found(gamblers, playing):
    """Wait until each gambler has found its seat again and was answered."""
    found = asyncio.gather(*(gambler.found.wait() for gambler in gamblers))
    await asyncio.wait({found, *playing}, return_when=asyncio.FIRST_COMPLETED, timeout=30)
    for task in playing:
        if task.done():
            await task
    assert found.done(), [g.seen for g in gamblers if not g.found.is_set()]


def survive(database_url, kills, **options):
    async def run(server):
        gamblers = await play_under_fire(server, database_url, kills, **options)
        await check_books(database_url, gamblers)
        await check_given(database_url, gamblers)
        return gamblers

    server = server_of(database_url)
    try:
        gamblers = asyncio.run(run(server))
    finally:
        server.kill()
    for g in gamblers: print(g.game, g.seats, g.answers, g.rounds, g.returns, g.given, g.errors)
    assert all(gambler.rounds for gambler in gamblers)
    assert all(gambler.returns for gambler in gamblers)


def test_survives_kill(database_url):
    """Killed at any moment, it goes on where it stood: no bet, payment or refill lost or doubled."""
    survive(database_url, 5)


@pytest.mark.long
def test_survives_many_kills(database_url):
    """And 200 times in a row."""
    survive(database_url, 200, audit_every=20)


# --- players who go away


def test_who_asks_and_goes_finds_it_done(database_url):
    """A request whose player has gone is carried through: who comes back sees it, done once."""

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
