"""The rack card of blackjack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.errors import plural
from pitboss.report.elements import CardContent
from pitboss.report.text import odds

if TYPE_CHECKING:
    from pitboss.report.elements import Data

PAYTABLES = {
    "perfect_pairs_paytable": ("Perfect Pairs", "your first two cards"),
    "plus_three_paytable": ("21+3", "your two cards and the up card"),
    "lucky_ladies_paytable": ("Lucky Ladies", "your first two cards"),
}
LINES = {
    "perfect_pair": "same rank and suit",
    "colored_pair": "same rank and color",
    "mixed_pair": "same rank",
    "queens_and_dealer_blackjack": "two queens of hearts, dealer's blackjack",
    "queens_of_hearts": "two queens of hearts",
    "matched_20": "20, same rank and suit",
    "suited_20": "20, same suit",
    "any_20": "any other 20",
}
DOUBLES = {"any": "any two cards", "9-11": "a hard 9, 10 or 11", "10-11": "a hard 10 or 11"}
BLACKJACKS = {
    "peek": "A dealer's blackjack ends the round at once and beats all hands but a blackjack.",
    "no_peek": "A dealer's blackjack at the end takes every bet, doubles and splits too.",
    "original_bets_only": "A dealer's blackjack at the end takes only the original bet.",
}


def card(data: Data) -> CardContent:
    """Return the content of the rack card of blackjack."""
    rules = data["rules"]
    rows = [["blackjack", odds(rules["blackjack_pays"])], ["any other win", "1 to 1"]]
    rows += [["insurance", "2 to 1"]] if rules["insurance"] else []
    return CardContent(
        tagline=f"Come closer to 21 than the dealer · {plural(rules['decks'], 'deck')}",
        steps=_steps(rules),
        main_table={"title": "Main", "about": "against the dealer", "rows": rows},
        paytables=PAYTABLES,
        lines=LINES,
        names={"package": "All bets"},
        decks=rules["decks"],
        play=", and you play Main alone with the best strategy",
    )


def _steps(rules: Data) -> list[list[str]]:
    insure = (
        " Against an ace you may insure for up to half of your bet." if rules["insurance"] else ""
    )
    give_up = (
        " Or give up your first two cards for half of the bet."
        if rules["surrender"] == "late"
        else ""
    )
    win = (
        f"The dealer draws to 17 and {'hits' if rules['soft_17'] == 'hit' else 'stands on'} soft"
        " 17. The higher total wins even money, equal totals push."
    )
    return [
        ["Bet", "Make a Main bet. You may add Perfect Pairs, 21+3 and Lucky Ladies."],
        ["Look", "You get two cards, the dealer one face up. Aces count 1 or 11, face cards 10."],
        ["Blackjack", f"{_blackjack(rules)} {BLACKJACKS[rules['hole_card']]}{insure}"],
        ["Play", f"Hit or stand. Over 21 loses at once. {_double(rules)}{give_up}"],
        ["Split", _split(rules)],
        ["Win", win],
    ]


def _blackjack(rules: Data) -> str:
    return f"An ace with a ten-value card pays {odds(rules['blackjack_pays'])}."


def _double(rules: Data) -> str:
    after = "" if rules["double_after_split"] or not rules["max_splits"] else ", not after a split"
    return f"Double on {DOUBLES[rules['double']]}{after}: one more card for an equal bet."


def _split(rules: Data) -> str:
    if not rules["max_splits"]:
        return "Pairs are not split."
    hands = rules["max_splits"] + 1
    aces = [] if rules["hit_split_aces"] else ["get one card each"]
    aces += [] if rules["resplit_aces"] or hands == TWO_HANDS else ["are not split again"]
    note = f" Split aces {' and '.join(aces)}." if aces else ""
    return (
        f"Split two cards of equal value into two hands with equal bets, up to {hands} hands.{note}"
    )


TWO_HANDS = 2
