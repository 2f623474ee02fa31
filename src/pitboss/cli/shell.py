"""What the commands share: the group, the options, reading what was typed, and how they end.

Exit 0: done. 1: it ran and the answer is no. 2: the input was wrong, said in one line on stderr.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pitboss import __version__
from pitboss.errors import GameError, NotationError, shown
from pitboss.games import GAMES, find_game
from pitboss.rules import read_json
from pitboss.table import Limit, default_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Task
    from rich.text import Text

    from pitboss.felt import Game
    from pitboss.rules import Json, Rules

NO, WRONG = 1, 2
LONGEST_LINE = 500
CLOSED = 141
"""The status of a command whose output nobody reads to its end, as shells know it."""


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


def example(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add examples to a command's help, as they are typed."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        lines = "\n".join(f"  {line}" for line in text.strip().splitlines())
        command.__doc__ = f"{cleandoc(command.__doc__ or '')}\n\n\b\nExamples:\n{lines}"
        return command

    return add


game_argument = click.argument("game", type=GameKey(), metavar="GAME")
set_option = click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting (repeatable); a custom pay table is NAME=@FILE.",
)
preset_option = click.option(
    "--preset", default="default", metavar="NAME", help="Rules to start from."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")

limit_option = click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="BET=LEAST..MOST",
    help="A bet's limits in dollars, with /STEP if wanted (repeatable).",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, package_name="pitboss", message="pitboss %(version)s")
@example(
    "pitboss play toss-one-21\npitboss rules toss-one-21 --set decks=6\npitboss COMMAND --help"
)
def cli() -> None:
    """Deal, play and prove the casino games Toss One 21 and Roll Your Own Blackjack."""


def run() -> None:
    """Run the command line and exit."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="backslashreplace")
    status = main(sys.argv[1:])
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        status = _unwritten(error) or status
    sys.exit(status)


def _unwritten(error: OSError) -> int:
    """Give up on output that cannot be written; of one nobody reads on nothing is said."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return CLOSED
    complain(f"cannot write: {error.strerror}")
    return WRONG


def main(arguments: list[str]) -> int:
    """Run the command line and return its exit status."""
    try:
        status = cli.main(arguments, prog_name="pitboss", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as help_:
        click.echo(help_.format_message())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "pitboss"
        complain(f"{error.format_message().rstrip('.')}; see {command} --help")
        return WRONG
    except (click.ClickException, GameError) as error:
        complain(error.format_message() if isinstance(error, click.ClickException) else str(error))
        return WRONG
    except (click.Abort, KeyboardInterrupt):
        return 130
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            return CLOSED  # click would make it 1, which is an answer
        raise
    except OSError as error:
        return _unwritten(error)
    return status if isinstance(status, int) else 0


def complain(message: str) -> None:
    click.echo(f"pitboss: {' '.join(message.split())}", err=True)


def one_line(text: str) -> str:
    """Return a stranger's text on one line, cut short, with nothing a terminal would obey."""
    words = " ".join(text.split())
    return "".join(c if c.isprintable() else "?" for c in words)[:LONGEST_LINE]


def print_json(data: Json) -> None:
    click.echo(json.dumps(data))


def read_rules(game: Game, preset: str, assignments: tuple[str, ...]) -> Rules:
    """Return a preset's rules with settings changed as the command line says."""
    if preset not in game.presets:
        raise NotationError(f"no preset {shown(preset)}: there are {', '.join(game.presets)}")
    return game.presets[preset].changed(*map(with_files, assignments))


def with_files(assignment: str) -> str:
    """Put the content of a file in the place of ``@FILE``."""
    name, _, value = assignment.partition("=")
    if not value.startswith("@"):
        return assignment
    return f"{name}={json.dumps(read_json(read_file(value[1:])))}"


def read_file(path: str) -> str:
    if not path:
        raise NotationError("a file's name is empty")
    try:
        if path == "-":
            return sys.stdin.read() if sys.stdin else ""
        return Path(path).read_text(encoding="utf-8-sig")  # a mark at the start is no text
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise NotationError(f"cannot read {shown(path)}: {reason}") from None


def read_limits(game: Game, texts: tuple[str, ...]) -> dict[str, Limit]:
    limits = default_limits(game)
    given: set[str] = set()
    for text in texts:
        name, _, limit = text.partition("=")
        if name not in limits:
            raise NotationError(f"no bet {shown(name)} to limit: valid are {', '.join(limits)}")
        if name in given:
            raise NotationError(f"the limit of {name} is given twice")
        given.add(name)
        limits[name] = Limit.read(limit)
    return limits


@contextmanager
def beside(path: Path) -> Iterator[Callable[[bytes], None]]:
    """Open a file beside *path* before the work starts, and give it that name once it is whole."""
    whole = path.resolve()  # a link stays a link
    part = whole.with_name(f".{whole.name}.{os.getpid()}.part")
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        part.touch(exist_ok=False)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None
    try:
        yield lambda content: _keep(part, path, content)
    finally:
        part.unlink(missing_ok=True)


def _keep(part: Path, path: Path, content: bytes) -> None:
    try:
        part.write_bytes(content)
        part.replace(path.resolve())
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: Exception) -> NotationError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return NotationError(f"cannot write {shown(str(path))}: {reason}")


EXTRAS = {
    "kernels": {"numba", "numpy", "platformdirs"},
    "report": {"jinja2", "matplotlib", "numpy", "typst"},
    "cluster": {"dask", "distributed"},
    "server": {
        "aiosqlite",
        "alembic",
        "argon2",
        "asyncpg",
        "fastapi",
        "platformdirs",
        "prometheus_client",
        "sqlalchemy",
        "uvicorn",
    },
}


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Say what to install where a package of an extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        if name not in EXTRAS[extra]:
            raise
        raise NotationError(
            f"{what} needs {name}, which is not installed: pip install 'pitboss[{extra}]'"
        ) from None


@contextmanager
def progress_bar(
    what: str, total: float = 1.0, *, unit: str = "", shown: bool = True
) -> Iterator[Callable[[float], None]]:
    """Show on stderr how far the work is and how long it takes, if stderr is a terminal.

    With a *unit*, also show the speed. While kernels are being compiled, count the functions.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    class Compiled(TextColumn):
        def render(self, task: Task) -> Text:
            task.fields["compiled"] = _compiled()
            return super().render(task)

    columns = [
        TextColumn("{task.description}"),
        Compiled("{task.fields[compiled]}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[speed]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    ]
    console = Console(stderr=True, highlight=False)
    off = not (shown and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=off) as bar:
        task = bar.add_task(what, total=total, speed="")

        def tell(done: float) -> None:
            speed = bar.tasks[0].speed if unit else None
            bar.update(task, completed=done, speed=f"{speed:,.0f} {unit}" if speed else "")

        yield tell


def _compiled() -> str:
    """Say how many functions have been compiled so far, if Numba is compiling."""
    kernels: Any = sys.modules.get("pitboss.kernels")
    if kernels is None or not kernels.compiling.is_active:
        return ""
    return f"compiling, function {kernels.compiling.functions}"
