"""The rack card of Toss One 21."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.errors import plural
from pitboss.report.elements import CardContent
from pitboss.report.text import odds

if TYPE_CHECKING:
    from pitboss.report.elements import Data

PAYTABLES = {
    "lucky3_paytable": ("Lucky 3", "for the three cards you keep"),
    "bonus4_paytable": ("Bonus 4", "total of all four, aces as 1"),
}
LINES = {
    "21": "any other 21",
    "blackjack": "any other blackjack",
    "suited_21": "21 of one suit",
    "coloured_21": "21 of one color",
    "suited_blackjack": "blackjack of one suit",
    "coloured_blackjack": "blackjack of one color",
}


def card(data: Data) -> CardContent:
    """Return the content of the rack card of Toss One 21."""
    rules = data["rules"]
    decks = rules["decks"]
    rows = [["blackjack", odds(rules["blackjack_pays"])], ["any other win", "1 to 1"]]
    return CardContent(
        tagline=f"Four cards, toss one, come closest to 21 · {plural(decks, 'deck')}",
        steps=_steps(rules),
        main_table={"title": "Main", "about": "against the dealer", "rows": rows},
        paytables=PAYTABLES,
        lines=LINES,
        names={"package": "All three bets"},
        decks=decks,
    )


def _steps(rules: Data) -> list[list[str]]:
    ace = "an ace is the highest" if rules["ace_kicker"] == "high" else "an ace is the lowest"
    toss = "Toss any one card;" if rules["toss"] == "free" else "Toss one card so that"
    beats = (
        " A dealer's blackjack beats any other 21."
        if rules["dealer_blackjack"] == "beats_21"
        else ""
    )
    aim = "the other three should" if rules["toss"] == "free" else "the other three"
    compare = (
        "The dealer keeps the best three of four. You win if the dealer is over 21 or you are"
        f" nearer to 21. Equal totals: the higher tossed card wins, {ace}; equal again loses."
        f"{beats}"
    )
    return [
        ["Bet", "Make a Main bet. Lucky 3 and Bonus 4 are side bets: play either, both or none."],
        ["Look", "You get four cards. Aces count 1 or 11, face cards 10."],
        ["Toss", f"{toss} {aim} come as close to 21 as they can without going over."],
        ["Bust", "If every three of your cards go over 21, all your bets lose at once."],
        [
            "Blackjack",
            f"An ace and two ten-value cards are paid {odds(rules['blackjack_pays'])} at once.",
        ],
        ["Compare", compare],
    ]
