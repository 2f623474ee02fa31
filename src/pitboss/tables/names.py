"""Names of players and tables: validation, comparison, and handles for logs."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

from pitboss.core.errors import RuleError, shown

NAME: Final = re.compile(r"[^\W_](?:[\w .'-]{0,22}[^\W_])?")
INVISIBLE: Final = {"\u115f", "\u1160"}
"""Letters without a visible glyph, which would make a name look like another."""


def check_name(name: str) -> str:
    """Return a player's name in its display form, or reject it."""
    plain = _plain(name)
    if not NAME.fullmatch(plain) or INVISIBLE & set(plain):
        raise RuleError(
            f"{shown(name)} is not a valid name: use 1 to 24 letters and digits, with spaces,"
            " periods, dashes and apostrophes between them"
        )
    return plain


def check_title(name: str) -> str:
    """Return a table's name in its display form, or reject it."""
    plain = _plain(name)
    if not plain or not plain.isprintable():
        raise RuleError(f"{shown(name)} is not a valid table name: use letters, digits and signs")
    return plain


def name_key(name: str) -> str:
    """Return a key that is equal for names that look alike."""
    return _plain(name).casefold()


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split())


def table_handle(table: str) -> str:
    """Return the name of a table in logs, because anyone with its id can join a private table."""
    return hashlib.sha256(table.encode()).hexdigest()[:10]
