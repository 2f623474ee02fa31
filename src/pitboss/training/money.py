"""The odds of a settled bet, and the calculation of its payout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.errors import UnsupportedError
from pitboss.core.journal import dollars
from pitboss.reasons import reason

if TYPE_CHECKING:
    from pitboss.core.paytables import Odds
    from pitboss.core.protocol import Settlement, View
    from pitboss.core.settings import Rules


def odds_of(rules: Rules, settlement: Settlement) -> Odds | None:
    """Return the odds at which a bet was paid; None if it won nothing."""
    if settlement.net <= 0:
        return None
    if settlement.odds is None:
        raise UnsupportedError(f"no odds for {rules.game.key}")
    return settlement.odds


def payout_text(rules: Rules, settlement: Settlement) -> str:
    """Return the payout with its calculation: "$35 at 3 to 2 is $52.50."."""
    stake = dollars(settlement.stake)
    odds = odds_of(rules, settlement)
    if odds is None:
        return _loss_text(settlement) if settlement.net < 0 else f"The player keeps the {stake}."
    if odds.on(1) == 1:
        return f"{stake} at even money is {stake}."
    exact = odds.on(settlement.stake)
    rounded = "" if exact == settlement.net else ", rounded"
    return f"{stake} at {odds.win} to {odds.stake} is {dollars(settlement.net)}{rounded}."


def _loss_text(settlement: Settlement) -> str:
    """Return the amount to take; a surrender loses only half of the bet."""
    lost, stake = dollars(-settlement.net), dollars(settlement.stake)
    return f"Take {lost}." if lost == stake else f"Take {lost} of the {stake}."


def why(rules: Rules, view: View, settlement: Settlement) -> str:
    """Explain the result of a bet and its payout."""
    return f"{reason(rules, view, settlement)} {payout_text(rules, settlement)}"
