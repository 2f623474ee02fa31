"""Logs: one JSON object a line, with nothing secret in it."""

from __future__ import annotations

import json
import logging

from pitboss.web.moments import iso


class JsonLines(logging.Formatter):
    """Write each record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": iso(int(record.created * 1000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def set_up(level: str) -> None:
    """Send all logs to stderr as JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # uvicorn tells every link that is opened, aiosqlite every value of a query
    for noisy in ("alembic", "uvicorn", "aiosqlite"):
        logging.getLogger(noisy).setLevel("WARNING")
