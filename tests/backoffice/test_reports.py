"""The reports for operators and players, compared with sums from the ledger and the journals."""

import asyncio
import csv
import io
import json
import random
import re
import secrets
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import sqrt

import pytest
from sqlalchemy import func, insert, select

from pitboss.backoffice import chart as charts
from pitboss.backoffice import events as event_reports
from pitboss.backoffice import export, lists
from pitboss.backoffice import performance as performances
from pitboss.backoffice import replay as replays
from pitboss.backoffice import theory as theory_module
from pitboss.backoffice.theory import NoTheory, theory
from pitboss.core.errors import NotationError
from pitboss.core.journal import read_journal, replay
from pitboss.dealing.config import DealingConfig
from pitboss.dealing.creation import create_table
from pitboss.dealing.pit import Pit
from pitboss.games import GAMES
from pitboss.games.roll_your_own.presolved import NEEDS_KERNELS
from pitboss.ledger.clock import now
from pitboss.ledger.errors import MissingError
from pitboss.ledger.schema import ledger, players, rounds, seeds
from pitboss.ledger.store import Store
from pitboss.ledger.table_queries import finished_round
from pitboss.ledger.transaction import Change, Unit
from pitboss.tables.chain import CAGE, Entry, Posting
from pitboss.tables.hand import Place
from pitboss.tables.limits import Limit
from pitboss.tables.setup import Setup
from pitboss.tables.views import explained_view
from pitboss.web import messages

TOSS, ROLL = GAMES["toss-one-21"], GAMES["roll-your-own"]
START = 10_000_00
STAKES = (
    {"main": 500},
    {"main": 1000, "lucky3": 500},
    {"main": 500, "lucky3": 200, "bonus4": 300},
    {"main": 500},
)


@dataclass
class Casino:
    """A store with a pit, and the tables that were played."""

    store: Store
    pit: Pit

    async def guest(self, name):
        lines = (Posting("bank", -START, "guest"), Posting(f"player:{name}", START, "guest"))
        body = {"player": name, "name": name, "amount": START}
        row = {"id": name, "name": name, "name_key": name, "blocked": False, "created": now()}
        entry = Entry(chain=self.store.cage, kind="guest", body=body, postings=lines)
        change = Change(insert(players), row)
        await self.store.write(Unit(at=now(), entries=(entry,), changes=(change,)))

    async def table(self, name, game, seats, *, seconds=None):
        """Open a table where players sit, by the numbers of their seats."""
        limits = {game.first_stake: Limit(100, 1000_00)}
        setup = Setup(
            id=name, name=f"{name}'s", game=game, rules=game.rules(), limits=limits, seconds=seconds
        )
        await create_table(self.pit.store, setup, "ann", None)
        dealer = await self.pit.dealer(name)
        for seat, player in seats.items():
            await dealer.act(lambda t, s=seat, p=player: t.sit(s, Place(p, p, "seed")))
        return dealer

    async def bet(self, dealer, stakes):
        """Bet, seat by seat; at a shared table the last bet deals."""
        for seat, bets in stakes.items():
            player = dealer.table.places[seat].player
            await dealer.act(lambda t, s=seat, p=player, b=bets: t.bet(p, s, b))
        if dealer.table.is_solo:
            await dealer.act(lambda t: t.deal())

    async def decide(self, dealer, chance, most=1000):
        """Decide for each seat that is asked; split and double if possible."""
        for _ in range(most):
            if not (waiting := dealer.table.waiting()):
                return
            seat = chance.choice(waiting)
            legal = [str(d) for d in dealer.table.hand.round.legal(seat)]
            bold = [text for text in legal if text in {"split", "double"}]
            text = chance.choice(bold if bold and chance.random() < 0.6 else legal)
            player = dealer.table.hand.owners[seat].player if chance.random() < 0.8 else None
            await dealer.act(lambda t, s=seat, d=text, p=player: t.decide(s, d, player=p))

    async def journals(self, table):
        """Return the records of a table's settled rounds."""
        query = select(rounds.c.number).where(
            rounds.c.table_id == table, rounds.c.status == "settled"
        )
        async with self.store.reading() as connection:
            numbers = (await connection.execute(query.order_by(rounds.c.number))).scalars().all()
        return [await finished_round(self.store, table, number) for number in numbers]

    async def account(self, name):
        query = select(func.sum(ledger.c.amount)).where(ledger.c.account == name)
        async with self.store.reading() as connection:
            return int((await connection.execute(query)).scalar_one() or 0)


