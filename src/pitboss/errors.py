"""The errors of the package: one tree, one short code each for machines.

::

    GameError(ValueError)
      NotationError   the text or JSON cannot be read
      SettingError    a rule, pay table or limit that cannot be
      DeckError       cards that cannot come from the decks in play
      RuleError       it can be read, and the rules do not allow it now

What the rules foresee (a bust, a push, a deck that runs out) is an outcome, never an error.
"""

from __future__ import annotations

import reprlib


class GameError(ValueError):
    """Something a user can put right; the message says what was wrong and what would be right."""

    code = "error"
    at: int | None = None
    """The index of the decision at fault, where a journal's decision is."""


class NotationError(GameError):
    """The text or JSON cannot be read."""

    code = "unreadable"


class SettingError(GameError):
    """A rule, pay table or limit has a value that cannot be."""

    code = "bad_setting"


class DeckError(GameError):
    """The cards cannot come from the decks in play."""

    code = "impossible_deck"


class RuleError(GameError):
    """The rules do not allow it now; nothing has changed."""

    code = "not_allowed"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 50


def shown(value: object) -> str:
    """Return *value* as an error message shows it: on one line, cut short.

    >>> shown([1] * 9)
    '[1, 1, 1, 1, 1, 1, ...]'
    """
    return _SHORT.repr(value)


def plural(number: int, noun: str) -> str:
    """Return a number with its noun, for messages.

    >>> plural(1, "deck"), plural(6, "deck")
    ('1 deck', '6 decks')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
