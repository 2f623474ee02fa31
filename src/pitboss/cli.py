"""The command line: parse the arguments, call the library, print.

Exit 0: done. 1: it ran and the answer is no. 2: the input was wrong, said in one line on stderr.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pitboss import __version__
from pitboss.cards import parse, parse_card, spell
from pitboss.errors import GameError, NotationError, RuleError, shown
from pitboss.felt import Deal
from pitboss.games import GAMES, find_game, toss_one
from pitboss.notation import (
    differences,
    dollars,
    read_journal,
    read_stakes,
    record_json,
    replay,
    settlements_json,
)
from pitboss.rules import Printed, read_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.felt import Game, Round
    from pitboss.rules import Json, Rules
    from pitboss.table import Limit

NO, WRONG = 1, 2


class GameKey(click.ParamType[Any]):
    """The key of a game."""

    name = "game"

    def convert(self, value: Any, param: Any, ctx: Any) -> Game:  # noqa: ANN401  click's types
        try:
            return value if not isinstance(value, str) else find_game(value)
        except GameError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:  # noqa: ANN401, ARG002
        from click.shell_completion import CompletionItem

        return [CompletionItem(key) for key in GAMES if key.startswith(incomplete)]


def _example(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add examples to a command's help, as they are typed."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        lines = "\n".join(f"  {line}" for line in text.strip().splitlines())
        command.__doc__ = f"{command.__doc__}\n\n\b\nExamples:\n{lines}"
        return command

    return add


_game = click.argument("game", type=GameKey(), metavar="GAME")
_set = click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting (repeatable); a pay table of one's own is NAME=@FILE.",
)
_preset = click.option("--preset", default="default", metavar="NAME", help="Rules to start from.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, package_name="pitboss", message="pitboss %(version)s")
@_example(
    "pitboss play toss-one-21\npitboss rules toss-one-21 --set decks=6\npitboss COMMAND --help"
)
def cli() -> None:
    """Deal, play and prove the casino games Toss One 21 and Roll Your Own Blackjack."""


def run() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    """Run the command line and return its exit status."""
    try:
        status = cli.main(arguments, prog_name="pitboss", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as help_:
        click.echo(help_.format_message())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "pitboss"
        _complain(f"{error.format_message().rstrip('.')}; see {command} --help")
        return WRONG
    except (click.ClickException, GameError) as error:
        _complain(error.format_message() if isinstance(error, click.ClickException) else str(error))
        return WRONG
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return status if isinstance(status, int) else 0


def _complain(message: str) -> None:
    click.echo(f"pitboss: {' '.join(message.split())}", err=True)


def _print(data: Json) -> None:
    click.echo(json.dumps(data))


# --- games and rules


@cli.command()
@_json
@_example("pitboss games\npitboss games --json")
def games(*, as_json: bool) -> None:
    """List the games, their bets and their presets."""
    if as_json:
        _print([_game_json(game) for game in GAMES.values()])
        return
    for game in GAMES.values():
        click.echo(f"{click.style(game.key, bold=True)}  {game.name}: {game.summary}")
        click.echo(f"  bets     {', '.join(game.stakes)}")
        click.echo(f"  presets  {', '.join(game.presets)}")


def _game_json(game: Game) -> dict[str, Json]:
    return {
        "game": game.key,
        "name": game.name,
        "summary": game.summary,
        "bets": list(game.stakes),
        "presets": {name: rules.as_json() for name, rules in game.presets.items()},
    }


@cli.command()
@_game
@_set
@_preset
@_json
@_example(
    "pitboss rules toss-one-21\n"
    "pitboss rules toss-one-21 --set dealer_blackjack=beats_21 --set decks=6\n"
    "pitboss rules toss-one-21 --set bonus4_paytable=@mine.json --json"
)
def rules(game: Game, assignments: tuple[str, ...], preset: str, *, as_json: bool) -> None:
    """Show the rules in force, with the reading of each open point."""
    chosen = read_rules(game, preset, assignments)
    if as_json:
        _print(_rules_json(game, chosen))
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"[bold]{game.name}[/]", _settings_grid(_rules_json(game, chosen)["settings"]))
    for name, known in chosen.settings.items():
        if isinstance(known.kind, Printed):
            console.print(_paytable_grid(name, known.kind.lines(getattr(chosen, name))))
    console.print(f"digest {chosen.digest()}", soft_wrap=True)


def _settings_grid(settings: list[dict[str, str]]) -> Any:  # noqa: ANN401  rich's Table
    from rich import box
    from rich.table import Table as Grid

    grid = Grid("setting", "value", "rule", "how it is read", box=box.SIMPLE, pad_edge=False)
    for row in settings:
        value = "one's own" if row["value"].startswith("[") else row["value"]
        reading = f"{row['reading']}\n[dim]choices: {row['choices']}[/]"
        grid.add_row(row["name"], value, row["rule"], reading)
    return grid


def _paytable_grid(name: str, lines: list[dict[str, Json]]) -> Any:  # noqa: ANN401  rich's Table
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(name, "pays", box=box.SIMPLE, pad_edge=False)
    for line in lines:
        pays = "push" if line["pays"].startswith("0:") else line["pays"].replace(":", " to ")
        grid.add_row(", ".join(str(on).replace("_", " ") for on in line["on"]), pays)
    return grid


def _rules_json(game: Game, chosen: Rules) -> dict[str, Json]:
    settings = [
        {
            "name": name,
            "value": known.text(getattr(chosen, name)),
            "choices": known.kind.choices,
            "rule": known.rule,
            "reading": known.reading(getattr(chosen, name)),
        }
        for name, known in chosen.settings.items()
    ]
    return {
        "game": game.key,
        "rules": chosen.as_json(),
        "digest": chosen.digest(),
        "settings": settings,
    }


def read_rules(game: Game, preset: str, assignments: tuple[str, ...]) -> Rules:
    """Return a preset's rules with settings changed as the command line says."""
    if preset not in game.presets:
        raise NotationError(f"no preset {shown(preset)}: there are {', '.join(game.presets)}")
    return game.presets[preset].changed(*map(_read_files, assignments))


