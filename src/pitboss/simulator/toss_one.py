"""Toss One 21, simulated: tables from the rules engine, and what the bets came to.

The toss is the one chosen for a player: best total, then what Lucky 3 pays most. Every setting
counts; winnings are rounded as the rules say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from pitboss.cards import BLACKJACK, Card, Rank, Suit, spell
from pitboss.games.toss_one import GAME, PACK, Hand, Lucky3, Outcome, chosen_hand, lucky3
from pitboss.kernels import toss_one as kernel
from pitboss.kinds import (
    ELSE,
    VALUES,
    bonus4_lines,
    chosen_class,
    class_name,
    kind,
    kinds,
    outcome_table,
)
from pitboss.notation import FORMAT
from pitboss.simulator.jobs import (
    UNIT,
    Bet,
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

    from numpy.typing import NDArray

    from pitboss.games.toss_one import Rules
    from pitboss.kinds import Kind, Values
    from pitboss.rules import Json
    from pitboss.simulator.jobs import Counts, Exact

    Class: TypeAlias = tuple[Kind, int]

BETS = ("main", "lucky3", "bonus4")
PACKAGE = "package"
FAMILIES = (
    (Lucky3.SUITED_21, Lucky3.COLOURED_21, Lucky3.OTHER_21),
    (Lucky3.SUITED_BLACKJACK, Lucky3.COLOURED_BLACKJACK, Lucky3.BLACKJACK),
)
"""What a 21 and a blackjack are in suits: of one, of one colour, of both."""

AT_ONCE = {Outcome.PLAYER_BUST, Outcome.BLACKJACK}
LEAST_TOTAL = 4


@dataclass(frozen=True, eq=False)
class TossOne(Job):
    """Rounds of Toss One 21, a unit on each bet of every seat."""

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
        """Cards drawn with a word: four from one deck, two from more."""
        return 4 if self.rules.decks == 1 else 2

    @cached_property
    def tables(self) -> kernel.Tables:
        return tables_of(self.rules)

    @cached_property
    def nets(self) -> NDArray[np.int64]:
        """What each bet comes to in each cell, in cents."""
        main, lucky, bonus = cents_of(self.rules)
        grid = np.meshgrid(main, lucky, bonus, indexing="ij")
        return np.stack([axis.ravel() for axis in grid], axis=1)

    @cached_property
    def _step(self) -> int:
        return steps_of(self.nets.ravel().tolist())

    @cached_property
    def _pays(self) -> NDArray[np.int64]:
        """What each bet comes to in steps above a lost bet."""
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
        from pitboss.kernels import cuda

        counts = np.zeros(self.size, np.int64)
        parts = self.views(counts)
        cuda.toss_one_rounds(
            self.seed, begin, end, self.seats, self.rules.decks, self.draws, self.tables,
            self._pays, parts["counts"], parts["house"],
        )  # fmt: skip
        return counts

    # --- what came of it

    def bets(self, counts: Counts, exact: Mapping[str, Exact] | None = None) -> dict[str, Bet]:
        """Return what each bet came to, and all of them together."""
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

    def _sample(self, cells: Counts, place: int) -> Sample:
        nets = self.nets.sum(axis=1) if place == len(BETS) else self.nets[:, place]
        counts: dict[int, int] = {}
        for cell in np.flatnonzero(cells):
            net = int(nets[cell])
            counts[net] = counts.get(net, 0) + int(cells[cell])
        return Sample(counts)

    def _classes(self, cells: Counts, name: str) -> Iterator[tuple[str, int]]:
        """Yield how often each class of a bet came."""
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

    # --- one round on paper

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


# --- tables


def cents_of(rules: Rules) -> tuple[list[int], list[int], list[int]]:
    """Return what Main, Lucky 3 and Bonus 4 come to in each of their classes, in cents."""
    net, totals = rules.rounding.net, [*range(LEAST_TOTAL, BLACKJACK + 1), None]
    main = [net(rules.odds(outcome), UNIT) for outcome in Outcome]
    lucky = [net(rules.lucky3_paytable.odds(found), UNIT) for found in (*Lucky3, None)]
    return main, lucky, [net(rules.bonus4_paytable.odds(total), UNIT) for total in totals]


def shoe_of(decks: int) -> tuple[Card, ...]:
    """Return the cards of a shoe as the kernel numbers them."""
    return tuple(Card(rank, suit) for rank in Rank for _ in range(decks) for suit in Suit)


@cache
def _pairs() -> NDArray[np.uint8]:
    """Return the number of the values of two ranks."""
    order = list(combinations_with_replacement(VALUES, 2))
    values = [Card(rank, Suit.SPADES).value for rank in Rank]
    return np.array([order.index((min(a, b), max(a, b))) for a in values for b in values], np.uint8)


@cache
def _hands() -> dict[Class, list[tuple[Values, Values]]]:
    """Return the pairs of pairs that make a class of hands: a kind, and a total for Bonus 4."""
    found: dict[Class, list[tuple[Values, Values]]] = {}
    two = list(combinations_with_replacement(VALUES, 2))
    for one, other in product(two, two):
        values = tuple(sorted(one + other))
        found.setdefault((kind(values), min(sum(values), BLACKJACK + 1)), []).append((one, other))
    return dict(sorted(found.items()))


def tables_of(rules: Rules) -> kernel.Tables:
    """Return what the kernel must know to settle a round under *rules*."""
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
    """Return which of a family three suits are, as a bit."""
    found = []
    for suits in product(Suit, repeat=3):
        cards = tuple(Card(Rank.SEVEN, suit) for suit in suits)
        found.append(1 << FAMILIES[0].index(lucky3(Hand(cards, cards[0]))))
    return np.array(found, np.uint8)


def _lucky(rules: Rules) -> NDArray[np.uint8]:
    """Return the class that is chosen, by family and which of its three may be kept."""
    order = [*Lucky3, None]
    return np.array(
        [
            order.index(chosen_class(rules, [c for i, c in enumerate(family) if ways >> i & 1]))
            for family in FAMILIES
            for ways in range(8)
        ],
        np.uint8,
    )
