"""Descriptions of significant events."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, Unpack

from pitboss.core.journal import dollars
from pitboss.core.settings import read_json
from pitboss.ledger.report_queries import Filters, event_page
from pitboss.tables.chain import canonical
from pitboss.tables.timestamps import iso

if TYPE_CHECKING:
    from pitboss.core.settings import Json
    from pitboss.ledger.store import Row, Store

FACTS: Final = {
    *("table", "round", "seat", "game", "rules", "rules_digest", "limits", "seconds", "private"),
    *("player", "name", "creator", "by", "address", "amount", "net"),
    *("before", "after", "reason", "software", "process", "found", "expected", "z", "refused"),
}
"""The facts that an event may show; others are omitted."""

SAYS: Final = {
    "table_opened": "table {name} opened: {game}",
    "table_closed": "table closed: {reason}",
    "limits_changed": "limits changed to {after}; they were {before}",
    "void": "round {round} void, all bets returned: {reason}",
    "large_win": "{player} won {net} on seat {seat} in round {round}",
    "guest": "{name} joined as a guest and got {amount}",
    "refill": "the bankroll of {name} was refilled with {amount}",
    "login_failed": "log-in as {name} failed, from {address}",
    "login_refused": "log-in as {name} refused because it is locked, from {address}",
    "locked": "log-in as {name} locked after failed attempts, from {address}",
    "password_set": "{name} set a password",
    "renamed": "{before} changed the name to {after}",
    "blocked": "the account of {name} was closed",
    "unblocked": "the account of {name} was reopened",
    "gaming_stopped": "play of {game} was stopped: {reason}",
    "gaming_open": "play of {game} was reopened: {reason}",
    "self_check_failed": "self-check failed: the program's files have changed since it started",
    "operator_refused": "wrong operator token from {address}",
    "operator_locked": "operator tokens from {address} are rejected for a while",
    "operator_unlocked": "operator tokens from {address} are accepted again; rejected: {refused}",
    "return_out_of_range": "the return of {game} is out of range: z {z}, rules {rules_digest}",
    "started": "a server process started: {process}",
    "stopped": "a server process stopped: {process}",
}


OWN_DOING: Final = {"guest", "refill", "password_set", "renamed"}
"""Events that players cause themselves; in other events the player is the one affected."""


async def events(
    store: Store, *, limit: int = 100, before: str | None = None, **wanted: Unpack[Filters]
) -> dict[str, Json]:
    """Return a page of significant events, newest first."""
    rows, next_ = await event_page(store, wanted, limit, before)
    return {"rows": [_event_json(row) for row in rows], "before": next_}


def _event_json(row: Row) -> dict[str, Json]:
    body: dict[str, Json] = read_json(row.body)
    facts = {name: value for name, value in body.items() if name in FACTS}
    who = ("by", "creator", "player") if row.kind in OWN_DOING else ("by", "creator")
    by = next((facts[name] for name in who if facts.get(name)), None)
    return {
        "chain": row.chain,
        "seq": row.seq,
        "at": iso(row.at),
        "kind": row.kind,
        "component": f"table {facts['table']}" if "table" in facts else "server",
        "what": _what(row.kind, facts),
        "by": by,
        "facts": facts,
    }


def _what(kind: str, facts: dict[str, Json]) -> str:
    """Describe an event; missing facts appear as unknown."""
    words: dict[str, str] = defaultdict(lambda: "(unknown)")
    for name, value in facts.items():
        if value is not None:
            words[name] = value if isinstance(value, str) else canonical(value)
    if kind == "table_closed":
        words.setdefault("reason", "by the operator")
    for name in ("amount", "net"):
        if isinstance(facts.get(name), int):
            words[name] = dollars(facts[name])
    if kind == "limits_changed":
        old, new = facts["before"], facts["after"]
        words["before"] = _limits_text(old, besides=new)
        words["after"] = _limits_text(new, besides=old)
    return SAYS.get(kind, kind.replace("_", " ")).format_map(words)


def _limits_text(limits: dict[str, list[int]], besides: dict[str, list[int]]) -> str:
    """Describe the limits that differ from *besides*."""
    changed = (
        f"{stake} {dollars(least)} to {dollars(most)} in steps of {dollars(step)}"
        for stake, (least, most, step) in limits.items()
        if besides.get(stake) != [least, most, step]
    )
    return ", ".join(changed) or "the same"
