"""The interface of every game: rounds, views, settlements, bets and parts.

The games build their rounds from these classes. All generic packages (journals, tables, analysis,
pages) know a game only through :class:`Game`, its bets, its parts and :class:`Round`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Never, NoReturn, Protocol, Self, TypeAlias, TypeVar

from pitboss.core.cards import DECK, Card
from pitboss.core.errors import (
    DeckError,
    NotationError,
    RuleError,
    UnsupportedError,
    plural,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from enum import StrEnum

    from pitboss.core.paytables import Odds
    from pitboss.core.settings import Rules

LARGEST_STAKE = 10**15
"""The largest stake in cents: far above any table limit, and short enough to print."""

Operation: TypeAlias = Any  # each game has its own union of operations


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards of the deal: a pack for each betting seat in order, and the last for the dealer."""

    packs: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """The next card of the stub."""

    card: Card


@dataclass(frozen=True, slots=True)
class Settlement:
    """The result of one bet: the outcome, the rule that decided, and the net amount."""

    seat: int
    bet: str
    hand: int  # the index of a split hand of one bet, else 0
    outcome: str
    rule: str
    stake: int
    net: int
    result: Any = None  # the outcome or class as a value of the game, if it has one
    odds: Odds | None = None  # the odds it was paid at; None if it lost


@dataclass(frozen=True, slots=True)
class PendingDecision:
    """The decision that a round waits for: its seat, its kind and the legal options."""

    seat: int
    decision: str
    legal: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand played for a bet; a busted hand may show no cards, and a hand may have no total."""

    bet: str
    hand: int
    cards: tuple[Card, ...] | None
    total: int | None
    stake: int
    is_bust: bool = False
    label: str = ""  # the hand in words, such as "pair", if the total does not describe it


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat; a face-down card is ``None``."""

    seat: int
    stakes: Mapping[str, int]  # placed before the deal, by their names in a journal
    cards: tuple[Card | None, ...]
    hands: tuple[HandView, ...]
    added: Mapping[str, int] = field(default_factory=dict)
    """The bets that the seat made by decisions of the round, by the key of the bet."""


@dataclass(frozen=True, slots=True)
class DealerView:
    """The dealer's cards, with face-down cards as ``None``, and the cards that count."""

    cards: tuple[Card | None, ...]
    kept: tuple[Card, ...] = ()
    total: int | None = None
    is_bust: bool = False
    label: str = ""  # the hand in words, if the total does not describe it


@dataclass(frozen=True, slots=True)
class Turn:
    """The hand whose turn it is, if seats decide in turn."""

    seat: int
    bet: str
    hand: int


@dataclass(frozen=True, slots=True)
class View:
    """A round as seen by one seat or a spectator, or as shown in the record."""

    phase: str
    seat: int | None
    turn: Turn | None  # None while all seats decide at the same time
    seats: tuple[SeatView, ...]
    dealer: DealerView
    cards_left: int
    legal: tuple[Operation, ...]  # this seat's decisions
    settlements: tuple[Settlement, ...]


class Round(Protocol):
    """One round of a game, an immutable value; every operation returns a new round."""

    @property
    def rules(self) -> Rules:
        """The rules of the round."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The seats that have bet, from the dealer's left."""

    @property
    def pack(self) -> int:
        """The number of cards that each seat and the dealer receive in the deal."""

    @property
    def deals_in_turn(self) -> bool:
        """Whether the deal goes around the table, one card at a time, rather than in packs."""

    @property
    def phase(self) -> StrEnum:
        """The current phase: ``betting`` first, ``settled`` when the round is over.

        In the phase ``playing``, seats decide in turn, and views show whose turn it is. In every
        other phase, they decide at the same time, and no seat sees the decisions of another. The
        chips that a decision adds are visible at once.
        """

    @property
    def asked(self) -> PendingDecision | None:
        """The next decision in a journal's order, or ``None`` if no decision is open."""

    @property
    def needs_card(self) -> bool:
        """Whether the next operation is a card from the stub."""

    @property
    def cards_used(self) -> int:
        """The number of cards that have left the deck."""

    @property
    def deck_size(self) -> int:
        """The number of cards in a full deck."""

    @property
    def staked(self) -> int:
        """The sum of all stakes so far, in cents."""

    def apply(self, operation: Operation) -> Self:
        """Return the round after *operation*, or raise an error and change nothing.

        The error message may name cards of the seat. So the table must first check that the
        caller may decide for that seat.
        """

    def legal(self, seat: int | None = None) -> tuple[Operation, ...]:
        """Return the legal decisions of *seat*, or of all seats."""

    def decisions(self) -> tuple[Operation, ...]:
        """Return the decisions in a journal's order, up to the first open one."""

    def settlements(self) -> tuple[Settlement, ...]:
        """Return the bets settled so far, in the order the money moves.

        While seats decide at the same time, a later seat may be settled before an earlier one.
        """

    def view(self, seat: int | None = None) -> View:
        """Return the view of *seat*; ``None`` means a spectator."""

    def record(self) -> View:
        """Return the view with every seat's cards face up, for the record, not for players."""


