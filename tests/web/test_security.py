"""Nobody can act for another seat, overspend, or send requests from another page."""

import asyncio
import contextlib
import json
import sqlite3

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from pitboss.games import GAMES
from tests.web.client import TLS, At, ConnectionClosed, Guest, RefusedError
from tests.web.servers import Server

pytestmark = pytest.mark.xdist_group("web security")

FAST = ("--requests", "100000")
LIMITS = {"least": 100, "most": 10**9, "step": 1}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(str(tmp_path_factory.mktemp("security") / "tables.db"), *FAST) as server:
        yield server


@pytest.fixture(scope="module")
def proxied(tmp_path_factory):
    """Return a server that is reached over https, through a proxy."""
    path = tmp_path_factory.mktemp("proxied") / "tables.db"
    with Server(str(path), *FAST, "--https", "--proxy", "127.0.0.1") as server:
        yield server


@contextlib.asynccontextmanager
async def company(server, *names):
    """Create guests; close all their sockets at the end."""
    guests = [Guest(server.address) for _ in names]
    sockets = []
    try:
        for guest, name in zip(guests, names, strict=True):
            guest.at = lambda table, guest=guest: _connected(guest, table, sockets)
            if name != "spectator":
                await guest.visit()
        yield guests
    finally:
        for socket in sockets:
            await hang_up(socket)
        for guest in guests:
            await guest.close()


async def hang_up(at):
    """Close a socket; unread messages would make it wait."""
    closing = asyncio.create_task(at.close())
    with contextlib.suppress(ConnectionClosed):
        while True:
            await at._socket.recv()
    await closing


async def _connected(guest, table, sockets):
    at = At(guest, table)
    try:
        return await at.connect()
    finally:
        if at._socket:
            sockets.append(at)


def rows(server, query, *values):
    """Query the server's database."""
    connection = sqlite3.connect(server.database, timeout=20)
    try:
        return connection.execute(query, values).fetchall()
    finally:
        connection.close()


def books(server):
    """Return the number of records, without rejected bets, and all balances."""
    (count,) = rows(server, "SELECT count(*) FROM records WHERE kind <> 'refused'")
    accounts = rows(server, "SELECT account, sum(amount) FROM ledger GROUP BY 1 ORDER BY 1")
    return count, accounts, rows(server, "SELECT * FROM seats ORDER BY 1, 2")


async def two_at(server, ann, bob, game, stakes=None):
    """Open a shared table where the two sit, with open bets if given."""
    table = await ann.open_table(game, seconds=600)
    first, second = await ann.at(table), await bob.at(table)
    await first.ask("sit", seat=1)
    await second.ask("sit", seat=2)
    await second.ask("sit", seat=3)  # has no bet: the round waits for it
    if stakes:
        await first.bet(1, **stakes)
        await second.bet(2, **stakes)
    return first, second


async def refused(at, do, *codes, **fields):
    """Send a request that must be rejected with one of *codes*."""
    with pytest.raises(RefusedError) as caught:
        await at.ask(do, **fields)
    assert caught.value.answer["error"] in codes, caught.value.answer
    return caught.value.answer


MAIN = {"main": 500}
FOR_ANOTHER = {
    "sit": {},
    "leave": {},
    "sit_out": {"out": True},
    "come_back": {"out": False},
    "seed": {"client_seed": "mine"},
    "bet": {"round": 1, "stakes": MAIN},
    "take_back": {"round": 1},
    "decide": {"version": 1, "decision": "toss 2h"},
}


@pytest.mark.parametrize("who", ["player", "passer-by", "spectator"])
@pytest.mark.parametrize("do", FOR_ANOTHER)
def test_nobody_acts_for_another_seat_before_the_deal(server, do, who):
    """Each request for another player's seat is refused and changes nothing."""

    async def run():
        async with company(server, "ann", "bob", who) as (ann, bob, other):
            first, second = await two_at(server, ann, bob, "toss-one-21", MAIN)
            at = second if who == "player" else await other.at(first.table)
            await first.until(lambda s: len(s["round"]["staked"]) == 2)
            before = books(server), still(await look(ann, first.table))
            codes = ("not_yours", "not_allowed")
            await refused(at, do.replace("come_back", "sit_out"), *codes, seat=1, **FOR_ANOTHER[do])
            assert (books(server), still(await look(ann, first.table))) == before

    asyncio.run(run())


async def look(guest, table):
    """Return the table as a new socket of the same player sees it."""
    return (await guest.at(table)).state


def still(state):
    return state | {"round": {k: v for k, v in state["round"].items() if k != "left_ms"}}


