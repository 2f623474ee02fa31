"""A whole round of blackjack, written down step by step as docs/rules/blackjack.md tells it.

It shares no code with the package and is there to be compared with it. "Rule N" and "R-N" are the
numbers of that page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any

RANKS = "A23456789TJQK"
PAIRS = {
    "25-12-6": {"perfect_pair": "25:1", "colored_pair": "12:1", "mixed_pair": "6:1"},
    "30-10-5": {"perfect_pair": "30:1", "colored_pair": "10:1", "mixed_pair": "5:1"},
}
POKER = {
    "9-9-9-9": {
        "suited_three_of_a_kind": "9:1",
        "straight_flush": "9:1",
        "three_of_a_kind": "9:1",
        "straight": "9:1",
        "flush": "9:1",
    },
    "100-40-30-10-5": {
        "suited_three_of_a_kind": "100:1",
        "straight_flush": "40:1",
        "three_of_a_kind": "30:1",
        "straight": "10:1",
        "flush": "5:1",
    },
    "30-20-10-5": {
        "suited_three_of_a_kind": "20:1",
        "straight_flush": "30:1",
        "three_of_a_kind": "20:1",
        "straight": "10:1",
        "flush": "5:1",
    },
}
LADIES = {
    "1000-125-19-9-4": {
        "queens_and_dealer_blackjack": "1000:1",
        "queens_of_hearts": "125:1",
        "matched_20": "19:1",
        "suited_20": "9:1",
        "any_20": "4:1",
    },
    "1000-200-25-10-4": {
        "queens_and_dealer_blackjack": "1000:1",
        "queens_of_hearts": "200:1",
        "matched_20": "25:1",
        "suited_20": "10:1",
        "any_20": "4:1",
    },
}


class ShoeIsEmptyError(Exception):
    """A card is needed and there is none: rule 11."""


class DecisionsEndError(Exception):
    """A decision is needed and the list of decisions has ended."""


class NotLegalError(Exception):
    """The next decision is not legal."""


@dataclass
class Hand:
    """One hand on the table, with the money that lies on it."""

    cards: list[str]
    original: int  # the part of its stake that was bet before the deal
    stake: int
    after_split: bool = False
    split_aces: bool = False
    settled: bool = False
    waiting: str = ""  # bust, blackjack or surrender, if only the hole card can change the result


@dataclass
class Seat:
    """One seat with a bet. It has several hands after a split."""

    number: int
    main: int
    sides: dict[str, int]
    cards: list[str] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=list)
    insurance: int = 0
    ladies_wait: bool = False


def replay(
    rules: dict[str, Any], deck: list[str], bets: list[dict[str, int]], decisions: list[str]
) -> dict[str, Any]:
    """Play one round; return the questions, and the settlement of every bet.

    If a decision is illegal (or is one too many), nothing is settled. If the decisions end too
    early, the last question is the one without an answer, and the settlements are those so far.
    """
    table = Table(rules, deck, bets, decisions)
    illegal: int | None = None
    is_open = False
    try:
        table.play_round()
        if table.used < len(decisions):
            illegal = table.used
    except NotLegalError:
        illegal = table.used
    except DecisionsEndError:
        is_open = True
    return {
        "asked": table.asked,
        "illegal": illegal,
        "open": is_open,
        "settlements": table.settlements if illegal is None else [],
        "dealer": table.shown_dealer(),
    }


class Table:
    """The table during one round; everything on it changes as the round goes on."""

    def __init__(
        self,
        rules: dict[str, Any],
        deck: list[str],
        bets: list[dict[str, int]],
        decisions: list[str],
    ) -> None:
        self.rules = rules
        self.decisions = decisions
        self.used = 0
        self.asked: list[tuple[int, str, Any]] = []
        self.settlements: list[dict[str, Any]] = []
        self.turned = False
        self.seats: list[Seat] = []
        for entry in sorted(bets, key=lambda entry: entry["seat"]):
            sides = {}
            for name in ("perfect_pairs", "21+3", "lucky_ladies"):
                sides[name] = entry.get(name, 0)
            self.seats.append(Seat(entry["seat"], entry["main"], sides))
        self.shoe = list(deck)
        self.dealer: list[str] = []
        for _ in range(2):
            for seat in self.seats:
                seat.cards.append(self.shoe.pop(0))
            self.dealer.append(self.shoe.pop(0))
        for seat in self.seats:
            seat.hands = [Hand(list(seat.cards), seat.main, seat.main)]
        # Whether there may be a blackjack that no peek has ruled out.
        self.hidden = rules["hole_card"] != "peek" and value(self.dealer[0]) in (1, 10)

    # The round

    def play_round(self) -> None:
        """Play everything after the deal."""
        self.settle_side_bets()
        self.take_insurance()
        if not self.hidden:
            self.settle_ladies()
            self.settle_insurance()
            if is_blackjack(self.dealer):
                self.turned = True
                self.end_at_peek()
                return
        for seat in self.seats:
            hand = seat.hands[0]
            if is_blackjack(hand.cards):
                if self.hidden:
                    hand.waiting = "blackjack"
                else:
                    self.settle_blackjack(seat, hand)
        try:
            for seat in self.seats:
                self.play_seat(seat)
            self.turn_hole_card_if_needed()
            self.play_dealer()
        except ShoeIsEmptyError:
            self.run_out()
            return
        self.settle_the_rest()

    def settle_side_bets(self) -> None:
        """Rules 12 to 14, but two queens of hearts wait until the hole card is known."""
        for seat in self.seats:
            if seat.sides["perfect_pairs"] > 0:
                found = pair_class(seat.cards)
                odds = self.table_odds("perfect_pairs_paytable", PAIRS, found)
                self.settle_side(seat, "perfect_pairs", "12", odds)
            if seat.sides["21+3"] > 0:
                found = poker_class([*seat.cards, self.dealer[0]])
                odds = self.table_odds("plus_three_paytable", POKER, found)
                self.settle_side(seat, "21+3", "13", odds)
            if seat.sides["lucky_ladies"] > 0:
                if seat.cards == ["Qh", "Qh"]:
                    seat.ladies_wait = True
                else:
                    odds = self.table_odds("lucky_ladies_paytable", LADIES, twenty(seat.cards))
                    self.settle_side(seat, "lucky_ladies", "14", odds)

    def settle_ladies(self) -> None:
        """Rule 14 for two queens of hearts, with the hole card known."""
        for seat in self.seats:
            if seat.ladies_wait:
                found = "queens_of_hearts"
                if is_blackjack(self.dealer):
                    found = "queens_and_dealer_blackjack"
                odds = self.table_odds("lucky_ladies_paytable", LADIES, found)
                self.settle_side(seat, "lucky_ladies", "14", odds)
                seat.ladies_wait = False

    def take_insurance(self) -> None:
        """Rule 7 and R-5."""
        if value(self.dealer[0]) != 1 or not self.rules["insurance"]:
            return
        for seat in self.seats:
            if seat.main >= 2:
                seat.insurance = self.ask_insurance(seat)

    def settle_insurance(self) -> None:
        for seat in self.seats:
            if seat.insurance > 0:
                net = -seat.insurance
                if is_blackjack(self.dealer):
                    net = self.winnings(seat.insurance, "2:1")
                self.settle(seat, "insurance", 0, "7", seat.insurance, net)
                seat.insurance = 0

    def end_at_peek(self) -> None:
        """Rules 5 and 6: only a blackjack does not lose."""
        for seat in self.seats:
            hand = seat.hands[0]
            if is_blackjack(hand.cards):
                self.settle_hand(seat, hand, "5", 0)
            else:
                self.settle_hand(seat, hand, "6", -hand.stake)

    def play_seat(self, seat: Seat) -> None:
        """Rule 8: finish all hands of a seat; the list grows to the right with each split."""
        number = 0
        while number < len(seat.hands):
            hand = seat.hands[number]
            number += 1
            if hand.settled or hand.waiting:
                continue
            if len(hand.cards) == 1:
                self.draw(hand.cards)
            doubled = False
            while total(hand.cards) < 21 and not doubled:
                legal = self.legal_words(seat, hand)
                if legal == []:
                    break
                word = self.ask_play(seat, legal)
                if word == "stand":
                    break
                if word == "surrender":
                    if self.hidden:
                        hand.waiting = "surrender"
                    else:
                        self.settle_surrender(seat, hand)
                    break
                if word == "hit":
                    self.draw(hand.cards)
                elif word == "double":
                    hand.stake = 2 * hand.stake
                    doubled = True
                    self.draw(hand.cards)
                elif word == "split":
                    moved = hand.cards.pop()
                    seat.hands.insert(number, Hand([moved], 0, hand.stake))
                    for half in (hand, seat.hands[number]):
                        half.after_split = True
                        half.split_aces = value(moved) == 1
                    self.draw(hand.cards)
            if total(hand.cards) > 21:
                added = hand.after_split or doubled
                if self.hidden and added and self.rules["hole_card"] == "original_bets_only":
                    hand.waiting = "bust"
                else:
                    self.settle_hand(seat, hand, "4", -hand.stake)

    def legal_words(self, seat: Seat, hand: Hand) -> list[str]:
        """Rules 8a to 8e: return the legal plays of a hand below 21; none if it is finished."""
        two = len(hand.cards) == 2
        may_split = two and value(hand.cards[0]) == value(hand.cards[1])
        if len(seat.hands) - 1 >= self.rules["max_splits"]:
            may_split = False
        if hand.split_aces and not self.rules["resplit_aces"]:
            may_split = False
        if hand.split_aces and not self.rules["hit_split_aces"]:
            return ["split", "stand"] if may_split else []
        legal = ["hit", "stand"]
        may_double = two
        if hand.after_split and not self.rules["double_after_split"]:
            may_double = False
        if self.rules["double"] == "9-11":
            may_double = may_double and not is_soft(hand.cards) and total(hand.cards) in (9, 10, 11)
        if self.rules["double"] == "10-11":
            may_double = may_double and not is_soft(hand.cards) and total(hand.cards) in (10, 11)
        if may_double:
            legal.append("double")
        if may_split:
            legal.append("split")
        if two and not hand.after_split and self.rules["surrender"] == "late":
            legal.append("surrender")
        return sorted(legal)

    def turn_hole_card_if_needed(self) -> None:
        """R-12, and the bets that are settled when the hole card is turned over (R-11)."""
        for seat in self.seats:
            if seat.insurance > 0 or seat.ladies_wait:
                self.turned = True
            for hand in seat.hands:
                if not hand.settled:
                    self.turned = True
        self.settle_ladies()
        self.settle_insurance()

    def play_dealer(self) -> None:
        """Rule 9."""
        in_play = 0
        for seat in self.seats:
            for hand in seat.hands:
                if not hand.settled and not hand.waiting:
                    in_play += 1
        if in_play == 0 or is_blackjack(self.dealer):
            return
        while True:
            points = total(self.dealer)
            if points > 17 or (points == 17 and not is_soft(self.dealer)):
                return
            if points == 17 and self.rules["soft_17"] == "stand":
                return
            self.draw(self.dealer)

    def settle_the_rest(self) -> None:
        """Rules 6 and 10, by seat and hand."""
        theirs = total(self.dealer)
        for seat in self.seats:
            for hand in seat.hands:
                if hand.settled:
                    continue
                ours = total(hand.cards)
                if is_blackjack(self.dealer):
                    self.lose_to_blackjack(seat, hand)
                elif hand.waiting:
                    self.settle_waiting(seat, hand)
                elif theirs > 21 or ours > theirs:
                    self.settle_hand(seat, hand, "10", self.winnings(hand.stake, "1:1"))
                elif ours == theirs:
                    self.settle_hand(seat, hand, "10", 0)
                else:
                    self.settle_hand(seat, hand, "10", -hand.stake)

    def run_out(self) -> None:
        """Rule 11 and R-6."""
        self.turned = True
        self.settle_ladies()
        self.settle_insurance()
        for seat in self.seats:
            for hand in seat.hands:
                if hand.settled:
                    continue
                if is_blackjack(self.dealer):
                    self.lose_to_blackjack(seat, hand)
                elif hand.waiting:
                    self.settle_waiting(seat, hand)
                else:
                    self.settle_hand(seat, hand, "11", 0)

    def lose_to_blackjack(self, seat: Seat, hand: Hand) -> None:
        """Settle a hand against a blackjack that was found without a peek: R-3 and R-4."""
        if hand.waiting == "blackjack":
            self.settle_hand(seat, hand, "5", 0)
        elif self.rules["hole_card"] == "original_bets_only":
            self.settle_hand(seat, hand, "6", -hand.original)
        else:
            self.settle_hand(seat, hand, "6", -hand.stake)

    def settle_waiting(self, seat: Seat, hand: Hand) -> None:
        """Settle a hand that waited for the hole card; the dealer has no blackjack."""
        if hand.waiting == "blackjack":
            self.settle_blackjack(seat, hand)
        elif hand.waiting == "surrender":
            self.settle_surrender(seat, hand)
        else:
            self.settle_hand(seat, hand, "4", -hand.stake)

    def settle_blackjack(self, seat: Seat, hand: Hand) -> None:
        net = self.winnings(hand.stake, self.rules["blackjack_pays"])
        self.settle_hand(seat, hand, "5", net)

    def settle_surrender(self, seat: Seat, hand: Hand) -> None:
        """Rule 8e and R-7."""
        back = self.winnings(hand.stake, "1:2")
        if back > hand.stake:
            back = hand.stake
        self.settle_hand(seat, hand, "8e", back - hand.stake)

    # Cards and money

    def shown_dealer(self) -> list[str]:
        """Return the dealer's cards that are face up."""
        if self.turned:
            return self.dealer
        return self.dealer[:1]

    def draw(self, cards: list[str]) -> None:
        if self.shoe == []:
            raise ShoeIsEmptyError
        cards.append(self.shoe.pop(0))

    def table_odds(self, setting: str, named: dict[str, Any], found: str) -> str | None:
        """Look up the odds of a class in a named or a custom pay table."""
        table = self.rules[setting]
        if isinstance(table, str):
            odds: str | None = named[table].get(found)
            return odds
        for line in table:
            if found in line["on"]:
                listed: str = line["pays"]
                return listed
        return None

    def winnings(self, stake: int, odds: str) -> int:
        """Compute the winnings of a bet, rounded as the rules say (R-7)."""
        left, right = odds.split(":")
        exact = stake * Fraction(left) / Fraction(right)
        if self.rules["rounding"] == "cent":
            return floor(exact + Fraction(1, 2))
        direction, chip_text = self.rules["rounding"].split(":")
        chip = int(chip_text)
        if direction == "down":
            return floor(exact / chip) * chip
        return ceil(exact / chip) * chip

    def settle_side(self, seat: Seat, bet: str, rule: str, odds: str | None) -> None:
        stake = seat.sides[bet]
        net = -stake
        if odds is not None:
            net = self.winnings(stake, odds)
        self.settle(seat, bet, 0, rule, stake, net)

    def settle_hand(self, seat: Seat, hand: Hand, rule: str, net: int) -> None:
        number = 0
        while seat.hands[number] is not hand:
            number += 1
        self.settle(seat, "main", number, rule, hand.stake, net)
        hand.settled = True

    def settle(self, seat: Seat, bet: str, hand: int, rule: str, stake: int, net: int) -> None:
        self.settlements.append(
            {
                "seat": seat.number,
                "bet": bet,
                "hand": hand,
                "rule": rule,
                "stake": stake,
                "net": net,
            }
        )

    # Questions

    def next_decision(self, seat: Seat, kind: str, legal: Any) -> str:
        """Ask, and look at the next decision. It is used up only when it has proved legal."""
        self.asked.append((seat.number, kind, legal))
        if self.used == len(self.decisions):
            raise DecisionsEndError
        return self.decisions[self.used]

    def ask_insurance(self, seat: Seat) -> int:
        largest = seat.main // 2
        words = self.next_decision(seat, "insure", (0, largest)).split()
        if len(words) != 2 or words[0] != "insure":
            raise NotLegalError
        if not (words[1].isascii() and words[1].isdigit()):
            raise NotLegalError
        amount = int(words[1])
        if amount > largest:
            raise NotLegalError
        self.used += 1
        return amount

    def ask_play(self, seat: Seat, legal: list[str]) -> str:
        word = self.next_decision(seat, "play", legal)
        if word not in legal:
            raise NotLegalError
        self.used += 1
        return word


