"""A round of Roll Your Own Blackjack, from the bets to the settlements.

A round stores its bets, cards and decisions. Everything else is computed from them: the current
turn, the settled bets, and whether the deck has run out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING

from pitboss.core.caching import cached_property
from pitboss.core.cards import BLACKJACK, DECK, Card, total
from pitboss.core.errors import DeckError, RuleError, plural
from pitboss.core.paytables import EVEN, PUSH, Odds
from pitboss.core.protocol import (
    Deal,
    DealerView,
    Draw,
    HandView,
    PendingDecision,
    SeatView,
    Settlement,
    Turn,
    View,
    add_seat,
    check_deal,
    check_stake,
    check_viewer,
    refuse_unknown,
    require,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

from pitboss.core.twenty_one import (
    INSURANCE_PAYS,
    TWO,
    Double,
    Hand,
    Hit,
    Insure,
    Play,
    Split,
    Stand,
    add_card,
    dealer_hits,
    play_hand,
)
from pitboss.games.roll_your_own.decisions import Bet, Decision, Operation, SetHands
from pitboss.games.roll_your_own.hands import Seat, Spot
from pitboss.games.roll_your_own.rules import (
    PACK,
    HoleCard,
    Insurance,
    OneCard,
    Outcome,
    Rules,
    RunOut,
    poker_class,
)


class Phase(StrEnum):
    """The phases of a round."""

    BETTING = "betting"
    SETTING = "setting"
    INSURING = "insuring"
    PLAYING = "playing"
    SETTLED = "settled"


@dataclass(frozen=True)  # no slots: cached_property needs a __dict__
class Round:
    """One round, from the first bet to settlement. Operations return a new round.

    While *needs_card* is true, the next operation is a :class:`~pitboss.core.protocol.Draw` with a
    card of the stub. Seats set their hands, and insure, in any order.

    >>> from functools import reduce
    >>> from pitboss.core.cards import parse
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
    plays: tuple[Play, ...] = ()  # hit, stand, double and split, in order

    pack = PACK
    deals_in_turn = False

    # --- state

    @cached_property
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

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        return tuple([seat.bet.seat for seat in self.seats])

    @property
    def deck_size(self) -> int:
        return len(DECK)  # rule 1: one deck

    @cached_property
    def cards_used(self) -> int:
        packs = len(self.dealer) + sum(len(seat.cards) for seat in self.seats)
        return packs + sum(seat.drawn for seat in self.seats) + len(self.draws)

    @cached_property
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
    def asked(self) -> PendingDecision | None:
        """The next decision: all seats set, then all seats insure, then each hand is played."""
        for seat in self._setting():
            return PendingDecision(seat.number, "set", _ways_to_set(seat))
        for seat in self._insuring():
            return PendingDecision(seat.number, "insure", self._insurances(seat))
        if plays := self._plays():
            return PendingDecision(plays[0].seat, "play", plays)
        return None

    def legal(self, seat: int | None = None) -> tuple[Decision, ...]:
        """Return the legal decisions of *seat*, or of all seats.

        For insurance these are the smallest and the largest amount. With the setting
        ``up_to_half``, any amount in between is legal too.
        """
        options: list[Decision] = [way for s in self._setting() for way in _ways_to_set(s)]
        options += [amount for s in self._insuring() for amount in self._insurances(s)]
        options += self._plays()
        return tuple(option for option in options if seat in {None, option.seat})

    def decisions(self) -> tuple[Decision, ...]:
        """Return sets and insurances in seat order, then plays, up to the open decision."""
        done = takewhile(lambda s: s.is_set, self.seats)
        sets = [SetHands(s.number, *_as_set(s)) for s in done if s.first]
        done = takewhile(lambda s: s.insurance is not None or s.is_double_blackjack, self.seats)
        insured = [Insure(s.number, s.insurance) for s in done if s.insurance is not None]
        return (*sets, *insured, *self.plays)

    # --- operations

    def apply(self, operation: Operation) -> Round:
        """Return the round after *operation*, or raise an error and change nothing."""
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
        return Round(self.rules, add_seat(self.seats, Seat(bet), self))

    def _deal(self, deal: Deal) -> Round:
        check_deal(deal, self)
        *packs, dealer = deal.packs
        seats = tuple(Seat(s.bet, cards) for s, cards in zip(self.seats, packs, strict=True))
        return Round(self.rules, seats, dealer)

    def _set(self, hands: SetHands) -> Round:
        seat = _find(self._setting(), hands.seat, "has no hands to set now")
        wanted = (sorted(hands.first, key=str), sorted(hands.second, key=str))
        for way in _ways_to_set(seat):  # a hand's cards may be listed in any order
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
            raise DeckError(f"{draw.card} has already been dealt")
        spot = self._spot
        if spot is None:
            draws = (*self.draws, draw.card)
            return Round(self.rules, self.seats, self.dealer, draws, self.plays)
        return self._with(spot.with_hands(add_card(spot.hand, draw.card)))

    def _play(self, play: Play) -> Round:
        spot, legal = self._spot_to_play, self._plays()
        if spot is None or play not in legal:
            may = " or ".join(str(p) for p in legal if p.seat == play.seat)
            why = f"it may {may}" if may else f"the round is {self.phase}"
            if self.phase is Phase.PLAYING and not may:
                why = "it is not its turn"
            raise RuleError(f"seat {play.seat} may not {play} now: {why}")
        return self._with(spot.with_hands(*play_hand(spot.hand, play)), play)

    def _with(self, seat: Seat, *plays: Play) -> Round:
        seats = tuple([seat if s.bet.seat == seat.bet.seat else s for s in self.seats])
        return Round(self.rules, seats, self.dealer, self.draws, (*self.plays, *plays))

    # --- whose turn it is

    def _setting(self) -> Iterator[Seat]:
        return (seat for seat in self.seats if self.dealer and not seat.is_set)

    def _insuring(self) -> Iterator[Seat]:
        """Yield the seats with an open insurance offer: an ace is up, all hands are set (7j)."""
        if self.rules.insurance is Insurance.OFF or not self.dealer or self.dealer[1].value != 1:
            return iter(())
        if not all(seat.is_set for seat in self.seats):
            return iter(())
        return (s for s in self.seats if s.insurance is None and not s.is_double_blackjack)

    def _insurances(self, seat: Seat) -> tuple[Insure, ...]:
        return Insure(seat.number, 0), Insure(seat.number, seat.half)

    @cached_property
    def _spots(self) -> tuple[Spot, ...]:
        """The hands in playing order, without the seats that have a double blackjack."""
        return tuple(
            Spot(seat, bet, index)
            for seat in self.seats
            for bet, hands in (("first", seat.first), ("second", seat.second))
            for index in range(len(hands))
        )

    @cached_property
    def _spot(self) -> Spot | None:
        """The hand whose turn it is, or ``None`` if only the dealer is left to play."""
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
        """Return whether a one-card ace or ten draws against a dealer's blackjack (R-4)."""
        draws = self.rules.one_card_vs_dealer_blackjack is OneCard.DRAWS
        return draws and len(spot.hand.cards) == 1 and spot.hand.cards[0].value in {1, 10}

    @property
    def _spot_to_play(self) -> Spot | None:
        """The hand that must make a play now."""
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
        """Return whether the hand may double: any two cards (7a) except split aces (7d)."""
        hand = spot.hand
        allowed = self.rules.double_after_split or not hand.from_split
        return len(hand.cards) == TWO and allowed and not hand.is_split_ace

    def _may_split(self, spot: Spot) -> bool:
        """Return whether the hand may split (7b) within the limits of the house (7c, 7d)."""
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
        """Whether a hand waits for the dealer to play."""
        return any(not spot.hand.is_settled_at_once for spot in self._spots)

    @cached_property
    def _dealer_draws(self) -> bool:
        """Whether the dealer draws a card in the dealer's turn (rule 7f)."""
        hand = (*self.dealer[1:], *self.draws)
        return self._dealer_is_needed and dealer_hits(hand, self.rules.soft_17)

    @property
    def _wants_card(self) -> bool:
        spot = self._spot
        return spot.hand.needs_card if spot else self._dealer_draws

    @property
    def _ran_out(self) -> bool:
        """Whether a card is needed and the deck is empty (rule 8)."""
        return self.cards_used == self.deck_size and self._wants_card

    @property
    def _hole_is_turned(self) -> bool:
        """Whether the hole card is face up: in the dealer's turn, if a bet depends on it."""
        if self.phase not in {Phase.PLAYING, Phase.SETTLED}:
            return False
        if self._peek_ends:
            return any(self._spots)
        insured = self.rules.hole_card is HoleCard.NO_PEEK and self._is_insured
        return self._spot is None and (self._dealer_is_needed or insured)

    @property
    def _insurance_is_open(self) -> bool:
        """Whether the deck ran out before the hole card was turned (rule 8)."""
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

    @cached_property
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
        return Settlement(seat.number, "bonus", 0, name, "6", seat.bet.bonus, net, found, odds)

    def _settle_as_set(self, seat: Seat) -> Iterator[Settlement]:
        """Pay double blackjacks (7i) and two-card blackjacks (7g) when hands are set."""
        pays = self.rules.blackjack_pays
        if seat.is_double_blackjack:
            for bet in ("first", "second"):
                net = self.rules.rounding.net(pays, seat.bet.first)
                outcome = Outcome.DOUBLE_BLACKJACK
                yield Settlement(
                    seat.number, bet, 0, outcome.value, "7i", seat.bet.first, net, outcome, pays
                )
            return
        for spot in self._spots:
            if spot.seat is seat and _is_set_blackjack(spot):
                yield self._settled(spot, Outcome.BLACKJACK, "7g", pays)

    def _settle_insurance(self) -> Iterator[Settlement]:
        """Settle insurance when the hole card is known, or by rule 8 if it is never turned."""
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
            yield Settlement(
                *(seat.number, "insurance", 0, outcome.value, rule, seat.insurance, net),
                result=outcome,
                odds=pays,
            )

    def _settle_in_play(self) -> Iterator[Settlement]:
        """Settle the hands that do not wait for the dealer's cards, in playing order."""
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
        """Settle the hands that waited for the dealer, or for a card when the deck was empty."""
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
        return Settlement(
            *(spot.seat.number, spot.bet, spot.index, outcome.value, rule, stake, net),
            result=outcome,
            odds=pays,
        )

    # --- views

    def view(self, seat: int | None = None) -> View:
        """Return the view of *seat*, which hides other seats until all hands are set."""
        check_viewer(seat, self)
        if self.phase in {Phase.BETTING, Phase.SETTING}:
            return self._show(seat, {seat})
        return self._show(seat, {*self.numbers}) if seat else self.record()

    def record(self) -> View:
        """Return the view with every seat's cards face up, for the record, not for players."""
        return self._recorded

    @cached_property
    def _recorded(self) -> View:
        return self._show(None, {*self.numbers})

    def _show(self, seat: int | None, up: set[int | None]) -> View:
        """Return the view of *seat*, with the cards of the seats in *up* face up."""
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
        """Return the up card or, once the hole card is turned, all cards except the burn card."""
        if not self.dealer:
            return DealerView(())
        _, up, hole = self.dealer
        if not self._hole_is_turned:
            return DealerView((up, None), (up,), total((up,)))
        cards = (up, hole, *self.draws)
        points = total(cards)
        return DealerView(cards, cards, points, is_bust=points > BLACKJACK)


