"""Statistical tests of random words, cards, decks, and of rounds and seeds next to each other.

Every statistic has an exact distribution. Seeds are fixed, so a test that passes once always
passes. Each statistic is also shown to fail on badly shuffled cards.
"""

import hashlib
from fractions import Fraction
from math import comb, exp, factorial, lgamma, log

import numpy as np
import pytest

from pitboss.core import fairness
from pitboss.core.cards import DECK
from pitboss.kernels import chance
from pitboss.simulator.samples import ChiSquare, chi_square

CARDS, RANKS = 52, 13
ALPHA = 1e-4
"""How unlikely the least likely of many results may be, their number taken into account."""

SURE = 0.01
"""The same for what labs judge at 99 %."""

LENGTHS = [
    pytest.param(1, 60_000, id="short"),
    *(pytest.param(seed, 400_000, marks=pytest.mark.long, id=f"long {seed}") for seed in range(5)),
]


# --- what is tested


def deal(key, first, rounds, *, cards=CARDS, size=CARDS, draws=4):
    """Return the cards of a number of rounds, one row each."""
    words = np.zeros((4, chance.LANES), np.uint32)
    swaps, held, dealt = np.zeros((3, cards, chance.LANES), np.uint16)
    found = np.empty((-(-rounds // chance.LANES), chance.LANES, cards), np.uint16)
    for part, begin in zip(found, range(first, first + rounds, chance.LANES), strict=True):
        chance.deal_ahead(
            np.uint64(key), np.uint64(begin), cards, size, draws, words, swaps, held, dealt
        )
        paired = dealt.reshape(cards, 2, -1).swapaxes(1, 2).reshape(cards, -1)
        part[:] = (paired if 2 * draws >= cards else dealt).T
    return found.reshape(-1, cards)[:rounds]


def words_of(key, first, places, block=0):
    """Return the words of a block for a number of places, one row each."""
    found = np.empty((4, places), np.uint32)
    chance._fill(np.uint64(key), np.uint64(first), block, places, found)
    return found.T


def shuffled(draws):
    """Return decks in which each place i was swapped with place draws[:, i], in order."""
    decks = np.tile(np.arange(CARDS, dtype=np.uint16), (len(draws), 1))
    rows = np.arange(len(draws))
    for i, there in enumerate(draws.T):
        decks[:, i], decks[rows, there] = decks[rows, there], decks[:, i].copy()
    return decks


# --- statistics


def compared(counts, chances):
    """Compare counts with their probabilities."""
    total = int(counts.sum())
    return chi_square((int(n), total * float(p)) for n, p in zip(counts, chances, strict=True))


def evenly(numbers, ways):
    return compared(np.bincount(numbers, minlength=ways), [1 / ways] * ways)


def places(decks):
    """Test every card in every place, a table with fixed row and column sums."""
    counts = np.stack([np.bincount(column, minlength=CARDS) for column in decks.T])
    expected = len(decks) / CARDS
    value = float(((counts - expected) ** 2).sum()) / expected * (CARDS - 1) / CARDS
    return [ChiSquare(value, (CARDS - 1) ** 2)]


def pairs(decks):
    """Test two cards in two places, both adjacent and distant."""
    apart = [(i, i + 1) for i in range(CARDS - 1)]
    apart += [(i, i + d) for d in (2, 3, 4, 8, 16, 26) for i in range(0, CARDS - d, 5)]
    other = ~np.eye(CARDS, dtype=bool).ravel()
    found = []
    for i, j in apart:
        counts = np.bincount(decks[:, i].astype(np.int64) * CARDS + decks[:, j], minlength=CARDS**2)
        assert not counts[~other].any()
        found.append(compared(counts[other], [1 / CARDS / (CARDS - 1)] * (CARDS * (CARDS - 1))))
    return found


def eulerian():
    """Return the probability that an order of the deck has a number of descents."""
    row = [1]
    for n in range(2, CARDS + 1):
        row = [
            (k + 1) * (row[k] if k < n - 1 else 0) + (n - k) * (row[k - 1] if k else 0)
            for k in range(n)
        ]
    return [Fraction(n, factorial(CARDS)) for n in row]


def longest(most):
    """Return the chance that no ascending run is longer, from 1 / (1 - x + x^k/k! - ...)."""
    k = most + 1
    under = [Fraction(0)] * (CARDS + 1)
    for i in range(0, CARDS + 1, k):
        under[i] += Fraction(1, factorial(i))
        if i < CARDS:
            under[i + 1] -= Fraction(1, factorial(i + 1))
    found = [Fraction(1)]
    for n in range(1, CARDS + 1):
        found.append(-sum(under[i] * found[n - i] for i in range(1, n + 1)))
    return found[CARDS]


def neighbours():
    """Return the probability of a number of cards that are followed by one of the same rank."""
    lah = [comb(3, j) * factorial(4) // factorial(4 - j) for j in range(4)]  # cards in 4 - j blocks
    joined = np.array([1], object)
    for _ in range(RANKS):
        joined = np.convolve(joined, np.array(lah, object))
    least = [int(n) * factorial(CARDS - t) for t, n in enumerate(joined)]
    exactly = [
        sum((-1) ** (t - m) * comb(t, m) * least[t] for t in range(m, len(least)))
        for m in range(len(least))
    ]
    return [Fraction(n, factorial(CARDS)) for n in exactly]


def runs(decks):
    """Test ascending runs, rising sequences, the longest run, and neighbors of the same rank."""
    up, inverse = np.diff(decks.astype(np.int16)) > 0, np.argsort(decks, axis=1)
    falls = [(~up).sum(axis=1), (np.diff(inverse) < 0).sum(axis=1)]
    chances = eulerian()
    found = [compared(np.bincount(n, minlength=CARDS), chances) for n in falls]
    length = best = np.ones(len(decks), np.int64)
    for column in up.T:
        length = np.where(column, length + 1, 1)
        best = np.maximum(best, length)
    below = [longest(most) for most in range(1, 16)]
    chances = [Fraction(0), below[0], *np.diff(below), 1 - below[-1]]
    found.append(compared(np.bincount(np.minimum(best, 16), minlength=17), chances))
    ranks = decks // 4
    same = (ranks[:, 1:] == ranks[:, :-1]).sum(axis=1)
    found.append(compared(np.bincount(same, minlength=40), neighbours()))
    return found


def side_by_side(one, other):
    """Compare two decks: cards at the same place, number of matches, and correlation."""
    found = []
    for i in (0, 1, 5, 25, 50, 51):
        joint = one[:, i].astype(np.int64) * CARDS + other[:, i]
        found.append(evenly(joint, CARDS**2))
    matches = np.minimum((one == other).sum(axis=1), 8)
    chances = [exp(-1) / factorial(n) for n in range(8)]  # 52 cards: to the last digit of a float
    found.append(compared(np.bincount(matches, minlength=9), [*chances, 1 - sum(chances)]))
    half = (CARDS - 1) / 2
    product = ((one - half) * (other - half)).mean(axis=1)
    spread = (CARDS**2 - 1) / 12
    n = len(one)
    found.append(ChiSquare(n * float(product.mean()) ** 2 * (CARDS - 1) / spread**2, 1))
    return found


def bits(words):
    """Test the ones at every bit of a word, its bytes, and successive words."""
    flat = words.ravel()
    ones = [int((flat >> np.uint32(bit) & np.uint32(1)).sum()) for bit in range(32)]
    found = [ChiSquare((2 * n - len(flat)) ** 2 / len(flat), 1) for n in ones]
    found += [evenly(byte, 256) for byte in flat.view(np.uint8).reshape(-1, 4).T]
    even, odd = flat[::2].astype(np.int64), flat[1::2].astype(np.int64)
    found.append(evenly(even >> 26 << 6 | odd >> 26, 1 << 12))
    found.append(evenly((even & 63) << 6 | odd & 63, 1 << 12))
    changed = np.bitwise_count(even ^ odd)
    chances = [comb(32, n) / 2**32 for n in range(33)]
    found.append(compared(np.bincount(changed, minlength=33), chances))
    return found


def birthdays(words):
    """The repeated spacings of 2^12 sorted words have a Poisson distribution with mean 4."""
    years = np.sort(words.ravel().reshape(-1, 1 << 12), axis=1)
    spacings = np.sort(np.diff(years), axis=1)
    again = np.minimum((np.diff(spacings) == 0).sum(axis=1), 12)
    chances = [exp(n * log(4) - 4 - lgamma(n + 1)) for n in range(12)]
    return [compared(np.bincount(again, minlength=13), [*chances, 1 - sum(chances)])]


def least(found):
    """Return the smallest p of either side, adjusted for the number of results."""
    return 2 * len(found) * min(min(of.p, 1 - of.p) for of in found)


# --- the generator


@pytest.mark.parametrize(("seed", "size"), LENGTHS)
def test_words(seed, size):
    """The words of successive rounds are uniform in every bit."""
    words = words_of(seed, 0, 13 * size // 4)
    assert least(bits(words)) > ALPHA
    assert least(bits(words.T)) > ALPHA  # the same word of each round after the other


@pytest.mark.parametrize(("seed", "size"), LENGTHS)
def test_birthday_spacings(seed, size):
    """The words of one round, and of successive rounds, show no lattice structure."""
    words = words_of(seed, 0, size // 20 << 10)
    assert least(birthdays(words)) > ALPHA
    assert least(birthdays(words.T.copy())) > ALPHA


FEW = {0, 12, 33, 63}  # by default; the other bits wait for make long


@pytest.mark.parametrize(
    "bit", [pytest.param(b, marks=[] if b in FEW else pytest.mark.long) for b in range(0, 64, 3)]
)
def test_a_bit_of_the_counter_or_the_seed_changes_half_of_a_word(bit):
    one = words_of(12, 1 << 20, 4096)
    for other in (words_of(12 ^ 1 << bit, 1 << 20, 4096), words_of(12, 1 << 20 ^ 1 << bit, 4096)):
        if bit > 12:  # a lower one only changes the order of the places
            assert least(bits(np.stack([one, other], axis=-1))[-1:]) > ALPHA
        else:
            assert (one != other).any(axis=1).all()


# --- the shuffle


@pytest.mark.parametrize("statistic", [places, pairs, runs])
@pytest.mark.parametrize(("seed", "size"), LENGTHS)
def test_decks(statistic, seed, size):
    """Cards, pairs of cards and runs have the expected frequencies."""
    assert least(statistic(deal(seed, 0, size))) > ALPHA


@pytest.mark.parametrize(("seed", "size"), LENGTHS)
def test_rounds_know_nothing_of_each_other(seed, size):
    """Successive rounds, and rounds of seeds and places that differ in one bit, are independent."""
    decks = deal(seed, 0, size)
    assert least(side_by_side(decks[::2], decks[1::2])) > ALPHA
    for other in (deal(seed + 1, 0, size), deal(seed + 2**32, 0, size), deal(seed, 2**32, size)):
        assert least(side_by_side(decks, other)) > ALPHA


@pytest.mark.parametrize(("decks", "draws"), [(1, 4), (2, 2), (6, 2), (8, 2)])
@pytest.mark.parametrize(("seed", "size"), LENGTHS)
def test_shoes(seed, size, decks, draws):
    """The eight cards of Toss One 21; with one deck, two rounds share a block."""
    dealt = deal(seed, 0, size, cards=8, size=52 * decks, draws=draws).astype(np.int64)
    found = [evenly(column, 52 * decks) for column in dealt.T]
    ranks = dealt // (4 * decks)
    for i, j in ((0, 0), (3, 0), (7, 0), (7, 7), (4, 3)):
        found.append(evenly(ranks[::2, i] * RANKS + ranks[1::2, j], RANKS**2))
    for i in range(7):
        n = 52 * decks
        chances = np.full((RANKS, RANKS), n / RANKS) - np.eye(RANKS)
        counts = np.bincount(ranks[:, i] * RANKS + ranks[:, i + 1], minlength=RANKS**2)
        found.append(compared(counts, chances.ravel() / (n - 1) / RANKS))
    assert least(found) > ALPHA


# --- the shuffle of live tables


def promised(first, rounds):
    """Return decks from the server's shuffle, one row each, each with a new seed."""
    number = {card: i for i, card in enumerate(DECK)}
    found = np.empty((rounds, CARDS), np.uint16)
    for i, row in enumerate(found, first):
        seed = hashlib.sha256(f"seed {i}".encode()).digest()
        cards = fairness.shuffle(seed, table="t", round_=i + 1, decks=1, client_seeds={1: "mine"})
        row[:] = [number[card] for card in cards]
    return found


@pytest.mark.parametrize(
    ("rounds", "statistics"),
    [
        pytest.param(8_000, [places, runs], id="short"),
        pytest.param(400_000, [places, pairs, runs], marks=pytest.mark.long, id="long"),
    ],
)
def test_live_shuffle(rounds, statistics):
    """The cards of live tables are random, judged together at 99 % (GLI-19, 3.2.2)."""
    decks = promised(0, rounds)
    found = [result for statistic in statistics for result in statistic(decks)]
    assert least(found + side_by_side(decks[::2], decks[1::2])[-2:]) > SURE


# --- what is wrong is found


def bad_decks():
    drawn, at = np.random.default_rng(4), np.arange(CARDS)
    shape = 20_000, CARDS
    byte = drawn.integers(0, 256, shape)
    riffled = np.tile(at, (len(byte), 1))
    for _ in range(4):
        order = np.argsort(np.argsort(drawn.random(shape) < 0.5, axis=1, kind="stable"), axis=1)
        riffled = np.take_along_axis(riffled, order, axis=1)
    return {
        "a byte without rejection": shuffled(at + (byte * (CARDS - at) >> 8)),
        "a byte modulo what is left": shuffled(at + byte % (CARDS - at)),
        "any place each time": shuffled(drawn.integers(0, CARDS, shape)),
        "only cut": ((at + drawn.integers(0, CARDS, (len(byte), 1))) % CARDS).astype(np.uint16),
        "riffled": riffled.astype(np.uint16),
    }


@pytest.mark.parametrize(
    ("name", "statistics"),
    [
        ("a byte without rejection", [places]),
        ("a byte modulo what is left", [places]),
        ("any place each time", [places, pairs]),
        ("only cut", [pairs, runs]),
        ("riffled", [places, pairs, runs]),
    ],
)
def test_bad_shuffles_are_found(name, statistics):
    decks = bad_decks()[name]
    for statistic in statistics:
        assert least(statistic(decks)) < 1e-9


def test_decks_that_know_each_other_are_found():
    decks = deal(1, 0, 20_000)
    assert least(side_by_side(decks, decks)) < 1e-9
    assert least(side_by_side(decks, np.roll(decks, 1, axis=1))) < 1e-9  # no place is the same
    one = np.where(np.arange(len(decks))[:, np.newaxis] % 20, deal(2, 0, 20_000), decks)
    assert least(side_by_side(decks, one)) < 1e-9  # one deck of twenty is


def test_bad_words_are_found():
    numbers = np.arange(1 << 20, dtype=np.uint64)
    weyl = (numbers * np.uint64(0x9E3779B9)).astype(np.uint32)
    assert least(birthdays(weyl)) < 1e-9
    assert least(bits(weyl)) < 1e-9
    drawn = np.random.default_rng(5).integers(0, 1 << 32, 1 << 20, np.uint32)
    for bit in (0, 17, 31):
        more = np.where(np.arange(1 << 20) % 100, drawn, drawn | np.uint32(1 << bit))
        assert least(bits(more)) < 1e-3  # a bit that is one in 50.5 of 100
        assert least(bits(drawn)) > ALPHA
