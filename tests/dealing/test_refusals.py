"""A round's record lists the bets that were refused and the seats that were not dealt in."""

import asyncio
import json

import pytest

from pitboss.backoffice.audit import audit
from pitboss.core.fairness import verify
from pitboss.dealing.config import DealingConfig
from pitboss.dealing.pit import Pit
from pitboss.dealing.upkeep import Upkeep
from pitboss.ledger.store import Store
from pitboss.tables.hand import Place
from pitboss.tables.live import MOST_REFUSED, NOT_COVERED
from tests.backoffice.test_audit import (
    TOSS,
    find,
    found,
    grant,
    lines,
    new_table,
    pit_on,
    rehash,
    set_body,
)
from tests.web.client import RefusedError
from tests.web.gamblers import Crowd
from tests.web.servers import Server

LIMITS = {"main": {"least": 500, "most": 10**9, "step": 100}}


async def refused(at, key, **stakes):
    """Make a bet that is refused; return the answer."""
    with pytest.raises(RefusedError) as refusal:
        await at.ask("bet", key=key, round=at.number, seat=1, stakes=stakes)
    return refusal.value.answer


async def operate(server, guest, path, **body):
    await guest.post(f"/api/v1/operator/{path}", body, **server.operator)


async def record_of(at, number=1):
    return await at.guest.get(f"/api/v1/tables/{at.table}/rounds/{number}")


def played_on(url, play):
    """Run a server, play, and audit its database."""

    async def run():
        async with Crowd() as crowd:
            return await play(server, crowd)

    with Server(url, "--requests", "100000") as server:
        result = asyncio.run(run())
        server.stop()
    assert lines(asyncio.run(audit(url))) == []
    return result


def test_every_cause_is_listed(database_url):
    """Limits, the bankroll and the house refuse bets; the record has the cause and the request."""

    async def play(server, crowd):
        ann = await crowd.guest(server.address)
        at = await crowd.sit(ann, await ann.open_table("toss-one-21", limits=LIMITS))
        await at.ask("seed", seat=1, client_seed="mine")
        await refused(at, "low", main=100)
        await refused(at, "rich", main=10**8)
        await operate(server, ann, "gaming", open=False, reason="a drill")
        await refused(at, "shut", main=500)
        await operate(server, ann, "gaming", open=True, reason="over")
        await at.play_round(main=500)
        return await record_of(at)

    record = played_on(database_url, play)
    asked = [(bet["request"], bet["cause"], bet["stakes"]) for bet in record["refused"]]

    assert asked == [
        ("low", "rules", {"main": 100}),
        ("rich", "bankroll", {"main": 10**8}),
        ("shut", "house", {"main": 500}),
    ]
    assert {bet["client_seed"] for bet in record["refused"]} == {"mine"}
    assert record["refused"][1]["reason"] == NOT_COVERED  # and not what the player has
    assert "outside the limit" in record["refused"][0]["reason"]
    assert record["opened"] < record["refused"][0]["at"] < record["dealt"]
    assert verify(record).ok


def test_a_late_bet_is_listed(database_url):
    """A bet after the deal is refused, and its seat is listed as omitted."""

    async def play(server, crowd):
        ann, bob = [await crowd.guest(server.address) for _ in range(2)]
        table = await ann.open_table("roll-your-own", seconds=3)
        bobs = await crowd.sit(bob, table)
        await bobs.ask("sit_out", seat=1, out=True)
        anns = await crowd.sit(ann, table, 2)
        await anns.bet(2, bet=500)
        await bobs.until(lambda state: state["round"]["phase"] != "betting")
        await refused(bobs, "late", bet=500)
        while anns.number == 1:
            seat, decision = anns.open_decisions()[0]
            await anns.decide(decision, seat)
        return bob.me["name"], await record_of(anns)

    name, record = played_on(database_url, play)

    assert record["omitted"] == [{"seat": 1, "player": name, "why": "sat out"}]
    assert [(bet["request"], bet["seat"]) for bet in record["refused"]] == [("late", 1)]
    assert record["refused"][0]["at"] > record["dealt"]
    assert verify(record).ok


def test_refusals_are_bounded_and_cost_the_others_nothing(database_url):
    """Refused bets are recorded once each, up to a limit; no state is sent to other players."""

    async def play(server, crowd):
        ann, bob = [await crowd.guest(server.address) for _ in range(2)]
        table = await ann.open_table("toss-one-21", limits=LIMITS)
        at = await crowd.sit(ann, table)
        other = await crowd.watch(bob, table)
        version = other.state["version"]
        for number in range(MOST_REFUSED + 3):
            for _ in range(2):
                await refused(at, f"low{number}", main=100)
        assert (await refused(other, "not-mine", main=100))["error"] == "not_yours"
        pong = await other.ask("ping")
        assert (pong["type"], other.state["version"]) == ("pong", version)
        await at.play_round(main=500)
        await refused(at, "next-round", main=100)
        await at.play_round(main=500)
        return [await record_of(at, number) for number in (1, 2)]

    first, second = played_on(database_url, play)

    assert [bet["request"] for bet in first["refused"]] == [f"low{n}" for n in range(MOST_REFUSED)]
    assert [bet["request"] for bet in second["refused"]] == ["next-round"]


