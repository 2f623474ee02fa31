"""Lessons over HTTP: no sign-in is needed, and the answers equal the library's."""

import asyncio
import random

import httpx
import pytest

from pitboss import GAMES, analysis, toss_one
from pitboss.games.roll_your_own import presolved as played
from pitboss.jurisdictions import LETTERS
from pitboss.training import drills, examples
from pitboss.web import messages
from pitboss.web.routes import lessons
from tests.parts import keys_with
from tests.web.servers import Server, eventually

pytestmark = pytest.mark.xdist_group("web lessons")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Return a client of a real server, without an account."""
    path = tmp_path_factory.mktemp("lessons") / "tables.db"
    with (
        Server(str(path), "--requests", "100000") as server,
        httpx.Client(base_url=f"{server.address}/api/v1", timeout=600) as client,
    ):
        yield client


def read(answer, model):
    assert answer.status_code == 200, answer.text
    assert not answer.cookies
    assert answer.json()["play_money"] is True
    return model.model_validate_json(answer.text)


def refused(answer, error, words):
    assert answer.status_code == 422, answer.text
    body = messages.Problem.model_validate_json(answer.text)
    assert body.error == error
    assert words in body.detail


# --- practice


def test_the_drills_are_listed_and_asked(client):
    """Every listed drill has a situation: a seat's view and its legal decisions, best first."""
    listed = read(client.get("/practice"), messages.Drills).drills
    assert [(d.game, d.drill) for d in listed] == [(g.key, d.key) for g, d in drills.all_drills()]
    for row in listed:
        asked = {"game": row.game, "drill": row.drill}
        found = read(client.get("/practice", params=asked), messages.Drill)
        assert (found.game, found.drill, found.title) == (row.game, row.drill, row.title)
        assert sorted(option.decision for option in found.options) == sorted(found.view.legal)
        assert found.options[0].cost == 0
        assert found.options[0].why
        assert found.unit == 1000
        assert None in found.view.dealer.cards
        assert found.view.settlements == [] or found.game == "roll-your-own"


def test_practice_by_other_rules(client):
    """A preset is chosen by name; an unknown name gets an error message."""
    asked = {"game": "roll-your-own", "drill": "pairs", "rules": "no-peek"}
    read(client.get("/practice", params=asked), messages.Drill)
    bad = asked | {"rules": "mine"}
    refused(client.get("/practice", params=bad), "bad_setting", "choose from default, no-peek")
    bad = asked | {"drill": "toss"}
    refused(client.get("/practice", params=bad), "unreadable", "there are set, hard")
    refused(client.get("/practice?game=poker&drill=set"), "unreadable", "no game 'poker'")
    refused(client.get("/practice?game=toss-one-21"), "unreadable", "give both a game and a drill")


# --- training


@pytest.mark.parametrize("game", keys_with("training"))
def test_a_round_to_deal(client, game):
    """Every bet is settled once, in order, from those on the felt; amounts and texts agree."""
    for _ in range(5):
        found = read(client.get("/training", params={"game": game}), messages.Training)
        rules = GAMES[game].rules.from_json(found.rules)
        assert found.digest == rules.digest()
        steps = [step for step in found.steps if step.kind == "settle"]
        last = found.steps[-1].view
        assert last.phase == "settled"
        assert [(s.seat, s.bet, s.hand) for s in steps] == [
            (s.seat, s.bet, s.hand) for s in last.settlements
        ]
        for step, paid in zip(steps, last.settlements, strict=True):
            assert step.pays == max(paid.net, 0)
            assert (step.rule, step.outcome, step.stake) == (paid.rule, paid.outcome, paid.stake)
            assert messages.BetSpot(seat=step.seat, bet=step.bet, hand=step.hand) == step.next[0]
            assert all(spot in step.unsettled for spot in step.next)
        peeked = any("You turn it over" in step.prompt for step in found.steps)
        assert peeked or any(step.kind == "dealer" for step in found.steps)
        assert len(found.seats) in {2, 3}
    six = read(client.get("/training?game=toss-one-21&rules=six-to-five"), messages.Training)
    assert six.rules["blackjack_pays"] == "6:5"
    refused(client.get("/training?game=toss-one-21&rules=x"), "bad_setting", "choose from default")


# --- examples


