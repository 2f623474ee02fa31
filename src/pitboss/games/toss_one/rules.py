"""Toss One 21: its rules, settings and pay tables.

Rule numbers are the numbered steps of the approved Rules and Procedures (April 2017); readings
(R-1, R-2, ...) are listed in docs/rules/toss-one-21.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pitboss.core.cards import BLACKJACK
from pitboss.core.paytables import EVEN, Odds, Paytable
from pitboss.core.settings import Choice, PaytableChoice, Ratio, WholeNumber, setting, with_settings
from pitboss.core.settings import Rules as BaseRules

CLAUSES = MappingProxyType(
    {
        "1": "Every player makes a Main bet. Lucky 3 and Bonus 4 are optional, each on its own.",
        "2": "Each player, from the dealer's left to right, is dealt four cards; the last four"
        " go to the dealer.",
        "3": "Each player tosses one card so that the other three come as close to 21 as they "
        "can without going over.",
        "4": "A player none of whose three-card hands is 21 or less is bust and loses Main, "
        "Lucky 3 and Bonus 4 at once.",
        "5": "When all players are done the dealer turns four cards over and keeps the best "
        "three, scored the same way.",
        "6": "If the dealer is bust, every Main bet still in action wins even money.",
        "7": "Otherwise the three-card total nearer to 21 wins even money. Equal totals are "
        "decided by the tossed cards, the kickers, which rank as in blackjack.",
        "8": "An ace and two ten-value cards are a blackjack: the player is paid 3 to 2 or 6 "
        "to 5 at once, whatever the dealer has.",
        "9": "If totals and kickers are both equal, the player loses.",
        "10": "Lucky 3 is settled after Main, from the three cards kept: it pays on 21 and on "
        "blackjack.",
        "11": "Bonus 4 pays when all four cards total 21 or less, the more the smaller the total.",
    }
)
"""The rules in our own words, by number in the rule sheet."""


class Outcome(StrEnum):
    """The outcome of the Main bet; the first rule that applies decides."""

    PLAYER_BUST = "player bust"
    BLACKJACK = "blackjack"
    DEALER_BUST = "dealer bust"
    HIGHER_TOTAL = "higher total"
    LOWER_TOTAL = "lower total"
    DEALER_BLACKJACK = "dealer blackjack"
    HIGHER_KICKER = "higher kicker"
    LOWER_KICKER = "lower kicker"
    TIE = "tie"

    @property
    def rule(self) -> str:
        """The rule that decided."""
        return _RULE_OF.get(self, "7")


_RULE_OF = {
    Outcome.PLAYER_BUST: "4",
    Outcome.BLACKJACK: "8",
    Outcome.DEALER_BUST: "6",
    Outcome.TIE: "9",
}
_EVEN_MONEY = {Outcome.DEALER_BUST, Outcome.HIGHER_TOTAL, Outcome.HIGHER_KICKER}


class Lucky3(StrEnum):
    """The classes that Lucky 3 pays on, best first; the first that fits applies (rule 10)."""

    SUITED_BLACKJACK = "suited_blackjack"
    COLOURED_BLACKJACK = "coloured_blackjack"
    SUITED_21 = "suited_21"
    COLOURED_21 = "coloured_21"
    BLACKJACK = "blackjack"
    OTHER_21 = "21"


BONUS_4: Paytable[int] = Paytable(
    (
        ((4,), Odds(250)),
        ((5,), Odds(150)),
        ((6, 7, 8), Odds(50)),
        ((9, 10), Odds(10)),
        ((11, 12, 13, 14, 15, 16), Odds(4)),
        ((17, 18, 19, 20, 21), Odds(2)),
    )
)
"""The Bonus 4 pay table of the approval letter, by the total of all four cards."""

LUCKY_3_TABLE_1: Paytable[Lucky3] = Paytable(
    (
        ((Lucky3.SUITED_BLACKJACK,), Odds(40)),
        ((Lucky3.COLOURED_BLACKJACK,), Odds(10)),
        ((Lucky3.SUITED_21,), Odds(5)),
        ((Lucky3.COLOURED_21,), Odds(3)),
        ((Lucky3.BLACKJACK,), Odds(2)),
        ((Lucky3.OTHER_21,), Odds(0)),
    )
)
"""The first of the two Lucky 3 tables that the letter approves (R-4)."""

LUCKY_3_TABLE_2: Paytable[Lucky3] = Paytable(
    (
        ((Lucky3.SUITED_BLACKJACK,), Odds(20)),
        ((Lucky3.COLOURED_BLACKJACK,), Odds(8)),
        ((Lucky3.SUITED_21,), Odds(4)),
        ((Lucky3.COLOURED_21,), Odds(3)),
        ((Lucky3.BLACKJACK,), Odds(3, 2)),
        ((Lucky3.OTHER_21,), Odds(1)),
    )
)
"""The second table, which the letter's layout shows: the default."""


