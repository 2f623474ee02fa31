"""Lessons over HTTP: practice, dealer training, worked examples, and the odds of any rules.

Nobody needs an account. What takes time is done in threads, a few at a time, and what takes seconds
(the play of rules that nobody has asked for yet) in a process of its own: tables do not wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Query, Request

from pitboss.analysis.played import Play, as_played, differences
from pitboss.errors import GameError, NotationError, SettingError, shown
from pitboss.games import find_game
from pitboss.games import roll_your_own as roll_game
from pitboss.lessons import examples, odds, practice, training
from pitboss.web import messages
from pitboss.web.guard import address_of
from pitboss.web.live import told
from pitboss.web.settings import in_force

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pitboss.coach import Advice, Option
    from pitboss.felt import Game, Settlement
    from pitboss.rules import Json, Rules

T = TypeVar("T")

log = logging.getLogger("pitboss.lessons")

AT_ONCE: Final = 2
MOST_WAITING: Final = 64
"""Questions that wait for a thread; who asks then is told to wait."""

MOST_WISHES: Final = 16
MOST_PLAYS: Final = 256
SECONDS: Final = 180.0
"""The longest that a solver may take."""


class BusyError(GameError):
    """Too many ask at once."""

    code = "too_fast"


class UnsolvedError(Exception):
    """The solver gave no answer."""


# --- work beside the tables


class Desk:
    """Where lessons are worked out: threads for what is quick, one solver for what is not."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="lessons")
        self._waiting = 0
        self._wishes: dict[str, roll_game.Rules] = {}  # by address, the newest last
        self._plays: dict[roll_game.Rules, Play | None] = {}  # nothing where it failed
        self._solving: asyncio.Task[None] | None = None

    async def work(self, job: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401  of the job
        """Do a job in a thread, when one is free."""
        if self._waiting >= MOST_WAITING:
            raise BusyError("many lessons are asked for just now: wait a second")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, job, *arguments)
        finally:
            self._waiting -= 1

    def known(self, rules: Rules) -> Play | None:
        """Return the play of rules if it has been solved."""
        return self._plays.get(as_played(rules)) if isinstance(rules, roll_game.Rules) else None

    def failed(self, rules: Rules) -> bool:
        """Say whether the play of rules could not be solved."""
        key = as_played(rules) if isinstance(rules, roll_game.Rules) else None
        return key in self._plays and self._plays[key] is None

    def wish(self, address: str, rules: Rules) -> None:
        """Have the play of rules solved; an address has one wish, and the newest comes first."""
        assert isinstance(rules, roll_game.Rules)  # noqa: S101  nothing else is solved
        self._wishes.pop(address, None)
        self._wishes[address] = as_played(rules)
        if len(self._wishes) > MOST_WISHES:
            del self._wishes[next(iter(self._wishes))]
        if self._solving is None or self._solving.done():
            self._solving = asyncio.create_task(self._solve_wishes())

    async def _solve_wishes(self) -> None:
        while self._wishes:
            _, rules = self._wishes.popitem()
            if rules in self._plays:
                continue
            try:
                self._plays[rules] = await _solved(rules)
            except (OSError, TimeoutError, UnsolvedError, ValueError):
                log.warning("could not solve %s", differences(rules), exc_info=True)
                self._plays[rules] = None
            for old in [*self._plays][:-MOST_PLAYS]:
                del self._plays[old]

    async def close(self) -> None:
        if self._solving:
            self._solving.cancel()
            await asyncio.gather(self._solving, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)


async def _solved(rules: roll_game.Rules) -> Play:
    """Solve the play of rules in a process that lets the tables go first."""
    pipe = asyncio.subprocess.PIPE
    solver = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pitboss.analysis"), stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(SECONDS):
            found, said = await solver.communicate(json.dumps(differences(rules)).encode())
    finally:
        with contextlib.suppress(ProcessLookupError):
            solver.kill()
        await solver.wait()
    if solver.returncode:
        raise UnsolvedError(said.decode(errors="replace")[-500:])
    return Play.from_json(json.loads(found))


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    desk = app.state.lessons = Desk()
    yield
    await desk.close()


def desk_of(request: Request) -> Desk:
    """Return the desk of the server."""
    desk: Desk = request.app.state.lessons
    return desk


DeskDep = Annotated[Desk, Depends(desk_of)]
Name = Annotated[str | None, Query(max_length=40)]

api = APIRouter(prefix="/api/v1", tags=["lessons"], lifespan=_lifespan)
chance = secrets.SystemRandom()


def _preset(game: Game, name: str) -> Rules:
    if name not in game.presets:
        known = ", ".join(game.presets)
        raise SettingError(f"no rules {shown(name)} of {game.name}: there are {known}")
    return game.presets[name]


# --- practice


@api.get("/practice")
async def drill(
    desk: DeskDep, game: Name = None, drill: Name = None, rules: Name = None
) -> messages.Drill | messages.Drills:
    """Ask a situation of a drill; without a game and a drill, list what there is."""
    if game is None and drill is None:
        return messages.Drills(drills=[_drill_info(of, one) for of, one in practice.every()])
    if game is None or drill is None:
        raise NotationError("name a game and a drill, or neither to see what there is")
    of = find_game(game)
    by = _preset(of, rules or "default")
    return await desk.work(lambda: _drill(practice.ask(of, drill, by, chance)))


