"""The rack card of Roll Your Own Blackjack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.errors import plural
from pitboss.report.elements import CardContent
from pitboss.report.text import odds

if TYPE_CHECKING:
    from pitboss.report.elements import Data


def card(data: Data) -> CardContent:
    """Return the content of the rack card of Roll Your Own."""
    rules = data["rules"]
    rows = [["blackjack", odds(rules["blackjack_pays"])], ["any other win", "1 to 1"]]
    rows += [["insurance", "2 to 1"]] if rules["insurance"] != "off" else []
    return CardContent(
        tagline="Three cards, two hands of blackjack, one Bonus",
        steps=_steps(rules),
        main_table={"title": "Blackjack bets", "about": "each of the two", "rows": rows},
        paytables={"bonus_paytable": ("Bonus", "for your three cards")},
        lines={"akq_suited": "A-K-Q of one suit"},
        names={"blackjack": "Two blackjack bets", "package": "All three bets"},
        decks=1,
        play=", and you play alone with the best strategy",
    )


def _steps(rules: Data) -> list[list[str]]:
    splits = rules["max_splits"]
    after = "" if rules["double_after_split"] or not splits else ", not after a split"
    split = f" Split pairs up to {plural(splits, 'time')}." if splits else " No splitting."
    insure = "" if rules["insurance"] == "off" else " Insurance against an ace pays 2 to 1."
    play = (
        f"Play both hands as in blackjack. Double on any two cards{after}.{split}{insure} The"
        f" dealer {'hits' if rules['soft_17'] == 'hit' else 'stands on'} soft 17."
    )
    win = (
        f"Blackjack pays {odds(rules['blackjack_pays'])} and always wins. The higher total wins"
        " even money, equal totals push. A dealer's blackjack beats all but yours."
    )
    return [
        ["Bet", "Make three equal bets: two blackjack bets and the Bonus."],
        ["Look", "You get three cards. The dealer shows one card and keeps one face down."],
        ["Bonus", "Your Bonus is settled first, on your three cards."],
        [
            "Set",
            "Put two cards on one blackjack bet and one on the other; that one draws its second.",
        ],
        ["Play", play],
        ["Win", win],
    ]
