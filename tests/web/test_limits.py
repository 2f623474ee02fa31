"""Limits by address, and sessions: real servers, and clients at several loopback addresses."""

import asyncio
import contextlib
import json
import re
import sqlite3
import subprocess
import sys
import time

import httpx
import pytest

from pitboss.backoffice import events as event_reports
from pitboss.web import accounts, quotas, rate_limits
from pitboss.web.accounts import SignInError
from pitboss.web.quotas import BusyError, LockedError, Quota, TokenLockout, TooOftenError, Turns
from pitboss.web.rate_limits import RateLimits
from tests.web import servers
from tests.web.client import TLS, ConnectionClosed, Guest, RefusedError
from tests.web.in_process import Visitor, outcomes, play, services_on
from tests.web.servers import Server

FAST = ("--requests", "100000")
GOOD = "correct horse battery"
SIGNED_OUT = 4001


class Caller(Guest):
    """A client at its own loopback address."""

    def __init__(self, server, number):
        super().__init__(server.address)
        transport = httpx.AsyncHTTPTransport(local_address=f"127.0.0.{number}", verify=TLS)
        self.http = httpx.AsyncClient(base_url=server.address, timeout=30, transport=transport)

    async def log_in(self, name, password=GOOD):
        body = {"name": name, "password": password}
        return await self.http.post("/api/v1/login", json=body)

    async def keep(self):
        await self.post("/api/v1/me/password", {"password": GOOD})


@contextlib.asynccontextmanager
async def callers(server, *numbers):
    found = [Caller(server, number) for number in numbers]
    try:
        yield found
    finally:
        for caller in found:
            await caller.close()


@contextlib.contextmanager
def patched(program, database, *options, log=None):
    """Run a server with some of its settings changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers, "PROGRAM", f"{program}; {servers.PROGRAM}")
        server = Server(str(database), *FAST, *options, log=log)
        with server:
            yield server


def events(server, kind):
    url = f"{server.address}/api/v1/operator/events?kind={kind}"
    return servers.get(url, **server.operator)["rows"]


# --- log-ins


def test_nobody_locks_another_person_out(database_url):
    """Wrong passwords from many addresses slow these down; the owner gets in at a new address."""

    async def run(server):
        async with callers(server, 2, *range(10, 16), 20, 21) as found:
            ann, *attackers, traveler, stranger = found
            await ann.visit("ann")
            await ann.keep()
            statuses = [
                (await attacker.log_in("ann", f"wrong {turn}")).status_code
                for attacker in attackers
                for turn in range(4)
            ]
            first, *others = [statuses[at : at + 4] for at in range(0, len(statuses), 4)]
            assert first == [401, 401, 401, 429]
            assert others == [[401, 429, 429, 429]] * 5  # one attempt each, then a wait
            locked = await attackers[0].log_in("ann")
            assert locked.json()["error"] == "locked"
            assert 1700 < int(locked.headers["retry-after"]) <= 1800
            slow = await attackers[1].log_in("ann")
            assert slow.json()["error"] == "locked"
            assert 1 <= int(slow.headers["retry-after"]) <= 60
            assert "try again in" in slow.json()["detail"]
            assert (await stranger.log_in("ann")).status_code == 200  # it may be the owner
            traveler.http.cookies.update(ann.http.cookies)  # the session goes along
            assert (await traveler.log_in("ann")).status_code == 200
            ann.http.cookies.clear()
            assert (await ann.log_in("ann")).status_code == 200

    with Server(database_url, *FAST) as server:
        asyncio.run(run(server))
        assert len(events(server, "login_failed")) == 8
        assert len(events(server, "locked")) == 1


def test_a_success_forgives_only_its_own_address(tmp_path):
    """The owner's log-in gives attackers at other addresses no new attempts."""

    async def run(server):
        async with callers(server, 2, 3) as (ann, eve):
            await ann.visit("ann")
            await ann.keep()
            for turn in range(3):
                await eve.log_in("ann", f"wrong {turn}")
            assert (await ann.log_in("ann")).status_code == 200
            assert (await eve.log_in("ann")).status_code == 429

    with Server(str(tmp_path / "t.db"), *FAST) as server:
        asyncio.run(run(server))