def _read_files(assignment: str) -> str:
    """Put the content of a file in the place of ``@FILE``."""
    name, _, value = assignment.partition("=")
    if not value.startswith("@"):
        return assignment
    return f"{name}={json.dumps(read_json(_read_file(value[1:])))}"


def _read_file(path: str) -> str:
    try:
        if path == "-":
            return sys.stdin.read()
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise NotationError(f"cannot read {shown(path)}: {reason}") from None


# --- settling and replaying


@cli.command()
@_game
@click.option("--player", required=True, metavar="CARDS", help="The player's four cards.")
@click.option("--dealer", required=True, metavar="CARDS", help="The dealer's four cards.")
@click.option("--toss", metavar="CARD", help="The card tossed [default: chosen for the player].")
@click.option("--bet", "bets", default="main=1", metavar="BETS", help="Bets in dollars.")
@_set
@_preset
@_json
@_example(
    'pitboss settle toss-one-21 --player "As Ks Qs 2h" --dealer "9c 4d Kh 8s"\n'
    'pitboss settle toss-one-21 --player "7h 7d 7s 2c" --dealer "Tc 8c 3d 9s" --toss 2c \\\n'
    "    --bet main=10,lucky3=5,bonus4=5 --set lucky3_paytable=1"
)
def settle(  # noqa: PLR0913  click passes one argument per option
    game: Game,
    player: str,
    dealer: str,
    toss: str | None,
    bets: str,
    assignments: tuple[str, ...],
    preset: str,
    *,
    as_json: bool,
) -> None:
    """Settle one given deal of Toss One 21; Roll Your Own uses replay."""
    if game is not toss_one.GAME:
        raise NotationError(
            f"settle takes toss-one-21 alone: write a journal and replay {game.key}"
        )
    stakes = read_stakes(game, bets)
    rules = read_rules(game, preset, assignments)
    assert isinstance(rules, toss_one.Rules)  # noqa: S101  the game is toss_one's
    tossed = None if toss is None else parse_card(toss)
    packs = tuple(_four(name, text) for name, text in (("player", player), ("dealer", dealer)))
    round_ = toss_one.Round(rules).apply(toss_one.Bet(1, **({"main": 0} | stakes)))
    round_ = round_.apply(Deal(packs))
    chosen = toss_one.chosen_hand(rules, packs[0])
    if tossed is not None and chosen is None:
        raise RuleError("no three of the player's cards make 21 or less: there is nothing to toss")
    if chosen is not None:
        round_ = round_.apply(toss_one.Toss(1, tossed or chosen.tossed))
    result = _settle_json(game, round_)
    _print(result) if as_json else _show_settled(result, round_)


def _four(name: str, text: str) -> tuple[Any, ...]:
    cards = parse(text)
    if len(cards) != toss_one.PACK:
        raise NotationError(f"--{name} takes four cards, got {len(cards)} in {shown(text)}")
    return cards


def _settle_json(game: Game, round_: toss_one.Round) -> dict[str, Json]:
    hand = round_.seats[0].hand
    settlements = settlements_json(round_)
    return {
        "game": game.key,
        "rules": round_.rules.as_json(),
        "player": _hand_json(None if round_.seats[0].is_bust else hand),
        "dealer": _hand_json(next(iter(toss_one.best_hands(round_.dealer)), None)),
        "settlements": settlements,
        "net": sum(s["net"] for s in settlements),
    }


def _hand_json(hand: toss_one.Hand | None) -> dict[str, Json]:
    if hand is None:
        return {"kept": None, "tossed": None, "total": None}
    kept = [card.text for card in hand.kept]
    return {"kept": kept, "tossed": hand.tossed.text, "total": hand.total}


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
    for s in round_.settlements():
        hand = f" hand {s.hand + 1}" if s.hand else ""
        won = dollars(s.net, sign=True) if s.net else "push"
        click.echo(
            f"  seat {s.seat}  {s.bet + hand:<14} {dollars(s.stake):>8}  {won:>9}"
            f"  {s.outcome} ({s.rule if s.rule == 'standard' else f'rule {s.rule}'})"
        )
    total = sum(s.net for s in round_.settlements())
    click.echo(f"  net {dollars(total, sign=True)}")


