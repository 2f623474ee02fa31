"""Encoding and environments of Roll Your Own Blackjack for learning agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pitboss.core.twenty_one import INSURANCE_PAYS
from pitboss.envs.encoding import CARD_VALUES, SEEN, Encoding, card_number
from pitboss.envs.single import TableEnv
from pitboss.envs.twenty_one import INSURANCES, TwentyOneEncoding, decision_word, hand_fields
from pitboss.envs.vector import TablesEnv
from pitboss.games.roll_your_own import GAME, Insurance, Phase
from pitboss.games.roll_your_own.kernels import layout, steps
from pitboss.games.roll_your_own.rules import PACK
from pitboss.games.roll_your_own.simulation import cents_of
from pitboss.games.roll_your_own.strategies import options_of
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    from pitboss.core.protocol import Operation, Round, SeatView, View
    from pitboss.envs.vector import StepArrays

__all__ = ["RollYourOwnEnv", "RollYourOwnVectorEnv"]

PLAYS = ("hit", "stand", "double", "split")


class RollYourOwnEncoding(TwentyOneEncoding):
    """The encoding of Roll Your Own Blackjack: set three cards, insure or not, play the hands."""

    game = GAME
    actions = (
        *(
            f"card {place} alone on the {bet} bet"
            for place in range(1, PACK + 1)
            for bet in ("first", "second")
        ),
        *INSURANCES,
        *PLAYS,
    )
    nothing = actions.index("stand")
    phases = tuple(Phase)[1:]  # no betting phase: the bets are already placed

    def _fields(self) -> dict[str, int]:
        cards = {f"card_{place}": CARD_VALUES for place in range(1, PACK + 1)}
        head = {"phase": len(self.phases), "seat": self.rules.seats + 1, "up": CARD_VALUES}
        most = self.rules.max_splits + 2  # type: ignore[attr-defined]
        hand = {"bet": 2, "total": 22, "soft": 2, "cards": 13, "pair": 11, "hands": most}
        return head | cards | hand | {"cards_left": 53} | dict.fromkeys(SEEN, 17)

    def legal(self, round_: Round) -> tuple[int, dict[int, Operation]]:
        if (asked := round_.asked) is None:
            return 1, {}
        if asked.decision != "set":
            return asked.seat, {self.actions.index(decision_word(d)): d for d in asked.legal}
        (own,) = (s for s in round_.view(asked.seat).seats if s.seat == asked.seat)
        found = {}
        for way in asked.legal:
            bet, (alone,) = min(enumerate((way.first, way.second)), key=lambda b: len(b[1]))
            found[2 * own.cards.index(alone) + bet] = way
        return asked.seat, found

    def look(self, view: View, seat: SeatView | None) -> dict[str, int]:
        found = {"phase": self.phases.index(Phase(view.phase))}
        if seat is None:
            return found
        for place, card in enumerate(seat.cards, 1):
            found[f"card_{place}"] = card_number(card)
        found |= {"up": card_number(view.dealer.cards[0]), "cards_left": view.cards_left}
        turn = view.turn
        if turn is None or turn.seat != seat.seat:
            return found
        hands = [hand for hand in seat.hands if hand.bet == turn.bet]
        hand = hands[turn.hand]
        bet = {"bet": int(turn.bet == "second"), "hands": len(hands)}
        return found | hand_fields(hand) | bet


ENCODING = RollYourOwnEncoding


class RollYourOwnEnv(TableEnv):
    """Roll Your Own Blackjack: set three cards as two hands, insure or not, and play both hands.

    ## Description
    A player puts two of three cards on one blackjack bet and the third on the other, and plays both
    hands against one dealer from one deck. A Bonus bet on the three cards is mandatory. The rules
    engine plays the round, so every clause, setting and pay table of pitboss applies.

    ## Action Space
    `Discrete(12)`; the mask marks the legal actions.

    | action | meaning |
    |---|---|
    | 0, 1 | set the first card alone, on the first or on the second bet |
    | 2, 3 | set the second card alone, on the first or on the second bet |
    | 4, 5 | set the third card alone, on the first or on the second bet |
    | 6, 7 | decline insurance, or insure for half of the two bets |
    | 8 to 11 | hit, stand, double, split |

    An illegal action changes nothing: the observation stays, the reward is 0 and `info["illegal"]`
    is true. If every seat is dealt a double blackjack, there is nothing to decide, and `stand`
    collects the winnings.

    ## Observation Space
    A `Dict` with two entries. `observation` is a `MultiDiscrete` of these fields in this order.
    `action_mask` is a `MultiBinary(12)`, which is also in `info`
    (`env.action_space.sample(info["action_mask"])`).

    | field | meaning |
    |---|---|
    | `phase` | 0 setting, 1 insuring, 2 playing, 3 settled |
    | `seat` | the seat whose turn it is, from 1 at the dealer's left |
    | `up` | the dealer's up card |
    | `card_1` to `card_3` | the seat's cards as dealt |
    | `bet` | the bet of the hand in play: 0 first, 1 second |
    | `total`, `soft` | its total, and whether an ace counts as 11 |
    | `cards`, `pair` | its number of cards; their value (1 to 10) if they are a pair |
    | `hands` | the number of hands of the bet after splits |
    | `cards_left` | cards left in the deck, without the hole card |
    | `seen_A`, `seen_2` to `seen_10` | cards of each value at the agent's seats and the up card |

    A card is 1 + 4 x rank + suit: ranks from the ace (0) to the king (12), suits spades, hearts,
    diamonds, clubs.

    ## Starting State
    A deck is shuffled, three equal bets are placed at each seat, and the cards are dealt. The first
    seat then sets its three cards.

    ## Rewards
    The net result settled since the last step, in units of one bet: the Bonus as soon as all hands
    are set, a bust at once, and the other hands at the end. The rewards of a round add up to the
    net result of the seats.

    ## Episode End
    The episode terminates when the round is settled. It is never truncated.

    ## Arguments
    `gymnasium.make("pitboss/RollYourOwn-v0", rules="no-peek", seats=7, render_mode="ansi")`

    - `rules`: settings by name, the name of a preset, or `roll_your_own.Rules` (default rules).
    - `seats`: the number of seats that the agent plays, one after another (default 1).
    - `render_mode`: `"ansi"` for text, `"rgb_array"` for an image; none by default.

    ## Version History
    - v0: the first version.
    """

    encoding_class = RollYourOwnEncoding


class RollYourOwnVectorEnv(TablesEnv):
    """Many tables of Roll Your Own, with the spaces and rewards of ``RollYourOwnEnv``."""

    encoding_class: ClassVar[type[Encoding]] = RollYourOwnEncoding
    columns: ClassVar[int] = steps.STATE

    def _prepare(self, rules: Any) -> None:  # noqa: ANN401  the game's Rules
        self._options = np.zeros(steps.OPTIONS, np.int64)
        self._options[: layout.OPTIONS] = options_of(rules)
        self._options[layout.SEATS] = self.encoding.seats
        self._options[steps.INSURES] = rules.insurance is not Insurance.OFF
        self._options[steps.UNIT] = UNIT
        insured = rules.rounding.net(INSURANCE_PAYS, UNIT)
        self._pays = np.array([*cents_of(rules), insured], np.int64)
        self._words = np.empty((self.num_envs, 4), np.uint32)
        self._decks = np.empty((self.num_envs, layout.DECK), np.uint8)
        self._owed = np.zeros(self.num_envs, np.int64)

    def _step(self, share: slice, actions: Any, arrays: StepArrays, *, fresh: bool) -> None:  # noqa: ANN401
        kernel: Any = steps.step_tables
        kernel(
            self._key, share.start, share.stop, fresh, actions, self.numbers, self._words,
            self._decks, self._states, self._options, self._pays, *arrays, self._owed,
        )  # fmt: skip
