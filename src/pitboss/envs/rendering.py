"""Render the table of an environment as text or as an image, as the agent's seats see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import UnsupportedMode

from pitboss.core.errors import shown
from pitboss.core.protocol import hand_name
from pitboss.simulator.jobs import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from pitboss.core.cards import Card, Suit
    from pitboss.core.protocol import SeatView, Settlement, View
    from pitboss.envs.episodes import Episode

MODES = ["ansi", "rgb_array"]
FPS = 2

FELT, INK, PAPER, BACK, RED = "#1f5f43", "#f4f1e8", "#fdfcf8", "#7d2f3b", "#b3261e"
GOLD = "#f2c14e"
WIDTH, CARD, GAP, LEFT = 720, (44, 60), 8, 190
LINE, TEXT = CARD[1] + 14, 30


def check_mode(mode: str | None) -> str | None:
    """Reject an unknown render mode."""
    if mode is not None and mode not in MODES:
        raise UnsupportedMode(f"no render mode {shown(mode)}: valid are {', '.join(MODES)}")
    return mode


def render(
    episode: Episode, mine: Iterable[int], mode: str | None
) -> str | NDArray[np.uint8] | None:
    """Return the table as the seats *mine* see it, or None if *mode* is None."""
    if mode is None:
        return None
    rows = [*_rows(episode, [*mine])]
    return _text(rows) if mode == "ansi" else _picture(rows, episode.encoding.seats)


@dataclass(frozen=True)
class _Row:
    """A row of cards with a name and a note."""

    name: str
    cards: tuple[Card | None, ...]
    note: str = ""
    is_turn: bool = False


def _rows(episode: Episode, mine: list[int]) -> Iterator[_Row]:
    round_ = episode.round
    if round_.phase == "betting":
        yield _Row("the bets", (), f"seat {episode.legal()[0]} chooses its side bets", is_turn=True)
        return
    views = {seat: round_.view(seat) for seat in mine}
    view = views[mine[0]]
    settled = "bust" if view.phase == "settled" else ""
    yield _Row("dealer", view.dealer.cards, str(view.dealer.total or settled))
    for shown_ in view.seats:
        seat = next(s for s in views.get(shown_.seat, view).seats if s.seat == shown_.seat)
        yield from _seat_rows(seat, view, asked=episode.legal()[0])
    if settled:
        yield from _results(view.settlements, mine)


def _seat_rows(seat: SeatView, view: View, asked: int) -> Iterator[_Row]:
    waits = view.phase != "settled" and view.turn is None and asked == seat.seat
    yield _Row(f"seat {seat.seat}", seat.cards, is_turn=waits)
    for hand in seat.hands:
        here = view.turn and (view.turn.seat, view.turn.bet, view.turn.hand)
        name = f"  {hand_name(hand.bet, hand.hand)}{' x 2' if hand.stake > UNIT else ''}"
        note = "bust" if hand.total is None else str(hand.total)
        is_turn = here == (seat.seat, hand.bet, hand.hand)
        yield _Row(name, hand.cards or (), note, is_turn=is_turn)


def _results(settlements: tuple[Settlement, ...], mine: list[int]) -> Iterator[_Row]:
    for seat in mine:
        own = [s for s in settlements if s.seat == seat]
        won = sum(s.net for s in own) / UNIT
        ended = ", ".join(f"{hand_name(s.bet, s.hand)} {s.outcome}" for s in own)
        yield _Row(f"seat {seat}: {won:+g}", (), ended)


# --- text


def _text(rows: list[_Row]) -> str:
    lines = []
    for row in rows:
        cards = " ".join(card.symbol if card else "??" for card in row.cards)
        parts = [
            f"{'>' if row.is_turn else ' '} {row.name:<18}",
            cards,
            row.note and f"= {row.note}",
        ]
        if not row.cards:
            parts[-1] = row.note
        lines.append(" ".join(part for part in parts if part).rstrip())
    return "\n".join(lines)


# --- image


def _picture(rows: list[_Row], seats: int) -> NDArray[np.uint8]:
    """Draw the rows on a background of the same size at every step, as a video needs.

    A round with many hands is drawn smaller.
    """
    from PIL import Image, ImageDraw, ImageFont

    heights = [LINE if row.cards else TEXT for row in rows]
    size = (WIDTH, 24 + LINE + seats * (3 * LINE + TEXT))
    font = ImageFont.load_default(18)
    wide = [LEFT + (CARD[0] + GAP) * len(row.cards) + font.getlength(row.note) for row in rows]
    drawn = max(WIDTH, int(max(wide)) + 24), max(size[1], sum(heights) + 24)
    image = Image.new("RGB", drawn, FELT)
    draw = ImageDraw.Draw(image)
    y = 12
    for row, height in zip(rows, heights, strict=True):
        middle, colour = y + height // 2, GOLD if row.is_turn else INK
        draw.text((16, middle), row.name.strip(), colour, font, anchor="lm")
        x = LEFT
        for card in row.cards:
            _card(draw, font, (x, y + 7), card)
            x += CARD[0] + GAP
        draw.text((x + 8, middle), row.note, colour, font, anchor="lm")
        y += height
    felt = Image.new("RGB", size, FELT)
    image.thumbnail(size)
    felt.paste(image, (0, 0))
    return np.asarray(felt, np.uint8).copy()


def _card(draw: Any, font: Any, at: tuple[int, int], card: Card | None) -> None:  # noqa: ANN401 Pillow's types
    x, y = at
    box = (x, y, x + CARD[0], y + CARD[1])
    draw.rounded_rectangle(box, 5, fill=PAPER if card else BACK, outline=PAPER, width=2)
    if card is None:
        return
    colour = RED if card.suit.is_red else "black"
    middle = x + CARD[0] // 2
    draw.text((middle, y + 18), card.rank.letter.replace("T", "10"), colour, font, anchor="mm")
    _suit(draw, card.suit, middle, y + 43, colour)


def _suit(draw: Any, suit: Suit, x: int, y: int, colour: str) -> None:  # noqa: ANN401 Pillow's types
    """Draw a suit as shapes, because some fonts lack the symbol."""

    def dot(dx: int, dy: int, radius: int = 5) -> None:
        draw.ellipse((x + dx - radius, y + dy - radius, x + dx + radius, y + dy + radius), colour)

    match suit.value:
        case "d":
            draw.polygon([(x, y - 10), (x + 8, y), (x, y + 10), (x - 8, y)], colour)
        case "h":
            dot(-4, -4)
            dot(4, -4)
            draw.polygon([(x - 9, y - 2), (x + 9, y - 2), (x, y + 9)], colour)
        case "s":
            draw.polygon([(x - 9, y + 2), (x + 9, y + 2), (x, y - 10)], colour)
            dot(-4, 3)
            dot(4, 3)
            draw.polygon([(x, y), (x + 4, y + 10), (x - 4, y + 10)], colour)
        case _:
            dot(0, -5)
            dot(-5, 2)
            dot(5, 2)
            draw.polygon([(x, y), (x + 4, y + 10), (x - 4, y + 10)], colour)
