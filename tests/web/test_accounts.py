"""Accounts: sessions expire, names are unique, passwords stay secret, refills are counted."""

import asyncio
import hashlib
import random
import sqlite3
import time

import pytest
from sqlalchemy import func, select

from pitboss.core.errors import RuleError
from pitboss.ledger.schema import ledger
from pitboss.ledger.store import Store
from pitboss.web.accounts import Accounts, Bankroll
from tests.web import servers
from tests.web.client import ConnectionClosed, Guest, RefusedError
from tests.web.servers import Server, eventually
from tests.web.test_security import company, rows

pytestmark = pytest.mark.xdist_group("web accounts")

MINUTE = 60_000
DAY = 24 * 60 * MINUTE
QUICK_TO_CHECK = "import pitboss.web.socket as s; s.MINUTE = 50; " + servers.PROGRAM
"""A server that looks at the session of a socket many times a second, not once a minute."""

OPTIONS = ("--requests", "100000", "--bankroll", "30", "--refills", "2")
GOOD = "correct horse battery"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("accounts") / "tables.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers, "PROGRAM", QUICK_TO_CHECK)
        running = Server(str(path), *OPTIONS).start()
    with running_until_the_end(running):
        yield running


def running_until_the_end(server):
    """Return a context that stops a running server at its end."""
    server.start = lambda: server
    return server


def play(server, *names):
    """Run an asynchronous test with several guests."""

    def decorate(test):
        async def run():
            async with company(server, *names) as guests:
                await test(*guests)

        asyncio.run(run())

    return decorate


async def refused(asked, code):
    with pytest.raises(RefusedError) as caught:
        await asked
    assert caught.value.answer["error"] == code, caught.value.answer
    return caught.value.answer


def session_of(guest):
    """Return the hash under which a guest's session is stored."""
    (cookie,) = guest.http.cookies.jar
    return hashlib.sha256(cookie.value.encode()).hexdigest()


def move_back(server, guest, column, by):
    """Move the times of a session into the past."""
    query = f"UPDATE sessions SET {column} = {column} - ? WHERE token = ? RETURNING 1"  # noqa: S608
    assert change(server, query, by, session_of(guest)) == [(1,)]


def change(server, query, *values):
    """Change the server's database directly."""
    connection = sqlite3.connect(server.database, timeout=20)
    try:
        with connection:
            return connection.execute(query, values).fetchall()
    finally:
        connection.close()


async def log_in(guest, name, password=GOOD):
    guest.http.cookies.clear()
    return await guest.post("/api/v1/login", {"name": name, "password": password})


async def keep(guest, password=GOOD, old=None):
    return await guest.post("/api/v1/me/password", {"password": password, "old": old})


# --- sessions


def test_a_session_ends_after_half_an_hour_without_activity(server):
    """A request after 29 idle minutes renews a session; after 31 minutes it has expired."""

    @play(server, "ann")
    async def _(ann):
        move_back(server, ann, "seen", 29 * MINUTE)
        await ann.get("/api/v1/me")
        ((seen,),) = rows(server, "SELECT seen FROM sessions WHERE token = ?", session_of(ann))
        assert seen > time.time() * 1000 - MINUTE
        move_back(server, ann, "seen", 31 * MINUTE)
        await refused(ann.get("/api/v1/me"), "not_signed_in")
        await refused(ann.get("/api/v1/me"), "not_signed_in")


def test_a_session_ends_after_thirty_days(server):
    """Even an active session ends after 30 days."""

    @play(server, "ann")
    async def _(ann):
        move_back(server, ann, "created", 29 * DAY)
        await ann.get("/api/v1/me")
        move_back(server, ann, "created", 2 * DAY)
        await refused(ann.get("/api/v1/me"), "not_signed_in")