async def evening(store):
    """Play at three tables: one player, two who share a table, and Roll Your Own."""
    casino, chance = Casino(store, Pit(store, DealingConfig(address="a"))), random.Random(3)
    await casino.guest("ann")
    await casino.guest("bob")
    solo = await casino.table("solo", TOSS, {1: "ann", 2: "ann"})
    both = await casino.table("both", TOSS, {1: "ann", 3: "bob"}, seconds=600)
    roll = await casino.table("roll", ROLL, {2: "bob"})
    for number in range(8):
        second = {2: {"main": 500}} if number % 3 == 0 else {}
        await casino.bet(solo, {1: STAKES[number % 4]} | second)
        await casino.decide(solo, chance)
        await casino.bet(both, {1: {"main": 1000}, 3: STAKES[number % 4]})
        await casino.decide(both, chance)
        await casino.bet(roll, {2: {"bet": 500 + 100 * (number % 2)}})
        await casino.decide(roll, chance)
    await casino.bet(roll, {2: {"bet": 700}})
    await roll.void("a card was exposed")
    await casino.bet(both, {1: {"main": 1500}, 3: {"main": 500}})
    await both.void("the lights went out")
    await both.act(lambda t: t.bet("bob", 3, {"main": 2500}))
    await solo.act(lambda t: t.change_limits({"main": Limit(500, 5000)}))
    await roll.act(lambda t: t.close())
    for kind, body in (
        ("login_failed", {"name": None, "address": "192.0.2.7", "password": "hunter2"}),
        ("started", {"process": "p1", "token": "hunter2", "seed": "hunter2"}),
        ("something_new", {"reason": "{hunter}", "server_seed": "hunter2"}),
    ):
        entry = Entry(chain=store.cage, kind=kind, body=body)
        await store.write(Unit(at=now(), entries=(entry,)))
    return casino


async def play_once(url, play):
    store = await Store.open(url)
    casino = await play(store)
    await casino.pit.close()
    await store.close()


def looking(url, check):
    """Run *check* on the played database."""

    async def go():
        store = await Store.open(url)
        try:
            return await check(Casino(store, Pit(store, DealingConfig())))
        finally:
            await store.close()

    return asyncio.run(go())


