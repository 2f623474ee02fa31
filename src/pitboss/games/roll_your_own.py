"""Roll Your Own Blackjack: three cards set as a two-card and a one-card hand, one dealer, one deck.

Rule numbers are those of the game's dealing procedures (7a to 7j are the rules of play); readings
(R-1, R-2, ...) are listed in docs/rules/roll-your-own.md.

A round stores what happened (bets, cards, decisions); whose turn it is, what is settled and whether
the deck has run out all follow from that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, TypeAlias, assert_never

from pitboss.cards import BLACKJACK, DECK, Card, hard_total, is_soft, parse, total
from pitboss.errors import DeckError, NotationError, RuleError, plural, shown
from pitboss.felt import (
    Asked,
    Deal,
    DealerView,
    Draw,
    Game,
    HandView,
    SeatView,
    Settlement,
    Turn,
    View,
    check_deal,
    check_stake,
    check_viewer,
    refuse_unknown,
    require,
    seated,
)
from pitboss.once import once
from pitboss.paytables import EVEN, PUSH, Odds, Paytable
from pitboss.rules import Choice, Printed, Ratio, Whole, YesNo, setting, with_settings
from pitboss.rules import Rules as BaseRules

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "GAME",
    "SHEET",
    "Bet",
    "Bonus",
    "Double",
    "Hit",
    "HoleCard",
    "Insurance",
    "Insure",
    "OneCard",
    "Outcome",
    "Phase",
    "Round",
    "Rules",
    "RunOut",
    "SetHands",
    "Soft17",
    "Split",
    "Stand",
    "poker_class",
    "read_decision",
]

PACK = 3
TWO = 2  # the cards that double, split and make a blackjack
INSURANCE_PAYS = Odds(2)  # rule 7j
DEALER_STANDS = 17  # rule 7f


CLAUSES = MappingProxyType(
    {
        "1": "One deck, freshly shuffled; the shuffler gives packs of three cards.",
        "2": "Every player makes three equal bets: two blackjack bets, first and second, and "
        "the Bonus.",
        "3": "A pack to each player from the dealer's left to right, the last to the dealer, "
        "who burns its top card unseen, turns the second up and leaves the third face "
        "down.",
        "4": "The rest of the deck, the stub, goes to the dealer's hand; every further card "
        "comes from it in order.",
        "5": "Each player puts two cards on one blackjack bet and one card on the other, face up.",
        "6": "The Bonus of every seat is settled first, on its three cards: a flush or better "
        "wins.",
        "7": "Then the hands are played, seat by seat, the first bet's before the second's. A "
        "one-card hand receives its second card when its turn comes.",
        "7a": "Any two cards may double: an equal bet, one card, done.",
        "7b": "Any two cards of the same value may split; the first hand is finished before the"
        " next receives its card.",
        "7c": "Up to four splits.",
        "7d": "Split aces receive one card each and do not split again.",
        "7e": "No surrender.",
        "7f": "The dealer hits soft 17.",
        "7g": "A player's blackjack pays 3 to 2 and always wins, also against a dealer's.",
        "7h": "A blackjack is 21 in the first two cards, also for a one-card ace or ten whose "
        "next card makes it; after a split 21 is none.",
        "7i": "A-A-10 or A-10-10 is a double blackjack: both bets are paid at once.",
        "7j": "Under an ace players may insure for half of their two blackjack bets; insurance "
        "pays 2 to 1 if the dealer has blackjack.",
        "8": "If a card is needed and there is none, all bets left in action win.",
        "standard": "A hand of 21 stands by itself. Over 21 loses at once. A dealer over 21 pays "
        "every hand in action. The higher total wins even money, equal totals push. A "
        "dealer's blackjack beats everything but a blackjack.",
    }
)
"""The rules in our own words, by the numbers of the sheet."""


class Bonus(StrEnum):
    """What the Bonus is paid on, best first (rule 6)."""

    AKQ_SUITED = "akq_suited"
    STRAIGHT_FLUSH = "straight_flush"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    FLUSH = "flush"


SHEET: Paytable[Bonus] = Paytable(
    (
        ((Bonus.AKQ_SUITED,), Odds(100)),
        ((Bonus.STRAIGHT_FLUSH,), Odds(50)),
        ((Bonus.THREE_OF_A_KIND,), Odds(30)),
        ((Bonus.STRAIGHT,), Odds(5)),
        ((Bonus.FLUSH,), Odds(3)),
    )
)
"""The Bonus table of the sheet, which calls it a sample (R-8)."""


def poker_class(cards: tuple[Card, ...]) -> Bonus | None:
    """Return the class of three cards in three-card poker, if the Bonus knows it (rule 6).

    An ace is high or low in a straight, never in the middle.

    >>> poker_class(parse("Qs Ks As")), poker_class(parse("2h As 3d"))
    (<Bonus.AKQ_SUITED: 'akq_suited'>, <Bonus.STRAIGHT: 'straight'>)
    """
    low, middle, high = sorted(card.rank for card in cards)
    flush = len({card.suit for card in cards}) == 1
    akq = (low, middle, high) == (1, 12, 13)
    straight = akq or (low + 1 == middle and middle + 1 == high)
    if flush and akq:
        return Bonus.AKQ_SUITED
    if flush and straight:
        return Bonus.STRAIGHT_FLUSH
    if low == high:
        return Bonus.THREE_OF_A_KIND
    if straight:
        return Bonus.STRAIGHT
    return Bonus.FLUSH if flush else None


class HoleCard(StrEnum):
    """Whether the dealer looks at the hole card under an ace or a ten."""

    PEEK = "peek"
    NO_PEEK = "no_peek"


class OneCard(StrEnum):
    """What a one-card ace or ten gets when the peek finds a blackjack."""

    DRAWS = "draws"
    LOSES = "loses"


class Soft17(StrEnum):
    """What the dealer does on a soft 17."""

    HIT = "hit"
    STAND = "stand"


class Insurance(StrEnum):
    """How much a seat may insure for."""

    UP_TO_HALF = "up_to_half"
    HALF_OR_NOTHING = "half_or_nothing"
    OFF = "off"


class RunOut(StrEnum):
    """What bets in action do when the deck runs out."""

    WIN = "win"
    PUSH = "push"


@with_settings
@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """One house's version of Roll Your Own Blackjack."""

    hole_card: HoleCard = setting(
        Choice(HoleCard),
        HoleCard.PEEK,
        rule="7",
        about="whether the dealer looks for a blackjack before play",
        readings={
            "peek": "the dealer looks under an ace, after insurance, or a ten (R-3)",
            "no_peek": "a dealer's blackjack is found at the end and takes every bet (R-3)",
        },
    )
    one_card_vs_dealer_blackjack: OneCard = setting(
        Choice(OneCard),
        OneCard.DRAWS,
        rule="7g, 7h",
        about="what a one-card ace or ten gets when the peek finds a blackjack",
        readings={
            "draws": "a one-card ace or ten still draws, and is paid if that makes blackjack (R-4)",
            "loses": "a one-card hand loses to a dealer's blackjack like any other (R-4)",
        },
    )
    double_after_split: bool = setting(
        YesNo(),
        True,  # noqa: FBT003  the default
        rule="7a",
        about="whether hands made by a split may double (R-5)",
    )
    max_splits: int = setting(
        Whole(0, 4),
        4,
        rule="7c",
        about="splits allowed, counted for each starting hand and not for the seat (R-6)",
    )
    resplit_aces: bool = setting(
        YesNo(),
        False,  # noqa: FBT003  the default
        rule="7d",
        about="whether a split ace that draws an ace may split again (R-7)",
    )
    soft_17: Soft17 = setting(
        Choice(Soft17), Soft17.HIT, rule="7f", about="what the dealer does on a soft 17"
    )
    blackjack_pays: Odds = setting(
        Ratio(), Odds(3, 2), rule="7g", about="what a player's blackjack pays"
    )
    bonus_paytable: Paytable[Bonus] = setting(
        Printed({"sheet": SHEET}, tuple(Bonus)),
        SHEET,
        rule="6",
        about="what the Bonus pays; the sheet calls its table a sample (R-8)",
    )
    insurance: Insurance = setting(
        Choice(Insurance),
        Insurance.UP_TO_HALF,
        rule="7j",
        about="how much a seat may insure for under an ace",
        readings={
            "up_to_half": "any amount up to half of the two blackjack bets (R-9)",
            "half_or_nothing": "half of the two blackjack bets, or nothing (R-9)",
            "off": "insurance is not offered (R-9)",
        },
    )
    run_out: RunOut = setting(
        Choice(RunOut),
        RunOut.WIN,
        rule="8",
        about="what bets in action do when the deck runs out",
        readings={
            "win": "every bet in action wins when the deck runs out (R-10)",
            "push": "every bet in action is returned when the deck runs out (R-10)",
        },
    )
    seats: int = setting(Whole(1, 7), 7, rule="3", about="seats at the table")


