"""What the house and its players read: figures beside theory, events, rounds, re-enactments.

Amounts are cents, moments ISO 8601. Lists come newest first, a page of ``rows`` at a time; its
``before`` asks for the page behind it, and is nothing on the last one.

The *hold* is what the house has won. Percentages are of the bets put down before the deal; doubles,
splits and insurance add to what is finally *staked*.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from concurrent.futures import Future
from csv import writer
from dataclasses import dataclass
from functools import partial
from io import StringIO
from math import sqrt
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, Unpack

from sqlalchemy import Text, cast, func, literal, select, tuple_

from pitboss.errors import NotationError, shown
from pitboss.felt import deal_from, supply
from pitboss.games import find_game
from pitboss.notation import dollars, read_journal
from pitboss.rules import read_json
from pitboss.web.chain import CAGE, canonical, player_account, table_chain
from pitboss.web.live import told
from pitboss.web.moments import iso
from pitboss.web.schema import ledger, records, results, rounds, seats, tables
from pitboss.web.store import MissingError
from pitboss.web.theory import Expected, NoTheory, Theory, known, theory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlalchemy import ColumnElement, Row, Select

    from pitboss.felt import Game, Round
    from pitboss.rules import Json, Rules
    from pitboss.web.store import Store

T = TypeVar("T")

MOST_ROWS: Final = 10_000
BATCH: Final = 1000
POINTS: Final = 100
SIGMAS: Final = 3
"""Standard errors from the expectation to the limits of a chart: 99.7 % of results lie between."""

SOLVED_AT_ONCE: Final = 8
"""The most rules that one report computes the theory for; the next report continues."""

LATER: Final = "not computed yet: ask again"


class Filters(TypedDict, total=False):
    """Which rounds or events are asked for; what is not given, or nothing, leaves none out."""

    since: int | None  # milliseconds since 1970
    until: int | None  # the same, itself not included
    table: str | None
    game: str | None
    digest: str | None  # of the rules
    status: str | None  # settled or void; of a table open or closed
    kind: str | None  # of an event
    player: str | None  # of an event


# --- performance


@dataclass(slots=True)
class _Sums:
    """Rounds added up, beside what was to be expected of them."""

    rounds: int = 0
    voids: int = 0
    initial: int = 0
    staked: int = 0
    net: int = 0
    first: int | None = None
    last: int | None = None
    # of the theory, if there is one
    mean: float = 0.0
    variance: float = 0.0
    expected: float = 0.0  # to be finally staked

    @property
    def hold(self) -> int:
        return -self.net

    @property
    def z(self) -> float | None:
        """How many standard errors the hold is above what was to be expected."""
        return (self.hold + self.mean) / sqrt(self.variance) if self.variance else None

    def add(self, row: Row[Any], rules: _Played) -> None:
        """Add rounds of one table that were bet alike."""
        times = int(row.times)
        if row.status == "void":
            self.voids += times
            return
        self.rounds += times
        initial, per = rules.of(row.stakes)
        self.initial += times * initial
        self.staked += int(row.staked)
        self.net += int(row.net)
        if per:
            self.mean += times * per.mean
            self.variance += times * per.variance
            self.expected += times * per.staked
        self.first = min(self.first or row.first, row.first)
        self.last = max(self.last or row.last, row.last)

    def as_json(self) -> dict[str, Json]:
        z = self.z
        known = z is not None
        return {
            "rounds": self.rounds,
            "voids": self.voids,
            "initial": self.initial,
            "staked": self.staked,
            "paid": self.staked + self.net,
            "hold": self.hold,
            "hold_percent": _percent(self.hold, self.initial),
            "hold_percent_of_staked": _percent(self.hold, self.staked),
            "return_percent": _percent(self.initial - self.hold, self.initial),
            "theoretical_hold": round(-self.mean) if known else None,
            "theoretical_hold_percent": _percent(-self.mean, self.initial) if known else None,
            "theoretical_hold_percent_of_staked": (
                _percent(-self.mean, self.expected) if known else None
            ),
            "theoretical_return_percent": (
                _percent(self.initial + self.mean, self.initial) if known else None
            ),
            "std_error": round(sqrt(self.variance)) if known else None,
            "z": z,
            "out_of_range": known and abs(z or 0) > SIGMAS,
            "first": _moment(self.first),
            "last": _moment(self.last),
        }


class _Played:
    """Rules in use: how often they were played, and their theory or why there is none."""

    def __init__(self, game: str, text: str) -> None:
        self.game: Game = find_game(game)
        self.rules: Rules = self.game.rules.from_json(read_json(text))
        self.rounds = 0
        self.seats = 0  # the most in one round
        self.theory: Theory | None = None
        self.reason: str | None = LATER
        self._rounds: dict[str, tuple[int, Expected | None]] = {}
        self._seats: dict[tuple[tuple[str, int], ...], int] = {}

    def count(self, rows: Iterable[Row[Any]]) -> None:
        """Count the finished rounds."""
        for row in rows:
            if row.status != "void":
                self.rounds += int(row.times)
                self.seats = max(self.seats, len(read_json(row.stakes)))

    @property
    def is_ready(self) -> bool:
        """Whether the theory of these rounds is already computed."""
        found = known(self.rules)
        return found.is_ready(self.seats) if isinstance(found, Theory) else found is not None

    @property
    def pending(self) -> bool:
        """Whether the theory is still to be computed."""
        return self.rounds > 0 and self.reason is LATER

    def compute(self) -> None:
        """Get the theory; this takes seconds if it is not ready."""
        found = known(self.rules) or theory(self.game, self.rules)
        if isinstance(found, NoTheory):
            self.reason = found.reason
        else:
            self.theory, self.reason = found, None

    def of(self, stakes: str) -> tuple[int, Expected | None]:
        """Return what seats put down before the deal, and what to expect of such a round."""
        if stakes not in self._rounds:
            seats = read_json(stakes)
            expected = self.theory.round(seats) if self.theory else None
            self._rounds[stakes] = sum(map(self._initial, seats)), expected
        return self._rounds[stakes]

    def _initial(self, seat: dict[str, int]) -> int:
        key = tuple(seat.items())
        if key not in self._seats:
            bet = self.game.place(1, seat)
            self._seats[key] = self.game.start(self.rules).apply(bet).staked
        return self._seats[key]

    def as_json(self) -> dict[str, Json]:
        about = self.theory.as_json() if self.theory else {}
        return {
            "assumes": about.get("assumes"),
            "bets": about.get("bets"),
            "no_theory": self.reason,
            "pending": self.pending,
        }


async def _in_daemon_thread(work: Callable[[], T]) -> T:
    """Run work that may take minutes; the server does not wait for it when it stops."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001  the caller gets it
            done.set_exception(error)

    Thread(target=run, daemon=True, name="pitboss-theory").start()
    return await asyncio.wrap_future(done)


