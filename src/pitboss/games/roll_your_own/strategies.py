"""Strategies of Roll Your Own Blackjack, as tables for the kernel.

The built-in ones are the solver's strategy, the printed card, and mimicking the dealer. A custom
strategy is a strategy file (the card's JSON with a chart and setting lines), or two functions that
are called once for every case. A chart is read as on the card: a pair that may be split has its own
row, and any other hand uses the row of its total. If a double is not allowed, Dh is hit and Ds is
stand. The two cards set together go on the first bet.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from itertools import permutations, product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pitboss.core.errors import NotationError, RuleError, shown
from pitboss.core.settings import read_json
from pitboss.core.twenty_one import TWO
from pitboss.games.roll_your_own import GAME, HoleCard, OneCard, Rules, RunOut, Soft17
from pitboss.games.roll_your_own.card.lists import LAST_LINES, UPS, Feature, Kind, Rule
from pitboss.games.roll_your_own.card.playing import CODES, LATER, Group, Row, chart_plays, row_of
from pitboss.games.roll_your_own.card.setting import OWN, Rung
from pitboss.games.roll_your_own.kernels import layout
from pitboss.games.roll_your_own.solver import Checkpoint, Game, Memory, Solver, SolverError
from pitboss.games.roll_your_own.solver.starts import DOUBLE_BLACKJACKS, name_of, play_of
from pitboss.solver.engine import PLAYS, Policy
from pitboss.solver.tables import (
    ACE,
    BLACKJACK,
    DECK,
    STANDS,
    TEN,
    VALUES,
    best_total,
    hands,
    hands_of_values,
    state_of,
)
from pitboss.strategy import strategy_card
from pitboss.strategy.files import (
    CARDS,
    check_game,
    one_of,
    read_cards,
    read_chart,
    read_list,
    read_object,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own.card.playing import Codes, GroupPlays
    from pitboss.games.roll_your_own.solver import Solution
    from pitboss.solver.engine import Engine, Hand, Play
    from pitboss.solver.tables import Values
    from pitboss.strategy.cards import Data

    Tables: TypeAlias = tuple[
        NDArray[np.int32],
        NDArray[np.uint8],
        NDArray[np.int16],
        NDArray[np.int64],
        NDArray[np.int64],
    ]
    Tell: TypeAlias = Callable[[float], object]
    Set: TypeAlias = tuple[int, tuple[Hand, Hand], tuple[bytes, bytes]]

__all__ = [
    "PlaySituation",
    "Strategy",
    "at_random",
    "mimic",
    "named",
    "printed",
    "read",
    "solved",
]

NAMES = GAME.strategies
"""The names of the built-in strategies."""

DRAWS = ("hit", "stand")
"""The legal plays of any hand except split aces, in the engine's order."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """The decision in every case, as tables for the kernel; and the expectation, if known."""

    name: str
    rules: Rules
    plan: NDArray[np.int32]
    plays: NDArray[np.uint8]
    ev: float | None = None  # the expectation of the two blackjack bets together, for one seat
    mode: int = layout.BY_TABLE
    team_row: int = 0  # the first row of a team's plays for the end of the deck, by up card
    reach: tuple[int, ...] = (-1,) * 14  # see kernels/layout.py

    def tables(self, seats: int = 1) -> Tables:
        """Return the tables for the kernel."""
        options = options_of(self.rules)
        options[layout.SEATS], options[layout.MODE] = seats, self.mode
        options[layout.TEAM_ROW] = self.team_row
        return self.plan, self.plays, grown(), options, np.array(self.reach, np.int64)

    def digest(self) -> str:
        """Return a hash that identifies the strategy."""
        head = f"{self.mode} {self.team_row} {self.reach}".encode()
        return sha256(head + self.plan.tobytes() + self.plays.tobytes()).hexdigest()

    @classmethod
    def of(cls, solved: Solver | Game, progress: Tell = lambda _: None) -> Strategy:
        """Return the strategy of a game with memory ``none``; a solver solves its game first."""
        if solved.memory is not Memory.NONE:
            raise SolverError(f"a simulation needs memory 'none', not {solved.memory.value!r}")
        if isinstance(solved, Game):
            game, found = solved, _recompute_sets(solved, progress)
        else:
            taken = _PlayCollector(solved)
            game, found = solved.solve_game(progress=progress, checkpoint=taken), taken.sets()
        return cls(NAMES[0], game.rules, *_build_tables(found), game.ev)

    @classmethod
    def from_functions(
        cls,
        rules: Rules,
        *,
        alone: Callable[[int, Values], int],
        play: Callable[[PlaySituation], str],
        name: str = "own",
    ) -> Strategy:
        """Call two functions once for every possible case, and use their answers as the strategy.

        *alone* receives the up card and three sorted values, from ace 1 to ten 10, and returns the
        value to set alone. *play* returns a legal play. If it splits a pair, it is called again to
        decide whether to split further.
        """
        answers = {up: _Answers(rules, play, up) for up in UPS}
        return cls(name, rules, *_build_tables(_build_sets(_validated(alone), answers)))