@pytest.mark.parametrize("who", ["player", "passer-by", "spectator"])
@pytest.mark.parametrize("game", GAMES)
def test_nobody_decides_for_another_seat(server, game, who):
    """No decision, legal or not, is accepted from anyone but the seat's player."""

    async def run():
        async with company(server, "ann", "bob", who) as (ann, bob, other):
            first, at = await dealt(server, ann, bob, game)
            if who != "player":
                at = await other.at(first.table)
            before = books(server), still(await look(ann, first.table))
            legal = [text for _, text in first.open_decisions()]
            for text in (*legal, "hit", "toss As", "insure 0"):
                fields = {"version": first.state["version"], "seat": 1, "decision": text}
                answer = await refused(at, "decide", "not_yours", "not_allowed", **fields)
                named = answer["detail"].replace(text, "")
                assert not [card for card in own_cards(first) if card in named]
            await refused(at, "leave", "not_yours", "not_allowed", seat=1)
            assert (books(server), still(await look(ann, first.table))) == before
            await first.decide(legal[0], 1)

    asyncio.run(run())


def own_cards(at):
    return next(seat["cards"] for seat in at.state["views"][0]["seats"] if seat["seat"] == 1)


async def dealt(server, ann, bob, game):
    """Return sockets at a table where seat 1 must still decide, and a later seat too."""
    stakes = {GAMES[game].first_stake: 500}
    while True:
        first, second = await two_at(server, ann, bob, game, stakes)
        await second.ask("leave", seat=3)
        await first.until(lambda s: s["round"]["phase"] != "betting" or s["last"])
        if first.open_decisions() and second.state["round"]["number"] == 1:
            await second.until(lambda s: s["round"]["phase"] != "betting")
            if second.open_decisions() or second.state["round"]["phase"] == "playing":
                return first, second


@pytest.mark.parametrize(
    ("stakes", "code"),
    [
        ({"main": 100_001}, "not_covered"),
        ({"main": 60_000, "lucky3": 60_000}, "not_covered"),
        ({"main": 10**9}, "not_covered"),
        ({"main": 10**9 + 1}, "not_allowed"),
        ({"main": 0}, "not_allowed"),
        ({"main": 99}, "not_allowed"),
        ({}, "not_allowed"),
        ({"lucky3": 500}, "not_allowed"),
        ({"main": 500, "gold": 1}, "unreadable"),
        ({"main": -500}, "unreadable"),
        ({"main": 500, "lucky3": -400}, "unreadable"),
        ({"main": 500.0}, "unreadable"),
        ({"main": 500.5}, "unreadable"),
        ({"main": True}, "unreadable"),
        ({"main": "500"}, "unreadable"),
        ({"main": None}, "unreadable"),
        ({"main": [500]}, "unreadable"),
        ({"main": 10**30}, "unreadable"),
        ({"main": float("nan")}, "unreadable"),
        ({"main": float("inf")}, "unreadable"),
        ({f"main{i}": 500 for i in range(9)}, "unreadable"),
        ([], "unreadable"),
        (None, "unreadable"),
    ],
)
def test_bets_that_cannot_be(server, stakes, code):
    """A bet that is not a whole number of cents within limits and bankroll changes nothing."""

    async def run():
        async with company(server, "ann") as (ann,):
            limits = dict.fromkeys(["main", "lucky3", "bonus4"], LIMITS)
            at = await ann.at(await ann.open_table("toss-one-21", limits=limits))
            await at.ask("sit", seat=1)
            before = books(server)
            message = {"v": 1, "id": "k", "do": "bet", "round": 1, "seat": 1, "stakes": stakes}
            await at.send(message)
            answer = await at_last(at, "error")
            assert answer["error"] == code
            assert books(server) == before
            assert (await look(ann, at.table))["you"]["balance"] == 100_000
            await at.bet(1, main=100_000)  # all of it is fine
            assert at.state["you"]["balance"] == 0

    asyncio.run(run())


async def at_last(at, kind):
    """Return the next message of a kind."""
    with contextlib.suppress(RefusedError):
        while True:
            message = await at.hear()
            if message["type"] == kind:
                return message
    return json.loads(at.guest.heard[-1])


# --- what the bankroll does not cover


def test_decisions_beyond_the_bankroll_are_rejected(server):
    """Doubles, splits and insurance beyond the bankroll are not legal and come with the reason."""
    wanted = {"double", "split", "insure"}

    async def run():
        for _ in range(500):
            await one_round(server, wanted)
            if not wanted:
                return
        raise AssertionError(f"in all rounds no {wanted} came up")

    asyncio.run(run())


