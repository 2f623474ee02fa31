"""The pit: the tables this process deals, each owned by a lease in the database.

A dealer takes one command at a time: it works out the table after it, has that recorded, and only
then shows it. When the database fails or somebody else has gone on with the table, the dealer is
let go, and whoever asks next finds the table as it is recorded.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

from sqlalchemy import Text, bindparam, cast, delete, exists, func, insert, or_, select, update

from pitboss.errors import GameError, RuleError
from pitboss.fairness import FORMAT, KIND, SCHEME, commitment
from pitboss.felt import net, require
from pitboss.games import find_game
from pitboss.notation import read_journal, replay
from pitboss.rules import read_json
from pitboss.web import live
from pitboss.web.absent import safe_decision
from pitboss.web.chain import (
    CAGE,
    Entry,
    Head,
    Posting,
    canonical,
    player_of,
    table_chain,
)
from pitboss.web.live import Ended, LiveTable, Setup
from pitboss.web.moments import DAY, iso
from pitboss.web.schema import ledger, records, results, rounds, seats, seeds, switches, tables
from pitboss.web.software import software
from pitboss.web.store import (
    BusyError,
    Change,
    ConflictError,
    MissingError,
    RepeatedError,
    Store,
    UnavailableError,
    Unit,
    now,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from collections.abc import Set as AbstractSet

    from sqlalchemy import Connection

    from pitboss.rules import Json
    from pitboss.web.chain import Record

log = logging.getLogger("pitboss.pit")

T = TypeVar("T")

KEYS_REMEMBERED: Final = 200
ALL_GAMES: Final = "gaming"
"""The switch of all games together; each has its own by its key."""

MOST_TABLES: Final = 200
"""That a player may open in a day."""

LARGE_WIN: Final = 100_000_00
"""From so many cents on a win is a significant event."""

_NEW_TABLE = insert(tables)
_NEW_SEED = insert(seeds)
_SIT = insert(seats)
_LEAVE = delete(seats).where(
    seats.c.table_id == bindparam("at_table"), seats.c.seat == bindparam("at_seat")
)
_AT_TABLE = update(tables).where(tables.c.id == bindparam("at_table"))
_SET_LIMITS = _AT_TABLE.values(limits=bindparam("to"))
_CLOSE = _AT_TABLE.values(closed=bindparam("to"))
_NEW_SWITCH = insert(switches).from_select(  # a game that came after the database has none yet
    ["name", "value"],
    select(cast(bindparam("which"), Text), cast(bindparam("to"), Text)).where(
        ~exists().where(switches.c.name == bindparam("which"))
    ),
)
_SWITCH = (
    update(switches).where(switches.c.name == bindparam("which")).values(value=bindparam("to"))
)
_ROUND = insert(rounds)
_RESULT = insert(results)


class ElsewhereError(GameError):
    """Another process deals this table; *address* is where."""

    code = "elsewhere"

    def __init__(self, message: str, address: str | None) -> None:
        super().__init__(message)
        self.address = address


class StaleError(GameError):
    """The table has gone on since the version that was answered."""

    code = "stale"


Command: TypeAlias = "Callable[[LiveTable], Entry]"
"""What is asked of a table: it gives the entry that records it, or refuses."""


class Viewer(Protocol):
    """Somebody who looks at a table."""

    player: str | None

    def show(self, dealer: Dealer | None = None) -> None:
        """Show the table as it is now, if this dealer deals it."""

    def lose(self, dealer: Dealer) -> None:
        """Look for the table again: this dealer deals it no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What holds for all tables of a server."""

    address: str | None = None  # where other processes send players of our tables
    lease: int = 10_000  # milliseconds
    idle_seat: int = 600_000
    large_win: int = LARGE_WIN


class Dealer:
    """One table, dealt by this process."""

    def __init__(self, pit: Pit, table: LiveTable, head: Head, keys: list[str]) -> None:
        self.table = table
        self.viewers: set[Viewer] = set()
        self.gone = False
        self._pit = pit
        self._head = head
        self._keys: OrderedDict[str, str] = OrderedDict()  # with the digest of what was asked
        for key in keys:
            self._remember(key)
        self._lock = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._set_timer()

    @property
    def has_company(self) -> bool:
        """Say whether people sit here whose seats others wait for."""
        return not self.table.is_solo and bool(self.table.places)

    @property
    def goes_on_alone(self) -> bool:
        """Say whether a round is on that a timer ends, whoever looks."""
        return not self.table.is_solo and self.table.in_action

    @property
    def is_idle(self) -> bool:
        """Say whether nobody looks at the table, sits at it, has bets at it, or asks for it now."""
        used = self.viewers or self.goes_on_alone or self.has_company or self._lock.locked()
        return not used

    async def act(
        self, command: Command, *, then: Command | None = None, key: str | None = None
    ) -> LiveTable:
        """Carry out a command, and *then* another, as one.

        A refused one changes nothing, a repeated one is not done again.
        """
        return await self._carry_through(self.take(command, then=then, key=key))

    async def take(
        self, command: Command, *, then: Command | None = None, key: str | None = None
    ) -> LiveTable:
        """Do the same for who stays until it is done, without a task of its own."""
        async with self._lock:
            self._check(key)
            await self._record([command(self.table)], key, then)
            return self.table

    async def _carry_through(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something to its end, also if who asked for it goes away meanwhile."""
        return await asyncio.shield(self._keep_task(asyncio.create_task(work)))

    def _keep_task(self, task: asyncio.Task[T]) -> asyncio.Task[T]:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _check(self, key: str | None) -> None:
        if self.gone:
            raise UnavailableError("the table is changing hands: try again")
        if key is None:
            return
        name, _, digest = key.partition("#")
        if name in self._keys and self._keys[name] != digest:
            raise StaleError("this key was used for something else: take a new one")
        if name in self._keys:
            raise RepeatedError("this was done before")

    async def void(self, reason: str, *, also_empty: bool = False) -> None:
        """Give all bets of the round back."""
        await self._carry_through(self._void(reason, also_empty=also_empty))

    async def _void(self, reason: str, *, also_empty: bool) -> None:
        async with self._lock:
            self._check(None)
            if not (self.table.in_action or also_empty):
                raise StaleError("no round is on: there is nothing to void")
            await self._record([self.table.void(reason, software(), now())], None)

    async def _record(
        self, entries: list[Entry], key: str | None, then: Command | None = None
    ) -> None:
        """Record entries and all that follows from them, as one; then show the table."""
        at = now()
        steps = _Steps(self.table, self._head.seq, at, self._pit.house.large_win)
        for entry in entries:
            steps.add(entry.asked_by(key))
        if then:
            steps.add(then(steps.table))
        steps.follow()
        unit = Unit(entries=(*steps.entries,), at=at, changes=(*steps.changes,), after=self._head)
        try:
            kept = await self._pit.store.write(unit)
        except BusyError:
            raise
        except (UnavailableError, ConflictError):
            self._pit.let_go(self)  # whether it was kept, the records will say
            raise
        last = [record for record in kept.records if record.chain == entries[0].chain][-1]
        self._head = Head(last.seq, last.hash)
        before, self.table = self.table, steps.table
        if key is not None:
            self._remember(key)
        self._pit.count(steps)
        self._set_timer()
        for viewer in list(self.viewers):  # who can see no change is not told of one
            if before.version(viewer.player) != self.table.version(viewer.player):
                viewer.show(self)
        for account in kept.balances:
            self._pit.show_to(player_of(account), but=self.viewers)

    def _remember(self, key: str) -> None:
        name, _, digest = key.partition("#")
        self._keys[name] = digest
        while len(self._keys) > KEYS_REMEMBERED:
            self._keys.popitem(last=False)

    # --- the timer

    def _set_timer(self) -> None:
        self.stop_timer()
        deadline = self.table.hand.deadline
        if deadline is None or self.gone:
            return
        wait = max(0, deadline - now()) / 1000
        self._timer = asyncio.get_running_loop().call_later(wait, self._start_time_is_up)

    def stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _start_time_is_up(self) -> None:
        self._keep_task(asyncio.create_task(self._time_is_up(self.table.hand.deadline)))

    async def _time_is_up(self, deadline: int | None) -> None:
        """Deal, or decide for everybody who has not."""
        try:
            async with self._lock:
                if not self.gone and self.table.hand.deadline == deadline:
                    await self._record(_overdue(self.table), None)
        except GameError as error:
            log.warning("the timer of table %s: %s", self.table.setup.id, error)


