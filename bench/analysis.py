"""What the exact analysis of Toss One 21 costs, beside dealing every hand one by one.

    make bench

The naive way deals every pair of four-card hands through the rules engine's comparison; it is timed
on a sample and scaled to the 52,677,670,500 deals of one deck. What limits the census is counting
Lucky 3's suits, in Python; the kernel takes a few hundredths of a second for a number of decks.
"""

from __future__ import annotations

import random
import time

from pitboss import DECK, kinds
from pitboss.analysis import toss_one
from pitboss.games.toss_one import Rules, best_hands, compare


def census_seconds() -> float:
    """Return the CPU time of all figures for one to eight decks, nothing kept from before."""
    kinds.hands.cache_clear()
    kinds.best.cache_clear()
    kinds.kind.cache_clear()
    kinds.kinds.cache_clear()
    toss_one.suited_hands.cache_clear()
    toss_one.suited_patterns.cache_clear()
    kinds.outcome_table.cache_clear()
    toss_one.census.cache_clear()
    start = time.process_time()
    for decks in range(1, 9):
        toss_one.figures(Rules(decks=decks))
    return time.process_time() - start


def naive_seconds(sample: int = 20_000) -> float:
    """Return what dealing every hand of one deck would take, from a sample."""
    chance, rules = random.Random(21), Rules()  # noqa: S311  a bench
    start = time.process_time()
    for _ in range(sample):
        cards = chance.sample(DECK, 8)
        hands = [next(iter(best_hands(tuple(c))), None) for c in (cards[:4], cards[4:])]
        compare(rules, *hands)
    return (time.process_time() - start) / sample * toss_one.census(1).deals


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