def test_a_visitor_without_a_session_is_no_error(server):
    """On a first visit nobody is signed in, and asking does not create an account."""

    @play(server, "ann")
    async def _(ann):
        before = rows(server, "SELECT count(*) FROM players")
        stranger = Guest(server.address)
        assert (await stranger.get("/api/v1/visitor"))["me"] is None
        assert not stranger.cookie
        assert rows(server, "SELECT count(*) FROM players") == before
        await stranger.close()
        assert (await ann.get("/api/v1/visitor"))["me"] == await ann.get("/api/v1/me")
        move_back(server, ann, "seen", 31 * MINUTE)
        assert (await ann.get("/api/v1/visitor"))["me"] is None


def test_signing_out_ends_the_session(server):
    """After signing out the cookie is worthless, over HTTP and at a table."""

    @play(server, "ann")
    async def _(ann):
        table = await ann.open_table("toss-one-21")
        cookies = dict(ann.http.cookies)
        at = await ann.at(table)
        await at.ask("sit", seat=1)
        await ann.post("/api/v1/logout")
        assert not ann.http.cookies
        ann.http.cookies.update(cookies)
        await refused(ann.get("/api/v1/me"), "not_signed_in")
        await refused(ann.post("/api/v1/logout"), "not_signed_in")
        assert (await ann.at(table)).state["you"] is None
        await is_shown_out(at)


async def is_shown_out(at):
    """Check that an open socket is closed even without a request."""
    with pytest.raises(ConnectionClosed) as caught:
        await at.hear()
    assert caught.value.rcvd.code == 4001


def test_an_open_socket_ends_with_its_session(server):
    """An expired session closes the socket; the player keeps the seat."""

    @play(server, "ann")
    async def _(ann):
        at = await ann.at(await ann.open_table("toss-one-21"))
        await at.ask("sit", seat=1)
        ended = asyncio.create_task(is_shown_out(at))
        while not ended.done():
            move_back(server, ann, "seen", 31 * MINUTE)  # again, if a sign was noted behind it
            await asyncio.wait({ended}, timeout=0.1)
        await ended
        assert rows(server, "SELECT seat FROM seats WHERE table_id = ?", at.table) == [(1,)]


def test_a_new_password_ends_the_other_sessions(server):
    """Changing the password ends all other sessions of the account."""

    @play(server, "ann", "spectator", "spectator")
    async def _(ann, phone, laptop):
        await keep(ann)
        for device in (phone, laptop):
            assert (await log_in(device, ann.me["name"]))["id"] == ann.me["id"]
        await refused(keep(phone, "another password", "wrong password"), "not_signed_in")
        await ann.get("/api/v1/me")
        await keep(phone, "another password", GOOD)
        await phone.get("/api/v1/me")
        for device in (ann, laptop):
            await refused(device.get("/api/v1/me"), "not_signed_in")
        await refused(log_in(ann, ann.me["name"]), "not_signed_in")
        await log_in(ann, ann.me["name"], "another password")


def test_signing_in_gives_a_new_session(server):
    """Signing in replaces a cookie that the browser had before."""

    @play(server, "ann", "spectator")
    async def _(ann, phone):
        await keep(ann)
        phone.http.cookies.set("pitboss", "chosen-by-somebody-else")
        await phone.post("/api/v1/login", {"name": ann.me["name"], "password": GOOD})
        values = {cookie.value for cookie in phone.http.cookies.jar}
        await phone.get("/api/v1/me")
        assert max(map(len, values)) >= 40
        ann.http.cookies.clear()
        ann.http.cookies.set("pitboss", "chosen-by-somebody-else")
        await refused(ann.get("/api/v1/me"), "not_signed_in")


TOKENS = ["", "x", "x" * 101, "x" * 5000, "'; DROP TABLE players; --", "é"]


@pytest.mark.parametrize("token", TOKENS, ids=range(len(TOKENS)))
def test_no_other_cookie_is_a_session(server, token):
    """A cookie that is not a valid session signs nobody in."""

    @play(server, "spectator")
    async def _(eve):
        headers = {"Cookie": f"pitboss={token}".encode()}
        answer = await eve.http.get("/api/v1/me", headers=headers)
        assert answer.status_code == 401


