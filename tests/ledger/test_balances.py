"""Stored balances: a long history costs nothing, and the audit compares them with the ledger."""

# ruff: noqa: S608  the statements are our own

import asyncio
import time

import pytest
from sqlalchemy import text

from pitboss.backoffice.audit import audit
from tests.web.client import RefusedError
from tests.web.gamblers import Crowd, change
from tests.web.in_process import bet, new_table, services_on, sit
from tests.web.servers import Server

LINES = 300_000
INTO_LEDGER = "INSERT INTO ledger (chain, seq, account, amount, memo)"
HISTORY = "SELECT 'table:long', i, :account, 100 * (1 - 2 * (i % 2)), 'bet' FROM n"
NUMBERS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :lines)",
    "postgresql": "WITH n(i) AS (SELECT generate_series(1, :lines))",
}


async def add_history(url, player):
    """Give a player many ledger lines that sum to zero."""
    statement = text(" ".join((INTO_LEDGER, NUMBERS[url.partition("+")[0]], HISTORY)))
    await change(url, statement.bindparams(lines=LINES, account=f"player:{player}"))


async def quickest(ask):
    took = []
    for _ in range(8):
        start = time.perf_counter()
        await ask()
        took.append(time.perf_counter() - start)
    return min(took)


def test_a_long_history_costs_nothing(database_url):
    """A player with 300,000 ledger lines gets answers as fast as a new one."""

    async def run(server):
        async with Crowd() as crowd:
            old, new = [await crowd.guest(server.address) for _ in range(2)]
            await add_history(database_url, old.me["id"])

            async def refill(guest):
                with pytest.raises(RefusedError, match="refilled only below"):
                    await guest.post("/api/v1/me/refill")

            for ask in (lambda guest: guest.get("/api/v1/me"), refill):
                slow, fast = [await quickest(lambda g=g, a=ask: a(g)) for g in (old, new)]
                assert slow < 4 * fast + 0.01, (slow, fast)

    with Server(database_url, "--requests", "100000") as server:
        asyncio.run(run(server))


def test_bets_of_a_player_who_left_are_part_of_the_worth(database_url):
    """A player who leaves during a round still owns the bet; its result counts once settled."""

    async def run():
        async with services_on(database_url) as services:
            ann, _ = await services.accounts.guest("ann")
            account = f"player:{ann.id}"
            dealer = await new_table(services, "t")
            await sit(dealer, ann)
            while not dealer.table.hand.is_dealt:
                await bet(dealer, ann, 500)
                await dealer.act(lambda table: table.deal())
            has = (await services.store.balances([account]))[account]
            await dealer.act(lambda table: table.leave(ann.id, 1))
            assert await services.store.worth(account) == has + 500
            await dealer.void("it rains")
            assert await services.store.worth(account) == has + 500
            assert await services.store.balances([account]) == {account: has + 500}
        return await audit(database_url)

    assert asyncio.run(run()).ok


FORGERIES = {
    "UPDATE balances SET amount = amount + 100": "in balances has $1,001, the ledger has $1,000",
    "UPDATE balances SET worth = worth + 100": "is worth $1,001, but the records give $1,000",
    "DELETE FROM balances": "in balances has $0, the ledger has $1,000",
    "INSERT INTO balances VALUES ('player:x', 5, 5)": "player:x in balances has $0.05",
    "UPDATE ledger SET balance = 5 WHERE balance > 0": "balance: $0.05, but the sum is $1,000",
    "UPDATE ledger SET balance = NULL": "the wrong balance: no balance, but the sum is $1,000",
    "UPDATE ledger SET balance = 5 WHERE account = 'bank'": "($0.05): only lines of players have",
}


def test_the_audit_compares_balances_with_the_ledger(database_url):
    """A balance that was altered, removed or added is reported."""

    async def run():
        async with services_on(database_url) as services:
            await services.accounts.guest("ann")
        found = []
        for forgery in FORGERIES:
            await change(database_url, text("CREATE TABLE kept AS SELECT * FROM balances"))
            await change(database_url, text("CREATE TABLE lines AS SELECT * FROM ledger"))
            await change(database_url, text(forgery))
            found.append([finding.what for finding in (await audit(database_url)).findings])
            for name, kept in (("balances", "kept"), ("ledger", "lines")):
                again = (
                    f"DELETE FROM {name}",
                    f"INSERT INTO {name} SELECT * FROM {kept}",
                    f"DROP TABLE {kept}",
                )
                await change(database_url, *map(text, again))
        return found, await audit(database_url)

    found, report = asyncio.run(run())
    assert report.ok
    for (what,), words in zip(found, FORGERIES.values(), strict=True):
        assert words in what
