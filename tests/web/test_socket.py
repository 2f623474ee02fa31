"""The socket at a table: accepted and rejected messages, and a fuzzer for all others."""

import asyncio
import json
import random
import string

import pytest
from pydantic import TypeAdapter
from websockets.exceptions import InvalidStatus

from pitboss.backoffice.audit import audit
from pitboss.core.fairness import verify
from pitboss.web import messages
from tests.web.client import ConnectionClosed, RefusedError, new_key
from tests.web.servers import Server, get
from tests.web.test_security import company, rows

pytestmark = pytest.mark.xdist_group("web socket")

read_reply = TypeAdapter(messages.Reply).validate_json
MAIN = {"main": 500}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Return a server whose log must have no error at the end."""
    folder = tmp_path_factory.mktemp("socket")
    options = ("--requests", "1000000", "--bankroll", "100000")
    with (
        (folder / "log").open("w", encoding="utf-8") as log,
        Server(str(folder / "tables.db"), *options, log=log) as server,
    ):
        yield server
    assert (folder / "log").read_text("utf-8") == ""


async def closed(at):
    """Wait until the server closes the socket; return its code and the earlier messages."""
    said = []
    while True:
        try:
            said.append(json.loads(await asyncio.wait_for(at._socket.recv(), 15)))
        except ConnectionClosed as error:
            return error.rcvd.code, said


async def hear_all(at):
    """Receive messages until the error for an unreadable message."""
    while True:
        await at.hear()


async def answer_to(at, text):
    """Send a message and return the answer."""
    await at.send(text)
    return json.loads(await asyncio.wait_for(at._socket.recv(), 15))


# --- the protocol


def test_a_table_that_is_not_there(server):
    """Connecting to an unknown table gets an error, and the socket is closed."""

    async def run():
        async with company(server, "ann") as (ann,):
            with pytest.raises(RefusedError) as caught:
                await ann.at("nothing")
            assert caught.value.answer["error"] == "not_found"

    asyncio.run(run())


GOOD = {"v": 1, "id": "k", "do": "sit", "seat": 1, "client_seed": ""}


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "nonsense",
        "null",
        "[]",
        "1",
        '"sit"',
        "{}",
        '{"v": 1}',
        json.dumps(GOOD)[:-1],
        json.dumps(GOOD | {"v": 2}),
        json.dumps(GOOD | {"v": "1"}),
        json.dumps(GOOD | {"id": ""}),
        json.dumps(GOOD | {"id": "a b"}),
        json.dumps(GOOD | {"id": "x" * 65}),
        json.dumps(GOOD | {"id": 1}),
        json.dumps(GOOD | {"do": "stand"}),
        json.dumps(GOOD | {"do": None}),
        json.dumps(GOOD | {"seat": 0}),
        json.dumps(GOOD | {"seat": 10}),
        json.dumps(GOOD | {"seat": 1.0}),
        json.dumps(GOOD | {"seat": "1"}),
        json.dumps(GOOD | {"seat": True}),
        json.dumps(GOOD | {"seat": 10**400}),
        json.dumps(GOOD | {"client_seed": "a b"}),
        json.dumps(GOOD | {"client_seed": "x" * 65}),
        json.dumps(GOOD | {"client_seed": None}),
        json.dumps(GOOD | {"player": "somebody"}),
        "[" * 5000,
        b"\x00\x01",
        json.dumps(GOOD).encode(),
    ],
    ids=range(31),
)
def test_messages_that_are_not_understood(server, text):
    """An invalid message is rejected, and the socket stays open."""

    async def run():
        async with company(server, "ann") as (ann,):
            at = await ann.at(await ann.open_table("toss-one-21"))
            refusal = await answer_to(at, text)
            assert refusal["type"] == "error"
            assert refusal["error"] == "unreadable"
            assert refusal["id"] in {None, "k"}  # where the key could be read
            assert len(refusal["detail"]) < 300
            assert (await at.ask("ping"))["type"] == "pong"
            assert at.state["places"] == []

    asyncio.run(run())


def test_a_message_that_is_too_large(server):
    """A message over 64 KiB closes the socket, without effect on the table."""

    async def run():
        async with company(server, "ann") as (ann,):
            table = await ann.open_table("toss-one-21")
            at = await ann.at(table)
            await at.send(json.dumps(GOOD | {"client_seed": "x" * 70_000}))
            code, _ = await closed(at)
            assert code == 1009
            await (await ann.at(table)).ask("ping")

    asyncio.run(run())


def test_a_spectator_only_looks_on(server):
    """A client without an account sees the table and may ping, but nothing else."""

    async def run():
        async with company(server, "ann", "spectator") as (ann, eve):
            at = await eve.at(await ann.open_table("toss-one-21", seconds=600))
            assert at.state["you"] is None
            await at.ask("ping")
            for do, fields in valid_messages(random.Random(1), at.state):
                if do != "ping":
                    with pytest.raises(RefusedError, match="spectators cannot play"):
                        await at.ask(do, **fields)

    asyncio.run(run())


def test_states_come_without_asking(server):
    """Everybody at the table sees a player's action."""

    async def run():
        async with company(server, "ann", "bob") as (ann, bob):
            first = await ann.at(await ann.open_table("toss-one-21", seconds=600))
            second = await bob.at(first.table)
            await first.ask("sit", seat=3)
            state = await second.until(lambda s: s["places"])
            assert state["places"][0]["seat"] == 3
            assert not state["places"][0]["yours"]
            assert state["done"] == []

    asyncio.run(run())