# --- passwords


def test_passwords_and_tokens_are_not_kept(server):
    """Passwords are stored only as argon2id hashes, tokens only as SHA-256 hashes."""

    @play(server, "ann")
    async def _(ann):
        await keep(ann, "an unusual password")
        query = "SELECT password FROM players WHERE id = ?"
        ((kept,),) = rows(server, query, ann.me["id"])
        assert kept.startswith("$argon2id$v=19$")
        (cookie,) = ann.http.cookies.jar
        query = "SELECT count(*) FROM sessions WHERE token = ?"
        assert rows(server, query, session_of(ann)) == [(1,)]
        assert rows(server, query, cookie.value) == [(0,)]
        text = "\n".join(everything(server))
        assert session_of(ann) in text
        assert cookie.value not in text
        assert "an unusual password" not in text


def everything(server):
    """Return every row of the database as text."""
    tables = rows(server, "SELECT name FROM sqlite_master WHERE type = 'table'")
    for (table,) in tables:
        yield from map(repr, rows(server, f"SELECT * FROM {table}"))  # noqa: S608


@pytest.mark.parametrize("password", ["", "short", "1234567", "x" * 129])
def test_passwords_that_are_refused(server, password):
    """A password has 8 to 128 characters."""

    @play(server, "ann")
    async def _(ann):
        await refused(keep(ann, password), "unreadable")
        assert not (await ann.get("/api/v1/me"))["kept"]


def test_the_name_is_rejected_as_password(server):
    """A password that equals the name is rejected, in any spelling."""

    @play(server, "ann")
    async def _(ann):
        answer = await refused(keep(ann, ann.me["name"].upper()), "not_allowed")
        assert "must differ from the name" in answer["detail"]


def test_failed_log_ins_get_the_same_answer(server):
    """A wrong password, an unknown name and a guest's name get the same answer."""

    @play(server, "ann", "bob", "spectator")
    async def _(ann, bob, eve):
        await keep(ann)
        answers = set()
        for name in (ann.me["name"], "Nobody At All", bob.me["name"], "'; --"):
            body = {"name": name, "password": "not the password"}
            answer = await eve.http.post("/api/v1/login", json=body)
            answers.add((answer.status_code, answer.text))
        assert len(answers) == 1
        assert answers.pop()[0] == 401
        assert not eve.http.cookies


@pytest.mark.parametrize("known", [True, False])
def test_three_failures_lock_an_account_for_an_address(server, known):
    """Three failures in half an hour lock an address for half an hour, even for unknown names."""

    @play(server, "ann", "spectator")
    async def _(ann, eve):
        await keep(ann)
        name = ann.me["name"] if known else f"{ann.me['name']} jr"
        for written in (name, name.upper(), f" {name} "):
            await refused(log_in(eve, written, "not the password"), "not_signed_in")
        answer = await refused(log_in(eve, name, GOOD), "locked")
        assert answer["detail"] == "too many failed attempts: try again in 30 minutes"
        await ann.get("/api/v1/me")  # who is in stays in
        query = "UPDATE failures SET at = at - ? WHERE name_key = ? RETURNING 1"
        assert change(server, query, 31 * MINUTE, name.casefold()) == [(1,)] * 3
        if known:
            await log_in(eve, name, GOOD)
        await refused(log_in(eve, name, "not the password"), "not_signed_in")


def test_two_failures_and_a_success_lock_nothing(server):
    """A success at the third attempt resets the count of failures."""

    @play(server, "ann", "spectator")
    async def _(ann, phone):
        await keep(ann)
        for failures in (2, 1):
            for _ in range(failures):
                await refused(log_in(phone, ann.me["name"], "wrong wrong"), "not_signed_in")
            await log_in(phone, ann.me["name"])


