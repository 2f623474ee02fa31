"""The HTTP API: one error format, answers that conform to the schema, no request done twice."""

import asyncio
import json
import os
import sqlite3

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from pydantic import TypeAdapter, ValidationError
from schemathesis import checks
from sqlalchemy import create_engine, select

from pitboss.ledger.schema import switches
from pitboss.ledger.switches import NEW_SWITCH, SET_SWITCH
from pitboss.web import app, messages
from pitboss.web.routes import coaching, players, tables
from pitboss.web.routes import operator as operators
from pitboss.web.services import Settings
from tests.web.client import RefusedError, new_key
from tests.web.servers import Server
from tests.web.test_security import TLS, ask, company, rows, visit

pytestmark = pytest.mark.xdist_group("web api")

read_reply = TypeAdapter(messages.Reply).validate_json
MAIN = {"main": 500}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    with (
        (folder / "log").open("w", encoding="utf-8") as log,
        Server(str(folder / "tables.db"), "--requests", "100000", log=log) as server,
    ):
        yield server
    errors = [
        line for line in (folder / "log").read_text("utf-8").splitlines() if '"error"' in line
    ]
    assert errors == []


# --- errors


def is_problem(answer, status, error):
    """An error has a status, a code, a sentence, and nothing else."""
    body = answer.json()
    assert answer.status_code == status, body
    assert answer.headers["content-type"] == "application/json"
    messages.Problem.model_validate_json(answer.text)
    assert body.keys() == {"ok", "error", "detail"}
    assert body["ok"] is False
    assert body["error"] == error, body
    assert body["detail"]
    return body["detail"]


@pytest.mark.parametrize(
    ("method", "path", "status", "error"),
    [
        ("GET", "/api/v1/nothing", 404, "not_found"),
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/api/v1/tables/nothing", 404, "not_found"),
        ("GET", "/api/v1/tables/nothing/rounds", 404, "not_found"),
        ("GET", "/api/v1/tables/nothing/rounds/1", 404, "not_found"),
        ("GET", "/api/v1/tables/nothing/rounds/1/steps", 404, "not_found"),
        ("GET", "/api/v1/tables/nothing/rounds/x", 422, "unreadable"),
        ("GET", "/api/v1/tables/nothing/rounds/99999999999999999999999", 422, "unreadable"),
        ("GET", "/api/v1/tables/nothing/rounds/-1", 422, "unreadable"),
        ("GET", "/api/v1/tables/%00", 400, "unreadable"),
        ("GET", "/api/v1/me/rounds?before=1:%00:1", 400, "unreadable"),
        ("GET", "/api/v1/tables?limit=0", 422, "unreadable"),
        ("GET", "/api/v1/tables?limit=1e3", 422, "unreadable"),
        ("GET", "/page/nothing", 404, "not_found"),
        ("DELETE", "/api/v1/tables", 405, "wrong_method"),
        ("PUT", "/api/v1/guest", 405, "wrong_method"),
        ("GET", "/api/v1/login", 405, "wrong_method"),
        ("POST", "/api/v1/me", 405, "wrong_method"),
        ("GET", "/api/v1/me", 401, "not_signed_in"),
        ("GET", "/api/v1/me/rounds", 401, "not_signed_in"),
        ("POST", "/api/v1/logout", 401, "not_signed_in"),
        ("POST", "/api/v1/me/refill", 401, "not_signed_in"),
    ],
)
def test_errors_have_one_form(server, method, path, status, error):
    """All errors about an address have the same format."""
    is_problem(ask(server, method, path), status, error)


