"""Loops compiled by Numba: plain numbers in, plain arrays out; proved equal to the rules engine.

The compiled code is cached under a key of all kernel sources, so that an edit is never missed.
"""

import hashlib
from pathlib import Path

import numba
from platformdirs import user_cache_dir

_FILES = sorted(Path(__file__).parent.rglob("*.py"))
SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in _FILES)).hexdigest()[:16]
"""What tells these kernels from any other version of them."""

numba.config.CACHE_DIR = str(  # type: ignore[attr-defined]
    Path(user_cache_dir("pitboss")) / "numba" / SOURCES
)
