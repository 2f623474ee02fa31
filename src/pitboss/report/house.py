"""The sections for the house: operations, limits and reserves."""

from __future__ import annotations

from pitboss.jurisdictions import WASHINGTON_2017
from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    facts,
    figure,
    table,
    text,
)
from pitboss.report.elements import (
    NOT_COMPUTED,
    Data,
    bet_name,
    part_of,
    see,
    stake_name,
)
from pitboss.report.text import (
    chance,
    event,
    listing,
    minus,
    money,
    odds,
    whole,
)


def operations(data: Data) -> list[Block]:
    """Return the section on the house's win and how often the house is behind."""
    plan = data["operations"]
    if not plan:
        return [text(f"The house's win per hour, and how often it is behind, are {NOT_COMPUTED}.")]
    stakes = [
        f"{money(cents)} on {stake_name(data, stake)}"
        for stake, cents in plan["stakes"].items()
        if cents
    ]
    rounds, hours = plan["day"]["rounds"], plan["hours"]
    style = "bad" if plan["win_per_round"] < 0 else ""
    return [
        facts(
            ("One seat stakes", cell(f"{listing(stakes)}, every round")),
            ("Rounds an hour", cell(whole(plan["rounds_per_hour"]))),
            ("Theoretical win per round", cell(_exact_money(plan["win_per_round"]), style)),
            ("Theoretical win per hour", cell(money(plan["win_per_hour"]), style)),
            (f"Theoretical win in {hours} hours", cell(money(plan["win_per_hour"] * hours), style)),
            ("Standard deviation per round", cell(money(plan["std_dev_per_round"]))),
        ),
        table(
            "Probability that the house is behind, by number of rounds of one seat",
            "rrr",
            ("rounds", "at this pace", "house behind"),
            [_behind_row(plan, row) for row in plan["house_behind"]],
        ),
        figure("house-day", f"The house's result after {whole(rounds)} rounds", _day_alt(plan)),
        text(
            f"The distribution is that of one round, {part_of(data).one_round(data)}convolved with"
            " itself. More seats add their wins and losses, but they share the dealer's hand, so"
            f" they are not independent. For the conditions, see {see('summary')}."
        ),
    ]


def _exact_money(cents: float) -> str:
    return minus(f"{'-' if cents < 0 else ''}${abs(cents) / 100:,.4f}")


def _behind_row(plan: Data, row: Data) -> list[Cell]:
    hours = row["rounds"] / plan["rounds_per_hour"]
    return [
        cell(whole(row["rounds"])),
        cell(f"{hours:,.1f} h".replace(".0 h", " h")),
        cell(chance(row["probability"])),
    ]


def _day_alt(plan: Data) -> str:
    rounds = plan["day"]["rounds"]
    behind = next(r["probability"] for r in plan["house_behind"] if r["rounds"] == rounds)
    mean = plan["win_per_round"] * rounds
    return (
        f"Histogram of the house's result after {whole(rounds)} rounds, {plan['hours']} hours of"
        f" play: the mean is {money(mean)}, and with probability {chance(behind)} the house is"
        " behind."
    )


def limits(data: Data) -> list[Block]:
    """Return the section on limits, highest prizes and the reserve."""
    rows = data["limits"]
    if not rows:
        return [text("No limits were given.")]
    titles = ("bet", "least", "most", "steps", "top prize", "wins at the limit")
    return [
        table(
            "Limits and the highest prizes",
            "wrrrrr",
            titles,
            [_limit_row(data, row) for row in rows],
        ),
        *_reserve(data),
        text(
            "`pitboss check` tells whether a jurisdiction allows these limits, with its sources. "
            "Neither the check nor this report is legal advice."
        ),
    ]


def _limit_row(data: Data, row: Data) -> list[Cell]:
    amounts = [cell(money(row[name])) for name in ("least", "most", "step")]
    return [
        cell(bet_name(data, row["bet"])),
        *amounts,
        cell(odds(row["pays"]) if row["pays"] else ""),
        cell(money(row["top_prize"]) if row["pays"] else ""),
    ]


def _reserve(data: Data) -> list[Block]:
    """List the prizes relevant to the reserve, and name the prize to hold in reserve."""
    rows, rule = data["limits"], WASHINGTON_2017.reserve
    over = [
        (prize["win"], row["bet"], prize)
        for row in rows
        for prize in row["prizes"]
        if prize["win"] > rule.above
    ]
    over.sort(key=lambda prize: prize[0], reverse=True)
    law = f"{rule.citation.section} ({rule.citation.version})"
    if not over:
        return [
            text(
                f"No odds-based prize exceeds {money(rule.above)}, so in Washington {law} asks for"
                " no reserve."
            )
        ]
    lines = [
        [
            cell(bet_name(data, bet)),
            cell(_result(prize["on"])),
            cell(odds(prize["pays"])),
            cell(money(win)),
        ]
        for win, bet, prize in over
    ]
    titles = ("bet", "result", "pays", "wins at the limit")
    return [
        table(f"Odds-based prizes over {money(rule.above)}", "lwrr", titles, lines),
        text(_kept(law, [win for win, _, _ in over])),
    ]


def _kept(law: str, over: list[int]) -> str:
    if len(over) == 1:
        return (
            f"In Washington {law} asks for a reserve if more than one prize is that high: none is "
            "due here."
        )
    return (
        f"More than one prize is that high, so in Washington {law} asks that the second highest be"
        f" kept in reserve: **{money(over[1])}**."
    )


def _result(on: str | int) -> str:
    return f"total {on}" if isinstance(on, int) else event(on)
