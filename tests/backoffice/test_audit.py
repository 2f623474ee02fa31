"""The audit finds nothing after honest play, and finds and locates every kind of tampering."""
# ruff: noqa: S608  a forger writes statements as they come

import asyncio
import json
import random
import re
import secrets
import shutil
import sqlite3
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from unittest import mock

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from pitboss.backoffice.audit import MOST_OF_A_CHAIN, audit
from pitboss.cli import main
from pitboss.core.errors import GameError, SettingError
from pitboss.core.fairness import commitment
from pitboss.dealing.config import DealingConfig
from pitboss.dealing.creation import create_table
from pitboss.dealing.pit import Pit
from pitboss.games import GAMES
from pitboss.ledger import snapshot
from pitboss.ledger.clock import now
from pitboss.ledger.schema import players
from pitboss.ledger.store import Store, prepare
from pitboss.ledger.transaction import Change, Unit
from pitboss.tables.chain import (
    BANK,
    START,
    Entry,
    Head,
    Posting,
    canonical,
    player_account,
    record_hash,
)
from pitboss.tables.hand import Place
from pitboss.tables.limits import Limit
from pitboss.tables.setup import Setup
from tests.strategies import choose
from tools.console import ROOT

ROLL, TOSS = GAMES["roll-your-own"], GAMES["toss-one-21"]
NAMES = "ann", "bob", "cyd"
GRANT = 10_000_00
CAGE = "cage:one"
FORGE_BALANCES = (
    "UPDATE balances SET amount ="
    " (SELECT sum(amount) FROM ledger WHERE ledger.account = balances.account)"
)


# --- random play, as a server would have it played


async def grant(store, player, amount=GRANT):
    lines = Posting(BANK, -amount, "guest"), Posting(player_account(player), amount, "guest")
    body = {"player": player, "name": player, "amount": amount}
    entry = Entry(chain=store.cage, kind="guest", body=body, postings=lines)
    at = now()
    row = {"id": player, "name": player, "name_key": player, "blocked": False, "created": at}
    change = Change(insert(players), row)
    await store.write(Unit(entries=(entry,), at=at, changes=(change,)))


@asynccontextmanager
async def pit_on(url):
    store = await Store.open(url)
    store.cage = CAGE
    pit = Pit(store, DealingConfig(address="here"))
    try:
        yield pit
    finally:
        await pit.close()
        await store.close()


async def new_table(pit, name, game, **changes):
    limits = {stake: Limit(100, 50_000) for stake in game.stakes}
    setup = {"id": name, "name": name, "game": game, "rules": game.rules(), "limits": limits}
    await create_table(pit.store, Setup(**setup | changes), "ann", None)
    return await pit.dealer(name)


async def tried(dealer, command):
    """Send a command that the table may reject."""
    with suppress(GameError):
        await dealer.act(command)


def stakes(chance, game):
    first, *others = game.stakes
    bets = {first: 100 * chance.randint(1, 9)}
    return bets | {name: 100 * chance.randint(1, 5) for name in others if chance.randrange(2)}


async def time_is_up(dealer):
    await dealer._time_is_up(dealer.table.hand.deadline)


async def bet_and_deal(chance, dealer):
    """Sit down and bet in every possible way, until the deal."""
    game = dealer.table.setup.game
    while not dealer.table.hand.is_dealt:
        for seat, place in list(dealer.table.places.items()):
            name = place.player
            if chance.random() < 0.1:
                await tried(dealer, lambda t, n=name, s=seat: t.choose_seed(n, s, f"luck{s}"))
            if chance.random() < 0.1:
                await tried(dealer, lambda t, n=name, s=seat: t.sit_out(n, s, out=True))
            bets = stakes(chance, game)
            await tried(dealer, lambda t, n=name, s=seat, b=bets: t.bet(n, s, b))
            if chance.random() < 0.1:
                await tried(dealer, lambda t, n=name, s=seat: t.take_back(n, s))
        if dealer.table.is_solo:
            await tried(dealer, lambda t: t.deal())
        elif dealer.table.in_action and not dealer.table.hand.is_dealt:
            await time_is_up(dealer)


async def decide(chance, dealer):
    """Decide for the seats in random order; some time out, some leave, some rounds are void."""
    number = dealer.table.hand.number
    while dealer.table.hand.number == number:
        if not dealer.table.is_solo and chance.random() < 0.2:
            await time_is_up(dealer)
            continue
        seat = chance.choice(dealer.table.waiting())
        if chance.random() < 0.05 and seat in dealer.table.places:
            owner = dealer.table.places[seat].player
            await dealer.act(lambda t, n=owner, s=seat: t.leave(n, s))
        if chance.random() < 0.04:
            await dealer.void("the lights went out")
            return
        owner = dealer.table.hand.owners[seat].player
        said = str(choose(chance, dealer.table.hand.round.legal(seat), greedy=False))
        await dealer.act(lambda t, s=seat, d=said, n=owner: t.decide(s, d, player=n))


async def play(chance, dealer, count, seats):
    """Play rounds with these players by seat; seat again those who left."""
    for _ in range(count):
        for seat, name in seats.items():
            await tried(dealer, lambda t, n=name, s=seat: t.sit(s, Place(n, n, f"{n}-{s}")))
        number = dealer.table.hand.number
        await bet_and_deal(chance, dealer)
        if dealer.table.hand.number == number:
            await decide(chance, dealer)