def test_a_wrong_method_names_the_right_one(server):
    """The answer to a wrong method names the allowed one."""
    assert ask(server, "DELETE", "/api/v1/login").headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"nonsense", 400),
        (b'{"name": "x"', 400),
        (b"\xff\xfe", 400),
        (b"[]", 422),
        (b"null", 422),
        (b"1", 422),
        (b'{"name": 1}', 422),
        (b'{"name": true}', 422),
        (b'{"name": ""}', 422),
        (b'{"name": "x", "more": 1}', 422),
        (b'{"name": "\\ud800"}', 422),
        (b'{"name": {"$ne": null}}', 422),
        (b'{"name": "a\\u0000b"}', 422),
        (b"[" * 50_000, 400),
        (b'{"name": ' + b"9" * 5000 + b"}", 400),
    ],
    ids=range(17),
)
def test_bodies_that_cannot_be_read(server, body, status):
    """Invalid JSON gets status 400, JSON of a wrong type 422."""
    headers = {"Content-Type": "application/json"}
    answer = ask(server, "POST", "/api/v1/guest", content=body, headers=headers)
    error = "not_allowed" if b"0000" in body else "unreadable"  # it reads, and is no name
    assert len(is_problem(answer, status, error)) < 500
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("name", ["a\0b", "\0", "a" * 65, ""])
def test_names_that_cannot_sign_in(server, name):
    """A name with the character 0, which PostgreSQL rejects, is not looked up."""
    body = {"name": name, "password": "x"}
    is_problem(ask(server, "POST", "/api/v1/login", json=body), 422, "unreadable")


def test_a_body_that_is_too_large(server):
    """Bodies over 64 KiB are rejected, with or without a Content-Length."""
    body = json.dumps({"name": "x" * 70_000}).encode()
    headers = {"Content-Type": "application/json"}
    answer = ask(server, "POST", "/api/v1/guest", content=body, headers=headers)
    is_problem(answer, 413, "too_large")
    answer = ask(server, "POST", "/api/v1/guest", content=iter([body]), headers=headers)
    assert answer.status_code in {400, 413}
    messages.Problem.model_validate_json(answer.text)


def test_too_many_requests(tmp_path):
    """Too many requests from one address get status 429, whatever user they claim to be."""
    with Server(str(tmp_path / "tables.db"), "--requests", "2") as server:
        with httpx.Client(base_url=server.address, verify=TLS) as client:
            answers = [
                client.get("/health/live", headers={"X-Forwarded-For": f"10.0.0.{i}"})
                for i in range(30)  # beyond 40 the connection is aborted
            ]
        codes = [answer.status_code for answer in answers]
        assert codes[:10] == [200] * 10
        assert codes.count(429) > 10
        refused = next(answer for answer in answers if answer.status_code == 429)
        is_problem(refused, 429, "too_fast")
        assert refused.headers["retry-after"] == "1"
        assert refused.headers["x-content-type-options"] == "nosniff"


# --- the schema


def schema():
    """Return the schema of the application, without starting a server."""
    return app.create_app(Settings(database=os.devnull)).openapi()


def test_the_schema_is_what_the_server_gives(server):
    """The schema tested below is the one that clients get."""
    assert ask(server, "GET", "/openapi.json").json() == json.loads(json.dumps(schema()))


def test_the_schema_knows_the_socket(server):
    """The schema has the messages of the socket as well as those of HTTP."""
    parts = schema()["components"]["schemas"]
    words = parts["LiveRequest"]["discriminator"]["mapping"]
    assert {"sit", "leave", "sit_out", "seed", "bet", "take_back", "deal", "decide"} < {*words}
    assert {*parts["LiveReply"]["discriminator"]["mapping"]} == {"state", "error", "pong"}


api = schemathesis.openapi.from_dict(schema())
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
FUZZED = settings(
    max_examples=8, suppress_health_check=list(HealthCheck), derandomize=True, deadline=None
)


@pytest.fixture(scope="module")
def client():
    with requests.Session() as session:
        yield session


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """Return a separate server for the fuzzer, with a table that has rounds."""
    path = tmp_path_factory.mktemp("fuzzed") / "tables.db"
    options = ("--requests", "100000", "--bankroll", "100000")
    with Server(str(path), *options) as server:
        server.table = asyncio.run(played_table(server))
        yield server


async def played_table(server):
    async with company(server, "ann") as (ann,):
        at = await ann.at(await ann.open_table("toss-one-21", seconds=600))
        await at.ask("sit", seat=1)
        for _ in range(3):
            await at.play_round(main=500) if at.state["round"]["staked"] else await at.bet(
                1, **MAIN
            )
            while at.state["round"]["phase"] == "tossing":
                await at.decide(at.open_decisions()[0][1], 1)
        return at.table


