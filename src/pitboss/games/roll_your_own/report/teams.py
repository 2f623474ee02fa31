"""Rule 8 in the report: teams that run out the deck, and whole tables of single players."""

from __future__ import annotations

from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    heading,
    note,
    table,
    text,
)
from pitboss.report.elements import (
    NOT_COMPUTED,
    Data,
    package_of,
    see,
)
from pitboss.report.text import (
    decimal,
    percent,
    whole,
)


def warnings(data: Data) -> list[Block]:
    """Warn about teams that beat the game, or that may beat it."""
    rule = data["rule_8"]
    if not rule or rule["run_out"] != "win":
        return []
    if rule["teams"]:
        return _known_teams_warning(data, rule["teams"])
    return _unknown_teams_warning() if rule["seats"] >= RISKY_SEATS else []


def _known_teams_warning(data: Data, teams: list[Data]) -> list[Block]:
    winners = [row for row in teams if row["house_edge"] < 0]
    if not winners:
        return []
    *first, last = sorted(whole(row["seats"]) for row in winners)
    seats = f"{', '.join(first)} or {last}" if first else last
    together = package_of(data)
    alone = f" of {percent(together['house_edge'])}" if together else ""
    return [
        note(
            "warning",
            f"A team at {seats} seats beats this game through rule 8",
            "When a card is needed and the deck is used up, every bet in action wins"
            " (`run_out=win`). Players who hold all seats and try to use it up have the edge:",
            *(_team_line(row) for row in winners),
            f"Simulated, ± one standard error: {whole(winners[0]['rounds'])} rounds each, seed"
            f" {winners[0]['seed']}, strategy `run-out`; the Bonus is exact. That strategy is"
            " simple: a better one would win more. **The house edge"
            f"{alone} in this report is for a player alone**; see {see('advantage')}.",
        )
    ]


def _team_line(row: Data) -> str:
    error = row["std_error"]
    return (
        f"**{row['seats']} seats: a house edge of {percent(row['house_edge'], 2)}** ±"
        f" {percent(error['house_edge'], 2)} of the three-unit stake; the deck runs out in"
        f" {percent(row['runs_out'], 2)} ± {percent(error['runs_out'], 2)} of rounds."
    )


def _unknown_teams_warning() -> list[Block]:
    return [
        note(
            "warning",
            f"Teams that use rule 8 are {NOT_COMPUTED}",
            "When a card is needed and the deck is used up, every bet in action wins"
            " (`run_out=win`). Under the default rules, a full table that tries to use up the deck"
            f" beats the game by far. Under these rules it was not simulated. {MEASURE_TEAMS}",
        )
    ]


RISKY_SEATS = 5
"""The fewest seats with which a team may beat the game; six seats beat the default rules."""


MEASURE_TEAMS = (
    "To simulate it, run `pitboss simulate roll-your-own --strategy run-out --seats N` with the"
    " same settings."
)


WHO = {
    "teams": "a team",
    "teams_with_push": "a team, with run_out=push",
    "single_players": "single players",
}


def whole_tables(data: Data) -> list[Block]:
    """Report the results of teams that run out the deck, and of single players."""
    rule = data["rule_8"]
    if not rule:
        return []
    paid = "wins even money" if rule["run_out"] == "win" else "is returned"
    opening = (
        "Rule 8: when a card is needed and the deck is used up, every bet in action"
        f" {paid} (`run_out={rule['run_out']}`)."
    )
    others = (
        "All packs lie face up. The gain of a player who uses the cards of the other packs is"
        f" {NOT_COMPUTED}."
    )
    title = heading("Rule 8, and the other seats")
    if rule["seats"] == 1:
        return [title, text(f"{opening} One seat alone cannot use up the deck.")]
    if not rule["teams"]:
        missing = (
            f"Teams that try to use it up are {NOT_COMPUTED} under these rules. {MEASURE_TEAMS}"
        )
        return [title, text(f"{opening} {missing} {others}")]
    return [title, text(f"{opening} {TEAM}"), _whole_table(rule), text(others)]


TEAM = (
    "A team holds every seat. It splits and draws until the stub cannot last, and then raises its"
    " bets (`docs/run-out.md`, `--strategy run-out`). We searched for a simple strategy, and a"
    " better one may exist: a positive house edge here does not prove that a number of seats is"
    f" safe. A team that holds only some seats is {NOT_COMPUTED}."
)


def _whole_table(rule: Data) -> Block:
    found = {who: rule[key] for key, who in WHO.items() if rule[key]}
    if rule["run_out"] == "push":
        del found[WHO["teams_with_push"]]  # a duplicate table
    first = next(iter(found.values()))[0]
    return table(
        f"Whole tables, the three bets of a seat; simulated with seed {first['seed']}, ± one"
        " standard error, the Bonus exact",
        "wrrrrr",
        ("players", "seats", "rounds", "deck runs out", "units a round", "house edge"),
        [_trial_of(who, row) for who, rows in found.items() for row in rows],
    )


def _trial_of(who: str, row: Data) -> list[Cell]:
    error = row["std_error"]
    edge = f"{percent(row['house_edge'], 2)} ± {percent(error['house_edge'], 2)}"
    return [
        cell(who),
        cell(whole(row["seats"])),
        cell(whole(row["rounds"])),
        cell(f"{percent(row['runs_out'], 3)} ± {percent(error['runs_out'], 3)}"),
        cell(f"{decimal(row['ev'], 3, sign=True)} ± {decimal(error['ev'], 3)}"),
        cell(edge, "bad" if row["house_edge"] < 0 else ""),
    ]


def edge_lines(data: Data) -> list[str]:
    """Return a line for each team that beats the game through rule 8."""
    rule = data["rule_8"]
    return [
        f"a team of {row['seats']} has the edge through rule 8: house edge"
        f" {row['house_edge']:.2%} \N{PLUS-MINUS SIGN} {row['std_error']['house_edge']:.2%}"
        for row in (rule["teams"] if rule["run_out"] == "win" else ())
        if row["house_edge"] < 0
    ]
