"""Toss One 21: four cards each, toss one, the best three-card total wins.

Rule numbers are the numbered steps of the approved Rules and Procedures (April 2017); readings
(R-1, R-2, ...) are listed in docs/rules/toss-one-21.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from pitboss.cards import BLACKJACK, DECK, Card, hard_total, parse_card, total
from pitboss.errors import NotationError, RuleError, shown
from pitboss.felt import (
    Asked,
    Deal,
    DealerView,
    Game,
    HandView,
    SeatView,
    Settlement,
    View,
    check_deal,
    check_stake,
    check_viewer,
    refuse_unknown,
    require,
    seated,
)
from pitboss.once import once
from pitboss.paytables import EVEN, Odds, Paytable, unit_net
from pitboss.rules import Choice, Printed, Ratio, Whole, setting, with_settings
from pitboss.rules import Rules as BaseRules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

__all__ = [
    "BONUS_4",
    "GAME",
    "LUCKY_3_TABLE_1",
    "LUCKY_3_TABLE_2",
    "AceKicker",
    "Bet",
    "DealerBlackjack",
    "Hand",
    "Lucky3",
    "Outcome",
    "Phase",
    "Round",
    "Rules",
    "Toss",
    "TossRule",
    "best_hands",
    "chosen_hand",
    "lucky3",
    "play_deal",
    "read_decision",
]

PACK = 4


CLAUSES = MappingProxyType(
    {
        "1": "Every player makes a Main bet. Lucky 3 and Bonus 4 are optional, each on its own.",
        "2": "Each player, from the dealer's left to right, is dealt four cards; the last four"
        " go to the dealer.",
        "3": "Each player tosses one card so that the other three come as close to 21 as they "
        "can without going over.",
        "4": "A player none of whose three-card hands is 21 or less is bust and loses Main, "
        "Lucky 3 and Bonus 4 at once.",
        "5": "When all players are done the dealer turns four cards over and keeps the best "
        "three, scored the same way.",
        "6": "If the dealer is bust, every Main bet still in action wins even money.",
        "7": "Otherwise the three-card total nearer to 21 wins even money. Equal totals are "
        "decided by the tossed cards, the kickers, which rank as in blackjack.",
        "8": "An ace and two ten-value cards are a blackjack: the player is paid 3 to 2 or 6 "
        "to 5 at once, whatever the dealer has.",
        "9": "If totals and kickers are both equal, the player loses.",
        "10": "Lucky 3 is settled after Main, from the three cards kept: it pays on 21 and on "
        "blackjack.",
        "11": "Bonus 4 pays when all four cards total 21 or less, the more the smaller the total.",
    }
)
"""The rules in our own words, by the numbers of the sheet."""


class Outcome(StrEnum):
    """How the Main bet ended: the first rule that applies decides."""

    PLAYER_BUST = "player bust"
    BLACKJACK = "blackjack"
    DEALER_BUST = "dealer bust"
    HIGHER_TOTAL = "higher total"
    LOWER_TOTAL = "lower total"
    DEALER_BLACKJACK = "dealer blackjack"
    HIGHER_KICKER = "higher kicker"
    LOWER_KICKER = "lower kicker"
    TIE = "tie"

    @property
    def rule(self) -> str:
        """The rule that decided."""
        return _RULE_OF.get(self, "7")


_RULE_OF = {
    Outcome.PLAYER_BUST: "4",
    Outcome.BLACKJACK: "8",
    Outcome.DEALER_BUST: "6",
    Outcome.TIE: "9",
}
_EVEN_MONEY = {Outcome.DEALER_BUST, Outcome.HIGHER_TOTAL, Outcome.HIGHER_KICKER}


class Lucky3(StrEnum):
    """What Lucky 3 is paid on, best first; a hand belongs to the first class it fits (rule 10)."""

    SUITED_BLACKJACK = "suited_blackjack"
    COLOURED_BLACKJACK = "coloured_blackjack"
    SUITED_21 = "suited_21"
    COLOURED_21 = "coloured_21"
    BLACKJACK = "blackjack"
    OTHER_21 = "21"


BONUS_4: Paytable[int] = Paytable(
    (
        ((4,), Odds(250)),
        ((5,), Odds(150)),
        ((6, 7, 8), Odds(50)),
        ((9, 10), Odds(10)),
        ((11, 12, 13, 14, 15, 16), Odds(4)),
        ((17, 18, 19, 20, 21), Odds(2)),
    )
)
"""What Bonus 4 pays by the approval letter, for the total of all four cards."""

LUCKY_3_TABLE_1: Paytable[Lucky3] = Paytable(
    (
        ((Lucky3.SUITED_BLACKJACK,), Odds(40)),
        ((Lucky3.COLOURED_BLACKJACK,), Odds(10)),
        ((Lucky3.SUITED_21,), Odds(5)),
        ((Lucky3.COLOURED_21,), Odds(3)),
        ((Lucky3.BLACKJACK,), Odds(2)),
        ((Lucky3.OTHER_21,), Odds(0)),
    )
)
"""The first of the two Lucky 3 tables that the letter approves (R-4)."""

LUCKY_3_TABLE_2: Paytable[Lucky3] = Paytable(
    (
        ((Lucky3.SUITED_BLACKJACK,), Odds(20)),
        ((Lucky3.COLOURED_BLACKJACK,), Odds(8)),
        ((Lucky3.SUITED_21,), Odds(4)),
        ((Lucky3.COLOURED_21,), Odds(3)),
        ((Lucky3.BLACKJACK,), Odds(3, 2)),
        ((Lucky3.OTHER_21,), Odds(1)),
    )
)
"""The second one, which the layout of the letter prints: the default."""


class DealerBlackjack(StrEnum):
    """What a dealer's ace and two tens is against an ordinary 21."""

    IS_21 = "is_21"
    BEATS_21 = "beats_21"


