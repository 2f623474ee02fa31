"""The command that writes the math report and the rack card: ``report``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pitboss.cli.shell import (
    atomic_output,
    cli,
    complain,
    example,
    game_argument,
    json_option,
    limit_option,
    needing,
    preset_option,
    print_json,
    progress_bar,
    read_limits,
    read_rules,
    set_option,
)
from pitboss.core.errors import NotationError, shown
from pitboss.core.journal import read_stakes
from pitboss.games import GAMES
from pitboss.tables.limits import check_stakes, usual_stakes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.analysis.parts import FiguresPart
    from pitboss.analysis.report import Plan
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules
    from pitboss.tables.limits import Limit

USUAL_BETS = " or ".join(
    ",".join(f"{stake}={cents // 100}" for stake, cents in game.usual_stakes.items())
    for game in GAMES.values()
    if game.usual_stakes
)
MOST_ROUNDS = 10**10
LEAST_ROUNDS = 1_000
NEEDS = {".html": ("jinja2", "matplotlib"), ".pdf": ("matplotlib", "typst"), ".json": ()}


@cli.command()
@game_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write: .html, .pdf or .json; a rack card is .pdf or .svg.",
)
@click.option("--rack-card", is_flag=True, help="Write the one-page card for players instead.")
@click.option(
    "--bet",
    metavar="BETS",
    help=f"The bets of one seat per round  [default: {USUAL_BETS}].",
)
@click.option(
    "--rounds-per-hour",
    type=click.IntRange(1, 1000),
    default=60,
    show_default=True,
    metavar="N",
    help="Rounds dealt per hour.",
)
@click.option(
    "--simulate",
    type=click.IntRange(0, MOST_ROUNDS),
    default=0,
    metavar="N",
    help="Confirm the figures with N simulated rounds, if they are counted.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=1,
    show_default=True,
    metavar="S",
    help="The seed of the simulation.",
)
@click.option("--date", metavar="TEXT", help="A date to print, in any format  [default: none].")
@limit_option
@set_option
@preset_option
@json_option
@example(
    "pitboss report toss-one-21 -o report.html\n"
    "pitboss report toss-one-21 -o report.pdf --set decks=6 --simulate 100000 --date 2026-11-15\n"
    "pitboss report toss-one-21 --rack-card -o card.pdf --limit main=5..300\n"
    "pitboss report roll-your-own --json"
)
def report(  # noqa: PLR0913  click passes one argument per option
    game: Game,
    output: str | None,
    bet: str | None,
    rounds_per_hour: int,
    simulate: int,
    seed: int,
    date: str | None,
    limits: tuple[str, ...],
    assignments: tuple[str, ...],
    preset: str,
    *,
    rack_card: bool,
    as_json: bool,
) -> None:
    """Write the math report of a game, or its rack card, for the rules in force."""
    if rack_card and as_json:
        raise NotationError("--rack-card writes a .pdf or .svg file: leave out --json")
    path = _read_output(output, rack_card=rack_card, optional=as_json)
    part: FiguresPart = game.part("figures")
    if simulate and not part.SIMULATES:
        from pitboss.analysis.parts import games_where

        others = ", ".join(games_where(lambda other: other.SIMULATES))
        raise NotationError(f"--simulate is only for {others}")
    if 0 < simulate < LEAST_ROUNDS:
        raise NotationError(f"--simulate {simulate}: use at least {LEAST_ROUNDS:,} rounds")
    rules, within = read_rules(game, preset, assignments), read_limits(game, limits)
    with needing("kernels", "--simulate"), needing("report", "a report"):
        from pitboss.analysis.report import Plan

        plan = Plan(
            limits=within,
            stakes=_stakes(game, within, bet),
            rounds_per_hour=rounds_per_hour,
            simulate=simulate,
            seed=seed,
            date=date and _printable("date", date),
            worth=part.SOLVES and not rack_card,
        )
        _write(game, rules, plan, path, rack_card=rack_card, as_json=as_json)


def _read_output(output: str | None, *, rack_card: bool, optional: bool) -> Path | None:
    """Return the file to write; an unknown file name extension is an error."""
    what, endings = (
        ("a rack card", ".pdf or .svg") if rack_card else ("a report", ".html, .pdf or .json")
    )
    if output is None:
        if optional:
            return None
        raise NotationError(f"-o FILE is missing: the name of {what} ends in {endings}")
    path = Path(output)
    if path.suffix.lower() not in endings.replace(",", "").split():
        raise NotationError(f"cannot write {shown(output)}: the name of {what} ends in {endings}")
    return path


def _stakes(game: Game, limits: Mapping[str, Limit], bet: str | None) -> dict[str, int]:
    """Return the stakes from the command line, or the usual stakes adjusted to the limits."""
    if bet is None:
        return usual_stakes(game, limits)
    stakes = read_stakes(game, bet)
    check_stakes(game, limits, stakes)
    return stakes


def _printable(name: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotationError(f"--{name} {shown(text)} is not UTF-8 text") from None
    return text


def _write(
    game: Game, rules: Rules, plan: Plan, path: Path | None, *, rack_card: bool, as_json: bool
) -> None:
    render = _renderer(path, rack_card=rack_card) if path else None
    with (
        progress_bar(f"{plan.simulate:,} rounds", plan.simulate, shown=plan.simulate > 0) as tell,
        progress_bar("solving", shown=game.part("figures").SOLVES) as progress,
    ):
        if path and render:
            with atomic_output(path) as write:
                data = _data(game, rules, plan, tell, progress)
                write(render(data))
        else:
            data = _data(game, rules, plan, tell, progress)
    if as_json:
        print_json(data)
    else:
        _print_summary(path, data)


def _data(
    game: Game,
    rules: Rules,
    plan: Plan,
    tell: Callable[[int], None],
    progress: Callable[[float], object],
) -> dict[str, Json]:
    from pitboss.analysis.report import report_data

    return report_data(game, rules, plan, tell, progress, warn=complain)


def _renderer(path: Path, *, rack_card: bool) -> Callable[[dict[str, Json]], bytes]:
    """Return the function that renders the file; check first for missing libraries."""
    from pitboss import report as make

    form = path.suffix.lower()
    for name in ("typst",) if rack_card else NEEDS[form]:
        import_module(name)
    if rack_card:
        return lambda data: make.render_card(data, "svg" if form == ".svg" else "pdf")
    return {".html": make.render_html, ".pdf": make.render_pdf, ".json": make.render_json}[form]


def _print_summary(path: Path | None, data: dict[str, Any]) -> None:
    from pitboss.report.console import edge_lines

    click.echo(f"wrote {path}")
    for line in edge_lines(data):
        click.echo(line)
