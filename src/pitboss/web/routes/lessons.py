"""Lessons over HTTP: practice, dealer training, worked examples, and the odds of any rules.

No account is needed. Slow work runs in threads, a few at a time. Work that takes seconds (solving
the play of rules for the first time) runs in a separate process, so that tables do not wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Query, Request

from pitboss.analysis.shipped import differences
from pitboss.core.errors import GameError, NotationError, SettingError, shown
from pitboss.games import find_game
from pitboss.tables.views import explained_view
from pitboss.training import dealer, drills, examples, odds
from pitboss.web import messages
from pitboss.web.rate_limits import address_of
from pitboss.web.settings import in_force

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pitboss.coach import Advice, Option
    from pitboss.core.protocol import Game, Settlement
    from pitboss.core.settings import Json, Rules

T = TypeVar("T")

log = logging.getLogger("pitboss.training")

AT_ONCE: Final = 2
MOST_WAITING: Final = 64
"""The maximum number of jobs that wait for a thread; further requests are rejected."""

MOST_QUEUED: Final = 16
MOST_PLAYS: Final = 256
SOLVER_TIMEOUT_S: Final = 180.0
"""The time limit of a solver."""


class SolvedPart(Protocol):
    """The ``presolved`` part of a game, whose rules take long to solve and are solved only once.

    Its package solves the rules that it reads from standard input as JSON (``python -m PACKAGE``).
    """

    Play: type[Any]

    def as_played(self, rules: Any) -> Rules:  # noqa: ANN401 the game's own rules
        """Return the rules without the settings that do not change the play."""


class BusyError(GameError):
    """Too many requests are already waiting."""

    code = "too_fast"


class UnsolvedError(Exception):
    """The solver gave no answer."""


# --- background work


class LessonWorker:
    """Runs the work of lessons: quick jobs in threads, solvers one at a time in a process."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="lessons")
        self._waiting = 0
        self._queue: dict[str, Rules] = {}  # rules to solve, by address; the newest last
        self._plays: dict[Rules, Any] = {}  # None if solving failed
        self._solving: asyncio.Task[None] | None = None

    async def work(self, job: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401 arguments of the job
        """Run a job in a thread as soon as one is free."""
        if self._waiting >= MOST_WAITING:
            raise BusyError("the server is busy with other lessons: try again in a second")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, job, *arguments)
        finally:
            self._waiting -= 1

    def known(self, rules: Rules) -> Any | None:  # noqa: ANN401 the game's own type
        """Return the play of these rules if it has been solved."""
        return self._plays.get(_as_played(rules))

    def failed(self, rules: Rules) -> bool:
        """Return whether solving the play of these rules failed."""
        key = _as_played(rules)
        return key in self._plays and self._plays[key] is None

    def request_solution(self, address: str, rules: Rules) -> None:
        """Queue rules to be solved: one request per address, the newest first."""
        self._queue.pop(address, None)
        self._queue[address] = _as_played(rules)
        if len(self._queue) > MOST_QUEUED:
            del self._queue[next(iter(self._queue))]
        if self._solving is None or self._solving.done():
            self._solving = asyncio.create_task(self._solve_queue())

    async def _solve_queue(self) -> None:
        while self._queue:
            _, rules = self._queue.popitem()
            if rules in self._plays:
                continue
            try:
                self._plays[rules] = await _solve(rules)
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


def _part(rules: Rules) -> SolvedPart:
    part: SolvedPart = rules.game.part("presolved")
    return part


def _as_played(rules: Rules) -> Rules:
    """Return *rules* without the settings that do not change the play."""
    return _part(rules).as_played(rules) if rules.game.has_part("presolved") else rules


async def _solve(rules: Rules) -> Any:  # noqa: ANN401 the game's own type
    """Solve the play of rules in a process with a lower priority than the tables."""
    pipe, part = asyncio.subprocess.PIPE, _part(rules)
    solver = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", rules.game.package), stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(SOLVER_TIMEOUT_S):
            found, said = await solver.communicate(json.dumps(differences(rules)).encode())
    finally:
        with contextlib.suppress(ProcessLookupError):
            solver.kill()
        await solver.wait()
    if solver.returncode:
        raise UnsolvedError(said.decode(errors="replace")[-500:])
    return part.Play.from_json(json.loads(found))


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    worker = app.state.lessons = LessonWorker()
    yield
    await worker.close()


def worker_of(request: Request) -> LessonWorker:
    """Return the worker of the server."""
    worker: LessonWorker = request.app.state.lessons
    return worker


WorkerDep = Annotated[LessonWorker, Depends(worker_of)]
Name = Annotated[str | None, Query(max_length=40)]

api = APIRouter(prefix="/api/v1", tags=["lessons"], lifespan=_lifespan)
chance = secrets.SystemRandom()