def test_strangers_wait_longer_each_time():
    """After the third failure of a day, the wait after one's own last failure doubles."""

    def wait(number, own, near=(), *, is_trusted=False):
        return accounts._locked_until(number, [*own], [*near], is_trusted=is_trusted)

    assert [wait(number, [5]) for number in range(1, 6)] == [0, 0, 10_005, 20_005, 40_005]
    assert wait(50, [5]) == 60_005
    assert wait(50, []) == 0  # the stranger may be the owner, at a new address
    assert wait(50, [5], is_trusted=True) == 0
    assert wait(50, [], range(16)) == 60_015  # one attacker may have the whole network
    assert wait(50, [], range(15)) == 0


def test_networks_of_one_customer():
    """An IPv6 customer may have a /48, so its addresses are counted together."""
    found = ["192.0.2.1", "2001:db8:5:1::/64", "2001:db8:5:ff::/64", "local", "no:address"]

    assert [accounts._network(one) for one in found] == [
        "192.0.2.1",
        *["2001:db8:5::/48"] * 2,
        "local",
        "no:address",
    ]


def test_an_address_is_not_forgotten_among_many(database_url):
    """However many others fail in between, an address has only its own three attempts."""

    async def run():
        async with services_on(database_url) as services:
            await services.accounts.guest("ann")
            others = [f"198.51.100.{n}" for n in range(accounts.MOST_FAILURES_READ + 1)]
            for address in (*["192.0.2.1"] * 3, *others):
                await services.accounts._note_failure("ann", "ann", address)
            return await outcomes(
                services.accounts.log_in("ann", "wrong password", address)
                for address in ("192.0.2.1", "203.0.113.9")
            )

    assert asyncio.run(run()) == [LockedError, SignInError]


SLOW = "import time, pitboss.web.accounts as a; a._matches = lambda *_: time.sleep(0.3)"


@pytest.mark.long
def test_two_addresses_cannot_fill_the_login_queue(tmp_path):
    """While two addresses send as many log-ins as they can, a third is still served in turn."""

    async def run(server):
        async with callers(server, 2, 3, 4) as (eve, mallory, ann):
            flood = [
                asyncio.create_task(who.log_in(f"name {turn}"))
                for turn in range(40)
                for who in (eve, mallory)
            ]
            await asyncio.sleep(1)
            start = time.monotonic()
            answer = await ann.log_in("ann")
            waited = time.monotonic() - start
            return answer, waited, [(await one).status_code for one in flood]

    with patched(SLOW, tmp_path / "t.db") as server:
        answer, waited, flooded = asyncio.run(run(server))

    assert answer.status_code == 401  # it was tried
    assert waited < 3  # all that were waiting would have taken longer
    assert set(flooded) == {401, 429}


def test_turns_go_around_the_addresses():
    """Addresses are served in turn, however many requests wait; canceled requests are skipped."""

    async def run():
        turns, served = Turns(1, 8), []

        async def ask(address):
            async with turns.turn(address):
                served.append(address)
                await asyncio.sleep(0)

        async with turns.turn("first"):
            asked = [asyncio.create_task(ask(name)) for name in "aaaabbcd"]
            await asyncio.sleep(0)
            asked[1].cancel()
            ended = await asyncio.wait({asked[1]})
            assert ended[0].pop().cancelled()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert turns._free == 1
        assert not turns._waiting
        return served, [type(one) for one in found if isinstance(one, Exception)]

    served, refused = asyncio.run(run())

    assert served == ["a", "b", "c", "d", "b", "a"]
    assert refused == [TooOftenError]


def test_a_full_queue_makes_room_for_a_newcomer():
    """An address gets half of the free places, at least two; a newcomer replaces one of many."""

    async def run():
        turns = Turns(1, 8)
        async with turns.turn("first"):
            asked = [asyncio.create_task(turns._wait(name)) for name in "aaaaaabbbbccccde"]
            await asyncio.sleep(0.01)
            refused = {name: [] for name in "abcde"}
            for name, task in zip("aaaaaabbbbccccde", asked, strict=True):
                if task.done():
                    refused[name].append(type(task.exception()))
                else:
                    task.cancel()
            return refused

    refused = asyncio.run(run())

    assert refused["a"] == [BusyError] + [TooOftenError] * 3
    assert refused["b"] == [TooOftenError] * 2
    assert refused["c"] == [TooOftenError] * 2
    assert (refused["d"], refused["e"]) == ([], [])


