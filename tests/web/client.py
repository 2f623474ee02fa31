"""A scripted player: the HTTP API and one socket at a table, as any client would use them."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import ssl

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

_keys = itertools.count(1)
TLS = ssl.create_default_context()  # to make one takes longer than most tests


class RefusedError(Exception):
    """The server rejected a request; *answer* is its reply."""

    def __init__(self, answer):
        super().__init__(f"{answer['error']}: {answer['detail']}")
        self.answer = answer


def new_key():
    return f"k{next(_keys)}-{random.getrandbits(48):x}"


class Guest:
    """A client with a guest account; *heard* has every message it received."""

    def __init__(self, address, *, keep=True):
        self.address = address
        self.http = httpx.AsyncClient(base_url=address, timeout=15, verify=TLS)
        self.heard = [] if keep else None
        self.me = None

    async def visit(self, name=None):
        self.me = await self.post("/api/v1/guest", {} if name is None else {"name": name})
        return self

    async def post(self, path, body=None, **headers):
        return self._read(await self.http.post(path, json=body or {}, headers=headers))

    async def get(self, path, **headers):
        return self._read(await self.http.get(path, headers=headers))

    def _read(self, answer):
        if self.heard is not None:
            self.heard.append(answer.text)
        body = answer.json()
        if answer.status_code >= 400:
            raise RefusedError(body)
        return body

    async def open_table(self, game, **options):
        return (await self.post("/api/v1/tables", {"game": game, **options}))["id"]

    async def sit(self, table, seat=1, **options):
        """Connect to a table and take a seat."""
        at = await At(self, table).connect()
        await at.ask("sit", seat=seat, **options)
        return at

    async def watch(self, table):
        return await At(self, table).connect()

    @property
    def cookie(self):
        return "; ".join(f"{c.name}={c.value}" for c in self.http.cookies.jar)

    async def close(self):
        await self.http.aclose()


class At:
    """A guest's socket at a table, with the newest state."""

    def __init__(self, guest, table):
        self.guest = guest
        self.table = table
        self.state = None
        self._socket = None

    async def connect(self):
        url = self.guest.address.replace("http", "ws", 1)
        headers = {"Cookie": self.guest.cookie} if self.guest.cookie else {}
        self._socket = await connect(
            f"{url}/api/v1/tables/{self.table}/live", additional_headers=headers, max_size=2**20
        )
        await self.hear()
        return self

    async def close(self):
        await self._socket.close()

    async def send(self, message):
        await self._socket.send(
            message if isinstance(message, str | bytes) else json.dumps(message)
        )

    async def hear(self, timeout=15):  # noqa: ASYNC109  a test's patience
        """Return the next message, and store it if it is a state."""
        text = await asyncio.wait_for(self._socket.recv(), timeout)
        if self.guest.heard is not None:
            self.guest.heard.append(text)
        message = json.loads(text)
        if message["type"] == "state":
            self.state = message
        elif message["type"] == "error" and message["id"] is None:
            raise RefusedError(message)
        return message

    async def ask(self, do, *, key=None, **fields):
        """Send a request and return the state after it."""
        key = key or new_key()
        await self.send({"v": 1, "id": key, "do": do, **fields})
        while True:
            message = await self.hear()
            if message["type"] == "error" and message["id"] == key:
                raise RefusedError(message)
            if message["type"] == "pong" or key in message.get("done", ()):
                return message

    async def until(self, condition):
        """Wait for a state that fulfils a condition."""
        while not condition(self.state):
            await self.hear()
        return self.state

    # --- playing

    @property
    def number(self):
        return self.state["round"]["number"]

    async def bet(self, seat=1, **stakes):
        return await self.ask("bet", round=self.number, seat=seat, stakes=stakes)

    async def deal(self):
        return await self.ask("deal", round=self.number)

    async def decide(self, decision, seat=1):
        return await self.ask("decide", version=self.state["version"], seat=seat, decision=decision)

    def open_decisions(self):
        """Return the legal decisions of this guest, as (seat, decision)."""
        return [(v["seat"], d) for v in self.state["views"] for d in v["legal"] if v["seat"]]

    async def play_round(self, chance=random, *, seat=1, **stakes):
        """Play one random round at a table without a timer; return the last state."""
        number = self.number
        if not self.state["round"]["staked"]:
            await self.bet(seat, **stakes)
        if self.state["round"]["phase"] == "betting" and self.number == number:
            await self.deal()
        while self.number == number:
            seat_, decision = chance.choice(self.open_decisions())
            await self.decide(decision, seat_)
        return self.state


__all__ = ["At", "ConnectionClosed", "Guest", "RefusedError", "new_key"]
