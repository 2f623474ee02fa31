"""A table: a game with its limits, a shuffler, a purse, and the round that is on."""

from __future__ import annotations

import random
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pitboss.cards import DECK, Card
from pitboss.errors import NotationError, RuleError, SettingError, shown
from pitboss.felt import Operation, deal_from, require, supply
from pitboss.notation import dollars, read_cents, write_journal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.felt import Game, Round
    from pitboss.rules import Json, Rules


@dataclass(frozen=True, slots=True)
class Limit:
    """The least and most that one bet may be, and the step between, in cents.

    >>> Limit.read("5..300/2.50")
    Limit(least=500, most=30000, step=250)
    """

    least: int
    most: int
    step: int = 100

    def __post_init__(self) -> None:
        if not all(type(cents) is int for cents in (self.least, self.most, self.step)):
            raise SettingError("a limit is in whole cents")
        if not 0 < self.least <= self.most:
            raise SettingError(
                f"a limit of {self} cannot be: the least is more than nothing,"
                " and the most no less than the least"
            )
        if self.step < 1:
            raise SettingError(f"a limit in steps of {dollars(self.step)} cannot be")

    @classmethod
    def read(cls, text: str) -> Limit:
        """Read ``LEAST..MOST`` or ``LEAST..MOST/STEP`` in dollars."""
        match = re.fullmatch(r"([^./]+(?:\.\d\d)?)\.\.([^/]+)(?:/(.+))?", text)
        if not match:
            raise NotationError(
                f"{shown(text)} is no limit: write LEAST..MOST or LEAST..MOST/STEP in dollars,"
                " as in 5..300/5"
            )
        return cls(*(read_cents(part) for part in match.groups() if part))

    def __str__(self) -> str:
        return f"{dollars(self.least)} to {dollars(self.most)} in steps of {dollars(self.step)}"

    def check(self, name: str, amount: int) -> None:
        """Refuse an amount outside the limit; no bet at all is for the rules to judge."""
        inside = self.least <= amount <= self.most
        if amount and not (inside and (amount - self.least) % self.step == 0):
            bet = "bet" if name == "bet" else f"{name} bet"
            raise RuleError(f"a {bet} of {dollars(amount)} is outside the limit: {self}")


def default_limits(game: Game) -> dict[str, Limit]:
    """Return the limits of a table that names none."""
    least = dict.fromkeys(game.stakes, 100) | {game.first_stake: 500}
    return {name: Limit(least[name], 30_000) for name in game.stakes}


class Shuffler(Protocol):
    """Where decks come from."""

    def deck(self, size: int) -> tuple[Card, ...]:
        """Return a full deck of *size* cards in the order they will be dealt."""


class SystemShuffler:
    """Decks in an order nobody can foresee, from the operating system's randomness."""

    def __init__(self) -> None:
        self._chance: random.Random = secrets.SystemRandom()

    def deck(self, size: int) -> tuple[Card, ...]:
        cards = list(DECK) * (size // len(DECK))
        self._chance.shuffle(cards)
        return tuple(cards)


class SeededShuffler(SystemShuffler):
    """The same decks for the same seed: for lessons and tests, not for dealing."""

    def __init__(self, seed: str) -> None:
        self._chance = random.Random(seed)  # noqa: S311  said above


class Table:
    """One player's table: chips leave the purse when they are bet and come back when settled.

    A refused bet or decision changes nothing. What the purse wins the house loses.
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
                    f"no bet {shown(name)} to limit: valid are {', '.join(game.stakes)}"
                )
        if not isinstance(rules, game.rules):
            raise SettingError(f"{shown(rules)} are not rules of {game.name}")
        if type(bankroll) is not int or bankroll < 0:
            raise SettingError(f"a bankroll of {shown(bankroll)} cannot be: whole cents from 0 up")
        self.game = game
        self.rules = rules
        self.limits = limits
        self.house = 0
        self.round: Round = game.start(rules)
        self.deck: tuple[Card, ...] = ()
        self._shuffler = shuffler
        self._purse = bankroll  # without the round that is on

    @property
    def bankroll(self) -> int:
        """The chips that are not on the felt."""
        back = sum(s.stake + s.net for s in self.round.settlements())
        return self._purse - self.round.staked + back

    @property
    def is_over(self) -> bool:
        return self.round.phase == "settled"

    def bet(self, seat: int, stakes: Mapping[str, int]) -> None:
        """Put down the bets of one seat, inside the limits and the bankroll."""
        bet = self.game.place(seat, stakes)
        for name, amount in stakes.items():
            if name in self.limits:
                self.limits[name].check(name, amount)
        self._go(self.round.apply(bet))

    def deal(self) -> None:
        """Shuffle and deal to the seats that have bet."""
        deck = self._shuffler.deck(self.round.deck_size)
        self.round, self.deck = deal_from(deck, self.round), deck

    def decide(self, decision: Operation) -> None:
        """Take a seat's decision, if the bankroll covers what it adds to the bets."""
        self._go(self.round.apply(decision))

    def covers(self, decision: Operation) -> bool:
        """Say whether the bankroll covers what a legal decision adds to the bets."""
        return self.round.apply(decision).staked - self.round.staked <= self.bankroll

    def _go(self, after: Round) -> None:
        added = after.staked - self.round.staked
        require(
            added <= self.bankroll,
            f"that takes {dollars(added)}, the bankroll has {dollars(self.bankroll)}",
        )
        self.round = supply(self.deck, after)

    def journal(self) -> dict[str, Json]:
        """Return the round as a journal."""
        return write_journal(self.game, self.round, self.deck)

    def clear(self) -> int:
        """Clear the felt for the next round and return what the purse won.

        What is settled stays settled; bets still in action go back to the purse.
        """
        won = sum(s.net for s in self.round.settlements())
        self._purse += won
        self.house -= won
        self.round, self.deck = self.game.start(self.rules), ()
        return won