async def play_all(url, chance):
    """Play both games at four tables; leave bets and cards on the felt."""
    async with pit_on(url) as pit:
        for name in NAMES:
            await grant(pit.store, name)
        alone = await new_table(pit, "alone", TOSS)
        rolls = await new_table(pit, "rolls", ROLL)
        six = {"rules": TOSS.rules.from_json({"decks": 6}), "seconds": 60}
        shared = await new_table(pit, "shared", TOSS, **six)
        live = await new_table(pit, "live", ROLL, seconds=60)
        await play(chance, alone, 3, {1: "ann", 3: "ann"})
        await play(chance, rolls, 3, {2: "bob"})
        await play(chance, shared, 5, {1: "ann", 4: "bob", 2: "cyd"})
        await play(chance, live, 5, {1: "cyd", 7: "bob", 5: "ann"})
        await alone.act(lambda t: t.change_limits({"main": Limit(200, 900)}))
        await alone.act(lambda t: t.bet("ann", 1, {"main": 200}))
        await alone.void("nothing was dealt")
        await alone.act(lambda t: t.leave("ann", 3))
        await alone.act(lambda t: t.close())
        await bet_and_deal(chance, live)
        await rolls.act(lambda t: t.bet("bob", 2, {"bet": 700}))
        await rolls.act(lambda t: t.choose_seed("bob", 2, "at-the-end"))
    await sql_async(url, "UPDATE tables SET owner = 'dead' WHERE id = 'shared'")
    async with pit_on(url) as other:
        await other.dealer("shared")


def filled(url, work, seed):
    """Fill a database with *work*, using the same cards every time."""
    chance = random.Random(seed)
    with mock.patch.object(secrets, "token_bytes", chance.randbytes):
        asyncio.run(work(url, chance))
    return url


@contextmanager
def database_of(request, factory, work, seed):
    """Return a database of the kind that a fixture requests, filled with *work*."""
    if request.param == "sqlite":
        folder = factory.mktemp("filled")
        yield filled(f"sqlite+aiosqlite:///{folder}/pitboss.db", work, seed)
        return
    server = request.getfixturevalue("postgres")
    url = filled(server.create(), work, seed)
    yield url
    server.drop(url)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def played(request, tmp_path_factory):
    """Return a database after honest play; no test changes it."""
    with database_of(request, tmp_path_factory, play_all, 7) as url:
        yield url


@pytest.fixture
def casino(played, request, tmp_path):
    """Return a copy of the played database to tamper with."""
    if played.startswith("sqlite"):
        path = tmp_path / "copy.db"
        shutil.copy(played.partition("///")[2], path)
        yield f"sqlite+aiosqlite:///{path}"
        return
    server = request.getfixturevalue("postgres")
    url = server.create(played)
    yield url
    server.drop(url)


on_a_file = pytest.mark.parametrize("played", ["sqlite"], indirect=True, scope="module")
"""For what does not depend on the kind of database."""


def audited(url, **options):
    return asyncio.run(audit(url, **options))


def lines(report):
    return [f"{finding.kind} {finding.where}: {finding.what}" for finding in report.findings]


# --- what a forger does


async def sql_async(url, *statements):
    engine = create_async_engine(url)
    rows = []
    try:
        async with engine.begin() as connection:
            for statement in statements:
                one, values = (statement, {}) if isinstance(statement, str) else statement
                result = await connection.execute(text(one), values)
                rows = result.mappings().all() if result.returns_rows else []
    finally:
        await engine.dispose()
    return rows


def sql(url, *statements):
    """Execute statements, each with or without values; return the rows of the last one."""
    return asyncio.run(sql_async(url, *statements))


def find(url, chain, kind, skip=0):
    """Return a record of a kind in a chain."""
    query = "SELECT * FROM records WHERE chain = :c AND kind = :k ORDER BY seq"
    return sql(url, (query, {"c": chain, "k": kind}))[skip]


def at(chain, seq):
    return f"WHERE chain = '{chain}' AND seq = {seq}"


def set_body(url, record, change):
    """Change the content of a record."""
    facts = json.loads(record["body"])
    change(facts)
    statement = f"UPDATE records SET body = :b {at(record['chain'], record['seq'])}"
    sql(url, (statement, {"b": canonical(facts)}))


def rehash(url, chain):
    """Recompute all hashes of a chain and its head, as a careful forger would."""
    of = {"c": chain}
    found = sql(url, ("SELECT * FROM records WHERE chain = :c ORDER BY seq", of))
    moves = sql(url, ("SELECT * FROM ledger WHERE chain = :c ORDER BY id", of))
    before, statements = START, []
    for r in found:
        own = [[m["account"], m["amount"], m["memo"]] for m in moves if m["seq"] == r["seq"]]
        says = r["at"], r["kind"], r["key"], r["body"]
        before = record_hash(before, chain, r["seq"], *says, own)
        statements.append((f"UPDATE records SET hash = :h {at(chain, r['seq'])}", {"h": before}))
    head = "UPDATE chains SET seq = :s, hash = :h WHERE name = :c"
    sql(url, *statements, (head, of | {"s": found[-1]["seq"], "h": before}))


def swap(url, chain, one, other):
    """Swap two records."""
    moves = ((one, -1), (other, one), (-1, other))
    sql(url, *(f"UPDATE records SET seq = {to} {at(chain, was)}" for was, to in moves))


def paid(url, chain):
    """Return a settled record that paid a player, and the ledger line of the payment."""
    query = (
        "SELECT l.* FROM ledger l JOIN records r ON r.chain = l.chain AND r.seq = l.seq"
        " WHERE r.kind = 'settled' AND l.account LIKE 'player:%' AND l.chain = :c ORDER BY l.id"
    )
    return sql(url, (query, {"c": chain}))[0]


# --- honest play


def test_honest_play_is_clean(played):
    """After honest play with timers, voids, leavers and open rounds, nothing is found."""
    report = audited(played)
    counted = sql(played, "SELECT (SELECT count(*) FROM records) AS r, count(*) AS l FROM ledger")[
        0
    ]

    assert lines(report) == []
    assert report.ok
    assert (report.records, report.ledger.lines) == (counted["r"], counted["l"])
    assert (report.tables, report.players) == (4, 3)
    assert report.rounds == sql(played, "SELECT count(*) AS n FROM rounds")[0]["n"] >= 17
    assert report.ledger.total == 0
    assert report.ledger.bank == -3 * GRANT
    assert report.ledger.felt > 0


