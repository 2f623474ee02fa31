"""The tables of a process: takeover, release, and seats of absent players."""

import asyncio

import pytest
from sqlalchemy import func, select, update

from pitboss.dealing import dealer as dealers
from pitboss.dealing import pit as pits
from pitboss.dealing import upkeep
from pitboss.dealing.config import DealingConfig
from pitboss.ledger.clock import now
from pitboss.ledger.errors import ConflictError
from pitboss.ledger.leases import ElsewhereError
from pitboss.ledger.schema import records, seats, tables
from tests.web.in_process import (
    Watcher,
    bet,
    change,
    file_of,
    new_table,
    outcomes,
    rows,
    services_on,
    sit,
)


def test_one_table_that_cannot_be_read_does_not_stop_the_others(tmp_path):
    """A table with unknown rules is skipped, and the other tables are taken over."""

    async def run():
        async with services_on(
            file_of(tmp_path), dealing=DealingConfig(address="http://a")
        ) as services:
            ann, _ = await services.accounts.guest("ann")
            for name in ("t1", "t2", "t3"):
                dealer = await new_table(services, name, seconds=600)
                await sit(dealer, ann)
                await sit(dealer, ann, 2)
                await bet(dealer, ann)
                services.pit.drop(dealer)  # its process dies
            broken = update(tables).where(tables.c.id != "t2")
            await change(services, broken.values(rules='{"no_such_setting":1}'))
            await change(services, update(tables).values(lease_until=0))
            other = pits.Pit(services.store, DealingConfig(address="http://b"))
            await other.take_over()
            found = {name: dealer.table.in_action for name, dealer in other.dealers.items()}
            await other.close()
            return found

    assert asyncio.run(run()) == {"t2": True}


@pytest.mark.parametrize(
    ("one", "other", "taken"),
    [
        (None, None, False),
        ("http://a", None, False),
        (None, "http://b", False),
        ("http://a", "http://b", False),
        ("http://a", "http://a", True),  # of two at one address the first is dead
    ],
)
def test_leases_are_taken_over_only_at_the_same_address(tmp_path, one, other, taken):
    """Only a process at the same address can take over a table before its lease ends."""

    async def run():
        async with services_on(file_of(tmp_path), dealing=DealingConfig(address=one)) as services:
            ann, _ = await services.accounts.guest("ann")
            dealer = await new_table(services, "t", seconds=600)
            await sit(dealer, ann)
            pit = pits.Pit(services.store, DealingConfig(address=other))
            pit.leases.owner = "another process"
            found = await outcomes([pit.dealer("t")])
            await pit.take_over()
            acted = await outcomes([sit(dealer, ann, 2)])
            await pit.close()
            query = select(func.count()).where(records.c.kind == "taken_over")
            return found, acted, (await rows(services, query))[0][0]

    found, acted, noted = asyncio.run(run())

    assert found == [dealers.Dealer if taken else ElsewhereError]
    assert acted == [ConflictError if taken else type(None)]
    assert noted == taken


def test_a_player_who_arrives_during_a_release_keeps_the_table(tmp_path):
    """A player who arrives while idle tables are released keeps the table."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            left, taken = [await new_table(services, name) for name in ("left", "taken")]
            async with services.pit._leasing:
                releasing = asyncio.create_task(services.pit.release_idle())
                await asyncio.sleep(0)  # it has looked, and waits
                taken.viewers.add(Watcher("ann"))
            await releasing
            return left.gone, taken.gone

    assert asyncio.run(run()) == (True, False)


@pytest.fixture
def clock(monkeypatch):
    """Give the pit a clock that the test advances."""
    moment = [now()]
    for module in (dealers, pits, upkeep):
        monkeypatch.setattr(module, "now", lambda: moment[0])

    def go_on(milliseconds):
        moment[0] += milliseconds

    return go_on


async def keep_once(services):
    await services.upkeep.empty_seats()
    await services.pit.release_idle()


def test_seats_are_freed_at_a_busy_table(tmp_path, clock):
    """An absent player loses the seat while others play; a present or returned one does not."""

    async def run():
        async with services_on(
            file_of(tmp_path), dealing=DealingConfig(idle_seat_ms=1000)
        ) as services:
            ann, bob, cyd = [(await services.accounts.guest(n))[0] for n in ("ann", "bob", "cyd")]
            dealer = await new_table(services, "t", seconds=600)
            back = Watcher(cyd.id)
            dealer.viewers |= {Watcher(bob.id), back}
            for seat, player in enumerate((ann, bob, cyd), 1):
                await sit(dealer, player, seat)
            await bet(dealer, bob, seat=2)
            dealer.viewers.discard(back)
            found = []
            for step in (0, 600, 600, 600):
                clock(step)
                await keep_once(services)
                found.append([*dealer.table.places])
                if step == 600 and back not in dealer.viewers:
                    dealer.viewers.add(back)
            assert dealer.table.in_action
            return found, [row.seat for row in await rows(services, select(seats))]

    found, kept = asyncio.run(run())

    assert found == [[1, 2, 3], [1, 2, 3], [2, 3], [2, 3]]
    assert kept == [2, 3]


def test_seats_are_freed_at_a_table_nobody_looks_at(tmp_path, clock):
    """A table with seated players is kept without sockets until their seats are freed."""

    async def run():
        async with services_on(
            file_of(tmp_path), dealing=DealingConfig(idle_seat_ms=1000)
        ) as services:
            ann, _ = await services.accounts.guest("ann")
            await sit(await new_table(services, "t", seconds=600), ann)
            found = []
            for step in (0, 900, 200):
                clock(step)
                await keep_once(services)
                found.append(([*services.pit.dealers], len(await rows(services, select(seats)))))
            return found

    assert asyncio.run(run()) == [(["t"], 1), (["t"], 1), ([], 0)]