def test_a_refused_request_may_be_made_again(database_url):
    """A refused bet does not use up its key; a restarted server still knows the refusal."""

    async def play(server, crowd):
        ann = await crowd.guest(server.address)
        at = await crowd.sit(ann, await ann.open_table("toss-one-21", limits=LIMITS))
        await refused(at, "again", main=100)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        at = await crowd.watch(ann, at.table)
        await refused(at, "again", main=100)
        lower = {"main": {"least": 100, "most": 900, "step": 100}}
        await operate(server, ann, f"tables/{at.table}/limits", limits=lower)
        await at.ask("bet", key="again", round=at.number, seat=1, stakes={"main": 100})
        await at.play_round()
        return await record_of(at)

    record = played_on(database_url, play)

    assert [bet["request"] for bet in record["refused"]] == ["again"]
    assert record["journal"]["bets"][0]["main"] == 100


# --- seats that are not dealt in


async def table_of_five(pit):
    dealer = await new_table(pit, "five", TOSS, seconds=60)
    for seat, name in enumerate(("ann", "bob", "cyd", "dan", "eve"), 1):
        await grant(pit.store, name)
        await dealer.act(lambda t, n=name, s=seat: t.sit(s, Place(n, n.title())))
    return dealer


async def finish(dealer):
    number = dealer.table.hand.number
    while dealer.table.hand.number == number:
        await dealer._time_is_up(dealer.table.hand.deadline)
    return dealer.table.ended.record


def test_every_omission_is_listed(database_url):
    """A seat that is not dealt in is listed with the reason; one that bets again is not."""

    async def play():
        async with pit_on(database_url) as pit:
            dealer = await table_of_five(pit)
            for name, seat in (("ann", 1), ("cyd", 3), ("dan", 4)):
                await dealer.act(lambda t, n=name, s=seat: t.bet(n, s, {"main": 500}))
            await dealer.act(lambda t: t.take_back("ann", 1))
            await dealer.act(lambda t: t.bet("ann", 1, {"main": 500}))
            await dealer.act(lambda t: t.take_back("cyd", 3))
            await dealer.act(lambda t: t.leave("dan", 4))
            await dealer.act(lambda t: t.sit(4, Place("dan", "Dan")))
            await dealer.act(lambda t: t.sit_out("eve", 5, out=True))
            return await finish(dealer)

    record = asyncio.run(play())

    assert [(one["seat"], one["player"], one["why"]) for one in record["omitted"]] == [
        (3, "Cyd", "took the bet back"),
        (4, "Dan", "left"),
        (2, "Bob", "did not bet"),
        (5, "Eve", "sat out"),
    ]
    assert verify(record).ok
    assert lines(asyncio.run(audit(database_url))) == []


def test_a_seat_that_the_house_emptied_is_listed(database_url):
    """If the house frees a seat that has a bet, the record says so."""

    async def play():
        store = await Store.open(database_url)
        pit = Pit(store, DealingConfig(idle_seat_ms=-1))
        dealer = await table_of_five(pit)
        await dealer.act(lambda t: t.bet("bob", 2, {"main": 500}))
        await Upkeep(pit).empty_seats()
        await dealer.act(lambda t: t.sit(1, Place("ann", "Ann")))
        await dealer.act(lambda t: t.bet("ann", 1, {"main": 500}))
        record = await finish(dealer)
        await pit.close()
        await store.close()
        return record

    record = asyncio.run(play())

    assert record["omitted"] == [{"seat": 2, "player": "Bob", "why": "removed by the house"}]
    assert lines(asyncio.run(audit(database_url))) == []


# --- what the audit makes of it


async def refuse_and_play(url):
    """Play a round at a table after a bet below the limit was refused."""
    async with pit_on(url) as pit:
        dealer = await table_of_five(pit)

        def refuse(table, error):
            about = {"request": "low", "cause": "rules", "reason": str(error)}
            return table.refuse(1, {"main": 50}, **about)

        with pytest.raises(ValueError, match="limit"):
            await dealer.take(lambda t: t.bet("ann", 1, {"main": 50}), refusal=refuse)
        await dealer.act(lambda t: t.bet("ann", 1, {"main": 500}))
        await finish(dealer)


def one(url, kind):
    return find(url, "table:five", kind)


def drop_lists(facts):
    for name in ("omitted", "refused"):
        del facts["record"][name]


FORGERIES = {
    "a legal bet": (
        "refused",
        lambda f: f["stakes"].update(main=500),
        "because of the rules, but they allow it",
    ),
    "a seat of nobody": ("refused", lambda f: f.update(seat=7), "nobody sits at seat 7"),
    "a cause": ("refused", lambda f: f.update(cause="mood"), "cannot be replayed"),
    "no refused bets": ("settled", drop_lists, "record.omitted is missing"),
    "a refused bet": ("settled", lambda f: f["record"]["refused"].clear(), "record.refused is []"),
    "an omitted seat": ("settled", lambda f: f["record"]["omitted"].pop(), "record.omitted is"),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_forged_lists_are_found(database_url, what):
    """An unjustified refusal, or one that is missing from the round's record, is found."""
    asyncio.run(refuse_and_play(database_url))
    assert lines(asyncio.run(audit(database_url))) == []
    kind, change, words = FORGERIES[what]
    record = one(database_url, kind)
    set_body(database_url, record, change)
    rehash(database_url, "table:five")

    assert found(asyncio.run(audit(database_url)), "round", "table:five", record["seq"], words)


def test_rounds_of_the_version_before(database_url):
    """A round whose record lacks the lists passes the audit if nothing was refused."""

    async def play():
        async with pit_on(database_url) as pit:
            dealer = await table_of_five(pit)
            await dealer.act(lambda t: t.bet("ann", 1, {"main": 500}))
            await finish(dealer)

    asyncio.run(play())
    set_body(database_url, one(database_url, "settled"), drop_lists)
    rehash(database_url, "table:five")
    record = json.loads(one(database_url, "settled")["body"])["record"]

    assert verify(record).ok
    assert lines(asyncio.run(audit(database_url))) == []