class AceKicker(StrEnum):
    """Whether a tossed ace counts 11 or 1."""

    HIGH = "high"
    LOW = "low"


class TossRule(StrEnum):
    """Whether the toss must leave the best total."""

    MUST_BE_BEST = "must_be_best"
    FREE = "free"


@with_settings
@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """One house's version of Toss One 21."""

    dealer_blackjack: DealerBlackjack = setting(
        Choice(DealerBlackjack),
        DealerBlackjack.IS_21,
        rule="7, 9",
        about="what a dealer's ace and two tens is against an ordinary 21",
        readings={
            "is_21": "a dealer's ace and two tens is a 21 like any other; the kickers decide (R-1)",
            "beats_21": "a dealer's ace and two tens beats an ordinary 21 (R-1)",
        },
    )
    blackjack_pays: Odds = setting(
        Ratio(),
        Odds(3, 2),
        rule="8",
        about="what a player's blackjack pays; the layout says (R-2)",
    )
    ace_kicker: AceKicker = setting(
        Choice(AceKicker),
        AceKicker.HIGH,
        rule="7",
        about="how a tossed ace ranks as kicker",
        readings={
            "high": "a tossed ace is the best kicker, 11 (R-3)",
            "low": "a tossed ace is the lowest kicker, 1 (R-3)",
        },
    )
    lucky3_paytable: Paytable[Lucky3] = setting(
        Printed({2: LUCKY_3_TABLE_2, 1: LUCKY_3_TABLE_1}, tuple(Lucky3)),
        LUCKY_3_TABLE_2,
        rule="10",
        about="what Lucky 3 pays; the letter has two tables (R-4)",
    )
    bonus4_paytable: Paytable[int] = setting(
        Printed({"letter": BONUS_4}, tuple(range(4, BLACKJACK + 1))),
        BONUS_4,
        rule="11",
        about="what Bonus 4 pays for the total of all four cards, aces as 1 (R-7)",
    )
    decks: int = setting(
        Whole(1, 8),
        1,
        rule="2",
        about="decks in play; every round starts from a full, fresh shuffle (R-5)",
    )
    toss: TossRule = setting(
        Choice(TossRule),
        TossRule.MUST_BE_BEST,
        rule="3",
        about="which tosses are legal",
        readings={
            "must_be_best": "only a toss that leaves the best total is legal (R-6)",
            "free": "any card may be tossed; keeping more than 21 loses as a bust (R-6)",
        },
    )
    seats: int = setting(Whole(1, 9), 7, rule="2", about="seats at the table")

    def odds(self, outcome: Outcome) -> Odds | None:
        """Return what the Main bet is paid for *outcome*; nothing where it loses (8, 9)."""
        if outcome is Outcome.BLACKJACK:
            return self.blackjack_pays
        return EVEN if outcome in _EVEN_MONEY else None


