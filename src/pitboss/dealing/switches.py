"""The operator's switches and the self-check, which decide whether bets are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.dealing.errors import NoBetsError
from pitboss.games import find_game
from pitboss.ledger.clock import now
from pitboss.ledger.switches import ALL_GAMES, set_switch, stopped_games
from pitboss.ledger.transaction import Unit
from pitboss.tables.chain import Entry

if TYPE_CHECKING:
    from pitboss.dealing.viewers import Viewers
    from pitboss.ledger.store import Store


class Switches:
    """A copy of the switches in this process; a change refreshes all tables."""

    def __init__(self, store: Store, viewers: Viewers) -> None:
        self.healthy = True  # the program's files are unchanged since the start
        self.stopped: set[str] = set()  # game keys, or ALL_GAMES
        self._store = store
        self._viewers = viewers

    def takes_bets(self, game: str) -> bool:
        return self.healthy and not self.stopped & {ALL_GAMES, game}

    def check_open(self, game: str) -> None:
        """Reject a bet while play is stopped."""
        if not self.takes_bets(game):
            all_stopped = ALL_GAMES in self.stopped or not self.healthy
            what = "" if all_stopped else f" at {find_game(game).name}"
            raise NoBetsError(f"the house takes no bets{what} now")

    async def refresh(self) -> None:
        """Reload the operator's switches, which another process may have changed."""
        stopped = await stopped_games(self._store)
        if stopped != self.stopped:
            self.stopped = stopped
            self._viewers.show_all()

    def set_healthy(self, *, healthy: bool) -> None:
        before, self.healthy = self.healthy, healthy
        if before != healthy:
            self._viewers.show_all()

    async def switch(self, game: str | None, *, gaming: bool, reason: str) -> None:
        """Stop or start play of one game or of all; current rounds are played to the end."""
        value = "open" if gaming else "stopped"
        entry = Entry(
            chain=self._store.cage,
            kind=f"gaming_{value}",
            body={"game": game or "all games", "reason": reason},
        )
        changes = set_switch(game or ALL_GAMES, value)
        await self._store.write(Unit(at=now(), entries=(entry,), changes=changes))
        await self.refresh()
