"""What lies on the felt of every game: seats, stakes, cards, settlements, and who is asked.

Both games build their rounds from these, and everything above (journals, tables, pages) knows a
game only through :class:`Game` and :class:`Round`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from pitboss.cards import DECK, Card
from pitboss.errors import DeckError, RuleError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from enum import StrEnum

    from pitboss.rules import Rules

LARGEST_STAKE = 10**15
"""In cents: far above any table, far below what a number can print."""

Operation: TypeAlias = Any  # each game has its own union of operations


@dataclass(frozen=True, slots=True)
class Deal:
    """The packs of the shuffler: one to each betting seat in order, the last to the dealer."""

    packs: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """The next card of the stub."""

    card: Card


@dataclass(frozen=True, slots=True)
class Settlement:
    """How one bet ended: what happened, by which rule, and what the seat won or lost."""

    seat: int
    bet: str
    hand: int  # counts split hands of one bet, else 0
    outcome: str
    rule: str
    stake: int
    net: int


@dataclass(frozen=True, slots=True)
class Asked:
    """The decision a round waits for: whose, of which kind, and what is legal."""

    seat: int
    decision: str
    legal: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand in front of a bet; of a bust in Toss One 21 there are no cards to keep."""

    bet: str
    hand: int
    cards: tuple[Card, ...] | None
    total: int | None
    stake: int


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat; a card that lies face down is ``None``."""

    seat: int
    stakes: Mapping[str, int]  # put down before the deal, as a journal names them
    cards: tuple[Card | None, ...]
    hands: tuple[HandView, ...]
    insurance: int = 0


@dataclass(frozen=True, slots=True)
class DealerView:
    """The dealer's cards, face down ones as ``None``, and those that make the total."""

    cards: tuple[Card | None, ...]
    kept: tuple[Card, ...] = ()
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """The hand whose turn it is, where seats decide in turn."""

    seat: int
    bet: str
    hand: int


@dataclass(frozen=True, slots=True)
class View:
    """A round as one seat, or a spectator, may see it: nothing hidden is in it."""

    phase: str
    seat: int | None
    turn: Turn | None  # nobody's while all seats decide at the same time
    seats: tuple[SeatView, ...]
    dealer: DealerView
    cards_left: int
    legal: tuple[Operation, ...]  # this seat's decisions
    settlements: tuple[Settlement, ...]


class Round(Protocol):
    """One round of a game, an immutable value; every operation gives the next one."""

    @property
    def rules(self) -> Rules:
        """The rules it is played by."""

    @property
    def phase(self) -> StrEnum:
        """What the round waits for; ``settled`` when it is over."""

    @property
    def asked(self) -> Asked | None:
        """The first decision a journal would list next."""

    @property
    def needs_card(self) -> bool:
        """Whether the next operation is a card from the stub."""

    @property
    def cards_used(self) -> int:
        """How many cards have left the deck."""

    @property
    def deck_size(self) -> int:
        """How many cards a full deck has."""

    @property
    def staked(self) -> int:
        """What all seats together have put down so far."""

    def apply(self, operation: Operation) -> Self:
        """Return the round after *operation*; raise and change nothing where it is not allowed."""

    def legal(self, seat: int | None = None) -> tuple[Operation, ...]:
        """Return the decisions open to *seat*, or to any seat."""

    def decisions(self) -> tuple[Operation, ...]:
        """Return the decisions in a journal's order, up to the first that is still asked for."""

    def settlements(self) -> tuple[Settlement, ...]:
        """Return the bets settled so far, in the order the money moved."""

    def view(self, seat: int | None = None) -> View:
        """Return what *seat* may see; ``None`` is a spectator."""

    def record(self) -> View:
        """Return the table with every seat's cards face up: for the record, not for players."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game as the rest of the package knows it."""

    key: str
    name: str
    summary: str
    stakes: Mapping[str, str]  # what a seat puts down: its name in a journal, and for people
    pack: int  # cards in a pack of the shuffler
    rules: type[Rules]
    presets: Mapping[str, Rules]
    start: Callable[[Any], Round]  # the game's Round, given its Rules
    bet: Callable[..., Operation]  # seat, then the stakes by name
    decision: Callable[[int, str], Operation]  # reads what str() of a decision writes

    @property
    def first_stake(self) -> str:
        """The name of the stake that every seat must put down."""
        return next(iter(self.stakes))


def require(condition: object, reason: str) -> None:
    """Refuse what the rules do not allow."""
    if not condition:
        raise RuleError(reason)


def check_stake(name: str, amount: int, least: int = 0) -> None:
    """Refuse an amount that is not whole cents from *least* up."""
    if type(amount) is not int or not least <= amount <= LARGEST_STAKE:
        raise RuleError(
            f"{name} of {shown(amount)}: a bet is a whole number of cents from {least} up"
        )


def check_seat(seat: int, seats: int, taken: Collection[int | None]) -> None:
    """Refuse a bet from a seat the table does not have, or a second one from the same seat."""
    if type(seat) is not int or not 1 <= seat <= seats:
        raise RuleError(f"no seat {shown(seat)}: this table has seats 1..{seats}")
    require(seat not in taken, f"seat {seat} has bet already")


def check_deck(cards: Iterable[Card], decks: int) -> None:
    """Refuse cards that cannot come from so many decks."""
    copies = Counter(cards)
    if copies.total() > decks * len(DECK):
        raise DeckError(
            f"{copies.total()} cards are more than {decks} x {len(DECK)} of the decks in play"
        )
    for card, count in copies.items():
        if count > decks:
            raise DeckError(
                f"{card} comes {count} times: more often than there are decks ({decks})"
            )


def check_packs(packs: tuple[tuple[Card, ...], ...], hands: int, size: int, decks: int) -> None:
    """Refuse a deal that does not give *hands* packs of *size* possible cards."""
    if [len(pack) for pack in packs] != [size] * hands:
        raise DeckError(f"the deal takes {hands} packs of {size} cards")
    check_deck((card for pack in packs for card in pack), decks)


def net(settlements: Iterable[Settlement], seat: int) -> int:
    """Return what *seat* has won over all, or as a negative number lost."""
    return sum(s.net for s in settlements if s.seat == seat)
