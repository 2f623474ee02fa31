"""Tables restored from their records, and from a backup."""

import asyncio
import contextlib
import sqlite3

import pytest
from sqlalchemy import func, select

from pitboss.backoffice.audit import audit
from pitboss.core.errors import SettingError
from pitboss.dealing.config import DealingConfig
from pitboss.ledger.clock import now
from pitboss.ledger.schema import ledger
from pitboss.ledger.table_queries import finished_round
from pitboss.tables.chain import player_account
from pitboss.tables.names import table_handle as handle
from pitboss.web.accounts import Bankroll
from tests.web.client import Guest
from tests.web.in_process import MINUTE, bet, file_of, new_table, rows, served, services_on, sit
from tests.web.servers import Server


def copy(source, target):
    """Back up the database while the server runs."""
    closing, connect = contextlib.closing, sqlite3.connect
    with closing(connect(source)) as old, closing(connect(target)) as new:
        old.backup(new)


async def leave_open_rounds(path, backup):
    """Play up to open rounds and make a backup; return their commitments."""
    async with services_on(path, dealing=DealingConfig(address="http://a")) as services:
        ann, token = await services.accounts.guest("ann")
        dealers = [await new_table(services, name) for name in ("bet", "closed", "dealt", "empty")]
        for dealer in dealers[:3]:
            await sit(dealer, ann)
            await bet(dealer, ann)
        await dealers[1].act(lambda table: table.close())
        while not dealers[2].table.hand.is_dealt:
            await dealers[2].act(lambda table: table.deal())
            if not dealers[2].table.in_action:  # it was over at once
                await bet(dealers[2], ann)
        copy(path, backup)
        promised = {d.table.setup.id: d.table.hand for d in dealers}
        return ann, token, promised


def test_after_a_restore_no_seed_that_may_be_known_is_used(tmp_path):
    """After a restore every open round is void, its bets are returned, and a new one is opened."""
    backup = tmp_path / "backup.db"

    async def run():
        ann, _, promised = await leave_open_rounds(file_of(tmp_path), backup)
        async with served(backup, restored=True, dealing=DealingConfig(address="http://a")) as app:
            services = app.state.services
            for name, hand in promised.items():
                dealer = await services.pit.dealer(name)
                assert dealer.table.hand.number == hand.number + 1, name
                assert dealer.table.hand.commitment != hand.commitment
                assert not dealer.table.in_action
                record = await finished_round(services.store, name, hand.number)
                assert record["status"] == "void"
                assert "restored" in record["reason"]
            kept = (await services.store.balances([player_account(ann.id)])).popitem()[1]
            query = select(func.sum(ledger.c.amount)).where(ledger.c.account.startswith("felt:"))
            assert (await rows(services, query))[0][0] == 0
        return kept, promised["dealt"].number, await audit(str(backup))

    kept, number, report = asyncio.run(run())

    assert report.ok, report.findings
    assert report.void == 4
    if number == 1:  # nothing was won or lost before
        assert kept == Bankroll().start


def test_a_table_that_cannot_be_read_stops_a_restore(tmp_path, caplog):
    """If a table cannot be read after a restore, the server does not start, and names the table."""
    backup = tmp_path / "backup.db"

    async def run():
        _, _, promised = await leave_open_rounds(file_of(tmp_path), backup)
        with contextlib.closing(sqlite3.connect(backup)) as connection, connection:
            broken = "UPDATE tables SET rules = '{\"no_such_setting\":1}' WHERE id = ?"
            connection.execute(broken, (min(promised),))
        with pytest.raises(SettingError, match="no_such_setting"):
            async with served(backup, restored=True, dealing=DealingConfig(address="http://a")):
                raise AssertionError("it has started")
        return min(promised)

    assert f"table {handle(asyncio.run(run()))} cannot be restarted" in caplog.text


def test_leases_in_a_backup_hold_nothing(tmp_path):
    """A server at another address voids the open rounds of all tables leased in the backup."""
    backup = tmp_path / "backup.db"

    async def run():
        _, _, promised = await leave_open_rounds(file_of(tmp_path), backup)
        with contextlib.closing(sqlite3.connect(backup)) as connection, connection:
            held = "UPDATE tables SET owner = 'gone', address = 'http://gone', lease_until = ?"
            connection.execute(held, (now() + 60 * MINUTE,))
        async with served(backup, restored=True, dealing=DealingConfig(address="http://b")) as app:
            tables_ = [await app.state.services.pit.dealer(name) for name in promised]
            hands = {dealer.table.setup.id: dealer.table.hand for dealer in tables_}
        return [hands[name].number - hand.number for name, hand in promised.items()]

    assert set(asyncio.run(run())) == {1}


def test_a_table_that_stays_unreadable_is_void_once(tmp_path):
    """A table that stays unreadable gets one void round, not a new one at every attempt."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            services.pit.drop(await new_table(services, "t"))

            async def cannot(*_):
                raise ZeroDivisionError

            restorer = services.pit._restorer
            replay, restorer._replay = restorer._replay, cannot
            for _ in range(3):
                with pytest.raises(ZeroDivisionError):
                    await services.pit.dealer("t")
            restorer._replay = replay
            return (await services.pit.dealer("t")).table.hand.number

    assert asyncio.run(run()) == 2


def test_serve_restored(tmp_path):
    """`serve --restored` voids open rounds before it accepts connections."""
    backup = tmp_path / "backup.db"
    _, token, promised = asyncio.run(leave_open_rounds(file_of(tmp_path), backup))

    async def look(address):
        guest = Guest(address)
        guest.http.cookies.set("pitboss", token)
        at = await guest.watch("bet")
        await at.close()
        await guest.close()
        return at.state["round"]

    with Server(str(backup), "--address", "http://a", "--restored") as server:
        shown = asyncio.run(look(server.address))

    assert (shown["number"], shown["staked"]) == (promised["bet"].number + 1, {})
    assert shown["commitment"] != promised["bet"].commitment
