"""A table with a chosen deck: the page plays against the real engine over a simulated socket.

The server's code handles the page's messages here, on a table that the server does not know. The
page receives the same answers as from the server.
"""

import json
import re
from types import SimpleNamespace
from unittest import mock

from pitboss.coach import advise
from pitboss.core.cards import DECK, parse
from pitboss.core.errors import GameError
from pitboss.core.fairness import commitment
from pitboss.dealing.config import LARGE_WIN
from pitboss.dealing.unit_builder import UnitBuilder
from pitboss.games import GAMES
from pitboss.ledger.clock import now
from pitboss.ledger.software import software
from pitboss.tables import live
from pitboss.tables import steps as table_steps
from pitboss.tables.chain import player_account
from pitboss.tables.hand import Place
from pitboss.tables.limits import Limit
from pitboss.tables.setup import Setup
from pitboss.web import messages, socket
from pitboss.web.accounts import Player
from pitboss.web.commands import command_of
from pitboss.web.routes.lessons import priced
from pitboss.web.table_state import state_of

OPEN = SimpleNamespace(check_open=lambda game: None)


class Rigged:
    """A table with one visitor, and other players at the seats before."""

    def __init__(self, visitor, game, deck, *, balance=100_000, others=0, rules=None):
        """Open a table; *deck* begins with the cards of the deal, in dealing order."""
        seconds = 600 if others else None
        wanted = {"game": game, "rules": rules or {}, "private": True, "seconds": seconds}
        info = visitor.post("/tables", wanted)
        game_ = GAMES[game]
        limits = {name: Limit(**cents) for name, cents in info["limits"].items()}
        chosen = game_.rules().changed(*(f"{k}={v}" for k, v in (rules or {}).items()))
        setup = Setup(
            id=info["id"], name="T", game=game_, rules=chosen, limits=limits, seconds=seconds
        )
        start = parse(deck.replace("|", " "))
        self.deck = (*start, *(card for card in DECK if card not in start))
        self.who = Player(id="me", name=visitor.api("/me")["name"], kept=False)
        self.balance = balance
        self.seq = 2
        self.table = live.opened(
            setup,
            live.first_open(setup, commitment(bytes(32))).body,
            bytes(32),
            seq=self.seq,
            at=now(),
            ended=None,
        )
        for seat in range(1, others + 1):
            self._do(self.table.sit(seat, Place(f"p{seat}", f"Player {seat}")))
        self._wires = []
        visitor.page.route_web_socket(re.compile(f"/tables/{info['id']}/live$"), self._connect)
        visitor.go(f"/tables/{info['id']}?sit")

    # --- the wire

    def _connect(self, wire):
        self._wires.append(wire)
        wire.on_message(lambda text: self._hear(wire, text))
        self.show()

    def show(self, *done):
        """Send the table as it is."""
        state = state_of(self.table, self.who, self.balance, list(done))
        for wire in self._wires[-1:]:
            wire.send(json.dumps(state))

    def _hear(self, wire, text):
        request = messages.read_request(text)
        if isinstance(request, messages.Ping):
            wire.send(messages.Pong(id=request.id).model_dump_json())
            return
        try:
            self._do(command_of(request, self.who, OPEN)(self.table))
            if isinstance(request, messages.PlaceBet) and request.deal:
                self._do(self.table.deal())
        except GameError as error:
            wire.send(json.dumps(socket._refusal(request.id, error)))
            return
        self._let_others_play()
        self.show(request.id)

    # --- the table

    def advice(self):
        """Return the server's answer to a player who asks the coach."""
        (seat,) = self.table.seats_of(self.who.id)
        found = advise(self.table.hand.round, seat)
        return {
            "seat": seat,
            "version": self.table.version(self.who.id),
            "unit": found.unit,
            "note": found.note,
            "approximate": found.approximate,
            "options": [priced(found, option) for option in found.options],
        }

    def void(self, reason):
        self._do(self.table.void(reason, software(), now()))
        self.show()

    def close(self):
        self._do(self.table.close())
        self.show()

    def _do(self, entry):
        with mock.patch.object(table_steps, "shuffle", return_value=self.deck):
            steps = UnitBuilder(self.table, self.seq, now(), LARGE_WIN, "cage")
            steps.add(entry)
            steps.follow()
        self.table = steps.table
        self.seq += len(steps.entries)
        own = player_account(self.who.id)
        posted = (line for one in steps.entries for line in one.postings)
        self.balance += sum(line.amount for line in posted if line.account == own)

    def _let_others_play(self):
        """Let the others bet after the visitor, set their hands, and hit as long as they can."""
        if self.table.in_action and not self.table.hand.is_dealt:
            for seat, place in self.table.places.items():
                if seat not in self.table.hand.staked:
                    self._do(self.table.bet(place.player, seat, {"bet": 500}))
        while waiting := self._waiting():
            legal = [str(one) for one in self.table.hand.round.legal(waiting)]
            choice = "hit" if "hit" in legal else legal[0]
            holder = self.table.hand.owners[waiting].player
            self._do(self.table.decide(waiting, choice, player=holder))

    def _waiting(self):
        own = self.table.seats_of(self.who.id)
        return next((seat for seat in self.table.waiting() if seat not in own), None)
