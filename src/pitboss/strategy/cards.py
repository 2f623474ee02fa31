"""The strategy card of a game as data, with unrounded numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from pitboss.games import find_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pitboss.core.protocol import Game
    from pitboss.core.settings import Rules
    from pitboss.strategy.svg import Sheet

Data: TypeAlias = dict[str, Any]


class CardPart(Protocol):
    """The ``card`` part of a game: its strategy card in each format."""

    def card_data(self, rules: Any, tell: Callable[[float], object]) -> Data:  # noqa: ANN401 the game's own rules
        """Return the card as data; call *tell* with the share of the work done."""

    def text_lines(self, data: Data) -> Iterator[str]:
        """Yield the lines of the card as plain text."""

    def draw(self, sheet: Sheet, data: Data) -> None:
        """Draw the card on a sheet."""

    def html_blocks(self, data: Data) -> Iterator[str]:
        """Yield the blocks of the card as HTML."""


def strategy_card(
    game: Game, rules: Rules, tell: Callable[[float], object] = lambda _: None
) -> Data:
    """Return the card of a game; *tell* is called with the share of the work done."""
    part: CardPart = game.part("card")
    head = {
        "game": game.key,
        "name": game.name,
        "rules": rules.as_json(),
        "changes": [f"{s['name']}={s['value']}" for s in rules.explained() if not s["default"]],
        "digest": rules.digest(),
    }
    return head | part.card_data(rules, tell)


def part_of(data: Data) -> CardPart:
    """Return the ``card`` part of a card's game."""
    part: CardPart = find_game(data["game"]).part("card")
    return part
