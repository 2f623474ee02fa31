"""One WebSocket at one table: it receives requests and sends the state that its client may see."""

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

from pitboss.core.errors import GameError, RuleError
from pitboss.ledger.clock import now
from pitboss.ledger.errors import ConflictError, RepeatedError, UnavailableError
from pitboss.ledger.leases import ElsewhereError
from pitboss.tables.chain import player_account
from pitboss.tables.names import table_handle
from pitboss.tables.timestamps import MINUTE
from pitboss.web import messages, metrics
from pitboss.web.accounts import SignInError
from pitboss.web.commands import command_of, deal_command, refusal_of
from pitboss.web.problems import first_problem
from pitboss.web.rate_limits import POLICY, Bucket
from pitboss.web.table_state import state_of, state_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.websockets import WebSocket

    from pitboss.core.settings import Json
    from pitboss.dealing.dealer import Dealer
    from pitboss.dealing.pit import Pit
    from pitboss.tables.live import LiveTable
    from pitboss.web.accounts import Accounts, Player
    from pitboss.web.rate_limits import RateLimits

log = logging.getLogger("pitboss.socket")

MOST_UNSENT: Final = 100
SLOWEST_READ_S: Final = 20.0
"""Seconds that a client may take to read a message, with a tolerance of half that time."""

KEY: Final = re.compile(messages.KEY)

MOST_TOO_FAST: Final = 60
DISCONNECT_ERRORS: Final = (WebSocketDisconnect, RuntimeError, OSError)
"""Errors of sending to a client that has disconnected."""

ERROR, AWAY, SIGNED_OUT = 1011, 4000, 4001


