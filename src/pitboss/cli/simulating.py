"""pitboss simulate: Monte Carlo of both games, beside what is exact."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pitboss.cli.shell import (
    beside,
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
)
from pitboss.errors import NotationError, shown
from pitboss.games import roll_your_own

if TYPE_CHECKING:
    from pitboss.felt import Game
    from pitboss.rules import Json
    from pitboss.simulator import Bet, Job, Run, Strategy
    from pitboss.simulator.sessions import Session

ENGINES = ("cpu", "cuda", "dask")
STRATEGIES = ("solver", "card", "mimic", "random", "run-out", "run-out-force")
MOST_JOURNALS = 100_000
STAKES = {
    "toss-one-21": {"main": 1, "lucky3": 1, "bonus4": 1, "package": 3},
    "roll-your-own": {"blackjack": 2, "bonus": 1, "package": 3},
}
"""Units that a round of each bet takes."""


class Rounds(click.ParamType[int]):
    """A number of rounds, also as 1e9, 10^9 or 1_000_000."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:  # noqa: ANN401  click's types
        if isinstance(value, int):
            return value
        text = value.replace(",", "").replace("_", "")
        base, _, power = text.replace("10^", "1e").partition("e")
        if not (base.isascii() and base.isdigit() and (power or "0").isdigit()):
            self.fail(
                f"{shown(value)} is no number of rounds: write 1000000, 1e6 or 10^6", param, ctx
            )
        if len(base) + int(power or 0) > 20:  # noqa: PLR2004  far beyond what can be played
            self.fail(f"{shown(value)} rounds are too many", param, ctx)
        return int(base) * int("1" + "0" * int(power or 0))


