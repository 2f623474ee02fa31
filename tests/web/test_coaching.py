"""The coach at live tables: advice only for the player's own seats, and costs of decisions."""

import asyncio
import json
import random

import httpx
import pytest
from pydantic import TypeAdapter

from pitboss.coach import CoachError, advise
from pitboss.core.cards import spell
from pitboss.core.journal import read_journal, write_journal
from pitboss.core.presentation import presentation_of
from pitboss.core.protocol import deal_from, supply
from pitboss.games import GAMES
from pitboss.web import errors, messages
from pitboss.web.routes import coaching
from tests.parts import games_with
from tests.strategies import play, random_rules
from tests.web.client import RefusedError
from tests.web.servers import Server
from tests.web.test_leaks import cards_in
from tests.web.test_security import company

pytestmark = pytest.mark.xdist_group("web coaching")

STAKES = {
    game.key: dict.fromkeys(game.stakes, 100) | {game.first_stake: 500}
    for game in games_with("coach")
}
ROUNDS = 10
read_reply = TypeAdapter(messages.Reply).validate_json


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("coaching")
    with Server(str(folder / "tables.db"), "--requests", "100000") as server:
        yield server


async def sit(guest, table, seat):
    at = await guest.at(table)
    await at.ask("sit", seat=seat)
    return at


async def refused(asking, error, says="."):
    with pytest.raises(RefusedError, match=says) as caught:
        await asking
    assert caught.value.answer["error"] == error


def states_of(record):
    """Return the states of a round after the deal and after each decision, from its record."""
    journal = read_journal(json.dumps(record["journal"]))
    round_ = journal.game.start(journal.rules)
    for bet in journal.bets:
        round_ = round_.apply(bet)
    found = [deal_from(journal.deck, round_)]
    for made in record["log"]:
        decision = journal.game.decision(made["seat"], made["decision"])
        found.append(supply(journal.deck, found[-1].apply(decision)))
    return found


def check_advice(told, round_, seat):
    """Check that the server's advice equals the coach's for the seat's view."""
    messages.Advice.model_validate_json(json.dumps(told))
    right = advise(round_, seat)
    assert (told["seat"], told["unit"], told["note"]) == (seat, right.unit, right.note)
    assert told["approximate"] == right.approximate
    assert [o["decision"] for o in told["options"]] == [str(o.decision) for o in right.options]
    for option, known in zip(told["options"], right.options, strict=True):
        assert option["value"] == pytest.approx(known.value * right.unit)
        assert option["cost"] == pytest.approx((right.best.value - known.value) * right.unit)
        assert option["same_as"] == (known.same_as and str(known.same_as))
    assert told["options"][0]["cost"] == 0


def check_review(told, record, own):
    """Check the cost of every decision of a player, from the seat's view at that time."""
    messages.Review.model_validate_json(json.dumps(told))
    states, cost = states_of(record), dict.fromkeys(map(str, own), 0.0)
    made = [(i, m) for i, m in enumerate(record["log"]) if m["seat"] in own]
    assert [d["step"] for d in told["decisions"]] == [2 + i for i, _ in made]
    for priced, (index, m) in zip(told["decisions"], made, strict=True):
        right = advise(states[index], m["seat"])
        decision = GAMES[record["journal"]["game"]].decision(m["seat"], m["decision"])
        said = {key: priced[key] for key in ("seat", "decision", "by")}
        assert said == {key: m[key] for key in ("seat", "decision", "by")}
        assert priced["best"] == str(right.best.decision)
        assert priced["best_value"] == pytest.approx(right.best.value * right.unit)
        assert priced["value"] == pytest.approx(right.value(decision) * right.unit)
        assert priced["cost"] == pytest.approx(right.cost(decision) * right.unit)
        assert (priced["note"], priced["approximate"]) == (right.note, right.approximate)
        cost[str(m["seat"])] += priced["cost"]
    assert told["cost"] == pytest.approx(cost)


