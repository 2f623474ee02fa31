"""Export of rows as CSV."""

from __future__ import annotations

import re
from csv import writer
from io import StringIO
from typing import TYPE_CHECKING, Final

from pitboss.tables.chain import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pitboss.core.settings import Json


def csv(rows: Iterable[dict[str, Json]], columns: Sequence[str] | None = None) -> str:
    r"""Render rows as CSV (RFC 4180), with an apostrophe before text that looks like a formula.

    A spreadsheet may split at semicolons or tabs instead of commas, so every part is checked.

    >>> print(csv([{"name": "=1+1;=2", "net": -500}]).replace("\r", ""), end="")
    name,net
    '=1+1;'=2,-500
    """
    rows = list(rows)
    names = list(columns or dict.fromkeys(name for row in rows for name in row))
    text = StringIO()
    out = writer(text, lineterminator="\r\n")
    if names:
        out.writerow(map(_cell, names))
    for row in rows:
        out.writerow([_cell(row.get(name)) for name in names])
    return text.getvalue()


_SIGNS: Final = "[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212]"
"""Signs that begin a formula, including their fullwidth and small forms and the minus sign."""

_SKIPPED: Final = '[\\s"\u200b\ufeff]*'
"""Characters that a spreadsheet may drop before it looks for a formula."""

_FORMULA_AT_START: Final = re.compile(rf"[\t\r\n]|{_SKIPPED}{_SIGNS}")
_FORMULA_AFTER_SEPARATOR: Final = re.compile(rf"([;\t\r\n])(?={_SKIPPED}{_SIGNS})")


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return canonical(value)
    text = value if isinstance(value, str) else canonical(value)
    text = _FORMULA_AFTER_SEPARATOR.sub(r"\1'", text)
    return f"'{text}" if _FORMULA_AT_START.match(text) else text
