"""The record of a round: everything that `pitboss verify` needs to check it.

Only this module defines the record's format. The audit replays a round from the table's records,
calls the same functions, and compares the result with the recorded text. `pitboss verify` checks
the record independently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.fairness import FORMAT, KIND, SCHEME
from pitboss.core.journal import write_journal
from pitboss.tables.timestamps import iso

if TYPE_CHECKING:
    from pitboss.core.settings import Json
    from pitboss.tables.chain import Record
    from pitboss.tables.hand import Hand
    from pitboss.tables.setup import Setup

NOT_RESTORED = "the round could not be restored"
"""The reason given for a void round whose records cannot be replayed."""


def round_record(
    setup: Setup, hand: Hand, status: str, *, software: Json, ended: int
) -> dict[str, Json]:
    """Return the record of a round that is settled or void."""
    journal = write_journal(setup.game, hand.round, hand.deck) if hand.is_dealt else None
    if journal and status == "void":
        journal = {k: v for k, v in journal.items() if k not in {"settlements", "net"}}
    return {
        **_opening(setup, hand.number, status),
        "fairness": {
            "scheme": SCHEME,
            "commitment": hand.commitment,
            "server_seed": hand.seed.hex(),
            "client_seeds": {str(seat): seed for seat, seed in hand.client_seeds.items()},
        },
        "rules_digest": setup.digest,
        "journal": journal,
        "seats": {str(seat): {"player": p.name} for seat, p in sorted(hand.owners.items())},
        "omitted": [
            {"seat": one.seat, "player": one.place.name, "why": str(one.why)}
            for one in hand.omitted
        ],
        "refused": [*hand.refused],
        "log": [
            {"seat": m.seat, "decision": m.decision, "by": m.by, "at": iso(m.at)} for m in hand.log
        ],
        "opened": iso(hand.opened),
        "dealt": None if hand.dealt is None else iso(hand.dealt),
        "ended": iso(ended),
        "software": software,
    }


def unrestored_record(
    setup: Setup, opening: Record, seed: str | None, *, software: Json, ended: int
) -> dict[str, Json]:
    """Return the record of a void round when only its *opening* is known.

    It includes the *seed* if that was found.
    """
    fairness = {"commitment": opening.facts["commitment"], "server_seed": seed, "client_seeds": {}}
    return {
        **_opening(setup, opening.facts["round"], "void"),
        "reason": NOT_RESTORED,
        "fairness": {"scheme": SCHEME} | fairness,
        "rules_digest": setup.digest,
        "journal": None,
        "seats": {},
        "log": [],
        "opened": iso(opening.at),
        "dealt": None,
        "ended": iso(ended),
        "software": software,
    }


def _opening(setup: Setup, number: int, status: str) -> dict[str, Json]:
    return {
        "format": FORMAT,
        "kind": KIND,
        "play_money": True,
        "table": setup.id,
        "round": number,
        "status": status,
    }
