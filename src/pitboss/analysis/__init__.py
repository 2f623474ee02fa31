"""Figures of every bet: counted once, then priced for any rules and pay tables.

Each game computes its own figures in its ``figures`` part. Bets that cannot be counted are solved.
A simulation estimates the figures that the solver cannot compute; those are marked. One function
counts the deals of a custom side bet, and another prices them.
"""

from __future__ import annotations

from pitboss.analysis.figures import Event, Figures
from pitboss.analysis.parts import Analysis, Sensitivity, analyze, sensitivity
from pitboss.analysis.side_bets import count_deals, price

__all__ = [
    "Analysis",
    "Event",
    "Figures",
    "Sensitivity",
    "analyze",
    "count_deals",
    "price",
    "sensitivity",
]