def try_case(case, server, client):
    """Send a generated request, signed in or not, sometimes with an existing table."""
    given = case.path_parameters.get("table")
    if given is not None and len(given) % 2:
        case.path_parameters["table"] = server.table
    headers = server.operator if "/operator/" in case.path else {}
    if not case.path.endswith("/logout"):
        headers |= {"Cookie": session_of(server)}
    answer = case.call(base_url=server.address, session=client, headers=headers)
    case.validate_response(answer, checks=CHECKS)
    if answer.status_code >= 400:
        messages.Problem.model_validate_json(answer.text)


def session_of(server):
    """Return a guest's cookie; create a new guest if the last one was blocked or signed out."""
    if not hasattr(server, "cookie"):
        server.cookie = visit(server).headers["set-cookie"].partition(";")[0]
    return server.cookie


@api.parametrize()
@FUZZED
def test_the_api_keeps_to_its_schema(case, fuzzed, client):
    """Every answer conforms to the schema, and none is a server error."""
    try_case(case, fuzzed, client)


@pytest.mark.long
@api.parametrize()
@settings(FUZZED, max_examples=300)
def test_the_api_keeps_to_its_schema_for_long(case, fuzzed, client):
    """The same with many more requests."""
    try_case(case, fuzzed, client)


def test_no_path_of_the_schema_is_left_out():
    """Every route of the API is in the schema, so that the fuzzer finds it."""
    apis = (players.api, tables.api, coaching.api, operators.api)
    routes = {route.path for part in apis for route in part.routes}
    assert routes - {*schema()["paths"]} == {"/api/v1/tables/{table}/live"}


# --- states


def test_every_message_is_one_of_the_schema(server):
    """Every message of rounds of both games can be parsed strictly as Reply."""

    async def run():
        async with company(server, "ann") as (ann,):
            for game, stakes in (("toss-one-21", MAIN), ("roll-your-own", {"bet": 500})):
                at = await ann.at(await ann.open_table(game))
                await at.ask("sit", seat=1)
                await at.ask("ping")
                for _ in range(6):
                    await at.play_round(**stakes)
                with pytest.raises(RefusedError):
                    await at.ask("leave", seat=2)
            said = [text for text in ann.heard if '"type"' in text]
            assert len(said) > 40
            for text in said:
                assert read_reply(text, strict=True).model_dump() == json.loads(text)
            kinds = {json.loads(text)["type"] for text in said}
            assert kinds == {"state", "pong", "error"}

    asyncio.run(run())


def test_the_models_are_strict():
    """A state with an extra, missing or mistyped field is rejected."""
    pong = {"v": 1, "type": "pong", "id": "x", "play_money": True}
    assert read_reply(json.dumps(pong))
    for wrong in ({"more": 1}, {"v": 2}, {"v": "1"}, {"id": 1}, {"play_money": False}):
        with pytest.raises(ValidationError):
            read_reply(json.dumps(pong | wrong))


# --- nothing is done twice, nothing too late


def counted(server):
    return rows(server, "SELECT count(*) FROM records") + rows(
        server, "SELECT account, sum(amount) FROM ledger GROUP BY 1 ORDER BY 1"
    )


def test_a_repeated_request_is_answered_and_not_done_again(server):
    """A repeated request, on the same socket or another, changes nothing and is answered.

    The same key for another request is refused.
    """

    async def run():
        async with company(server, "ann") as (ann,):
            at = await ann.at(await ann.open_table("toss-one-21"))
            for do, fields in (
                ("sit", {"seat": 1}),
                ("seed", {"seat": 1, "client_seed": "abc"}),
                ("bet", {"round": 1, "seat": 1, "stakes": MAIN}),
                ("take_back", {"round": 1, "seat": 1}),
            ):
                key = new_key()
                first = await at.ask(do, key=key, **fields)
                before = counted(server)
                for socket in (at, await ann.at(at.table)):
                    again = await socket.ask(do, key=key, **fields)
                    assert again == first
                    assert await code(socket.ask("leave", key=key, seat=1)) == "stale"
                assert counted(server) == before

    asyncio.run(run())


