"""Code shared by the commands: the group, common options, parsing of input, and exit statuses.

Exit 0: success. 1: the command ran and the answer is no. 2: the input was invalid; stderr has a
one-line message.
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
from pitboss.core.errors import GameError, NotationError, shown
from pitboss.core.settings import read_json
from pitboss.games import GAMES, find_game
from pitboss.tables.limits import Limit, default_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.progress import Task
    from rich.text import Text

    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules

NO, WRONG = 1, 2
LONGEST_LINE = 500
BROKEN_PIPE = 141
"""The status after SIGPIPE in a shell: the reader closed the output early."""


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
    """Add examples to a command's help, verbatim."""

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
    "--preset", default="default", metavar="NAME", help="The preset to start from."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")

limit_option = click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="BET=LEAST..MOST",
    help="A bet's limits in dollars, with an optional /STEP (repeatable).",
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
        status = _abandon_output(error) or status
    sys.exit(status)


def _abandon_output(error: OSError) -> int:
    """Discard output that cannot be written; report it unless the reader closed the pipe."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
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
            return BROKEN_PIPE  # click would exit with 1, which means "no"
        raise
    except OSError as error:
        return _abandon_output(error)
    return status if isinstance(status, int) else 0


def complain(message: str) -> None:
    click.echo(f"pitboss: {' '.join(message.split())}", err=True)


def one_line(text: str) -> str:
    """Return untrusted text as one short line without control characters."""
    words = " ".join(text.split())
    return "".join(c if c.isprintable() else "?" for c in words)[:LONGEST_LINE]


def print_json(data: Json) -> None:
    click.echo(json.dumps(data))


def read_rules(game: Game, preset: str, assignments: tuple[str, ...]) -> Rules:
    """Return a preset of a game, with the settings changed on the command line."""
    return change_preset(game.presets, preset, assignments)


def change_preset(presets: Mapping[str, Rules], preset: str, assignments: tuple[str, ...]) -> Rules:
    """Return one of the presets, with changed settings."""
    if preset not in presets:
        raise NotationError(f"no preset {shown(preset)}: choose one of {', '.join(presets)}")
    return presets[preset].changed(*map(with_files, assignments))


def with_files(assignment: str) -> str:
    """Replace ``@FILE`` with the content of the file."""
    name, _, value = assignment.partition("=")
    if not value.startswith("@"):
        return assignment
    return f"{name}={json.dumps(read_json(read_file(value[1:])))}"


def read_file(path: str) -> str:
    if not path:
        raise NotationError("the file name is empty")
    try:
        if path == "-":
            return sys.stdin.read() if sys.stdin else ""
        return Path(path).read_text(encoding="utf-8-sig")  # skip a byte order mark
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise NotationError(f"cannot read {shown(path)}: {reason}") from None


def read_limits(game: Game, texts: tuple[str, ...]) -> dict[str, Limit]:
    limits = default_limits(game)
    given: set[str] = set()
    for text in texts:
        name, _, limit = text.partition("=")
        if name not in limits:
            raise NotationError(f"no bet {shown(name)} to limit: choose one of {', '.join(limits)}")
        if name in given:
            raise NotationError(f"the limit of {name} is given twice")
        given.add(name)
        limits[name] = Limit.read(limit)
    return limits


@contextmanager
def atomic_output(path: Path) -> Iterator[Callable[[bytes], None]]:
    """Write *path* atomically: create a temporary file first, and rename it when it is complete.

    If the file cannot be created, the error comes before the work starts.
    """
    target = path.resolve()  # replace the target of a link, not the link
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        part.touch(exist_ok=False)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None
    try:
        yield lambda content: _write_whole(part, path, content)
    finally:
        part.unlink(missing_ok=True)


def _write_whole(part: Path, path: Path, content: bytes) -> None:
    try:
        part.write_bytes(content)
        part.replace(path.resolve())
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: Exception) -> NotationError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return NotationError(f"cannot write {shown(str(path))}: {reason}")


EXTRAS = {
    "kernels": {"numba", "numpy", "platformdirs", "psutil"},
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
    """If a package of an extra is missing, tell the user what to install."""
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
    """Show a progress bar with times on stderr, if stderr is a terminal.

    With a *unit*, also show the speed. While kernels are compiled, show the number of functions.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    class CompileColumn(TextColumn):
        def render(self, task: Task) -> Text:
            task.fields["compiled"] = _compile_status()
            return super().render(task)

    columns = [
        TextColumn("{task.description}"),
        CompileColumn("{task.fields[compiled]}"),
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

        def update(done: float) -> None:
            speed = bar.tasks[0].speed if unit else None
            bar.update(task, completed=done, speed=f"{speed:,.0f} {unit}" if speed else "")

        yield update


def _compile_status() -> str:
    """Return how many functions Numba has compiled so far; empty if it is not compiling."""
    kernels: Any = sys.modules.get("pitboss.kernels")
    if kernels is None or not kernels.compiling.is_active:
        return ""
    return f"compiling, function {kernels.compiling.functions}"
