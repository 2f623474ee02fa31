"""pitboss simulate: Monte Carlo of both games, beside what is exact."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib import import_module
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
    unwritable,
)
from pitboss.errors import NotationError, plural, shown
from pitboss.games import not_there, roll_your_own, toss_one
from pitboss.rules import read_json

if TYPE_CHECKING:
    from pitboss.felt import Game
    from pitboss.rules import Json
    from pitboss.simulator import Bet, Job, Run, Strategy
    from pitboss.simulator.sessions import Session

ENGINES = ("cpu", "cuda", "dask")
STRATEGIES = ("solver", "card", "mimic", "random", "run-out", "run-out-force")
MOST_JOURNALS = 100_000
MOST_SESSION = 10**6
MOST_ROUNDS = 10**15


class Rounds(click.ParamType[int]):
    """A number of rounds, also as 1e9, 10^9 or 1_000_000."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:  # noqa: ANN401  click's types
        if isinstance(value, int):
            return value
        text = value.replace(",", "").replace("_", "")
        match = re.fullmatch(r"(\d{1,18})(?:[eE](\d{1,2}))?|10\^(\d{1,2})", text, re.ASCII)
        if not match:
            example = "write 1000000, 1e6 or 10^6"
            self.fail(f"{shown(value)} is no number of rounds: {example}", param, ctx)
        base, power = match[1] or "1", match[2] or match[3] or "0"
        return int(base + "0" * int(power))


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
    help="All cores (cpu, the default), a graphics card, or a Dask cluster.",
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
@click.option("--session", type=Rounds(), metavar="N", help="The result after N rounds.")
@click.option("--bankroll", type=Rounds(), metavar="UNITS", help="Risk of ruin in them.")
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
        if not self.game.units:
            raise not_there("simulations", self.game)
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise NotationError("--rounds must be at least 1 and at most 10^15")
        if self.cluster and self.engine not in {None, "dask"}:
            raise NotationError(f"--cluster is for --engine dask, not {self.engine}")
        if self.game is not roll_your_own.GAME and self.strategy != "solver":
            raise NotationError("--strategy is for roll-your-own: Toss One 21 has no choices")
        if self.seats > rules.seats:
            raise NotationError(f"--seats {self.seats}: this table has {rules.seats}")
        if self.by_seats and (self.seats != 1 or self.session or self.journals or self.checkpoint):
            raise NotationError(
                "--by-seats goes with none of --seats, --session, --journals and --checkpoint"
            )
        self._check_session()

    def _check_session(self) -> None:
        about = self.bankroll or self.plot or self.house or self.bet != "package"
        if self.session is None and about:
            raise NotationError(
                "--bankroll, --bet, --house and --plot are about a session: add --session N"
            )
        if self.bet not in self.game.units:
            valid = ", ".join(self.game.units)
            raise NotationError(f"no bet {shown(self.bet)}: there are {valid}")
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

    def try_places(self) -> None:
        """Find out before the work whether what it brings can be written."""
        if self.plot:
            import_module("matplotlib")
            with beside(self.plot):
                pass
        if self.journals:
            try:
                self.journals.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise unwritable(self.journals, error) from None

    @property
    def stake(self) -> int:
        """Units that must be there for another round; the house puts none down."""
        return 0 if self.house else self.game.units[self.bet]

    @property
    def player(self) -> str:
        """The engine."""
        return self.engine or ("dask" if self.cluster else "cpu")


def _simulate(asked: Asked, rules: Any) -> None:  # noqa: ANN401  the game's own Rules
    asked.try_places()
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
        return _read_strategy(name, rules)
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


def _read_strategy(name: str, rules: roll_your_own.Rules) -> Strategy:
    from pitboss.simulator import strategies

    try:
        body = read_json(read_file(name))
        found = strategies.read(body, rules, name=Path(name).name)
    except NotationError as error:
        raise NotationError(f"{name}: {error}") from None
    if body.get("digest", rules.digest()) != rules.digest():
        complain(f"{name} was made for other rules than those it is played under")
    return found