def test_the_play_has_everything(played):
    """The honest play contains every kind of record, so the audit has checked each of them."""
    kinds = {row["kind"] for row in sql(played, "SELECT DISTINCT kind FROM records")}
    bodies = [
        row["body"] for row in sql(played, "SELECT body FROM records WHERE kind = 'decision'")
    ]

    steps = {"sit", "leave", "sit_out", "seed", "bet", "take_back", "deal", "decision", "settled"}
    assert steps | {"void", "limits", "taken_over", "closed", "table", "open"} <= kinds
    assert {json.loads(body)["by"] for body in bodies} == {"player", "timer"}


def test_heads_are_the_last_records(played):
    """The report has the number and hash of the last record of each chain."""
    heads = {r["name"]: Head(r["seq"], r["hash"]) for r in sql(played, "SELECT * FROM chains")}

    assert audited(played).heads == heads


def test_an_empty_database_is_clean(database_url):
    """The audit finds nothing wrong in an empty database."""

    async def start():
        await (await Store.open(database_url)).close()

    asyncio.run(start())

    assert audited(database_url).ok


def test_nothing_can_be_written(casino):
    """The connection of an audit cannot change the database."""

    async def write():
        async with snapshot.open_snapshot(casino) as opened:
            connection = opened._connection
            with pytest.raises(DBAPIError, match="read-?only"):
                await connection.execute(text("DELETE FROM seats"))

    asyncio.run(write())


@on_a_file
def test_a_file_stays_as_it_is(casino):
    """An audit leaves every byte of a SQLite file as it was."""
    path = Path(casino.partition("///")[2])
    before = path.read_bytes()
    audited(casino)

    assert path.read_bytes() == before


@on_a_file
def test_a_folder_that_cannot_be_written_to(casino):
    """A file in a read-only folder is audited, and no other file is left there."""
    path = Path(casino.partition("///")[2])
    with mock.patch.object(snapshot, "_is_writable", return_value=False):
        assert audited(casino).ok

    assert [other.name for other in path.parent.iterdir()] == [path.name]


def test_beside_a_running_server(casino):
    """While tables are being dealt, an audit reads one consistent snapshot."""

    async def both():
        chance = random.Random(3)
        async with pit_on(casino) as pit:
            table = await new_table(pit, "busy", TOSS, seconds=60)
            going = asyncio.create_task(play(chance, table, 12, {1: "ann", 2: "bob"}))
            reports = []
            while not going.done():
                reports.append(await audit(casino))
            await going
        return reports

    reports = asyncio.run(both())

    assert [lines(report) for report in reports if not report.ok] == []
    assert len({report.records for report in reports}) > 1


def give_back(url):
    """Let the pit open table live although it cannot restore the round."""

    async def void():
        async with pit_on(url) as pit:
            tries = iter([mock.AsyncMock(side_effect=ZeroDivisionError), pit._restorer._replay])

            async def restored(*about):
                return await next(tries)(*about)

            with mock.patch.object(pit._restorer, "_replay", restored):
                await pit.dealer("live")

    asyncio.run(void())


def test_a_round_that_cannot_be_restored(casino):
    """The bets of a round that cannot be restored are returned; only its money is checked."""
    give_back(casino)
    report = audited(casino)

    assert report.not_restored == 1
    assert lines(report) == []


def test_more_is_given_back_than_was_bet(casino):
    """A round that was not restored and returns too much is found, even if all hashes are right."""
    give_back(casino)
    void = find(casino, "table:live", "void", -1)
    where = at("table:live", void["seq"])
    low, high = (
        sql(casino, f"SELECT id FROM ledger {where} ORDER BY amount {way} LIMIT 1")[0]["id"]
        for way in ("ASC", "DESC")
    )
    sql(
        casino,
        f"UPDATE ledger SET amount = amount - 100 WHERE id = {low}",
        f"UPDATE ledger SET amount = amount + 100 WHERE id = {high}",
    )
    rehash(casino, "table:live")

    assert found(audited(casino), "books", "table:live", void["seq"], "void round leaves player:")


# --- tampering


def found(report, kind, chain, seq, words=""):
    """Return the finding for this place, or fail and show all findings."""
    for one in report.findings:
        if (one.kind, one.chain, one.seq) == (kind, chain, seq) and words in one.what:
            return one
    raise AssertionError(f"no {kind} at {chain} #{seq} with {words!r} in {lines(report)}")


COLUMNS = {
    "at": "at = at + 1",
    "key": "key = 'other'",
    "kind": "kind = 'limits'",
    "hash": f"hash = '{'0' * 64}'",
    "space": "body = body || ' '",
    "not JSON": "body = '{'",
}


@on_a_file
@pytest.mark.parametrize("change", COLUMNS)
@pytest.mark.parametrize(("chain", "kind"), [("table:shared", "bet"), (CAGE, "guest")])
def test_a_column_is_altered(casino, chain, kind, change):
    """A changed column of a record is found by its hash."""
    seq = find(casino, chain, kind, 1)["seq"]
    sql(casino, f"UPDATE records SET {COLUMNS[change]} {at(chain, seq)}")

    assert found(audited(casino), "altered", chain, seq)


def test_a_body_is_altered(casino):
    """A decision that was changed in a record is found by its hash."""
    record = find(casino, "table:shared", "decision", 2)
    set_body(casino, record, lambda facts: facts.update(seat=9))
    report = audited(casino)

    assert found(report, "altered", "table:shared", record["seq"])
    assert found(report, "round", "table:shared", record["seq"])


