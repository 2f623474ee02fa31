"""Every process has its own cage chain, which names the previous one."""

import asyncio

import pytest
from sqlalchemy import select, text

from pitboss.backoffice import events as event_reports
from pitboss.backoffice.audit import audit
from pitboss.ledger.errors import RepeatedError
from pitboss.ledger.schema import records
from pitboss.ledger.store import Store
from pitboss.ledger.transaction import Unit
from pitboss.tables.chain import Entry
from tests.web.gamblers import change, rows
from tests.web.in_process import services_on


def note(store, number, key=None):
    entry = Entry(chain=store.cage, kind="noted", body={"reason": str(number)}, key=key)
    return store.write(Unit(at=number, entries=(entry,)))


async def opened(url, count):
    return [await Store.open(url) for _ in range(count)]


async def closed(stores):
    for store in stores:
        await store.close()


def test_cages_follow_each_other(database_url):
    """Processes that start at once form one sequence: each names a different predecessor."""

    async def run():
        stores = await opened(database_url, 4)
        await asyncio.gather(*(note(store, number) for number, store in enumerate(stores)))
        await closed(stores)
        started = select(records.c.chain, records.c.key).where(records.c.kind == "started")
        return await audit(database_url), await rows(database_url, started)

    report, started = asyncio.run(run())
    assert report.ok, report.findings
    assert {chain for chain, _ in started} == report.heads.keys()
    before = {key.removeprefix("after:") for _, key in started}
    assert "" in before
    assert len(before) == 4


def test_a_key_counts_once_in_all_cages(database_url):
    """A request that two processes receive at the same time is carried out by only one of them."""

    async def run():
        stores = await opened(database_url, 2)
        try:
            asked = [note(store, 1, key="k") for store in stores]
            answers = await asyncio.gather(*asked, return_exceptions=True)
            with pytest.raises(RepeatedError):
                await note(stores[0], 2, key="k")
            return [isinstance(answer, RepeatedError) for answer in answers]
        finally:
            await closed(stores)

    assert sorted(asyncio.run(run())) == [False, True]


def test_events_of_all_cages_are_listed_once(database_url):
    """Events are listed newest first, page by page, whichever process recorded them."""

    async def run():
        stores = await opened(database_url, 2)
        try:
            for number in range(100, 110):  # two at every moment
                await note(stores[number % 2], number // 2)
            found, before = [], None
            while True:
                page = await event_reports.events(stores[0], limit=3, before=before, kind="noted")
                found += [int(row["facts"]["reason"]) for row in page["rows"]]
                before = page["before"]
                if before is None:
                    return found
        finally:
            await closed(stores)

    assert asyncio.run(run()) == [n // 2 for n in range(109, 99, -1)]


FORGE_BALANCES = text("DELETE FROM balances WHERE account NOT IN (SELECT account FROM ledger)")
WHOLE = (
    "DELETE FROM records WHERE chain = :cage",
    "DELETE FROM ledger WHERE chain = :cage",
    "DELETE FROM chains WHERE name = :cage",
)
END = (
    "DELETE FROM records WHERE chain = :cage AND seq > 1",
    "DELETE FROM ledger WHERE chain = :cage AND seq > 1",
    (
        "UPDATE chains SET seq = 1, hash = (SELECT hash FROM records WHERE chain = :cage)"
        " WHERE name = :cage"
    ),
)


@pytest.mark.parametrize("removed", [WHOLE, END], ids=["whole", "end"])
def test_a_cage_that_was_removed_is_noticed(database_url, removed):
    """The next cage names the removed one, or the records that were cut from its end."""

    async def run():
        cages = []
        for name in ("ann", "bob"):
            async with services_on(database_url) as services:
                await services.accounts.guest(name)
                cages.append(services.store.cage)
        forgeries = [text(statement).bindparams(cage=cages[0]) for statement in removed]
        await change(database_url, *forgeries, FORGE_BALANCES)
        return cages[0], await audit(database_url)

    cage, report = asyncio.run(run())
    found = [one.what for one in report.findings if (one.kind, one.chain) == ("missing", cage)]
    assert any("began after its record 2, which is missing" in what for what in found)
