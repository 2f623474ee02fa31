"""The clients that view the tables of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from pitboss.dealing.dealer import Dealer


class Viewer(Protocol):
    """A client that views a table."""

    player: str | None

    def show(self, dealer: Dealer | None = None) -> None:
        """Show the current state of the table, if this dealer deals it."""

    def lose(self, dealer: Dealer) -> None:
        """Look for the table again, because this dealer no longer deals it."""


class Viewers:
    """All viewers, by player; spectators have no player."""

    def __init__(self) -> None:
        self._viewers: dict[str | None, set[Viewer]] = {}

    def add(self, viewer: Viewer) -> None:
        self._viewers.setdefault(viewer.player, set()).add(viewer)

    def remove(self, viewer: Viewer) -> None:
        others = self._viewers[viewer.player]
        others.discard(viewer)
        if not others:
            del self._viewers[viewer.player]

    def show_to(self, player: str, but: AbstractSet[Viewer] = frozenset()) -> None:
        """Refresh a player's tables, because the balance or session changed elsewhere."""
        for viewer in self._viewers.get(player, ()):
            if viewer not in but:
                viewer.show()

    def show_all(self) -> None:
        """Refresh all tables, because the operator has stopped or started play."""
        for viewers in self._viewers.values():
            for viewer in viewers:
                viewer.show()
