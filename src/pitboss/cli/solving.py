"""The command that solves a game: ``solve``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pitboss.cli.shell import (
    atomic_output,
    change_preset,
    cli,
    example,
    json_option,
    needing,
    preset_option,
    print_json,
    progress_bar,
    set_option,
)
from pitboss.core.cards import parse, parse_card
from pitboss.core.errors import NotationError
from pitboss.solving import find_problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pitboss.core.settings import Json

MEMORIES = ("none", "hand", "full", "unsplit")


class StderrReporter:
    """Reports the progress of a long solution on stderr."""

    def say(self, text: str) -> None:
        """Show a line."""
        click.echo(text, err=True)

    def progress(self, what: str) -> AbstractContextManager[Callable[[float], None]]:
        """Show a progress bar if stderr is a terminal."""
        return progress_bar(what)


@cli.command()
@click.argument("game", metavar="GAME")
@click.option("--hand", metavar="CARDS", help="The player's cards: three, or two for blackjack.")
@click.option("--up", metavar="CARD", help="The dealer's up card.")
@click.option("--all", "everything", is_flag=True, help="Solve the whole game.")
@click.option(
    "--memory",
    type=click.Choice(MEMORIES),
    default="none",
    show_default=True,
    help="How much a hand knows about other hands; 'unsplit' is for blackjack: play split hands as"
    " the same cards unsplit.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write the result of --all to a file."
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    help="Save solved starts in a file, and resume from it.",
)
@set_option
@preset_option
@json_option
@example(
    'pitboss solve roll-your-own --hand "8s 8d Th" --up 6c\n'
    'pitboss solve roll-your-own --hand "8s 8d Th" --up 6c --memory full --set max_splits=1\n'
    "pitboss solve roll-your-own --all -o solved.json\n"
    "pitboss solve roll-your-own --all --memory full --set max_splits=1 --checkpoint part.json\n"
    'pitboss solve blackjack --hand "8s 8d" --up Tc --set decks=1\n'
    "pitboss solve blackjack --all --memory unsplit"
)
def solve(  # noqa: PLR0913  click passes one argument per option
    game: str,
    hand: str | None,
    up: str | None,
    memory: str,
    output: Path | None,
    checkpoint: Path | None,
    assignments: tuple[str, ...],
    preset: str,
    *,
    everything: bool,
    as_json: bool,
) -> None:
    """Show the best way to set and play, with the exact value of every alternative.

    One player plays against the dealer. With memory 'none' a hand uses only its own
    cards and the cards dealt at the start; with 'hand' split hands also use the cards that earlier
    ones drew; with 'full' every hand uses all cards seen.
    """
    problem = find_problem(game)
    problem.check(memory, preset, checkpoint)
    if everything == (hand is not None or up is not None) or (hand is None) != (up is None):
        raise NotationError("choose a start with --hand CARDS and --up CARD, or use --all")
    if (output or checkpoint) and not everything:
        raise NotationError("--output and --checkpoint need the whole game: add --all")

    def work() -> dict[str, Json]:
        rules = change_preset(problem.presets(), preset, assignments)
        if hand is None or up is None:
            return problem.solve_all(rules, memory, checkpoint, StderrReporter())
        return problem.solve_start(rules, memory, parse(hand), parse_card(up), StderrReporter())

    with needing("kernels", "pitboss solve"):
        result = work() if output is None else _work_into(output, work)
    if checkpoint:
        checkpoint.unlink(missing_ok=True)  # the game is solved
    if as_json:
        print_json(result)
        return
    for line in (problem.game_lines if everything else problem.start_lines)(result):
        click.echo(line)
    if output:
        click.echo(f"wrote {output}")


def _work_into(output: Path, work: Callable[[], dict[str, Json]]) -> dict[str, Json]:
    """Call *work* and write its result; check first that the file can be written."""
    with atomic_output(output) as write:
        result = work()
        write((json.dumps(result, indent=1) + "\n").encode())
    return result
