"""The cost of a simulated round, compared with simple C++ programs (toss_one.cpp and so on).

    python -m bench.simulator
    python -m bench.simulator --yardstick FILE.cu --all-cores

All programs run in turn, several times, in the same run. Figures are the median CPU seconds on one
thread, because machines are noisy. The C++ programs keep one generator and a few sums. Our
simulator seeds every round by its number, so that it can be replayed, and counts all its events.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pitboss.games import blackjack, roll_your_own, toss_one
from pitboss.games.blackjack import strategies as blackjack_strategies
from pitboss.games.blackjack.simulation import Blackjack
from pitboss.games.roll_your_own.simulation import RollYourOwn
from pitboss.games.roll_your_own.strategies import Strategy, grown, solved
from pitboss.games.toss_one.simulation import TossOne
from pitboss.simulator import simulate

if TYPE_CHECKING:
    from collections.abc import Callable

Work: TypeAlias = "Callable[[int], float]"
"""Plays a number of rounds and returns the seconds they took."""

HERE = Path(__file__).parent
TOSS_ONE_ROUNDS, ROLL_YOUR_OWN_ROUNDS, BLACKJACK_ROUNDS = 10_000_000, 2_000_000, 5_000_000
ALTERNATIONS = 5


# --- ours


def ours_toss_one(rounds: int, threads: int = 1) -> None:
    """Play Toss One 21: one seat, one deck, all three bets."""
    simulate(TossOne(toss_one.Rules()), rounds, threads=threads)


def ours_roll_your_own(strategy: Strategy, rounds: int, threads: int = 1) -> None:
    """Play Roll Your Own Blackjack: one seat, all three bets."""
    simulate(RollYourOwn(strategy), rounds, threads=threads)


def ours_blackjack(
    strategy: blackjack_strategies.Strategy, rounds: int, threads: int = 1, seats: int = 1
) -> None:
    """Play blackjack with all four bets; insurance is declined."""
    simulate(Blackjack(strategy, seats), rounds, threads=threads)


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work, over all threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def wall(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# --- the others


def compiled(folder: Path, source: Path) -> Path:
    """Compile a C++ source, with any file extension, and return the program."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        sys.exit("no C++ compiler")
    program = folder / source.stem
    flags = ["-x", "c++", "-O3", "-march=native", "-std=c++17", "-o", str(program)]
    subprocess.run([compiler, *flags, str(source)], check=True)
    return program


def exported(folder: Path, strategy: Strategy) -> Path:
    """Write the strategy tables for roll_your_own.cpp."""
    how = strategy.plan  # it covers the default rules
    rows = np.stack([how >> 1 & 3, how & 1, how >> 3 << 1, (how >> 3 << 1) + 1], axis=1)
    plan = np.where(how[:, np.newaxis] < 0, -1, rows).astype(np.int16)
    plays = np.stack([strategy.plays & 15, strategy.plays >> 4], axis=1)
    plays = plays.reshape(-1, plays.shape[2]).astype(np.uint8)
    path = folder / "tables"
    with path.open("wb") as file:
        for array in (np.array(plays.shape, np.uint32), plan, plays, grown()):
            file.write(array.tobytes())
    return path


def plain(*command: str | Path) -> Work:
    """Run one of our C++ programs, which prints the CPU seconds of its rounds."""

    def play(rounds: int) -> float:
        done = subprocess.run([*command, str(rounds)], check=True, capture_output=True)
        return float(json.loads(done.stdout)["seconds"])

    return play


def outside(program: Path) -> Work:
    """Run any program that takes a number of rounds and prints "= X rounds/s"."""

    def play(rounds: int) -> float:
        before = children()
        done = subprocess.run(
            [program, str(rounds)], check=True, capture_output=True, encoding="utf-8"
        )
        if not re.search(r"= *[\d.e+]+ rounds/s", done.stdout):
            sys.exit(f"{program.name} does not say how many rounds a second it plays")
        return children() - before

    return play


def children() -> float:
    """Return the CPU seconds of all child processes so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --- comparison


def rates(works: dict[str, Work], rounds: int) -> dict[str, float]:
    """Return the rounds per second of each program."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work(1000)  # compile and load
    for _ in range(ALTERNATIONS):
        for name, work in works.items():
            seconds[name].append(work(rounds))
    return {name: rounds / median(took) for name, took in seconds.items()}


def table(game: str, works: dict[str, Work], rounds: int) -> None:
    """Print a row for each program."""
    found = rates(works, rounds)
    print(f"{game:<34} {'M rounds a CPU second':>22} {'ours / this':>12}")
    for name in works:
        ratio = found["ours"] / found[name]
        print(f"  {name:<32} {found[name] / 1e6:>22.2f} {ratio:>12.2f}")


def all_cores(game: str, play: Callable[[int, int], None], rounds: int) -> None:
    """Print the speedup of all cores over one, in wall-clock time."""
    cores = os.cpu_count() or 1
    found = rates(
        {
            "one": lambda rounds: wall(lambda: play(rounds, 1)),
            "all": lambda rounds: wall(lambda: play(rounds, cores)),
        },
        rounds,
    )
    print(f"{game}, ours, {cores} cores: {found['all'] / found['one']:.2f} times one")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.simulator")
    parser.add_argument("--yardstick", type=Path, metavar="FILE.cu", help="time this program too")
    parser.add_argument("--all-cores", action="store_true", help="ours on all cores against one")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    strategy = solved(roll_your_own.Rules())

    def ours_roll(rounds: int, threads: int = 1) -> None:
        ours_roll_your_own(strategy, rounds, threads)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        toss_one_works = {
            "ours": lambda rounds: cpu(lambda: ours_toss_one(rounds)),
            "toss_one.cpp": plain(compiled(folder, HERE / "toss_one.cpp")),
        }
        if asked.yardstick:
            toss_one_works[asked.yardstick.name] = outside(compiled(folder, asked.yardstick))
        roll_your_own_works = {
            "ours": lambda rounds: cpu(lambda: ours_roll(rounds)),
            "roll_your_own.cpp": plain(
                compiled(folder, HERE / "roll_your_own.cpp"), exported(folder, strategy)
            ),
        }
        table("Toss One 21 (C++: Main alone)", toss_one_works, TOSS_ONE_ROUNDS)
        table("Roll Your Own Blackjack, all bets", roll_your_own_works, ROLL_YOUR_OWN_ROUNDS)
    card = blackjack_strategies.printed(blackjack.Rules())
    for seats in (1, 7):
        play = partial(ours_blackjack, card, seats=seats)
        works: dict[str, Work] = {"ours": lambda rounds, play=play: cpu(lambda: play(rounds))}  # type: ignore[misc]
        table(f"Blackjack, six decks, seats: {seats}", works, BLACKJACK_ROUNDS // seats)
    if asked.all_cores:
        all_cores("Toss One 21", ours_toss_one, TOSS_ONE_ROUNDS)
        all_cores("Roll Your Own Blackjack", ours_roll, ROLL_YOUR_OWN_ROUNDS)
        all_cores("Blackjack", partial(ours_blackjack, card), BLACKJACK_ROUNDS)


if __name__ == "__main__":
    main()
