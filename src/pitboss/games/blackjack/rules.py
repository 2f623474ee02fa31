"""Blackjack: its rules, settings and presets.

Rule numbers are those of docs/rules/blackjack.md, which also lists the readings (R-1, R-2, ...).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pitboss.core.paytables import Odds, Paytable
from pitboss.core.settings import (
    Choice,
    PaytableChoice,
    Ratio,
    WholeNumber,
    YesNo,
    setting,
    with_settings,
)
from pitboss.core.settings import Rules as BaseRules
from pitboss.core.twenty_one import Soft17
from pitboss.games.blackjack.side_bets import (
    LUCKY_LADIES,
    PERFECT_PAIRS,
    PLUS_THREE,
    LuckyLadies,
    PerfectPairs,
    PlusThree,
)

CLAUSES = MappingProxyType(
    {
        "1": "One to eight decks, freshly shuffled before every round.",
        "2": "Every player makes a Main bet and may add the side bets Perfect Pairs, 21+3 and"
        " Lucky Ladies.",
        "3": "The deal goes around the table twice, from the dealer's left to right and to the"
        " dealer last. All cards are face up except the dealer's second card, the hole card.",
        "4": "An ace counts 1 or 11, a face card 10. A hand over 21 is bust and loses at once. A"
        " hand of 21 takes no more cards.",
        "5": "An ace and a ten-value card are a blackjack, but not after a split. It pays 3 to 2,"
        " and pushes against a dealer's blackjack.",
        "6": "If the up card is an ace or a ten, the dealer looks at the hole card before anyone"
        " plays. A dealer's blackjack ends the round: it beats every hand except a blackjack.",
        "7": "Under an ace, each player may insure for up to half of the Main bet. Insurance pays"
        " 2 to 1 if the dealer has a blackjack. A player with a blackjack who wants even money"
        " insures for half.",
        "8": "Then each player in turn plays a hand until it stands, is bust or reaches 21.",
        "8a": "A player may double on two cards: an equal bet, one card, and the hand stands.",
        "8b": "Two cards of the same value may be split into two hands with equal bets. Each hand"
        " receives its second card when its turn comes.",
        "8c": "A player may split until there are four hands.",
        "8d": "Split aces receive one card each. They are not hit, and not split again.",
        "8e": "A player may give up the first two cards for half of the bet: late surrender.",
        "9": "The dealer draws to 17 and hits soft 17. If no hand needs the dealer's cards, the"
        " dealer does not draw.",
        "10": "If the dealer is bust, every hand still in play wins. Otherwise the higher total"
        " wins even money, and equal totals push.",
        "11": "If a card is needed and no card is left, every hand still in play is returned.",
        "12": "Perfect Pairs wins if the player's first two cards have the same rank.",
        "13": "21+3 wins if the player's first two cards and the up card make a three-card poker"
        " hand: a flush or better.",
        "14": "Lucky Ladies wins if the player's first two cards total 20. A pair of queens of"
        " hearts wins more, most of all together with a dealer's blackjack.",
    }
)
"""The rules in our own words, by number on the rules page."""


class HoleCard(StrEnum):
    """When the dealer's blackjack is found, and which bets it takes."""

    PEEK = "peek"
    NO_PEEK = "no_peek"
    ORIGINAL_BETS_ONLY = "original_bets_only"


class DoubleOn(StrEnum):
    """The two-card totals that may double."""

    ANY = "any"
    NINE_TO_ELEVEN = "9-11"
    TEN_TO_ELEVEN = "10-11"

    @property
    def totals(self) -> range:
        """The hard totals that may double; an empty range allows every hand."""
        match self:
            case DoubleOn.NINE_TO_ELEVEN:
                return range(9, 12)
            case DoubleOn.TEN_TO_ELEVEN:
                return range(10, 12)
            case _:
                return range(0)


class SurrenderRule(StrEnum):
    """Whether a player may give up the first two cards for half of the bet."""

    NONE = "none"
    LATE = "late"


