"""One table, for Gymnasium: the agent plays every seat that is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from pitboss.envs.coding import Coding, RollYourOwn, Sitting, TossOne
from pitboss.envs.rendering import FPS, MODES, check_mode, render
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    from pitboss.envs.coding import Observation, RulesLike


class TableEnv(gym.Env[dict[str, Any], np.int64]):
    """A table where an agent plays one round an episode; games differ in their coding alone."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": MODES,
        "render_fps": FPS,
    }
    coded: ClassVar[type[Coding]]

    def __init__(
        self, rules: RulesLike = None, seats: int = 1, render_mode: str | None = None
    ) -> None:
        self.render_mode = check_mode(render_mode)
        self.coding = self.coded(rules, seats)
        self.action_space = self.coding.action_space
        self.observation_space = self.coding.space()
        self.fields = tuple(self.coding.fields)
        self.sitting: Sitting | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Shuffle and open a round."""
        super().reset(seed=seed, options=options)
        self.sitting = Sitting.shuffled(self.coding, self.np_random)
        return self._told(self.sitting, illegal=False)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action; one that is not legal changes nothing, and ``info`` says so."""
        sitting = self._dealt()
        if sitting.is_over:
            raise ResetNeeded("the round is over: call reset() for the next")
        before = self._won(sitting) if sitting.decided else 0
        legal = sitting.act(action)
        won = self._won(sitting) - before if legal else 0
        seen, info = self._told(sitting, illegal=not legal)
        return seen, won / UNIT, sitting.is_over, False, info

    def render(self) -> Any:  # noqa: ANN401  text or a picture
        """Return the table as text (``ansi``) or as a picture (``rgb_array``)."""
        return render(self._dealt(), range(1, self.coding.seats + 1), self.render_mode)

    def _dealt(self) -> Sitting:
        if self.sitting is None:
            raise ResetNeeded("nothing is dealt yet: call reset() first")
        return self.sitting

    def _won(self, sitting: Sitting) -> int:
        return sum(sitting.won(seat) for seat in range(1, self.coding.seats + 1))

    def _told(self, sitting: Sitting, *, illegal: bool) -> tuple[Observation, dict[str, Any]]:
        seat, legal = sitting.legal()
        every = range(1, self.coding.seats + 1)
        seen = self.coding.observe(sitting.round, seat, every, legal)
        return seen, {"action_mask": seen["action_mask"].copy(), "illegal": illegal}


class TossOne21Env(TableEnv):
    """Toss One 21: choose the side bets, then toss one of four cards.

    ## Description
    A player at a casino table gets four cards and tosses one; the three that are left play against
    the dealer's best three, the total nearer to 21 winning even money, the tossed cards deciding
    between equal totals. Two side bets, Lucky 3 and Bonus 4, are for the agent to make or not. The
    round goes through the rules engine: every clause, setting and pay table of pitboss applies.

    ## Action Space
    `Discrete(8)`; which of them are legal is in the mask.

    | action | meaning |
    |---|---|
    | 0 | bet on Main alone |
    | 1 | Main and Lucky 3 |
    | 2 | Main and Bonus 4 |
    | 3 | Main, Lucky 3 and Bonus 4 |
    | 4 to 7 | toss the first, second, third or fourth card |

    An action that is not legal changes nothing: the observation stays, the reward is 0 and
    `info["illegal"]` is true. By the default rules only a toss that leaves the best total is legal;
    `rules={"toss": "free"}` leaves the choice to the agent.

    ## Observation Space
    A `Dict` of `observation`, a `MultiDiscrete` of these fields in this order, and `action_mask`, a
    `MultiBinary(8)`, which `info` has too (`env.action_space.sample(info["action_mask"])`).

    | field | meaning |
    |---|---|
    | `phase` | 0 betting, 1 tossing, 2 settled |
    | `seat` | the seat that is asked, from 1 at the dealer's left |
    | `card_1` to `card_4` | its cards, 0 for none |
    | `lucky3`, `bonus4` | whether it has made the side bet |
    | `seen_A`, `seen_2` to `seen_10` | how many cards of each value the agent's seats hold |

    A card is 1 + 4 x rank + suit: ranks from the ace (0) to the king (12), suits spades, hearts,
    diamonds, clubs.

    ## Starting State
    A full shoe is shuffled and the first seat is asked for its bets.

    ## Rewards
    What was settled since the last step, in bets: +1 for even money, -1 for a lost bet, +1.5 for a
    blackjack at 3 to 2. A round's rewards add up to what the seats have won.

    ## Episode End
    The round is settled (terminated). Nothing truncates.

    ## Arguments
    `gymnasium.make("pitboss/TossOne21-v0", rules={"decks": 6}, seats=3, render_mode="ansi")`

    - `rules`: settings by name, the name of a preset, or `toss_one.Rules` (default rules if none).
    - `seats`: how many seats the agent plays, one after another (1).
    - `render_mode`: `"ansi"`, text; `"rgb_array"`, a picture; nothing by default.

    ## Version History
    - v0: the first.
    """

    coded = TossOne