@pytest.mark.parametrize("game", keys_with("examples"))
def test_examples(client, game):
    """The examples of the library, settled, with a sentence for every bet."""
    rows = client.get(f"/games/{game}/examples").json()
    found = [messages.ExampleInfo.model_validate(row) for row in rows]
    assert [(e.rule, e.title) for e in found] == [
        (e.scenario.rule, e.scenario.title) for e in examples.examples(game)
    ]
    for example in found:
        assert example.view.phase == "settled"
        assert all(paid.why for paid in example.view.settlements)
        at = example.highlight
        assert any(
            (p.seat, p.bet, p.hand) == (at.seat, at.bet, at.hand) for p in example.view.settlements
        )
    refused(client.get("/games/poker/examples"), "unreadable", "no game 'poker'")


# --- odds


def test_odds_of_any_rules(client):
    """Counted bets have the fractions of the analysis."""
    lines = [{"on": [4], "pays": "500:1"}, {"on": [5, 6, 7], "pays": "10:1"}]
    changes = {"decks": 6, "blackjack_pays": "6:5", "bonus4_paytable": lines}
    answer = client.post("/odds", json={"game": "toss-one-21", "rules": changes})
    found = read(answer, messages.Odds)
    rules = toss_one.Rules.from_json(changes)
    assert found.digest == rules.digest()
    assert found.rules == rules.as_json()
    figures = analysis.analyze(GAMES["toss-one-21"], rules).counted
    assert {bet.bet: bet.exact for bet in found.bets} == {b: str(f.ev) for b, f in figures.items()}
    assert {c.name: c.value for c in found.changed} == changes
    assert found.pending == []
    assert found.default["lucky3"] == pytest.approx(6.00277, abs=1e-5)


def test_the_default_play_is_there_at_once(client):
    """These figures come at once: another Bonus table, fewer seats, or one setting switched."""
    table = [{"on": ["straight"], "pays": "6:1"}, {"on": ["flush"], "pays": "4:1"}]
    for rules in ({}, {"bonus_paytable": table, "seats": 2}, {"soft_17": "stand"}):
        answer = client.post("/odds", json={"game": "roll-your-own", "rules": rules})
        found = read(answer, messages.Odds)
        assert [bet.bet for bet in found.bets] == ["blackjack", "bonus", "package"]
        assert (found.pending, found.missing) == ([], None)
        assert [bet.stake for bet in found.bets] == [2, 1, 3]
        for bet in found.bets:
            assert bet.edge_percent == pytest.approx(-100 * bet.ev / bet.stake)
    assert found.default["package"] == pytest.approx(0.8548, abs=1e-4)


# --- approval


def test_the_letter_of_a_game(client):
    """A game names its approval letter; the others have no letter and no approved settings."""
    toss, *others = map(messages.GameInfo.model_validate, client.get("/games").json())
    assert toss.approval.date == "27 April 2017"
    assert toss.approval.authority == "Washington State Gambling Commission"
    assert toss.approval.citation == str(LETTERS["toss-one-21"].citation)
    found = {one.name: one.approval and one.approval.verdict for one in toss.settings}
    assert found == {
        **dict.fromkeys(LETTERS["toss-one-21"].fixed, "approved"),
        **dict.fromkeys(LETTERS["toss-one-21"].open, "open"),
        "seats": None,
    }
    for other in others:
        assert other.approval is None
        assert {one.approval for one in other.settings} == {None}


@pytest.mark.parametrize(
    ("name", "value", "verdict", "values"),
    [
        ("blackjack_pays", "3:2", "approved", ["3:2", "6:5"]),
        ("blackjack_pays", "6:5", "approved", ["3:2", "6:5"]),
        ("blackjack_pays", "7:5", "not approved", ["3:2", "6:5"]),
        ("lucky3_paytable", 1, "approved", ["2", "1"]),
        ("lucky3_paytable", [{"on": ["21"], "pays": "1:1"}], "not approved", ["2", "1"]),
        ("toss", "free", "not approved", ["must_be_best"]),
        ("decks", 6, "open", []),
    ],
)
def test_what_the_letter_approves(client, name, value, verdict, values):
    """A value is approved if the letter has it, whether or not it is the default."""
    answer = client.post("/odds", json={"game": "toss-one-21", "rules": {name: value}})
    found = {one.name: one for one in read(answer, messages.Odds).settings}[name]
    assert (found.approval.verdict, found.approval.values) == (verdict, values)
    assert bool(found.approval.says) is (verdict == "open")
    assert found.rule in {"8", "10", "3", "2"}