def test_a_request_sent_many_times_at_once_is_done_once(server):
    """Copies of a request that arrive together count as one request."""

    async def run():
        async with company(server, "ann") as (ann,):
            table = await ann.open_table("toss-one-21")
            sockets = [await ann.at(table) for _ in range(6)]
            await sockets[0].ask("sit", seat=1)
            key, bet = new_key(), {"round": 1, "seat": 1, "stakes": MAIN}
            await asyncio.gather(*(at.ask("bet", key=key, **bet) for at in sockets))
            assert (await ann.get("/api/v1/me"))["balance"] == 99_500

    asyncio.run(run())


def test_keys_are_a_players_own(server):
    """Keys of different players do not collide."""

    async def run():
        async with company(server, "ann", "bob") as (ann, bob):
            table = await ann.open_table("toss-one-21", seconds=600)
            for seat, guest in enumerate((ann, bob), 1):
                await (await guest.at(table)).ask("sit", key="same", seat=seat)
            assert len((await ann.get(f"/api/v1/tables/{table}"))["taken"]) == 2

    asyncio.run(run())


def test_a_refused_request_may_be_made_again(server):
    """A rejected request does not use up its key: a repeated request can succeed."""

    async def run():
        async with company(server, "ann") as (ann,):
            at = await ann.at(await ann.open_table("toss-one-21"))
            with pytest.raises(RefusedError):
                await at.ask("bet", key="k", round=1, seat=1, stakes=MAIN)
            await at.ask("sit", seat=1)
            await at.ask("bet", key="k", round=1, seat=1, stakes=MAIN)
            assert at.state["you"]["balance"] == 99_500

    asyncio.run(run())


def test_the_rules_of_a_table(server):
    """The rules of a table have each value, its default, and the verdict of the approval letter."""

    async def run():
        async with company(server, "ann") as (ann,):
            table = await ann.open_table("toss-one-21", rules={"blackjack_pays": "6:5"})
            return await ann.get(f"/api/v1/tables/{table}/rules")

    found = messages.TableRules.model_validate(asyncio.run(run()))
    (changed,) = [one for one in found.settings if one.differs]
    assert (changed.name, changed.value, changed.default) == ("blackjack_pays", "6:5", "3:2")
    assert changed.approval.verdict == "approved"


def test_a_table_is_opened_once(server):
    """Repeating a request opens no second table; another key opens another table."""

    async def run():
        async with company(server, "ann", "bob") as (ann, bob):
            body = {"game": "toss-one-21", "name": "Mine"}
            key = {"Idempotency-Key": new_key()}
            asked = (ann.post("/api/v1/tables", body, **key) for _ in range(5))
            first, *others = await asyncio.gather(*asked)
            assert others == [first] * 4
            query = "SELECT count(*) FROM tables WHERE creator = ?"
            assert rows(server, query, ann.me["id"]) == [(1,)]
            for guest, keys in ((bob, key), (ann, {"Idempotency-Key": new_key()}), (ann, {})):
                table = await guest.post("/api/v1/tables", body, **keys)
                assert table["id"] != first["id"]
            answer = await ann.http.post(
                "/api/v1/tables", json=body, headers={"Idempotency-Key": "no such key!"}
            )
            is_problem(answer, 422, "unreadable")

    asyncio.run(run())


def test_requests_for_an_old_state_are_rejected(server):
    """A decision or bet for an old or future version is rejected."""

    async def run():
        async with company(server, "ann") as (ann,):
            at = await ann.at(await ann.open_table("roll-your-own"))
            await at.ask("sit", seat=1)
            await at.bet(1, bet=500)
            await at.deal()
            while at.number == 1:
                seat, decision = at.open_decisions()[-1]
                now, before = at.state["version"], counted(server)
                for version in (0, now - 1, now + 1, 10**9):
                    fields = {"version": version, "seat": seat, "decision": decision}
                    assert await code(at.ask("decide", **fields)) == "stale"
                assert counted(server) == before
                await at.decide(decision, seat)
            for number in (1, 3, 10**9):
                bet = {"round": number, "seat": 1, "stakes": {"bet": 500}}
                assert await code(at.ask("bet", **bet)) == "stale"
                assert await code(at.ask("take_back", round=number, seat=1)) == "stale"
                assert await code(at.ask("deal", round=number)) == "stale"
            assert at.state["round"]["staked"] == {}

    asyncio.run(run())


