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
    progress_bar,
    read_rules,
    set_option,
)
from pitboss.errors import NotationError, shown
from pitboss.games import roll_your_own, toss_one

if TYPE_CHECKING:
    from rich.console import Console

    from pitboss.analysis import Analysis, Sensitivity
    from pitboss.analysis.blackjack import Played, Study
    from pitboss.analysis.design import Change
    from pitboss.analysis.figures import Figures
    from pitboss.analysis.played import Estimate
    from pitboss.analysis.roll_your_own import Table
    from pitboss.analysis.worth import Worth
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
@click.option(
    "--worth",
    is_flag=True,
    help="Solve Roll Your Own again with each rule switched, to show what it is worth.",
)
@set_option
@preset_option
@json_option
@example(
    "pitboss analyze toss-one-21\n"
    "pitboss analyze toss-one-21 --set decks=6 --set dealer_blackjack=beats_21\n"
    "pitboss analyze toss-one-21 --target bonus4=5%\n"
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
    """Give the figures of every bet: exact, and what is simulated is marked so."""
    from pitboss.analysis import NEEDS_KERNELS
    from pitboss.analysis import analyze as analyze_game

    wanted = dict(map(_read_target, targets))
    if worth and game is not roll_your_own.GAME:
        raise NotationError("--worth takes roll-your-own alone: the others' table is always shown")
    rules = read_rules(game, preset, assignments)
    with progress_bar("solving", shown=game is roll_your_own.GAME) as told:
        analysis = analyze_game(game, rules, worth=worth, progress=told)
    found = {bet: analysis.changes(bet, target) for bet, target in wanted.items()}
    if not all(analysis.bets.values()):
        click.echo(f"pitboss: {NEEDS_KERNELS}", err=True)
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
    from pitboss.analysis.conditions import conditions, shared
    from pitboss.analysis.teams import rule_8

    console = Console(highlight=False)
    is_toss = analysis.game is toss_one.GAME
    console.print(
        f"[bold]{analysis.game.name}[/], {'exact ' if is_toss else ''}figures for one unit staked"
    )
    needed = conditions(analysis.rules)
    common = shared(needed)
    _show_conditions(console, common)
    for bet, figures in analysis.counted.items():
        _show_bet(console, figures)
        _show_conditions(console, [clause for clause in needed[bet] if clause not in common])
    if is_toss:
        _show_package(console, package_json(analysis.rules))
        _show_sensitivity(console, sensitivity(analysis.rules))
        return
    if analysis.study:
        _show_played(console, analysis.study)
        _show_conditions(console, [c for c in needed["package"] if c not in common])
    else:
        console.print("\n[bold]blackjack, package[/]: not computed")
    _show_rule_8(console, rule_8(analysis.rules, float(analysis.counted["bonus"].ev)))
    _show_worth(console, analysis)
    _show_tables(console, analysis.tables())


def _show_conditions(console: Console, clauses: list[str]) -> None:
    """Print the conditions under which the figures above hold."""
    from rich.padding import Padding

    if clauses:
        console.print(Padding(f"Conditions: {'; '.join(clauses)}.", (0, 0, 0, 2), expand=False))


# --- Roll Your Own as it is played


def _show_played(console: Console, study: Study) -> None:
    blackjack, package, rounds = study.blackjack, study.package, study.trial.rounds
    console.print(
        "\n[bold]the two blackjack bets together[/], one unit on each, memory none\n"
        f"  EV {blackjack.ev:+.12f} a round   with {blackjack.put_down:.6f} units put down\n"
        f"  house edge {_edge(blackjack.house_edge)} of the two-unit stake,"
        f" {_edge(blackjack.house_edge_put_down)} of the money put down"
    )
    _show_guesses(console, blackjack)
    grid = _grid("up card", "EV", "doubles", "splits")
    for card, row in blackjack.more["by_up_card"].items():
        grid.add_row(card, f"{row['ev']:+.9f}", f"{row['doubles']:.6f}", f"{row['splits']:.6f}")
    console.print(grid)
    grid = _grid("in a round", "number", "simulated")
    for row in study.frequencies():
        error = f"± {row['std_error']:.6f}" if "std_error" in row else ""
        grid.add_row(row["event"], f"{row['per_round']:.6f}", error)
    console.print(grid)
    console.print(
        "[bold]the package[/]: the three bets, one unit on each\n"
        f"  EV {package.ev:+.12f} a round   with {package.put_down:.6f} units put down\n"
        f"  house edge {_percent(package.house_edge)} of the three-unit stake,"
        f" {_edge(package.house_edge_put_down)} of the money put down"
    )
    _show_guesses(console, package)
    console.print(
        f"  covariance of bonus, blackjack: {study.covariance:+.6f}\n\n"
        f"  ±: simulated, {rounds:,} rounds with seed {study.trial.seed}, and its standard error."
        " The rest is exact."
    )


def _show_guesses(console: Console, played: Played) -> None:
    console.print(
        f"  standard deviation {_guess(played.std_dev, 4)}\n"
        f"  ahead {_guess(played.wins, 2, percent=True)}"
        f"   even {_guess(played.pushes, 2, percent=True)} of rounds"
    )


def _guess(estimate: Estimate, places: int, *, percent: bool = False) -> str:
    scale, unit = (100, "%") if percent else (1, "")
    value, error = scale * estimate.value, scale * estimate.std_error
    return f"{value:.{places}f}{unit} ± {error:.{places}f}{unit}"


def _edge(edge: float, places: int = 4) -> str:
    return f"[bold red]{edge:.{places}%}[/]" if edge < 0 else f"{edge:.{places}%}"


def _show_rule_8(console: Console, rule: dict[str, Json]) -> None:
    """Print the results of teams that run out the deck."""
    console.print("\n[bold]teams of all seats that run out the deck[/] (rule 8), the three bets")
    for row in rule["teams"]:
        error = row["std_error"]
        console.print(
            f"  {row['seats']} seats: house edge {_edge(row['house_edge'], 2)}"
            f" ± {error['house_edge']:.2%}; the deck runs out in {row['runs_out']:.2%} of rounds"
        )
    if rule["teams"]:
        row = rule["teams"][0]
        console.print(
            f"  Simulated: {row['rounds']:,} rounds each with seed {row['seed']}. The strategy is a"
            "\n  simple one: a positive edge does not prove that a number of seats is safe."
        )
    else:
        console.print("  " + NO_TEAMS[rule["seats"] > 1])


NO_TEAMS = (
    "One seat cannot use up the deck.",
    "Not computed under these rules: pitboss simulate roll-your-own --strategy run-out --seats N",
)


def _show_worth(console: Console, analysis: Analysis) -> None:
    console.print("\n[bold]what each rule is worth[/] to the player, and the house edges (exact)")
    grid = _grid("rule", "blackjack EV", "worth", "blackjack bets", "package")
    for row in analysis.worth or ():
        edges = (row.blackjack_house_edge, row.house_edge)
        grid.add_row(
            f"{row.setting}={row.value}",
            *(("not computed", "") if row.ev is None else (f"{row.ev:+.9f}", _worth(row))),
            *("" if edge is None else _edge(edge) for edge in edges),
        )
    console.print(grid)
    bonus = _edge(analysis.counted["bonus"].house_edge)
    console.print(
        f"  The Bonus depends only on its pay table: its house edge is {bonus} in every row"
    )
    rows = analysis.worth or ()
    for setting, reason in {row.setting: row.reason for row in rows if row.reason}.items():
        console.print(f"  {setting}: {reason}")
    if any(row.ev is None for row in rows):
        console.print("  Use --worth to solve the games that are not computed.")


def _worth(row: Worth) -> str:
    if row.difference is None:
        return ""
    return f"{row.difference:+.9f}" if row.difference else "0"


def _show_tables(console: Console, tables: list[Table]) -> None:
    titles = {c: c.replace("_", " ") for c in roll_your_own.Bonus}
    console.print("\n[bold]which Bonus pay table gives which edge[/]: one line changed at a time")
    grid = _grid("", *titles.values(), "Bonus", "package")
    for table in tables:
        pays = {c: table.rules.bonus_paytable.odds(c) for c in titles}
        cells = (
            f"[bold]{odds or '-'}[/]" if c in table.changed else str(odds or "-")
            for c, odds in pays.items()
        )
        package = "not computed" if table.package_edge is None else _edge(table.package_edge)
        name = "" if table.changed else "now"
        grid.add_row(name, *cells, _edge(-float(table.bonus_ev)), package)
    console.print(grid)
    if any(table.package_ev and table.package_ev > 0 for table in tables):
        console.print(
            "  A negative house edge favors the player: [bold red]the house loses[/] there."
        )


def _grid(*columns: str) -> Any:  # noqa: ANN401  rich's Table
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE, pad_edge=False)
    for index, column in enumerate(columns):
        grid.add_column(column, justify="right" if index else "left", overflow="fold")
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
        f" {figures.total / figures.top.combinations:,.1f}".removesuffix(".0")
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
    main = [row for row in rows if row.bet == "main"]
    others = [row for row in rows if row.bet != "main"]
    console.print("\n[bold]house edge of Main[/], per cent, by number of decks")
    _show_by_decks(console, "pay, dealer's, ace", main)
    console.print("[bold]house edge of the other bets[/], per cent, by number of decks")
    _show_by_decks(console, "bet, pay table", others)
    console.print("  All decks are shuffled before every round, however many there are.")
    if any(row.house_edge < 0 for row in rows):
        console.print(
            "  A negative house edge favors the player: [bold red]the house loses[/] there."
        )


def _show_by_decks(console: Console, title: str, rows: list[Sensitivity]) -> None:
    grid = _grid(title, *map(str, sorted({row.rules.decks for row in rows})))
    grouped: dict[str, list[str]] = {}
    for row in rows:
        edge = f"{row.house_edge:.2%}".replace("%", "")
        cell = f"[bold red]{edge}[/]" if row.house_edge < 0 else edge
        grouped.setdefault(_varied(row), []).append(cell)
    for name, cells in grouped.items():
        grid.add_row(name, *cells)
    console.print(grid)


def _varied(row: Sensitivity) -> str:
    """Return the settings of a row, without the number of decks."""
    r = row.rules
    if row.bet == "main":
        return f"{r.blackjack_pays} {r.dealer_blackjack} {r.ace_kicker}"
    if row.bet == "package":
        return "the three bets together"
    name = f"{row.bet}_paytable"
    table = r.settings[name].text(getattr(r, name))
    return f"{row.bet} {'custom' if table.startswith('[') else table}"


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
