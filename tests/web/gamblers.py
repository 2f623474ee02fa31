"""Gamblers: players who bet and decide at random, reconnect, and check every state.

Each gambler compares every state with the previous one: money, cards and bets may change only
because of a request of its own or the end of a round.
"""

import asyncio
import contextlib
import secrets
import socket
from collections import Counter
from itertools import count

import httpx
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from websockets.exceptions import InvalidHandshake

from pitboss.backoffice.audit import audit
from pitboss.core.journal import read_journal, replay
from pitboss.games import GAMES
from pitboss.ledger.schema import ledger, records
from pitboss.tables.chain import BANK, canonical
from tests.web.client import At, ConnectionClosed, Guest, RefusedError, new_key

BANKROLL = 4000
GONE = (ConnectionClosed, InvalidHandshake, OSError, TimeoutError, httpx.TransportError)
"""What a client sees of a server that is not there."""

AGAIN = {"unavailable", "conflict"}
"""Refusals that a client answers by asking the same again."""


class Gambler:
    """A guest who plays one or more seats of one table."""

    def __init__(self, address, chance, game, seats=(1,), *, dawdles=0.0):
        self.guest = Guest(address, keep=False)
        self.chance = chance
        self.game = game
        self.seats = seats
        self.table = None
        self.shares = False  # the table, with others
        self.seen = None  # the last state
        self.asking = None  # a request that nobody has answered yet
        self.sent, self.done = set(), set()
        self.given = BANKROLL  # by the bank
        self.answers = self.rounds = self.returns = 0
        self.found = asyncio.Event()  # it sits at its table and was answered
        self.errors = Counter()
        self._dawdles = dawdles
        self._wealth = BANKROLL
        self._unsure = None  # the balance before a refill that nobody answered

    async def visit(self):
        await self.guest.visit()
        return self

    @property
    def player(self):
        return self.guest.me["id"]

    def move(self, address):
        """Use another server from now on."""
        self.guest.address = self.guest.http.base_url = address

    async def close(self):
        await self.guest.close()

    # --- coming, and coming back

    async def play(self, over):
        """Play until *over* is set; reconnect after every failure."""
        while not over.is_set():
            with contextlib.suppress(*GONE):
                at = await self._come_back()
                with contextlib.suppress(RefusedError):
                    await self._go_on(at, over)
                await at.close()
            self.found.clear()
            await asyncio.sleep(0.02)

    async def _come_back(self):
        while True:
            at = At(self.guest, self.table)
            try:
                await at.connect()
            except RefusedError as refusal:
                self.errors[refusal.answer["error"]] += 1
                await asyncio.sleep(0.05)
                if refusal.answer.get("address"):
                    self.move(refusal.answer["address"])
            else:
                break
        await self._settle_refill()
        await self._check(at.state, returned=self.seen is not None)
        return at

    async def _go_on(self, at, over):
        while not over.is_set():
            if self.asking is None:
                self.asking = self._choose(at.state)
            if self.asking == "refill":
                await self._refill(at)
                self.asking = None
            elif self.asking == "dawdle":
                self.asking = None
                await self._hear_for(at, 3.5)
            elif self.asking is None:
                await self._hear_for(at, 0.5)
            else:
                await self._ask(at)

    async def _hear_for(self, at, seconds):
        """Wait for messages for a while, or until one arrives."""
        with contextlib.suppress(TimeoutError):
            await at.hear(seconds)
            await self._check(at.state)

    async def _ask(self, at):
        """Send a request and wait for the answer; without an answer, repeat it later."""
        request = self.asking
        self.sent.add(request["id"])
        await at.send(request)
        while True:
            message = await at.hear()
            if message["type"] == "state":
                await self._check(message)
                if request["id"] in message["done"]:
                    self.done.add(request["id"])
                    break
            elif message["id"] == request["id"]:
                self.errors[message["error"]] += 1
                if message["error"] in AGAIN:
                    await asyncio.sleep(0.05)
                    return
                break
        self.asking = None
        self.answers += 1
        self.found.set()

    # --- choosing

    def _choose(self, state):
        """Return the next request; None if the player has to wait."""
        if self._dawdles and self.chance.random() < self._dawdles:
            return "dawdle"
        own = {place["seat"] for place in state["places"] if place["yours"]}
        if missing := set(self.seats) - own - set(state["you"]["seats"]):
            return self._request(
                "sit", seat=min(missing), client_seed=f"s{self.chance.random()}"[3:]
            )
        decisions = [(v["seat"], d) for v in state["views"] for d in v["legal"] if v["seat"]]
        if decisions:
            seat, text = self.chance.choice(decisions)
            return self._request("decide", version=state["version"], seat=seat, decision=text)
        if state["round"]["phase"] != "betting":
            return None
        return self._bet(state)

    def _bet(self, state):
        number, staked = state["round"]["number"], state["round"]["staked"]
        to_bet = [seat for seat in self.seats if str(seat) not in staked]
        if to_bet and state["you"]["balance"] < 2000:
            return "refill" if not self._staked(state) else self._deal(state)
        if not to_bet:
            if self.chance.random() < 0.1:
                return self._request("take_back", round=number, seat=self.chance.choice(self.seats))
            return self._deal(state)
        game = GAMES[self.game]
        stakes = {name: self.chance.choice((0, 100, 500)) for name in game.stakes}
        stakes |= {game.first_stake: self.chance.choice((500, 600))}
        return self._request("bet", round=number, seat=to_bet[0], stakes=stakes)

    def _deal(self, state):
        if self.shares:
            return None
        return self._request("deal", round=state["round"]["number"])

    @staticmethod
    def _request(do, **fields):
        return {"v": 1, "id": new_key(), "do": do, **fields}

    # --- play money from the bank

    async def _refill(self, at):
        before = self._unsure = self.seen["you"]["balance"]
        await self._settle_refill(ask=True)
        has = self.seen["you"]["balance"]
        await at.send(self._request("ping"))
        while (message := await at.hear())["type"] != "pong":  # sent before the bank gave
            if message["type"] == "state":
                assert message["you"]["balance"] in {before, has}
                message["you"]["balance"] = has
                await self._check(message)

    async def _settle_refill(self, *, ask=False):
        """Request a refill; if there is no answer, check whether it was done."""
        if self._unsure is None:
            return
        if ask:
            try:
                await self.guest.post("/api/v1/me/refill")
            except RefusedError as refusal:
                self.errors[refusal.answer["error"]] += 1
        me = await self.guest.get("/api/v1/me")
        added = me["balance"] - self._unsure
        assert added in {0, BANKROLL - self._unsure}, "filled up twice, or by half"
        self.given += added
        self._wealth += added
        self.seen["you"]["balance"] = me["balance"]
        self._unsure = None
        self.answers += 1
        self.found.set()

    # --- trusting nobody

    async def _check(self, state, *, returned=False):
        """Compare a state with the previous one."""
        before, self.seen = self.seen, state
        if before is None:
            return
        assert state["version"] >= before["version"], "an older table than before"
        if returned:
            self.returns += 1
            self._check_return(before, state)
        if state["round"]["number"] == before["round"]["number"]:
            _check_same_round(before, state)
        else:
            await self._check_ended(before, state)
        has, due = self._wealth_in(state), self._wealth
        assert has == due, f"{has} where {due} is due: {_short(before)}, then {_short(state)}"

    def _check_return(self, before, state):
        """Check that nothing changed, if nobody else plays and no request is pending."""
        if self.asking is None and not self.shares:
            assert _essence(state) == _essence(before)

    async def _check_ended(self, before, state):
        """Check that each round that ended since is listed once and matches the earlier state."""
        numbers = range(before["round"]["number"], state["round"]["number"])
        assert numbers, "the rounds go back"
        for number in numbers:
            if number == state["last"]["number"] == before["round"]["number"]:
                net, log = state["last"]["net"], state["last"]["log"]
                view, commitment = state["last"]["view"], state["last"]["commitment"]
            else:
                record = await self.guest.get(f"/api/v1/tables/{self.table}/rounds/{number}")
                net, log = record["journal"]["net"], record["log"]
                view, commitment = _final_view(record), record["fairness"]["commitment"]
            if number == before["round"]["number"]:
                assert commitment == before["round"]["commitment"]
                _check_log(before["log"], log)
                _check_cards(before["views"], [view])
            self._wealth += sum(net.get(str(seat), 0) for seat in self.seats)
            self.rounds += 1

    def _wealth_in(self, state):
        return state["you"]["balance"] + self._staked(state)

    def _staked(self, state):
        return sum(state["round"]["staked"].get(str(seat), 0) for seat in self.seats)


