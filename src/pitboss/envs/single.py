"""One table for Gymnasium; the agent plays every occupied seat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from pitboss.envs.episodes import Episode
from pitboss.envs.rendering import FPS, MODES, check_mode, render
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    from pitboss.envs.encoding import Encoding, Observation, RulesLike


class TableEnv(gym.Env[dict[str, Any], np.int64]):
    """A table on which an agent plays one round per episode; each game has its own encoding."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": MODES,
        "render_fps": FPS,
    }
    encoding_class: ClassVar[type[Encoding]]

    def __init__(
        self, rules: RulesLike = None, seats: int = 1, render_mode: str | None = None
    ) -> None:
        self.render_mode = check_mode(render_mode)
        self.encoding = self.encoding_class(rules, seats)
        self.action_space = self.encoding.action_space
        self.observation_space = self.encoding.space()
        self.fields = tuple(self.encoding.fields)
        self.episode: Episode | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Shuffle and open a round."""
        super().reset(seed=seed, options=options)
        self.episode = Episode.shuffled(self.encoding, self.np_random)
        return self._observe(self.episode, illegal=False)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action. An illegal action changes nothing, and ``info`` reports it."""
        episode = self._current_episode()
        if episode.is_over:
            raise ResetNeeded("the round is over: call reset() for the next")
        before = self._won(episode) if episode.decided else 0
        legal = episode.act(action)
        won = self._won(episode) - before if legal else 0
        seen, info = self._observe(episode, illegal=not legal)
        return seen, won / UNIT, episode.is_over, False, info

    def render(self) -> Any:  # noqa: ANN401  text or an image
        """Return the table as text (``ansi``) or as an image (``rgb_array``)."""
        return render(self._current_episode(), range(1, self.encoding.seats + 1), self.render_mode)

    def _current_episode(self) -> Episode:
        if self.episode is None:
            raise ResetNeeded("no round has been dealt: call reset() first")
        return self.episode

    def _won(self, episode: Episode) -> int:
        return sum(episode.won(seat) for seat in range(1, self.encoding.seats + 1))

    def _observe(self, episode: Episode, *, illegal: bool) -> tuple[Observation, dict[str, Any]]:
        seat, legal = episode.legal()
        every = range(1, self.encoding.seats + 1)
        seen = self.encoding.observe(episode.round, seat, every, legal)
        return seen, {"action_mask": seen["action_mask"].copy(), "illegal": illegal}