PRESETS = MappingProxyType(
    {
        "default": Rules(),
        "no-peek": Rules(hole_card=HoleCard.NO_PEEK),
    }
)


class Outcome(StrEnum):
    """How a blackjack bet or an insurance ended."""

    DOUBLE_BLACKJACK = "double blackjack"
    BLACKJACK = "blackjack"
    BUST = "bust"
    RUN_OUT = "deck ran out"
    DEALER_BLACKJACK = "dealer blackjack"
    NO_DEALER_BLACKJACK = "no dealer blackjack"
    DEALER_BUST = "dealer bust"
    HIGHER_TOTAL = "higher total"
    LOWER_TOTAL = "lower total"
    PUSH = "push"


# --- operations


@dataclass(frozen=True, slots=True)
class Bet:
    """A seat puts down its three equal bets, in cents (rule 2)."""

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
        """Put *bet* on each of the three."""
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


@dataclass(frozen=True, slots=True)
class Insure:
    """A seat insures for an amount in cents; nothing declines (rule 7j)."""

    seat: int
    amount: int

    def __str__(self) -> str:
        return f"insure {self.amount}"


@dataclass(frozen=True, slots=True)
class _Play:
    """A decision of the hand whose turn it is."""

    seat: int

    word: ClassVar[str]

    def __str__(self) -> str:
        return self.word


