"""Ordinary blackjack, one hand against the dealer from a full deck, to test the solver."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING

from pitboss.core.paytables import Odds
from pitboss.core.settings import Choice, Ratio, WholeNumber, YesNo, setting, with_settings
from pitboss.core.settings import Rules as BaseRules
from pitboss.games.roll_your_own import HoleCard, Soft17
from pitboss.games.roll_your_own.solver.starts import is_blackjack, name_of, play_of
from pitboss.solver.engine import Engine, default_limit
from pitboss.solver.tables import ACE, DECK, VALUES, completing

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.core.settings import Json
    from pitboss.solver.tables import Values


class Splitting(StrEnum):
    """How the hands of a split are played."""

    NONE = "none"  # best for each hand alone, knowing the pair
    HAND = "hand"  # seeing the cards drawn by the earlier hands of the split
    UNSPLIT = "unsplit"  # like the same cards without a split: "CDZ-"


@with_settings
@dataclass(frozen=True, slots=True, kw_only=True)
class Rules(BaseRules):
    """A table of ordinary blackjack with one deck; any two cards may double."""

    soft_17: Soft17 = setting(
        Choice(Soft17), Soft17.HIT, rule="-", about="what the dealer does on a soft 17"
    )
    hole_card: HoleCard = setting(
        Choice(HoleCard), HoleCard.PEEK, rule="-", about="whether the dealer looks for a blackjack"
    )
    double_after_split: bool = setting(
        YesNo(),
        True,  # noqa: FBT003  the default
        rule="-",
        about="whether hands made by a split may double",
    )
    max_splits: int = setting(WholeNumber(0, 4), 3, rule="-", about="splits allowed")
    resplit_aces: bool = setting(
        YesNo(),
        False,  # noqa: FBT003  the default
        rule="-",
        about="whether a split ace that draws an ace may split again",
    )
    blackjack_pays: Odds = setting(
        Ratio(), Odds(3, 2), rule="-", about="what a blackjack pays; against a dealer's it pushes"
    )
    seats: int = setting(WholeNumber(1, 1), 1, rule="-", about="seats: one hand against the dealer")


@dataclass(frozen=True)
class Game:
    """Ordinary blackjack solved: the value of a round, per unit bet."""

    rules: Rules
    splitting: Splitting
    by_up_card: dict[int, float]
    states: int
    seconds: float

    @property
    def ev(self) -> float:
        return sum(DECK[up - 1] * value for up, value in self.by_up_card.items()) / sum(DECK)

    def as_json(self) -> dict[str, Json]:
        return {
            "ev": self.ev,
            "memory": str(self.splitting),
            "by_up_card": {name_of(up): value for up, value in self.by_up_card.items()},
            "states": self.states,
            "seconds": self.seconds,
            "rules": self.rules.as_json(),
        }


class Table:
    """Ordinary blackjack against one up card."""

    def __init__(
        self,
        rules: Rules,
        up: int,
        splitting: Splitting = Splitting.NONE,
        *,
        limit: int | None = None,
    ) -> None:
        self.rules, self.up, self.splitting = rules, up, splitting
        self._peeks = rules.hole_card is HoleCard.PEEK
        hits = rules.soft_17 is Soft17.HIT
        self.engine = Engine(up, peeks=self._peeks, hits_soft_17=hits, limit=limit)
        self._play = play_of(rules)

    def dealer_blackjack(self, own: Values) -> float:
        """Return the chance that the dealer has a blackjack."""
        wanted = completing(self.up)
        if not wanted:
            return 0.0
        left = DECK[wanted - 1] - own.count(wanted)
        return left / (sum(DECK) - 1 - len(own))

    def options(self, own: Values) -> dict[str, float]:
        """Return the value of every play of two cards; after a peek, given no dealer blackjack."""
        if is_blackjack(own):
            pushed = 0.0 if self._peeks else self.dealer_blackjack(own)
            return {"stand": (1 - pushed) * self._play.pays}
        options = self.engine.options(own, own, self._play)
        if "split" in options and self.splitting is not Splitting.NONE:
            options["split"] = self._split(own)
        return options

    def _split(self, own: Values) -> float:
        card, play = own[0], self._play
        if self.splitting is Splitting.HAND:
            return self.engine.decisions(own, (own,), play)[card]["split"]
        most = 1 if card == ACE and not play.resplit_aces else play.max_splits
        plays = self.engine.best_plays((card,), (card,), doubles=play.double_after_split)
        if card == ACE:
            plays[:] = 0  # stand after one card
        return max(self.engine.split(own, card, plays, most))

    def value(self, own: Values) -> float:
        """Return the value of two cards, including the case of a dealer blackjack."""
        lost = self.dealer_blackjack(own)
        if is_blackjack(own):
            return (1 - lost) * self._play.pays
        best = max(self.options(own).values())
        return best if not self._peeks else (1 - lost) * best - lost

    def ev(self) -> float:
        """Return the value of the game given the up card."""
        total = weight = 0.0
        for a, b in combinations_with_replacement(VALUES, 2):
            left = {v: DECK[v - 1] - (v == self.up) for v in (a, b)}
            ways = comb(left[a], 2) if a == b else left[a] * left[b]
            if ways:
                weight += ways
                total += ways * self.value((a, b))
        return total / weight


def solve(
    rules: Rules,
    splitting: Splitting = Splitting.NONE,
    progress: Callable[[float], object] = lambda _: None,
) -> Game:
    """Solve the whole game, with the up cards in parallel on all cores."""
    began = time.perf_counter()
    workers = os.cpu_count() or 1
    limit = default_limit() // workers

    def one_card(up: int) -> tuple[float, int]:
        table = Table(rules, up, splitting, limit=limit)
        return table.ev(), table.engine.states

    found = []
    with ThreadPoolExecutor(workers) as pool:
        for result in pool.map(one_card, VALUES):
            found.append(result)
            progress(len(found) / len(VALUES))
    values = {up: ev for up, (ev, _) in zip(VALUES, found, strict=True)}
    states = sum(number for _, number in found)
    return Game(rules, splitting, values, states, time.perf_counter() - began)
