"""Washington State, commercial card rooms: Title 230 WAC, chapter 230-15."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.core.paytables import Odds
from pitboss.jurisdictions.laws import (
    Approval,
    CapRule,
    Citation,
    Duty,
    GamesRule,
    Jurisdiction,
    Letter,
    ReserveRule,
    SeatsRule,
    Verdict,
    WagerRule,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

TOSS_ONE = "toss-one-21"
_LETTER_DATE = "27 April 2017"
_LETTER = Citation(
    "approval letter",
    f"Toss One 21, {_LETTER_DATE}, with its rules and pay tables",
    "Washington State Gambling Commission",
)
_RAISES = Citation(
    "WAC 230-15-140",
    "doubles and splits as extra wagers, from general memory",
    "text not read, confirm",
)
_SEATS = SeatsRule(
    usual=7,
    most=9,
    citation=Citation(
        "WAC 230-15-055",
        "7 in August 2008, when 9 was proposed; the outcome was not found",
        "WSR 08-17-122",
    ),
)
_RESERVE = ReserveRule(
    above=2_500_000,
    citation=Citation("WAC 230-15-455", "text in force since 1 January 2010", "apps.leg.wa.gov"),
)
LETTERS: Mapping[str, Letter] = MappingProxyType(
    {
        TOSS_ONE: Letter(
            date=_LETTER_DATE,
            citation=_LETTER,
            fixed=MappingProxyType(
                {
                    "toss": ("must_be_best",),
                    "blackjack_pays": ("3:2", "6:5"),
                    "lucky3_paytable": (2, 1),
                    "bonus4_paytable": ("letter",),
                }
            ),
            open=MappingProxyType(
                {
                    "dealer_blackjack": "does not say whether a dealer's ace and two tens beats"
                    " a 21",
                    "ace_kicker": "ranks kickers as in blackjack, where an ace is 11 or 1",
                    "decks": "names no number of decks",
                    "rounding": "does not speak of amounts that do not pay evenly",
                }
            ),
            warning="any modification may affect the approval",
        )
    }
)
"""The approval letters on file, by the key of the game."""

_LETTER_DUTIES = (
    Duty(
        "internal controls",
        "a card room submits its internal controls and has them approved before the first deal",
        _LETTER,
    ),
    Duty(
        "equipment makers",
        "makers and distributors of layouts and equipment are licensed by the state before a sale",
        _LETTER,
    ),
    Duty(
        "tribal casinos",
        "the Tribal Gaming Agency approves, with the Commission's concurrence, on a submission"
        " with all that section 18 of compact Appendix A asks for; makers are certified by the"
        " state and licensed by the Tribe; the wager limits checked here are not a compact's",
        _LETTER,
    ),
    Duty(
        "odds wording",
        "print odds with 'to', as the letter's pay tables do, and never with 'for'",
        Citation(
            _LETTER.section,
            f"Toss One 21, {_LETTER_DATE}, pay tables; no Washington text on wording was found",
            "compare Maryland, COMAR 36.05.03.14",
        ),
    ),
)
_TABLES = Duty(
    "tables in the house",
    "an establishment has at most 15 tables",
    Citation("RCW 9.46.0282", "as read in November 2026", "apps.leg.wa.gov"),
)
_POST = (
    "post the wager limits of each game with fees, all odds-based and fixed prizes, jackpots, the"
    " policy on employees playing and the dispute procedure; have the rules of play and whatever"
    " can limit a win posted or at hand; show caps and what differs at the table"
)
_CARDS = (
    "cards are of conventional size and design, from a licensed maker, with the house's name or"
    " logo, safeguarded, none marked or altered"
)
_ELECTRONIC = Duty(
    "electronic cards",
    "cards on a screen are an electronic facsimile, which the director approves first",
    Citation("WAC 230-15-040", "text of 14 September 2009", "WSR 09-17-076"),
)


def _games(version: str) -> GamesRule:
    citation = Citation("WAC 230-15-040", version, "WSR 09-17-076, Order 656")
    return GamesRule(most=6, most_large=3, small=500, citation=citation)


WASHINGTON_2017 = Jurisdiction(
    name="washington-2017",
    title="commercial card rooms in Washington State, April 2017",
    wager=WagerRule(
        most=30_000,
        citation=Citation(
            "WAC 230-15-140",
            "$300 from 2009 until 2023",
            "follows from WSR 23-03-060 and WSR 23-09-065",
        ),
        raises=_RAISES,
    ),
    games=_games("text of 14 September 2009, in force in April 2017 as far as found"),
    seats=_SEATS,
    cap=CapRule(
        counted=Odds(50),
        counts_least=True,
        players=2,
        allowed_from=Odds(0),
        notice="the Commission approves the cap first, and its method is disclosed in print; the"
        " table's cap is at least twice that of one player",
        citation=Citation(
            "WAC 230-15-490", "text in force from 1 January 2008 to 13 June 2021", "apps.leg.wa.gov"
        ),
    ),
    reserve=_RESERVE,
    approvals=MappingProxyType(
        {
            TOSS_ONE: Approval(
                verdict=Verdict.PASS,
                detail="Toss One 21 is approved on the conditions of the letter",
                letter=LETTERS[TOSS_ONE],
            )
        }
    ),
    unapproved=Citation(
        "WAC 230-15-035",
        "text in force until 13 June 2021: only authorised games may be run, on a licensee's"
        " request",
        "code archive of 2019",
    ),
    duties=(
        *_LETTER_DUTIES,
        Duty(
            "posting",
            _POST,
            Citation(
                "WAC 230-15-060",
                "text in force since 14 June 2021; that of 1 January 2008 was not read",
                "app.leg.wa.gov",
            ),
        ),
        Duty(
            "cards",
            _CARDS,
            Citation(
                "WAC 230-15-115",
                "text in force since 1 July 2018; that of April 2017 was not read",
                "app.leg.wa.gov",
            ),
        ),
        _ELECTRONIC,
        _TABLES,
    ),
)
"""Washington State in 2017, when Toss One 21 was approved."""

WASHINGTON_2023 = Jurisdiction(
    name="washington-2023",
    title="commercial card rooms in Washington State, from 20 August 2023 at the earliest",
    wager=WagerRule(
        most=40_000,
        citation=Citation(
            "WAC 230-15-140",
            "$400, in force 31 days after filing, so from 20 August 2023 at the earliest; adopted"
            " 20 July 2023, by news reports",
            "proposed in WSR 23-09-065; RCW 34.05.380(2); the adopting order and the day it was"
            " filed were not found",
        ),
        raises=_RAISES,
    ),
    games=_games("text of 14 September 2009, the last one found; the section has a new title"),
    seats=_SEATS,
    cap=CapRule(
        counted=Odds(50),
        counts_least=False,
        players=1,
        allowed_from=Odds(50),
        notice="the cap is shown on the layout or a table sign, and may not combine different"
        " types of odds-based prizes",
        citation=Citation("WAC 230-15-490", "text in force since 14 June 2021", "app.leg.wa.gov"),
    ),
    reserve=_RESERVE,
    approvals=MappingProxyType(
        {
            TOSS_ONE: Approval(
                verdict=Verdict.PERSON,
                detail="Toss One 21 was approved in 2017, under earlier rules: ask whether the"
                " letter still stands",
                letter=LETTERS[TOSS_ONE],
            )
        }
    ),
    unapproved=Citation(
        "WAC 230-15-035",
        "text in force since 14 June 2021: nothing before written approval, on a licensed"
        " supplier's request",
        "WSR 21-11-057",
    ),
    duties=(
        *_LETTER_DUTIES,
        Duty(
            "posting",
            _POST,
            Citation("WAC 230-15-060", "text in force since 14 June 2021", "app.leg.wa.gov"),
        ),
        Duty(
            "cards",
            _CARDS,
            Citation("WAC 230-15-115", "text in force since 1 July 2018", "app.leg.wa.gov"),
        ),
        _ELECTRONIC,
        _TABLES,
    ),
)
"""Washington State with the wager limit of 2023.

A rule takes effect 31 days after it is filed, unless the order says otherwise (RCW 34.05.380).
"""
