"""The commands in the docs and their output: run them, compare them, write them anew.

In a fenced ``console`` block a line that starts with ``$`` is a command, and what follows is what
it prints. Commands run in docs/examples. ``python -m tests.console [PAGE...]`` writes the output of
these pages, or of all, anew.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)


def commands(block):
    """Return the commands of a block with the output that stands below each."""
    parts = COMMAND.split(block)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def output(command):
    """Run a command as a reader would and return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {k: v for k, v in os.environ.items() if k not in {"FORCE_COLOR", "CI"}}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT / "docs" / "examples",
        env=env | {"PATH": path, "COLUMNS": "96", "NO_COLOR": "1", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        check=False,
    )
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def written(block):
    """Return a block with the output of its commands as it is now."""
    return "".join(f"$ {command}\n{output(command)}" for command, _ in commands(block))


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]) if sys.argv[1:] else PAGES:
        text = page.read_text("utf-8")
        page.write_text(BLOCK.sub(lambda match: written(match[0]), text), "utf-8")