PRESETS = MappingProxyType(
    {
        "default": Rules(),
        "published": Rules(dealer_blackjack=DealerBlackjack.BEATS_21),
        "six-to-five": Rules(blackjack_pays=Odds(6, 5)),
    }
)


@dataclass(frozen=True, slots=True)
class Hand:
    """Three cards kept and one tossed, which is the kicker."""

    kept: tuple[Card, ...]
    tossed: Card
    total: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", total(self.kept))  # asked for again and again

    @property
    def is_bust(self) -> bool:
        return self.total > BLACKJACK

    @property
    def is_blackjack(self) -> bool:
        """Say whether the three are an ace and two ten-value cards (rule 8)."""
        is_21 = self.total == BLACKJACK
        return is_21 and sorted([card.value for card in self.kept]) == [1, 10, 10]


@lru_cache(maxsize=1024)  # a round asks for the same few hands several times
def best_hands(cards: tuple[Card, ...]) -> tuple[Hand, ...]:
    """Return the ways to toss one card that leave the best total; none if every way busts.

    Rules 3 and 5. Equal cards of several decks give one way.

    >>> from pitboss.cards import parse
    >>> [hand.tossed for hand in best_hands(parse("As Kd 5h 6c"))]
    [As]
    """
    values = [card.value for card in cards]
    hard, aces = sum(values), values.count(1)
    best = 0
    tossed: list[int] = []
    for index, value in enumerate(values):
        points = hard - value
        if points + 10 <= BLACKJACK and aces > (value == 1):
            points += 10  # an ace is left
        if not best <= points <= BLACKJACK or cards[index] in cards[:index]:
            continue
        if points > best:
            best, tossed = points, []
        tossed.append(index)
    return tuple([Hand(_without(cards, index), cards[index]) for index in tossed])


def _without(cards: tuple[Card, ...], index: int) -> tuple[Card, ...]:
    return cards[:index] + cards[index + 1 :]


def all_hands(cards: tuple[Card, ...]) -> tuple[Hand, ...]:
    """Return every way to toss one card, equal cards of several decks giving one way."""
    ways = (cards.index(card) for card in dict.fromkeys(cards))
    return tuple([Hand(_without(cards, index), cards[index]) for index in ways])


def lucky3(hand: Hand) -> Lucky3 | None:
    """Return the Lucky 3 class of the three cards kept, if they total 21 (rule 10)."""
    if hand.total != BLACKJACK:
        return None
    suits = {card.suit for card in hand.kept}
    if len(suits) == 1:
        return Lucky3.SUITED_BLACKJACK if hand.is_blackjack else Lucky3.SUITED_21
    if len({suit.is_red for suit in suits}) == 1:
        return Lucky3.COLOURED_BLACKJACK if hand.is_blackjack else Lucky3.COLOURED_21
    return Lucky3.BLACKJACK if hand.is_blackjack else Lucky3.OTHER_21


def chosen_hand(rules: Rules, cards: tuple[Card, ...]) -> Hand | None:
    """Return the hand made for a player who does not choose: nothing if it busts.

    Of the best hands it is the one that Lucky 3 pays most, then the first as dealt (R-8).
    """

    def pays(hand: Hand) -> Fraction:
        return unit_net(rules.lucky3_paytable.odds(lucky3(hand)))

    return max(best_hands(cards), key=pays, default=None)


