"""The value of a start of Roll Your Own Blackjack, found by dealing a small deck in every order.

One seat, two blackjack bets of one unit each, no Bonus, no insurance. The deck is a list of card
values (1 an ace, 10 any ten) that includes the player's three cards and the up card. The other
cards are in random order: first the burn card, then the hole card, then the stub. This module does
not assume that unseen cards are exchangeable: a world is a burn card, a hole card and the rest of
the stub, and every value is a sum over the possible orders of the cards. A player knows only the
cards seen, so a decision is the best one over all worlds that agree with them. A finished hand
waits for the dealer, who plays the hole card and the stub of each world at the end.

It shares no code with the package, so that the two can be compared. All figures are exact. With
memory `full` 14 cards take a fraction of a second, 16 cards at most a few seconds, and 20 cards
about ten seconds; memory `hand` is some ten times faster, `none` faster still. Most small decks run
out in some line of play: use high cards to avoid that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import NamedTuple, TypeAlias

Values: TypeAlias = tuple[int, ...]
Way: TypeAlias = tuple[Values, Values]  # the hand played first, the hand played second
Done: TypeAlias = tuple[tuple[int, int], ...]  # finished hands: total and stake

BUST = 0
BLACKJACK = 22  # the dealer's: above every total
PREFERENCE = ("stand", "hit", "double")  # between decisions that are equally good


class RanDry(Exception):  # noqa: N818  the deck is at fault
    """A card is needed and the stub is empty: the deck is too small to be used here."""


@dataclass(frozen=True)
class Settings:
    """The rules that matter here; ``draws`` is one_card_vs_dealer_blackjack."""

    peek: bool = True
    draws: bool = True
    double_after_split: bool = True
    max_splits: int = 4
    resplit_aces: bool = False
    hit_soft_17: bool = True
    blackjack_pays: float | Fraction = 1.5


class Hand(NamedTuple):
    """A hand to be played; *cards* are sorted, and one card alone waits for its second.

    *split* is the value of the pair it was split from, 0 for a starting hand.
    """

    cards: Values
    split: int = 0


class Rote(NamedTuple):
    """A hand that decides by memory `none`; *cards* and *known* are sorted.

    *known* are the drawn cards that it may use, and *limit* is the number of splits for its
    starting hand, chosen at the first split.
    """

    cards: Values
    split: int = 0
    known: Values = ()
    limit: int = 0


class World(NamedTuple):
    """A hole card, the sorted rest of the stub, and the number of such deals."""

    hole: int
    stub: Values
    deals: int


# The three memories


def full(deck: list[int], own: Values, up: int, settings: Settings) -> dict[Way, Fraction]:
    """Value every way of setting for a player who remembers every card."""
    deal = Deal(deck, own, up, settings)
    sums = {}
    for first, second in ways_to_set(own):
        sums[first, second] = deal.next_hand((), (), 0, (Hand(first), Hand(second)))
    return deal.values(sums)


def hand(deck: list[int], own: Values, up: int, settings: Settings) -> dict[Way, Fraction]:
    """Value every way of setting if each starting hand is played as if it were alone."""
    deal = Deal(deck, own, up, settings)
    sums = {}
    for first, second in ways_to_set(own):
        sums[first, second] = 0
        for cards in (first, second):
            sums[first, second] += deal.next_hand((), (), 0, (Hand(cards),))
    return deal.values(sums)


def none(
    deck: list[int],
    own: Values,
    up: int,
    settings: Settings,
    preference: tuple[str, ...] = PREFERENCE,
) -> dict[Way, Fraction]:
    """Value every way of setting if every hand, even after a split, uses only its own cards.

    Both starting hands are dealt in the order of play, as at the table. Decisions with equal values
    for a single hand may have different values for a split hand, because the number of hands
    reveals something about their cards. So with two or more splits, the preference among equal
    decisions may matter.
    """
    deal = Deal(deck, own, up, settings, preference)
    sums = {}
    for first, second in ways_to_set(own):
        sums[first, second] = deal.next_rote((), (), 0, (Rote(first), Rote(second)))
    return deal.values(sums)


def ways_to_set(own: Values) -> list[Way]:
    """Return the ways to set three cards, merging equal values; none for a double blackjack."""
    if is_double_blackjack(own):
        return []
    ways: list[Way] = []
    for alone in sorted(set(own)):
        two = without(own, alone)
        ways.append((two, (alone,)))
        ways.append(((alone,), two))
    return ways


class Deal:
    """Three cards of the player, an up card, and every order of the rest of the deck.

    Values are summed over the orders of the unseen cards that agree with what has been drawn, in
    parts of a unit that make blackjack pay a whole number.
    """

    def __init__(
        self,
        deck: list[int],
        own: Values,
        up: int,
        settings: Settings,
        preference: tuple[str, ...] = PREFERENCE,
    ) -> None:
        self.settings = settings
        self.preference = preference
        self.own = own
        self.up = up
        self.unseen = tuple(sorted(deck))
        for card in (*own, up):
            self.unseen = without(self.unseen, card)
        pays = Fraction(str(settings.blackjack_pays))
        self.unit = pays.denominator
        self.blackjack = pays.numerator
        self.burn_and_hole: Counter[Values] = Counter()
        self.found_at_peek: Counter[Values] = Counter()
        for burn, hole in permutations(self.unseen, 2):
            if settings.peek and up in (1, 10) and is_blackjack((up, hole)):
                self.found_at_peek[burn, hole] += 1
            else:
                self.burn_and_hole[burn, hole] += 1
        self.worlds_seen: dict[Values, list[World]] = {}
        self.orders_seen: dict[Values, int] = {}
        self.ends_seen: dict[Values, Counter[int]] = {}
        self.dealers_seen: dict[tuple[Values, Values], Counter[int]] = {}
        self.turns_seen: dict[tuple[Values, Done, int, tuple[Hand, ...]], int] = {}
        self.plays_seen: dict[tuple[Values, Done, Hand, int, tuple[Hand, ...]], int] = {}
        self.rotes_seen: dict[tuple[Values, Done, Rote, int, tuple[Rote, ...]], int] = {}
        self.alone_seen: dict[tuple[Values, Hand], tuple[str, int]] = {}
        self.limits_seen: dict[tuple[Values, Values], int] = {}

    def values(self, sums: dict[Way, int]) -> dict[Way, Fraction]:
        """Add the results of a blackjack at the peek, and divide by the number of orders."""
        if is_double_blackjack(self.own):
            return {(tuple(sorted(self.own)), ()): Fraction(2 * self.blackjack, self.unit)}
        everything = self.unit * factorial(len(self.unseen))
        values = {}
        for way, played in sums.items():
            found = self.settle_at_peek(way[0]) + self.settle_at_peek(way[1])
            values[way] = Fraction(played + found, everything)
        return values

    # Worlds

    def worlds(self, drawn: Values) -> list[World]:
        """Return the worlds in which the stub began with the drawn cards."""
        if drawn not in self.worlds_seen:
            worlds = []
            for (burn, hole), pairs in self.burn_and_hole.items():
                stub = without(without(self.unseen, burn), hole)
                deals = pairs
                for card in drawn:
                    deals *= stub.count(card)
                    if deals == 0:
                        break
                    stub = without(stub, card)
                if deals > 0:
                    worlds.append(World(hole, stub, deals))
            self.worlds_seen[drawn] = worlds
        return self.worlds_seen[drawn]

    def orders(self, drawn: Values) -> int:
        """Count the orders of the unseen cards that agree with the drawn cards."""
        if drawn not in self.orders_seen:
            orders = 0
            for world in self.worlds(drawn):
                orders += world.deals * factorial(len(world.stub))
            self.orders_seen[drawn] = orders
        return self.orders_seen[drawn]

    def draw(self, drawn: Values) -> list[tuple[int, Values]]:
        """Return the possible next cards, each with the drawn cards after it."""
        if len(drawn) == len(self.unseen) - 2:
            raise RanDry
        cards = []
        for card in sorted(set(self.unseen)):
            after = put(drawn, card)
            if self.orders(after) > 0:
                cards.append((card, after))
        return cards

    # The dealer

    def dealer_ends(self, drawn: Values) -> Counter[int]:
        """Count the orders that give each total of the dealer."""
        if drawn not in self.ends_seen:
            ends: Counter[int] = Counter()
            for world in self.worlds(drawn):
                cards = put((self.up,), world.hole)
                for points, orders in self.dealer_plays(cards, world.stub).items():
                    ends[points] += world.deals * orders
            self.ends_seen[drawn] = ends
        return self.ends_seen[drawn]

    def dealer_plays(self, cards: Values, stub: Values) -> Counter[int]:
        """Deal the stub to the dealer and count its orders by the resulting total."""
        if (cards, stub) not in self.dealers_seen:
            ends: Counter[int] = Counter()
            if is_blackjack(cards):
                ends[BLACKJACK] = factorial(len(stub))
            elif total(cards) > 21:
                ends[BUST] = factorial(len(stub))
            elif not self.dealer_must_hit(cards):
                ends[total(cards)] = factorial(len(stub))
            elif stub == ():
                raise RanDry
            else:
                for card in stub:
                    ends.update(self.dealer_plays(put(cards, card), without(stub, card)))
            self.dealers_seen[cards, stub] = ends
        return self.dealers_seen[cards, stub]

    def dealer_must_hit(self, cards: Values) -> bool:
        if total(cards) == 17 and is_soft(cards):
            return self.settings.hit_soft_17
        return total(cards) < 17

    def compare(self, drawn: Values, done: Done) -> int:
        """Settle the finished hands; if there are none, the dealer does not play."""
        if done == ():
            return 0
        net = 0
        for theirs, orders in self.dealer_ends(drawn).items():
            for ours, stake in done:
                if ours > theirs:
                    net += stake * orders
                elif ours < theirs:
                    net -= stake * orders
        return net * self.unit

    def settle_at_peek(self, cards: Values) -> int:
        """Settle a starting hand in all orders in which the peek finds a blackjack."""
        net = 0
        for (burn, hole), deals in self.found_at_peek.items():
            stub = without(without(self.unseen, burn), hole)
            if is_blackjack(cards):
                net += self.blackjack * deals * factorial(len(stub))
            elif self.settings.draws and cards in ((1,), (10,)):
                if stub == ():
                    raise RanDry
                for card in stub:
                    won = self.blackjack if is_blackjack(put(cards, card)) else -self.unit
                    net += won * deals * factorial(len(stub) - 1)
            else:
                net -= self.unit * deals * factorial(len(stub))
        return net

    # Playing with memory: the best decision over all that is still to come

    def next_hand(self, drawn: Values, done: Done, splits: int, waiting: tuple[Hand, ...]) -> int:
        """Play the waiting hands, then the dealer."""
        if waiting == ():
            return self.compare(drawn, done)
        key = (drawn, done, splits, waiting)
        if key not in self.turns_seen:
            hand, rest = waiting[0], waiting[1:]
            if hand.split == 0:
                splits = 0
            if len(hand.cards) == 2:
                net = self.play(drawn, done, hand, splits, rest)
            else:
                net = 0
                for card, after in self.draw(drawn):
                    two = Hand(put(hand.cards, card), hand.split)
                    net += self.play(after, done, two, splits, rest)
            self.turns_seen[key] = net
        return self.turns_seen[key]

    def play(
        self, drawn: Values, done: Done, hand: Hand, splits: int, waiting: tuple[Hand, ...]
    ) -> int:
        """Play a hand of two or more cards, and everything after it."""
        key = (drawn, done, hand, splits, waiting)
        if key not in self.plays_seen:
            if is_blackjack(hand.cards) and hand.split == 0:
                net = self.blackjack * self.orders(drawn)
                net += self.next_hand(drawn, done, splits, waiting)
            elif total(hand.cards) > 21:
                net = -self.unit * self.orders(drawn)
                net += self.next_hand(drawn, done, splits, waiting)
            else:
                net = max(self.decisions(drawn, done, hand, splits, waiting).values())
            self.plays_seen[key] = net
        return self.plays_seen[key]

    def decisions(
        self, drawn: Values, done: Done, hand: Hand, splits: int, waiting: tuple[Hand, ...]
    ) -> dict[str, int]:
        """Return the value of each decision for a hand of 21 or less."""
        nets = {}
        for word in self.legal(hand, splits):
            if word == "stand":
                stood = put_done(done, total(hand.cards), 1)
                nets[word] = self.next_hand(drawn, stood, splits, waiting)
            elif word == "hit":
                nets[word] = 0
                for card, after in self.draw(drawn):
                    more = Hand(put(hand.cards, card), hand.split)
                    nets[word] += self.play(after, done, more, splits, waiting)
            elif word == "double":
                nets[word] = 0
                for card, after in self.draw(drawn):
                    points = total(put(hand.cards, card))
                    if points > 21:
                        nets[word] -= 2 * self.unit * self.orders(after)
                        nets[word] += self.next_hand(after, done, splits, waiting)
                    else:
                        doubled = put_done(done, points, 2)
                        nets[word] += self.next_hand(after, doubled, splits, waiting)
            elif word == "split":
                half = Hand(hand.cards[:1], split=hand.cards[0])
                nets[word] = self.next_hand(drawn, done, splits + 1, (half, half, *waiting))
        return nets

    def legal(self, hand: Hand, splits: int) -> list[str]:
        """Return the legal plays; 21 and a split ace can only stand, except to split again."""
        words = ["stand"]
        if total(hand.cards) == 21:
            return words
        two = len(hand.cards) == 2
        if hand.split != 1:
            words.append("hit")
            if two and (hand.split == 0 or self.settings.double_after_split):
                words.append("double")
        if two and hand.cards[0] == hand.cards[1] and splits < self.settings.max_splits:
            if hand.split != 1 or self.settings.resplit_aces:
                words.append("split")
        return words

    # Playing without memory: the decisions are fixed, the cards fall as they do at the table

    def next_rote(self, drawn: Values, done: Done, splits: int, waiting: tuple[Rote, ...]) -> int:
        """Play the waiting hands, then the dealer."""
        if waiting == ():
            return self.compare(drawn, done)
        hand, rest = waiting[0], waiting[1:]
        if hand.split == 0:
            splits = 0
        if len(hand.cards) == 2:
            return self.rote(drawn, done, hand, splits, rest)
        net = 0
        for card, after in self.draw(drawn):
            net += self.rote(after, done, take(hand, card), splits, rest)
        return net

    def rote(
        self, drawn: Values, done: Done, hand: Rote, splits: int, waiting: tuple[Rote, ...]
    ) -> int:
        """Play a hand of two or more cards by its fixed policy, and everything after it."""
        key = (drawn, done, hand, splits, waiting)
        if key in self.rotes_seen:
            return self.rotes_seen[key]
        net = 0
        if is_blackjack(hand.cards) and hand.split == 0:
            net += self.blackjack * self.orders(drawn)
            net += self.next_rote(drawn, done, splits, waiting)
        elif total(hand.cards) > 21:
            net -= self.unit * self.orders(drawn)
            net += self.next_rote(drawn, done, splits, waiting)
        else:
            word, limit = self.decide(hand, splits)
            if word == "stand":
                stood = put_done(done, total(hand.cards), 1)
                net += self.next_rote(drawn, stood, splits, waiting)
            elif word == "hit":
                for card, after in self.draw(drawn):
                    net += self.rote(after, done, take(hand, card), splits, waiting)
            elif word == "double":
                for card, after in self.draw(drawn):
                    points = total(put(hand.cards, card))
                    if points > 21:
                        net -= 2 * self.unit * self.orders(after)
                        net += self.next_rote(after, done, splits, waiting)
                    else:
                        doubled = put_done(done, points, 2)
                        net += self.next_rote(after, doubled, splits, waiting)
            elif word == "split":
                half = half_of(hand, limit)
                net += self.next_rote(drawn, done, splits + 1, (half, half, *waiting))
        self.rotes_seen[key] = net
        return net

    def decide(self, hand: Rote, splits: int) -> tuple[str, int]:
        """Decide from the hand's own cards; a split includes the limit on splits."""
        if len(hand.cards) == 2 and hand.cards[0] == hand.cards[1]:
            if hand.split == 0:
                limit = self.choose_limit(hand)
                if limit > 0:
                    return "split", limit
            elif splits < hand.limit and (hand.split != 1 or self.settings.resplit_aces):
                return "split", hand.limit
        return self.decide_alone(hand)[0], 0

    def decide_alone(self, hand: Rote) -> tuple[str, int]:
        """Return the best decision other than a split, for a hand that is alone."""
        key = (hand.known, Hand(hand.cards, hand.split))
        if key not in self.alone_seen:
            nets = self.decisions(hand.known, (), key[1], self.settings.max_splits, ())
            best = max(nets.values())
            for word in self.preference:
                if nets.get(word) == best:
                    self.alone_seen[key] = word, best
                    break
        return self.alone_seen[key]

    def choose_limit(self, hand: Rote) -> int:
        """Return the best limit on splits for a starting pair; 0 means no split."""
        key = (hand.known, hand.cards)
        if key not in self.limits_seen:
            best = self.decide_alone(hand)[1]
            self.limits_seen[key] = 0
            for limit in range(1, self.settings.max_splits + 1):
                half = half_of(hand, limit)
                net = self.next_rote(hand.known, (), 1, (half, half))
                if net > best:
                    best = net
                    self.limits_seen[key] = limit
        return self.limits_seen[key]


