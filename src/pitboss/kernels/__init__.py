"""Loops compiled by Numba: plain numbers in, plain arrays out; proved equal to the rules engine.

The compiled code is cached under a key of all kernel sources, so that an edit is never missed.
"""

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path

import numba
from platformdirs import user_cache_dir

_FILES = sorted(Path(__file__).parent.rglob("*.py"))
SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in _FILES)).hexdigest()[:16]
"""What tells these kernels from any other version of them."""


def _cache_folder() -> Path:
    """Return the user's folder for compiled code, or a temporary one if it is not writable."""
    folder = Path(user_cache_dir("pitboss")) / "numba" / SOURCES
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="pitboss-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]
