"""Nobody learns hidden cards too early: at the table, over HTTP, or from the log."""

import ast
import asyncio
import base64
import json
import random
import re
import sqlite3
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import pitboss.web
from pitboss.core.cards import parse
from pitboss.core.journal import read_journal
from pitboss.core.protocol import deal_from, supply
from pitboss.games import GAMES
from pitboss.tables.views import explained_view
from pitboss.web import messages
from tests.web.client import At, Guest, RefusedError
from tests.web.servers import Server
from tests.web.test_security import hang_up

pytestmark = pytest.mark.xdist_group("web leaks")

read_reply = TypeAdapter(messages.Reply).validate_json

EXAMPLE = re.compile(r"the form 'toss 2h'|a form like 'set 8s8d Th'|As or Td")  # for everybody
CARD = re.compile(r"(?:10|[A2-9TJQK])[shdc]")
CARDS = re.compile(rf"(?<![\w-])(?:{CARD.pattern})+(?![\w-])")  # a word of nothing but cards
ELSEWHERE = {  # texts that are no cards, whatever they look like
    *("commitment", "server_seed", "table", "name", "id", "done", "rules_digest", "hash", "player"),
    *("rules", "process", "by", "facts", "component", "creator", "at", "opened", "ended", "scheme"),
    *("first", "last_round", "created", "version", "software"),
}
SIMULTANEOUS = {
    phase.value for game in GAMES.values() for phase in type(game.start(game.rules()).phase)
} - {"betting", "playing", "settled"}
RULES = {
    "toss-one-21": [{}, {"toss": "free"}, {"decks": 2}],
    "roll-your-own": [{}, {"hole_card": "no_peek"}, {"insurance": "half_or_nothing"}],
}
STAKES = {
    game.key: dict.fromkeys(game.stakes, 100) | {game.first_stake: 500} for game in GAMES.values()
}


def cards_in(value, key=""):
    """Return every card that a message mentions, in any place."""
    if isinstance(value, dict):
        return {card for k, v in value.items() if k not in ELSEWHERE for card in cards_in(v, k)}
    if isinstance(value, list):
        return {card for v in value for card in cards_in(v, key)}
    if not isinstance(value, str):
        return set()
    words = CARDS.findall(EXAMPLE.sub("", value))
    return {card for word in words for card in CARD.findall(word)}


class Heard:
    """A received message: its receiver, its content, and the state of each round at that time."""

    def __init__(self, who, text, moment, sent=()):
        self.who = who
        self.text = text
        self.moment = moment  # of each table: the round, and how many decisions were made in it
        self.sent = {card for word in sent for card in CARD.findall(word)}


class Ear(Guest):
    """A guest or spectator that records every message with its time."""

    def __init__(self, party, who):
        super().__init__(party.address, keep=False)
        self.party = party
        self.who = who
        self.sent = ()
        self.count = 0
        self.heard = self  # what the client keeps its messages in

    async def watch(self, table):
        at = At(self, table)
        self.party.sockets.append(await at.connect())
        return at

    async def sit(self, table, seat=1, **options):
        at = await self.watch(table)
        await at.ask("sit", seat=seat, **options)
        return at

    def append(self, text):
        self.count += 1
        moment = dict(self.party.moment)
        self.party.heard.append(Heard(self.who, text, moment, self.sent))


class Party:
    """Tables of both games with their players, who play one decision at a time."""

    def __init__(self, server, chance, *, varied):
        self.server = server
        self.varied = varied  # by house rules
        self.address = server.address
        self.chance = chance
        self.moment = {}
        self.heard = []
        self.ears = []
        self.sockets = []
        self.tables = []

    def ear(self, who):
        ear = Ear(self, who)
        self.ears.append(ear)
        return ear

    async def gather(self):
        """Open the tables and create all players and spectators."""
        self.reader = self.ear(("reader",))
        self.pages = {page: await self.fetch(page) for page in STATIC}
        for game, players in (("toss-one-21", 3), ("roll-your-own", 3), ("toss-one-21", 2)):
            self.tables.append(await Felt(self, game, f"felt{len(self.tables)}").open(players))
        self.alone = await self.ear(("elsewhere",)).visit("elsewhere")
        self.own = await self.alone.sit(await self.alone.open_table("toss-one-21"))
        self.moment[self.own.table] = (0, 0)
        return self

    async def fetch(self, page, **headers):
        """Fetch a page with any status, and record the answer."""
        answer = await self.reader.http.get(page, headers=headers, timeout=120)
        self.reader.append(answer.text)
        return answer

    async def close(self):
        for at in self.sockets:
            await hang_up(at)
        for ear in self.ears:
            await ear.close()


