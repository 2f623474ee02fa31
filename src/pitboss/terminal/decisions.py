"""Decisions in a terminal: their keys, and the parsing of answers.

The words and keys come from the game's presentation. Without one, a decision is shown as its text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.cards import parse
from pitboss.core.errors import NotationError, shown
from pitboss.core.journal import dollars, read_cents
from pitboss.core.presentation import presentation_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pitboss.core.protocol import Game, Operation, PendingDecision


def choices_of(game: Game, asked: PendingDecision) -> dict[str, tuple[str, str]]:
    """Return the keys that a player may press, each with its label and its decision."""
    words = [str(decision) for decision in asked.legal]
    if asked.decision == "play":
        keys: dict[str, str] = {}
        for word in words:
            keys[_key(game, word, keys)] = word
        return {key: (word, word) for key, word in keys.items()}
    if all(map(_is_amount, words)):
        most = f"{label(game, words[-1])}, or an amount"
        return {"n": (label(game, words[0]), words[0]), "y": (most, words[-1])}
    return {str(n): (_pretty(word), word) for n, word in enumerate(words, 1)}


def _is_amount(text: str) -> bool:
    """Return whether a decision is a word and an amount in cents, such as ``insure 500``."""
    return text.partition(" ")[2].isdecimal()


def _key(game: Game, word: str, taken: Collection[str]) -> str:
    """Return the key of a play: the game's key, or the first free letter of its name."""
    usual = [one.key for one in presentation_of(game).decisions if one.decision == word]
    free = (letter for letter in (*usual, *word) if letter and letter not in {*taken, "q"})
    return next(free, word)


def choice_lines(choices: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Yield the choices, four to a line."""
    texts = [f"[bold]{key}[/]) {label}" for key, (label, _) in choices.items()]
    for start in range(0, len(texts), 4):
        yield "   ".join(texts[start : start + 4])


def decision_text(
    game: Game, answer: str, choices: dict[str, tuple[str, str]], asked: PendingDecision
) -> str:
    """Parse an answer: a key, the whole decision, or a decision without its first word."""
    if not answer and len(choices) == 1:
        return next(iter(choices.values()))[1]
    if answer.lower() in choices:
        return choices[answer.lower()][1]
    words = {word for _, word in choices.values()}
    known = words | {one.decision for one in presentation_of(game).decisions if one.key}
    if not answer or (asked.decision == "play" and answer not in known):
        may = ", ".join(f"{key} {label}" for key, (label, _) in choices.items())
        raise NotationError(f"{shown(answer)} is not possible now: {may}, or q to leave")
    if asked.decision == "play":
        return answer
    rest = answer.removeprefix(asked.decision).strip()
    if all(map(_is_amount, words)):
        return f"{asked.decision} {read_cents(rest)}"
    if "/" in rest:  # the notation of the displayed choices
        rest = " ".join(hand.replace(" ", "") for hand in rest.split("/"))
    return f"{asked.decision} {rest}"


def _pretty(decision: str) -> str:
    """Format the cards of a decision with suit symbols."""
    word, *hands = decision.split()
    return f"{word} " + " / ".join(" ".join(c.symbol for c in parse(hand)) for hand in hands)


def label(game: Game, decision: Operation | str) -> str:
    """Format a decision for display; one that the game has whole words for is shown with them."""
    text = str(decision)
    for known in presentation_of(game).decisions:
        if known.decision == text and " " in text:
            return known.label.lower()
    if _is_amount(text):
        word, _, cents = text.partition(" ")
        return f"{word} {dollars(int(cents))}"
    return _pretty(text).strip()
