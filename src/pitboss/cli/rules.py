"""The commands that list games and settings: ``games`` and ``rules``."""

from __future__ import annotations

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
from pitboss.games import GAMES

if TYPE_CHECKING:
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules


@cli.command()
@json_option
@example("pitboss games\npitboss games --json")
def games(*, as_json: bool) -> None:
    """List the games, their bets and their presets."""
    if as_json:
        print_json([_game_json(game) for game in GAMES.values()])
        return
    for game in GAMES.values():
        click.echo(f"{click.style(game.key, bold=True)}  {game.name}")
        click.echo(f"  {game.summary}")
        click.echo("  bets     " + ", ".join(f"{n} ({label})" for n, label in game.stakes.items()))
        click.echo(
            "  presets  " + ", ".join(game.presets) + "; see pitboss rules GAME --preset NAME"
        )


def _game_json(game: Game) -> dict[str, Json]:
    return {
        "game": game.key,
        "name": game.name,
        "summary": game.summary,
        "bets": list(game.stakes),
        "presets": {name: rules.as_json() for name, rules in game.presets.items()},
    }


@cli.command()
@game_argument
@set_option
@preset_option
@json_option
@example(
    "pitboss rules toss-one-21\n"
    "pitboss rules toss-one-21 --set dealer_blackjack=beats_21 --set decks=6\n"
    "pitboss rules toss-one-21 --set bonus4_paytable=@mine.json --json"
)
def rules(game: Game, assignments: tuple[str, ...], preset: str, *, as_json: bool) -> None:
    """Show the rules in force, with the reading of each open point."""
    chosen = read_rules(game, preset, assignments)
    if as_json:
        print_json(_rules_json(game, chosen))
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"[bold]{game.name}[/]", _settings_grid(chosen.explained()))
    for name, lines in chosen.paytables().items():
        console.print(_paytable_grid(name, lines))
    console.print(f"* is not the default; R-1, R-2, ...: the readings in docs/rules/{game.key}.md")
    console.print(f"digest {chosen.digest()}", soft_wrap=True)


def _settings_grid(settings: list[dict[str, Json]]) -> Any:  # noqa: ANN401  rich's Table
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(box=box.SIMPLE, pad_edge=False)
    for column in ("setting", "value", "rule", "how it is read"):
        grid.add_column(column, overflow="fold")  # the user must be able to copy the whole name
    for row in settings:
        value = "custom" if row["value"].startswith("[") else row["value"]
        value += "" if row["default"] else " *"
        reading = f"{row['reading']}\n[dim]choices: {row['choices']}[/]"
        grid.add_row(row["name"], value, row["rule"], reading)
    return grid


def _paytable_grid(name: str, lines: list[dict[str, Json]]) -> Any:  # noqa: ANN401  rich's Table
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(name, "pays", box=box.SIMPLE, pad_edge=False)
    for line in lines:
        pays = "push" if line["pays"].startswith("0:") else line["pays"].replace(":", " to ")
        grid.add_row(", ".join(str(on).replace("_", " ") for on in line["on"]), pays)
    return grid


def _rules_json(game: Game, chosen: Rules) -> dict[str, Json]:
    return {
        "game": game.key,
        "rules": chosen.as_json(),
        "digest": chosen.digest(),
        "settings": chosen.explained(),
    }
