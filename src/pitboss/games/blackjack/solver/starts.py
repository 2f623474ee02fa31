"""Solve blackjack from the deal: two cards against an up card, or the whole game."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb
from operator import index
from typing import TYPE_CHECKING, TypeAlias

from pitboss.core.errors import shown
from pitboss.core.twenty_one import TWO, Soft17
from pitboss.games.blackjack import GAME, DoubleOn, HoleCard, Rules, SurrenderRule
from pitboss.solver.engine import (
    ANY_TWO,
    Engine,
    Expected,
    Play,
    Policy,
    SolverError,
    SplitPair,
    default_limit,
)
from pitboss.solver.kernels.memos import SPLIT, TIE
from pitboss.solver.tables import (
    ACE,
    TEN,
    VALUES,
    Values,
    completing,
    decks_for,
    full_deck,
    number_of,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pitboss.core.settings import Json

Options: TypeAlias = dict[str, float]

SURRENDER_VALUE = -0.5


class Splitting(StrEnum):
    """How the hands of a split are played."""

    NONE = "none"  # best for each hand alone, knowing the pair: "CDP1"
    HAND = "hand"  # seeing the cards drawn by the earlier hands of the split
    UNSPLIT = "unsplit"  # like the same cards without a split: "CDZ-"


@dataclass(frozen=True, slots=True)
class Start:
    """Two cards against an up card, solved.

    ``plays`` has the value of every play as the player knows it: given no dealer's blackjack,
    unless the rules are ``no_peek``. ``expected`` is for the best play, and its value includes the
    case of a dealer's blackjack. With splitting ``hand`` the numbers of doubles and splits after a
    split are not computed.
    """

    up: int
    own: Values
    plays: Options
    best: str
    expected: Expected
    dealer_blackjack: float

    @property
    def ev(self) -> float:
        """The value of the start per unit bet, for the best play."""
        return self.expected.value


class Solver:
    """Solves the starts of blackjack with given rules, play of split hands, and deck.

    The deck has ten numbers, the cards of each value from ace to ten. By default it is the full
    shoe of the rules.
    """

    def __init__(
        self,
        rules: Rules,
        splitting: Splitting = Splitting.NONE,
        *,
        deck: Values | None = None,
        limit: int | None = None,
    ) -> None:
        if not isinstance(rules, Rules):
            raise SolverError(f"{shown(rules)} is not valid as rules of {GAME.key}")
        full = full_deck(rules.decks)
        deck = full if deck is None else tuple(map(index, deck))
        if len(deck) != len(full) or any(not 0 <= n <= m for n, m in zip(deck, full, strict=True)):
            raise SolverError(
                "a deck must be ten card counts, ace to ten, each at most that of the full shoe"
            )
        if splitting is Splitting.HAND and rules.max_splits > 1 and decks_for(deck) > 1:
            raise SolverError(
                "split hands that see each other's cards can be solved for one deck or one split:"
                " choose none or unsplit"
            )
        self.rules, self.splitting, self.deck, self._limit = rules, splitting, deck, limit
        self._engines: dict[int, Engine] = {}

    # --- the rules as the engine knows them

    @property
    def has_condition(self) -> bool:
        """Whether values of plays are given no dealer's blackjack.

        With original bets only, a dealer's blackjack takes the same whatever the play is. So the
        values are those after a peek.
        """
        return self.rules.hole_card is not HoleCard.NO_PEEK

    @cached_property
    def play(self) -> Play:
        """The settings for the legal plays of a hand."""
        rules = self.rules
        return Play(
            max_splits=rules.max_splits,
            double_after_split=rules.double_after_split,
            resplit_aces=rules.resplit_aces,
            hit_split_aces=rules.hit_split_aces,
            pays=float(rules.blackjack_pays.on(1)),
        )

    def engine(self, up: int) -> Engine:
        """Return the engine of an up card, which is cached for the next start."""
        if up not in self._engines:
            self._engines[up] = Engine(
                up,
                peeks=self.has_condition,
                hits_soft_17=self.rules.soft_17 is Soft17.HIT,
                deck=self.deck,
                doubling=_doubling(self.rules.double),
                run_out=0.0,  # rule 11
                limit=self._limit,
            )
        return self._engines[up]

    def forget(self, up: int) -> int:
        """Drop the cached values of an up card and return their number."""
        return self._engines.pop(up).states if up in self._engines else 0

    # --- one start

    def solve(self, up: int, own: Sequence[int]) -> Start:
        """Return the value of every play of two cards against *up*."""
        up, own = self._checked(up, own)
        chance = self.dealer_blackjack(up, own)
        if is_blackjack(own):
            return self._blackjack(up, own, chance)
        plays, split = self._plays(up, own)
        best = _best(plays)
        if best == "split" and split:
            expected = split.expected
        else:
            expected = Expected(
                plays[best],
                doubles=float(best == "double"),
                surrenders=float(best == "surrender"),
            )
        return Start(up, own, plays, best, self.with_dealer_blackjack(expected, chance), chance)

    def _checked(self, up: int, own: Sequence[int]) -> tuple[int, Values]:
        try:
            up, own = index(up), tuple(sorted(map(index, own)))
        except TypeError:  # cards instead of their values
            own = ()
        if len(own) != TWO or not {up, *own} <= {*VALUES}:
            raise SolverError("a start must be an up card and two cards, each a value of 1 to 10")
        if min(self.unseen((*own, up))) < 0:
            raise SolverError("the deck does not contain all of these cards")
        return up, own

    def _blackjack(self, up: int, own: Values, chance: float) -> Start:
        """Return a player's blackjack, which pushes against a dealer's."""
        value = (1 - chance) * self.play.pays
        plays = {"stand": self.play.pays if self.has_condition else value}
        return Start(up, own, plays, "stand", Expected(value, blackjacks=1.0), chance)

    def _plays(self, up: int, own: Values) -> tuple[Options, SplitPair | None]:
        """Return the value of every play of two cards, and the way to split them."""
        plays = self.engine(up).options(own, own, replace(self.play, max_splits=0))
        split = self._split(up, own)
        if split:
            plays["split"] = split.expected.value
        if self.rules.surrender is SurrenderRule.LATE:
            plays["surrender"] = self.surrender_value(self.dealer_blackjack(up, own))
        return plays, split

    def _split(self, up: int, own: Values) -> SplitPair | None:
        """Return how a pair is split if it is; None for cards that cannot be split."""
        card, play, engine = own[0], self.play, self.engine(up)
        if card != own[1] or not play.max_splits:
            return None
        if self.splitting is Splitting.NONE:
            return engine.best_split(own, card, play)
        if self.splitting is Splitting.HAND:
            value = engine.decisions(own, (own,), play)[card]["split"]
            return SplitPair(Expected(value), engine.best_split(own, card, play).plays, 0)
        plays = engine.best_plays((card,), (card,), doubles=play.double_after_split)
        if card == ACE and not play.hit_split_aces:
            plays[:] = 0  # stand after one card
        found = engine.expected_splits(own, card, plays, self.split_limit(card))
        most = max(range(len(found)), key=lambda n: (found[n].value, -n))
        return SplitPair(found[most], plays, most + 1)

    def split_limit(self, card: int) -> int:
        """Return how many times a pair of this card may be split."""
        once = card == ACE and not self.play.resplit_aces
        return min(1, self.play.max_splits) if once else self.play.max_splits

    def surrender_value(self, chance: float) -> float:
        """Return the value of a surrender, given the chance of a dealer's blackjack."""
        if self.has_condition:
            return SURRENDER_VALUE
        return (1 - chance) * SURRENDER_VALUE - chance  # it does not count against a blackjack

    def with_dealer_blackjack(self, expected: Expected, chance: float) -> Expected:
        """Add the case of a dealer's blackjack, which takes the bet."""
        if not self.has_condition:
            return expected
        decides = 1 - chance if self.rules.hole_card is HoleCard.PEEK else 1.0
        return Expected(
            (1 - chance) * expected.value - chance,
            doubles=decides * expected.doubles,
            splits=decides * expected.splits,
            surrenders=decides * expected.surrenders,
        )

    def policy(self, up: int, own: Sequence[int]) -> Policy:
        """Return the plays of a start, by hand of values, for a simulator or a coach.

        With splitting ``hand`` there is no such policy, because a split hand looks at the others.
        """
        up, own = self._checked(up, own)
        if self.splitting is Splitting.HAND:
            raise SolverError("split hands that see each other's cards have no fixed policy")
        engine = self.engine(up)
        plays = engine.best_plays(own, own, doubles=True)
        if is_blackjack(own):
            return Policy(plays, plays, 0, engine.decks)
        options, split = self._plays(up, own)
        best = _best(options)
        surrenders = best == "surrender"
        if surrenders:  # a policy knows what to do if it may not surrender
            best = _best({play: value for play, value in options.items() if play != best})
        if best == "split" and split:
            plays[number_of(own, engine.decks)] = SPLIT
            return Policy(plays, split.plays, split.splits, engine.decks, surrenders)
        return Policy(plays, split.plays if split else plays, 0, engine.decks, surrenders)

    # --- in the middle of a round

    def options(
        self,
        up: int,
        cards: Sequence[int],
        seen: Sequence[int],
        *,
        from_split: bool = False,
        splits: int = 0,
    ) -> Options:
        """Return the value of every legal play of a hand in the middle of a round.

        *seen* are all cards seen except the up card, including those of the hand itself. *splits*
        is the number of splits that the player has made. The hand is played alone from here on, by
        a player who takes all of *seen* into account. After a peek and with original bets only, the
        values are given no dealer's blackjack.
        """
        cards, seen = tuple(map(int, cards)), tuple(map(int, seen))
        if min(_left([seen.count(v) for v in VALUES], cards)) < 0:
            raise SolverError("the cards seen must include the cards of the hand")
        if min(self.unseen((*seen, up))) < 0:
            raise SolverError("the deck does not contain all of these cards")
        chance = self.dealer_blackjack(up, seen)
        if is_blackjack(cards) and not from_split:
            return {"stand": (1.0 if self.has_condition else 1 - chance) * self.play.pays}
        play = replace(self.play, max_splits=max(0, self.play.max_splits - splits))
        plays = self.engine(up).options(seen, cards, play, from_split=from_split)
        if self.rules.surrender is SurrenderRule.LATE and len(cards) == TWO and not from_split:
            plays["surrender"] = self.surrender_value(chance)
        return plays

    def unseen(self, seen: Sequence[int]) -> list[int]:
        """Return how many cards of each value are not among *seen*."""
        return _left(self.deck, seen)

    def dealer_blackjack(self, up: int, seen: Sequence[int]) -> float:
        """Return the chance that the dealer has a blackjack; *seen* does not include *up*."""
        wanted = completing(up)
        if not wanted:
            return 0.0
        left = self.unseen((*seen, up))
        return left[wanted - 1] / sum(left) if sum(left) else 0.0

    def insurance(self, seen: Sequence[int]) -> float:
        """Return the value of one unit of insurance; *seen* does not include the dealer's ace."""
        return 3 * self.dealer_blackjack(ACE, seen) - 1

    # --- the whole game

    def starts(self, up: int) -> list[tuple[Values, float]]:
        """Return every two cards that the deck can deal beside *up*, with their chances."""
        left = self.unseen((up,))
        total = comb(sum(left), 2)
        found: list[tuple[Values, float]] = []
        for a, b in combinations_with_replacement(VALUES, 2):
            ways = comb(left[a - 1], 2) if a == b else left[a - 1] * left[b - 1]
            if ways:
                found.append(((a, b), ways / total))
        return found

    def solve_card(self, up: int) -> UpCard:
        """Solve every start against an up card."""
        starts = [(self.solve(up, own), chance) for own, chance in self.starts(up)]

        def mean(values: Iterable[float]) -> float:
            return sum(c * x for (_, c), x in zip(starts, values, strict=True))

        solved = [start for start, _ in starts]
        return UpCard(
            up,
            self.deck[up - 1] / sum(self.deck),
            mean(s.ev for s in solved),
            mean(s.expected.doubles for s in solved),
            mean(s.expected.splits for s in solved),
            mean(s.expected.blackjacks for s in solved),
            mean(s.expected.surrenders for s in solved),
            tuple(solved),
        )

    def solve_game(self, progress: Callable[[float], object] = lambda _: None) -> Game:
        """Solve every start, with the up cards in parallel on all cores."""
        began = time.perf_counter()
        workers = os.cpu_count() or 1
        self._limit = self._limit or default_limit() // workers
        ups = [up for up in VALUES if self.deck[up - 1]]

        def one_card(up: int) -> tuple[UpCard, int]:
            card = self.solve_card(up)
            return card, self.forget(up)

        found = []
        with ThreadPoolExecutor(workers) as pool:
            for result in pool.map(one_card, ups):
                found.append(result)
                progress(len(found) / len(ups))
        return Game(
            self.rules,
            self.splitting,
            tuple(card for card, _ in found),
            sum(states for _, states in found),
            time.perf_counter() - began,
        )


