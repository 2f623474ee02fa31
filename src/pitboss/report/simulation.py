"""The section on the simulation that confirms the exact figures."""

from __future__ import annotations

from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    code,
    facts,
    table,
    text,
)
from pitboss.report.elements import (
    Data,
    bet_name,
)
from pitboss.report.text import (
    decimal,
    listing,
    percent,
    whole,
)


def simulation(data: Data) -> list[Block]:
    """Return the section on the simulation."""
    trial = data["simulation"]
    if not trial:
        return [text("No simulation was requested (`--simulate N`); the figures do not need one.")]
    titles = ("bet", "mean", "exact", "95% interval of the mean", "z", "chi-square")
    return [
        facts(("Rounds", cell(whole(trial["rounds"]))), ("Seed", code(str(trial["seed"])))),
        text(
            "Rounds of one seat with all bets made were dealt at random, independently of the"
            " counting, and settled with tables from the rules engine. Chi-square compares how"
            " often each class occurred with how often it was expected; its degrees of freedom are"
            " in brackets, and classes expected less than five times are merged. `pitboss"
            " simulate` with the same seed plays the same rounds."
        ),
        table(
            "The simulation next to the exact figures, per unit staked",
            "lrrrrr",
            titles,
            [_trial_row(bet_name(data, bet), row) for bet, row in trial["bets"].items()],
        ),
        text(_agreement(data, trial["bets"])),
    ]


def _trial_row(name: str, row: Data) -> list[Cell]:
    low, high = (percent(end, 3, sign=True) for end in row["interval"]["95%"])
    chi_square = row["chi_square"]
    return [
        cell(name),
        cell(percent(row["ev"], sign=True)),
        cell(percent(row["exact"], sign=True)),
        cell(f"{low} to {high}"),
        cell(decimal(row["z"], 2, sign=True), "" if _agrees(row) else "bad"),
        cell(f"{decimal(chi_square['value'], 2)} ({chi_square['degrees_of_freedom']})"),
    ]


def _agrees(row: Data) -> bool:
    low, high = row["interval"]["95%"]
    return bool(low <= row["exact"] <= high)


def _agreement(data: Data, rows: dict[str, Data]) -> str:
    outside = [bet_name(data, bet) for bet, row in rows.items() if not _agrees(row)]
    if not outside:
        return "Every exact expectation lies inside its interval."
    return (
        f"Outside its interval: {listing(outside)}. One in twenty is outside by chance alone;"
        " try another seed or more rounds to see whether it was chance."
    )