async def performance(
    store: Store,
    *,
    limit: int = MOST_ROWS,
    solve: int = SOLVED_AT_ONCE,
    **wanted: Unpack[Filters],
) -> list[dict[str, Json]]:
    """Return the figures of each game and rules, then of each table, with their theory.

    Only the newest *limit* tables are listed, but the games count the rounds of all tables. At most
    *solve* theories are computed if they are not ready: with 0, the answer does not wait.
    """
    games = await _games(store, wanted)
    newest = await _newest_tables(store, wanted, limit)
    felt = await _felt(store, wanted)
    counted = await _counted(store, wanted)
    played = {row.rules_digest: _Played(row.game, row.rules) for row in games}
    by_table, by_digest = await _in_daemon_thread(partial(_added_up, counted, played, solve))
    on_felt: dict[str, int] = defaultdict(int)
    for cents, digest in felt.values():
        on_felt[digest] += cents
    return [
        _game_json(row)
        | by_digest[row.rules_digest].as_json()
        | {"felt": on_felt[row.rules_digest]}
        | played[row.rules_digest].as_json()
        for row in games
    ] + [
        _table_json(row)
        | by_table[row.id].as_json()
        | {"felt": felt.get(row.id, (0, ""))[0]}
        | played[row.rules_digest].as_json()
        for row in newest
    ]