# --- rejected rules


@pytest.mark.parametrize(
    ("game", "rules", "error", "words"),
    [
        ("poker", {}, "unreadable", "no game 'poker'"),
        ("toss-one-21", {"decks": 9}, "bad_setting", "decks: 9 is not a whole number in 1..8"),
        ("toss-one-21", {"desks": 1}, "bad_setting", "no setting 'desks': choose from"),
        ("toss-one-21", {"blackjack_pays": "0:1"}, "bad_setting", "odds of 0:1 win nothing"),
        (
            "roll-your-own",
            {"bonus_paytable": []},
            "bad_setting",
            "the pay table lists no winning result",
        ),
        ("roll-your-own", {"soft_17": 1}, "bad_setting", "soft_17: 1 is not one of hit, stand"),
    ],
)
def test_bad_rules(client, game, rules, error, words):
    """Invalid rules are rejected with the game's error message."""
    refused(client.post("/odds", json={"game": game, "rules": rules}), error, words)


@pytest.mark.long
def test_rules_that_are_solved_on_demand(client):
    """Rules with two changed settings are pending until they are solved."""
    asked = {"game": "roll-your-own", "rules": {"soft_17": "stand", "double_after_split": False}}
    found = read(client.post("/odds", json=asked), messages.Odds)
    assert found.pending == ["blackjack", "package"]

    def solved():
        now = read(client.post("/odds", json=asked), messages.Odds)
        return now if not now.pending else None

    found = eventually(solved, timeout=120, every=1)
    assert found.missing is None
    assert {bet.bet for bet in found.bets} == {"bonus", "blackjack", "package"}


# --- the worker


def wanted(number):
    """Return rules that are not shipped, different for each number."""
    return GAMES["roll-your-own"].rules(blackjack_pays=f"{100 + number}:100")


def test_the_newest_request_is_solved_first(monkeypatch):
    """The solver takes one job at a time, one per address, from a bounded queue."""
    done, go, running = [], asyncio.Event(), 0

    async def solve(rules):
        nonlocal running
        running += 1
        assert running == 1
        await go.wait()
        done.append(rules)
        running -= 1
        if rules == wanted(2):
            raise lessons.UnsolvedError("no")
        return next(iter(played.shipped().values()))

    async def ask():
        worker = lessons.LessonWorker()
        monkeypatch.setattr(lessons, "_solve", solve)
        worker.request_solution("a", wanted(1))
        await asyncio.sleep(0)
        for address, number in (("b", 2), ("c", 3), ("b", 4), ("d", 2)):
            worker.request_solution(address, wanted(number))
        for number in range(lessons.MOST_QUEUED - 2):
            worker.request_solution(f"e{number}", wanted(100 + number))
        go.set()
        await worker._solving
        assert done[0] == wanted(1)
        assert done[1] == wanted(100 + lessons.MOST_QUEUED - 3)
        assert done[-2:] == [wanted(2), wanted(4)]  # the request of c was too many
        assert worker.known(wanted(1))
        assert worker.failed(wanted(2))
        assert not worker.failed(wanted(3))
        assert worker.known(wanted(3)) is None
        assert worker.known(toss_one.Rules()) is None
        assert not worker.failed(toss_one.Rules())
        await worker.close()

    asyncio.run(ask())


def test_a_solver_that_fails(monkeypatch):
    """A failed solver's error is reported, and has no other effect."""

    async def ask():
        monkeypatch.setattr(lessons, "differences", lambda _: {"soft_17": "x"})
        with pytest.raises(lessons.UnsolvedError, match="soft_17: 'x' is not one of"):
            await lessons._solve(wanted(1))

    asyncio.run(ask())


def test_too_many_at_once():
    """A request is rejected while too many wait."""

    async def ask():
        worker = lessons.LessonWorker()
        worker._waiting = lessons.MOST_WAITING
        with pytest.raises(lessons.BusyError, match="try again in a second"):
            await worker.work(random.random)
        worker._waiting = 0
        assert await worker.work(lambda: 1) == 1
        await worker.close()

    asyncio.run(ask())
