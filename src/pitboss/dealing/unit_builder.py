"""Builds one unit of the ledger from a command's entry and its consequences."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from pitboss.core.fairness import commitment
from pitboss.core.protocol import net
from pitboss.ledger.projection import new_seed, project
from pitboss.ledger.software import software
from pitboss.ledger.transaction import Unit
from pitboss.tables import live
from pitboss.tables.chain import Entry

if TYPE_CHECKING:
    from pitboss.core.settings import Json
    from pitboss.ledger.transaction import Change
    from pitboss.tables.chain import Head
    from pitboss.tables.live import LiveTable


class UnitBuilder:
    """Collects entries, the rows that they change, and significant events."""

    def __init__(self, table: LiveTable, seq: int, at: int, large_win: int, cage: str) -> None:
        self.table = self._before = table
        self.at = at
        self.entries: list[Entry] = []
        self.changes: list[Change] = []
        self.ended: list[dict[str, Json]] = []  # records of rounds
        self._events: list[Entry] = []
        self._seq = seq
        self._large_win = large_win
        self._cage = cage

    def add(self, entry: Entry) -> None:
        self._seq += 1
        self.entries.append(entry)
        self._before = self.table
        self.table = self.table.after(entry.kind, entry.body, seq=self._seq, at=self.at)
        self.changes += project(entry, self.table, seq=self._seq, at=self.at)
        self._add_events(entry)

    def follow(self) -> None:
        """Add the automatic entries: the deal, the settlement, the next round."""
        if self.table.is_ready and self.entries[-1].kind in {"bet", "sit_out", "leave"}:
            self.add(self.table.deal())
        if self.table.hand.is_settled and self.entries[-1].kind != "void":
            self.add(self.table.settle(software(), self.at))
        if self.entries[-1].kind in {"settled", "void"}:
            self._open_next()
        self.entries += self._events

    def unit(self, after: Head) -> Unit:
        """Return the unit with all entries; it must follow the table's last record *after*."""
        return Unit(entries=(*self.entries,), at=self.at, changes=(*self.changes,), after=after)

    def _open_next(self) -> None:
        seed = secrets.token_bytes(32)
        entry = self.table.open_next(commitment(seed))
        self._seq += 1
        self.entries.append(entry)
        setup, ended = self.table.setup, self.table.ended
        self.changes.append(new_seed(setup.id, entry, seed))
        self.table = live.opened(setup, entry.body, seed, seq=self._seq, at=self.at, ended=ended)

    def _add_events(self, entry: Entry) -> None:
        body = entry.body
        match entry.kind:
            case "limits":
                before = self._before.setup.limits_json
                self._add_event("limits_changed", before=before, after=body["limits"])
            case "closed":
                self._add_event("table_closed", **body)
            case "settled":
                self.ended.append(body["record"])
                self._add_large_wins()
            case "void":
                self.ended.append(body["record"])
                self._add_event("void", reason=body["reason"])

    def _add_large_wins(self) -> None:
        paid = self.table.hand.round.settlements()
        for seat, place in self.table.hand.owners.items():
            if (won := net(paid, seat)) >= self._large_win:
                self._add_event("large_win", seat=seat, player=place.name, net=won)

    def _add_event(self, kind: str, **facts: Json) -> None:
        """Record a significant event."""
        body = {"table": self.table.setup.id, "round": self.table.hand.number} | facts
        self._events.append(Entry(chain=self._cage, kind=kind, body=body))