def played_at(url, play):
    """Play with the same decks each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", random.Random(7).randbytes)
        asyncio.run(play_once(url, play))
    return url


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def played(request, tmp_path_factory):
    """Return a database after an evening of play; tests only read it."""
    if request.param == "sqlite":
        yield played_at(f"{tmp_path_factory.mktemp('evening')}/pitboss.db", evening)
        return
    server = request.getfixturevalue("postgres")
    url = server.create()
    yield played_at(url, evening)
    server.drop(url)


# --- performance and the chart


def expectation(journal):
    """Return the mean and variance of a round from its bets, pair by pair."""
    game = GAMES[journal["game"]]
    worth = theory(game, game.rules())
    bets = [{n: v for n, v in bet.items() if n != "seat"} for bet in journal["bets"]]
    alone = [worth.seat(stakes) for stakes in bets]
    between = worth.pairs if len(bets) > 1 else None
    pairs = sum(
        one.get(a, 0) * two.get(b, 0) * between[worth.stakes.index(a)][worth.stakes.index(b)]
        for i, one in enumerate(bets)
        for j, two in enumerate(bets)
        if i != j
        for a in one
        for b in two
    )
    return sum(s.mean for s in alone), sum(s.variance for s in alone) + pairs


def test_performance_is_what_ledger_and_journals_say(played):
    """The hold, bets, voids and theory of each table agree with sums from its records."""

    async def check(casino):
        found = await performances.performance(casino.store)
        rows = {row["table"]: row for row in found if row["per"] == "table"}
        assert set(rows) == {"solo", "both", "roll"}
        for table, row in rows.items():
            journals = [record["journal"] for record in await casino.journals(table)]
            assert row["rounds"] == len(journals) == 8
            assert row["hold"] == await casino.account(f"house:{table}")
            assert row["felt"] == await casino.account(f"felt:{table}")
            paid = [s for journal in journals for s in journal["settlements"]]
            assert row["staked"] == sum(s["stake"] for s in paid)
            assert row["paid"] == sum(s["stake"] + s["net"] for s in paid)
            units = 3 if table == "roll" else 1
            bets = [bet for journal in journals for bet in journal["bets"]]
            assert row["initial"] == units * sum(sum(b.values()) - b["seat"] for b in bets)
            expected = [expectation(journal) for journal in journals]
            mean, variance = (sum(part) for part in zip(*expected, strict=True))
            assert row["theoretical_hold"] == round(-mean)
            assert row["std_error"] == round(sqrt(variance))
            assert row["z"] == pytest.approx((row["hold"] + mean) / sqrt(variance))
            assert row["hold_percent"] == pytest.approx(100 * row["hold"] / row["initial"])
            assert row["return_percent"] + row["hold_percent"] == pytest.approx(100)
            assert row["theoretical_return_percent"] == pytest.approx(
                100 * (1 + mean / row["initial"])
            )
        assert {table: row["voids"] for table, row in rows.items()} == {
            "solo": 0,
            "both": 1,
            "roll": 1,
        }
        assert rows["both"]["felt"] == 2500
        assert rows["roll"]["staked"] > rows["roll"]["initial"], "somebody doubled or split"
        assert rows["roll"]["theoretical_return_percent"] == pytest.approx(100 - 0.854839, abs=1e-5)
        assert [rows[t]["status"] for t in ("solo", "both", "roll")] == ["open", "open", "closed"]
        return found

    found = looking(played, check)
    assert [row["per"] for row in found] == ["game"] * 2 + ["table"] * 3
    games = {row["game"]: row for row in found[:2]}
    toss = [row for row in found[2:] if row["game"] == TOSS.key]
    assert (games[TOSS.key]["status"], games[ROLL.key]["status"]) == ("open", "closed")
    (roll,) = (row for row in found[2:] if row["table"] == "roll")
    assert (games[TOSS.key]["closed"], games[ROLL.key]["closed"]) == (None, roll["closed"])
    for name in ("tables", "rounds", "voids", "initial", "staked", "paid", "hold", "felt"):
        assert games[TOSS.key][name] == sum(row[name] for row in toss)
    assert games[TOSS.key]["first"] == min(row["first"] for row in toss)
    assert games[TOSS.key]["last"] == max(row["last"] for row in toss)
    assert games[TOSS.key]["bets"]["main"]["exact"] == "179767813/26338835250"
    assert all("optimal play" in row["assumes"] and row["no_theory"] is None for row in found)
    assert len({tuple(row) for row in found}) == 1, "all rows have the same columns"


@pytest.mark.long
def test_performance_by_filters(played):
    """Filters exclude other tables; if there are many tables, the newest are listed."""

    async def check(casino):
        two = await performances.performance(casino.store, limit=1)
        assert [row["per"] for row in two] == ["game", "game", "table"]
        assert [row["rounds"] for row in two[:2]] == [8, 16]
        game, table = await performances.performance(casino.store, table="solo")
        assert (game["per"], table["table"]) == ("game", "solo")
        assert game["rounds"] == table["rounds"] == 8
        by_game = await performances.performance(casino.store, game=ROLL.key)
        assert [row["table"] for row in by_game] == [None, "roll"]
        never = await performances.performance(casino.store, until=1)
        assert [row["rounds"] for row in never] == [0] * 5
        assert never[-1]["hold_percent"] is never[-1]["z"] is None
        first, *_ = (await casino.journals("solo"))[1:]
        ended = datetime.fromisoformat(first["ended"]).timestamp()
        later = await performances.performance(
            casino.store, table="solo", since=round(1000 * ended)
        )
        assert [row["rounds"] for row in later] == [7, 7]

    looking(played, check)


def test_theories_are_worked_out_a_few_at_a_time(played, monkeypatch):
    """A report computes only the allowed number of new theories; other rows come without one."""
    monkeypatch.setattr(theory_module, "_found", {})

    async def check(casino):
        none = await performances.performance(casino.store, game=TOSS.key, solve=0)
        assert {row["theoretical_hold"] for row in none} == {None}
        assert {(row["no_theory"], row["pending"]) for row in none} == {
            (performances.NOT_COMPUTED, True)
        }
        assert [row["hold"] for row in none if row["per"] == "table"] == [
            await casino.account(f"house:{row['table']}") for row in none if row["table"]
        ]
        first = await performances.performance(casino.store, game=TOSS.key, solve=1)
        again = await performances.performance(casino.store, game=TOSS.key, solve=0)
        assert again == first
        assert None not in {row["theoretical_hold"] for row in again}
        assert {row["pending"] for row in again} == {False}

    looking(played, check)


def test_figures_come_without_the_solver(played, monkeypatch):
    """If Roll Your Own cannot be solved, its figures are shown without theory, with the reason."""
    monkeypatch.setattr(theory_module, "_found", {})
    monkeypatch.setattr(performances, "theory", lambda *_: NoTheory(NEEDS_KERNELS))

    async def check(casino):
        _, row = await performances.performance(casino.store, table="roll")
        assert row["hold"] == await casino.account("house:roll")
        assert (row["z"], row["out_of_range"]) == (None, False)
        assert "kernels" in row["no_theory"]
        chart = await charts.chart(casino.store, table="roll")
        assert chart["points"][-1]["hold"] == row["hold"]
        assert (chart["points"][-1]["low"], chart["out_of_range"]) == (None, False)

    looking(played, check)


def test_the_chart_adds_up_round_by_round(played):
    """Each point is the hold so far, its expectation, and three standard errors to either side."""

    async def check(casino):
        digest = TOSS.rules().digest()
        found = await charts.chart(casino.store, digest=digest)
        coarse = await charts.chart(casino.store, digest=digest, points=5)
        query = select(rounds).where(rounds.c.status == "settled", rounds.c.game == TOSS.key)
        order = query.order_by(rounds.c.ended, rounds.c.table_id, rounds.c.number)
        async with casino.store.reading() as connection:
            played = (await connection.execute(order)).all()
        assert len(found["points"]) == len(played) == found["rounds"] == 16
        hold = mean = variance = 0
        for point, row in zip(found["points"], played, strict=True):
            record = await finished_round(casino.store, row.table_id, row.number)
            more, spread = expectation(record["journal"])
            hold, mean, variance = hold - row.net, mean + more, variance + spread
            assert point["hold"] == hold
            assert point["expected"] == round(-mean)
            assert point["low"] == round(-mean - 3 * sqrt(variance))
            assert point["high"] == round(-mean + 3 * sqrt(variance))
            assert point["z"] == pytest.approx((hold + mean) / sqrt(variance))
        assert len(coarse["points"]) == 5
        assert coarse["points"][-1]["hold"] == found["points"][-1]["hold"]
        assert coarse["points"][-1]["high"] == found["points"][-1]["high"]
        assert [p["rounds"] for p in coarse["points"]] == [4, 7, 10, 13, 16]
        one = await charts.chart(casino.store, table="solo")
        assert one["points"][-1]["hold"] == await casino.account("house:solo")

    looking(played, check)


def test_a_chart_needs_a_table_or_rules(played):
    """A chart needs one existing table or set of rules; anything else is rejected."""

    async def check(casino):
        for wanted in ({}, {"table": "solo", "digest": "x"}):
            with pytest.raises(NotationError, match="choose one of them"):
                await charts.chart(casino.store, **wanted)
        with pytest.raises(MissingError, match="no such table"):
            await charts.chart(casino.store, table="nowhere")
        empty = await charts.chart(casino.store, table="solo", until=1)
        assert (empty["points"], empty["rounds"], empty["first_out"]) == ([], 0, None)

    looking(played, check)


def test_a_game_that_pays_wrongly_is_found(tmp_path):
    """If Main loses every time, it leaves the limits at round ten, and the chart shows that."""

    async def play(store):
        casino = Casino(store, Pit(store, DealingConfig(address="a")))
        await casino.guest("ann")
        await casino.table("rigged", TOSS, {})
        row = {"table_id": "rigged", "game": TOSS.key, "rules_digest": TOSS.rules().digest()}
        row |= {"status": "settled", "stakes": '[{"main":500}]', "staked": 500, "net": -500}
        times = [{"number": n, "opened": n, "ended": n, "seq": n} for n in range(1, 251)]
        new = insert(rounds)
        changes = tuple(Change(new, row | moments) for moments in times)
        entry = Entry(chain=CAGE, kind="rigged", body={})
        await store.write(Unit(at=now(), entries=(entry,), changes=changes))
        return casino

    async def check(casino):
        found = await charts.chart(casino.store, table="rigged", until=51)
        assert [p["rounds"] for p in found["points"]] == list(range(1, 51))
        assert (found["out_of_range"], found["first_out"]) == (True, 9)
        assert [p["out"] for p in found["points"]] == [False] * 9 + [True] * 41
        whole = await charts.chart(casino.store, table="rigged")
        assert len(whole["points"]) == charts.POINTS
        assert whole["points"][-1]["rounds"] == 250
        _, row = await performances.performance(casino.store)
        assert row["out_of_range"] is True
        assert row["z"] == pytest.approx(whole["points"][-1]["z"])
        assert row["z"] > 15

    looking(played_at(f"{tmp_path}/pitboss.db", play), check)


# --- events


def test_events_tell_what_happened_and_no_secret(played):
    """Events are listed newest first, page by page; facts with unknown names are never shown."""

    async def check(casino):
        found, before = [], None
        while True:
            page = await event_reports.events(casino.store, limit=3, before=before)
            found += page["rows"]
            before = page["before"]
            if before is None:
                break
        assert found == (await event_reports.events(casino.store))["rows"]
        of_cage = [event["seq"] for event in found if event["chain"] == found[0]["chain"]]
        assert of_cage == list(range(len(of_cage), 0, -1))
        assert "hunter2" not in json.dumps(found)
        new, started, failed, closed, *_ = found
        assert (new["what"], new["facts"]) == ("something new", {"reason": "{hunter}"})
        assert started["what"] == "a server process started: p1"
        assert failed["what"] == "log-in as (unknown) failed, from 192.0.2.7"
        assert (closed["kind"], closed["component"]) == ("table_closed", "table roll")
        voids = (await event_reports.events(casino.store, kind="void"))["rows"]
        assert [event["what"] for event in voids] == [
            "round 9 void, all bets returned: the lights went out",
            "round 9 void, all bets returned: a card was exposed",
        ]
        both = (await event_reports.events(casino.store, table="both"))["rows"]
        assert [event["kind"] for event in both] == ["void", "table_opened"]
        assert (both[1]["by"], both[1]["what"]) == ("ann", "table both's opened: toss-one-21")
        guest = (await event_reports.events(casino.store, player="bob"))["rows"]
        assert [(e["what"], e["by"]) for e in guest] == [
            ("bob joined as a guest and got $10,000", "bob")
        ]
        (limits,) = (await event_reports.events(casino.store, kind="limits_changed"))["rows"]
        changed = (
            "limits changed to main $5 to $50 in steps of $1; "
            "they were main $1 to $1,000 in steps of $1"
        )
        assert (limits["what"], limits["by"]) == (changed, None)
        assert (await event_reports.events(casino.store, until=1))["rows"] == []
        assert (await event_reports.events(casino.store, table="b_th"))["rows"] == []

    looking(played, check)


# --- tables


def test_tables_are_listed_with_what_lies_on_them(played):
    """All tables are listed, newest first, page by page, with their current state."""

    async def check(casino):
        listed = (await lists.tables_list(casino.store))["rows"]
        assert [row["id"] for row in listed] == ["roll", "both", "solo"]
        roll, both, solo = listed
        assert [row["rounds"] for row in listed] == [9, 9, 8]
        assert [row["closed"] for row in listed] == [True, False, False]
        assert [row["felt"] for row in listed] == [0, 2500, 0]
        assert solo["limits"] == {"main": {"least": 500, "most": 5000, "step": 100}}
        assert both["taken"] == [{"seat": 1, "name": "ann"}, {"seat": 3, "name": "bob"}]
        last = (await lists.rounds_list(casino.store, table="roll", limit=1))["rows"][0]
        assert roll["ended"] == last["ended"]
        messages.OperatorTables.model_validate({"rows": listed})
        found, before = [], None
        while True:
            page = await lists.tables_list(casino.store, limit=1, before=before)
            found += page["rows"]
            before = page["before"]
            if before is None:
                break
        assert found == listed
        for wanted, rows in (
            ({"status": "closed"}, [roll]),
            ({"status": "open"}, [both, solo]),
            ({"game": TOSS.key, "status": "open"}, [both, solo]),
            ({"game": TOSS.key, "status": "closed"}, []),
        ):
            assert (await lists.tables_list(casino.store, **wanted))["rows"] == rows
        with pytest.raises(NotationError, match="is not a cursor of this list"):
            await lists.tables_list(casino.store, before="x")

    looking(played, check)


# --- rounds


def test_rounds_are_listed_once_each(played):
    """Pages of any size list every finished round once, newest first; filters apply."""

    async def check(casino):
        found, before = [], None
        while True:
            page = await lists.rounds_list(casino.store, limit=7, before=before)
            found += page["rows"]
            before = page["before"]
            if before is None:
                break
        assert len({(row["table"], row["round"]) for row in found}) == len(found) == 26
        assert [row["ended"] for row in found] == sorted((r["ended"] for r in found), reverse=True)
        voids = await lists.rounds_list(casino.store, status="void")
        assert {(r["table"], r["round"], r["net"]) for r in voids["rows"]} == {
            ("roll", 9, 0),
            ("both", 9, 0),
        }
        roll = await lists.rounds_list(casino.store, game=ROLL.key, status="settled")
        hold = -sum(row["net"] for row in roll["rows"])
        assert hold == await casino.account("house:roll")
        assert {row["seats"] for row in found if row["table"] == "both"} == {0, 2}
        for cursor in ("1:solo:two", "x", "", "1:2", "9" * 20 + ":solo:1"):
            with pytest.raises(NotationError, match="is not a cursor of this list"):
                await lists.rounds_list(casino.store, before=cursor)

    looking(played, check)


def test_a_player_sees_own_rounds_and_balances(played):
    """Each round has the seats, the result and the balance that the ledger had after it."""

    async def check(casino):
        for player, rounds_played in (("ann", 17), ("bob", 18)):
            found, before = [], None
            while True:
                page = await lists.player_rounds(casino.store, player, limit=5, before=before)
                found += page["rows"]
                before = page["before"]
                if before is None:
                    break
            assert len({(row["table"], row["round"]) for row in found}) == len(found)
            assert len(found) == rounds_played
            for row in found:
                assert row["balance"] == await balance_after(casino.store, player, row)
            seats = defaultdict(set)
            for row in found:
                seats[row["table"]].add(tuple(row["seats"]))
            assert dict(seats) == (
                {"solo": {(1,), (1, 2)}, "both": {(1,)}}
                if player == "ann"
                else {"both": {(3,)}, "roll": {(2,)}}
            )
            on_the_felt = 2500 if player == "bob" else 0
            has = START + sum(row["net"] for row in found) - on_the_felt
            assert has == await casino.account(f"player:{player}")
        assert (await lists.player_rounds(casino.store, "nobody"))["rows"] == []

    looking(played, check)


async def balance_after(store, player, row):
    """Add up the player's ledger lines up to the last one of the round."""
    query = select(rounds.c.seq).where(
        rounds.c.table_id == row["table"], rounds.c.number == row["round"]
    )
    own = ledger.c.account == f"player:{player}"
    async with store.reading() as connection:
        seq = (await connection.execute(query)).scalar_one()
        here = (ledger.c.chain == f"table:{row['table']}") & (ledger.c.seq <= seq)
        last = (await connection.execute(select(func.max(ledger.c.id)).where(own, here))).scalar()
        total = select(func.sum(ledger.c.amount)).where(own, ledger.c.id <= last)
        return int((await connection.execute(total)).scalar_one())


