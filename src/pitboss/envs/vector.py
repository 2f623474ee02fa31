"""Many tables at once, for Gymnasium: the same numbers, stepped by compiled code on every core.

A table's rounds are the simulator's rounds of the same seed: table i of n plays rounds i, i + n,
i + 2n and so on, so any of them can be written as a journal and replayed.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pitboss.envs.coding import Coding, RollYourOwn, TossOne
from pitboss.errors import SettingError, shown
from pitboss.games.roll_your_own import INSURANCE_PAYS, Insurance
from pitboss.games.toss_one import AceKicker, DealerBlackjack, TossRule
from pitboss.kernels import roll_your_own as roll
from pitboss.kernels import steps
from pitboss.simulator import roll_your_own, strategies, toss_one
from pitboss.simulator.jobs import UNIT, check_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pitboss.envs.coding import RulesLike

    Observations = dict[str, NDArray[Any]]
    Told = tuple[NDArray[Any], ...]
    Step = tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]

SHARE = 2048
"""Tables that are worth a thread of their own."""


class TablesEnv(VectorEnv[dict[str, Any], Any, Any], ABC):
    """Tables that step together; a table whose round is over is dealt the next by the next step.

    ## Arguments
    `gymnasium.make_vec("pitboss/RollYourOwn-v0", num_envs=10_000, rules="no-peek", threads=2)`

    - `num_envs`: how many tables.
    - `rules`, `seats`: as of one table, the same for all.
    - `threads`: on how many cores (all); some two thousand tables are worth one.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    coded: ClassVar[type[Coding]]
    columns: ClassVar[int]  # how many numbers a table's state is

    def __init__(
        self,
        num_envs: int = 1,
        rules: RulesLike = None,
        seats: int = 1,
        threads: int | None = None,
        render_mode: None = None,
    ) -> None:
        if type(num_envs) is not int or num_envs < 1:
            raise SettingError(f"num_envs: {shown(num_envs)} is not a whole number from 1 up")
        if threads is not None and (type(threads) is not int or threads < 1):
            raise SettingError(f"threads: {shown(threads)} is not a whole number from 1 up")
        if render_mode is not None:
            raise SettingError("many tables are not rendered: make one of them to look at it")
        self.num_envs, self.render_mode = num_envs, None
        self.coding = self.coded(rules, seats)
        self.fields = tuple(self.coding.fields)
        self.single_action_space = self.coding.action_space
        self.single_observation_space = self.coding.space()
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.numbers = np.zeros(num_envs, np.uint64)
        self._states = np.zeros((num_envs, self.columns), np.int32)
        self._key: np.uint64 | None = None
        self._threads = threads or os.cpu_count() or 1
        self._prepare(self.coding.rules)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002  Gymnasium's
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal the first round at every table; without a seed those that come next."""
        if isinstance(seed, list):
            raise SettingError("all tables share one seed, a whole number: a list is none")
        if seed is not None or self._key is None:
            super().reset(seed=None if seed is None else check_seed(seed))
            drawn = int(self.np_random.integers(2**63)) if seed is None else seed
            self._key = np.uint64(drawn)
            self.numbers[:] = np.arange(self.num_envs, dtype=np.uint64)
        else:
            self.numbers += np.uint64(self.num_envs)
        seen, _, _, illegal = self._run(np.zeros(self.num_envs, np.int64), fresh=True)
        return seen, self._info(seen, illegal)

    def step(self, actions: NDArray[Any]) -> Step:
        """Carry out an action at every table; one that is not legal changes nothing."""
        if self._key is None:
            raise ResetNeeded("nothing is dealt yet: call reset() first")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise SettingError(
                f"actions are {self.num_envs} whole numbers, one for each table, not an array of"
                f" {given.dtype} and shape {given.shape}"
            )
        seen, rewards, done, illegal = self._run(given.astype(np.int64, copy=False), fresh=False)
        return seen, rewards, done, np.zeros(self.num_envs, np.bool_), self._info(seen, illegal)

    def close_extras(self, **_: Any) -> None:  # noqa: ANN401  Gymnasium's
        """Let the threads go."""
        if "_pool" in self.__dict__:
            self._pool.shutdown()
            del self.__dict__["_pool"]

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process can take up: not the threads."""
        return {name: value for name, value in self.__dict__.items() if name != "_pool"}

    def _info(self, seen: Observations, illegal: NDArray[np.bool_]) -> dict[str, Any]:
        every = np.ones(self.num_envs, np.bool_)
        mask = seen["action_mask"].copy()
        return {
            "action_mask": mask,
            "_action_mask": every,
            "illegal": illegal,
            "_illegal": every.copy(),
        }

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads)

    def _run(self, actions: NDArray[np.int64], *, fresh: bool) -> tuple[Any, ...]:
        """Step every table, a share of them on each core, into new arrays."""
        n = self.num_envs
        seen = np.empty((n, len(self.coding.fields)), np.int16)
        masks = np.empty((n, len(self.coding.actions)), np.int8)
        rewards, done, illegal = np.empty(n), np.empty(n, np.bool_), np.empty(n, np.bool_)
        told = seen, masks, rewards, done, illegal
        parts = min(self._threads, max(1, n // SHARE))
        cuts = pairwise(n * part // parts for part in range(parts + 1))
        first, *others = (slice(begin, end) for begin, end in cuts)
        jobs = [self._pool.submit(self._step, o, actions, told, fresh=fresh) for o in others]
        self._step(first, actions, told, fresh=fresh)
        for job in jobs:
            job.result()
        return {"observation": seen, "action_mask": masks}, rewards, done, illegal

    @abstractmethod
    def _step(self, share: slice, actions: Any, told: Told, *, fresh: bool) -> None:  # noqa: ANN401
        """Step the tables of a share."""

    @abstractmethod
    def _prepare(self, rules: Any) -> None:  # noqa: ANN401  those of the game
        """Lay out what the kernel takes beside the tables' states."""


class TossOne21VectorEnv(TablesEnv):
    """Tables of Toss One 21; actions, observations and rewards are those of ``TossOne21Env``."""

    coded: ClassVar[type[Coding]] = TossOne
    columns: ClassVar[int] = steps.TOSS_STATE

    def _prepare(self, rules: Any) -> None:  # noqa: ANN401  those of the game
        self._options = np.zeros(steps.TOSS_OPTIONS, np.int64)
        self._options[steps.TOSS_SEATS] = self.coding.seats
        self._options[steps.DECKS] = rules.decks
        self._options[steps.DRAWS] = toss_one.TossOne(rules, self.coding.seats).draws
        self._options[steps.FREE] = rules.toss is TossRule.FREE
        self._options[steps.BEATS_21] = rules.dealer_blackjack is DealerBlackjack.BEATS_21
        self._options[steps.ACE_HIGH] = rules.ace_kicker is AceKicker.HIGH
        self._pays = [np.array(row, np.int64) for row in toss_one.cents_of(rules)]
        cards = steps.PACK * (self.coding.seats + 1)
        self._cards = np.empty((self.num_envs, cards), np.int16)

    def _step(self, share: slice, actions: Any, told: Told, *, fresh: bool) -> None:  # noqa: ANN401
        kernel: Any = steps.toss_one
        kernel(
            self._key, share.start, share.stop, fresh, actions, self.numbers, self._cards,
            self._states, self._options, *self._pays, UNIT, *told,
        )  # fmt: skip


class RollYourOwnVectorEnv(TablesEnv):
    """Tables of Roll Your Own; actions, observations, rewards are those of ``RollYourOwnEnv``."""

    coded: ClassVar[type[Coding]] = RollYourOwn
    columns: ClassVar[int] = steps.ROLL_STATE

    def _prepare(self, rules: Any) -> None:  # noqa: ANN401  those of the game
        self._options = np.zeros(steps.ROLL_OPTIONS, np.int64)
        self._options[: roll.OPTIONS] = strategies.options_of(rules)
        self._options[roll.SEATS] = self.coding.seats
        self._options[steps.INSURES] = rules.insurance is not Insurance.OFF
        self._options[steps.UNIT] = UNIT
        insured = rules.rounding.net(INSURANCE_PAYS, UNIT)
        self._pays = np.array([*roll_your_own.cents_of(rules), insured], np.int64)
        self._words = np.empty((self.num_envs, 4), np.uint32)
        self._decks = np.empty((self.num_envs, roll.DECK), np.uint8)
        self._owed = np.zeros(self.num_envs, np.int64)

    def _step(self, share: slice, actions: Any, told: Told, *, fresh: bool) -> None:  # noqa: ANN401
        kernel: Any = steps.roll_your_own
        kernel(
            self._key, share.start, share.stop, fresh, actions, self.numbers, self._words,
            self._decks, self._states, self._options, self._pays, *told, self._owed,
        )  # fmt: skip