@dataclass(frozen=True)
class UpCard:
    """The expected results of a round given an up card, per unit bet."""

    up: int
    chance: float
    ev: float
    doubles: float
    splits: float
    blackjacks: float
    surrenders: float
    starts: tuple[Start, ...]


@dataclass(frozen=True)
class Game:
    """The whole game solved."""

    rules: Rules
    splitting: Splitting
    up_cards: tuple[UpCard, ...]
    states: int
    seconds: float

    def mean(self, name: str) -> float:
        """Return the mean of a field of :class:`UpCard` over all up cards."""
        return float(sum(card.chance * getattr(card, name) for card in self.up_cards))

    @property
    def ev(self) -> float:
        """The expectation of the Main bet per unit, without insurance."""
        return self.mean("ev")

    def as_json(self) -> dict[str, Json]:
        return {
            "ev": self.ev,
            "memory": str(self.splitting),
            "by_up_card": {name_of(card.up): card.ev for card in self.up_cards},
            "states": self.states,
            "seconds": self.seconds,
            "rules": self.rules.as_json(),
        }


def is_blackjack(cards: Sequence[int]) -> bool:
    return sorted(cards) == [ACE, TEN]


def name_of(value: int) -> str:
    """Return the letter of a value: A, 2 to 9, T."""
    return {ACE: "A", TEN: "T"}.get(value, str(value))


def _best(plays: Options) -> str:
    """Return the best play; the first of plays with equal values."""
    best = "stand"
    for play, value in plays.items():
        if value > plays[best] + TIE:
            best = play
    return best


def _doubling(double: DoubleOn) -> int:
    """Return the states that may double, as bits."""
    if not double.totals:
        return ANY_TWO
    return sum(1 << state_of(total, soft=False) for total in double.totals)


def _left(counts: Sequence[int], cards: Sequence[int]) -> list[int]:
    """Return the number of cards of each value without *cards*."""
    left = list(counts)
    for value in cards:
        left[value - 1] -= 1
    return left