@pytest.mark.parametrize("game", STAKES)
def test_advice_and_review_are_the_coach_s(server, game):
    """The advice is the coach's at every decision, and the review prices the decision made."""
    chance = random.Random(game)

    async def run():
        async with company(server, "ann") as (ann,):
            table = await ann.open_table(game)
            at = await sit(ann, table, 1)
            await at.ask("sit", seat=3)
            for number in range(1, ROUNDS + 1):
                asked = []
                await at.bet(1, **STAKES[game])
                await at.bet(3, **STAKES[game])
                await at.deal()
                while at.number == number:
                    seat, decision = chance.choice(at.open_decisions())
                    told = await ann.get(f"/api/v1/tables/{table}/coach?seat={seat}")
                    assert told["version"] == at.state["version"]
                    assert cards_in(told) <= cards_in(at.state["views"])
                    asked.append((seat, told))
                    await at.decide(decision, seat)
                record = await ann.get(f"/api/v1/tables/{table}/rounds/{number}")
                for (seat, told), state in zip(asked, states_of(record)[:-1], strict=True):
                    check_advice(told, state, seat)
                review = await ann.get(f"/api/v1/tables/{table}/rounds/{number}/review")
                check_review(review, record, [1, 3])
                await check_steps(ann, table, number, review)
                await ann.post("/api/v1/me/refill") if at.state["you"]["balance"] < 5000 else None
            for text in ann.heard:
                if '"type":"state"' in text:
                    read_reply(text)

    asyncio.run(run())


async def check_steps(guest, table, number, review):
    """A review names steps of the round, and every bet has a reason."""
    replay = await guest.get(f"/api/v1/tables/{table}/rounds/{number}/steps")
    messages.Replay.model_validate_json(json.dumps(replay))
    for priced in review["decisions"]:
        step = replay["steps"][priced["step"]]
        assert step["what"] == f"seat {priced['seat']}: {priced['decision']}"
        assert step["seat"] == priced["seat"]
    settled = replay["steps"][-1]["view"]["settlements"]
    assert settled
    assert all(paid["why"] for paid in settled)


def test_only_the_players_own_seats(server):
    """A player gets no advice for another seat, and no costs of another's decisions."""

    async def run():
        async with company(server, "ann", "bob", "eve") as (ann, bob, eve):
            table = await ann.open_table("roll-your-own", seconds=60)
            coach = f"/api/v1/tables/{table}/coach?seat="
            first, second = await sit(ann, table, 1), await sit(bob, table, 2)
            await first.hear()
            await refused(
                ann.get(f"{coach}1"), "not_yours", "seat 1 is not yours: you can decide only"
            )
            await first.bet(1, bet=500)
            await refused(ann.get(f"{coach}1"), "not_allowed", "seat 1 has nothing to decide now")
            await second.bet(2, bet=500)
            await first.until(lambda state: state["round"]["phase"] != "betting")
            await second.until(lambda state: state["round"]["phase"] != "betting")
            await seat_by_seat(coach, (ann, first, 1), (bob, second, 2), eve)
            number = 1
            while first.number == number:
                for at, seat in ((first, 1), (second, 2)):
                    if at.open_decisions():
                        await at.decide(at.open_decisions()[0][1], seat)
                    await asyncio.sleep(0.02)
                    await first.ask("ping")
                    await second.ask("ping")
            record = await ann.get(f"/api/v1/tables/{table}/rounds/1")
            review = f"/api/v1/tables/{table}/rounds/1/review"
            check_review(await ann.get(review), record, [1])
            check_review(await bob.get(review), record, [2])
            check_review(await eve.get(review), record, [])
            await refused(ann.get(f"/api/v1/tables/{table}/rounds/2/review"), "not_found")

    asyncio.run(run())


