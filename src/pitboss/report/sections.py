"""The complete text and numbers of the report as sections, shared by HTML and PDF.

The sections use only the report's data; the statements on the approval use the same jurisdiction
data as ``pitboss check``.
"""

from __future__ import annotations

from pitboss.analysis.conditions import shared
from pitboss.report.blocks import (
    Block,
    note,
    number,
    text,
)
from pitboss.report.elements import (
    TITLES,
    Data,
    bet_name,
    conditions_text,
    expectation,
    game_blocks,
    package_of,
    part_of,
    staked,
    with_edge,
)
from pitboss.report.house import limits, operations
from pitboss.report.outcomes import outcomes, summary
from pitboss.report.rules import changes, identification, rules
from pitboss.report.simulation import simulation
from pitboss.report.text import (
    percent,
)


def document(data: Data) -> Data:
    """Return the whole report as sections of blocks, with numbered tables and figures."""
    sections = [
        {"id": key, "number": place, "title": title, "blocks": _blocks(data, key)}
        for place, (key, title) in enumerate(TITLES.items(), 1)
    ]
    number(sections)
    return {
        "title": f"{data['name']}: math report",
        "game": data["name"],
        "summary": data["summary"],
        "version": data["version"],
        "digest": data["digest"],
        "date": data["date"],
        "warnings": _warnings(data),
        "sections": sections,
    }


def _blocks(data: Data, key: str) -> list[Block]:
    blocks = BUILDERS[key](data) if key in BUILDERS else game_blocks(data, key)
    return [*blocks, *_units(data)] if key == "method" else blocks


def _warnings(data: Data) -> list[Block]:
    return [*_edge_warning(data), *part_of(data).warnings(data)]


def _edge_warning(data: Data) -> list[Block]:
    ahead = {bet: f for bet, f in with_edge(data).items() if f["house_edge"] < 0}
    if not ahead:
        return []
    lines = [
        f"Under the rules in force **{bet_name(data, bet)}** has an expectation of"
        f" `{expectation(f)}` for {staked(f)}: **the house edge is {percent(f['house_edge'])}**,"
        " in the player's favor."
        for bet, f in ahead.items()
    ]
    lines += part_of(data).edge_reasons(ahead)
    lines += [*_package_warning(data), conditions_text(shared(data["conditions"]))]
    return [note("warning", "The player has the edge", *lines)]


def _package_warning(data: Data) -> list[str]:
    package = package_of(data)
    if not package:
        return []
    owner = "the player" if package["house_edge"] < 0 else "the house"
    edge = percent(package["house_edge"])
    return [f"All bets together favor {owner}: the house edge is **{edge}** per unit staked."]


def _units(data: Data) -> list[Block]:
    return [
        text(
            "Expectations are exact and rounded only in print. They are for a round with one unit"
            " on each bet. The house edge is minus the expectation, divided by the units staked;"
            " the return to player is one minus the house edge. Winnings are taken at exact odds:"
            f" rounding (`{data['rules']['rounding']}`) is ignored."
        )
    ]


BUILDERS = {
    "identification": identification,
    "rules": rules,
    "outcomes": outcomes,
    "summary": summary,
    "simulation": lambda data: game_blocks(data, "simulation") or simulation(data),
    "operations": operations,
    "limits": limits,
    "changes": changes,
}
"""The sections that all games share; each game supplies the others."""