def test_no_report_shows_a_seed_of_a_round_to_come(played):
    """No list contains the seed of an open round."""

    async def check(casino):
        store = casino.store
        shown = [
            await performances.performance(store),
            await event_reports.events(store),
            await lists.rounds_list(store),
            await lists.player_rounds(store, "ann"),
            await charts.chart(store, table="solo"),
        ]
        async with store.reading() as connection:
            found = (await connection.execute(select(seeds.c.seed))).scalars().all()
        assert len(found) == 29
        text = json.dumps(shown)
        assert not [seed for seed in found if seed in text]

    looking(played, check)


# --- a round, step by step


def test_rounds_are_re_enacted_step_by_step(played):
    """Every settled round is replayed from its bets to its settlements, in the order of its log."""

    async def check(casino):
        return [r for table in ("solo", "both", "roll") for r in await casino.journals(table)]

    records = looking(played, check)
    texts, out_of_order, timed = set(), 0, 0
    for record in records:
        journal, log = record["journal"], record["log"]
        shown = replays.steps(record)
        assert [s["what"] for s in shown] == [
            "bets",
            "deal",
            *(f"seat {m['seat']}: {m['decision']}" for m in log),
            "settlements",
        ]
        assert [s["by"] for s in shown[2:-1]] == [m["by"] for m in log]
        assert [s["at"] for s in shown] == [
            record["opened"],
            record["dealt"],
            *(m["at"] for m in log),
            record["ended"],
        ]
        assert all(step["replay"] for step in shown)
        bets, deal = shown[0]["view"], shown[1]["view"]
        assert [s["cards"] for s in bets["seats"]] == [[]] * len(journal["bets"])
        assert all(card for seat in deal["seats"] for card in seat["cards"])
        end = replay(read_journal(json.dumps(journal)))
        assert shown[-1]["view"] == explained_view(end.rules, end.record())
        settled = shown[-1]["view"]["settlements"]
        assert [paid | {"why": ""} for paid in journal["settlements"]] == [
            paid | {"why": ""} for paid in settled
        ]
        assert all(paid["why"].endswith(".") for paid in settled)
        for made, step in zip(log, shown[2:-1], strict=True):
            assert step["player"] == record["seats"][str(made["seat"])]["player"]
        texts |= {m["decision"].split()[0] for m in log}
        out_of_order += [m["decision"] for m in log] != journal["decisions"]
        timed += sum(m["by"] == "timer" for m in log)
    assert texts >= {"toss", "set", "split", "double", "hit", "stand"}
    assert out_of_order
    assert timed