def test_a_record_is_missing(casino):
    """A gap in a chain is reported, and so are the ledger lines of the missing record."""
    record = find(casino, "table:shared", "bet", 3)
    sql(casino, f"DELETE FROM records {at('table:shared', record['seq'])}")
    report = audited(casino)

    assert found(report, "missing", "table:shared", record["seq"], "is missing from the chain")
    assert found(report, "ledger", "table:shared", record["seq"], "belongs to no record")


def test_many_records_are_missing(casino):
    """A longer gap is one finding that names its first and last record."""
    sql(casino, "DELETE FROM records WHERE chain = 'table:live' AND seq BETWEEN 10 AND 14")

    assert found(audited(casino), "missing", "table:live", 10, "#10 to #14 are missing")


def last_of(url, chain):
    return sql(url, f"SELECT * FROM records WHERE chain = '{chain}' ORDER BY seq DESC LIMIT 1")[0]


def cut(url, chain, count):
    """Delete the last records with their ledger lines, and move the head back."""
    last = last_of(url, chain)["seq"]
    sql(
        url,
        f"DELETE FROM records WHERE chain = '{chain}' AND seq > {last - count}",
        f"DELETE FROM ledger WHERE chain = '{chain}' AND seq > {last - count}",
        FORGE_BALANCES,
    )
    rehash(url, chain)
    return last


def test_the_last_record_is_missing(casino):
    """The head of a chain still names the deleted last record."""
    last = last_of(casino, "table:rolls")["seq"]
    sql(casino, f"DELETE FROM records {at('table:rolls', last)}")

    assert found(audited(casino), "head", "table:rolls", None, f"but the head is #{last}")


def test_the_end_of_a_chain_is_cut(casino):
    """A deleted bet, with its money, balance and head adapted, is found only by an anchor."""
    anchors = audited(casino).heads
    last = cut(casino, "table:rolls", 2)

    assert audited(casino).ok
    assert found(audited(casino, anchors=anchors), "anchor", "table:rolls", None, f"#{last}")


def test_neighbours_change_places(casino):
    """Two swapped records are both reported with their original places."""
    first = find(casino, "table:shared", "sit")["seq"]
    swap(casino, "table:shared", first, first + 1)
    report = audited(casino)

    assert found(report, "reordered", "table:shared", first, f"was #{first + 1}")
    assert found(report, "reordered", "table:shared", first + 1, f"was #{first}")


def test_distant_records_change_places(casino):
    """Two distant records that were swapped are reported too."""
    one, other = (find(casino, "table:shared", "bet", n)["seq"] for n in (0, 5))
    swap(casino, "table:shared", one, other)
    report = audited(casino)

    assert found(report, "reordered", "table:shared", one, f"was #{other}")
    assert found(report, "reordered", "table:shared", other, f"was #{one}")


def test_heads(casino):
    """A head that is wrong, missing or without a chain is found."""
    sql(
        casino,
        f"UPDATE chains SET hash = '{START}' WHERE name = 'table:live'",
        "DELETE FROM chains WHERE name = 'table:alone'",
        f"INSERT INTO chains VALUES ('table:none', 3, '{START}')",
    )
    last = last_of(casino, "table:live")["seq"]
    report = audited(casino)

    assert found(report, "head", "table:live", last)
    assert found(report, "head", "table:alone", None, "no head")
    assert found(report, "head", "table:none", None, "the last record is none")


def test_many_findings_are_counted(casino):
    """If a whole chain is wrong, the first findings are listed and the others counted."""
    sql(casino, "UPDATE records SET at = at + 1 WHERE chain = 'table:shared'")
    report = audited(casino)

    assert len(report.findings) == MOST_OF_A_CHAIN + 1
    assert report.findings[-1].kind == "more"


# --- the books


LEDGER = {
    "amount": ("amount = amount + 100", "it should be"),
    "memo": ("memo = 'a gift'", "it should be"),
    "account": ("account = 'player:eve'", "it should be"),
}


@pytest.mark.parametrize("change", LEDGER)
def test_a_ledger_line_is_altered(casino, change):
    """An altered ledger line of a settlement is reported with its correct amount."""
    line = paid(casino, "table:shared")
    statement, words = LEDGER[change]
    sql(casino, f"UPDATE ledger SET {statement} WHERE id = {line['id']}")

    assert found(audited(casino), "ledger", "table:shared", line["seq"], words)


def test_a_ledger_line_is_missing(casino):
    """A deleted line is reported, and its record no longer balances."""
    line = paid(casino, "table:shared")
    sql(casino, f"DELETE FROM ledger WHERE id = {line['id']}")
    report = audited(casino)

    assert found(report, "ledger", "table:shared", line["seq"], "is missing")
    assert found(report, "books", "table:shared", line["seq"], "do not balance")
    assert found(report, "books", None, None, "the sum of all accounts")


def add_line(url, chain, seq, account, amount):
    sql(
        url,
        "INSERT INTO ledger (id, chain, seq, account, amount, memo) SELECT max(id) + 1,"
        f" '{chain}', {seq}, '{account}', {amount}, 'a gift' FROM ledger",
    )


def test_a_ledger_line_is_added(casino):
    """An added line is reported, in a table's chain and in the cage."""
    bet, guest = find(casino, "table:shared", "bet"), find(casino, CAGE, "guest")
    add_line(casino, "table:shared", bet["seq"], "player:bob", 100)
    add_line(casino, CAGE, guest["seq"], "player:bob", 100)
    report = audited(casino)

    assert found(report, "ledger", "table:shared", bet["seq"], "extra ledger line: player:bob +$1")
    assert found(report, "ledger", CAGE, guest["seq"], "extra ledger line: player:bob +$1")