def test_attempts_at_once_count_one_by_one(server):
    """Simultaneous attempts do not bypass the lock, except those already in progress."""

    @play(server, "ann", "spectator")
    async def _(ann, eve):
        await keep(ann)
        body = {"name": ann.me["name"], "password": "not the password"}
        await asyncio.gather(*(eve.http.post("/api/v1/login", json=body) for _ in range(5)))
        await refused(log_in(eve, ann.me["name"], GOOD), "locked")


# --- names


ALIKE = [
    ("Ann Lee", "ann lee"),
    ("Bob", "BOB"),
    ("Cyd", "ｃｙｄ"),
    ("fin", "ﬁn"),
    ("Straße", "STRASSE"),
    ("Dee Dee", "Dee  Dee"),
    ("Eve Eve", "  Eve\tEve "),
    ("Ⅷ", "viii"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_read_alike_are_one(server, one, other):
    """A name that looks like another is rejected, for new guests and for renames."""

    @play(server, "spectator", "spectator", "ann")
    async def _(first, second, ann):
        name = f"{one} {random.getrandbits(40)}"[:24]
        like = name.replace(one, other)
        await first.visit(name)
        for guest in (second.visit(like), ann.post("/api/v1/me/name", {"name": like})):
            answer = await refused(guest, "not_allowed")
            assert "is taken" in answer["detail"]
        assert (await ann.get("/api/v1/me"))["name"] == ann.me["name"]


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "x" * 25, "_", "a_", ".a", "a<b>", "a\nb\x00", "\u200bann", "ann\u202e"),
        *("\u3164", "ann\u3164", "\u115f", "ann\uffa0", "<script>", "a/b", "💰"),
    ],
)
def test_names_that_are_refused(server, name):
    """A name consists of visible letters and digits, with few separators."""

    @play(server, "spectator", "ann")
    async def _(guest, ann):
        with pytest.raises(RefusedError) as caught:
            await guest.visit(name)
        assert caught.value.answer["error"] in {"not_allowed", "unreadable"}
        with pytest.raises(RefusedError):
            await ann.post("/api/v1/me/name", {"name": name})
        assert (await ann.get("/api/v1/me"))["name"] == ann.me["name"]


def test_a_name_that_was_given_up_is_free(server):
    """After a rename the old name is free, and only the new name signs in."""

    @play(server, "ann", "bob", "spectator")
    async def _(ann, bob, phone):
        old, new = ann.me["name"], f"Zoë {random.getrandbits(40)}"
        await keep(ann)
        await ann.post("/api/v1/me/name", {"name": f"  {new} "})
        assert (await ann.get("/api/v1/me"))["name"] == new
        await bob.post("/api/v1/me/name", {"name": old})
        assert (await log_in(phone, new.upper()))["id"] == ann.me["id"]
        await refused(log_in(phone, old), "not_signed_in")


# --- play money


async def go_broke(guest):
    """Bet everything until the bankroll is low."""
    at = await guest.at(
        await guest.open_table(
            "toss-one-21", limits={"main": {"least": 1, "most": 10**9, "step": 1}}
        )
    )
    await at.ask("sit", seat=1)
    while (balance := at.state["you"]["balance"]) >= 2000:
        await at.play_round(main=balance)
    return balance


def test_refills_are_limited_and_not_doubled(server):
    """A low bankroll is refilled twice a day; a repeated request refills it once."""

    @play(server, "ann")
    async def _(ann):
        answer = await refused(ann.post("/api/v1/me/refill"), "not_allowed")
        assert "below $20" in answer["detail"]
        for time_ in (1, 2):
            had = await go_broke(ann)
            asked = (ann.post("/api/v1/me/refill") for _ in range(10))
            answers = await asyncio.gather(*asked, return_exceptions=True)
            given = [answer for answer in answers if isinstance(answer, dict)]
            assert given == [{"play_money": True, "added": 3000 - had, "balance": 3000}]
            assert (await ann.get("/api/v1/me"))["refills_left"] == 2 - time_
        await go_broke(ann)
        answer = await refused(ann.post("/api/v1/me/refill"), "not_allowed")
        assert "2 times a day" in answer["detail"]


