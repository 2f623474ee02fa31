"""Atomic writing of files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Replace the content of a file in one step, even if another process writes it too."""
    part = path.with_name(f".{path.name}.{os.getpid()}.new")
    part.write_text(text, "utf-8")
    part.replace(path.resolve())
