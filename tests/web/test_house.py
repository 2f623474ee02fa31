"""What the house can stop, close and check, in all processes (GLI-19, 2.3 to 2.5)."""

import asyncio
import contextlib
import shutil
import threading
from pathlib import Path

import pytest
from sqlalchemy import insert, select

import pitboss
from pitboss.backoffice import theory
from pitboss.games import GAMES
from pitboss.ledger.clock import now
from pitboss.ledger.schema import IN_CAGE, records, rounds
from pitboss.ledger.software import self_check, software
from pitboss.ledger.transaction import Change, Unit
from pitboss.tables.chain import CAGE, Entry
from pitboss.web import services as services_module
from tests.web.gamblers import eventually
from tests.web.in_process import (
    GOOD,
    OPERATOR,
    OTHER,
    SIGNED_OUT,
    Visitor,
    file_of,
    new_table,
    play,
    quick,
    refused,
    rows,
    served,
    services_on,
)

__all__ = ["quick"]
TOSS, ROLL = "toss-one-21", "roll-your-own"
NO_BETS_AT_TOSS = "the house takes no bets at Toss One 21 now"


async def told(services, kind):
    """Return the facts of significant events of one kind, oldest first."""
    query = select(records.c.body).where(IN_CAGE, records.c.kind == kind)
    return [body for (body,) in await rows(services, query.order_by(records.c.seq))]


async def operate(guest, path, **body):
    return await guest.post(f"/api/v1/operator/{path}", body, **OPERATOR)


async def seated(guest, game, seat=1):
    return await guest.sit(await guest.open_table(game), seat)


async def be_asked(at):
    """Deal rounds until there is a decision to make."""
    while at.state["round"]["phase"] == "betting":
        await at.bet(main=500)
        await at.ask("deal", round=at.number)


# --- all play, or one game, is stopped


@pytest.mark.parametrize("game", [None, TOSS])
def test_play_is_stopped_and_begins_again(tmp_path, game):
    """A stopped game takes no bets and finishes its rounds; other games continue."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at, other = await seated(ann, TOSS), await seated(ann, ROLL)
        await be_asked(at)
        number, decision = at.number, at.state["views"][0]["legal"][0]
        await operate(ann, "gaming", game=game, open=False, reason="a drill")
        await at.until(lambda state: state["closed"])
        await at.ask("decide", seat=1, version=at.state["version"], decision=decision)
        assert (at.number, at.state["closed"]) == (number + 1, True)
        told_why = "the house takes no bets now" if game is None else NO_BETS_AT_TOSS
        assert (await refused(at.bet(main=500), "not_allowed"))["detail"] == told_why
        if game is None:
            await refused(other.bet(bet=500), "not_allowed")
        else:
            await other.bet(bet=500)
        await operate(ann, "gaming", game=game, open=True, reason="it is over")
        await at.until(lambda state: not state["closed"])  # without a reload
        await at.bet(main=500)


@contextlib.asynccontextmanager
async def two_processes(tmp_path, monkeypatch):
    """Run the application twice on one database, as two processes would."""
    monkeypatch.setattr(services_module, "REFRESH_S", 0.05)
    async with served(file_of(tmp_path)) as here, served(file_of(tmp_path)) as there:
        yield here, there


def test_other_processes_stop_too(tmp_path, monkeypatch):
    """A game stopped or resumed in one process is stopped or resumed in all."""

    async def run():
        async with two_processes(tmp_path, monkeypatch) as (here, there):
            ann = await Visitor(here).visit()

            async def is_stopped():
                return not there.state.services.pit.switches.takes_bets(ROLL)

            async def is_open():
                return not await is_stopped()

            await operate(ann, "gaming", game=ROLL, open=False, reason="a drill")
            await eventually(is_stopped)
            assert there.state.services.pit.switches.takes_bets(TOSS)
            await operate(ann, "gaming", game=ROLL, open=True, reason="it is over")
            await eventually(is_open)

    asyncio.run(run())


def test_other_processes_close_an_account_too(tmp_path, monkeypatch):
    """An account blocked in one process loses its sockets in all processes."""

    async def run():
        async with two_processes(tmp_path, monkeypatch) as (here, there):
            ann, house = await Visitor(there).visit(), Visitor(here)
            at = await seated(ann, TOSS)
            await operate(house, f"players/{ann.me['id']}/block", blocked=True)
            assert await at.hung_up() == SIGNED_OUT
            await refused(ann.get("/api/v1/me"), "not_signed_in")

    asyncio.run(run())


# --- the program is what it was


def test_a_program_that_was_changed_takes_no_bets(tmp_path, monkeypatch):
    """If the program's files changed, the self-check fails, is recorded, and bets are rejected."""

    async def ready(guest):
        return (await guest.http.get("/health/ready")).status_code

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await seated(ann, TOSS)
        assert (await operate(ann, "self-check"))["ok"]
        with monkeypatch.context() as patch:
            patch.setattr(services_module, "self_check", lambda: "another")
            assert not (await operate(ann, "self-check"))["ok"]
            assert await ready(ann) == 503
            await refused(at.bet(main=500), "not_allowed")
        (event,) = await told(app.state.services, "self_check_failed")
        assert '"found":"another"' in event
        assert software()["hash"] in event
        assert (await operate(ann, "self-check"))["ok"]
        assert await ready(ann) == 200
        await at.bet(main=500)


