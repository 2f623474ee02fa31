"""The commands that give exact figures: ``analyze``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from pitboss.cli.shell import (
    cli,
    example,
    game_argument,
    json_option,
    preset_option,
    print_json,
    read_rules,
    set_option,
)
from pitboss.errors import NotationError, shown

if TYPE_CHECKING:
    from rich.console import Console

    from pitboss.analysis import Analysis, Sensitivity
    from pitboss.analysis.design import Change
    from pitboss.analysis.figures import Figures
    from pitboss.felt import Game
    from pitboss.rules import Json


@cli.command()
@game_argument
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="BET=PERCENT",
    help="Show which line of a side bet's pay table brings its house edge nearest; 5 is 5%.",
)
@set_option
@preset_option
@json_option
@example(
    "pitboss analyze toss-one-21\n"
    "pitboss analyze toss-one-21 --set decks=6 --set dealer_blackjack=beats_21\n"
    "pitboss analyze toss-one-21 --target bonus4=5%\n"
    "pitboss analyze roll-your-own --set bonus_paytable=@mine.json --json"
)
def analyze(
    game: Game,
    targets: tuple[str, ...],
    assignments: tuple[str, ...],
    preset: str,
    *,
    as_json: bool,
) -> None:
    """Give the exact figures of every bet: counted, not simulated."""
    from pitboss.analysis import analyze as analyze_game

    wanted = dict(map(_read_target, targets))
    analysis = analyze_game(game, read_rules(game, preset, assignments))
    found = {bet: analysis.changes(bet, target) for bet, target in wanted.items()}
    if as_json:
        designs = {bet: [change.as_json() for change in rows] for bet, rows in found.items()}
        print_json(analysis.as_json() | ({"designs": designs} if designs else {}))
        return
    _show(analysis)
    for bet, changes in found.items():
        _show_changes(bet, wanted[bet], changes)


def _read_target(text: str) -> tuple[str, Fraction]:
    match = re.fullmatch(r"([^=]+)=(-?[0-9]{1,3}(?:\.[0-9]{1,6})?)%?", text)
    if not match:
        raise NotationError(f"{shown(text)} is no target: write BET=PERCENT, as in bonus4=5%")
    target = Fraction(match[2]) / 100
    if not -1 < target < 1:
        raise NotationError(f"{shown(text)} is out of reach: a house edge under 100%")
    return match[1], target


def _show(analysis: Analysis) -> None:
    from rich.console import Console

    from pitboss.analysis import package_json, sensitivity
    from pitboss.games import toss_one

    console = Console(highlight=False)
    console.print(f"[bold]{analysis.game.name}[/], exact figures for one unit staked")
    for bet, figures in analysis.bets.items():
        if figures:
            _show_bet(console, figures)
        else:
            console.print(f"\n[bold]{bet}[/]: not computed; it needs the best strategy of the game")
    if isinstance(analysis.rules, toss_one.Rules):
        _show_package(console, package_json(analysis.rules))
        _show_sensitivity(console, sensitivity(analysis.rules))


def _grid(*columns: str) -> Any:  # noqa: ANN401  rich's Table
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE, pad_edge=False)
    for index, column in enumerate(columns):
        grid.add_column(column, justify="right" if index else "left")
    return grid


def _show_bet(console: Console, figures: Figures) -> None:
    grid = _grid(figures.bet, "pays", "combinations", "probability", "return")
    for row in figures.as_json()["outcomes"]:
        counts = f"{row['combinations']:,}"
        grid.add_row(
            row["event"], row["pays"], counts, f"{row['probability']:.8f}", f"{row['return']:+.8f}"
        )
    grid.add_section()
    grid.add_row("total", "", f"{figures.total:,}", "1", f"{float(figures.ev):+.8f}")
    console.print(grid)
    moments = figures.moments
    console.print(
        f"  house edge {_percent(figures.house_edge)}   EV {figures.ev}\n"
        f"  standard deviation {moments.std_dev:.6f}   skewness {moments.skewness:.4f}\n"
        f"  wins {figures.hit_frequency:.4%}   pushes {figures.push_rate:.4%}\n"
        f"  top prize {figures.top.pays}, once in"
        f" {figures.total / figures.top.combinations:,.1f}"
    )


def _percent(edge: float) -> str:
    if edge < 0:
        return f"[bold red]{edge:.4%}: THE PLAYER HAS THE EDGE[/]"
    return f"{edge:.4%}"


def _show_package(console: Console, package: dict[str, Json]) -> None:
    console.print(
        f"\n[bold]the three bets together[/], one unit on each\n"
        f"  house edge {_percent(package['house_edge'])} of a unit staked   EV {package['ev']}\n"
        f"  standard deviation {package['std_dev']:.6f}"
    )
    for pair, value in package["correlations"].items():
        console.print(f"  correlation of {pair}: {value:+.4f}")


def _show_sensitivity(console: Console, rows: list[Sensitivity]) -> None:
    decks = sorted({row.rules.decks for row in rows})
    console.print("\n[bold]house edge of Main[/], per cent, by number of decks")
    grid = _grid("pay, dealer's, ace", *map(str, decks))
    grouped: dict[str, list[str]] = {}
    for row in rows:
        r = row.rules
        name = f"{r.blackjack_pays} {r.dealer_blackjack} {r.ace_kicker}"
        edge = f"{-float(row.ev):.2%}".replace("%", "")
        grouped.setdefault(name, []).append(f"[bold red]{edge}[/]" if row.ev > 0 else edge)
    for name, cells in grouped.items():
        grid.add_row(name, *cells)
    console.print(grid)
    if any(row.ev > 0 for row in rows):
        console.print(
            "  A negative house edge is the player's: [bold red]the house loses[/] there."
        )


def _show_changes(bet: str, target: Fraction, changes: list[Change]) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if not changes:
        console.print(f"{bet}: no change of a single line comes nearer {float(target):.2%}")
        return
    grid = _grid(f"{bet}: one line changed for {float(target):.2%}", "pays", "now", "house edge")
    for change in changes:
        on = ", ".join(str(result).replace("_", " ") for result in change.on)
        pays, now = (str(o) if o.win else "push" for o in (change.pays, change.instead_of))
        grid.add_row(on, pays, now, f"{float(change.edge):.4%}")
    console.print(grid)
