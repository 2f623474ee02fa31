"""The commands that play rounds: ``settle``, ``replay`` and ``play``."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any, Protocol

import click

from pitboss.cli.shell import (
    NO,
    WRONG,
    cli,
    complain,
    example,
    game_argument,
    json_option,
    limit_option,
    preset_option,
    print_json,
    read_file,
    read_limits,
    read_rules,
    set_option,
    with_files,
)
from pitboss.core.cards import spell
from pitboss.core.errors import GameError, NotationError, RuleError
from pitboss.core.journal import (
    differences,
    dollars,
    read_cents,
    read_journal,
    read_stakes,
    record_json,
    replay,
    settlements_json,
)
from pitboss.core.protocol import hand_name, hand_text, net
from pitboss.games import GAMES
from pitboss.tables.table import SeededShuffler, SystemShuffler, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.core.protocol import Game, Operation, Round, View
    from pitboss.core.settings import Json


class SettlePart(Protocol):
    """The ``settle`` part of a game in which a round is a deal and one toss."""

    def settle(
        self,
        rules: Any,  # noqa: ANN401
        bet: Operation,
        player: str,
        dealer: str,
        toss: str | None,
    ) -> Round:
        """Play a given deal to its end."""

    def hands_json(self, round_: Any) -> dict[str, Json]:  # noqa: ANN401
        """Return the kept cards, tossed card and total of ``player`` and ``dealer``."""


@cli.command()
@game_argument
@click.option("--player", required=True, metavar="CARDS", help="The player's four cards.")
@click.option("--dealer", required=True, metavar="CARDS", help="The dealer's four cards.")
@click.option("--toss", metavar="CARD", help="The card tossed [default: chosen for the player].")
@click.option(
    "--bet",
    "bets",
    multiple=True,
    default=["main=1"],
    metavar="BETS",
    help="Bets in dollars, as in main=10,lucky3=5  [default: main=1].",
)
@set_option
@preset_option
@json_option
@example(
    'pitboss settle toss-one-21 --player "As Ks Qs 2h" --dealer "9c 4d Kh 8s"\n'
    'pitboss settle toss-one-21 --player "7h 7d 7s 2c" --dealer "Tc 8c 3d 9s" --toss 2c \\\n'
    "    --bet main=10,lucky3=5,bonus4=5 --set lucky3_paytable=1"
)
def settle(  # noqa: PLR0913  click passes one argument per option
    game: Game,
    player: str,
    dealer: str,
    toss: str | None,
    bets: tuple[str, ...],
    assignments: tuple[str, ...],
    preset: str,
    *,
    as_json: bool,
) -> None:
    """Settle a given deal of a game with one decision; for other games, use replay."""
    if not game.has_part("settle"):
        known = ", ".join(key for key, other in GAMES.items() if other.has_part("settle"))
        raise NotationError(
            f"settle is only for {known}: for {game.key}, use replay with a journal"
        )
    rules = read_rules(game, preset, assignments)
    part: SettlePart = game.part("settle")
    round_ = part.settle(
        rules, game.place(1, read_stakes(game, ",".join(bets))), player, dealer, toss
    )
    settlements = settlements_json(round_)
    result = {
        "game": game.key,
        "rules": rules.as_json(),
        **part.hands_json(round_),
        "settlements": settlements,
        "net": sum(s["net"] for s in settlements),
    }
    print_json(result) if as_json else _show_settled(result, round_)


def _show_settled(result: dict[str, Json], round_: Round) -> None:
    for who in ("player", "dealer"):
        hand = result[who]
        kept = (
            f"{' '.join(hand['kept'])} = {hand['total']}, tosses {hand['tossed']}"
            if hand["kept"]
            else "bust"
        )
        click.echo(f"{who}  {kept}")
    _show_settlements(round_)


def _show_settlements(round_: Round) -> None:
    settlements = round_.settlements()
    width = max([10, *(len(hand_name(s.bet, s.hand)) for s in settlements)])
    for s in settlements:
        rule = s.rule if s.rule == "standard" else f"rule {s.rule}"
        stake, won = dollars(s.stake), dollars(s.net, sign=True)
        name = hand_name(s.bet, s.hand)
        click.echo(f"  seat {s.seat}  {name:<{width}} {stake:>8}  {won:>9}  {s.outcome} ({rule})")
    nets = [f"seat {n} {dollars(net(settlements, n), sign=True)}" for n in round_.numbers]
    total = dollars(sum(s.net for s in settlements), sign=True)
    several = f" ({', '.join(nets)})" if len(nets) > 1 else ""
    click.echo(f"  net {total}{several}")


@cli.command("replay")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@set_option
@json_option
@example("pitboss replay round.json\npitboss replay --json *.json\npitboss replay - < round.json")
def replay_command(files: tuple[str, ...], assignments: tuple[str, ...], *, as_json: bool) -> int:
    """Replay journals and show every settlement.

    Exit 1 if the results in a file differ from the replay, 2 if a file cannot be replayed. Every
    file is read, and the highest status is returned. --set changes the rules of every file.
    """
    changes = tuple(map(with_files, assignments))
    return max(_replay_file(path, changes, as_json=as_json) for path in files)


def _replay_file(path: str, changes: tuple[str, ...], *, as_json: bool) -> int:
    try:
        journal = read_journal(read_file(path))
        if changes:
            journal = dataclasses.replace(journal, rules=journal.rules.changed(*changes))
        round_ = replay(journal)
    except GameError as error:
        at = "" if error.at is None else f" (decision {error.at})"
        complain(f"{path}: {error}{at}")
        if as_json:
            body = {"ok": False, "error": error.code, "detail": str(error), "at": error.at}
            print_json({"file": path} | body)
        return WRONG
    found = differences(journal, round_)
    if as_json:
        extra = {"differs": found} if found else {}
        print_json({"file": path} | record_json(journal.game, round_) | extra)
    else:
        _show_replay(path, journal.game, round_)
    for difference in found:
        complain(f"{path}: {difference}")
    return NO if found else 0


def _show_replay(path: str, game: Game, round_: Round) -> None:
    record = round_.record()
    click.echo(f"{path}: {game.name}, {round_.phase}")
    for seat in record.seats:
        click.echo(f"  seat {seat.seat}  {spell(card for card in seat.cards if card)}")
        for hand in seat.hands:
            text = hand_text(hand) if hand.total is None else str(hand.total)
            cards = text if hand.cards is None else f"{spell(hand.cards)} = {text}"
            click.echo(f"    {hand_name(hand.bet, hand.hand):<9} {cards}")
    click.echo(f"  dealer  {_dealer_text(record)}")
    if round_.asked:
        words = ", ".join(str(decision) for decision in round_.asked.legal)
        click.echo(f"  open: seat {round_.asked.seat} is asked for {words}")
    _show_settlements(round_)


def _dealer_text(record: View) -> str:
    """Describe the dealer's open cards, the kept cards and their total."""
    turned = spell(card for card in record.dealer.cards if card)
    kept = spell(record.dealer.kept)
    if record.dealer.total is None:
        return ", ".join(filter(None, (turned, hand_text(record.dealer)))) or "face down"
    return f"{turned}{f', keeps {kept}' if kept != turned else ''} = {record.dealer.total}"


