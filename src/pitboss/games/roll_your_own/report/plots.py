"""The plots of the report that only Roll Your Own has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.report.played import up_card_plot
from pitboss.report.worth import worth_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pitboss.report.elements import Data


def plots(data: Data) -> dict[str, Figure]:
    """Return the plots of the up cards and of the value of each rule."""
    blackjack = data["bets"]["blackjack"]
    return (up_card_plot(blackjack["by_up_card"]) if blackjack else {}) | worth_plot(data)