def test_two_sockets_of_one_player(server):
    """Two sockets of one player show the same states."""

    async def run():
        async with company(server, "ann") as (ann,):
            one = await ann.at(await ann.open_table("toss-one-21"))
            two = await ann.at(one.table)
            await one.ask("sit", seat=1)
            await two.until(lambda s: s["places"])
            await two.bet(1, **MAIN)
            await one.until(lambda s: s["round"]["staked"])
            assert {**one.state, "done": []} == {**two.state, "done": []}

    asyncio.run(run())


# --- too much


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    """Return a server that allows five messages a second, fifteen at once, and four sockets."""
    path = tmp_path_factory.mktemp("narrow") / "tables.db"
    with Server(str(path), "--requests", "5", "--connections", "4") as server:
        yield server


def test_too_many_messages(narrow):
    """Messages above the rate are rejected, and finally the socket is closed."""

    async def run():
        async with company(narrow, "ann", "bob") as (ann, bob):
            table = await ann.open_table("toss-one-21", seconds=600)
            at, calm = await ann.at(table), await bob.at(table)
            for i in range(40):
                await at.send(GOOD | {"id": f"s{i}", "seat": 1 + i % 7})
            with pytest.raises(RefusedError, match="too_fast: too many messages"):
                await hear_all(at)
            for _ in range(300):
                await at.send(GOOD)
            code, _ = await closed(at)
            assert code == 1008
            await calm.ask("ping")
            chain = f"table:{table}"
            query = "SELECT count(*) FROM records WHERE chain = ? AND kind = 'sit'"
            ((sat,),) = rows(narrow, query, chain)
            assert sat <= 7

    asyncio.run(run())


def test_too_many_sockets(narrow):
    """Sockets per address are limited; closing one makes room."""

    async def run():
        async with company(narrow, "spectator", "ann") as (eve, ann):
            table = await ann.open_table("toss-one-21")
            open_ = [await eve.at(table) for _ in range(4)]
            with pytest.raises(InvalidStatus):
                await eve.at(table)
            await open_[0].close()
            while True:  # the server hears of it a moment later
                try:
                    await eve.at(table)
                except InvalidStatus:
                    continue
                break

    asyncio.run(run())


# --- the fuzzer

ODD = [
    *(0, 1, -1, 2, 9, 10, 10**15, 10**16, -(10**18), 2**63, 10**40, 0.5, 1e308, float("nan")),
    *(True, False, None, "", "x", "\x00", "\ud800", "💰" * 9, "x" * 300, [], {}, [[]], {"a": 1}),
    *("toss As", "hit", "set 8s8d Th", "insure 99999999999999", "insure -1", "split", "main"),
]


def valid_messages(chance, state):
    """Yield one valid request of each kind for this table."""
    seat, number = chance.randint(1, 7), state["round"]["number"]
    legal = [d for view in state["views"] for d in view["legal"]]
    word = chance.choice([*legal, "toss 2h", "stand"])
    yield "sit", {"seat": seat, "client_seed": chance.choice(["", "abc"])}
    yield "leave", {"seat": seat}
    yield "sit_out", {"seat": seat, "out": chance.random() < 0.5}
    yield "seed", {"seat": seat, "client_seed": "abc"}
    yield "bet", {"round": number, "seat": seat, "stakes": {"main": chance.choice([500, 1000])}}
    yield "take_back", {"round": number, "seat": seat}
    yield "deal", {"round": number}
    yield "decide", {"version": state["version"], "seat": seat, "decision": word}
    yield "ping", {}


def mutated(chance, message):
    """Return a message that is slightly or completely wrong."""
    for _ in range(chance.randint(0, 3)):
        key = chance.choice([*message, "more"])
        match chance.randrange(4):
            case 0:
                message.pop(key, None)
            case 1 | 2:
                message[key] = chance.choice(ODD)
            case 3:
                message[key] = {chance.choice(["main", "lucky3", "", "x"]): chance.choice(ODD)}
    return json.dumps(message)


def nonsense(chance):
    """Return random JSON, text or bytes."""
    match chance.randrange(5):
        case 0:
            return chance.randbytes(chance.randint(0, 60))
        case 1:
            return "".join(chance.choices(string.printable, k=chance.randint(0, 80)))
        case 2:
            return "".join(chr(chance.randrange(0xD800)) for _ in range(chance.randint(0, 40)))
        case 3:
            return json.dumps({f"k{i}": chance.choice(ODD) for i in range(chance.randint(0, 6))})
        case _:
            return json.dumps([chance.choice(ODD)] * chance.randint(0, 20))


