"""The command that writes the math report and the rack card: ``report``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pitboss.cli.shell import (
    beside,
    cli,
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
from pitboss.errors import NotationError, shown
from pitboss.games import roll_your_own, toss_one
from pitboss.notation import read_stakes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pitboss.analysis.report import Plan
    from pitboss.felt import Game
    from pitboss.rules import Json, Rules
    from pitboss.table import Limit

STAKES = {"main": 1000, "lucky3": 500, "bonus4": 500, "bet": 1000}
"""What one seat bets in cents unless told otherwise, inside the limits."""

MOST_ROUNDS = 10**10
LEAST_ROUNDS = 1_000
NEEDS = {".html": ("jinja2", "matplotlib"), ".pdf": ("matplotlib", "typst"), ".json": ()}


@cli.command()
@game_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write it: .html, .pdf or .json; a rack card as .pdf or .svg.",
)
@click.option("--rack-card", is_flag=True, help="Write the one-page card for players instead.")
@click.option(
    "--bet",
    metavar="BETS",
    help="What one seat bets a round  [default: main=10,lucky3=5,bonus4=5 or bet=10].",
)
@click.option(
    "--rounds-per-hour",
    type=click.IntRange(1, 1000),
    default=60,
    show_default=True,
    metavar="N",
    help="The pace of the table.",
)
@click.option(
    "--simulate",
    type=click.IntRange(0, MOST_ROUNDS),
    default=0,
    metavar="N",
    help="Confirm the figures by so many simulated rounds (Toss One 21).",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=1,
    show_default=True,
    metavar="S",
    help="Of the simulation.",
)
@click.option("--date", metavar="TEXT", help="A date to print, as given; there is none otherwise.")
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
        raise NotationError("--rack-card is a .pdf or .svg file: leave --json out")
    path = _read_output(output, rack_card=rack_card, optional=as_json)
    if simulate and game is not toss_one.GAME:
        raise NotationError("--simulate takes toss-one-21 alone")
    if 0 < simulate < LEAST_ROUNDS:
        raise NotationError(f"--simulate {simulate}: at least {LEAST_ROUNDS:,} rounds make a trial")
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
            worth=game is roll_your_own.GAME and not rack_card,
        )
        _write(game, rules, plan, path, rack_card=rack_card, as_json=as_json)


def _read_output(output: str | None, *, rack_card: bool, optional: bool) -> Path | None:
    """Return the file to write, if its ending names a form there is."""
    what, endings = (
        ("a rack card", ".pdf or .svg") if rack_card else ("a report", ".html, .pdf or .json")
    )
    if output is None:
        if optional:
            return None
        raise NotationError(f"-o FILE is missing: {what} is a file that ends in {endings}")
    path = Path(output)
    if path.suffix.lower() not in endings.replace(",", "").split():
        raise NotationError(f"{shown(output)} cannot be written: {what} ends in {endings}")
    return path


def _stakes(game: Game, limits: Mapping[str, Limit], bet: str | None) -> dict[str, int]:
    """Return the stakes as typed, or the default ones as far as the limits let them be."""
    if bet is None:
        usual = {name: STAKES.get(name, limit.least) for name, limit in limits.items()}
        return {n: min(max(usual[n], limits[n].least), limits[n].most) for n in game.stakes}
    stakes = read_stakes(game, bet)
    game.place(1, stakes)
    for name, amount in stakes.items():
        limits[name].check(name, amount)
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
    from pitboss.analysis import NEEDS_KERNELS

    render = _renderer(path, rack_card=rack_card) if path else None
    solves = game is roll_your_own.GAME
    with (
        progress_bar(f"{plan.simulate:,} rounds", plan.simulate, shown=plan.simulate > 0) as tell,
        progress_bar("solving", shown=solves) as progress,
    ):
        if path and render:
            with beside(path) as keep:
                data = _data(game, rules, plan, tell, progress)
                keep(render(data))
        else:
            data = _data(game, rules, plan, tell, progress)
    if not all(data["bets"].values()):
        click.echo(f"pitboss: {NEEDS_KERNELS}", err=True)
    if as_json:
        print_json(data)
    else:
        _say(path, data)


def _data(
    game: Game,
    rules: Rules,
    plan: Plan,
    tell: Callable[[int], None],
    progress: Callable[[float], object],
) -> dict[str, Json]:
    from pitboss.analysis.report import report_data

    return report_data(game, rules, plan, tell, progress)


def _renderer(path: Path, *, rack_card: bool) -> Callable[[dict[str, Json]], bytes]:
    """Return what makes the file; what it needs is looked for before the counting starts."""
    from pitboss import report as make

    form = path.suffix.lower()
    for name in ("typst",) if rack_card else NEEDS[form]:
        import_module(name)
    if rack_card:
        return lambda data: make.render_card(data, "svg" if form == ".svg" else "pdf")
    return {".html": make.render_html, ".pdf": make.render_pdf, ".json": make.render_json}[form]


def _say(path: Path | None, data: dict[str, Any]) -> None:
    click.echo(f"wrote {path}")
    for bet, figures in data["bets"].items():
        if figures and figures["house_edge"] < 0 and bet != "blackjack":  # never bet alone
            click.echo(f"the player has the edge on {bet}: house edge {figures['house_edge']:.4%}")
    rule = data["rule_8"]
    for row in rule["teams"] if rule and rule["run_out"] == "win" else ():
        if row["house_edge"] < 0:
            click.echo(
                f"a team of {row['seats']} has the edge by rule 8: house edge"
                f" {row['house_edge']:.2%} \N{PLUS-MINUS SIGN} {row['std_error']['house_edge']:.2%}"
            )