def compare(rules: Rules, player: Hand | None, dealer: Hand | None) -> Outcome:
    """Return how the Main bet ends; no hand is a bust."""
    if player is None or player.is_bust:
        return Outcome.PLAYER_BUST  # rule 4
    if player.is_blackjack:
        return Outcome.BLACKJACK  # rule 8, before the dealer is looked at
    if dealer is None:
        return Outcome.DEALER_BUST  # rule 6
    if player.total != dealer.total:
        return Outcome.HIGHER_TOTAL if player.total > dealer.total else Outcome.LOWER_TOTAL
    if dealer.is_blackjack and rules.dealer_blackjack is DealerBlackjack.BEATS_21:
        return Outcome.DEALER_BLACKJACK  # reading R-1
    ours, theirs = _kicker(rules, player), _kicker(rules, dealer)
    if ours != theirs:
        return Outcome.HIGHER_KICKER if ours > theirs else Outcome.LOWER_KICKER
    return Outcome.TIE  # rule 9


def _kicker(rules: Rules, hand: Hand) -> int:
    if hand.tossed.value == 1 and rules.ace_kicker is AceKicker.HIGH:
        return 11  # reading R-3
    return hand.tossed.value


@dataclass(frozen=True, slots=True)
class Bet:
    """A seat puts down its bets, in cents; the side bets are optional (rule 1)."""

    seat: int
    main: int
    lucky3: int = 0
    bonus4: int = 0

    def __post_init__(self) -> None:
        check_stake("main", self.main)
        check_stake("lucky3", self.lucky3)
        check_stake("bonus4", self.bonus4)
        if not self.main:
            raise RuleError(f"seat {shown(self.seat)} needs a Main bet, with or without side bets")


@dataclass(frozen=True, slots=True)
class Toss:
    """A seat tosses one of its four cards."""

    seat: int
    card: Card

    def __str__(self) -> str:
        return f"toss {self.card}"


def read_decision(seat: int, text: str) -> Toss:
    """Read a decision as it is written: ``toss 2h``."""
    word, _, card = text.partition(" ")
    if word != "toss":
        raise NotationError(f"{shown(text)} is no decision here: write it as in 'toss 2h'")
    return Toss(seat, parse_card(card))


Operation: TypeAlias = Bet | Deal | Toss


