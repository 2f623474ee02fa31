"""The speed of our environments in rounds per second, compared with Gymnasium's Blackjack.

    make bench                                  # installs the other environments first
    python -m bench.envs --compare FOLDER       # FOLDER contains jax, flax and envpool

All environments run on all cores in the same run, with random legal actions. The others have only
hit and stand, and draw cards with replacement. Ours play the whole games from a shuffled deck. The
limits of ours are memory writes and unpredictable branches; with few tables, Python.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numba import njit

from pitboss import DECK, Deal, toss_one
from pitboss.games.blackjack.encoding import BlackjackVectorEnv
from pitboss.games.roll_your_own.encoding import RollYourOwnVectorEnv
from pitboss.games.toss_one.encoding import TossOne21VectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

SECONDS = 3.0
CHANCE = random.Random(21)  # noqa: S311  a bench
TABLES = 16_384


def blackjack() -> Callable[[], int]:
    """Play Gymnasium's Blackjack-v1 at one table."""
    env = gymnasium.make("Blackjack-v1")
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(0, 2, 10_000).tolist()

    def work() -> int:
        rounds = 0
        for action in actions:
            if env.step(action)[2]:
                rounds += 1
                env.reset()
        return rounds

    return work


def library(**sides: int) -> Callable[[], int]:
    """Deal, toss and settle one seat of Toss One 21 through the rules engine."""
    rules = toss_one.rules.PRESETS["default"]

    def work() -> int:
        for _ in range(1000):
            cards = CHANCE.sample(DECK, 8)
            round_ = toss_one.Round(rules).apply(toss_one.Bet(1, 100, **sides))
            round_ = round_.apply(Deal((tuple(cards[:4]), tuple(cards[4:]))))
            if asked := round_.asked:
                round_ = round_.apply(asked.legal[0])
            round_.settlements()
        return 1000

    return work


def one_table(name: str) -> Callable[[], int]:
    """Play one of our environments at one table."""
    env, chance = gymnasium.make(name).unwrapped, np.random.default_rng(1)
    masks = [env.reset(seed=1)[1]["action_mask"]]

    def work() -> int:
        rounds = 0
        for _ in range(500):
            action = chance.choice(np.flatnonzero(masks[0]))
            *_, over, _, info = env.step(action)
            rounds += over
            masks[0] = (env.reset()[1] if over else info)["action_mask"]
        return rounds

    return work


def jax_blackjack() -> Callable[[], int]:
    """Play Gymnasium's functional Blackjack, mapped over many tables and compiled."""
    import jax
    from gymnasium.envs.tabular.blackjack import BlackjackFunctional

    env, tables = BlackjackFunctional(), 1 << 18  # more tables are not faster

    def step(state: Any, key: Any) -> Any:  # noqa: ANN401  JAX's
        act, move, new = jax.random.split(key, 3)
        after = env.transition(state, jax.random.bernoulli(act).astype(int), move)
        fresh = env.initial(new)
        over = after.done > 0
        return jax.tree.map(lambda a, b: jax.numpy.where(over, a, b), fresh, after), over

    @jax.jit  # type: ignore[untyped-decorator]
    def steps(states: Any, key: Any) -> Any:  # noqa: ANN401  JAX's
        def body(states: Any, key: Any) -> Any:  # noqa: ANN401  JAX's
            return jax.vmap(step)(states, jax.random.split(key, tables))

        states, over = jax.lax.scan(body, states, jax.random.split(key, 5))
        return states, over.sum()

    keys = jax.random.split(jax.random.key(1), tables)
    held = [jax.vmap(env.initial)(keys), jax.random.key(2)]
    held[0] = jax.tree.map(jax.numpy.asarray, held[0])

    def work() -> int:
        held[1], key = jax.random.split(held[1])
        held[0], rounds = steps(held[0], key)
        return int(rounds)

    return work


def envpool_blackjack() -> Callable[[], int]:
    """Play EnvPool's Blackjack."""
    import envpool

    tables = 1024
    env = envpool.make_gymnasium("Blackjack-v1", num_envs=tables, num_threads=os.cpu_count())
    env.reset()
    actions = np.random.default_rng(1).integers(0, 2, (50, tables)).astype(np.int32)

    def work() -> int:
        return sum(int(env.step(row)[2].sum()) for row in actions)

    return work


@njit(nogil=True)
def _choose(masks: NDArray[np.int8], words: NDArray[np.uint32], out: NDArray[np.int64]) -> None:
    """Choose one of the legal actions at each table."""
    for i in range(len(masks)):
        left = words[i] % max(1, masks[i].sum())
        for action in range(masks.shape[1]):
            if masks[i, action]:
                out[i] = action
                if left == 0:
                    break
                left -= 1


def many_tables(env_class: type[Any], seats: int = 1) -> Callable[[], int]:
    """Play one of our environments at many tables."""
    env, chance = env_class(TABLES, seats=seats), np.random.default_rng(1)
    masks, out = [env.reset(seed=1)[0]["action_mask"]], np.zeros(TABLES, np.int64)

    def work() -> int:
        rounds = 0
        for _ in range(20):
            _choose(masks[0], chance.integers(0, 2**32, TABLES, dtype=np.uint32), out)
            seen, _, over, _, _ = env.step(out)
            masks[0] = seen["action_mask"]
            rounds += int(over.sum())
        return rounds

    return work


def rate(work: Callable[[], int]) -> float:
    """Return the rounds per second, after a first call that compiles."""
    work()
    start, rounds = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        rounds += work()
    return rounds / (time.perf_counter() - start)


BENCHMARKS: dict[str, Callable[[], Callable[[], int]]] = {
    "Gymnasium Blackjack-v1, one table": blackjack,
    "Gymnasium Blackjack, JAX": jax_blackjack,
    "EnvPool Blackjack-v1": envpool_blackjack,
    "our library: Toss One 21, Main": library,
    "our library: Toss One 21, three bets": lambda: library(lucky3=100, bonus4=100),
    "ours: TossOne21-v0, one table": lambda: one_table("pitboss/TossOne21-v0"),
    "ours: RollYourOwn-v0, one table": lambda: one_table("pitboss/RollYourOwn-v0"),
    "ours: Blackjack-v0, one table": lambda: one_table("pitboss/Blackjack-v0"),
    "ours: TossOne21-v0, many tables": lambda: many_tables(TossOne21VectorEnv),
    "ours: RollYourOwn-v0, many tables": lambda: many_tables(RollYourOwnVectorEnv),
    "ours: Blackjack-v0, many tables": lambda: many_tables(BlackjackVectorEnv),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", metavar="FOLDER", help="the folder of jax, flax and envpool")
    if folder := parser.parse_args().compare:
        sys.path.append(folder)
    print(f"{'rounds a second':<40} {'':>12}  against Blackjack-v1")
    first = 0.0
    for name, create in BENCHMARKS.items():
        try:
            speed = rate(create())
        except ImportError as missing:
            print(f"{name:<40} {'missing':>12}  {missing}")
            continue
        first = first or speed
        print(f"{name:<40} {speed:>12,.0f}  {speed / first:,.2f}", flush=True)


if __name__ == "__main__":
    main()
