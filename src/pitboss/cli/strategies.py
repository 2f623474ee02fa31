"""The command that makes the strategy card: ``strategy``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pitboss.cli.shell import (
    atomic_output,
    cli,
    example,
    game_argument,
    json_option,
    needing,
    preset_option,
    print_json,
    progress_bar,
    read_rules,
    set_option,
)
from pitboss.core.errors import NotationError, shown

if TYPE_CHECKING:
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Rules
    from pitboss.strategy.cards import Data

ENDINGS = (".txt", ".svg", ".html", ".json")


@cli.command()
@game_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write: .txt, .svg, .html or .json  [default: text on stdout].",
)
@set_option
@preset_option
@json_option
@example(
    "pitboss strategy roll-your-own\n"
    "pitboss strategy roll-your-own -o card.svg\n"
    "pitboss strategy roll-your-own --set soft_17=stand -o card.html\n"
    "pitboss strategy toss-one-21 --set lucky3_paytable=1 --json"
)
def strategy(
    game: Game,
    output: str | None,
    assignments: tuple[str, ...],
    preset: str,
    *,
    as_json: bool,
) -> None:
    """Create a strategy card to use at the table, and show the cost of playing by it."""
    path = _read_output(output)
    rules = read_rules(game, preset, assignments)
    with needing("kernels", "this card"):
        if path:
            with atomic_output(path) as write:
                data = _data(game, rules)
                write(_render(data, path.suffix.lower()).encode())
        else:
            data = _data(game, rules)
    if as_json:
        print_json(data)
    elif path:
        click.echo(f"wrote {path}")
    else:
        click.echo(_render(data, ".txt"), nl=False)


def _read_output(output: str | None) -> Path | None:
    """Return the file to write; an unknown file name extension is an error."""
    if output is None:
        return None
    path = Path(output)
    if path.suffix.lower() not in ENDINGS:
        raise NotationError(
            f"cannot write {shown(output)}: the name of a strategy card ends in .txt, .svg, .html"
            " or .json"
        )
    return path


def _data(game: Game, rules: Rules) -> Data:
    from pitboss.strategy import strategy_card

    with progress_bar("solving, searching") as update:
        return strategy_card(game, rules, update)


def _render(data: Data, form: str) -> str:
    from pitboss import strategy as make

    if form == ".json":
        return json.dumps(data, indent=2) + "\n"
    forms = {".txt": make.render_text, ".svg": make.render_svg, ".html": make.render_html}
    return forms[form](data)
