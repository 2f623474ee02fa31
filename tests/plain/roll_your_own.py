"""A whole round of Roll Your Own Blackjack, written step by step in the order of the rules.

It shares no code with the package, so that the two can be compared. "Rule N" refers to the numbers
of the rule sheet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any

RANKS = "A23456789TJQK"
SHEET = [
    {"on": ["akq_suited"], "pays": "100:1"},
    {"on": ["straight_flush"], "pays": "50:1"},
    {"on": ["three_of_a_kind"], "pays": "30:1"},
    {"on": ["straight"], "pays": "5:1"},
    {"on": ["flush"], "pays": "3:1"},
]


class StubIsEmptyError(Exception):
    """A card is needed and there is none: rule 8."""


class DecisionsEndError(Exception):
    """A decision is needed, but no more are given."""


class NotLegalError(Exception):
    """The given decision is not legal."""


@dataclass
class Hand:
    """One hand on the table, with its stake."""

    cards: list[str]
    stake: int
    after_split: bool = False
    split_aces: bool = False
    settled: bool = False


@dataclass
class Seat:
    """One betting seat. Its two bets are lists of hands because a hand may be split."""

    number: int
    bet: int
    cards: list[str]
    double_blackjack: bool = False
    insurance: int = 0
    first: list[Hand] = field(default_factory=list)
    second: list[Hand] = field(default_factory=list)


def replay(
    rules: dict[str, Any], deck: list[str], bets: list[dict[str, int]], decisions: list[str]
) -> dict[str, Any]:
    """Play one round; return the decisions that were asked for and all settlements.

    If a decision is illegal (or one too many), nothing is settled. If the decisions end too early,
    the last question waits for an answer, and the settlements are those made so far.
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
    }


