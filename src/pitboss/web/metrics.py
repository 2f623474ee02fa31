"""Figures for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from pitboss.web.rooms import Rooms

connections = Gauge("pitboss_connections", "Open sockets at tables")
actions = Histogram(
    "pitboss_action_seconds",
    "From a request at a table to its answer",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
refusals = Counter("pitboss_refusals_total", "Requests at tables that were refused", ["error"])
_tables = Gauge("pitboss_tables", "Tables that this process deals")
_rounds = Gauge("pitboss_rounds", "Rounds that this process has finished", ["game", "status"])
_commits = Gauge("pitboss_commits", "Transactions that this process has committed")
_units = Gauge("pitboss_units", "Changes kept in those transactions")
_database = Gauge("pitboss_database_up", "Whether the database answers")


def render(rooms: Rooms, *, database: bool) -> bytes:
    """Return all figures as Prometheus reads them."""
    _tables.set(len(rooms.pit.dealers))
    _commits.set(rooms.store.commits)
    _units.set(rooms.store.units)
    _database.set(database)
    for (game, status), number in rooms.pit.rounds.items():
        _rounds.labels(game, status).set(number)
    return generate_latest()
