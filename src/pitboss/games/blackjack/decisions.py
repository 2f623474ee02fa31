"""The operations of a seat in blackjack: bet, insure and play."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from pitboss.core.errors import NotationError, shown
from pitboss.core.protocol import Deal, Draw, check_stake
from pitboss.core.twenty_one import PLAYS, Double, Hit, Insure, PlayWord, Split, Stand

if TYPE_CHECKING:
    from collections.abc import Mapping

MAIN, INSURANCE = "main", "insurance"
SIDE_BETS = ("perfect_pairs", "21+3", "lucky_ladies")


@dataclass(frozen=True, slots=True)
class Bet:
    """The bets of a seat, in cents (rule 2)."""

    seat: int
    main: int
    perfect_pairs: int = 0
    plus_three: int = 0
    lucky_ladies: int = 0

    def __post_init__(self) -> None:
        check_stake(MAIN, self.main, least=1)
        for name, stake in zip(SIDE_BETS, self._sides, strict=True):
            check_stake(name, stake)

    @classmethod
    def of(cls, seat: int, main: int, **side_bets: int) -> Bet:
        """Return the bets of a seat by their names in a journal, such as ``21+3``."""
        fields = {"21+3": "plus_three"}
        return cls(seat, main, **{fields.get(bet, bet): stake for bet, stake in side_bets.items()})

    @property
    def _sides(self) -> tuple[int, ...]:
        return self.perfect_pairs, self.plus_three, self.lucky_ladies

    @property
    def stakes(self) -> Mapping[str, int]:
        """The stakes by their names in a journal."""
        return MappingProxyType({MAIN: self.main} | dict(zip(SIDE_BETS, self._sides, strict=True)))

    @property
    def half(self) -> int:
        """The largest insurance: half of the Main bet, in whole cents (rule 7)."""
        return self.main // 2


class Surrender(PlayWord):
    """Give up the first two cards for half of the bet (rule 8e)."""

    __slots__ = ()
    word = "surrender"


Play: TypeAlias = Hit | Stand | Double | Split | Surrender
Decision: TypeAlias = Insure | Play
Operation: TypeAlias = Bet | Deal | Draw | Decision

_PLAYS: dict[str, type[Play]] = {**PLAYS, Surrender.word: Surrender}


def read_decision(seat: int, text: str) -> Decision:
    """Parse a decision, such as ``insure 500`` or ``hit``."""
    match text.split():
        case ["insure", amount] if re.fullmatch("[0-9]{1,15}", amount):
            return Insure(seat, int(amount))
        case [word] if word in _PLAYS:
            return _PLAYS[word](seat)
    raise NotationError(
        f"{shown(text)} is not a decision of this game: use 'insure 500' (cents), hit, stand,"
        " double, split or surrender"
    )