STATIC = ("/openapi.json", "/api/v1/games")


class Felt:
    """A shared table: players, one of them at two seats, and a spectator without an account."""

    def __init__(self, party, game, name):
        self.party = party
        self.game = game
        self.name = name
        self.players = {}  # by seat
        self.hidden = 0

    async def open(self, players):
        party = self.party
        guests = [await party.ear((self.name, i)).visit() for i in range(1, players + 1)]
        rules = party.chance.choice(RULES[self.game]) if party.varied else {}
        self.table = await guests[0].open_table(self.game, rules=rules, seconds=600)
        party.moment[self.table] = (1, 0)
        self.seats_of = {}
        for i, guest in enumerate(guests, 1):
            self.players[i] = await guest.sit(self.table, i)
            self.seats_of[self.name, i] = [i]
        await self.players[1].ask("sit", seat=5)  # one more for the first
        self.players[5] = self.players[1]
        self.seats_of[self.name, 1] = [1, 5]
        watcher = party.ear((self.name, 0))
        self.seats_of[self.name, 0] = []
        self.watcher = await watcher.watch(self.table)
        await self._everybody(lambda at: len(at.state["places"]) == players + 1)
        return self

    @property
    def ats(self):
        return list(dict.fromkeys([*self.players.values(), self.watcher]))

    async def _everybody(self, condition):
        for at in self.ats:
            while not condition(at):
                await at.hear()

    # --- a round

    async def bet(self):
        """Put everybody's bets down; the last one deals."""
        number = self.number
        for seat, at in self.players.items():
            if seat == [*self.players][-1]:
                self.party.moment[self.table] = (number, 0)
            await at.bet(seat, **STAKES[self.game])
        self._move_on(number)
        await self._everybody(lambda at: at.number > number or phase(at) != "betting")

    @property
    def number(self):
        return self.players[1].number

    def _move_on(self, number):
        if max(at.number for at in self.ats) > number:
            self.party.moment[self.table] = (number + 1, 0)

    @property
    def is_on(self):
        return phase(self.players[1]) != "betting"

    async def decide(self):
        """Let one seat decide at random; check what the others are sent."""
        chance, number = self.party.chance, self.number
        seat, text = chance.choice(
            [choice for at in self.ats for choice in at.open_decisions() if choice[0]]
        )
        at, others = self.players[seat], [at for at in self.ats if at is not self.players[seat]]
        before = {other: other.state["version"] for other in others}
        was, staked = phase(at), at.state["round"]["staked"]
        self.party.moment[self.table] = (number, self.party.moment[self.table][1] + 1)
        await at.decide(text, seat)
        self._move_on(number)
        adds = at.state["round"]["staked"] != staked  # chips are seen at once
        if was in SIMULTANEOUS and phase(at) == was and not adds:
            await self._nothing(others)
        else:
            for other in others:
                await other.until(lambda s, other=other: s["version"] > before[other])

    async def _nothing(self, others):
        """Check that the others receive nothing, and that a new socket sees no more."""
        self.hidden += 1
        for other in others:
            count = other.guest.count
            await other.ask("ping")
            await other.ask("ping")  # by now a state would have come
            assert other.guest.count == count + 2, "something else than the answers came"
        known = self.watcher.state
        late = await self.watcher.guest.watch(self.table)
        await late.close()
        assert still(late.state) == still(known)

    async def annoy(self):
        """Send many invalid requests; the errors are recorded like all messages."""
        chance = self.party.chance
        for at in self.ats:
            seat = chance.choice([1, 2, 5])
            word = chance.choice(["toss 2h", "toss Ks", "set 8s8d Th", "insure 500", "hit", "xx"])
            at.guest.sent = (word,)
            await refused(at, "decide", version=at.state["version"], seat=seat, decision=word)
            at.guest.sent = ()
            await refused(at, "bet", round=at.number, seat=seat, stakes={"main": 10**14})
            await refused(at, "decide", version=0, seat=seat, decision="stand")
            await refused(at, "sit", seat=seat)
            await refused(at, "take_back", round=at.number, seat=seat)

    async def reseed(self):
        """Set a client seed: everybody sees exactly one change, whoever has decided secretly."""
        at = self.players[2]
        versions = {other: other.state["version"] for other in self.ats}
        await at.ask("seed", seat=2, client_seed=f"s{self.party.chance.randrange(10**6)}")
        for other, version in versions.items():
            await other.until(lambda s, v=version: s["version"] > v)
            assert other.state["version"] == version + 1