def take(hand: Rote, card: int) -> Rote:
    """Draw a card, which the hand then knows."""
    return Rote(put(hand.cards, card), hand.split, put(hand.known, card), hand.limit)


def half_of(hand: Rote, limit: int) -> Rote:
    """Start a split hand, which knows only the drawn card that made the first pair."""
    card = hand.cards[0]
    known = hand.known if hand.split == 0 else without(hand.known, card)
    return Rote((card,), card, known, limit)


# Cards


def put(cards: Values, card: int) -> Values:
    return tuple(sorted((*cards, card)))


def without(cards: Values, card: int) -> Values:
    """Remove one card of this value."""
    place = cards.index(card)
    return tuple(sorted(cards[:place] + cards[place + 1 :]))


def put_done(done: Done, points: int, stake: int) -> Done:
    return tuple(sorted((*done, (points, stake))))


def is_soft(cards: Values) -> bool:
    """Return whether an ace counts 11."""
    return 1 in cards and sum(cards) + 10 <= 21


def total(cards: Values) -> int:
    if is_soft(cards):
        return sum(cards) + 10
    return sum(cards)


def is_blackjack(cards: Values) -> bool:
    return len(cards) == 2 and total(cards) == 21


def is_double_blackjack(own: Values) -> bool:
    return 1 in own and 10 in own and own.count(1) + own.count(10) == 3