def _added_up(
    counted: Sequence[Row[Any]], played: dict[str, _Played], solve: int
) -> tuple[dict[str, _Sums], dict[str, _Sums]]:
    """Add up rounds by table and by rules; compute theory for the most played rules first."""
    for row in counted:
        played[row.rules_digest].count([row])
    by_rounds = sorted((one for one in played.values() if one.rounds), key=lambda one: -one.rounds)
    new = [one for one in by_rounds if not one.is_ready]
    for one in by_rounds:
        if one not in new[solve:]:
            one.compute()
    tables_: dict[str, _Sums] = defaultdict(_Sums)
    digests: dict[str, _Sums] = defaultdict(_Sums)
    for row in counted:
        tables_[row.table_id].add(row, played[row.rules_digest])
        digests[row.rules_digest].add(row, played[row.rules_digest])
    return tables_, digests


def _table_json(row: Row[Any]) -> dict[str, Json]:
    return {
        "per": "table",
        "game": row.game,
        "rules_digest": row.rules_digest,
        "table": row.id,
        "name": row.name,
        "tables": 1,
        "status": "open" if row.closed is None else "closed",
        "created": iso(row.created),
        "closed": _moment(row.closed),
    }


def _game_json(row: Row[Any]) -> dict[str, Json]:
    is_open = row.number > row.closed_tables
    return {
        "per": "game",
        "game": row.game,
        "rules_digest": row.rules_digest,
        "table": None,
        "name": find_game(row.game).name,
        "tables": row.number,
        "status": "open" if is_open else "closed",
        "created": iso(row.created),
        "closed": None if is_open else _moment(row.closed),
    }


async def _newest_tables(store: Store, wanted: Filters, limit: int) -> Sequence[Row[Any]]:
    query = select(tables).where(*_of_tables(wanted))
    newest = query.order_by(tables.c.created.desc(), tables.c.id.desc())
    return await _rows(store, newest.limit(_rows_of(limit)))


async def _games(store: Store, wanted: Filters) -> Sequence[Row[Any]]:
    query = (
        select(
            tables.c.game,
            tables.c.rules_digest,
            func.min(tables.c.rules).label("rules"),
            func.count().label("number"),
            func.count(tables.c.closed).label("closed_tables"),
            func.min(tables.c.created).label("created"),
            func.max(tables.c.closed).label("closed"),
        )
        .where(*_of_tables(wanted))
        .group_by(tables.c.game, tables.c.rules_digest)
        .order_by(tables.c.game, func.min(tables.c.created), tables.c.rules_digest)
    )
    return await _rows(store, query)


async def _felt(store: Store, wanted: Filters) -> dict[str, tuple[int, str]]:
    """Return what lies on the felt of tables with a round that is on, and by which rules."""
    held = func.sum(ledger.c.amount)
    query = (
        select(tables.c.id, tables.c.rules_digest, held.label("held"))
        .join(ledger, ledger.c.account == literal("felt:") + tables.c.id)
        .where(*_of_tables(wanted))
        .group_by(tables.c.id, tables.c.rules_digest)
        .having(held != 0)
    )
    return {row.id: (int(row.held), row.rules_digest) for row in await _rows(store, query)}


async def _counted(store: Store, wanted: Filters) -> Sequence[Row[Any]]:
    """Count the rounds of each table that were bet alike."""
    by = (rounds.c.table_id, rounds.c.rules_digest, rounds.c.status, rounds.c.stakes)
    query = (
        select(
            *by,
            func.count().label("times"),
            func.sum(rounds.c.staked).label("staked"),
            func.sum(rounds.c.net).label("net"),
            func.min(rounds.c.ended).label("first"),
            func.max(rounds.c.ended).label("last"),
        )
        .where(*_of_rounds(wanted))
        .group_by(*by)
    )
    return await _rows(store, query)


# --- the control chart


