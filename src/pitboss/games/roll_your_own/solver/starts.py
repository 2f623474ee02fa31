"""Solve Roll Your Own Blackjack from the deal: every way to set three cards, or the whole game."""

from __future__ import annotations

import os
import time
from collections import Counter
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, prod
from operator import index
from threading import Event, Lock
from typing import TYPE_CHECKING, TypeAlias

from pitboss.core.errors import plural, shown
from pitboss.games.roll_your_own import GAME, HoleCard, OneCard, Rules, RunOut, Soft17
from pitboss.games.roll_your_own.rules import PACK
from pitboss.solver.engine import (
    Engine,
    Expected,
    Hand,
    Play,
    SolverError,
    default_limit,
)
from pitboss.solver.tables import ACE, DECK, TEN, VALUES, Values, completing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own.solver.checkpoint import Checkpoint

Start: TypeAlias = tuple[int, Values]  # the up card and the player's three values, in order

DOUBLE_BLACKJACKS = ((ACE, ACE, TEN), (ACE, TEN, TEN))
MOST_ENTRIES = 1 << 22
"""The maximum number of values of later hands that an engine keeps from one start to the next."""


SHORT_S = 30.0
"""No cost estimate is shown for a solution that takes fewer seconds than this."""


class Memory(StrEnum):
    """The seen cards that the player takes into account."""

    NONE = "none"
    HAND = "hand"
    FULL = "full"


COSTS: dict[Memory, dict[int, tuple[float, float, int]]] = {
    Memory.HAND: {1: (0.1, 1, 1), 2: (1, 6, 1), 3: (3, 25, 4), 4: (4, 70, 4)},
    Memory.FULL: {1: (3, 15, 2), 2: (30, 300, 9), 3: (60, 1500, 40), 4: (90, 5000, 60)},
}
"""By splits: the core seconds of an easy and of a hard start, and the memory in GiB."""


@dataclass(frozen=True, slots=True)
class Way:
    """Three cards set on the two bets, in the order of play, and the value of this setting."""

    first: Hand
    second: Hand
    ev: float
    doubles: float = 0.0
    splits: float = 0.0
    blackjacks: float = 0.0


@dataclass(frozen=True, slots=True)
class Solution:
    """Every way to set three cards against an up card, best first; empty for a double blackjack."""

    up: int
    own: Values
    ev: float
    ways: tuple[Way, ...]

    @property
    def best(self) -> Way:
        if not self.ways:
            raise SolverError("a double blackjack is paid at once: there is nothing to set (7i)")
        return self.ways[0]


def play_of(rules: Rules) -> Play:
    """Return the settings for the legal plays of a hand."""
    return Play(
        max_splits=rules.max_splits,
        double_after_split=rules.double_after_split,
        resplit_aces=rules.resplit_aces,
        pays=float(rules.blackjack_pays.on(1)),
    )


