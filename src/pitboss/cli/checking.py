"""The command that checks a table against a jurisdiction's rules: ``check``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from pitboss.cli.shell import (
    NO,
    cli,
    example,
    game_argument,
    json_option,
    limit_option,
    preset_option,
    print_json,
    read_limits,
    read_rules,
    set_option,
)
from pitboss.core.errors import NotationError
from pitboss.core.journal import read_cents
from pitboss.jurisdictions import Verdict, check, find_jurisdiction
from pitboss.jurisdictions.laws import SOURCES_DATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pitboss.core.protocol import Game
    from pitboss.jurisdictions import Finding, Jurisdiction
    from pitboss.jurisdictions.laws import Citation

COLORS = {Verdict.FAIL: "bold red", Verdict.PERSON: "yellow", Verdict.PASS: "green"}
"""The verdicts in display order, with their colors."""

VERDICT_WORDS = {
    Verdict.FAIL: ("fails", "fail"),
    Verdict.PERSON: ("needs a person", "need a person"),
    Verdict.PASS: ("passes", "pass"),
}
"""Each verdict in words: singular and plural."""


@cli.command("check")
@game_argument
@click.option(
    "--jurisdiction",
    "name",
    required=True,
    metavar="NAME",
    help="The jurisdiction to check against.",
)
@limit_option
@click.option(
    "--seats", type=int, metavar="N", help="Seats at the table  [default: the seats setting]."
)
@click.option(
    "--cap",
    "caps",
    multiple=True,
    metavar="AMOUNT",
    help="The maximum total payout to all players from one deal, in dollars, for each bet that pays"
    " by odds; BET=AMOUNT sets it for one bet (repeatable).",
)
@set_option
@preset_option
@json_option
@example(
    "pitboss check toss-one-21 --jurisdiction washington-2017 --limit main=5..300\n"
    "pitboss check toss-one-21 --jurisdiction washington-2023 --cap bonus4=20000\n"
    "pitboss check roll-your-own --jurisdiction washington-2023 --seats 6 --json"
)
def check_command(  # noqa: PLR0913  click passes one argument per option
    game: Game,
    name: str,
    limits: tuple[str, ...],
    seats: int | None,
    caps: tuple[str, ...],
    assignments: tuple[str, ...],
    preset: str,
    *,
    as_json: bool,
) -> int:
    """Check a table's settings and limits against a jurisdiction's rules.

    Exit 1 if anything fails. This is an aid, not legal advice. It lists the points that a person
    must decide.
    """
    law = find_jurisdiction(name)
    rules = read_rules(game, preset, assignments)
    findings = check(
        game,
        rules,
        jurisdiction=law,
        limits=read_limits(game, limits),
        seats=seats,
        cap=_read_caps(caps),
    )
    ok = all(finding.verdict is not Verdict.FAIL for finding in findings)
    if as_json:
        head = {"game": game.key, "rules": rules.as_json(), "jurisdiction": law.name}
        found = [finding.as_json() for finding in findings]
        print_json(head | {"sources_date": SOURCES_DATE, "ok": ok, "findings": found})
    else:
        _show(game, law, findings)
    return 0 if ok else NO


def _read_caps(texts: tuple[str, ...]) -> int | dict[str, int] | None:
    """Parse one amount for every bet, or amounts by bet."""
    caps: dict[str, int] = {}
    for text in texts:
        name, equals, amount = text.partition("=")
        if not equals and len(texts) > 1:
            raise NotationError("--cap takes one AMOUNT, or BET=AMOUNT for each bet")
        if not equals:
            return read_cents(text)
        if name in caps:
            raise NotationError(f"the cap on {name} is given twice")
        caps[name] = read_cents(amount)
    return caps or None


def _show(game: Game, law: Jurisdiction, findings: Sequence[Finding]) -> None:
    """Print the findings by verdict, then a numbered list of the cited texts."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"[bold]{game.name}[/] against {law.name}\n{law.title}")
    texts = list(dict.fromkeys(finding.citation for finding in findings))
    for verdict in COLORS:
        if any(finding.verdict is verdict for finding in findings):
            console.print(_grid(verdict, findings, texts))
    console.print(_texts_grid(texts))
    counts = Counter(finding.verdict for finding in findings)
    summary = (
        f"{counts[verdict]} {words[counts[verdict] != 1]}"
        for verdict, words in VERDICT_WORDS.items()
    )
    console.print(f"{', '.join(summary)}.")
    console.print(f"This is an aid and not legal advice; its sources are as of {SOURCES_DATE}.")


def _grid(verdict: Verdict, findings: Sequence[Finding], texts: list[Citation]) -> Any:  # noqa: ANN401  rich's Table
    """Return a table of the findings of one verdict; all tables share the width of the topics."""
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=box.SIMPLE, pad_edge=False)
    width = max(len(finding.topic) for finding in findings)
    grid.add_column(Text(verdict.value, style=COLORS[verdict]), min_width=width)
    grid.add_column("what was found", ratio=1)
    grid.add_column("by text", no_wrap=True)
    for finding in findings:
        if finding.verdict is verdict:
            text = f"{texts.index(finding.citation) + 1:>2} {finding.citation.section}"
            grid.add_row(finding.topic, Text(finding.detail), text)
    return grid


def _texts_grid(texts: list[Citation]) -> Any:  # noqa: ANN401  rich's Table
    from rich import box
    from rich.table import Table as Grid

    grid = Grid("text", "version and source", box=box.SIMPLE, pad_edge=False)
    for number, citation in enumerate(texts, 1):
        source = f"{citation.version} ({citation.source})"
        grid.add_row(f"{number:>2} {citation.section}", source)
    return grid