async def chart(
    store: Store, *, points: int = POINTS, solve: bool = True, **wanted: Unpack[Filters]
) -> dict[str, Json]:
    """Return the growing hold and its expectation, for one table or for one game's rules.

    This is a cumulative chart. At each point the hold of a sound game lies within three standard
    errors of its expectation, from ``low`` to ``high``, with probability 99.7 %. That is true for
    each point by itself: it is likelier that any one of a hundred points lies outside. With *solve*
    false, the answer does not wait for a theory that is not computed yet.
    """
    played = await _charted(store, wanted)
    rows = await _grouped(store, wanted, max(1, min(points, POINTS)))
    line = await _in_daemon_thread(partial(_line, rows, played, solve=solve))
    outside = [place for place, point in enumerate(line) if point["out"]]
    return {
        "table": wanted.get("table"),
        "game": played.game.key,
        "rules_digest": played.rules.digest(),
        "assumes": played.theory.assumes if played.theory else None,
        "no_theory": played.reason,
        "pending": played.pending,
        "sigmas": SIGMAS,
        "rounds": line[-1]["rounds"] if line else 0,
        "points": line,
        "out_of_range": bool(outside),
        "first_out": outside[0] if outside else None,
    }


async def _charted(store: Store, wanted: Filters) -> _Played:
    if (wanted.get("table") is None) == (wanted.get("digest") is None):
        raise NotationError("a chart is of one table or of one game's rules: name either")
    query = select(tables.c.game, tables.c.rules).where(*_of_tables(wanted)).limit(1)
    rows = await _rows(store, query)
    if not rows:
        raise MissingError("there is no such table, and no table with such rules")
    return _Played(rows[0].game, rows[0].rules)


async def _grouped(store: Store, wanted: Filters, points: int) -> Sequence[Row[Any]]:
    """Group the rounds in order of time into *points*, and in each those that were bet alike."""
    order = (rounds.c.ended, rounds.c.table_id, rounds.c.number)
    place = func.ntile(points).over(order_by=order).label("place")
    settled = rounds.c.status == "settled"
    each = select(rounds, place).where(settled, *_of_rounds(wanted)).subquery()
    query = (
        select(
            each.c.place,
            each.c.status,
            each.c.stakes,
            func.count().label("times"),
            func.sum(each.c.staked).label("staked"),
            func.sum(each.c.net).label("net"),
            func.min(each.c.ended).label("first"),
            func.max(each.c.ended).label("last"),
        )
        .group_by(each.c.place, each.c.status, each.c.stakes)
        .order_by(each.c.place)
    )
    return await _rows(store, query)


def _line(rows: Sequence[Row[Any]], played: _Played, *, solve: bool) -> list[dict[str, Json]]:
    played.count(rows)
    if rows and (solve or played.is_ready):
        played.compute()
    sums, points = _Sums(), {}
    for row in rows:
        sums.add(row, played)
        points[row.place] = _point(sums)
    return list(points.values())


def _point(sums: _Sums) -> dict[str, Json]:
    """Return where the hold stands after these rounds."""
    expected, error, z = -sums.mean, sqrt(sums.variance), sums.z
    known = z is not None
    return {
        "rounds": sums.rounds,
        "ended": _moment(sums.last),
        "initial": sums.initial,
        "hold": sums.hold,
        "expected": round(expected) if known else None,
        "std_error": round(error) if known else None,
        "low": round(expected - SIGMAS * error) if known else None,
        "high": round(expected + SIGMAS * error) if known else None,
        "z": z,
        "out": known and abs(z or 0) > SIGMAS,
    }


# --- significant events

FACTS: Final = {
    *("table", "round", "seat", "game", "rules", "rules_digest", "limits", "seconds", "private"),
    *("player", "name", "creator", "by", "address", "amount", "net"),
    *("before", "after", "reason", "software", "process", "found", "expected", "z"),
}
"""What an event may show: a fact by another name is left out, whatever it is."""

