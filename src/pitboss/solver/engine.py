"""Values of hands against one up card: the Python interface of the kernels.

An engine has a deck, an up card and the dealer's rules. It caches computed values, so that starts
with the same up card share them. Its memory grows as needed, up to a limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import psutil  # type: ignore[import-untyped]

from pitboss.core.errors import GameError
from pitboss.solver.kernels import hand_values, memos, policies, stages
from pitboss.solver.tables import (
    ACE,
    DECK,
    STATES,
    Values,
    best_total,
    completing,
    dealer,
    decks_for,
    hands,
    key_weights,
    number_of,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pitboss.solver.tables import Floats, Ints, Plays

Hand: TypeAlias = Values  # one card or two

ROW_BYTES = 4 * memos.CARDS + 8 * memos.WORTH + 4 * 4
ENTRY_BYTES = 2 * 8 + 8 + 4 * 4
CELL_BYTES = 2 * 8
ANY_TWO = memos.DRAWING  # any two cards may double
PLAYS = ("stand", "hit", "double", "split")


class SolverError(GameError):
    """The solver cannot compute the requested result."""

    code = "solver"


def default_limit() -> int:
    """Return the memory that may be used, in bytes: three quarters of the free memory."""
    free: int = psutil.virtual_memory().available
    return min(filter(None, (free, _container_memory()))) * 3 // 4


def _container_memory() -> int | None:
    """Return the free memory of a container, which psutil does not know; None without a limit."""
    group = Path("/sys/fs/cgroup")
    try:
        most, used = (int((group / f"memory.{n}").read_text("ascii")) for n in ("max", "current"))
    except (ValueError, OSError):
        return None
    return max(most - used, 1 << 20)


@dataclass(frozen=True, slots=True)
class Play:
    """The settings for the legal plays of a hand and the payout of a blackjack."""

    max_splits: int = 4
    double_after_split: bool = True
    resplit_aces: bool = False
    hit_split_aces: bool = False
    pays: float = 1.5

    @property
    def splits(self) -> memos.Splits:
        return memos.Splits(
            self.max_splits,
            int(self.double_after_split),
            int(self.resplit_aces),
            int(self.hit_split_aces),
            self.pays,
        )


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected results of a starting hand, per unit of its bet."""

    value: float
    doubles: float = 0.0
    splits: float = 0.0
    blackjacks: float = 0.0
    surrenders: float = 0.0

    def __add__(self, other: Expected) -> Expected:
        return Expected(
            self.value + other.value,
            self.doubles + other.doubles,
            self.splits + other.splits,
            self.blackjacks + other.blackjacks,
            self.surrenders + other.surrenders,
        )

    def times(self, chance: float) -> Expected:
        """Return these results, multiplied by the chance of their case."""
        return Expected(
            chance * self.value,
            chance * self.doubles,
            chance * self.splits,
            chance * self.blackjacks,
            chance * self.surrenders,
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """The plays of a starting hand, by the number of the hand of values that it has become."""

    start: Plays
    split: Plays  # the same for the hands of a split
    splits: int  # the limit on splits; 0 if the pair is not split
    decks: int = 1  # the hands are numbered for this number of decks
    surrenders: bool = False  # whether the first two cards are given up if they may be

    def play(self, cards: Values, *, from_split: bool = False) -> str:
        """Return the play of a hand of two or more cards."""
        plays = self.split if from_split else self.start
        return PLAYS[plays[number_of(cards, self.decks)]]


@dataclass(frozen=True, slots=True)
class SplitPair:
    """A way to split a pair: its expected results, the plays of the hands, the limit on splits."""

    expected: Expected
    plays: Plays
    splits: int


class Engine:
    """Values of hands against one up card; after a peek, given that the dealer has no blackjack."""

    def __init__(  # noqa: PLR0913  the options of the dealer and the deck
        self,
        up: int,
        *,
        peeks: bool = True,
        hits_soft_17: bool = True,
        deck: Values = DECK,
        doubling: int = ANY_TWO,
        run_out: float = 1.0,
        rows: int = 1 << 18,
        limit: int | None = None,
    ) -> None:
        if sum(deck) >= memos.LEVELS:
            raise SolverError(f"the solver plays with at most {memos.LEVELS - 1} cards")
        self.up, self.deck, self.limit = int(up), deck, limit or default_limit()
        self.decks = decks_for(deck)
        self.barred = completing(up) if peeks else 0
        self._tree = dealer(up, hits_soft_17=hits_soft_17, peeks=peeks, decks=self.decks)
        self._weights = key_weights(deck)
        self._run_out, self._doubling = run_out, doubling
        grown = hands(self.decks)
        self.hands = memos.Hands(
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
        self._stages = Stages(Play(), self.decks)

    def _memo(self, rows: int) -> memos.Memo:
        work = np.zeros(memos.WORK, np.int64)
        work[memos.DECK_AT : memos.DECK_AT + 10] = self.deck
        work[memos.WEIGHTS_AT : memos.WEIGHTS_AT + 10] = self._weights
        _empty_levels(work)
        tree = self._tree
        return memos.Memo(
            self.barred - 1,
            self._run_out,
            self._doubling,
            work,
            np.empty((rows, memos.CARDS), np.int32),
            np.empty((rows, memos.WORTH)),
            _slots(rows),
            np.column_stack(tree[:6]).astype(np.int32),
            np.column_stack([tree.ways, tree.ways]),
        )

    @property
    def states(self) -> int:
        """The number of values computed, for hands played alone and for later hands."""
        known = self.memo.worth[: self._rows, :STATES]
        return int(np.count_nonzero(~np.isnan(known))) + self.entries

    @property
    def room_used(self) -> int:
        """The memory used, in bytes."""
        return _bytes(*self._room)

    @property
    def _room(self) -> tuple[int, int, int]:
        return len(self.memo.cards), len(self.later.entry), len(self.later.cells)

    @property
    def _rows(self) -> int:
        return int(self.memo.work[memos.ROWS_USED])

    @property
    def entries(self) -> int:
        return int(self.memo.work[memos.ENTRIES_USED])

    def row(self, seen: Values) -> int:
        """Return the row of the cards seen; *seen* does not include the up card."""
        key = sum(self._weights[v - 1] for v in (*seen, self.up))
        return int(self.call(hand_values.find_row, key))

    def may_double(self, state: int) -> bool:
        """Return whether two cards of this state may double."""
        return bool(self._doubling >> state & 1)

    def chance(self, seen: Values, value: int) -> float:
        """Return the chance that the next card has *value*."""
        return float(hand_values.chance(self.memo, self.row(seen), value - 1))

    def stand(self, seen: Values, total: int) -> float:
        """Return the value of standing on *total*."""
        column = memos.STAND_AT + max(0, total - 16)
        return float(self.memo.worth[self.row(seen), column])

    # --- hands that are played independently

    def expected(self, seen: Values, hand: Hand, play: Play) -> Expected:
        """Return the expected results of a starting hand that is played alone."""
        out = np.empty(4)
        self.play(policies.none_value, play.splits, self.row(seen), *_two(hand), out)
        return Expected(*out.tolist())

    def options(
        self, seen: Values, cards: Values, play: Play, *, from_split: bool = False
    ) -> dict[str, float]:
        """Return the value of every legal play of a hand that is played alone.

        *seen* are all cards that count as seen, including those of the hand. ``max_splits`` of
        *play* is the number of splits left.
        """
        total, soft = best_total(cards)
        is_pair = len(cards) == 2 and cards[0] == cards[1]  # noqa: PLR2004
        is_ace = from_split and cards[0] == ACE
        may_split = is_pair and (not is_ace or play.resplit_aces)
        is_ace = is_ace and not play.hit_split_aces
        out = np.empty(4)
        self.play(
            policies.none_options,
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
        """Return the policy of a starting hand that is played alone."""
        out = np.empty((3, len(self.hands.at)), np.int8)
        self.play(policies.none_policy, play.splits, self.row(seen), *_two(hand), out)
        return Policy(out[0], out[1], int(out[2, 0]), self.decks)

    def best_split(self, seen: Values, card: int, play: Play) -> SplitPair:
        """Return the best way to split a pair; each hand is played alone, knowing the pair."""
        plays, out = np.zeros(len(self.hands.at), np.int8), np.empty(3)
        most = self.play(policies.split_choice, play.splits, self.row(seen), card, plays, out)
        value, doubled, hands = out.tolist()
        return SplitPair(Expected(value, doubled, hands - 1), plays, int(most))

    # --- given plays

    def best_plays(self, seen: Values, hand: Hand, *, doubles: bool) -> Plays:
        """Return the best play, alone and without splits, of every hand that a hand grows into."""
        plays = np.zeros(len(self.hands.at), np.int8)
        self.play(policies.start_policy, self.row(seen), *_two(hand), int(doubles), plays)
        return plays

    def follow(self, seen: Values, hand: Hand, plays: Plays) -> float:
        """Return the value of a hand played by *plays*."""
        out = np.empty((10, 2))
        self.play(policies.follow, self.row(seen), *_two(hand), plays, out)
        return float(out[:, 0].sum())

    def follow_all(self, plays: Plays) -> Floats:
        """Return the value of every hand played by *plays*, by its number; nan if not reached.

        The cards seen are the up card and those of the hand.
        """
        out = np.full(len(self.hands.at), np.nan)
        self.play(policies.follow_all, self.row(()), plays, out)
        return out

    def split(self, seen: Values, card: int, plays: Plays, most: int) -> list[float]:
        """Return the value of splitting by *plays* with at most 1, 2, ..., *most* splits."""
        return [found.value for found in self.expected_splits(seen, card, plays, most)]

    def expected_splits(self, seen: Values, card: int, plays: Plays, most: int) -> list[Expected]:
        """Return the expected results of splitting by *plays*, with at most 1, 2, ... splits."""
        out = np.empty((most, 3))
        self.play(policies.split_values, self.row(seen), card, most, plays, out)
        return [Expected(value, doubled, hands - 1) for value, doubled, hands in out.tolist()]

    # --- hands that see the cards drawn by earlier hands

    def values(self, starts: Sequence[tuple[Values, tuple[Hand, ...]]], play: Play) -> list[float]:
        """Return the value of hands played in order from the cards seen, for each start."""
        roots = [self._enter(seen, hands, play) for seen, hands in starts]
        self._later_call(stages.work_out)
        return [
            float(self.later.value[stages.find_entry(self.memo, self.later, *r)]) for r in roots
        ]

    def decisions(
        self, seen: Values, hands: tuple[Hand, ...], play: Play
    ) -> dict[int, dict[str, float]]:
        """Return every play of the first hand with its value, by its second card."""
        stage, row = self._enter(seen, hands, play)
        self._later_call(stages.work_out)
        out = np.empty((10, 4))
        self._later_call(stages.decisions, stage, row, out)
        return {v + 1: _named(out[v]) for v in range(10) if out[v].max() > -np.inf}

    def _enter(self, seen: Values, hands: tuple[Hand, ...], play: Play) -> tuple[int, int]:
        if self._stages.play != play:
            self.forget()
            self._stages = Stages(play, self.decks)
        stage, row = self._stages.of(hands), self.row(seen)
        self.call(lambda memo: stages.find_entry(memo, self.later, stage, row))
        return stage, row

    def _later_call(self, function: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401
        """Call a kernel with the arrays of later hands, which a retry may have enlarged."""
        stage, pays = self._stages.arrays()

        def call(memo: memos.Memo, hands: memos.Hands) -> None:
            function(memo, hands, self.later._replace(stage=stage, pays=pays), *arguments)

        self.play(call)

    # --- memory

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401  kernels
        """Call a kernel; if its arrays are full, enlarge them, keep the values and retry."""
        while True:
            try:
                return function(self.memo, *arguments)
            except MemoryError:
                self._make_room()

    def play(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401  kernels
        """Call a kernel that plays hands of values."""
        return self.call(function, self.hands, *arguments)

    def _make_room(self) -> None:
        """Enlarge the full arrays in place, because a copy might not fit in memory."""
        used = self.memo.work[[memos.ROWS_USED, memos.ENTRIES_USED, memos.CELLS_USED]]
        rows, entries, cells = (
            _more(n) if u == n else n for n, u in zip(self._room, used, strict=True)
        )
        spare = self.limit - _bytes(0, entries, cells)
        if rows * ROW_BYTES > spare > 1.2 * len(self.memo.cards) * ROW_BYTES:
            rows = spare // ROW_BYTES
        if rows * ROW_BYTES > spare:
            raise SolverError(
                f"this needs more than the limit of {self.limit / 2**30:.2g} GiB of memory: choose"
                " a shorter card memory or fewer splits"
            )
        memo, later = self.memo, self.later
        memo.cards.resize((rows, memos.CARDS), refcheck=False)
        memo.worth.resize((rows, memos.WORTH), refcheck=False)
        later.entry.resize((entries, 2), refcheck=False)
        later.value.resize(entries, refcheck=False)
        later.cells.resize((cells, 2), refcheck=False)
        memo.cards[:, [memos.WANTED, memos.STAGE_WANTED]] = 0
        _empty_levels(memo.work)
        self.memo = memo._replace(slots=_slots(rows))
        self.later = later._replace(slots=_slots(entries))
        stages.place_again(self.memo, self.later)

    def forget(self) -> None:
        """Drop the values of later hands; keep those of hands played alone."""
        self.memo.work[memos.ENTRIES_USED] = 0
        self.later.head.fill(-1)
        self.later.slots.fill(-1)
        self.memo.worth[: self._rows, memos.STAGE_AT] = -1


def _slots(number: int) -> NDArray[np.int32]:
    """Return an empty hash table: a power of two, at least twice *number*."""
    return np.full(1 << (2 * number - 1).bit_length(), -1, np.int32)


def _empty_levels(work: Ints) -> None:
    """Empty the lists of rows to compute."""
    work[memos.LEVELS_AT :] = -1
    work[memos.LOWEST], work[memos.HIGHEST] = memos.LEVELS, -1


def _more(number: int) -> int:
    """Return the next size of a full array; large steps, because each one causes a retry."""
    return (4 if number < 1 << 20 else 2) * number


def _bytes(rows: int, entries: int, cells: int) -> int:
    return rows * ROW_BYTES + entries * ENTRY_BYTES + cells * CELL_BYTES


def _later(entries: int, cells: int) -> memos.Later:
    return memos.Later(
        np.empty((entries, 2), np.int64),
        _slots(entries),
        np.full(memos.STAGES, -1, np.int32),
        np.empty(entries),
        np.empty((cells, 2), np.int64),
        np.empty((memos.STAGES, 2), np.int64),
        np.empty((0, 7), np.int64),
        np.empty(0),
    )


def _two(hand: Hand) -> tuple[int, int]:
    """Return a hand's cards as plain integers; the values given may be of another type."""
    return int(hand[0]), int(hand[1]) if len(hand) > 1 else 0


def _named(options: Floats) -> dict[str, float]:
    """Return the legal plays with their values."""
    values = zip(PLAYS, options.tolist(), strict=True)
    return {name: value for name, value in values if value > -np.inf}


class Stages:
    """Hands still to be played, as stages: a hand, the next stage, and the stage after a split.

    The stages that a stage leads to have lower numbers.
    """

    def __init__(self, play: Play, decks: int) -> None:
        self.play = play
        self._hands = hands(decks)
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
        pair = self._hands.pair[a, b]
        is_plain = then < 0 and b and split < 0 and (a, b) not in {(1, 10), (10, 1)}
        plain = int(self._hands.state[pair]) if is_plain else 0
        return self._number((a, b, then, split, 1, 0, plain, self.play.pays))

    def _split(self, card: int, used: int, waiting: int, then: int) -> int:
        """Return the stage of a split hand after *used* splits, with *waiting* hands after it."""
        is_ace = card == 1
        follows = self._split(card, used, waiting - 1, then) if waiting else then
        again = used < self.play.max_splits and (not is_ace or self.play.resplit_aces)
        split = self._split(card, used + 1, waiting + 1, then) if again else -1
        stands = is_ace and not self.play.hit_split_aces
        doubles = int(self.play.double_after_split and not stands)
        return self._number((card, 0, follows, split, doubles, int(stands), 0, 0.0))

    def _number(self, stage: tuple[float, ...]) -> int:
        assert len(self._numbers) < memos.STAGES  # noqa: S101  there are at most 10,313
        return self._numbers.setdefault(stage, len(self._numbers))

    def arrays(self) -> tuple[Ints, Floats]:
        """Return the stages and the payouts of their blackjacks as arrays for the kernels."""
        table = np.array(list(self._numbers))
        return table[:, :7].astype(np.int64), table[:, 7].copy()
