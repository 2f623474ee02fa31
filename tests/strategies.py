"""Random data for the property tests: cards, rules, and whole rounds of legal play."""

import random
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from pitboss.core.cards import DECK, Card, Rank, Suit
from pitboss.core.errors import RuleError
from pitboss.core.protocol import deal_from, supply
from pitboss.core.settings import (
    Choice,
    PaytableChoice,
    Ratio,
    RoundingChoice,
    Rules,
    WholeNumber,
    YesNo,
)

cards = st.sampled_from(DECK)
QUEEN_OF_HEARTS = Card(Rank.QUEEN, Suit.HEARTS)
chances = st.integers(0, 2**32).map(random.Random)


def hands(size, *, copies=1):
    """Draw *size* cards from a number of decks."""
    return st.lists(
        st.sampled_from(DECK * copies), min_size=size, max_size=size, unique=copies == 1
    ).map(tuple)


def random_odds(chance):
    return f"{chance.randint(1, 300)}:{chance.randint(1, 20)}"


def random_paytable(chance, kind):
    """Draw a printed table by its name, or a custom one line by line."""
    if chance.randrange(2):
        return chance.choice(list(kind.tables))
    listed = chance.sample(kind.results, chance.randint(1, len(kind.results)))
    return [{"on": [on], "pays": chance.choice(["0:1", random_odds(chance)])} for on in listed]


def random_value(chance, kind):
    """Draw a value of a setting, in its JSON form."""
    match kind:
        case Choice(options):
            return chance.choice([option.value for option in options])
        case WholeNumber(least, most):
            return chance.randint(least, most)
        case Ratio():
            return random_odds(chance)
        case RoundingChoice():
            return chance.choice(["cent", f"down:{chance.randint(1, 500)}", "up:25"])
        case PaytableChoice():
            return random_paytable(chance, kind)
        case YesNo():
            return chance.choice([True, False])


def random_rules(chance, game, **fixed) -> Rules:
    """Draw rules of *game*, with random values for all settings."""
    drawn = {n: random_value(chance, s.kind) for n, s in game.rules.settings.items()}
    return game.rules.from_json(drawn | fixed)


@dataclass(frozen=True)
class Played:
    """A round with all its states."""

    game: object
    deck: tuple
    states: tuple

    @property
    def round(self):
        return self.states[-1]


def shuffled(chance, size):
    deck = list(DECK) * (size // len(DECK))
    chance.shuffle(deck)
    return tuple(deck)


def stacked(chance, size):
    """Shuffle so that aces and ten-value cards tend to come early, queens of hearts most of all."""
    weights = {card: 1 if card.value in {1, 10} else 3 for card in DECK} | {QUEEN_OF_HEARTS: 0.1}
    return tuple(sorted(shuffled(chance, size), key=lambda card: weights[card] * chance.random()))


def paired(chance, size):
    """Shuffle so that a deal in turn gives seven seats two cards of the same value each."""
    deck = list(shuffled(chance, size))
    for seat in range(7):
        values = [card.value for card in deck]
        after = [i for i in range(8 + seat, size) if values[i] == values[seat]]
        if after:
            deck[8 + seat], deck[after[0]] = deck[after[0]], deck[8 + seat]
    return tuple(deck)


def random_bet(chance, game, seat):
    first, *rest = game.stakes
    stakes = {first: chance.randrange(1, 5_000)}
    stakes |= {name: chance.randrange(3_000) * chance.randrange(2) for name in rest}
    return game.bet(seat, **stakes)


def choose(chance, options, *, greedy):
    """Choose a legal decision; a greedy table splits and hits while it can, to use up the deck."""
    words = {str(option): option for option in options}
    if greedy and chance.random() < 0.9:
        for word in ("split", "hit"):
            if word in words:
                return words[word]
    choice = chance.choice(options)
    if hasattr(choice, "amount") and chance.randrange(2):
        return _between(chance, options, choice)
    return choice


def _between(chance, options, choice):
    """Insure for any amount between the smallest and the largest, if the rules allow it."""
    largest = max(o.amount for o in options if o.seat == choice.seat)
    return replace(choice, amount=chance.randint(0, largest))


def play(game, rules, chance, *, seats=None, greedy=None, shuffle=shuffled) -> Played:
    """Play a round with random bets and random legal decisions, with seats in random order."""
    greedy = chance.random() < 0.4 if greedy is None else greedy
    numbers = list(range(1, rules.seats + 1))
    chance.shuffle(numbers)
    count = seats or chance.randint(1, rules.seats)
    states = [game.start(rules)]
    for number in numbers[:count]:
        states.append(states[-1].apply(random_bet(chance, game, number)))
    deck = shuffle(chance, states[-1].deck_size)
    states.append(deal_from(deck, states[-1]))
    while options := states[-1].legal():
        choice = choose(chance, options, greedy=greedy)
        try:
            states.append(supply(deck, states[-1].apply(choice)))
        except RuleError:  # half or nothing
            states.append(supply(deck, states[-1].apply(chance.choice(options))))
    return Played(game, deck, tuple(states))


def rounds(game, **fixed):
    """Draw a whole round of *game* with random settings."""
    return chances.map(lambda chance: play(game, random_rules(chance, game, **fixed), chance))