async def seat_by_seat(coach, ann, bob, eve):
    """While hands are set, advice covers only the player's own cards, until they are set."""
    for (guest, at, seat), other in ((ann, bob), (bob, ann)):
        await refused(eve.get(f"{coach}{seat}"), "not_yours")
        await refused(guest.get(f"{coach}{other[2]}"), "not_yours")
        if not at.open_decisions():  # a double blackjack has nothing to set
            continue
        told = await guest.get(f"{coach}{seat}")
        own = next(s for s in at.state["views"][0]["seats"] if s["seat"] == seat)
        assert cards_in(told) == set(own["cards"])
        assert told["version"] == at.state["version"]
    guest, at, seat = ann
    if at.open_decisions() and bob[1].open_decisions():
        await at.decide(at.open_decisions()[0][1], seat)
        await refused(guest.get(f"{coach}{seat}"), "not_allowed", "nothing to decide")


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("tables/nothing/coach?seat=1", 401, "not_signed_in"),
        ("tables/nothing/rounds/1/review", 401, "not_signed_in"),
    ],
)
def test_without_an_account(server, path, status, error):
    """Without an account there is no advice and no review."""
    answer = httpx.get(f"{server.address}/api/v1/{path}")
    assert (answer.status_code, answer.json()["error"]) == (status, error)


def test_errors_have_the_usual_form(server):
    """An unknown table or round, and an impossible seat, get the usual errors."""

    async def run():
        async with company(server, "ann") as (ann,):
            await refused(ann.get("/api/v1/tables/nothing/coach?seat=1"), "not_found")
            await refused(ann.get("/api/v1/tables/nothing/rounds/1/review"), "not_found")
            await refused(ann.get("/api/v1/tables/nothing/coach?seat=10"), "unreadable")
            await refused(ann.get("/api/v1/tables/nothing/coach"), "unreadable", "seat")

    asyncio.run(run())


def test_without_the_extra():
    """If the coach is not installed, the error says what to install."""
    answer = asyncio.run(errors._on_game_error(None, CoachError("it needs numba")))
    assert answer.status_code == 503
    assert json.loads(answer.body) == {"ok": False, "error": "coach", "detail": "it needs numba"}


@pytest.mark.parametrize("key", STAKES)
def test_prices_whatever_was_decided(key):
    """Rounds under any rules, with any insurance, are priced decision by decision."""
    words = set()
    for seed in range(24):
        chance, game = random.Random(seed), GAMES[key]
        ace = key == "roll-your-own" and seed % 2
        found = play(game, random_rules(chance, game), chance, seats=2, shuffle=aces_up(ace))
        record = {"journal": write_journal(game, found.round, found.deck), "log": []}
        round_ = read_journal(json.dumps(record["journal"] | {"decisions": []}))
        for decision in found.round.decisions():
            by = chance.choice(["player", "timer"])
            record["log"].append({"seat": decision.seat, "decision": str(decision), "by": by})
        own = [chance.choice(found.round.numbers)]
        priced = coaching._priced(record, own)
        cost = {str(own[0]): sum(p.cost for p in priced)}
        told = {"table": "t", "round": 1, "decisions": [p.model_dump() for p in priced]}
        check_review(told | {"cost": cost}, record, own)
        words |= {p.decision.split()[0] for p in priced}
        assert spell(found.deck) == spell(round_.deck)
    assert words >= {one.decision for one in presentation_of(GAMES[key]).decisions} & COMMON


COMMON = {"toss", "set", "insure", "hit", "stand"}
"""Decisions that come up in a few rounds, if the game has them."""


def aces_up(ace):
    """Shuffle; with *ace*, the dealer shows one at Roll Your Own with two seats."""

    def shuffle(chance, size):
        from tests.strategies import shuffled

        deck = list(shuffled(chance, size))
        if ace:
            place = next(i for i, card in enumerate(deck) if card.value == 1)
            deck[place], deck[7] = deck[7], deck[place]
        return tuple(deck)

    return shuffle
