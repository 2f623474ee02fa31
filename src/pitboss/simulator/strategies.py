"""Strategies of Roll Your Own Blackjack as the tables that the kernel plays by.

There are the solver's strategy, the printed card and one who mimics the dealer. One's own is a
strategy file, which is the card's JSON with a chart and setting lines, or two functions that are
asked once for every case. A chart is read as on the card: a pair that may be split has its own row,
any other hand that of its total; where the rules allow no double, Dh is hit and Ds stand. The two
cards set together go on the first bet.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from itertools import permutations, product
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from pitboss.errors import NotationError, RuleError, shown
from pitboss.games.roll_your_own import GAME, TWO, HoleCard, OneCard, Rules, RunOut, Soft17
from pitboss.kernels import roll_your_own as kernel
from pitboss.rules import read_json
from pitboss.solver import Checkpoint, Game, Memory, Solver, SolverError
from pitboss.solver.engine import PLAYS, Policy
from pitboss.solver.starts import DOUBLE_BLACKJACKS, name_of, play_of
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
from pitboss.strategy.lists import LAST_LINES, UPS, Feature, Kind, Rule
from pitboss.strategy.playing import CODES, LATER, Group, Row, chart_plays, row_of
from pitboss.strategy.setting import OWN, Rung

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from pitboss.rules import Json
    from pitboss.solver import Solution
    from pitboss.solver.engine import Engine, Hand, Play
    from pitboss.solver.tables import Values
    from pitboss.strategy.cards import Data
    from pitboss.strategy.playing import Codes, Told

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
    "Seen",
    "Strategy",
    "at_random",
    "mimic",
    "printed",
    "read",
    "solved",
]

T = TypeVar("T")

NAMES = ("solver", "card", "mimic", "random", "run-out", "run-out-force")
"""The strategies that have a name."""

DRAWS = ("hit", "stand")
"""What any hand that is asked may do, split aces excepted; in the engine's order."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """What to do in every case, as the tables of the kernel; and what it is worth, if known."""

    name: str
    rules: Rules
    plan: NDArray[np.int32]
    plays: NDArray[np.uint8]
    ev: float | None = None  # of the two blackjack bets together, for a seat alone
    mode: int = kernel.BY_TABLE
    team_row: int = 0  # where a team's plays for the end of the deck begin, by up card
    reach: tuple[int, ...] = (-1,) * 14  # see the kernel

    def tables(self, seats: int = 1) -> Tables:
        """Return all that the kernel takes."""
        options = options_of(self.rules)
        options[kernel.SEATS], options[kernel.MODE] = seats, self.mode
        options[kernel.TEAM_ROW] = self.team_row
        return self.plan, self.plays, grown(), options, np.array(self.reach, np.int64)

    def digest(self) -> str:
        """Return what tells this strategy from any other."""
        head = f"{self.mode} {self.team_row} {self.reach}".encode()
        return sha256(head + self.plan.tobytes() + self.plays.tobytes()).hexdigest()

    @classmethod
    def of(cls, solved: Solver | Game, progress: Tell = lambda _: None) -> Strategy:
        """Take the strategy of memory ``none``; a solver solves the game first."""
        if solved.memory is not Memory.NONE:
            raise SolverError(f"a trial plays memory 'none', not {solved.memory.value!r}")
        if isinstance(solved, Game):
            game, found = solved, _solved_again(solved, progress)
        else:
            taken = _Taken(solved)
            game, found = solved.solve_game(progress=progress, checkpoint=taken), taken.sets()
        return cls(NAMES[0], game.rules, *_laid(found), game.ev)

    @classmethod
    def from_functions(
        cls,
        rules: Rules,
        *,
        alone: Callable[[int, Values], int],
        play: Callable[[Seen], str],
        name: str = "own",
    ) -> Strategy:
        """Ask two functions for every case that can come, once, and play by their answers.

        *alone* is given the up card and three values in order, ace 1 to ten 10, and says which of
        them stands alone. *play* names a legal play; a pair that it splits, it is asked to split
        again.
        """
        told = {up: _Answers(rules, play, up) for up in UPS}
        return cls(name, rules, *_laid(_played(_checked(alone), told)))


@dataclass(frozen=True, slots=True)
class Seen:
    """What a play goes by: the up card, the hand's own values in order, and what is legal."""

    up: int
    hand: Values  # ace 1 to ten 10
    legal: tuple[str, ...]  # of hit, stand, double and split

    @property
    def total(self) -> int:
        return best_total(self.hand)[0]

    @property
    def is_soft(self) -> bool:
        """Whether an ace counts 11 in the total."""
        return best_total(self.hand)[1]