@cli.command()
@game_argument
@click.option("--seats", default=1, metavar="N", help="Seats you play  [default: 1].")
@click.option("--bankroll", default="500", metavar="DOLLARS", help="Play money  [default: 500].")
@limit_option
@click.option("--seed", metavar="TEXT", help="Deal the same decks each time.")
@click.option("--script", metavar="FILE", help="Read the answers from a file.")
@click.option("--coach", is_flag=True, help="Review every round and show the cost of each mistake.")
@set_option
@preset_option
@json_option
@example(
    "pitboss play toss-one-21\n"
    "pitboss play roll-your-own --coach\n"
    "pitboss play toss-one-21 --seats 3 --set decks=6 --limit main=10..500/5\n"
    "printf '10 5 5\\n1\\nq\\n' | pitboss play toss-one-21 --seed 7 --json > round.json"
)
def play(  # noqa: PLR0913  click passes one argument per option
    game: Game,
    seats: int,
    bankroll: str,
    limits: tuple[str, ...],
    seed: str | None,
    script: str | None,
    assignments: tuple[str, ...],
    preset: str,
    *,
    coach: bool,
    as_json: bool,
) -> None:
    """Play in the terminal with play money; answer ? to any question for a hint.

    Answers come from the keyboard, from standard input or from --script. With --json, every
    settled round is printed as a journal on one line, and the player's view goes to stderr.
    """
    from rich.console import Console

    from pitboss.terminal import Session

    table = Table(
        game,
        read_rules(game, preset, assignments),
        limits=read_limits(game, limits),
        shuffler=SystemShuffler() if seed is None else SeededShuffler(seed),
        bankroll=read_cents(bankroll),
    )
    most = table.rules.seats
    if not 1 <= seats <= most:
        raise RuleError(f"--seats {seats}: this table has 1..{most} seats")
    console = Console(stderr=as_json)
    session = Session(table, seats, console, _answers(console, script), coach=coach)
    for journal in session.run():
        if as_json:
            click.echo(journal)


def _answers(console: Any, script: str | None) -> Callable[[str], str]:  # noqa: ANN401  rich's Console
    """Return a function that asks at the keyboard, or that reads and echoes the next line."""
    from rich.text import Text

    if script is None and sys.stdin and sys.stdin.isatty():
        return lambda prompt: str(console.input(Text(prompt, style="bold")))
    lines = iter(read_file(script or "-").splitlines())

    def read(prompt: str) -> str:
        for line in lines:
            console.print(f"{prompt}{line}", highlight=False, markup=False)
            return line
        raise EOFError

    return read
