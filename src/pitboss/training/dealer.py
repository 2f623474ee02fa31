"""Dealer training: a finished round, step by step, as the dealer sees it.

The game plays the round. The trainee watches the players' moves, makes the dealer's moves, and
settles every bet in the order of the game. Each step shows the table just before the step. A game
deals such rounds in its ``training`` part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from pitboss.core.errors import plural
from pitboss.reasons import aside
from pitboss.training.money import why

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from random import Random

    from pitboss.core.protocol import DealerView, Game, Round, SeatView, Settlement, View
    from pitboss.core.settings import Rules

Spot: TypeAlias = tuple[int, str, int]  # seat, bet and hand

STAKES = (700, 1500, 3500, 1100, 2300, 4500, 1700)
"""Stakes that make payouts at 3 to 2 and 6 to 5 hard to calculate."""

MAX_DEALS = 8  # attempts to find an instructive round
INSTRUCTIVE_SHARE = 0.6  # share of rounds for which an instructive deal is sought
SIX_TO_FIVE_SHARE = 0.3  # share of rounds played with 6 to 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A step that the trainee only watches, such as a player's move."""

    view: View
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A move by the dealer: the choices, and those that the rules allow."""

    view: View
    prompt: str
    choices: tuple[str, ...]
    accepts: tuple[str, ...]
    why: str


@dataclass(frozen=True, kw_only=True)
class Settle:
    """The next bet to settle, among those still on the table."""

    view: View
    settlement: Settlement
    why: str
    unsettled: tuple[Spot, ...]
    next: tuple[Spot, ...]

    prompt = "Which bet do you settle next: take it, pay it or push it?"

    @property
    def action(self) -> Literal["take", "pay", "push"]:
        net = self.settlement.net
        return "pay" if net > 0 else "take" if net < 0 else "push"


Step: TypeAlias = Watch | Move | Settle


@dataclass(frozen=True, slots=True)
class Training:
    """A round and the steps of its dealer."""

    game: Game
    rules: Rules
    round: Round
    steps: tuple[Step, ...]

    @property
    def title(self) -> str:
        name = next(n for n, rules in self.game.presets.items() if rules == self.rules)
        seats = plural(len(self.round.numbers), "seat")
        return f"Deal {self.game.name}: {seats}, {name} rules"


def house_rules(game: Game, chance: Random) -> Rules:
    """Choose rules if none are given: usually the defaults, sometimes 6 to 5."""
    steep = game.presets.get("six-to-five")
    return steep if steep and chance.random() < SIX_TO_FIVE_SHARE else game.rules()


class TrainingPart(Protocol):
    """The ``training`` part of a game."""

    INSTRUCTIVE: Collection[object]
    """The results (``Settlement.result``) of payments that need practice."""

    def deal(self, rules: Any, chance: Random) -> tuple[list[Step], Round] | None:  # noqa: ANN401 the game's own rules
        """Deal a round and return its steps; None if the dealer has nothing to do."""


def train(game: Game, rules: Rules, chance: Random) -> Training:
    """Deal a random round; most rounds are instructive."""
    part: TrainingPart = game.part("training")
    must_instruct = chance.random() < INSTRUCTIVE_SHARE
    for _ in range(MAX_DEALS):
        steps, round_ = _deal(part, rules, chance)
        if not must_instruct or any(s.result in part.INSTRUCTIVE for s in round_.settlements()):
            break
    return Training(game, rules, round_, tuple(steps))


def _deal(part: TrainingPart, rules: Rules, chance: Random) -> tuple[list[Step], Round]:
    while True:
        found = part.deal(rules, chance)
        if found:
            return found


def choose_seats(most: int, chance: Random) -> list[int]:
    """Choose two or three seats of a table, in order."""
    return sorted(chance.sample(range(1, most + 1), min(most, chance.choice((2, 3)))))


def settlements_of(steps: Iterable[Step]) -> tuple[Settlement, ...]:
    """Return the settlements of the settling steps, in order."""
    return tuple(step.settlement for step in steps if isinstance(step, Settle))


# --- settling, bet by bet


class TableState:
    """The table between two operations: the settled bets and the dealer's open cards.

    Each game defines which bets a seat has, and which results end several bets at once.
    """

    ends_together: Collection[object] = ()

    def __init__(self, dealer: DealerView, last: str) -> None:
        self.dealer = dealer
        self.last = last  # the phase before a round is settled
        self.settled: tuple[Settlement, ...] = ()

    def show(self, round_: Round) -> View:
        """Return the view of the current state; the round ends when the last bet is settled."""
        view = round_.record()
        phase = view.phase
        if phase == "settled" and self.settled != view.settlements:
            phase = self.last
        return replace(view, phase=phase, dealer=self.dealer, settlements=self.settled)

    def bets(self, seat: SeatView) -> Iterator[tuple[str, int]]:
        """Yield the bets that a seat has made so far, each with its hand."""
        yield from ((bet, 0) for bet, stake in seat.stakes.items() if stake)
        yield from ((bet, 0) for bet in seat.added)

    def settle(self, round_: Round, new: Iterable[Settlement]) -> Iterator[Settle]:
        """Settle bets one by one; each step's view shows the table before the settlement."""
        new = tuple(new)
        for place, settlement in enumerate(new):
            view = self.show(round_)
            known = set(map(spot_of, self.settled))
            spots = ((seat.seat, *bet) for seat in view.seats for bet in self.bets(seat))
            yield Settle(
                view=view,
                settlement=settlement,
                why=aside(why(round_.rules, view, settlement)),
                unsettled=tuple(spot for spot in spots if spot not in known),
                next=tuple(self._together(new[place:])),
            )
            self.settled += (settlement,)

    def _together(self, left: Sequence[Settlement]) -> Iterator[Spot]:
        """Yield the bets that may be settled now: the first one, and all bets that end with it."""
        first = left[0]
        yield spot_of(first)
        if first.result in self.ends_together:
            alike = (first.seat, first.result)
            yield from (spot_of(s) for s in left[1:] if (s.seat, s.result) == alike)


def spot_of(settlement: Settlement) -> Spot:
    """Return the seat, bet and hand of a settlement."""
    return settlement.seat, settlement.bet, settlement.hand
