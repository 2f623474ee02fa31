"""The rack card: what one page tells a player about the rules in force, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.errors import plural
from pitboss.games import find_game
from pitboss.report.sections import NOT_COMPUTED
from pitboss.report.text import bet_name, event, money, odds, percent, span

if TYPE_CHECKING:
    from pitboss.report.sections import Data

LINES = {
    "21": "any other 21",
    "blackjack": "any other blackjack",
    "akq_suited": "A-K-Q of one suit",
    "suited_21": "21 of one suit",
    "coloured_21": "21 of one color",
    "suited_blackjack": "blackjack of one suit",
    "coloured_blackjack": "blackjack of one color",
}
"""How the card names what a pay table pays on, where the name does not say enough."""

TABLES = {
    "lucky3_paytable": ("Lucky 3", "for the three cards you keep"),
    "bonus4_paytable": ("Bonus 4", "total of all four, aces as 1"),
    "bonus_paytable": ("Bonus", "for your three cards"),
}
NAMES = {"blackjack": "Two blackjack bets", "package": "All three bets"}
EVEN = 100  # cents: a step so small that it needs no words


def card(data: Data) -> Data:
    """Return the content of the card."""
    is_toss = data["game"] == "toss-one-21"
    return {
        "title": f"{data['name']}: how to play",
        "game": data["name"],
        "tagline": _tagline(data) if is_toss else "Three cards, two hands of blackjack, one Bonus",
        "steps": _toss_steps(data["rules"]) if is_toss else _roll_steps(data["rules"]),
        "tables": [_main_table(data["rules"], is_toss=is_toss), *_paytables(data)],
        "odds": [_odds_row(data, bet) for bet in data["bets"]],
        "odds_note": _odds_note(data),
        "limits": _limits(data),
        "digest": data["digest"][:16],
        "version": data["version"],
        "date": data["date"],
    }


def _tagline(data: Data) -> str:
    return f"Four cards, toss one, come closest to 21 · {plural(data['rules']['decks'], 'deck')}"


def _toss_steps(rules: Data) -> list[list[str]]:
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


def _roll_steps(rules: Data) -> list[list[str]]:
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


def _main_table(rules: Data, *, is_toss: bool) -> Data:
    rows = [["blackjack", odds(rules["blackjack_pays"])], ["any other win", "1 to 1"]]
    if not is_toss:
        rows += [["insurance", "2 to 1"]] if rules["insurance"] != "off" else []
        return {"title": "Blackjack bets", "about": "each of the two", "rows": rows}
    return {"title": "Main", "about": "against the dealer", "rows": rows}


def _paytables(data: Data) -> list[Data]:
    tables = []
    for name, lines in data["paytables"].items():
        title, about = TABLES[name]
        rows = [[_line(line["on"]), odds(line["pays"])] for line in lines]
        tables.append({"title": title, "about": about, "rows": rows})
    return tables


def _line(results: list[str | int]) -> str:
    return span([LINES.get(str(r), event(r)) if isinstance(r, str) else r for r in results])


def _odds_row(data: Data, bet: str) -> list[str]:
    figures = data["bets"][bet]
    if not figures:
        return [bet_name(bet), NOT_COMPUTED, "", ""]
    house_edge = figures["house_edge"]
    edge = percent(house_edge, 2)
    top = figures.get("top_prize")
    return [
        NAMES.get(bet) or bet_name(bet),
        edge.removeprefix("\N{MINUS SIGN}") + " in your favor" if house_edge < 0 else edge,
        percent(figures["hit_frequency"], 1),
        odds(top["pays"]) if top else "",
    ]


def _odds_note(data: Data) -> str:
    """Explain the house edge and the conditions under which it holds."""
    decks = data["rules"].get("decks", 1)
    shuffle = f"{'the deck is' if decks == 1 else f'all {decks} decks are'} shuffled every round"
    play = "" if "decks" in data["rules"] else ", and you play alone with the best strategy"
    return (
        "The house edge is what a bet loses on average, as a share of the stake, if"
        f" {shuffle}{play}."
    )


def _limits(data: Data) -> list[list[str]]:
    """Name the limits of each bet; where one binds all bets it is named once."""
    rows = [[bet_name(row["bet"]), _limit(row)] for row in data["limits"]]
    one_for_all = len(find_game(data["game"]).stakes) == 1
    return [["Each of the equal bets", rows[0][1]]] if one_for_all else rows


def _limit(row: Data) -> str:
    step = "" if row["step"] == EVEN else f", in steps of {money(row['step'])}"
    return f"{money(row['least'])} to {money(row['most'])}{step}"