class NumberedSeat(Protocol):
    """A seat of any game."""

    @property
    def number(self) -> int:
        """The seat's number, from 1 at the dealer's left."""


S = TypeVar("S", bound=NumberedSeat)
R = TypeVar("R", bound=Round)


PARTS = MappingProxyType(
    {
        "absent": "decision for an absent seat",
        "card": "strategy card",
        "coach": "coach",
        "drills": "drills",
        "encoding": "environments",
        "examples": "worked examples",
        "figures": "exact figures",
        "layout": "layout to check",
        "presentation": "presentation",
        "presolved": "solved strategy",
        "reasons": "reasons",
        "report": "report sections",
        "settle": "deal to settle",
        "simulation": "simulations",
        "strategies": "strategies",
        "solving": "solver",
        "theory": "exact figures",
        "training": "dealer training",
    }
)
"""The parts that a game may have beyond its rules, with their names in messages.

Each part is a module of the game's package. The generic package that uses a part defines what the
module must contain.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BetSpec:
    """One bet of the layout."""

    key: str  # its name in settlements
    title: str
    stake: str | None  # the name of its stake; None if it is made during the round
    figures: str | None = None  # the name of its figures; None if it has none
    figures_title: str | None = None  # if several bets share figures; default: the bet's title
    paytable: str | None = None  # the setting with its pay table
    usual_stake: int | None = None  # in cents, for reports
    is_mandatory: bool = False
    is_side_bet: bool = False
    has_hand: bool = False  # whether a hand is played for the bet


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game as the generic packages see it."""

    key: str
    name: str
    summary: str
    stakes: Mapping[str, str]  # the amounts that a seat bets: name in a journal, and title
    bets: tuple[BetSpec, ...]  # in the order of the layout
    clauses: Mapping[str, str]  # the rules in our own words, by number in the rule sheet
    rules: type[Rules]
    presets: Mapping[str, Rules]
    start: Callable[[Any], Round]  # returns a new round under the given rules
    bet: Callable[..., Operation]  # takes the seat, then the stakes by name
    decision: Callable[[int, str], Operation]  # parses the str() of a decision
    bust_above: int | None = None  # a higher total is a bust; None if the game has no busts
    package: str = ""  # the Python package with the game's parts
    strategies: tuple[str, ...] = ()  # the default first; empty if there is no choice
    largest_raise: int = 1
    """The largest amount that a decision adds, in units of all bets that its seat has made."""

    def __post_init__(self) -> None:
        if "game" not in vars(self.rules):
            self.rules.game = self

    def __str__(self) -> str:
        return self.key

    @property
    def first_stake(self) -> str:
        """The name of the stake that every seat must bet."""
        return next(iter(self.stakes))

    @cached_property
    def stake_of(self) -> Mapping[str, str]:
        """The bets made before the deal, each with the name of its stake."""
        return {bet.key: bet.stake for bet in self.bets if bet.stake}

    @cached_property
    def units(self) -> Mapping[str, int]:
        """The bets that have figures, with the units staked on each in a round.

        The last one is the package of all bets.
        """
        counted = Counter(bet.figures for bet in self.bets if bet.figures)
        return {**counted, "package": counted.total()} if counted else {}

    @cached_property
    def usual_stakes(self) -> Mapping[str, int]:
        """The usual bet of a seat in cents, by stake."""
        return {bet.stake: bet.usual_stake for bet in self.bets if bet.stake and bet.usual_stake}

    @cached_property
    def figures_bets(self) -> Mapping[str, BetSpec]:
        """The first bet of each kind of figures."""
        return {bet.figures: bet for bet in reversed(self.bets) if bet.figures}

    def figures_title(self, name: str) -> str:
        """Return the title of the figures of a bet, or of the package."""
        bet = self.figures_bets.get(name)
        return (bet.figures_title or bet.title) if bet else name.capitalize()

    def part(self, name: str) -> Any:  # noqa: ANN401  the caller states the protocol
        """Load a part of the game, a module of its package; see :data:`PARTS`."""
        self.check_part(name)
        return import_module(f"{self.package}.{name}")

    def check_part(self, name: str) -> None:
        """Raise :class:`UnsupportedError` if the game lacks a part, without loading it."""
        if not self.has_part(name):
            raise UnsupportedError(f"no {PARTS[name]} for {self.key}")

    def has_part(self, name: str) -> bool:
        """Return whether the game has a part, even if its libraries are not installed."""
        return name in self._parts

    @cached_property
    def _parts(self) -> frozenset[str]:
        names = [name for name in PARTS if self.package]
        return frozenset(name for name in names if find_spec(f"{self.package}.{name}"))

    def place(self, seat: int, stakes: Mapping[str, int]) -> Operation:
        """Return the bet of a seat; a missing stake is 0."""
        for name in stakes:
            if name not in self.stakes:
                raise NotationError(f"no bet {shown(name)}: choose one of {', '.join(self.stakes)}")
        return self.bet(seat, **{self.first_stake: 0} | dict(stakes))


