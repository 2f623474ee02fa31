"""Loops compiled by Numba: plain numbers in, plain arrays out; proved equal to the rules engine.

The compiled code is cached under a key of all kernel sources, so that an edit is never missed. When
a kernel is compiled for the first time, the logger ``pitboss.kernels`` says so.
"""

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path

import numba
from numba.core import event
from platformdirs import user_cache_dir

from pitboss.kernels.compiling import Compiling

_FILES = sorted(Path(__file__).parent.rglob("*.py"))
SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in _FILES)).hexdigest()[:16]
"""What tells these kernels from any other version of them."""


KEPT = "pitboss: compiling for the first use (up to a minute; kept for next time)"
NOT_KEPT = "pitboss: compiling, up to a minute each time: {} is not writable"


def _cache_folder() -> tuple[Path, str]:
    """Return the cache folder for compiled code, and the message to show while code is compiled.

    If the user's cache folder is not writable, this is a temporary folder.
    """
    folder = Path(user_cache_dir("pitboss")) / "numba" / SOURCES
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        other = Path(tempfile.mkdtemp(prefix="pitboss-"))
        atexit.register(shutil.rmtree, other, ignore_errors=True)
        return other, NOT_KEPT.format(folder)
    return folder, KEPT


_folder, _message = _cache_folder()
numba.config.CACHE_DIR = str(_folder)  # type: ignore[attr-defined]
compiling = Compiling(_message)
event.register("numba:compile", compiling)
