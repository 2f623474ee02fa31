"""The speed of the rules engine in rounds per second, relative to hashing in the same run.

    make bench

Machines are noisy, so every figure is also given in units of one SHA-256 of a kilobyte, timed in
the same run. The limit is Python itself: a round of Toss One 21 creates about thirty small objects.
"""

from __future__ import annotations

import hashlib
import random
import time
from typing import TYPE_CHECKING

from pitboss import DECK, GAMES, deal_from, roll_your_own, supply, toss_one

if TYPE_CHECKING:
    from collections.abc import Callable

CHANCE = random.Random(21)  # noqa: S311  a bench


def hash_kilobyte() -> None:
    hashlib.sha256(b"x" * 1024).digest()


def toss_one_round() -> None:
    cards = CHANCE.sample(DECK, 8)
    bet = toss_one.Bet(1, 100, 100, 100)
    player, dealer = tuple(cards[:4]), tuple(cards[4:])
    toss_one.play_deal(toss_one.rules.PRESETS["default"], bet, player, dealer).settlements()


def roll_your_own_round(seats: int = 1) -> None:
    deck = tuple(CHANCE.sample(DECK, len(DECK)))
    round_ = GAMES["roll-your-own"].start(roll_your_own.rules.PRESETS["default"])
    for seat in range(1, seats + 1):
        round_ = round_.apply(roll_your_own.Bet.of(seat, 100))
    round_ = deal_from(deck, round_)
    while round_.asked:
        round_ = supply(deck, round_.apply(CHANCE.choice(round_.asked.legal)))
    round_.settlements()


def full_table_round() -> None:
    roll_your_own_round(7)


def rate(work: Callable[[], None], seconds: float = 1.0) -> float:
    """Return how many times *work* runs per CPU second."""
    start, count = time.process_time(), 0
    while time.process_time() - start < seconds:
        work()
        count += 1
    return count / (time.process_time() - start)


def main() -> None:
    for work in (toss_one_round, roll_your_own_round, full_table_round):
        unit = rate(hash_kilobyte, 0.3)
        speed = rate(work)
        name = work.__name__.replace("_", " ")
        print(f"{name:20} {speed:10,.0f} a second   {unit / speed:8,.1f} hashes each")


if __name__ == "__main__":
    main()