def test_a_decision_changes_what_the_next_step_shows(played):
    """A toss or a play is visible from the step that made it, and not before."""

    async def check(casino):
        return (await casino.journals("roll"))[0]

    shown = replays.steps(looking(played, check))
    views = [step["view"] for step in shown[:-1]]
    assert all(before != after for before, after in pairwise(views))
    assert not views[1]["settlements"]


def test_void_rounds_end_in_their_reason(tmp_path):
    """A round voided during play shows its steps so far; one voided before the deal, its end."""

    async def play(store):
        casino = Casino(store, Pit(store, DealingConfig(address="a")))
        await casino.guest("ann")
        dealer = await casino.table("solo", TOSS, {1: "ann", 2: "ann"})
        await dealer.act(lambda t: t.bet("ann", 1, {"main": 500}))
        await dealer.void("too early")
        while True:
            await casino.bet(dealer, {1: {"main": 500}, 2: {"main": 500}})
            if len(dealer.table.waiting()) == 2:
                break
            await casino.decide(dealer, random.Random(1))
        await casino.decide(dealer, random.Random(1), most=1)
        await dealer.void("too late")
        return casino

    async def check(casino):
        voids = (await lists.rounds_list(casino.store, status="void"))["rows"]
        return [await finished_round(casino.store, "solo", row["round"]) for row in voids]

    url = played_at(f"{tmp_path}/pitboss.db", play)
    late, early = (replays.steps(record) for record in looking(url, check))
    assert [(s["what"], s["view"]) for s in early] == [("void: too early", None)]
    assert [s["what"].partition(":")[0] for s in late] == [
        "bets",
        "deal",
        late[2]["what"][:6],
        "void",
    ]
    assert late[2]["what"].startswith("seat ")
    assert late[-1]["view"]["phase"] == "tossing"
    assert late[-1]["by"] == "house"