SAYS: Final = {
    "table_opened": "table {name} opened: {game}",
    "table_closed": "table closed",
    "limits_changed": "limits changed to {after}; they were {before}",
    "void": "round {round} void, all bets returned: {reason}",
    "large_win": "{player} won {net} on seat {seat} in round {round}",
    "guest": "{name} came and got {amount}",
    "refill": "the bankroll of {name} was filled up by {amount}",
    "login_failed": "log-in as {name} failed, from {address}",
    "login_refused": "log-in as {name} refused while it is locked, from {address}",
    "locked": "log-in as {name} locked after failed attempts, from {address}",
    "password_set": "{name} set a password",
    "renamed": "{before} is called {after} now",
    "blocked": "the account of {name} was closed",
    "unblocked": "the account of {name} was opened again",
    "gaming_stopped": "play of {game} was stopped: {reason}",
    "gaming_open": "play of {game} was opened again: {reason}",
    "self_check_failed": "self-check failed: the program's files are not those it started with",
    "operator_refused": "a wrong operator's token, from {address}",
    "return_out_of_range": "the return of {game} is out of range: z {z}, rules {rules_digest}",
    "started": "a process of the server started: {process}",
    "stopped": "a process of the server stopped: {process}",
}


OWN_DOING: Final = {"guest", "refill", "password_set", "renamed"}
"""What players do themselves; of other events they are who it happened to."""


async def events(
    store: Store, *, limit: int = 100, before: str | None = None, **wanted: Unpack[Filters]
) -> dict[str, Json]:
    """Return the significant events."""
    query = select(records.c.seq, records.c.at, records.c.kind, records.c.body).where(
        records.c.chain == CAGE, *_between(records.c.at, wanted)
    )
    if wanted.get("kind") is not None:
        query = query.where(records.c.kind == wanted["kind"])
    for name, value in (("table", wanted.get("table")), ("player", wanted.get("player"))):
        if value is not None:
            fact = canonical({name: value})[1:-1]
            query = query.where(records.c.body.contains(fact, autoescape=True))
    if before is not None:
        query = query.where(records.c.seq < _whole(before))
    query = query.order_by(records.c.seq.desc()).limit(_rows_of(limit) + 1)
    rows, next_ = _page(await _rows(store, query), limit, "seq")
    return {"rows": [_event_json(row) for row in rows], "before": next_}


def _event_json(row: Row[Any]) -> dict[str, Json]:
    body: dict[str, Json] = read_json(row.body)
    facts = {name: value for name, value in body.items() if name in FACTS}
    who = ("by", "creator", "player") if row.kind in OWN_DOING else ("by", "creator")
    by = next((facts[name] for name in who if facts.get(name)), None)
    return {
        "seq": row.seq,
        "at": iso(row.at),
        "kind": row.kind,
        "component": f"table {facts['table']}" if "table" in facts else "server",
        "what": _what(row.kind, facts),
        "by": by,
        "facts": facts,
    }


def _what(kind: str, facts: dict[str, Json]) -> str:
    """Say what happened; what was not noted is nobody's or nothing's."""
    words: dict[str, str] = defaultdict(lambda: "(unknown)")
    for name, value in facts.items():
        if value is not None:
            words[name] = value if isinstance(value, str) else canonical(value)
    for name in ("amount", "net"):
        if isinstance(facts.get(name), int):
            words[name] = dollars(facts[name])
    if kind == "limits_changed":
        old, new = facts["before"], facts["after"]
        words["before"] = _limits_text(old, besides=new)
        words["after"] = _limits_text(new, besides=old)
    return SAYS.get(kind, kind.replace("_", " ")).format_map(words)


def _limits_text(limits: dict[str, list[int]], besides: dict[str, list[int]]) -> str:
    """Say those limits that the others do not have alike."""
    changed = (
        f"{stake} {dollars(least)} to {dollars(most)} in steps of {dollars(step)}"
        for stake, (least, most, step) in limits.items()
        if besides.get(stake) != [least, most, step]
    )
    return ", ".join(changed) or "the same"


# --- rounds


