"""The coach at a live table: what a seat may decide is worth, and what was decided did cost.

All of it is worked out from what the seat can see, or could see then. It is done in threads of its
own, a few at a time: play does not wait for it.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query

from pitboss.coach import advise
from pitboss.games import find_game
from pitboss.web import messages
from pitboss.web.live import NotYoursError
from pitboss.web.pit import finished_round
from pitboss.web.reports import re_enacted, seats_of
from pitboss.web.rooms import PlayerDep, RoomsDep, RoundNumber

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from pitboss import coach
    from pitboss.rules import Json

    T = TypeVar("T")

AT_ONCE: Final = 2
BEFORE_DECISIONS: Final = 2
"""The steps of a round before its first decision: bets and deal."""

_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="coach")

api = APIRouter(prefix="/api/v1", tags=["coach"])

SeatQuery = Annotated[int, Query(ge=1, le=9)]


@api.get("/tables/{table}/coach")
async def advice(
    table: str, seat: SeatQuery, player: PlayerDep, rooms: RoomsDep
) -> messages.Advice:
    """Say what every decision open to one of your seats is worth, the best first."""
    live = (await rooms.pit.dealer(table)).table
    holder = live.hand.owners.get(seat)
    if holder is None or holder.player != player.id:
        raise NotYoursError(f"seat {seat} is not yours to decide for")
    found = await _in_thread(advise, live.hand.round, seat)
    return messages.Advice(
        seat=seat,
        version=live.version(player.id),
        unit=found.unit,
        note=found.note,
        approximate=found.approximate,
        options=[_option(found, option) for option in found.options],
    )


def _option(found: coach.Advice, option: coach.Option) -> messages.OptionInfo:
    cost = found.best.value - option.value
    return messages.OptionInfo(
        decision=str(option.decision), value=option.value * found.unit, cost=cost * found.unit
    )


@api.get("/tables/{table}/rounds/{number}/review")
async def review(
    table: str, number: RoundNumber, player: PlayerDep, rooms: RoomsDep
) -> messages.Review:
    """Price the decisions of your seats in a finished round, by what each could see then."""
    record = await finished_round(rooms.store, table, number)
    own = await seats_of(rooms.store, table, number, player.id)
    priced = await _in_thread(_priced, record, own)
    return messages.Review(
        table=table,
        round=number,
        decisions=priced,
        cost={str(seat): sum(p.cost for p in priced if p.seat == seat) for seat in own},
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
            yours=True,
        )


async def _in_thread(work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401  of the work
    return await asyncio.get_running_loop().run_in_executor(_threads, work, *arguments)
