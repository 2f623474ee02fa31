"""The sections of outcome tables and summary figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pitboss.analysis.conditions import shared
from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    code,
    facts,
    figure,
    heading,
    note,
    table,
    text,
)
from pitboss.report.elements import (
    NEEDS_STRATEGY,
    NOT_COMPUTED,
    Data,
    bet_name,
    computed,
    conditions_block,
    counted,
    edge_cell,
    estimate_cell,
    expectation,
    game_blocks,
    missing,
    part_of,
)
from pitboss.report.text import (
    decimal,
    event,
    fraction,
    listing,
    odds,
    one_in,
    percent,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable


LEAST_RETURN = 0.75  # GLI-19, 4.7.1


def outcomes(data: Data) -> list[Block]:
    """Return the section of outcome tables."""
    blocks: list[Block] = []
    own = game_blocks(data, "outcomes")
    for bet, figures in data["bets"].items():
        if not figures:
            unknown = note("info", NOT_COMPUTED.capitalize(), NEEDS_STRATEGY)
            blocks += [heading(bet_name(data, bet)), unknown]
        elif bet in counted(data):
            blocks += _counted_bet(data, bet, figures)
        else:  # the game shows all bets that need a strategy together
            blocks, own = blocks + own, []
    return blocks + own


def _counted_bet(data: Data, bet: str, figures: Data) -> list[Block]:
    return [
        heading(bet_name(data, bet)),
        _outcome_table(bet_name(data, bet), figures),
        text(_check_sum(data, bet, figures)),
        conditions_block(data, bet),
        _outcome_figure(data, bet, figures),
    ]


def _outcome_table(name: str, figures: Data) -> Block:
    rows = [
        [
            cell(event(row["event"])),
            cell(odds(row["pays"])),
            cell(whole(row["combinations"])),
            cell(decimal(row["probability"])),
            cell(decimal(row["return"], sign=True)),
        ]
        for row in figures["outcomes"]
    ]
    total = [
        cell("total"),
        cell(""),
        cell(whole(_added(figures))),
        cell(decimal(sum(row["probability"] for row in figures["outcomes"]))),
        cell(
            decimal(-figures["house_edge"], sign=True), "bad" if figures["house_edge"] < 0 else ""
        ),
    ]
    titles = ("event", "pays", "combinations", "probability", "return")
    return table(f"{name}: outcomes of one unit staked", "wrrrr", titles, rows, total)


def _added(figures: Data) -> int:
    return sum(row["combinations"] for row in figures["outcomes"])


def _check_sum(data: Data, bet: str, figures: Data) -> str:
    """State that the combinations add up to the number given by the formula."""
    formula, count = part_of(data).combinations(data, bet)
    return (
        f"Check sum: the combinations add up to **{whole(_added(figures))}**, and {formula} is"
        f" {whole(count)}. The returns add up to the expectation, exactly"
        f" `{fraction(figures['ev'])}`."
    )


def _outcome_figure(data: Data, bet: str, figures: Data) -> Block:
    name, top = bet_name(data, bet), figures["top_prize"]
    alt = (
        f"Bar chart of the probability of each result of one unit on {name}: it wins with"
        f" probability {percent(figures['hit_frequency'])}, pushes with"
        f" {percent(figures['push_rate'])}; its top prize of {odds(top['pays'])} comes once in"
        f" {one_in(top['one_in']).removeprefix('1 in ')}."
    )
    caption = f"{name}: the probability of each result of one unit staked"
    return figure(f"outcomes-{bet}", caption, alt)


def _if_any(name: str, show: Callable[[Any], Cell]) -> Callable[[Data], Cell]:
    """Return a cell for a figure that some bets do not have."""
    return lambda figures: show(figures[name]) if figures.get(name) is not None else cell("")


SUMMARY: dict[str, Callable[[Data], Cell]] = {
    "house edge": lambda f: edge_cell(f["house_edge"]),
    "expectation, exact": lambda f: code(expectation(f), "bad" if f["house_edge"] < 0 else ""),
    "units staked": _if_any("stake", lambda units: cell(whole(units))),
    "money finally put down, units": _if_any("put_down", lambda units: cell(decimal(units, 6))),
    "house edge of money put down": _if_any("house_edge_put_down", edge_cell),
    "return to player": lambda f: cell(percent(1 - f["house_edge"])),
    "standard deviation": lambda f: estimate_cell(f, "std_dev", decimal, 6),
    "skewness": _if_any("skewness", lambda value: cell(decimal(value, 4))),
    "wins": lambda f: estimate_cell(f, "hit_frequency", percent, 4),
    "pushes": lambda f: estimate_cell(f, "push_rate", percent, 4),
    "top prize": _if_any("top_prize", lambda top: cell(odds(top["pays"]))),
    "top prize comes": _if_any("top_prize", lambda top: cell(one_in(top["one_in"]))),
}
"""The rows of the summary; each function formats one figure of a bet."""


def summary(data: Data) -> list[Block]:
    """Return the section of summary figures and their conditions."""
    bets = computed(data)
    rows = [
        [cell(name), *(show(figures) for figures in bets.values())]
        for name, show in SUMMARY.items()
    ]
    rows = [row for row in rows if any(shown["spans"][0][1] for shown in row[1:])]
    titles = ["one unit on each bet", *(bet_name(data, bet) for bet in bets)]
    blocks = [table("Summary of the bets", "w" + "r" * len(bets), titles, rows)]
    if unknown := missing(data):
        names = listing([bet_name(data, bet) for bet in unknown])
        blocks.append(note("info", f"{names}: {NOT_COMPUTED}", NEEDS_STRATEGY))
    blocks += game_blocks(data, "summary")
    return blocks + _all_conditions(data) + _least_return(data)


def _all_conditions(data: Data) -> list[Block]:
    """State the shared conditions first, then the others; group bets with equal conditions."""
    needed = data["conditions"]
    common = shared(needed)
    own: dict[str, list[str]] = {_clauses_of(common): ["Every figure"]}
    for bet, clauses in needed.items():
        if more := [clause for clause in clauses if clause not in common]:
            own.setdefault(_clauses_of(more), []).append(bet_name(data, bet))
    rows = [(listing(bets), cell(clauses)) for clauses, bets in own.items()]
    return [heading("Conditions"), facts(*rows)]


def _clauses_of(clauses: list[str]) -> str:
    joined = "; ".join(clauses)
    return f"{joined[0].upper()}{joined[1:]}."


def _least_return(data: Data) -> list[Block]:
    """Name the bets that return less than the GLI-19 minimum, and explain that minimum."""
    low = {bet: f for bet, f in computed(data).items() if 1 - f["house_edge"] < LEAST_RETURN}
    if not low:
        return []
    listed = listing(
        [f"{bet_name(data, b)} {percent(1 - f['house_edge'], 2)}" for b, f in low.items()]
    )
    judged = part_of(data).minimum_return(data)
    return [
        note(
            "info",
            "Minimum return",
            "GLI-19, 4.7.1, asks each house-banked game for a theoretical return of at least 75%,"
            " in every wager configuration and under optimal play. Taken alone, these bets return"
            f" less: {listed}. {judged}",
        )
    ]
