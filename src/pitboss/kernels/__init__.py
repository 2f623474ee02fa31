"""Loops compiled by Numba, which take and return plain numbers and arrays.

Tests compare them with the rules engine. The cache key of the compiled code is a hash of all kernel
sources, so an edited kernel is always recompiled. The logger ``pitboss.kernels`` reports the first
compilation.
"""

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path

import numba
from numba.core import event
from platformdirs import user_cache_dir

from pitboss.kernels.compiling import CompileListener

_FILES = sorted(Path(__file__).parents[1].glob("**/kernels/*.py"))
SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in _FILES)).hexdigest()[:16]
"""A hash that identifies this version of the kernels."""


CACHED_MESSAGE = "pitboss: compiling for the first use (up to a minute; kept for next time)"
UNCACHED_MESSAGE = "pitboss: compiling, up to a minute each time: {} is not writable"


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
        return other, UNCACHED_MESSAGE.format(folder)
    return folder, CACHED_MESSAGE


_folder, _message = _cache_folder()
numba.config.CACHE_DIR = str(_folder)  # type: ignore[attr-defined]
compiling = CompileListener(_message)
event.register("numba:compile", compiling)