def test_a_ledger_line_of_no_record(casino):
    """A line of a missing record or chain is reported."""
    add_line(casino, "table:shared", 100_000, "player:bob", 100)
    add_line(casino, "zebra", 1, "player:bob", -100)
    report = audited(casino)

    assert found(report, "ledger", "table:shared", 100_000, "belongs to no record")
    assert found(report, "ledger", "zebra", 1, "belongs to no record")
    assert found(report, "chain", "zebra", None)


def test_a_grant_is_altered(casino):
    """An altered grant of play money is found and reported with its original amount."""
    guest = find(casino, CAGE, "guest")
    where = f"{at(CAGE, guest['seq'])} AND account = 'player:ann'"
    sql(casino, f"UPDATE ledger SET amount = amount * 2 {where}")

    assert found(audited(casino), "ledger", CAGE, guest["seq"], "is player:ann +$20,000 (guest)")


def test_a_grant_is_not_from_the_bank(casino):
    """Money from the cage must come from the bank, even if every hash is right."""
    guest = find(casino, CAGE, "guest")
    where = f"{at(CAGE, guest['seq'])} AND account = 'bank'"
    sql(casino, f"UPDATE ledger SET account = 'house:live' {where}")
    rehash(casino, CAGE)

    assert found(audited(casino), "books", CAGE, guest["seq"], "only between the bank and players")


def test_a_table_uses_an_account_that_is_not_its_own(casino):
    """A settlement that another table's house pays is found."""
    line = paid(casino, "table:shared")
    where = f"{at('table:shared', line['seq'])} AND account = 'felt:shared'"
    sql(casino, f"UPDATE ledger SET account = 'felt:live' {where}")
    rehash(casino, "table:shared")
    report = audited(casino)

    assert found(report, "books", "table:shared", line["seq"], "another table's account: felt:live")
    assert found(report, "ledger", "table:shared", line["seq"])
    assert found(report, "books", "table:shared", None, "felt:shared has")


def test_an_account_falls_below_nothing(casino):
    """An overdraft is found at the bet, even if every hash is right."""
    guest = find(casino, CAGE, "guest")
    sql(
        casino,
        f"UPDATE ledger SET amount = 1 {at(CAGE, guest['seq'])} AND account = 'player:ann'",
        f"UPDATE ledger SET amount = -1 {at(CAGE, guest['seq'])} AND account = 'bank'",
    )
    rehash(casino, CAGE)
    first = sql(casino, "SELECT * FROM ledger WHERE account = 'player:ann' ORDER BY id")[1]

    assert found(audited(casino), "books", first["chain"], first["seq"], "player:ann falls to -$")


def test_no_account(casino):
    """An account of an unknown kind is found."""
    line = paid(casino, "table:live")
    sql(casino, f"UPDATE ledger SET account = 'pocket' WHERE id = {line['id']}")

    assert found(audited(casino), "books", None, None, "'pocket' is not an account")


# --- the rounds: the forger has worked out every hash anew


def forge(url, chain, kind, change, skip=0):
    """Change the body of a record and recompute its chain; return the record."""
    record = find(url, chain, kind, skip)
    set_body(url, record, change)
    rehash(url, chain)
    return record


def pay_more(facts):
    journal = facts["record"]["journal"]
    journal["settlements"][0]["net"] += 100
    journal["net"][str(journal["settlements"][0]["seat"])] += 100


FORGED = {
    "a stake outside the limits": ("bet", lambda f: f["stakes"].update(main=50), "limit"),
    "a bet for somebody else": ("bet", lambda f: f.update(player="eve"), "not yours"),
    "a seat that is taken": ("sit", lambda f: f.update(seat=0), "no seat 0"),
    "a client seed": ("deal", lambda f: f["client_seeds"].update({"1": "x"}), "client_seeds"),
    "an impossible decision": ("decision", lambda f: f.update(decision="toss As Ks"), "decision"),
    "somebody who decides": ("decision", lambda f: f.update(by="dealer"), ""),
    "a payment": ("settled", pay_more, "record.journal.net"),
    "a deck": ("settled", lambda f: f["record"]["journal"].update(deck="As"), "journal.deck"),
    "a moment": ("settled", lambda f: f["record"].update(ended="soon"), "record.ended"),
    "a digest": ("table", lambda f: f.update(rules_digest="0"), "rules_digest"),
    "rules": ("table", lambda f: f["rules"].update(blackjack_pays="6:5"), "rules_digest"),
    "a number": ("open", lambda f: f.update(round=7), "round 7"),
    "no number": ("open", lambda f: f.update(round="x"), "'x'"),
    "limits": ("open", lambda f: f.update(limits={}), "limits.bonus4 is missing"),
    "nothing": ("bet", dict.clear, "KeyError"),
    "a list": ("bet", lambda f: f.update(stakes=[]), "bet"),
}


@on_a_file
@pytest.mark.parametrize("what", FORGED)
def test_forged_rounds(casino, what):
    """Events against the rules are found, even if all hashes are right."""
    kind, change, words = FORGED[what]
    record = forge(casino, "table:shared", kind, change)

    assert found(audited(casino), "round", "table:shared", record["seq"], words)


def test_a_forged_step(casino):
    """A record of a kind that tables do not have is found."""
    record = find(casino, "table:shared", "seed")
    sql(casino, f"UPDATE records SET kind = 'gift' {at('table:shared', record['seq'])}")
    rehash(casino, "table:shared")

    assert found(audited(casino), "round", "table:shared", record["seq"], "not a record of a table")


