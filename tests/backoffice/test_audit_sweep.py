"""Alter every column of every table: the audit finds it, or the docs name it as unrecorded."""

# ruff: noqa: S608  a forger writes statements as they come

import asyncio
import json
import random
import secrets
import shutil
from contextlib import asynccontextmanager
from unittest import mock

import pytest
from sqlalchemy import Boolean, Integer, Text, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from pitboss.backoffice import audit as auditing
from pitboss.backoffice.audit import audit
from pitboss.ledger.clock import now
from pitboss.ledger.schema import balances, chains, ledger, metadata, players, records, switches
from pitboss.ledger.snapshot import Snapshot
from pitboss.ledger.store import Store
from pitboss.ledger.transaction import Unit
from pitboss.tables.chain import BANK, START, Entry, canonical, player_account, record_hash
from pitboss.tables.hand import Place
from pitboss.tables.limits import Limit
from pitboss.tables.names import name_key
from pitboss.web.accounts import Accounts, Bankroll, SignInError
from tests.backoffice.test_audit import (
    CAGE,
    ROLL,
    TOSS,
    bet_and_deal,
    database_of,
    lines,
    new_table,
    pit_on,
    play,
    sql_async,
)
from tests.dealing.test_survival import downgrade, with_connection
from tools.console import ROOT

UNRECORDED = {
    "players.password",  # whether there is one is checked
    "ledger.id",  # the order of lines is checked, so the last line can have any larger number
    "sessions",
    "failures",
    "logins",
    "processes",
    "tables.owner",
    "tables.address",
    "tables.lease_until",
    "tables.used",
}
"""Columns, and whole tables, that follow from no record: docs/audit.md names each of them."""

NAMES = "ann", "bob", "cyd", "dan", "eve"
LUCKY = (11).to_bytes(32, "big")
"""A server seed by which the first round of the table *roll* has a split and insurance."""


# --- a small casino in which everything has happened


async def come(accounts):
    """Create five players: one with a password, one renamed, one blocked, one unblocked again."""
    found = {}
    for name in NAMES:
        found[name], _ = await accounts.guest(name)
    await accounts.set_password(found["ann"], "correct horse", None, "::1")
    await accounts.rename(found["bob"], "Robert")
    for blocked in (True, False):
        await accounts.block(found["dan"].id, blocked=blocked)
    await accounts.block(found["eve"].id, blocked=True)
    with pytest.raises(SignInError):
        await accounts.log_in("ann", "wrong password", "::1")
    return {name: player.id for name, player in found.items()}


async def split_and_insure(dealer, seats):
    """Play the first round of a table, whose seeds give a pair and an ace up."""
    for seat, player in seats.items():
        await dealer.act(lambda t, p=player, s=seat: t.sit(s, Place(p, p, f"luck-{s}")))
    for seat, player in seats.items():
        await dealer.act(lambda t, p=player, s=seat: t.bet(p, s, {"bet": 500}))
    while dealer.table.hand.number == 1:
        seat = dealer.table.waiting()[0]
        legal = sorted(map(str, dealer.table.hand.round.legal(seat)), reverse=True)
        said = next((one for one in legal if one.startswith(("split", "insure"))), legal[0])
        await dealer.act(lambda t, s=seat, d=said: t.decide(s, d, player=seats[s]))


async def run_tables(pit, ids, chance):
    """Play both games at shared tables and alone; leave bets and cards on the felt."""
    toss = await new_table(pit, "toss", TOSS, seconds=60)
    with mock.patch.object(secrets, "token_bytes", return_value=LUCKY):
        roll = await new_table(pit, "roll", ROLL, seconds=60)
    await split_and_insure(roll, {1: ids["cyd"], 7: ids["bob"], 5: ids["ann"]})
    alone = await new_table(pit, "alone", TOSS)
    await play(chance, toss, 2, {1: ids["ann"], 4: ids["bob"]})
    await play(chance, roll, 2, {1: ids["cyd"], 7: ids["bob"], 5: ids["ann"]})
    await alone.act(lambda t: t.sit(2, Place(ids["dan"], "dan")))
    await alone.act(lambda t: t.change_limits({"main": Limit(200, 900)}))
    await alone.act(lambda t: t.bet(ids["dan"], 2, {"main": 200}))
    await alone.void("the lights went out")
    await alone.act(lambda t: t.close())
    await bet_and_deal(chance, roll)