def _overdue(table: LiveTable) -> list[Entry]:
    if not table.hand.is_dealt:
        return [table.deal()]
    round_ = table.hand.round
    return [
        table.decide(seat, str(safe_decision(round_, seat)), player=None)
        for seat in table.waiting()
    ]


class _Steps:
    """Entries and what follows from them, with the table after each and the rows beside them."""

    def __init__(self, table: LiveTable, seq: int, at: int, large_win: int) -> None:
        self.table = self._before = table
        self.at = at
        self.entries: list[Entry] = []
        self.changes: list[Change] = []
        self.ended: list[dict[str, Json]] = []
        self._events: list[Entry] = []
        self._seq = seq
        self._large_win = large_win

    def add(self, entry: Entry) -> None:
        self._seq += 1
        self.entries.append(entry)
        self._before = self.table
        self.table = self.table.after(entry.kind, entry.body, seq=self._seq, at=self.at)
        self._change_rows(entry)

    def follow(self) -> None:
        """Add what happens by itself: the deal when all have bet, the end, the next round."""
        if self.table.is_ready and self.entries[-1].kind in {"bet", "sit_out", "leave"}:
            self.add(self.table.deal())
        hand = self.table.hand
        if hand.is_dealt and hand.round.phase == "settled" and not self._is_void:
            self.add(self.table.settle(software(), self.at))
        if self.entries[-1].kind in {"settled", "void"}:
            self._open_next()
        self.entries += self._events

    @property
    def _is_void(self) -> bool:
        return self.entries[-1].kind == "void"

    def _open_next(self) -> None:
        seed = secrets.token_bytes(32)
        entry = self.table.open_next(commitment(seed))
        self._seq += 1
        self.entries.append(entry)
        self.changes.append(seed_change(self.table.setup.id, entry.body, seed))
        self.table = live.opened(
            self.table.setup,
            entry.body,
            seed,
            seq=self._seq,
            at=self.at,
            ended=self.table.ended,
        )

    def _change_rows(self, entry: Entry) -> None:
        body, table = entry.body, self.table.setup.id
        match entry.kind:
            case "sit":
                row = {"table_id": table, "seat": body["seat"]}
                row |= {"player": body["player"], "name": body["name"]}
                self.changes.append(Change(_SIT, row))
            case "leave":
                row = {"at_table": table, "at_seat": body["seat"]}
                self.changes.append(Change(_LEAVE, row))
            case "limits":
                row = {"at_table": table, "to": canonical(body["limits"])}
                self.changes.append(Change(_SET_LIMITS, row))
                before = self._before.setup.limits_json
                self._tell("limits_changed", before=before, after=body["limits"])
            case "closed":
                self.changes.append(Change(_CLOSE, {"at_table": table, "to": self.at}))
                self._tell("table_closed")
            case "settled" | "void":
                self._end(entry)

    def _end(self, entry: Entry) -> None:
        record, hand = entry.body["record"], self.table.hand
        self.ended.append(record)
        is_void = entry.kind == "void"
        wins = {} if is_void else {s: net(hand.round.settlements(), s) for s in hand.owners}
        staked = _staked(entry, self.table)
        common = {"table_id": self.table.setup.id, "number": hand.number}
        common |= {"game": self.table.setup.game.key, "status": entry.kind, "ended": self.at}
        row = {"rules_digest": record["rules_digest"], "opened": hand.opened, "staked": staked}
        row |= {"net": sum(wins.values()), "stakes": _stakes(entry, self.table), "seq": self._seq}
        self.changes.append(Change(_ROUND, common | row))
        for seat, place in hand.owners.items():
            amounts = {"staked": self._seat_staked(seat, is_void), "net": wins.get(seat, 0)}
            row = common | {"seat": seat, "player": place.player} | amounts
            self.changes.append(Change(_RESULT, row))
            if wins.get(seat, 0) >= self._large_win:
                self._tell("large_win", seat=seat, player=place.name, net=wins[seat])
        if is_void:
            self._tell("void", reason=entry.body["reason"])

    def _seat_staked(self, seat: int, is_void: bool) -> int:  # noqa: FBT001
        if is_void:
            return 0
        return sum(s.stake for s in self.table.hand.round.settlements() if s.seat == seat)

    def _tell(self, kind: str, **facts: Json) -> None:
        """Note a significant event."""
        body = {"table": self.table.setup.id, "round": self.table.hand.number} | facts
        self._events.append(Entry(chain=CAGE, kind=kind, body=body))


