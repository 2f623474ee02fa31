"""Exact figures of a bet with rounded winnings, for comparison with a simulation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pitboss.simulator.jobs import UNIT, ExactFigures
from pitboss.simulator.samples import Sample

if TYPE_CHECKING:
    from pitboss.analysis.figures import Figures
    from pitboss.core.settings import Rules


def exact_figures(rules: Rules, figures: Figures) -> ExactFigures:
    """Return the exact figures of a bet of one unit."""
    share = {event.event: event.combinations / figures.total for event in figures.events}
    counts: Counter[int] = Counter()
    for event in figures.events:
        counts[rules.rounding.net(event.odds, UNIT)] += event.combinations
    nets = Sample(counts)
    return ExactFigures(nets.mean / UNIT, share, nets.std_dev / UNIT)