def test_the_timer_decides_safely(casino):
    """A decision of the timer that is not the safe one is found."""
    query = "SELECT * FROM records WHERE chain = 'table:live' AND kind = 'decision' ORDER BY seq"
    by_timer = (r for r in sql(casino, query) if json.loads(r["body"])["by"] == "timer")
    record = next(r for r in by_timer if json.loads(r["body"])["decision"] == "stand")
    set_body(casino, record, lambda facts: facts.update(decision="hit"))
    rehash(casino, "table:live")

    assert found(
        audited(casino), "round", "table:live", record["seq"], "the safe decision is 'stand'"
    )


def test_a_settlement_is_paid_wrongly(casino):
    """A payment above the rules is found even if the ledger balances."""
    line = paid(casino, "table:shared")
    sql(
        casino,
        f"UPDATE ledger SET amount = amount + 100 WHERE id = {line['id']}",
        f"UPDATE ledger SET amount = amount - 100 {at('table:shared', line['seq'])}"
        " AND account = 'felt:shared'",
    )
    rehash(casino, "table:shared")
    report = audited(casino)

    assert found(report, "ledger", "table:shared", line["seq"], "it should be")
    assert found(report, "books", "table:shared", None, "felt:shared has")


def test_a_void_round_keeps_a_bet(casino):
    """A void round that does not return every bet is found."""
    void = find(casino, "table:alone", "void", -1)
    sql(casino, f"DELETE FROM ledger {at('table:alone', void['seq'])}")
    rehash(casino, "table:alone")

    assert found(audited(casino), "ledger", "table:alone", void["seq"], "is missing")


def test_a_won_round_is_called_void(casino):
    """A round that was voided after its last decision is found."""
    record = find(casino, "table:shared", "settled", -1)
    facts = json.loads(record["body"]) | {"reason": "a hunch"}
    statement = f"UPDATE records SET kind = 'void', body = :b {at('table:shared', record['seq'])}"
    sql(casino, (statement, {"b": canonical(facts)}))
    rehash(casino, "table:shared")

    assert found(audited(casino), "round", "table:shared", record["seq"], "settled is due")


def test_a_round_goes_on_after_its_end(casino):
    """Records between two rounds, and missing rounds, are found."""
    settled = find(casino, "table:shared", "settled")
    sql(casino, f"UPDATE records SET kind = 'taken_over' {at('table:shared', settled['seq'])}")
    rehash(casino, "table:shared")
    report = audited(casino)

    assert found(report, "round", "table:shared", settled["seq"], "settled is due")
    assert found(report, "round", "table:shared", settled["seq"] + 1, "has not ended")


def test_a_commitment_is_used_twice(casino):
    """A commitment that was already used for another round is found."""
    first = json.loads(find(casino, "table:shared", "open")["body"])
    again = {"commitment": first["commitment"]}
    record = forge(casino, "table:shared", "open", lambda facts: facts.update(again), 1)

    assert found(
        audited(casino), "seed", "table:shared", record["seq"], "belongs to round 1 of table shared"
    )


def test_a_seed_is_altered(casino):
    """A seed that does not match its commitment is found at the record that opened the round."""
    record = find(casino, "table:live", "open", 2)
    promised = json.loads(record["body"])["commitment"]
    where = f"WHERE commitment = '{promised}'"
    sql(casino, f"UPDATE seeds SET seed = '{'5' * 64}' {where}")

    assert found(
        audited(casino), "round", "table:live", record["seq"], "not the SHA-256 of the seed"
    )


def test_seed_and_commitment_are_altered(casino):
    """A new seed with its own commitment gives another deck, which is found."""
    record = find(casino, "table:live", "open", 2)
    was, new = json.loads(record["body"])["commitment"], bytes(range(32))
    sql(
        casino,
        f"UPDATE seeds SET seed = '{new.hex()}', commitment = '{commitment(new)}'"
        f" WHERE commitment = '{was}'",
    )
    set_body(casino, record, lambda facts: facts.update(commitment=commitment(new)))
    rehash(casino, "table:live")
    ends = sql(casino, "SELECT seq FROM rounds WHERE table_id = 'live' AND number = 3")[0]["seq"]
    report = audited(casino)

    assert any(f.chain == "table:live" and record["seq"] < f.seq <= ends for f in report.findings)


def test_a_seed_is_missing(casino):
    """A round without its seed cannot be replayed."""
    record = find(casino, "table:live", "open", 2)
    sql(casino, "DELETE FROM seeds WHERE table_id = 'live' AND round = 3")

    assert found(audited(casino), "round", "table:live", record["seq"], "0 seeds")


def test_a_whole_table_is_gone(casino):
    """The cage still has the record of a table whose every other trace was deleted."""
    sql(
        casino,
        "DELETE FROM records WHERE chain = 'table:rolls'",
        "DELETE FROM ledger WHERE chain = 'table:rolls'",
        "DELETE FROM chains WHERE name = 'table:rolls'",
        *(f"DELETE FROM {name} WHERE table_id = 'rolls'" for name in ("rounds", "results")),
        *(f"DELETE FROM {name} WHERE table_id = 'rolls'" for name in ("seeds", "seats")),
        "DELETE FROM tables WHERE id = 'rolls'",
    )

    assert found(audited(casino), "missing", CAGE, None, "table 'rolls' was opened")


def test_a_table_that_the_cage_never_opened(casino):
    """A table needs its opening in the cage."""
    events = sql(casino, "SELECT * FROM records WHERE kind = 'table_opened'")
    record = next(r for r in events if json.loads(r["body"])["table"] == "live")
    sql(casino, f"UPDATE records SET kind = 'gift' {at(CAGE, record['seq'])}")
    rehash(casino, CAGE)

    assert found(audited(casino), "round", "table:live", 1, "the cage has no such opening")


# --- the rows beside the records


