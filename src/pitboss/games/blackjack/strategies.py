"""Strategies of blackjack, as tables for the kernel.

The built-in ones are the solver's strategy, the printed card, mimicking the dealer, and never
risking a bust. A custom strategy is a strategy file (the card's JSON with a chart), or a function
that is called once for every case. A chart is read as on the card: a pair has its own row, and any
other hand uses the row of its total. If a double is not allowed, Dh is hit and Ds is stand; if a
surrender is not allowed, Rh is hit, Rs is stand and Rp is split.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pitboss.core.cards import BLACKJACK
from pitboss.core.errors import NotationError, RuleError, shown
from pitboss.core.settings import read_json
from pitboss.core.twenty_one import DEALER_STANDS, TWO, Soft17
from pitboss.games.blackjack import tables
from pitboss.games.blackjack.game import GAME
from pitboss.games.blackjack.kernels import layout
from pitboss.games.blackjack.rules import SurrenderRule
from pitboss.games.blackjack.solver import Chart, Row, Solver, best_chart
from pitboss.games.blackjack.solver.charts import FIRST, LATER, Column
from pitboss.games.blackjack.solver.starts import name_of
from pitboss.solver.engine import Policy, default_limit
from pitboss.solver.tables import (
    ACE,
    VALUES,
    best_total,
    hands,
    hands_of_values,
)
from pitboss.strategy.files import check_game, one_of, read_chart, read_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from pitboss.core.settings import Json
    from pitboss.games.blackjack.rules import Rules
    from pitboss.solver.tables import Values

    Bytes: TypeAlias = NDArray[np.uint8]
    Tables: TypeAlias = tuple[Bytes, NDArray[np.int16], Bytes, NDArray[np.int64]]
    Tell: TypeAlias = Callable[[float], object]

__all__ = [
    "PlaySituation",
    "Strategy",
    "at_random",
    "by_chart",
    "mimic",
    "named",
    "never_bust",
    "printed",
    "read",
    "solved",
]

NAMES = GAME.strategies
"""The names of the built-in strategies."""

PLAYS = ("stand", "hit", "double", "split", "surrender")
"""The plays, in the kernel's order."""

UNKNOWN = 255  # no play
STIFF = 12  # a hard total of this or more can bust


@dataclass(frozen=True, eq=False)
class Strategy:
    """The play of every hand, as a table for the kernel; and the expectation, if known."""

    name: str
    rules: Rules
    plays: Bytes
    ev: float | None = None  # the expectation of the Main bet with insurance, for one seat
    mode: int = layout.BY_TABLE

    def tables(self, seats: int = 1) -> Tables:
        """Return the tables that a round is played from."""
        options = tables.options_of(self.rules)
        options[layout.SEATS], options[layout.MODE] = seats, self.mode
        options[layout.AHEAD] = tables.ahead_of(seats)
        grown = tables.grown(self.rules.decks, self.rules.double)
        return self.plays, grown, tables.dealer(self.rules.soft_17), options

    def digest(self) -> str:
        """Return a hash that identifies the strategy."""
        return sha256(bytes([self.mode]) + self.plays.tobytes()).hexdigest()

    @classmethod
    def from_function(
        cls, rules: Rules, play: Callable[[PlaySituation], str], *, name: str = "own"
    ) -> Strategy:
        """Call a function once for every possible case, and use its answers as the strategy.

        *play* returns a legal play, or "insure" to insure the first two cards under an ace; it is
        then called again for the play. If it splits a pair, it is called again to decide whether to
        split further.
        """
        plays = empty_plays(rules)
        for up in VALUES:
            _Answers(rules, play, up).fill(plays)
        return cls(name, rules, plays)


@dataclass(frozen=True, slots=True)
class PlaySituation:
    """The information for a play: the up card, the hand's sorted values, and the legal plays."""

    up: int
    hand: Values  # ace 1 to ten 10
    legal: tuple[str, ...]  # some of hit, stand, double, split, surrender; or insure and decline
    split_card: int | None = None  # the value of the card that was split; None before a split

    @property
    def total(self) -> int:
        return best_total(self.hand)[0]

    @property
    def is_soft(self) -> bool:
        """Whether an ace counts as 11 in the total."""
        return best_total(self.hand)[1]


def named(rules: Rules, name: str, progress: Tell = lambda _: None) -> Strategy:
    """Return a strategy by name; *progress* receives the share of the work done."""
    made: dict[str, Callable[[], Strategy]] = {
        "solver": lambda: solved(rules, progress),
        "card": lambda: printed(rules, progress),
        "mimic": lambda: mimic(rules),
        "never-bust": lambda: never_bust(rules),
        "random": lambda: at_random(rules),
    }
    if name not in made:
        raise NotationError(f"no strategy {shown(name)}: choose from {', '.join(NAMES)}")
    return made[name]()


