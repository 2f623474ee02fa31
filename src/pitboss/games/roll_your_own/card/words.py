"""The rules of a card in words: as full sentences, and short for a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.games.roll_your_own.card.lists import ACE, TEN, UPS, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pitboss.games.roll_your_own.card.lists import Feature, Rule
    from pitboss.games.roll_your_own.card.playing import Group

FEW = 3  # up to this many up cards are named one by one


def card(value: int) -> str:
    """Return a value as players say it: tens are 10, J, Q and K."""
    return "A" if value == ACE else str(value)


def full(rule: Rule) -> str:
    """Return a rule as a sentence."""
    return f"{_asked(rule.feature)}{_against(rule)}."


def short(rule: Rule) -> str:
    """Return a short form of a rule."""
    feature = rule.feature
    low, high = card(feature.low), card(feature.high)
    text = {
        Kind.TOGETHER: f"{low}-{high}",
        Kind.HARD: f"total {_span(high, low)}",
        Kind.SOFT: f"A with {_span(high, low)}",
        Kind.PAIRS: f"pairs {_span(low, high)}",
        Kind.ALONE: f"{low} alone",
        Kind.HIGHEST_ALONE: "else highest alone",
        Kind.LOWEST_ALONE: "else lowest alone",
    }[feature.kind]
    return text if rule.is_for_all else f"{text} v {_span(*_ends(rule))}"


def hands(group: Group) -> str:
    """Return the hands of an exception."""
    if group.cards:
        return f"{group.row.number} of {'-'.join(map(card, reversed(group.cards)))}"
    soft = "soft " if group.row.kind == "soft" else ""
    return f"{soft}{group.row.number} of three or more cards"


def _asked(feature: Feature) -> str:
    low, high = feature.low, feature.high
    choice = _choice(range(high, low - 1, -1))
    many = "any pair but aces" if (low, high) == (2, TEN) else f"a pair of {low}s to {high}s"
    return {
        Kind.TOGETHER: _together(low, high),
        Kind.HARD: f"Make {choice}",
        Kind.SOFT: f"Put an ace with {choice}",
        Kind.PAIRS: f"Keep {many} together",
        Kind.ALONE: f"Leave {_a(low)} alone",
        Kind.HIGHEST_ALONE: "Otherwise leave the highest card alone (the ace is the highest)",
        Kind.LOWEST_ALONE: "Otherwise leave the lowest card alone (the ace is the highest)",
    }[feature.kind]


def _together(low: int, high: int) -> str:
    if (low, high) == (ACE, TEN):
        return "Make a blackjack: put ace and 10 together"
    if low == high:
        return f"Keep two {_one(low)}s together"
    return f"Put {_one(low)} and {_one(high)} together"


def _choice(numbers: Sequence[int]) -> str:
    """Return the phrase for a choice of numbers, the preferred one first."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last} (the highest you can)" if others else last


def _against(rule: Rule) -> str:
    ups = rule.ups
    if rule.is_for_all:
        return ""
    (without, *more) = (up for up in UPS if up not in ups)
    if not more:
        return f", but not against {_a(without)}"
    if len(ups) <= FEW:
        *others, last = map(_one, ups)
        return f" against {', '.join(others)} or {last}" if others else f" against {_a(ups[0])}"
    return f" against {_one(ups[0])} to {_one(ups[-1])}"


def _ends(rule: Rule) -> tuple[str, str]:
    return card(rule.ups[0]), card(rule.ups[-1])


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first}-{last}"


def _one(value: int) -> str:
    return "ace" if value == ACE else str(value)


def _a(value: int) -> str:
    return f"{'an' if value in {ACE, 8} else 'a'} {_one(value)}"
