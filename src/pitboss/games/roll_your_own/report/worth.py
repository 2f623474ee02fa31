"""The report section on the value of each rule of Roll Your Own and of Bonus pay tables."""

from __future__ import annotations

from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    heading,
    table,
    text,
)
from pitboss.report.elements import (
    NOT_COMPUTED,
    Data,
    edge_cell,
    see,
)
from pitboss.report.text import (
    decimal,
    event,
    odds,
    percent,
)
from pitboss.report.worth import difference_cell, reasons, setting_cell, worth_figure


def sensitivity(data: Data) -> list[Block]:
    """Show the value of each rule, and the house edge of each Bonus pay table."""
    return [*_rules_worth(data), *_bonus_tables(data)]


def _rules_worth(data: Data) -> list[Block]:
    rows = data["rules_worth"]
    return [
        heading("What each rule is worth"),
        text(
            "The game was solved with each setting switched, one at a time. The difference is the "
            "player's gain per round from the switch, in units of one bet. House edges are per"
            f" unit staked. All figures are exact, under the conditions in {see('summary')}. The "
            "Bonus"
            " depends only on its pay table: under each of these settings its house edge is"
            f" {percent(data['bets']['bonus']['house_edge'])}."
        ),
        table(
            "The game with one setting switched",
            "wrrrr",
            ("setting", "blackjack bets", "difference", "their house edge", "package"),
            [_worth_row(row) for row in rows],
            _worth_total(data),
        ),
        *(text(f"`{name}`: {reason}.") for name, reason in reasons(rows).items()),
        text(
            "The number of seats affects these figures only through rule 8: see"
            f" {see('advantage')}. The game has one deck; other numbers are {NOT_COMPUTED}."
        ),
        *worth_figure(data),
    ]


def _worth_row(row: Data) -> list[Cell]:
    name = setting_cell(row)
    if row["blackjack_ev"] is None:
        return [name, cell(NOT_COMPUTED), *(cell("") for _ in range(3))]
    return [
        name,
        cell(decimal(row["blackjack_ev"], 9, sign=True)),
        difference_cell(row),
        edge_cell(row["blackjack_house_edge"]),
        edge_cell(row["house_edge"]),
    ]


def _worth_total(data: Data) -> list[Cell] | None:
    blackjack, package = data["bets"]["blackjack"], data["bets"]["package"]
    if not package:
        return None
    return [
        cell("rules in force"),
        cell(decimal(blackjack["ev"], 9, sign=True)),
        cell(""),
        edge_cell(blackjack["house_edge"]),
        edge_cell(package["house_edge"]),
    ]


def _bonus_tables(data: Data) -> list[Block]:
    tables = data["bonus_tables"]
    names = list(tables[0]["pays"])
    is_solved = tables[0]["house_edge"] is not None
    about = (
        "The blackjack bets do not depend on the Bonus pay table, so a change in the edge of the"
        " Bonus changes the edge of the package by a third as much. **A negative house edge favors"
        " the player.**"
        if is_solved
        else f"The package is {NOT_COMPUTED}."
    )
    return [
        heading("The Bonus pay table and the edge"),
        text(
            "The first row is the table in force; in each other row, one line of it pays a step"
            f" less or more. {about} `pitboss analyze roll-your-own --target package=2%` finds, for"
            " each line, the odds that bring the edge closest to 2%."
        ),
        table(
            "Which Bonus table gives which house edge",
            "r" * (len(names) + 2),
            (*map(event, names), "Bonus", "package"),
            [
                [
                    *(_bonus_cell(row, name) for name in names),
                    edge_cell(row["bonus_house_edge"], 2),
                    edge_cell(row["house_edge"], 3) if is_solved else cell(NOT_COMPUTED),
                ]
                for row in tables
            ],
        ),
    ]


def _bonus_cell(row: Data, name: str) -> Cell:
    pays = row["pays"][name]
    style = "" if row["changed"] else "force"
    return cell(odds(pays) if pays else "lose", "changed" if name in row["changed"] else style)
