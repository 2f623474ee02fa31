"""What runs here: the version, and a hash of every file of the package."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pitboss

if TYPE_CHECKING:
    from pitboss.rules import Json

_LEFT_OUT = {"__pycache__"}


def self_check() -> str:
    """Return the SHA-256 over the names and contents of the package's files, read anew."""
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
    """Return the version and the hash as they were when the process started."""
    return {"version": pitboss.__version__, "hash": self_check()}
