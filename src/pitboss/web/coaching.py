"""The coach at a live table: what a seat may decide is worth, and what was decided did cost.

All of it is worked out from what the seat can see, or could see then. It is done where
lessons are, in threads, a few at a time: play does not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Query

from pitboss.coach import advise
from pitboss.games import find_game
from pitboss.web import messages
from pitboss.web.lessons import DeskDep, priced
from pitboss.web.live import NotYoursError
from pitboss.web.pit import finished_round
from pitboss.web.reports import re_enacted, seats_of
from pitboss.web.rooms import PlayerDep, RoomsDep, RoundNumber

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.rules import Json

BEFORE_DECISIONS: Final = 2
"""The steps of a round before its first decision: bets and deal."""

api = APIRouter(prefix="/api/v1", tags=["coach"])

SeatQuery = Annotated[int, Query(ge=1, le=9)]


@api.get("/tables/{table}/coach")
async def advice(
    table: str, seat: SeatQuery, player: PlayerDep, rooms: RoomsDep, desk: DeskDep
) -> messages.Advice:
    """Say what every decision open to one of your seats is worth, the best first."""
    live = (await rooms.pit.dealer(table)).table
    holder = live.hand.owners.get(seat)
    if holder is None or holder.player != player.id:
        raise NotYoursError(f"seat {seat} is not yours to decide for")
    found = await desk.work(advise, live.hand.round, seat)
    return messages.Advice(
        seat=seat,
        version=live.version(player.id),
        unit=found.unit,
        note=found.note,
        approximate=found.approximate,
        options=[messages.OptionInfo(**priced(found, option)) for option in found.options],
    )


@api.get("/tables/{table}/rounds/{number}/review")
async def review(
    table: str, number: RoundNumber, player: PlayerDep, rooms: RoomsDep, desk: DeskDep
) -> messages.Review:
    """Price the decisions of your seats in a finished round, by what each could see then."""
    record = await finished_round(rooms.store, table, number)
    own = await seats_of(rooms.store, table, number, player.id)
    decisions = await desk.work(_priced, record, own)
    return messages.Review(
        table=table,
        round=number,
        decisions=decisions,
        cost={str(seat): sum(p.cost for p in decisions if p.seat == seat) for seat in own},
    )


def _priced(record: dict[str, Json], own: list[int]) -> list[messages.Priced]:
    return list(_prices(record, own))


def _prices(record: dict[str, Json], own: list[int]) -> Iterator[messages.Priced]:
    before = re_enacted(record)[1:-1]  # with the cards, and after every decision but the last
    for index, (made, round_) in enumerate(zip(record["log"], before, strict=True)):
        if made["seat"] not in own:
            continue
        found = advise(round_, made["seat"])
        decision = find_game(record["journal"]["game"]).decision(made["seat"], made["decision"])
        yield messages.Priced(
            step=BEFORE_DECISIONS + index,
            seat=made["seat"],
            decision=made["decision"],
            by=made["by"],
            best=str(found.best.decision),
            value=found.value(decision) * found.unit,
            best_value=found.best.value * found.unit,
            cost=found.cost(decision) * found.unit,
            note=found.note,
            approximate=found.approximate,
        )