class Hit(_Play):
    """One more card."""

    __slots__ = ()
    word = "hit"


class Stand(_Play):
    """No more cards."""

    __slots__ = ()
    word = "stand"


class Double(_Play):
    """The same bet again, one card, and no more (rule 7a)."""

    __slots__ = ()
    word = "double"


class Split(_Play):
    """Two hands from two cards of the same value, each with its own bet (rule 7b)."""

    __slots__ = ()
    word = "split"


Play: TypeAlias = Hit | Stand | Double | Split
Decision: TypeAlias = SetHands | Insure | Play
Operation: TypeAlias = Bet | Deal | Draw | Decision

_PLAYS: dict[str, type[Play]] = {play.word: play for play in (Hit, Stand, Double, Split)}


def read_decision(seat: int, text: str) -> Decision:
    """Read a decision as it is written: ``set 8s8d Th``, ``insure 500``, ``hit``, ..."""
    words = text.split()
    match words:
        case ["set", first, second]:
            return SetHands(seat, parse(first), parse(second))
        case ["insure", amount] if re.fullmatch("[0-9]{1,15}", amount):
            return Insure(seat, int(amount))
        case [word] if word in _PLAYS:
            return _PLAYS[word](seat)
    raise NotationError(
        f"{shown(text)} is no decision here: write it as in 'set 8s8d Th', 'insure 500' (cents),"
        " hit, stand, double or split"
    )


# --- hands and seats


@dataclass(frozen=True, slots=True)
class Hand:
    """Cards on a blackjack bet and what is bet on them."""

    cards: tuple[Card, ...]
    stake: int
    from_split: bool = False
    doubled: bool = False
    stood: bool = False
    called: bool = False  # a card was asked for, by a hit or a double, and is not there yet

    @property
    def total(self) -> int:
        return total(self.cards)

    @property
    def is_bust(self) -> bool:
        return hard_total(self.cards) > BLACKJACK

    @property
    def is_pair(self) -> bool:
        """Say whether the hand is two cards of the same value, tens and faces alike (rule 7b)."""
        return len(self.cards) == TWO and self.cards[0].value == self.cards[1].value

    @property
    def is_blackjack(self) -> bool:
        """Say whether the first two cards are 21; never after a split (rule 7h)."""
        return len(self.cards) == TWO and self.total == BLACKJACK and not self.from_split

    @property
    def is_split_ace(self) -> bool:
        return self.from_split and self.cards[0].value == 1

    @property
    def is_settled_at_once(self) -> bool:
        return self.is_bust or self.is_blackjack

    @property
    def needs_card(self) -> bool:
        """Say whether a card is due: the second one, or one that was called for."""
        return len(self.cards) == 1 or self.called