class Phase(StrEnum):
    """What a round waits for."""

    BETTING = "betting"
    TOSSING = "tossing"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat in play: its bets, its four cards and, once it has tossed, its hand."""

    bet: Bet
    cards: tuple[Card, ...] = ()
    hand: Hand | None = None

    @property
    def number(self) -> int:
        return self.bet.seat

    @property
    def is_bust(self) -> bool:
        """Say whether the seat is bust: no toss saves it, or its toss has lost it (rule 4)."""
        return self.hand.is_bust if self.hand else not best_hands(self.cards)

    @property
    def is_done(self) -> bool:
        return self.hand is not None or self.is_bust

    @property
    def is_settled_at_once(self) -> bool:
        """Say whether the seat need not wait for the dealer: a bust (4) or a blackjack (8)."""
        return self.hand.is_bust or self.hand.is_blackjack if self.hand else self.is_bust


@dataclass(frozen=True)  # no slots: what follows from the facts is worked out once and kept
class Round:
    """One round, from the first bet to settlement. Operations return a new round.

    A round has no deck and draws nothing at random: cards come in with the deal. Seats may toss in
    any order.

    >>> from functools import reduce
    >>> from pitboss.cards import parse
    >>> operations = [Bet(1, 1000), Deal((parse("As Kd 9h Qc"), parse("Ks 8d 3c 7c")))]
    >>> table = reduce(Round.apply, operations, Round(Rules()))
    >>> [str(toss) for toss in table.legal(1)]
    ['toss 9h']
    >>> table.apply(read_decision(1, "toss 9h")).settlements()[0].outcome
    'blackjack'
    """

    rules: Rules
    seats: tuple[Seat, ...] = ()
    dealer: tuple[Card, ...] = ()

    pack = PACK
    needs_card = False  # every card comes with the deal

    @once
    def phase(self) -> Phase:
        if not self.dealer:
            return Phase.BETTING
        return Phase.SETTLED if all(seat.is_done for seat in self.seats) else Phase.TOSSING

    @property
    def cards_used(self) -> int:
        return PACK * (len(self.seats) + 1) if self.dealer else 0

    @once
    def numbers(self) -> tuple[int, ...]:
        return tuple([seat.bet.seat for seat in self.seats])

    @property
    def deck_size(self) -> int:
        return self.rules.decks * len(DECK)

    @once
    def staked(self) -> int:
        return sum([s.bet.main + s.bet.lucky3 + s.bet.bonus4 for s in self.seats])

    @property
    def asked(self) -> Asked | None:
        """The first seat, from the dealer's left, that has still to toss."""
        for seat in self._waiting():
            return Asked(seat.number, "toss", self._tosses(seat))
        return None

    def legal(self, seat: int | None = None) -> tuple[Toss, ...]:
        """Return the tosses open to *seat*, or to any seat."""
        waiting = [s for s in self._waiting() if seat is None or s.number == seat]
        return tuple([toss for s in waiting for toss in self._tosses(s)])

    def apply(self, operation: Operation) -> Round:
        """Return the round after *operation*, or raise and change nothing."""
        match operation:
            case Toss():
                return self._toss(operation)
            case Bet():
                return self._bet(operation)
            case Deal():
                return self._deal(operation)
            case _:
                return refuse_unknown(operation)

    def decisions(self) -> tuple[Toss, ...]:
        """Return the tosses in seat order, whatever order they were made in.

        They end where a seat is still asked: what seats after it have tossed is not told yet.
        """
        told = takewhile(lambda seat: seat.is_done, self.seats if self.dealer else ())
        return tuple([Toss(seat.number, seat.hand.tossed) for seat in told if seat.hand])

    def settlements(self) -> tuple[Settlement, ...]:
        """Return the bets settled so far: busts and blackjacks at once, the rest at the reveal."""
        return self._settled_so_far

    @once
    def _settled_so_far(self) -> tuple[Settlement, ...]:
        if not self.dealer:
            return ()
        at_once = [seat for seat in self.seats if seat.is_settled_at_once]
        waiting = [seat for seat in self.seats if not seat.is_settled_at_once]
        if self.phase is not Phase.SETTLED:
            waiting = []
        dealer = next(iter(best_hands(self.dealer)), None)
        return tuple([s for seat in at_once + waiting for s in settle(self.rules, seat, dealer)])

    def view(self, seat: int | None = None) -> View:
        """Return what *seat* may see; nothing of another seat before all have decided."""
        check_viewer(seat, self)
        if self.phase is not Phase.SETTLED:
            return self._show(seat, {seat})
        return self._show(seat, {*self.numbers}) if seat else self.record()

    def record(self) -> View:
        """Return the table with every seat's cards face up: for the record, not for players."""
        return self._recorded

    @once
    def _recorded(self) -> View:
        return self._show(None, {*self.numbers})

    def _bet(self, bet: Bet) -> Round:
        return Round(self.rules, seated(self.seats, Seat(bet), self), self.dealer)

    def _deal(self, deal: Deal) -> Round:
        check_deal(deal, self)
        *packs, dealer = deal.packs
        seats = tuple(Seat(s.bet, cards) for s, cards in zip(self.seats, packs, strict=True))
        return Round(self.rules, seats, dealer)

    def _toss(self, toss: Toss) -> Round:
        seat = next((s for s in self._waiting() if s.number == toss.seat), None)
        hands = self._hands(seat) if seat else ()
        hand = next((hand for hand in hands if hand.tossed is toss.card), None)
        if seat is None or hand is None:
            raise RuleError(self._refusal(toss, seat))
        done = Seat(seat.bet, seat.cards, hand)
        seats = tuple([done if s is seat else s for s in self.seats])
        return Round(self.rules, seats, self.dealer)

    def _refusal(self, toss: Toss, seat: Seat | None) -> str:
        if seat is None:
            return f"seat {toss.seat} has nothing to toss now"
        legal = " or ".join(str(t.card) for t in self._tosses(seat))
        if toss.card not in seat.cards:
            return f"seat {toss.seat} does not hold {toss.card}: it may toss {legal}"
        best = best_hands(seat.cards)[0].total
        return f"seat {toss.seat} may not toss {toss.card}: the best total is {best}, by {legal}"

    def _waiting(self) -> Iterator[Seat]:
        return (seat for seat in self.seats if self.dealer and not seat.is_done)

    def _tosses(self, seat: Seat) -> tuple[Toss, ...]:
        return tuple([Toss(seat.number, hand.tossed) for hand in self._hands(seat)])

    def _hands(self, seat: Seat) -> tuple[Hand, ...]:
        """Return the hands that a seat may make."""
        return (all_hands if self.rules.toss is TossRule.FREE else best_hands)(seat.cards)

    def _show(self, seat: int | None, up: set[int | None]) -> View:
        """Lay out the table for *seat*, with the seats in *up* face up."""
        return View(
            phase=self.phase,
            seat=seat,
            turn=None,  # all seats toss at the same time
            seats=tuple([_seat_view(s, face_up=s.number in up) for s in self.seats]),
            dealer=self._dealer_view(),
            cards_left=self.deck_size - self.cards_used,
            legal=self.legal(seat) if seat else (),
            settlements=tuple([s for s in self.settlements() if s.seat in up]),
        )

    def _dealer_view(self) -> DealerView:
        if self.phase is not Phase.SETTLED:
            return DealerView((None,) * len(self.dealer))
        for hand in best_hands(self.dealer):
            return DealerView(self.dealer, hand.kept, hand.total)
        return DealerView(self.dealer)


