"""Restores a table from its records, or voids its round if that is impossible."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, NamedTuple

from pitboss.core.errors import GameError
from pitboss.core.fairness import commitment
from pitboss.core.journal import read_journal, replay
from pitboss.dealing.keys import RequestKeys
from pitboss.ledger.clock import now
from pitboss.ledger.errors import MissingError, UnavailableError
from pitboss.ledger.projection import new_seed, unrestored_round
from pitboss.ledger.restore_queries import find_seed, last_openings, returned_bets
from pitboss.ledger.software import software
from pitboss.ledger.table_queries import finished_round
from pitboss.ledger.transaction import Unit
from pitboss.tables import live
from pitboss.tables.chain import Entry, Head, canonical
from pitboss.tables.hand import EndedRound
from pitboss.tables.names import table_handle
from pitboss.tables.round_record import NOT_RESTORED, unrestored_record

if TYPE_CHECKING:
    from pitboss.core.settings import Json
    from pitboss.ledger.store import Store
    from pitboss.tables.chain import Record
    from pitboss.tables.live import LiveTable
    from pitboss.tables.setup import Setup

log = logging.getLogger("pitboss.pit")


class RestoredTable(NamedTuple):
    """A table restored from its records, with its last record and the keys of its requests."""

    table: LiveTable
    head: Head
    keys: RequestKeys


class Restorer:
    """Restores tables, and voids a round that cannot be replayed.

    If the next round of the table cannot be replayed either, the error is raised.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._voided: set[str] = set()  # tables not restored since their round was voided

    async def restore(self, setup: Setup) -> RestoredTable:
        """Replay the records of the current round."""
        openings = await last_openings(self._store, setup.chain)
        first, *others = await self._store.records(setup.chain, after=openings[0] - 1)
        last = others[-1] if others else first
        head = Head(last.seq, last.hash)
        try:
            table = await self._replay(setup, first, others)
        except UnavailableError:
            raise
        except (GameError, ArithmeticError, LookupError, TypeError, ValueError):
            if setup.id in self._voided:  # the round that replaced it cannot be replayed either
                raise
            log.exception(
                "table %s cannot be restored: its round is voided", table_handle(setup.id)
            )
            await self._void(setup, first, others, head)
            self._voided.add(setup.id)
            return await self.restore(setup)
        self._voided.discard(setup.id)
        keys = RequestKeys(self._store, setup.chain)
        await keys.load(openings)
        return RestoredTable(table, head, keys)

    async def _replay(self, setup: Setup, first: Record, others: list[Record]) -> LiveTable:
        """Return the table after the records of its round, with a new deadline."""
        seed = await find_seed(self._store, first.facts["commitment"])
        ended = await self._round_before(setup, first.facts["round"])
        table = live.opened(setup, first.facts, seed, seq=first.seq, at=first.at, ended=ended)
        for record in others:
            table = table.after(record.kind, record.facts, seq=record.seq, at=record.at)
        return table if table.hand.deadline is None else table.with_deadline(now())

    async def _round_before(self, setup: Setup, number: int) -> EndedRound | None:
        if number == 1:
            return None
        record = await finished_round(self._store, setup.id, number - 1)
        journal = record["journal"]
        settled = journal and record["status"] == "settled"
        view = replay(read_journal(canonical(journal))).view(None) if settled else None
        return EndedRound(number=number - 1, view=view, rules=setup.rules, record=record)

    async def _void(self, setup: Setup, first: Record, others: list[Record], head: Head) -> None:
        """Void a round that cannot be replayed, and return every bet to its player."""
        at, seed = now(), secrets.token_bytes(32)
        opening = live.open_after_unrestored(setup, first, others, commitment(seed))
        body = {"reason": NOT_RESTORED, "record": await self._record(setup, first, at)}
        postings = await returned_bets(self._store, setup, first.seq)
        about = {"table": setup.id, "round": first.facts["round"], "reason": NOT_RESTORED}
        bets = {r.facts["seat"]: r.facts["player"] for r in others if r.kind == "bet"}
        unit = Unit(
            entries=(
                Entry(chain=setup.chain, kind="void", body=body, postings=postings),
                opening,
                Entry(chain=self._store.cage, kind="void", body=about),
            ),
            at=at,
            changes=(
                new_seed(setup.id, opening, seed),
                *unrestored_round(setup, first, bets, seq=head.seq + 1, at=at),
            ),
            after=head,
        )
        await self._store.write(unit)

    async def _record(self, setup: Setup, first: Record, at: int) -> dict[str, Json]:
        try:
            seed = (await find_seed(self._store, first.facts["commitment"])).hex()
        except MissingError:
            seed = None
        return unrestored_record(setup, first, seed, software=software(), ended=at)
