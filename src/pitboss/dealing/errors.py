"""Errors of the dealers."""

from __future__ import annotations

from pitboss.core.errors import GameError, RuleError


class NoBetsError(RuleError):
    """The operator has stopped play."""


class StaleError(GameError):
    """The table has changed since the version that the request answers."""

    code = "stale"
