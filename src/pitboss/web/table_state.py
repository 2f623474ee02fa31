"""The state of a table as one client may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_core import to_json

from pitboss.core.fairness import SCHEME
from pitboss.core.journal import dollars
from pitboss.ledger.clock import now
from pitboss.tables.views import explained_view
from pitboss.web import messages

if TYPE_CHECKING:
    from pitboss.core.settings import Json
    from pitboss.tables.hand import EndedRound
    from pitboss.tables.live import LiveTable
    from pitboss.web.accounts import Player


def state_of(
    table: LiveTable, who: Player | None, balance: int, done: list[str]
) -> dict[str, Json]:
    """Return the table as a player or a spectator may see it."""
    player = who.id if who else None
    own = table.seats_of(player)
    hand = table.hand
    rules, seated = hand.round.rules, [seat for seat in own if seat in hand.round.numbers]
    views = [explained_view(rules, hand.round.view(seat)) for seat in seated] or [table.public_json]
    not_offered = _withhold(table, views, balance) if hand.is_dealt else []
    left = None if hand.deadline is None else max(0, hand.deadline - now())
    return {
        "v": messages.VERSION,
        "type": "state",
        "play_money": True,
        "table": table.setup.id,
        "version": table.version(player),
        "done": done,
        "closed": table.closed,
        "limits": table.setup.named_limits,
        "places": [
            {
                "seat": seat,
                "name": place.name,
                "yours": place.player == player,
                "out": place.out,
                "has_bet": seat in hand.staked,
                "client_seed": place.seed if player and place.player == player else None,
            }
            for seat, place in sorted(table.places.items())
        ],
        "round": {
            "number": hand.number,
            "scheme": SCHEME,
            "commitment": hand.commitment,
            "phase": hand.round.phase.value,
            "staked": {str(seat): cents for seat, cents in hand.staked.items()},
            "left_ms": left,
        },
        "views": views,
        "not_offered": not_offered,
        "log": [
            {"seat": m.seat, "decision": m.decision, "by": m.by} for m in table.log_for(player)
        ],
        "last": table.ended and table.ended.message,
        "you": {"name": who.name, "balance": balance, "seats": own} if who else None,
    }


def state_text(state: dict[str, Json], ended: EndedRound | None) -> str:
    """Render a state as JSON; the text of the previous round is cached."""
    del state["last"]
    you = to_json(state.pop("you")).decode()
    last = ended.text if ended else "null"
    return f'{to_json(state).decode()[:-1]},"last":{last},"you":{you}}}'


def _withhold(table: LiveTable, views: list[dict[str, Json]], balance: int) -> list[Json]:
    """Remove decisions that the bankroll does not cover from the views; return the reasons."""
    found: list[Json] = []
    largest_raise = table.setup.game.largest_raise
    for view in views:
        seat = view["seat"]
        if seat is None or balance >= largest_raise * table.hand.staked[seat]:
            continue  # every decision is covered
        for text in list(view["legal"]):
            price = table.price(seat, text)
            if price > balance:
                view["legal"].remove(text)
                reason = f"this takes {dollars(price)}, but your bankroll is {dollars(balance)}"
                found.append({"seat": seat, "decision": text, "reason": reason})
    return found
