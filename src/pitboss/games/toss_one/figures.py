"""The exact figures of Toss One 21: the census, priced.

The outcome of a pair of hands comes from the rules engine, and the odds come from the pay tables,
so new rules or pay tables need no recount. The toss is the one that the dealer would choose for the
player: the best total, then the highest Lucky 3 prize.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import TYPE_CHECKING

from pitboss.analysis.conditions import usual
from pitboss.analysis.figures import Event, Figures, Moments
from pitboss.analysis.parts import Analysis, RoundResults, Sensitivity
from pitboss.core.cards import DECK, Suit
from pitboss.core.paytables import ELSE, Odds, unit_net
from pitboss.games.toss_one.census import Census, census, shoe_of
from pitboss.games.toss_one.game import GAME
from pitboss.games.toss_one.hands import best_hands
from pitboss.games.toss_one.kinds import (
    Values,
    bonus4_lines,
    chosen_class,
    class_name,
    hands,
    kind,
    outcome_table,
)
from pitboss.games.toss_one.rules import (
    BONUS_4,
    LUCKY_3_TABLE_1,
    LUCKY_3_TABLE_2,
    AceKicker,
    DealerBlackjack,
    Lucky3,
    Outcome,
    Rules,
    TossRule,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.core.settings import Json
    from pitboss.games.toss_one.simulation import TossOne

BETS = ("main", "lucky3", "bonus4")


# --- pricing


def outcomes(rules: Rules, of: Census) -> Counter[Outcome]:
    """Count the deals by the outcome of Main."""
    found: Counter[Outcome] = Counter()
    table = outcome_table(rules.dealer_blackjack, rules.ace_kicker)
    for ours, row in of.pairs.items():
        for outcome, deals in zip(table[ours], row, strict=True):
            found[outcome] += deals
    return found


def main_figures(rules: Rules, of: Census) -> Figures:
    """Return the figures of Main."""
    counted = outcomes(rules, of)
    events = [Event(outcome.value, rules.odds(outcome), counted[outcome]) for outcome in Outcome]
    return Figures("main", tuple(event for event in events if event.combinations))


def lucky3_figures(rules: Rules, of: Census) -> Figures:
    """Return the figures of Lucky 3, with the toss that is best for it."""
    found: Counter[Lucky3 | None] = Counter()
    for row in of.classes.values():
        for classes, ways in row.items():
            found[chosen_class(rules, classes)] += ways
    table = rules.lucky3_paytable
    return Figures(
        "lucky3",
        tuple(Event(class_name(c), table.odds(c), found[c]) for c in (*Lucky3, None)),
    )


def bonus4_figures(rules: Rules, of: Census) -> Figures:
    """Return the figures of Bonus 4, with an event for each line of its pay table."""
    found: Counter[int] = Counter()
    for h, ways in of.players.items():
        found[sum(h)] += ways
    lines = [
        Event(name, rules.bonus4_paytable.odds(totals[0]), sum(found[t] for t in totals))
        for name, totals in bonus4_lines(rules).items()
    ]
    paid = sum(line.combinations for line in lines)
    return Figures("bonus4", (*lines, Event(ELSE, None, found.total() - paid)))


PRICES = {"main": main_figures, "lucky3": lucky3_figures, "bonus4": bonus4_figures}
"""The function that computes the figures of each bet."""


def figures(rules: Rules, of: Census | None = None) -> dict[str, Figures]:
    """Return the figures of every bet."""
    of = of or census(rules.decks)
    return {bet: PRICES[bet](rules, of) for bet in BETS}


# --- the bets of one seat together


@dataclass(frozen=True)
class Package:
    """The bets of one seat together: the number of deals for each combination of results."""

    counts: Mapping[tuple[Fraction, ...], int]  # by the results of the bets, per unit

    def moments(self, stakes: tuple[int, ...] = (1, 1, 1)) -> Moments:
        """Return the distribution of the result of *stakes* units on the bets."""
        found: Counter[Fraction] = Counter()
        for nets, deals in self.counts.items():
            found[sum((s * x for s, x in zip(stakes, nets, strict=True)), Fraction())] += deals
        return Moments(found)

    def correlation(self, one: int, other: int) -> float:
        """Return the correlation of two bets, given by their indices."""
        pair = self.moments(tuple(int(i in {one, other}) for i in range(len(BETS))))
        alone = [self.moments(tuple(int(i == j) for i in range(len(BETS)))) for j in (one, other)]
        covariance = (pair.variance - alone[0].variance - alone[1].variance) / 2
        return float(covariance) / (alone[0].std_dev * alone[1].std_dev)


def package(rules: Rules, of: Census | None = None) -> Package:
    """Return the joint distribution of Main, Lucky 3 and Bonus 4 for the same four cards."""
    of = of or census(rules.decks)
    found: Counter[tuple[Fraction, ...]] = Counter()
    for h, row in of.classes.items():
        bonus = unit_net(rules.bonus4_paytable.odds(sum(h)))
        results = _main_results(rules, of, h)
        for classes, ways in row.items():
            lucky = unit_net(rules.lucky3_paytable.odds(chosen_class(rules, classes)))
            for main, deals in results.items():
                found[main, lucky, bonus] += ways * deals
    return Package({nets: deals for nets, deals in found.items() if deals})


def _main_results(rules: Rules, of: Census, values: Values) -> Counter[Fraction]:
    """Count the dealer's hands by the net result of Main against them."""
    ended: Counter[Outcome] = Counter()
    table = outcome_table(rules.dealer_blackjack, rules.ace_kicker)
    for outcome, ways in zip(table[kind(values)], of.dealers[values], strict=True):
        ended[outcome] += ways
    found: Counter[Fraction] = Counter()
    for outcome, ways in ended.items():
        found[unit_net(rules.odds(outcome))] += ways
    return found