ROWS = {
    "net of a round": ("UPDATE rounds SET net = net + 1 {2}", "rounds: net is"),
    "moment of a round": ("UPDATE rounds SET ended = ended + 1 {2}", "rounds: ended is"),
    "status of a round": ("UPDATE rounds SET status = 'odd' {2}", "rounds: status is 'odd'"),
    "no round": ("DELETE FROM rounds {2}", "rounds: it is missing"),
    "net of a seat": ("UPDATE results SET net = net + 1 {2} AND seat = 1", "results: net is"),
    "player": ("UPDATE results SET player = 'eve' {2} AND seat = 1", "results: player is 'eve'"),
    "no seat": ("DELETE FROM results {2} AND seat = 1", "results: it is missing"),
    "a seat more": ("UPDATE results SET seat = 6 {2} AND seat = 1", "no record mentions it"),
}


@on_a_file
@pytest.mark.parametrize("what", ROWS)
def test_rows_of_rounds(casino, what):
    """A row of rounds or results that differs from the records is found at the record."""
    statement, words = ROWS[what]
    row = sql(casino, "SELECT * FROM rounds WHERE table_id = 'shared' AND number = 2")[0]
    sql(casino, statement.replace("{2}", "WHERE table_id = 'shared' AND number = 2"))

    assert found(audited(casino), "rows", "table:shared", row["seq"], words)


EXTRA = {
    "rounds": "UPDATE rounds SET number = 999 WHERE table_id = 'shared' AND number = 2",
    "results": "UPDATE results SET number = 999 WHERE table_id = 'shared' AND number = 2",
    "seeds": f"INSERT INTO seeds VALUES ('x', 'shared', 999, '{START}')",
}


@pytest.mark.parametrize("name", EXTRA)
def test_rows_of_no_round(casino, name):
    """A row of a round that does not exist is found."""
    sql(casino, EXTRA[name])

    assert found(audited(casino), "rows", "table:shared", None, f"{name} has round 999")


TABLES = {
    "rules": ("UPDATE tables SET rules = '{{}}' {0}", "in tables: rules is"),
    "digest": ("UPDATE tables SET rules_digest = 'x' {0}", "in tables: rules_digest is"),
    "limits": ("UPDATE tables SET limits = '{{}}' {0}", "in tables: limits is"),
    "seconds": ("UPDATE tables SET seconds = 1 {0}", "in tables: seconds is 1"),
    "closed": ("UPDATE tables SET closed = 5 {0}", "in tables: closed is 5, expected None"),
    "creator": ("UPDATE tables SET creator = 'eve' {0}", "in tables: creator is 'eve'"),
    "created": ("UPDATE tables SET created = created + 1 {0}", "in tables: created is"),
    "name": ("UPDATE seats SET name = 'eve' WHERE table_id = 'rolls'", "in seats: name is 'eve'"),
    "seat": ("UPDATE seats SET player = 'cyd' WHERE table_id = 'rolls'", "seats: player is 'cyd'"),
    "no seat": ("DELETE FROM seats WHERE table_id = 'rolls'", "in seats: it is missing"),
}


@on_a_file
@pytest.mark.parametrize("what", TABLES)
def test_rows_of_tables(casino, what):
    """A row of a table or a seat that differs from the records is found."""
    statement, words = TABLES[what]
    sql(casino, statement.replace("{0}", "WHERE id = 'rolls'").replace("{{}}", "{}"))

    assert found(audited(casino), "rows", "table:rolls", None, words)


# --- anchors


def test_a_chain_is_rewritten(casino):
    """A chain with recomputed hashes is found only by an anchor."""
    anchors = audited(casino).heads
    record = find(casino, "table:rolls", "seed", -1)
    sql(casino, f"UPDATE records SET at = at - 1 {at('table:rolls', record['seq'])}")
    rehash(casino, "table:rolls")

    assert audited(casino).ok
    last = anchors["table:rolls"].seq
    assert found(audited(casino, anchors=anchors), "anchor", "table:rolls", last, "rewritten")


def test_a_chain_goes_on(casino):
    """Old anchors are still valid for a chain that has only grown."""
    anchors = audited(casino).heads

    async def go_on():
        async with pit_on(casino) as pit:
            dealer = await pit.dealer("rolls")
            await dealer.act(lambda t: t.take_back("bob", 2))

    asyncio.run(go_on())
    report = audited(casino, anchors=anchors)

    assert lines(report) == []
    assert report.heads["table:rolls"].seq > anchors["table:rolls"].seq


def test_a_chain_is_gone(casino):
    """A chain that only the anchors mention is found."""
    anchors = {"table:gone": Head(5, START)}

    assert found(audited(casino, anchors=anchors), "anchor", "table:gone", None, "it is missing")


# --- the command


def test_command(casino, capsys):
    """The command prints a summary and exits with 0 if nothing is wrong."""
    assert main(["audit", casino]) == 0
    told = capsys.readouterr().out
    assert "tables   4, players 3" in told
    assert told.endswith("All is well.\n")


def test_command_tells_each_finding(casino, capsys):
    """Each finding is one line with its place, and the exit status is 1."""
    seq = find(casino, "table:shared", "bet")["seq"]
    sql(casino, f"UPDATE records SET at = at + 1 {at('table:shared', seq)}")

    assert main(["audit", casino]) == 1
    told = capsys.readouterr().out.splitlines()
    assert [line for line in told if line.startswith(f"table:shared #{seq}: altered")]
    assert told[-1].endswith("wrong.")


def test_command_obeys_no_forger(casino, capsys):
    """Control characters from the database do not reach the terminal."""
    add_line(casino, "table:\x1b[2J\nshared", 1, "player:bob", 100)

    assert main(["audit", casino]) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "table:?[2J shared #1: " in told