def _find(seats: Iterator[Seat], number: int, reason: str) -> Seat:
    for seat in seats:
        if seat.number == number:
            return seat
    raise RuleError(f"seat {number} {reason}")


def _ways_to_set(seat: Seat) -> tuple[SetHands, ...]:
    """Return the six ways to set: which card is alone, and on which bet (rule 5)."""
    ways = []
    for index in reversed(range(PACK)):
        card, two = seat.cards[index], seat.cards[:index] + seat.cards[index + 1 :]
        ways += [SetHands(seat.number, two, (card,)), SetHands(seat.number, (card,), two)]
    return tuple(ways)


def _as_set(seat: Seat) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Return the cards as they were set, before any draw or split."""
    first, second = (
        tuple(card for card in seat.cards if any(card in hand.cards for hand in hands))
        for hands in (seat.first, seat.second)
    )
    return first, second


def _is_set_blackjack(spot: Spot) -> bool:
    """Return whether the hand was a blackjack when it was set, not after a draw."""
    return spot.hand.is_blackjack and set(spot.hand.cards) <= set(spot.seat.cards)


def _seat_view(seat: Seat, *, face_up: bool) -> SeatView:
    stakes = {"bet": seat.bet.first}
    if not face_up:
        return SeatView(seat.number, stakes, (None,) * len(seat.cards), ())
    hands = [
        HandView(bet, index, hand.cards, hand.total, hand.stake, is_bust=hand.total > BLACKJACK)
        for bet, hands in (("first", seat.first), ("second", seat.second))
        for index, hand in enumerate(hands)
    ]
    added = {"insurance": seat.insurance} if seat.insurance else {}
    return SeatView(seat.number, stakes, seat.cards, tuple(hands), added)