# --- the value of a card seen before betting


def exposed_own(rules: Rules, value: int) -> dict[str, Fraction]:
    """Return the expectation of each bet if one card of the player's own hand is known."""
    of = census(rules.decks)
    weights = {h: h.count(value) for h in hands(4)}
    return _expectations(rules, of, weights)


def exposed_dealer(rules: Rules, value: int) -> dict[str, Fraction]:
    """Return the expectation of each bet if one card of the dealer's hand is known."""
    shoe = shoe_of(rules.decks)
    shoe[value, Suit.SPADES] -= 1  # all suits are alike
    return _expectations(rules, Census(shoe, value), dict.fromkeys(hands(4), 1))


def _expectations(rules: Rules, of: Census, weights: Mapping[Values, int]) -> dict[str, Fraction]:
    won = dict.fromkeys(BETS, Fraction())
    deals = 0
    for h, weight in weights.items():
        ways = of.players[h] * weight
        if not ways:
            continue
        dealers = sum(of.dealers[h])
        deals += ways * dealers
        main = sum(x * n for x, n in _main_results(rules, of, h).items())
        won["main"] += ways * main
        won["bonus4"] += ways * dealers * unit_net(rules.bonus4_paytable.odds(sum(h)))
        for classes, n in of.classes[h].items():
            paid = unit_net(rules.lucky3_paytable.odds(chosen_class(rules, classes)))
            won["lucky3"] += n * weight * dealers * paid
    return {bet: total / deals for bet, total in won.items()}


# --- the conditions of the figures

TOSS_CONDITIONS = {
    TossRule.MUST_BE_BEST: "the player keeps the best total, as the rules require",
    TossRule.FREE: "the player keeps the best total",
}
LUCKY = "between equal tosses, the player chooses the one that Lucky 3 pays most"
BEST_TOSS = "the toss with the best total, of those the best for Lucky 3"
SOLVES = False
SIMULATES = True
ASSUMES = f"{BEST_TOSS}; before rounding"


def conditions(rules: Rules) -> dict[str, list[str]]:
    """Return the conditions of every bet, and of the package."""
    every, kept = usual(rules.decks), TOSS_CONDITIONS[rules.toss]
    return {
        "main": [*every, kept],
        "lucky3": [*every, kept, LUCKY],
        "bonus4": every,
        "package": [*every, kept, LUCKY],
    }


# --- other settings

DECIDING_SETTINGS = {
    "main": ("blackjack_pays", "dealer_blackjack", "ace_kicker", "decks"),
    "lucky3": ("lucky3_paytable", "decks"),
    "bonus4": ("bonus4_paytable", "decks"),
    "package": ("decks",),
}
"""The settings that are varied for each bet."""