async def rounds_list(
    store: Store, *, limit: int = 100, before: str | None = None, **wanted: Unpack[Filters]
) -> dict[str, Json]:
    """Return the rounds that are over."""
    query = (
        select(rounds, tables.c.name)
        .outerjoin(tables, tables.c.id == rounds.c.table_id)
        .where(*_of_rounds(wanted), *_behind(before))
        .order_by(rounds.c.ended.desc(), rounds.c.table_id.desc(), rounds.c.number.desc())
        .limit(_rows_of(limit) + 1)
    )
    rows, next_ = _page(await _rows(store, query), limit, "ended", "table_id", "number")
    return {"rows": [_round_json(row) for row in rows], "before": next_}


def _round_json(row: Row[Any]) -> dict[str, Json]:
    return {
        "table": row.table_id,
        "name": row.name,
        "round": row.number,
        "game": row.game,
        "rules_digest": row.rules_digest,
        "status": row.status,
        "seats": len(read_json(row.stakes)),
        "staked": int(row.staked),
        "net": int(row.net),
        "opened": iso(row.opened),
        "ended": iso(row.ended),
    }


async def player_rounds(
    store: Store, player: str, *, limit: int = 100, before: str | None = None
) -> dict[str, Json]:
    """Return a player's rounds; ``balance`` is after the last move of their money in a round."""
    by = (rounds.c.table_id, rounds.c.number, rounds.c.game, rounds.c.status, rounds.c.ended)
    same = (results.c.table_id == rounds.c.table_id) & (results.c.number == rounds.c.number)
    query = (
        select(
            *by,
            rounds.c.seq,
            tables.c.name,
            func.aggregate_strings(cast(results.c.seat, Text), ",").label("seats"),
            func.sum(results.c.staked).label("staked"),
            func.sum(results.c.net).label("net"),
        )
        .select_from(results)
        .join(rounds, same)
        .outerjoin(tables, tables.c.id == rounds.c.table_id)
        .where(results.c.player == player, *_behind(before))
        .group_by(*by, rounds.c.seq, tables.c.name)
        .order_by(rounds.c.ended.desc(), rounds.c.table_id.desc(), rounds.c.number.desc())
        .limit(_rows_of(limit) + 1)
    )
    rows, next_ = _page(await _rows(store, query), limit, "ended", "table_id", "number")
    balances = await _balances(store, player, rows)
    return {
        "rows": [
            {
                "table": row.table_id,
                "name": row.name,
                "round": row.number,
                "game": row.game,
                "seats": sorted(map(int, row.seats.split(","))),
                "status": row.status,
                "staked": int(row.staked),
                "net": int(row.net),
                "balance": balances.get((row.table_id, row.number)),
                "ended": iso(row.ended),
            }
            for row in rows
        ],
        "before": next_,
    }


async def _balances(
    store: Store, player: str, rows: Sequence[Row[Any]]
) -> dict[tuple[str, int], int]:
    """Return what the player had after each round, by going back through their entries."""
    open_: dict[str, list[Row[Any]]] = defaultdict(list)  # by chain, newest last
    for row in reversed(rows):
        open_[table_chain(row.table_id)].append(row)
    found: dict[tuple[str, int], int] = {}
    account = player_account(player)
    async with store.reading() as connection:
        totals = select(func.max(ledger.c.id), func.sum(ledger.c.amount))
        last, sum_ = (await connection.execute(totals.where(ledger.c.account == account))).one()
        balance = int(sum_ or 0)
        while len(found) < len(rows):
            batch = (
                select(ledger.c.id, ledger.c.chain, ledger.c.seq, ledger.c.amount)
                .where(ledger.c.account == account, ledger.c.id <= last)
                .order_by(ledger.c.id.desc())
                .limit(BATCH)
            )
            entries = (await connection.execute(batch)).all()
            for entry in entries:
                waiting = open_[entry.chain]
                while waiting and waiting[-1].seq >= entry.seq:
                    row = waiting.pop()
                    found[row.table_id, row.number] = balance
                balance -= int(entry.amount)
                last = entry.id - 1
            if len(entries) < BATCH:
                break
    return found


# --- tables