def refuse_unknown(operation: Never) -> NoReturn:
    """Reject a value that is not an operation of the game."""
    raise RuleError(f"{shown(operation)} is not an operation of this game")


def hand_name(bet: str, hand: int) -> str:
    """Return the name of a hand: the bet, with a number for every split hand after the first."""
    return f"{bet} {hand + 1}" if hand else bet


def hand_text(hand: HandView | DealerView) -> str:
    """Describe a hand in a word or two: its label, "bust", or its total; empty if it has none."""
    total = "" if hand.total is None else str(hand.total)
    return hand.label or ("bust" if hand.is_bust else total)


def require(condition: object, reason: str) -> None:
    """Raise :class:`RuleError` with *reason* unless *condition* is true."""
    if not condition:
        raise RuleError(reason)


def check_stake(name: str, amount: int, least: int = 0) -> None:
    """Reject an amount that is not in whole cents or is less than *least*."""
    if type(amount) is not int or not least <= amount <= LARGEST_STAKE:
        raise RuleError(
            f"{name} of {shown(amount)}: a bet must be a whole number of cents from {least}"
            f" to {LARGEST_STAKE:,}"
        )


def check_deck(cards: Sequence[Card], decks: int) -> None:
    """Reject cards that cannot come from this number of decks."""
    if len(set(cards)) == len(cards):
        return  # no duplicates: one deck is enough
    copies = Counter(cards)
    if copies.total() > decks * len(DECK):
        raise DeckError(f"{copies.total()} cards are more than the {decks} x {len(DECK)} in play")
    for card, count in copies.items():
        if count > decks:
            raise DeckError(
                f"{card} appears {count} times, more often than there are decks ({decks})"
            )


def add_seat(seats: tuple[S, ...], new: S, round_: Round) -> tuple[S, ...]:
    """Return the seats with a *new* one, in order from the dealer's left."""
    require(round_.phase == "betting", "betting is closed: the cards are out")
    most = round_.rules.seats
    if type(new.number) is not int or not 1 <= new.number <= most:
        raise RuleError(f"no seat {shown(new.number)}: this table has seats 1..{most}")
    require(new.number not in round_.numbers, f"seat {new.number} has already bet")
    return tuple(sorted((*seats, new), key=lambda seat: seat.number)) if seats else (new,)


def check_deal(deal: Deal, round_: Round) -> None:
    """Reject a deal out of turn, with wrong pack sizes, or with impossible cards."""
    require(round_.phase == "betting", "the cards are already out")
    require(round_.numbers, "nobody has bet")
    hands = len(round_.numbers) + 1
    if [len(pack) for pack in deal.packs] != [round_.pack] * hands:
        raise DeckError(f"the deal needs {hands} packs of {round_.pack} cards")
    check_deck([card for pack in deal.packs for card in pack], round_.deck_size // len(DECK))


def deal_from(deck: tuple[Card, ...], round_: R) -> R:
    """Deal the packs of *deck* to the seats that have bet and to the dealer."""
    check_deck(deck, round_.deck_size // len(DECK))
    hands, size = len(round_.numbers) + 1, round_.pack
    if len(deck) < hands * size:
        raise DeckError(
            f"the deck has {plural(len(deck), 'card')}: {hands} packs of {size} need {hands * size}"
        )
    if round_.deals_in_turn:
        packs = [deck[i : hands * size : hands] for i in range(hands)]
    else:
        packs = [deck[size * i : size * (i + 1)] for i in range(hands)]
    return supply(deck, round_.apply(Deal(tuple(packs))))


def supply(deck: tuple[Card, ...], round_: R) -> R:
    """Draw the cards that the round needs, in the order of the deck."""
    while round_.needs_card:
        if round_.cards_used == len(deck):
            raise DeckError(
                f"the deck ends after {len(deck)} cards and the round needs one more: only a full"
                f" deck of {round_.deck_size} can run out"
            )
        round_ = round_.apply(Draw(deck[round_.cards_used]))
    return round_


def check_viewer(seat: int | None, round_: Round) -> None:
    """Reject a viewer whose seat is not in the round."""
    if not (seat is None or seat in round_.numbers):
        raise RuleError(f"seat {shown(seat)} has no bet in this round")


def net(settlements: Iterable[Settlement], seat: int) -> int:
    """Return the total net result of *seat*; a loss is negative."""
    return sum(s.net for s in settlements if s.seat == seat)