async def one_round(server, wanted):
    """Bet all but a dollar, and try decisions that are not covered; skip rounds without any."""
    async with company(server, "ann") as (ann,):
        at = await ann.at(await ann.open_table("roll-your-own", limits={"bet": LIMITS}))
        await at.ask("sit", seat=1)
        await at.bet(1, bet=33_300)
        await at.deal()
        while at.number == 1 and (wanted & promises(at)):
            await try_what_is_withheld(server, ann, at, wanted)
            sets = [text for _, text in at.open_decisions() if text.startswith("set")]
            await at.decide(pairs_first(sets) if sets else at.open_decisions()[-1][1], 1)


def promises(at):
    """Return what a round may still offer: insurance with an ace up, a split with a pair."""
    view = at.state["views"][0]
    ranks = [card[0] for card in view["seats"][0]["cards"]]
    ace, pair = view["dealer"]["cards"][0][0] == "A", len(set(ranks)) < len(ranks)
    return {"double"} | ({"insure"} if ace else set()) | ({"split"} if pair else set())


def pairs_first(sets):
    """Choose a way to set that puts cards of the same rank together, if there is one."""
    paired = [way for way in sets if len(way.split()[1]) == 4 and way[4] == way[6]]
    return (paired or sets)[0]


async def try_what_is_withheld(server, guest, at, wanted):
    """Try decisions that are not offered; they are refused and change nothing."""
    legal = {text for _, text in at.open_decisions()}
    assert not {"double", "split", "insure 33300"} & legal
    for withheld in at.state["not_offered"]:
        assert withheld["seat"] == 1
        assert "your bankroll is $1" in withheld["reason"]
        before = books(server)
        fields = {"version": at.state["version"], "seat": 1, "decision": withheld["decision"]}
        await refused(at, "decide", "not_covered", **fields)
        assert books(server) == before
        assert still(await look(guest, at.table)) == still(at.state | {"done": []})
        wanted.discard(withheld["decision"].split()[0])


def test_a_bet_is_not_paid_by_what_it_wins(server):
    """A double that the bankroll does not cover is refused, whether it would win or lose."""

    async def run():
        for _ in range(12):
            async with company(server, "ann") as (ann,):
                at = await ann.at(await ann.open_table("roll-your-own", limits={"bet": LIMITS}))
                await at.ask("sit", seat=1)
                await at.bet(1, bet=33_300)
                await at.deal()
                while at.number == 1:
                    fields = {"version": at.state["version"], "seat": 1, "decision": "double"}
                    if "double" in [withheld["decision"] for withheld in at.state["not_offered"]]:
                        await refused(at, "decide", "not_covered", **fields)
                    await at.decide(at.open_decisions()[-1][1], 1)

    asyncio.run(run())


@pytest.mark.parametrize("tables", [2, 5])
def test_money_is_spent_once(server, tables):
    """Simultaneous bets at several tables never take more than the balance."""

    async def run():
        async with company(server, "ann") as (ann,):
            limits = {"main": LIMITS}
            seats = []
            for _ in range(tables):
                at = await ann.at(await ann.open_table("toss-one-21", limits=limits))
                await at.ask("sit", seat=1)
                seats.append(at)
            for _ in range(8):
                asked = (at.bet(1, main=40_000) for at in seats)
                answers = await asyncio.gather(*asked, return_exceptions=True)
                refusals = [a.answer["error"] for a in answers if isinstance(a, RefusedError)]
                assert refusals == ["not_covered"] * max(0, tables - 2)
                assert (await ann.get("/api/v1/me"))["balance"] == 20_000
                for at, answer in zip(seats, answers, strict=True):
                    if not isinstance(answer, Exception):
                        await at.ask("take_back", round=1, seat=1)
                assert (await ann.get("/api/v1/me"))["balance"] == 100_000

    asyncio.run(run())


def test_no_account_is_ever_overdrawn(server):
    """After all tests of this file, no player or table account is negative."""
    sums = rows(server, "SELECT account, sum(amount) FROM ledger GROUP BY 1")
    assert [s for s in sums if s[0].startswith(("player:", "felt:")) and s[1] < 0] == []
    assert sum(amount for _, amount in sums) == 0
    assert rows(server, "SELECT 1 FROM ledger GROUP BY chain, seq HAVING sum(amount) != 0") == []


