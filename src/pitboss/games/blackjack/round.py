"""A round of blackjack, from the bets to the settlements.

A round stores its bets, cards and decisions. Everything else is computed from them: the current
turn, the settled bets, and whether the shoe has run out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import takewhile
from typing import TYPE_CHECKING

from pitboss.core.caching import cached_property
from pitboss.core.cards import BLACKJACK, DECK, Card, hard_total, total
from pitboss.core.errors import RuleError, plural
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
    check_deck,
    check_stake,
    check_viewer,
    refuse_unknown,
    require,
)
from pitboss.core.twenty_one import (
    INSURANCE_PAYS,
    TWO,
    Double,
    Hand,
    Hit,
    Insure,
    Split,
    Stand,
    add_card,
    dealer_hits,
    play_hand,
)
from pitboss.games.blackjack.decisions import (
    INSURANCE,
    MAIN,
    SIDE_BETS,
    Bet,
    Decision,
    Operation,
    Play,
    Surrender,
)
from pitboss.games.blackjack.hands import Seat, Spot
from pitboss.games.blackjack.rules import HoleCard, Outcome, Rules, SurrenderRule
from pitboss.games.blackjack.side_bets import (
    QUEEN_OF_HEARTS,
    LuckyLadies,
    PerfectPairs,
    PlusThree,
    lucky_ladies,
    perfect_pairs,
    plus_three,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class Phase(StrEnum):
    """The phases of a round."""

    BETTING = "betting"
    INSURING = "insuring"
    PLAYING = "playing"
    SETTLED = "settled"


@dataclass(frozen=True)  # no slots: cached_property needs a __dict__
class Round:
    """One round, from the first bet to settlement. Operations return a new round.

    While *needs_card* is true, the next operation is a :class:`~pitboss.core.protocol.Draw` with
    the next card of the shoe. Seats insure in any order.

    >>> from functools import reduce
    >>> from pitboss.core.cards import parse
    >>> operations = [Bet(1, 1000), Deal((parse("As Kd"), parse("9c 7d")))]
    >>> table = reduce(Round.apply, operations, Round(Rules()))
    >>> [(s.bet, s.outcome, s.net) for s in table.settlements()]
    [('main', 'blackjack', 1500)]
    """

    rules: Rules
    seats: tuple[Seat, ...] = ()
    dealer: tuple[Card, ...] = ()  # the up card and the hole card
    draws: tuple[Card, ...] = ()  # the dealer's further cards
    plays: tuple[Play, ...] = ()  # in order

    pack = TWO
    deals_in_turn = True

    # --- state

    @cached_property
    def phase(self) -> Phase:
        if not self.dealer:
            return Phase.BETTING
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
        return self.rules.decks * len(DECK)

    @cached_property
    def cards_used(self) -> int:
        dealt = len(self.dealer) + sum(len(seat.cards) + seat.drawn for seat in self.seats)
        return dealt + len(self.draws)

    @cached_property
    def staked(self) -> int:
        return sum(
            sum(seat.bet.stakes.values())
            + sum(hand.stake for hand in seat.hands)
            - (seat.bet.main if seat.hands else 0)
            + (seat.insurance or 0)
            for seat in self.seats
        )

    @property
    def needs_card(self) -> bool:
        return self.phase is Phase.PLAYING and self._wants_card

    @property
    def asked(self) -> PendingDecision | None:
        """The next decision: all seats insure, then each hand is played."""
        for seat in self._insuring():
            return PendingDecision(seat.number, "insure", _insurances(seat))
        if plays := self._plays():
            return PendingDecision(plays[0].seat, "play", plays)
        return None

    def legal(self, seat: int | None = None) -> tuple[Decision, ...]:
        """Return the legal decisions of *seat*, or of all seats.

        For insurance these are the smallest and the largest amount; any amount in between is legal
        too.
        """
        options: list[Decision] = [amount for s in self._insuring() for amount in _insurances(s)]
        options += self._plays()
        return tuple(option for option in options if seat in {None, option.seat})

    def decisions(self) -> tuple[Decision, ...]:
        """Return insurances in seat order, then plays, up to the open decision."""
        done = takewhile(lambda s: s.insurance is not None or not s.bet.half, self.seats)
        insured = [Insure(s.number, s.insurance) for s in done if s.insurance is not None]
        return (*insured, *self.plays)

    # --- operations

    def apply(self, operation: Operation) -> Round:
        """Return the round after *operation*, or raise an error and change nothing."""
        match operation:
            case Bet():
                return Round(self.rules, add_seat(self.seats, Seat(operation), self))
            case Deal():
                return self._deal(operation)
            case Insure():
                return self._insure(operation)
            case Draw():
                return self._draw(operation)
            case Hit() | Stand() | Double() | Split() | Surrender():
                return self._play(operation)
            case _:
                return refuse_unknown(operation)

    def _deal(self, deal: Deal) -> Round:
        check_deal(deal, self)
        *packs, dealer = deal.packs
        seats = tuple(
            Seat(seat.bet, cards, (Hand(cards, seat.bet.main),))
            for seat, cards in zip(self.seats, packs, strict=True)
        )
        return Round(self.rules, seats, dealer)

    def _insure(self, insure: Insure) -> Round:
        seat = next((s for s in self._insuring() if s.number == insure.seat), None)
        if seat is None:
            raise RuleError(f"seat {insure.seat} is not offered insurance now")
        check_stake(INSURANCE, insure.amount)
        most = seat.bet.half
        require(insure.amount <= most, f"insurance is at most {plural(most, 'cent')}")
        return self._with(replace(seat, insurance=insure.amount))

    def _draw(self, draw: Draw) -> Round:
        require(self.needs_card, "no card is needed now")
        check_deck([*self._seen(), draw.card], self.rules.decks)
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
        if isinstance(play, Surrender):
            return self._with(replace(spot.seat, surrendered=True), play)
        return self._with(spot.with_hands(*play_hand(spot.hand, play)), play)

    def _with(self, seat: Seat, *plays: Play) -> Round:
        seats = tuple([seat if s.bet.seat == seat.bet.seat else s for s in self.seats])
        return Round(self.rules, seats, self.dealer, self.draws, (*self.plays, *plays))

    # --- whose turn it is

    def _insuring(self) -> Iterator[Seat]:
        """Yield the seats with an open insurance offer: an ace is up (rule 7)."""
        if not self.rules.insurance or not self.dealer or self.dealer[0].value != 1:
            return iter(())
        return (seat for seat in self.seats if seat.insurance is None and seat.bet.half)

    @cached_property
    def _spots(self) -> tuple[Spot, ...]:
        """The hands in playing order."""
        return tuple(Spot(seat, i) for seat in self.seats for i in range(len(seat.hands)))

    @cached_property
    def _spot(self) -> Spot | None:
        """The hand whose turn it is, or ``None`` if only the dealer is left to play."""
        return None if self._peek_ends else next(filter(self._is_unfinished, self._spots), None)

    def _is_unfinished(self, spot: Spot) -> bool:
        hand = spot.hand
        if hand.needs_card:
            return True
        if hand.stood or hand.doubled or spot.seat.surrendered or hand.total >= BLACKJACK:
            return False
        return not self._is_frozen(hand) or self._may_split(spot)

    def _is_frozen(self, hand: Hand) -> bool:
        """Return whether the hand is a split ace that is neither hit nor doubled (rule 8d)."""
        return hand.is_split_ace and not self.rules.hit_split_aces

    @property
    def _spot_to_play(self) -> Spot | None:
        """The hand that must make a play now."""
        return self._spot if self.phase is Phase.PLAYING and not self._wants_card else None

    def _plays(self) -> tuple[Play, ...]:
        spot = self._spot_to_play
        if spot is None:
            return ()
        plays: list[type[Play]] = [Stand] if self._is_frozen(spot.hand) else [Hit, Stand]
        if self._may_double(spot.hand):
            plays.append(Double)
        if self._may_split(spot):
            plays.append(Split)
        if self._may_surrender(spot.hand):
            plays.append(Surrender)
        return tuple(play(spot.seat.number) for play in plays)

    def _may_double(self, hand: Hand) -> bool:
        """Return whether the hand may double (rule 8a)."""
        if len(hand.cards) != TWO or self._is_frozen(hand):
            return False
        if hand.from_split and not self.rules.double_after_split:
            return False
        totals = self.rules.double.totals
        return not totals or (hand.total == hard_total(hand.cards) and hand.total in totals)

    def _may_split(self, spot: Spot) -> bool:
        """Return whether the hand may split (8b) within the limits of the house (8c, 8d)."""
        left = len(spot.seat.hands) <= self.rules.max_splits
        allowed = self.rules.resplit_aces or not spot.hand.is_split_ace
        return spot.hand.is_pair and left and allowed

    def _may_surrender(self, hand: Hand) -> bool:
        """Return whether the hand is the first two cards (rule 8e)."""
        late = self.rules.surrender is SurrenderRule.LATE
        return late and len(hand.cards) == TWO and not hand.from_split

    # --- the dealer and the shoe

    @property
    def _has_blackjack(self) -> bool:
        return total(self.dealer) == BLACKJACK

    @property
    def _peeks(self) -> bool:
        return self.rules.hole_card is HoleCard.PEEK

    @property
    def _peek_ends(self) -> bool:
        return self._peeks and self._has_blackjack

    @property
    def _may_have_blackjack(self) -> bool:
        """Whether the up card allows a blackjack that no peek has ruled out."""
        return not self._peeks and self.dealer[0].value in {1, 10}

    def _is_over(self, spot: Spot) -> bool:
        """Return whether the hand is bust, a blackjack or surrendered, so the dealer may stand."""
        return spot.hand.is_settled_at_once or spot.seat.surrendered

    def _waits_for_hole_card(self, spot: Spot) -> bool:
        """Return whether the hand is over, but a dealer's blackjack would change its result."""
        if not self._may_have_blackjack:
            return False
        if spot.hand.is_bust:  # a returned bet is possible if only original bets are lost
            only = self.rules.hole_card is HoleCard.ORIGINAL_BETS_ONLY
            return only and spot.has_added_bet
        return spot.hand.is_blackjack or spot.seat.surrendered

    @cached_property
    def _dealer_draws(self) -> bool:
        """Whether the dealer draws a card in the dealer's turn (rule 9)."""
        needed = not all(map(self._is_over, self._spots))
        return needed and dealer_hits((*self.dealer, *self.draws), self.rules.soft_17)

    @property
    def _wants_card(self) -> bool:
        spot = self._spot
        return spot.hand.needs_card if spot else self._dealer_draws

    @property
    def _ran_out(self) -> bool:
        """Whether a card is needed and the shoe is empty (rule 11)."""
        return self.cards_used == self.deck_size and self._wants_card

    @cached_property
    def _hole_is_turned(self) -> bool:
        """Whether the hole card is face up: in the dealer's turn, if a bet depends on it."""
        if self.phase not in {Phase.PLAYING, Phase.SETTLED}:
            return False
        if self._peek_ends or self._ran_out:
            return True
        if self._spot is not None:
            return False
        hands = (self._waits_for_hole_card(s) or not self._is_over(s) for s in self._spots)
        bets = (seat.insurance or _has_queens(seat) for seat in self.seats)
        return any(hands) or (self._may_have_blackjack and any(bets))

    def _seen(self) -> Iterator[Card]:
        for seat in self.seats:
            for hand in seat.hands:
                yield from hand.cards
        yield from self.dealer
        yield from self.draws

    # --- settlement

    def settlements(self) -> tuple[Settlement, ...]:
        """Return the bets settled so far, in the order the money moves."""
        return self._settled_so_far

    @cached_property
    def _settled_so_far(self) -> tuple[Settlement, ...]:
        return tuple(self._settle()) if self.dealer else ()

    def _settle(self) -> Iterator[Settlement]:
        for seat in self.seats:
            yield from self._settle_side_bets(seat)
        if self.phase is Phase.INSURING:
            return
        if not self._may_have_blackjack:
            yield from self._settle_on_blackjack()
        yield from self._settle_in_play()
        if self._may_have_blackjack and self._hole_is_turned:
            yield from self._settle_on_blackjack()
        if self.phase is Phase.SETTLED:
            yield from self._settle_rest()

    def _settle_side_bets(self, seat: Seat) -> Iterator[Settlement]:
        """Settle the side bets that the first cards decide (rules 12 to 14)."""
        rules, bet, cards = self.rules, seat.bet, seat.cards
        pair, three = perfect_pairs(cards), plus_three((*cards, self.dealer[0]))
        if bet.perfect_pairs:
            odds = rules.perfect_pairs_paytable.odds(pair)
            yield self._settle_side_bet(seat, "perfect_pairs", pair, odds)
        if bet.plus_three:
            odds = rules.plus_three_paytable.odds(three)
            yield self._settle_side_bet(seat, "21+3", three, odds)
        if bet.lucky_ladies and not _has_queens(seat):
            yield self._settle_lucky_ladies(seat)

    def _settle_lucky_ladies(self, seat: Seat) -> Settlement:
        found = lucky_ladies(seat.cards, dealer_blackjack=self._has_blackjack)
        odds = self.rules.lucky_ladies_paytable.odds(found)
        return self._settle_side_bet(seat, "lucky_ladies", found, odds)

    def _settle_side_bet(
        self,
        seat: Seat,
        bet: str,
        result: PerfectPairs | PlusThree | LuckyLadies | None,
        odds: Odds | None,
    ) -> Settlement:
        text = result.replace("_", " ") if result else "no win"
        rule = str(12 + SIDE_BETS.index(bet))
        stake = seat.bet.stakes[bet]
        net = self.rules.rounding.net(odds, stake)
        return Settlement(seat.number, bet, 0, text, rule, stake, net, result, odds)

    def _settle_on_blackjack(self) -> Iterator[Settlement]:
        """Settle the bets that depend on a dealer's blackjack: Lucky Ladies and insurance."""
        for seat in self.seats:
            if seat.bet.lucky_ladies and _has_queens(seat):
                yield self._settle_lucky_ladies(seat)
        for seat in self.seats:
            if seat.insurance:
                yield self._settle_insurance(seat.number, seat.insurance)

    def _settle_insurance(self, seat: int, stake: int) -> Settlement:
        won = self._has_blackjack
        outcome = Outcome.DEALER_BLACKJACK if won else Outcome.NO_DEALER_BLACKJACK
        odds = INSURANCE_PAYS if won else None
        net = self.rules.rounding.net(odds, stake)
        return Settlement(seat, INSURANCE, 0, outcome.value, "7", stake, net, outcome, odds)

    def _settle_in_play(self) -> Iterator[Settlement]:
        """Settle the hands that are over before the dealer plays, in playing order."""
        turn = self._spot
        for spot in self._spots:
            if self._peek_ends:
                yield self._settled(spot, *self._against_blackjack(spot))
            elif spot.hand.is_blackjack and not self._waits_for_hole_card(spot):
                yield self._settled(spot, Outcome.BLACKJACK, "5", self.rules.blackjack_pays)
        for spot in () if self._peek_ends else takewhile(lambda s: s is not turn, self._spots):
            if self._waits_for_hole_card(spot):
                continue
            if spot.hand.is_bust:
                yield self._settled(spot, Outcome.BUST, "4", None)
            elif spot.seat.surrendered:
                yield self._surrendered(spot)

    def _settle_rest(self) -> Iterator[Settlement]:
        """Settle the hands that waited for the dealer's cards, or for a card that was not left."""
        if self._peek_ends:
            return
        for spot in self._spots:
            if not self._is_over(spot):
                yield self._settled(spot, *self._compare(spot))
            elif self._waits_for_hole_card(spot):
                yield self._settle_late(spot)

    def _settle_late(self, spot: Spot) -> Settlement:
        """Settle a hand that is over, once the hole card is turned."""
        if self._has_blackjack:
            return self._settled(spot, *self._against_blackjack(spot))
        if spot.hand.is_bust:
            return self._settled(spot, Outcome.BUST, "4", None)
        if spot.seat.surrendered:
            return self._surrendered(spot)
        return self._settled(spot, Outcome.BLACKJACK, "5", self.rules.blackjack_pays)

    def _compare(self, spot: Spot) -> tuple[Outcome, str, Odds | None]:
        ours, theirs = spot.hand.total, total((*self.dealer, *self.draws))
        if self._has_blackjack:
            return self._against_blackjack(spot)
        if self._ran_out:
            return Outcome.RUN_OUT, "11", PUSH
        if theirs > BLACKJACK:
            return Outcome.DEALER_BUST, "10", EVEN
        if ours == theirs:
            return Outcome.PUSH, "10", PUSH
        if ours > theirs:
            return Outcome.HIGHER_TOTAL, "10", EVEN
        return Outcome.LOWER_TOTAL, "10", None

    def _against_blackjack(self, spot: Spot) -> tuple[Outcome, str, Odds | None]:
        """Return the result of a hand against a dealer's blackjack (rules 5 and 6)."""
        if spot.hand.is_blackjack:
            return Outcome.PUSH, "5", PUSH
        only = self.rules.hole_card is HoleCard.ORIGINAL_BETS_ONLY
        if only and spot.index:  # the seat's first hand stands on the original bet
            return Outcome.BET_RETURNED, "6", PUSH
        return Outcome.DEALER_BLACKJACK, "6", None

    def _settled(self, spot: Spot, outcome: Outcome, rule: str, odds: Odds | None) -> Settlement:
        stake = spot.hand.stake
        net = self.rules.rounding.net(odds, stake)
        only = self.rules.hole_card is HoleCard.ORIGINAL_BETS_ONLY
        if outcome is Outcome.DEALER_BLACKJACK and only:
            net = -spot.seat.bet.main  # the bet that a double added is returned
        return self._result(spot, outcome, rule, net, odds)

    def _surrendered(self, spot: Spot) -> Settlement:
        """Return half of the bet, rounded like a payout (rule 8e)."""
        stake = spot.hand.stake
        returned = min(stake, self.rules.rounding.of(Fraction(stake, 2)))
        return self._result(spot, Outcome.SURRENDER, "8e", returned - stake, None)

    def _result(
        self, spot: Spot, outcome: Outcome, rule: str, net: int, odds: Odds | None
    ) -> Settlement:
        number, stake = spot.seat.number, spot.hand.stake
        return Settlement(number, MAIN, spot.index, outcome.value, rule, stake, net, outcome, odds)

    # --- views

    def view(self, seat: int | None = None) -> View:
        """Return the view of *seat*: all cards are face up but the hole card (rule 3)."""
        check_viewer(seat, self)
        return self._show(seat) if seat else self.record()

    def record(self) -> View:
        """Return the view for the record, which is also that of a spectator."""
        return self._recorded

    @cached_property
    def _recorded(self) -> View:
        return self._show(None)

    def _show(self, seat: int | None) -> View:
        spot = self._spot if self.phase is Phase.PLAYING else None
        return View(
            phase=self.phase,
            seat=seat,
            turn=Turn(spot.seat.number, MAIN, spot.index) if spot else None,
            seats=tuple(map(_seat_view, self.seats)),
            dealer=self._dealer_view(),
            cards_left=self.deck_size - self.cards_used,
            legal=self.legal(seat) if seat else (),
            settlements=self.settlements(),
        )

    def _dealer_view(self) -> DealerView:
        if not self.dealer:
            return DealerView(())
        up, _ = self.dealer
        if not self._hole_is_turned:
            return DealerView((up, None), (up,), total((up,)))
        cards = (*self.dealer, *self.draws)
        points = total(cards)
        return DealerView(cards, cards, points, is_bust=points > BLACKJACK)


def _insurances(seat: Seat) -> tuple[Insure, ...]:
    return Insure(seat.number, 0), Insure(seat.number, seat.bet.half)


def _has_queens(seat: Seat) -> bool:
    """Return whether Lucky Ladies waits for the dealer: two queens of hearts (rule 14)."""
    return bool(seat.bet.lucky_ladies) and seat.cards == (QUEEN_OF_HEARTS, QUEEN_OF_HEARTS)


def _seat_view(seat: Seat) -> SeatView:
    hands = tuple(
        HandView(MAIN, index, hand.cards, hand.total, hand.stake, is_bust=hand.is_bust)
        for index, hand in enumerate(seat.hands)
    )
    added = {INSURANCE: seat.insurance} if seat.insurance else {}
    return SeatView(seat.number, seat.bet.stakes, seat.cards, hands, added)
