"""Decisions in a terminal: their keys, and the parsing of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.cards import parse
from pitboss.core.errors import NotationError, shown
from pitboss.core.journal import dollars, read_cents

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pitboss.core.protocol import Operation, PendingDecision

KEYS = {"hit": "h", "stand": "s", "double": "d", "split": "p"}


def choices_of(asked: PendingDecision) -> dict[str, tuple[str, str]]:
    """Return the keys that a player may press, each with its label and its decision."""
    words = [str(decision) for decision in asked.legal]
    if asked.decision == "play":
        keys: dict[str, str] = {}
        for word in words:
            keys[_key(word, keys)] = word
        return {key: (word, word) for key, word in keys.items()}
    if asked.decision == "insure":
        most = dollars(asked.legal[-1].amount)
        return {"n": ("no insurance", words[0]), "y": (f"insure {most}, or an amount", words[-1])}
    return {str(n): (_pretty(word), word) for n, word in enumerate(words, 1)}


def _key(word: str, taken: Collection[str]) -> str:
    """Return the key of a play: the usual key, or the first free letter of its name."""
    free = (letter for letter in (KEYS.get(word), *word) if letter and letter not in {*taken, "q"})
    return next(free, word)


def choice_lines(choices: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Yield the choices, four to a line."""
    texts = [f"[bold]{key}[/]) {label}" for key, (label, _) in choices.items()]
    for start in range(0, len(texts), 4):
        yield "   ".join(texts[start : start + 4])


def decision_text(answer: str, choices: dict[str, tuple[str, str]], kind: str) -> str:
    """Parse an answer: a key, the whole decision, or a decision without its first word."""
    if not answer and len(choices) == 1:
        return next(iter(choices.values()))[1]
    if answer.lower() in choices:
        return choices[answer.lower()][1]
    words = {word for _, word in choices.values()}
    if not answer or (kind == "play" and answer not in words | KEYS.keys()):
        may = ", ".join(f"{key} {label}" for key, (label, _) in choices.items())
        raise NotationError(f"{shown(answer)} is not possible now: {may}, or q to leave")
    if kind == "play":
        return answer
    rest = answer.removeprefix(kind).strip()
    if kind == "insure":
        return f"insure {read_cents(rest)}"
    if "/" in rest:  # the notation of the displayed choices
        rest = " ".join(hand.replace(" ", "") for hand in rest.split("/"))
    return f"{kind} {rest}"


def _pretty(decision: str) -> str:
    """Format the cards of a decision with suit symbols."""
    word, *hands = decision.split()
    return f"{word} " + " / ".join(" ".join(c.symbol for c in parse(hand)) for hand in hands)


def label(decision: Operation) -> str:
    """Format a decision for display."""
    word, _, rest = str(decision).partition(" ")
    if word == "insure":
        return f"insure {dollars(int(rest))}" if int(rest) else "no insurance"
    return _pretty(str(decision)).strip()