def sensitivity(rules: Rules, decks: range = range(1, 9)) -> list[Sensitivity]:
    """Return every bet's expectation for each combination of the settings that affect it."""
    return [
        Sensitivity(bet, of, DECIDING_SETTINGS[bet], _expected(bet, of))
        for bet, varied in _varied(rules).items()
        for of in (replace(other, decks=n) for other in varied for n in decks)
    ]


def _varied(rules: Rules) -> dict[str, list[Rules]]:
    """Return the rules to compute each bet for, all with the same number of decks."""
    pays = sorted(
        {Odds(3, 2), Odds(6, 5), rules.blackjack_pays}, key=lambda o: o.on(1), reverse=True
    )
    lucky3 = (LUCKY_3_TABLE_1, LUCKY_3_TABLE_2, rules.lucky3_paytable)
    bonus4 = (BONUS_4, rules.bonus4_paytable)
    return {
        "main": [
            replace(rules, blackjack_pays=odds, dealer_blackjack=reading, ace_kicker=kicker)
            for odds, reading, kicker in product(pays, DealerBlackjack, AceKicker)
        ],
        "lucky3": [replace(rules, lucky3_paytable=table) for table in dict.fromkeys(lucky3)],
        "bonus4": [replace(rules, bonus4_paytable=table) for table in dict.fromkeys(bonus4)],
        "package": [rules],
    }


def _expected(bet: str, rules: Rules) -> Fraction:
    of = census(rules.decks)
    bets = BETS if bet == "package" else (bet,)
    return sum((PRICES[name](rules, of).ev for name in bets), Fraction())


# --- the analysis


def analyze(
    rules: Rules,
    *,
    worth: bool = False,  # noqa: ARG001  the sensitivity is always computed
    progress: Callable[[float], object] = lambda _: None,  # noqa: ARG001  counting is quick
) -> TossOneAnalysis:
    """Return the figures of every bet."""
    return TossOneAnalysis(GAME, rules, figures(rules))


@dataclass(frozen=True)
class TossOneAnalysis(Analysis):
    """The figures of Toss One 21."""

    def more_json(self) -> dict[str, Json]:
        return {
            "package": package_json(self.rules),
            "sensitivity": [row.as_json() for row in sensitivity(self.rules)],
        }

    def strategy(self) -> dict[str, Json]:
        return count_tosses()

    def exposed(self) -> dict[str, list[dict[str, Json]]]:
        found = {}
        for whose, priced in (("own", exposed_own), ("dealer", exposed_dealer)):
            rows = [(card, priced(self.rules, value)) for value, card in enumerate(CARDS, 1)]
            found[whose] = [
                {"card": c} | {bet: float(ev) for bet, ev in evs.items()} for c, evs in rows
            ]
        return found

    def round_results(self, stakes: Mapping[str, int]) -> RoundResults:
        moments = package(self.rules).moments(tuple(stakes[bet] for bet in BETS))
        chances: dict[int, float] = {}
        for net, deals in moments.counts.items():
            chances[round(net)] = chances.get(round(net), 0) + deals / moments.total
        return RoundResults(float(moments.ev), moments.std_dev, chances)

    def job(self, seed: int) -> TossOne:
        from pitboss.games.toss_one.simulation import TossOne

        return TossOne(self.rules, seed=seed)


CARDS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")


def package_json(rules: Rules) -> dict[str, Json]:
    """Return the figures of the three bets of one seat together, one unit on each."""
    found = package(rules)
    together = found.moments()
    stake = GAME.units["package"]
    return {
        "stake": stake,
        "ev": str(together.ev),
        "house_edge": -float(together.ev) / stake,
        "std_dev": together.std_dev,
        "skewness": together.skewness,
        "correlations": {
            f"{BETS[i]}, {BETS[j]}": found.correlation(i, j)
            for i, j in combinations(range(len(BETS)), 2)
        },
    }


@cache
def count_tosses() -> dict[str, Json]:
    """Count all hands of one deck by the number of best tosses and of distinct values tossed."""
    choices: Counter[int] = Counter()
    values: Counter[int] = Counter()
    for cards in combinations(DECK, 4):
        best = best_hands.__wrapped__(cards)
        choices[len(best)] += 1
        values[len({hand.tossed.value for hand in best})] += 1
    return {
        "hands": sum(choices.values()),
        "busts": choices[0],
        "one_toss": choices[1],
        "several_equal_tosses": sum(n for count, n in choices.items() if count > 1),
        "tosses_of_different_value": sum(n for count, n in values.items() if count > 1),
    }
