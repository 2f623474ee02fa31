"""Teams that play Roll Your Own Blackjack for the end of the deck (rule 8).

Seven seats leave a stub of 28 cards, and every bet in action wins when it runs out. A team that
holds all seats does not wait for that: it takes cards until the stub cannot last, and then adds to
its bets what it may, since they are going to win.

The card of the run-out team; the cards left are those in the stub, the hands to come the starting
hands after this one at the whole table, two for each seat:

========= ==========================================================================================
set       A pair together; no pair, a ten alone; no ten, the highest two that make no more than
          eleven together, an ace counting one; none, the lowest alone. Never an ace with a ten.
split     Every pair, again and again.
eat       While the cards left are more than twice the hands to come, less two: double hard 8 to 12
          and soft 16 and up; hit hard 17 and less, and every soft hand.
wait      From then on: double hard 12 and less and every soft hand; of three cards and more hit
          hard 11 and less and every soft hand; stand on the rest.
no cards  Double, else split, else hit: the deck has run out, and the bet that is added wins too.
========= ==========================================================================================

The forcing team only wants to see the deck run out, whatever it costs: it sets for the most cards,
splits every pair but aces, hits every hand to the end and never doubles.

It needs six seats at least: with five the stub lasts too long, and the team loses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pitboss.kernels import roll_your_own as kernel
from pitboss.simulator.strategies import Strategy, _how, _packed, start_of
from pitboss.solver import Policy
from pitboss.solver.starts import DOUBLE_BLACKJACKS
from pitboss.solver.tables import ACE, BLACKJACK, TEN, VALUES, hands

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pitboss.games.roll_your_own import Rules
    from pitboss.solver.tables import Plays, Values

RUN_OUT, FORCE = "run-out", "run-out-force"
"""The names of the teams."""

SEATS = 6
"""A team with fewer seats has nothing to win."""

SAFE = 11
"""A hand that no card breaks; two cards of no more are set together."""


class Chart(NamedTuple):
    """What a hand does by its total; it splits its pairs first, and does not stand on less."""

    hard: int  # hit no more than this
    hard_doubles: range  # with two cards
    soft_doubles: range
    splits: tuple[int, ...] = tuple(VALUES)


SOFT = range(12, BLACKJACK)
NEVER = range(0)

EAT = Chart(hard=17, hard_doubles=range(8, 13), soft_doubles=range(16, BLACKJACK))
WAIT = Chart(hard=SAFE, hard_doubles=range(4, 13), soft_doubles=SOFT)
ALL = Chart(20, NEVER, NEVER, splits=tuple(v for v in VALUES if v != ACE))  # split aces take two

REACH = tuple(max(0, 2 * (later - 1)) for later in range(14))
"""The cards left from which on a team waits, by the hands to come: a hand that waits still takes
nearly two, doubles and splits together; none left is for the bets that are added then."""


def run_out(base: Strategy) -> Strategy:
    """Return the team that plays for what the end of the deck pays, under the rules of *base*."""
    return _team(RUN_OUT, base.rules, EAT, WAIT)


def force(base: Strategy) -> Strategy:
    """Return the team that has the deck run out as often as it can, whatever that costs."""
    return _team(FORCE, base.rules, ALL, ALL)


def _team(name: str, rules: Rules, first: Chart, then: Chart) -> Strategy:
    """Return a team that plays by one chart and, once the cards left are few, by another."""
    most = _most(rules, aces=False), _most(rules, aces=True)
    rows = [_row(rules, first, one, two) for one in most for two in most]
    late = _row(rules, then, 0, 0)  # how often to split is for the first chart to say
    return Strategy(
        name,
        rules,
        _plan(),
        np.array([*rows, *[late] * len(VALUES)]),
        mode=kernel.AS_TEAM,
        team_row=len(rows),
        reach=REACH,
    )


# --- setting


def alone(own: Values) -> int:
    """Return which of three cards a team sets alone."""
    return max(own, key=lambda card: _hunger(card, own))


def _hunger(card: int, own: Values) -> tuple[int, ...]:
    """Say how well the team likes a card alone, the more so the more cards the hands can take."""
    rest = list(own)
    rest.remove(card)
    together = sum(rest)
    if len({*rest}) == 1:
        return 3, card
    if card == TEN:
        return 2, 0
    return (1, together) if together <= SAFE else (0, -card)


def _plan() -> NDArray[np.int32]:
    """Return how a team sets its cards: the two on the first bet, the one on the second."""
    plan = np.full(10**4, -1, np.int32)
    for own in np.ndindex(10, 10, 10):
        values = tuple(v + 1 for v in own)
        if tuple(sorted(values)) in DOUBLE_BLACKJACKS:
            continue
        one = alone(values)
        aces = values.count(ACE) - (one == ACE)
        row = 2 * (aces == 2) + (one == ACE)  # noqa: PLR2004
        plan[[start_of(up, values) for up in VALUES]] = _how(values.index(one), 1, row)
    return plan


# --- playing


def _row(rules: Rules, chart: Chart, one: int, two: int) -> NDArray[np.uint8]:
    """Return a row of the kernel's plays, the two bets split up to *one* and *two* times."""
    start, split = _plays(chart), _plays(chart, doubles=rules.double_after_split)
    if rules.max_splits:
        start[[hands().pair[v, v] for v in chart.splits]] = kernel.SPLIT
    first, second = (
        np.frombuffer(_packed(Policy(start, split, most)), np.uint8) for most in (one, two)
    )
    return (first | second << kernel.SECOND_BET).astype(np.uint8)


def _most(rules: Rules, *, aces: bool) -> int:
    return min(1, rules.max_splits) if aces and not rules.resplit_aces else rules.max_splits


def _plays(chart: Chart, *, doubles: bool = True) -> Plays:
    """Return what every hand does that is not split."""
    state = hands().state
    soft = state > BLACKJACK
    total = np.where(soft, state - 10, state)
    hits = (total < BLACKJACK) & (soft | (total <= chart.hard))
    plays = np.where(hits, kernel.HIT, kernel.STAND).astype(np.int8)
    if doubles:
        added = np.where(
            soft, np.isin(total, chart.soft_doubles), np.isin(total, chart.hard_doubles)
        )
        plays[added & (hands().size == 2)] = kernel.DOUBLE  # noqa: PLR2004
    return plays
