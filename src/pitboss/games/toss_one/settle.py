"""Settle one given deal of Toss One 21, for ``pitboss settle``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.cards import parse, parse_card
from pitboss.core.errors import NotationError, shown
from pitboss.games.toss_one.hands import PACK, best_hands
from pitboss.games.toss_one.round import play_deal

if TYPE_CHECKING:
    from pitboss.core.cards import Card
    from pitboss.core.settings import Json
    from pitboss.games.toss_one.hands import Hand
    from pitboss.games.toss_one.round import Bet, Round
    from pitboss.games.toss_one.rules import Rules


def settle(rules: Rules, bet: Bet, player: str, dealer: str, toss: str | None) -> Round:
    """Play a deal given as text; without *toss*, the best toss is chosen."""
    cards, others = _parse_four("player", player), _parse_four("dealer", dealer)
    return play_deal(rules, bet, cards, others, None if toss is None else parse_card(toss))


def _parse_four(name: str, text: str) -> tuple[Card, ...]:
    cards = parse(text)
    if len(cards) != PACK:
        raise NotationError(f"--{name} takes four cards, got {len(cards)} in {shown(text)}")
    return cards


def hands_json(round_: Round) -> dict[str, Json]:
    """Return the kept cards, the toss and the total of player and dealer; null for a bust."""
    seat = round_.seats[0]
    return {
        "player": _hand_json(None if seat.is_bust else seat.hand),
        "dealer": _hand_json(next(iter(best_hands(round_.dealer)), None)),
    }


def _hand_json(hand: Hand | None) -> dict[str, Json]:
    if hand is None:
        return {"kept": None, "tossed": None, "total": None}
    kept = [card.text for card in hand.kept]
    return {"kept": kept, "tossed": hand.tossed.text, "total": hand.total}