class Solver:
    """Solves the starts of a game with given rules, player's memory and deck."""

    def __init__(
        self,
        rules: Rules,
        memory: Memory = Memory.NONE,
        *,
        deck: Values = DECK,
        limit: int | None = None,
    ) -> None:
        if not isinstance(rules, Rules):
            raise SolverError(f"{shown(rules)} is not valid as rules of {GAME.key}")
        if len(deck) != len(DECK) or any(n > most for n, most in zip(deck, DECK, strict=True)):
            raise SolverError(
                "a deck must be ten card counts, ace to ten, each at most that of one deck"
            )
        self.rules, self.memory, self.deck, self._limit = rules, memory, deck, limit
        self._engines: dict[int, Engine] = {}

    @property
    def peeks(self) -> bool:
        return self.rules.hole_card is HoleCard.PEEK

    @cached_property
    def play(self) -> Play:
        return play_of(self.rules)

    def engine(self, up: int) -> Engine:
        """Return the engine of an up card, which is cached for the next start."""
        if up not in self._engines:
            self._engines[up] = Engine(
                up,
                peeks=self.peeks,
                hits_soft_17=self.rules.soft_17 is Soft17.HIT,
                deck=self.deck,
                run_out=1.0 if self.rules.run_out is RunOut.WIN else 0.0,
                limit=self._limit,
            )
        return self._engines[up]

    def forget(self, up: int) -> int:
        """Drop the cached values of an up card and return their number."""
        return self._engines.pop(up).states if up in self._engines else 0

    # --- one start

    def solve(self, up: int, own: Sequence[int]) -> Solution:
        """Return every way to set *own* against *up*, best first."""
        try:
            up, own = index(up), tuple(sorted(map(index, own)))
        except TypeError:  # cards instead of their values
            own = ()
        if len(own) != PACK or not {up, *own} <= {*VALUES}:
            raise SolverError("a start must be an up card and three cards, each a value of 1 to 10")
        if min(self.unseen((*own, up))[0]) < 0:
            raise SolverError("the deck does not contain all of these cards")
        return self.solve_all(up, [own])[0]

    def solve_all(self, up: int, starts: Sequence[Values]) -> list[Solution]:
        """Return the solution of each start; shared values are computed once."""
        ways = [(own, way) for own in starts for way in ways_to_set(own)]
        played = dict(zip(ways, self._values(up, ways), strict=True))
        return [self._solution(up, own, played) for own in starts]

    def _solution(
        self, up: int, own: Values, played: dict[tuple[Values, tuple[Hand, Hand]], Expected]
    ) -> Solution:
        if own in DOUBLE_BLACKJACKS:  # rule 7i
            return Solution(up, own, 2 * self.play.pays, ())
        left, cards = self.unseen((*own, up))
        barred = completing(up) if self.peeks else 0
        found = left[barred - 1] / cards if barred else 0.0
        ways = []
        for first, second in ways_to_set(own):
            brings = played[own, (first, second)]
            ended = self._ended(first, left, barred) + self._ended(second, left, barred)
            ways.append(
                Way(
                    first,
                    second,
                    found * ended.value + (1 - found) * brings.value,
                    (1 - found) * brings.doubles,
                    (1 - found) * brings.splits,
                    found * ended.blackjacks + (1 - found) * brings.blackjacks,
                )
            )
        ways.sort(key=lambda way: -way.ev)
        return Solution(up, own, ways[0].ev, tuple(ways))

    def _values(self, up: int, ways: Sequence[tuple[Values, tuple[Hand, Hand]]]) -> list[Expected]:
        """Return the expected results of each way; after a peek, given no dealer blackjack."""
        engine = self.engine(up)
        if self.memory is Memory.FULL:
            return [Expected(value) for value in engine.values(ways, self.play)]
        alone = {(own, hand) for own, way in ways for hand in way}
        if self.memory is Memory.NONE:
            each = {(own, hand): engine.expected(own, hand, self.play) for own, hand in alone}
        else:
            asked = sorted(alone)
            values = engine.values([(own, (hand,)) for own, hand in asked], self.play)
            each = dict(zip(asked, map(Expected, values), strict=True))
        return [each[own, first] + each[own, second] for own, (first, second) in ways]

    def first_decisions(self, solution: Solution) -> list[dict[str, Json]]:
        """Return the first decision on each hand of the best setting, with the value of every play.

        A hand of one card has a decision for each second card. After a peek, the values assume no
        dealer blackjack. With full memory, the play of the second hand depends on the cards that
        the first hand draws. So only the first hand is listed, and the values include the second.
        """
        if not solution.ways:
            return []
        way, engine = solution.best, self.engine(solution.up)
        found = []
        for place, hand in (("first", way.first), ("second", way.second)):
            if self.memory is Memory.FULL:
                if place == "second":
                    break
                plays = engine.decisions(solution.own, (way.first, way.second), self.play)
                about = f"played {place}, with what the other hand is worth"
            else:
                about = f"on the {place} bet"
                plays = self._alone(engine, solution.own, hand)
            found.append({"hand": _letters(hand), "about": about, "plays": _by_second(hand, plays)})
        return found

    def _alone(self, engine: Engine, own: Values, hand: Hand) -> dict[int, dict[str, float]]:
        if self.memory is Memory.HAND:
            return engine.decisions(own, (hand,), self.play)
        if is_blackjack(hand):
            return {hand[1]: {"stand": self.play.pays}}
        if len(hand) > 1:
            return {hand[1]: engine.options(own, hand, self.play)}
        found = {}
        for v in VALUES:
            if engine.chance(own, v) > 0:
                cards = (hand[0], v)
                found[v] = (
                    {"stand": self.play.pays}
                    if is_blackjack(cards)
                    else engine.options((*own, v), cards, self.play)
                )
        return found

    def cost(self, starts: int | None = None) -> str:
        """Return a rough estimate of a solution's time and memory; empty for a short solution."""
        splits = self.play.max_splits
        if not self._is_heavy:
            return ""
        low, high, room = COSTS[self.memory][splits]
        if starts and high < SHORT_S:
            return ""
        workers = 1 if starts else self._workers(self._limit or default_limit())
        number = (starts or sum(1 for _ in self.starts())) / workers
        at_least, at_most, room = _time(low * number), _time(high * number), room * workers
        return (
            f"memory {self.memory} with {plural(splits, 'split')}: {at_least} to"
            f" {at_most} and up to {room} GiB of memory; the cost grows about fivefold with each"
            " split"
        )

    def unseen(self, seen: Values) -> tuple[list[int], int]:
        """Return how many cards of each value are not among *seen*, and their total."""
        left = [n - seen.count(v) for v, n in zip(VALUES, self.deck, strict=True)]
        return left, sum(left)

    def insurance(self, own: Values) -> float:
        """Return the value of one unit of insurance: 3 n10 / N - 1 (rule 7j)."""
        left, cards = self.unseen((*own, ACE))
        return 3 * left[TEN - 1] / cards - 1

    def _ended(self, hand: Hand, left: list[int], barred: int) -> Expected:
        """Return the expected results of a hand if the peek finds a blackjack (rules 7g and 7h)."""
        if is_blackjack(hand):
            return Expected(self.play.pays, blackjacks=1.0)
        draws = self.rules.one_card_vs_dealer_blackjack is OneCard.DRAWS
        wanted = completing(hand[0]) if len(hand) == 1 and draws else 0
        if not wanted or not barred:
            return Expected(-1.0)
        chance = (left[wanted - 1] - (wanted == barred)) / (sum(left) - 1)
        return Expected(chance * self.play.pays - (1 - chance), blackjacks=chance)

    # --- the whole game

    def starts(self) -> Iterator[Start]:
        """Return every start that the deck can deal, by up card."""
        for up in VALUES:
            for own in combinations_with_replacement(VALUES, 3):
                if self.ways(up, own):
                    yield up, own

    def ways(self, up: int, own: Values) -> int:
        """Return the number of deals of the player's three cards, given the up card."""
        left, _ = self.unseen((up,))
        return prod(comb(left[v - 1], n) for v, n in Counter(own).items())

    def solve_game(
        self,
        *,
        progress: Callable[[float], object] = lambda _: None,
        checkpoint: Checkpoint | None = None,
    ) -> Game:
        """Solve every start, with the up cards in parallel on all cores.

        *progress* receives the share of the work done. Starts in *checkpoint* are not solved again.
        """
        began = time.perf_counter()
        todo: dict[int, list[Values]] = {}
        for up, own in self.starts():
            todo.setdefault(up, []).append(own)
        tally = _Tally(sum(map(len, todo.values())), progress)
        limit = self._limit or default_limit()
        workers = self._workers(limit)
        self._limit = limit // workers
        stop = Event()

        def one_card(up: int) -> tuple[int, UpCard]:
            solved: list[Solution] = []
            for chunk in self._chunks(todo[up]):
                if stop.is_set():
                    raise CancelledError
                found = checkpoint.recall(up, chunk) if checkpoint is not None else None
                if found is None:
                    found = self.solve_all(up, chunk)
                    if checkpoint is not None:
                        checkpoint.keep(found)
                solved += found
                tally.add(len(chunk))
                self._make_room(up)
            return self.forget(up), self._gather(up, solved)

        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(one_card, up) for up in todo]
            try:
                for future in as_completed(futures):
                    future.result()  # the first failure ends the solution
            except BaseException:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        results = [future.result() for future in futures]
        return Game(
            self.rules,
            self.memory,
            tuple(card for _, card in results),
            sum(states for states, _ in results),
            time.perf_counter() - began,
        )

    def _workers(self, limit: int) -> int:
        """Return how many up cards to solve in parallel, as far as the memory allows."""
        room = COSTS[self.memory][self.play.max_splits][2] if self._is_heavy else 1
        return max(1, min(os.cpu_count() or 1, limit // (room << 30)))

    @property
    def _is_heavy(self) -> bool:
        return self.memory is not Memory.NONE and self.play.max_splits > 0

    def _chunks(self, starts: list[Values]) -> Iterator[list[Values]]:
        """Group starts that share values; yield an expensive start alone."""
        size = 1 if self._is_heavy else 22
        for begin in range(0, len(starts), size):
            yield starts[begin : begin + size]

    def _make_room(self, up: int) -> None:
        engine = self._engines.get(up)
        if engine and engine.room_used > engine.limit // 2:
            self.forget(up)
        elif engine and engine.entries > MOST_ENTRIES:
            engine.forget()

    def _gather(self, up: int, solved: list[Solution]) -> UpCard:
        ways = [self.ways(up, s.own) for s in solved]
        total = sum(ways)

        def mean(values: Iterator[float]) -> float:
            return sum(w * x for w, x in zip(ways, values, strict=True)) / total

        return UpCard(
            up,
            self.deck[up - 1] / sum(self.deck),
            mean(s.ev for s in solved),
            mean(s.best.doubles if s.ways else 0.0 for s in solved),
            mean(s.best.splits if s.ways else 0.0 for s in solved),
            mean(s.best.blackjacks if s.ways else 2.0 for s in solved),
            mean(0.0 if s.ways else 1.0 for s in solved),
            tuple(solved),
        )


def ways_to_set(own: Values) -> list[tuple[Hand, Hand]]:
    """Return the different ways to put three values on the two bets (rule 5)."""
    if own in DOUBLE_BLACKJACKS:
        return []
    ways = []
    for place in reversed(range(3)):
        one, two = (own[place],), own[:place] + own[place + 1 :]
        ways += [(two, one), (one, two)]
    return list(dict.fromkeys(ways))


def _by_second(hand: Hand, plays: dict[int, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return the plays by the name of the second card if the hand has only one card."""
    return {name_of(v) if len(hand) == 1 else "": options for v, options in plays.items()}


def _letters(hand: Hand) -> str:
    return "-".join(map(name_of, hand))


def _time(seconds: float) -> str:
    if seconds < 100:  # noqa: PLR2004
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"  # noqa: PLR2004


def is_blackjack(hand: Hand) -> bool:
    return sorted(hand) == [ACE, TEN]


@dataclass(frozen=True)
class UpCard:
    """The expected results of a round given an up card, for both hands together."""

    up: int
    chance: float
    ev: float
    doubles: float
    splits: float
    blackjacks: float
    double_blackjacks: float
    starts: tuple[Solution, ...]


@dataclass(frozen=True)
class Game:
    """The whole game solved."""

    rules: Rules
    memory: Memory
    up_cards: tuple[UpCard, ...]
    states: int
    seconds: float

    def mean(self, name: str) -> float:
        """Return the mean of a field of :class:`UpCard` over all up cards."""
        return float(sum(card.chance * getattr(card, name) for card in self.up_cards))

    @property
    def ev(self) -> float:
        """The expectation of the two blackjack bets together, per unit of one bet."""
        return self.mean("ev")

    def as_json(self) -> dict[str, Json]:
        return {
            "ev": self.ev,
            "memory": str(self.memory),
            "by_up_card": {name_of(card.up): card.ev for card in self.up_cards},
            "states": self.states,
            "seconds": self.seconds,
            "rules": self.rules.as_json(),
        }


def name_of(value: int) -> str:
    """Return the letter of a value: A, 2 to 9, T."""
    return {ACE: "A", TEN: "T"}.get(value, str(value))


class _Tally:
    """Counts the starts solved by several threads."""

    def __init__(self, total: int, progress: Callable[[float], object]) -> None:
        self._lock, self._done, self._total, self._progress = Lock(), 0, total, progress

    def add(self, number: int) -> None:
        with self._lock:
            self._done += number
            self._progress(self._done / self._total)