class Table:
    """The table during one round; its state changes as the round continues."""

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
        self.seats: list[Seat] = []
        cards = list(deck)
        for entry in sorted(bets, key=lambda entry: entry["seat"]):
            self.seats.append(Seat(entry["seat"], entry["bet"], cards[:3]))
            cards = cards[3:]
        self.dealer = [cards[1], cards[2]]  # cards[0] is burnt
        self.stub = cards[3:]

    # The round

    def play_round(self) -> None:
        """Play everything after the deal; stop at once if the stub runs out."""
        try:
            self.set_hands()
            self.settle_bonus()
            self.pay_blackjacks_as_set()
            self.take_insurance()
            if self.rules["hole_card"] == "peek" and value(self.dealer[0]) in (1, 10):
                self.settle_insurance()
                if is_blackjack(self.dealer):
                    self.end_at_peek()
                    return
            for seat in self.seats:
                self.play_bet(seat, "first", seat.first)
                self.play_bet(seat, "second", seat.second)
            self.settle_insurance()
            self.play_dealer()
        except StubIsEmptyError:
            self.run_out()

    def set_hands(self) -> None:
        """Rule 5; a double blackjack (rule 7i) has no choice."""
        for seat in self.seats:
            aces = 0
            tens = 0
            for card in seat.cards:
                if value(card) == 1:
                    aces += 1
                elif value(card) == 10:
                    tens += 1
            if aces >= 1 and tens >= 1 and aces + tens == 3:
                seat.double_blackjack = True
                continue
            first, second = self.ask_set(seat)
            seat.first = [Hand(first, seat.bet)]
            seat.second = [Hand(second, seat.bet)]

    def settle_bonus(self) -> None:
        """Rule 6."""
        table = self.rules["bonus_paytable"]
        if table == "sheet":
            table = SHEET
        for seat in self.seats:
            name = bonus_class(seat.cards)
            net = -seat.bet
            for line in table:
                if name in line["on"]:
                    net = self.winnings(seat.bet, line["pays"])
                    break
            self.settle(seat, "bonus", 0, "6", seat.bet, net)

    def pay_blackjacks_as_set(self) -> None:
        """Rules 7g and 7i: pay these blackjacks before anything else happens."""
        for seat in self.seats:
            net = self.winnings(seat.bet, self.rules["blackjack_pays"])
            if seat.double_blackjack:
                self.settle(seat, "first", 0, "7i", seat.bet, net)
                self.settle(seat, "second", 0, "7i", seat.bet, net)
                continue
            for bet, hands in (("first", seat.first), ("second", seat.second)):
                if is_blackjack(hands[0].cards):
                    self.settle(seat, bet, 0, "7g", seat.bet, net)
                    hands[0].settled = True

    def take_insurance(self) -> None:
        """Rule 7j: take the insurance bets, which stay open."""
        if value(self.dealer[0]) != 1 or self.rules["insurance"] == "off":
            return
        for seat in self.seats:
            if not seat.double_blackjack:
                seat.insurance = self.ask_insurance(seat)

    def settle_insurance(self) -> None:
        """Rule 7j: settle insurance when the hole card is known, and remove it."""
        for seat in self.seats:
            if seat.insurance > 0:
                if is_blackjack(self.dealer):
                    net = self.winnings(seat.insurance, "2:1")
                else:
                    net = -seat.insurance
                self.settle(seat, "insurance", 0, "7j", seat.insurance, net)
                seat.insurance = 0

    def end_at_peek(self) -> None:
        """The peek has found a blackjack: all hands lose, but one-card hands may draw first."""
        for seat in self.seats:
            for bet, hands in (("first", seat.first), ("second", seat.second)):
                for hand in hands:
                    if hand.settled:
                        continue
                    if (
                        self.rules["one_card_vs_dealer_blackjack"] == "draws"
                        and len(hand.cards) == 1
                        and value(hand.cards[0]) in (1, 10)
                    ):
                        self.draw(hand.cards)
                    if is_blackjack(hand.cards):
                        net = self.winnings(hand.stake, self.rules["blackjack_pays"])
                        self.settle(seat, bet, 0, "7h", hand.stake, net)
                    else:
                        self.settle(seat, bet, 0, "standard", hand.stake, -hand.stake)
                    hand.settled = True

    def play_bet(self, seat: Seat, bet: str, hands: list[Hand]) -> None:
        """Finish all hands of one bet; splits add hands to *hands*."""
        splits = 0
        number = 0
        while number < len(hands):
            hand = hands[number]
            number += 1
            if hand.settled:
                continue
            if len(hand.cards) == 1:
                self.draw(hand.cards)
            if is_blackjack(hand.cards) and not hand.after_split:
                net = self.winnings(hand.stake, self.rules["blackjack_pays"])
                self.settle(seat, bet, 0, "7h", hand.stake, net)
                hand.settled = True
                continue
            while total(hand.cards) < 21:
                legal = self.legal_words(hand, splits)
                if legal == []:
                    break
                word = self.ask_play(seat, legal)
                if word == "stand":
                    break
                if word == "hit":
                    self.draw(hand.cards)
                elif word == "double":
                    hand.stake = hand.stake * 2
                    self.draw(hand.cards)
                    break
                elif word == "split":
                    splits += 1
                    moved = hand.cards.pop()
                    hands.insert(number, Hand([moved], hand.stake))
                    for half in (hand, hands[number]):
                        half.after_split = True
                        half.split_aces = value(moved) == 1
                    self.draw(hand.cards)
            if total(hand.cards) > 21:
                self.settle(seat, bet, number - 1, "standard", hand.stake, -hand.stake)
                hand.settled = True

    def legal_words(self, hand: Hand, splits: int) -> list[str]:
        """Return the legal plays of a hand under 21; empty if it is finished."""
        pair = len(hand.cards) == 2 and value(hand.cards[0]) == value(hand.cards[1])
        may_split = pair and splits < self.rules["max_splits"]
        if hand.split_aces:
            if may_split and self.rules["resplit_aces"]:
                return ["split", "stand"]
            return []
        legal = ["hit", "stand"]
        if len(hand.cards) == 2 and (not hand.after_split or self.rules["double_after_split"]):
            legal.append("double")
        if may_split:
            legal.append("split")
        return sorted(legal)

    def play_dealer(self) -> None:
        """Rule 7f, if any hand must still be compared with the dealer's."""
        left = 0
        for seat in self.seats:
            for hand in seat.first + seat.second:
                if not hand.settled:
                    left += 1
        if left == 0:
            return
        while self.dealer_must_hit():
            self.draw(self.dealer)
        theirs = total(self.dealer)
        for seat in self.seats:
            for bet, hands in (("first", seat.first), ("second", seat.second)):
                for number, hand in enumerate(hands):
                    if hand.settled:
                        continue
                    ours = total(hand.cards)
                    if is_blackjack(self.dealer):
                        net = -hand.stake
                    elif theirs > 21 or ours > theirs:
                        net = self.winnings(hand.stake, "1:1")
                    elif ours < theirs:
                        net = -hand.stake
                    else:
                        net = 0
                    self.settle(seat, bet, number, "standard", hand.stake, net)
                    hand.settled = True

    def dealer_must_hit(self) -> bool:
        points = total(self.dealer)
        if points == 17 and is_soft(self.dealer):
            return bool(self.rules["soft_17"] == "hit")
        return points < 17

    def run_out(self) -> None:
        """Rule 8: every unsettled bet wins (or pushes, depending on the setting)."""
        wins = self.rules["run_out"] == "win"
        for seat in self.seats:
            if seat.insurance > 0:
                net = self.winnings(seat.insurance, "2:1") if wins else 0
                self.settle(seat, "insurance", 0, "8", seat.insurance, net)
                seat.insurance = 0
        for seat in self.seats:
            for bet, hands in (("first", seat.first), ("second", seat.second)):
                for number, hand in enumerate(hands):
                    if not hand.settled:
                        net = self.winnings(hand.stake, "1:1") if wins else 0
                        self.settle(seat, bet, number, "8", hand.stake, net)
                        hand.settled = True

    # Cards and money

    def draw(self, cards: list[str]) -> None:
        if self.stub == []:
            raise StubIsEmptyError
        cards.append(self.stub.pop(0))

    def winnings(self, stake: int, odds: str) -> int:
        """Return the winnings of a bet, rounded according to the rules."""
        left, right = odds.split(":")
        exact = stake * Fraction(left) / Fraction(right)
        if self.rules["rounding"] == "cent":
            return floor(exact + Fraction(1, 2))
        direction, chip_text = self.rules["rounding"].split(":")
        chip = int(chip_text)
        if direction == "down":
            return floor(exact / chip) * chip
        return ceil(exact / chip) * chip

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
        """Record the question and read the next decision, which is used up only if it is legal."""
        self.asked.append((seat.number, kind, legal))
        if self.used == len(self.decisions):
            raise DecisionsEndError
        return self.decisions[self.used]

    def ask_set(self, seat: Seat) -> tuple[list[str], list[str]]:
        legal = []
        for alone in seat.cards:
            one = frozenset([alone])
            two = frozenset(seat.cards) - one
            legal.append((one, two))
            legal.append((two, one))
        legal.sort(key=lambda way: (sorted(way[0]), sorted(way[1])))
        words = self.next_decision(seat, "set", legal).split()
        if len(words) != 3 or words[0] != "set":
            raise NotLegalError
        first = cards_in(words[1])
        second = cards_in(words[2])
        if len(first) + len(second) != 3 or (frozenset(first), frozenset(second)) not in legal:
            raise NotLegalError
        self.used += 1
        return first, second

    def ask_insurance(self, seat: Seat) -> int:
        largest = seat.bet  # half of two equal bets
        words = self.next_decision(seat, "insure", (0, largest)).split()
        if len(words) != 2 or words[0] != "insure":
            raise NotLegalError
        if not (words[1].isascii() and words[1].isdigit()):
            raise NotLegalError
        amount = int(words[1])
        if amount > largest:
            raise NotLegalError
        if self.rules["insurance"] == "half_or_nothing" and amount not in (0, largest):
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
    """Return whether an ace counts 11."""
    for card in cards:
        if value(card) == 1:
            return hard_total(cards) + 10 <= 21
    return False


