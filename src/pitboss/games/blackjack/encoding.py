"""Encoding and environments of blackjack for learning agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pitboss.core.cards import BLACKJACK
from pitboss.envs.encoding import CARD_VALUES, SEEN, Encoding, card_number
from pitboss.envs.single import TableEnv
from pitboss.envs.twenty_one import INSURANCES, TwentyOneEncoding, decision_word, hand_fields
from pitboss.envs.vector import TablesEnv
from pitboss.games.blackjack import tables
from pitboss.games.blackjack.game import GAME
from pitboss.games.blackjack.kernels import layout, steps
from pitboss.games.blackjack.round import Phase
from pitboss.games.blackjack.rules import HoleCard

if TYPE_CHECKING:
    from pitboss.core.protocol import Operation, Round, SeatView, View
    from pitboss.envs.vector import StepArrays

__all__ = ["BlackjackEnv", "BlackjackVectorEnv"]

TENS = 16  # ten-value cards in a deck


class BlackjackEncoding(TwentyOneEncoding):
    """The encoding of blackjack with a Main bet: insure or not, play the hand."""

    game = GAME
    actions = (*INSURANCES, "hit", "stand", "double", "split", "surrender")
    nothing = actions.index("stand")
    phases = tuple(Phase)[1:]  # no betting phase: the bets are already placed

    def _fields(self) -> dict[str, int]:
        decks: int = self.rules.decks  # type: ignore[attr-defined]
        most: int = self.rules.max_splits + 2  # type: ignore[attr-defined]
        head = {"phase": len(self.phases), "seat": self.rules.seats + 1, "up": CARD_VALUES}
        cards = {"card_1": CARD_VALUES, "card_2": CARD_VALUES}
        hand = {"total": BLACKJACK + 1, "soft": 2, "cards": BLACKJACK + 1, "pair": 11}
        left = {"hands": most, "cards_left": decks * layout.CARDS + 1}
        return head | cards | hand | left | dict.fromkeys(SEEN, TENS * decks + 1)

    def legal(self, round_: Round) -> tuple[int, dict[int, Operation]]:
        if (asked := round_.asked) is None:
            return 1, {}
        return asked.seat, {self.actions.index(decision_word(d)): d for d in asked.legal}

    def look(self, view: View, seat: SeatView | None) -> dict[str, int]:
        found = {"phase": self.phases.index(Phase(view.phase))}
        if seat is None:
            return found
        for place, card in enumerate(seat.cards, 1):
            found[f"card_{place}"] = card_number(card)
        found |= {"up": card_number(view.dealer.cards[0]), "cards_left": view.cards_left}
        if view.turn is None or view.turn.seat != seat.seat:
            return found
        return found | hand_fields(seat.hands[view.turn.hand]) | {"hands": len(seat.hands)}


ENCODING = BlackjackEncoding


class BlackjackEnv(TableEnv):
    """Blackjack: insure or not, and play a hand against the dealer.

    ## Description
    A player bets one unit on Main and plays two cards against a dealer, from a shoe of one to eight
    decks that is shuffled before every round. The side bets leave nothing to decide, so they are
    not part of the environment. The rules engine plays the round, so every clause and setting of
    pitboss applies.

    ## Action Space
    `Discrete(7)`; the mask marks the legal actions.

    | action | meaning |
    |---|---|
    | 0, 1 | decline insurance, or insure for half of the bet |
    | 2 to 6 | hit, stand, double, split, surrender |

    An illegal action changes nothing: the observation stays, the reward is 0 and `info["illegal"]`
    is true. If there is nothing to decide, for example with a blackjack, `stand` collects the
    result.

    ## Observation Space
    A `Dict` with two entries. `observation` is a `MultiDiscrete` of these fields in this order.
    `action_mask` is a `MultiBinary(7)`, which is also in `info`
    (`env.action_space.sample(info["action_mask"])`).

    | field | meaning |
    |---|---|
    | `phase` | 0 insuring, 1 playing, 2 settled |
    | `seat` | the seat whose turn it is, from 1 at the dealer's left |
    | `up` | the dealer's up card |
    | `card_1`, `card_2` | the seat's cards as dealt |
    | `total`, `soft` | the total of the hand in play, and whether an ace counts as 11 |
    | `cards`, `pair` | its number of cards; their value (1 to 10) if they are a pair |
    | `hands` | the number of hands of the seat after splits |
    | `cards_left` | cards left in the shoe, without the hole card |
    | `seen_A`, `seen_2` to `seen_10` | cards of each value at the agent's seats and the up card |

    A card is 1 + 4 x rank + suit: ranks from the ace (0) to the king (12), suits spades, hearts,
    diamonds, clubs.

    ## Starting State
    A shoe is shuffled, a bet is placed at each seat, and the cards are dealt. If an ace is up and
    the house offers insurance, every seat is asked for insurance first.

    ## Rewards
    The net result settled since the last step, in units of the bet: a bust at once, and the other
    hands at the end. The rewards of a round add up to the net result of the seats.

    ## Episode End
    The episode terminates when the round is settled. It is never truncated.

    ## Arguments
    `gymnasium.make("pitboss/Blackjack-v0", rules="single-deck", seats=7, render_mode="ansi")`

    - `rules`: settings by name, the name of a preset, or `blackjack.Rules` (default rules).
    - `seats`: the number of seats that the agent plays, one after another (default 1).
    - `render_mode`: `"ansi"` for text, `"rgb_array"` for an image; none by default.

    ## Version History
    - v0: the first version.
    """

    encoding_class = BlackjackEncoding


class BlackjackVectorEnv(TablesEnv):
    """Many tables of blackjack, with the spaces and rewards of ``BlackjackEnv``."""

    encoding_class: ClassVar[type[Encoding]] = BlackjackEncoding
    columns: ClassVar[int] = steps.STATE

    def _prepare(self, rules: Any) -> None:  # noqa: ANN401  the game's Rules
        self._options = np.zeros(steps.OPTIONS, np.int64)
        self._options[: layout.OPTIONS] = tables.options_of(rules)
        self._options[layout.SEATS] = self.encoding.seats
        self._options[steps.ORIGINAL_ONLY] = rules.hole_card is HoleCard.ORIGINAL_BETS_ONLY
        first, *more = rules.double.totals or range(BLACKJACK + 1)
        self._options[steps.LEAST_DOUBLE] = first
        self._options[steps.MOST_DOUBLE] = [first, *more][-1]
        self._options[steps.DOUBLES_SOFT] = not rules.double.totals
        self._dealer = tables.dealer(rules.soft_17)
        self._settled = tables.settled(rules.hole_card)
        self._units = tables.units(rules.hole_card)
        self._mains = np.array(tables.main_nets(rules), np.int64)
        self._insurances = np.array(tables.insurance_nets(rules), np.int64)
        shape = int(self._options[layout.SIZE]), self.num_envs
        self._swaps, self._held = np.empty(shape, np.uint16), np.empty(shape, np.uint16)
        self._decks = np.empty(shape, np.uint8)
        self._hands = np.zeros((self.num_envs, layout.MOST_SEATS), np.int64)
        self._owed = np.zeros(self.num_envs, np.int64)

    def _step(self, share: slice, actions: Any, arrays: StepArrays, *, fresh: bool) -> None:  # noqa: ANN401
        kernel: Any = steps.step_tables
        kernel(
            self._key, share.start, share.stop, fresh, actions, self.numbers, self._swaps,
            self._held, self._decks, self._states, self._hands, self._dealer, self._settled,
            self._units, self._options, self._mains, self._insurances, *arrays, self._owed,
        )  # fmt: skip