def solved(rules: Rules, progress: Tell = lambda _: None) -> Strategy:
    """Return the solver's strategy; *progress* is told the share of the work done."""
    return Strategy.of(Solver(rules), progress)


def printed(rules: Rules, progress: Tell = lambda _: None) -> Strategy:
    """Return the strategy of the card that is printed for these rules."""
    return card(strategy_card(GAME, rules, progress))


def card(data: Data) -> Strategy:
    """Return the strategy of a card's data, which nobody has changed, under its own rules."""
    found = read(data, Rules.from_json(data["rules"]), name=NAMES[1])
    return replace(found, ev=data["ev"]["card"])


def mimic(rules: Rules) -> Strategy:
    """Return the strategy of one who plays as the dealer must, and sets the cards as dealt."""
    state = hands().state
    total = np.where(state > BLACKJACK, state - 10, state)
    soft_17 = state == state_of(STANDS, soft=True)
    hits = (total < STANDS) | (soft_17 & (rules.soft_17 is Soft17.HIT))
    plays = np.where(hits, kernel.HIT, kernel.STAND).astype(np.int8)
    row = np.frombuffer(packed(Policy(plays, plays, 0)), np.uint8)
    both = (row | row << kernel.SECOND_BET).astype(np.uint8)
    return Strategy(NAMES[2], rules, _as_dealt(), both[np.newaxis])


def at_random(rules: Rules) -> Strategy:
    """Return the strategy of one who takes every way to set and every legal play as it comes."""
    empty = np.zeros((1, len(hands().state) + 1), np.uint8)
    return Strategy(NAMES[3], rules, _as_dealt(), empty, mode=kernel.AT_RANDOM)


def _as_dealt() -> NDArray[np.int32]:
    """Return the plan that sets the third card alone on the second bet, plays in row 0."""
    plan = np.full(10**4, how_of(2, 1, 0), np.int32)
    for own in DOUBLE_BLACKJACKS:
        for values in set(permutations(own)):
            plan[[start_of(up, values) for up in VALUES]] = -1
    return plan


def how_of(alone: int, bet: int, row: int) -> int:
    """Return how cards are set as the kernel reads it."""
    return row << 3 | alone << 1 | bet


def read(data: str | Mapping[str, Json], rules: Rules, *, name: str = "file") -> Strategy:
    """Read a strategy file, JSON or what it says, to be played under *rules*.

    The file may have been printed for other rules.
    """
    body = _object(read_json(data) if isinstance(data, str) else data, "a strategy", NEEDED)
    if body.get("game", GAME.key) != GAME.key:
        raise NotationError(f"the strategy is for {shown(body['game'])}, not for {GAME.key}")
    lines = _object(body["setting"], "setting", {"lines"})["lines"]
    playing = _object(body["playing"], "playing", {"chart"}, BESIDE_CHART)
    rung = Rung(tuple(_read_lines(lines)), 0.0)
    chart = _read_chart(playing["chart"])
    told = _read_exceptions(playing.get("exceptions", []), chart)
    return Strategy(name, rules, *_laid(_charted(rules, rung, chart, told)))


# --- the tables


def start_of(up: int, values: Sequence[int]) -> int:
    """Return the number of an up card and three values in the order dealt."""
    a, b, c = values
    return (((up - 1) * 10 + a - 1) * 10 + b - 1) * 10 + c - 1


@cache
def grown() -> NDArray[np.int16]:
    """Return how hands grow, as the kernel takes it."""
    known = hands()
    table = np.full((len(known.state) + 1, 11), 0, np.int16)
    table[:-1, :10], table[:-1, kernel.STATE] = known.child, known.state
    table[-1, :10] = [known.pair[v, 0] for v in VALUES]
    return table


def options_of(rules: Rules) -> NDArray[np.int64]:
    """Return the rules that the kernel asks for."""
    found = np.zeros(kernel.OPTIONS, np.int64)
    found[kernel.PEEKS] = rules.hole_card is HoleCard.PEEK
    found[kernel.DRAWS] = rules.one_card_vs_dealer_blackjack is OneCard.DRAWS
    found[kernel.HITS_SOFT_17] = rules.soft_17 is Soft17.HIT
    found[kernel.MAX_SPLITS] = rules.max_splits
    found[kernel.RESPLITS_ACES] = rules.resplit_aces
    found[kernel.DOUBLES_SPLITS] = rules.double_after_split
    found[kernel.RUN_OUT_WINS] = rules.run_out is RunOut.WIN
    return found


