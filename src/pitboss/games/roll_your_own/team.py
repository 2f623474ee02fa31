"""Teams that run out the deck in Roll Your Own Blackjack (rule 8).

Seven seats leave a stub of 28 cards, and every bet in action wins when it runs out. A team on all
seats makes this happen: it takes cards until the stub cannot last, and then doubles and splits as
much as it can, because these bets are going to win.

This is the card of the run-out team. "Hands to come" are the starting hands after this one at the
whole table, two for each seat.

Set      Set a pair together. Without a pair, set a ten alone. Without a ten, set the two cards
         together that make the highest total up to eleven, with the ace as one. If no two cards do,
         set the lowest alone. Never set an ace with a ten.
Split    Split every pair, as often as possible.
Eat      While the cards left exceed twice the hands to come minus two: double hard 8 to 12 and soft
         16 or more; hit hard 17 or less; hit soft hands to the end.
Wait     Otherwise: double hard 12 or less and all soft hands. With three or more cards, hit hard 11
         or less, and hit soft hands to the end. Stand on all other hands.
Nothing  With no cards left, double, else split, else hit: the added bet wins too.

The forcing team makes the deck run out at any cost. It sets in the same way, splits every pair
except aces, which would take one card each, and hits to the end.

The team needs six seats. With five, the deck runs out too rarely, and the team loses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pitboss.games.roll_your_own.kernels import layout
from pitboss.games.roll_your_own.solver.starts import DOUBLE_BLACKJACKS
from pitboss.games.roll_your_own.strategies import NAMES, Strategy, how_of, packed, start_of
from pitboss.solver.engine import Policy
from pitboss.solver.tables import ACE, BLACKJACK, TEN, VALUES, hands

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pitboss.games.roll_your_own import Rules
    from pitboss.solver.tables import Plays, Values

SAFE = 11
"""The highest total that cannot bust; two cards up to this total are set together."""


class Chart(NamedTuple):
    """The plays by total of hands that are not split; soft hands hit to the end."""

    hard: int  # hit this total or less
    hard_doubles: range  # with two cards
    soft_doubles: range
    splits: tuple[int, ...] = tuple(VALUES)


SOFT = range(12, BLACKJACK)
NEVER = range(0)

EAT = Chart(hard=17, hard_doubles=range(8, 13), soft_doubles=range(16, BLACKJACK))
WAIT = Chart(hard=SAFE, hard_doubles=range(4, 13), soft_doubles=SOFT)
ALL = Chart(20, NEVER, NEVER, splits=tuple(v for v in VALUES if v != ACE))

REACH = tuple(max(0, 2 * (later - 1)) for later in range(14))
"""The number of cards left at which a team begins to wait, by the hands to come, which take about
two cards each. With no cards left it always waits, because it then adds to its bets."""


def run_out(rules: Rules) -> Strategy:
    """Return the team that plays for the payout at the end of the deck."""
    return _team(NAMES[4], rules, EAT, WAIT)


def force(rules: Rules) -> Strategy:
    """Return the team that runs out the deck as often as possible, at any cost."""
    return _team(NAMES[5], rules, ALL, ALL)


def _team(name: str, rules: Rules, first: Chart, then: Chart) -> Strategy:
    """Return a team that plays by one chart, and by another when few cards are left."""
    most = _most(rules, aces=False), _most(rules, aces=True)
    rows = [_row(rules, first, one, two) for one in most for two in most]
    late = _row(rules, then, 0, 0)  # the first chart decides how often to split
    return Strategy(
        name,
        rules,
        _plan(),
        np.array([*rows, *[late] * len(VALUES)]),
        mode=layout.AS_TEAM,
        team_row=len(rows),
        reach=REACH,
    )


# --- setting


def alone(own: Values) -> int:
    """Return the card that a team sets alone."""
    return max(own, key=lambda card: _score(card, own))


def _score(card: int, own: Values) -> tuple[int, ...]:
    """Score a card to set alone; with a higher score, the hands can take more cards."""
    rest = list(own)
    rest.remove(card)
    together = sum(rest)
    if len({*rest}) == 1:
        return 3, card
    if card == TEN:
        return 2, 0
    return (1, together) if together <= SAFE else (0, -card)


def _plan() -> NDArray[np.int32]:
    """Return a team's plan: two cards on the first bet, one card on the second."""
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
    """Return a row of the kernel's plays that splits the bets up to *one* and *two* times."""
    start, split = _plays(chart), _plays(chart, doubles=rules.double_after_split)
    if rules.max_splits:
        start[[hands().pair[v, v] for v in chart.splits]] = layout.SPLIT
    first, second = (
        np.frombuffer(packed(Policy(start, split, most)), np.uint8) for most in (one, two)
    )
    return (first | second << layout.SECOND_BET).astype(np.uint8)


def _most(rules: Rules, *, aces: bool) -> int:
    return min(1, rules.max_splits) if aces and not rules.resplit_aces else rules.max_splits


def _plays(chart: Chart, *, doubles: bool = True) -> Plays:
    """Return the play of every hand that is not split."""
    state = hands().state
    soft = state > BLACKJACK
    total = np.where(soft, state - 10, state)
    hits = (total < BLACKJACK) & (soft | (total <= chart.hard))
    plays = np.where(hits, layout.HIT, layout.STAND).astype(np.int8)
    if doubles:
        added = np.where(
            soft, np.isin(total, chart.soft_doubles), np.isin(total, chart.hard_doubles)
        )
        plays[added & (hands().size == 2)] = layout.DOUBLE  # noqa: PLR2004
    return plays
