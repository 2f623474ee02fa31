"""Teams that play Roll Your Own Blackjack for the end of the deck (rule 8).

Seven seats leave a stub of 28 cards, and every bet in action wins when it runs out. A team that
holds all seats does not wait for that: it takes cards until the stub cannot last, and then adds to
its bets what it may, since they are going to win.

The card of the run-out team; the hands to come are the starting hands after this one at the whole
table, two for each seat:

Set      A pair together. No pair: a ten alone. No ten: the two together that make the most up to
         eleven, an ace counting one. None do: the lowest alone. An ace is never set with a ten.
Split    Every pair, again and again.
Eat      While more cards are left than twice the hands to come less two: double hard 8 to 12 and
         soft 16 and more; hit hard 17 and less, and soft hands to the end.
Wait     Otherwise: double hard 12 and less and all soft hands. With three cards or more hit hard
         11 and less, and soft hands to the end. Stand on the rest.
Nothing  With no cards left, double, else split, else hit: the bet that is added wins too.

The forcing team wants to see the deck run out, whatever it costs. It sets in the same way, splits
every pair but aces, which would take one card each, and hits to the end.

The team needs six seats. With five the stub outlasts it too often, and it loses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pitboss.kernels import roll_your_own as kernel
from pitboss.simulator.strategies import NAMES, Strategy, how_of, packed, start_of
from pitboss.solver.engine import Policy
from pitboss.solver.starts import DOUBLE_BLACKJACKS
from pitboss.solver.tables import ACE, BLACKJACK, TEN, VALUES, hands

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pitboss.games.roll_your_own import Rules
    from pitboss.solver.tables import Plays, Values

SAFE = 11
"""A hand that no card breaks; two cards of no more are set together."""


class Chart(NamedTuple):
    """What a hand does by its total, if it is no pair to split; soft hands hit to the end."""

    hard: int  # hit this and less
    hard_doubles: range  # with two cards
    soft_doubles: range
    splits: tuple[int, ...] = tuple(VALUES)


SOFT = range(12, BLACKJACK)
NEVER = range(0)

EAT = Chart(hard=17, hard_doubles=range(8, 13), soft_doubles=range(16, BLACKJACK))
WAIT = Chart(hard=SAFE, hard_doubles=range(4, 13), soft_doubles=SOFT)
ALL = Chart(20, NEVER, NEVER, splits=tuple(v for v in VALUES if v != ACE))

REACH = tuple(max(0, 2 * (later - 1)) for later in range(14))
"""The cards left from which on a team waits, by the hands to come, which take about two each; it
always waits when none are left, for then it adds to its bets."""


def run_out(rules: Rules) -> Strategy:
    """Return the team that plays for what the end of the deck pays."""
    return _team(NAMES[4], rules, EAT, WAIT)


def force(rules: Rules) -> Strategy:
    """Return the team that has the deck run out as often as it can, whatever that costs."""
    return _team(NAMES[5], rules, ALL, ALL)


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
    """Say how well the team likes a card alone: the hands should take many cards."""
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
        plan[[start_of(up, values) for up in VALUES]] = how_of(values.index(one), 1, row)
    return plan


# --- playing


def _row(rules: Rules, chart: Chart, one: int, two: int) -> NDArray[np.uint8]:
    """Return a row of the kernel's plays, the two bets split up to *one* and *two* times."""
    start, split = _plays(chart), _plays(chart, doubles=rules.double_after_split)
    if rules.max_splits:
        start[[hands().pair[v, v] for v in chart.splits]] = kernel.SPLIT
    first, second = (
        np.frombuffer(packed(Policy(start, split, most)), np.uint8) for most in (one, two)
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
