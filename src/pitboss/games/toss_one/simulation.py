"""Simulate Toss One 21: fill the kernel's tables from the rules engine, and price the bets.

Every seat makes the toss that the dealer would choose for it: the best total, then the highest
Lucky 3 prize. All settings apply, including the rounding of winnings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from pitboss.analysis.confirmation import exact_figures
from pitboss.core.cards import BLACKJACK, Card, Rank, Suit, spell
from pitboss.core.journal import FORMAT
from pitboss.core.paytables import ELSE
from pitboss.games.toss_one import GAME, Hand, Lucky3, Outcome, chosen_hand, lucky3
from pitboss.games.toss_one import figures as toss_figures
from pitboss.games.toss_one.hands import PACK
from pitboss.games.toss_one.kernels import rounds as kernel
from pitboss.games.toss_one.kinds import (
    VALUES,
    bonus4_lines,
    chosen_class,
    class_name,
    kind,
    kinds,
    outcome_table,
)
from pitboss.simulator.jobs import (
    UNIT,
    Bet,
    ExactFigures,
    Job,
    check_number,
    check_results,
    net_of,
    sample_of,
    steps_of,
)
from pitboss.simulator.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from pitboss.core.settings import Json
    from pitboss.games.toss_one import Rules
    from pitboss.games.toss_one.kinds import Kind, Values
    from pitboss.simulator.jobs import Counts

    Class: TypeAlias = tuple[Kind, int]

__all__ = ["TossOne", "job"]

BETS = ("main", "lucky3", "bonus4")
PACKAGE = "package"
FAMILIES = (
    (Lucky3.SUITED_21, Lucky3.COLOURED_21, Lucky3.OTHER_21),
    (Lucky3.SUITED_BLACKJACK, Lucky3.COLOURED_BLACKJACK, Lucky3.BLACKJACK),
)
"""The suit classes of a 21 and of a blackjack: one suit, one color, both colors."""

AT_ONCE = {Outcome.PLAYER_BUST, Outcome.BLACKJACK}
LEAST_TOTAL = 4


@dataclass(frozen=True, eq=False)
class TossOne(Job):
    """Rounds of Toss One 21, with one unit on each bet of every seat."""

    rules: Rules
    seats: int = 1
    seed: int = 1

    game: ClassVar[str] = GAME.key
    piece: ClassVar[int] = 1 << 23
    gpu_piece: ClassVar[int] = 1 << 35

    # --- playing

    @cached_property
    def parts(self) -> dict[str, tuple[int, ...]]:  # type: ignore[override]
        most = self.seats * int(self._pays.max(axis=0).sum()) + 1
        results = check_results(most) if self.seats > 1 else 1
        return {"counts": (kernel.CELLS,), "house": (kernel.BETS, results)}

    @property
    def draws(self) -> int:
        """Cards drawn with one word: four from a single deck, two from several decks."""
        return 4 if self.rules.decks == 1 else 2

    @cached_property
    def tables(self) -> kernel.Tables:
        return tables_of(self.rules)

    @cached_property
    def nets(self) -> NDArray[np.int64]:
        """The net result of each bet in each cell, in cents."""
        main, lucky, bonus = cents_of(self.rules)
        grid = np.meshgrid(main, lucky, bonus, indexing="ij")
        return np.stack([axis.ravel() for axis in grid], axis=1)

    @cached_property
    def _step(self) -> int:
        return steps_of(self.nets.ravel().tolist())

    @cached_property
    def _pays(self) -> NDArray[np.int64]:
        """The result of each bet, as a number of steps above a lost bet."""
        return np.ascontiguousarray((self.nets + UNIT) // self._step)

    def play(self, begin: int, end: int) -> Counts:
        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        kernel.play_rounds(
            np.uint64(self.seed), begin, end, self.seats, self.rules.decks, self.draws,
            *self.tables, self._pays, parts["counts"], parts["house"],
        )  # fmt: skip
        return counts

    def play_on_gpu(self, begin: int, end: int) -> Counts:
        from pitboss.games.toss_one.kernels import cuda

        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        cuda.play_rounds(
            self.seed, begin, end, self.seats, self.rules.decks, self.draws, self.tables,
            self._pays, parts["counts"], parts["house"],
        )  # fmt: skip
        return counts

    # --- results

    def bets(
        self, counts: Counts, exact: Mapping[str, ExactFigures] | None = None
    ) -> dict[str, Bet]:
        """Return the results of each bet, and of all of them together."""
        parts, known = self.views(counts), exact or {}
        cells = parts["counts"]
        found = {}
        for place, name in enumerate((*BETS, PACKAGE)):
            player = self._sample(cells, place)
            least = -UNIT * self.seats * (len(BETS) if name == PACKAGE else 1)
            table = sample_of(parts["house"][place], least, self._step)
            alone = self.seats == 1
            classes = dict(self._classes(cells, name)) if name != PACKAGE else None
            found[name] = Bet(
                name,
                GAME.units[name],
                self.seats,
                player,
                player if alone else table,
                classes,
                known.get(name),
            )
        return found

    def exact(self) -> dict[str, ExactFigures]:
        """Return the exact figures of each bet, and of all of them together."""
        found = {
            bet: exact_figures(self.rules, figures)
            for bet, figures in toss_figures.figures(self.rules).items()
        }
        nets = Sample(self.distribution(PACKAGE))
        return found | {PACKAGE: ExactFigures(nets.mean / UNIT, std_dev=nets.std_dev / UNIT)}

    def distribution(self, bet: str) -> dict[int, int]:
        """Count the deals of one seat by the net result of a bet or the package, in cents."""
        found: dict[int, int] = {}
        for nets, deals in toss_figures.package(self.rules).counts.items():
            cents = dict(zip(BETS, (self._rounded(net) for net in nets), strict=True))
            net = sum(cents.values()) if bet == PACKAGE else cents[bet]
            found[net] = found.get(net, 0) + deals
        return found

    def _rounded(self, net: Fraction) -> int:
        """Return a result in cents; only winnings are rounded."""
        return self.rules.rounding.of(net * UNIT) if net > 0 else int(net * UNIT)

    def _sample(self, cells: Counts, place: int) -> Sample:
        nets = self.nets.sum(axis=1) if place == len(BETS) else self.nets[:, place]
        counts: dict[int, int] = {}
        for cell in np.flatnonzero(cells):
            net = int(nets[cell])
            counts[net] = counts.get(net, 0) + int(cells[cell])
        return Sample(counts)

    def _classes(self, cells: Counts, name: str) -> Iterator[tuple[str, int]]:
        """Yield the classes of a bet with their counts."""
        grid = cells.reshape(kernel.OUTCOMES, kernel.LUCKY, kernel.BONUS)
        axis = BETS.index(name)
        row = grid.sum(axis=tuple(i for i in range(len(BETS)) if i != axis)).tolist()
        if name == "main":
            yield from zip(map(str, Outcome), row, strict=True)
        elif name == "lucky3":
            yield from zip(map(class_name, (*Lucky3, None)), row, strict=True)
        else:
            lines = bonus4_lines(self.rules)
            for line, totals in lines.items():
                yield line, sum(row[total - LEAST_TOTAL] for total in totals)
            paid = {total for totals in lines.values() for total in totals}
            rest = (n for i, n in enumerate(row) if i + LEAST_TOTAL not in paid)
            yield ELSE, sum(rest)

    # --- one round as a journal

    def journal(self, number: int) -> dict[str, Json]:
        drawn, cells = kernel.record_round(
            np.uint64(self.seed),
            check_number(number),
            self.seats,
            self.rules.decks,
            self.draws,
            *self.tables,
        )
        shoe = shoe_of(self.rules.decks)
        cards = tuple(shoe[n] for n in drawn.tolist())
        hands = (cards[PACK * seat : PACK * (seat + 1)] for seat in range(self.seats))
        chosen = (chosen_hand(self.rules, hand) for hand in hands)
        settlements = self._settlements(cells.tolist())
        return {
            "format": FORMAT,
            "game": self.game,
            "rules": self.rules.as_json(),
            "deck": spell(cards),
            "bets": [
                {"seat": seat, **dict.fromkeys(BETS, UNIT)} for seat in range(1, self.seats + 1)
            ],
            "decisions": [f"toss {hand.tossed}" for hand in chosen if hand],
            "settlements": settlements,
            "net": net_of(settlements),
        }

    def _settlements(self, cells: list[int]) -> list[dict[str, Json]]:
        """Return the settlements in the order the money moves: busts and blackjacks first."""
        order = list(Outcome)
        ended = [order[cell // (kernel.LUCKY * kernel.BONUS)] for cell in cells]
        seats = sorted(range(self.seats), key=lambda seat: ended[seat] not in AT_ONCE)
        return [
            {"seat": seat + 1, "bet": bet, "stake": UNIT, "net": int(net)}
            | ({"outcome": str(ended[seat])} if bet == "main" else {})
            for seat in seats
            for bet, net in zip(BETS, self.nets[cells[seat]], strict=True)
        ]


def job(rules: Rules, seats: int, seed: int, strategy: None) -> TossOne:  # noqa: ARG001
    """Return the job that plays *rules*; there is no strategy to choose."""
    return TossOne(rules, seats, seed)


# --- tables


def cents_of(rules: Rules) -> tuple[list[int], list[int], list[int]]:
    """Return the net results of the classes of Main, Lucky 3 and Bonus 4, in cents."""
    net, totals = rules.rounding.net, [*range(LEAST_TOTAL, BLACKJACK + 1), None]
    main = [net(rules.odds(outcome), UNIT) for outcome in Outcome]
    lucky = [net(rules.lucky3_paytable.odds(found), UNIT) for found in (*Lucky3, None)]
    return main, lucky, [net(rules.bonus4_paytable.odds(total), UNIT) for total in totals]


def shoe_of(decks: int) -> tuple[Card, ...]:
    """Return the cards of a shoe in the kernel's order."""
    return tuple(Card(rank, suit) for rank in Rank for _ in range(decks) for suit in Suit)