def total(cards: list[str]) -> int:
    if is_soft(cards):
        return hard_total(cards) + 10
    return hard_total(cards)


def is_blackjack(cards: list[str]) -> bool:
    return len(cards) == 2 and total(cards) == 21


def bonus_class(cards: list[str]) -> str:
    """Return the best class of three cards."""
    ranks = sorted(RANKS.index(card[0]) + 1 for card in cards)
    high = ranks == [1, 12, 13]
    straight = high or ranks == [ranks[0], ranks[0] + 1, ranks[0] + 2]
    flush = cards[0][1] == cards[1][1] == cards[2][1]
    if flush and high:
        return "akq_suited"
    if flush and straight:
        return "straight_flush"
    if ranks[0] == ranks[1] == ranks[2]:
        return "three_of_a_kind"
    if straight:
        return "straight"
    if flush:
        return "flush"
    return "nothing"


def cards_in(text: str) -> list[str]:
    """Parse cards written without spaces, including ``10d`` and ``A♠``."""
    text = text.replace("10", "T")
    for sign, letter in (("♠", "s"), ("♥", "h"), ("♦", "d"), ("♣", "c")):
        text = text.replace(sign, letter)
    cards = []
    for start in range(0, len(text), 2):
        cards.append(text[start : start + 2])
    return cards
