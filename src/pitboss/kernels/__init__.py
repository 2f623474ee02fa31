"""Loops compiled by Numba: plain numbers in, plain arrays out; proved equal to the rules engine.

The compiled code is cached under a key of all kernel sources, so that an edit is never missed.
"""

import hashlib
from pathlib import Path

import numba
from platformdirs import user_cache_dir

_SOURCES = sorted(Path(__file__).parent.rglob("*.py"))
_KEY = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()[:16]

numba.config.CACHE_DIR = str(  # type: ignore[attr-defined]
    Path(user_cache_dir("pitboss")) / "numba" / _KEY
)
