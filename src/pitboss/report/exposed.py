"""Tables of the value of a card that the player knows before betting."""

from __future__ import annotations

from pitboss.report.blocks import (
    Block,
    cell,
    pair,
    table,
    text,
)
from pitboss.report.elements import (
    NOT_COMPUTED,
    Data,
    bet_name,
)
from pitboss.report.text import (
    decimal,
    listing,
)

SHUFFLE = "Every round starts from a full, fresh shuffle: cards of earlier rounds reveal nothing."
BEFORE = "Only a card known **before** betting is worth something."


def not_computed() -> list[Block]:
    """State that the value of exposed cards was not computed."""
    return [text(f"{SHUFFLE} The value of exposed cards is {NOT_COMPUTED}.")]


def known_cards(data: Data) -> str:
    """Explain the tables of exposed cards."""
    return (
        "The tables give the expectation, with one unit on each bet, when one card of the player's"
        " own hand, or of the dealer's, is known; a 10 is any ten-value card. Figures above zero"
        f" favor the player and are highlighted. {_worst(data)}"
    )


def exposed_tables(data: Data) -> Block:
    """Return the tables of exposed cards: the player's own and the dealer's."""
    return pair(*(_exposed_table(data, whose, rows) for whose, rows in data["exposed"].items()))


def _exposed_table(data: Data, whose: str, rows: list[Data]) -> Block:
    bets = [name for name in rows[0] if name != "card"]
    captions = {"own": "A card of the player's own hand", "dealer": "A card of the dealer's hand"}
    return table(
        f"{captions[whose]} is known: expectation in units of one bet",
        "l" + "r" * len(bets),
        ["card", *(bet_name(data, bet) for bet in bets)],
        [
            [
                cell(row["card"]),
                *(
                    cell(decimal(row[bet], 4, sign=True), "good" if row[bet] > 0 else "")
                    for bet in bets
                ),
            ]
            for row in rows
        ],
    )


def _worst(data: Data) -> str:
    """Name the player's card and the dealer's card whose exposure costs the house most."""
    found = []
    for whose, rows in data["exposed"].items():
        hand = "the player's own hand" if whose == "own" else "the dealer's hand"
        worth, bet, card = max(
            (value, bet, row["card"]) for row in rows for bet, value in row.items() if bet != "card"
        )
        name = "an ace" if card == "A" else f"{'an' if card == '8' else 'a'} {card}"
        found.append(
            f"{name} of {hand}, {decimal(worth, 4, sign=True)} units on {bet_name(data, bet)}"
        )
    return f"The most expensive for the house are {listing(found)}."
