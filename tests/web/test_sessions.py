"""Sessions that end, and the sockets that they close."""

import asyncio

import pytest
from sqlalchemy import delete, select, update

from pitboss.ledger.clock import now
from pitboss.ledger.errors import UnavailableError
from pitboss.ledger.schema import sessions
from pitboss.web import socket as sockets
from tests.web.in_process import (
    GOOD,
    MINUTE,
    OTHER,
    SIGNED_OUT,
    Visitor,
    change,
    file_of,
    give,
    play,
    quick,
    refused,
    rows,
)

__all__ = ["quick"]


async def two_at_a_table(app, monkeypatch=None):
    """Seat ann, who has an account with a password, and bob at a table without waiting."""
    ann, bob = await Visitor(app).visit("ann"), await Visitor(app).visit("bob")
    await ann.post("/api/v1/me/password", {"password": GOOD})
    table = await ann.open_table("toss-one-21", seconds=600)
    at, beside = await ann.sit(table, 1), await bob.sit(table, 2)
    await at.until(lambda state: len(state["places"]) == 2)
    return ann, at, beside


async def log_out(ann):
    await ann.post("/api/v1/logout")


async def change_password_elsewhere(ann):
    phone = Visitor(ann.app)
    await phone.post("/api/v1/login", {"name": "ann", "password": GOOD})
    await phone.post("/api/v1/me/password", {"password": OTHER, "old": GOOD})


async def end_elsewhere(ann):
    """End the session in another process."""
    await change(ann.app.state.services, delete(sessions).where(sessions.c.token == ann.session))


ENDS = [log_out, change_password_elsewhere, end_elsewhere]


@pytest.mark.parametrize("end", ENDS[:2])
@pytest.mark.parametrize("moved", [True, False])
def test_an_open_socket_ends_with_its_session(tmp_path, end, moved):
    """After a log-out or password change elsewhere, the socket shows and does nothing more."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, beside = await two_at_a_table(app)
        await end(ann)
        if moved:
            await beside.ask("sit_out", seat=2, out=True)
        else:
            await refused(at.ask("sit_out", seat=1, out=True), "not_signed_in")
        assert await at.hung_up() == SIGNED_OUT
        assert [place["out"] for place in beside.state["places"]] == [False, moved]


@pytest.mark.usefixtures("often_checked")
def test_a_socket_ends_with_a_session_that_ended_elsewhere(tmp_path):
    """A session that another process ended closes the socket, even without a request."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, _ = await two_at_a_table(app)
        await end_elsewhere(ann)
        assert await at.hung_up() == SIGNED_OUT


def test_a_bet_changes_the_balance_at_other_tables(tmp_path):
    """A player at two tables sees the current balance at both."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, bob = await Visitor(app).visit(), await Visitor(app).visit()
        here, there = [await ann.sit(await ann.open_table("toss-one-21")) for _ in range(2)]
        other = await bob.sit(await bob.open_table("toss-one-21"))
        await there.bet(main=500)
        await here.until(lambda state: state["you"]["balance"] == 99_500)
        await there.ask("take_back", round=1, seat=1)
        await here.until(lambda state: state["you"]["balance"] == 100_000)
        assert other.state["you"]["balance"] == 100_000


@pytest.mark.usefixtures("often_checked")
def test_a_win_elsewhere_is_shown(tmp_path):
    """A payment by another process is shown at an idle table."""
    path = file_of(tmp_path)

    @play(path)
    async def _(app):
        _, at, _ = await two_at_a_table(app)
        before = at.state["you"]["balance"]
        await give(path, at.guest.me["id"], 700)
        await at.until(lambda state: state["you"]["balance"] == before + 700)


@pytest.mark.usefixtures("often_checked")
def test_a_win_elsewhere_that_equals_the_bet_is_shown(tmp_path):
    """A win elsewhere that equals the bet is shown, because the last shown balance was lower."""
    path = file_of(tmp_path)

    @play(path)
    async def _(app):
        store = app.state.services.store
        ann, at, _ = await two_at_a_table(app)
        begun, go, look = asyncio.Event(), asyncio.Event(), store.refresh_balance

        async def look_late(account):
            begun.set()
            await go.wait()
            await look(account)

        store.refresh_balance = look_late
        await begun.wait()
        await at.bet(main=500)
        await give(path, ann.me["id"], 500)
        go.set()
        await at.until(lambda state: state["you"]["balance"] == 100_000)


@pytest.mark.usefixtures("often_checked")
def test_a_socket_outlives_an_outage(tmp_path):
    """Failed session checks do not close a socket; after the outage it shows the changes."""
    path = file_of(tmp_path)

    @play(path)
    async def _(app):
        store = app.state.services.store
        ann, at, _ = await two_at_a_table(app)
        failed, run = asyncio.Event(), store._writer.run

        async def fail(*_):
            failed.set()
            raise OSError("gone")

        store._writer.run = fail
        await failed.wait()
        await asyncio.sleep(0.1)
        store._writer.run = run
        await give(path, ann.me["id"], 700)
        await at.until(lambda state: state["you"]["balance"] == 100_700)


def test_a_socket_ends_with_a_session_that_ends_while_it_asks(tmp_path):
    """A request is completed, but its result is not sent if the player has signed out meanwhile."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, beside = await two_at_a_table(app)
        store, keep = app.state.services.store, app.state.services.store.write

        async def keep_and_end(unit):
            kept = await keep(unit)
            store.write = keep
            await log_out(ann)
            return kept

        store.write = keep_and_end
        await at.send({"v": 1, "id": "last", "do": "sit_out", "seat": 1, "out": True})
        assert await at.hung_up() == SIGNED_OUT
        await beside.until(lambda state: state["places"][0]["out"])


