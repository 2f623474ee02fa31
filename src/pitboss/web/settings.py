"""Settings in the API's format: value, default, and the verdict of the approval letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.jurisdictions import LETTERS
from pitboss.web import messages
from pitboss.web.game_info import input_of

if TYPE_CHECKING:
    from pitboss.core.protocol import Game
    from pitboss.core.settings import Json, Rules


def letter_of(game: Game) -> messages.ApprovalLetter | None:
    """Return the approval letter of *game*, if one is on file."""
    letter = LETTERS.get(game.key)
    if letter is None:
        return None
    return messages.ApprovalLetter(
        date=letter.date, authority=letter.citation.source, citation=str(letter.citation)
    )


def settings_of(game: Game, rules: Rules) -> list[dict[str, Json]]:
    """Return every setting of *rules*, with the verdict of the approval letter on its value."""
    return [
        {name: value for name, value in row.items() if name != "default"}
        | {"approval": _approval(game, rules, row["name"]), "input": input_of(rules, row["name"])}
        for row in rules.explained()
    ]


def in_force(game: Game, rules: Rules) -> list[messages.SettingInForce]:
    """Return every setting of *rules*, and whether it differs from its default."""
    defaults = {row["name"]: row["value"] for row in type(rules)().explained()}
    return [
        messages.SettingInForce(
            **row, default=defaults[row["name"]], differs=row["value"] != defaults[row["name"]]
        )
        for row in settings_of(game, rules)
    ]


def _approval(game: Game, rules: Rules, name: str) -> messages.SettingApproval | None:
    letter = LETTERS.get(game.key)
    verdict = letter.verdict(rules, name) if letter else None
    if letter is None or verdict is None:
        return None
    return messages.SettingApproval(
        verdict=verdict.on_approval,
        values=list(map(rules.setting(name).text, letter.values(rules, name))),
        says=letter.open.get(name, ""),
    )
