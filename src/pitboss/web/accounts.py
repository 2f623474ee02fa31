"""Players: guests and those who keep an account, their sessions, and play money from the bank."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from sqlalchemy import bindparam, delete, func, insert, or_, select, update

from pitboss.errors import GameError, RuleError, plural, shown
from pitboss.notation import dollars
from pitboss.web.chain import BANK, CAGE, Entry, Posting, player_account
from pitboss.web.moments import DAY, MINUTE
from pitboss.web.schema import failures, ledger, players, records, sessions
from pitboss.web.store import (
    BusyError,
    Change,
    ConflictError,
    MissingError,
    RepeatedError,
    Unit,
    now,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from pitboss.rules import Json
    from pitboss.web.store import Store

IDLE: Final = 30 * MINUTE
"""How long a session lasts without a sign of its player (GLI-19, 2.5.4)."""

LONGEST: Final = 30 * DAY
"""How long a session lasts at all."""

MOST_FAILURES: Final = 3
"""Failed log-ins within half an hour that lock an account for as long (GLI-19, 2.5.3)."""

MOST_TRYING: Final = 32
"""Log-ins that may wait for their turn."""

LOCKED_FOR: Final = 30 * MINUTE
NAME: Final = re.compile(r"[^\W_](?:[\w .'-]{0,22}[^\W_])?")
INVISIBLE: Final = {"\u115f", "\u1160"}
"""Letters that leave no mark: with one, a name would read like another."""

PASSWORD: Final = range(8, 129)
TOO_MANY = "too many failed attempts: try again in half an hour"
WRONG = "that name and password do not go together"

_hasher = PasswordHasher()
_DUMMY = (
    "$argon2id$v=19$m=65536,t=3,p=4$c29tZSBzYWx0IG9mIG91cnM$"
    "bm8gcGFzc3dvcmQgaGFzIHRoaXMgaGFzaCwgb24gcHVycG9zZQ"
)  # so that an unknown name takes as long

_NEW_PLAYER = insert(players)
_NEW_SESSION = insert(sessions)
_RENAME = (
    update(players)
    .where(players.c.id == bindparam("who"))
    .values(name=bindparam("to"), name_key=bindparam("key_to"))
)
_SET_PASSWORD = (
    update(players).where(players.c.id == bindparam("who")).values(password=bindparam("to"))
)
_BLOCK = update(players).where(players.c.id == bindparam("who")).values(blocked=bindparam("to"))
_END_OTHERS = delete(sessions).where(
    sessions.c.player == bindparam("who"), sessions.c.token != bindparam("but")
)
_END = delete(sessions).where(sessions.c.player == bindparam("who"))
_SEEN = (
    update(sessions)
    .where(sessions.c.token == bindparam("which"), sessions.c.seen < bindparam("older"))
    .values(seen=bindparam("to"))
)
_FAILED = insert(failures)
_FORGIVEN = delete(failures).where(failures.c.name_key == bindparam("who"))


class SignInError(GameError):
    """Nobody is signed in, or not with these words."""

    code = "not_signed_in"


class LockedError(GameError):
    """Too many failed attempts."""

    code = "locked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bankroll:
    """The play money a player gets, and how it is filled up again; cents."""

    start: int = 100_000
    below: int = 2_000  # who has less may ask
    times: int = 5  # in a day


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Who is signed in."""

    id: str
    name: str
    kept: bool  # has a password, so that the account outlives the session
    session: str = ""  # the hash of its token
    seen: int = 0


