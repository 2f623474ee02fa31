"""Jurisdictions as data: their rules with citations, and the check of a table against them.

If nobody has read the cited text itself, the citation says so. The check helps people who know the
law; it is not legal advice. A person must decide the points that the data cannot decide.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pitboss.core.errors import NotationError, shown
from pitboss.jurisdictions.checks import Finding, check
from pitboss.jurisdictions.laws import Jurisdiction, Letter, Verdict
from pitboss.jurisdictions.washington import LETTERS, WASHINGTON_2017, WASHINGTON_2023

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "JURISDICTIONS",
    "LETTERS",
    "WASHINGTON_2017",
    "WASHINGTON_2023",
    "Finding",
    "Jurisdiction",
    "Letter",
    "Verdict",
    "check",
    "find_jurisdiction",
]

JURISDICTIONS: Mapping[str, Jurisdiction] = MappingProxyType(
    {law.name: law for law in (WASHINGTON_2017, WASHINGTON_2023)}
)
"""All jurisdictions, by name."""


def find_jurisdiction(name: object) -> Jurisdiction:
    """Return the jurisdiction with this name; an unknown name raises an error that lists all."""
    if not isinstance(name, str) or name not in JURISDICTIONS:
        raise NotationError(f"no jurisdiction {shown(name)}: there are {', '.join(JURISDICTIONS)}")
    return JURISDICTIONS[name]
