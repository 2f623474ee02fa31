"""The coach at a live table: the values of a seat's decisions, and the cost of past decisions.

Both are computed from the seat's own view at the time of the decision. They run in the threads of
the lessons, a few at a time, so that play does not wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Query

from pitboss.backoffice.replay import replayed
from pitboss.coach import advise
from pitboss.games import find_game
from pitboss.ledger.table_queries import finished_round, seats_in_round
from pitboss.tables.live import NotYoursError
from pitboss.web import messages
from pitboss.web.parameters import RoundNumber
from pitboss.web.routes.lessons import WorkerDep, priced
from pitboss.web.services import PlayerDep, ServicesDep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.core.settings import Json

BEFORE_DECISIONS: Final = 2
"""The steps of a round before its first decision: the bets and the deal."""

api = APIRouter(prefix="/api/v1", tags=["coach"])

SeatQuery = Annotated[int, Query(ge=1, le=9)]


@api.get("/tables/{table}/coach")
async def advice(
    table: str, seat: SeatQuery, player: PlayerDep, services: ServicesDep, worker: WorkerDep
) -> messages.Advice:
    """Return the value of every legal decision of one of your seats, the best first."""
    live = (await services.pit.dealer(table)).table
    holder = live.hand.owners.get(seat)
    if holder is None or holder.player != player.id:
        raise NotYoursError(f"seat {seat} is not yours: you can decide only for your own seats")
    found = await worker.work(advise, live.hand.round, seat)
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
    table: str, number: RoundNumber, player: PlayerDep, services: ServicesDep, worker: WorkerDep
) -> messages.Review:
    """Return the cost of your seats' decisions in a finished round, from their own views."""
    record = await finished_round(services.store, table, number)
    own = await seats_in_round(services.store, table, number, player.id)
    decisions = await worker.work(_priced, record, own)
    return messages.Review(
        table=table,
        round=number,
        decisions=decisions,
        cost={str(seat): sum(p.cost for p in decisions if p.seat == seat) for seat in own},
    )


def _priced(record: dict[str, Json], own: list[int]) -> list[messages.PricedDecision]:
    return list(_prices(record, own))


def _prices(record: dict[str, Json], own: list[int]) -> Iterator[messages.PricedDecision]:
    before = replayed(record)[1:-1]  # after the deal, and after every decision except the last
    for index, (made, round_) in enumerate(zip(record["log"], before, strict=True)):
        if made["seat"] not in own:
            continue
        found = advise(round_, made["seat"])
        decision = find_game(record["journal"]["game"]).decision(made["seat"], made["decision"])
        yield messages.PricedDecision(
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