def packed(policy: Policy) -> bytes:
    """Return the plays of a starting hand as a row of the kernel's table."""
    plays = policy.start | policy.split << kernel.AFTER_SPLIT
    return np.append(plays, policy.splits).astype(np.uint8).tobytes()


def _laid(sets: Iterable[Set]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return plan and plays of an up card, two hands and how each is played, for every start."""
    plan = np.full(10**4, -1, np.int32)
    rows: dict[tuple[bytes, bytes], int] = {}
    for up, both, packed in sets:
        bet = 0 if len(both[0]) == 1 else 1
        (lone,) = both[bet]
        row = rows.setdefault(packed, len(rows))
        for values in set(permutations(both[0] + both[1])):
            plan[start_of(up, values)] = how_of(values.index(lone), bet, row)
    first, second = (np.array([np.frombuffer(p[i], np.uint8) for p in rows]) for i in (0, 1))
    return plan, (first | second << kernel.SECOND_BET).astype(np.uint8)


# --- the solver's strategy


class _Taken(Checkpoint):
    """Takes the plays of solved starts while what they were found by is still there."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._found: dict[tuple[int, Values], Set] = {}

    def recall(self, up: int, starts: Sequence[Values]) -> None:
        """Know nothing beforehand."""

    def keep(self, solved: Sequence[Solution]) -> None:
        for start in solved:
            if start.ways:
                engine = self._solver.engine(start.up)
                self._found[start.up, start.own] = _best(engine, self._solver.play, start)

    def sets(self) -> list[Set]:
        """Return what was taken, in an order that no thread decides."""
        return [self._found[start] for start in sorted(self._found)]


def _solved_again(game: Game, progress: Tell) -> list[Set]:
    """Return how the starts of a game are played, which has to be worked out anew."""
    taken = _Taken(solver := Solver(game.rules))

    def one_card(number: int) -> None:
        card = game.up_cards[number]
        taken.keep(card.starts)
        solver.forget(card.up)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, _ in enumerate(pool.map(one_card, range(len(game.up_cards))), 1):
            progress(done / len(game.up_cards))
    return taken.sets()


def _best(engine: Engine, play: Play, start: Solution) -> Set:
    """Return a start set in the best way, and how both hands are played."""
    first, second = start.best.first, start.best.second
    one, two = (packed(engine.policy(start.own, hand, play)) for hand in (first, second))
    return start.up, (first, second), (one, two)


# --- functions


def _played(
    alone: Callable[[int, Values], int], told: Mapping[int, _Answers | _Column]
) -> Iterator[Set]:
    """Return every start as it is set, and how both hands are played against its up card."""
    for up, own in product(UPS, OWN):
        if own not in DOUBLE_BLACKJACKS:
            one = alone(up, own)
            rest = list(own)
            rest.remove(one)
            both = tuple(rest), (one,)
            yield up, both, (told[up].packed(both[0]), told[up].packed(both[1]))


def _checked(alone: Callable[[int, Values], int]) -> Callable[[int, Values], int]:
    """Return the function that refuses a card which is not there."""

    def checked(up: int, own: Values) -> int:
        one = alone(up, own)
        if one not in own:
            raise RuleError(
                f"the strategy leaves {shown(one)} alone of {_names(own)} against {name_of(up)}:"
                f" let it be one of {own}"
            )
        return int(one)

    return checked


def _names(values: Values) -> str:
    return "-".join(map(name_of, values))


class _Answers:
    """The plays of a function against one up card; it is asked what the rules can ask alone."""

    def __init__(self, rules: Rules, play: Callable[[Seen], str], up: int) -> None:
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
        """Return the play of a hand that is not from a split."""
        if len(hand) > TWO:
            return self._ask(hand, *DRAWS)
        splits = ("split",) if hand[0] == hand[1] and self._rules.max_splits else ()
        return self._ask(hand, *DRAWS, "double", *splits)  # rules 7a, 7b

    def _splits(self, value: int) -> int:
        """Return how many times a pair is split: the second time is asked for as the first."""
        if self._before((value, value)) != kernel.SPLIT:
            return 0
        if self._rules.max_splits == 1 or (value == ACE and not self._rules.resplit_aces):
            return 1
        return self._rules.max_splits if self._again(value) == kernel.SPLIT else 1

    def _again(self, value: int) -> int:
        """Return the play of a split card that made the pair again (rules 7c, 7d)."""
        draws = ("stand",) if value == ACE else (*DRAWS, *self._doubles)
        return self._ask((value, value), *draws, "split")

    def _after(self, hand: Values) -> int:
        """Return the play of a split hand, where such a hand can come and is asked."""
        if len(hand) > TWO:
            return self._before(hand)
        if not any(self._most[value] for value in hand if value != ACE):
            return kernel.STAND
        if hand[0] == hand[1] and self._most[hand[0]] < self._rules.max_splits:
            return self._again(hand[0])
        return self._ask(hand, *DRAWS, *self._doubles)

    def _ask(self, hand: Values, *legal: str) -> int:
        said = self._play(Seen(self._up, hand, legal))
        if said not in legal:
            raise RuleError(
                f"the strategy plays {shown(said)} with {_names(hand)} against"
                f" {name_of(self._up)}: legal are {', '.join(legal)}"
            )
        return PLAYS.index(said)


# --- a chart


def _charted(
    rules: Rules, rung: Rung, chart: Mapping[int, Codes], told: Mapping[int, Told]
) -> Iterator[Set]:
    """Return every start set by a list of lines, and how a chart plays both hands."""
    columns = {up: _Column(rules, chart[up], told.get(up, {})) for up in UPS}
    return _played(partial(_alone, rung), columns)


def _alone(rung: Rung, up: int, own: Values) -> int:
    try:
        return rung.alone(up, own)
    except StopIteration:
        raise NotationError(
            f"no setting line says how to set {_names(own)} against {name_of(up)}: let the last one"
            f" be {' or '.join(map(repr, map(str, LAST_LINES)))} against every up card"
        ) from None


class _Column:
    """The plays of a chart against one up card; without splits a pair is its total."""

    def __init__(self, rules: Rules, codes: Codes, told: Told) -> None:
        may_split = rules.max_splits > 0
        used = {row: code for row, code in codes.items() if may_split or row.kind != "pair"}
        start, self._split, self._pairs = chart_plays(used, told, doubles=rules.double_after_split)
        (split,) = np.nonzero(self._pairs)
        start[hands().pair[split, split]] = kernel.SPLIT
        self._start, self._play = start, play_of(rules)
        self._packed: dict[int, bytes] = {}

    def packed(self, hand: Hand) -> bytes:
        """Return the plays of a starting hand, as many splits in them as the rules allow it."""
        most = self._most(hand[0]) if len({*hand}) == 1 and self._pairs[hand[0]] else 0
        if most not in self._packed:
            self._packed[most] = packed(Policy(self._start, self._split, most))
        return self._packed[most]

    def _most(self, value: int) -> int:
        return self._play.max_splits if value != ACE or self._play.resplit_aces else 1


# --- a strategy file

NEEDED = {"setting", "playing"}
BESIDE_CHART = {"exceptions", "cost", "cost_with_exceptions", "least_gain"}
CARDS = {name_of(up): up for up in UPS}
ROWS = {
    "hard": {str(n): n for n in range(4, 21)},
    "soft": {str(n): n for n in range(12, 21)},
    "pair": {name_of(v): v for v in VALUES},
}
TWO_ACES = Row("soft", 12)
"""The row that a chart with pairs need not have: two aces that may not be split are hit."""

SPANS = {
    Kind.TOGETHER: (ACE, TEN),
    Kind.HARD: (4, 20),
    Kind.SOFT: (ACE, TEN),
    Kind.PAIRS: (ACE, TEN),
    Kind.ALONE: (ACE, TEN),
}
"""The numbers that a line of a kind may name."""


def _object(
    data: Json, what: str, required: set[str], optional: set[str] | None = None
) -> dict[str, Json]:
    """Return a JSON object that has what it needs, and nothing else where that is said."""
    if not isinstance(data, dict):
        raise NotationError(f"{what} must be a JSON object, not {shown(data)}")
    for key in sorted(required - data.keys()):
        raise NotationError(f"{what} needs {key!r}")
    if optional is not None:
        for key in data:
            _one_of(key, dict.fromkeys(sorted(required | optional)), f"a key of {what}")
    return data


def _one_of(value: Json, valid: Mapping[str, T], what: str) -> T:
    """Return what a word stands for."""
    if isinstance(value, str) and value in valid:
        return valid[value]
    raise NotationError(f"{shown(value)} is not {what}: valid are {', '.join(valid)}")


def _list(value: Json, what: str) -> list[Json]:
    if not isinstance(value, list):
        raise NotationError(f"{what} must be a list, not {shown(value)}")
    return value


def _read_cards(value: Json, what: str) -> list[int]:
    return [_one_of(name, CARDS, f"a card of {what}") for name in _list(value, what)]


def _read_lines(lines: Json) -> Iterator[Rule]:
    """Return the setting lines, each as a rule for every up card that it is for."""
    for number, line in enumerate(_list(lines, "setting lines"), 1):
        what = f"setting line {number}"
        body = _object(line, what, {"kind", "against"})
        kind = _one_of(body["kind"], {str(kind): kind for kind in Kind}, f"a kind of {what}")
        feature = _read_feature(kind, body.get("low"), body.get("high"), what)
        for up in _read_cards(body["against"], f"{what}, 'against'"):
            yield Rule(feature, UPS.index(up), UPS.index(up))


def _read_feature(kind: Kind, low: Json, high: Json, what: str) -> Feature:
    if kind in LAST_LINES:
        if (low, high) != (None, None):
            raise NotationError(f"{what}: {str(kind)!r} has no low and high: leave them null")
        return Feature(kind)
    least, most = SPANS[kind]
    if not (type(low) is int and type(high) is int and least <= low <= high <= most):
        raise NotationError(
            f"{what}: {str(kind)!r} goes from low to high, whole numbers of {least}..{most}, not"
            f" from {shown(low)} to {shown(high)}"
        )
    return Feature(kind, low, high)


def _read_chart(chart: Json) -> dict[int, Codes]:
    """Return a chart by up card."""
    body = _object(chart, "the chart", {"up_cards", "hard", "soft"}, {"pair"})
    ups = _read_cards(body["up_cards"], "up_cards")
    if sorted(ups) != sorted(UPS):
        raise NotationError(f"up_cards must be each of {', '.join(CARDS)} once")
    found: dict[int, Codes] = {up: {TWO_ACES: "H"} for up in ups}
    for kind, rows in ROWS.items():
        for row, codes in _read_rows(kind, rows, body.get(kind, {})):
            for up, code in zip(ups, _read_codes(row, codes, len(ups)), strict=True):
                found[up][row] = code
    return found


def _read_rows(kind: str, rows: Mapping[str, int], body: Json) -> Iterator[tuple[Row, Json]]:
    """Return the rows of a part of the chart; the pairs may be left out, all of them."""
    given = _object(body, f"the chart of {kind}", set())
    for name in given:
        _one_of(name, rows, f"a row of the chart of {kind}")
    for name, number in rows.items():
        row = Row(kind, number)
        if name in given:
            yield row, given[name]
        elif row != TWO_ACES and (given or kind != "pair"):
            raise NotationError(f"the chart of {kind} needs a row {name!r}")


def _read_codes(row: Row, codes: Json, number: int) -> Iterator[str]:
    what = f"row {_name(row)!r} of the chart of {row.kind}"
    found = _list(codes, what)
    if len(found) != number:
        raise NotationError(f"{what} needs {number} codes, one for each up card, not {len(found)}")
    valid = {code: code for code in (CODES if row.kind == "pair" else LATER)}
    return (_one_of(code, valid, f"a code of {what}") for code in found)


def _name(row: Row) -> str:
    return name_of(row.number) if row.kind == "pair" else str(row.number)


def _read_exceptions(exceptions: Json, chart: Mapping[int, Codes]) -> dict[int, Told]:
    """Return the exceptions by up card."""
    found: dict[int, Told] = {up: {} for up in chart}
    for number, exception in enumerate(_list(exceptions, "exceptions"), 1):
        what = f"exception {number}"
        body = _object(exception, what, {"cards", "row", "up", "play"})
        up = _one_of(body["up"], CARDS, f"an up card of {what}")
        group = _read_group(body["row"], body["cards"], chart[up], what)
        if group in found[up]:
            raise NotationError(f"{what} is about the same hands as another one")
        plays = {play: play for play in ("stand", "hit", "double")[: 3 if group.cards else 2]}
        found[up][group] = _one_of(body["play"], plays, f"a play of {what}")
    return found


def _read_group(row: Json, cards: Json, codes: Codes, what: str) -> Group:
    """Return the hands of an exception: two cards, or three and more of a row."""
    valid = [list(known) for known in codes if known.kind != "pair"]
    if row not in valid or type(row[1]) is not int:
        raise NotationError(f'{what}: {shown(row)} is no row: write it as in ["hard", 16]')
    group = Group(Row(*row))
    if cards is None:
        return group
    two = tuple(sorted(_read_cards(cards, f"{what}, 'cards'")))
    if len(two) != 2 or row_of(two, splits=False) != group.row:  # noqa: PLR2004
        raise NotationError(f"{what}: cards {shown(cards)} are not two that make {row[0]} {row[1]}")
    if row_of(two) in codes and row_of(two).kind == "pair":
        raise NotationError(f"{what}: cards {shown(cards)} have a row of their own among the pairs")
    return replace(group, cards=two)