async def tables_list(
    store: Store, *, limit: int = 100, before: str | None = None, **wanted: Unpack[Filters]
) -> dict[str, Json]:
    """Return the tables, with who sits there, what was played and what lies on the felt."""
    query = select(tables).where(*_of_tables(wanted))
    if (status := wanted.get("status")) is not None:
        query = query.where(tables.c.closed.is_(None) == (status == "open"))
    if before is not None:
        moment, _, table = before.partition(":")
        place = tuple_(tables.c.created, tables.c.id)
        query = query.where(place < tuple_(literal(_whole(moment)), literal(table)))
    query = query.order_by(tables.c.created.desc(), tables.c.id.desc()).limit(_rows_of(limit) + 1)
    rows, next_ = _page(await _rows(store, query), limit, "created", "id")
    ids = [row.id for row in rows]
    sitting = select(seats).where(seats.c.table_id.in_(ids)).order_by(seats.c.seat)
    taken: dict[str, list[Json]] = defaultdict(list)
    for row in await _rows(store, sitting):
        taken[row.table_id].append({"seat": row.seat, "name": row.name})
    ended = (
        select(rounds.c.table_id, func.count().label("times"), func.max(rounds.c.ended).label("at"))
        .where(rounds.c.table_id.in_(ids))
        .group_by(rounds.c.table_id)
    )
    played = {row.table_id: row for row in await _rows(store, ended)}
    felt = await _felt(store, wanted)
    return {
        "rows": [
            table_facts(row)
            | {
                "created": iso(row.created),
                "taken": taken[row.id],
                "rounds": int(played[row.id].times) if row.id in played else 0,
                "ended": iso(played[row.id].at) if row.id in played else None,
                "felt": felt.get(row.id, (0, ""))[0],
            }
            for row in rows
        ],
        "before": next_,
    }


async def find_table(store: Store, table: str) -> Row[Any]:
    """Return the row of a table."""
    rows = await _rows(store, select(tables).where(tables.c.id == table))
    if not rows:
        raise MissingError("there is no such table")
    return rows[0]


def table_facts(row: Row[Any]) -> dict[str, Json]:
    """Return what a table was opened with, and whether it is closed."""
    limits = read_json(row.limits)
    names = ("least", "most", "step")
    return {
        "id": row.id,
        "name": row.name,
        "game": row.game,
        "rules": read_json(row.rules),
        "rules_digest": row.rules_digest,
        "limits": {stake: dict(zip(names, limit, strict=True)) for stake, limit in limits.items()},
        "places": row.places,
        "seconds": row.seconds,
        "private": bool(row.private),
        "closed": row.closed is not None,
    }


# --- a round, step by step


async def seats_of(store: Store, table: str, number: int, player: str) -> list[int]:
    """Return the seats a player had bets on in a finished round."""
    query = select(results.c.seat).where(
        results.c.table_id == table, results.c.number == number, results.c.player == player
    )
    async with store.reading() as connection:
        return sorted((await connection.execute(query)).scalars())


def steps(record: dict[str, Json]) -> list[dict[str, Json]]:
    """Re-enact a round from its record, decision by decision in the order they were made.

    Every seat's cards lie face up, for the record. Each step is marked as part of a replay; a round
    that was void before the deal has nothing to show but its end.
    """
    found = list(_steps(record))
    view = found[-1]["view"] if found else None
    if record["status"] == "void":
        end = _step(f"void: {record['reason']}", "house", record.get("ended"), view)
    else:
        end = _step("settlements", "dealer", record["ended"], view)
    return [*found, end]


def _steps(record: dict[str, Json]) -> Iterator[dict[str, Json]]:
    if not (states := re_enacted(record)):
        return
    bets, deal, *decided = states
    yield _step("bets", "players", record["opened"], _shown(bets))
    yield _step("deal", "dealer", record["dealt"], _shown(deal))
    for made, round_ in zip(record["log"], decided, strict=True):
        seat, text = made["seat"], made["decision"]
        who = {"seat": seat, "player": record["seats"][str(seat)]["player"]}
        yield _step(f"seat {seat}: {text}", made["by"], made["at"], _shown(round_)) | who


