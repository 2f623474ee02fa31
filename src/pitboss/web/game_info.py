"""Games in the API's format: the layout, decision labels, and input types of settings."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pitboss.core.presentation import presentation_of
from pitboss.core.protocol import PARTS
from pitboss.core.settings import Choice, PaytableChoice, Ratio, WholeNumber, YesNo
from pitboss.web import messages

if TYPE_CHECKING:
    from pitboss.core.protocol import BetSpec, Game
    from pitboss.core.settings import Rules


def presentation_fields(game: Game) -> dict[str, Any]:
    """Return the fields of :class:`messages.GameInfo` that describe how to present the game."""
    words = presentation_of(game)
    return {
        "stake_titles": stake_titles(game),
        "layout": [_bet_info(bet) for bet in game.bets],
        "decisions": [messages.DecisionInfo(**asdict(one)) for one in words.decisions],
        "prompts": dict(words.prompts),
        "celebrations": dict(words.celebrations),
        "result_titles": dict(words.result_titles),
        "bust_above": game.bust_above,
        "parts": [part for part in PARTS if game.has_part(part)],
    }


def rules_fields(rules: Rules) -> dict[str, Any]:
    """Return the fields of :class:`messages.TableRules` that depend on the table's rules."""
    words = presentation_of(rules.game)
    return {
        "felt_lines": list(words.felt_lines(rules)),
        "any_amount": list(words.any_amount(rules)),
    }


def stake_titles(game: Game) -> dict[str, str]:
    """Return the title of each stake: that of its bet, or "Each bet" if it covers several."""
    filled = Counter(game.stake_of.values())
    titles = {bet.stake: bet.title for bet in game.bets}
    return {stake: titles[stake] if filled[stake] == 1 else "Each bet" for stake in game.stakes}


def _bet_info(bet: BetSpec) -> messages.BetInfo:
    return messages.BetInfo(
        key=bet.key,
        title=bet.title,
        stake=bet.stake,
        paytable=bet.paytable,
        is_mandatory=bet.is_mandatory,
        has_hand=bet.has_hand,
    )


def input_of(rules: Rules, name: str) -> messages.SettingInput:
    """Return how the setting *name* is entered."""
    match rules.setting(name).kind:
        case WholeNumber(least=least, most=most):
            return messages.SettingInput(type="number", least=least, most=most)
        case YesNo():
            return messages.SettingInput(type="switch")
        case Ratio():
            return messages.SettingInput(type="odds")
        case Choice(options=options):
            return messages.SettingInput(type="choice", options=[one.value for one in options])
        case PaytableChoice(tables=tables):
            return messages.SettingInput(type="paytable", options=list(tables))
        case _:
            return messages.SettingInput(type="text")
