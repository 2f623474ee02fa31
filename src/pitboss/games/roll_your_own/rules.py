"""Roll Your Own Blackjack: its rules, settings and Bonus pay table.

Rule numbers are those of the game's dealing procedures (7a to 7j are the rules of play); readings
(R-1, R-2, ...) are listed in docs/rules/roll-your-own.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.core.cards import Rank, is_straight
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

if TYPE_CHECKING:
    from pitboss.core.cards import Card

PACK = 3


CLAUSES = MappingProxyType(
    {
        "1": "One deck, freshly shuffled; the shuffler gives packs of three cards.",
        "2": "Every player makes three equal bets: two blackjack bets, first and second, and "
        "the Bonus.",
        "3": "A pack to each player from the dealer's left to right, the last to the dealer, "
        "who burns its top card unseen, turns the second up and leaves the third face "
        "down.",
        "4": "The rest of the deck, the stub, goes to the dealer's hand; every further card "
        "comes from it in order.",
        "5": "Each player puts two cards on one blackjack bet and one card on the other, face up.",
        "6": "The Bonus of every seat is settled first, on its three cards: a flush or better "
        "wins.",
        "7": "Then the hands are played, seat by seat, the first bet's before the second's. A "
        "one-card hand receives its second card when its turn comes.",
        "7a": "Any two cards may double: an equal bet, one card, done.",
        "7b": "Any two cards of the same value may split; the first hand is finished before the"
        " next receives its card.",
        "7c": "Up to four splits.",
        "7d": "Split aces receive one card each and do not split again.",
        "7e": "No surrender.",
        "7f": "The dealer hits soft 17.",
        "7g": "A player's blackjack pays 3 to 2 and always wins, also against a dealer's.",
        "7h": "A blackjack is 21 in the first two cards, also for a one-card ace or ten whose "
        "next card makes it; after a split 21 is none.",
        "7i": "A-A-10 or A-10-10 is a double blackjack: both bets are paid at once.",
        "7j": "Under an ace players may insure for half of their two blackjack bets; insurance "
        "pays 2 to 1 if the dealer has blackjack.",
        "8": "If a card is needed and there is none, all bets left in action win.",
        "standard": "A hand of 21 stands by itself. Over 21 loses at once. A dealer over 21 pays "
        "every hand in action. The higher total wins even money, equal totals push. A "
        "dealer's blackjack beats everything but a blackjack.",
    }
)
"""The rules in our own words, by number in the rule sheet."""


class Bonus(StrEnum):
    """The classes that the Bonus pays on, best first (rule 6)."""

    AKQ_SUITED = "akq_suited"
    STRAIGHT_FLUSH = "straight_flush"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    FLUSH = "flush"


SHEET: Paytable[Bonus] = Paytable(
    (
        ((Bonus.AKQ_SUITED,), Odds(100)),
        ((Bonus.STRAIGHT_FLUSH,), Odds(50)),
        ((Bonus.THREE_OF_A_KIND,), Odds(30)),
        ((Bonus.STRAIGHT,), Odds(5)),
        ((Bonus.FLUSH,), Odds(3)),
    )
)
"""The Bonus table of the sheet, which calls it a sample (R-8)."""


def poker_class(cards: tuple[Card, ...]) -> Bonus | None:
    """Return the three-card poker class of the cards, if the Bonus pays on it (rule 6).

    An ace is high or low in a straight, never in the middle.

    >>> from pitboss.core.cards import parse
    >>> poker_class(parse("Qs Ks As")), poker_class(parse("2h As 3d"))
    (<Bonus.AKQ_SUITED: 'akq_suited'>, <Bonus.STRAIGHT: 'straight'>)
    """
    low, _, high = sorted(card.rank for card in cards)
    flush, straight = len({card.suit for card in cards}) == 1, is_straight(cards)
    if flush and straight and low is Rank.ACE and high is Rank.KING:
        return Bonus.AKQ_SUITED
    if flush and straight:
        return Bonus.STRAIGHT_FLUSH
    if low == high:
        return Bonus.THREE_OF_A_KIND
    if straight:
        return Bonus.STRAIGHT
    return Bonus.FLUSH if flush else None


class HoleCard(StrEnum):
    """Whether the dealer looks at the hole card if the up card is an ace or a ten."""

    PEEK = "peek"
    NO_PEEK = "no_peek"


class OneCard(StrEnum):
    """The treatment of a one-card ace or ten if the peek finds a blackjack."""

    DRAWS = "draws"
    LOSES = "loses"


class Insurance(StrEnum):
    """The amount that a seat may insure for."""

    UP_TO_HALF = "up_to_half"
    HALF_OR_NOTHING = "half_or_nothing"
    OFF = "off"


class RunOut(StrEnum):
    """The result of bets in action when the deck runs out."""

    WIN = "win"
    PUSH = "push"


@with_settings
@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """One house's version of Roll Your Own Blackjack."""

    hole_card: HoleCard = setting(
        Choice(HoleCard),
        HoleCard.PEEK,
        rule="7",
        about="whether the dealer looks for a blackjack before play",
        readings={
            "peek": "the dealer looks under an ace, after insurance, or a ten (R-3)",
            "no_peek": "a dealer's blackjack is found at the end and takes every bet (R-3)",
        },
    )
    one_card_vs_dealer_blackjack: OneCard = setting(
        Choice(OneCard),
        OneCard.DRAWS,
        rule="7g, 7h",
        about="what a one-card ace or ten gets when the peek finds a blackjack",
        readings={
            "draws": "a one-card ace or ten still draws, and is paid if that makes blackjack (R-4)",
            "loses": "a one-card hand loses to a dealer's blackjack like any other (R-4)",
        },
    )
    double_after_split: bool = setting(
        YesNo(),
        True,  # noqa: FBT003  the default
        rule="7a",
        about="whether hands made by a split may double (R-5)",
    )
    max_splits: int = setting(
        WholeNumber(0, 4),
        4,
        rule="7c",
        about="splits allowed, counted for each starting hand and not for the seat (R-6)",
    )
    resplit_aces: bool = setting(
        YesNo(),
        False,  # noqa: FBT003  the default
        rule="7d",
        about="whether a split ace that draws an ace may split again (R-7)",
    )
    soft_17: Soft17 = setting(
        Choice(Soft17), Soft17.HIT, rule="7f", about="what the dealer does on a soft 17"
    )
    blackjack_pays: Odds = setting(
        Ratio(), Odds(3, 2), rule="7g", about="what a player's blackjack pays"
    )
    bonus_paytable: Paytable[Bonus] = setting(
        PaytableChoice({"sheet": SHEET}, tuple(Bonus)),
        SHEET,
        rule="6",
        about="what the Bonus pays; the sheet calls its table a sample (R-8)",
    )
    insurance: Insurance = setting(
        Choice(Insurance),
        Insurance.UP_TO_HALF,
        rule="7j",
        about="how much a seat may insure for under an ace",
        readings={
            "up_to_half": "any amount up to half of the two blackjack bets (R-9)",
            "half_or_nothing": "half of the two blackjack bets, or nothing (R-9)",
            "off": "insurance is not offered (R-9)",
        },
    )
    run_out: RunOut = setting(
        Choice(RunOut),
        RunOut.WIN,
        rule="8",
        about="what bets in action do when the deck runs out",
        readings={
            "win": "every bet in action wins when the deck runs out (R-10)",
            "push": "every bet in action is returned when the deck runs out (R-10)",
        },
    )
    seats: int = setting(WholeNumber(1, 7), 7, rule="3", about="seats at the table")


PRESETS = MappingProxyType(
    {
        "default": Rules(),
        "no-peek": Rules(hole_card=HoleCard.NO_PEEK),
    }
)


class Outcome(StrEnum):
    """The outcome of a blackjack bet or an insurance."""

    DOUBLE_BLACKJACK = "double blackjack"
    BLACKJACK = "blackjack"
    BUST = "bust"
    RUN_OUT = "deck ran out"
    DEALER_BLACKJACK = "dealer blackjack"
    NO_DEALER_BLACKJACK = "no dealer blackjack"
    DEALER_BUST = "dealer bust"
    HIGHER_TOTAL = "higher total"
    LOWER_TOTAL = "lower total"
    PUSH = "push"
