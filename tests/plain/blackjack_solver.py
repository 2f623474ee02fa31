"""What a start of blackjack is worth, found by dealing a small deck in every order.

One hand against the dealer. It deals the deck in the same way as the program for Roll Your Own and
adds the rules of blackjack; a burnt card more or less changes no value. It shares no code with the
package.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from tests.plain.solver import Deal, Hand, RanDry, Rote, Settings, Values, is_soft, total

__all__ = ["RanDry", "TableSettings", "alone", "by_chart", "plays"]


@dataclass(frozen=True)
class TableSettings(Settings):
    """The rules that matter here; ``doubles`` are the hard totals that may double, if only some."""

    doubles: Values = ()
    hit_split_aces: bool = False


class Table(Deal):
    """Two cards, an up card, and all that may lie under the rest of the deck."""

    settings: TableSettings

    def legal(self, hand: Hand, splits: int) -> list[str]:
        """Say what may be done with a hand of 21 or less."""
        words = ["stand"]
        if total(hand.cards) == 21:
            return words
        two = len(hand.cards) == 2
        if hand.split != 1 or self.settings.hit_split_aces:
            words.append("hit")
            if two and (hand.split == 0 or self.settings.double_after_split):
                hard = not is_soft(hand.cards)
                if not self.settings.doubles:
                    words.append("double")
                elif hard and total(hand.cards) in self.settings.doubles:
                    words.append("double")
        if two and hand.cards[0] == hand.cards[1] and splits < self.settings.max_splits:
            if hand.split != 1 or self.settings.resplit_aces:
                words.append("split")
        return words

    def value(self, net: int) -> Fraction:
        """Turn a sum over orders into a value that includes a blackjack found by the peek."""
        found = sum(self.found_at_peek.values()) * factorial(len(self.unseen) - 2)
        return Fraction(net - self.unit * found, self.unit * factorial(len(self.unseen)))


class ChartTable(Table):
    """The same, played by totals: ``plays`` by total and softness, ``split`` the pairs to split."""

    plays: dict[tuple[int, bool], tuple[str, str]]
    split: Values

    def decide(self, hand: Rote, splits: int) -> tuple[str, int]:
        """Decide by the total; a play has another one for where doubling is not allowed."""
        words = self.legal(Hand(hand.cards, hand.split), splits)
        if "split" in words and hand.cards[0] in self.split:
            return "split", self.settings.max_splits
        first, later = self.plays.get((total(hand.cards), is_soft(hand.cards)), ("stand", "stand"))
        for word in (first, later):
            if word in words:
                return word, 0
        return "stand", 0


def plays(deck: list[int], own: Values, up: int, settings: TableSettings) -> dict[str, Fraction]:
    """Value every play of a player who sees the cards of the earlier hands of a split."""
    table = Table(deck, own, up, settings)
    nets = table.decisions((), (), Hand(own), 0, ())
    return {word: table.value(net) for word, net in nets.items()}


def alone(
    deck: list[int], own: Values, up: int, settings: TableSettings, preference: tuple[str, ...]
) -> Fraction:
    """Value a start if every hand, also after a split, looks at its own cards only."""
    table = Table(deck, own, up, settings, preference)
    return table.value(table.next_rote((), (), 0, (Rote(own),)))


def by_chart(
    deck: list[int],
    own: Values,
    up: int,
    settings: TableSettings,
    plays: dict[tuple[int, bool], tuple[str, str]],
    split: Values,
) -> Fraction:
    """Value a start that is played by totals."""
    table = ChartTable(deck, own, up, settings)
    table.plays, table.split = plays, split
    return table.value(table.next_rote((), (), 0, (Rote(own),)))