@cache
def _pairs() -> NDArray[np.uint8]:
    """Return the number of the pair of values, by two ranks."""
    order = list(combinations_with_replacement(VALUES, 2))
    values = [Card(rank, Suit.SPADES).value for rank in Rank]
    return np.array([order.index((min(a, b), max(a, b))) for a in values for b in values], np.uint8)


@cache
def _hands() -> dict[Class, list[tuple[Values, Values]]]:
    """Return the pairs of pairs by class of hands, that is, by kind and Bonus 4 total."""
    found: dict[Class, list[tuple[Values, Values]]] = {}
    two = list(combinations_with_replacement(VALUES, 2))
    for one, other in product(two, two):
        values = tuple(sorted(one + other))
        found.setdefault((kind(values), min(sum(values), BLACKJACK + 1)), []).append((one, other))
    return dict(sorted(found.items()))


def tables_of(rules: Rules) -> kernel.Tables:
    """Return the kernel's tables to settle a round under *rules*."""
    two: dict[Values, int] = {
        pair: i for i, pair in enumerate(combinations_with_replacement(VALUES, 2))
    }
    number = {kind: i for i, kind in enumerate(kinds())}
    hands, dealers = np.zeros((2, kernel.PAIRS, kernel.PAIRS), np.uint8)
    classes = np.zeros(len(_hands()), np.uint32)
    outcomes = np.zeros((len(_hands()), kernel.DEALERS), np.uint8)
    order, table = list(Outcome), outcome_table(rules.dealer_blackjack, rules.ace_kicker)
    for index, ((ours, total), made) in enumerate(_hands().items()):
        for one, other in made:
            hands[two[one], two[other]], dealers[two[one], two[other]] = index, number[ours]
        points, kicker, blackjack = ours
        tossed = kicker - 1 if points == BLACKJACK else kernel.NO_21
        classes[index] = total - LEAST_TOTAL | tossed << 8 | (8 if blackjack else 0) << 16
        outcomes[index] = [order.index(outcome) for outcome in table[ours]]
    suits, lucky = _suits(), _lucky(rules)
    return _pairs(), hands.ravel(), dealers.ravel(), classes, outcomes.ravel(), suits, lucky


@cache
def _suits() -> NDArray[np.uint8]:
    """Return the suit class of three suits within a family, as a bit."""
    found = []
    for suits in product(Suit, repeat=3):
        cards = tuple(Card(Rank.SEVEN, suit) for suit in suits)
        found.append(1 << FAMILIES[0].index(lucky3(Hand(cards, cards[0]))))
    return np.array(found, np.uint8)


def _lucky(rules: Rules) -> NDArray[np.uint8]:
    """Return the chosen class, by family and by the set of suit classes that may be kept."""
    order = [*Lucky3, None]
    return np.array(
        [
            order.index(chosen_class(rules, [c for i, c in enumerate(family) if ways >> i & 1]))
            for family in FAMILIES
            for ways in range(8)
        ],
        np.uint8,
    )