@cli.command()
@game_argument
@click.option("--rounds", type=Rounds(), default="1e6", show_default=True, help="How many to play.")
@click.option("--seats", type=click.IntRange(1, 9), default=1, show_default=True, help="In play.")
@click.option("--by-seats", is_flag=True, help="Play with every number of seats, one to all.")
@click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True, metavar="S"
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    help="All cores (cpu, what is used if nothing is said), a graphics card, or a Dask cluster.",
)
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler, as in tcp://10.0.0.5:8786.")
@click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Cores to use.")
@click.option(
    "--strategy",
    default="solver",
    metavar="NAME",
    help=f"Of Roll Your Own: {', '.join(STRATEGIES)}, or a strategy file.",
)
@click.option("--checkpoint", type=click.Path(path_type=Path), help="Keep counts in a file; go on.")
@click.option(
    "--session", type=click.IntRange(1, 10**6), metavar="N", help="The result after N rounds."
)
@click.option("--bankroll", type=click.IntRange(1), metavar="UNITS", help="Risk of ruin in them.")
@click.option("--bet", metavar="NAME", default="package", help="What the session bets on.")
@click.option("--house", is_flag=True, help="The session of the house, not of a player.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the session: .svg or .png.")
@click.option(
    "--journals", type=click.Path(path_type=Path), help="Write a sample of the rounds to a folder."
)
@click.option(
    "--sample",
    type=click.IntRange(1, MOST_JOURNALS),
    default=100,
    show_default=True,
    help="How many journals.",
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
def simulate(game: Game, assignments: tuple[str, ...], preset: str, **options: Any) -> None:  # noqa: ANN401
    """Play rounds at random and compare every bet with its exact figure.

    Round number i depends on the seed and on i alone: the totals are the same on any engine and any
    number of workers. Of Roll Your Own the blackjack bets are given per unit of one bet, both
    together; house edges per unit of the stake.
    """
    asked = Asked(game=game, **options)
    rules = read_rules(game, preset, assignments)
    asked.check(rules)
    with (
        needing("report", "--plot"),
        needing("cluster", "--engine dask"),
        needing("kernels", "pitboss simulate"),
    ):
        _simulate(asked, rules)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the command was asked for."""

    game: Game
    rounds: int
    seats: int
    by_seats: bool
    seed: int
    engine: str | None
    cluster: str | None
    workers: int | None
    strategy: str
    checkpoint: Path | None
    session: int | None
    bankroll: int | None
    bet: str
    house: bool
    plot: Path | None
    journals: Path | None
    sample: int
    as_json: bool

    def check(self, rules: Any) -> None:  # noqa: ANN401  the game's own Rules
        """Refuse what does not go together, before anything is played."""
        if self.rounds < 1:
            raise NotationError("--rounds must be at least 1")
        if self.cluster and self.engine not in {None, "dask"}:
            raise NotationError(f"--cluster is for --engine dask, not {self.engine}")
        if self.game is not roll_your_own.GAME and self.strategy != "solver":
            raise NotationError("--strategy is for roll-your-own: Toss One 21 has no choices")
        most = rules.seats
        if self.seats > most:
            raise NotationError(f"--seats {self.seats}: this table has {most}")
        if self.by_seats and (self.seats != 1 or self.session or self.journals or self.checkpoint):
            raise NotationError(
                "--by-seats goes with none of --seats, --session, --journals and --checkpoint"
            )
        about = self.bankroll or self.plot or self.house or self.bet != "package"
        if self.session is None and about:
            raise NotationError(
                "--bankroll, --bet, --house and --plot are about a session: add --session N"
            )
        if self.bet not in STAKES[self.game.key]:
            valid = ", ".join(STAKES[self.game.key])
            raise NotationError(f"no bet {shown(self.bet)}: there are {valid}")
        if self.plot and self.plot.suffix.lower() not in {".svg", ".png"}:
            raise NotationError(
                f"--plot {shown(str(self.plot))}: the file must end in .svg or .png"
            )

    @property
    def player(self) -> str:
        """The engine."""
        return self.engine or ("dask" if self.cluster else "cpu")


def _simulate(asked: Asked, rules: Any) -> None:  # noqa: ANN401  the game's own Rules
    strategy = _strategy(asked, rules) if asked.game is roll_your_own.GAME else None
    jobs = [
        _job(asked, rules, strategy, seats)
        for seats in (range(1, rules.seats + 1) if asked.by_seats else [asked.seats])
    ]
    found = []
    for job in jobs:
        run = _run(asked, job)
        if run.rounds:
            found.append(Result(asked, run))
        if run.interrupted:
            complain(f"stopped: {run.rounds:,} of {asked.rounds:,} rounds were counted")
            break
    if not found:
        raise click.Abort
    if asked.by_seats:
        _show_by_seats(asked, found)
    else:
        _show(asked, found[0])
    if run.interrupted:
        raise click.Abort


def _job(asked: Asked, rules: Any, strategy: Strategy | None, seats: int) -> Job:  # noqa: ANN401
    from pitboss.simulator import RollYourOwn, TossOne

    if strategy is None:
        return TossOne(rules, seats, asked.seed)
    return RollYourOwn(strategy, seats, asked.seed)


def _strategy(asked: Asked, rules: roll_your_own.Rules) -> Strategy:
    from pitboss.simulator import strategies, team

    name = asked.strategy
    if name not in STRATEGIES:
        if not Path(name).exists():
            raise NotationError(
                f"no strategy {shown(name)}: there are {', '.join(STRATEGIES)}, or name a file"
            )
        return strategies.read(read_file(name), rules, name=Path(name).name)
    at_once = {
        "mimic": strategies.mimic,
        "random": strategies.at_random,
        "run-out": team.run_out,
        "run-out-force": team.force,
    }
    if name in at_once:
        return at_once[name](rules)
    with progress_bar(f"strategy {name}") as tell:
        make = strategies.printed if name == "card" else strategies.solved
        return make(rules, tell)


def _run(asked: Asked, job: Job) -> Run:
    from pitboss.simulator import simulate as play

    seats = f", {job.seats} seats" if job.seats > 1 else ""
    with progress_bar(f"{asked.rounds:,} rounds{seats}", asked.rounds, unit="a second") as tell:
        return play(
            job,
            asked.rounds,
            engine=asked.player,
            cluster=asked.cluster,
            checkpoint=asked.checkpoint,
            threads=asked.workers,
            progress=tell,
        )


# --- what came of it


class Result:
    """A run with its bets beside what is exact."""

    def __init__(self, asked: Asked, run: Run) -> None:
        from pitboss.analysis.confirmation import exact

        self.asked, self.run, self.job = asked, run, run.job
        self.bets: dict[str, Bet] = run.job.bets(run.counts, exact(run.job))

    def as_json(self) -> dict[str, Json]:
        run = self.run
        body: dict[str, Json] = {
            "rounds": run.rounds,
            "seconds": run.seconds,
            "rounds_per_second": run.rate,
            "engine": run.engine,
            "seed": self.asked.seed,
            "game": self.job.game,
            "seats": self.job.seats,
            "interrupted": run.interrupted,
            "bets": {name: bet.as_json() for name, bet in self.bets.items()},
            "rules": self.job.rules.as_json(),
        }
        if self.asked.game is roll_your_own.GAME:
            body |= {"strategy": self.job.strategy.name, "table": self.table()}  # type: ignore[attr-defined]
        return body

    def table(self) -> dict[str, Json]:
        """Return what else is counted of Roll Your Own."""
        trial = self.job.trial(self.run.counts)  # type: ignore[attr-defined]
        ran_out, used = trial.event("run outs"), trial.event("cards used")
        won, down = trial.event("units won by run out"), trial.put_down
        package = self.bets["package"]
        return {
            "run_out": {"frequency": ran_out.mean, "std_error": ran_out.std_error},
            "run_out_worth": {"units": won.mean, "std_error": won.std_error},
            "cards_used": {"mean": used.mean, "most": max(used.counts)},
            "put_down": down.mean + 1,
            "house_edge": {
                "of_stake": -package.ev / 3,
                "of_money_put_down": -package.ev / (down.mean + 1),
                "std_error": package.std_error / 3,
            },
            "frequencies": {
                name: {"mean": s.mean, "std_error": s.std_error}
                for name, s in trial.frequencies.items()
            },
        }

    def session(self) -> Session:
        from pitboss.simulator.jobs import UNIT
        from pitboss.simulator.sessions import session

        asked, bet = self.asked, self.bets[self.asked.bet]
        sample = bet.table if asked.house else bet.player
        units = STAKES[asked.game.key][asked.bet] * (self.job.seats if asked.house else 1)
        bankroll = asked.bankroll and asked.bankroll * UNIT
        return session(
            {int(net): n for net, n in sample.counts.items()},
            asked.session or 1,
            bankroll=bankroll,
            stake=UNIT * units if bankroll else None,
            house=asked.house,
        )


def _show(asked: Asked, result: Result) -> None:
    body = result.as_json()
    if asked.session:
        found = result.session()
        body["session"] = found.as_json()
        if asked.plot:
            _draw(asked, found)
    if asked.journals:
        _write_journals(asked.journals, asked.sample, result)
    if asked.as_json:
        print_json(body)
        return
    _show_run(result)
    _show_bets(result)
    if "table" in body:
        _show_table(body["table"])
    if asked.session:
        _show_session(body["session"])
    for path in filter(None, (asked.plot, asked.journals)):
        click.echo(f"wrote {path}")


def _show_run(result: Result) -> None:
    run, job = result.run, result.job
    seats = f"{job.seats} seats" if job.seats > 1 else "one seat"
    how = f", strategy {job.strategy.name}" if hasattr(job, "strategy") else ""
    click.echo(f"{job.game}: {run.rounds:,} rounds of {seats}{how}, seed {job.seed}")
    if run.played:
        speed = f"{run.seconds:.2f} s on {run.engine}: {run.rate:,.0f} rounds a second"
        click.echo(f"pitboss: {speed}", err=True)  # the rest is the same for the same seed


def _show_bets(result: Result) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("bet", "mean", "std error", "95% interval", "exact", "z"):
        table.add_column(title, justify="left" if title == "bet" else "right", no_wrap=True)
    for name, bet in result.bets.items():
        low, high = bet.interval["95%"]
        table.add_row(
            name,
            f"{bet.ev:+.6f}",
            f"{bet.std_error:.6f}",
            f"{low:+.5f} to {high:+.5f}",
            "-" if bet.exact is None else f"{bet.exact.ev:+.6f}",
            "-" if bet.z is None else f"{bet.z:+.2f}",
        )
    Console(highlight=False).print(table)
    for name, bet in result.bets.items():
        if found := bet.chi_square:
            what = f"{found.value:.1f} with {found.freedom} degrees of freedom, p {found.p:.3f}"
            click.echo(f"chi-square of the classes of {name}: {what}")


def _show_table(table: dict[str, Any]) -> None:
    edge, out, worth = table["house_edge"], table["run_out"], table["run_out_worth"]
    click.echo(
        f"house edge {edge['of_stake']:+.4%} of the stake (std error {edge['std_error']:.4%}),"
        f" {edge['of_money_put_down']:+.4%} of the money put down"
    )
    click.echo(
        f"the deck runs out in {out['frequency']:.4%} of rounds (std error {out['std_error']:.4%}),"
        f" worth {worth['units']:+.6f} units a seat and round"
    )
    used = table["cards_used"]
    click.echo(f"cards used: {used['mean']:.2f} a round, {used['most']} at most")


def _show_by_seats(asked: Asked, results: list[Result]) -> None:
    if asked.as_json:
        print_json({"by_seats": [result.as_json() for result in results]})
        return
    from rich.console import Console
    from rich.table import Table

    _show_run(results[0])
    click.echo("and as many rounds with more seats; per seat:")
    played = asked.game is roll_your_own.GAME
    titles = ["seats", *results[0].bets, "std error", "house edge"]
    titles += ["runs out", "worth", "cards"] if played else []
    table = Table(*titles, box=None, header_style="bold", pad_edge=False)
    for column in table.columns:
        column.justify, column.no_wrap = "right", True
    for result in results:
        package = result.bets["package"]
        row = [str(result.job.seats), *(f"{bet.ev:+.5f}" for bet in result.bets.values())]
        row += [f"{package.std_error:.5f}", f"{-package.ev / 3:+.3%}"]
        if played:
            found: Any = result.table()
            row += [f"{found['run_out']['frequency']:.4%}"]
            row += [f"{found['run_out_worth']['units']:+.5f}", f"{found['cards_used']['mean']:.1f}"]
        table.add_row(*row)
    Console(highlight=False).print(table)


def _show_session(session: dict[str, Any]) -> None:
    side = "the house" if session["side"] == "house" else "a player"
    click.echo(f"after {session['rounds']:,} rounds {side} has, in units of one bet:")
    quantiles = "  ".join(f"{name} {net / 100:+,.1f}" for name, net in session["quantiles"].items())
    click.echo(f"  mean {session['mean'] / 100:+,.2f}, std dev {session['std_dev'] / 100:,.2f}")
    click.echo(f"  {quantiles}")
    click.echo(
        f"  ahead {session['ahead']:.2%}, even {session['even']:.2%},"
        f" behind {session['behind']:.2%}"
    )
    if session["ruin"] is not None:
        bankroll = f"{session['bankroll'] / 100:,.0f} units"
        click.echo(f"  ruined within them with {bankroll}: {session['ruin']:.4%}")


def _draw(asked: Asked, session: Session) -> None:
    from pitboss.simulator.plots import save, session_figure

    side = "the house" if asked.house else "a player"
    title = f"{asked.game.name}: {side} after {session.rounds:,} rounds"
    assert asked.plot is not None  # noqa: S101  checked by the caller
    save(session_figure(session, title), asked.plot)


def _write_journals(folder: Path, sample: int, result: Result) -> None:
    """Write rounds from all over the run, one file each."""
    rounds = result.run.rounds
    numbers = sorted({i * rounds // sample for i in range(sample)})
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotationError(f"cannot write {shown(str(folder))}: {error.strerror}") from None
    for number in numbers:
        with beside(folder / f"round-{number:012}.json") as keep:
            keep((json.dumps(result.job.journal(number), indent=1) + "\n").encode())
