"""The plots of the report that blackjack adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.report.by_decks import by_decks_plot
from pitboss.report.played import up_card_plot
from pitboss.report.worth import worth_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pitboss.report.elements import Data


def plots(data: Data) -> dict[str, Figure]:
    """Return the plots of the up cards, of the value of each rule, and of the side bets."""
    main = data["bets"]["main"]
    cards = up_card_plot(main["by_up_card"]) if main else {}
    return cards | worth_plot(data) | by_decks_plot(data)