async def refused(at, do, **fields):
    """Send a request; it may be rejected or succeed."""
    if do == "decide" and fields["seat"] in (at.state["you"] or {"seats": []})["seats"]:
        legal = {text for _, text in at.open_decisions()}
        if fields["decision"] in legal or fields["decision"].startswith("insure"):
            return
    try:
        await at.ask(do, **fields)
    except RefusedError as error:
        assert error.answer["error"] in {"not_yours", "not_allowed", "stale", "unreadable"}
    else:
        raise AssertionError(f"{do} {fields} was not refused")


def phase(at):
    return at.state["round"]["phase"]


def still(state):
    """Return a state without its timer."""
    return state | {"round": {k: v for k, v in state["round"].items() if k != "left_ms"}}


async def pages(party, felt, operator):
    """Fetch every page that could reveal something about an open round."""
    number = party.moment[felt.table][0]
    for page in STATIC:
        assert (await party.fetch(page)).text == party.pages[page].text
    for page in (
        f"/api/v1/tables/{felt.table}",
        f"/api/v1/tables/{felt.table}/rounds",
        "/api/v1/tables",
        "/health/live",
        "/health/ready",
    ):
        assert (await party.fetch(page)).status_code == 200, page
    assert (await party.fetch("/metrics", **operator)).status_code == 200
    for page in (f"rounds/{number}", f"rounds/{number}/steps"):
        answer = await party.fetch(f"/api/v1/tables/{felt.table}/{page}")
        assert answer.status_code == 404
    reports = ("events", "rounds", "tables", "gaming")
    slow = ("performance?game=toss-one-21", f"chart?table={felt.table}")
    quick = felt.game == "toss-one-21" and not party.varied  # theory that takes no time
    for page in reports + slow if quick else reports:
        answer = await party.fetch(f"/api/v1/operator/{page}", **operator)
        assert answer.status_code == 200, page
    for at in felt.ats:
        if at is not felt.watcher:
            await at.guest.get("/api/v1/me")
            await at.guest.get("/api/v1/me/rounds")


async def play(server, rounds, seed, *, varied):
    """Let a party play; return all received messages, and the records."""
    party = Party(server, random.Random(seed), varied=varied)
    try:
        await party.gather()
        for number in range(1, rounds + 1):
            for felt in party.tables:
                await play_round(party, felt, number)
            await party.own.play_round(party.chance, main=500)
        return party, await fetch_records(party, rounds)
    finally:
        await party.close()


async def play_round(party, felt, number):
    """Play a round; at its first hidden state and some others, everybody sends invalid requests."""
    await felt.bet()
    hidden = felt.hidden
    while felt.is_on:
        await felt.decide()
        first, hidden = felt.hidden > hidden, felt.hidden
        if first and (felt.hidden == 1 or party.chance.random() < 0.3):
            await felt.annoy()
            await felt.reseed()
            if number % 2:
                await pages(party, felt, party.server.operator)


async def fetch_records(party, rounds):
    """Return the public records of the finished rounds."""
    paths = [(felt.table, number) for felt in party.tables for number in range(1, rounds + 1)]
    found = {}
    for table, number in paths:
        answer = await party.reader.http.get(f"/api/v1/tables/{table}/rounds/{number}")
        found[table, number] = answer.json()
    return found


# --- what they may have heard


class Truth:
    """A round as it really was, decision by decision."""

    def __init__(self, record):
        self.record = record
        journal = read_journal(json.dumps(record["journal"]))
        round_ = journal.game.start(journal.rules)
        for bet in journal.bets:
            round_ = round_.apply(bet)
        self.bets = round_
        self.states = [deal_from(journal.deck, round_)]
        for made in record["log"]:
            decision = journal.game.decision(made["seat"], made["decision"])
            self.states.append(supply(journal.deck, self.states[-1].apply(decision)))

    def views(self, made, seats):
        """Return what a client at *seats* may see after a number of decisions."""
        round_ = self.states[made]
        own = [explained_view(round_.rules, round_.view(seat)) for seat in seats]
        return own or [explained_view(round_.rules, round_.view(None))]

    def log(self, made, seats):
        """Return the decisions that a client at *seats* may know."""
        now = self.states[made].phase
        lines = []
        for i, line in enumerate(self.record["log"][:made]):
            then = self.states[i].phase
            hidden = then in SIMULTANEOUS and then == now
            if not hidden or line["seat"] in seats:
                lines.append({k: line[k] for k in ("seat", "decision", "by")})
        return lines

    def shown(self, made, seats):
        """Return the cards that they may see."""
        return cards_in(self.views(made, seats))


