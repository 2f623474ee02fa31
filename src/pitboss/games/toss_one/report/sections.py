"""The sections of the report that only Toss One 21 has."""

from __future__ import annotations

from math import comb, sqrt

from pitboss.core.errors import plural
from pitboss.report.blocks import (
    Block,
    cell,
    code,
    facts,
    formula,
    note,
    table,
    text,
)
from pitboss.report.elements import (
    Data,
    bet_name,
    computed,
    conditions_block,
    edge_cell,
    see,
)
from pitboss.report.exposed import BEFORE, SHUFFLE, exposed_tables, known_cards
from pitboss.report.text import (
    decimal,
    fraction,
    listing,
    whole,
)


def method(data: Data) -> list[Block]:
    """Explain how the bets are counted."""
    decks = data["rules"]["decks"]
    return [
        text(
            "Every figure here is **counted, not simulated**; the only simulation is the "
            "confirmation in"
            f" {see('simulation')}, and no figure depends on it."
        ),
        text(
            "**Main** depends only on the values of the cards, ace to ten, and four cards have one"
            " of 715 combinations of values. For each of the player's 715 hands against each of"
            " the dealer's 715 hands, the number of deals is a product of binomial coefficients"
            " over the ten values v, where the shoe has s~v~ cards of that value, the player p~v~"
            " and the dealer d~v~:"
        ),
        formula("∏~v~ C(s~v~, p~v~) × ∏~v~ C(s~v~ − p~v~, d~v~)"),  # noqa: RUF001
        text(
            f"For {plural(decks, 'deck')} the counts add up to {_deals(decks)} ="
            f" {whole(_count_deals(decks))} deals, which is the check sum below the table of"
            f" {see('outcomes')}."
        ),
        text(
            "**Who wins is decided by the rules engine itself**: the comparison that settles bets"
            " at a table is applied to every kind of hand against every other, so no rule is "
            "written twice. Pay tables are applied to the finished counts in exact"
            " fractions; another pay table needs no recount."
        ),
        text(
            "**Lucky 3** depends on suits too and is counted over forty types of card, ten values"
            " by four suits. If several cards of one value may be tossed, the toss is the one for "
            "which Lucky 3 pays most. **Bonus 4** depends only on the total of all four cards."
        ),
        text(
            "Every round starts from a full, fresh shuffle. The cards of other seats are as unknown"
            " as those left in the shoe, so the number of seats changes no figure of a bet."
        ),
    ]


def _deals(decks: int) -> str:
    return f"C({52 * decks}, 4) × C({52 * decks - 4}, 4)"  # noqa: RUF001  a multiplication sign


def _count_deals(decks: int) -> int:
    return comb(52 * decks, 4) * comb(52 * decks - 4, 4)


def strategy(data: Data) -> list[Block]:
    """Prove that the choice of toss never affects Main."""
    count = data["strategy"]
    rows = [
        ("bust: nothing to toss", count["busts"]),
        ("exactly one best toss", count["one_toss"]),
        ("several best tosses, all of one value", count["several_equal_tosses"]),
        ("best tosses of different values", count["tosses_of_different_value"]),
    ]
    opening = (
        "**The best toss is never in doubt.** Any card may be tossed, and it is best to keep"
        if data["rules"]["toss"] == "free"
        else "**The toss is forced.** Clause 3 obliges the player to keep"
    )
    return [
        text(
            f"{opening} the three cards that come closest to 21, and the count below proves that"
            " this never leaves a choice that affects Main: no hand has two best tosses of"
            " different values."
        ),
        table(
            "All four-card hands of one deck, by the tosses that leave the best total",
            "lr",
            ("hands with", "combinations"),
            [[cell(name), cell(whole(n))] for name, n in rows],
            [cell("total"), cell(whole(count["hands"]))],
        ),
        text(
            "All 715 combinations of values occur in one deck, so the same holds for any number of"
            " decks. The only choice left is which of several equal cards to toss. It affects only"
            " the suits of the three cards kept, and so only Lucky 3; the figures assume the toss"
            " for which Lucky 3 pays most."
        ),
        *_free_toss(data),
    ]


def _free_toss(data: Data) -> list[Block]:
    if data["rules"]["toss"] != "free":
        return []
    return [
        note(
            "info",
            "The toss is free under these rules",
            "With `toss=free` any card may be tossed. The figures are those of a player who keeps"
            " the best total. If a blackjack pays at least even money, that is the best play: a"
            " higher total is never worse against any hand of the dealer, Lucky 3 pays only on"
            " 21, and Bonus 4 does not depend on the toss.",
        )
    ]


def package(data: Data) -> list[Block]:
    """Show the bets of one seat as a package."""
    together, bets = data["package"], computed(data)
    alone = sqrt(sum(figures["std_dev"] ** 2 for figures in bets.values()))
    return [
        text(
            f"{listing([bet_name(data, bet) for bet in bets])} are settled from the same four"
            " cards, so they are not independent; their joint distribution is counted too."
        ),
        facts(
            ("Stake", cell(f"{together['stake']} units, one on each bet")),
            ("Expectation, exact", code(fraction(together["ev"]))),
            ("House edge per unit staked", edge_cell(together["house_edge"])),
            ("Standard deviation", cell(decimal(together["std_dev"], 6))),
            ("The same if independent", cell(decimal(alone, 6))),
            ("Skewness", cell(decimal(together["skewness"], 4))),
        ),
        table(
            "Correlation of the bets of one seat",
            "lr",
            ("bets", "correlation"),
            [
                [cell(_pair_name(data, pair)), cell(decimal(value, 4, sign=True))]
                for pair, value in together["correlations"].items()
            ],
        ),
        conditions_block(data, "package"),
    ]


def _pair_name(data: Data, bets: str) -> str:
    return listing([bet_name(data, bet) for bet in bets.split(", ")])


def advantage(data: Data) -> list[Block]:
    """Show the value of knowing a card before betting."""
    free = data["rules"]["toss"] == "free"
    toss = "the best toss is the same whatever is seen" if free else "the toss is forced"
    return [
        text(
            "**After the bets are made, no card that a player sees is worth anything on Main**: "
            f"{toss}"
            f" ({see('strategy')}), so there is no decision left to improve. Bonus 4 has none "
            f"either. {SHUFFLE}"
        ),
        text(f"{BEFORE} {known_cards(data)}"),
        exposed_tables(data),
    ]


def combinations(data: Data, bet: str) -> tuple[str, int]:
    """Return the formula and the number of deals (Main) or hands (side bets)."""
    decks = data["rules"]["decks"]
    if bet == "main":
        return _deals(decks), _count_deals(decks)
    return f"C({52 * decks}, 4)", comb(52 * decks, 4)
