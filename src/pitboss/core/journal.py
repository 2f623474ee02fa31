"""Rounds as text and JSON: amounts, bets and journals, and the replay of a journal.

A journal contains everything that a replay needs: the rules, the order of the deck, the bets and
the decisions. It may also contain the results, which a replay then checks.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from pitboss.core.cards import Card, parse, spell
from pitboss.core.errors import GameError, NotationError, RuleError, plural, shown
from pitboss.core.protocol import (
    Game,
    HandView,
    Round,
    Settlement,
    View,
    deal_from,
    hand_text,
    net,
    supply,
)
from pitboss.core.settings import Json, Rules, read_json
from pitboss.games import find_game

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Final = 1

_REQUIRED = {"format", "game", "deck", "bets"}
_OPTIONAL = {"rules", "decisions", "settlements", "net"}
_RESULT = {"seat", "bet", "hand", "outcome", "rule", "stake", "net"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """A round as data; *settlements* and *net* are the results that it claims, if any."""

    game: Game
    rules: Rules
    deck: tuple[Card, ...]
    bets: tuple[Any, ...]  # bets of the game's class, in seat order
    decisions: tuple[str, ...]
    settlements: list[dict[str, Json]] | None = None
    net: dict[str, Json] | None = None


def read_cents(text: str) -> int:
    """Parse dollars, with or without cents, into whole cents.

    >>> read_cents("10"), read_cents("2.50")
    (1000, 250)
    """
    match = re.fullmatch(r"\$?([0-9]{1,12})(?:\.([0-9]{2}))?", text.strip())
    if not match:
        raise NotationError(f"{shown(text)} is not an amount: write dollars, as in 10 or 2.50")
    return int(match[1]) * 100 + int(match[2] or 0)


def dollars(cents: int, *, sign: bool = False) -> str:
    """Format cents as dollars.

    >>> dollars(1050), dollars(-700), dollars(1500, sign=True)
    ('$10.50', '-$7', '+$15')
    """
    whole, rest = divmod(abs(cents), 100)
    mark = "-" if cents < 0 else "+" if sign and cents > 0 else ""
    return f"{mark}${whole:,}" + (f".{rest:02}" if rest else "")


def read_stakes(game: Game, text: str) -> dict[str, int]:
    """Parse stakes from the command line, ``main=10,lucky3=5``."""
    stakes: dict[str, int] = {}
    for part in text.split(","):
        name, equals, amount = part.strip().partition("=")
        if not equals or name not in game.stakes:
            raise NotationError(
                f"{shown(part)} is not a bet: write name=dollars, with a name from"
                f" {', '.join(game.stakes)}"
            )
        if name in stakes:
            raise NotationError(f"the bet {name} is given twice")
        stakes[name] = read_cents(amount)
    return stakes


def read_journal(text: str) -> Journal:
    """Parse a journal from JSON text."""
    data = read_json(text)
    if not isinstance(data, dict):
        raise NotationError(f"a journal must be a JSON object, not {shown(data)}")
    _check_keys(data, "a journal", _REQUIRED, _OPTIONAL)
    if type(data["format"]) is not int or data["format"] != FORMAT:
        raise NotationError(f"format {shown(data['format'])} is not known: this is format {FORMAT}")
    game = find_game(data["game"])
    rules = game.rules.from_json(data.get("rules", {}))
    return Journal(
        game=game,
        rules=rules,
        deck=_read_deck(data["deck"]),
        bets=_read_bets(game, data["bets"]),
        decisions=_read_decisions(data.get("decisions", [])),
        settlements=_read_settlements(data["settlements"]) if "settlements" in data else None,
        net=_read_net(data["net"]) if "net" in data else None,
    )


def write_journal(game: Game, round_: Round, deck: tuple[Card, ...]) -> dict[str, Json]:
    """Return a round and its deck as a journal, with the results if it is settled."""
    journal = {
        "format": FORMAT,
        "game": game.key,
        "rules": round_.rules.as_json(),
        "deck": spell(deck),
        "bets": [{"seat": s.seat} | dict(s.stakes) for s in round_.record().seats],
        "decisions": [str(decision) for decision in round_.decisions()],
    }
    if round_.phase != "settled":
        return journal
    return journal | {"settlements": settlements_json(round_), "net": net_json(round_)}


def replay(journal: Journal) -> Round:
    """Replay a journal; an error has the index of the invalid decision in ``at``."""
    round_ = journal.game.start(journal.rules)
    for bet in journal.bets:
        round_ = round_.apply(bet)
    round_ = deal_from(journal.deck, round_)
    for index, text in enumerate(journal.decisions):
        try:
            round_ = supply(journal.deck, _decide(journal.game, round_, text))
        except GameError as error:
            error.at = index
            raise
    return round_


def _decide(game: Game, round_: Round, text: str) -> Round:
    if round_.asked is None:
        raise RuleError(f"{shown(text)} is one decision too many: the round is over")
    return round_.apply(game.decision(round_.asked.seat, text))


def differences(journal: Journal, round_: Round) -> list[str]:
    """Describe where the results that a journal claims differ from the replay."""
    found = []
    if journal.settlements is not None:
        found += _settlement_differences(journal.settlements, settlements_json(round_))
    if journal.net is not None and not _same(journal.net, net_json(round_)):
        found.append(f"net is {net_json(round_)}, the journal has {shown(journal.net)}")
    return found


def _settlement_differences(
    claimed: list[dict[str, Json]], settled: list[dict[str, Json]]
) -> list[str]:
    if len(claimed) != len(settled):
        return [f"{plural(len(settled), 'settlement')}, the journal has {len(claimed)}"]
    return [
        f"settlement {index}: {key} is {real[key]!r}, the journal has {shown(value)}"
        for index, (claim, real) in enumerate(zip(claimed, settled, strict=True))
        for key, value in claim.items()
        if not _same(value, real[key])
    ]


def _same(claimed: Json, real: Json) -> bool:
    """Compare as JSON text, so that true and 1.0 differ from 1."""
    return json.dumps(claimed, sort_keys=True) == json.dumps(real, sort_keys=True)


def settlements_json(round_: Round) -> list[dict[str, Json]]:
    return [settlement_json(settlement) for settlement in round_.settlements()]


def settlement_json(settlement: Settlement) -> dict[str, Json]:
    return {
        "seat": settlement.seat,
        "bet": settlement.bet,
        "hand": settlement.hand,
        "outcome": settlement.outcome,
        "rule": settlement.rule,
        "stake": settlement.stake,
        "net": settlement.net,
    }


def net_json(round_: Round) -> dict[str, int]:
    """Return the net result of each seat so far, by seat number as text."""
    settlements = round_.settlements()
    return {str(seat): net(settlements, seat) for seat in round_.numbers}


def record_json(game: Game, round_: Round) -> dict[str, Json]:
    """Return a round as ``replay`` shows it, with all cards except the dealer's face-down ones."""
    record = round_.record()
    asked = round_.asked
    return {
        "game": game.key,
        "rules": round_.rules.as_json(),
        "phase": round_.phase.value,
        "asked": asked
        and {
            "seat": asked.seat,
            "decision": asked.decision,
            "legal": [str(decision) for decision in asked.legal],
        },
        "seats": [
            {"seat": s.seat, "cards": _texts(s.cards), "hands": [_hand_json(h) for h in s.hands]}
            for s in record.seats
        ],
        "dealer": {"cards": _texts(record.dealer.cards), "total": record.dealer.total},
        "settlements": settlements_json(round_),
        "net": net_json(round_),
    }