def test_one_player_alone_sits_at_a_table_that_waits(server):
    """A second player at a table without a timer is refused every seat."""

    async def run():
        async with company(server, "ann", "bob") as (ann, bob):
            at = await ann.at(await ann.open_table("toss-one-21"))
            await at.ask("sit", seat=1)
            other = await bob.at(at.table)
            await refused(other, "sit", "not_allowed", seat=2)
            await refused(other, "deal", "not_allowed", round=1)
            await at.bet(1, main=500)
            await refused(other, "deal", "not_allowed", round=1)

    asyncio.run(run())


# --- pages of other hosts


def visit(server, **headers):
    return ask(server, "POST", "/api/v1/guest", json={}, headers=headers)


def ask(server, method, path, **options):
    return httpx.request(method, server.address + path, timeout=15, verify=TLS, **options)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "https://cards.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_page_may_not_ask(server, headers):
    """A request from another page is refused before anything is done."""
    before = books(server)
    answer = visit(server, **headers)
    assert answer.status_code == 403
    assert answer.json()["error"] == "wrong_origin"
    assert "set-cookie" not in answer.headers
    assert books(server) == before


def test_our_own_page_and_programs_may(server):
    """Requests from the same origin, and requests without an origin (programs), are accepted."""
    assert visit(server, Origin=server.address).status_code == 201
    assert visit(server, Origin=server.address, **{"Sec-Fetch-Site": "same-origin"}).is_success
    assert visit(server).status_code == 201


def test_no_other_page_may_read(server):
    """Answers give other pages no permission to read, even for harmless data."""
    answer = ask(server, "GET", "/api/v1/games", headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = ask(server, "OPTIONS", "/api/v1/guest", headers=preflight)
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def opens(server, origin, **more):
    """Return whether a socket from a page of *origin* is accepted."""
    url = f"{server.address.replace('http', 'ws', 1)}/api/v1/tables/x/live"
    try:
        async with connect(url, origin=origin, additional_headers=more):
            return True
    except InvalidStatus as error:
        assert error.response.status_code == 403
        return False


def test_a_socket_from_another_page_is_refused(server):
    """A socket is accepted from our own page and from programs only."""
    assert asyncio.run(opens(server, server.address))
    assert asyncio.run(opens(server, None))
    assert not asyncio.run(opens(server, "https://evil.example"))
    assert not asyncio.run(opens(server, "null"))


def test_behind_https_an_insecure_page_is_another(proxied):
    """Behind https, only https pages of our own host are accepted."""
    host = proxied.address.partition("//")[2]
    https = {"X-Forwarded-Proto": "https"}
    assert visit(proxied, Origin=f"https://{host}", **https).is_success
    assert visit(proxied, Origin=f"http://{host}", **https).status_code == 403
    assert visit(proxied, Origin="https://cards.example", **https).status_code == 403
    assert asyncio.run(opens(proxied, f"https://{host}", **https))
    assert not asyncio.run(opens(proxied, f"http://{host}", **https))


# --- cookies and headers


def cookie_parts(answer):
    name, _, rest = answer.headers["set-cookie"].partition("=")
    return name, {part.strip().lower() for part in rest.split(";")[1:]}


def test_the_cookie_is_kept_from_scripts_and_other_pages(server, proxied):
    """The session cookie is HttpOnly and SameSite=Strict, and behind https also Secure."""
    name, parts = cookie_parts(visit(server))
    assert name == "pitboss"
    assert parts == {"httponly", "samesite=strict", "path=/"}
    name, parts = cookie_parts(visit(proxied))
    assert parts == {"httponly", "samesite=strict", "path=/", "secure"}


SENT = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/tables", 200),
        ("/api/v1/me", 401),
        ("/api/v1/nothing", 404),
        ("/api/v1/tables?limit=x", 422),
        ("/openapi.json", 200),
        ("/health/live", 200),
        ("/metrics", 401),
        ("/nothing", 404),
        ("/page/nothing.js", 404),
    ],
)
def test_headers_of_every_answer(server, path, status):
    """Every answer forbids sniffing, frames and foreign scripts; API answers are not stored."""
    answer = ask(server, "GET", path)
    assert answer.status_code == status
    assert SENT.items() <= dict(answer.headers).items()
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "server" not in answer.headers
    assert "x-powered-by" not in answer.headers
    if path.startswith("/api"):
        assert answer.headers["cache-control"] == "no-store"


def test_refusals_at_the_door_have_the_headers_too(server):
    """Errors before routing and socket handshakes have the security headers too."""
    answer = visit(server, Origin="https://evil.example")
    assert SENT.items() <= dict(answer.headers).items()
    assert answer.headers["cache-control"] == "no-store"


