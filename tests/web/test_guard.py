"""Origins, sizes, headers, and who may read the metrics."""

import contextlib

import pytest
from sqlalchemy import update

from pitboss.dealing.config import DealingConfig
from pitboss.ledger.clock import now
from pitboss.ledger.schema import tables
from pitboss.web.rate_limits import RateLimits
from tests.web.client import RefusedError
from tests.web.in_process import (
    MINUTE,
    OPERATOR,
    HungUpError,
    Visitor,
    Wire,
    change,
    file_of,
    play,
    quick,
)

__all__ = ["quick"]


def test_handshakes_count_against_an_address(tmp_path):
    """Handshakes count against the rate of an address; other addresses are not affected."""

    async def opens(app, address):
        wire = Wire(app, "/api/v1/tables/none/live", "", address)
        app.state.wires.append(wire)
        with contextlib.suppress(HungUpError):
            await wire.recv()  # that there is no such table
            return True
        return False

    @play(file_of(tmp_path), rate_limits=RateLimits(requests=1e-9, burst=4))
    async def _(app):
        assert [await opens(app, "192.0.2.1") for _ in range(6)] == [True] * 4 + [False] * 2
        asked = Visitor(app, "192.0.2.1")
        assert (await asked.http.get("/health/live")).status_code == 429
        assert await opens(app, "192.0.2.2")


def test_an_origin_that_is_no_address(tmp_path):
    """An invalid origin is treated as foreign, with the usual error format."""

    @play(file_of(tmp_path))
    async def _(app):
        headers = {"Origin": "http://["}
        answer = await Visitor(app).http.post("/api/v1/guest", json={}, headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (403, "wrong_origin")
        assert answer.headers["x-frame-options"] == "DENY"


def test_a_body_that_grows_too_large(tmp_path):
    """A body in pieces without a length is limited like any other."""

    async def pieces():
        for _ in range(30):
            yield b"x" * 4096

    @play(file_of(tmp_path))
    async def _(app):
        headers = {"Content-Type": "application/json"}
        answer = await Visitor(app).http.post("/api/v1/guest", content=pieces(), headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (413, "too_large")


def test_heads(tmp_path):
    """Monitoring can send HEAD requests."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        table = await ann.open_table("toss-one-21")
        for path in ("/", f"/tables/{table}", "/health/live", "/health/ready"):
            assert (await ann.http.head(path)).status_code == 200, path
        assert (await ann.http.head("/tables/any")).status_code == 404


def test_unknown_players_and_tables_get_404(tmp_path):
    """Blocking an unknown player or charting an unknown table gets status 404."""

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
    """Status 421 names the address that deals the table, over HTTP and on a socket."""

    @play(file_of(tmp_path), dealing=DealingConfig(address="http://a"))
    async def _(app):
        ann = await Visitor(app).visit()
        table = await ann.open_table("toss-one-21")
        held = {"owner": "another", "address": "http://b", "lease_until": now() + 10 * MINUTE}
        await change(app.state.services, update(tables).values(held))
        path = f"/api/v1/operator/tables/{table}/close"
        answer = await ann.http.post(path, headers=OPERATOR)
        assert answer.status_code == 421
        assert (answer.json()["error"], answer.json()["address"]) == ("elsewhere", "http://b")
        with pytest.raises(RefusedError) as caught:
            await ann.watch(table)
        assert caught.value.answer["address"] == "http://b"


def test_metrics_need_a_token(tmp_path):
    """The metrics need a token, because they would show who has decided.

    An address proves nothing. A proxy on this machine that sends no forwarded header makes every
    stranger look local, and an IPv4-mapped address once passed for this machine.
    """

    async def status(app, address, token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return (await Visitor(app, address).http.get("/metrics", headers=headers)).status_code

    @play(file_of(tmp_path), metrics="scraper")
    async def _(app):
        for address in ("127.0.0.1", "::1", "::ffff:192.0.2.1", "192.0.2.1", "2001:db8::1"):
            assert await status(app, address) == 401
            assert await status(app, address, "guess") == 401
            assert await status(app, address, "operator") == 200
            assert await status(app, address, "scraper") == 200


def test_guesses_at_the_metrics_count_as_guesses_of_the_operators_token(tmp_path):
    """Wrong tokens at /metrics lock their address; the metrics token does not unlock it."""

    async def status(app, path, token):
        headers = {"Authorization": f"Bearer {token}"}
        return (await Visitor(app).http.get(path, headers=headers)).status_code

    @play(file_of(tmp_path), metrics="scraper")
    async def _(app):
        tokens = ["guess", "guess", "guess", "scraper", "guess", "guess", "guess", "scraper"]
        found = [await status(app, "/metrics", token) for token in tokens]
        assert found == [401, 401, 401, 200, 401, 401, 429, 200]
        assert await status(app, "/metrics", "operator") == 429
        assert await status(app, "/api/v1/operator/tables", "operator") == 429


def test_the_metrics_token_operates_nothing(tmp_path):
    """The metrics token does not open the operator's routes."""

    @play(file_of(tmp_path), metrics="scraper")
    async def _(app):
        headers = {"Authorization": "Bearer scraper"}
        answer = await Visitor(app).http.get("/api/v1/operator/tables", headers=headers)
        assert answer.status_code == 401
