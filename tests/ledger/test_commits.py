"""Predictable errors do not split a commit; readiness."""

import asyncio

import pytest
from sqlalchemy.exc import OperationalError

from pitboss.core.errors import RuleError
from pitboss.ledger.store import Store
from tests.web.gamblers import eventually
from tests.web.in_process import Visitor, file_of, outcomes, play, quick, refused, services_on

__all__ = ["quick"]


@pytest.fixture
def split(monkeypatch):
    """Record the commits that had to be split into single units."""
    found, apart = [], Store._commit_apart

    async def noted(store, batch, *, again):
        found.append(len(batch))
        await apart(store, batch, again=again)

    monkeypatch.setattr(Store, "_commit_apart", noted)
    return found


def test_a_taken_name_does_not_split_a_commit(tmp_path, split):
    """A request for a taken name does not split the commit of the others."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            ann, _ = await services.accounts.guest("ann")
            before = services.store.commits
            asked = [services.accounts.guest(f"guest {i}") for i in range(30)]
            asked += [services.accounts.guest("Ann"), services.accounts.rename(ann, "ANN")]
            found = await outcomes(asked)
            return found, services.store.commits - before

    found, commits = asyncio.run(run())

    assert found == [tuple] * 30 + [RuleError] * 2
    assert commits < 10
    assert split == []


def test_a_repeated_key_does_not_split_a_commit(tmp_path, split):
    """A repeated key is found before anything is written."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        body, key = {"game": "toss-one-21"}, {"Idempotency-Key": "k"}
        first = await ann.post("/api/v1/tables", body, **key)
        again = [ann.post("/api/v1/tables", body, **key) for _ in range(5)]
        others = [Visitor(app).visit() for _ in range(20)]
        answers = await asyncio.gather(*again, *others)
        assert [answer["id"] for answer in answers[:5]] == [first["id"]] * 5
        assert split == []


def test_a_server_that_cannot_write_is_not_ready(tmp_path, monkeypatch):
    """A server that can read but not write is not ready, until it can write again."""

    async def full(*_):
        raise OperationalError("INSERT", {}, Exception("disk is full"))

    @play(file_of(tmp_path))
    async def _(app):
        ann, store = Visitor(app), app.state.services.store

        async def status():
            return (await ann.http.get("/health/ready")).status_code

        assert await status() == 200
        with monkeypatch.context() as patch:
            patch.setattr(store._writer, "run", full)
            await refused(ann.visit(), "unavailable")
            assert (await ann.http.get("/api/v1/tables")).status_code == 200
            assert [await status(), await status()] == [503, 503]

        async def is_ready():
            return await status() == 200

        await eventually(is_ready)
        await ann.visit()
