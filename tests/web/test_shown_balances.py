"""Displayed balances agree with the tables next to them."""

import asyncio
import json
import random

import pytest

from pitboss.web.rate_limits import RateLimits
from tests.ledger.test_store import hold
from tests.web.client import RefusedError, new_key
from tests.web.gamblers import eventually
from tests.web.in_process import HungUpError, Visitor, file_of, give, play, quick

__all__ = ["quick"]


def test_the_balance_is_right_after_a_take_over(tmp_path):
    """After a takeover, a player sees the current balance, not a cached one."""
    path = file_of(tmp_path)

    @play(path)
    async def _(app):
        ann = await Visitor(app).visit()
        table = await ann.open_table("toss-one-21")
        at = await ann.sit(table)
        assert at.state["you"]["balance"] == 100_000
        await give(path, ann.me["id"], 700)
        app.state.services.pit.drop(app.state.services.pit.dealers[table])
        await at.hear()
        assert at.state["you"]["balance"] == 100_700
        await give(path, ann.me["id"], 1)
        assert (await ann.watch(table)).state["you"]["balance"] == 100_701


def test_the_balance_is_right_when_it_was_forgotten(tmp_path):
    """A process that dropped a balance from its cache recomputes it."""

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        here, there = [await ann.sit(await ann.open_table("toss-one-21")) for _ in range(2)]
        await there.bet(main=500)
        store = app.state.services.store
        store._known = {}
        store.known_balances.clear()
        await here.ask("sit_out", seat=1, out=True)
        assert here.state["you"]["balance"] == 99_500
        store._known = {}
        store.known_balances.clear()
        await there.ask("take_back", round=1, seat=1)
        assert there.state["you"]["balance"] == 100_000


def test_a_balance_is_not_shown_beside_an_older_table(tmp_path):
    """While a committed bet is not confirmed, no state shows the lower balance without the bet."""

    def seen(state):
        (place,) = state["places"]
        return state["you"]["balance"], place["has_bet"]

    @play(file_of(tmp_path))
    async def _(app):
        ann, store = await Visitor(app).visit(), app.state.services.store
        table = await ann.open_table("toss-one-21")
        at = await ann.sit(table)
        beside = await ann.watch(table)
        free = hold(store)
        betting = asyncio.create_task(at.bet(main=500))

        async def is_kept():
            return (await ann.get("/api/v1/me"))["balance"] == 99_500

        await eventually(is_kept)
        app.state.services.pit.viewers.show_to(ann.me["id"])
        await beside.hear()
        assert seen(beside.state) == (100_000, False)
        store.known_balances.clear()  # it is counted again, in turn
        app.state.services.pit.viewers.show_to(ann.me["id"])
        coming = asyncio.create_task(ann.watch(table))
        await asyncio.sleep(0.05)
        free.set()
        await beside.hear()
        assert seen(beside.state) == (99_500, True)
        assert seen((await coming).state) == (99_500, True)
        await betting
        assert seen(at.state) == (99_500, True)


def test_a_table_released_during_a_request_is_found_again(tmp_path):
    """If the table is released while the balance is read, the client finds it again."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, pit = await Visitor(app).visit(), app.state.services.pit
        table = await ann.open_table("toss-one-21")
        at = await ann.sit(table)
        free = hold(app.state.services.store)
        coming = asyncio.create_task(ann.watch(table))
        await asyncio.sleep(0.05)
        pit.drop(pit.dealers[table])
        free.set()
        beside = await coming
        await at.ask("sit_out", seat=1, out=True)
        await beside.until(lambda state: state["places"][0]["out"])


ENOUGH = 100  # states to see
PATIENCE = 300  # seconds, on a busy machine


class Fray:
    """One player with many sockets at a table, who bets and withdraws during failures."""

    def __init__(self, ann, table):
        self.ann, self.table = ann, table
        self.services = ann.app.state.services
        self.chance = random.Random(7)
        self.seen = set()  # balances with what is on the felt
        self.states = 0
        self._failing = []

    async def come_and_go(self, seat):
        while self.states < ENOUGH:
            try:
                at = await self.ann.watch(self.table)
            except (HungUpError, RefusedError):
                continue  # the table was changing hands
            listening = asyncio.create_task(self._listen(at))
            for _ in range(self.chance.randrange(5, 50)):
                await self._shout(at, seat)
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            await at._socket.close()
            self.ann.app.state.wires.remove(at._socket)

    async def _listen(self, at):
        while True:
            message = json.loads(await at._socket.recv())
            if message["type"] == "state":
                at.state = message
                self.states += 1
                staked = message["round"]["staked"].values()
                self.seen.add(message["you"]["balance"] + sum(staked))

    async def _shout(self, at, seat):
        number = at.state["round"]["number"]
        bet = {"do": "bet", "round": number, "stakes": {"main": 500}}
        do = self.chance.choice(
            [{"do": "sit"}, bet, bet, bet, {"do": "take_back", "round": number}]
        )
        await at.send({"v": 1, "id": new_key(), "seat": seat} | do)
        await asyncio.sleep(self.chance.uniform(0, 0.02))

    async def disturb(self):
        store, run = self.services.store, self.services.store._writer.run

        async def run_or_fail(work, *arguments):
            done = await run(work, *arguments)
            if self._failing:
                raise self._failing.pop()
            return done

        store._writer.run = run_or_fail
        while self.states < ENOUGH:
            await asyncio.sleep(self.chance.uniform(0, 0.05))
            await self.chance.choice(
                [self._forget, self._show, self._fail, self._let_go, self._ask]
            )()
        store._writer.run = run

    async def _forget(self):
        self.services.store.known_balances.clear()

    async def _show(self):
        self.services.pit.viewers.show_to(self.ann.me["id"])

    async def _fail(self):
        self._failing = [OSError("gone behind the commit")]

    async def _let_go(self):
        dealer = self.services.pit.dealers.get(self.table)
        if dealer and not dealer._lock.locked():
            self.services.pit.drop(dealer)

    async def _ask(self):
        await self.ann.get("/api/v1/me")


@pytest.mark.usefixtures("often_checked")
def test_balances_and_tables_agree_whatever_happens(tmp_path):
    """Every state shows a balance that matches its bets, despite failures and takeovers."""
    fast = RateLimits(requests=10**6, burst=10**6, messages=10**6, message_burst=10**6)

    @play(file_of(tmp_path), rate_limits=fast)
    async def _(app):
        ann, bob = await Visitor(app).visit(), await Visitor(app).visit()
        table = await ann.open_table("toss-one-21", seconds=600)
        await bob.sit(table, 5)  # who never bets, so that nothing is dealt
        fray = Fray(ann, table)
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*map(fray.come_and_go, range(1, 5)), fray.disturb())
        assert fray.seen == {100_000}