def _short(state):
    round_ = {name: state["round"][name] for name in ("number", "phase", "staked")}
    return round_ | {name: state[name] for name in ("version", "done", "you")}


def _final_view(record):
    seats = replay(read_journal(canonical(record["journal"]))).view(None).seats
    return {
        "seats": [{"seat": s.seat, "cards": [c and c.text for c in s.cards]} for s in seats],
        "dealer": None,
    }


def _essence(state):
    """Return a state without its version and the remaining time."""
    round_ = {name: value for name, value in state["round"].items() if name != "left_ms"}
    rest = {k: v for k, v in state.items() if k not in {"version", "done", "round"}}
    return rest | {"round": round_}


def _check_same_round(before, state):
    assert state["round"]["commitment"] == before["round"]["commitment"]
    if before["round"]["phase"] == "betting":
        return
    assert state["round"]["phase"] != "betting", "the deal was taken back"
    for seat, cents in before["round"]["staked"].items():
        assert state["round"]["staked"][seat] >= cents, "a bet has gone"
    _check_log(before["log"], state["log"])
    _check_cards(before["views"], state["views"])


def _check_log(before, after):
    """Check that every decision seen earlier is still in the log, in the same order."""
    left = iter([(made["seat"], made["decision"], made["by"]) for made in after])
    for made in before:
        assert (made["seat"], made["decision"], made["by"]) in left, "a decision has gone"