@dataclass(frozen=True, slots=True)
class PlaySituation:
    """The information for a play: the up card, the hand's sorted values, and the legal plays."""

    up: int
    hand: Values  # ace 1 to ten 10
    legal: tuple[str, ...]  # some of hit, stand, double and split

    @property
    def total(self) -> int:
        return best_total(self.hand)[0]

    @property
    def is_soft(self) -> bool:
        """Whether an ace counts as 11 in the total."""
        return best_total(self.hand)[1]


def named(rules: Rules, name: str, progress: Tell = lambda _: None) -> Strategy:
    """Return a strategy by name; *progress* receives the share of the work done."""
    from pitboss.games.roll_your_own import team

    made: dict[str, Callable[[], Strategy]] = {
        "solver": lambda: solved(rules, progress),
        "card": lambda: printed(rules, progress),
        "mimic": lambda: mimic(rules),
        "random": lambda: at_random(rules),
        "run-out": lambda: team.run_out(rules),
        "run-out-force": lambda: team.force(rules),
    }
    if name not in made:
        raise NotationError(f"no strategy {shown(name)}: choose from {', '.join(NAMES)}")
    return made[name]()


def solved(rules: Rules, progress: Tell = lambda _: None) -> Strategy:
    """Return the solver's strategy; *progress* receives the share of the work done."""
    return Strategy.of(Solver(rules), progress)


def printed(rules: Rules, progress: Tell = lambda _: None) -> Strategy:
    """Return the strategy of the printed card for these rules."""
    return card(strategy_card(GAME, rules, progress))


def card(data: Data) -> Strategy:
    """Return the strategy of unmodified card data under the card's own rules."""
    found = read(data, Rules.from_json(data["rules"]), name=NAMES[1])
    return replace(found, ev=data["ev"]["card"])


def mimic(rules: Rules) -> Strategy:
    """Return the strategy of a player who plays like the dealer and sets the cards as dealt."""
    state = hands().state
    total = np.where(state > BLACKJACK, state - 10, state)
    soft_17 = state == state_of(STANDS, soft=True)
    hits = (total < STANDS) | (soft_17 & (rules.soft_17 is Soft17.HIT))
    plays = np.where(hits, layout.HIT, layout.STAND).astype(np.int8)
    row = np.frombuffer(packed(Policy(plays, plays, 0)), np.uint8)
    both = (row | row << layout.SECOND_BET).astype(np.uint8)
    return Strategy(NAMES[2], rules, _as_dealt(), both[np.newaxis])


def at_random(rules: Rules) -> Strategy:
    """Return the strategy of a player who sets and plays at random."""
    empty = np.zeros((1, len(hands().state) + 1), np.uint8)
    return Strategy(NAMES[3], rules, _as_dealt(), empty, mode=layout.AT_RANDOM)


def _as_dealt() -> NDArray[np.int32]:
    """Return the plan that sets the third card alone on the second bet, with plays in row 0."""
    plan = np.full(10**4, how_of(2, 1, 0), np.int32)
    for own in DOUBLE_BLACKJACKS:
        for values in set(permutations(own)):
            plan[[start_of(up, values) for up in VALUES]] = -1
    return plan


def how_of(alone: int, bet: int, row: int) -> int:
    """Return the setting of the cards, encoded for the kernel."""
    return row << 3 | alone << 1 | bet


def read(data: str | Mapping[str, Json], rules: Rules, *, name: str = "file") -> Strategy:
    """Read a strategy file, as JSON text or parsed, to play it under *rules*.

    The file may have been printed for other rules.
    """
    parsed = read_json(data) if isinstance(data, str) else data
    body = read_object(parsed, "a strategy", REQUIRED_KEYS)
    check_game(body, GAME.key)
    lines = read_object(body["setting"], "setting", {"lines"})["lines"]
    playing = read_object(body["playing"], "playing", {"chart"}, OPTIONAL_PLAYING_KEYS)
    rung = Rung(tuple(_read_lines(lines)), 0.0)
    chart = _read_chart(playing["chart"])
    exceptions = _read_exceptions(playing.get("exceptions", []), chart)
    return Strategy(name, rules, *_build_tables(_chart_sets(rules, rung, chart, exceptions)))


