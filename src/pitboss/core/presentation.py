"""The text that a page shows for a game: decisions, prompts, celebrations.

A game may have a ``presentation`` part with a constant ``PRESENTATION``. For a game without one, a
page uses generic words: the text of each decision and the title of each bet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pitboss.core.protocol import Game

Control: TypeAlias = Literal["button", "card", "hands"]
"""How a player enters a decision: with a button, a tap on a card, or cards set as hands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionText:
    """A decision in words; each ``{}`` stands for an argument: cards or an amount."""

    decision: str  # the first word of its text, or the whole text, as in ``insure 0``
    label: str  # on a button
    you: str  # after "you"
    they: str  # after a player's name
    noun: str  # after "your"
    key: str = ""  # the keyboard key
    control: Control = "button"


def plain_decision(word: str, *, key: str = "") -> DecisionText:
    """Return the wording of a decision without arguments.

    >>> plain_decision("hit", key="h").they
    'hits'
    """
    return DecisionText(
        decision=word, label=word.capitalize(), you=word, they=f"{word}s", noun=word, key=key
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """The text that a page needs for a game; the defaults suit any game."""

    decisions: tuple[DecisionText, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The prompt for a player in each phase.

    ``{hand}`` is the hand whose turn it is, ``{total}`` its total, ``{dealer}`` the dealer's card.
    """
    celebrations: Mapping[str, str] = field(default_factory=dict)
    """Outcomes worth a celebration, each with its text."""
    result_titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of pay-table results that are not simply the result's name without underscores."""
    hand_marks: Collection[object] = ()
    """Results of a bet (``Settlement.result``) whose outcome is shown beside the hand's total."""
    left_out: str = "without {}"
    """The words about a card of a seat that is in none of its hands."""
    dealer_left_out: str = "without {}"
    """The words about a card of the dealer that does not count."""
    felt_lines: Callable[[Any], tuple[str, ...]] = lambda _: ()
    """The short rules that the layout prints."""
    any_amount: Callable[[Any], tuple[str, ...]] = lambda _: ()
    """The decisions that take any amount up to the largest legal one."""


def presentation_of(game: Game) -> Presentation:
    """Return the presentation of *game*, or a generic one."""
    if not game.has_part("presentation"):
        return Presentation()
    found: Presentation = game.part("presentation").PRESENTATION
    return found