def test_a_round_that_could_not_be_restored_has_one_step():
    """The short record of a round that was not restored has a single step."""
    record = {
        "table": "t",
        "round": 3,
        "status": "void",
        "reason": "the round could not be restored",
    }
    (step,) = replays.steps(record)
    assert (step["what"], step["at"]) == ("void: the round could not be restored", None)


# --- exports


def test_csv_is_read_back_and_never_a_formula():
    """Commas, quotes and line ends survive; text that looks like a formula is marked as text."""
    names = [
        'Ann "Ace", Jr.\r\nof Reno',
        "=HYPERLINK(1)",
        "+1",
        "-1",
        "@x",
        "\t=1",
        " =1",
        "a=b",
        "",
    ]
    rows = [{"name": name, "net": -500, "z": 1.5, "ok": True, "at": None} for name in names]
    rows[0]["limits"] = {"main": [500, 1000]}
    text = export.csv(rows)
    lines = list(csv.reader(io.StringIO(text, newline="")))
    assert lines[0] == ["name", "net", "z", "ok", "at", "limits"]
    assert [line[0] for line in lines[1:]] == [
        names[0],
        *(f"'{name}" for name in names[1:5]),
        "'\t'=1",
        "' =1",
        "a=b",
        "",
    ]
    assert lines[1][1:] == ["-500", "1.5", "true", "", '{"main":[500,1000]}']
    assert text.startswith("name,net,z,ok,at,limits\r\n")
    assert text.endswith("\r\n")


