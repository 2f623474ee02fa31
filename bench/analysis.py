"""The cost of the exact analysis of Toss One 21, compared with dealing every hand.

    make bench

The naive way compares every pair of four-card hands with the rules engine. It is timed on a sample
and scaled to the 52,677,670,500 deals of one deck. The slowest step of the census is counting the
suits of Lucky 3 in Python; the kernel takes a few hundredths of a second per number of decks.
"""

from __future__ import annotations

import random
import time

from pitboss import DECK
from pitboss.games.toss_one import Rules, best_hands, kinds
from pitboss.games.toss_one import census as counting
from pitboss.games.toss_one import figures as toss_one
from pitboss.games.toss_one.hands import compare


def census_seconds() -> float:
    """Return the CPU time of all figures for one to eight decks, with empty caches."""
    kinds.hands.cache_clear()
    kinds.best.cache_clear()
    kinds.kind.cache_clear()
    kinds.kinds.cache_clear()
    counting.suited_hands.cache_clear()
    counting.suited_patterns.cache_clear()
    kinds.outcome_table.cache_clear()
    counting.census.cache_clear()
    start = time.process_time()
    for decks in range(1, 9):
        toss_one.figures(Rules(decks=decks))
    return time.process_time() - start


def naive_seconds(sample: int = 20_000) -> float:
    """Estimate from a sample the CPU time of dealing every hand of one deck."""
    chance, rules = random.Random(21), Rules()  # noqa: S311  a bench
    start = time.process_time()
    for _ in range(sample):
        cards = chance.sample(DECK, 8)
        hands = [next(iter(best_hands(tuple(c))), None) for c in (cards[:4], cards[4:])]
        compare(rules, *hands)
    return (time.process_time() - start) / sample * counting.census(1).deals


def main() -> None:
    cold = time.process_time()
    toss_one.figures(Rules())
    cold = time.process_time() - cold
    warm = census_seconds()
    naive = naive_seconds()
    print(f"first figures, kernels loaded or compiled   {cold:10.2f} s of CPU")
    print(f"all figures for 1 to 8 decks, warm          {warm:10.2f} s")
    print(
        f"one deck dealt hand by hand, scaled         {naive:10,.0f} s, {naive / warm:,.0f} times"
    )


if __name__ == "__main__":
    main()
