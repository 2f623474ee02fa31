"""A whole table for PettingZoo: one agent a seat, in the order that the round asks them.

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

from pitboss.envs.coding import CODINGS, Sitting
from pitboss.envs.rendering import FPS, MODES, check_mode, render
from pitboss.errors import SettingError
from pitboss.games import find_game, not_there
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    import numpy as np

    from pitboss.envs.coding import Observation, RulesLike

__all__ = ["TableAEC", "env", "raw_env"]


def env(
    game: str = "roll-your-own",
    rules: RulesLike = None,
    seats: int = 3,
    render_mode: str | None = None,
) -> AECEnv[str, Any, Any]:
    """Return a table whose misuse is told: out of order, out of the action space."""
    table = wrappers.AssertOutOfBoundsWrapper(raw_env(game, rules, seats, render_mode))
    return wrappers.OrderEnforcingWrapper(table)


def raw_env(
    game: str = "roll-your-own",
    rules: RulesLike = None,
    seats: int = 3,
    render_mode: str | None = None,
) -> TableAEC:
    """Return a table as it is."""
    return TableAEC(game, rules, seats, render_mode)


class TableAEC(AECEnv[str, Any, Any]):
    """A round of either game at a table of one agent or more.

    ## Description
    Every agent has a seat and plays for itself against the dealer: `seat_1` is the first from the
    dealer's left. The round goes through the rules engine, and an agent sees what its seat may see.

    ## Action Space
    That of `TossOne21Env` or of `RollYourOwnEnv`. An action that is not legal changes nothing: the
    same agent is asked again, and `infos[agent]["illegal"]` is true.

    ## Observation Space
    That of the same environments, for the agent's own seat. The mask of an agent that is not asked
    is empty. In Roll Your Own the values seen are those of all seats once all hands are set.

    ## Starting State
    Toss One 21: every seat is asked for its bets, then cards are dealt. Roll Your Own: bets are
    down and cards are dealt.

    ## Rewards
    What was settled of the agent's bets since its last turn, in bets.

    ## Episode End
    The round is settled: all agents are terminated. Nothing truncates.

    ## Arguments
    - `game`: `"roll-your-own"` or `"toss-one-21"`.
    - `rules`: settings by name, the name of a preset, or the game's `Rules`.
    - `seats`: how many agents, as many as the rules have seats (3).
    - `render_mode`: `"ansi"`, text; `"rgb_array"`, a picture; both show every seat's own cards.

    ## Version History
    - v0: the first.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": MODES,
        "render_fps": FPS,
        "name": "pitboss_table_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str = "roll-your-own",
        rules: RulesLike = None,
        seats: int = 3,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        known = find_game(game)
        if known.key not in CODINGS:
            raise not_there("environments", known)
        self.render_mode = check_mode(render_mode)
        self.coding = CODINGS[known.key](rules, seats)
        self.fields = tuple(self.coding.fields)
        self.possible_agents = [f"seat_{seat}" for seat in range(1, seats + 1)]
        self._number = {agent: seat for seat, agent in enumerate(self.possible_agents, 1)}
        self._observed = {agent: self.coding.space() for agent in self.possible_agents}
        self._acts = {a: spaces.Discrete(len(self.coding.actions)) for a in self.possible_agents}
        self._random: np.random.Generator | None = None
        self._sitting: Sitting | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observed[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._acts[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002  PettingZoo's
        """Shuffle and open a round."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self._sitting = Sitting.shuffled(self.coding, self._random)
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._won = dict.fromkeys(self.agents, 0)
        self.infos: dict[str, dict[str, Any]] = {}
        self._tell(illegal=False)

    def step(self, action: np.int64 | int | None) -> None:
        """Carry out the action of the agent that is asked."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise SettingError(f"{agent} is asked for an action, not for None")
        self._cumulative_rewards[agent] = 0.0
        legal = self._dealt().act(action)
        for other, seat in self._number.items():
            won = self._dealt().won(seat) if self._dealt().decided else 0
            self.rewards[other] = (won - self._won[other]) / UNIT
            self._won[other] = won
        self._tell(illegal=not legal, asked=agent)
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        sitting, seat = self._dealt(), self._number[agent]
        asked, legal = sitting.legal()
        round_ = sitting.round
        mine = round_.numbers if round_.phase in {"insuring", "playing", "settled"} else (seat,)
        return self.coding.observe(round_, seat, mine, legal if asked == seat else {})

    def render(self) -> Any:  # noqa: ANN401  text or a picture
        """Return the table as text (``ansi``) or as a picture (``rgb_array``)."""
        return render(self._dealt(), self._number.values(), self.render_mode)

    def close(self) -> None:
        """There is nothing to let go of."""

    def _dealt(self) -> Sitting:
        if self._sitting is None:
            raise ResetNeeded("nothing is dealt yet: call reset() first")
        return self._sitting

    def _tell(self, *, illegal: bool, asked: str | None = None) -> None:
        """Name the agent that is asked next, and say what each may do."""
        sitting = self._dealt()
        seat, legal = sitting.legal()
        for agent in self.agents:
            mask = self.coding.mask(legal if self._number[agent] == seat else ())
            self.infos[agent] = {"action_mask": mask, "illegal": illegal and agent == asked}
        if sitting.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[seat - 1]