class RollYourOwnEnv(TableEnv):
    """Roll Your Own Blackjack: set three cards as two hands, insure or not, play both.

    ## Description
    A player puts two of three cards on one blackjack bet and the third on the other, and plays both
    hands against one dealer from one deck; a Bonus on the three cards is mandatory. The round goes
    through the rules engine: every clause, setting and pay table of pitboss applies.

    ## Action Space
    `Discrete(12)`; which of them are legal is in the mask.

    | action | meaning |
    |---|---|
    | 0, 1 | set the first card alone, on the first or on the second bet |
    | 2, 3 | set the second card alone, on the first or on the second bet |
    | 4, 5 | set the third card alone, on the first or on the second bet |
    | 6, 7 | decline insurance, or insure for half of the two bets |
    | 8 to 11 | hit, stand, double, split |

    An action that is not legal changes nothing: the observation stays, the reward is 0 and
    `info["illegal"]` is true. Where every seat is dealt a double blackjack there is nothing to
    decide; `stand` takes what is won.

    ## Observation Space
    A `Dict` of `observation`, a `MultiDiscrete` of these fields in this order, and `action_mask`, a
    `MultiBinary(12)`, which `info` has too (`env.action_space.sample(info["action_mask"])`).

    | field | meaning |
    |---|---|
    | `phase` | 0 setting, 1 insuring, 2 playing, 3 settled |
    | `seat` | the seat that is asked, from 1 at the dealer's left |
    | `up` | the dealer's up card |
    | `card_1` to `card_3` | the seat's cards as dealt |
    | `bet` | the bet of the hand in play: 0 first, 1 second |
    | `total`, `soft` | its total, and whether an ace counts 11 |
    | `cards`, `pair` | how many cards it has; the value (1 to 10) if they are a pair |
    | `hands` | how many hands the bet is split into |
    | `cards_left` | cards left in the deck, the hole card not among them |
    | `seen_A`, `seen_2` to `seen_10` | how many cards of each value its seats and the up card are |

    A card is 1 + 4 x rank + suit: ranks from the ace (0) to the king (12), suits spades, hearts,
    diamonds, clubs.

    ## Starting State
    A deck is shuffled, three equal bets are down at each seat, the cards are dealt, and the first
    seat is asked how to set its three.

    ## Rewards
    What was settled since the last step, in bets: the Bonus as soon as all hands are set, a bust at
    once, what waits for the dealer at the end. A round's rewards add up to what the seats have won.

    ## Episode End
    The round is settled (terminated). Nothing truncates.

    ## Arguments
    `gymnasium.make("pitboss/RollYourOwn-v0", rules="no-peek", seats=7, render_mode="ansi")`

    - `rules`: settings by name, the name of a preset, or `roll_your_own.Rules` (default if none).
    - `seats`: how many seats the agent plays, one after another (1).
    - `render_mode`: `"ansi"`, text; `"rgb_array"`, a picture; nothing by default.

    ## Version History
    - v0: the first.
    """

    coded = RollYourOwn
