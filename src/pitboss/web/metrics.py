"""Metrics of the web server for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge, Histogram, generate_latest

from pitboss.ledger.metrics import SECONDS

if TYPE_CHECKING:
    from pitboss.web.services import Services


connections = Gauge("pitboss_connections", "Open sockets at tables")
actions = Histogram(
    "pitboss_action_seconds",
    "Time from a request at a table to its answer",
    buckets=SECONDS,
)
refusals = Counter(
    "pitboss_refusals_total", "Requests refused over HTTP and at tables, by reason", ["error"]
)
_queue = Gauge("pitboss_queue_depth", "Changes that wait to be written")
_tables = Gauge("pitboss_tables", "Tables that this process deals")
_rounds = Gauge("pitboss_rounds", "Rounds that this process has finished", ["game", "status"])
_database = Gauge("pitboss_database_up", "Whether the database can be written")


def render(services: Services, *, database: bool) -> bytes:
    """Return all metrics in the Prometheus format."""
    _tables.set(len(services.pit.dealers))
    _queue.set(services.store.queue_depth)
    _database.set(database)
    for (game, status), number in services.pit.rounds.items():
        _rounds.labels(game, status).set(number)
    return generate_latest()