def fuzzed(chance, state):
    """Return the next message of the fuzzer."""
    if chance.random() < 0.3:
        return nonsense(chance)
    do, fields = chance.choice(list(valid_messages(chance, state)))
    text = mutated(chance, {"v": 1, "id": new_key(), "do": do, **fields})
    if chance.random() < 0.1:
        cut = chance.randint(0, len(text))
        text = text[:cut] + chance.choice(["", "}", "\x00", '"']) + text[cut:]
    return text


async def attack(at, chance, count):
    """Send a number of messages; check that all answers are valid; return the error codes."""
    codes = set()
    while count > 0:
        batch = min(count, 40)
        for _ in range(batch):
            await at.send(fuzzed(chance, at.state))
        count -= batch
        key = new_key()
        await at.send({"v": 1, "id": key, "do": "ping"})
        while True:
            text = await asyncio.wait_for(at._socket.recv(), 30)
            message = json.loads(text)
            read_reply(text, strict=True)
            if message["type"] == "state":
                at.state = message
            elif message["type"] == "error":
                codes.add(message["error"])
            elif message["id"] == key:
                break
    return codes


async def waiting(guest, other, chance):
    """Return a guest's socket at a shared table where it must toss, and the other's socket."""
    while True:
        at = await guest.at(await guest.open_table("toss-one-21", seconds=600))
        with_ = await other.at(at.table)
        await at.ask("sit", seat=7)
        await with_.ask("sit", seat=6)
        await with_.bet(6, **MAIN)
        await at.bet(7, **MAIN)
        if at.number == 1 and at.open_decisions():
            return at, with_


async def fuzz(server, count, seed):
    """Attack a table from a seat, as a spectator and alone, while two bystanders play."""
    chance = random.Random(seed)
    names = ("calm", "busy", "fuzzer", "spectator", "alone")
    async with company(server, *names) as (calm, busy, fuzzer, eve, alone):
        at, enemy = await waiting(calm, fuzzer, chance)
        before = at.state
        own = await busy.at(await busy.open_table("roll-your-own"))
        await own.ask("sit", seat=1)
        sockets = [
            (enemy, count // 2),
            (await eve.at(at.table), count // 4),
            (await alone.at(await alone.open_table("toss-one-21")), count // 4),
        ]
        attacks = [asyncio.create_task(attack(s, chance, number)) for s, number in sockets]
        played = 0
        while not all(task.done() for task in attacks):
            await own.play_round(chance, bet=500)
            played += 1
        codes = set().union(*(await asyncio.gather(*attacks)))
        assert played > 0
        assert "internal" not in codes
        assert {"unreadable", "not_allowed", "not_yours"} <= codes
        await undisturbed(server, calm, at, before)


async def undisturbed(server, calm, at, before):
    """Check that the bystander's round is unchanged, and that it ends normally."""
    now = (await calm.at(at.table)).state
    for key in ("number", "commitment", "phase"):
        assert now["round"][key] == before["round"][key]
    assert now["round"]["staked"]["7"] == 500
    assert now["views"] == before["views"]
    assert now["you"] == before["you"]
    await at.until(lambda s: s["version"] == now["version"])
    await at.decide(at.open_decisions()[0][1], 7)
    if at.number == 1:  # the other seat is still to toss: only the clock decides for it
        await calm.post(
            f"/api/v1/operator/tables/{at.table}/void", {"reason": "over"}, **server.operator
        )
    record = await calm.get(f"/api/v1/tables/{at.table}/rounds/1")
    assert verify(record, promised=before["round"]["commitment"]).ok


def books_are_right(server):
    """Check that the server answers, its books add up, and the audit finds nothing."""
    assert get(f"{server.address}/health/ready")["ok"]
    sums = rows(server, "SELECT account, sum(amount) FROM ledger GROUP BY 1")
    assert sum(amount for _, amount in sums) == 0
    assert [s for s in sums if s[0].startswith(("player:", "felt:")) and s[1] < 0] == []
    assert rows(server, "SELECT 1 FROM ledger GROUP BY chain, seq HAVING sum(amount) != 0") == []
    found = asyncio.run(audit(server.database))
    assert found.findings == []
    assert found.records > 20


def test_the_fuzzer_breaks_nothing(server):
    """2,000 messages, most of them wrong, disturb nobody and leave the books right."""
    asyncio.run(fuzz(server, 2_000, 21))
    books_are_right(server)


@pytest.mark.long
def test_the_fuzzer_breaks_nothing_for_long(server):
    """The same with 100,000 messages."""
    for seed in range(10):
        asyncio.run(fuzz(server, 10_000, seed))
    books_are_right(server)


def test_the_fuzzer_says_all_there_is():
    """The server accepts many of the fuzzer's messages, of every kind."""
    chance = random.Random(5)
    view = {"legal": ["toss As"]}
    state = {"round": {"number": 1}, "version": 7, "views": [view]}
    understood = {}
    for _ in range(3_000):
        try:
            request = messages.read_request(fuzzed(chance, state))
        except ValueError:
            continue
        understood[request.do] = understood.get(request.do, 0) + 1
    assert len(understood) == 9
    assert min(understood.values()) > 20
    assert sum(understood.values()) < 2_000
