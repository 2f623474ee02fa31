"""Metrics of the dealers for Prometheus."""

from __future__ import annotations

from prometheus_client import Counter

takeovers = Counter(
    "pitboss_takeovers_total", "Tables taken over from a process that did not release them"
)
