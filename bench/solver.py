"""The cost of the solver, compared with a simple memo solver in C++ (solver.cpp).

    make bench              # the quick ones
    python -m bench.solver --all

Both run in turn in the same run. The figures are CPU seconds, ours over all threads. Memory access
dominates: each set of seen cards has a row of about 950 bytes, read in random order. The dealer's
results of a row take 2 to 6 microseconds (the dealer's hand can end in up to 1,683 ways); the state
of a hand takes some tenths of a microsecond. With memory `none`, splits cost almost nothing: they
add at most eight decks in which to follow one policy. With memory `hand` or `full`, every split
multiplies the possible sets of seen cards by about five, up to the limit of the deck.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pitboss.games import blackjack
from pitboss.games.blackjack.solver import Solver as BlackjackSolver
from pitboss.games.blackjack.solver import Splitting, best_chart
from pitboss.games.roll_your_own import Rules
from pitboss.games.roll_your_own.solver import Memory, Solver
from pitboss.solver.engine import Engine
from pitboss.solver.tables import VALUES
from tests import nairn

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
FARMER_S = 0.25
"""The reported time of the best C++ analyzer for blackjack with one deck."""


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def compiled(folder: str) -> Path | None:
    """Compile the C++ program, if there is a compiler."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        print("no C++ compiler: ours alone")
        return None
    program = Path(folder) / "solver"
    flags = ["-O3", "-march=native", "-std=c++17", "-o", str(program)]
    subprocess.run([compiler, *flags, str(HERE / "solver.cpp")], check=True)
    return program


def plain(program: Path | None, *arguments: str) -> float | None:
    """Return the CPU seconds of a mode of the C++ program."""
    if program is None:
        return None
    done = subprocess.run([program, *arguments], check=True, capture_output=True)
    return float(json.loads(done.stdout)["seconds"])


def whole(memory: Memory, splits: int) -> float:
    return cpu(lambda: Solver(Rules(max_splits=splits), memory).solve_game())


def start(own: tuple[int, ...]) -> float:
    return cpu(lambda: Solver(Rules(max_splits=1), Memory.FULL).solve(6, own))


def blackjack_game(decks: int) -> float:
    """Time the whole game of blackjack, with split hands played as analyzers do (CDZ-)."""
    rules = blackjack.Rules(decks=decks)
    return cpu(lambda: BlackjackSolver(rules, Splitting.UNSPLIT).solve_game())


def chart(decks: int) -> float:
    return cpu(lambda: best_chart(BlackjackSolver(blackjack.Rules(decks=decks))))


def splitting_table() -> float:
    """Time the published splitting table, S17 and H17, which originally took 45 days."""

    def table() -> None:
        for s17 in (True, False):
            for up in VALUES:
                engine = Engine(up, hits_soft_17=not s17)
                for card in VALUES:
                    nairn.splitting(engine, card, s17=s17)

    return cpu(table)


def row(name: str, ours: float, theirs: float | None) -> None:
    beside = "" if theirs is None else f"   C++ {theirs:7.2f} s, {theirs / ours:5.1f} times ours"
    print(f"{name:<46} {ours:7.2f} s{beside}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder)
        whole(Memory.NONE, 1)  # compile and load
        blackjack_game(1)
        chart(1)
        start((8, 9, 10))
        row("whole game, memory none, four splits", whole(Memory.NONE, 4), plain(program, "none4"))
        for decks in (1, 2, 6, 8):
            row(f"blackjack, whole game, decks={decks}", blackjack_game(decks), None)
        print(f"{'':<46} {FARMER_S:7.2f} s reported for the best analyzer, on another machine")
        row("blackjack, the best chart for eight decks", chart(8), None)
        row("the splitting table, S17 and H17", splitting_table(), None)
        if "--all" in sys.argv:
            row(
                "whole game, memory full, no splits", whole(Memory.FULL, 0), plain(program, "full0")
            )
            for own in ((8, 8, 10), (2, 3, 10)):
                arguments = ("start", "6", *map(str, own))
                name = f"{own} against 6, memory full, one split"
                row(name, start(own), plain(program, *arguments))


if __name__ == "__main__":
    main()