def test_a_queue_of_many_addresses_is_full():
    """An address with a single request is not replaced, and a refusal keeps the counts right."""

    async def run():
        turns = Turns(1, 4)

        async def ask(address):
            async with turns.turn(address):
                pass

        async with turns.turn("first"):
            asked = [asyncio.create_task(ask(name)) for name in "abcde"]
            await asyncio.sleep(0.01)
            assert [type(one.exception()) for one in asked if one.done()] == [BusyError]
            assert turns._waiting == 4
        await asyncio.wait_for(asyncio.gather(*asked[:4]), 10)
        return turns._free, turns._waiting

    assert asyncio.run(run()) == (1, 0)


def test_failed_log_ins_have_a_quota_per_address(tmp_path, monkeypatch):
    """An address that tries many names is refused after a while; other addresses are not."""
    monkeypatch.setattr(accounts, "MOST_FAILURES_PER_ADDRESS", 30)

    @play(f"sqlite+aiosqlite:///{tmp_path}/t.db")
    async def _(app):
        async def status(address, turn):
            body = {"name": f"name {turn}", "password": "a wrong password"}
            return (await Visitor(app, address).http.post("/api/v1/login", json=body)).status_code

        assert [await status("192.0.2.1", turn) for turn in range(5)] == [401] * 3 + [429] * 2
        assert await status("192.0.2.2", 9) == 401
        services = app.state.services
        kinds = [row["kind"] for row in (await event_reports.events(services.store))["rows"]]
        assert kinds.count("login_failed") == 4


# --- quotas


def test_new_tables_have_a_quota_per_address(tmp_path):
    """After its quota an address is told when to try again; other addresses are not affected."""

    async def run(server):
        async with callers(server, 2, 2, 3) as (ann, bob, cat):
            for guest in (ann, bob, cat):
                await guest.visit()
            for guest in (ann, ann, bob):
                await guest.open_table("toss-one-21")
            body = {"game": "toss-one-21"}
            for guest in (ann, bob):
                answer = await guest.http.post("/api/v1/tables", json=body)
                assert answer.status_code == 429
                assert answer.json()["error"] == "too_often"
                assert "(at most 30 a day): try again in 48 minutes" in answer.json()["detail"]
                assert 2800 < int(answer.headers["retry-after"]) <= 2880
            await cat.open_table("toss-one-21")

    with Server(str(tmp_path / "t.db"), *FAST, "--tables", "30") as server:
        asyncio.run(run(server))


def test_a_repeated_request_takes_nothing_from_the_quota(tmp_path):
    """Repeating a request for a table with the same key returns the same table."""

    async def run(server):
        async with callers(server, 2) as (ann,):
            await ann.visit()
            body, key = {"game": "toss-one-21"}, {"Idempotency-Key": "k"}
            made = [await ann.post("/api/v1/tables", body, **key) for _ in range(5)]
            assert len({table["id"] for table in made}) == 1

    with Server(str(tmp_path / "t.db"), *FAST, "--tables", "10") as server:
        asyncio.run(run(server))


def test_new_guests_have_a_quota_per_address(tmp_path):
    """New guests have their own quota; existing guests are not affected."""

    async def run(server):
        async with callers(server, 2, 3) as (ann, bob):
            await ann.visit()
            await ann.visit()
            with pytest.raises(RefusedError, match="too_often: too many new guest accounts"):
                await ann.visit()
            await ann.get("/api/v1/me")
            await bob.visit()

    with Server(str(tmp_path / "t.db"), *FAST, "--guests", "20") as server:
        asyncio.run(run(server))


