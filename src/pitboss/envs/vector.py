"""Many tables at once for Gymnasium: the same numbers, computed by compiled code on every core.

The rounds are the simulator's rounds of the same seed: table i of n plays rounds i, i + n, i + 2n
and so on. So any round can be written as a journal and replayed.
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

from pitboss.core.errors import SettingError, shown
from pitboss.simulator.jobs import check_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pitboss.envs.encoding import Encoding, RulesLike

    Observations = dict[str, NDArray[Any]]
    StepArrays = tuple[NDArray[Any], ...]
    Step = tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]

TABLES_PER_THREAD = 2048
"""The number of tables that justifies another thread."""


class TablesEnv(VectorEnv[dict[str, Any], Any, Any], ABC):
    """Tables that step together; after the end of a round, the next step deals a new one.

    ## Arguments
    `gymnasium.make_vec("pitboss/RollYourOwn-v0", num_envs=10_000, rules="no-peek", threads=2)`

    - `num_envs`: the number of tables.
    - `rules`, `seats`: as for one table; they are the same for all tables.
    - `threads`: the number of threads (default: all cores), at most one per 2,048 tables.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    encoding_class: ClassVar[type[Encoding]]
    columns: ClassVar[int]  # the length of a table's state

    def __init__(
        self,
        num_envs: int = 1,
        rules: RulesLike = None,
        seats: int = 1,
        threads: int | None = None,
        render_mode: None = None,
    ) -> None:
        if type(num_envs) is not int or num_envs < 1:
            raise SettingError(f"num_envs: {shown(num_envs)} is not a whole number of at least 1")
        if threads is not None and (type(threads) is not int or threads < 1):
            raise SettingError(f"threads: {shown(threads)} is not a whole number of at least 1")
        if render_mode is not None:
            raise SettingError("a vector environment cannot be rendered: render a single table")
        self.num_envs, self.render_mode = num_envs, None
        self.encoding = self.encoding_class(rules, seats)
        self.fields = tuple(self.encoding.fields)
        self.single_action_space = self.encoding.action_space
        self.single_observation_space = self.encoding.space()
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.numbers = np.zeros(num_envs, np.uint64)
        self._states = np.zeros((num_envs, self.columns), np.int32)
        self._key: np.uint64 | None = None
        self._threads = threads or os.cpu_count() or 1
        self._prepare(self.encoding.rules)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 Gymnasium's signature
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal the first round at every table; without a seed, continue with the next rounds."""
        if isinstance(seed, list):
            raise SettingError("all tables share one seed: pass a whole number, not a list")
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
        """Carry out an action at every table; an illegal action changes nothing."""
        if self._key is None:
            raise ResetNeeded("no round has been dealt: call reset() first")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise SettingError(
                f"actions must be {self.num_envs} whole numbers, one for each table, not an array"
                f" of type {given.dtype} and shape {given.shape}"
            )
        seen, rewards, done, illegal = self._run(given.astype(np.int64, copy=False), fresh=False)
        return seen, rewards, done, np.zeros(self.num_envs, np.bool_), self._info(seen, illegal)

    def close_extras(self, **_: Any) -> None:  # noqa: ANN401 Gymnasium's signature
        """Shut down the threads."""
        if "_pool" in self.__dict__:
            self._pool.shutdown()
            del self.__dict__["_pool"]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, without the threads."""
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
        """Step every table, a share of them on each core; return new arrays."""
        n = self.num_envs
        seen = np.empty((n, len(self.encoding.fields)), np.int16)
        masks = np.empty((n, len(self.encoding.actions)), np.int8)
        rewards, done, illegal = np.empty(n), np.empty(n, np.bool_), np.empty(n, np.bool_)
        arrays = seen, masks, rewards, done, illegal
        parts = min(self._threads, max(1, n // TABLES_PER_THREAD))
        cuts = pairwise(n * part // parts for part in range(parts + 1))
        first, *others = (slice(begin, end) for begin, end in cuts)
        jobs = [self._pool.submit(self._step, o, actions, arrays, fresh=fresh) for o in others]
        self._step(first, actions, arrays, fresh=fresh)
        for job in jobs:
            job.result()
        return {"observation": seen, "action_mask": masks}, rewards, done, illegal

    @abstractmethod
    def _step(self, share: slice, actions: Any, arrays: StepArrays, *, fresh: bool) -> None:  # noqa: ANN401
        """Step one share of the tables."""

    @abstractmethod
    def _prepare(self, rules: Any) -> None:  # noqa: ANN401  the game's Rules
        """Prepare the kernel's arguments other than the tables' states."""
