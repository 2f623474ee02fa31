"""The command that computes exact figures: ``analyze``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from pitboss.cli.shell import (
    cli,
    example,
    game_argument,
    json_option,
    preset_option,
    print_json,
    progress_bar,
    read_rules,
    set_option,
)
from pitboss.core.errors import NotationError, shown

if TYPE_CHECKING:
    from pitboss.analysis.parts import FiguresPart
    from pitboss.core.protocol import Game


@cli.command()
@game_argument
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="BET=PERCENT",
    help="Show the changes to one pay table line that bring a house edge closest to PERCENT.",
)
@click.option(
    "--worth",
    is_flag=True,
    help="Solve the game again with each rule changed, to show the worth of each rule.",
)
@set_option
@preset_option
@json_option
@example(
    "pitboss analyze toss-one-21\n"
    "pitboss analyze toss-one-21 --set decks=6 --set dealer_blackjack=beats_21\n"
    "pitboss analyze toss-one-21 --target bonus4=5%\n"
    "pitboss analyze blackjack --preset six-deck-s17\n"
    "pitboss analyze roll-your-own --worth\n"
    "pitboss analyze roll-your-own --target package=2%\n"
    "pitboss analyze roll-your-own --set bonus_paytable=@mine.json --json"
)
def analyze(
    game: Game,
    targets: tuple[str, ...],
    assignments: tuple[str, ...],
    preset: str,
    *,
    worth: bool,
    as_json: bool,
) -> None:
    """Show the figures of every bet: exact, or marked as simulated."""
    from pitboss.analysis import analyze as analyze_game
    from pitboss.analysis.parts import games_where
    from pitboss.report.console import show_analysis, show_changes

    wanted = dict(map(_read_target, targets))
    part: FiguresPart = game.part("figures")
    if worth and not part.SOLVES:
        solved = ", ".join(games_where(lambda other: other.SOLVES))
        raise NotationError(f"--worth is only for {solved}: other games always show the table")
    rules = read_rules(game, preset, assignments)
    with progress_bar("solving", shown=part.SOLVES) as update:
        analysis = analyze_game(game, rules, worth=worth, progress=update)
    found = {bet: analysis.changes(bet, target) for bet, target in wanted.items()}
    if analysis.missing:
        click.echo(f"pitboss: {analysis.missing}", err=True)
    if as_json:
        designs = {bet: [change.as_json() for change in rows] for bet, rows in found.items()}
        print_json(analysis.as_json() | ({"designs": designs} if designs else {}))
        return
    show_analysis(analysis)
    for bet, changes in found.items():
        show_changes(bet, wanted[bet], changes)


def _read_target(text: str) -> tuple[str, Fraction]:
    match = re.fullmatch(r"([^=]+)=(-?[0-9]{1,3}(?:\.[0-9]{1,6})?)%?", text)
    if not match:
        raise NotationError(f"{shown(text)} is not a target: write BET=PERCENT, as in bonus4=5%")
    target = Fraction(match[2]) / 100
    if not -1 < target < 1:
        raise NotationError(f"{shown(text)} is out of reach: a house edge must be under 100%")
    return match[1], target