def _preset(game: Game, name: str) -> Rules:
    if name not in game.presets:
        known = ", ".join(game.presets)
        raise SettingError(f"{game.name} has no rules {shown(name)}: choose from {known}")
    return game.presets[name]


# --- practice


@api.get("/practice")
async def drill(
    worker: WorkerDep, game: Name = None, drill: Name = None, rules: Name = None
) -> messages.Drill | messages.Drills:
    """Return a random situation of a drill; without a game and a drill, list the drills."""
    if game is None and drill is None:
        return messages.Drills(drills=[_drill_info(of, one) for of, one in drills.all_drills()])
    if game is None or drill is None:
        raise NotationError("give both a game and a drill, or neither for a list of drills")
    of = find_game(game)
    by = _preset(of, rules or "default")
    return await worker.work(lambda: _drill(drills.ask(of, drill, by, chance)))


def _drill_info(game: Game, drill_: drills.Drill) -> messages.DrillInfo:
    return messages.DrillInfo(
        game=game.key, drill=drill_.key, title=drill_.title, trains=drill_.trains
    )


def priced(advice: Advice, option: Option) -> dict[str, Json]:
    """Return an option of the coach with its value and cost in cents."""
    return {
        "decision": str(option.decision),
        "value": option.value * advice.unit,
        "cost": (advice.best.value - option.value) * advice.unit,
        "same_as": None if option.same_as is None else str(option.same_as),
    }


def _drill(found: drills.Situation) -> messages.Drill:
    options = [
        messages.DrillOption(**priced(found.advice, option), why=found.why(option))
        for option in found.advice.options
    ]
    return messages.Drill(
        game=found.game.key,
        drill=found.drill.key,
        title=found.drill.title,
        question=found.drill.question,
        view=_view(explained_view(found.round.rules, found.round.view(found.seat))),
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
    worker: WorkerDep, game: Annotated[str, Query(max_length=40)], rules: Name = None
) -> messages.Training:
    """Return a round for the trainee to deal step by step, with every move and payment."""
    of = find_game(game)
    by = _preset(of, rules) if rules else dealer.house_rules(of, chance)
    return await worker.work(lambda: _training(dealer.train(of, by, chance)))


def _training(found: dealer.Training) -> messages.Training:
    return messages.Training(
        game=found.game.key,
        rules=found.rules.as_json(),
        digest=found.rules.digest(),
        title=found.title,
        seats=list(found.round.numbers),
        steps=[_step(found.rules, step) for step in found.steps],
    )


def _step(rules: Rules, step: dealer.Step) -> messages.TrainingStep:
    view = _view(explained_view(rules, step.view))
    match step:
        case dealer.Watch():
            return messages.WatchStep(view=view, prompt=step.prompt)
        case dealer.Move():
            return messages.DealerStep(
                view=view,
                prompt=step.prompt,
                choices=list(step.choices),
                accepts=list(step.accepts),
                why=step.why,
            )
        case dealer.Settle():
            return _settle_step(view, step)


def _settle_step(view: messages.ViewInfo, step: dealer.Settle) -> messages.SettleStep:
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
async def worked_examples(key: str, worker: WorkerDep) -> list[messages.ExampleInfo]:
    """Return an example for every clause that a round can show, played by the game."""
    game = find_game(key)
    return await worker.work(lambda: [_example(found) for found in examples.examples(game.key)])


def _example(found: examples.Example) -> messages.ExampleInfo:
    scenario, at = found.scenario, found.highlight
    view = explained_view(found.round.rules, found.view)
    for row, why in zip(view["settlements"], found.reasons(), strict=True):
        row["why"] = why
    return messages.ExampleInfo(
        rule=scenario.rule,
        title=scenario.title,
        text=scenario.text,
        view=_view(view),
        highlight=_at(at),
    )


def _at(settlement: Settlement) -> messages.BetSpot:
    return _spot(settlement.seat, settlement.bet, settlement.hand)


# --- odds


@api.post("/odds")
async def explore(body: messages.OddsRequest, worker: WorkerDep, request: Request) -> messages.Odds:
    """Compute the odds of every bet under any rules; repeat the request while bets are pending."""
    game = find_game(body.game)
    rules = game.rules.from_json(body.rules)
    found = await worker.work(odds.price, game, rules, worker.known(rules))
    missing = found.missing
    if found.pending and worker.failed(rules):
        missing = "these rules could not be solved"
    elif found.pending:
        worker.request_solution(address_of(request.scope), rules)
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
        bets=[
            messages.BetOdds.model_validate(bet, from_attributes=True, strict=False)
            for bet in found.bets
        ],
        pending=[] if missing else list(found.pending),
        missing=missing,
        default=dict(found.default),
    )
