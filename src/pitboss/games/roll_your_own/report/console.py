"""The figures of Roll Your Own in the terminal, beyond those of the Bonus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.analysis.conditions import conditions, shared
from pitboss.games.roll_your_own.rules import Bonus
from pitboss.report.console import LOSS_NOTE, edge_text, edge_warning, grid, show_conditions
from pitboss.report.played import show_estimates, show_rounds
from pitboss.report.worth import show_reasons, worth_text

if TYPE_CHECKING:
    from rich.console import Console

    from pitboss.core.settings import Json
    from pitboss.games.roll_your_own.bonus_figures import Table
    from pitboss.games.roll_your_own.figures import RollYourOwnAnalysis
    from pitboss.games.roll_your_own.study import Study


def show_played(console: Console, analysis: RollYourOwnAnalysis) -> None:
    """Print the figures of the blackjack bets and of the package."""
    if analysis.study:
        needed = conditions(analysis.rules)
        common = shared(needed)
        _show_played(console, analysis.study)
        show_conditions(console, [c for c in needed["package"] if c not in common])
    else:
        console.print("\n[bold]blackjack, package[/]: not computed")


def show_figures(console: Console, analysis: RollYourOwnAnalysis) -> None:
    """Print the figures of rule 8, and the value of rules and pay tables."""
    _show_rule_8(console, analysis.rule_8())
    _show_worth(console, analysis)
    _show_tables(console, analysis.tables())


def _show_played(console: Console, study: Study) -> None:
    blackjack, package, rounds = study.blackjack, study.package, study.trial.rounds
    console.print(
        "\n[bold]the two blackjack bets together[/], one unit on each, memory none\n"
        f"  EV {blackjack.ev:+.12f} a round   with {blackjack.put_down:.6f} units put down\n"
        f"  house edge {edge_text(blackjack.house_edge)} of the two-unit stake,"
        f" {edge_text(blackjack.house_edge_put_down)} of the money put down"
    )
    show_estimates(console, blackjack)
    show_rounds(console, blackjack)
    console.print(
        "[bold]the package[/]: the three bets, one unit on each\n"
        f"  EV {package.ev:+.12f} a round   with {package.put_down:.6f} units put down\n"
        f"  house edge {edge_warning(package.house_edge)} of the three-unit stake,"
        f" {edge_text(package.house_edge_put_down)} of the money put down"
    )
    show_estimates(console, package)
    console.print(
        f"  covariance of bonus, blackjack: {study.covariance:+.6f}\n\n"
        f"  ±: simulated, {rounds:,} rounds with seed {study.trial.seed}, and its standard error."
        " The rest is exact."
    )


def _show_rule_8(console: Console, rule: dict[str, Json]) -> None:
    """Print the results of teams that run out the deck."""
    console.print("\n[bold]teams of all seats that run out the deck[/] (rule 8), the three bets")
    for row in rule["teams"]:
        error = row["std_error"]
        console.print(
            f"  {row['seats']} seats: house edge {edge_text(row['house_edge'], 2)}"
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


def _show_worth(console: Console, analysis: RollYourOwnAnalysis) -> None:
    console.print("\n[bold]what each rule is worth[/] to the player, and the house edges (exact)")
    shown = grid("rule", "blackjack EV", "worth", "blackjack bets", "package")
    for row in analysis.worth or ():
        edges = (row.blackjack_house_edge, row.house_edge)
        shown.add_row(
            f"{row.setting}={row.value}",
            *(("not computed", "") if row.ev is None else (f"{row.ev:+.9f}", worth_text(row))),
            *("" if edge is None else edge_text(edge) for edge in edges),
        )
    console.print(shown)
    bonus = edge_text(analysis.counted["bonus"].house_edge)
    console.print(
        f"  The Bonus depends only on its pay table: its house edge is {bonus} in every row"
    )
    show_reasons(console, analysis.worth or ())


def _show_tables(console: Console, tables: list[Table]) -> None:
    titles = {c: c.replace("_", " ") for c in Bonus}
    console.print("\n[bold]which Bonus pay table gives which edge[/]: one line changed at a time")
    shown = grid("", *titles.values(), "Bonus", "package")
    for table in tables:
        pays = {c: table.rules.bonus_paytable.odds(c) for c in titles}
        cells = (
            f"[bold]{odds or '-'}[/]" if c in table.changed else str(odds or "-")
            for c, odds in pays.items()
        )
        package = "not computed" if table.package_edge is None else edge_text(table.package_edge)
        name = "" if table.changed else "now"
        shown.add_row(name, *cells, edge_text(-float(table.bonus_ev)), package)
    console.print(shown)
    if any(table.package_ev and table.package_ev > 0 for table in tables):
        console.print(LOSS_NOTE)