def check_state(state, heard, felt, truths):
    """Compare a state with what its receiver may see, card for card."""
    number, seats = state["round"]["number"], felt.seats_of[heard.who]
    assert state["table"] == felt.table
    last = state["last"]
    if last:
        before = truths[felt.table, last["number"]]
        assert last["number"] == number - 1
        assert last["server_seed"] == before.record["fairness"]["server_seed"]
        end = before.states[-1]
        assert last["view"] == explained_view(end.rules, end.view(None))
    if state["round"]["phase"] == "betting":
        assert not cards_in(state | {"last": None})
        return
    truth, (at, made) = truths[felt.table, number], heard.moment[felt.table]
    assert at == number
    assert state["round"]["commitment"] == truth.record["fairness"]["commitment"]
    assert state["views"] == truth.views(made, seats)
    assert state["log"] == truth.log(made, seats)
    assert cards_in(state | {"last": None}) <= truth.shown(made, seats)


def check_refusal(refusal, heard, felt, truths):
    """A refusal mentions only cards of the requesting seat and cards in the request."""
    number, made = heard.moment[felt.table]
    truth = truths.get((felt.table, number))
    may = truth.shown(made, felt.seats_of[heard.who]) if truth else set()
    assert cards_in(refusal) <= may | heard.sent


def check_heard(party, records):
    """Check all received messages; return the count of each kind."""
    truths = {key: Truth(record) for key, record in records.items()}
    felts = {who: felt for felt in party.tables for who in felt.seats_of}
    counts = {}
    for heard in party.heard:
        kind = check_one(heard, felts.get(heard.who), truths, party)
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def check_one(heard, felt, truths, party):
    if heard.text.startswith("#"):  # figures for Prometheus
        return "text"
    data = json.loads(heard.text)
    kind = data.get("type", "page") if isinstance(data, dict) else "page"
    if kind != "page":
        read_reply(heard.text, strict=True)
    if heard.who == ("elsewhere",):
        assert data.get("table", party.own.table) == party.own.table
    elif kind == "state":
        check_state(data, heard, felt, truths)
    elif kind == "error":
        check_refusal(data, heard, felt, truths)
    elif kind == "page" and heard.text not in {page.text for page in party.pages.values()}:
        assert not cards_in(data), heard.text
    return kind


def seeds_of(path):
    """Return the seeds of all rounds of a database, finished or not."""
    connection = sqlite3.connect(path)
    try:
        return {
            (t, n): s for t, n, s in connection.execute("SELECT table_id, round, seed FROM seeds")
        }
    finally:
        connection.close()


def written(seed):
    """Return the ways a seed could be written."""
    raw = bytes.fromhex(seed)
    plain = base64.b64encode(raw).decode().rstrip("=")
    urlsafe = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    return {seed, seed.upper(), plain, urlsafe, repr(raw)[2:-1], str(list(raw))[1:-1]}


def check_seeds(party, records, seeds):
    """Check that nobody received a seed before its round was over."""
    ways = {key: written(seed) for key, seed in seeds.items() if key[0] != party.own.table}
    for heard in party.heard:
        told = over(heard, records)
        secret = [form for key, forms in ways.items() if key not in told for form in forms]
        assert not [form for form in secret if form in heard.text], (heard.who, heard.text)


def over(heard, records):
    """Return the rounds that were over at that time; a round ends with its last decision."""
    return {
        (table, number)
        for (table, number), record in records.items()
        if heard.moment.get(table, (0, 0)) >= (number, len(record["log"]))
    }


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """Return a party that played on a server with full logging, the records, and the log."""
    return watch(tmp_path_factory.mktemp("leaks"), 8, 2021)