@dataclass(frozen=True)  # no slots: what follows from the facts is worked out once and kept
class Seat:
    """A seat in play: three cards, then the hands on its two blackjack bets."""

    bet: Bet
    cards: tuple[Card, ...] = ()
    first: tuple[Hand, ...] = ()
    second: tuple[Hand, ...] = ()
    insurance: int | None = None  # None: not asked yet

    @property
    def number(self) -> int:
        return self.bet.seat

    @once
    def is_double_blackjack(self) -> bool:
        """Say whether the three cards are A-A-10 or A-10-10 (rule 7i)."""
        return sorted(card.value for card in self.cards) in ([1, 1, 10], [1, 10, 10])

    @property
    def is_set(self) -> bool:
        return bool(self.first) or self.is_double_blackjack

    @once
    def drawn(self) -> int:
        """How many cards of the stub the seat has received."""
        held = sum(len(hand.cards) for hand in self.first + self.second)
        return held - PACK if held else 0

    @property
    def half(self) -> int:
        """The most it may insure for: half of two equal bets (rule 7j)."""
        return self.bet.first


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a hand lies: seat, bet and place in the order of play."""

    seat: Seat
    bet: str
    index: int

    @property
    def hands(self) -> tuple[Hand, ...]:
        return self.seat.first if self.bet == "first" else self.seat.second

    @property
    def hand(self) -> Hand:
        return self.hands[self.index]

    def with_hands(self, *new: Hand) -> Seat:
        """Return the seat with *new* in the hand's place."""
        hands = self.hands[: self.index] + new + self.hands[self.index + 1 :]
        if self.bet == "first":
            return replace(self.seat, first=hands)
        return replace(self.seat, second=hands)


class Phase(StrEnum):
    """What a round waits for."""

    BETTING = "betting"
    SETTING = "setting"
    INSURING = "insuring"
    PLAYING = "playing"
    SETTLED = "settled"