# --- the tables


def start_of(up: int, values: Sequence[int]) -> int:
    """Return the index of an up card and three values in the order dealt."""
    a, b, c = values
    return (((up - 1) * 10 + a - 1) * 10 + b - 1) * 10 + c - 1


@cache
def grown() -> NDArray[np.int16]:
    """Return the kernel's table of how hands grow."""
    known = hands()
    table = np.full((len(known.state) + 1, 11), 0, np.int16)
    table[:-1, :10], table[:-1, layout.STATE] = known.child, known.state
    table[-1, :10] = [known.pair[v, 0] for v in VALUES]
    return table


def options_of(rules: Rules) -> NDArray[np.int64]:
    """Return the kernel's options for *rules*."""
    found = np.zeros(layout.OPTIONS, np.int64)
    found[layout.PEEKS] = rules.hole_card is HoleCard.PEEK
    found[layout.DRAWS] = rules.one_card_vs_dealer_blackjack is OneCard.DRAWS
    found[layout.HITS_SOFT_17] = rules.soft_17 is Soft17.HIT
    found[layout.MAX_SPLITS] = rules.max_splits
    found[layout.RESPLITS_ACES] = rules.resplit_aces
    found[layout.DOUBLES_SPLITS] = rules.double_after_split
    found[layout.RUN_OUT_WINS] = rules.run_out is RunOut.WIN
    return found


def packed(policy: Policy) -> bytes:
    """Return the plays of a starting hand as a row of the kernel's table."""
    plays = policy.start | policy.split << layout.AFTER_SPLIT
    return np.append(plays, policy.splits).astype(np.uint8).tobytes()