def test_a_failed_request_takes_nothing_from_the_quota(tmp_path):
    """A name that is taken does not count as a new guest."""

    @play(
        f"sqlite+aiosqlite:///{tmp_path}/t.db",
        rate_limits=RateLimits(guests=20, requests=1000, burst=1000),
    )
    async def _(app):
        async def status(name):
            body = {"name": name}
            return (await Visitor(app).http.post("/api/v1/guest", json=body)).status_code

        assert await status("ann") == 201
        assert [await status("ann") for _ in range(9)] == [422] * 9
        assert [await status(name) for name in ("bob", "cyd")] == [201, 429]


def test_quotas_fill_up_in_a_day_and_in_bounded_memory(monkeypatch):
    """A tenth may be used at once; the addresses that were idle longest are forgotten."""
    clock = [0.0]
    monkeypatch.setattr(quotas.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(rate_limits, "MOST_ADDRESSES", 100)
    quota, taken = Quota(240, "tables"), 0
    for _ in range(24 * 60):
        with contextlib.suppress(TooOftenError):
            while True:
                quota.take("busy")
                taken += 1
        clock[0] += 60
    assert 240 <= taken <= 240 * 1.1
    for number in range(1000):
        quota.take(f"{number}")
    assert len(quota._buckets) == 100


# --- the operator's token


def test_wrong_operator_tokens_lock_an_address(tmp_path):
    """After five wrong tokens an address must wait, even with the right one; others need not."""

    async def run(server):
        async with callers(server, 2, 3) as (eve, operator):

            async def ask(who, token):
                headers = {"Authorization": f"Bearer {token}"}
                return await who.http.get("/api/v1/operator/gaming", headers=headers)

            for turn in range(5):
                assert (await ask(eve, f"wrong {turn}")).status_code == 401
            for token in ["wrong"] * 20 + [server.token]:
                answer = await ask(eve, token)
                assert answer.status_code == 429
                assert answer.json()["error"] == "locked"
                assert 1 <= int(answer.headers["retry-after"]) <= 30
            assert (await eve.http.get("/api/v1/operator/gaming")).status_code == 401
            assert (await ask(operator, server.token)).status_code == 200

    with Server(str(tmp_path / "t.db"), *FAST) as server:
        asyncio.run(run(server))
        assert len(events(server, "operator_refused")) == 5
        assert len(events(server, "operator_locked")) == 1


@pytest.mark.long
def test_the_wait_grows_and_its_end_is_recorded(tmp_path):
    """Each further wrong token doubles the wait; the right token ends it and records the count."""

    async def run(server):
        async with callers(server, 2) as (eve,):
            path, told = "/api/v1/operator/gaming", []
            while len(told) < 3:
                answer = await eve.http.get(path, headers={"Authorization": "Bearer wrong"})
                if answer.status_code == 429:
                    await asyncio.sleep(0.1)
                else:
                    told.append(answer)
            asked = {"url": path, "headers": server.operator}
            while (await eve.http.get(**asked)).status_code == 429:  # noqa: ASYNC110
                await asyncio.sleep(0.1)

    quick = "import pitboss.web.quotas as q; q.FREE_GUESSES = 1; q.FIRST_WAIT_S = 0.5"
    quick += "; import pitboss.web.services as r; r.FREE_GUESSES = 1"
    with patched(quick, tmp_path / "t.db") as server:
        asyncio.run(run(server))
        (ended,) = events(server, "operator_unlocked")
        assert len(events(server, "operator_refused")) == 1

    assert ended["facts"]["address"] == "127.0.0.2"
    assert ended["facts"]["refused"] > 2


def test_an_address_that_stops_guessing_is_forgotten(monkeypatch):
    """Waits double up to an hour; an hour after the last, the address is free again."""
    clock = [0.0]
    monkeypatch.setattr(quotas.time, "monotonic", lambda: clock[0])
    lockout, waits = TokenLockout(), []
    for _ in range(16):
        lockout.fail("a")
        with contextlib.suppress(LockedError):
            lockout.check("a")
            waits.append(0)
            continue
        with pytest.raises(LockedError) as caught:
            lockout.check("a")
        waits.append(caught.value.wait_s)
        clock[0] += caught.value.wait_s
    assert waits[:8] == [0, 0, 0, 0, 30, 60, 120, 240]
    assert waits[-1] == 3600
    assert lockout.quiet() == []
    clock[0] += 3601
    assert lockout.quiet() == ["a"]
    assert lockout.forgive("a") == 11 + 2 * 12
    assert lockout.quiet() == []


def test_old_mistakes_do_not_count(monkeypatch):
    """A few wrong tokens are forgotten after an hour."""
    clock = [1e6]
    monkeypatch.setattr(quotas.time, "monotonic", lambda: clock[0])
    lockout = TokenLockout()
    for _ in range(4):
        lockout.fail("a")
    clock[0] += 3601
    assert lockout.fail("a") == 1


# --- sessions


async def is_closed(at, within=10):
    """Return after how many seconds a socket was closed because its session had ended."""
    start = time.monotonic()
    with pytest.raises(ConnectionClosed) as caught:  # noqa: PT012  whichever message is the last
        while True:
            await at.hear(within)
    assert caught.value.rcvd.code == SIGNED_OUT
    return time.monotonic() - start


def test_signing_in_ends_the_session_that_the_browser_had(database_url):
    """After a log-in or a new guest visit the old cookie is invalid, and its socket closes."""

    async def run(server):
        async with callers(server, 2, 3) as (ann, phone):
            await phone.visit("ann")
            await phone.keep()
            await ann.visit()
            for again in ("/api/v1/login", "/api/v1/guest"):
                at = await ann.watch(await ann.open_table("toss-one-21"))
                old = dict(ann.http.cookies)
                body = {"name": "ann", "password": GOOD} if "login" in again else {}
                await ann.post(again, body)
                await is_closed(at)
                stranger = Caller(server, 2)
                stranger.http.cookies.update(old)
                with pytest.raises(RefusedError, match="not_signed_in"):
                    await stranger.get("/api/v1/me")
                await stranger.close()
                await ann.get("/api/v1/me")
            await phone.get("/api/v1/me")  # the same account in another browser stays

    with Server(database_url, *FAST) as server:
        asyncio.run(run(server))


def test_logging_out_everywhere_ends_all_sessions(database_url):
    """Every browser of the account is signed out at once and its sockets close; others stay."""

    async def run(server):
        async with callers(server, 2, 3, 4, 5) as (ann, phone, laptop, bob):
            await ann.visit("ann")
            await ann.keep()
            await bob.visit()
            for device in (phone, laptop):
                assert (await device.log_in("ann")).status_code == 200
            table = await ann.open_table("toss-one-21", seconds=600)
            sockets = [await device.watch(table) for device in (ann, phone, laptop)]
            await phone.post("/api/v1/logout-everywhere")
            assert not phone.http.cookies
            for at in sockets:
                await is_closed(at)
            for device in (ann, phone, laptop):
                with pytest.raises(RefusedError, match="not_signed_in"):
                    await device.get("/api/v1/me")
            await bob.get("/api/v1/me")
            assert (await ann.log_in("ann")).status_code == 200

    with Server(database_url, *FAST) as server:
        asyncio.run(run(server))


def test_a_socket_closes_when_its_session_runs_out(database_url):
    """An idle socket is closed when its session expires, not at the next check a minute later."""

    async def run(server):
        async with callers(server, 2) as (ann,):
            await ann.visit()
            at = await ann.watch(await ann.open_table("toss-one-21"))
            await asyncio.sleep(0.5)
            await at.ask("sit", seat=1)
            return await is_closed(at)

    short = "import pitboss.web.accounts as a; a.IDLE_MS = 1500; import pitboss.web.services as r"
    with patched(f"{short}; r.WRITE_ACTIVITY_S = 0.1", database_url) as server:
        waited = asyncio.run(run(server))

    assert 1.2 < waited < 8


def test_a_socket_closes_after_the_longest_session(tmp_path):
    """A socket is closed when its session is 30 days old, however active the player is."""

    async def run(server):
        async with callers(server, 2) as (ann,):
            await ann.visit()
            at = await ann.watch(await ann.open_table("toss-one-21"))
            start = time.monotonic()
            with pytest.raises((ConnectionClosed, RefusedError)):  # noqa: PT012
                while time.monotonic() - start < 10:
                    await at.ask("sit", seat=1, key="k")
                    await asyncio.sleep(0.05)
            return time.monotonic() - start

    with patched(
        "import pitboss.web.accounts as a; a.LONGEST_SESSION_MS = 1500", tmp_path / "t.db"
    ) as server:
        assert 0.5 < asyncio.run(run(server)) < 8


@pytest.mark.long
def test_activity_in_the_first_minute_counts(database_url):
    """A session lasts from the player's last activity, even if it came soon after the first."""

    async def run(server):
        async with callers(server, 2) as (ann,):
            await ann.visit()
            for _ in range(4):
                await asyncio.sleep(0.8)
                await ann.get("/api/v1/me")
            await asyncio.sleep(2.5)
            with pytest.raises(RefusedError, match="not_signed_in"):
                await ann.get("/api/v1/me")

    short = "import pitboss.web.accounts as a; a.IDLE_MS = 2000; import pitboss.web.services as r"
    with patched(f"{short}; r.WRITE_ACTIVITY_S = 0.1", database_url) as server:
        asyncio.run(run(server))


def test_expired_sessions_are_deleted_without_a_daily_restart(tmp_path):
    """Expired sessions are deleted at the start, and then every hour."""

    async def run(server):
        async with callers(server, 2) as (ann,):
            await ann.visit()

    database = tmp_path / "t.db"
    with Server(str(database), *FAST) as server:
        asyncio.run(run(server))
        servers.eventually(lambda: _count(database, "sessions") == 1)
        server.stop()
    with patched("import pitboss.web.accounts as a; a.IDLE_MS = 1", database):
        servers.eventually(lambda: _count(database, "sessions") == 0)


def _count(database, table):
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608


# --- secrets


@pytest.mark.parametrize("given", [["--operator-token", "very-secret"], []])
@pytest.mark.parametrize("as_json", [["--json"], []])
def test_a_token_that_was_given_is_not_printed(tmp_path, given, as_json):
    """Only a token that the server created itself is shown, in text and in JSON."""
    command = [sys.executable, "-c", servers.PROGRAM, "serve", "--port", "0", *given, *as_json]
    process = subprocess.Popen(
        [*command, "--database", str(tmp_path / "t.db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    lines = [process.stdout.readline() for _ in range(1 if as_json else 3)]
    process.send_signal(2)
    rest, log = process.communicate(timeout=30)

    assert "very-secret" not in "".join(lines) + rest + log
    if as_json:
        token = json.loads(lines[0])["operator_token"]
        assert (token is None) == bool(given)
    else:
        assert ("the one you set" in lines[1]) == bool(given)


def test_no_link_of_a_private_table_is_logged(tmp_path):
    """Takeovers and failures are logged without table ids, and failed requests by route."""

    async def open_and_fail(server):
        async with callers(server, 2) as (ann,):
            await ann.visit()
            table = await ann.open_table("toss-one-21", private=True, seconds=600)
            at = await ann.sit(table)
            await at.bet(main=500)
            await at.close()
            failed = await ann.http.get(f"/api/v1/tables/{table}/rules")
            assert failed.status_code == 500
            return table

    fails = "import pitboss.web.routes.tables as a; from pitboss.tables.chain import table_chain"
    fails += "\ndef fail(game, rules): raise KeyError('table:' + seen[0])\n"
    fails += "seen = []; find = a.find_table\n"
    fails += "async def spy(store, table):\n    seen.insert(0, table)\n"
    fails += "    return await find(store, table)\n"
    fails += "a.find_table = spy; a.in_force = fail"
    path = tmp_path / "log"
    with path.open("w", encoding="utf-8") as log:
        options = ("--log-level", "debug", "--lease", "1")
        with patched(fails, tmp_path / "t.db", *options, log=log) as server:
            table = asyncio.run(open_and_fail(server))
            server.kill()
            server.launch()
            server.wait()
            servers.eventually(lambda: "took over table" in path.read_text("utf-8"))
    text = path.read_text("utf-8")

    assert "GET /api/v1/tables/{table}/rules failed" in text
    assert table not in text
    assert re.search(r"took over table [0-9a-f]{10}\"", text)
