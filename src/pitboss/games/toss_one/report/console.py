"""The figures of Toss One 21 in the terminal, beyond those of each bet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.toss_one.figures import package_json, sensitivity
from pitboss.report.console import LOSS_NOTE, edge_warning, paytable_name, show_by_decks

if TYPE_CHECKING:
    from rich.console import Console

    from pitboss.analysis.parts import Sensitivity
    from pitboss.core.settings import Json
    from pitboss.games.toss_one.figures import TossOneAnalysis


def show_figures(console: Console, analysis: TossOneAnalysis) -> None:
    """Print the figures of the three bets together, and the house edges under other settings."""
    _show_package(console, package_json(analysis.rules))
    _show_sensitivity(console, sensitivity(analysis.rules))


def _show_package(console: Console, package: dict[str, Json]) -> None:
    console.print(
        f"\n[bold]the three bets together[/], one unit on each\n"
        f"  house edge {edge_warning(package['house_edge'])} per unit staked"
        f"   EV {package['ev']}\n"
        f"  standard deviation {package['std_dev']:.6f}"
    )
    for pair, value in package["correlations"].items():
        console.print(f"  correlation of {pair}: {value:+.4f}")


def _show_sensitivity(console: Console, rows: list[Sensitivity]) -> None:
    main = [row for row in rows if row.bet == "main"]
    others = [row for row in rows if row.bet != "main"]
    console.print("\n[bold]house edge of Main[/], per cent, by number of decks")
    show_by_decks(console, "pay, dealer's, ace", main, [*map(_varied, main)])
    console.print("[bold]house edge of the other bets[/], per cent, by number of decks")
    show_by_decks(console, "bet, pay table", others, [*map(_varied, others)])
    console.print("  All decks are shuffled before every round, however many there are.")
    if any(row.house_edge < 0 for row in rows):
        console.print(LOSS_NOTE)


def _varied(row: Sensitivity) -> str:
    """Return the settings of a row, without the number of decks."""
    r = row.rules
    if row.bet == "main":
        return f"{r.blackjack_pays} {r.dealer_blackjack} {r.ace_kicker}"
    if row.bet == "package":
        return "the three bets together"
    return paytable_name(row)