def test_https_is_asked_for_only_behind_https(proxied):
    """HSTS is sent only over HTTPS."""
    plain = ask(proxied, "GET", "/health/live")
    secure = ask(proxied, "GET", "/health/live", headers={"X-Forwarded-Proto": "https"})
    assert "strict-transport-security" not in plain.headers
    assert secure.headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize(
    "path",
    [
        "/page/../web/app.py",
        "/page/%2e%2e/web/app.py",
        "/page/..%2fweb%2fapp.py",
        "/page/%2e%2e%2f%2e%2e%2fpitboss/__init__.py",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd",
        "/page/..%5cweb%5capp.py",
        "/page/.",
        "/page/%00",
    ],
)
def test_the_page_gives_no_other_file(server, path):
    """No spelling of a path leads out of the page's folder."""
    host, _, port = server.address.partition("//")[2].partition(":")
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    answer = asyncio.run(raw(host, int(port), request.encode()))
    assert answer.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 "))
    assert json.loads(answer.rpartition(b"\r\n\r\n")[2])["ok"] is False


async def raw(host, port, request):
    """Send raw bytes, which a client library might normalize."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(request)
        return await asyncio.wait_for(reader.read(), 15)
    finally:
        writer.close()
        await writer.wait_closed()


# --- the operator

OPERATOR = [
    ("GET", "performance", None),
    ("GET", "chart?table=x", None),
    ("GET", "rounds", None),
    ("GET", "events", None),
    ("GET", "tables", None),
    ("GET", "gaming", None),
    ("POST", "gaming", {"open": False, "reason": "mischief"}),
    ("POST", "tables/x/limits", {"limits": {}}),
    ("POST", "tables/x/close", None),
    ("POST", "tables/x/void", {"reason": "mischief"}),
    ("POST", "players/x/block", {"blocked": True}),
    ("POST", "self-check", None),
]


@pytest.mark.parametrize(("method", "path", "body"), OPERATOR)
def test_the_operators_routes_are_the_operators(server, method, path, body):
    """Without the right token, a route of the operator does nothing."""
    cookie = visit(server).headers["set-cookie"].partition(";")[0]
    kinds = "SELECT kind, count(*) FROM records GROUP BY kind"
    before = dict(rows(server, kinds))
    tokens = ["", "Bearer wrong", "Basic operator", "operators"]  # five would lock the address
    assert ask(server, "GET", "/api/v1/operator/gaming", headers=server.operator).is_success
    for headers in (
        {},
        {"Cookie": cookie},
        *({"Authorization": token} for token in tokens),
    ):
        answer = ask(server, method, f"/api/v1/operator/{path}", json=body, headers=headers)
        assert answer.status_code == 401, headers
        assert answer.json()["error"] == "not_signed_in"
    noted = {"operator_refused": before.get("operator_refused", 0) + len(tokens)}
    assert dict(rows(server, kinds)) == before | noted


def test_all_of_the_operators_routes_are_tried(server):
    """The list above is complete."""
    paths = ask(server, "GET", "/openapi.json").json()["paths"]
    start = "/api/v1/operator/"
    listed = {
        (method.upper(), path.removeprefix(start).replace("{table}", "x").replace("{player}", "x"))
        for path, methods in paths.items()
        for method in methods
        if path.startswith(start)
    }
    assert listed == {(method, path.partition("?")[0]) for method, path, _ in OPERATOR}


def test_a_private_table_is_not_in_the_lobby(server):
    """A private table can be opened by its link, but the lobby does not list it."""

    async def run():
        async with company(server, "ann", "bob") as (ann, bob):
            hidden = await ann.open_table("toss-one-21", private=True, seconds=600)
            listed = await ann.open_table("toss-one-21", seconds=600)
            for reader in (ann, bob):
                lobby = (await reader.get("/api/v1/tables?limit=500"))["tables"]
                ids = {table["id"] for table in lobby}
                assert listed in ids
                assert hidden not in ids
                assert not [table for table in lobby if table["private"]]
            assert (await bob.get(f"/api/v1/tables/{hidden}"))["private"]
            at = await bob.at(hidden)
            await at.ask("sit", seat=1)

    asyncio.run(run())


def test_ids_of_tables_cannot_be_guessed(server):
    """A table's id is 96 random bits or the hash of a secret: two ids are unrelated."""

    async def run():
        async with company(server, "ann", "bob") as guests:
            ids = []
            for guest in guests:
                ids += [await guest.open_table("toss-one-21") for _ in range(3)]
                body, key = {"game": "toss-one-21"}, {"Idempotency-Key": "1"}
                ids.append((await guest.post("/api/v1/tables", body, **key))["id"])
            assert len(set(ids)) == len(ids)
            assert min(map(len, ids)) >= 16

    asyncio.run(run())