def view_json(view: View) -> dict[str, Json]:
    """Return a view as JSON; a face-down card is null."""
    return {
        "phase": view.phase,
        "seat": view.seat,
        "turn": view.turn and asdict(view.turn),
        "seats": [
            {
                "seat": s.seat,
                "stakes": dict(s.stakes),
                "cards": [card and card.text for card in s.cards],
                "hands": [_shown_hand(hand) for hand in s.hands],
                "added": dict(s.added),
            }
            for s in view.seats
        ],
        "dealer": {
            "cards": [card and card.text for card in view.dealer.cards],
            "kept": _texts(view.dealer.kept),
            "total": view.dealer.total,
            "is_bust": view.dealer.is_bust,
            "text": hand_text(view.dealer),
        },
        "cards_left": view.cards_left,
        "legal": [str(decision) for decision in view.legal],
        "settlements": [settlement_json(s) for s in view.settlements],
    }


def _shown_hand(hand: HandView) -> dict[str, Json]:
    return _hand_json(hand) | {"is_bust": hand.is_bust, "text": hand_text(hand)}


def _hand_json(hand: HandView) -> dict[str, Json]:
    return {
        "bet": hand.bet,
        "hand": hand.hand,
        "cards": None if hand.cards is None else _texts(hand.cards),
        "total": hand.total,
        "stake": hand.stake,
    }


def _texts(cards: tuple[Card | None, ...]) -> list[str]:
    return [card.text for card in cards if card]


def _check_keys(
    data: Mapping[str, Json], what: str, required: set[str], optional: set[str]
) -> None:
    for key in sorted(required - data.keys()):
        raise NotationError(f"{what} needs {key!r}")
    for key in sorted(data.keys() - required - optional):
        valid = ", ".join(sorted(required | optional))
        raise NotationError(f"{what} has no key {shown(key)}: the keys are {valid}")


def _read_deck(text: Json) -> tuple[Card, ...]:
    if not isinstance(text, str):
        raise NotationError(f"the deck must be text like 'As Kd ...', not {shown(text)}")
    return parse(text)


def _read_bets(game: Game, bets: Json) -> tuple[Any, ...]:
    if not (isinstance(bets, list) and all(isinstance(bet, dict) for bet in bets)):
        raise NotationError(f"bets must be a list of objects, not {shown(bets)}")
    for bet in bets:
        _check_keys(bet, "a bet", {"seat"}, set(game.stakes))
    return tuple(
        game.place(bet["seat"], {name: bet[name] for name in game.stakes if name in bet})
        for bet in bets
    )


def _read_decisions(decisions: Json) -> tuple[str, ...]:
    if not (isinstance(decisions, list) and all(isinstance(text, str) for text in decisions)):
        raise NotationError(f"decisions must be a list of strings, not {shown(decisions)}")
    return tuple(decisions)


def _read_settlements(settlements: Json) -> list[dict[str, Json]]:
    if not (isinstance(settlements, list) and all(isinstance(s, dict) for s in settlements)):
        raise NotationError(f"settlements must be a list of objects, not {shown(settlements)}")
    needed = {"seat", "bet", "net"}
    for settlement in settlements:
        _check_keys(settlement, "a settlement", needed, _RESULT - needed)
    return settlements


def _read_net(net: Json) -> dict[str, Json]:
    if not isinstance(net, dict):
        raise NotationError(f"net must be an object that maps seats to cents, not {shown(net)}")
    return net
