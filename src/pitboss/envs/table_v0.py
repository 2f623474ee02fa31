"""A whole table for PettingZoo: one agent per seat, in the order of the round's turns.

>>> from pitboss.envs import table_v0
>>> table_v0.env("roll-your-own", seats=5).possible_agents[-1]
'seat_5'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from pitboss.core.errors import SettingError
from pitboss.envs.episodes import Episode
from pitboss.envs.rendering import FPS, MODES, check_mode, render
from pitboss.games import find_game
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    import numpy as np

    from pitboss.envs.encoding import EncodingPart, Observation, RulesLike

__all__ = ["TableAEC", "env", "raw_env"]


def env(
    game: str,
    rules: RulesLike = None,
    seats: int = 3,
    render_mode: str | None = None,
) -> AECEnv[str, Any, Any]:
    """Return a table that checks the order of its calls and the actions passed."""
    table = wrappers.AssertOutOfBoundsWrapper(raw_env(game, rules, seats, render_mode))
    return wrappers.OrderEnforcingWrapper(table)


def raw_env(
    game: str,
    rules: RulesLike = None,
    seats: int = 3,
    render_mode: str | None = None,
) -> TableAEC:
    """Return a table without checks."""
    return TableAEC(game, rules, seats, render_mode)


class TableAEC(AECEnv[str, Any, Any]):
    """A round of a game at a table with one or more agents.

    ## Description
    Every agent has a seat and plays for itself against the dealer: `seat_1` is the first from the
    dealer's left. The rules engine plays the round, and an agent gets only its seat's view.

    ## Action Space
    The same as in the game's environment for one seat. An illegal action changes nothing: the same
    agent is asked again, and `infos[agent]["illegal"]` is true.

    ## Observation Space
    The same as in that environment, for the agent's own seat. If it is not the agent's turn, its
    mask is empty. Cards of other seats are included once they lie face up.

    ## Starting State
    The same as in that environment: bets are placed or asked for, then cards are dealt.

    ## Rewards
    The net result of the agent's bets settled since its last turn, in units of one bet.

    ## Episode End
    When the round is settled, all agents are terminated. Episodes are never truncated.

    ## Arguments
    - `game`: the key of a game that has environments, such as `"roll-your-own"`.
    - `rules`: settings by name, the name of a preset, or the game's `Rules`.
    - `seats`: the number of agents, at most the number of seats in the rules (default 3).
    - `render_mode`: `"ansi"` for text, `"rgb_array"` for an image; both show all seats' cards.

    ## Version History
    - v0: the first version.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": MODES,
        "render_fps": FPS,
        "name": "pitboss_table_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str,
        rules: RulesLike = None,
        seats: int = 3,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        part: EncodingPart = find_game(game).part("encoding")
        self.render_mode = check_mode(render_mode)
        self.encoding = part.ENCODING(rules, seats)
        self.fields = tuple(self.encoding.fields)
        self.possible_agents = [f"seat_{seat}" for seat in range(1, seats + 1)]
        self._number = {agent: seat for seat, agent in enumerate(self.possible_agents, 1)}
        self._observed = {agent: self.encoding.space() for agent in self.possible_agents}
        self._acts = {a: spaces.Discrete(len(self.encoding.actions)) for a in self.possible_agents}
        self._random: np.random.Generator | None = None
        self._episode: Episode | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observed[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._acts[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 PettingZoo's signature
        """Shuffle and open a round."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self._episode = Episode.shuffled(self.encoding, self._random)
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._won = dict.fromkeys(self.agents, 0)
        self.infos: dict[str, dict[str, Any]] = {}
        self._update_turn(illegal=False)

    def step(self, action: np.int64 | int | None) -> None:
        """Carry out the action of the agent whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise SettingError(f"{agent} must choose an action, not None")
        self._cumulative_rewards[agent] = 0.0
        legal = self._current_episode().act(action)
        for other, seat in self._number.items():
            won = self._current_episode().won(seat) if self._current_episode().decided else 0
            self.rewards[other] = (won - self._won[other]) / UNIT
            self._won[other] = won
        self._update_turn(illegal=not legal, asked=agent)
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent."""
        episode, seat = self._current_episode(), self._number[agent]
        asked, legal = episode.legal()
        round_ = episode.round
        is_open = round_.phase in self.encoding.open_phases
        mine = round_.numbers if is_open else (seat,)
        return self.encoding.observe(round_, seat, mine, legal if asked == seat else {})

    def render(self) -> Any:  # noqa: ANN401  text or an image
        """Return the table as text (``ansi``) or as an image (``rgb_array``)."""
        return render(self._current_episode(), self._number.values(), self.render_mode)

    def close(self) -> None:
        """Do nothing: a table holds no resources."""

    def _current_episode(self) -> Episode:
        if self._episode is None:
            raise ResetNeeded("no round has been dealt: call reset() first")
        return self._episode

    def _update_turn(self, *, illegal: bool, asked: str | None = None) -> None:
        """Select the agent whose turn is next, and set the legal actions of every agent."""
        episode = self._current_episode()
        seat, legal = episode.legal()
        for agent in self.agents:
            mask = self.encoding.mask(legal if self._number[agent] == seat else ())
            self.infos[agent] = {"action_mask": mask, "illegal": illegal and agent == asked}
        if episode.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[seat - 1]
