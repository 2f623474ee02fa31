"""The strategy card of Toss One 21: which card to toss, and how to break ties for Lucky 3."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pitboss.core.paytables import unit_net
from pitboss.games.toss_one.rules import Lucky3, TossRule
from pitboss.strategy.page import paragraph, table
from pitboss.strategy.svg import FILLS, LEFT, QUIET
from pitboss.strategy.text import wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pitboss.games.toss_one.rules import Rules
    from pitboss.strategy.cards import Data
    from pitboss.strategy.svg import Sheet

MAIN = "Toss the card that leaves the highest total of 21 or less."
WHY = {
    TossRule.MUST_BE_BEST: "No other toss is legal (toss=must_be_best).",
    TossRule.FREE: "Any toss is legal (toss=free), and none is better: a higher total wins whenever"
    " a lower one does.",
}
SAME = (
    "Where several tosses leave that total, the cards are of one value, and Main does not care"
    " which of them goes."
)
FAMILIES = {
    "blackjack": (Lucky3.SUITED_BLACKJACK, Lucky3.COLOURED_BLACKJACK, Lucky3.BLACKJACK),
    "any other 21": (Lucky3.SUITED_21, Lucky3.COLOURED_21, Lucky3.OTHER_21),
}
SUITS = ("three of one suit", "three of one color", "mixed colors")


def card_data(rules: Rules, tell: Callable[[float], object]) -> Data:  # noqa: ARG001  at once
    """Return the rule for the toss in one line, and the choice between equal tosses for Lucky 3."""
    orders = [_order(rules, family) for family in FAMILIES.values()]
    return {
        "toss": {"rule": MAIN, "legal": str(rules.toss), "why": WHY[rules.toss], "equal": SAME},
        "lucky3": {
            "rule": _prefers(orders),
            "families": [
                {"name": name, "keep": order} for name, order in zip(FAMILIES, orders, strict=True)
            ],
        },
    }


def _order(rules: Rules, family: tuple[Lucky3, ...]) -> list[Data]:
    """Return the classes of a family, best paid first, with the payouts of the pay table."""
    nets = {kept: unit_net(rules.lucky3_paytable.odds(kept)) for kept in family}
    order = sorted(zip(family, SUITS, strict=True), key=lambda pair: -nets[pair[0]])
    return [
        {
            "class": str(kept),
            "text": text,
            "pays": _pays(rules, kept),
            "rank": 1 + sum(net > nets[kept] for net in set(nets.values())),
        }
        for kept, text in order
    ]


def _pays(rules: Rules, kept: Lucky3) -> str:
    odds = rules.lucky3_paytable.odds(kept)
    if odds is None:
        return "lose"
    return str(odds) if odds.win else "push"


def _prefers(orders: list[list[Data]]) -> str:
    """Return the preference in one line, separately for each family if they differ."""
    named = [_line(order) for order in orders]
    if named[0] == named[1]:
        return f"If Lucky 3 is bet and the total is 21: {named[0]}."
    each = "; ".join(f"of {name}, {line}" for name, line in zip(FAMILIES, named, strict=True))
    return f"If Lucky 3 is bet and the total is 21: {each}."


def _line(order: list[Data]) -> str:
    ranks = sorted({row["rank"] for row in order})
    if len(ranks) == 1:
        return "any, for all pay the same"
    best = [" or ".join(row["text"] for row in order if row["rank"] == rank) for rank in ranks]
    return f"keep {', else '.join(best)}"


# --- its forms


def text_lines(data: Data) -> Iterator[str]:
    """Yield the lines of the card as plain text."""
    toss, lucky3 = data["toss"], data["lucky3"]
    yield ""
    yield "THE TOSS"
    yield from wrap(toss["rule"])
    yield from wrap(toss["why"])
    yield from wrap(toss["equal"])
    yield ""
    yield "LUCKY 3"
    yield from wrap(lucky3["rule"])
    for family in lucky3["families"]:
        yield f"  {family['name']}"
        for row in family["keep"]:
            yield f"    {row['rank']}  {row['text']:<22}{row['pays']:>6}"


def draw(sheet: Sheet, data: Data) -> None:
    """Draw the card on a sheet."""
    toss, lucky3 = data["toss"], data["lucky3"]
    sheet.heading("The toss")
    sheet.y += 6
    sheet.paragraph(toss["rule"], size=17)
    sheet.y += 2
    sheet.paragraph(f"{toss['why']} {toss['equal']}", size=12, fill=QUIET)
    sheet.y += 8
    sheet.heading("Lucky 3")
    sheet.y += 4
    sheet.paragraph(lucky3["rule"], size=13)
    for family in lucky3["families"]:
        sheet.y += 12
        sheet.write(LEFT, sheet.y, family["name"].capitalize(), size=13, bold=True)
        for row in family["keep"]:
            sheet.y += 24
            fill = {1: FILLS["Dh"], 2: FILLS["S"]}.get(row["rank"], FILLS["H"])
            sheet.box(LEFT, sheet.y - 16, 420, 24, fill)
            sheet.write(LEFT + 12, sheet.y, str(row["rank"]), size=13, bold=True)
            sheet.write(LEFT + 40, sheet.y, row["text"], size=13)
            sheet.write(LEFT + 408, sheet.y, row["pays"], size=13, anchor="end")
        sheet.y += 20


def html_blocks(data: Data) -> Iterator[str]:
    """Yield the blocks of the card as HTML."""
    toss, lucky3 = data["toss"], data["lucky3"]
    yield "<h2>The toss</h2>"
    yield paragraph(toss["rule"], "big")
    yield paragraph(f"{toss['why']} {toss['equal']}", "quiet")
    yield "<h2>Lucky 3</h2>"
    yield paragraph(lucky3["rule"])
    for family in lucky3["families"]:
        yield f"<h3>{escape(family['name'].capitalize())}</h3>"
        lines = (("", str(r["rank"]), r["pays"], r["text"]) for r in family["keep"])
        yield table("keep", ("Choice", "Pays", "Keep"), lines)