def _staked(entry: Entry, table: LiveTable) -> int:
    return 0 if entry.kind == "void" else table.hand.round.staked


def _stakes(entry: Entry, table: LiveTable) -> str:
    """Write what each seat put down before the deal, alike for rounds that are bet alike."""
    placed = () if entry.kind == "void" else entry.body["record"]["journal"]["bets"]
    named = table.setup.game.stakes
    bets = [
        canonical({name: stake for name, stake in bet.items() if stake and name in named})
        for bet in placed
    ]
    return f"[{','.join(sorted(bets))}]"


def seed_change(table: str, body: Mapping[str, Json], seed: bytes) -> Change:
    row = {"commitment": body["commitment"], "table_id": table, "round": body["round"]}
    return Change(_NEW_SEED, row | {"seed": seed.hex()})


class Pit:
    """All tables of this process."""

    def __init__(self, store: Store, house: House) -> None:
        self.store = store
        self.house = house
        self.owner = secrets.token_urlsafe(9)
        self.dealers: dict[str, Dealer] = {}
        self.rounds: dict[tuple[str, str], int] = {}  # by game and how they ended
        self._opening: dict[str, asyncio.Task[Dealer]] = {}
        self._seen_empty: dict[tuple[str, int], int] = {}
        self._viewers: dict[str | None, set[Viewer]] = {}  # of each player, and who only look on
        self._given_back: set[str] = set()  # tables whose round was void and not restored since
        self._leasing = asyncio.Lock()  # a table is not given back while it is claimed
        self.healthy = True  # the program is what it was when it started
        self.stopped: set[str] = set()  # games, or all of them

    def takes_bets(self, game: str) -> bool:
        return self.healthy and not self.stopped & {ALL_GAMES, game}

    def check_open(self, game: str) -> None:
        """Refuse a bet while the house takes none."""
        if not self.takes_bets(game):
            all_stopped = ALL_GAMES in self.stopped or not self.healthy
            what = "" if all_stopped else f" at {find_game(game).name}"
            raise RuleError(f"the house takes no bets{what} now")

    async def look_at_switches(self) -> None:
        """See whether the house has stopped all play, here or in another process."""
        query = select(switches.c.name).where(switches.c.value == "stopped")
        async with self.store.reading() as connection:
            stopped = {row.name for row in await connection.execute(query)}
        if stopped != self.stopped:
            self.stopped = stopped
            self.show_all()

    async def switch(self, game: str | None, *, gaming: bool, reason: str) -> None:
        """Stop or start play, of one game or all; rounds that are on are played to their end."""
        name, value = game or ALL_GAMES, "open" if gaming else "stopped"
        entry = Entry(
            chain=CAGE, kind=f"gaming_{value}", body={"game": game or "all games", "reason": reason}
        )
        values = {"which": name, "to": value}
        changes = tuple(Change(statement, values) for statement in (_NEW_SWITCH, _SWITCH))
        await self.store.write(Unit(at=now(), entries=(entry,), changes=changes))
        await self.look_at_switches()

    # --- opening tables

    async def created(self, key: str) -> str | None:
        """Return the table that was opened by a request of this key."""
        query = select(records.c.body).where(records.c.chain == CAGE, records.c.key == key)
        async with self.store.reading() as connection:
            body = (await connection.execute(query)).scalar_one_or_none()
        return None if body is None else str(read_json(body)["table"])

    async def create(self, setup: Setup, creator: str, key: str | None) -> str:
        """Open a new table; a player opens so many a day and no more."""
        await self._check_number(creator)
        seed, at = secrets.token_bytes(32), now()
        entry = live.first_open(setup, commitment(seed))
        about = table_json(setup) | {"creator": creator, "software": software()}
        new = Entry(chain=setup.chain, kind="table", body=about)
        event = Entry(chain=CAGE, kind="table_opened", body=about, key=key)
        row = {
            "id": setup.id,
            "name": setup.name,
            "game": setup.game.key,
            "rules": canonical(setup.rules.as_json()),
            "rules_digest": setup.digest,
            "limits": canonical(setup.limits_json),
            "places": setup.rules.seats,
            "seconds": setup.seconds,
            "private": setup.private,
            "creator": creator,
            "created": at,
            "lease_until": 0,
        }
        changes = (Change(_NEW_TABLE, row), seed_change(setup.id, entry.body, seed))
        await self.store.write(Unit(entries=(new, entry, event), at=at, changes=changes))
        return setup.id

    async def _check_number(self, creator: str) -> None:
        today = tables.c.created > now() - DAY
        query = select(func.count()).where(tables.c.creator == creator, today)
        async with self.store.reading() as connection:
            number = (await connection.execute(query)).scalar_one()
        require(number < MOST_TABLES, f"a player opens at most {MOST_TABLES} tables a day")

    async def dealer(self, table: str) -> Dealer:
        """Return the dealer of a table, taking it over if nobody deals it."""
        if table in self.dealers:
            return self.dealers[table]
        if table not in self._opening:
            task = asyncio.create_task(self._take(table))
            self._opening[table] = task
            task.add_done_callback(lambda _: self._opening.pop(table, None))
        dealer = await asyncio.shield(self._opening[table])
        return dealer if not dealer.gone else await self.dealer(table)

    async def _take(self, table: str) -> Dealer:
        setup = await self._setup(table)  # a table that is not there costs no more than a look
        before = await self._claim(table)
        dealer = await self._load(setup)
        if before is not None:
            await dealer.act(lambda table: table.taken_over(before, self.owner))
        self.dealers[table] = dealer
        return dealer

    async def _claim(self, table: str) -> str | None:
        """Get the lease of a table; return whose it was, if its owner never gave it back."""
        at = now()

        def claim(connection: Connection) -> str | None:
            query = select(tables).where(tables.c.id == table).with_for_update()
            row = connection.execute(query).first()
            if row is None:
                raise MissingError("there is no such table")
            if self._is_anothers(row, at):
                raise ElsewhereError("another process deals this table", row.address)
            held = {"owner": self.owner, "address": self.house.address}
            connection.execute(
                update(tables)
                .where(tables.c.id == table)
                .values(**held, lease_until=self._until(at))
            )
            return row.owner if row.owner != self.owner else None

        async with self._leasing:
            return await self.store.change(claim)

    def _is_anothers(self, row: Any, at: int) -> bool:  # noqa: ANN401  a row of the database
        """Say whether another process deals a table; at our own address there was none but us."""
        here = self.house.address is not None and row.address == self.house.address
        return not (here or row.owner in {None, self.owner}) and row.lease_until >= at

    def _until(self, at: int) -> int:
        return at + self.house.lease

    async def _load(self, setup: Setup) -> Dealer:
        """Go through the records of the round that is on."""
        chain = setup.chain
        async with self.store.reading() as connection:
            opens = select(func.max(records.c.seq)).where(
                records.c.chain == chain, records.c.kind == "open"
            )
            start = (await connection.execute(opens)).scalar_one()
            keyed = select(records.c.key).where(
                records.c.chain == chain, records.c.key.is_not(None)
            )
            recent = keyed.order_by(records.c.seq.desc()).limit(KEYS_REMEMBERED)
            keys = [row.key for row in await connection.execute(recent)][::-1]
        first, *others = await self.store.records(chain, after=start - 1)
        last = others[-1] if others else first
        head = Head(last.seq, last.hash)
        try:
            live_table = await self._restored(setup, first, others)
        except UnavailableError:
            raise
        except (GameError, ArithmeticError, LookupError, TypeError, ValueError):
            if setup.id in self._given_back:  # the round that was opened instead is no better
                raise
            log.exception("table %s cannot go on: its round is void", setup.id)
            await self._give_back(setup, first, others, head)
            self._given_back.add(setup.id)
            return await self._load(setup)
        self._given_back.discard(setup.id)
        return Dealer(self, live_table, head, keys)

    async def _setup(self, table: str) -> Setup:
        async with self.store.reading() as connection:
            row = (await connection.execute(select(tables).where(tables.c.id == table))).first()
        if row is None:
            raise MissingError("there is no such table")
        return setup_of(row)

    async def _restored(self, setup: Setup, first: Record, others: list[Record]) -> LiveTable:
        """Return the table after the records of its round; the time to decide starts anew."""
        seed = await self._seed(first.facts["commitment"])
        ended = await self._ended_before(setup, first.facts["round"])
        table = live.opened(setup, first.facts, seed, seq=first.seq, at=first.at, ended=ended)
        for record in others:
            table = table.after(record.kind, record.facts, seq=record.seq, at=record.at)
        if table.hand.deadline is not None:
            table = table.with_deadline(now())
        return table

    async def _seed(self, commitment_: str) -> bytes:
        async with self.store.reading() as connection:
            query = select(seeds.c.seed).where(seeds.c.commitment == commitment_)
            seed = (await connection.execute(query)).scalar_one_or_none()
        if seed is None:
            raise MissingError("the seed of the round has gone")
        return bytes.fromhex(seed)

    async def _ended_before(self, setup: Setup, number: int) -> Ended | None:
        if number == 1:
            return None
        record = await finished_round(self.store, setup.id, number - 1)
        journal = record["journal"]
        settled = journal and record["status"] == "settled"
        view = replay(read_journal(canonical(journal))).view(None) if settled else None
        return Ended(number=number - 1, view=view, rules=setup.rules, record=record)

    async def _give_back(
        self, setup: Setup, first: Record, others: list[Record], head: Head
    ) -> None:
        """Void a round that cannot be restored: every bet goes back where it came from."""
        chain, number, at = setup.chain, first.facts["round"], now()
        seed = secrets.token_bytes(32)
        about = {"table": setup.id, "round": number}
        opening = live.open_behind(setup, first, others, commitment(seed))
        reason = live.NOT_RESTORED
        record = await self._unrestored(setup, first) | {"reason": reason, "ended": iso(at)}
        void = {"reason": reason, "record": record}
        lines = await self._owed(setup, first)
        row = {"table_id": setup.id, "number": number, "game": setup.game.key}
        row |= {"status": "void", "ended": at, "staked": 0, "net": 0}
        more = {"rules_digest": setup.digest, "opened": first.at, "stakes": "[]"}
        bets = {r.facts["seat"]: r.facts["player"] for r in others if r.kind == "bet"}
        unit = Unit(
            entries=(
                Entry(chain=chain, kind="void", body=void, postings=lines),
                opening,
                Entry(chain=CAGE, kind="void", body=about | {"reason": reason}),
            ),
            at=at,
            changes=(
                seed_change(setup.id, opening.body, seed),
                Change(_ROUND, row | more | {"seq": head.seq + 1}),
                *(Change(_RESULT, row | {"seat": s, "player": p}) for s, p in bets.items()),
            ),
            after=head,
        )
        await self.store.write(unit)

    async def _owed(self, setup: Setup, first: Record) -> tuple[Posting, ...]:
        """Return the postings that give back what a round took, by the ledger alone."""
        felt = setup.felt
        query = select(ledger.c.account, func.sum(ledger.c.amount)).where(
            ledger.c.chain == setup.chain,
            ledger.c.seq >= first.seq,
            ledger.c.account != felt,
        )
        async with self.store.reading() as connection:
            rows = (await connection.execute(query.group_by(ledger.c.account))).all()
        lines = [Posting(account, -int(sum_), "returned") for account, sum_ in rows if sum_]
        if lines:
            lines.append(Posting(felt, -sum(line.amount for line in lines), "returned"))
        return tuple(lines)

    async def _unrestored(self, setup: Setup, first: Record) -> dict[str, Json]:
        """Return the record of a round of which no more is known than that it was opened."""
        try:
            seed = (await self._seed(first.facts["commitment"])).hex()
        except MissingError:
            seed = None
        return {
            "format": FORMAT,
            "kind": KIND,
            "play_money": True,
            "table": setup.id,
            "round": first.facts["round"],
            "status": "void",
            "fairness": {
                "scheme": SCHEME,
                "commitment": first.facts["commitment"],
                "server_seed": seed,
                "client_seeds": {},
            },
            "rules_digest": setup.digest,
            "journal": None,
            "seats": {},
            "log": [],
            "opened": iso(first.at),
            "dealt": None,
            "software": software(),
        }

    # --- keeping them

    def let_go(self, dealer: Dealer) -> None:
        """Forget a table; it is read anew when somebody asks for it."""
        dealer.gone = True
        dealer.stop_timer()
        if self.dealers.get(dealer.table.setup.id) is dealer:
            del self.dealers[dealer.table.setup.id]
        for viewer in list(dealer.viewers):
            viewer.lose(dealer)

    def enter(self, viewer: Viewer) -> None:
        """Let somebody look at a table."""
        self._viewers.setdefault(viewer.player, set()).add(viewer)

    def leave(self, viewer: Viewer) -> None:
        others = self._viewers[viewer.player]
        others.discard(viewer)
        if not others:
            del self._viewers[viewer.player]

    def show_to(self, player: str, but: AbstractSet[Viewer] = frozenset()) -> None:
        """Show a player their tables: something else than play there has changed what they have."""
        for viewer in self._viewers.get(player, ()):
            if viewer not in but:
                viewer.show()

    def show_all(self) -> None:
        """Show all tables: the house has opened or closed them."""
        for viewers in self._viewers.values():
            for viewer in viewers:
                viewer.show()

    def count(self, steps: _Steps) -> None:
        for record in steps.ended:
            game = steps.table.setup.game.key
            self.rounds[game, record["status"]] = self.rounds.get((game, record["status"]), 0) + 1

    async def keep(self) -> None:
        """Renew the leases, take over tables whose process has died, leave those nobody needs."""
        while True:
            await asyncio.sleep(self.house.lease / 4000)
            for job in (self._renew, self._take_over, self._empty_seats, self._release_idle):
                try:
                    await job()
                except GameError as error:
                    log.warning("keeping the tables: %s", error)
                except Exception:  # who keeps no more loses every lease
                    log.exception("keeping the tables")

    async def _renew(self) -> None:
        dealt = [dealer for dealer in self.dealers.values() if not dealer.table.is_solo]
        if not dealt:
            return  # a table that waits goes to wherever its player comes
        ours = (tables.c.owner == self.owner) & tables.c.seconds.is_not(None)
        renewed = update(tables).where(ours).values(lease_until=self._until(now()))

        def renew(connection: Connection) -> set[str]:
            connection.execute(renewed)
            return {row.id for row in connection.execute(select(tables.c.id).where(ours))}

        held = await self.store.change(renew)
        for dealer in dealt:
            if dealer.table.setup.id not in held:  # we slept, and another process has it
                self.let_go(dealer)

    async def _take_over(self) -> None:
        """Go on with shared tables whose process no longer renews its lease."""
        query = select(tables.c.id).where(
            or_(tables.c.owner == self.owner, tables.c.lease_until < now()),
            tables.c.owner.is_not(None),
            tables.c.seconds.is_not(None),
        )
        async with self.store.reading() as connection:
            found = [row.id for row in await connection.execute(query)]
        for table in found:
            if table in self.dealers:
                continue
            try:
                await self.dealer(table)
                log.info("took over table %s", table)
            except (ElsewhereError, ConflictError):
                continue  # another process was faster
            except UnavailableError:
                raise
            except Exception:  # the others are not to suffer
                log.exception("table %s cannot be dealt", table)

    async def _empty_seats(self) -> None:
        """Free the seats of players who are long gone."""
        at, seen = now(), {}
        for dealer in list(self.dealers.values()):
            here = {viewer.player for viewer in dealer.viewers}
            for seat, place in dealer.table.places.items():
                if place.player in here:
                    continue
                key = dealer.table.setup.id, seat
                seen[key] = self._seen_empty.get(key, at)
                if at - seen[key] > self.house.idle_seat:
                    await dealer.act(_leaving(place.player, seat))
                    del seen[key]
        self._seen_empty = seen

    async def _release_idle(self) -> None:
        """Give tables back that nobody looks at, sits at, or has bets at."""
        if any(dealer.is_idle for dealer in self.dealers.values()):
            await self._release(lambda dealer: dealer.is_idle)

    async def _release(self, wanted: Callable[[Dealer], bool]) -> None:
        """Give tables back; who comes while we wait for our turn keeps theirs."""
        async with self._leasing:
            dealers = [dealer for dealer in self.dealers.values() if wanted(dealer)]
            for dealer in dealers:
                self.let_go(dealer)
            await self.store.change(self._giving_back(dealers))

    def _giving_back(self, dealers: list[Dealer]) -> Callable[[Connection], None]:
        names = [dealer.table.setup.id for dealer in dealers]
        on = [dealer.table.setup.id for dealer in dealers if dealer.goes_on_alone]
        ours = update(tables).where(tables.c.owner == self.owner, tables.c.id.in_(names))
        released = ours.where(tables.c.id.not_in(on)).values(owner=None, address=None)

        def release(connection: Connection) -> None:
            connection.execute(ours.values(lease_until=0))
            connection.execute(released)  # the others are taken over without being asked for

        return release

    async def begin_anew(self, reason: str) -> None:
        """Void the round of every table, also without bets: its seed may be known.

        Whoever held a table when the copy was made does not hold the copy. A table that cannot be
        begun anew stops the start: its seed must never be used, also not by a later program.
        """
        free = update(tables).values(owner=None, address=None, lease_until=0)
        await self.store.change(lambda connection: connection.execute(free))
        async with self.store.reading() as connection:
            names = [row.id for row in await connection.execute(select(tables.c.id))]
        for name in names:
            try:
                dealer = await self.dealer(name)
                await dealer.void(reason, also_empty=True)
            except Exception:
                log.error("table %s cannot be begun anew", name)  # noqa: TRY400  it is raised
                raise

    async def close(self) -> None:
        """Give all tables back: another process may go on with them at once."""
        await self._release(lambda _: True)


