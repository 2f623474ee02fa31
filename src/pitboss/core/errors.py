"""The errors of the package. Each has a short code for programs.

::

    GameError(ValueError)
      NotationError   text or JSON that cannot be parsed
        UnsupportedError  a part that the game does not have
      SettingError    an invalid rule, pay table or limit
      DeckError       cards that cannot come from the decks in play
      RuleError       an operation that the rules do not allow now

An event that the rules cover (a bust, a push, an empty deck) is an outcome, not an error.
"""

from __future__ import annotations

import reprlib


class GameError(ValueError):
    """An error that the user can fix; the message says what is wrong and what is valid."""

    code = "error"
    at: int | None = None
    """The index of the invalid decision, if the error is in a decision of a journal."""


class NotationError(GameError):
    """The text or JSON cannot be parsed."""

    code = "unreadable"


class UnsupportedError(NotationError):
    """The game does not have this part, such as exact figures or a coach."""


class SettingError(GameError):
    """A rule, pay table or limit has an invalid value."""

    code = "bad_setting"


class DeckError(GameError):
    """The cards cannot come from the decks in play."""

    code = "impossible_deck"


class RuleError(GameError):
    """The rules do not allow the operation now; nothing has changed."""

    code = "not_allowed"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 50
_LONGEST = 150  # a nested value is cut here, because reprlib limits only its parts


def shown(value: object) -> str:
    """Return *value* for an error message: on one line, shortened.

    >>> shown([1] * 9)
    '[1, 1, 1, 1, 1, 1, ...]'
    """
    text = _SHORT.repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def plural(number: int, noun: str) -> str:
    """Return a number with its noun, for messages.

    >>> plural(1, "deck"), plural(6, "deck")
    ('1 deck', '6 decks')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
