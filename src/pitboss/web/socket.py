"""One WebSocket at one table: requests come in, states go out, each as its receiver may see it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import random
import re
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError
from pydantic_core import to_json
from starlette.websockets import WebSocketDisconnect, WebSocketState

from pitboss.errors import GameError, RuleError
from pitboss.fairness import SCHEME
from pitboss.notation import dollars
from pitboss.web import messages, metrics
from pitboss.web.accounts import SignInError
from pitboss.web.chain import player_account
from pitboss.web.guard import Bucket
from pitboss.web.live import Place, told
from pitboss.web.moments import MINUTE
from pitboss.web.pit import ElsewhereError, StaleError
from pitboss.web.store import ConflictError, RepeatedError, UnavailableError, now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.websockets import WebSocket

    from pitboss.rules import Json
    from pitboss.web.accounts import Accounts, Player
    from pitboss.web.chain import Entry
    from pitboss.web.guard import Doors
    from pitboss.web.live import Ended, LiveTable
    from pitboss.web.pit import Command, Dealer, Pit

log = logging.getLogger("pitboss.socket")

MOST_UNSENT: Final = 100
SLOWEST: Final = 20.0
"""Seconds that a client may take to read a message; it may be half as many more."""

KEY: Final = re.compile(messages.KEY)
PLAIN: Final = {  # what the library says in its own words
    "json_invalid": "this is not JSON",
    "union_tag_invalid": "'do' is none of sit, leave, sit_out, seed, bet, take_back, deal, decide",
    "union_tag_not_found": "'do' is missing: what is to be done?",
    "extra_forbidden": "there is no such field",
    "model_attributes_type": "a JSON object is wanted, as application/json",
    "model_type": "a JSON object is wanted",
    "missing": "it is missing",
}

MOST_TOO_FAST: Final = 200
LEFT: Final = (WebSocketDisconnect, RuntimeError, OSError)
"""How sending fails when the client has gone."""

POLICY, ERROR, AWAY, SIGNED_OUT = 1008, 1011, 4000, 4001


class Connection:
    """Somebody at a table: a player, or without one a spectator."""

    def __init__(
        self,
        websocket: WebSocket,
        table: str,
        *,
        pit: Pit,
        accounts: Accounts,
        doors: Doors,
        who: Player | None,
    ) -> None:
        self.player = who.id if who else None
        self._account = player_account(who.id) if who else None
        self._who = who
        self._socket = websocket
        self._table = table
        self._pit = pit
        self._accounts = accounts
        self._bucket = Bucket(doors.messages, doors.message_burst)
        self._too_fast = 0
        self._active = self._noted = now()  # the player's last sign, and the last that was noted
        self._dealer: Dealer | None = None
        self._balance = 0  # as it was last shown
        self._unsent: deque[dict[str, Json]] = deque()
        self._done: list[str] = []
        self._stale = False
        self._asking = False  # what the client asks for is on its way: one state answers it
        self._begun = self._sent = 0  # messages
        self._over = False
        self._wake = asyncio.Event()
        self._finding: asyncio.Task[bool] | None = None  # the table, whose dealer was let go

    # --- as a viewer

    def show(self, dealer: Dealer | None = None) -> None:
        """Have the table sent as it is then: who reads slowly skips what is past."""
        if dealer is None or dealer is self._dealer:
            self._stale = True
            if not self._asking:
                self._wake.set()

    def lose(self, dealer: Dealer) -> None:
        """Look for the table again: its dealer was let go."""
        if dealer is self._dealer:
            self._dealer = None
            self._wake.set()

    # --- its life

    async def run(self) -> None:
        """Serve the client until it goes."""
        await self._attach()
        self._pit.enter(self)
        tasks = [asyncio.create_task(work()) for work in (self._read_on, self._send_on)]
        reading = tasks[0]
        if self._who:
            tasks.append(asyncio.create_task(self._look_on(self._who)))
        try:
            await self._watch(tasks)
        finally:
            self._over = True
            begun = [*tasks, self._finding] if self._finding else tasks
            for task in begun:
                if not (task is reading and self._asking):  # what was asked for is done to its end
                    task.cancel()
            ends = await asyncio.gather(*begun, return_exceptions=True)
            self._pit.leave(self)
            if self._dealer:
                self._dealer.viewers.discard(self)
            await self._close(ERROR if self._tell_failures(ends) else 1000)

    def _tell_failures(self, ends: Sequence[object]) -> bool:
        """Log what nobody has foreseen; return whether there was anything."""
        failed = [end for end in ends if isinstance(end, Exception) and not isinstance(end, LEFT)]
        for error in failed:
            log.error("a socket at table %s failed", self._table, exc_info=error)
        return bool(failed)

    async def _watch(self, tasks: list[asyncio.Task[None]]) -> None:
        """Wait until a task ends, or the client has not read a message for too long.

        One look now and then is cheaper than a timer for every message.
        """
        ended: set[asyncio.Task[None]] = set()
        before = begun = self._sent
        while not ended and self._sent >= before:  # those begun two looks ago are sent
            before, begun = begun, self._begun
            ended, _ = await asyncio.wait(
                tasks, timeout=SLOWEST / 2, return_when=asyncio.FIRST_COMPLETED
            )

    async def _attach(self) -> Dealer:
        while (dealer := await self._pit.dealer(self._table)) is not self._dealer:
            if self._account:
                await self._pit.store.look(self._account)
            if not dealer.gone:  # meanwhile
                self._dealer = dealer
                dealer.viewers.add(self)
                self.show(dealer)
        return dealer

    async def _look_on(self, who: Player) -> None:
        """See within each minute what may have changed in another process, beside all play.

        That is whether the session is open, and what the player has.
        """
        account = player_account(who.id)
        while True:
            await asyncio.sleep(random.uniform(0.5, 1) * MINUTE / 1000)  # noqa: S311  not all at once
            with contextlib.suppress(GameError):
                if self._active > self._noted:
                    await self._note(who)
            with contextlib.suppress(GameError):
                if not await self._accounts.is_open(who):
                    await self._close(SIGNED_OUT)
                    return
                await self._pit.store.look(account)
                if self._dealer and self._pit.store.last_seen.get(account) != self._balance:
                    self.show(self._dealer)

    async def _close(self, code: int) -> None:
        if self._socket.client_state is WebSocketState.CONNECTED:
            try:
                await asyncio.wait_for(self._socket.close(code), 1)
            except (RuntimeError, TimeoutError, OSError, WebSocketDisconnect):
                return

    # --- sending

    async def _send_on(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._finding and self._finding.done():
                found, self._finding = self._finding.result(), None
                if not found:
                    return
            if self._dealer is None and self._finding is None:
                self._finding = asyncio.create_task(self._find_again())
                self._finding.add_done_callback(lambda _: self._wake.set())
            while self._unsent:
                await self._send(self._unsent.popleft())
            if not self._stale:
                continue
            if self._is_ended:
                await self._close(SIGNED_OUT)
                return
            if self._account and self._account not in self._pit.store.last_seen:
                await self._count_again(self._account)
            elif self._dealer:
                self._stale = False
                done, self._done = self._done, []
                await self._send_text(self._state(self._dealer.table, done))

    async def _count_again(self, account: str) -> None:
        """Count what was forgotten to save memory; nothing is shown with an older balance."""
        try:
            await self._pit.store.look(account)
        except GameError:
            await _pause()
        self._wake.set()

    async def _find_again(self) -> bool:
        """Wait until the table can be had again; if it is dealt elsewhere, say where."""
        while True:
            try:
                await self._attach()
            except ElsewhereError as error:
                await self._send(_refusal(None, error))
                await self._close(AWAY)
                return False
            except (UnavailableError, ConflictError):
                await _pause()
            else:
                return True

    async def _send(self, message: dict[str, Json]) -> None:
        await self._send_text(to_json(message).decode())

    async def _send_text(self, text: str) -> None:
        self._begun += 1
        await self._socket.send_text(text)
        self._sent += 1

    def _answer(self, message: dict[str, Json]) -> None:
        if message["type"] == "error":
            metrics.refusals.labels(message["error"]).inc()
        if len(self._unsent) < MOST_UNSENT:
            self._unsent.append(message)
        self._wake.set()

    # --- reading

    async def _read_on(self) -> None:
        while not self._over:
            message = await self._socket.receive()
            if message["type"] != "websocket.receive":
                return
            text = message.get("text")
            if not self._bucket.take():
                self._too_fast += 1
                if self._too_fast > MOST_TOO_FAST:
                    await self._close(POLICY)
                    return
                self._answer(_refused(None, "too_fast", "too many messages: wait a second"))
            elif text is None:
                self._answer(_refused(None, "unreadable", "messages are text, not binary"))
            elif not await self._take(text):
                return

    async def _take(self, text: str) -> bool:
        """Carry out one message; return whether to go on."""
        try:
            request = messages.read_request(text)
        except ValidationError as error:
            self._answer(_refused(_key_of(text), "unreadable", first_problem(error.errors())))
            return True
        if isinstance(request, messages.Ping):  # no sign of the player: programs send it too
            self._answer(messages.Pong(id=request.id).model_dump())
            return True
        try:
            await self._check_session()
            start = time.perf_counter()
            try:
                await self._carry_out(request)
            finally:
                metrics.actions.observe(time.perf_counter() - start)
        except SignInError as error:
            await self._send(_refusal(request.id, error))
            await self._close(SIGNED_OUT)
            return False
        except GameError as error:
            self._answer(_refusal(request.id, error))
        except Exception:
            log.exception("a request at table %s", self._table)
            detail = "something went wrong here; nothing was changed"
            self._answer(_refused(request.id, "internal", detail))
        return True

    async def _check_session(self) -> None:
        """Refuse a player who was idle for too long or has signed out; note a sign of others."""
        if self._who is None:
            return
        at = now()
        paused = at - self._active > MINUTE  # else `_look_on` has looked and will note it
        if self._is_ended or (paused and not await self._accounts.is_open(self._who)):
            raise SignInError("your session has ended: sign in again")
        self._active = at
        if paused:
            await self._note(self._who)

    async def _note(self, who: Player) -> None:
        sign = self._active
        await self._accounts.note(who, sign)
        self._noted = sign

    @property
    def _is_ended(self) -> bool:
        """Say whether this process knows that the session has ended."""
        who, accounts = self._who, self._accounts
        return who is not None and (who.id in accounts.blocked or who.session in accounts.ended)

    async def _carry_out(self, request: messages.Request) -> None:
        if self._who is None:
            raise RuleError("who only looks on cannot play: get a guest account first")
        digest = hashlib.sha256(request.model_dump_json().encode()).hexdigest()[:16]
        key = f"{self._who.id}:{request.id}#{digest}"
        dealer = await self._attach()
        self._asking = True
        try:
            command = command_of(request, self._who, self._pit)
            deals = isinstance(request, messages.PlaceBet) and request.deal
            then = _dealing(self._who) if deals else None
            with contextlib.suppress(RepeatedError):  # it was done: the table as it is answers
                await dealer.take(command, then=then, key=key)
            self._done.append(request.id)
            self._stale = True
        finally:
            self._asking = False
            self._wake.set()

    # --- what is sent

    def _state(self, table: LiveTable, done: list[str]) -> str:
        if self._account:
            self._balance = self._pit.store.last_seen[self._account]
        state = state_of(table, self._who, self._balance, done)
        state["closed"] = table.closed or not self._pit.takes_bets(table.setup.game.key)
        return state_text(state, table.ended)


async def _pause() -> None:
    """Wait before another attempt; not all come at once."""
    await asyncio.sleep(random.uniform(0.2, 1.5))  # noqa: S311  no game of chance


def command_of(request: messages.Request, who: Player, pit: Pit) -> Command:
    """Return what a request asks of a table."""

    def command(table: LiveTable) -> Entry:
        match request:  # the most frequent first
            case messages.Decide():
                return _decide(table, who, request)
            case messages.PlaceBet():
                _check_round(table, request.round)
                pit.check_open(table.setup.game.key)
                return table.bet(who.id, request.seat, request.stakes)
            case messages.DealNow():
                _check_round(table, request.round)
                return _dealing(who)(table)
            case messages.Sit():
                return table.sit(request.seat, Place(who.id, who.name, request.client_seed))
            case messages.Leave():
                return table.leave(who.id, request.seat)
            case messages.SitOut():
                return table.sit_out(who.id, request.seat, out=request.out)
            case messages.ChooseSeed():
                return table.choose_seed(who.id, request.seat, request.client_seed)
            case messages.TakeBack():
                _check_round(table, request.round)
                return table.take_back(who.id, request.seat)
            case _:
                raise AssertionError(request)

    return command


def _dealing(who: Player) -> Command:
    """Return the wish to have cards dealt."""

    def deal(table: LiveTable) -> Entry:
        if not table.is_solo:
            raise RuleError("this table deals when all have bet or the time is up")
        if not table.seats_of(who.id):
            raise RuleError("sit down first")
        return table.deal()

    return deal


def _decide(table: LiveTable, who: Player, request: messages.Decide) -> Entry:
    owner = table.hand.owners.get(request.seat)
    if owner and owner.player == who.id:
        newest = table.version(who.id)
        if not table.asks_since(request.seat) <= request.version <= newest:
            raise StaleError(
                f"that answers version {request.version}: the table is at version {newest}"
            )
    return table.decide(request.seat, request.decision, player=who.id)


def _check_round(table: LiveTable, number: int) -> None:
    if number != table.hand.number:
        raise StaleError(f"that is for round {number}: the table is at round {table.hand.number}")


def state_of(
    table: LiveTable, who: Player | None, balance: int, done: list[str]
) -> dict[str, Json]:
    """Return the table as a player, or who only looks on, may see it."""
    player = who.id if who else None
    own = table.seats_of(player)
    hand = table.hand
    rules, seated = hand.round.rules, [seat for seat in own if seat in hand.round.numbers]
    views = [told(rules, hand.round.view(seat)) for seat in seated] or [table.told]
    not_offered = _withhold(table, views, balance) if hand.is_dealt else []
    left = None if hand.deadline is None else max(0, hand.deadline - now())
    return {
        "v": messages.VERSION,
        "type": "state",
        "play_money": True,
        "table": table.setup.id,
        "version": table.version(player),
        "done": done,
        "closed": table.closed,
        "limits": table.setup.limits_told,
        "places": [
            {
                "seat": seat,
                "name": place.name,
                "yours": place.player == player,
                "out": place.out,
                "has_bet": seat in hand.staked,
                "client_seed": place.seed if player and place.player == player else None,
            }
            for seat, place in sorted(table.places.items())
        ],
        "round": {
            "number": hand.number,
            "scheme": SCHEME,
            "commitment": hand.commitment,
            "phase": hand.round.phase.value,
            "staked": {str(seat): cents for seat, cents in hand.staked.items()},
            "left_ms": left,
        },
        "views": views,
        "not_offered": not_offered,
        "log": [
            {"seat": m.seat, "decision": m.decision, "by": m.by} for m in table.log_for(player)
        ],
        "last": table.ended and table.ended.shown,
        "you": {"name": who.name, "balance": balance, "seats": own} if who else None,
    }


def state_text(state: dict[str, Json], ended: Ended | None) -> str:
    """Write a state as JSON, with the text of the round before, which is written only once."""
    del state["last"]
    you = to_json(state.pop("you")).decode()
    last = ended.text if ended else "null"
    return f'{to_json(state).decode()[:-1]},"last":{last},"you":{you}}}'


def _withhold(table: LiveTable, views: list[dict[str, Json]], balance: int) -> list[Json]:
    """Take what the bankroll does not cover out of the views, and say why."""
    found: list[Json] = []
    for view in views:
        seat = view["seat"]
        if seat is None or balance >= table.hand.staked[seat]:
            continue  # no decision adds more than the seat has put down
        for text in list(view["legal"]):
            price = table.price(table.setup.game.decision(seat, text))
            if price > balance:
                view["legal"].remove(text)
                reason = f"it takes {dollars(price)}, your bankroll has {dollars(balance)}"
                found.append({"seat": seat, "decision": text, "reason": reason})
    return found


def _key_of(text: str) -> str | None:
    """Return the key of a message that is wrong otherwise, if it has one."""
    try:
        key = json.loads(text)["id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return key if isinstance(key, str) and KEY.fullmatch(key) else None


def first_problem(problems: Sequence[Mapping[str, Json]]) -> str:
    """Say where a message is wrong and how, without what was sent."""
    problem = problems[0]
    if (kind := problem["type"]) in PLAIN:
        problem = {**problem, "msg": PLAIN[kind]}
    where = ".".join(map(str, problem["loc"]))
    return f"{where}: {problem['msg']}" if where else str(problem["msg"])


def _refusal(key: str | None, error: GameError) -> dict[str, Json]:
    message = _refused(key, error.code, str(error))
    if isinstance(error, ElsewhereError):
        message["address"] = error.address
    return message


def _refused(key: str | None, error: str, detail: str) -> dict[str, Json]:
    return messages.Refusal(id=key, error=error, detail=detail).model_dump()
