"""What a settled bet was paid at, and the sum a dealer does in the head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games import not_there, roll_your_own, toss_one
from pitboss.games.roll_your_own import INSURANCE_PAYS
from pitboss.notation import dollars
from pitboss.paytables import EVEN
from pitboss.reasons import reason

if TYPE_CHECKING:
    from pitboss.felt import Settlement, View
    from pitboss.paytables import Odds
    from pitboss.rules import Rules


def odds_of(rules: Rules, settlement: Settlement) -> Odds | None:
    """Return the odds that a bet that won was paid at; nothing where it won nothing."""
    if settlement.net <= 0:
        return None
    if isinstance(rules, toss_one.Rules):
        return _tossed(rules, settlement)
    if isinstance(rules, roll_your_own.Rules):
        return _rolled(rules, settlement)
    raise not_there("odds", rules)


def _tossed(rules: toss_one.Rules, settlement: Settlement) -> Odds | None:
    outcome = settlement.outcome
    if settlement.bet == "lucky3":
        return rules.lucky3_paytable.odds(toss_one.Lucky3(outcome.replace(" ", "_")))
    if settlement.bet == "bonus4":
        return rules.bonus4_paytable.odds(int(outcome.removeprefix("total ")))
    return rules.odds(toss_one.Outcome(outcome))


def _rolled(rules: roll_your_own.Rules, settlement: Settlement) -> Odds | None:
    outcome = settlement.outcome
    if settlement.bet == "bonus":
        name = outcome.replace(" ", "_").lower()
        return rules.bonus_paytable.odds(roll_your_own.Bonus(name))
    if settlement.bet == "insurance":
        return INSURANCE_PAYS
    blackjacks = {roll_your_own.Outcome.BLACKJACK, roll_your_own.Outcome.DOUBLE_BLACKJACK}
    return rules.blackjack_pays if outcome in blackjacks else EVEN


def paid(rules: Rules, settlement: Settlement) -> str:
    """Say what moves, with the multiplication: "$35 at 3 to 2 is $52.50."."""
    stake = dollars(settlement.stake)
    odds = odds_of(rules, settlement)
    if odds is None:
        return f"Take {stake}." if settlement.net < 0 else f"The {stake} stays the player's."
    if odds.on(1) == 1:
        return f"{stake} at even money is {stake}."
    exact = odds.on(settlement.stake)
    rounded = "" if exact == settlement.net else ", rounded"
    return f"{stake} at {odds.win} to {odds.stake} is {dollars(settlement.net)}{rounded}."


def why(rules: Rules, view: View, settlement: Settlement) -> str:
    """Say why a bet ended as it did, and what that moves."""
    return f"{reason(rules, view, settlement)} {paid(rules, settlement)}"