def test_the_check_sees_every_file(tmp_path, monkeypatch):
    """Any changed byte, file name or number of files changes the hash; compiled files do not."""
    package = tmp_path / "pitboss"
    left_out = shutil.ignore_patterns("__pycache__", "page")
    shutil.copytree(Path(pitboss.__file__).parent, package, ignore=left_out)
    monkeypatch.setattr(pitboss, "__file__", str(package / "__init__.py"))
    before = self_check()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.pyc").write_bytes(b"x")
    assert self_check() == before
    seen = {before}
    cards = package / "core" / "cards.py"
    cards.write_bytes(cards.read_bytes() + b"\n")
    seen.add(self_check())
    cards.rename(package / "other.py")
    seen.add(self_check())
    (package / "web" / "new.txt").touch()
    seen.add(self_check())
    (package / "core" / "errors.py").unlink()
    seen.add(self_check())
    assert len(seen) == 5


def test_a_return_out_of_range_is_on_record(tmp_path):
    """The daily check records a game that never pays, but not a game that nobody played."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            await new_table(services, "rigged")
            await services.watch_returns()
            assert await told(services, "return_out_of_range") == []
            row = {"table_id": "rigged", "game": TOSS, "rules_digest": GAMES[TOSS].rules().digest()}
            row |= {"status": "settled", "stakes": '[{"main":500}]', "staked": 500, "net": -500}
            new = insert(rounds)
            lost = tuple(
                Change(new, row | dict.fromkeys(("number", "opened", "ended", "seq"), number))
                for number in range(1, 101)
            )
            entry = Entry(chain=CAGE, kind="rigged", body={})
            await services.store.write(Unit(at=now(), entries=(entry,), changes=lost))
            await services.watch_returns()
            (event,) = await told(services, "return_out_of_range")
            assert f'"game":"{TOSS}"' in event

    asyncio.run(run())


# --- theory


def test_the_operator_does_not_wait_for_theory(tmp_path, monkeypatch):
    """Actual figures come at once, and theory when it is computed; a client can choose to wait."""
    compute, may_go_on = theory._computed, threading.Event()
    started = []

    def held_up(rules):
        started.append(rules)
        may_go_on.wait(30)
        return compute(rules)

    monkeypatch.setattr(theory, "_found", {})
    monkeypatch.setattr(theory, "_computed", held_up)

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await seated(ann, TOSS)
        await at.play_round(main=500)

        async def asked(path):
            return await ann.get(f"/api/v1/operator/{path}", **OPERATOR)

        try:
            for _ in range(3):  # a second request does not start a second job
                game, table = (await asked("performance?wait=false"))["rows"]
                chart = await asked(f"chart?wait=false&table={at.table}")
        finally:
            may_go_on.set()
        for one in (game, table, chart):
            assert (one["rounds"], one["pending"]) == (1, True)
        assert game["initial"] == 500
        assert (game["theoretical_hold"], chart["points"][0]["expected"]) == (None, None)

        waited, _ = (await asked("performance"))["rows"]
        assert (waited["pending"], waited["theoretical_hold"]) == (False, -3)
        ready, _ = (await asked("performance?wait=false"))["rows"]
        chart = await asked(f"chart?wait=false&table={at.table}")
        assert ready == waited
        assert (chart["pending"], chart["points"][0]["expected"]) == (False, -3)
        assert len(started) == 1


def test_a_void_round_needs_no_theory(tmp_path):
    """No theory is pending before the first finished round, which a bust may end at once."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        at = await seated(ann, TOSS)
        await be_asked(at)
        await operate(ann, f"tables/{at.table}/void", reason="a drill")
        found = await ann.get("/api/v1/operator/performance?wait=false", **OPERATOR)
        assert [row["voids"] for row in found["rows"]] == [1, 1]
        assert not [row for row in found["rows"] if row["pending"] and not row["rounds"]]


# --- guesses


def test_guesses_of_the_old_password_count(tmp_path):
    """Wrong old passwords in a password change lock the name like failed log-ins."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, eve = await Visitor(app).visit("ann"), Visitor(app, "192.0.2.1")
        await ann.post("/api/v1/me/password", {"password": GOOD})
        guess = {"password": OTHER, "old": "not the password"}
        for _ in range(3):
            await refused(ann.post("/api/v1/me/password", guess), "not_signed_in")
        right = {"password": OTHER, "old": GOOD}
        await refused(ann.post("/api/v1/me/password", right), "locked")
        for password, error in (("wrong password", "not_signed_in"), (GOOD, "locked")):
            log_in = eve.post("/api/v1/login", {"name": "ann", "password": password})
            await refused(log_in, error)