@dataclass(frozen=True)  # no slots: what follows from the facts is worked out once and kept
class Round:
    """One round, from the first bet to settlement. Operations return a new round.

    The cards of the stub come in one by one, as :class:`~pitboss.felt.Draw`, whenever
    *needs_card* says so. Seats set their hands, and insure, in any order.

    >>> from functools import reduce
    >>> operations = [Bet.of(1, 1000), Deal((parse("As Kd Ac"), parse("2c 6h Td")))]
    >>> table = reduce(Round.apply, operations, Round(Rules()))
    >>> [(s.bet, s.outcome, s.net) for s in table.settlements()]
    [('bonus', 'no win', -1000), ('first', 'double blackjack', 1500), \
('second', 'double blackjack', 1500)]
    """

    rules: Rules
    seats: tuple[Seat, ...] = ()
    dealer: tuple[Card, ...] = ()  # burn, up card, hole card (rule 3)
    draws: tuple[Card, ...] = ()  # the dealer's further cards
    plays: tuple[Play, ...] = ()  # hit, stand, double and split, as they were decided

    pack = PACK

    # --- where the round stands

    @once
    def phase(self) -> Phase:
        if not self.dealer:
            return Phase.BETTING
        if not all(seat.is_set for seat in self.seats):
            return Phase.SETTING
        if any(self._insuring()):
            return Phase.INSURING
        if self._ran_out or not (self._spot or self._dealer_draws):
            return Phase.SETTLED
        return Phase.PLAYING

    @once
    def numbers(self) -> tuple[int, ...]:
        return tuple([seat.bet.seat for seat in self.seats])

    @property
    def deck_size(self) -> int:
        return len(DECK)  # rule 1: one deck

    @once
    def cards_used(self) -> int:
        packs = len(self.dealer) + sum(len(seat.cards) for seat in self.seats)
        return packs + sum(seat.drawn for seat in self.seats) + len(self.draws)

    @once
    def staked(self) -> int:
        return sum(
            sum(hand.stake for hand in seat.first + seat.second)
            + (seat.bet.bonus if seat.first else 3 * seat.bet.bonus)
            + (seat.insurance or 0)
            for seat in self.seats
        )

    @property
    def needs_card(self) -> bool:
        return self.phase is Phase.PLAYING and self._wants_card

    @property
    def asked(self) -> Asked | None:
        """The first decision open: every seat's set, every seat's insurance, then the hand's."""
        for seat in self._setting():
            return Asked(seat.number, "set", _ways_to_set(seat))
        for seat in self._insuring():
            return Asked(seat.number, "insure", self._insurances(seat))
        if plays := self._plays():
            return Asked(plays[0].seat, "play", plays)
        return None

    def legal(self, seat: int | None = None) -> tuple[Decision, ...]:
        """Return the decisions open to *seat*, or to any seat.

        Of insurance the smallest and the largest; up to half means any amount between.
        """
        options: list[Decision] = [way for s in self._setting() for way in _ways_to_set(s)]
        options += [amount for s in self._insuring() for amount in self._insurances(s)]
        options += self._plays()
        return tuple(option for option in options if seat in {None, option.seat})

    def decisions(self) -> tuple[Decision, ...]:
        """Return sets and insurances in seat order, then the plays, up to what is asked now."""
        told = takewhile(lambda s: s.is_set, self.seats)
        sets = [SetHands(s.number, *_as_set(s)) for s in told if s.first]
        told = takewhile(lambda s: s.insurance is not None or s.is_double_blackjack, self.seats)
        insured = [Insure(s.number, s.insurance) for s in told if s.insurance is not None]
        return (*sets, *insured, *self.plays)

    # --- operations

    def apply(self, operation: Operation) -> Round:
        """Return the round after *operation*, or raise and change nothing."""
        match operation:
            case Bet():
                return self._bet(operation)
            case Deal():
                return self._deal(operation)
            case SetHands():
                return self._set(operation)
            case Insure():
                return self._insure(operation)
            case Draw():
                return self._draw(operation)
            case Hit() | Stand() | Double() | Split():
                return self._play(operation)
            case _:
                return refuse_unknown(operation)

    def _bet(self, bet: Bet) -> Round:
        return Round(self.rules, seated(self.seats, Seat(bet), self))

    def _deal(self, deal: Deal) -> Round:
        check_deal(deal, self)
        *packs, dealer = deal.packs
        seats = tuple(Seat(s.bet, cards) for s, cards in zip(self.seats, packs, strict=True))
        return Round(self.rules, seats, dealer)

    def _set(self, hands: SetHands) -> Round:
        seat = _find(self._setting(), hands.seat, "has no hands to set now")
        wanted = (sorted(hands.first, key=str), sorted(hands.second, key=str))
        for way in _ways_to_set(seat):  # the cards of a hand may be named in any order
            if (sorted(way.first, key=str), sorted(way.second, key=str)) == wanted:
                first, second = Hand(way.first, seat.bet.first), Hand(way.second, seat.bet.second)
                return self._with(replace(seat, first=(first,), second=(second,)))
        legal = ", ".join(map(str, _ways_to_set(seat)))
        raise RuleError(f"seat {hands.seat} may not {hands}: it may {legal}")

    def _insure(self, insure: Insure) -> Round:
        seat = _find(self._insuring(), insure.seat, "is not offered insurance now")
        check_stake("insurance", insure.amount)
        if self.rules.insurance is Insurance.HALF_OR_NOTHING:
            require(
                insure.amount in {0, seat.half}, f"insurance is {plural(seat.half, 'cent')} or 0"
            )
        require(insure.amount <= seat.half, f"insurance is at most {plural(seat.half, 'cent')}")
        return self._with(replace(seat, insurance=insure.amount))

    def _draw(self, draw: Draw) -> Round:
        require(self.needs_card, "no card is needed now")
        if draw.card in self._seen():
            raise DeckError(f"{draw.card} is out already")
        spot = self._spot
        if spot is None:
            draws = (*self.draws, draw.card)
            return Round(self.rules, self.seats, self.dealer, draws, self.plays)
        hand = replace(spot.hand, cards=(*spot.hand.cards, draw.card), called=False)
        return self._with(spot.with_hands(hand))

    def _play(self, play: Play) -> Round:
        spot, legal = self._spot_to_play, self._plays()
        if spot is None or play not in legal:
            may = " or ".join(str(p) for p in legal if p.seat == play.seat)
            why = f"it may {may}" if may else f"the round is {self.phase}"
            if self.phase is Phase.PLAYING and not may:
                why = "it is not its turn"
            raise RuleError(f"seat {play.seat} may not {play} now: {why}")
        return self._with(_played(spot, play), play)

    def _with(self, seat: Seat, *plays: Play) -> Round:
        seats = tuple([seat if s.bet.seat == seat.bet.seat else s for s in self.seats])
        return Round(self.rules, seats, self.dealer, self.draws, (*self.plays, *plays))

    # --- whose turn it is

    def _setting(self) -> Iterator[Seat]:
        return (seat for seat in self.seats if self.dealer and not seat.is_set)

    def _insuring(self) -> Iterator[Seat]:
        """Return the seats that are offered insurance: an ace is up and all hands are set (7j)."""
        if self.rules.insurance is Insurance.OFF or not self.dealer or self.dealer[1].value != 1:
            return iter(())
        if not all(seat.is_set for seat in self.seats):
            return iter(())
        return (s for s in self.seats if s.insurance is None and not s.is_double_blackjack)

    def _insurances(self, seat: Seat) -> tuple[Insure, ...]:
        return Insure(seat.number, 0), Insure(seat.number, seat.half)

    @once
    def _spots(self) -> tuple[Spot, ...]:
        """The hands in the order they are played; a double blackjack has none to play."""
        return tuple(
            Spot(seat, bet, index)
            for seat in self.seats
            for bet, hands in (("first", seat.first), ("second", seat.second))
            for index in range(len(hands))
        )

    @once
    def _spot(self) -> Spot | None:
        """The hand whose turn it is; nobody's once only the dealer is left to play."""
        is_due = self._draws_against_blackjack if self._peek_ends else self._is_unfinished
        return next(filter(is_due, self._spots), None)

    def _is_unfinished(self, spot: Spot) -> bool:
        hand = spot.hand
        if hand.needs_card:
            return True
        if hand.stood or hand.doubled or hand.total >= BLACKJACK:
            return False
        return not hand.is_split_ace or self._may_split(spot)  # rule 7d

    def _draws_against_blackjack(self, spot: Spot) -> bool:
        """Say whether a one-card ace or ten still draws although the dealer has blackjack (R-4)."""
        draws = self.rules.one_card_vs_dealer_blackjack is OneCard.DRAWS
        return draws and len(spot.hand.cards) == 1 and spot.hand.cards[0].value in {1, 10}

    @property
    def _spot_to_play(self) -> Spot | None:
        """The hand that is asked for a play."""
        return self._spot if self.phase is Phase.PLAYING and not self._wants_card else None

    def _plays(self) -> tuple[Play, ...]:
        spot = self._spot_to_play
        if spot is None:
            return ()
        plays: list[type[Play]] = [Stand] if spot.hand.is_split_ace else [Hit, Stand]
        if self._may_double(spot):
            plays.append(Double)
        if self._may_split(spot):
            plays.append(Split)
        return tuple(play(spot.seat.number) for play in plays)

    def _may_double(self, spot: Spot) -> bool:
        """Say whether the hand may double: any two cards (7a), split aces excepted (7d)."""
        hand = spot.hand
        allowed = self.rules.double_after_split or not hand.from_split
        return len(hand.cards) == TWO and allowed and not hand.is_split_ace

    def _may_split(self, spot: Spot) -> bool:
        """Say whether the hand may split (7b), as often as the house allows (7c, 7d)."""
        left = len(spot.hands) <= self.rules.max_splits
        allowed = self.rules.resplit_aces or not spot.hand.is_split_ace
        return spot.hand.is_pair and left and allowed

    # --- the dealer and the deck

    @property
    def _has_blackjack(self) -> bool:
        return total(self.dealer[1:]) == BLACKJACK

    @property
    def _peek_ends(self) -> bool:
        return self.rules.hole_card is HoleCard.PEEK and self._has_blackjack

    @property
    def _dealer_is_needed(self) -> bool:
        """Say whether a hand waits for the dealer to play."""
        return any(not spot.hand.is_settled_at_once for spot in self._spots)

    @once
    def _dealer_draws(self) -> bool:
        """Say whether the dealer takes a card, when it is the dealer's turn (rule 7f)."""
        hand = (*self.dealer[1:], *self.draws)
        points = total(hand)
        hits = self.rules.soft_17 is Soft17.HIT and points == DEALER_STANDS and is_soft(hand)
        return self._dealer_is_needed and (points < DEALER_STANDS or hits)

    @property
    def _wants_card(self) -> bool:
        spot = self._spot
        return spot.hand.needs_card if spot else self._dealer_draws

    @property
    def _ran_out(self) -> bool:
        """Say whether a card is needed and there is none (rule 8)."""
        return self.cards_used == self.deck_size and self._wants_card

    @property
    def _hole_is_turned(self) -> bool:
        """Say whether the hole card is face up: in its turn, if some bet needs it."""
        if self.phase not in {Phase.PLAYING, Phase.SETTLED}:
            return False
        if self._peek_ends:
            return any(self._spots)
        insured = self.rules.hole_card is HoleCard.NO_PEEK and self._is_insured
        return self._spot is None and (self._dealer_is_needed or insured)

    @property
    def _insurance_is_open(self) -> bool:
        """Say whether the deck ran out before the hole card was turned (rule 8)."""
        peek = self.rules.hole_card is HoleCard.PEEK
        return not peek and self._spot is not None and self._ran_out

    @property
    def _is_insured(self) -> bool:
        return any(seat.insurance for seat in self.seats)

    def _seen(self) -> set[Card]:
        hands = (hand.cards for seat in self.seats for hand in seat.first + seat.second)
        packs = (seat.cards for seat in self.seats)
        return {card for cards in (*hands, *packs, self.dealer, self.draws) for card in cards}

    # --- settlement

    def settlements(self) -> tuple[Settlement, ...]:
        """Return the bets settled so far, in the order the money moves."""
        return self._settled_so_far

    @once
    def _settled_so_far(self) -> tuple[Settlement, ...]:
        return tuple(self._settle())

    def _settle(self) -> Iterator[Settlement]:
        phase = self.phase
        if phase in {Phase.BETTING, Phase.SETTING}:
            return
        yield from map(self._settle_bonus, self.seats)  # rule 6
        for seat in self.seats:
            yield from self._settle_as_set(seat)
        if phase is Phase.INSURING:
            return
        peek = self.rules.hole_card is HoleCard.PEEK
        if peek:
            yield from self._settle_insurance()
        yield from self._settle_in_play()
        if not peek and (self._hole_is_turned or phase is Phase.SETTLED):
            yield from self._settle_insurance()
        if phase is Phase.SETTLED and not self._peek_ends:
            yield from self._settle_rest()

    def _settle_bonus(self, seat: Seat) -> Settlement:
        found = poker_class(seat.cards)
        odds = self.rules.bonus_paytable.odds(found)
        name = found.replace("_", " ").replace("akq", "AKQ") if found else "no win"
        net = self.rules.rounding.net(odds, seat.bet.bonus)
        return Settlement(seat.number, "bonus", 0, name, "6", seat.bet.bonus, net)

    def _settle_as_set(self, seat: Seat) -> Iterator[Settlement]:
        """Pay double blackjacks (7i) and two-card blackjacks (7g) when hands are set."""
        pays = self.rules.blackjack_pays
        if seat.is_double_blackjack:
            for bet in ("first", "second"):
                net = self.rules.rounding.net(pays, seat.bet.first)
                outcome = Outcome.DOUBLE_BLACKJACK
                yield Settlement(seat.number, bet, 0, outcome.value, "7i", seat.bet.first, net)
            return
        for spot in self._spots:
            if spot.seat is seat and _is_set_blackjack(spot):
                yield self._settled(spot, Outcome.BLACKJACK, "7g", pays)

    def _settle_insurance(self) -> Iterator[Settlement]:
        """Settle insurance at the peek or when the hole card is turned; rule 8 if it never is."""
        for seat in self.seats:
            if not seat.insurance:
                continue
            if self._insurance_is_open:
                odds = PUSH if self.rules.run_out is RunOut.PUSH else INSURANCE_PAYS
                outcome, rule, pays = Outcome.RUN_OUT, "8", odds
            elif self._has_blackjack:
                outcome, rule, pays = Outcome.DEALER_BLACKJACK, "7j", INSURANCE_PAYS
            else:
                outcome, rule, pays = Outcome.NO_DEALER_BLACKJACK, "7j", None
            net = self.rules.rounding.net(pays, seat.insurance)
            yield Settlement(seat.number, "insurance", 0, outcome.value, rule, seat.insurance, net)

    def _settle_in_play(self) -> Iterator[Settlement]:
        """Settle what does not wait for the dealer's cards, hand by hand as they are played."""
        turn = self._spot
        for spot in self._spots:
            if spot is turn:
                return
            if _is_set_blackjack(spot):
                continue
            if spot.hand.is_blackjack:
                yield self._settled(spot, Outcome.BLACKJACK, "7h", self.rules.blackjack_pays)
            elif spot.hand.is_bust:
                yield self._settled(spot, Outcome.BUST, "standard", None)
            elif self._peek_ends:
                yield self._settled(spot, Outcome.DEALER_BLACKJACK, "standard", None)

    def _settle_rest(self) -> Iterator[Settlement]:
        """Settle the hands that waited for the dealer, or for a card that was not there."""
        for spot in self._spots:
            if spot.hand.is_settled_at_once:
                continue
            if self._ran_out:
                pays = PUSH if self.rules.run_out is RunOut.PUSH else EVEN
                yield self._settled(spot, Outcome.RUN_OUT, "8", pays)
            else:
                yield self._settled(spot, *self._compare(spot.hand))

    def _compare(self, hand: Hand) -> tuple[Outcome, str, Odds | None]:
        theirs = total((*self.dealer[1:], *self.draws))
        if self._has_blackjack:
            return Outcome.DEALER_BLACKJACK, "standard", None
        if theirs > BLACKJACK:
            return Outcome.DEALER_BUST, "standard", EVEN
        if hand.total == theirs:
            return Outcome.PUSH, "standard", PUSH
        if hand.total > theirs:
            return Outcome.HIGHER_TOTAL, "standard", EVEN
        return Outcome.LOWER_TOTAL, "standard", None

    def _settled(self, spot: Spot, outcome: Outcome, rule: str, pays: Odds | None) -> Settlement:
        stake = spot.hand.stake
        net = self.rules.rounding.net(pays, stake)
        return Settlement(spot.seat.number, spot.bet, spot.index, outcome.value, rule, stake, net)

    # --- views

    def view(self, seat: int | None = None) -> View:
        """Return what *seat* may see: nothing of another seat before all hands are set."""
        check_viewer(seat, self)
        if self.phase in {Phase.BETTING, Phase.SETTING}:
            return self._show(seat, {seat})
        return self._show(seat, {*self.numbers}) if seat else self.record()

    def record(self) -> View:
        """Return the table with every seat's cards face up: for the record, not for players."""
        return self._recorded

    @once
    def _recorded(self) -> View:
        return self._show(None, {*self.numbers})

    def _show(self, seat: int | None, up: set[int | None]) -> View:
        """Lay out the table for *seat*, with the seats in *up* face up."""
        spot = self._spot if self.phase is Phase.PLAYING else None
        return View(
            phase=self.phase,
            seat=seat,
            turn=Turn(spot.seat.number, spot.bet, spot.index) if spot else None,
            seats=tuple(_seat_view(s, face_up=s.number in up) for s in self.seats),
            dealer=self._dealer_view(),
            cards_left=self.deck_size - self.cards_used,
            legal=self.legal(seat) if seat else (),
            settlements=self.settlements(),
        )

    def _dealer_view(self) -> DealerView:
        """Show the up card, and the rest once the hole card is turned; the burn never."""
        if not self.dealer:
            return DealerView(())
        _, up, hole = self.dealer
        if not self._hole_is_turned:
            return DealerView((up, None), (up,), total((up,)))
        cards = (up, hole, *self.draws)
        return DealerView(cards, cards, total(cards))