async def seen_of(ann):
    query = select(sessions.c.seen).where(sessions.c.token == ann.session)
    ((seen,),) = await rows(ann.app.state.services, query)
    return seen


async def move_back(ann, by):
    query = update(sessions).where(sessions.c.token == ann.session)
    await change(ann.app.state.services, query.values(seen=sessions.c.seen - by))
    return await seen_of(ann)


@pytest.mark.usefixtures("often_checked")
def test_listening_does_not_renew_a_session(tmp_path):
    """Received states and pings do not renew a session; after half an hour the socket closes."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, at, beside = await two_at_a_table(app)
        await viewers_of(app, at)
        seen = await move_back(ann, 29 * MINUTE)
        await beside.ask("sit_out", seat=2, out=True)
        await at.until(lambda state: state["places"][1]["out"])
        await at.ask("ping")
        player = await app.state.services.accounts._signed_in(ann.session)
        assert await app.state.services.accounts.ends_at(player) > now()
        assert await seen_of(ann) == seen
        await at.ask("sit_out", seat=1, out=True)
        await viewers_of(app, at)
        assert await seen_of(ann) > seen + 28 * MINUTE
        await move_back(ann, 31 * MINUTE)
        assert await at.hung_up() == SIGNED_OUT


async def viewers_of(app, at):
    """Return the sockets at a table, after all activity of their players is stored."""
    await app.state.services.accounts.write_activity()
    return app.state.services.pit.dealers[at.table].viewers


async def be_idle(app, at, minutes):
    """Let time pass without activity of the socket's player."""
    for viewer in await viewers_of(app, at):
        viewer._active -= minutes * MINUTE
    return await move_back(at.guest, minutes * MINUTE)


def test_a_request_in_time_renews_the_session(tmp_path):
    """A request after 29 minutes keeps the session, also for the next HTTP request."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await ann.watch(await ann.open_table("toss-one-21"))
        seen = await be_idle(app, at, 29)
        before = now()
        await at.ask("sit", seat=1)
        assert seen < before <= await seen_of(ann) <= now()


def test_a_request_after_the_session_ended_is_rejected(tmp_path):
    """A request after 31 minutes does nothing and closes the socket, before any periodic check."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await ann.watch(await ann.open_table("toss-one-21"))
        seen = await be_idle(app, at, 31)
        await refused(at.ask("sit", seat=1), "not_signed_in")
        assert await at.hung_up() == SIGNED_OUT
        assert await seen_of(ann) == seen


def test_activity_counts_from_when_it_happened(tmp_path):
    """Activity stored late, after an outage, counts from when it happened."""

    @play(file_of(tmp_path))
    async def _(app):
        accounts, store = app.state.services.accounts, app.state.services.store
        ann, at, _ = await two_at_a_table(app)
        await viewers_of(app, at)
        before = now()
        await at.ask("sit_out", seat=1, out=True)
        after, change_ = now(), store.change

        async def fail(_):
            raise UnavailableError("gone")

        store.change = fail
        with pytest.raises(UnavailableError):
            await accounts.write_activity()
        store.change = change_
        await asyncio.sleep(0.1)
        await accounts.write_activity()
        assert before <= await seen_of(ann) <= after
        assert not accounts._active


def test_older_activity_does_not_shorten_a_session(tmp_path):
    """Two processes may store activity in any order; the newest time counts."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, accounts = await Visitor(app).visit(), app.state.services.accounts
        player, sign = await accounts._signed_in(ann.session), now() + 1000
        for at in (sign, sign - 500):
            await accounts.note_activity(player, at, before=0)
        assert await seen_of(ann) == sign


def test_playing_at_another_table_renews_the_session(tmp_path):
    """A socket idle for half an hour stays open if its player was active elsewhere."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await ann.watch(await ann.open_table("toss-one-21"))
        for viewer in await viewers_of(app, at):
            viewer._active -= 31 * MINUTE
        await at.ask("sit", seat=1)


@pytest.mark.usefixtures("often_checked")
def test_unexpected_errors_are_logged_and_close_the_socket(tmp_path, caplog):
    """An unexpected error in a background task is logged, and closes the socket as an error."""

    @play(file_of(tmp_path))
    async def _(app):
        _, at, _ = await two_at_a_table(app)

        async def look(_):
            raise ZeroDivisionError("a defect")

        app.state.services.store.refresh_balance = look
        assert await at.hung_up() == sockets.ERROR

    assert "failed" in caplog.text
    assert "ZeroDivisionError: a defect" in caplog.text