class Connection:
    """A client at a table: a player, or a spectator who is not signed in."""

    def __init__(
        self,
        websocket: WebSocket,
        table: str,
        *,
        pit: Pit,
        accounts: Accounts,
        rate_limits: RateLimits,
        who: Player | None,
    ) -> None:
        self.player = who.id if who else None
        self._account = player_account(who.id) if who else None
        self._who = who
        self._socket = websocket
        self._table = table
        self._pit = pit
        self._accounts = accounts
        self._bucket = Bucket(rate_limits.messages, rate_limits.message_burst)
        self._too_fast = 0
        self._active = now()  # the player's last activity
        self._dealer: Dealer | None = None
        self._balance = 0  # as last sent
        self._unsent: deque[dict[str, Json]] = deque()
        self._done: list[str] = []
        self._stale = False
        self._asking = False  # a request is being carried out: one state will answer it
        self._begun = self._sent = 0  # number of messages
        self._over = False
        self._wake = asyncio.Event()
        self._finding: asyncio.Task[bool] | None = (
            None  # looks for the table after its dealer was dropped
        )

    # --- as a viewer

    def show(self, dealer: Dealer | None = None) -> None:
        """Schedule sending the current state; a slow reader skips intermediate states."""
        if dealer is None or dealer is self._dealer:
            self._stale = True
            if not self._asking:
                self._wake.set()

    def lose(self, dealer: Dealer) -> None:
        """Look for the table again, because its dealer was dropped."""
        if dealer is self._dealer:
            self._dealer = None
            self._wake.set()

    # --- lifetime

    async def run(self) -> None:
        """Serve the client until it disconnects."""
        await self._attach()
        self._pit.viewers.add(self)
        tasks = [asyncio.create_task(work()) for work in (self._read_on, self._send_on)]
        reading = tasks[0]
        if self._who:
            tasks.append(asyncio.create_task(self._watch_session(self._who)))
        try:
            await self._watch(tasks)
        finally:
            self._over = True
            begun = [*tasks, self._finding] if self._finding else tasks
            for task in begun:
                if not (task is reading and self._asking):  # let a running request finish
                    task.cancel()
            ends = await asyncio.gather(*begun, return_exceptions=True)
            self._pit.viewers.remove(self)
            if self._dealer:
                self._dealer.viewers.discard(self)
            await self._close(ERROR if self._log_failures(ends) else 1000)

    def _log_failures(self, ends: Sequence[object]) -> bool:
        """Log unexpected errors; return whether there were any."""
        failed = [
            end
            for end in ends
            if isinstance(end, Exception) and not isinstance(end, DISCONNECT_ERRORS)
        ]
        for error in failed:
            log.error("a socket at table %s failed", table_handle(self._table), exc_info=error)
        return bool(failed)

    async def _watch(self, tasks: list[asyncio.Task[None]]) -> None:
        """Wait until a task ends, or the client has not read a message for too long.

        A periodic check is cheaper than a timer for every message.
        """
        ended: set[asyncio.Task[None]] = set()
        before = begun = self._sent
        # Continue while every message that was begun two checks ago has been sent.
        while not ended and self._sent >= before:
            before, begun = begun, self._begun
            ended, _ = await asyncio.wait(
                tasks, timeout=SLOWEST_READ_S / 2, return_when=asyncio.FIRST_COMPLETED
            )

    async def _attach(self) -> Dealer:
        while (dealer := await self._pit.dealer(self._table)) is not self._dealer:
            if self._account:
                await self._pit.store.refresh_balance(self._account)
            if not dealer.gone:  # it may have been dropped meanwhile
                self._dealer = dealer
                dealer.viewers.add(self)
                self.show(dealer)
        return dealer

    async def _watch_session(self, who: Player) -> None:
        """Close the socket when its session ends, and show changes made by other processes.

        Both are checked at least once a minute, and when the session is due to expire.
        """
        ends = who.ends
        while True:
            wait = random.uniform(0.5, 1) * MINUTE  # noqa: S311  spreads the load
            await asyncio.sleep(max(0, min(wait, ends - now())) / 1000)
            try:
                ends = await self._accounts.ends_at(who)
                if ends <= now():
                    await self._close(SIGNED_OUT)
                    return
                await self._show_balance(player_account(who.id))
            except GameError:
                await _pause()

    async def _show_balance(self, account: str) -> None:
        """Send the state again if the player's balance has changed since it was last sent."""
        await self._pit.store.refresh_balance(account)
        if self._dealer and self._pit.store.known_balances.get(account) != self._balance:
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
            if self._account and self._account not in self._pit.store.known_balances:
                await self._count_again(self._account)
            elif self._dealer:
                self._stale = False
                done, self._done = self._done, []
                await self._send_text(self._state(self._dealer.table, done))

    async def _count_again(self, account: str) -> None:
        """Reload a balance that was dropped from memory, so that no older one is shown."""
        try:
            await self._pit.store.refresh_balance(account)
        except GameError:
            await _pause()
        self._wake.set()

    async def _find_again(self) -> bool:
        """Wait until the table is available; if another process deals it, send the address."""
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
                self._answer(_refused(None, "unreadable", "messages must be text, not binary"))
            elif not await self._take(text):
                return

    async def _take(self, text: str) -> bool:
        """Carry out one message; return whether to continue reading."""
        try:
            request = messages.read_request(text)
        except ValidationError as error:
            self._answer(_refused(_key_of(text), "unreadable", first_problem(error.errors())))
            return True
        if isinstance(
            request, messages.Ping
        ):  # not the player's activity: clients send it automatically
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
            log.exception("a request at table %s failed", table_handle(self._table))
            detail = "the server had an internal error; nothing was changed: try again"
            self._answer(_refused(request.id, "internal", detail))
        return True

    async def _check_session(self) -> None:
        """Reject a player whose session has ended; otherwise record the player's activity."""
        if self._who is None:
            return
        at, before = now(), self._active
        paused = at - before > MINUTE  # otherwise `_watch_session` has checked
        if self._is_ended or (paused and await self._accounts.ends_at(self._who) <= at):
            raise SignInError("your session has ended: sign in again")
        self._active = at
        await self._accounts.note_activity(self._who, at, before)

    @property
    def _is_ended(self) -> bool:
        """Whether this process knows that the session has ended."""
        who, accounts = self._who, self._accounts
        return who is not None and (who.id in accounts.blocked or who.session in accounts.ended)

    async def _carry_out(self, request: messages.Request) -> None:
        if self._who is None:
            raise RuleError("spectators cannot play: sign in or visit as a guest first")
        digest = hashlib.sha256(request.model_dump_json().encode()).hexdigest()[:16]
        key = f"{self._who.id}:{request.id}#{digest}"
        dealer = await self._attach()
        self._asking = True
        try:
            command = command_of(request, self._who, self._pit.switches)
            bet = request if isinstance(request, messages.PlaceBet) else None
            then = deal_command(self._who) if bet and bet.deal else None
            refusal = refusal_of(bet, self._who) if bet else None
            with contextlib.suppress(
                RepeatedError
            ):  # it was carried out before: the current state answers it
                await dealer.take(command, then=then, key=key, refusal=refusal)
            self._done.append(request.id)
            self._stale = True
        finally:
            self._asking = False
            self._wake.set()

    # --- the state

    def _state(self, table: LiveTable, done: list[str]) -> str:
        if self._account:
            self._balance = self._pit.store.known_balances[self._account]
        state = state_of(table, self._who, self._balance, done)
        state["closed"] = table.closed or not self._pit.switches.takes_bets(table.setup.game.key)
        return state_text(state, table.ended)


async def _pause() -> None:
    """Wait a random time before a retry, so that clients do not retry all at once."""
    await asyncio.sleep(random.uniform(0.2, 1.5))  # noqa: S311  not for a game


def _key_of(text: str) -> str | None:
    """Return the key of an invalid message, if it has a valid one."""
    try:
        key = json.loads(text)["id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return key if isinstance(key, str) and KEY.fullmatch(key) else None


def _refusal(key: str | None, error: GameError) -> dict[str, Json]:
    message = _refused(key, error.code, str(error))
    if isinstance(error, ElsewhereError):
        message["address"] = error.address
    return message


def _refused(key: str | None, error: str, detail: str) -> dict[str, Json]:
    return messages.Refusal(id=key, error=error, detail=detail).model_dump()
