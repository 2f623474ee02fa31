"""Replays a finished round step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.journal import read_journal
from pitboss.core.protocol import deal_from, supply
from pitboss.tables.chain import canonical
from pitboss.tables.views import explained_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.core.protocol import Round
    from pitboss.core.settings import Json


def steps(record: dict[str, Json]) -> list[dict[str, Json]]:
    """Replay a round from its record, with the decisions in their original order.

    All cards are face up. Each step is marked as part of a replay. A round that was void before the
    deal has only one step, its end.
    """
    found = list(_steps(record))
    view = found[-1]["view"] if found else None
    if record["status"] == "void":
        end = _step(f"void: {record['reason']}", "house", record.get("ended"), view)
    else:
        end = _step("settlements", "dealer", record["ended"], view)
    return [*found, end]


def _steps(record: dict[str, Json]) -> Iterator[dict[str, Json]]:
    if not (states := replayed(record)):
        return
    bets, deal, *decided = states
    yield _step("bets", "players", record["opened"], _shown(bets))
    yield _step("deal", "dealer", record["dealt"], _shown(deal))
    for made, round_ in zip(record["log"], decided, strict=True):
        seat, text = made["seat"], made["decision"]
        who = {"seat": seat, "player": record["seats"][str(seat)]["player"]}
        step = _step(f"seat {seat}: {text}", made["by"], made["at"], _shown(round_))
        yield step | who | {"decision": text}


def replayed(record: dict[str, Json]) -> list[Round]:
    """Return the states of a round: after the bets, after the deal, and after each decision.

    The list is empty for a round that was void before the deal.
    """
    if not record.get("journal"):
        return []
    journal = read_journal(canonical(record["journal"]))
    round_: Round = journal.game.start(journal.rules)
    for bet in journal.bets:
        round_ = round_.apply(bet)
    found = [round_, deal_from(journal.deck, round_)]
    for made in record["log"]:
        decision = journal.game.decision(made["seat"], made["decision"])
        found.append(supply(journal.deck, found[-1].apply(decision)))
    return found


def _shown(round_: Round) -> dict[str, Json]:
    return explained_view(round_.rules, round_.record())


def _step(what: str, by: str, at: str | None, view: Json) -> dict[str, Json]:
    return {"replay": True, "what": what, "by": by, "at": at, "view": view}