class Accounts:
    """The players of a database."""

    def __init__(self, store: Store, bankroll: Bankroll) -> None:
        self._store = store
        self.bankroll = bankroll
        self.blocked: set[str] = set()
        self.ended: set[str] = set()  # sessions that ended here: their sockets must not live on
        self._trying = 0
        self._hashing = asyncio.Semaphore(2)  # each hash takes 64 MiB

    # --- coming and going

    async def guest(self, name: str | None = None) -> tuple[Player, str]:
        """Open a guest's account with play money; return it and the token of its session."""
        if name is not None:
            name = await self._free_name(name)
        name = name or f"guest {secrets.randbelow(10**9):09}"
        player = Player(id=secrets.token_urlsafe(9), name=name, kept=False)
        row = {"id": player.id, "name": name, "name_key": name_key(name), "blocked": False}
        token, session = _new_session(player.id)
        unit = Unit(
            at=now(),
            entries=(self._grant("guest", player, self.bankroll.start),),
            changes=(Change(_NEW_PLAYER, row | {"created": now()}), session),
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
        return Entry(chain=CAGE, kind=kind, body=body, postings=lines, key=key)

    async def _free_name(self, name: str) -> str:
        """Return a name as it is shown; looked up first, as a refused write costs the others."""
        plain = check_name(name)
        if await self._named(name_key(plain)) is not None:
            raise _taken(name)
        return plain

    async def whose(self, token: str | None) -> Player | None:
        """Return whose session this is, if it has not run out."""
        if not token or len(token) > 100:  # noqa: PLR2004  no token of ours
            return None
        player = await self._signed_in(_hash(token))
        if player is not None and (at := now()) - player.seen > MINUTE:
            await self.note(player, at)
        return player

    async def _signed_in(self, hashed: str) -> Player | None:
        at = now()
        query = select(
            players.c.id, players.c.name, players.c.password, players.c.blocked, sessions
        ).join(sessions, sessions.c.player == players.c.id)
        async with self._store.reading() as connection:
            found = await connection.execute(query.where(sessions.c.token == hashed))
            row = found.first()
        if row is None or row.blocked or at - row.seen > IDLE or at - row.created > LONGEST:
            return None
        return _player(row, hashed, row.seen)

    async def is_open(self, player: Player) -> bool:
        """Say whether a player's session has not ended; that is no sign of the player."""
        return await self._signed_in(player.session) is not None

    async def note(self, player: Player, sign: int) -> None:
        """Note when a player gave a sign; apart, as two processes may note the same sessions."""
        row = {"which": player.session, "to": sign, "older": sign}
        await self._store.change(lambda connection: connection.execute(_SEEN, row))

    async def log_in(self, name: str, password: str, address: str) -> tuple[Player, str]:
        """Open a session by name and password; what was wrong is not told."""
        key, at = name_key(name), now()
        row = await self._named(key)
        hashed = row.password if row is not None and row.password else _DUMMY
        right = await self._try(name, hashed, password, address)
        if not right or row is None or not row.password:
            raise SignInError(WRONG)
        if row.blocked:
            raise SignInError("this account is closed: ask the house")
        token, session = _new_session(row.id)

        def come_in(connection: Connection) -> None:
            connection.execute(session.statement, session.values)
            connection.execute(_FORGIVEN, {"who": key})

        await self._store.change(come_in)
        return _player(row, _hash(token), at), token

    async def _try(self, name: str, hashed: str, password: str, address: str) -> bool:
        """Say whether a password is right; a wrong one is counted before others are tried."""
        if self._trying >= MOST_TRYING:
            raise BusyError("too many log in at once: try again in a moment")
        self._trying += 1
        try:
            async with self._hashing:
                key = name_key(name)
                if await self._failures(key, now()) >= MOST_FAILURES:
                    await self._tell("login_refused", name, address)
                    raise LockedError(TOO_MANY)
                if await asyncio.to_thread(_matches, hashed, password):
                    return True
                await self._note_failure(name, key, address)
                return False
        finally:
            self._trying -= 1

    async def _named(self, key: str) -> Any:  # noqa: ANN401  a row of the database
        query = select(players).where(players.c.name_key == key)
        async with self._store.reading() as connection:
            return (await connection.execute(query)).first()

    async def _row(self, player: str) -> Any:  # noqa: ANN401  a row of the database
        query = select(players).where(players.c.id == player)
        async with self._store.reading() as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            raise MissingError("there is no such player")
        return row

    async def _failures(self, key: str, at: int) -> int:
        recent = failures.c.at > at - LOCKED_FOR
        query = select(func.count()).where(failures.c.name_key == key, recent)
        async with self._store.reading() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def _note_failure(self, name: str, key: str, address: str) -> None:
        failed = {"name_key": key, "at": now()}
        await self._store.change(lambda connection: connection.execute(_FAILED, failed))
        await self._tell("login_failed", name, address)
        if await self._failures(key, now()) == MOST_FAILURES:
            await self._tell("locked", name, address)

    async def _tell(self, kind: str, name: str, address: str) -> None:
        """Note a significant event; what was typed as a name might be a password."""
        known = await self._named(name_key(name))
        body = {"name": known.name if known else None, "address": address}
        await self._store.write(Unit(at=now(), entries=(Entry(chain=CAGE, kind=kind, body=body),)))

    async def log_out(self, player: Player) -> None:
        query = delete(sessions).where(sessions.c.token == player.session)
        await self._store.change(lambda connection: connection.execute(query))
        self.ended.add(player.session)

    async def _sessions(self, player: str) -> set[str]:
        query = select(sessions.c.token).where(sessions.c.player == player)
        async with self._store.reading() as connection:
            return {row.token for row in await connection.execute(query)}

    async def forget(self) -> None:
        """Drop what has run out: sessions, and failed log-ins that no longer count."""
        at = now()
        old = delete(sessions).where(
            or_(sessions.c.seen < at - IDLE, sessions.c.created < at - LONGEST)
        )
        failed = delete(failures).where(failures.c.at < at - DAY)
        await self._store.change(lambda connection: connection.execute(old))
        await self._store.change(lambda connection: connection.execute(failed))
        self.ended.clear()

    # --- an account

    async def rename(self, player: Player, name: str) -> None:
        row = {"who": player.id, "to": await self._free_name(name), "key_to": name_key(name)}
        entry = self._note("renamed", player, before=player.name, after=row["to"])
        try:
            await self._store.write(
                Unit(at=now(), entries=(entry,), changes=(Change(_RENAME, row),))
            )
        except ConflictError:
            raise _taken(name) from None

    async def set_password(
        self, player: Player, password: str, old: str | None, address: str
    ) -> None:
        """Keep the account by a password; all other sessions end."""
        if len(password) not in PASSWORD:
            raise RuleError(
                f"a password has {PASSWORD.start} to {PASSWORD.stop - 1} characters,"
                f" this one {len(password)}"
            )
        if name_key(password) == name_key(player.name):
            raise RuleError("the name is no password: choose another")
        row = await self._row(player.id)
        if row.password:
            await self._check_old(player, row.password, old or "", address)
        async with self._hashing:
            hashed = await asyncio.to_thread(_hasher.hash, password)
        changes = (
            Change(_SET_PASSWORD, {"who": player.id, "to": hashed}),
            Change(_END_OTHERS, {"who": player.id, "but": player.session}),
        )
        entry = self._note("password_set", player)
        others = await self._sessions(player.id) - {player.session}
        await self._store.write(Unit(at=now(), entries=(entry,), changes=changes))
        self.ended |= others

    async def _check_old(self, player: Player, hashed: str, old: str, address: str) -> None:
        """Refuse a wrong old password; it counts as a failed log-in."""
        if not await self._try(player.name, hashed, old, address):
            raise SignInError("the old password is not right")

    async def block(self, player_id: str, *, blocked: bool) -> None:
        """Close an account or open it again; the house's business."""
        row = await self._row(player_id)
        changes = [Change(_BLOCK, {"who": player_id, "to": blocked})]
        if blocked:
            changes.append(Change(_END, {"who": player_id}))
        entry = self._note("blocked" if blocked else "unblocked", _player(row, "", 0))
        await self._store.write(Unit(at=now(), entries=(entry,), changes=(*changes,)))
        await self.look_for_blocked()

    async def look_for_blocked(self) -> None:
        """See whose accounts the house has closed, here or in another process."""
        query = select(players.c.id).where(players.c.blocked.is_(True))
        async with self._store.reading() as connection:
            self.blocked = {row.id for row in await connection.execute(query)}

    def _note(self, kind: str, player: Player, **facts: Json) -> Entry:
        body = {"player": player.id, "name": player.name} | facts
        return Entry(chain=CAGE, kind=kind, body=body)

    # --- money

    async def balance(self, player: str) -> int:
        account = player_account(player)
        return (await self._store.balances([account]))[account]

    async def refills_left(self, player: str) -> int:
        """Return how often a player may fill up in the day that ends now."""
        return self.bankroll.times - await self._refills(player, now() - DAY)

    async def _refills(self, player: str, since: int) -> int:
        query = (
            select(func.count())
            .select_from(ledger)
            .join(records, (records.c.chain == ledger.c.chain) & (records.c.seq == ledger.c.seq))
            .where(
                ledger.c.account == player_account(player),
                ledger.c.memo == "refill",
                records.c.at > since,
            )
        )
        async with self._store.reading() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def _worth(self, player: str) -> int:
        """Return what a player has and what they have on the felt, at one moment.

        On the felt is what rounds took that are not over: without it the entries add up to both.
        """
        opened = (
            select(func.max(records.c.seq))
            .where(records.c.chain == ledger.c.chain, records.c.kind == "open")
            .scalar_subquery()
        )
        query = select(func.sum(ledger.c.amount)).where(
            ledger.c.account == player_account(player),
            or_(ledger.c.chain == CAGE, ledger.c.seq <= opened),
        )
        async with self._store.reading() as connection:
            return int((await connection.execute(query)).scalar_one() or 0)

    async def refill(self, player: Player) -> int:
        """Fill a bankroll up again, if it is low and not too often; return what was added."""
        made = await self._refills(player.id, 0)  # first: one more then shows in the balance
        has = await self._worth(player.id)
        below = min(self.bankroll.below, self.bankroll.start)
        if has >= below:
            raise RuleError(
                f"your bankroll can be refilled when it is below {dollars(below)}:"
                f" you have {dollars(has)}, with what is on the felt"
            )
        if await self.refills_left(player.id) <= 0:
            times = plural(self.bankroll.times, "time")
            raise RuleError(f"a bankroll can be refilled at most {times} a day")
        amount = self.bankroll.start - has
        key = f"refill:{player.id}:{made}"  # two at once are one
        entry = self._grant("refill", player, amount, key)
        try:
            await self._store.write(Unit(at=now(), entries=(entry,)))
        except RepeatedError:
            raise RuleError("your bankroll was refilled just now") from None
        return amount


def _player(row: Any, session: str, seen: int) -> Player:  # noqa: ANN401  a row of the database
    return Player(
        id=row.id, name=row.name, kept=row.password is not None, session=session, seen=seen
    )


def _matches(hashed: str, password: str) -> bool:
    try:
        return _hasher.verify(hashed, password)
    except (Argon2Error, InvalidHashError):
        return False


def _new_session(player: str) -> tuple[str, Change]:
    token, at = secrets.token_urlsafe(32), now()
    row = {"token": _hash(token), "player": player, "created": at, "seen": at}
    return token, Change(_NEW_SESSION, row)


def _hash(token: str) -> str:
    """Return what is kept of a token: who reads the database cannot use it."""
    return hashlib.sha256(token.encode()).hexdigest()


def check_name(name: str) -> str:
    """Return a name as it is shown, or refuse it."""
    plain = _plain(name)
    if not NAME.fullmatch(plain) or INVISIBLE & set(plain):
        raise RuleError(
            f"{shown(name)} is no name here: 1 to 24 letters and digits, with spaces, points,"
            " dashes and apostrophes between them"
        )
    return plain


def _taken(name: str) -> RuleError:
    return RuleError(f"the name {shown(name)} is taken: choose another")


def check_title(name: str) -> str:
    """Return a table's name as it is shown, or refuse it."""
    plain = " ".join(unicodedata.normalize("NFKC", name).split())
    if not plain or not plain.isprintable():
        raise RuleError(f"{shown(name)} is no name of a table: letters, digits and signs")
    return plain


def name_key(name: str) -> str:
    """Return what names that read alike have in common."""
    return _plain(name).casefold()


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split())