class DealerBlackjack(StrEnum):
    """The rank of a dealer's ace and two tens against an ordinary 21."""

    IS_21 = "is_21"
    BEATS_21 = "beats_21"


class AceKicker(StrEnum):
    """Whether a tossed ace counts as 11 or 1."""

    HIGH = "high"
    LOW = "low"


class TossRule(StrEnum):
    """Whether the toss must leave the best total."""

    MUST_BE_BEST = "must_be_best"
    FREE = "free"


@with_settings
@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """One house's version of Toss One 21."""

    dealer_blackjack: DealerBlackjack = setting(
        Choice(DealerBlackjack),
        DealerBlackjack.IS_21,
        rule="7, 9",
        about="what a dealer's ace and two tens is against an ordinary 21",
        readings={
            "is_21": "a dealer's ace and two tens is a 21 like any other; the kickers decide (R-1)",
            "beats_21": "a dealer's ace and two tens beats an ordinary 21 (R-1)",
        },
    )
    blackjack_pays: Odds = setting(
        Ratio(),
        Odds(3, 2),
        rule="8",
        about="what a player's blackjack pays; the layout says (R-2)",
    )
    ace_kicker: AceKicker = setting(
        Choice(AceKicker),
        AceKicker.HIGH,
        rule="7",
        about="how a tossed ace ranks as kicker",
        readings={
            "high": "a tossed ace is the best kicker, 11 (R-3)",
            "low": "a tossed ace is the lowest kicker, 1 (R-3)",
        },
    )
    lucky3_paytable: Paytable[Lucky3] = setting(
        PaytableChoice({2: LUCKY_3_TABLE_2, 1: LUCKY_3_TABLE_1}, tuple(Lucky3)),
        LUCKY_3_TABLE_2,
        rule="10",
        about="what Lucky 3 pays; the letter has two tables (R-4)",
    )
    bonus4_paytable: Paytable[int] = setting(
        PaytableChoice({"letter": BONUS_4}, tuple(range(4, BLACKJACK + 1))),
        BONUS_4,
        rule="11",
        about="what Bonus 4 pays for the total of all four cards, aces as 1 (R-7)",
    )
    decks: int = setting(
        WholeNumber(1, 8),
        1,
        rule="2",
        about="decks in play; every round starts from a full, fresh shuffle (R-5)",
    )
    toss: TossRule = setting(
        Choice(TossRule),
        TossRule.MUST_BE_BEST,
        rule="3",
        about="which tosses are legal",
        readings={
            "must_be_best": "only a toss that leaves the best total is legal (R-6)",
            "free": "any card may be tossed; keeping more than 21 loses as a bust (R-6)",
        },
    )
    seats: int = setting(WholeNumber(1, 9), 7, rule="2", about="seats at the table")

    def odds(self, outcome: Outcome) -> Odds | None:
        """Return the odds of the Main bet for *outcome*, or ``None`` if it loses (rules 8, 9)."""
        if outcome is Outcome.BLACKJACK:
            return self.blackjack_pays
        return EVEN if outcome in _EVEN_MONEY else None


PRESETS = MappingProxyType(
    {
        "default": Rules(),
        "published": Rules(dealer_blackjack=DealerBlackjack.BEATS_21),
        "six-to-five": Rules(blackjack_pays=Odds(6, 5)),
    }
)