def _run(asked: Asked, job: Job) -> Run:
    from pitboss.simulator import simulate as play

    seats = f", {job.seats} seats" if job.seats > 1 else ""
    with progress_bar(
        f"{plural(asked.rounds, 'round')}{seats}", asked.rounds, unit="a second"
    ) as tell:
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
        from pitboss.simulator.roll_your_own import ROUND_EVENTS

        trial = self.job.trial(self.run.counts)  # type: ignore[attr-defined]
        ran_out, used = trial.event("run outs"), trial.event("cards used")
        won, down = trial.event("units won by run out"), trial.put_down
        alone = self.job.seats == 1  # seats of one round are not independent
        package = self.bets["package"]
        return {
            "run_out": {"frequency": ran_out.mean, "std_error": ran_out.std_error},
            "run_out_worth": {"units": won.mean, "std_error": won.std_error if alone else None},
            "cards_used": {"mean": used.mean, "most": max(used.counts)},
            "put_down": down.mean + 1,
            "house_edge": {
                "of_stake": package.house_edge,
                "of_money_put_down": -package.ev / (down.mean + 1),
                "std_error": package.std_error / package.stake,
            },
            "frequencies": {
                name: {
                    "mean": s.mean,
                    "std_error": s.std_error if alone or name in ROUND_EVENTS else None,
                }
                for name, s in trial.frequencies.items()
            },
        }

    @property
    def is_exact(self) -> bool:
        """Say whether one round's distribution is known without playing."""
        alone = self.job.seats == 1 or not self.asked.house
        return self.asked.game is toss_one.GAME and alone

    def session(self) -> Session:
        from pitboss.analysis.confirmation import one_round
        from pitboss.simulator.jobs import UNIT
        from pitboss.simulator.sessions import session

        asked, bet = self.asked, self.bets[self.asked.bet]
        sample = bet.table if asked.house else bet.player
        counts: Any = one_round(self.job, asked.bet) if self.is_exact else sample.counts  # type: ignore[arg-type]
        bankroll = asked.bankroll and asked.bankroll * UNIT
        return session(
            {int(net): n for net, n in counts.items()},
            asked.session or 1,
            bankroll=bankroll,
            stake=UNIT * asked.stake if bankroll else None,
            house=asked.house,
        )


def _show(asked: Asked, result: Result) -> None:
    body = result.as_json()
    if not asked.as_json:  # whatever fails after this, the counts are seen
        _show_run(result)
        _show_bets(result)
        if "table" in body:
            _show_table(body["table"])
    if asked.session:
        found = result.session()
        body["session"] = found.as_json() | {"exact": result.is_exact}
        if asked.plot:
            _draw(asked, found)
    if asked.journals:
        _write_journals(asked.journals, asked.sample, result)
    if asked.as_json:
        print_json(body)
        return
    if asked.session:
        _show_session(result, body["session"])
    for path in filter(None, (asked.plot, asked.journals)):
        click.echo(f"wrote {path}")


def _show_run(result: Result) -> None:
    run, job = result.run, result.job
    seats = f"{job.seats} seats" if job.seats > 1 else "one seat"
    how = f", strategy {job.strategy.name}" if hasattr(job, "strategy") else ""
    rounds = f"{run.rounds:,} rounds" if run.rounds > 1 else "one round"
    click.echo(f"{job.game}: {rounds} of {seats}{how}, seed {job.seed}")
    if run.played:
        speed = f"{run.seconds:.2f} s on {run.engine}: {run.rate:,.0f} rounds a second"
        click.echo(f"pitboss: {speed}", err=True)  # the rest is the same for the same seed


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
    from rich.table import Table

    how = f", strategy {asked.strategy}" if asked.game is roll_your_own.GAME else ""
    click.echo(f"{asked.game.key}: by seats{how}, seed {asked.seed}, per seat and round")
    click.echo(f"{plural(results[0].run.rounds, 'round')} with each number of seats")
    played = asked.game is roll_your_own.GAME
    titles = ["seats", *results[0].bets, "error", "edge"]
    titles += ["runs out", "worth", "cards"] if played else []
    table = Table(*titles, box=None, header_style="bold", pad_edge=False)
    for column in table.columns:
        column.justify, column.no_wrap = "right", True
    for result in results:
        package = result.bets["package"]
        evs = [f"{bet.ev:+.4f}" for name, bet in result.bets.items() if name != "package"]
        row = [str(result.job.seats), *evs, f"{package.ev:+.5f}"]
        row += [f"{package.std_error:.5f}", f"{package.house_edge:+.3%}"]
        if played:
            found: Any = result.table()
            row += [f"{found['run_out']['frequency']:.4%}"]
            row += [f"{found['run_out_worth']['units']:+.4f}", f"{found['cards_used']['mean']:.1f}"]
        table.add_row(*row)
    _print(table)


def _show_session(result: Result, session: dict[str, Any]) -> None:
    side = "the house" if session["side"] == "house" else "a player"
    of = "exact" if session["exact"] else f"from {plural(result.run.rounds, 'round')} counted"
    what = f"{plural(session['rounds'], 'round')} of {result.asked.bet}"
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
    """Print a table; where no terminal sets a width no number is cut."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 100)
    console.print(table)


def _draw(asked: Asked, session: Session) -> None:
    from pitboss.simulator.plots import save, session_figure

    side = "the house" if asked.house else "a player"
    title = f"{asked.game.name}: {side} after {plural(session.rounds, 'round')}"
    assert asked.plot is not None  # noqa: S101  checked by the caller
    save(session_figure(session, title), asked.plot)


def _write_journals(folder: Path, sample: int, result: Result) -> None:
    """Write rounds from all over the run, one file each."""
    rounds = result.run.rounds
    numbers = sorted({i * rounds // sample for i in range(sample)})
    for number in numbers:
        with beside(folder / f"round-{number:012}.json") as keep:
            keep((json.dumps(result.job.journal(number), indent=1) + "\n").encode())
