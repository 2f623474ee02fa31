"""A view of a round in the JSON format for clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.journal import view_json
from pitboss.reasons import reason

if TYPE_CHECKING:
    from pitboss.core.protocol import View
    from pitboss.core.settings import Json, Rules


def explained_view(rules: Rules, view: View) -> dict[str, Json]:
    """Return a view in JSON, with the reason for every settlement."""
    found = view_json(view)
    for paid, settlement in zip(found["settlements"], view.settlements, strict=True):
        paid["why"] = reason(rules, view, settlement)
    return found