def _leaving(player: str, seat: int) -> Command:
    return lambda table: table.leave(player, seat)


def table_json(setup: Setup) -> dict[str, Json]:
    return {
        "table": setup.id,
        "name": setup.name,
        "game": setup.game.key,
        "rules": setup.rules.as_json(),
        "rules_digest": setup.digest,
        "limits": setup.limits_json,
        "seconds": setup.seconds,
        "private": setup.private,
    }


def setup_of(row: Any) -> Setup:  # noqa: ANN401  a row of the database
    game = find_game(row.game)
    return Setup(
        id=row.id,
        name=row.name,
        game=game,
        rules=game.rules.from_json(read_json(row.rules)),
        limits=live.read_limits_json(read_json(row.limits)),
        seconds=row.seconds,
        private=row.private,
    )


async def finished_round(store: Store, table: str, number: int) -> dict[str, Json]:
    """Return the record of a round that is over."""
    query = (
        select(records.c.body)
        .join(rounds, (rounds.c.seq == records.c.seq))
        .where(
            rounds.c.table_id == table,
            rounds.c.number == number,
            records.c.chain == table_chain(table),
            or_(records.c.kind == "settled", records.c.kind == "void"),
        )
    )
    async with store.reading() as connection:
        body = (await connection.execute(query)).scalar_one_or_none()
    if body is None:
        raise MissingError(f"round {number} of this table is not over, or there is none")
    record: dict[str, Json] = read_json(body)["record"]
    return record