def re_enacted(record: dict[str, Json]) -> list[Round]:
    """Return a round with its bets, with its cards, then after each decision of its log.

    A round that was void before the deal gives nothing.
    """
    if not record.get("journal"):
        return []
    journal = read_journal(canonical(record["journal"]))
    round_: Round = journal.game.start(journal.rules)
    for bet in journal.bets:
        round_ = round_.apply(bet)
    found = [round_, deal_from(journal.deck, round_)]
    for made in record["log"]:
        decision = journal.game.decision(made["seat"], made["decision"])
        found.append(supply(journal.deck, found[-1].apply(decision)))
    return found


def _shown(round_: Round) -> dict[str, Json]:
    return told(round_.rules, round_.record())


def _step(what: str, by: str, at: str | None, view: Json) -> dict[str, Json]:
    return {"replay": True, "what": what, "by": by, "at": at, "view": view}


# --- exports


def csv(rows: Iterable[dict[str, Json]], columns: Sequence[str] | None = None) -> str:
    r"""Write rows as RFC 4180 has it; text that a spreadsheet would take for a formula is quoted.

    >>> print(csv([{"name": "=1+1", "net": -500}]).replace("\r", ""), end="")
    name,net
    '=1+1,-500
    """
    rows = list(rows)
    names = list(columns or dict.fromkeys(name for row in rows for name in row))
    text = StringIO()
    out = writer(text, lineterminator="\r\n")
    if names:
        out.writerow(map(_cell, names))
    for row in rows:
        out.writerow([_cell(row.get(name)) for name in names])
    return text.getvalue()


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        is_formula = value.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
        return f"'{value}" if is_formula else value
    return canonical(value)


# --- helpers of the queries


async def _rows(store: Store, query: Select[Any]) -> Sequence[Row[Any]]:
    async with store.reading() as connection:
        found: Sequence[Row[Any]] = (await connection.execute(query)).all()
    return found


def _between(column: ColumnElement[int], wanted: Filters) -> list[ColumnElement[bool]]:
    found = []
    if (since := wanted.get("since")) is not None:
        found.append(column >= since)
    if (until := wanted.get("until")) is not None:
        found.append(column < until)
    return found


def _of_rounds(wanted: Filters) -> list[ColumnElement[bool]]:
    asked = {
        rounds.c.table_id: wanted.get("table"),
        rounds.c.game: wanted.get("game"),
        rounds.c.rules_digest: wanted.get("digest"),
        rounds.c.status: wanted.get("status"),
    }
    same = [column == value for column, value in asked.items() if value is not None]
    return [*same, *_between(rounds.c.ended, wanted)]


def _of_tables(wanted: Filters) -> list[ColumnElement[bool]]:
    asked = {
        tables.c.id: wanted.get("table"),
        tables.c.game: wanted.get("game"),
        tables.c.rules_digest: wanted.get("digest"),
    }
    return [column == value for column, value in asked.items() if value is not None]


def _rows_of(limit: int) -> int:
    return max(1, min(limit, MOST_ROWS))


def _page(
    rows: Sequence[Row[Any]], limit: int, *cursor: str
) -> tuple[Sequence[Row[Any]], str | None]:
    """Return a page of rows, of which there is one more than fits if another page follows."""
    size = _rows_of(limit)
    if len(rows) <= size:
        return rows, None
    last = rows[size - 1]
    return rows[:size], ":".join(str(getattr(last, name)) for name in cursor)


def _behind(before: str | None) -> list[ColumnElement[bool]]:
    """Return the condition for rounds behind a cursor."""
    if before is None:
        return []
    found = before.split(":")
    if len(found) != 3:  # noqa: PLR2004  moment, table, round
        raise _not_a_cursor(before)
    place = tuple_(rounds.c.ended, rounds.c.table_id, rounds.c.number)
    last = literal(_whole(found[0])), literal(found[1]), literal(_whole(found[2]))
    return [place < tuple_(*last)]


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):  # noqa: PLR2004  no moment
        raise _not_a_cursor(text)
    return int(text)


def _not_a_cursor(text: str) -> NotationError:
    return NotationError(f"{shown(text)} is no place in this list: give what 'before' gave")


def _percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None


def _moment(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else iso(milliseconds)