def mimic(rules: Rules) -> Strategy:
    """Return the strategy of a player who plays like the dealer."""
    return _by_total(rules, "mimic", partial(_dealer_hits, rules))


def never_bust(rules: Rules) -> Strategy:
    """Return the strategy of a player who plays like the dealer, but stands if a card can bust."""

    def hits(total: int, *, soft: bool) -> bool:
        return _dealer_hits(rules, total, soft=soft) and (soft or total < STIFF)

    return _by_total(rules, "never-bust", hits)


def at_random(rules: Rules) -> Strategy:
    """Return the strategy of a player whose every legal decision is equally likely."""
    return Strategy("random", rules, empty_plays(rules), mode=layout.AT_RANDOM)


def _dealer_hits(rules: Rules, total: int, *, soft: bool) -> bool:
    soft_17 = soft and total == DEALER_STANDS and rules.soft_17 is Soft17.HIT
    return total < DEALER_STANDS or soft_17


def _by_total(rules: Rules, name: str, hits: Callable[..., bool]) -> Strategy:
    """Return the strategy of a player who only hits or stands."""
    plays = empty_plays(rules)
    for number, cards in enumerate(hands_of_values(rules.decks)):
        total, soft = best_total(cards)
        plays[:, number] = layout.HIT if hits(total, soft=soft) else layout.STAND
    return Strategy(name, rules, plays)


# --- the table of plays


def empty_plays(rules: Rules, play: int = layout.STAND) -> Bytes:
    """Return a table with the same play of every hand."""
    return np.full((layout.ROWS, len(hands_of_values(rules.decks)) + 1), play, np.uint8)


def split_row(up: int, card: int) -> int:
    """Return the row of plays after the split of a pair."""
    return layout.SPLIT_ROWS + 10 * (up - 1) + card - 1


def _fill(plays: Bytes, up: int, own: Values, policy: Policy) -> None:
    """Write the plays of a start and of all hands that it grows into."""
    table, row = hands(policy.decks), plays[up - 1]
    waiting = [int(table.pair[own])]
    while waiting:
        hand = waiting.pop()
        row[hand] = policy.start[hand]
        if row[hand] == layout.HIT:
            waiting += [c for c in table.child[hand].tolist() if c >= 0 and row[c] == UNKNOWN]
    if policy.surrenders:
        row[table.pair[own]] = layout.SURRENDER
    if own[0] == own[1]:
        split = plays[split_row(up, own[0])]
        split[:-1], split[-1] = policy.split, policy.splits


def _completed(plays: Bytes, rules: Rules) -> Bytes:
    """Make hands of 21 stand, which have no decision (rule 4), and hands that never occur."""
    total = tables.grown(rules.decks, rules.double)[:-1, layout.TOTAL]
    plays[:, np.flatnonzero(total == BLACKJACK)] = layout.STAND
    plays[plays == UNKNOWN] = layout.STAND
    return plays


# --- the solver's strategy