def value(card: str) -> int:
    """Count an ace as 1, faces as 10."""
    return min(RANKS.index(card[0]) + 1, 10)


def hard_total(cards: list[str]) -> int:
    points = 0
    for card in cards:
        points += value(card)
    return points


def is_soft(cards: list[str]) -> bool:
    """Say whether an ace counts 11."""
    for card in cards:
        if value(card) == 1:
            return hard_total(cards) + 10 <= 21
    return False


def total(cards: list[str]) -> int:
    if is_soft(cards):
        return hard_total(cards) + 10
    return hard_total(cards)


def is_blackjack(cards: list[str]) -> bool:
    """Say whether two cards are a blackjack; a hand after a split is not asked."""
    return len(cards) == 2 and total(cards) == 21


def pair_class(cards: list[str]) -> str:
    one, two = cards
    if one[0] != two[0]:
        return "nothing"
    if one[1] == two[1]:
        return "perfect_pair"
    if {one[1], two[1]} in ({"h", "d"}, {"s", "c"}):
        return "colored_pair"
    return "mixed_pair"


def poker_class(cards: list[str]) -> str:
    """Name the best class that three cards belong to."""
    ranks = sorted(RANKS.index(card[0]) + 1 for card in cards)
    straight = ranks in ([1, 12, 13], [ranks[0], ranks[0] + 1, ranks[0] + 2])
    flush = cards[0][1] == cards[1][1] == cards[2][1]
    alike = ranks[0] == ranks[1] == ranks[2]
    if flush and alike:
        return "suited_three_of_a_kind"
    if flush and straight:
        return "straight_flush"
    if alike:
        return "three_of_a_kind"
    if straight:
        return "straight"
    if flush:
        return "flush"
    return "nothing"


def twenty(cards: list[str]) -> str:
    """Name the class of two cards that are not both queens of hearts."""
    if total(cards) != 20:
        return "nothing"
    if cards[0] == cards[1]:
        return "matched_20"
    if cards[0][1] == cards[1][1]:
        return "suited_20"
    return "any_20"