async def build(url, chance):
    async with pit_on(url) as pit:
        ids = await come(Accounts(pit.store, Bankroll(start=10_000_00)))
        await run_tables(pit, ids, chance)
        for gaming in (False, True):
            await pit.switches.switch(None, gaming=gaming, reason="a drill")
        await pit.switches.switch("toss-one-21", gaming=False, reason="a new deck")
        assert await pit.store._prove()
    await sql_async(url, "UPDATE tables SET owner = 'dead' WHERE id = 'toss'")
    async with pit_on(url) as other:
        await other.dealer("toss")  # its owner changes


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def casino(request, tmp_path_factory):
    """Return a database that stays unchanged: every alteration is rolled back."""
    with database_of(request, tmp_path_factory, build, 2) as url:
        yield url


class Forger:
    """A connection that may write anything, and an audit of the altered database."""

    def __init__(self, connection):
        self._connection = connection

    async def rows(self, query):
        return (await self._connection.execute(query)).mappings().all()

    async def do(self, *statements):
        for statement in statements:
            await self._connection.execute(statement)

    async def audit(self, anchors=None):
        return await auditing._Audit(
            Snapshot(self._connection), anchors or {}, lambda _: None
        ).run()

    async def tried(self, *statements, anchors=None):
        """Return the findings of an audit after these statements, which are then rolled back."""
        await self.do(*statements)
        report = await self.audit(anchors)
        await self._connection.rollback()
        await self.free()
        return lines(report)

    async def free(self):
        """Act as the owner of the database: disable all foreign keys."""
        if self._connection.dialect.name == "postgresql":
            await self.do(text("SET LOCAL session_replication_role = replica"))


@asynccontextmanager
async def forger_at(url):
    engine = create_async_engine(url, poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            forger = Forger(connection)
            await forger.free()
            yield forger
    finally:
        await engine.dispose()


def forging(url, work):
    async def run():
        async with forger_at(url) as forger:
            return await work(forger)

    return asyncio.run(run())


# --- the honest database


def test_the_casino_is_clean_and_has_everything(casino):
    """Nothing is found before anything is altered, and the database covers every case."""

    async def look(forger):
        assert lines(await forger.audit()) == []
        kinds = {row.kind for row in await forger.rows(select(records.c.kind))}
        said = "SELECT body FROM records WHERE kind = 'decision'"
        words = {
            json.loads(row.body)["decision"].split()[0] for row in await forger.rows(text(said))
        }
        empty = [t.name for t in metadata.sorted_tables if not await forger.rows(select(t))]
        return kinds, words, empty

    kinds, words, empty = forging(casino, look)

    assert {"renamed", "blocked", "unblocked", "password_set", "login_failed", "guest"} <= kinds
    assert {"gaming_open", "gaming_stopped", "table_closed", "limits_changed"} <= kinds
    assert {"void", "settled", "taken_over", "limits", "closed", "sit", "bet", "deal"} <= kinds
    assert {"split", "insure", "toss"} <= words
    assert empty == []


# --- one row of one table


def key_of(table, row):
    return [column == row[column.name] for column in table.primary_key]


def changed(column, value):
    """Return another value that a column can hold."""
    if isinstance(column.type, Boolean):
        return not value
    if isinstance(column.type, Integer):  # also the large ones
        return (value or 0) + 1000
    assert isinstance(column.type, Text), column
    return f"{value or ''}x"


def forged(table, row):
    """Return a copy of a row that the keys of its table allow."""
    keys = {(*c.columns,)[-1].name for c in table.constraints if hasattr(c, "columns")}
    keys |= {column.name for column in table.columns if column.unique}
    foreign = {column.name for column in table.columns if column.foreign_keys}
    fresh = {name: changed(table.c[name], row[name]) for name in keys - foreign}
    return {**row, **fresh}


def is_recorded(table, column=None):
    return table.name not in UNRECORDED and f"{table.name}.{column}" not in UNRECORDED


def some(rows, table, column=None):
    """Return the rows to alter: the first and the last."""
    if not is_recorded(table, column):
        return [next(row for row in reversed(rows) if column is None or row[column] is not None)]
    return [rows[0], rows[-1]]


def every(rows, table, column=None):
    return rows if is_recorded(table, column) else some(rows, table, column)


async def sweep(forger, table, choose):
    """Alter, delete and forge rows of a table; return the cases that the audit judged wrongly."""
    wrong = []
    rows = await forger.rows(select(table).order_by(*table.primary_key))

    async def judge(what, statement, column=None):
        found = await forger.tried(statement)
        if bool(found) is not is_recorded(table, column):
            wrong.append((what, found))

    for column in table.columns:
        for row in choose(rows, table, column.name):
            to = changed(column, row[column.name])
            statement = update(table).where(*key_of(table, row)).values({column.name: to})
            await judge(f"{column}: {row[column.name]!r} to {to!r}", statement, column.name)
    for row in choose(rows, table):
        await judge(f"delete {row}", delete(table).where(*key_of(table, row)))
        await judge(f"forge {row}", insert(table).values(forged(table, row)))
    return wrong


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=str)
def test_every_column_is_checked(casino, table):
    """A value altered, a row deleted or forged is found, unless no record implies it."""
    assert forging(casino, lambda forger: sweep(forger, table, some)) == []


