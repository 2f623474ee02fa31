"""The running software: its version, and a hash of all files of the package."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pitboss

if TYPE_CHECKING:
    from pitboss.core.settings import Json

_LEFT_OUT = {"__pycache__"}


def self_check() -> str:
    """Read the package's files again; return the SHA-256 over their names and contents."""
    folder = Path(pitboss.__file__).parent
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not _LEFT_OUT & set(path.parts):
            name = path.relative_to(folder).as_posix()
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            whole.update(f"{name} {content}\n".encode())
    return whole.hexdigest()


@cache
def software() -> dict[str, Json]:
    """Return the version and the hash at the start of the process."""
    return {"version": pitboss.__version__, "hash": self_check()}