def solved(rules: Rules, progress: Tell = lambda _: None) -> Strategy:
    """Return the solver's strategy; *progress* receives the share of the work done."""
    workers = os.cpu_count() or 1
    solver = Solver(rules, limit=default_limit() // workers)
    plays = empty_plays(rules, UNKNOWN)

    def one_card(up: int) -> float:
        for own, _ in solver.starts(up):
            _fill(plays, up, own, solver.policy(up, own))
        card = solver.solve_card(up)
        solver.forget(up)
        return card.chance * card.ev

    ev = 0.0
    with ThreadPoolExecutor(workers) as pool:
        for done, worth in enumerate(pool.map(one_card, VALUES), 1):
            ev += worth
            progress(done / len(VALUES))
    return Strategy(NAMES[0], rules, _completed(plays, rules), ev)


# --- a chart


def printed(rules: Rules, progress: Tell = lambda _: None) -> Strategy:
    """Return the strategy of the printed card for these rules, with its exact expectation."""
    solver = Solver(rules)
    chart = best_chart(solver, progress)
    return by_chart(chart, rules, name=NAMES[1], ev=chart.expected(Solver(rules)).value)


def by_chart(chart: Chart, rules: Rules, *, name: str, ev: float | None = None) -> Strategy:
    """Return the strategy of a chart, played under *rules*."""
    solver, plays = Solver(rules), empty_plays(rules, UNKNOWN)
    for up, codes in chart.codes.items():
        column = Column(solver, up)
        for own, _ in column.starts:
            _fill(plays, up, own, column.policy(codes, own))
        solver.forget(up)
    return Strategy(name, rules, _completed(plays, rules), ev)


# --- a strategy file

OPTIONAL_PLAYING_KEYS = {"insurance", "exceptions", "cost", "cost_with_exceptions", "least_gain"}
INSURANCES = {"never": False, "always": True}


def read(data: str | Mapping[str, Json], rules: Rules, *, name: str = "file") -> Strategy:
    """Read a strategy file, as JSON text or parsed, to play it under *rules*.

    The file may have been printed for other rules.
    """
    parsed = read_json(data) if isinstance(data, str) else data
    body = read_object(parsed, "a strategy", {"playing"})
    check_game(body, GAME.key)
    playing = read_object(body["playing"], "playing", {"chart"}, OPTIONAL_PLAYING_KEYS)
    found = by_chart(_read_chart(playing["chart"]), rules, name=name)
    if one_of(playing.get("insurance", "never"), INSURANCES, "a value of 'insurance'"):
        two = np.flatnonzero(hands(rules.decks).size == TWO)
        found.plays[0, two] |= layout.INSURE
    return found


def _read_chart(data: Json) -> Chart:
    """Return a chart; pairs without rows are played as their totals."""
    found = read_chart(data, LATER, FIRST)
    charts = {}
    for up, codes in found.items():
        rows = {Row(*row): code for row, code in codes.items()}
        for card in VALUES:
            total, soft = best_total((card, card))
            rows.setdefault(Row("pair", card), rows[Row("soft" if soft else "hard", total)])
        charts[up] = rows
    return Chart(charts)


# --- a function


class _Answers:
    """The plays of a function against one up card; it is called only for possible decisions."""

    def __init__(self, rules: Rules, play: Callable[[PlaySituation], str], up: int) -> None:
        self._rules, self._play, self._up = rules, play, up
        self._grown = tables.grown(rules.decks, rules.double)
        self._numbers = {cards: i for i, cards in enumerate(hands_of_values(rules.decks))}

    def fill(self, plays: Bytes) -> None:
        """Write the answers to the table of plays."""
        for cards, number in self._open_hands():
            plays[self._up - 1, number] = self._before(cards)
        for pair in VALUES:
            if plays[self._up - 1, self._numbers[pair, pair]] & layout.PLAYS == layout.SPLIT:
                self._fill_split(plays[split_row(self._up, pair)], pair)
        if self._up == ACE and self._rules.insurance:
            for cards, number in self._numbers.items():
                if len(cards) == TWO and self._ask(cards, ("decline", "insure")) == "insure":
                    plays[0, number] |= layout.INSURE

    def _open_hands(self) -> Iterator[tuple[Values, int]]:
        """Yield the hands of two or more cards that have a decision."""
        for cards, number in self._numbers.items():
            if len(cards) >= TWO and self._grown[number, layout.TOTAL] < BLACKJACK:
                yield cards, number

    def _before(self, cards: Values) -> int:
        """Return the play of a hand that does not come from a split."""
        rules, legal = self._rules, ["hit", "stand"]
        if len(cards) == TWO:
            legal += ["double"] * self._may_double(cards)
            legal += ["split"] * (cards[0] == cards[1] and rules.max_splits > 0)
            legal += ["surrender"] * (rules.surrender is SurrenderRule.LATE)
        return PLAYS.index(self._ask(cards, tuple(legal)))

    def _fill_split(self, row: Bytes, pair: int) -> None:
        """Write the plays after the split of a pair."""
        rules = self._rules
        frozen = pair == ACE and not rules.hit_split_aces
        again = rules.max_splits > 1 and (pair != ACE or rules.resplit_aces)
        row[-1] = 1
        if (
            again
            and self._ask((pair, pair), (*self._after(pair, frozen=frozen), "split"), pair)
            == "split"
        ):
            row[-1] = rules.max_splits
        for cards, number in () if frozen else self._open_hands():
            if pair in cards:
                legal = self._after(pair, cards)
                row[number] = PLAYS.index(self._ask(cards, legal, pair))

    def _after(self, pair: int, cards: Values = (), *, frozen: bool = False) -> tuple[str, ...]:
        """Return the legal plays of a split hand, except another split (rules 8a, 8d)."""
        if frozen:
            return ("stand",)
        two = cards or (pair, pair)
        doubles = self._rules.double_after_split and len(two) == TWO and self._may_double(two)
        return ("hit", "stand", "double") if doubles else ("hit", "stand")

    def _may_double(self, cards: Values) -> bool:
        return bool(self._grown[self._numbers[cards], layout.DOUBLES])

    def _ask(self, cards: Values, legal: tuple[str, ...], split_card: int | None = None) -> str:
        said = self._play(PlaySituation(self._up, cards, legal, split_card))
        if said not in legal:
            names = "-".join(map(name_of, cards))
            raise RuleError(
                f"the strategy plays {shown(said)} with {names} against {name_of(self._up)}: legal"
                f" are {', '.join(legal)}"
            )
        return said
