"""The commands in the docs: run them as a reader would, and write their output into the page.

In a fenced ``console`` block a line that starts with ``$`` is a command, and the lines below it are
its output. A fenced ``sh`` block that starts with ``cat > FILE`` creates a copy of
docs/examples/FILE. The commands of a page run in order, in one folder that is empty at first.
``python -m tools.console [PAGE...]`` writes the files and the output into these pages, or into all.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
STEP = re.compile(
    r"(?<=^```)(?:console\n(?P<commands>.*?)|sh\ncat > (?P<file>\S+) <<'END'\n.*?)(?=^```)",
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)


def commands(block):
    """Return the commands of a block, each with the output below it."""
    parts = COMMAND.split(block)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def shown(page):
    """Return the commands that a page shows, each with the output below it."""
    steps = STEP.finditer(page.read_text("utf-8"))
    return [pair for step in steps for pair in commands(step["commands"] or "")]


def output(command, folder):
    """Run a command in a folder and return its output, without messages about compiling."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {k: v for k, v in os.environ.items() if k not in {"FORCE_COLOR", "CI"}}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env | {"PATH": path, "COLUMNS": "96", "NO_COLOR": "1", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        check=False,
    )
    lines = (line.rstrip() for line in done.stdout.splitlines())
    return "".join(f"{line}\n" for line in lines if not line.startswith("pitboss: compiling"))


def written(text, skip=lambda _: False):
    """Run the commands of a page in an empty folder; return the page with their files and output.

    A command that *skip* selects does not run, and keeps the output that the page shows.
    """
    with TemporaryDirectory() as folder:
        return STEP.sub(lambda step: _followed(step, folder, skip), text)


def _followed(step, folder, skip):
    if name := step["file"]:
        block = f"cat > {name} <<'END'\n{(EXAMPLES / name).read_text('utf-8')}END\n"
        return f"sh\n{block}{output(block, folder)}"
    runs = (
        f"$ {command}\n{printed if skip(command) else output(command, folder)}"
        for command, printed in commands(step["commands"])
    )
    return "".join(("console\n", *runs))


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]) if sys.argv[1:] else PAGES:
        page.write_text(written(page.read_text("utf-8")), "utf-8")