def _build_tables(sets: Iterable[Set]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the plan and the plays; *sets* has an up card, two hands and their plays."""
    plan = np.full(10**4, -1, np.int32)
    rows: dict[tuple[bytes, bytes], int] = {}
    for up, both, packed in sets:
        bet = 0 if len(both[0]) == 1 else 1
        (lone,) = both[bet]
        row = rows.setdefault(packed, len(rows))
        for values in set(permutations(both[0] + both[1])):
            plan[start_of(up, values)] = how_of(values.index(lone), bet, row)
    first, second = (np.array([np.frombuffer(p[i], np.uint8) for p in rows]) for i in (0, 1))
    return plan, (first | second << layout.SECOND_BET).astype(np.uint8)


# --- the solver's strategy


class _PlayCollector(Checkpoint):
    """Collects the plays of solved starts while the engine still has their values."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._found: dict[tuple[int, Values], Set] = {}

    def recall(self, up: int, starts: Sequence[Values]) -> None:
        """Return no stored solutions."""

    def keep(self, solved: Sequence[Solution]) -> None:
        for start in solved:
            if start.ways:
                engine = self._solver.engine(start.up)
                self._found[start.up, start.own] = _best(engine, self._solver.play, start)

    def sets(self) -> list[Set]:
        """Return the collected plays in an order that does not depend on threads."""
        return [self._found[start] for start in sorted(self._found)]


def _recompute_sets(game: Game, progress: Tell) -> list[Set]:
    """Recompute the plays of the starts of a solved game."""
    taken = _PlayCollector(solver := Solver(game.rules))

    def one_card(number: int) -> None:
        card = game.up_cards[number]
        taken.keep(card.starts)
        solver.forget(card.up)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, _ in enumerate(pool.map(one_card, range(len(game.up_cards))), 1):
            progress(done / len(game.up_cards))
    return taken.sets()


def _best(engine: Engine, play: Play, start: Solution) -> Set:
    """Return the best setting of a start and the plays of both hands."""
    first, second = start.best.first, start.best.second
    one, two = (packed(engine.policy(start.own, hand, play)) for hand in (first, second))
    return start.up, (first, second), (one, two)


# --- functions


def _build_sets(
    alone: Callable[[int, Values], int], columns: Mapping[int, _Answers | _Column]
) -> Iterator[Set]:
    """Yield the setting of every start and the plays of both hands against its up card."""
    for up, own in product(UPS, OWN):
        if own not in DOUBLE_BLACKJACKS:
            one = alone(up, own)
            rest = list(own)
            rest.remove(one)
            both = tuple(rest), (one,)
            yield up, both, (columns[up].packed(both[0]), columns[up].packed(both[1]))


def _validated(alone: Callable[[int, Values], int]) -> Callable[[int, Values], int]:
    """Wrap *alone* to reject any answer that is not one of the three cards."""

    def checked(up: int, own: Values) -> int:
        one = alone(up, own)
        if one not in own:
            raise RuleError(
                f"the strategy leaves {shown(one)} alone from {_names(own)} against {name_of(up)}:"
                f" it must be one of {own}"
            )
        return int(one)

    return checked


def _names(values: Values) -> str:
    return "-".join(map(name_of, values))


class _Answers:
    """The plays that a function chooses against one up card, for every decision that can arise."""

    def __init__(self, rules: Rules, play: Callable[[PlaySituation], str], up: int) -> None:
        self._rules, self._play, self._up = rules, play, up
        self._doubles = ("double",) if rules.double_after_split else ()
        self._start, self._split = np.zeros((2, len(hands().state)), np.int8)
        self._most = {value: self._splits(value) for value in VALUES}
        for number, hand in enumerate(hands_of_values()):
            if self._is_asked(hand):
                self._start[number] = self._before(hand)
                self._split[number] = self._after(hand)
        self._packed: dict[int, bytes] = {}

    def packed(self, hand: Hand) -> bytes:
        """Return the plays of a starting hand."""
        most = self._most[hand[0]] if len({*hand}) == 1 else 0
        if most not in self._packed:
            self._packed[most] = packed(Policy(self._start, self._split, most))
        return self._packed[most]

    def _is_asked(self, hand: Values) -> bool:
        enough = hand.count(self._up) < DECK[self._up - 1]
        return enough and len(hand) >= TWO and best_total(hand)[0] < BLACKJACK

    def _before(self, hand: Values) -> int:
        """Return the play of a hand that does not come from a split."""
        if len(hand) > TWO:
            return self._ask(hand, *DRAWS)
        splits = ("split",) if hand[0] == hand[1] and self._rules.max_splits else ()
        return self._ask(hand, *DRAWS, "double", *splits)  # rules 7a, 7b

    def _splits(self, value: int) -> int:
        """Return how many times a pair is split; the function decides on the first two splits."""
        if self._before((value, value)) != layout.SPLIT:
            return 0
        if self._rules.max_splits == 1 or (value == ACE and not self._rules.resplit_aces):
            return 1
        return self._rules.max_splits if self._again(value) == layout.SPLIT else 1

    def _again(self, value: int) -> int:
        """Return the play of a split card that drew the same value (rules 7c, 7d)."""
        draws = ("stand",) if value == ACE else (*DRAWS, *self._doubles)
        return self._ask((value, value), *draws, "split")

    def _after(self, hand: Values) -> int:
        """Return the play of a split hand if such a hand is possible and has a decision."""
        if len(hand) > TWO:
            return self._before(hand)
        if not any(self._most[value] for value in hand if value != ACE):
            return layout.STAND
        if hand[0] == hand[1] and self._most[hand[0]] < self._rules.max_splits:
            return self._again(hand[0])
        return self._ask(hand, *DRAWS, *self._doubles)

    def _ask(self, hand: Values, *legal: str) -> int:
        said = self._play(PlaySituation(self._up, hand, legal))
        if said not in legal:
            raise RuleError(
                f"the strategy plays {shown(said)} with {_names(hand)} against"
                f" {name_of(self._up)}: legal are {', '.join(legal)}"
            )
        return PLAYS.index(said)


# --- a chart


def _chart_sets(
    rules: Rules, rung: Rung, chart: Mapping[int, Codes], exceptions: Mapping[int, GroupPlays]
) -> Iterator[Set]:
    """Yield every start, set by a list of lines, and the chart's plays of both hands."""
    columns = {up: _Column(rules, chart[up], exceptions.get(up, {})) for up in UPS}
    return _build_sets(partial(_alone, rung), columns)


def _alone(rung: Rung, up: int, own: Values) -> int:
    try:
        return rung.alone(up, own)
    except StopIteration:
        raise NotationError(
            f"no setting line applies to {_names(own)} against {name_of(up)}: the last line must be"
            f" {' or '.join(map(repr, map(str, LAST_LINES)))} against every up card"
        ) from None


class _Column:
    """The plays of a chart against one up card; if splits are not allowed, pairs play as totals."""

    def __init__(self, rules: Rules, codes: Codes, exceptions: GroupPlays) -> None:
        may_split = rules.max_splits > 0
        used = {row: code for row, code in codes.items() if may_split or row.kind != "pair"}
        start, self._split, self._pairs = chart_plays(
            used, exceptions, doubles=rules.double_after_split
        )
        (split,) = np.nonzero(self._pairs)
        start[hands().pair[split, split]] = layout.SPLIT
        self._start, self._play = start, play_of(rules)
        self._packed: dict[int, bytes] = {}

    def packed(self, hand: Hand) -> bytes:
        """Return the plays of a starting hand, with as many splits as the rules allow."""
        most = self._most(hand[0]) if len({*hand}) == 1 and self._pairs[hand[0]] else 0
        if most not in self._packed:
            self._packed[most] = packed(Policy(self._start, self._split, most))
        return self._packed[most]

    def _most(self, value: int) -> int:
        return self._play.max_splits if value != ACE or self._play.resplit_aces else 1


# --- a strategy file

REQUIRED_KEYS = {"setting", "playing"}
OPTIONAL_PLAYING_KEYS = {"exceptions", "cost", "cost_with_exceptions", "least_gain"}
SPANS = {
    Kind.TOGETHER: (ACE, TEN),
    Kind.HARD: (4, 20),
    Kind.SOFT: (ACE, TEN),
    Kind.PAIRS: (ACE, TEN),
    Kind.ALONE: (ACE, TEN),
}
"""The range of numbers for each kind of line."""


def _read_lines(lines: Json) -> Iterator[Rule]:
    """Yield the setting lines, each as one rule for every up card to which it applies."""
    for number, line in enumerate(read_list(lines, "setting lines"), 1):
        what = f"setting line {number}"
        body = read_object(line, what, {"kind", "against"})
        kind = one_of(body["kind"], {str(kind): kind for kind in Kind}, f"a kind of {what}")
        feature = _read_feature(kind, body.get("low"), body.get("high"), what)
        for up in read_cards(body["against"], f"{what}, 'against'"):
            yield Rule(feature, UPS.index(up), UPS.index(up))


def _read_feature(kind: Kind, low: Json, high: Json, what: str) -> Feature:
    if kind in LAST_LINES:
        if (low, high) != (None, None):
            raise NotationError(f"{what}: {str(kind)!r} has no low and high: they must be null")
        return Feature(kind)
    least, most = SPANS[kind]
    if not (type(low) is int and type(high) is int and least <= low <= high <= most):
        raise NotationError(
            f"{what}: {str(kind)!r} needs low and high, whole numbers in {least}..{most}, not"
            f" {shown(low)} and {shown(high)}"
        )
    return Feature(kind, low, high)


def _read_chart(chart: Json) -> dict[int, Codes]:
    """Return a chart by up card."""
    found = read_chart(chart, LATER, CODES)
    return {up: {Row(*row): code for row, code in codes.items()} for up, codes in found.items()}


def _read_exceptions(exceptions: Json, chart: Mapping[int, Codes]) -> dict[int, GroupPlays]:
    """Return the exceptions by up card."""
    found: dict[int, GroupPlays] = {up: {} for up in chart}
    for number, exception in enumerate(read_list(exceptions, "exceptions"), 1):
        what = f"exception {number}"
        body = read_object(exception, what, {"cards", "row", "up", "play"})
        up = one_of(body["up"], CARDS, f"an up card of {what}")
        group = _read_group(body["row"], body["cards"], chart[up], what)
        if group in found[up]:
            raise NotationError(f"{what} is for the same hands as another exception")
        plays = {play: play for play in ("stand", "hit", "double")[: 3 if group.cards else 2]}
        found[up][group] = one_of(body["play"], plays, f"a play of {what}")
    return found


def _read_group(row: Json, cards: Json, codes: Codes, what: str) -> Group:
    """Return the hands of an exception: two cards, or three or more cards of a row."""
    valid = [list(known) for known in codes if known.kind != "pair"]
    if row not in valid or type(row[1]) is not int:
        raise NotationError(f'{what}: {shown(row)} is not a row: write it as in ["hard", 16]')
    group = Group(Row(*row))
    if cards is None:
        return group
    two = tuple(sorted(read_cards(cards, f"{what}, 'cards'")))
    if len(two) != 2 or row_of(two, splits=False) != group.row:  # noqa: PLR2004
        raise NotationError(
            f"{what}: cards {shown(cards)} are not two cards that make {row[0]} {row[1]}"
        )
    if row_of(two) in codes and row_of(two).kind == "pair":
        raise NotationError(f"{what}: cards {shown(cards)} have their own row among the pairs")
    return replace(group, cards=two)