async def code(asked):
    """Return the error code of a rejected request."""
    with pytest.raises(RefusedError) as caught:
        await asked
    return caught.value.answer["error"]


def test_a_round_that_is_on_cannot_be_read(server):
    """A round can be read only after it is over."""

    async def run():
        async with company(server, "ann") as (ann,):
            at = await ann.at(await ann.open_table("toss-one-21"))
            await at.ask("sit", seat=1, client_seed="lucky")
            path = f"/api/v1/tables/{at.table}/rounds"
            promised = at.state["round"]["commitment"]
            assert await code(ann.get(f"{path}/1")) == "not_found"
            await at.play_round(main=500)
            record = await ann.get(f"{path}/1")
            assert record["fairness"]["commitment"] == promised
            assert record["fairness"]["client_seeds"] == {"1": "lucky"}
            assert await code(ann.get(f"{path}/2")) == "not_found"
            assert [row["round"] for row in (await ann.get(path))["rows"]] == [1]
            assert (await ann.get(f"{path}/1/steps"))["replay"] is True

    asyncio.run(run())


def test_the_database_is_not_locked_by_readers(server):
    """A long-running reader of the file does not block the tables."""
    reader = sqlite3.connect(server.database)
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM records").fetchall()
        assert visit(server).status_code == 201
    finally:
        reader.close()


def test_a_bet_may_ask_for_the_deal(server):
    """A bet can request the deal; if the deal is impossible, the bet is rejected."""

    async def run():
        async with company(server, "ann") as (ann,):
            at = await ann.at(await ann.open_table("toss-one-21"))
            await at.ask("sit", seat=1)
            bet = {"seat": 1, "stakes": MAIN, "deal": True}
            state = await at.ask("bet", round=1, **bet)
            assert state["round"]["phase"] != "betting" or state["round"]["number"] == 2
            shared = await ann.at(await ann.open_table("toss-one-21", seconds=600))
            await shared.ask("sit", seat=1)
            with pytest.raises(RefusedError, match="deals when everyone has bet"):
                await shared.ask("bet", round=1, **bet)
            assert (await ann.at(shared.table)).state["round"]["staked"] == {}

    asyncio.run(run())


def test_the_operator_sees_what_was_switched(server):
    """The operator sees which games are stopped, and finds the event by its kind."""

    def asked(method, path, **body):
        path = f"/api/v1/operator/{path}"
        answer = ask(server, method, path, headers=server.operator, json=body or None)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def switched():
        found = asked("GET", "gaming")
        return found["open"], found["games"]["toss-one-21"], found["games"]["roll-your-own"]

    assert switched() == (True, True, True)
    for game, expected in (("roll-your-own", (True, True, False)), (None, (False, True, True))):
        asked("POST", "gaming", game=game, open=False, reason="a drill")
        assert switched() == expected
        asked("POST", "gaming", game=game, open=True, reason="it is over")
        assert switched() == (True, True, True)
    found = asked("GET", "events?kind=gaming_stopped")
    assert [event["facts"]["game"] for event in found["rows"]] == ["all games", "roll-your-own"]
    assert {event["kind"] for event in found["rows"]} < {*found["kinds"]}
    messages.Events.model_validate(found)
    assert asked("GET", "events?kind=gaming_stopped&until=1")["rows"] == []
    assert asked("GET", "events?player=nobody")["rows"] == []


def test_a_game_that_came_later_is_switched():
    """Stopping a game that is new to the database creates its switch."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        switches.create(connection)
        for value in ("stopped", "open", "stopped"):
            connection.execute(NEW_SWITCH, {"which": "a new game", "to": value})
            connection.execute(SET_SWITCH, {"which": "a new game", "to": value})
            assert connection.execute(select(switches)).all() == [("a new game", value)]
