"""The projection of a table's entries: the rows that they change, except records and postings.

The audit computes these rows from the records with separate code (`backoffice/audit_tables.py`),
so that it finds errors made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, insert, update

from pitboss.core.protocol import net
from pitboss.ledger.schema import results, rounds, seats, seeds, tables
from pitboss.ledger.transaction import Change
from pitboss.tables.chain import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.settings import Json
    from pitboss.tables.chain import Entry, Record
    from pitboss.tables.live import LiveTable
    from pitboss.tables.setup import Setup

_NEW_TABLE = insert(tables)
_NEW_SEED = insert(seeds)
_SIT = insert(seats)
_LEAVE = delete(seats).where(
    seats.c.table_id == bindparam("at_table"), seats.c.seat == bindparam("at_seat")
)
_AT_TABLE = update(tables).where(tables.c.id == bindparam("at_table"))
_SET_LIMITS = _AT_TABLE.values(limits=bindparam("to"))
_CLOSE = _AT_TABLE.values(closed=bindparam("to"))
_ROUND = insert(rounds)
_RESULT = insert(results)


def project(entry: Entry, table: LiveTable, *, seq: int, at: int) -> list[Change]:
    """Return the changes for an entry, given the table after it and its record number."""
    body, id_ = entry.body, table.setup.id
    match entry.kind:
        case "sit":
            row = {"table_id": id_, "seat": body["seat"]}
            return [Change(_SIT, row | {"player": body["player"], "name": body["name"]})]
        case "leave":
            return [Change(_LEAVE, {"at_table": id_, "at_seat": body["seat"]})]
        case "limits":
            return [Change(_SET_LIMITS, {"at_table": id_, "to": canonical(body["limits"])})]
        case "closed":
            return [Change(_CLOSE, {"at_table": id_, "to": at})]
        case "settled" | "void":
            return _ended_round(entry, table, seq, at)
        case _:
            return []


def _ended_round(entry: Entry, table: LiveTable, seq: int, at: int) -> list[Change]:
    hand, is_void = table.hand, entry.kind == "void"
    paid = () if is_void else hand.round.settlements()
    shared = _shared_columns(table.setup, hand.number, entry.kind, at)
    row = {
        "rules_digest": table.setup.digest,
        "opened": hand.opened,
        "staked": 0 if is_void else hand.round.staked,
        "net": sum(s.net for s in paid),
        "stakes": "[]" if is_void else _stakes(entry, table),
        "seq": seq,
    }
    found = [Change(_ROUND, shared | row)]
    for seat, place in hand.owners.items():
        staked = sum(s.stake for s in paid if s.seat == seat)
        amounts = {"staked": staked, "net": net(paid, seat)}
        row = shared | {"seat": seat, "player": place.player} | amounts
        found.append(Change(_RESULT, row))
    return found


def unrestored_round(
    setup: Setup, opening: Record, bets: Mapping[int, str], *, seq: int, at: int
) -> list[Change]:
    """Return the changes for a void round that was not restored; *bets* maps seat to player."""
    shared = _shared_columns(setup, opening.facts["round"], "void", at) | {"staked": 0, "net": 0}
    more = {"rules_digest": setup.digest, "opened": opening.at, "stakes": "[]", "seq": seq}
    return [
        Change(_ROUND, shared | more),
        *(Change(_RESULT, shared | {"seat": s, "player": p}) for s, p in bets.items()),
    ]


def _shared_columns(setup: Setup, number: int, status: str, at: int) -> dict[str, Json]:
    """Return the columns that rounds and results have in common."""
    about = {"table_id": setup.id, "number": number, "game": setup.game.key}
    return about | {"status": status, "ended": at}


def _stakes(entry: Entry, table: LiveTable) -> str:
    """Render the seats' bets before the deal; rounds with equal bets have the same text."""
    named = table.setup.game.stakes
    bets = [
        canonical({name: stake for name, stake in bet.items() if stake and name in named})
        for bet in entry.body["record"]["journal"]["bets"]
    ]
    return f"[{','.join(sorted(bets))}]"


def new_seed(table: str, opening: Entry, seed: bytes) -> Change:
    """Return the change that stores the seed to which an *opening* entry commits."""
    body = opening.body
    row = {"commitment": body["commitment"], "table_id": table, "round": body["round"]}
    return Change(_NEW_SEED, row | {"seed": seed.hex()})


def new_table(setup: Setup, creator: str, at: int) -> Change:
    """Return the change that inserts a new table."""
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
        "used": at,
    }
    return Change(_NEW_TABLE, row)