def _drill_info(game: Game, drill_: practice.Drill) -> messages.DrillInfo:
    return messages.DrillInfo(
        game=game.key, drill=drill_.key, title=drill_.title, trains=drill_.trains
    )


def priced(advice: Advice, option: Option) -> dict[str, Json]:
    """Return one of the coach's options with its value and cost in cents."""
    return {
        "decision": str(option.decision),
        "value": option.value * advice.unit,
        "cost": (advice.best.value - option.value) * advice.unit,
        "same_as": None if option.same_as is None else str(option.same_as),
    }


def _drill(found: practice.Situation) -> messages.Drill:
    options = [
        messages.DrillOption(**priced(found.advice, option), why=found.why(option))
        for option in found.advice.options
    ]
    return messages.Drill(
        game=found.game.key,
        drill=found.drill.key,
        title=found.drill.title,
        question=found.drill.question,
        view=_view(told(found.round.rules, found.round.view(found.seat))),
        options=options,
        unit=found.advice.unit,
        note=found.advice.note,
        approximate=found.advice.approximate,
    )


def _view(found: dict[str, Json]) -> messages.ViewInfo:
    return messages.ViewInfo.model_validate(found)


# --- training


@api.get("/training")
async def deal_yourself(
    desk: DeskDep, game: Annotated[str, Query(max_length=40)], rules: Name = None
) -> messages.Training:
    """Deal a round to be dealt again step by step, every move and every payment asked for."""
    of = find_game(game)
    by = _preset(of, rules) if rules else training.house_rules(of, chance)
    return await desk.work(lambda: _training(training.train(of, by, chance)))


def _training(found: training.Training) -> messages.Training:
    return messages.Training(
        game=found.game.key,
        rules=found.rules.as_json(),
        digest=found.rules.digest(),
        title=found.title,
        seats=list(found.round.numbers),
        steps=[_step(found.rules, step) for step in found.steps],
    )


def _step(rules: Rules, step: training.Step) -> messages.TrainingStep:
    view = _view(told(rules, step.view))
    match step:
        case training.Watch():
            return messages.WatchStep(view=view, prompt=step.prompt)
        case training.Move():
            return messages.DealerStep(
                view=view,
                prompt=step.prompt,
                choices=list(step.choices),
                accepts=list(step.accepts),
                why=step.why,
            )
        case training.Settle():
            return _settle_step(view, step)


def _settle_step(view: messages.ViewInfo, step: training.Settle) -> messages.SettleStep:
    paid = step.settlement
    return messages.SettleStep(
        view=view,
        prompt=step.prompt,
        seat=paid.seat,
        bet=paid.bet,
        hand=paid.hand,
        stake=paid.stake,
        action=step.action,
        pays=max(paid.net, 0),
        outcome=paid.outcome,
        rule=paid.rule,
        why=step.why,
        unsettled=[_spot(*bet) for bet in step.unsettled],
        next=[_spot(*bet) for bet in step.next],
    )


def _spot(seat: int, bet: str, hand: int) -> messages.BetSpot:
    return messages.BetSpot(seat=seat, bet=bet, hand=hand)


# --- examples


@api.get("/games/{key}/examples")
async def worked_examples(key: str, desk: DeskDep) -> list[messages.ExampleInfo]:
    """Show every clause that cards can show, played by the game itself under the usual rules."""
    game = find_game(key)
    return await desk.work(lambda: [_example(found) for found in examples.examples(game.key)])


def _example(found: examples.Example) -> messages.ExampleInfo:
    shown_, at = found.shown, found.highlight
    view = told(found.round.rules, found.view)
    for row, why in zip(view["settlements"], found.reasons(), strict=True):
        row["why"] = why
    return messages.ExampleInfo(
        rule=shown_.rule,
        title=shown_.title,
        text=shown_.text,
        view=_view(view),
        highlight=_at(at),
    )


def _at(settlement: Settlement) -> messages.BetSpot:
    return _spot(settlement.seat, settlement.bet, settlement.hand)


# --- odds


@api.post("/odds")
async def explore(body: messages.OddsAsked, desk: DeskDep, request: Request) -> messages.Odds:
    """Work out every bet under any rules; bets that take seconds are pending, so ask again."""
    game = find_game(body.game)
    rules = game.rules.from_json(body.rules)
    found = await desk.work(odds.price, game, rules, desk.known(rules))
    missing = found.missing
    if found.pending and desk.failed(rules):
        missing = "these rules could not be solved here"
    elif found.pending:
        desk.wish(address_of(request.scope), rules)
    return _odds(found, missing)


def _odds(found: odds.Odds, missing: str | None) -> messages.Odds:
    return messages.Odds(
        game=found.game.key,
        rules=found.rules.as_json(),
        digest=found.rules.digest(),
        settings=in_force(found.game, found.rules),
        paytables=found.rules.paytables(),
        changed=[
            messages.ChangedSetting(name=name, value=value, default=default)
            for name, value, default in found.changed
        ],
        assumes=found.assumes,
        bets=[_bet_odds(bet) for bet in found.bets],
        pending=[] if missing else list(found.pending),
        missing=missing,
        default=dict(found.default),
    )


def _bet_odds(bet: odds.BetOdds) -> messages.BetOdds:
    facts = asdict(bet) | {"edge_percent": bet.edge_percent}
    facts["outcomes"] = list(facts["outcomes"])
    return messages.BetOdds.model_validate(facts)