def _find(seats: Iterator[Seat], number: int, reason: str) -> Seat:
    for seat in seats:
        if seat.number == number:
            return seat
    raise RuleError(f"seat {number} {reason}")


def _ways_to_set(seat: Seat) -> tuple[SetHands, ...]:
    """Return the six ways: which card stands alone, and on which bet (rule 5)."""
    ways = []
    for index in reversed(range(PACK)):
        card, two = seat.cards[index], seat.cards[:index] + seat.cards[index + 1 :]
        ways += [SetHands(seat.number, two, (card,)), SetHands(seat.number, (card,), two)]
    return tuple(ways)


def _as_set(seat: Seat) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Return the cards as they were set, whatever has been drawn or split since."""
    first, second = (
        tuple(card for card in seat.cards if any(card in hand.cards for hand in hands))
        for hands in (seat.first, seat.second)
    )
    return first, second


def _is_set_blackjack(spot: Spot) -> bool:
    """Say whether the hand is a blackjack as set, and not one that drew its second card."""
    return spot.hand.is_blackjack and set(spot.hand.cards) <= set(spot.seat.cards)


def _played(spot: Spot, play: Play) -> Seat:
    hand = spot.hand
    match play:
        case Hit():
            return spot.with_hands(replace(hand, called=True))
        case Stand():
            return spot.with_hands(replace(hand, stood=True))
        case Double():
            return spot.with_hands(replace(hand, doubled=True, called=True, stake=2 * hand.stake))
        case Split():
            one, two = (Hand((card,), hand.stake, from_split=True) for card in hand.cards)
            return spot.with_hands(one, two)
        case _:
            assert_never(play)


def _seat_view(seat: Seat, *, face_up: bool) -> SeatView:
    stakes = {"bet": seat.bet.first}
    if not face_up:
        return SeatView(seat.number, stakes, (None,) * len(seat.cards), ())
    hands = [
        HandView(bet, index, hand.cards, hand.total, hand.stake)
        for bet, hands in (("first", seat.first), ("second", seat.second))
        for index, hand in enumerate(hands)
    ]
    return SeatView(seat.number, stakes, seat.cards, tuple(hands), seat.insurance or 0)


GAME = Game(
    key="roll-your-own",
    name="Roll Your Own Blackjack",
    summary="three cards set as a two-card and a one-card hand, both played against one dealer;"
    " a mandatory three-card Bonus",
    stakes=MappingProxyType({"bet": "on each of the three bets"}),
    fills=("first", "second", "bonus"),
    units=MappingProxyType({"blackjack": 2, "bonus": 1, "package": 3}),
    clauses=CLAUSES,
    rules=Rules,
    presets=PRESETS,
    start=Round,
    bet=Bet.of,
    decision=read_decision,
)
"""Roll Your Own Blackjack as journals, tables and pages know it."""
