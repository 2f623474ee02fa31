"""Metrics of the writer for Prometheus."""

from __future__ import annotations

from prometheus_client import Histogram

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)

commit_seconds = Histogram(
    "pitboss_commit_seconds",
    "Time that one transaction took, from its start until it was on the disk",
    buckets=SECONDS,
)
batch_size = Histogram(
    "pitboss_batch_size",
    "Changes that were committed together",
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
