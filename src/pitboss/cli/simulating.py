"""The command that simulates rounds and compares them with the exact figures: ``simulate``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
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
    needing,
    preset_option,
    print_json,
    progress_bar,
    read_file,
    read_rules,
    set_option,
    unwritable,
)
from pitboss.core.errors import NotationError, plural, shown
from pitboss.core.settings import read_json
from pitboss.games import GAMES

if TYPE_CHECKING:
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Rules
    from pitboss.simulator import Job, Result, Run
    from pitboss.simulator.jobs import StrategiesPart
    from pitboss.simulator.sessions import Session

ENGINES = ("cpu", "cuda", "dask")
MOST_JOURNALS = 100_000
MOST_SESSION = 10**6
MOST_ROUNDS = 10**15


def _strategies_help() -> str:
    lists = (f"{game.name}: {', '.join(game.strategies)}" for game in _with_strategies())
    return f"{'; '.join(lists)}, or a strategy file."


def _with_strategies() -> list[Game]:
    return [game for game in GAMES.values() if game.strategies]


class Rounds(click.ParamType[int]):
    """A number of rounds, such as 1e9, 10^9 or 1_000_000."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:  # noqa: ANN401  click's types
        if isinstance(value, int):
            return value
        text = value.replace(",", "").replace("_", "")
        match = re.fullmatch(r"(\d{1,18})(?:[eE](\d{1,2}))?|10\^(\d{1,2})", text, re.ASCII)
        if not match:
            example = "write 1000000, 1e6 or 10^6"
            self.fail(f"{shown(value)} is not a number of rounds: {example}", param, ctx)
        base, power = match[1] or "1", match[2] or match[3] or "0"
        return int(base + "0" * int(power))


