"""The rack card as plain data: one page that explains the rules in force to players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.report.elements import NOT_COMPUTED, bet_name, game_of, part_of
from pitboss.report.text import event, money, odds, percent, span

if TYPE_CHECKING:
    from pitboss.report.elements import CardContent, Data

USUAL_STEP = 100  # cents; the card does not mention this step


def card(data: Data) -> Data:
    """Return the content of the card."""
    own = part_of(data).card(data)
    return {
        "title": f"{data['name']}: how to play",
        "game": data["name"],
        "tagline": own.tagline,
        "steps": own.steps,
        "tables": [own.main_table, *_paytables(data, own)],
        "odds": [_odds_row(data, own, bet) for bet in data["bets"]],
        "odds_note": _odds_note(own),
        "limits": _limits(data),
        "digest": data["digest"][:16],
        "version": data["version"],
        "date": data["date"],
    }


def _paytables(data: Data, own: CardContent) -> list[Data]:
    tables = []
    for name, lines in data["paytables"].items():
        title, about = own.paytables[name]
        rows = [[_line(line["on"], own), odds(line["pays"])] for line in lines]
        tables.append({"title": title, "about": about, "rows": rows})
    return tables


def _line(results: list[str | int], own: CardContent) -> str:
    return span([own.lines.get(str(r), event(r)) if isinstance(r, str) else r for r in results])


def _odds_row(data: Data, own: CardContent, bet: str) -> list[str]:
    figures = data["bets"][bet]
    if not figures:
        return [bet_name(data, bet), NOT_COMPUTED, "", ""]
    house_edge = figures["house_edge"]
    edge = percent(house_edge, 2)
    top = figures.get("top_prize")
    return [
        own.names.get(bet) or bet_name(data, bet),
        edge.removeprefix("\N{MINUS SIGN}") + " in your favor" if house_edge < 0 else edge,
        percent(figures["hit_frequency"], 1),
        odds(top["pays"]) if top else "",
    ]


def _odds_note(own: CardContent) -> str:
    """Explain the house edge and the conditions under which it holds."""
    decks = "the deck is" if own.decks == 1 else f"all {own.decks} decks are"
    return (
        "The house edge is what a bet loses on average, as a share of the stake, if"
        f" {decks} shuffled every round{own.play}."
    )


def _limits(data: Data) -> list[list[str]]:
    """List the limits of each bet; if all bets share one limit, list it once."""
    rows = [[bet_name(data, row["bet"]), _limit(row)] for row in data["limits"]]
    one_for_all = len(game_of(data).stakes) == 1
    return [["Each of the equal bets", rows[0][1]]] if one_for_all else rows


def _limit(row: Data) -> str:
    step = "" if row["step"] == USUAL_STEP else f", in steps of {money(row['step'])}"
    return f"{money(row['least'])} to {money(row['most'])}{step}"