PARTS = ["=cmd|x", "+1", "-2+3", "@SUM(1)", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "\u22121"]


SIGNS = {part[0] for part in PARTS}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("separator", [";", "; ", ';"', ';"" ', "\t", "\r\n", "\n", ";\ufeff"])
def test_no_part_of_a_cell_is_a_formula(part, separator):
    """A spreadsheet that splits cells at semicolons, tabs or line ends finds no formula either."""
    values = [f"a{separator}{part}", f"{separator}{part}", {"reason": f"a{separator}{part}"}]
    written = export.csv([{"first": value, "net": -500} for value in values])
    for text in [written, *(row[0] for row in csv.reader(io.StringIO(written, newline="")))]:
        for found in re.split("[;\t\r\n]", text):
            assert not found.lstrip(' "\ufeff').startswith(
                tuple("=+-@\uff1d\uff0b\uff0d\uff20\u2212")
            )
    read = list(csv.DictReader(io.StringIO(written, newline="")))
    assert {row["net"] for row in read} == {"-500"}
    assert json.loads(read[2]["first"])


def test_csv_of_nothing_has_its_header():
    """Given columns are written in that order, even without rows."""
    assert export.csv([], ["b", "a"]) == "b,a\r\n"
    assert export.csv([{"a": 1, "b": 2, "c": 3}], ["b", "a"]) == "b,a\r\n2,1\r\n"
    assert export.csv([]) == ""


def test_performance_can_be_exported(played):
    """A row of the report is a row of the file, with the same hold."""

    async def check(casino):
        return await performances.performance(casino.store)

    rows = looking(played, check)
    read = list(csv.DictReader(io.StringIO(export.csv(rows), newline="")))
    assert [(r["name"], int(r["hold"])) for r in read] == [(r["name"], r["hold"]) for r in rows]


STOPPED = """
import asyncio, threading
from pitboss.backoffice.performance import in_daemon_thread

async def main():
    theory = asyncio.create_task(in_daemon_thread(threading.Event().wait))
    await asyncio.sleep(0.1)
    theory.cancel()

asyncio.run(main())
"""


def test_a_server_that_stops_does_not_wait_for_theory():
    """The program ends even if one of its threads waits forever."""
    subprocess.run([sys.executable, "-c", STOPPED], check=True, timeout=60)