@pytest.mark.long
@pytest.mark.parametrize("table", metadata.sorted_tables, ids=str)
def test_every_row_is_checked(casino, table):
    """The same holds for every row."""
    assert forging(casino, lambda forger: sweep(forger, table, every)) == []


def test_the_docs_name_what_is_not_recorded():
    """The page about the audit names every column that no record implies."""
    page = (ROOT / "docs/audit.md").read_text("utf-8")
    known = {
        f"{table.name}.{column.name}" for table in metadata.sorted_tables for column in table.c
    }

    assert [name for name in sorted(UNRECORDED) if f"`{name}`" not in page] == []
    assert {*UNRECORDED} <= known | {*metadata.tables}


def of_player(name):
    return players.c.name == name


PLAYERS = {
    "a rename is undone": (
        update(players).where(of_player("Robert")).values(name="bob", name_key="bob"),
        "name is 'bob', expected 'Robert'",
    ),
    "an unblocked player is blocked": (
        update(players).where(of_player("dan")).values(blocked=True),
        "blocked is True, expected False",
    ),
    "a blocked player is unblocked": (
        update(players).where(of_player("eve")).values(blocked=False),
        "blocked is False, expected True",
    ),
    "a password is removed": (
        update(players).where(of_player("ann")).values(password=None),
        "having a password is False, expected True",
    ),
    "a password is forged": (
        update(players).where(of_player("cyd")).values(password="$argon2id$"),  # noqa: S106
        "having a password is True, expected False",
    ),
    "a player is deleted": (
        delete(players).where(of_player("Robert")),
        "in players is missing: expected name 'Robert'",
    ),
    "play goes on": (
        update(switches).where(switches.c.name == "toss-one-21").values(value="open"),
        "the row 'toss-one-21' in switches: value is 'open', expected 'stopped'",
    ),
    "play is stopped": (
        update(switches).where(switches.c.name == "roll-your-own").values(value="stopped"),
        "the row 'roll-your-own' in switches: value is 'stopped', expected 'open'",
    ),
    "a switch is deleted": (
        delete(switches).where(switches.c.name == "toss-one-21"),
        "the row 'toss-one-21' in switches is missing: expected value 'stopped'",
    ),
}


@pytest.mark.parametrize("what", PLAYERS)
def test_players_and_switches(casino, what):
    """The finding names the row, its value and the value in the records."""
    statement, words = PLAYERS[what]
    found = forging(casino, lambda forger: forger.tried(statement))

    assert words in found[0]
    assert all(line.startswith(("rows cage:", "rows rows: ")) for line in found)


# --- the order of records, and their end


def at_record(table, chain, seq):
    return (table.c.chain == chain) & (table.c.seq == seq)


def swapped(table, chain, one, other):
    """Return statements that swap two records or their ledger lines."""
    moves = ((one, -1), (other, one), (-1, other))
    return [update(table).where(at_record(table, chain, a)).values(seq=b) for a, b in moves]


async def chains_of(forger):
    return {row["name"]: row["seq"] for row in await forger.rows(select(chains))}