def watch(folder, rounds, seed, *, varied=False):
    with (folder / "log").open("w", encoding="utf-8") as log:
        options = ("--log-level", "debug", "--requests", "100000", "--bankroll", "100000")
        with Server(str(folder / "tables.db"), *options, log=log) as server:
            party, records = asyncio.run(play(server, rounds, seed, varied=varied))
            server.stop()
    return party, records, seeds_of(folder / "tables.db"), (folder / "log").read_text("utf-8")


def test_everybody_sees_what_they_may_and_nothing_else(watched):
    """Every state, refusal and page of many rounds shows only what `view` allows."""
    party, records, _, _ = watched
    counts = check_heard(party, records)
    assert counts["state"] > 500
    assert counts["error"] > 50
    assert counts["page"] > 50
    assert counts["text"] > 2


def test_nothing_tells_that_another_seat_has_decided(watched):
    """While seats decide simultaneously, no message tells the others who has decided."""
    party, _, _, _ = watched
    assert min(felt.hidden for felt in party.tables) > 2


def test_no_seed_is_heard_before_its_round_is_over(watched):
    """No message contains the server seed of an open round, in any format."""
    party, records, seeds, _ = watched
    assert len(seeds) > len(records)
    for key, record in records.items():
        assert record["fairness"]["server_seed"] == seeds[key]
    check_seeds(party, records, seeds)


def test_the_log_tells_no_secret(watched):
    """Even at the debug level the log has no seed, card, decision, cookie or session link."""
    party, _, seeds, log = watched
    lines = [json.loads(line) for line in log.splitlines() if line]
    assert lines
    for line in lines:
        said = line["message"] + line.get("error", "")
        assert not [form for seed in seeds.values() for form in written(seed) if form in said]
        assert not re.findall(r"\b(toss|set|insure) ", said), said
        assert line["level"] not in {"error", "critical"}, line
    tokens = [cookie.value for ear in party.ears for cookie in ear.http.cookies.jar]
    assert len(tokens) > 5
    assert not [token for token in tokens if token in log]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_everybody_sees_what_they_may_for_long(tmp_path, seed):
    """The same over hundreds of rounds."""
    party, records, seeds, _ = watch(tmp_path, 40, seed, varied=True)
    check_heard(party, records)
    check_seeds(party, records, seeds)


def test_the_checks_find_what_leaks():
    """The checks find a card or seed anywhere in a message."""
    assert cards_in({"a": [{"b": "set 8s8d Th"}]}) == {"8s", "8d", "Th"}
    assert cards_in({"detail": "it may toss 10h"}) == {"10h"}
    assert cards_in({"commitment": "2c2d"}) == set()
    assert cards_in({"detail": "table x2c-8dQ"}) == set()
    assert {str(card) for card in parse("As Td")} == cards_in(["As", None, "Td"])
    assert len(written("00ff" * 16)) == 6


# --- who reads the seeds at all

READERS = {
    "ledger/schema.py",
    "ledger/projection.py",  # writes them
    "ledger/restore_queries.py",
    "ledger/snapshot.py",
    "ledger/store.py",
    "ledger/migrations/env.py",
    "ledger/migrations/versions/r0001_first.py",
}
USERS = {
    "dealing/keys.py",
    "dealing/restore.py",
    "backoffice/audit.py",
    "backoffice/audit_books.py",
}
"""Modules that may use the two modules that read seeds."""


def mentions_seeds(path):
    """Return whether a module could read seeds from the database."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="pitboss.ledger.schema", names=names):
                if {"seeds", "metadata", "*"} & {name.name for name in names}:
                    return True
            case ast.ImportFrom(module="pitboss.ledger", names=names):
                if "schema" in {name.name for name in names}:
                    return True
            case ast.Constant(value=str(text)):
                if re.search(r"\b(FROM|JOIN|INTO|TABLE)\s+seeds\b", text, re.IGNORECASE):
                    return True
    return False


def test_only_the_pit_and_the_audit_read_seeds():
    """No module that answers a request can ask the database for a seed."""
    folder = Path(pitboss.__file__).parent
    modules = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.py")}
    found = {name for name, path in modules.items() if mentions_seeds(path)}
    assert "ledger/restore_queries.py" in found
    assert found <= READERS
    reading = re.compile(r"ledger(\.| import .*)(restore_queries|snapshot)\b")
    assert {n for n, path in modules.items() if reading.search(path.read_text("utf-8"))} <= USERS