def settle(rules: Rules, seat: Seat, dealer: Hand | None) -> Iterator[Settlement]:
    """Settle one seat: classify the hand once for each bet, then look each result up."""
    outcome, bet = compare(rules, seat.hand, dealer), seat.bet
    bust = (str(outcome), outcome.rule) if outcome is Outcome.PLAYER_BUST else None

    def settled(name: str, stake: int, odds: Odds | None, ended: tuple[str, str]) -> Settlement:
        how, rule = bust or ended  # rule 4 takes all three
        return Settlement(bet.seat, name, 0, how, rule, stake, rules.rounding.net(odds, stake))

    yield settled("main", bet.main, rules.odds(outcome), (str(outcome), outcome.rule))
    if bet.lucky3:
        kept = lucky3(seat.hand) if seat.hand else None
        ended = kept.replace("_", " ") if kept else "no 21", "10"
        yield settled("lucky3", bet.lucky3, rules.lucky3_paytable.odds(kept), ended)
    if bet.bonus4:
        four = hard_total(seat.cards)
        odds = rules.bonus4_paytable.odds(four)
        yield settled("bonus4", bet.bonus4, odds, (f"total {four}", "11"))


def _seat_view(seat: Seat, *, face_up: bool) -> SeatView:
    bet = seat.bet
    stakes = {"main": bet.main, "lucky3": bet.lucky3, "bonus4": bet.bonus4}
    if not face_up:
        return SeatView(bet.seat, stakes, (None,) * len(seat.cards), ())
    return SeatView(bet.seat, stakes, seat.cards, _hand_views(seat))


def _hand_views(seat: Seat) -> tuple[HandView, ...]:
    if seat.cards and seat.is_bust:
        return (HandView("main", 0, None, None, seat.bet.main),)
    if seat.hand:
        return (HandView("main", 0, seat.hand.kept, seat.hand.total, seat.bet.main),)
    return ()


def play_deal(
    rules: Rules,
    bet: Bet,
    player: tuple[Card, ...],
    dealer: tuple[Card, ...],
    toss: Card | None = None,
) -> Round:
    """Play one seat's deal to its end, with the toss given or else chosen for the player."""
    round_ = Round(rules).apply(bet).apply(Deal((player, dealer)))
    chosen = chosen_hand(rules, player)
    if chosen is None:
        require(toss is None, "no three of the player's cards make 21 or less: nothing to toss")
        return round_
    return round_.apply(Toss(bet.seat, toss or chosen.tossed))


GAME = Game(
    key="toss-one-21",
    name="Toss One 21",
    summary="four cards, toss one, the best three-card total wins; side bets Lucky 3 and Bonus 4",
    stakes=MappingProxyType({"main": "Main", "lucky3": "Lucky 3", "bonus4": "Bonus 4"}),
    units=MappingProxyType({"main": 1, "lucky3": 1, "bonus4": 1, "package": 3}),
    clauses=CLAUSES,
    rules=Rules,
    presets=PRESETS,
    start=Round,
    bet=Bet,
    decision=read_decision,
)
"""Toss One 21 as journals, tables and pages know it."""
