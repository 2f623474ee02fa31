"""Encoding and environments of Toss One 21 for learning agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pitboss.envs.encoding import CARD_VALUES, SEEN, Encoding, card_number
from pitboss.envs.single import TableEnv
from pitboss.envs.vector import TablesEnv
from pitboss.games.toss_one import GAME, AceKicker, Bet, DealerBlackjack, Phase, TossRule
from pitboss.games.toss_one.hands import PACK
from pitboss.games.toss_one.kernels import steps
from pitboss.games.toss_one.simulation import TossOne, cents_of
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    from pitboss.core.protocol import Operation, Round, SeatView, View
    from pitboss.envs.vector import StepArrays

__all__ = ["TossOne21Env", "TossOne21VectorEnv"]


class TossOneEncoding(Encoding):
    """The encoding of Toss One 21: choose the side bets, then the card to toss."""

    game = GAME
    actions = (
        "Main alone",
        "Main and Lucky 3",
        "Main and Bonus 4",
        "Main, Lucky 3 and Bonus 4",
        *(f"toss card {place}" for place in range(1, PACK + 1)),
    )
    nothing = 0
    phases = tuple(Phase)

    def _fields(self) -> dict[str, int]:
        seen = 4 * 4 * self.rules.decks + 1  # type: ignore[attr-defined]
        cards = {f"card_{place}": CARD_VALUES for place in range(1, PACK + 1)}
        head = {"phase": len(self.phases), "seat": self.rules.seats + 1}
        return head | cards | {"lucky3": 2, "bonus4": 2} | dict.fromkeys(SEEN, seen)

    def opened(self) -> Round:
        return self.game.start(self.rules)

    def legal(self, round_: Round) -> tuple[int, dict[int, Operation]]:
        if round_.phase is Phase.BETTING:
            seat = len(round_.numbers) + 1
            return seat, {
                sides: Bet(seat, UNIT, UNIT * (sides & 1), UNIT * (sides >> 1))
                for sides in range(4)
            }
        if (asked := round_.asked) is None:
            return 1, {}
        (own,) = (s for s in round_.view(asked.seat).seats if s.seat == asked.seat)
        return asked.seat, {4 + own.cards.index(toss.card): toss for toss in asked.legal}

    def look(self, view: View, seat: SeatView | None) -> dict[str, int]:
        found = {"phase": self.phases.index(Phase(view.phase))}
        if seat is None:
            return found
        cards = {f"card_{place}": card_number(card) for place, card in enumerate(seat.cards, 1)}
        return found | cards | {name: int(seat.stakes[name] > 0) for name in ("lucky3", "bonus4")}


ENCODING = TossOneEncoding


class TossOne21Env(TableEnv):
    """Toss One 21: choose the side bets, then toss one of four cards.

    ## Description
    A player at a casino table gets four cards and tosses one. The other three play against the
    dealer's best three: the total nearer to 21 wins even money, and the tossed cards decide between
    equal totals. The side bets Lucky 3 and Bonus 4 are optional. The rules engine plays the round,
    so every clause, setting and pay table of pitboss applies.

    ## Action Space
    `Discrete(8)`; the mask marks the legal actions.

    | action | meaning |
    |---|---|
    | 0 | bet on Main alone |
    | 1 | Main and Lucky 3 |
    | 2 | Main and Bonus 4 |
    | 3 | Main, Lucky 3 and Bonus 4 |
    | 4 to 7 | toss the first, second, third or fourth card |

    An illegal action changes nothing: the observation stays, the reward is 0 and `info["illegal"]`
    is true. Under the default rules, only a toss that leaves the best total is legal; with
    `rules={"toss": "free"}` every toss is.

    ## Observation Space
    A `Dict` with two entries. `observation` is a `MultiDiscrete` of these fields in this order.
    `action_mask` is a `MultiBinary(8)`, which is also in `info`
    (`env.action_space.sample(info["action_mask"])`).

    | field | meaning |
    |---|---|
    | `phase` | 0 betting, 1 tossing, 2 settled |
    | `seat` | the seat whose turn it is, from 1 at the dealer's left |
    | `card_1` to `card_4` | its cards, 0 for no card |
    | `lucky3`, `bonus4` | whether it has made the side bet |
    | `seen_A`, `seen_2` to `seen_10` | cards of each value at the agent's seats |

    A card is 1 + 4 x rank + suit: ranks from the ace (0) to the king (12), suits spades, hearts,
    diamonds, clubs.

    ## Starting State
    A full shoe is shuffled, and the first seat chooses its bets.

    ## Rewards
    The net result settled since the last step, in units of one bet: +1 for even money, -1 for a
    lost bet, +1.5 for a blackjack at 3 to 2. The rewards of a round add up to the net result of the
    seats.

    ## Episode End
    The episode terminates when the round is settled. It is never truncated.

    ## Arguments
    `gymnasium.make("pitboss/TossOne21-v0", rules={"decks": 6}, seats=3, render_mode="ansi")`

    - `rules`: settings by name, the name of a preset, or `toss_one.Rules` (default rules).
    - `seats`: the number of seats that the agent plays, one after another (default 1).
    - `render_mode`: `"ansi"` for text, `"rgb_array"` for an image; none by default.

    ## Version History
    - v0: the first version.
    """

    encoding_class = TossOneEncoding


class TossOne21VectorEnv(TablesEnv):
    """Many tables of Toss One 21, with the spaces and rewards of ``TossOne21Env``."""

    encoding_class: ClassVar[type[Encoding]] = TossOneEncoding
    columns: ClassVar[int] = steps.STATE

    def _prepare(self, rules: Any) -> None:  # noqa: ANN401  the game's Rules
        self._options = np.zeros(steps.OPTIONS, np.int64)
        self._options[steps.SEATS] = self.encoding.seats
        self._options[steps.DECKS] = rules.decks
        self._options[steps.DRAWS] = TossOne(rules, self.encoding.seats).draws
        self._options[steps.FREE] = rules.toss is TossRule.FREE
        self._options[steps.BEATS_21] = rules.dealer_blackjack is DealerBlackjack.BEATS_21
        self._options[steps.ACE_HIGH] = rules.ace_kicker is AceKicker.HIGH
        self._pays = [np.array(row, np.int64) for row in cents_of(rules)]
        cards = PACK * (self.encoding.seats + 1)
        self._cards = np.empty((self.num_envs, cards), np.int16)

    def _step(self, share: slice, actions: Any, arrays: StepArrays, *, fresh: bool) -> None:  # noqa: ANN401
        kernel: Any = steps.step_tables
        kernel(
            self._key, share.start, share.stop, fresh, actions, self.numbers, self._cards,
            self._states, self._options, *self._pays, UNIT, *arrays,
        )  # fmt: skip
