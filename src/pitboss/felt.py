"""What lies on the felt of every game: seats, stakes, cards, settlements, and who is asked.

The games build their rounds from these, and everything above (journals, tables, pages) knows a
game only through :class:`Game` and :class:`Round`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Never, NoReturn, Protocol, Self, TypeAlias, TypeVar

from pitboss.cards import DECK, Card
from pitboss.errors import DeckError, NotationError, RuleError, plural, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """A round laid out: as one seat or a spectator may see it, or for the record."""

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
    def numbers(self) -> tuple[int, ...]:
        """The seats that have bet, from the dealer's left."""

    @property
    def pack(self) -> int:
        """How many cards a pack of the shuffler has."""

    @property
    def phase(self) -> StrEnum:
        """What the round waits for: ``betting`` first, ``settled`` when it is over.

        While it is ``playing`` seats decide in turn, and views say whose it is; in every other
        phase they decide at the same time, and none sees what another has decided.
        """

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
        """Return the round after *operation*; raise and change nothing where it is not allowed.

        A refusal may name cards of the seat that asked: who may ask for a seat is the table's to
        check, before.
        """

    def legal(self, seat: int | None = None) -> tuple[Operation, ...]:
        """Return the decisions open to *seat*, or to any seat."""

    def decisions(self) -> tuple[Operation, ...]:
        """Return the decisions in a journal's order, up to the first that is still asked for."""

    def settlements(self) -> tuple[Settlement, ...]:
        """Return the bets settled so far, in the order the money moves.

        While seats decide at the same time one may be settled before another that stands first.
        """

    def view(self, seat: int | None = None) -> View:
        """Return what *seat* may see; ``None`` is a spectator."""

    def record(self) -> View:
        """Return the table with every seat's cards face up: for the record, not for players."""


class Seated(Protocol):
    """A seat of any game."""

    @property
    def number(self) -> int:
        """Its number, from 1 at the dealer's left."""


S = TypeVar("S", bound=Seated)
R = TypeVar("R", bound=Round)


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game as the rest of the package knows it."""

    key: str
    name: str
    summary: str
    stakes: Mapping[str, str]  # what a seat puts down: its name in a journal, and for people
    fills: tuple[str, ...] = ()  # the bets that one stake fills, where it fills several
    units: Mapping[str, int] = field(default_factory=dict)
    """The bets that have figures, and the units that a round stakes on each."""

    clauses: Mapping[str, str]  # the rules in our own words, by the numbers of the sheet
    rules: type[Rules]
    presets: Mapping[str, Rules]
    start: Callable[[Any], Round]  # the game's Round, given its Rules; betting is open
    bet: Callable[..., Operation]  # seat, then the stakes by name
    decision: Callable[[int, str], Operation]  # reads what str() of a decision writes

    @property
    def first_stake(self) -> str:
        """The name of the stake that every seat must put down."""
        return next(iter(self.stakes))

    @property
    def bets(self) -> dict[str, str]:
        """The bets on the felt as settlements name them, each with the stake that fills it."""
        return dict.fromkeys(self.fills, self.first_stake) or {name: name for name in self.stakes}

    def place(self, seat: int, stakes: Mapping[str, int]) -> Operation:
        """Return the bet of a seat; a stake that is not named is nothing."""
        for name in stakes:
            if name not in self.stakes:
                raise NotationError(f"no bet {shown(name)}: there are {', '.join(self.stakes)}")
        return self.bet(seat, **{self.first_stake: 0} | dict(stakes))


def refuse_unknown(operation: Never) -> NoReturn:
    """Refuse what is no operation of the game at all."""
    raise RuleError(f"{shown(operation)} is no operation of this game")


def hand_name(bet: str, hand: int) -> str:
    """Name a hand for people: the bet, and from the second split hand on its number."""
    return f"{bet} {hand + 1}" if hand else bet


def require(condition: object, reason: str) -> None:
    """Refuse what the rules do not allow."""
    if not condition:
        raise RuleError(reason)


def check_stake(name: str, amount: int, least: int = 0) -> None:
    """Refuse an amount that is not whole cents from *least* up."""
    if type(amount) is not int or not least <= amount <= LARGEST_STAKE:
        raise RuleError(
            f"{name} of {shown(amount)}: a bet is a whole number of cents from {least}"
            f" to {LARGEST_STAKE:,}"
        )


def check_deck(cards: Sequence[Card], decks: int) -> None:
    """Refuse cards that cannot come from so many decks."""
    if len(set(cards)) == len(cards):
        return  # no card twice: any deck holds them
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


def seated(seats: tuple[S, ...], new: S, round_: Round) -> tuple[S, ...]:
    """Return the seats with a *new* one that has bet, from the dealer's left."""
    require(round_.phase == "betting", "betting is closed: the cards are out")
    most = round_.rules.seats
    if type(new.number) is not int or not 1 <= new.number <= most:
        raise RuleError(f"no seat {shown(new.number)}: this table has seats 1..{most}")
    require(new.number not in round_.numbers, f"seat {new.number} has bet already")
    return tuple(sorted((*seats, new), key=lambda seat: seat.number)) if seats else (new,)


def check_deal(deal: Deal, round_: Round) -> None:
    """Refuse a deal out of turn, or one that does not give each hand a pack of possible cards."""
    require(round_.phase == "betting", "the cards are already out")
    require(round_.numbers, "nobody has bet")
    hands = len(round_.numbers) + 1
    if [len(pack) for pack in deal.packs] != [round_.pack] * hands:
        raise DeckError(f"the deal takes {hands} packs of {round_.pack} cards")
    check_deck([card for pack in deal.packs for card in pack], round_.deck_size // len(DECK))


def deal_from(deck: tuple[Card, ...], round_: R) -> R:
    """Deal the packs of *deck* to the seats that have bet and to the dealer."""
    check_deck(deck, round_.deck_size // len(DECK))
    hands, size = len(round_.numbers) + 1, round_.pack
    if len(deck) < hands * size:
        raise DeckError(
            f"the deck has {plural(len(deck), 'card')}: {hands} packs of {size} take {hands * size}"
        )
    packs = tuple([deck[size * i : size * (i + 1)] for i in range(hands)])
    return supply(deck, round_.apply(Deal(packs)))


def supply(deck: tuple[Card, ...], round_: R) -> R:
    """Give the round the cards it waits for, in the order of the deck."""
    while round_.needs_card:
        if round_.cards_used == len(deck):
            raise DeckError(
                f"the deck ends after {len(deck)} cards and the round needs one more: only a full"
                f" deck of {round_.deck_size} can run out"
            )
        round_ = round_.apply(Draw(deck[round_.cards_used]))
    return round_


def check_viewer(seat: int | None, round_: Round) -> None:
    """Refuse a view from a seat that is not in the round."""
    if not (seat is None or seat in round_.numbers):
        raise RuleError(f"seat {shown(seat)} has no bet in this round")


def net(settlements: Iterable[Settlement], seat: int) -> int:
    """Return what *seat* has won over all, or as a negative number lost."""
    return sum(s.net for s in settlements if s.seat == seat)