@with_settings
@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """One house's version of blackjack."""

    decks: int = setting(WholeNumber(1, 8), 6, rule="1", about="decks in the shoe")
    soft_17: Soft17 = setting(
        Choice(Soft17), Soft17.HIT, rule="9", about="what the dealer does on a soft 17"
    )
    blackjack_pays: Odds = setting(
        Ratio(), Odds(3, 2), rule="5", about="what a player's blackjack pays"
    )
    double: DoubleOn = setting(
        Choice(DoubleOn),
        DoubleOn.ANY,
        rule="8a",
        about="the two-card hands that may double",
        readings={
            "any": "any two cards may double",
            "9-11": "only a hard 9, 10 or 11 may double (R-1)",
            "10-11": "only a hard 10 or 11 may double (R-1)",
        },
    )
    double_after_split: bool = setting(
        YesNo(),
        True,  # noqa: FBT003  the default
        rule="8a",
        about="whether hands made by a split may double",
    )
    max_splits: int = setting(
        WholeNumber(0, 3), 3, rule="8c", about="splits allowed; three make up to four hands"
    )
    resplit_aces: bool = setting(
        YesNo(),
        False,  # noqa: FBT003  the default
        rule="8d",
        about="whether a split ace that draws an ace may split again",
    )
    hit_split_aces: bool = setting(
        YesNo(),
        False,  # noqa: FBT003  the default
        rule="8d",
        about="whether split aces are played like other split hands (R-2)",
    )
    surrender: SurrenderRule = setting(
        Choice(SurrenderRule),
        SurrenderRule.NONE,
        rule="8e",
        about="whether the first two cards may be given up for half of the bet",
        readings={
            "none": "no surrender",
            "late": "as the first decision, but not against a dealer's blackjack (R-3)",
        },
    )
    hole_card: HoleCard = setting(
        Choice(HoleCard),
        HoleCard.PEEK,
        rule="6",
        about="when a dealer's blackjack is found, and which bets it takes",
        readings={
            "peek": "the dealer looks under an ace, after insurance, or a ten",
            "no_peek": "it is found at the end and takes every bet, also doubles and splits (R-4)",
            "original_bets_only": "it is found at the end and takes the original bet only (R-4)",
        },
    )
    insurance: bool = setting(
        YesNo(),
        True,  # noqa: FBT003  the default
        rule="7",
        about="whether insurance is offered under an ace (R-5)",
    )
    perfect_pairs_paytable: Paytable[PerfectPairs] = setting(
        PaytableChoice(PERFECT_PAIRS, tuple(PerfectPairs)),
        PERFECT_PAIRS["25-12-6"],
        rule="12",
        about="what Perfect Pairs pays: perfect, colored, mixed pair (R-8)",
    )
    plus_three_paytable: Paytable[PlusThree] = setting(
        PaytableChoice(PLUS_THREE, tuple(PlusThree)),
        PLUS_THREE["9-9-9-9"],
        rule="13",
        about="what 21+3 pays, best hand first (R-8)",
    )
    lucky_ladies_paytable: Paytable[LuckyLadies] = setting(
        PaytableChoice(LUCKY_LADIES, tuple(LuckyLadies)),
        LUCKY_LADIES["1000-125-19-9-4"],
        rule="14",
        about="what Lucky Ladies pays, best hand first (R-8)",
    )
    seats: int = setting(WholeNumber(1, 7), 7, rule="3", about="seats at the table")


PRESETS = MappingProxyType(
    {
        "default": Rules(),
        "six-deck-s17": Rules(soft_17=Soft17.STAND),
        "six-deck-h17": Rules(soft_17=Soft17.HIT),
        "double-deck": Rules(decks=2),
        "single-deck": Rules(decks=1, double_after_split=False),
        "single-deck-six-to-five": Rules(
            decks=1, double_after_split=False, blackjack_pays=Odds(6, 5)
        ),
        "european": Rules(
            soft_17=Soft17.STAND,
            double=DoubleOn.NINE_TO_ELEVEN,
            max_splits=1,
            hole_card=HoleCard.NO_PEEK,
        ),
        "washington": Rules(resplit_aces=True),
    }
)


class Outcome(StrEnum):
    """The outcome of a Main bet or an insurance."""

    BLACKJACK = "blackjack"
    BUST = "bust"
    SURRENDER = "surrender"
    RUN_OUT = "no card left"
    DEALER_BLACKJACK = "dealer blackjack"
    NO_DEALER_BLACKJACK = "no dealer blackjack"
    BET_RETURNED = "bet returned"
    DEALER_BUST = "dealer bust"
    HIGHER_TOTAL = "higher total"
    LOWER_TOTAL = "lower total"
    PUSH = "push"
