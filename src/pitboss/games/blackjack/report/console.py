"""The figures of blackjack in the terminal, beyond those of the side bets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.analysis.conditions import conditions, shared
from pitboss.core.errors import plural
from pitboss.games.blackjack.figures import sensitivity
from pitboss.report.console import (
    LOSS_NOTE,
    edge_text,
    edge_warning,
    grid,
    paytable_name,
    show_by_decks,
    show_conditions,
    show_paragraph,
)
from pitboss.report.played import show_estimates, show_rounds
from pitboss.report.worth import show_reasons, worth_text

if TYPE_CHECKING:
    from rich.console import Console

    from pitboss.core.settings import Json
    from pitboss.games.blackjack.figures import BlackjackAnalysis
    from pitboss.games.blackjack.study import Study


def show_played(console: Console, analysis: BlackjackAnalysis) -> None:
    """Print the figures of Main."""
    if not analysis.study:
        console.print("\n[bold]main[/]: not computed")
        return
    needed = conditions(analysis.rules)
    _show_main(console, analysis.study)
    show_conditions(console, [c for c in needed["main"] if c not in shared(needed)])


def show_figures(console: Console, analysis: BlackjackAnalysis) -> None:
    """Print the bets together, the value of each rule, and the side bets by number of decks."""
    if analysis.study:
        _show_package(console, analysis.study.package())
    _show_worth(console, analysis)
    rows = sensitivity(analysis.rules)
    console.print("\n[bold]house edge of the side bets[/], per cent, by number of decks")
    show_by_decks(console, "bet, pay table", rows, [*map(paytable_name, rows)])


def _show_main(console: Console, study: Study) -> None:
    main = study.main
    splits = main.more["splits"]
    console.print(
        "\n[bold]main[/], one unit, the best play by every card of the hand\n"
        f"  EV {main.ev:+.12f} a round   with {main.put_down:.6f} units put down\n"
        f"  house edge {edge_warning(main.house_edge)},"
        f" {edge_text(main.house_edge_put_down)} of the money put down"
    )
    show_estimates(console, main)
    show_paragraph(
        console, f"split values, up to {plural(splits['most'], 'split')}: {splits['about']}"
    )
    show_rounds(console, main)
    console.print(
        f"  ±: simulated, {study.trial.rounds:,} rounds with seed {main.more['trial']['seed']}, and"
        " its standard error. The rest is exact."
    )


def _show_package(console: Console, package: dict[str, Json]) -> None:
    error = package["simulated"]["std_dev"]["std_error"]
    console.print(
        f"\n[bold]the four bets together[/], one unit on each\n"
        f"  house edge {edge_warning(package['house_edge'])} of a unit staked"
        f"   EV {package['ev']:+.9f}\n"
        f"  standard deviation {package['std_dev']:.6f} ± {error:.6f}"
    )
    for pair, value in package["correlations"].items():
        console.print(f"  correlation of {pair}: {value:+.4f}")


def _show_worth(console: Console, analysis: BlackjackAnalysis) -> None:
    console.print("\n[bold]what each rule is worth[/] to the player, and the house edge (exact)")
    shown = grid("rule", "EV of main", "worth", "house edge")
    for row in analysis.worth or ():
        shown.add_row(
            f"{row.setting}={row.value}",
            *(("not computed", "") if row.ev is None else (f"{row.ev:+.9f}", worth_text(row))),
            "" if row.house_edge is None else edge_text(row.house_edge),
        )
    console.print(shown)
    show_reasons(console, analysis.worth or ())
    if any((row.ev or 0) > 0 for row in analysis.worth or ()):
        console.print(LOSS_NOTE)
