"""Logs: one JSON object per line, without secrets."""

from __future__ import annotations

import json
import logging
import re
from typing import Final

from pitboss.tables.names import table_handle
from pitboss.tables.timestamps import iso

LINKS: Final = re.compile(r"((?:/tables/|/rounds/|\btable:|\bfelt:|\bhouse:))([\w-]{8,})")
"""Matches table ids in paths, chains and accounts, which library errors may quote."""


def without_links(text: str) -> str:
    """Replace the ids of tables in a text with their handles.

    >>> without_links("GET /api/v1/tables/Zm9vYmFyYmF6cXV4/live failed")
    'GET /api/v1/tables/802465db66/live failed'
    """
    return LINKS.sub(lambda found: found[1] + table_handle(found[2]), text)


class JsonLines(logging.Formatter):
    """Formats each record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": iso(int(record.created * 1000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_links(record.getMessage()),
        }
        if record.exc_info:
            line["error"] = without_links(self.formatException(record.exc_info))
        return json.dumps(line)


def set_up(level: str) -> None:
    """Send all logs to stderr as JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # uvicorn logs every URL, aiosqlite every value of a query
    for noisy in ("alembic", "uvicorn", "aiosqlite"):
        logging.getLogger(noisy).setLevel("WARNING")
