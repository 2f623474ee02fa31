"""Drawings for a terminal: cards, chips, hands and results."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from pitboss.core.cards import is_soft
from pitboss.core.journal import dollars
from pitboss.core.presentation import presentation_of
from pitboss.core.protocol import hand_name, hand_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from pitboss.core.cards import Card
    from pitboss.core.presentation import Presentation
    from pitboss.core.protocol import Game, HandView, SeatView, Settlement, View

CHIPS = ((10_000, "bright_black"), (2_500, "green"), (500, "red"), (100, "white"))
"""Chip values in cents, with the usual colors; amounts under a dollar are not drawn."""


def expected_dollars(cents: float) -> str:
    """Format an expected (fractional) amount in cents."""
    return dollars(round(cents)) if round(cents) or not cents else "less than a cent"


def money(cents: int) -> str:
    """Format a result: a win in green, a loss in red."""
    color = "green" if cents > 0 else "red" if cents < 0 else "dim"
    return f"[{color}]{dollars(cents, sign=True)}[/]"


def chips(cents: int) -> str:
    """Draw an amount as stacks of chips; a tall stack also shows its number of chips."""
    tall, stacks = 5, []
    for value, color in CHIPS:
        count, cents = divmod(cents, value)
        if count:
            number = f"x{count}" if count > tall else ""
            stacks.append(f"[{color}]{'●' * min(count, tall)}[/]{number}")
    return " ".join(stacks)


def _face(card: Card | None) -> list[str]:
    if card is None:
        return ["┌───┐", "│░░░│", "│░░░│", "└───┘"]
    rank = card.rank.letter.replace("T", "10")
    return ["┌───┐", f"│{rank:<3}│", f"│ {card.suit.symbol} │", "└───┘"]


def draw_cards(cards: Sequence[Card | None], title: str, style: str = "") -> RenderableType:
    """Draw cards side by side under a title, with hearts and diamonds in red."""
    rows = [Text(title, style=style)]
    for line in zip_longest(*map(_face, cards)):
        row = Text()
        for card, part in zip(cards, line, strict=True):
            row.append(part + " ", style="bright_red" if card and card.suit.is_red else "")
        rows.append(row)
    return Text("\n").join(rows)


def draw_seat(seat: SeatView, view: View, game: Game) -> list[RenderableType]:
    """Draw the cards as dealt, then the hands made of them."""
    bust = any(hand.is_bust and hand.cards is None for hand in seat.hands)
    kept = Counter(card for hand in seat.hands for card in hand.cards or ())
    left = Counter(card for card in seat.cards if card) - kept if kept else Counter()
    words = presentation_of(game)
    dealt = ["dealt", *(words.left_out.format(card.symbol) for card in left)]
    hands = [
        draw_cards(hand.cards, *_hand_title(seat.seat, hand, view, game))
        for hand in seat.hands
        if hand.cards is not None
    ]
    title, style = ("bust", "red") if bust else (", ".join(dealt), "dim")
    return [draw_cards(seat.cards, title, style), *hands]


def dealer_title(view: View, words: Presentation) -> str:
    """Describe the known part of the dealer's hand."""
    dealer = view.dealer
    kept = " ".join(card.symbol for card in dealer.kept)
    if dealer.kept and None in dealer.cards:
        return f"Dealer shows {kept}"
    if dealer.total is None:
        text = hand_text(dealer)
        return f"Dealer: {text}" if text else "Dealer"
    left = Counter(dealer.cards) - Counter(dealer.kept)
    out = [words.dealer_left_out.format(card.symbol) for card in left if card]
    bust = ["bust"] if dealer.is_bust else []
    return ", ".join([f"Dealer: {kept} = {dealer.total}", *out, *bust])


def _hand_title(seat: int, hand: HandView, view: View, game: Game) -> tuple[str, str]:
    """Return the title and style of a hand: the hand in turn is highlighted, a bust is red."""
    spot = (seat, hand.bet, hand.hand)
    title = f"{hand_name(hand.bet, hand.hand)} {dollars(hand.stake)}: {_total(hand, game)}"
    marks = presentation_of(game).hand_marks
    ended = (s for s in view.settlements if (s.seat, s.bet, s.hand) == spot)
    mark = next((s.outcome for s in ended if s.result in marks), "bust" if hand.is_bust else "")
    if mark and hand.total is not None:
        title = f"{title}, {mark}"
    if view.turn and (view.turn.seat, view.turn.bet, view.turn.hand) == spot:
        return f"> {title}", "bold reverse"
    return title, "red" if hand.is_bust else ""


def _total(hand: HandView, game: Game) -> str:
    """Return the total of a hand, with "soft" if an ace counts 11, or the hand in words."""
    if hand.total is None:
        return hand_text(hand)
    is_best = hand.total == game.bust_above
    soft = "soft " if game.bust_above and not is_best and is_soft(hand.cards or ()) else ""
    return f"{soft}{hand.total}"


def results_grid(settlements: Sequence[Settlement]) -> Grid:
    """Return a table with one settlement per row."""
    grid = Grid(box=box.SIMPLE, pad_edge=False)
    for column in ("seat", "bet", "what happened", "rule", "stake", "won"):
        right = column in {"seat", "rule", "stake", "won"}
        grid.add_column(column, justify="right" if right else "left", overflow="fold")
    for s in settlements:
        bet = hand_name(s.bet, s.hand)
        grid.add_row(str(s.seat), bet, s.outcome, s.rule, dollars(s.stake), money(s.net))
    return grid