def test_command_json(casino, capsys):
    """--json prints one object with all results."""
    assert main(["audit", "--json", casino]) == 0
    told = json.loads(capsys.readouterr().out)

    assert told["ok"] is True
    assert told["findings"] == []
    assert told["ledger"]["total"] == 0
    assert told["heads"].keys() == {
        CAGE,
        *(f"table:{n}" for n in ("alone", "live", "rolls", "shared")),
    }
    assert {"records", "rounds", "tables", "players"} <= told.keys()


def test_command_anchors(casino, tmp_path, capsys):
    """Anchors are saved if nothing is wrong, and compared with the chains later."""
    kept = tmp_path / "heads.json"
    assert main(["audit", casino, "--save-anchors", str(kept)]) == 0
    assert main(["audit", casino, "--anchors", str(kept)]) == 0
    cut(casino, "table:rolls", 1)
    before = kept.read_bytes()
    capsys.readouterr()
    both = ["--anchors", str(kept), "--save-anchors", str(kept)]

    assert main(["audit", casino, *both, "--json"]) == 1
    told = capsys.readouterr()
    finding = json.loads(told.out)["findings"][0]
    assert (finding["kind"], finding["chain"]) == ("anchor", "table:rolls")
    assert "not saved" in told.err
    assert kept.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if "heads" in path.name] == ["heads.json"]


def test_json_serves_as_anchors(casino, tmp_path, capsys):
    """The output of --json can also be used as anchors."""
    main(["audit", casino, "--json"])
    kept = tmp_path / "report.json"
    kept.write_text(capsys.readouterr().out, "utf-8")
    cut(casino, "table:rolls", 1)

    assert main(["audit", casino, "--anchors", str(kept)]) == 1


def refused(capsys, *arguments):
    """Run a command that must fail with a one-line message; return the message."""
    assert main(["audit", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err


BAD_ANCHORS = {
    "[]": "no heads",
    '{"heads": 5}': "no heads",
    '{"heads": {"cage": {"seq": "1", "hash": ""}}}': "needs seq and hash",
    "{": "JSON",
}


@pytest.mark.parametrize("content", BAD_ANCHORS)
def test_bad_anchors(tmp_path, capsys, content):
    """A file without anchors is rejected."""
    kept = tmp_path / "heads.json"
    kept.write_text(content, "utf-8")

    assert BAD_ANCHORS[content] in refused(capsys, "x.db", "--anchors", str(kept))


def test_missing_anchors(casino, tmp_path, capsys):
    """An audit without the file to compare with fails, and says how to create the file."""
    kept = str(tmp_path / "heads.json")

    told = refused(capsys, casino, "--anchors", kept, "--save-anchors", kept)
    assert "for the first audit, leave --anchors out" in told
    assert not Path(kept).exists()


@pytest.mark.parametrize("page", ["docs/audit.md", "docs/guides/card-room.md"])
def test_the_commands_of_a_page(casino, tmp_path, monkeypatch, page):
    """The audit commands on a page succeed in order in an empty folder."""
    shown = (ROOT / page).read_text("utf-8")
    commands = re.findall(r"^\W*pitboss (audit) \w+\.db (.*)$", shown, re.MULTILINE)
    monkeypatch.chdir(tmp_path)

    assert len(commands) > 1
    for command, options in commands:
        assert main([command, casino, *options.split()]) == 0


def test_no_such_file(tmp_path, capsys):
    """A missing file is an error, and is not created."""
    path = tmp_path / "none.db"

    assert "there is no file" in refused(capsys, str(path))
    assert "there is no file" in refused(capsys, "sqlite://")
    assert "there is no file" in refused(capsys, f"sqlite+aiosqlite:///{tmp_path}")
    assert list(tmp_path.iterdir()) == []


def test_no_database(tmp_path, capsys):
    """A file that is not a database is rejected."""
    path = tmp_path / "text.db"
    path.write_text("nothing of the kind " * 99, "utf-8")
    empty = tmp_path / "empty.db"
    empty.touch()

    assert "not a database" in refused(capsys, str(path))
    assert "not a pitboss database" in refused(capsys, str(empty))
    assert empty.read_bytes() == b""


def test_no_server(tmp_path, capsys):
    """A PostgreSQL server that does not answer, and an invalid address, are rejected."""
    address = f"postgresql://ann:secret@/x?host={tmp_path}"
    told = refused(capsys, address)

    assert "cannot read" in told
    assert "secret" not in told
    assert "cannot read" in refused(capsys, f"{address}&colour=red")
    assert "not a supported database" in refused(capsys, "mysql://x/y")


def test_another_database(postgres, capsys):
    """A PostgreSQL database of another program is rejected, and so is a missing one."""
    url = postgres.create()
    sql(url, "CREATE TABLE alembic_version (version_num text)")

    assert "not a pitboss database" in refused(capsys, url)
    postgres.drop(url)
    assert "does not exist" in refused(capsys, url)


def test_another_version(casino, capsys):
    """A newer database is rejected, and so is an older one, with instructions to upgrade it."""
    later = "0002", {"0001", "0002", "9998"}, "9998"
    with mock.patch.object(snapshot, "versions", return_value=later):
        assert "start pitboss serve" in refused(capsys, casino)
    sql(casino, "UPDATE alembic_version SET version_num = '9999'")

    assert "or a later one" in refused(capsys, casino)
    with pytest.raises(SettingError, match="9999"):
        audited(casino)


def test_a_damaged_file_is_reported(tmp_path):
    """A file whose index lost a row, as after a copy with an old -wal, does not pass."""
    path = tmp_path / "t.db"
    asyncio.run(prepare(str(path)))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        find = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_switches_1'"
        (page,) = connection.execute(find).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size + 3 : (page - 1) * size + 5] = b"\0\0"  # an index without entries
    path.write_bytes(content)
    report = asyncio.run(audit(str(path)))
    assert not report.ok
    assert "damaged" in report.findings[0].what
