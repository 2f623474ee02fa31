"""Values of hands against one up card: Python's side of the kernels.

An engine knows a deck, an up card and how the dealer plays. It keeps what it has worked out, so
that starts with the same up card share it, and grows as it is needed, never over its limit.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pitboss.errors import GameError
from pitboss.kernels import blackjack as kernel
from pitboss.solver.tables import (
    ACE,
    DECK,
    STATES,
    Values,
    best_total,
    completing,
    dealer,
    hands,
    key,
    number_of,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pitboss.solver.tables import Floats, Ints, Plays

Hand: TypeAlias = Values  # one card or two

ROW_BYTES = 4 * kernel.CARDS + 8 * kernel.WORTH + 4 * 4
ENTRY_BYTES = 2 * 8 + 8 + 4 * 4
CELL_BYTES = 2 * 8
PLAYS = ("stand", "hit", "double", "split")


class SolverError(GameError):
    """A question that the solver cannot answer here."""

    code = "solver"


def default_limit() -> int:
    """Return the memory that may be used, in bytes: three quarters of what is free."""
    return min(filter(None, (_free(), _granted())), default=1 << 30) * 3 // 4


def _free() -> int | None:
    """Return what the machine has free, as Linux or any Unix tells it."""
    try:
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def _granted() -> int | None:
    """Return what a container leaves free."""
    group = Path("/sys/fs/cgroup")
    try:
        most, used = (int((group / f"memory.{n}").read_text("ascii")) for n in ("max", "current"))
    except (ValueError, OSError):
        return None
    return max(most - used, 1 << 20)


@dataclass(frozen=True, slots=True)
class Play:
    """The settings that decide what a hand may do and what a blackjack pays."""

    max_splits: int = 4
    double_after_split: bool = True
    resplit_aces: bool = False
    pays: float = 1.5

    @property
    def splits(self) -> kernel.Splits:
        return kernel.Splits(
            self.max_splits, int(self.double_after_split), int(self.resplit_aces), self.pays
        )


@dataclass(frozen=True, slots=True)
class Expected:
    """What a starting hand brings, expected: per unit of its bet."""

    value: float
    doubles: float = 0.0
    splits: float = 0.0
    blackjacks: float = 0.0

    def __add__(self, other: Expected) -> Expected:
        return Expected(
            self.value + other.value,
            self.doubles + other.doubles,
            self.splits + other.splits,
            self.blackjacks + other.blackjacks,
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """How a starting hand is played, by the number of the hand of values it has grown into."""

    start: Plays
    split: Plays  # the same for the hands of a split
    splits: int  # at most so many; 0 if the pair is not split

    def play(self, cards: Values, *, from_split: bool = False) -> str:
        """Return what to do with a hand of two or more cards."""
        plays = self.split if from_split else self.start
        return PLAYS[plays[number_of(cards)]]


class Engine:
    """What hands are worth against one up card; after a peek, given no dealer's blackjack."""

    def __init__(  # noqa: PLR0913  a dealer and a deck, each by name
        self,
        up: int,
        *,
        peeks: bool = True,
        hits_soft_17: bool = True,
        deck: Values = DECK,
        run_out: float = 1.0,
        rows: int = 1 << 18,
        limit: int | None = None,
    ) -> None:
        self.up, self.deck, self.limit = int(up), deck, limit or default_limit()
        self.barred = completing(up) if peeks else 0
        self._tree = dealer(up, hits_soft_17=hits_soft_17, peeks=peeks)
        self._run_out = run_out
        grown = hands()
        self.hands = kernel.Hands(
            np.column_stack([grown.state, grown.size, grown.child]),
            grown.pair,
            grown.order,
            grown.begin,
            np.empty(len(grown.state), np.int64),
            np.empty(len(grown.state)),
        )
        rows = min(rows, max(64, self.limit // (2 * _bytes(1, 1, 1))))
        self.memo = self._memo(rows)
        self.later = _later(rows, rows)
        self._stages = Stages(Play())

    def _memo(self, rows: int) -> kernel.Memo:
        work = np.zeros(kernel.WORK, np.int64)
        work[kernel.DECK_AT : kernel.DECK_AT + 10] = self.deck
        work[kernel.LEVELS_AT :] = -1
        tree = self._tree
        return kernel.Memo(
            self.barred - 1,
            self._run_out,
            work,
            np.empty((rows, kernel.CARDS), np.int32),
            np.empty((rows, kernel.WORTH)),
            _slots(rows),
            np.column_stack(tree[:6]).astype(np.int32),
            np.column_stack([tree.ways, tree.ways]),
        )

    @property
    def states(self) -> int:
        """How many values have been worked out: of hands alone, and of hands still to come."""
        known = self.memo.worth[: self._rows, :STATES]
        return int(np.count_nonzero(~np.isnan(known))) + self.entries

    @property
    def room_used(self) -> int:
        """The memory taken, in bytes."""
        return _bytes(*self._room)

    @property
    def _room(self) -> tuple[int, int, int]:
        return len(self.memo.cards), len(self.later.entry), len(self.later.cells)

    @property
    def _rows(self) -> int:
        return int(self.memo.work[kernel.ROWS_USED])

    @property
    def entries(self) -> int:
        return int(self.memo.work[kernel.ENTRIES_USED])

    def row(self, seen: Values) -> int:
        """Return the row of the cards seen, the up card not among *seen*."""
        return int(self.call(kernel.find_row, key((*seen, self.up))))

    def chance(self, seen: Values, value: int) -> float:
        """Return the chance that the next card is of *value*."""
        return float(kernel.chance(self.memo, self.row(seen), value - 1))

    def stand(self, seen: Values, total: int) -> float:
        """Return what standing on *total* is worth."""
        column = kernel.STAND_AT + max(0, total - 16)
        return float(self.memo.worth[self.row(seen), column])

    # --- hands that remember nothing of one another

    def expected(self, seen: Values, hand: Hand, play: Play) -> Expected:
        """Return what a starting hand brings that is played alone."""
        out = np.empty(4)
        self.play(kernel.none_value, play.splits, self.row(seen), *_two(hand), out)
        return Expected(*out.tolist())

    def options(
        self, seen: Values, cards: Values, play: Play, *, from_split: bool = False
    ) -> dict[str, float]:
        """Return the value of every play of a hand that is asked, played alone.

        *seen* are all the cards that count as seen, those of the hand among them. ``max_splits`` of
        *play* are the splits still left.
        """
        total, soft = best_total(cards)
        is_pair = len(cards) == 2 and cards[0] == cards[1]  # noqa: PLR2004
        is_ace = from_split and cards[0] == ACE
        may_split = is_pair and (not is_ace or play.resplit_aces)
        out = np.empty(4)
        self.play(
            kernel.none_options,
            play.splits,
            self.row(seen),
            int(state_of(total, soft=soft)),
            int(cards[0]) if may_split else 0,
            out,
        )
        named = _named(out)
        if len(cards) > 2 or (from_split and not play.double_after_split):  # noqa: PLR2004
            named.pop("double", None)
        if is_ace:
            named = {play: named[play] for play in ("stand", "split") if play in named}
        return named

    def policy(self, seen: Values, hand: Hand, play: Play) -> Policy:
        """Return how a starting hand is played alone."""
        out = np.empty((3, len(self.hands.at)), np.int8)
        self.play(kernel.none_policy, play.splits, self.row(seen), *_two(hand), out)
        return Policy(out[0], out[1], int(out[2, 0]))

    # --- given plays

    def best_plays(self, seen: Values, hand: Hand, *, doubles: bool) -> Plays:
        """Return the best play, alone and without splitting, of all that a hand grows into."""
        plays = np.zeros(len(self.hands.at), np.int8)
        self.play(kernel.start_policy, self.row(seen), *_two(hand), int(doubles), plays)
        return plays

    def follow(self, seen: Values, hand: Hand, plays: Plays) -> float:
        """Return what a hand is worth that is played by *plays*."""
        out = np.empty((10, 2))
        self.play(kernel.follow, self.row(seen), *_two(hand), plays, out)
        return float(out[:, 0].sum())

    def split(self, seen: Values, card: int, plays: Plays, most: int) -> list[float]:
        """Return what splitting is worth with at most 1, 2, ..., *most* splits, by *plays*."""
        out = np.empty((most, 3))
        self.play(kernel.split_values, self.row(seen), card, most, plays, out)
        return [float(value) for value in out[:, 0]]

    # --- hands that see what the earlier ones drew

    def values(self, starts: Sequence[tuple[Values, tuple[Hand, ...]]], play: Play) -> list[float]:
        """Return the value of hands played in order from the cards seen, for each start."""
        roots = [self._enter(seen, hands, play) for seen, hands in starts]
        self._later_call(kernel.work_out)
        return [
            float(self.later.value[kernel.find_entry(self.memo, self.later, *r)]) for r in roots
        ]

    def decisions(
        self, seen: Values, hands: tuple[Hand, ...], play: Play
    ) -> dict[int, dict[str, float]]:
        """Return every play of the first hand with its value, by its second card."""
        stage, row = self._enter(seen, hands, play)
        self._later_call(kernel.work_out)
        out = np.empty((10, 4))
        self._later_call(kernel.decisions, stage, row, out)
        return {v + 1: _named(out[v]) for v in range(10) if out[v].max() > -np.inf}

    def _enter(self, seen: Values, hands: tuple[Hand, ...], play: Play) -> tuple[int, int]:
        if self._stages.play != play:
            self.forget()
            self._stages = Stages(play)
        stage, row = self._stages.of(hands), self.row(seen)
        self.call(lambda memo: kernel.find_entry(memo, self.later, stage, row))
        return stage, row

    def _later_call(self, function: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401
        """Call a kernel with what there is of later hands: more may be there at the next try."""
        stage, pays = self._stages.arrays()

        def call(memo: kernel.Memo, hands: kernel.Hands) -> None:
            function(memo, hands, self.later._replace(stage=stage, pays=pays), *arguments)

        self.play(call)

    # --- room

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401  kernels
        """Call a kernel, with more room if it finds none; what was worked out stays."""
        while True:
            try:
                return function(self.memo, *arguments)
            except MemoryError:
                self._make_room()

    def play(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401  kernels
        """Call a kernel that plays hands of values."""
        return self.call(function, self.hands, *arguments)

    def _make_room(self) -> None:
        """Enlarge what is full, in place: a copy beside it could be too much."""
        used = self.memo.work[[kernel.ROWS_USED, kernel.ENTRIES_USED, kernel.CELLS_USED]]
        rows, entries, cells = (
            _more(n) if u == n else n for n, u in zip(self._room, used, strict=True)
        )
        spare = self.limit - _bytes(0, entries, cells)
        if rows * ROW_BYTES > spare > 1.2 * len(self.memo.cards) * ROW_BYTES:
            rows = spare // ROW_BYTES
        if rows * ROW_BYTES > spare:
            raise SolverError(
                f"this needs more than the {self.limit / 2**30:.2g} GiB of memory it may use:"
                " less memory of the cards or fewer splits need less"
            )
        memo, later = self.memo, self.later
        memo.cards.resize((rows, kernel.CARDS), refcheck=False)
        memo.worth.resize((rows, kernel.WORTH), refcheck=False)
        later.entry.resize((entries, 2), refcheck=False)
        later.value.resize(entries, refcheck=False)
        later.cells.resize((cells, 2), refcheck=False)
        memo.cards[:, [kernel.WANTED, kernel.STAGE_WANTED]] = 0
        memo.work[kernel.LEVELS_AT :] = -1
        self.memo = memo._replace(slots=_slots(rows))
        self.later = later._replace(slots=_slots(entries))
        kernel.place_again(self.memo, self.later)

    def forget(self) -> None:
        """Drop the values of hands still to come; what hands alone are worth stays."""
        self.memo.work[kernel.ENTRIES_USED] = 0
        self.later.head.fill(-1)
        self.later.slots.fill(-1)
        self.memo.worth[: self._rows, kernel.STAGE_AT] = -1


def _slots(number: int) -> NDArray[np.int32]:
    """Return places for so many: a power of two, at least twice as many."""
    return np.full(1 << (2 * number - 1).bit_length(), -1, np.int32)


def _more(number: int) -> int:
    """Return how much to make of what is full: a try that finds no room is begun again."""
    return (4 if number < 1 << 20 else 2) * number


def _bytes(rows: int, entries: int, cells: int) -> int:
    return rows * ROW_BYTES + entries * ENTRY_BYTES + cells * CELL_BYTES


def _later(entries: int, cells: int) -> kernel.Later:
    return kernel.Later(
        np.empty((entries, 2), np.int64),
        _slots(entries),
        np.full(kernel.STAGES, -1, np.int32),
        np.empty(entries),
        np.empty((cells, 2), np.int64),
        np.empty((kernel.STAGES, 2), np.int64),
        np.empty((0, 7), np.int64),
        np.empty(0),
    )


def _two(hand: Hand) -> tuple[int, int]:
    """Return a hand's cards as plain numbers, which a card's value need not be."""
    return int(hand[0]), int(hand[1]) if len(hand) > 1 else 0


def _named(options: Floats) -> dict[str, float]:
    """Return the legal plays with their values."""
    values = zip(PLAYS, options.tolist(), strict=True)
    return {name: value for name, value in values if value > -np.inf}


class Stages:
    """Hands still to be played, as stages: one hand, what follows it, what a split leads to.

    What a stage leads to is numbered before it.
    """

    def __init__(self, play: Play) -> None:
        self.play = play
        self._numbers: dict[tuple[float, ...], int] = {}

    def of(self, hands: tuple[Hand, ...]) -> int:
        """Return the stage of starting hands played in this order."""
        stage = -1
        for hand in reversed(hands):
            stage = self._start(hand, stage)
        return stage

    def _start(self, hand: Hand, then: int) -> int:
        a, b = _two(hand)
        may_split = self.play.max_splits > 0 and b in (0, a)
        split = self._split(a, 1, 1, then) if may_split else -1
        pair = hands().pair[a, b]
        is_plain = then < 0 and b and split < 0 and (a, b) not in {(1, 10), (10, 1)}
        plain = int(hands().state[pair]) if is_plain else 0
        return self._number((a, b, then, split, 1, 0, plain, self.play.pays))

    def _split(self, card: int, used: int, waiting: int, then: int) -> int:
        """Return the stage of a split hand: *used* splits made, *waiting* hands after this."""
        is_ace = card == 1
        follows = self._split(card, used, waiting - 1, then) if waiting else then
        again = used < self.play.max_splits and (not is_ace or self.play.resplit_aces)
        split = self._split(card, used + 1, waiting + 1, then) if again else -1
        doubles = int(self.play.double_after_split and not is_ace)
        return self._number((card, 0, follows, split, doubles, int(is_ace), 0, 0.0))

    def _number(self, stage: tuple[float, ...]) -> int:
        assert len(self._numbers) < kernel.STAGES  # noqa: S101  10,313 are the most there can be
        return self._numbers.setdefault(stage, len(self._numbers))

    def arrays(self) -> tuple[Ints, Floats]:
        """Return the stages as the kernels take them, and what their blackjacks pay."""
        table = np.array(list(self._numbers))
        return table[:, :7].astype(np.int64), table[:, 7].copy()