def _check_cards(before, after):
    """Check that every card seen earlier is still in its place."""
    seen, now = _cards(before), _cards(after)
    for place, card in seen.items():
        assert now.get(place) in {card, None}, f"{place} was {card}"


def _cards(views):
    found = {}
    for view in views:
        for seat in view["seats"]:
            found |= {(seat["seat"], i): c for i, c in enumerate(seat["cards"]) if c}
        for i, card in enumerate(view["dealer"]["cards"] if view["dealer"] else ()):
            if card:
                found["dealer", i] = card
    return found


class Crowd(contextlib.AsyncExitStack):
    """Guests and their sockets, all closed at the end."""

    async def guest(self, address):
        guest = Guest(address)
        self.push_async_callback(guest.close)
        return await guest.visit()

    async def sit(self, guest, table, seat=1):
        at = await self.watch(guest, table)
        await at.ask("sit", seat=seat)
        return at

    async def watch(self, guest, table):
        at = At(guest, table)
        self.push_async_callback(self._leave, at)
        return await at.connect()

    @staticmethod
    async def _leave(at):
        if at._socket:  # it was let in
            await at.close()


class Party(Crowd):
    """Two players at a shared table, in a round in which both must decide."""

    def __init__(self, address, seconds=3):
        super().__init__()
        self._address, self._seconds = address, seconds
        self.players, self.at = [], []
        self.table = None

    async def __aenter__(self):
        self.players = [await self.guest(self._address) for _ in range(2)]
        self.table = await self.players[0].open_table("toss-one-21", seconds=self._seconds)
        for seat, player in enumerate(self.players, 1):
            self.at.append(await self.sit(player, self.table, seat))
        await self._deal()
        return self

    async def _deal(self):
        """Deal rounds until one is dealt in which nobody busts at once."""
        for number in count(1):
            await self._reach(lambda s, n=number: s["round"]["number"] == n)
            for seat, at in enumerate(self.at, 1):
                await at.bet(seat, main=500)
            await self._reach(
                lambda s, n=number: s["round"]["number"] > n or s["round"]["phase"] != "betting"
            )
            asked = [at.open_decisions() for at in self.at]
            if all(asked):
                return
            for at, decisions in zip(self.at, asked, strict=True):
                if decisions:
                    await at.decide(decisions[0][1], decisions[0][0])

    async def _reach(self, condition):
        for at in self.at:
            await at.until(condition)

    @property
    def number(self):
        return self.at[0].number

    async def move(self, seat, address):
        """Move to another server and check that the table is unchanged."""
        player, before = self.players[seat - 1], self.at[seat - 1].state
        player.address = player.http.base_url = address
        at = self.at[seat - 1] = await self.watch(player, self.table)
        for part in ("views", "places", "you", "last"):
            assert at.state[part] == before[part]
        return at


# --- the books


async def check_books(url, gamblers=()):
    """Audit a database; check that the bank issued all money and that each key was used once."""
    report = await audit(url)
    assert report.ok, report.findings
    for gambler in gamblers:
        await _check_keys(url, gambler)
    return report


async def check_given(url, gamblers):
    """Check that the bank issued exactly the amounts that the gamblers received."""
    (given,) = await rows(url, select(-func.sum(ledger.c.amount)).where(ledger.c.account == BANK))
    assert given[0] == sum(gambler.given for gambler in gamblers)


async def _check_keys(url, gambler):
    mine = select(records.c.key).where(records.c.key.startswith(f"{gambler.player}:"))
    found = [key.partition(":")[2].partition("#")[0] for (key,) in await rows(url, mine)]
    kept = set(found)
    assert len(found) == len(kept), "it was done twice"
    assert gambler.done <= kept, "it was answered, and is not there"
    assert kept <= gambler.sent, "nobody asked for that"


async def rows(url, query, **values):
    """Read rows of a database directly."""
    engine = create_async_engine(url, poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            return (await connection.execute(query, values)).all()
    finally:
        await engine.dispose()


async def change(url, *statements):
    """Change a database directly, without the server."""
    engine = create_async_engine(url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            for statement in statements:
                await connection.execute(statement)
    finally:
        await engine.dispose()


def fixed_port():
    """Return a free port below the range of outgoing connections, so that it stays free."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)  # tests that run at once get the same random
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


async def eventually(condition):
    """Wait until a condition returns a true value, and return the value."""
    async with asyncio.timeout(40):
        while not (found := await condition()):  # noqa: ASYNC110  nobody here sees it happen
            await asyncio.sleep(0.05)
    return found
