"""The expected results of a round of Toss One 21, with the covariances between seats."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING, Any

from pitboss.analysis.theory import BetTheory, Expected, Theory
from pitboss.core.paytables import unit_net
from pitboss.games.toss_one.census import census
from pitboss.games.toss_one.figures import BEST_TOSS, BETS, figures, package
from pitboss.games.toss_one.game import GAME
from pitboss.games.toss_one.kinds import VALUES, chosen_class, hands, kind, kinds, outcome_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pitboss.analysis.theory import Matrix
    from pitboss.games.toss_one.census import Census
    from pitboss.games.toss_one.rules import Rules


def theory(rules: Rules) -> Theory:
    """Return the expected results of Toss One 21 under *rules*."""
    moments = {bet: f.moments for bet, f in figures(rules).items()}
    deals = package(rules).counts

    @lru_cache(maxsize=4096)
    def price(stakes: tuple[int, ...]) -> Expected:
        first = second = total = 0
        for nets, ways in deals.items():
            won = sum(_won(rules, x * stake) for x, stake in zip(nets, stakes, strict=True))
            first, second, total = first + ways * won, second + ways * won**2, total + ways
        mean = Fraction(first, total)
        return Expected(float(mean), float(Fraction(second, total) - mean**2), sum(stakes))

    return Theory(
        game=GAME.key,
        assumes=f"optimal play: {BEST_TOSS}",
        bets={b: BetTheory(1, float(m.ev), m.std_dev, str(m.ev)) for b, m in moments.items()},
        stakes=BETS,
        price=price,
        between=lambda: between_seats(rules),
    )


def _won(rules: Rules, amount: Fraction) -> int:
    return rules.rounding.of(amount) if amount > 0 else int(amount)


def between_seats(rules: Rules) -> Matrix | None:
    """Return the covariances of the bets of one seat with those of another, per unit.

    They are exact except for Lucky 3 with Lucky 3, which treats the suits of two hands as
    independent.
    """
    try:
        import numpy as np
    except ModuleNotFoundError:
        return None
    of = census(rules.decks)
    main = _main_nets(rules)
    sides = np.array([_side_nets(rules, of, values) for values in hands(4)])
    pair, ways = _two_hands()
    moments, means, total = np.zeros((3, 3)), np.zeros(3), 0.0
    for place, dealers in enumerate(_dealers(of)):
        weights = dealers[pair] * ways
        nets = np.column_stack((main[:, place], sides))
        moments += nets.T @ weights @ nets
        means += weights.sum(axis=0) @ nets
        total += float(weights.sum())
    means /= total
    return tuple(map(tuple, (moments / total - np.outer(means, means)).tolist()))


def _main_nets(rules: Rules) -> NDArray[Any]:
    """Return the net result of Main by the player's values and the dealer's kind of hand."""
    import numpy as np

    table = outcome_table(rules.dealer_blackjack, rules.ace_kicker)
    return np.array(
        [[float(unit_net(rules.odds(ended))) for ended in table[kind(h)]] for h in hands(4)]
    )


def _side_nets(rules: Rules, of: Census, values: tuple[int, ...]) -> tuple[float, float]:
    """Return the average net of Lucky 3 and the net of Bonus 4 for a hand of these values."""
    table, classes = rules.lucky3_paytable, of.classes[values]
    won = sum(unit_net(table.odds(chosen_class(rules, c))) * n for c, n in classes.items())
    lucky = won / sum(classes.values()) if any(classes.values()) else 0
    return float(lucky), float(unit_net(rules.bonus4_paytable.odds(sum(values))))


@cache
def _eight_values() -> NDArray[Any]:
    """Return every combination of eight cards as the number of cards of each value."""
    import numpy as np

    ways = combinations_with_replacement(VALUES, 8)
    return np.array([[h.count(value) for value in VALUES] for h in ways])


@cache
def _two_hands() -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the index of the eight values of every two hands, and the ways to divide them."""
    import numpy as np

    four = np.array([[h.count(value) for value in VALUES] for h in hands(4)])
    places = 9 ** np.arange(len(VALUES))
    eight = _eight_values() @ places
    order = eight.argsort()
    codes = four @ places
    pair = order[np.searchsorted(eight[order], codes[:, None] + codes)]
    choose = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.float64)
    ways = np.ones(pair.shape)
    for column in four.T:
        ways *= choose[column[:, None] + column, column]
    return pair, ways


def _dealers(of: Census) -> NDArray[Any]:
    """Count the deals for each kind of dealer hand and the eight values of two seats."""
    import numpy as np

    eight = _eight_values()
    left = [
        [
            np.array([comb(max(copies - used, 0), k) for k in range(9)], np.float64)[column]
            for used in range(5)
        ]
        for copies, column in zip(of.copies, eight.T, strict=True)
    ]
    found = np.zeros((len(kinds()), len(eight)))
    for values, ways in of.players.items():
        rows = [left[value - 1][values.count(value)] for value in VALUES]
        found[kinds().index(kind(values))] += ways * np.prod(rows, axis=0)
    return found