def test_records_are_reordered(casino):
    """Two swapped records are found in every chain, with and without their money."""

    async def reorder(forger):
        return {
            (chain, seq, len(tables)): await forger.tried(
                *(move for table in tables for move in swapped(table, chain, seq, seq + 1))
            )
            for chain, last in (await chains_of(forger)).items()
            for seq in (1, last // 2, last - 1)
            for tables in ((records,), (records, ledger))
        }

    assert [where for where, found in forging(casino, reorder).items() if not found] == []


def test_ledger_lines_are_reordered(casino):
    """Two ledger lines of a chain whose numbers were swapped are found."""

    async def reorder(forger):
        ids = [row["id"] for row in await forger.rows(select(ledger.c.id).order_by(ledger.c.id))]
        kept = {}
        for one, other in zip(ids[:8:2], ids[3::2], strict=False):
            moves = ((one, -1), (other, one), (-1, other))
            steps = [update(ledger).where(ledger.c.id == a).values(id=b) for a, b in moves]
            kept[one, other] = await forger.tried(*steps)
        return kept

    assert [where for where, found in forging(casino, reorder).items() if not found] == []


def test_a_chain_is_cut(casino):
    """A chain whose last records were cut is found by its head, its ledger lines or the anchors."""

    async def cut(forger):
        anchors = (await forger.audit()).heads
        missed = []
        for chain, last in (await chains_of(forger)).items():
            for count in (1, 3, last - 1, last):
                left = last - count
                gone = delete(records).where(records.c.chain == chain, records.c.seq > left)
                money = delete(ledger).where(ledger.c.chain == chain, ledger.c.seq > left)
                found = await forger.tried(gone, money)
                if not any(f"head {chain}: the last record is" in line for line in found):
                    missed.append((chain, count, "the head stays", found))
                to = select(records.c.hash).where(at_record(records, chain, left)).scalar_subquery()
                head = update(chains).where(chains.c.name == chain)
                head = head.values(seq=left, hash=func.coalesce(to, START))
                found = await forger.tried(gone, money, head, anchors=anchors)
                if not any(f"anchor {chain}: cut: the last record is" in line for line in found):
                    missed.append((chain, count, "the head moves", found))
        return missed

    assert forging(casino, cut) == []


# --- an attacker who has all the time in the world


async def rehash(forger, chain):
    """Recompute every hash of a chain, and its head."""
    by_seq = select(records).where(records.c.chain == chain).order_by(records.c.seq)
    money = await forger.rows(select(ledger).where(ledger.c.chain == chain).order_by(ledger.c.id))
    before, seq = START, 0
    for row in await forger.rows(by_seq):
        seq = row["seq"]
        own = [[m["account"], m["amount"], m["memo"]] for m in money if m["seq"] == seq]
        says = row["at"], row["kind"], row["key"], row["body"]
        before = record_hash(before, chain, seq, *says, own)
        await forger.do(update(records).where(at_record(records, chain, seq)).values(hash=before))
    await forger.do(update(chains).where(chains.c.name == chain).values(seq=seq, hash=before))


async def guest_of(forger, name):
    row = (await forger.rows(select(players).where(of_player(name))))[0]
    said = records.c.body.contains(canonical({"player": row["id"]})[1:-1])
    return (await forger.rows(select(records).where(records.c.kind == "guest", said)))[0]


async def rewrite(forger, record, **facts):
    """Change the content of a record, and recompute its chain."""
    where = at_record(records, record["chain"], record["seq"])
    body = canonical(json.loads(record["body"]) | facts)
    await forger.do(update(records).where(where).values(body=body))
    await rehash(forger, record["chain"])


async def give_more(forger):
    """Give a player more play money than the bank did."""
    record = await guest_of(forger, "cyd")
    more = json.loads(record["body"])["amount"] + 5_000_00
    line = at_record(ledger, record["chain"], record["seq"])
    await forger.do(
        update(ledger).where(line, ledger.c.account == BANK).values(amount=-more),
        update(ledger).where(line, ledger.c.account != BANK).values(amount=more),
    )
    await recount(forger)
    await rewrite(forger, record, amount=more)


async def recount(forger):
    """Recompute the balance of every player."""
    lines_of = select(func.sum(ledger.c.amount)).where(ledger.c.account == balances.c.account)
    amount = lines_of.scalar_subquery()
    on_felts = balances.c.worth - balances.c.amount
    await forger.do(update(balances).values(amount=amount, worth=amount + on_felts))
    before = ledger.alias()
    up_to = select(func.sum(before.c.amount)).where(
        before.c.account == ledger.c.account, before.c.id <= ledger.c.id
    )
    has = update(ledger).where(ledger.c.account.startswith("player:"))
    await forger.do(has.values(balance=up_to.scalar_subquery()))


async def give_another_name(forger):
    """Pretend that a player joined under another name."""
    record = await guest_of(forger, "cyd")
    await forger.do(
        update(players).where(of_player("cyd")).values(name="Zoe", name_key=name_key("Zoe"))
    )
    await rewrite(forger, record, name="Zoe")


async def forget_a_failure(forger):
    """Cut the end of the cage, starting at the switches, and change all other rows to match."""
    seq = min(row["seq"] for row in await forger.rows(select(records)) if "gaming" in row["kind"])
    await forger.do(
        delete(records).where(records.c.chain == CAGE, records.c.seq >= seq),
        update(switches).values(value="open"),
    )
    await rehash(forger, CAGE)


@pytest.mark.parametrize("attack", [give_more, give_another_name, forget_a_failure])
def test_a_consistent_attacker_is_found_by_anchors_alone(casino, attack):
    """An attacker who recomputes every hash, head, line and row is found only by anchors."""

    async def both(forger):
        anchors = (await forger.audit()).heads
        await attack(forger)
        without = lines(await forger.audit())
        return without, await forger.tried(anchors=anchors)

    without, found = forging(casino, both)

    assert without == []
    assert len(found) == 1
    assert found[0].startswith("anchor cage")


def copied(url, request, folder):
    """Return a copy of a database; on PostgreSQL the caller drops it."""
    if url.startswith("sqlite"):
        path = folder / "copy.db"
        shutil.copy(url.partition("///")[2], path)
        return f"sqlite+aiosqlite:///{path}"
    return request.getfixturevalue("postgres").create(url)


def test_rounds_played_again_from_a_backup(casino, request, tmp_path):
    """A house that restores a backup and lets a round end differently is found only by anchors."""

    async def play_on(url, seed):
        async with pit_on(url) as pit:
            dealer = await pit.dealer("roll")
            number, chance = dealer.table.hand.number, random.Random(seed)
            while dealer.table.hand.number == number:
                seat = chance.choice(dealer.table.waiting())
                said = str(chance.choice(dealer.table.hand.round.legal(seat)))
                owner = dealer.table.hand.owners[seat].player
                await dealer.act(lambda t, s=seat, d=said, o=owner: t.decide(s, d, player=o))
        return await audit(url)

    reports = []
    for seed in (1, 2):
        url = copied(casino, request, tmp_path)
        reports.append(asyncio.run(play_on(url, seed)))
    first, second = reports
    again = asyncio.run(audit(url, anchors=first.heads))
    if url.startswith("postgresql"):
        request.getfixturevalue("postgres").drop(url)

    assert lines(first) == lines(second) == []
    assert [finding.kind for finding in again.findings] == ["anchor"]
    assert again.findings[0].chain == "table:roll"


def test_an_account_of_nobody(casino):
    """Ledger lines of a player whom no record created are found."""
    line = {"chain": "cage", "seq": 1, "account": player_account("nobody"), "amount": 1, "memo": ""}
    found = forging(casino, lambda forger: forger.tried(insert(ledger).values(line)))

    assert any("'player:nobody' has ledger lines, but no record created" in one for one in found)


# --- several processes, each with a cage of its own


@pytest.mark.parametrize(
    ("gap_ms", "name", "is_ok"),
    [
        (2_000, "first", True),  # clocks differ: either may have been last
        (2_000, "second", True),
        (2_000, "guest", False),
        (60_000, "second", True),
        (60_000, "first", False),
    ],
)
def test_names_given_by_two_processes(database_url, gap_ms, name, is_ok):
    """The order of two renames is certain only if their processes' clocks are far enough apart."""

    async def rename():
        store = await Store.open(database_url)
        came, _ = await Accounts(store, Bankroll()).guest("guest")
        await store.close()
        at = now()
        for to, when in (("first", at), ("second", at + gap_ms)):
            store = await Store.open(database_url)
            body = {"player": came.id, "name": "guest", "before": "guest", "after": to}
            entry = Entry(chain=store.cage, kind="renamed", body=body)
            await store.write(Unit(entries=(entry,), at=when))
            await store.close()
        await sql_async(database_url, f"UPDATE players SET name = '{name}', name_key = '{name}'")
        return await audit(database_url)

    report = asyncio.run(rename())

    assert report.ok is is_ok, lines(report)


# --- a database of the version before


def test_an_older_database_is_exact_after_the_upgrade(database_url):
    """A row that is some milliseconds younger than its record passes the audit after an upgrade."""

    async def upgrade(late_ms):
        store = await Store.open(database_url)
        await Accounts(store, Bankroll()).guest(f"guest {late_ms}")
        await store.close()
        later = f"UPDATE players SET created = created + {late_ms} WHERE name = 'guest {late_ms}'"
        await sql_async(database_url, later)
        assert not (await audit(database_url)).ok
        await with_connection(database_url, lambda connection: downgrade(connection, "0002"))
        await (await Store.open(database_url)).close()
        return lines(await audit(database_url))

    assert asyncio.run(upgrade(3)) == []
    (found,) = asyncio.run(upgrade(3_600_000))
    assert "created is" in found