@cli.command("replay")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_json
@_example("pitboss replay round.json\npitboss replay --json *.json\npitboss replay - < round.json")
def replay_command(files: tuple[str, ...], *, as_json: bool) -> int:
    """Play journals again and show every settlement.

    Exit 1 if a file's own results differ from the replay, 2 if a file cannot be replayed; all
    files are read, and the exit status is the highest.
    """
    return max(_replay_file(path, as_json=as_json) for path in files)


def _replay_file(path: str, *, as_json: bool) -> int:
    try:
        journal = read_journal(_read_file(path))
        round_ = replay(journal)
    except GameError as error:
        at = "" if error.at is None else f" (decision {error.at})"
        _complain(f"{path}: {error}{at}")
        if as_json:
            body = {"ok": False, "error": error.code, "detail": str(error), "at": error.at}
            _print({"file": path} | body)
        return WRONG
    found = differences(journal, round_)
    if as_json:
        extra = {"differs": found} if found else {}
        _print({"file": path} | record_json(journal.game, round_) | extra)
    else:
        _show_replay(path, journal.game, round_)
    for difference in found:
        _complain(f"{path}: {difference}")
    return NO if found else 0


def _show_replay(path: str, game: Game, round_: Round) -> None:
    record = round_.record()
    click.echo(f"{path}: {game.name}, {round_.phase}")
    for seat in record.seats:
        click.echo(f"  seat {seat.seat}  {spell(card for card in seat.cards if card)}")
        for hand in seat.hands:
            cards = "bust" if hand.cards is None else f"{spell(hand.cards)} = {hand.total}"
            click.echo(f"    {hand.bet} {hand.hand + 1}  {cards}")
    turned = spell(card for card in record.dealer.cards if card)
    click.echo(f"  dealer  {turned or 'face down'}")
    if round_.asked:
        words = ", ".join(str(decision) for decision in round_.asked.legal)
        click.echo(f"  open: seat {round_.asked.seat} is asked for {words}")
    _show_settlements(round_)


# --- playing


@cli.command()
@_game
@click.option("--seats", default=1, metavar="N", help="Seats you play  [default: 1].")
@click.option("--bankroll", default="500", metavar="DOLLARS", help="Play money  [default: 500].")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="BET=LEAST..MOST",
    help="A bet's limits, with /STEP if wanted (repeatable).",
)
@click.option("--seed", metavar="TEXT", help="Deal the same decks each time.")
@click.option("--script", metavar="FILE", help="Take the answers from a file.")
@_set
@_preset
@_json
@_example(
    "pitboss play toss-one-21\n"
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
    as_json: bool,
) -> None:
    """Play in the terminal, for play money.

    Answers come from the keyboard, from standard input or from --script. With --json every round
    that is settled is printed as a journal, and what a player sees goes to stderr.
    """
    from rich.console import Console

    from pitboss.table import SeededShuffler, SystemShuffler, Table
    from pitboss.terminal import Session

    table = Table(
        game,
        read_rules(game, preset, assignments),
        limits=_read_limits(game, limits),
        shuffler=SystemShuffler() if seed is None else SeededShuffler(seed),
        bankroll=_read_bankroll(bankroll),
    )
    most = table.rules.seats
    if not 1 <= seats <= most:
        raise RuleError(f"--seats {seats}: this table has 1..{most} seats")
    console = Console(stderr=as_json)
    for journal in Session(table, seats, console, _answers(console, script)).run():
        if as_json:
            click.echo(journal)


def _read_bankroll(text: str) -> int:
    from pitboss.notation import read_cents

    return read_cents(text)


def _read_limits(game: Game, texts: tuple[str, ...]) -> dict[str, Limit]:
    from pitboss.table import Limit

    least = dict.fromkeys(game.stakes, 100) | {game.first_stake: 500}
    limits = {name: Limit(least[name], 30_000) for name in game.stakes}
    for text in texts:
        name, _, limit = text.partition("=")
        if name not in limits:
            raise NotationError(f"no bet {shown(name)} to limit: valid are {', '.join(limits)}")
        limits[name] = Limit.read(limit)
    return limits


def _answers(console: Any, script: str | None) -> Callable[[str], str]:  # noqa: ANN401  rich's Console
    """Return how to ask: at the keyboard, or by reading and showing the next line."""
    if script is None and sys.stdin.isatty():
        return lambda prompt: str(console.input(f"[bold]{prompt}[/]"))
    lines = iter((_read_file(script) if script else sys.stdin.read()).splitlines())

    def read(prompt: str) -> str:
        for line in lines:
            console.print(f"{prompt}{line}", highlight=False, markup=False)
            return line
        raise EOFError

    return read