def test_refills_come_again_the_next_day(server):
    """Refills of more than a day ago do not count."""

    @play(server, "ann")
    async def _(ann):
        await go_broke(ann)
        await ann.post("/api/v1/me/refill")
        assert (await ann.get("/api/v1/me"))["refills_left"] == 1
        query = "UPDATE records SET at = at - ? WHERE key = ? RETURNING 1"
        assert change(server, query, DAY, f"refill:{ann.me['id']}:0") == [(1,)]
        assert (await ann.get("/api/v1/me"))["refills_left"] == 2


def test_refills_at_once_are_one_in_any_order(database_url, monkeypatch):
    """Two simultaneous refills are paid only once, in any order of commits."""

    async def run():
        store = await Store.open(database_url)
        accounts = Accounts(store, Bankroll(start=1000, below=2000))
        try:
            player, _ = await accounts.guest()
            with pytest.raises(RuleError, match=r"below \$10"):
                await accounts.refill(player)
            accounts.bankroll = Bankroll(start=5000, below=2000)
            monkeypatch.setattr(accounts, "refills_left", slowly(accounts.refills_left))
            monkeypatch.setattr(accounts, "balance", slowly(accounts.balance))
            asked = (accounts.refill(player) for _ in range(12))
            answers = await asyncio.gather(*asked, return_exceptions=True)
            assert sum(answer == 4000 for answer in answers) == 1
            assert sum(isinstance(answer, RuleError) for answer in answers) == 11
            assert await accounts.balance(player.id) == 5000
        finally:
            await store.close()

    asyncio.run(run())


def slowly(method):
    """Delay by a different time at each call."""
    turns = iter(range(1000))

    async def slow(*arguments):
        answer = await method(*arguments)
        for _ in range(next(turns) % 12):
            await asyncio.sleep(0.002)
        return answer

    return slow


def test_guests_at_once_get_a_name_once(database_url):
    """If several guests ask for one name at once, one gets it and the others get no account."""

    async def run():
        store = await Store.open(database_url)
        accounts = Accounts(store, Bankroll())
        try:
            asked = (accounts.guest(name) for name in ("Ann", "ANN", "ann", "Ann ", "ａnn"))
            answers = await asyncio.gather(*asked, return_exceptions=True)
            assert sum(isinstance(answer, tuple) for answer in answers) == 1
            assert sum(isinstance(answer, RuleError) for answer in answers) == 4
            query = select(func.sum(ledger.c.amount)).where(ledger.c.account == "bank")
            async with store.reading() as connection:
                assert (await connection.execute(query)).scalar_one() == -100_000
        finally:
            await store.close()

    asyncio.run(run())


# --- the house closes an account


def test_a_blocked_player_is_thrown_out(server):
    """Blocking an account ends its sessions and sockets; log-ins fail until it is unblocked."""

    async def block(guest, player, *, blocked):
        path = f"/api/v1/operator/players/{player}/block"
        await guest.post(path, {"blocked": blocked}, **server.operator)

    @play(server, "ann", "bob", "spectator")
    async def _(ann, bob, house):
        await keep(ann)
        at = await ann.at(await ann.open_table("toss-one-21"))
        await at.ask("sit", seat=1)
        await block(house, ann.me["id"], blocked=True)
        await refused(ann.get("/api/v1/me"), "not_signed_in")
        await is_shown_out(at)
        await bob.get("/api/v1/me")
        answer = await refused(log_in(ann, ann.me["name"]), "not_signed_in")
        assert "closed" in answer["detail"]
        answer = await refused(log_in(ann, ann.me["name"], "not the password"), "not_signed_in")
        assert "closed" not in answer["detail"]
        await block(house, ann.me["id"], blocked=False)
        assert (await log_in(ann, ann.me["name"]))["id"] == ann.me["id"]


def test_the_server_is_well_after_all_this(server):
    """After all these tests the server is still healthy."""
    assert eventually(lambda: servers.get(f"{server.address}/health/ready")["ok"])
