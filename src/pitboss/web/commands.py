"""Turns the requests of a client into commands for the dealer of its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.errors import GameError, RuleError
from pitboss.dealing.errors import NoBetsError, StaleError
from pitboss.ledger.errors import NotCoveredError
from pitboss.tables.hand import Place
from pitboss.tables.live import NOT_COVERED, Cause
from pitboss.web import messages

if TYPE_CHECKING:
    from pitboss.dealing.dealer import Command, Refusal
    from pitboss.dealing.switches import Switches
    from pitboss.tables.chain import Entry
    from pitboss.tables.live import LiveTable
    from pitboss.web.accounts import Player


def command_of(request: messages.Request, who: Player, switches: Switches) -> Command:
    """Return the command of a request."""

    def command(table: LiveTable) -> Entry:
        match request:  # the most frequent cases first
            case messages.Decide():
                return _decide(table, who, request)
            case messages.PlaceBet():
                _check_round(table, request.round)
                switches.check_open(table.setup.game.key)
                return table.bet(who.id, request.seat, request.stakes)
            case messages.DealNow():
                _check_round(table, request.round)
                return deal_command(who)(table)
            case messages.Sit():
                return table.sit(request.seat, Place(who.id, who.name, request.client_seed))
            case messages.Leave():
                return table.leave(who.id, request.seat)
            case messages.SitOut():
                return table.sit_out(who.id, request.seat, out=request.out)
            case messages.ChooseSeed():
                return table.choose_seed(who.id, request.seat, request.client_seed)
            case messages.TakeBack():
                _check_round(table, request.round)
                return table.take_back(who.id, request.seat)
            case _:
                raise AssertionError(request)

    return command


def refusal_of(bet: messages.PlaceBet, who: Player) -> Refusal:
    """Return the function that records a refused bet."""

    def refusal(table: LiveTable, error: GameError) -> Entry | None:
        if not table.records_refusal(who.id, bet.seat, bet.stakes, bet.id):
            return None
        causes = {NoBetsError: Cause.HOUSE, NotCoveredError: Cause.BANKROLL}
        cause = causes.get(type(error), Cause.RULES)
        reason = NOT_COVERED if cause is Cause.BANKROLL else str(error)
        return table.refuse(bet.seat, bet.stakes, request=bet.id, cause=cause, reason=reason)

    return refusal


def deal_command(who: Player) -> Command:
    """Return the command to deal."""

    def deal(table: LiveTable) -> Entry:
        if not table.is_solo:
            raise RuleError("this table deals when everyone has bet or the time is up")
        if not table.seats_of(who.id):
            raise RuleError("take a seat first")
        return table.deal()

    return deal


def _decide(table: LiveTable, who: Player, request: messages.Decide) -> Entry:
    owner = table.hand.owners.get(request.seat)
    if owner and owner.player == who.id:
        newest = table.version(who.id)
        if not table.asks_since(request.seat) <= request.version <= newest:
            raise StaleError(
                f"the decision is for version {request.version}: the table is at version {newest}"
            )
    return table.decide(request.seat, request.decision, player=who.id)


def _check_round(table: LiveTable, number: int) -> None:
    if number != table.hand.number:
        raise StaleError(
            f"the request is for round {number}: the table is at round {table.hand.number}"
        )
