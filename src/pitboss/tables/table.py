"""A single player's table: a game with limits, a shuffler, a purse, and the current round."""

from __future__ import annotations

import random
import secrets
from typing import TYPE_CHECKING, Protocol

from pitboss.core.cards import DECK, Card
from pitboss.core.errors import SettingError, shown
from pitboss.core.journal import dollars, write_journal
from pitboss.core.protocol import Operation, deal_from, require, supply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.core.protocol import Game, Round
    from pitboss.core.settings import Json, Rules
    from pitboss.tables.limits import Limit


class Shuffler(Protocol):
    """A source of decks."""

    def deck(self, size: int) -> tuple[Card, ...]:
        """Return a full deck of *size* cards, in dealing order."""


class SystemShuffler:
    """Unpredictable decks, from the operating system's randomness."""

    def __init__(self) -> None:
        self._chance: random.Random = secrets.SystemRandom()

    def deck(self, size: int) -> tuple[Card, ...]:
        cards = list(DECK) * (size // len(DECK))
        self._chance.shuffle(cards)
        return tuple(cards)


class SeededShuffler(SystemShuffler):
    """The same decks for the same seed; for lessons and tests only."""

    def __init__(self, seed: str) -> None:
        self._chance = random.Random(seed)  # noqa: S311  not for real dealing


class Table:
    """One player's table: bets leave the purse, and settlements return to it.

    A refused bet or decision changes nothing. The house loses every amount that the purse wins.
    """

    def __init__(
        self,
        game: Game,
        rules: Rules,
        *,
        limits: Mapping[str, Limit],
        shuffler: Shuffler,
        bankroll: int,
    ) -> None:
        for name in limits:
            if name not in game.stakes:
                raise SettingError(
                    f"no bet {shown(name)} to limit: choose one of {', '.join(game.stakes)}"
                )
        if not isinstance(rules, game.rules):
            raise SettingError(f"{shown(rules)} are not rules of {game.name}")
        if type(bankroll) is not int or bankroll < 0:
            raise SettingError(
                f"a bankroll of {shown(bankroll)} is invalid: use whole cents, 0 or more"
            )
        self.game = game
        self.rules = rules
        self.limits = limits
        self.house = 0
        self.round: Round = game.start(rules)
        self.deck: tuple[Card, ...] = ()
        self._shuffler = shuffler
        self._purse = bankroll  # without the bets of the current round

    @property
    def bankroll(self) -> int:
        """The money that is not in action."""
        back = sum(s.stake + s.net for s in self.round.settlements())
        return self._purse - self.round.staked + back

    @property
    def is_over(self) -> bool:
        return self.round.phase == "settled"

    def bet(self, seat: int, stakes: Mapping[str, int]) -> None:
        """Place the bets of one seat, within the limits and the bankroll."""
        bet = self.game.place(seat, stakes)
        for name, amount in stakes.items():
            if name in self.limits:
                self.limits[name].check(name, amount)
        self._go(self.round.apply(bet))

    def deal(self) -> None:
        """Shuffle, and deal to the seats with bets."""
        deck = self._shuffler.deck(self.round.deck_size)
        self.round, self.deck = deal_from(deck, self.round), deck

    def decide(self, decision: Operation) -> None:
        """Carry out a seat's decision, if the bankroll covers the amount that it adds."""
        self._go(self.round.apply(decision))

    def covers(self, decision: Operation) -> bool:
        """Return whether the bankroll covers the amount that a legal decision adds to the bets."""
        return self.round.apply(decision).staked - self.round.staked <= self.bankroll

    def _go(self, after: Round) -> None:
        added = after.staked - self.round.staked
        require(
            added <= self.bankroll,
            f"this takes {dollars(added)}, but the bankroll is {dollars(self.bankroll)}",
        )
        self.round = supply(self.deck, after)

    def journal(self) -> dict[str, Json]:
        """Return the round as a journal."""
        return write_journal(self.game, self.round, self.deck)

    def clear(self) -> int:
        """Clear the table for the next round and return the amount that the purse won.

        Settled bets stay settled; bets still in action go back to the purse.
        """
        won = sum(s.net for s in self.round.settlements())
        self._purse += won
        self.house -= won
        self.round, self.deck = self.game.start(self.rules), ()
        return won
