"""A game of another family is played in the terminal and at live tables, without any parts."""

import asyncio
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from pitboss.backoffice.audit import audit
from pitboss.core.cards import parse
from pitboss.core.fairness import verify
from pitboss.core.journal import differences, read_journal, replay, write_journal
from pitboss.core.protocol import PARTS, Deal
from pitboss.tables.limits import default_limits
from pitboss.tables.table import SeededShuffler, Table
from pitboss.terminal import Session
from tests.games.conformance import LAWS
from tests.strategies import rounds
from tests.three_card import GAME, SERVER, Bet, Fold, Play, Round, Rules, all_games
from tests.web.client import Guest, RefusedError
from tests.web.servers import Server


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """List the game among the others."""
    monkeypatch.setitem(all_games(), GAME.key, GAME)


def dealt(own, dealer, rules=None):
    packs = Deal((parse(own), parse(dealer)))
    return Round(rules or Rules()).apply(Bet(1, 1000)).apply(packs)


# --- the game


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@settings(max_examples=20)
@given(data=st.data())
def test_law(law, data):
    """Every law of the other games holds."""
    law(data.draw(rounds(GAME)))


@pytest.mark.parametrize(
    ("own", "dealer", "nets"),
    [
        ("As Ks Qd", "Jh 9c 2d", [1000, 0]),
        ("2s 2d 9h", "Ah Kd Qs", [-1000, -1000]),
        ("As 2s 3s", "9h 9d 9c", [1000, 1000]),
        ("As Kd 9h", "Ad Kh 9c", [0, 0]),
        ("2s 2d 9h", "Qh 3d 2c", [1000, 1000]),
    ],
)
def test_settlements(own, dealer, nets):
    """The dealer qualifies with a queen; then the better hand wins both bets."""
    assert [s.net for s in dealt(own, dealer).apply(Play(1)).settlements()] == nets


def test_fold():
    """A seat that folds loses its Ante and makes no other bet."""
    folded = dealt("As Ks Qd", "Jh 9c 2d").apply(Fold(1))

    assert [(s.bet, s.net) for s in folded.settlements()] == [("ante", -1000)]
    assert folded.record().seats[0].added == {}


def test_journal():
    """The journal of a round has the decision, not the bet that it adds."""
    played = dealt("As Ks Qd", "Jh 9c 2d", Rules(times=2)).apply(Play(1))
    text = json.dumps(write_journal(GAME, played, parse("As Ks Qd Jh 9c 2d")))
    journal = read_journal(text)

    assert json.loads(text)["bets"] == [{"seat": 1, "ante": 1000}]
    assert replay(journal) == played
    assert differences(journal, played) == []


# --- the terminal


def test_terminal():
    """The Play bet is shown by its name, hands by theirs, and nothing is bust or has a total."""
    table = Table(
        GAME, Rules(), limits=default_limits(GAME), shuffler=SeededShuffler("7"), bankroll=10_000
    )
    console = Console(file=io.StringIO(), width=100, color_system=None)
    answers = iter(["10", "p", "", "f", "", "play"])
    played = Session(table, 1, console, lambda _: next(answers, "q"))
    journals = [json.loads(journal) for journal in played.run()]
    shown = console.file.getvalue()

    assert [journal["decisions"] for journal in journals] == [["play"], ["fold"], ["play"]]
    assert "p) play   f) fold" in shown
    assert "$10 play" in shown
    assert "ante $10: " in shown
    assert "high" in shown
    assert "None" not in shown
    assert "bust" not in shown


# --- a live table


def played_live(path, play):
    """Run *play* with a guest at a real server that deals the game; return its result."""

    async def run(server):
        guest = await Guest(server.address).visit("Ann")
        try:
            return await play(guest)
        finally:
            await guest.close()

    with Server(str(path), program=SERVER) as server:
        return asyncio.run(run(server))


async def three_rounds(guest):
    """Play two rounds and fold one; return the records and the guest's rounds."""
    table = await guest.open_table(GAME.key, rules={"times": 2}, private=True)
    at = await guest.sit(table)
    for number, decision in enumerate(["play", "fold", "play"], 1):
        await at.bet(ante=1000)
        await at.deal()
        assert at.state["views"][0]["legal"] == ["play", "fold"]
        await at.decide(decision)
        assert at.state["last"]["number"] == number
    seat = at.state["last"]["view"]["seats"][0]
    assert seat["added"] == {"play": 2000}
    assert seat["hands"][0]["total"] is None
    assert seat["hands"][0]["text"]
    await at.close()
    records = [await guest.get(f"/api/v1/tables/{table}/rounds/{n}") for n in (1, 2, 3)]
    steps = [await guest.get(f"/api/v1/tables/{table}/rounds/{n}/steps") for n in (1, 2, 3)]
    assert all(one["steps"][-1]["view"]["phase"] == "settled" for one in steps)
    return records, await guest.get("/api/v1/me/rounds")


def test_live_table(tmp_path):
    """The ledger holds the Play bet, records verify and replay, and the audit passes."""
    path = tmp_path / "tables.db"
    records, own = played_live(path, three_rounds)

    assert [row["staked"] for row in reversed(own["rows"])] == [3000, 1000, 3000]
    for record in records:
        assert verify(record).ok
        journal = read_journal(json.dumps(record["journal"]))
        assert differences(journal, replay(journal)) == []
    report = asyncio.run(audit(str(path)))
    assert report.ok, report
    assert report.rounds == 3


def test_a_bet_that_is_not_covered(tmp_path):
    """A raise of three times the Ante is not offered to a player who cannot pay for it."""

    async def play(guest):
        table = await guest.open_table(
            GAME.key,
            rules={"times": 3},
            limits={"ante": {"least": 100, "most": 100_000}},
            private=True,
        )
        at = await guest.sit(table)
        balance = at.state["you"]["balance"]
        ante = balance // 300 * 100  # the rest is less than three times as much
        await at.bet(ante=ante)
        await at.deal()
        assert at.state["views"][0]["legal"] == ["fold"]
        assert [one["decision"] for one in at.state["not_offered"]] == ["play"]
        with pytest.raises(RefusedError, match="bankroll"):
            await at.decide("play")
        await at.decide("fold")
        await at.close()

    played_live(tmp_path / "tables.db", play)


def test_the_page_knows_that_there_are_no_parts(tmp_path):
    """GET /games lists the game with its bets and no parts; the others have theirs."""

    async def play(guest):
        return {game["key"]: game for game in await guest.get("/api/v1/games")}

    games = played_live(tmp_path / "tables.db", play)

    assert games[GAME.key]["parts"] == []
    assert [bet["stake"] for bet in games[GAME.key]["layout"]] == ["ante", None]
    for key, game in all_games().items():
        assert games[key]["parts"] == [part for part in PARTS if game.has_part(part)]
