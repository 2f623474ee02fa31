"""Errors of the ledger."""

from __future__ import annotations

from pitboss.core.errors import GameError


class UnavailableError(GameError):
    """The database is unavailable; it is not known whether the last change was written."""

    code = "unavailable"


class BusyError(UnavailableError):
    """The write queue is full; the request was not started."""


class BlockedError(UnavailableError):
    """Another process keeps a required row locked."""


class ConflictError(GameError):
    """Another process has added to the chain, so the new record no longer fits."""

    code = "conflict"


class RepeatedError(GameError):
    """A request with this key was carried out before."""

    code = "repeated"


class MissingError(GameError):
    """There is no such table, round or player."""

    code = "not_found"


class NotCoveredError(GameError):
    """The account's balance does not cover the bets."""

    code = "not_covered"