@cli.command()
@game_argument
@click.option("--rounds", type=Rounds(), default="1e6", show_default=True, help="Rounds to play.")
@click.option(
    "--seats", type=click.IntRange(1, 9), default=1, show_default=True, help="Seats to play."
)
@click.option("--by-seats", is_flag=True, help="Simulate every number of seats.")
@click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True, metavar="S"
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    help="All cores (cpu, the default), a graphics card, or a Dask cluster.",
)
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler, as in tcp://10.0.0.5:8786.")
@click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Cores to use.")
@click.option("--strategy", metavar="NAME", help=_strategies_help())
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    help="Save counts in a file, and resume from it.",
)
@click.option("--session", type=Rounds(), metavar="N", help="Show the result after N rounds.")
@click.option(
    "--bankroll", type=Rounds(), metavar="UNITS", help="Show the risk of ruin with this bankroll."
)
@click.option("--bet", metavar="NAME", default="package", help="The bet of the session.")
@click.option("--house", is_flag=True, help="Show the house's session instead of a player's.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the session: .svg or .png.")
@click.option(
    "--journals", type=click.Path(path_type=Path), help="Write a sample of the rounds to a folder."
)
@click.option(
    "--sample",
    type=click.IntRange(1, MOST_JOURNALS),
    default=100,
    show_default=True,
    help="Number of journals to write.",
)
@set_option
@preset_option
@json_option
@example(
    "pitboss simulate toss-one-21 --rounds 1e8 --seed 7\n"
    "pitboss simulate roll-your-own --rounds 1e7 --strategy card\n"
    "pitboss simulate roll-your-own --rounds 1e6 --by-seats\n"
    "pitboss simulate roll-your-own --strategy run-out --seats 7\n"
    "pitboss simulate toss-one-21 --rounds 1e12 --engine cuda --checkpoint run.json\n"
    "pitboss simulate toss-one-21 --session 500 --bankroll 100 --plot session.svg\n"
    "pitboss simulate roll-your-own --rounds 1e6 --journals sample --sample 20"
)
def simulate(game: Game, assignments: tuple[str, ...], preset: str, **given: Any) -> None:  # noqa: ANN401
    """Play random rounds and compare every bet with its exact figure.

    Round i depends only on the seed and on i, so the totals are the same on any engine and with any
    number of workers. Means are per unit of one bet, with bets of the same name added up; house
    edges are per unit staked.
    """
    options = Options(game=game, **given)
    rules = read_rules(game, preset, assignments)
    options.check(rules)
    with (
        needing("report", "--plot"),
        needing("cluster", "--engine dask"),
        needing("kernels", "pitboss simulate"),
    ):
        _simulate(options, rules)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of the command."""

    game: Game
    rounds: int
    seats: int
    by_seats: bool
    seed: int
    engine: str | None
    cluster: str | None
    workers: int | None
    strategy: str | None
    checkpoint: Path | None
    session: int | None
    bankroll: int | None
    bet: str
    house: bool
    plot: Path | None
    journals: Path | None
    sample: int
    as_json: bool

    def check(self, rules: Rules) -> None:
        """Reject invalid combinations of options before the simulation starts."""
        self.game.check_part("simulation")
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise NotationError("--rounds must be at least 1 and at most 10^15")
        if self.cluster and self.engine not in {None, "dask"}:
            raise NotationError(f"--cluster is for --engine dask, not {self.engine}")
        if self.strategy is not None and not self.game.strategies:
            keys = ", ".join(game.key for game in _with_strategies())
            raise NotationError(f"--strategy is for {keys}: {self.game.name} has no choices")
        if self.seats > rules.seats:
            raise NotationError(
                f"--seats {self.seats}: this table has {plural(rules.seats, 'seat')}"
            )
        if self.by_seats and (self.seats != 1 or self.session or self.journals or self.checkpoint):
            raise NotationError(
                "--by-seats cannot be used with --seats, --session, --journals or --checkpoint"
            )
        self._check_session()

    def _check_session(self) -> None:
        about = self.bankroll or self.plot or self.house or self.bet != "package"
        if self.session is None and about:
            raise NotationError(
                "--bankroll, --bet, --house and --plot need a session: add --session N"
            )
        if self.bet not in self.game.units:
            valid = ", ".join(self.game.units)
            raise NotationError(f"no bet {shown(self.bet)}: choose one of {valid}")
        if self.session is not None and not 1 <= self.session <= MOST_SESSION:
            raise NotationError(f"--session takes 1 to {MOST_SESSION:,} rounds")
        if self.bankroll is not None and self.bankroll < self.stake:
            units = plural(self.stake, "unit")
            raise NotationError(
                f"--bankroll {self.bankroll}: a round takes {units}, so no round can be played"
            )
        if self.plot and self.plot.suffix.lower() not in {".svg", ".png"}:
            raise NotationError(
                f"--plot {shown(str(self.plot))}: the file must end in .svg or .png"
            )

    def check_outputs(self) -> None:
        """Check that the output files can be written, before the simulation starts."""
        if self.plot:
            import_module("matplotlib")
            with atomic_output(self.plot):
                pass
        if self.journals:
            try:
                self.journals.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise unwritable(self.journals, error) from None

    @property
    def stake(self) -> int:
        """The units staked in a round; 0 for the house, which stakes nothing."""
        return 0 if self.house else self.game.units[self.bet]

    @property
    def engine_name(self) -> str:
        """The engine that runs the simulation."""
        return self.engine or ("dask" if self.cluster else "cpu")


def _simulate(options: Options, rules: Rules) -> None:
    options.check_outputs()
    job, seats = (
        _job(options, rules),
        range(1, rules.seats + 1) if options.by_seats else [options.seats],
    )
    results, run = _results(options, [replace(job, seats=number) for number in seats])  # type: ignore[type-var]
    if not results:
        raise click.Abort
    if options.by_seats:
        _show_by_seats(options, results)
    else:
        _show(options, results[0])
    if run.interrupted:
        raise click.Abort


def _results(options: Options, jobs: list[Job]) -> tuple[list[Result], Run]:
    """Run the jobs until one is interrupted; return the results and the last run."""
    from pitboss.simulator import Result

    found = []
    for job in jobs:
        run = _run(options, job)
        if run.rounds:
            found.append(Result(run))
        if run.interrupted:
            complain(f"stopped: {run.rounds:,} of {options.rounds:,} rounds were counted")
            break
    return found, run


def _job(options: Options, rules: Rules) -> Job:
    """Return the job for one seat; show progress while a strategy is computed."""
    from pitboss.simulator import make_job

    if options.strategy and options.strategy not in options.game.strategies:
        return make_job(rules, seed=options.seed, strategy=_read_strategy(options.strategy, rules))
    if not options.game.strategies:
        return make_job(rules, seed=options.seed)
    name = options.strategy or options.game.strategies[0]
    with progress_bar(f"strategy {name}") as update:
        return make_job(rules, seed=options.seed, strategy=name, progress=update)


def _read_strategy(name: str, rules: Rules) -> Any:  # noqa: ANN401 the game's own type
    """Read a strategy from a file."""
    game = rules.game
    if not Path(name).exists():
        names = ", ".join(game.strategies)
        raise NotationError(f"no strategy {shown(name)}: choose one of {names}, or name a file")
    part: StrategiesPart = game.part("strategies")
    try:
        body = read_json(read_file(name))
        found = part.read(body, rules, name=Path(name).name)
    except NotationError as error:
        raise NotationError(f"{name}: {error}") from None
    if body.get("digest", rules.digest()) != rules.digest():
        complain(f"{name} was made for rules that differ from those in use")
    return found


def _run(options: Options, job: Job) -> Run:
    from pitboss.simulator import simulate as play

    seats = f", {job.seats} seats" if job.seats > 1 else ""
    with progress_bar(
        f"{plural(options.rounds, 'round')}{seats}", options.rounds, unit="a second"
    ) as update:
        return play(
            job,
            options.rounds,
            engine=options.engine_name,
            cluster=options.cluster,
            checkpoint=options.checkpoint,
            threads=options.workers,
            progress=update,
        )


# --- output


def _show(options: Options, result: Result) -> None:
    body = result.as_json()
    if not options.as_json:  # printed before a later step can fail
        _show_run(result)
        _show_bets(result)
        for line in result.details.lines() if result.details else ():
            click.echo(line)
    if options.session:
        found = result.session(
            options.session, options.bet, bankroll=options.bankroll, house=options.house
        )
        exact = result.is_exact(options.bet, house=options.house)
        body["session"] = found.as_json() | {"exact": exact}
        if options.plot:
            _draw(options, found)
    if options.journals:
        _write_journals(options.journals, options.sample, result)
    if options.as_json:
        print_json(body)
        return
    if options.session:
        _show_session(options, result, body["session"])
    for path in filter(None, (options.plot, options.journals)):
        click.echo(f"wrote {path}")


def _show_run(result: Result) -> None:
    run, job = result.run, result.job
    seats = f"{job.seats} seats" if job.seats > 1 else "one seat"
    how = f", strategy {job.strategy_name}" if job.strategy_name else ""
    rounds = f"{run.rounds:,} rounds" if run.rounds > 1 else "one round"
    click.echo(f"{job.game}: {rounds} of {seats}{how}, seed {job.seed}")
    if run.played:
        speed = f"{run.seconds:.2f} s on {run.engine}: {run.rate:,.0f} rounds a second"
        click.echo(f"pitboss: {speed}", err=True)  # on stderr: stdout is the same for the same seed


def _show_bets(result: Result) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("bet", "mean", "std error", "95% interval", "exact", "z"):
        table.add_column(title, justify="left" if title == "bet" else "right", no_wrap=True)
    for name, bet in result.bets.items():
        low, high = bet.interval["95%"]
        table.add_row(
            name,
            f"{bet.ev:+.6f}",
            f"{bet.std_error:.6f}" if bet.std_error else "-",
            f"{low:+.5f} to {high:+.5f}" if bet.std_error else "-",
            "-" if bet.exact is None else f"{bet.exact.ev:+.6f}",
            "-" if bet.z is None else f"{bet.z:+.2f}",
        )
    _print(table)
    for name, bet in result.bets.items():
        if found := bet.chi_square:
            freedom = plural(found.freedom, "degree")
            what = f"{found.value:.1f} with {freedom} of freedom, p {found.p:.3f}"
            click.echo(f"chi-square of the classes of {name}: {what}")


def _show_by_seats(options: Options, results: list[Result]) -> None:
    if options.as_json:
        print_json({"by_seats": [result.as_json() for result in results]})
        return
    from rich.table import Table

    name = options.strategy or results[0].job.strategy_name
    how = f", strategy {name}" if name else ""
    click.echo(f"{options.game.key}: by seats{how}, seed {options.seed}, per seat and round")
    click.echo(f"{plural(results[0].run.rounds, 'round')} with each number of seats")
    rows = [_row(result) for result in results]
    table = Table(*rows[0], box=None, header_style="bold", pad_edge=False)
    for column in table.columns:
        column.justify, column.no_wrap = "right", True
    for row in rows:
        table.add_row(*row.values())
    _print(table)


def _row(result: Result) -> dict[str, str]:
    """Return the row for one number of seats, by column title."""
    package = result.bets["package"]
    evs = {name: f"{bet.ev:+.4f}" for name, bet in result.bets.items()}
    return {
        "seats": str(result.job.seats),
        **evs,
        "package": f"{package.ev:+.5f}",
        "error": f"{package.std_error:.5f}",
        "edge": f"{package.house_edge:+.3%}",
        **(result.details.columns() if result.details else {}),
    }


def _show_session(options: Options, result: Result, session: dict[str, Any]) -> None:
    side = "the house" if session["side"] == "house" else "a player"
    of = "exact" if session["exact"] else f"from {plural(result.run.rounds, 'round')} counted"
    what = f"{plural(session['rounds'], 'round')} of {options.bet}"
    click.echo(f"after {what} {side} has, in units of one bet ({of}):")
    quantiles = "  ".join(f"{name} {net / 100:+,.1f}" for name, net in session["quantiles"].items())
    click.echo(f"  mean {session['mean'] / 100:+,.2f}, std dev {session['std_dev'] / 100:,.2f}")
    click.echo(f"  {quantiles}")
    click.echo(
        f"  ahead {session['ahead']:.2%}, even {session['even']:.2%},"
        f" behind {session['behind']:.2%}"
    )
    if session["ruin"] is not None:
        bankroll = plural(round(session["bankroll"] / 100), "unit")
        click.echo(f"  ruined within them with {bankroll}: {session['ruin']:.2%}")


def _print(table: Any) -> None:  # noqa: ANN401  a Rich table
    """Print a table; without a terminal, make it wide enough for all numbers."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 100)
    console.print(table)


def _draw(options: Options, session: Session) -> None:
    from pitboss.simulator.plots import save, session_figure

    side = "the house" if options.house else "a player"
    title = f"{options.game.name}: {side} after {plural(session.rounds, 'round')}"
    assert options.plot is not None  # noqa: S101  checked by the caller
    save(session_figure(session, title), options.plot)


def _write_journals(folder: Path, sample: int, result: Result) -> None:
    """Write a sample of the rounds, each to its own file."""
    for number, journal in result.journals(sample):
        with atomic_output(folder / f"round-{number:012}.json") as write:
            write((json.dumps(journal, indent=1) + "\n").encode())
