"""One round of an environment, played through the rules engine."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from pitboss.core.cards import DECK
from pitboss.core.errors import SettingError, shown
from pitboss.core.protocol import deal_from, net, supply

if TYPE_CHECKING:
    import numpy as np

    from pitboss.core.cards import Card
    from pitboss.core.protocol import Operation
    from pitboss.envs.encoding import Encoding


class Episode:
    """One round that agents play, dealt from a deck that is already shuffled."""

    def __init__(self, encoding: Encoding, deck: tuple[Card, ...]) -> None:
        self.encoding, self.deck = encoding, deck
        self.round = encoding.opened()
        self.decided = False  # whether an agent has acted, even if it had no decision
        self._go_on()

    @classmethod
    def shuffled(cls, encoding: Encoding, chance: np.random.Generator) -> Episode:
        """Open a round with a shuffled shoe."""
        order = chance.permutation(encoding.game.start(encoding.rules).deck_size)
        return cls(encoding, tuple([DECK[place % len(DECK)] for place in order.tolist()]))

    @property
    def is_over(self) -> bool:
        return self.decided and self.round.phase == "settled"

    def legal(self) -> tuple[int, dict[int, Operation]]:
        """Return the seat that decides, and the operation of each of its legal actions."""
        seat, found = self._asked
        if not found and not self.decided:
            found = {self.encoding.nothing: None}
        return seat, found

    def act(self, action: object) -> bool:
        """Carry out an action and return true; an illegal one changes nothing and returns false."""
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            raise SettingError(f"an action must be a whole number, not {shown(action)}") from None
        _, found = self.legal()
        if number not in found:
            return False
        if (operation := found[number]) is not None:
            self.round = self.round.apply(operation)
            self._go_on()
        self.decided = True
        return True

    def won(self, seat: int) -> int:
        """Return a seat's net result of the bets settled so far, in cents."""
        return net(self.round.settlements(), seat)

    def _go_on(self) -> None:
        """Deal when all seats have bet, and supply the cards that the round needs."""
        if self.round.phase != "betting":
            self.round = supply(self.deck, self.round)
        elif len(self.round.numbers) == self.encoding.seats:
            self.round = deal_from(self.deck, self.round)
        self._asked = self.encoding.legal(self.round)
