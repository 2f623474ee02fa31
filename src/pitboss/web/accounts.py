"""Players: guests and registered accounts, their sessions, and play money from the bank."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from pitboss.core.errors import GameError, RuleError, plural, shown
from pitboss.core.journal import dollars
from pitboss.ledger import players
from pitboss.ledger.clock import now
from pitboss.ledger.errors import ConflictError, RepeatedError
from pitboss.ledger.transaction import Unit
from pitboss.tables.chain import BANK, Entry, Posting, player_account
from pitboss.tables.names import check_name, name_key
from pitboss.tables.timestamps import DAY, MINUTE
from pitboss.web.quotas import LockedError, Quota, Turns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pitboss.core.settings import Json
    from pitboss.ledger.store import Store

IDLE_MS: Final = 30 * MINUTE
"""A session ends after this time without activity (GLI-19, 2.5.4)."""

LONGEST_SESSION_MS: Final = 30 * DAY
"""A session ends after this time in any case."""

MOST_FAILURES: Final = 3
"""This many failed log-ins in half an hour lock an account for one address (GLI-19, 2.5.3)."""

LOCK_MS: Final = 30 * MINUTE
FIRST_WAIT_MS: Final = 10_000
"""The wait of an unknown address between its attempts, after three failed log-ins of a day from
all addresses. Each further failure doubles it, up to ``LONGEST_WAIT_MS``."""

LONGEST_WAIT_MS: Final = MINUTE
MOST_FAILURES_PER_NETWORK: Final = 16
"""After this many of the last ``MOST_FAILURES_READ`` failures, the addresses of one IPv6 /48
network wait for each other, because one attacker can have all of them."""

MOST_FAILURES_PER_ADDRESS: Final = 1000
"""The maximum number of failed log-ins from one address in a day, over all names."""

TRUST_MS: Final = 90 * DAY
"""How long an account trusts an address from which its player logged in."""

MOST_FAILURES_READ: Final = 100
SESSIONS_PER_COMMIT: Final = 200
HASHES_AT_ONCE: Final = 2  # each hash takes 64 MiB
MOST_WAITING_LOGINS: Final = 32
"""The maximum number of log-ins in the queue."""

PASSWORD_LENGTHS: Final = range(8, 129)
TOO_MANY_FAILURES = "too many failed attempts"
WRONG_CREDENTIALS = "the name or the password is wrong"

_hasher = PasswordHasher()
_DUMMY = (
    "$argon2id$v=19$m=65536,t=3,p=4$c29tZSBzYWx0IG9mIG91cnM$"
    "bm8gcGFzc3dvcmQgaGFzIHRoaXMgaGFzaCwgb24gcHVycG9zZQ"
)  # so that the check takes equally long for an unknown name


class SignInError(GameError):
    """Nobody is signed in, or the credentials are wrong."""

    code = "not_signed_in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bankroll:
    """The play money that a player gets, and the rules for refills; amounts in cents."""

    start: int = 100_000
    below: int = 2_000  # a player with less may ask for a refill
    times: int = 5  # refills in a day


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """A signed-in player."""

    id: str
    name: str
    kept: bool  # has a password, so the account outlives the session
    session: str = ""  # the hash of its token
    seen: int = 0
    ends: int = 0  # when the session ends if the player does nothing


class Accounts:
    """The players of a database."""

    def __init__(self, store: Store, bankroll: Bankroll) -> None:
        self._store = store
        self.bankroll = bankroll
        self.blocked: set[str] = set()
        self.ended: dict[str, int] = {}  # when this process ended each session; sockets check this
        self._active: dict[str, int] = {}  # each session's last activity, if not written yet
        self._turns = Turns(HASHES_AT_ONCE, MOST_WAITING_LOGINS)
        self._failed = Quota(MOST_FAILURES_PER_ADDRESS, "failed log-ins")

    # --- sessions

    async def guest(self, name: str | None = None) -> tuple[Player, str]:
        """Create a guest account with play money; return the player and the session token."""
        if name is not None:
            name = await self._free_name(name)
        name = name or f"guest {secrets.randbelow(10**9):09}"
        player = Player(id=secrets.token_urlsafe(9), name=name, kept=False)
        token, at = secrets.token_urlsafe(32), now()
        unit = Unit(
            at=at,
            entries=(self._grant("guest", player, self.bankroll.start),),
            changes=(
                players.new_player(player.id, name, at),
                players.new_session(_hash(token), player.id, at),
            ),
        )
        try:
            await self._store.write(unit)
        except ConflictError:
            raise _taken(name) from None
        return player, token

    def _grant(self, kind: str, player: Player, amount: int, key: str | None = None) -> Entry:
        lines = (
            Posting(BANK, -amount, kind),
            Posting(player_account(player.id), amount, kind),
        )
        body = {"player": player.id, "name": player.name, "amount": amount}
        return Entry(chain=self._store.cage, kind=kind, body=body, postings=lines, key=key)

    async def _free_name(self, name: str) -> str:
        """Return a name in its display form, or reject it if it is taken.

        The name is looked up first: a refused write would delay the other units of its commit.
        """
        plain = check_name(name)
        if await players.player_by_name(self._store, name_key(plain)) is not None:
            raise _taken(name)
        return plain

    async def session_player(self, token: str | None) -> Player | None:
        """Return the player of a session token, or None if the session has expired."""
        if not token or len(token) > 100:  # noqa: PLR2004  our tokens are shorter
            return None
        player = await self._signed_in(_hash(token))
        if player is not None:
            await self.note_activity(player, now(), player.seen)
        return player

    async def _signed_in(self, hashed: str) -> Player | None:
        at = now()
        row = await players.find_session(self._store, hashed)
        if row is None or row.blocked:
            return None
        ends = min(row.seen + IDLE_MS, row.created + LONGEST_SESSION_MS)
        return _player(row, hashed, row.seen, ends) if at < ends else None

    async def ends_at(self, player: Player) -> int:
        """Return when a session ends if its player stays inactive; 0 if it has ended."""
        found = await self._signed_in(player.session)
        return found.ends if found else 0

    async def note_activity(self, player: Player, at: int, before: int) -> None:
        """Record a player's activity; *before* is the last activity that is known to be stored.

        Within a minute of *before*, the write is left to :meth:`write_activity`.
        """
        self._active[player.session] = at
        if at - before > MINUTE:
            await self._write({player.session: at})

    async def write_activity(self) -> None:
        """Write the activity that was recorded since the last call."""
        noted = sorted(self._active.items())  # two processes may write the same sessions
        for first in range(0, len(noted), SESSIONS_PER_COMMIT):
            await self._write(dict(noted[first : first + SESSIONS_PER_COMMIT]))

    async def _write(self, noted: dict[str, int]) -> None:
        await players.write_activity(self._store, noted)
        for session, at in noted.items():
            if self._active.get(session) == at:
                del self._active[session]

    async def log_in(
        self, name: str, password: str, address: str, visitor: Player | None = None
    ) -> tuple[Player, str]:
        """Open a session with a name and a password; an error does not say which one is wrong."""
        key, at = name_key(name), now()
        row = await players.player_by_name(self._store, key)
        hashed = row.password if row is not None and row.password else _DUMMY
        is_trusted = row is not None and (
            (visitor is not None and visitor.id == row.id) or await self._knows(row.id, address)
        )
        right = await self._try(name, hashed, password, address, is_trusted=is_trusted)
        if not right or row is None or not row.password:
            raise SignInError(WRONG_CREDENTIALS)
        if row.blocked:
            raise SignInError("this account is closed: contact the operator")
        token = secrets.token_urlsafe(32)
        session = players.new_session(_hash(token), row.id, at)
        known = players.known_address(row.id, address, at)
        await players.log_in(self._store, session, key, address, known)
        return _player(row, _hash(token), at), token

    async def _try(
        self, name: str, hashed: str, password: str, address: str, *, is_trusted: bool
    ) -> bool:
        """Return whether a password is correct; a wrong one is counted before the next is tried."""
        async with self._turns.turn(address):
            key, at = name_key(name), now()
            self._failed.check(address)
            until = _locked_until(*await self._failures(key, address), is_trusted=is_trusted)
            if until > at:
                raise LockedError(TOO_MANY_FAILURES, (until - at) / 1000)
            if await asyncio.to_thread(_matches, hashed, password):
                return True
            await self._note_failure(name, key, address)
            return False

    async def _knows(self, player: str, address: str) -> bool:
        """Return whether an address is trusted for an account."""
        return await players.is_known_address(self._store, player, address, now() - TRUST_MS)

    async def _failures(self, key: str, address: str) -> _Failures:
        """Return the failed log-ins of the last day that matter for an address."""
        since = now() - DAY
        all_ = await players.failed_logins(self._store, key, since, MOST_FAILURES_READ)
        own = await players.failed_logins(self._store, key, since, MOST_FAILURES, address)
        network = _network(address)
        near = [at for at, where in all_ if _network(where) == network]
        return _Failures(len(all_), [at for at, _ in own], near)

    async def _note_failure(self, name: str, key: str, address: str) -> None:
        at = now()
        await players.add_failed_login(self._store, key, address, at)
        await self._record_event("login_failed", name, address)
        if _locked_until(*await self._failures(key, address), is_trusted=True) > at:
            await self._record_event("locked", name, address)
        self._failed.take(address)

    async def _record_event(self, kind: str, name: str, address: str) -> None:
        """Record a significant event; omit an unknown name, which might be a password."""
        known = await players.player_by_name(self._store, name_key(name))
        body = {"name": known.name if known else None, "address": address}
        await self._store.write(
            Unit(at=now(), entries=(Entry(chain=self._store.cage, kind=kind, body=body),))
        )

    async def log_out(self, player: Player) -> None:
        """End a session."""
        self._note_ended(await players.end_session(self._store, player.session))

    async def log_out_everywhere(self, player: Player) -> None:
        """End all sessions of a player."""
        self._note_ended(await players.end_all_sessions(self._store, player.id))

    def _note_ended(self, tokens: Iterable[str]) -> None:
        self.ended |= dict.fromkeys(tokens, now())

    async def forget(self) -> None:
        """Delete expired sessions, and log-ins that no longer count."""
        at = now()
        await players.delete_old(
            self._store,
            idle_since=at - IDLE_MS,
            opened_before=at - LONGEST_SESSION_MS,
            failed_before=at - DAY,
            known_before=at - TRUST_MS,
        )
        self.ended = {
            session: ended for session, ended in self.ended.items() if ended > at - IDLE_MS
        }

    # --- accounts

    async def rename(self, player: Player, name: str) -> None:
        new = await self._free_name(name)
        entry = self._note("renamed", player, before=player.name, after=new)
        changes = (players.renamed(player.id, new),)
        try:
            await self._store.write(Unit(at=now(), entries=(entry,), changes=changes))
        except ConflictError:
            raise _taken(name) from None

    async def set_password(
        self, player: Player, password: str, old: str | None, address: str
    ) -> None:
        """Protect the account with a password; all other sessions end."""
        if len(password) not in PASSWORD_LENGTHS:
            raise RuleError(
                f"a password must have {PASSWORD_LENGTHS.start} to"
                f" {PASSWORD_LENGTHS.stop - 1} characters: this one has {len(password)}"
            )
        if name_key(password) == name_key(player.name):
            raise RuleError("the password must differ from the name: choose another")
        row = await players.find_player(self._store, player.id)
        if row.password and old is None:
            raise RuleError("this account has a password already: send it as 'old'")
        if row.password:
            await self._check_old(player, row.password, old or "", address)
        async with self._turns.turn(address):
            hashed = await asyncio.to_thread(_hasher.hash, password)
        changes = (
            players.password_set(player.id, hashed),
            players.sessions_ended(player.id, but=player.session),
            players.known_address(player.id, address, now()),
        )
        entry = self._note("password_set", player)
        others = await players.session_tokens(self._store, player.id) - {player.session}
        await self._store.write(Unit(at=now(), entries=(entry,), changes=changes))
        self._note_ended(others)

    async def _check_old(self, player: Player, hashed: str, old: str, address: str) -> None:
        """Reject a wrong old password and count it as a failed log-in."""
        if not await self._try(player.name, hashed, old, address, is_trusted=True):
            raise SignInError("the old password is wrong")

    async def block(self, player_id: str, *, blocked: bool) -> None:
        """Close an account or reopen it, on behalf of the operator."""
        row = await players.find_player(self._store, player_id)
        changes = [players.blocked_set(player_id, blocked=blocked)]
        if blocked:
            changes.append(players.sessions_ended(player_id))
        entry = self._note("blocked" if blocked else "unblocked", _player(row, "", 0))
        await self._store.write(Unit(at=now(), entries=(entry,), changes=(*changes,)))
        await self.refresh_blocked()

    async def refresh_blocked(self) -> None:
        """Reload the accounts that the operator has closed, in this or another process."""
        self.blocked = await players.blocked_players(self._store)

    def _note(self, kind: str, player: Player, **facts: Json) -> Entry:
        body = {"player": player.id, "name": player.name} | facts
        return Entry(chain=self._store.cage, kind=kind, body=body)

    # --- money

    async def balance(self, player: str) -> int:
        account = player_account(player)
        return (await self._store.balances([account]))[account]

    async def refills_left(self, player: str) -> int:
        """Return how many refills a player has left, counted over the last 24 hours."""
        return self.bankroll.times - (await self._refills(player, now() - DAY))[1]

    async def _refills(self, player: str, since: int) -> tuple[int, int]:
        """Return how many refills a player has had in all, and how many since a time.

        Only the last few are read: the key of each refill contains its number.
        """
        rows = [*await players.last_refills(self._store, player, max(1, self.bankroll.times))]
        made = int(rows[0].key.rpartition(":")[2]) + 1 if rows else 0
        return made, sum(row.at > since for row in rows)

    async def refill(self, player: Player) -> int:
        """Refill a low bankroll, a few times a day; return the amount added."""
        made, _ = await self._refills(
            player.id, 0
        )  # read first, so that the balance includes any refill in between
        has = await self._store.worth(player_account(player.id))
        below = min(self.bankroll.below, self.bankroll.start)
        if has >= below:
            raise RuleError(
                f"your bankroll can be refilled only below {dollars(below)}:"
                f" you have {dollars(has)}, including your bets"
            )
        if await self.refills_left(player.id) <= 0:
            times = plural(self.bankroll.times, "time")
            raise RuleError(f"a bankroll can be refilled at most {times} a day")
        amount = self.bankroll.start - has
        key = f"refill:{player.id}:{made}"  # two simultaneous requests have the same key
        entry = self._grant("refill", player, amount, key)
        try:
            await self._store.write(Unit(at=now(), entries=(entry,)))
        except RepeatedError:
            raise RuleError("your bankroll was refilled just now") from None
        return amount


def _player(row: Any, session: str, seen: int, ends: int = 0) -> Player:  # noqa: ANN401  a row
    return Player(
        id=row.id,
        name=row.name,
        kept=row.password is not None,
        session=session,
        seen=seen,
        ends=ends,
    )


class _Failures(NamedTuple):
    """Failed log-ins of one name on the last day; times are in order."""

    number: int  # from all addresses, up to MOST_FAILURES_READ
    own: list[int]  # the times of the last three from one address
    near: list[int]  # the times of those from its network


def _locked_until(number: int, own: list[int], near: list[int], *, is_trusted: bool) -> int:
    """Return the time until which an account is locked for an address.

    Three failures from one address within half an hour lock the account for that address. Failures
    from all addresses together make an unknown address wait between its attempts. The wait begins
    with its own last failure: otherwise strangers could keep the owner out of a new address.
    """
    until = 0
    if len(own) >= MOST_FAILURES and own[-1] - own[-MOST_FAILURES] <= LOCK_MS:
        until = own[-1] + LOCK_MS
    counted = near if len(near) >= MOST_FAILURES_PER_NETWORK else own
    if number >= MOST_FAILURES and counted and not is_trusted:
        doubled = min(number - MOST_FAILURES, 20)
        until = max(until, counted[-1] + min(FIRST_WAIT_MS * 2**doubled, LONGEST_WAIT_MS))
    return until


def _network(address: str) -> str:
    """Return the /48 network of an IPv6 address, and any other address unchanged."""
    if ":" not in address:
        return address
    try:
        return str(ip_network(address, strict=False).supernet(new_prefix=48))
    except ValueError:
        return address


def _matches(hashed: str, password: str) -> bool:
    try:
        return _hasher.verify(hashed, password)
    except (Argon2Error, InvalidHashError):
        return False


def _hash(token: str) -> str:
    """Return the hash of a token. The database has only hashes, which cannot be used to sign in."""
    return hashlib.sha256(token.encode()).hexdigest()


def _taken(name: str) -> RuleError:
    return RuleError(f"the name {shown(name)} is taken: choose another")
