"""The operations of a seat in Roll Your Own Blackjack: bet, set, insure and play."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from pitboss.core.cards import Card, parse
from pitboss.core.errors import NotationError, shown
from pitboss.core.protocol import (
    Deal,
    Draw,
    check_stake,
    require,
)
from pitboss.core.twenty_one import PLAYS, Insure, Play


@dataclass(frozen=True, slots=True)
class Bet:
    """The three equal bets of a seat, in cents (rule 2)."""

    seat: int
    first: int
    second: int
    bonus: int

    def __post_init__(self) -> None:
        for name in ("first", "second", "bonus"):
            check_stake(name, getattr(self, name), least=1)
        require(
            self.first == self.second == self.bonus,
            f"seat {shown(self.seat)} needs three equal bets, not"
            f" {self.first}, {self.second} and {self.bonus}",
        )

    @classmethod
    def of(cls, seat: int, bet: int) -> Bet:
        """Return a bet with the amount *bet* on each of the three."""
        return cls(seat, bet, bet, bet)


@dataclass(frozen=True, slots=True)
class SetHands:
    """A seat puts two cards on one blackjack bet and one on the other (rule 5)."""

    seat: int
    first: tuple[Card, ...]
    second: tuple[Card, ...]

    def __str__(self) -> str:
        first, second = ("".join(map(str, hand)) for hand in (self.first, self.second))
        return f"set {first} {second}"


Decision: TypeAlias = SetHands | Insure | Play
Operation: TypeAlias = Bet | Deal | Draw | Decision


def read_decision(seat: int, text: str) -> Decision:
    """Parse a decision, such as ``set 8s8d Th``, ``insure 500`` or ``hit``."""
    words = text.split()
    match words:
        case ["set", first, second]:
            return SetHands(seat, parse(first), parse(second))
        case ["insure", amount] if re.fullmatch("[0-9]{1,15}", amount):
            return Insure(seat, int(amount))
        case [word] if word in PLAYS:
            return PLAYS[word](seat)
    raise NotationError(
        f"{shown(text)} is not a decision of this game: use a form like 'set 8s8d Th',"
        " 'insure 500' (cents), hit, stand, double or split"
    )
